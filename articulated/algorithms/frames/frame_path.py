"""The way from a frame to the world, or to another frame: the only joints that move it.

What belongs to a frame, to the axes and to the reference is worked out once and handed to kernels as one array of constants:
the links that lie on the way, and for each of them the place of its columns among those that are not zero. So the cost of a
Jacobian is that of the way, however large the tree is.

Everything but a Jacobian in the world's axes is computed in the frame's own axes and at its own point, where numbers are as
small as the robot, and only then turned and moved to the axes that were asked for: docs/frames.md.

Sources: RBDA section 4.1 (the path from a body to the base); Featherstone's course, sections 35 and 54 (source document 001,
docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import joint_transform, kind_has_constant_subspace
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, check_word
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    inverse,
    inverse_transform_motion,
    load_transform,
    store_transform,
)
from pluecker.spatial.algebra.vectors import add3, load3, rotate_back
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, load_integer
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, shown

__all__ = [
    "ALIGNED", "BODY", "ORIGIN", "POINT", "TRANSFORM", "axes_of", "check_point", "column_count",
    "frame_at_point", "from_reference", "is_classical", "links_down", "links_up", "only_turns", "path_column",
    "path_columns", "path_constants", "path_link", "path_transforms", "path_workspace", "shares_column", "step_down",
    "step_up", "to_axes", "will_share_column",
]  # fmt: skip

BODY, ALIGNED, WORLD = range(3)
AXES = {"body": BODY, "world": WORLD, "aligned": ALIGNED}
RELATIVE_AXES = {"body": BODY, "reference": WORLD, "aligned": ALIGNED}  # the reference takes the world's place

POINT = Field("point", (3,))
ORIGIN = np.zeros(3)  # of a frame

# the constants: which axes; how many links lead up from the frame to the ancestor that it has in common with the reference,
# and how many down from there to the reference; how many joint transforms count; how many columns are not zero; whether the
# reference is not the world; whether accelerations are classical; the frame's and the reference's transforms from the links
# that carry them; then for each link its number, the place of its first column, whether an earlier link has the same one,
# whether a later one has, and whether its joint only turns, in all configurations about the same axes of the link
AXES_CODE, UP, DOWN, JOINTS, COLUMNS, HAS_REFERENCE, CLASSICAL, FRAME, REFERENCE, HEADER = *range(8), 19, 31
LINK, COLUMN, SHARED, WILL_SHARE, ONLY_TURNS, RECORD = range(6)
TRANSFORM = 12  # the workspace: for each link of the way the transform of its joint


@kernel
def axes_of(c):
    """BODY, ALIGNED or WORLD"""
    return load_integer(c, AXES_CODE)


@kernel
def links_up(c):
    """Return how many links lead from the frame up to the ancestor shared with the reference, that one not counted."""
    return load_integer(c, UP)


@kernel
def links_down(c):
    """Return how many links lead from that ancestor down to the reference."""
    return load_integer(c, DOWN)


@kernel
def column_count(c):
    """Return how many columns of the Jacobian are not zero."""
    return load_integer(c, COLUMNS)


@kernel
def is_classical(c):
    """Return whether an acceleration is to be the classical one, that of a point of the body."""
    return load_integer(c, CLASSICAL) != 0


@kernel
def path_link(c, k):
    """The link number ``k`` of the way: first those up, then those down."""
    return load_integer(c, HEADER + RECORD * k + LINK)


@kernel
def path_column(c, k):
    """The place of the link's first column among those that are not zero."""
    return load_integer(c, HEADER + RECORD * k + COLUMN)


@kernel
def shares_column(c, k):
    """Return whether an earlier link of the way has the same column: joints that mimic one another."""
    return load_integer(c, HEADER + RECORD * k + SHARED) != 0


@kernel
def will_share_column(c, k):
    """Return whether a later link of the way has the same column."""
    return load_integer(c, HEADER + RECORD * k + WILL_SHARE) != 0


@kernel
def only_turns(c, k):
    """Return whether the motion subspace of the link's joint is constant in link coordinates, and without translation."""
    return load_integer(c, HEADER + RECORD * k + ONLY_TURNS) != 0


@kernel
def frame_at_point(c, point):
    """Return the transform from the link that carries the frame to the frame, with its origin moved to a point given in
    the frame's coordinates.
    """
    E, r = load_transform(c, FRAME)
    p = load3(point, 0)
    x = p[0]
    E = (lift(E[0], x), lift(E[1], x), lift(E[2], x), lift(E[3], x), lift(E[4], x), lift(E[5], x), lift(E[6], x),
         lift(E[7], x), lift(E[8], x))  # fmt: skip
    return (E, add3(r, rotate_back(E, p)))


@kernel
def path_transforms(m, c, q, ws):
    """Store the transforms of the joints of the way in the workspace: independent of one another, unlike in a recursion."""
    for k in range(load_integer(c, JOINTS)):
        store_transform(ws, TRANSFORM * k, joint_transform(m, path_link(c, k), q))


@kernel
def step_up(c, k, X, ws):
    """Turn X, to the frame from a link of the way up, into that from the link's parent; the last one may not be needed"""
    if k < load_integer(c, JOINTS):
        return compose(X, load_transform(ws, TRANSFORM * k))
    return X


@kernel
def step_down(k, X, ws):
    """Turn X, to the frame from a link's parent, into that from the link, one of the way down"""
    return compose(X, inverse(load_transform(ws, TRANSFORM * k)))


@kernel
def from_reference(c, X):
    """Turn X, to the frame from the link that carries the reference, into that from the reference itself"""
    if load_integer(c, HAS_REFERENCE) != 0:
        return compose(X, inverse(load_transform(c, REFERENCE)))
    return X


