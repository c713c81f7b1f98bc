"""The inertia matrix: composite bodies, its factors and its inverse, the operational space, the Coriolis matrix."""
