"""Algorithms run for a world, whose constraints may call functions of Python's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pluecker.articulated.running.algorithm import Algorithm
from pluecker.spatial.engine.parallel.callbacks import callbacks

if TYPE_CHECKING:
    from pluecker.contact.world.constrained import Constrained

__all__ = ["run"]


def run(world: Constrained, algorithm: Algorithm, inputs: tuple[Any, ...], threads: int | None = None) -> Any:
    """Run an algorithm for a world; exceptions of the users' functions are raised."""
    if not world.calls_python:
        return algorithm.call(world.smooth, inputs, None, threads, (world.packed,))
    with callbacks():
        return algorithm.call(world.smooth, inputs, None, threads, (world.packed,))
