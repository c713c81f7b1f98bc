"""What a scalar can do in a kernel: arithmetic, lanes of eight numbers, sine and cosine, arctangent."""

# Compiled code has to know all of it before anything is compiled.
from pluecker.spatial.scalars import arctangent, lanes, operations, sincos

__all__ = ["arctangent", "lanes", "operations", "sincos"]
