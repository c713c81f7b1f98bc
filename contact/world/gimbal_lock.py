"""Gimbal lock, where positions of bodies do not determine an angle: a TURN whose direction is in line with its axis.

The angle phi of d_2 about d_1 has the rate

    dphi/dt = (w_2 - w_1) . (d_1 - (d_1 . d_2) d_2) / sin^2 a         a the angle between d_1 and d_2

which has no limit at a = 0: in line, each phi belongs to the same place of both bodies. So it is with the first and the
third of three Euler angles in gimbal lock. A joint of a model goes through it, as its angles are the state, and what they
carry (rotors, springs, dampers) is defined; of free bodies the state does not say which angles there are behind it. Beyond,
``(phi_1, phi_2, phi_3)`` and ``(phi_1 + pi, -phi_2, phi_3 - pi)``, angles from in line, are the same place: springs on
phi_1 and phi_3 have two energies there.

Source: R. Murray, Z. Li, S. Sastry, *A Mathematical Introduction to Robotic Manipulation* (1994), section 2.2.

Axes that are turned around: where ``d_1 . d_2 = 0`` holds, but not as it was meant.

The second frame's z axis is along the first's where its components along x and y there are zero; but these are zero, too,
where it points the other way. A constraint with two such rows, or three, means the side on which both frames have the same
axes. On the other side the error ``sin`` of the angle is continued as ``2 - sin``, so that it grows up to half a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import axes_in_world
from pluecker.contact.constraints.relation import ALIGN, TURN, Frame, Function
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import PlueckerError, shown

if TYPE_CHECKING:
    from pluecker.contact.world.constrained import Constrained

__all__ = ["Flips", "axes_in_line", "refuse_gimbal_lock"]

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


# --------------------------------------- axes that are turned around: where ``d_1 . d_2 = 0`` holds, but not as it was meant


if TYPE_CHECKING:
    from pluecker.contact.world.constrained import Constrained

__all__ = ["Flips"]

SHORT = 0.1  # of an error that has a direction
NO_PLACEMENTS = np.zeros((0, 4, 4))


class Flips:
    """The rows of a world that align axes, in groups: an axis, and the one or two rows that keep it.

    Attributes:
        names: of frames and bodies, whose placements are asked for.
        frames: of each group the places of its two frames in that list; behind its end for the world, ``(n, 2)``.
        axes: of each group, in both frames, ``(n, 6)``.
    """

    def __init__(self, world: Constrained, held: NDArray[np.bool_]) -> None:
        self.world = world
        self.groups: list[tuple[Frame, Frame, Array, tuple[int, ...]]] = []
        first_row = 0
        for part in world.parts:
            aligned: dict[tuple[Frame, Frame], list[tuple[int, Function]]] = {}
            for k, row in enumerate(part.rows):
                f = part.functions[row.terms[0][0]]
                if held[first_row + k] and len(row.terms) == 1 and f.kind == ALIGN and row.offset == 0.0:
                    assert f.first is not None
                    assert f.second is not None
                    aligned.setdefault((f.first, f.second), []).append((first_row + k, f))
            for (first, second), members in aligned.items():
                self.add(first, second, members)
            first_row += len(part.rows)
        pairs = [(first, second) for first, second, _, _ in self.groups]
        named = {frame.name for pair in pairs for frame in pair if frame.name in world.model.frame_names}
        self.names = tuple(sorted(named))
        places = {name: k for k, name in enumerate(self.names)}
        self.frames = np.array([[places.get(f.name, len(places)) for f in pair] for pair in pairs], dtype=np.int64)
        self.frames = self.frames.reshape(-1, 2)
        axes = [[frame.matrix @ axis for frame in (first, second)] for first, second, axis, _ in self.groups]
        self.axes = np.array(axes, dtype=np.float64).reshape(-1, 6)

    def add(self, first: Frame, second: Frame, members: list[tuple[int, Function]]) -> None:
        """Add rows between the same frames: two with a common axis, and another one if there is one."""
        for key in ("axis_2", "axis_1"):
            axes = [getattr(f, key) for _, f in members]
            common = [axis for axis in axes if axes.count(axis) == 2]
            if common:
                pair = tuple(row for row, f in members if getattr(f, key) == common[0])
                self.groups.append((first, second, np.array(common[0]), pair))
                for row, f in members:
                    if row not in pair:
                        self.groups.append((first, second, np.array(f.axis_2), (row,)))
                return

    def placements(self, q: Array) -> Array:
        """Of the frames, ``(n, 4, 4)``."""
        return forward_kinematics(self.world.model, q, self.names) if self.names else NO_PLACEMENTS

    def continued(self, cosines: Array, values: Array, J: Array) -> tuple[Array, Array]:
        """The errors and the Jacobian, with errors of axes that are turned around continued: s becomes ``(2/|s| - 1) s``.

        The cosines are those of the angle between each axis on the first frame and on the second.
        """
        values, J = values.copy(), J.copy()
        for c, (_, _, _, rows) in zip(cosines, self.groups, strict=True):
            if c >= 0.0:
                continue
            own = list(rows)
            s = values[own]
            size = float(np.linalg.norm(s))
            u = s / size if size > 0.0 else np.eye(len(own))[0]
            across = (2.0 - size) / max(size, SHORT)
            along = np.outer(u, u)
            values[own] = (2.0 - size) * u
            J[own] = (across * (np.eye(len(own)) - along) - along) @ J[own]
        return values, J
