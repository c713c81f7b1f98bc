"""A mark for tests that call kernels by themselves, of which users call what has them inside.

Each such call is compiled anew, for seconds, for the test alone. In plain Python it costs nothing, and there these tests run
on each change; compiled ones run with everything. Beside each is a test of what is compiled for users.
"""

from __future__ import annotations

import pytest

from tests.conftest import COMPILED, EVERYTHING

__all__ = ["alone"]

alone = pytest.mark.skipif(COMPILED and not EVERYTHING, reason="kernels by themselves: in plain Python, and everything")
