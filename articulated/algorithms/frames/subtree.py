"""Subtree of a body, with all that it carries, or the whole mechanism: the links to be visited, and their transforms.

A link counts if it is in the subtree, and is on the way if it carries the subtree. What belongs to a subtree is worked out
once and handed to kernels as an array of constants: its links, those that carry it first, and the columns of their joints.

Kernels of sums over bodies work in the world's axes, about the first link of the list: there numbers are as small as the
mechanism, wherever in the world it is.

Source: Featherstone's course, section 56 (source document 001, docs/sources.md), exercise C1: sums over subtrees.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.frames.frame_path import links_to_world
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import joint_transform
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.algebra.transforms import IDENTITY, compose, load_transform, store_transform
from pluecker.spatial.algebra.vectors import add, load_vector, store_vector, subtract3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, shown

__all__ = [
    "carried", "carried_mass", "from_origin", "is_centroidal", "list_column", "list_length", "list_link", "list_parent",
    "listed_transforms", "place_listed", "put_listed", "shares_column", "subtree_columns", "subtree_constants",
    "subtree_list", "total_mass",
]  # fmt: skip

# the constants: how many links are on the list, how many of them only carry the subtree, how many columns are not zero,
# whether a momentum is about the centre of mass, the mass of the subtree; then for each link its number, the place of its
# parent on the list (0 for the world, which is not on it), the place of its first column, and whether a later link has the
# same one; then for each link the mass that it carries of the subtree, its own included
LENGTH, CARRIERS, COLUMNS, CENTROIDAL, MASS, HEADER = range(6)
LINK, PARENT, COLUMN, SHARED, RECORD = range(5)


@kernel
def list_length(c):
    """Return how many links are on the list; their places are 1, 2, ..."""
    return load_integer(c, LENGTH)


@kernel
def carried(c, k):
    """Return whether the link at place ``k`` belongs to the subtree, and does not only carry it."""
    return k > load_integer(c, CARRIERS)


@kernel
def is_centroidal(c):
    """Return whether a momentum is to be about the centre of mass."""
    return load_integer(c, CENTROIDAL) != 0


@kernel
def total_mass(c):
    """Mass of the subtree."""
    return load(c, MASS)


@kernel
def list_link(c, k):
    """The number of the link at place ``k``."""
    return load_integer(c, HEADER + RECORD * (k - 1) + LINK)


@kernel
def list_parent(c, k):
    """The place of the parent of the link at place ``k``; 0 for the world."""
    return load_integer(c, HEADER + RECORD * (k - 1) + PARENT)


@kernel
def carried_mass(c, k):
    """Mass of what the link at place ``k`` carries of the subtree, its own included."""
    return load(c, HEADER + RECORD * list_length(c) + k - 1)


@kernel
def list_column(c, k, j):
    """The place of column ``j`` of the joint at place ``k`` of the list."""
    return load_integer(c, HEADER + RECORD * (k - 1) + COLUMN) + j


@kernel
def shares_column(c, k):
    """Return whether a later link of the list has the same column: joints that mimic one another, whose columns add up."""
    return load_integer(c, HEADER + RECORD * (k - 1) + SHARED) != 0


@kernel
def put_listed(c, k, j, x, A):
    """Store column ``j`` of the joint at place ``k``; the list is traversed from its end; those of mimic joints add up"""
    place = 6 * list_column(c, k, j)
    if shares_column(c, k):
        x = add(x, load_vector(A, place))
    store_vector(A, place, x)


@kernel
def listed_transforms(m, c, q, ws, record):
    """Store for each link of the list the transform of its joint, at the start of its record, independent of one another.

    Returns the origin, that of the first link of the list.
    """
    for k in range(1, list_length(c) + 1):
        store_transform(ws, record * k, joint_transform(m, list_link(c, k), q))
    store_transform(ws, 0, IDENTITY)
    return load_transform(ws, record * min(1, list_length(c)))[1]


@kernel
def place_listed(c, k, origin, ws, record):
    """Turn the transform of a joint into that of its link from the world's axes at the origin, after that of the parent"""
    X, p = load_transform(ws, record * k), list_parent(c, k)
    X = compose(X, load_transform(ws, record * p)) if p > 0 else (X[0], subtract3(X[1], origin))
    store_transform(ws, record * k, X)
    return X


