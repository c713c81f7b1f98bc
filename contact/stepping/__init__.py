"""Steps of worlds with named contacts; and, where all rows hold, implicit ones, and Runge and Kutta's with projection."""
