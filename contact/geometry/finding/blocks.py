"""Blocks that kernels of pairs of shapes take and leave, and the call of a kernel by its address.

=========  ========================================================================================================
numbers    what they are
=========  ========================================================================================================
0 to 23    R row by row, and p, of both shapes
24 to 29   sizes of both; of a shape that comes as an array its address, an integer, and how many numbers that has, one too
30         the slack
31         the limit: what is farther apart need not be found; m
32 to 34   a direction of the world that may part both, or zeros
35, ...    the slots that it fills, :mod:`~pluecker.contact.geometry.slots`
=========  ========================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.contact.geometry.slots import SLOT
from pluecker.spatial.algebra.transforms import load_matrix
from pluecker.spatial.algebra.vectors import load3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of
from pluecker.spatial.engine.parallel.atomics import call_through

__all__ = [
    "AXIS_PLACE", "BLOCK", "CALLS", "LIMIT_PLACE", "MOST_SLOTS", "POSE", "POSES", "SIZE_PLACE", "SLACK", "SLACK_PLACE",
    "SLOT_PLACE", "call_kernel", "load_pose",
]  # fmt: skip

POSE = 12  # numbers: the rotation row by row, the origin
POSES = 2 * POSE
SIZE_PLACE, SLACK_PLACE, LIMIT_PLACE, AXIS_PLACE, SLOT_PLACE = 24, 30, 31, 32, 35
MOST_SLOTS = 8  # of a pair
BLOCK = SLOT_PLACE + SLOT * MOST_SLOTS
SLACK = (
    1e-3  # of the smallest side: how much deeper two boxes may be along a face than along edges, and touch by the face
)

# without compilation, what is called has a number here, from 1 on, in place of an address
CALLS: list[Callable[[Any, int], int]] = []


@kernel
def load_pose(x, i):
    """Load the rotation and the origin that begin at entry i"""
    return load_matrix(x, i), load3(x, i + 9)


if DISABLE_JIT:

    def call_kernel(call, block):
        """Call a kernel on its block"""
        CALLS[call - 1](block, 0)

else:

    @kernel
    def call_kernel(call, block):
        """Call a kernel on its block"""
        call_through(call, address_of(block), 0)
