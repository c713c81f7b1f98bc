"""The interior-point method for the convex problem: its cones, their algebra, its linear system."""
