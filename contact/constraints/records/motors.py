"""Drives of a coordinate, an angle, a way or a length: motors, servos, drives to a position, motions over time.

=====================  ============================================================================  =======================
record                 force r along phi, at the end of a step h, with its rate u there              row
=====================  ============================================================================  =======================
``Motor``              ``r = F`` where ``u < speed``, ``-F`` where it is above, else what is needed  bounded
``Servo``              ``r = -k (phi - target) - d (u - target')``                                   linear, implicit
``PositionDrive``      a motor for ``u = -min(c, 1/h) (phi - target)``, not above a speed            bounded
``PrescribedMotion``   what it takes for ``phi = s(t)``                                              held
=====================  ============================================================================  =======================

A **motor** on a joint of the model's asks for no more than the joint's ``velocity_limit``, and has no more than its
``effort_limit``. One that is too weak for its load stalls, with the force F.

A **position drive** is the mixture of limit and motor that source document 000 describes: lower and upper limit at the
target, and a bounded force. What is left of the error is taken away at the rate c, its ``k_cor = k_erp / h``; all of it in
one step as c grows. Unlike a servo it has no steady error as long as its force suffices, and unlike a hard row it gives way.

The sign: a positive force makes phi grow. (In source document 000 motors of sliders and hinges have opposite signs.)

Source: source document 000 (docs/sources.md), joint motors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.base import OnMeasure
from pluecker.contact.constraints.checks import not_negative, plain_number, positive
from pluecker.contact.constraints.relation import Parts, Row
from pluecker.contact.constraints.softness import check_spring
from pluecker.contact.constraints.spline import Spline
from pluecker.spatial.errors import ArgumentTypeError

__all__ = ["Motor", "PositionDrive", "PrescribedMotion", "Servo"]


@dataclass(frozen=True)
class Motor(OnMeasure):
    """A motor that keeps a speed as far as its force suffices.

    Attributes:
        name: of the constraint.
        of: a measure, the name of a joint, or ``(name, index)``.
        speed: m/s or rad/s; no more than the joint's ``velocity_limit``, either way.
        force: its largest, N or N m; no more than the joint's ``effort_limit``.

    Raises:
        TypeError: what is no name, no measure, no number.
        ValueError: numbers that cannot be.

    Example:
        >>> from pluecker.contact.constraints import Hinge, Motor
        >>> hinge = Hinge("axle", "chassis", "wheel")
        >>> drive = Motor("drive", hinge.angle, speed=10.0, force=2.0)
    """

    speed: float = np.nan
    force: float = np.nan

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "speed", plain_number(self.label, "speed", self.speed))
        object.__setattr__(self, "force", not_negative(self.label, "force", self.force))

    def parts(self, model: Model) -> Parts:
        """Return a bounded row with a speed, both within what the joint allows."""
        fastest, strongest = (self.allowed(model, key) for key in ("velocity_limit", "effort_limit"))
        row = Row(
            ((0, self.measure.sign),),
            speed=min(max(self.speed, -fastest), fastest),
            force=min(self.force, strongest),
            ranged=True,
        )
        return Parts((self.function(model, position=False),), (row,))


def set_target(record: Any) -> None:
    """Check a target: a number, or a motion over time."""
    if not isinstance(record.target, Spline):
        object.__setattr__(record, "target", plain_number(record.label, "target", record.target))


@dataclass(frozen=True)
class Servo(OnMeasure):
    """Servo with gains and a target. It is implicit: stable with any gains.

    Attributes:
        name: of the constraint.
        of: a measure, the name of a joint, or ``(name, index)``.
        target: m or rad; or a :class:`Spline` over time.
        stiffness, damping: N/m and N s/m, or N m/rad and N m s/rad; not both zero.

    Raises:
        TypeError: what is no name, no measure, no number.
        ValueError: numbers that cannot be.
    """

    target: Any = 0.0
    stiffness: float = np.nan
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        set_target(self)
        for key in ("stiffness", "damping"):
            object.__setattr__(self, key, not_negative(self.label, key, getattr(self, key)))
        check_spring(self.label, "", self.stiffness, self.damping)

    def parts(self, model: Model) -> Parts:
        """Return a soft row."""
        moves = isinstance(self.target, Spline)
        row = Row(
            ((0, self.measure.sign),),
            offset=0.0 if moves else self.target,
            motion=self.target if moves else None,
            stiffness=self.stiffness,
            damping=self.damping,
        )
        return Parts((self.function(model, position=self.stiffness > 0.0),), (row,))


@dataclass(frozen=True)
class PositionDrive(OnMeasure):
    """A drive to a position, with a bounded force.

    Attributes:
        name: of the constraint.
        of: a measure, the name of a joint, or ``(name, index)``.
        target: m or rad.
        force: its largest; N or N m, no more than the joint's ``effort_limit``.
        correction: at which rate it takes the error away, above 0; 1/s. A step takes away no more than the whole.
        speed: its largest, above 0; m/s or rad/s, no more than the joint's ``velocity_limit``.

    Raises:
        TypeError: what is no name, no measure, no number.
        ValueError: numbers that cannot be.
    """

    target: float = 0.0
    force: float = np.nan
    correction: float = field(default=20.0, kw_only=True)
    speed: float = field(default=np.inf, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", plain_number(self.label, "target", self.target))
        object.__setattr__(self, "force", not_negative(self.label, "force", self.force))
        object.__setattr__(self, "correction", positive(self.label, "correction", self.correction))
        if self.speed != np.inf:
            object.__setattr__(self, "speed", positive(self.label, "speed", self.speed))

    def parts(self, model: Model) -> Parts:
        """Return a bounded row with error reduction."""
        fastest, strongest = (self.allowed(model, key) for key in ("velocity_limit", "effort_limit"))
        row = Row(
            ((0, self.measure.sign),),
            offset=self.target,
            speed=min(self.speed, fastest),
            force=min(self.force, strongest),
            correction=self.correction,
            ranged=True,
        )
        return Parts((self.function(model, position=True),), (row,))


@dataclass(frozen=True)
class PrescribedMotion(OnMeasure):
    """A coordinate, an angle, a way or a length that moves as it is told, whatever it takes.

    Attributes:
        name: of the constraint.
        of: a measure, the name of a joint, or ``(name, index)``.
        motion: a :class:`Spline`: phi over time; m or rad.

    Raises:
        TypeError: what is no name, no measure, no motion.

    Example:
        >>> from pluecker.contact.constraints import PrescribedMotion, Spline
        >>> lift = PrescribedMotion("lift", "rail", Spline([0.0, 2.0], [0.0, 0.3]))
    """

    motion: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.motion, Spline):
            raise ArgumentTypeError(f"{self.label}: motion is a {type(self.motion).__name__}, expected a Spline")

    def parts(self, model: Model) -> Parts:
        """Return a row that holds, at the motion."""
        row = Row(((0, self.measure.sign),), motion=self.motion)
        return Parts((self.function(model, position=True),), (row,))
