"""Record of what a world consists of, checked: a model, constraints as rows on it, and shapes whose contacts are found.

:class:`Constrained` is the record that all functions of worlds take; it never changes, and :class:`~pluecker.contact.World`
is that record, with a method for each of these functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model, without_friction
from pluecker.contact.arguments import can_be_listed
from pluecker.contact.constraints.checks import as_impacts, not_negative
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import USER, Parts, Row
from pluecker.contact.errors import ConstraintError
from pluecker.contact.geometry.collision import Collision, WorldShapes
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.instants.motions_at import prescribed_rows
from pluecker.contact.rows.packing import Packed, pack_constraints
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, UnknownNameError, shown
from pluecker.spatial.properties import cached_property

__all__ = [
    "JOINTS",
    "Constrained",
    "Flags",
    "as_world_shapes",
    "checked",
    "pair_contacts",
    "parts_of",
]

T = TypeVar("T")
Flags = NDArray[np.bool_]
JOINTS = "joints"  # the name of the rows of the model's own joints
# Functions of a model in which accelerations or forces answer each other, which constraints change, and what knows these.
# Kinematics, energies, momenta, the inertia matrix and the terms of the equation of motion are the same with constraints.
CHANGED = {
    "aba": "World.accelerations",
    "aba_derivatives": "",
    "convergence": "World.simulate",
    "factorize": "World.accelerations",
    "joint_forces": "World.accelerations and the wrench of a constraint",
    "minv": "World.accelerations",
    "operational_inertia": "",
    "redmax_dynamics": "World.accelerations",
    "rnea": "World.inverse_dynamics",
    "rnea_derivatives": "",
    "simulate": "World.simulate",
    "World": "",
}
MOST_NAMED = 5  # constraints, of which more would fill the message


@by_value("model", "constraints", "limits", "found_contacts", "accuracy")
@dataclass(frozen=True, eq=False, repr=False)
class Constrained:
    """Model with constraints, and their rows.

    Attributes:
        model: the mechanism.
        constraints: records, each with a name of its own.
        limits: whether position limits of the model's joints hold.
        parts: functions and rows of each constraint; of the model's own joints last.
        found_contacts: shapes whose contacts are found in each step, and the law of these; None without.
        accuracy: the error of the law of contacts that is tolerated in a step.
    """

    model: Model
    constraints: tuple[Any, ...]
    limits: bool
    parts: tuple[Parts, ...]
    found_contacts: WorldShapes | None
    accuracy: float

    def __model__(self, function: str) -> Model:
        """Return the model to a function that takes one.

        Raises:
            ConstraintError: there are constraints or contacts, and the function would leave out what they do.
        """
        refuse_to_leave_out(self, function)
        return self.model

    @cached_property
    def smooth(self) -> Model:
        """Model without dry friction, which is rows."""
        return without_friction(self.model)

    @cached_property
    def packed(self) -> Packed:
        """Constraints as kernels read them."""
        return pack_constraints(self.model, self.parts, self.accuracy)

    @cached_property
    def tables(self) -> dict[Any, Any]:
        """Cache of results about this world, which does not change: filled as functions run."""
        return {}

    def once(self, function: Callable[[Any], T]) -> T:
        """Return what a function of this world gives, which is computed once, and to be read only."""
        if function not in self.tables:
            self.tables[function] = function(self)
        found: T = self.tables[function]
        return found

    @cached_property
    def laws(self) -> tuple[Row, ...]:
        """Rows of all constraints, each with its law; those of the model's own joints last."""
        return tuple(row for part in self.parts for row in part.rows)

    @cached_property
    def prescribed(self) -> tuple[tuple[int, Row], ...]:
        """The rows that are to be somewhere over time, or to move, with their numbers."""
        return prescribed_rows(self.laws)

    @cached_property
    def held_rows(self) -> Flags:
        """True for each row that holds, ``(n_rows,)``: not soft, no rotor, without a range; to be read only."""
        return np.array([not (row.ranged or row.soft or row.inertia > 0.0) for row in self.laws], dtype=bool)

    @cached_property
    def closed_rows(self) -> Flags:
        """True for each row that holds phi itself, and not its rate alone, ``(n_rows,)``; to be read only."""
        return self.held_rows & np.array([row.holonomic for row in self.laws], dtype=bool)

    @cached_property
    def calls_python(self) -> bool:
        """True if a function of the user's is among the constraints, of Python's or machine code."""
        return any(f.kind == USER for part in self.parts for f in part.functions)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the constraints."""
        return tuple(each.name for each in self.constraints)

    @cached_property
    def rows_of(self) -> tuple[slice, ...]:
        """Place of the rows of each constraint among all; of the model's own joints last."""
        ends = np.cumsum([0, *(len(part.rows) for part in self.parts)]).tolist()
        return tuple(slice(first, last) for first, last in pairwise(ends))

    @property
    def names_of_rows(self) -> list[str]:
        """Name of the constraint to which each row belongs; ``"joints"`` of those of the model's own joints."""
        return [name for name, part in zip((*self.names, JOINTS), self.parts, strict=True) for _ in part.rows]

    @property
    def n_rows(self) -> int:
        """Number of rows of all constraints, with those of the joints."""
        return len(self.laws)


