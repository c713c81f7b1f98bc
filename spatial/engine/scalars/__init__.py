"""Scalars of kernels, and their functions: arithmetic, lanes of eight numbers, dual numbers."""
