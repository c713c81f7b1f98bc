"""Kernels of pairs of shapes behind addresses: of many kinds of pairs only those are compiled that somebody has, each once.

A call takes and leaves its numbers in a block, :mod:`~pluecker.contact.geometry.finding.blocks`.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.contact.geometry.convex.touch import SCRATCH
from pluecker.contact.geometry.finding.blocks import (
    AXIS_PLACE,
    BLOCK,
    CALLS,
    LIMIT_PLACE,
    MOST_SLOTS,
    POSE,
    POSES,
    SIZE_PLACE,
    SLACK_PLACE,
    SLOT_PLACE,
    call_kernel,
    load_pose,
)
from pluecker.contact.geometry.pairs import Pair, array_of, arrays_of, kernel_of, packed_pose
from pluecker.contact.geometry.shapes import Shape, is_surface
from pluecker.contact.geometry.slots import OPEN, SLOT
from pluecker.spatial.algebra.vectors import load3
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, address, compiled_for, entry_point, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import numbers_at, room_for
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store
from pluecker.spatial.functions.elementwise import Array

__all__ = ["array_record", "call_of", "has_kernel", "slots_of"]


def call_of(pair: Pair, arrays: int) -> int:
    """Return the address of the call of a kernel, of whose shapes so many come as arrays; without compilation its number."""
    return call_with(pair.kernel, MOST_SLOTS if arrays == 2 else pair.slots, arrays)  # one copy for all convex shapes


@functools.cache
def call_with(kernel: Callable[..., None], slots: int, arrays: int) -> int:
    """Return the address of the call of a kernel that fills so many slots."""
    function = (pair_call, hull_call, solids_call)[arrays](kernel, slots * SLOT)
    if DISABLE_JIT:
        CALLS.append(function)
        return len(CALLS)
    return address(compiled_for(function, ADDRESSES))


def array_record(kinds: tuple[int, int], shape: Any) -> tuple[Array, Array]:
    """Return the array that the kernel of two kinds reads of a shape, and the numbers of a block that say where that is: it
    must outlive all calls.
    """
    array = np.ascontiguousarray(array_of(kinds, shape)).reshape(-1)
    return array, np.array([array.ctypes.data, array.size, 0], np.int64).view(np.float64)


def has_kernel(first: Shape, second: Shape) -> bool:
    """Return whether two shapes, in the order of their kinds, have a kernel: both have an inside."""
    return kernel_of(first.kind, second.kind) is not None and not (is_surface(first) or is_surface(second))


def slots_of(first: Shape, T1: Array, second: Shape, T2: Array, slack: float) -> Array:
    """Run the kernel of two shapes, in the order of their kinds, at n placements of both, ``(n, 4, 4)``; return slots
    ``(n, slots, 8)``.
    """
    kinds = first.kind, second.kind
    pair, arrays = kernel_of(*kinds), arrays_of(*kinds)
    assert pair is not None
    block, lasting = np.zeros(BLOCK), []
    for k, shape in enumerate((first, second)):
        place = slice(SIZE_PLACE + 3 * k, SIZE_PLACE + 3 * k + 3)
        if k < 2 - arrays:
            block[place] = shape.sizes
        else:
            array, block[place] = array_record(kinds, shape)
            lasting.append(array)
    block[SLACK_PLACE], block[LIMIT_PLACE] = slack, OPEN
    poses = np.concatenate([packed_pose(T1), packed_pose(T2)], axis=1)
    out = np.empty((len(poses), pair.slots * SLOT))
    with np.errstate(all="ignore"):  # without compilation
        call_at_poses(call_of(pair, arrays), poses.ravel(), block, out.ravel())
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
    block_of = in_array if DISABLE_JIT else numbers_at

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        s1, s2 = load3(x, SIZE_PLACE), load3(x, SIZE_PLACE + 3)
        kernel(R1, p1, s1, R2, p2, s2, load(x, SLACK_PLACE), part(x, SLOT_PLACE, room))
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def hull_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of a half-space and a hull, whose vertices are outside its block."""
    block_of, rows_at = (in_array, in_memory) if DISABLE_JIT else (numbers_at, numbers_at)

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        size = load_integer(x, SIZE_PLACE + 4)
        vertices = rows_at(load_integer(x, SIZE_PLACE + 3), size)
        found = part(x, SLOT_PLACE, room)
        kernel(R1, p1, R2, p2, vertices, size // 3, load(x, SLACK_PLACE), found)
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def solids_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of two shapes that come as arrays, see :mod:`~pluecker.contact.geometry.convex.solids`."""
    block_of, rows_at = (in_array, in_memory) if DISABLE_JIT else (numbers_at, numbers_at)
    room_of = room_in_array if DISABLE_JIT else room_in_memory

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        A = rows_at(load_integer(x, SIZE_PLACE), load_integer(x, SIZE_PLACE + 1))
        B = rows_at(load_integer(x, SIZE_PLACE + 3), load_integer(x, SIZE_PLACE + 4))
        found = part(x, SLOT_PLACE, room)
        axis = load3(x, AXIS_PLACE)
        kernel(R1, p1, A, R2, p2, B, load(x, SLACK_PLACE), load(x, LIMIT_PLACE), axis, room_of(SCRATCH), found)
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def in_memory(place: Any, size: int) -> Any:
    """View so many numbers at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(int(place)))


def in_array(block: Any, size: int) -> Any:
    """Return a block by itself, in place of what is at its address."""
    return block[:size]


@kernel
def room_in_memory(n):
    """Return room for n numbers, until the function that asks returns"""
    return numbers_at(room_for(n), n)


def room_in_array(n: int) -> Array:
    """Return room for n numbers."""
    return np.zeros(n)
