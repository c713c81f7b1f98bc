"""Options of compilation, known without Numba: those of the environment, and those of the decorators.

=======================  ==========================================================================================
name                     what it says
=======================  ==========================================================================================
:data:`DISABLE_JIT`      nothing is compiled: ``NUMBA_DISABLE_JIT=1``
:data:`BOUNDSCHECK`      compiled code checks indices: ``NUMBA_BOUNDSCHECK=1``
=======================  ==========================================================================================

They are read once, when the package is imported: from Numba's own settings where a program has imported Numba already and
may have changed them, else from the variables.
"""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["BOUNDSCHECK", "CALLED", "DISABLE_JIT", "ENTRANCE", "INNER", "OPTIONS", "WITHOUT_REFERENCES"]


def setting(name: str) -> bool:
    """Return whether a setting of Numba is on."""
    config = getattr(sys.modules.get("numba"), "config", None)  # none while another thread imports it
    if hasattr(config, name):
        return bool(getattr(config, name))
    try:
        return bool(int(os.environ.get(f"NUMBA_{name}", "0")))
    except ValueError:  # Numba warns of it, and takes its default
        return False


DISABLE_JIT, BOUNDSCHECK = setting("DISABLE_JIT"), setting("BOUNDSCHECK")

# Products and sums may be fused (FMA); nothing else of fast-math, so that NaN and infinity keep their meaning.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
ENTRANCE: dict[str, Any] = {**OPTIONS, "nopython": True, "no_cfunc_wrapper": True}
# What allocates nothing need not count references: a record of arrays is then as cheap as the arrays.
WITHOUT_REFERENCES: dict[str, Any] = {"_nrt": False}
# A kernel becomes part of the code that calls it, so that its tuples stay in registers. It counts references if its caller
# does.
INNER: dict[str, Any] = {**ENTRANCE, "forceinline": True, "no_cpython_wrapper": True}
# What is called from a kernel becomes part of it too, unless this is said: Numba hands the option on.
CALLED: dict[str, Any] = {**INNER, "forceinline": False, **WITHOUT_REFERENCES}
