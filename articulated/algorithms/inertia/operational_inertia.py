"""The inertia of a robot as somebody feels it who holds it at one frame or at several: the operational-space inertia.

It is the inverse of ``J H^-1 J^T`` (:mod:`~pluecker.articulated.algorithms.inertia.mobility`), of all rows of J or of
some: whoever holds the robot at a point does not feel how hard it is to turn.

Source: Khatib (1987), "A unified approach for motion and force control of robot manipulators".
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frame_path import ORIGIN, POINT, check_point
from pluecker.articulated.algorithms.inertia.inertia_factor import EPSILON, NEARLY, refused_coordinate
from pluecker.articulated.algorithms.inertia.mobility import (
    ENTRY,
    NAME,
    ROWS,
    Frames,
    Rows,
    constants,
    listed,
    of_row,
    row_count,
    store_mobility,
    workspace,
)
from pluecker.articulated.model.layout import velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, check_word
from pluecker.articulated.running.fields import Field
from pluecker.spatial.dense.ldl import factorize_ldl, invert_ldl
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, store, tail
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = ["operational_inertia", "operational_inertia_kernel"]

# the workspace, behind the pivots of H: how many rows count, of each the number of its frame in the model and its own in the
# frame, the diagonal of J H^-1 J^T, that matrix or its factors, and what that takes
LABEL = 2
ROW_NAMES = ("all", "angular", "linear")
ENTRIES = ("angular x", "angular y", "angular z", "linear x", "linear y", "linear z")


@kernel
def operational_inertia_kernel(m, c, q, point, inertia, ws):
    """Compute Lambda = (J H^-1 J^T)^-1"""
    n, work = load_integer(c, ROWS), tail(ws, 2 * velocity_count(m))
    diagonal = tail(work, 1 + LABEL * n)
    A = tail(diagonal, n)
    store_mobility(m, c, q, point, A, ws, tail(A, n * n))
    store(work, 0, 1.0 * n)
    for i in range(n):
        store(work, 1 + LABEL * i, 1.0 * of_row(c, i, NAME))
        store(work, 2 + LABEL * i, 1.0 * of_row(c, i, ENTRY))
        store(diagonal, i, load(A, (n + 1) * i))
    factorize_ldl(A, n, EPSILON)
    invert_ldl(A, n, inertia)


def total_workspace(model: Model, frames: Frames, axes: str, rows: Rows) -> int:
    """Return the size of the workspace of :func:`operational_inertia_kernel`, in numbers"""
    n = row_count(model, frames, axes, rows)
    return 2 * model.nv + 1 + (LABEL + 1) * n + n * n + workspace(model, frames, axes, rows)


def refused(model: Model, ws: Array) -> int | str | None:
    """Find in the workspace why there is no result: the coordinate that moves no inertia, or a message for the row that is
    not free; None where numbers overflow instead.
    """
    coordinate = refused_coordinate(model, ws)
    work = ws[2 * model.nv :]
    n = int(work[0])
    labels, diagonal = work[1 : 1 + LABEL * n].reshape(n, LABEL), work[1 + LABEL * n :][:n]
    if coordinate is not None or not np.isfinite(ws[: 2 * model.nv]).all() or not np.isfinite(diagonal).all():
        return coordinate
    A = work[1 + (LABEL + 1) * n :][: n * n].reshape(n, n)
    free = np.diag(A) * EPSILON * diagonal < NEARLY
    if free.all():
        return None
    name, entry = labels[np.argmin(free)].astype(int)
    return (
        f"the operational-space inertia is singular: the joints do not let the {ENTRIES[entry]} of "
        f"{shown(model.frame_names[name]) if name >= 0 else 'the world'} accelerate independently of the rows before it"
    )


OPERATIONAL_INERTIA = Algorithm(
    "operational_inertia",
    operational_inertia_kernel,
    inputs=("q", POINT),
    outputs=(Field("Lambda", (row_count, row_count)),),
    constants=constants,
    workspace=total_workspace,
    singular=refused,
)


@functools.cache
def of_several(frames: int) -> Algorithm:
    """Return the record for so many frames, whose points are concatenated; the compiled functions are those of one frame."""
    inputs = ("q", Field("point", (3 * frames,)))
    return replace(OPERATIONAL_INERTIA, inputs=inputs, shares=OPERATIONAL_INERTIA, listed=False)


def operational_inertia(
    model: Model,
    q: ArrayLike,
    frame: str | Sequence[str],
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    rows: str | Sequence[int] = "all",
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The operational-space inertia of a frame or of several, ``Lambda = (J H^-1 J^T)^-1``, armature included.

    A force on the frame equal to ``Lambda a`` gives the frame, at rest and without gravity, the acceleration ``a``; the
    kinetic energy cannot be less than ``1/2 v^T Lambda v`` while the frame moves with velocity ``v``. With some of the rows,
    that holds for these parts of velocity and force, while there is no force along the others.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        frame: the frame, by name; or several, whose Jacobians stand on top of one another.
        point, axes: as for :func:`jacobian`, the axes for all frames; of several frames a point each, ``(..., n, 3)``.
        rows: which rows of J count: ``"all"``; ``"angular"`` or ``"linear"``, three of each frame; or their numbers, from 0
            on and in any order, the frame that comes first having 0 to 5. An arm of five joints has an inertia for five.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows or does not exist, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast, those of the point too.

    Returns:
        Lambda, ``(..., n, n)`` for n rows, symmetric, in their order; kg m^2, kg m and kg. All rows of one frame: angular
        first, ``(..., 6, 6)``.

    Raises:
        KeyError: there is no frame of that name.
        ValueError: ``axes`` is none of the three, there is no such row, or one twice, a shape does not fit, an entry is not
            finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no name, or no number of a row, or no model.
        SingularInertiaError: the frames cannot accelerate in all directions asked for, because the joints between them and
            the world have fewer freedoms, or are in a singular configuration; or a joint moves no inertia.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import ModelBuilder, operational_inertia
        >>> ball = ModelBuilder()
        >>> ball.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
        >>> ball.add_joint("flying", "free", parent="world", child="ball")
        >>> np.diag(operational_inertia(ball.build(), [0, 0, 0, 1, 0, 0, 0], "ball"))
        array([0.1, 0.1, 0.1, 2. , 2. , 2. ])
        >>> operational_inertia(ball.build(), [0, 0, 0, 1, 0, 0, 0], "ball", point=(0, 1, 0), rows="linear").round(3)
        array([[0.095, 0.   , 0.   ],
               [0.   , 2.   , 0.   ],
               [0.   , 0.   , 0.095]])

    Source: Khatib (1987), "A unified approach for motion and force control of robot manipulators"; RBDA section 6.5.
    """
    if not type(frame) is type(axes) is type(rows) is str or rows not in ROW_NAMES:
        check_word("operational_inertia", "axes", axes)
        frame = as_names(frame)
        rows = as_choice(rows, 6 * len(listed(frame)))
    if point is not None:
        point = check_point("operational_inertia", point, axes)
    if type(frame) is str:
        return OPERATIONAL_INERTIA.call(
            model, (q, ORIGIN if point is None else point), out, threads, (frame, axes, rows)
        )
    points = np.zeros(3 * len(frame)) if point is None else as_points(point, len(frame))
    return of_several(len(frame)).call(model, (q, points), out, threads, (frame, axes, rows))


