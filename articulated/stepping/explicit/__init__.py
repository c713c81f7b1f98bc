"""Integrators that evaluate accelerations where they are, and displacements on the configuration manifold."""
