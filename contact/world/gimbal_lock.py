"""Gimbal lock, where positions of bodies do not determine an angle: a TURN whose direction is in line with its axis.

The angle phi of d_2 about d_1 has the rate

    dphi/dt = (w_2 - w_1) . (d_1 - (d_1 . d_2) d_2) / sin^2 a         a the angle between d_1 and d_2

which has no limit at a = 0: in line, each phi belongs to the same place of both bodies. So it is with the first and the
third of three Euler angles in gimbal lock. A joint of a model goes through it, as its angles are the state, and what they
carry (rotors, springs, dampers) is defined; of free bodies the state does not say which angles there are behind it. Beyond,
``(phi_1, phi_2, phi_3)`` and ``(phi_1 + pi, -phi_2, phi_3 - pi)``, angles from in line, are the same place: springs on
phi_1 and phi_3 have two energies there.

Source: R. Murray, Z. Li, S. Sastry, *A Mathematical Introduction to Robotic Manipulation* (1994), section 2.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import axes_in_world
from pluecker.contact.constraints.relation import TURN
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import PlueckerError, shown

if TYPE_CHECKING:
    from pluecker.contact.world.constrained import Constrained

__all__ = ["axes_in_line", "refuse_gimbal_lock"]

NONE = 1e-150  # sines whose squares are nothing


def axes_in_line(world: Constrained, q: Array, least: float) -> str | None:
    """Describe the constraint with an angle in gimbal lock, in words; None if there is none.

    Args:
        q: one configuration, ``(nq,)``.
        least: the sine of the angle between axes from which they are not in line.
    """
    for name, parts in zip(world.names, world.parts, strict=False):
        for f in parts.functions:
            if f.kind == TURN:
                assert f.first is not None
                assert f.second is not None
                d1, d2 = (
                    axes_in_world(world.model, q, f.first) @ f.axis_1,
                    axes_in_world(world.model, q, f.second) @ f.axis_2,
                )
                sine = float(np.linalg.norm(np.cross(d1, d2)))
                if sine < least:
                    angle = np.degrees(np.arcsin(sine))
                    return (
                        f"{shown(name)} is next to gimbal lock: two axes of its angles are {angle:.3g} degrees from being "
                        "in line, and there the angles are no functions of where bodies are; keep it a joint of the model"
                    )
    return None


def refuse_gimbal_lock(world: Constrained, function: str, q: ArrayLike) -> None:
    """Refuse configurations ``(..., nq)`` in one of which an angle has no rate.

    Raises:
        ConstraintError: there is such an angle.
    """
    states = np.asarray(q, dtype=np.float64)
    if states.shape[-1:] != (world.model.nq,) or not any(
        f.kind == TURN for part in world.parts for f in part.functions
    ):
        return
    for one in states.reshape(-1, world.model.nq):
        try:
            found = axes_in_line(world, one, NONE)
        except PlueckerError:
            return  # the configuration itself is wrong
        if found is not None:
            raise ConstraintError(f"{function}: {found}")