def as_names(frame: Any) -> Frames:
    """The name of a frame, or those of several."""
    expected = "expected the name of a frame or several names"
    if isinstance(frame, str):
        return str(frame)
    if not isinstance(frame, Iterable) or getattr(frame, "shape", None) == ():
        raise ArgumentTypeError(f"operational_inertia: frame is {shown(frame)}, {expected}")
    names = tuple(frame)
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise ArgumentTypeError(f"operational_inertia: frame[{k}] is {shown(name)}, expected the name of a frame")
    if not names:
        raise ArgumentValueError(f"operational_inertia: frame has no names, {expected}")
    return tuple(map(str, names))


def as_points(point: Any, count: int) -> Array:
    """A point for each frame, one after the other."""
    points = as_numbers("operational_inertia", "point", point)
    if points.shape[-2:] != (count, 3):
        raise ArgumentValueError(
            f"operational_inertia: point has shape {points.shape}, expected (..., {count}, 3), one for each frame"
        )
    bad = np.argwhere(~np.isfinite(points))
    if len(bad):
        place = tuple(bad[0].tolist())
        raise ArgumentValueError(
            f"operational_inertia: point{list(place)} is {points[place]}, expected a finite number"
        )
    return points.reshape(*points.shape[:-2], 3 * count)


def as_choice(rows: Any, count: int) -> Rows:
    """A choice of rows by its name, or the numbers of rows, each once."""
    choices = "'all', 'angular', 'linear'"
    if isinstance(rows, str):
        if rows not in ROW_NAMES:
            raise ArgumentValueError(
                f"operational_inertia: rows is {shown(rows)}, expected one of {choices}, or numbers"
            )
        return str(rows)
    if not isinstance(rows, Iterable) or getattr(rows, "shape", None) == ():
        raise ArgumentTypeError(f"operational_inertia: rows is {shown(rows)}, expected one of {choices}, or numbers")
    numbers: list[int] = []
    for k, row in enumerate(rows):
        try:
            number = operator.index(row)
        except TypeError:
            number = None
        if number is None or isinstance(row, bool | np.bool_):
            raise ArgumentTypeError(f"operational_inertia: rows[{k}] is {shown(row)}, expected a whole number")
        if not 0 <= number < count or number in numbers:
            expected = f"expected numbers from 0 to {count - 1}, each once"
            raise ArgumentValueError(f"operational_inertia: rows[{k}] is {shown(number)}, {expected}")
        numbers.append(number)
    if not numbers:
        raise ArgumentValueError(f"operational_inertia: rows has no numbers, expected some from 0 to {count - 1}")
    return tuple(numbers)
