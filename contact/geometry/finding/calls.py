"""Kernels of pairs of shapes behind addresses: of many kinds of pairs only those are compiled that somebody has, each once.

A call takes and leaves its numbers in a block, :mod:`~pluecker.contact.geometry.finding.blocks`.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, types

from pluecker.contact.geometry.finding.blocks import (
    BLOCK,
    CALLS,
    POSE,
    POSES,
    SIZE_PLACE,
    SLACK_PLACE,
    SLOT_PLACE,
    call_kernel,
    load_pose,
)
from pluecker.contact.geometry.hull_parts import PART, count_edges
from pluecker.contact.geometry.pairs import MOST_EDGES, Pair, hull_rows, hulls_of, kernel_of, packed_pose
from pluecker.contact.geometry.shapes import Shape, is_surface
from pluecker.contact.geometry.slots import SLOT
from pluecker.spatial.algebra.vectors import load3
from pluecker.spatial.engine.compiled.decorators import address, compiled_for, entry_point
from pluecker.spatial.engine.memory.addresses import numbers_at
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store
from pluecker.spatial.functions.elementwise import Array

__all__ = ["call_of", "has_kernel", "hull_record", "slots_of"]


@functools.cache
def call_of(pair: Pair, hulls: int) -> int:
    """Return the address of the call of a kernel, of whose shapes so many are hulls; without compilation its number."""
    function = (pair_call, hull_call, two_hulls_call)[hulls](pair.kernel, pair.slots * SLOT)
    if config.DISABLE_JIT:
        CALLS.append(function)
        return len(CALLS)
    return address(compiled_for(function, (types.intp, types.intp)))


def hull_record(kinds: tuple[int, int], hull: Any) -> tuple[Array, Array]:
    """Return the rows that the kernel of two kinds reads of a hull, and the three numbers of a block that say where these
    are: they must outlive all calls.
    """
    rows, count = hull_rows(kinds, hull)
    rows = np.ascontiguousarray(rows)
    return rows, np.array([rows.ctypes.data, count, rows.size], np.int64).view(np.float64)


def has_kernel(first: Shape, second: Shape) -> bool:
    """Return whether two shapes, in the order of their kinds, have a kernel: both have an inside, and two hulls, or a box
    and a hull, few enough edges.
    """
    kinds = first.kind, second.kind
    if kernel_of(*kinds) is None or is_surface(first) or is_surface(second):
        return False
    if hulls_of(*kinds) < 2:
        return True
    return count_edges(first) * count_edges(second) <= MOST_EDGES


def slots_of(first: Shape, T1: Array, second: Shape, T2: Array, slack: float) -> Array:
    """Run the kernel of two shapes, in the order of their kinds, at n placements of both, ``(n, 4, 4)``; return slots
    ``(n, slots, 8)``.
    """
    kinds = first.kind, second.kind
    pair, hulls = kernel_of(*kinds), hulls_of(*kinds)
    assert pair is not None
    block, lasting = np.zeros(BLOCK), []
    for k, shape in enumerate((first, second)):
        place = slice(SIZE_PLACE + 3 * k, SIZE_PLACE + 3 * k + 3)
        if k < 2 - hulls:
            block[place] = shape.sizes
        else:
            rows, block[place] = hull_record(kinds, shape)
            lasting.append(rows)
    block[SLACK_PLACE] = slack
    poses = np.concatenate([packed_pose(T1), packed_pose(T2)], axis=1)
    out = np.empty((len(poses), pair.slots * SLOT))
    with np.errstate(all="ignore"):  # without compilation
        call_at_poses(call_of(pair, hulls), poses.ravel(), block, out.ravel())
    return out.reshape(len(poses), pair.slots, SLOT)


def call_at_poses(call, poses, block, out):
    """Call a kernel at one pair of poses after another"""
    poses, block, out = view(poses), view(block), view(out)
    n = len(poses) // POSES
    room = len(out) // max(n, 1)
    for k in range(n):
        for a in range(POSES):
            store(block, a, load(poses, POSES * k + a))
        call_kernel(call, block)
        for a in range(room):
            store(out, room * k + a, load(block, SLOT_PLACE + a))


call_at_poses = entry_point(call_at_poses)


def pair_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of a pair on its block: an array, or the address of one in compiled code."""
    block_of = in_array if config.DISABLE_JIT else numbers_at

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        s1, s2 = load3(x, SIZE_PLACE), load3(x, SIZE_PLACE + 3)
        kernel(R1, p1, s1, R2, p2, s2, load(x, SLACK_PLACE), part(x, SLOT_PLACE, room))
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def hull_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of a shape and a hull, whose numbers are outside its block: 3 or 12 in each of
    its rows.
    """
    block_of, rows_at = (in_array, in_memory) if config.DISABLE_JIT else (numbers_at, numbers_at)

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        count, size = load_integer(x, SIZE_PLACE + 4), load_integer(x, SIZE_PLACE + 5)
        numbers, rows = rows_at(load_integer(x, SIZE_PLACE + 3), size), size // PART
        found = part(x, SLOT_PLACE, room)
        s1 = load3(x, SIZE_PLACE)
        kernel(R1, p1, s1, R2, p2, numbers, count, rows, load(x, SLACK_PLACE), found)
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def two_hulls_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of two hulls on its block, see :class:`~pluecker.contact.geometry.hull_parts.Solid`."""
    block_of, rows_at = (in_array, in_memory) if config.DISABLE_JIT else (numbers_at, numbers_at)

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        size1, size2 = load_integer(x, SIZE_PLACE + 2), load_integer(x, SIZE_PLACE + 5)
        A, B = rows_at(load_integer(x, SIZE_PLACE), size1), rows_at(load_integer(x, SIZE_PLACE + 3), size2)
        a = load_integer(x, SIZE_PLACE + 1), load_integer(A, size1 - PART + 2), size1 // PART - 1
        b = load_integer(x, SIZE_PLACE + 4), load_integer(B, size2 - PART + 2), size2 // PART - 1
        found = part(x, SLOT_PLACE, room)
        kernel(R1, p1, A, a, R2, p2, B, b, load(x, SLACK_PLACE), found)
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def in_memory(place: Any, size: int) -> Any:
    """View so many numbers at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(int(place)))


def in_array(block: Any, size: int) -> Any:
    """Return a block by itself, in place of what is at its address."""
    return block[:size]
