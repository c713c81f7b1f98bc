"""Call of Python from a compiled step."""

import ctypes

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of
from pluecker.spatial.engine.parallel.atomics import call_c

__all__ = ["ASKED", "ask"]

ASKED = ctypes.CFUNCTYPE(None, ctypes.c_double, *(ctypes.c_int64,) * 4)

if DISABLE_JIT:

    def ask(function, ws, what):
        """Call Python for a step, whose answer is in the workspace"""
        ASKED(function)(float(what), ws.ctypes.data, 0, 0, 0)

else:

    @kernel
    def ask(function, ws, what):
        """Call Python for a step, whose answer is in the workspace"""
        call_c(function, float(what), address_of(ws), 0, 0, 0)
