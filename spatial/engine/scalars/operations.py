"""Functions of scalars in kernels, beyond ``+ - * /`` and unary minus.

Every kernel of the package is generic: it touches numbers only through arithmetic and through the functions of this
file. A new scalar type gives these functions a meaning in compiled code, and every algorithm follows unchanged:
:mod:`pluecker.spatial.engine.codegen.lanes` does, and so does :mod:`pluecker.spatial.engine.codegen.duals`.

A *scalar array* holds the numbers of one state: ``q``, ``v``, a workspace. It is read with :func:`load` and written with
:func:`store`, so that the array, and not the algorithm, decides which scalar comes out of it.

``complex128`` is supported throughout: it turns any algorithm into its own derivative by the complex step,
``df/dx = Im f(x + ih) / h``. For that, no function here conjugates, and comparisons look at the real part.
"""

from __future__ import annotations

import numpy as np

from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = [
    "accumulate",
    "atan2",
    "lift",
    "load",
    "load_integer",
    "part",
    "select",
    "sign",
    "sincos",
    "smaller",
    "sqrt",
    "store",
    "tail",
    "within",
]


def load(array, k):
    """Entry ``k`` of a scalar array."""
    return array[k]


def load_integer(array, k):
    """Entry ``k`` of an array of floats, whose 64 bits are an integer."""
    return int(array[k : k + 1].view(np.int64)[0])


def store(array, k, x):
    """Set entry ``k`` of a scalar array."""
    array[k] = x


def part(array, k, n):
    """Entries ``k`` to ``k + n - 1`` of a scalar array, as one of their own in the same memory."""
    return array[k : k + n]


@kernel
def tail(array, k):
    """A scalar array without its first ``k`` entries."""
    return part(array, k, len(array) - k)


@kernel
def accumulate(array, k, x):
    """Add ``x`` to entry ``k`` of a scalar array."""
    store(array, k, load(array, k) + x)


def sincos(x):
    """Sine and cosine."""
    return np.sin(x), np.cos(x)


def sqrt(x):
    """Square root."""
    return np.sqrt(x)


def atan2(y, x):
    """Angle of the point ``(x, y)``, in (-pi, pi]."""
    if isinstance(y, complex) or isinstance(x, complex):
        return _atan2_complex(y, x)
    return np.arctan2(y, x)


def _atan2_complex(y, x):
    """``atan2`` to first order in the imaginary parts, as the complex step needs: d atan2 = (x dy - y dx) / (x^2 + y^2)."""
    yr, xr = np.real(y), np.real(x)
    return np.arctan2(yr, xr) + 1j * ((xr * np.imag(y) - yr * np.imag(x)) / (xr * xr + yr * yr))


def smaller(x, y):
    """Return whether ``x < y``, by real parts: the condition that :func:`select` takes."""
    return np.real(x) < np.real(y)


def within(x, bound):
    """Return whether ``|x| <= bound`` in all states that ``x`` stands for; false for NaN."""
    return abs(x) <= bound


def select(condition, x, y):
    """``x`` where the condition holds, else ``y``; both are always computed."""
    return x if condition else y


def sign(x):
    """-1, 0 or 1, by the real part."""
    return np.sign(np.real(x))


def lift(number, like):
    """The float ``number`` as a scalar of the type of ``like``, NaN or not, but for duals in plain Python."""
    if isinstance(like, complex):
        return np.complex128(number)
    return np.float64(number) if isinstance(like, float) else number + 0.0 * like
