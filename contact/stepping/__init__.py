"""Steps of worlds: the compiled one, and Runge and Kutta's with projection."""
