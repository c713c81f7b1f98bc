"""One step of a motion, as kernels: the forces that act, the integrators, rows on single coordinates, and the loop."""