def refuse_to_leave_out(world: Constrained, function: str) -> None:
    """Refuse a function of the model, or ``derivative_of(function)``, whose answer is another one with constraints."""
    found = [name for name in CHANGED if name in re.split(r"[()]", function)]
    names = [*world.names, *(("shapes",) if world.found_contacts is not None else ())]
    if not found or not names:
        return
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    instead = f"use {CHANGED[found[0]]}, or" if CHANGED[found[0]] else "use"
    raise ConstraintError(
        f"{function}: the world has {', '.join(map(shown, names[:MOST_NAMED]))}{more}, of which this function of a model "
        f"knows nothing; {instead} world.model for the mechanism without constraints"
    )


# ---------------------------------------------------------------------------------------------------------- the constraints


def checked(constraints: Any) -> tuple[Any, ...]:
    """Check that constraints are such, with names of their own."""
    if hasattr(constraints, "parts"):
        constraints = (constraints,)
    try:
        records: Sequence[Any] = tuple(constraints)
    except TypeError:
        raise ArgumentTypeError(f"World: constraints is a {type(constraints).__name__}, expected records") from None
    seen: set[str] = {JOINTS}
    for k, record in enumerate(records):
        if not hasattr(record, "parts") or not isinstance(getattr(record, "name", None), str):
            raise ArgumentTypeError(f"World: constraint {k} is a {type(record).__name__}, expected a constraint")
        if record.name in seen:
            raise ConstraintError(f"World: constraint {k} is called {shown(record.name)}, as another one is")
        seen.add(record.name)
    return tuple(records)


def parts_of(record: Any, model: Model) -> Parts:
    """Return the parts of a constraint on this model; errors name the constraint."""
    try:
        parts: Parts = record.parts(model)
        return parts
    except PlueckerError as error:
        raise type(error)(f"World: constraint {record.name!r}: {error}") from None


# -------------------------------------------------------------------------------- shapes: pairs of them, and contacts found


def pair_contacts(
    shapes: Any, pairs: Any, recovery: Any, recovery_speed: Any, impacts: Any
) -> tuple[ShapeContact, ...]:
    """Make a contact for each pair of names, called ``"first/second"``.

    Args:
        shapes: records of :class:`~pluecker.contact.geometry.Collider`, or a :class:`~pluecker.contact.geometry.Collision`.
        pairs: two names of colliders each.
        recovery, recovery_speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        impacts: ``newton`` or ``poisson``.

    Raises:
        TypeError: something is no collider, no pair of names.
        KeyError: there is no collider of that name.
        ValueError: two colliders have one name, a pair is of one collider with itself, comes twice, or is ignored by
            the Collision.
    """
    colliders = {collider.name: collider for collider in as_colliders(shapes)}
    if not can_be_listed(pairs):
        raise ArgumentTypeError(f"World: pairs is {shown(pairs)}, expected pairs of names of shapes")
    found: dict[frozenset[str], ShapeContact] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ArgumentTypeError(f"World: pairs hold {shown(pair)}, expected two names of shapes")
        for name in pair:
            if name not in colliders:
                raise UnknownNameError(
                    f"World: pairs: no shape {shown(name)}; there are {', '.join(colliders) or 'none'}"
                )
        if frozenset(pair) in found or pair[0] == pair[1]:
            what = "come twice" if pair[0] != pair[1] else "are one shape"
            raise ConstraintError(f"World: pairs: {shown(pair[0])} and {shown(pair[1])} {what}")
        if isinstance(shapes, Collision) and shapes.allowed.is_ignored(*pair):
            raise ConstraintError(f"World: pairs: {shown(pair[0])} and {shown(pair[1])} are ignored by the Collision")
        first, second = (colliders[name] for name in pair)
        name = f"{pair[0]}/{pair[1]}"
        found[frozenset(pair)] = ShapeContact(
            name, first, second, recovery=recovery, recovery_speed=recovery_speed, impacts=impacts
        )
    return tuple(found.values())