@kernel
def to_axes(c, X, v):
    """Transform a motion vector from the frame's coordinates to the axes asked for; ``X`` is from reference to frame"""
    if axes_of(c) == BODY:
        return v
    if axes_of(c) == ALIGNED:
        return (rotate_back(X[0], v[0]), rotate_back(X[0], v[1]))
    return inverse_transform_motion(X, v)


# --------------------------------------------------------------------------------------------- what the user has passed


def check_point(function: str, point: Any, axes: str) -> Any:
    """Refuse a point with axes of the world or the reference, where the velocity is that of the body at their origin."""
    check_word(function, "axes", axes)
    if axes in ("world", "reference"):
        raise ArgumentValueError(
            f"{function}: axes {axes!r} are about the origin of the {axes}, whatever the point; expected no point, or axes "
            "'aligned' for its velocity"
        )
    return point


# ------------------------------------------------------------------------------------------------------- the constants


def path_constants(
    function: str, model: Model, frame: str, axes: str, reference: str | None = None, classical: bool = False
) -> Array:
    """Make the constants, for names that the user has given.

    Raises:
        KeyError: there is no frame of that name.
        TypeError, ValueError: ``frame`` or ``axes`` is no name, or none of those that there are.
    """
    choices = AXES if reference is None else RELATIVE_AXES
    code = axes_code(function, axes, choices)
    body, X = find_frame(function, model, frame)
    other, reference_X = (-1, IDENTITY) if reference is None else find_frame(function, model, reference)
    up, down = ways(model, body, other)
    links = up + down
    joints = len(links) - (
        code == BODY and bool(up) and not down
    )  # in body axes, where the ancestor is does not matter
    records = list(path_records(model, links))
    integers = [code, len(up), len(down), joints, len(columns(model, links))]
    header = np.array([*integers, reference is not None, classical], dtype=np.int64).view(np.float64)
    transforms = [np.asarray(part, dtype=np.float64).ravel() for part in (*X, *reference_X)]
    return np.concatenate([header, *transforms, np.array(records, dtype=np.int64).ravel().view(np.float64)])


def axes_code(function: str, axes: str, choices: dict[str, int]) -> int:
    """The number of a choice of axes."""
    listed = ", ".join(map(repr, choices))
    if not isinstance(axes, str):
        raise ArgumentTypeError(f"{function}: axes is {shown(axes)}, expected one of {listed}")
    if axes not in choices:
        raise ArgumentValueError(f"{function}: axes is {shown(axes)}, expected one of {listed}")
    return choices[axes]


def find_frame(function: str, model: Model, name: str) -> tuple[int, tuple[Array, Array]]:
    """The number of the body that carries a frame, -1 for the world, and the transform from the one to the other."""
    try:
        bodies, placements = model.frame_offsets([name])
    except PlueckerError as error:
        raise type(error)(f"{function}: {error}") from None
    return int(bodies[0]), (placements[0, :3, :3].T, placements[0, :3, 3])


def links_to_world(model: Model, body: int) -> list[int]:
    """The links between a body and the world, itself first; none for the world, which is body -1."""
    found = []
    i = int(np.flatnonzero(model.links[1:, layout.BODY] == body)[0]) + 1 if body >= 0 else 0
    while i > 0:
        found.append(i)
        i = int(model.links[i, layout.PARENT])
    return found


def ways(model: Model, body: int, reference: int) -> tuple[list[int], list[int]]:
    """Return the links from a body up to the ancestor that it shares with a reference, and from there down to that."""
    up, down = links_to_world(model, body), links_to_world(model, reference)
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    return up, down[::-1]


def columns(model: Model, links: list[int]) -> list[int]:
    """The places in v of the joints of these links, each once."""
    places: dict[int, None] = {}
    for i in links:
        first, count = (int(model.links[i, k]) for k in (layout.IV, layout.COUNT))
        places |= dict.fromkeys(range(first, first + count))
    return list(places)


def path_records(model: Model, links: list[int]) -> Iterator[tuple[int, int, bool, bool, bool]]:
    """Yield the record of each link of the way in the constants: LINK, COLUMN, SHARED, WILL_SHARE, ONLY_TURNS."""
    places, first = columns(model, links), [int(model.links[i, layout.IV]) for i in links]
    for k, i in enumerate(links):
        kind, freedom, count = (int(model.links[i, entry]) for entry in (layout.KIND, layout.FIRST, layout.COUNT))
        turns = kind_has_constant_subspace(kind) and not model.freedoms[freedom : freedom + count, 3:6].any()
        yield i, places.index(first[k]), first[k] in first[:k], first[k] in first[k + 1 :], turns


def path_columns(model: Model, frame: str, axes: str, reference: str | None = None) -> NDArray[np.int64]:
    """Return for each entry of the Jacobian the index of the kernel's number for it: index 0 is zero, then the columns."""
    body, other = (-1 if name is None else int(model.frame_offsets([name])[0][0]) for name in (frame, reference))
    up, down = ways(model, body, other)
    order = np.zeros((6, model.nv), dtype=np.int64)
    for k, column in enumerate(columns(model, up + down)):
        order[:, column] = 1 + 6 * k + np.arange(6)
    return order.ravel()


def path_workspace(model: Model, frame: str, axes: str, reference: str | None = None) -> int:
    """Return how many numbers the transforms of the way need, with those columns of a Jacobian that are not zero."""
    body, other = (-1 if name is None else int(model.frame_offsets([name])[0][0]) for name in (frame, reference))
    up, down = ways(model, body, other)
    return TRANSFORM * len(up + down) + 6 * len(columns(model, up + down))
