"""Public functions from kernels: checks of arguments, calls for one state, and batches in lanes and on threads."""
