"""Names of frames, and what a change of frame does to the size of coordinates.

A frame is a name or None. Where two quantities meet, two names must agree, and None agrees with every name.

Coordinates of M6 and F6 come in two halves. A change of origin leaves one alone, angular velocity or force, and adds
multiples of it to the other, linear velocity or moment. Rounding errors follow: those of the first half are relative to that
half, those of the second are relative to both, for lengths in metres. Inertias and transforms have two such axes: a mass is
compared with a mass alone, and a rotation with a rotation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.arguments import Array

__all__ = ["F6", "M6", "common_frame", "frame_name", "sizes"]

M6, F6 = 0, 1  # the half of the coordinates that a change of origin leaves alone: angular in M6, linear in F6


def frame_name(function: str, argument: str, frame: str | None) -> str | None:
    """A frame name as it was given, if it is one.

    Raises:
        TypeError: it is neither a string nor None.
        ValueError: it is empty.
    """
    if frame is not None and not isinstance(frame, str):
        raise ArgumentTypeError(f"{function}: {argument} is {shown(frame)}, expected the name of a frame or None")
    if frame == "":
        raise ArgumentValueError(f"{function}: {argument} is an empty string, expected the name of a frame or None")
    return frame


def common_frame(operation: str, a: str | None, b: str | None, first: str = "", second: str = "") -> str | None:
    """The frame of two quantities that meet.

    Raises:
        ValueError: both have a name, and the names differ.
    """
    if a is not None and b is not None and a != b:
        first, second = first or "the first is in frame", second or "the second in frame"
        raise ArgumentValueError(f"{operation}: {first} {shown(a)}, {second} {shown(b)}")
    return b if a is None else a


def sizes(values: Array, spaces: Sequence[int]) -> Array:
    """Return for each coordinate the largest entry that a change of origin, by lengths of one metre, mixes with it."""
    result = np.abs(values)
    for axis, fixed in zip(range(-len(spaces), 0), spaces, strict=True):
        halves = [half.max(axis, keepdims=True) for half in np.split(result, 2, axis)]
        halves[1 - fixed] = np.maximum(*halves)
        result = np.repeat(np.concatenate(halves, axis), 3, axis)
    return result
