"""Integrators that solve for the end of a step: backward differences, linearly implicit, variational."""