@kernel
def from_origin(m, c, q, ws, record):
    """Store for each link of the list the transform from the world's axes at the origin, at the start of its record.

    Returns the origin, that of the first link of the list.
    """
    origin = listed_transforms(m, c, q, ws, record)
    for k in range(1, list_length(c) + 1):
        place_listed(c, k, origin, ws, record)
    return origin


# ------------------------------------------------------------------------------------------------------- the constants


def check_subtree(function: str, subtree: object) -> None:
    """Refuse what is no name; unknown names are refused later, once for each. Not called without one: that takes 50 ns."""
    if not isinstance(subtree, str):
        raise ArgumentTypeError(
            f"{function}: subtree is {shown(subtree)}, expected the name of a body, or None for all"
        )


def subtree_constants(
    function: str, model: Model, subtree: str | None, centroidal: bool = False, mass: bool = True
) -> Array:
    """The constants, for the name of a body that the user has given, or None for the whole mechanism.

    Raises:
        KeyError: there is no moving body of that name.
        ValueError: the subtree has no mass, where ``mass`` asks for one, or nothing moves.
    """
    carriers, inside = subtree_list(function, model, subtree)
    links = carriers + inside
    amount = float(model.links[inside, layout.INERTIA].sum())
    if mass and not amount > 0.0:
        what = "the mechanism" if subtree is None else f"the subtree of {shown(subtree)}"
        raise ArgumentValueError(f"{function}: {what} has no mass, and no centre of mass")
    columns = column_numbers(model, links)
    header = np.array([len(links), len(carriers), len(columns), centroidal, 0], dtype=np.int64).view(np.float64)
    header[MASS] = amount
    records = np.array(list(records_of(model, links, columns)), dtype=np.int64)
    return np.concatenate([header, records.ravel().view(np.float64), carried_masses(model, carriers, inside)])


def subtree_list(function: str, model: Model, subtree: str | None) -> tuple[list[int], list[int]]:
    """The links that carry a subtree, from the world on, and those that belong to it, parents before children."""
    parents = model.links[:, layout.PARENT].astype(int)
    if subtree is None:
        return [], list(range(1, len(parents)))
    try:
        body = model.body_index(subtree)
    except PlueckerError as error:
        raise type(error)(f"{function}: {error}") from None
    first, *carriers = links_to_world(model, body)
    inside = np.zeros(len(parents), dtype=bool)
    inside[first] = True
    for i in range(first + 1, len(parents)):
        inside[i] = inside[parents[i]]
    return carriers[::-1], np.flatnonzero(inside).tolist()


def carried_masses(model: Model, carriers: list[int], inside: list[int]) -> Array:
    """Return for each link of the list the mass that it carries of the subtree."""
    masses = np.zeros(len(model.links))
    masses[inside] = model.links[inside, layout.INERTIA]
    for i in reversed(carriers + inside):
        masses[int(model.links[i, layout.PARENT])] += masses[i]
    return masses[carriers + inside]


def column_numbers(model: Model, links: list[int]) -> dict[int, int]:
    """Map each index into v of the joints of these links to its number among their columns."""
    found: dict[int, int] = {}
    for i in links:
        first, count = (int(model.links[i, k]) for k in (layout.IV, layout.COUNT))
        for place in range(first, first + count):
            found.setdefault(place, len(found))
    return found


def records_of(model: Model, links: list[int], columns: dict[int, int]) -> Iterator[tuple[int, int, int, bool]]:
    """Yield for each link its number, its parent's place on the list, its first column, whether a later one shares it."""
    places = {0: 0} | {i: k for k, i in enumerate(links, 1)}
    last = {int(model.links[i, layout.IV]): i for i in links}
    for i in links:
        first = int(model.links[i, layout.IV])
        yield i, places[int(model.links[i, layout.PARENT])], columns[first], last[first] != i


def subtree_columns(model: Model, subtree: str | None, rows: int) -> NDArray[np.int64]:
    """Return for each entry of a matrix with ``rows`` rows the index of the kernel's number: 0 is zero, then the columns."""
    carriers, inside = subtree_list("", model, subtree)
    order = np.zeros((rows, model.nv), dtype=np.int64)
    for place, k in column_numbers(model, carriers + inside).items():
        order[:, place] = 1 + rows * k + np.arange(rows)
    return order.ravel()
