"""Numbers of shapes, checked: each message says of which shape, what came, and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.contact.arguments import real_numbers
from pluecker.contact.errors import GeometryError
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.elementwise import Array

__all__ = ["LARGEST_SIZE", "SMALLEST_SIZE", "as_names", "as_placement", "length", "lengths", "not_negative", "points"]

SMALLEST_SIZE, LARGEST_SIZE = 1e-9, 1e9  # m; of sizes: kernels square them, and divide by products of two
ROTATION = 1e-6  # how far a matrix may be from a rotation


def numbers(label: str, key: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Check finite numbers in an array of a shape; -1 stands for any length."""
    array = real_numbers(f"{label}: {key}", value, truth=False)
    fits = array.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits:
        expected = "a number" if not shape else str(shape).replace("-1", "n")
        raise GeometryError(f"{label}: {key} has shape {array.shape}, expected {expected}")
    if not np.isfinite(array).all():
        wrong = array[~np.isfinite(array)].flat[0]
        raise GeometryError(f"{label}: {key} holds {wrong}, expected finite numbers")
    return array


def length(label: str, key: str, value: Any) -> float:
    """Check a length that a shape can have."""
    x = float(numbers(label, key, value, ()))
    if not SMALLEST_SIZE <= x <= LARGEST_SIZE:
        raise GeometryError(
            f"{label}: {key} is {x:g} m, expected a length from {SMALLEST_SIZE:g} to {LARGEST_SIZE:g} m"
        )
    return x


def lengths(label: str, key: str, value: Any, count: int) -> tuple[float, ...]:
    """Check several lengths that a shape can have."""
    found = numbers(label, key, value, (count,))
    for k, x in enumerate(found):
        length(label, f"{key}[{k}]", x)
    return tuple(found.tolist())


def not_negative(label: str, key: str, value: Any, high: float = np.inf, infinite: bool = False) -> float:
    """Check a number from 0 to a bound, finite unless it may be infinite."""
    array = real_numbers(f"{label}: {key}", value, truth=False)
    if array.shape != ():
        raise GeometryError(f"{label}: {key} has shape {array.shape}, expected a number")
    x = float(array)
    if not 0.0 <= x <= high or (np.isinf(x) and not infinite):
        bound = "a number that is not negative" if np.isinf(high) else f"0 to {high:g}"
        raise GeometryError(f"{label}: {key} is {x:g}, expected {bound}")
    return x + 0.0


def points(label: str, key: str, value: Any, least: int) -> Array:
    """Check points, ``(n, 3)``; return them in an array that cannot be written to."""
    found = numbers(label, key, value, (-1, 3))
    if len(found) < least:
        raise GeometryError(f"{label}: {key} has {len(found)} points, expected {least} or more")
    if np.abs(found).max() > LARGEST_SIZE:
        raise GeometryError(
            f"{label}: {key} has a point {np.abs(found).max():g} m away, expected at most {LARGEST_SIZE:g} m"
        )
    extent = np.ptp(found, axis=0).max()
    if 0.0 < extent < SMALLEST_SIZE:
        raise GeometryError(f"{label}: {key} lie within {extent:g} m, expected {SMALLEST_SIZE:g} m or more")
    found = found + 0.0
    found.setflags(write=False)
    return found


def as_placement(label: str, key: str, value: Any) -> Array:
    """Check placements: homogeneous matrices ``(..., 4, 4)``, or positions ``(..., 3)`` of shapes that are not turned."""
    array = real_numbers(f"{label}: {key}", value, truth=False)
    if array.shape[-1:] == (3,) and array.shape[-2:] != (4, 4):
        T = np.zeros((*array.shape[:-1], 4, 4))
        T[..., :, :] = np.eye(4)
        T[..., :3, 3] = array
        array = T
    if array.shape[-2:] != (4, 4):
        raise GeometryError(f"{label}: {key} has shape {array.shape}, expected (..., 4, 4), or (..., 3) of positions")
    if not np.isfinite(array).all():
        raise GeometryError(f"{label}: {key} holds a number that is not finite")
    if array.size and np.abs(array[..., :3, 3]).max() > LARGEST_SIZE:
        raise GeometryError(
            f"{label}: {key} is {np.abs(array[..., :3, 3]).max():g} m away, expected at most {LARGEST_SIZE:g} m"
        )
    R = array[..., :3, :3]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
        proper = bool((np.linalg.det(R) > 0.0).all())
        last = np.abs(array[..., 3, :] - np.array([0.0, 0.0, 0.0, 1.0])).max(initial=0.0)
    if not (off <= ROTATION and last <= ROTATION and proper):
        raise GeometryError(f"{label}: {key} is no placement: expected [[R, p], [0, 1]] with a rotation R")
    return array


def as_names(label: str, key: str, value: Any) -> tuple[str, ...]:
    """Check names, of which one alone may be given as a string; return them sorted, each once."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, (tuple, list, set, frozenset)) or not all(isinstance(name, str) for name in names):
        raise ArgumentTypeError(f"{label}: {key} is {shown(value)}, expected a name, or names")
    if "" in names:
        raise GeometryError(f"{label}: {key} is {shown(value)}, expected names that are not empty")
    return tuple(sorted(set(names)))
