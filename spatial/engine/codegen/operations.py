"""Functions of scalars in compiled code, for ordinary and complex numbers."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from pluecker.spatial.engine.compiled.numba_internals import TAUGHT
from pluecker.spatial.engine.scalars.operations import atan2, lift, select, sign, sincos, smaller, sqrt, within

__all__ = ["NUMBER"]

NUMBER = (types.Float, types.Complex, types.Integer)


@overload(sincos, jit_options=TAUGHT)
def _sincos(x):
    if isinstance(x, types.Complex):
        return lambda x: (np.sin(x), np.cos(x))
    return None


@overload(sqrt, jit_options=TAUGHT)
def _sqrt(x):
    if isinstance(x, NUMBER):
        return lambda x: np.sqrt(x)
    return None


@overload(atan2, jit_options=TAUGHT)
def _atan2(y, x):
    if isinstance(y, types.Complex) and isinstance(x, types.Complex):

        def number(y, x):
            angle = np.arctan2(y.real, x.real)
            return angle + 1j * ((x.real * y.imag - y.real * x.imag) / (x.real * x.real + y.real * y.real))

        return number
    if isinstance(y, NUMBER) and isinstance(x, NUMBER):
        return lambda y, x: np.arctan2(y, x)
    return None


@overload(smaller, jit_options=TAUGHT)
def _smaller(x, y):
    if isinstance(x, NUMBER) and isinstance(y, NUMBER):
        return lambda x, y: x.real < y.real
    return None


@overload(within, jit_options=TAUGHT)
def _within(x, bound):
    return (lambda x, bound: abs(x) <= bound) if isinstance(x, NUMBER) else None


@overload(select, jit_options=TAUGHT)
def _select(condition, x, y):
    alike = x == y or (isinstance(x, NUMBER) and isinstance(y, NUMBER))  # others have a select of their own
    if isinstance(condition, types.Boolean) and alike:
        return lambda condition, x, y: x if condition else y
    return None


@overload(sign, jit_options=TAUGHT)
def _sign(x):
    if isinstance(x, NUMBER):
        return lambda x: np.sign(x.real)
    return None


@overload(lift, jit_options=TAUGHT)
def _lift(number, like):
    if isinstance(like, types.Complex):
        return lambda number, like: complex(number)
    if isinstance(like, NUMBER):
        return lambda number, like: float(number)
    return None
