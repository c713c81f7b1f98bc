"""The number in memory by which compiled loops learn that their work is not wanted any more."""

from __future__ import annotations

from pluecker.spatial.engine.compiled.symbols import new_symbol

__all__ = ["NAME", "interrupted", "state"]

NAME = "pluecker_interrupted"

state = new_symbol(NAME)  # 1 while something is being interrupted


def interrupted():
    """Return whether loops shall end."""
    return state[0] != 0
