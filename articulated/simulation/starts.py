"""Checks of a motion's start: it is inside of hard position limits; too large velocities and forces are warned of.

A coordinate that begins beyond a hard limit stays there for good, or comes back when forces push it: steps make no energy by
tearing it back. Nobody asks for that on purpose, so that it is an error unless it is. A soft limit is passed by every motion
that leans on it, and an integrator that knows no limits ends anywhere: neither says where a motion may begin.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.errors import LimitWarning
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.control.control import Control, TimeTable
from pluecker.articulated.stepping.terms.rows import limited_positions
from pluecker.spatial.errors import ArgumentValueError, shown

__all__ = ["OUTSIDE", "as_outside_limits", "hard_limits", "warn_of_limits", "within_limits"]

OUTSIDE = ("raise", "allow", "clip")
# Of a limit, and of 1: the spacing of float32 at 1, in which many keep states. What motions leave at a limit is far less:
# steps end at it exactly, the adaptive pair within 1e-12, and closing a loop within 1e-11.
ROUNDING = 2.0**-23


def hard_limits(model: Model, stiffness: ArrayLike = np.inf) -> tuple[Array, Array]:
    """Return the hard limits of q, ``(nq,)`` each, infinite for soft ones, of finite ``stiffness``; N m/rad or N/m."""
    kept: tuple[Array, Array] | None = model.tables.get(hard_limits)
    if kept is not None and np.ndim(stiffness) == 0 and np.isinf(stiffness):
        return kept
    positions = limited_positions(model)
    hard = (positions >= 0) & np.isinf(np.broadcast_to(np.asarray(stiffness, dtype=np.float64), (model.nv,)))
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    places = positions[hard]
    lower[places], upper[places] = model.lower_limit[places], model.upper_limit[places]
    if hard.sum() == (positions >= 0).sum():
        model.tables[hard_limits] = lower, upper
    return lower, upper


def as_outside_limits(value: Any) -> str:
    """Check the option for a start outside of limits: ``"raise"``, ``"allow"`` or ``"clip"``."""
    if not isinstance(value, str) or value not in OUTSIDE:
        raise ArgumentValueError(f"simulate: outside_limits is {shown(value)}, expected one of {', '.join(OUTSIDE)}")
    return value


def within_limits(model: Model, q: Array, limits: tuple[Array, Array], outside: str) -> Array:
    """Return configurations ``(..., nq)`` from which a motion may begin: q, or the nearest ones inside of the limits.

    Raises:
        ArgumentValueError: q is outside, and that is an error; the message names the first state and joint.
    """
    lower, upper = limits
    beyond = np.maximum(lower - q, q - upper)
    if outside == "allow" or not (beyond > 0.0).any():
        return q
    if outside == "clip":
        return np.clip(q, lower, upper)
    with np.errstate(invalid="ignore"):
        slack = ROUNDING * (1.0 + np.where(q < lower, np.abs(lower), np.abs(upper)))
    wrong = beyond > slack
    if wrong.any():
        index = tuple(int(n) for n in np.argwhere(wrong)[0])
        raise ArgumentValueError(begins_outside(model, index, float(q[index]), lower[index[-1]], upper[index[-1]]))
    return q


def begins_outside(model: Model, index: tuple[int, ...], value: float, lower: float, upper: float) -> str:
    """Make the message for an entry of a batch of configurations that is outside of its limits."""
    *batch, place = index
    joint = next(each for each in model.joints if each.mimic is None and place in range_of(each))
    kind = JOINT_TYPES[joint.type]
    unit = kind.q_units[place - joint.q_start]
    name = f"joint {shown(joint.name)}" + (f" ({shown(model.q_names[place])})" if kind.nq > 1 else "")
    where = f" in state {', '.join(map(str, batch))} of the batch" if batch else ""
    hint = ""
    if unit == "rad" and abs(value) > 2.0 * np.pi:
        hint = f"; angles are in radians, and {value:g} degrees are {np.deg2rad(value):.4g} rad"
    return (
        f"simulate: {name} begins{where} at {value:.9g} {unit}, outside of its limits [{lower:.9g}, {upper:.9g}]{hint}; "
        "begin inside, or choose outside_limits='clip' (at the limit) or 'allow' (there), or a motion without limits"
    )


def range_of(joint: Any) -> range:
    """Return the indices of a joint's coordinates in q."""
    return range(joint.q_start, joint.q_start + JOINT_TYPES[joint.type].nq)


def warn_of_limits(model: Model, v: Array | None, control: Control, stacklevel: int, function: str) -> None:
    """Warn, once, of a velocity or a given joint force that is larger than the model's limits; 0 there stands for none."""
    command, clipped = control.command, control.clip or control.actuator is not None
    forces = command.values if isinstance(command, TimeTable) else command
    given = []
    if v is not None:
        given.append(("begins at", v, model.velocity_limit, "velocity_limit", "no step keeps it"))
    if isinstance(forces, np.ndarray) and not clipped:
        given.append(("is given", forces, model.effort_limit, "effort_limit", "Control(..., clip=True) keeps it"))
    said = [
        text
        for words, values, limits, name, cure in given
        if (text := exceeded(model, words, values, limits, name, cure))
    ]
    if said:
        warnings.warn(f"{function}: {'; '.join(said)}", LimitWarning, stacklevel=stacklevel + 1)


def exceeded(model: Model, words: str, values: Array, limits: Array, name: str, cure: str) -> str:
    """Describe the first coordinate whose values are larger than its limit; an empty string if there is none."""
    known = np.isfinite(limits) & (limits > 0.0)
    if not known.any():
        return ""
    wrong = known & (np.abs(values) > limits * (1.0 + ROUNDING))
    if not wrong.any():
        return ""
    index = tuple(int(n) for n in np.argwhere(wrong)[0])
    k = index[-1]
    others = int(wrong.reshape(-1, wrong.shape[-1]).any(axis=0).sum()) - 1
    more = f" (and {others} more)" if others else ""
    return (
        f"coordinate {shown(model.v_names[k])}{more} {words} {values[index]:.6g}, its {name} is {limits[k]:.6g}; {cure}"
    )
