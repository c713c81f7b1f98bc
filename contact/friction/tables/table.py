"""Contacts and joints of a scene: a table of contacts, and rows for joints, limits and motors.

=================================  ==================================================================================
name                               what it is
=================================  ==================================================================================
:class:`ContactTable`              contacts: two bodies, a normal, a point, a gap, coefficients
:func:`contact_frames`             (n, t1, t2) of unit normals
:func:`soft_contact`               compliance and error reduction of a contact that is a spring and a damper, of
                                   :mod:`~pluecker.contact.friction.tables.compliant`
:class:`Rows`                      equations, limits and motors: a Jacobian and two bounds for each
=================================  ==================================================================================

A contact of bodies i < j has a normal from i to j, so that the normal velocity of j relative to i is positive where the
bodies part, and the impulse ``r_n n >= 0`` acts on j, its reaction on i (source document 000, docs/sources.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import as_coefficients
from pluecker.contact.friction.problem.columns import as_column, as_indices, entry_error, frozen, numbers_of
from pluecker.contact.friction.problem.problem import build_sets
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.tables.compliant import SoftContact, soft_contact
from pluecker.spatial.algebra.matrices import NEARLY
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ContactTable", "Rows", "SoftContact", "contact_frames", "soft_contact"]

LOWEST = -0.65  # of n_z, where the frame changes: between the slopes that are frequent
COMPONENTS = (3, 5, 6)  # of a contact with friction, with rolling, with spinning friction


@by_value()
@dataclass(frozen=True, eq=False)
class ContactTable:
    """Contacts, K of them.

    The arrays are copied, and cannot be written to. One number stands for all contacts where one is asked for each.

    Attributes:
        bodies: the two bodies i < j of each contact, ``(K, 2)``.
        normal: unit vectors from i to j, in world axes, ``(K, 3)``; made exactly of unit length.
        point: where the bodies touch, in the world, ``(K, 3)``, m.
        gap: the distance between the bodies along the normal, negative where they penetrate, ``(K,)``, m.
        friction: coefficients of Coulomb friction, one for sticking and sliding alike (static and kinetic friction are not
            told apart), ``(K,)``; ``(K, 2)`` with rolling friction, ``(K, 3)`` with spinning friction, these in m.
        restitution: Newton's coefficient, from 0 to 1, ``(K,)``.
        compliance: of the normal, ``(K,)``, or of the normal and the two tangents, ``(K, 3)``, m/s per N s: what is
            added to the velocity for each N s; zero for rigid contact; see :func:`soft_contact`.

    Raises:
        ProblemError: of the constructor: a shape does not fit, a number is not finite, the bodies of a contact are
            equal or not in order or negative, a normal is not of unit length within 1e-6, a coefficient is negative, a
            restitution is not between 0 and 1; the message names the contact.

    Source: K. Erleben, "Stable, robust, and versatile multibody dynamics animation", thesis (2004); source document 000
    (docs/sources.md), the contact table.

    Example:
        A ball, body 1, that touches the floor, body 0, in the origin, and is 0.1 m away from a wall, body 2.

        >>> from pluecker.contact import ContactTable
        >>> table = ContactTable.ordered(
        ...     [[0, 1], [2, 1]], [[0, 0, 1], [1, 0, 0]], [[0, 0, 0], [-0.6, 0, 0.5]], gap=[0, 0.1], friction=0.3
        ... )
        >>> table.bodies.tolist(), table.normal[1].tolist(), table.friction.tolist()
        ([[0, 1], [1, 2]], [-1.0, -0.0, -0.0], [0.3, 0.3])
    """

    bodies: Indices
    normal: Array
    point: Array
    gap: Array = 0.0  # type: ignore[assignment]
    friction: Array = 0.0  # type: ignore[assignment]
    restitution: Array = 0.0  # type: ignore[assignment]
    compliance: Array = 0.0  # type: ignore[assignment]

    def __post_init__(self) -> None:
        bodies = as_indices("contact", self.bodies)
        K = len(bodies)
        check_pairs(bodies)
        softness = numbers_of("compliance", self.compliance)
        values = {
            "bodies": bodies,
            "normal": unit_normals(as_column("contact", "normal", self.normal, (3,), K)),
            "point": as_column("contact", "point", self.point, (3,), K),
            "gap": as_column("contact", "gap", self.gap, (), K),
            "friction": checked_friction(self.friction, K),
            "restitution": as_column("contact", "restitution", self.restitution, (), K),
            "compliance": as_column("contact", "compliance", softness, (3,) if softness.ndim == 2 else (), K),
        }
        wrong = (values["restitution"] < 0.0) | (values["restitution"] > 1.0)
        for k in np.flatnonzero(wrong):
            raise entry_error("contact", int(k), f"restitution is {values['restitution'][k]}, expected 0 to 1")
        for place in zip(*np.nonzero(values["compliance"] < 0.0), strict=True):
            complaint = f"compliance is {values['compliance'][place]}, expected a number that is not negative"
            raise entry_error("contact", int(place[0]), complaint)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def ordered(cls, bodies: ArrayLike, normal: ArrayLike, point: Any, **others: Any) -> ContactTable:
        """Make a table from pairs of bodies in any order: where i > j, they are exchanged, and the normal is turned round.

        Args and errors as for the constructor; the normal is from the first body of the pair to the second.
        """
        pairs = as_indices("contact", bodies)
        normals = as_column("contact", "normal", normal, (3,), len(pairs))
        turned = pairs[:, :1] > pairs[:, 1:]
        return cls(np.sort(pairs, axis=1), np.where(turned, -normals, normals), point, **others)

    def __len__(self) -> int:
        """The number of contacts, K."""
        return len(self.bodies)

    @property
    def size(self) -> int:
        """The components of each contact: 3, with rolling friction 5, with spinning friction 6."""
        return COMPONENTS[0 if self.friction.ndim == 1 else self.friction.shape[1] - 1]


@by_value()
@dataclass(frozen=True, eq=False)
class Rows:
    """Joints, limits and motors, R rows of them, each with one multiplier.

        u = J_i v_i + J_j v_j + offset + compliance r,      r = P(r - u) with P the projection on [lower, upper]

    An equation is unbounded: u = 0. A limit has the bounds 0 and infinity: 0 <= r, u >= 0. A motor with the speed s and
    the largest impulse R has the offset -s and the bounds -R and R: it pushes with all it has until ``J v = s``.

    The arrays are copied, and cannot be written to. One number stands for all rows where one is asked for each.

    Attributes:
        bodies: of each row, in any order, ``(R, 2)``; the second is -1 for a row of one body.
        jacobian: of each of the two bodies, angular part first, in world axes, for velocities of the centres of mass,
            ``(R, 2, 6)``; zeros in place of a second body that there is not.
        lower: the smallest multiplier, ``(R,)``, N s or N m s; may be infinite.
        upper: the largest, ``(R,)``.
        offset: what is added to the velocity, ``(R,)``: ``- b`` of source document 000, whose rows are ``J u = b``. An
            error e of the position is reduced by the share k in a step h with the offset ``k e / h``.
        compliance: ``(R,)``, m/s per N s.

    Raises:
        ProblemError: of the constructor: a shape does not fit, a number is not finite, the bodies are equal or
            negative, the Jacobian of no body is not zero, bounds are crossed, a compliance is negative; the message
            names the row.

    Source: Erleben (2004); R. Smith, Open Dynamics Engine, manual; source document 000 (docs/sources.md), one design for all
    constraints, and the mixing of forces for the compliance.

    Example:
        A hinge at the point p, about the axis z, and a motor in it that turns body 1 against body 0 with 2 rad/s. The point
        moves with ``v + w x (p - c)``, so that its velocity along d has the row ``[(p - c) x d; d]``: three such rows keep
        the points of both bodies together, two rows of angular velocity leave nothing but the axis, the last is the motor.

        >>> import numpy as np
        >>> from pluecker.contact import Bodies, ContactTable, Rows, assemble_contacts, solve
        >>> bodies = Bodies([np.inf, 2.0], np.ones((2, 3)), [[0, 0, 0], [1, 0, 0]])
        >>> p, axes, J = np.array([0.5, 0, 0]), np.eye(3), np.zeros((6, 2, 6))
        >>> for body, sign in ((0, -1.0), (1, 1.0)):
        ...     J[:3, body, :3], J[:3, body, 3:] = sign * np.cross(p - bodies.position[body], axes), sign * axes
        ...     J[3:, body, :3] = sign * axes
        >>> largest = [np.inf] * 5 + [10.0]
        >>> hinge = Rows([[0, 1]] * 6, J, np.negative(largest), largest, offset=[0, 0, 0, 0, 0, -2.0])
        >>> none = ContactTable([], np.zeros((0, 3)), np.zeros((0, 3)))
        >>> problem = assemble_contacts(bodies, none, 0.01, hinge)
        >>> problem.motion(solve(problem, tol=1e-10).multipliers)[1].round(6) + 0.0
        array([0., 0., 2., 0., 1., 0.])
    """

    bodies: Indices
    jacobian: Array
    lower: Array = -np.inf  # type: ignore[assignment]
    upper: Array = np.inf  # type: ignore[assignment]
    offset: Array = 0.0  # type: ignore[assignment]
    compliance: Array = 0.0  # type: ignore[assignment]

    def __post_init__(self) -> None:
        bodies = as_indices("row", self.bodies)
        R = len(bodies)
        values = {
            "bodies": bodies,
            "jacobian": as_column("row", "jacobian", self.jacobian, (2, 6), R),
            "lower": as_column("row", "lower", self.lower, (), R, infinite=True),
            "upper": as_column("row", "upper", self.upper, (), R, infinite=True),
            "offset": as_column("row", "offset", self.offset, (), R),
            "compliance": as_column("row", "compliance", self.compliance, (), R),
        }
        build_sets(np.zeros(0), 3, (values["lower"], values["upper"]))
        for k in np.flatnonzero((bodies[:, 0] < 0) | (bodies[:, 1] < -1) | (bodies[:, 0] == bodies[:, 1])):
            i, j = bodies[k].tolist()
            raise entry_error("row", int(k), f"bodies are {i} and {j}, expected two different ones, or a second of -1")
        for k in np.flatnonzero((bodies[:, 1] < 0) & values["jacobian"][:, 1].any(axis=1)):
            raise entry_error("row", int(k), "there is no second body, but its jacobian is not zero")
        for k in np.flatnonzero(values["compliance"] < 0.0):
            complaint = f"compliance is {values['compliance'][k]}, expected a number that is not negative"
            raise entry_error("row", int(k), complaint)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """The number of rows, R."""
        return len(self.bodies)


def contact_frames(normal: ArrayLike) -> Array:
    """Return a right-handed orthonormal frame for each normal: n, t1, t2, in the rows.

    The frame of a normal n is that of z, ``(z, x, y)``, turned about the horizontal axis ``z x n`` to n; where n points
    down more than up (n_z < -0.65), it is that of -z, ``(-z, x, -y)``, turned to n likewise. So t1 and t2 are
    coordinate axes where n is one. No frame is continuous on the whole sphere (the hairy ball theorem): this one jumps
    on the circle n_z = -0.65, and nowhere else, so that rounding of normals near the axes, of walls, floors and
    ceilings, changes a frame by as little.

    Args:
        normal: unit vectors, ``(..., 3)``, within 1e-6.

    Returns:
        ``(..., 3, 3)``.

    Raises:
        ProblemError: not an array of finite numbers of that shape, not of unit length.

    Source: the formula without square roots of Duff et al., "Building an orthonormal basis, revisited" (JCGT 6, 2017), who
        change at n_z = 0.
    """
    n = numbers_of("normal", normal)
    if n.shape[-1:] != (3,):
        raise ProblemError(f"normal has shape {n.shape}, expected (..., 3)")
    n = unit_normals(as_column("contact", "normal", n.reshape(-1, 3), (3,))).reshape(n.shape)
    x, y, z = n[..., 0], n[..., 1], n[..., 2]
    s = np.where(z < LOWEST, -1.0, 1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    frames = np.empty((*n.shape, 3))
    frames[..., 0, :] = n
    frames[..., 1, 0], frames[..., 1, 1], frames[..., 1, 2] = 1.0 + s * x * x * a, s * b, -s * x
    frames[..., 2, 0], frames[..., 2, 1], frames[..., 2, 2] = b, s + y * y * a, -y
    return frames


def unit_normals(normal: Array) -> Array:
    """Return normals of unit length, to rounding."""
    with np.errstate(over="ignore"):
        length = np.linalg.norm(normal, axis=1)
    for k in np.flatnonzero(~(np.abs(length - 1.0) <= NEARLY)):
        raise entry_error("contact", int(k), f"normal has length {length[k]:.9g}, expected 1 within 1e-6")
    return frozen(normal / length[:, None])


def check_pairs(bodies: Indices) -> None:
    """Refuse pairs that are not 0 <= i < j."""
    for k in np.flatnonzero((bodies[:, 0] < 0) | (bodies[:, 0] >= bodies[:, 1])):
        i, j = bodies[k].tolist()
        if i == j:
            raise entry_error("contact", int(k), f"both bodies are {i}, expected two different ones")
        if min(i, j) < 0:
            raise entry_error("contact", int(k), f"bodies are {i} and {j}, expected numbers that are not negative")
        raise entry_error(
            "contact", int(k), f"bodies are {i} and {j}, expected i < j: exchange them and turn the normal round"
        )


def checked_friction(friction: ArrayLike, K: int) -> Array:
    """Return coefficients in the shape in which they came, one number being one for each contact."""
    given = numbers_of("friction", friction)
    columns = given.shape[1] if given.ndim == 2 else 1
    if columns == 0:
        raise ProblemError(f"friction has shape {given.shape}, expected ({K},), ({K}, 2) or ({K}, 3)")
    full = as_coefficients(given, K)[:, :columns]
    return frozen(full if given.ndim == 2 else full[:, 0])
