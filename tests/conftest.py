"""One Hypothesis profile for all tests, and what lanes of continuous integration need to know."""

from __future__ import annotations

import os

import hypothesis
import pytest
from numba import config

COMPILED = not config.DISABLE_JIT
CHECKED = bool(config.BOUNDSCHECK)  # with bounds checks

# Compilation, and a loaded machine, make times meaningless: no deadline. Only the compiled lane looks for rare values; the
# others look at branches and at indices, for which few examples do. Without compilation each costs a thousand times more.
EXAMPLES = 10 if not COMPILED else 20 if CHECKED else 100
hypothesis.settings.register_profile(
    "pluecker", deadline=None, max_examples=EXAMPLES, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("pluecker")


@pytest.fixture(scope="session")
def states() -> int:
    """How many random states a comparison runs through."""
    return 2 if not COMPILED else 4 if CHECKED else 20
