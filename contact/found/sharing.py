"""Call of Python from a compiled step."""

import ctypes

from numba.extending import overload

from pluecker.spatial.engine.compiled.decorators import TAUGHT
from pluecker.spatial.engine.memory.addresses import address_of
from pluecker.spatial.engine.parallel.atomics import call_c

__all__ = ["ASKED", "ask"]

ASKED = ctypes.CFUNCTYPE(None, ctypes.c_double, *(ctypes.c_int64,) * 4)


def ask(function, ws, what):
    """Call Python for a step, whose answer is in the workspace"""
    ASKED(function)(float(what), ws.ctypes.data, 0, 0, 0)


@overload(ask, jit_options=TAUGHT)
def _ask(function, ws, what):
    return lambda function, ws, what: call_c(function, float(what), address_of(ws), 0, 0, 0)
