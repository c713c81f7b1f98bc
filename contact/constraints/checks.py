"""Numbers of constraints, checked: each message says of which constraint, what came, and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.articulated.model.description import finite_number, number
from pluecker.contact.constraints.softness import check_spring
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError, shown

__all__ = [
    "IMPACTS", "as_impacts", "check_friction", "coefficients", "names_in", "not_negative", "plain_number", "positive",
    "set_flag", "set_limits", "set_recovery", "set_spring", "share",
]  # fmt: skip

IMPACTS = ("newton", "poisson")  # laws of impact, in both of which the coefficient is called restitution


def plain_number(label: str, key: str, value: Any) -> float:
    """Check a finite number."""
    return finite_number(label, key, value) + 0.0


def positive(label: str, key: str, value: Any) -> float:
    """Check a finite number above zero."""
    x = finite_number(label, key, value)
    if x <= 0.0:
        raise ConstraintError(f"{label}: {key} is {x:g}, expected a number above 0")
    return x


def not_negative(label: str, key: str, value: Any, infinite: bool = False) -> float:
    """Check a number that is not negative, finite unless it may be infinite."""
    x = number(label, key, value) if infinite else finite_number(label, key, value)
    if x < 0.0:
        raise ConstraintError(f"{label}: {key} is {x:g}, expected no negative number")
    return x + 0.0


def share(label: str, key: str, value: Any) -> float:
    """Check a number from 0 to 1."""
    x = finite_number(label, key, value)
    if not 0.0 <= x <= 1.0:
        raise ConstraintError(f"{label}: {key} is {x:g}, expected 0 to 1")
    return x + 0.0


def as_impacts(label: str, value: Any) -> str:
    """Check the law of impacts, by its word."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{label}: impacts is {shown(value)}, expected {' or '.join(map(repr, IMPACTS))}")
    if value not in IMPACTS:
        raise ConstraintError(f"{label}: impacts is {shown(value)}, expected {' or '.join(map(repr, IMPACTS))}")
    return str(value)


def check_friction(label: str, friction: float, kinetic: float | None) -> None:
    """Refuse what would rub more as it slides: such a contact would not know whether it does."""
    if kinetic is not None and kinetic > friction:
        raise ConstraintError(
            f"{label}: kinetic_friction is {kinetic:g} and friction {friction:g}, expected no more of what slides"
        )


def coefficients(restitution: float, impacts: str) -> tuple[float, float]:
    """Return Newton's and Poisson's coefficient of restitution of a row along a normal."""
    return (restitution, 0.0) if impacts == "newton" else (0.0, restitution)


def set_flag(record: Any, label: str, key: str) -> None:
    """Check a choice between yes and no."""
    value = getattr(record, key)
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{label}: {key} is {shown(value)}, expected True or False")
    object.__setattr__(record, key, bool(value))


def set_spring(record: Any, label: str) -> None:
    """Check the stiffness and the damping of a record of one row."""
    k = not_negative(label, "stiffness", record.stiffness, infinite=True)
    d = not_negative(label, "damping", record.damping)
    check_spring(label, "", k, d)
    object.__setattr__(record, "stiffness", k)
    object.__setattr__(record, "damping", d)


def set_recovery(record: Any, label: str) -> None:
    """Check the rate and the speed at which a contact undoes depths."""
    object.__setattr__(record, "recovery", not_negative(label, "recovery", record.recovery))
    speed = not_negative(label, "recovery_speed", record.recovery_speed, infinite=True)
    object.__setattr__(record, "recovery_speed", speed)


def set_limits(record: Any, label: str) -> None:
    """Check lower and upper limits, of which one is there."""
    lower, upper = number(label, "lower", record.lower), number(label, "upper", record.upper)
    if lower > upper:
        raise ConstraintError(f"{label}: lower is {lower:g} and upper is {upper:g}, expected lower <= upper")
    if lower == np.inf or upper == -np.inf:
        raise ConstraintError(f"{label}: lower is {lower:g} and upper is {upper:g}: nothing is between them")
    object.__setattr__(record, "lower", lower)
    object.__setattr__(record, "upper", upper)


def names_in(function: str, key: str, given: object) -> tuple[Any, ...]:
    """Check names, of which one alone may be given as a string; whether there are such the model says."""
    if isinstance(given, str):
        return (given,)
    try:
        return tuple(given)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentTypeError(f"{function}: {key} is {shown(given)}, expected names of joints") from None
