"""Limits of coordinates, angles, ways and lengths; and dry friction in joints: records, and rows of the model's own.

A **limit** keeps ``lower <= phi <= upper``: its force pushes up at the lower end and down at the upper one, and is zero
between them,

    r >= 0 where phi = lower,    r <= 0 where phi = upper,    r = 0 inside

With restitution e, a speed u into a hard limit comes back as ``-e u``. A soft limit is a spring and a damper that do not
pull: ``r = max(0, -k (phi - lower) - d u)``, and likewise at the other end. Angles are counted over turns, so that a
limit may be beyond half a turn. Steps keep each limit as far as the others let them: limits that exclude each other, for
which there is no configuration, are found by :meth:`World.close <pluecker.contact.World.close>`, which names one of them.
(Source document 000 has the error of an upper limit the other way around, with which a
violated limit may go on opening; and a row for sliders that makes angular momentum. Here a way is an offset between
frames, whose rate is exact wherever the bodies are.)

**Friction** is a force up to F against the motion: ``r = -F sign(u)`` where it slides, anything up to F where it
sticks: a motor for the speed 0, as source document 000 says.

Source: source document 000 (docs/sources.md), joint limits, and the last paragraph on motors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.terms.rows import limited_positions
from pluecker.contact.constraints.base import OnMeasure
from pluecker.contact.constraints.checks import not_negative, set_limits, set_spring, share
from pluecker.contact.constraints.relation import COORDINATE, Function, Parts, Row
from pluecker.contact.errors import ConstraintError

__all__ = ["Friction", "Limit", "joint_rows"]


@dataclass(frozen=True)
class Limit(OnMeasure):
    """A range that a coordinate, an angle, a way or a length does not leave.

    That limits exclude each other is found by ``World.close``, and not by steps.

    Attributes:
        name: of the constraint.
        of: a measure, the name of a joint, or ``(name, index)``.
        lower, upper: m or rad; infinite where there is none.
        restitution: of hard limits, 0 to 1.
        stiffness, damping: of soft ones; N/m and N s/m, or N m/rad and N m s/rad.

    Raises:
        TypeError: what is no name, no measure, no number.
        ValueError: lower above upper, no limit at all, numbers that cannot be.

    Example:
        >>> from pluecker.contact.constraints import Limit
        >>> stop = Limit("stop", "elbow", lower=-1.0, upper=2.0, restitution=0.3)
    """

    lower: float = -np.inf
    upper: float = np.inf
    restitution: float = field(default=0.0, kw_only=True)
    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        set_limits(self, self.label)
        if np.isinf(self.lower) and np.isinf(self.upper):
            raise ConstraintError(f"{self.label}: neither lower nor upper is finite, expected a limit")
        set_spring(self, self.label)
        object.__setattr__(self, "restitution", share(self.label, "restitution", self.restitution))
        if self.restitution > 0.0 and np.isfinite(self.stiffness):
            raise ConstraintError(
                f"{self.label}: restitution is {self.restitution:g} and stiffness {self.stiffness:g}: a soft limit gives "
                "back what its spring does"
            )

    def parts(self, model: Model) -> Parts:
        """Return a row with a range."""
        row = Row(
            ((0, self.measure.sign),),
            lower=self.lower,
            upper=self.upper,
            restitution=self.restitution,
            stiffness=self.stiffness,
            damping=self.damping,
            ranged=True,
        )
        return Parts((self.function(model, position=True),), (row,))


@dataclass(frozen=True)
class Friction(OnMeasure):
    """Dry friction of a coordinate, an angle, a way or a length.

    Attributes:
        name: of the constraint.
        of: a measure, the name of a joint, or ``(name, index)``.
        force: what it takes to move; N or N m.

    Raises:
        TypeError: what is no name, no measure, no number.
        ValueError: a negative number.
    """

    force: float = np.nan

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "force", not_negative(self.label, "force", self.force))

    def parts(self, model: Model) -> Parts:
        """Return a row with friction."""
        row = Row(((0, self.measure.sign),), friction=self.force, ranged=True)
        return Parts((self.function(model, position=False),), (row,))


def joint_rows(model: Model, limits: bool = True) -> Parts:
    """Make one row for each coordinate with dry friction or with a limit."""
    functions: list[Function] = []
    rows: list[Row] = []
    for j, i in enumerate(limited_positions(model).tolist()):
        lower, upper = -np.inf, np.inf
        if limits and i >= 0:
            lower, upper = float(model.lower_limit[i]), float(model.upper_limit[i])
        friction = float(model.friction[j])
        if friction > 0.0 or np.isfinite(lower) or np.isfinite(upper):
            functions.append(Function(COORDINATE, coordinate=j, position=i))
            terms = ((len(rows), 1.0),)
            rows.append(Row(terms, lower=lower, upper=upper, friction=friction, ranged=True))
    return Parts(tuple(functions), tuple(rows))
