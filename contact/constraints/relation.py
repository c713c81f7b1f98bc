"""Functions of the configuration, of which constraints are made, and rows, which are the laws of sums of functions.

A *function* is a number phi that depends on where two frames are. Its rate is the power of a wrench,

    dphi/dt = f . (v_2 - v_1) + n . (w_2 - w_1)    with the velocities of both bodies at one point p,

so that a force r along it is ``r (n, f)`` at p on the second body, and its opposite on the first. A *row* is a sum of
functions with coefficients, less an offset, and a law: it is held at zero, held by a spring and a damper, or kept in a
range, with friction and a motor.

===========  ==============================================  =============================================================
kind         phi                                             on the second body
===========  ==============================================  =============================================================
OFFSET       ``d_1 . (x_2 - x_1)``                           the force ``d_1`` at x_2
ALIGN        ``d_1 . d_2``                                   the moment ``d_2 x d_1``
DISTANCE     ``|x_2 - x_1|``                                 the force along the line at x_2
TURN         angle of ``d_2`` about ``d_1`` from ``e_1``     the moment ``d_2 x (c y_1 - s e_1) / (c^2 + s^2)``, with
                                                             ``y_1 = d_1 x e_1``, ``c = e_1 . d_2``, ``s = y_1 . d_2``
SIGHT        angle of ``s = x_2 - x_1`` about ``d_1``        the force ``(c y_1 - s e_1) / (c^2 + s^2)`` at x_2, with
             from ``e_1``                                    ``c = e_1 . s``, ``s = y_1 . s``
COORDINATE   one coordinate of the model's                   its generalised force
USER         a function of q of the user's                    its gradient, as generalised forces
ANGLE        between ``d_1`` and ``d_2``, from 0 to pi       the moment along ``d_1 x d_2``; none in line
ROTATION     of the rotation vector from the axes ``e_1``,   the moment ``J^-T d_2``, with the J of the vector
             ``d_1 x e_1``, ``d_1`` to those of the second
             body, the component along ``d_2``
SPIN         none; the rate ``d_2 . (w_2 - w_1)``            the moment ``d_2``
SLIP         none; the rate of the points of both bodies     the force ``d_2`` at x_2
             that are at x_2, along ``d_2``
ROLL         none; the rate of the points of both bodies     the force ``d_1`` at x_2 + e_1
             that are at x_2 + e_1, along ``d_1``; e_1 is
             not of unit length
TOUCH        the gap between two shapes where they are       the force along the normal, or along a tangent, at the place
             nearest; of a tangent none, the rate alone      where they touch, both as the step begins
TOUCH_TURN   none; the rate of one shape's turn against the  the moment along the normal, or along a tangent
             other, about the normal or a tangent
===========  ==============================================  =============================================================

x, d and e are points and directions fixed to the frames, as their numbers say. Where two points meet, the line of a
DISTANCE has no direction: there it is d_1. All rates are exact wherever the bodies are, not only where the constraint holds;
so rows of holonomic constraints are gradients. SPIN, SLIP and ROLL are rates of no function: rows on them hold velocities,
or are dampers, friction, rotors. ROTATION is of all equivalent vectors the nearest to one that is given; to none, the
shortest.

Sources: the functions are those of Haug, *Computer-aided kinematics and dynamics of mechanical systems* (1989), section 9.4
(dot-1, dot-2, distance); source document 000 (docs/sources.md), joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.articulated.model.description import rotation_matrix, vector
from pluecker.contact.constraints.spline import Spline
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "ALIGN", "ANGLE", "ANGLES", "COORDINATE", "DISTANCE", "NORMAL", "OFFSET", "ROLL", "ROLLING", "ROTATION", "SIGHT", "SLIP",
    "SPIN", "SPINNING", "TANGENT", "TOUCH", "TOUCH_TURN", "TURN", "USER", "Frame", "Function", "Parts", "Row",
]  # fmt: skip

OFFSET, ALIGN, DISTANCE, TURN, COORDINATE, SIGHT, USER = range(7)
ANGLE, ROTATION, SPIN, SLIP, ROLL = range(10, 15)  # the rarer ones, of turning_functions.py
TOUCH, TOUCH_TURN = 15, 16  # between shapes, of touching.py
NORMAL, TANGENT, ROLLING, SPINNING = 1, 2, 3, 4  # rows of a contact
ANGLES = (TURN, SIGHT)  # whose values are counted over turns
Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)
ROUNDED = 8 * float(
    np.finfo(np.float64).eps
)  # of the products of axes: what rounding leaves of a rotation, with a margin


@dataclass(frozen=True)
class Frame:
    """A frame on a body: where it is in another one that has a name.

    Attributes:
        name: of a frame or a body of the model, or ``"world"``.
        position: of its origin there; m.
        rotation: its axes there, as columns of a matrix, ``(3, 3)``, or a quaternion ``[w, x, y, z]``; not turned if None.

    Raises:
        TypeError: the name is no string; something is no array of numbers.
        ValueError: no three finite numbers, no rotation.

    Example:
        >>> from pluecker.contact.constraints import Frame
        >>> Frame("rod", (0.0, 0.0, 0.5)).position
        (0.0, 0.0, 0.5)
    """

    name: str
    position: Any = ZERO
    rotation: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ArgumentTypeError(
                f"Frame: name is {shown(self.name)}, expected the name of a frame, a body, or 'world'"
            )
        label = f"Frame on {shown(self.name)}"
        R = rotation_matrix(label, self.rotation)
        given = np.array(R if self.rotation is None else self.rotation, dtype=np.float64)
        if given.shape == R.shape and np.abs(given @ given.T - np.eye(3)).max() <= ROUNDED:
            R = given  # so that a frame made of what another one holds is equal to it
        x = vector(label, "position", self.position).tolist()
        object.__setattr__(self, "position", tuple(c + 0.0 for c in x))
        object.__setattr__(self, "rotation", tuple(tuple(c + 0.0 for c in row) for row in R.tolist()))

    @property
    def matrix(self) -> Array:
        """The axes as columns, ``(3, 3)``."""
        return np.array(self.rotation)


@dataclass(frozen=True)
class Function:
    """A number that depends on where two frames are.

    Attributes:
        kind: ``OFFSET``, ``ALIGN``, ``DISTANCE``, ``TURN``, ``SIGHT``, ``COORDINATE``, ``USER``, ``ANGLE``, ``ROTATION``,
            ``SPIN``, ``SLIP``, ``ROLL``, ``TOUCH`` or ``TOUCH_TURN``.
        first, second: the frames; None for a coordinate.
        point_1, point_2: x_1 and x_2, each in its frame.
        axis_1, axis_2: d_1 and d_2, unit vectors, each in its frame.
        side_1: e_1, a unit vector across d_1; of a ``ROLL`` the way from x_2 to the point that touches.
        coordinate: the place in v of a ``COORDINATE``.
        position: its place in q; -1 where it has none.
        near: of a ``ROTATION`` the vector to which it is nearest, in axes of the second body.
        user: of a ``USER`` its address and parameters, as :class:`~pluecker.contact.constraints.records.user.UserCall`; of a
            ``TOUCH`` or ``TOUCH_TURN`` the two shapes, which of the places where they may touch it is, and 0 for the normal,
            1 or 2 for a tangent.
    """

    kind: int
    first: Frame | None = None
    second: Frame | None = None
    point_1: Vector = ZERO
    point_2: Vector = ZERO
    axis_1: Vector = ZERO
    axis_2: Vector = ZERO
    side_1: Vector = ZERO
    coordinate: int = -1
    position: int = -1
    near: Vector = ZERO
    user: Any = None


@dataclass(frozen=True)
class Row:
    """Law of a sum of functions, ``phi = sum c_k phi_k - offset``.

    A row *holds*, phi = 0, unless it has a range or is soft. With ``inertia`` it holds nothing, and has the force
    ``-inertia d2phi/dt2``: that of a rotor that a gear turns. A *contact* is three rows with a range, one after the other:
    the normal, whose ``friction`` is the coefficient of Coulomb's law, and two tangents. Behind them may come two rows of
    its resistance to rolling, and one of that to spinning, whose ``friction`` is the coefficient, m.

    Attributes:
        terms: of each function its number among those of the constraint, and its coefficient.
        offset: see above; in units of phi.
        stiffness, damping: of a soft row, which is a spring and a damper; finite.
        speed: what the rate of phi is to be, of a row that holds, or of a motor; of a normal see ``correction``.
        inertia: see above.
        lower, upper: of a row with a range.
        restitution: Newton's, at its ends, 0 to 1.
        returned: of a normal Poisson's coefficient, in place of Newton's; 0 to 1.
        friction: dry friction; the force that it takes to move.
        kinetic: of a normal the coefficient of what slides, ``friction`` or less.
        force: the largest of a motor, whose speed is ``speed``.
        holonomic: whether phi itself is held, and not its rate alone.
        correction: of a motor that drives to phi = 0: its speed is ``-min(correction, 1/h) phi`` in a step h, and at
            most ``speed``; 1/s. Of a normal the speed at which a depth is undone, likewise.
        contact: ``NORMAL``, ``TANGENT``, ``ROLLING`` or ``SPINNING`` of a row of a contact, 0 of others.
        motion: what phi is to be over time, beside ``offset``; of a row that holds, or is soft.
    """

    terms: tuple[tuple[int, float], ...]
    offset: float = 0.0
    stiffness: float = np.inf
    damping: float = 0.0
    speed: float = 0.0
    inertia: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    restitution: float = 0.0
    returned: float = 0.0
    friction: float = 0.0
    kinetic: float = 0.0
    force: float = 0.0
    ranged: bool = False
    holonomic: bool = True
    correction: float = 0.0
    motion: Spline | None = None
    contact: int = 0

    @property
    def soft(self) -> bool:
        """True if it is a spring and a damper."""
        return not self.ranged and bool(np.isfinite(self.stiffness))


@dataclass(frozen=True)
class Parts:
    """Functions and rows of a constraint."""

    functions: tuple[Function, ...]
    rows: tuple[Row, ...]
