"""Scalars of kernels, and their functions: arithmetic, lanes of eight numbers, dual numbers, sine and cosine, arctangent."""

# Compiled code has to know all of it before anything is compiled.
from pluecker.spatial.engine.scalars import arctangent, duals, lanes, operations, sincos

__all__ = ["arctangent", "duals", "lanes", "operations", "sincos"]
