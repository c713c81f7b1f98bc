"""The Jacobian of all bodies, and the equations of motion assembled from it."""