def collision_of_pairs(model: Model, pairs: Sequence[ShapeContact], margin: float) -> Collision:
    """Make a collision in which the shapes of these pairs touch, and no others, whatever their groups."""
    colliders = {
        each.name: replace(each, groups=(), ignores=()) for pair in pairs for each in (pair.first, pair.second)
    }
    wanted = {frozenset((pair.first.name, pair.second.name)) for pair in pairs}
    ignored = [pair for pair in combinations(colliders, 2) if frozenset(pair) not in wanted]
    return Collision(model, list(colliders.values()), ignored=ignored, adjacent=True, margin=margin)


def as_colliders(shapes: Any) -> tuple[Collider, ...]:
    """Check that shapes are colliders, with names of their own."""
    if isinstance(shapes, Collision):
        return shapes.colliders
    if not can_be_listed(shapes):
        raise ArgumentTypeError(f"World: shapes is {shown(shapes)}, expected records of Collider, or a Collision")
    found = tuple(shapes)
    names: set[str] = set()
    for collider in found:
        if not isinstance(collider, Collider):
            raise ArgumentTypeError(f"World: shapes hold {shown(collider)}, expected records of Collider")
        if collider.name in names:
            raise ConstraintError(f"World: two shapes are called {shown(collider.name)}, expected each name once")
        names.add(collider.name)
    return found


def as_world_shapes(
    model: Model,
    shapes: Any,
    law: str,
    impacts: Any,
    recovery: Any,
    recovery_speed: Any,
    accuracy: float,
    records: Sequence[Any],
    pairs: Sequence[ShapeContact] | None,
) -> WorldShapes | None:
    """Check shapes and the law of their contacts; None where none are found in each step: there are no shapes, or the pairs
    that touch are named, and the law is Coulomb's.

    Args:
        records: the constraints.
        pairs: contacts of the pairs that touch, if they are named.

    Raises:
        ConstraintError: Poisson's law of impact with the convex law, in which what is returned would rub too much;
            another law than Coulomb's where nothing touches, or where constraints between shapes were made one by one;
            the shapes are those of another model; there are constraints between other shapes besides.
    """
    impacts = as_impacts("World", impacts)
    if (law, impacts) == ("ccp", "poisson"):
        raise ConstraintError("World: law is 'ccp' and impacts is 'poisson', expected 'newton' with this law")
    points = [each for each in records if isinstance(each, PointContact)]
    for each in points if law == "ccp" else ():
        if each.impacts == "poisson" and each.restitution > 0.0:
            raise ConstraintError(
                f"World: law is 'ccp' and impacts of {shown(each.name)} is 'poisson', expected 'newton' with this law"
            )
    rate = not_negative("World", "recovery", recovery)
    speed = not_negative("World", "recovery_speed", recovery_speed, infinite=True)
    if isinstance(shapes, Collision) and shapes.model is not model:
        raise ConstraintError("World: shapes is a Collision of another model, expected one of the world's own")
    colliders, named = as_colliders(shapes), any(isinstance(each, ShapeContact) for each in records)
    if law == "ncp" and (pairs is not None or not colliders):
        return None
    if not (pairs if pairs is not None else colliders) and not points and not named:
        raise ConstraintError(f"World: law is {shown(law)}, expected 'ncp': nothing touches in this world")
    if named:
        raise ConstraintError(
            f"World: law is {shown(law)}, expected 'ncp': constraints between shapes have Coulomb's law; name the pairs"
            if law != "ncp"
            else "World: there are shapes whose contacts are found in each step, and constraints between shapes; give all "
            "shapes as such constraints, or name the pairs that touch"
        )
    if pairs is not None:
        for pair in pairs:
            parts_of(pair, model)  # refuses what cannot touch
        shapes = collision_of_pairs(model, pairs, shapes.margin if isinstance(shapes, Collision) else 0.0)
    collision = shapes if isinstance(shapes, Collision) else Collision(model, colliders)
    turning = np.flatnonzero(collision.rows[:, 1:3].any(axis=1))
    if law == "lcp" and len(turning):
        raise ConstraintError(
            f"World: law is 'lcp', which knows no rolling and spinning friction, and the surface of collider "
            f"{shown(collision.colliders[turning[0]].name)} has it; use 'ncp' or 'ccp'"
        )
    return WorldShapes(collision, law, impacts, rate, speed, accuracy)
