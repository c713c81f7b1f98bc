"""Functions of the configuration, the rows that they make, their Jacobian, and what holds them: kernels and their tables."""
