"""Screw: the second frame moves along z of the first as it turns about it.

    x . s = y . s = 0,    x . z' = y . z' = 0,    phi = z . s - pitch theta - offset

with the turn theta of x' about z from x. The force r along phi is an axial force r on the second body and the moment
``-pitch r``: a screw without friction needs the moment ``pitch F`` to hold an axial load F. The pitch is in metres per
radian, as that of the model's helical joints; a lead l per turn is ``l / (2 pi)``.

Source: RBDA table 4.1, helical joint, here as rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.checks import plain_number
from pluecker.contact.constraints.joints import WithAngle, WithTravel
from pluecker.contact.constraints.pair import X, Y, offsets, rows_of, tilts
from pluecker.contact.constraints.relation import Function, Parts, Row

__all__ = ["Screw"]


@dataclass(frozen=True)
class Screw(WithAngle, WithTravel):
    """The second frame turns about z of the first and moves along it, ``pitch`` metres per radian.

    Attributes:
        pitch: m/rad; negative for a left-handed thread.
        offset: the way where it is not turned; m.
        name, first, second, softness: see :class:`Pair`; along the thread the stiffness in metres counts.
    """

    pitch: float = field(default=np.nan, kw_only=True)
    offset: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("pitch", "offset"):
            object.__setattr__(self, key, plain_number(self.label, key, getattr(self, key)))

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets and two tilts; the way and the turn."""
        pair = self.first, self.second
        return *offsets(*pair, (X, Y)), *tilts(*pair), self.travel.between(), self.angle.between()

    def parts(self, model: Model) -> Parts:
        """Return four rows that hold, and the thread."""
        self.check(model)
        functions = self.functions()
        thread = Row(
            ((4, 1.0), (5, -self.pitch)),
            offset=self.offset,
            stiffness=self.softness.stiffness,
            damping=self.softness.damping,
        )
        return Parts(functions, (*rows_of(functions[:4], self.softness), thread))
