"""Engine that runs the formulas: scalars and memory as kernels see them, the compiler, threads."""
