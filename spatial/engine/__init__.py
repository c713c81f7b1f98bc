"""What runs the formulas: scalars and memory as kernels see them, what compiles them, threads."""
