"""Arguments of a world, checked: constraints, their parts on its model, and configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import Parts
from pluecker.contact.errors import ConstraintError
from pluecker.contact.world.handle import JOINTS
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["as_configuration", "checked", "parts_of"]


def as_configuration(function: str, model: Model, q: ArrayLike) -> Array:
    """Check that q is one configuration, ``(nq,)``; algorithms refuse what else is wrong with it."""
    array = as_numbers(function, "q", q)
    if array.shape != (model.nq,):
        raise ConstraintError(f"{function}: q has shape {array.shape}, expected ({model.nq},)")
    return array


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
