"""Variants of compiled code that few calls need, and that take some 20 s each: a mark for tests that need them.

On each change plain Python runs such a test, and with it every line of the kernel; that it compiles, and computes the same
there, is seen in ``make everything``. Another test runs the kernel in the variant that most calls need.
"""

import pytest

from tests.conftest import COMPILED, EVERYTHING

__all__ = ["rare_variant"]

rare_variant = pytest.mark.skipif(
    COMPILED and not EVERYTHING, reason="compiled in make everything, see instants/variants.py"
)
