"""Named pairs of shapes: the places where they may touch are fixed, so that they are constraints of a world."""

from __future__ import annotations

from typing import Any

from pluecker.contact.arguments import can_be_listed
from pluecker.contact.errors import ConstraintError
from pluecker.contact.geometry.collision import Collision
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.geometry.surfaces import Collider
from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError, shown

__all__ = ["pair_contacts"]


def pair_contacts(
    shapes: Any, pairs: Any, law: Any, recovery: Any, recovery_speed: Any, impacts: Any
) -> tuple[ShapeContact, ...]:
    """Make a contact for each pair of names, called ``"first/second"``.

    Args:
        shapes: records of :class:`~pluecker.contact.geometry.Collider`, or a :class:`~pluecker.contact.geometry.Collision`.
        pairs: two names of colliders each.
        law: ``ncp``.
        recovery, recovery_speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        impacts: ``newton`` or ``poisson``.

    Raises:
        TypeError: something is no collider, no pair of names.
        KeyError: there is no collider of that name.
        ValueError: two colliders have one name, a pair is of one collider with itself, comes twice, or is ignored, another
            law.
    """
    if law != "ncp":
        raise ConstraintError(f"World: law is {shown(law)}, expected 'ncp': named pairs have Coulomb's law")
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
