"""Newton's method in the velocities of bodies, for islands of one step."""
