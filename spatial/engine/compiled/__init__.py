"""From Python to machine code: the decorators that make kernels and entry points, and the cache on disk."""
