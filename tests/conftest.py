"""One Hypothesis profile for all tests, and what lanes of continuous integration need to know."""

from __future__ import annotations

import os

import hypothesis
import pytest
from numba import config

COMPILED = not config.DISABLE_JIT

# Compilation, and a loaded machine, make times meaningless: no deadline. Without compilation each example costs a
# thousand times more, so that fewer are tried.
hypothesis.settings.register_profile(
    "pluecker", deadline=None, max_examples=100 if COMPILED else 15, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("pluecker")


@pytest.fixture(scope="session")
def states() -> int:
    """How many random states a comparison runs through."""
    return 20 if COMPILED else 2
