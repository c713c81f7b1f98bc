"""Queries of a world at an instant: rows, errors, accelerations, impacts, efforts, momentum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.running.algorithm import LEFT_OUT
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.checks import names_in
from pluecker.contact.instants.accelerations import ACCELERATIONS
from pluecker.contact.instants.impact import IMPACT
from pluecker.contact.instants.inverse import Effort, least_effort
from pluecker.contact.instants.motions_at import as_times
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.contact.world.branches import accelerations_on_branches
from pluecker.contact.world.closing import Closed, close_world
from pluecker.contact.world.constrained import JOINTS, Constrained
from pluecker.contact.world.determination import Determination, find_determination
from pluecker.contact.world.errors_at import ErrorsAt, find_errors, rows_at
from pluecker.contact.world.reactions import ConstraintHandle
from pluecker.contact.world.running import called, refuse_contacts, run_on_rows
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, UnknownNameError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["ConstrainedAcceleration", "Impact", "Instants"]


@by_value()
class ConstrainedAcceleration(NamedTuple):
    """Acceleration of a world, and the forces of its constraints.

    Attributes:
        acceleration: ``(..., nv)``; rad/s^2 or m/s^2.
        forces: along the rows of all constraints, ``(..., n_rows)``; N or N m.
    """

    acceleration: Array
    forces: Array


@by_value()
class Impact(NamedTuple):
    """Velocity after an impulse, and the impulses of the constraints.

    Attributes:
        velocity: ``(..., nv)``; rad/s or m/s.
        impulses: along the rows of all constraints, ``(..., n_rows)``; N s or N m s.
    """

    velocity: Array
    impulses: Array


class Instants(Constrained):
    """Base of worlds: constraints by name, and the methods that look at one state, or at states each for itself."""

    def __getitem__(self, name: str) -> ConstraintHandle:
        """Return a constraint by its name; ``"joints"`` has the rows of the model's own joints."""
        names = (*self.names, JOINTS)
        if not isinstance(name, str) or name not in names:
            raise UnknownNameError(f"World: no constraint {shown(name)}; there are {', '.join(names)}")
        return ConstraintHandle(self, names.index(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.constraints)

    def rows_at(
        self, q: ArrayLike, v: ArrayLike | None = None, *, time: ArrayLike = 0.0, threads: int | None = None
    ) -> RowsAt:
        """Compute errors, Jacobian and bias of all rows in a state.

        Args:
            q: configuration, ``(..., nq)``.
            v: velocity, ``(..., nv)``; zero if None.
            time: of prescribed motions and moving targets, ``(...)``; s.
            threads: how many share a batch; all cores if None.

        Returns:
            error ``(..., n_rows)``, which is phi: of rows with limits where they are, see :meth:`errors_at`; jacobian
            ``(..., n_rows, nv)``, bias and speed ``(..., n_rows)``, with
            ``d error / dt = jacobian v - speed`` and ``d2 error / dt2 = jacobian a + bias``.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.
        """
        return rows_at(self, q, v, time=time, threads=threads)

    @called("World.errors_at")
    def errors_at(self, q: ArrayLike, *, time: ArrayLike = 0.0) -> ErrorsAt:
        """Compute the errors of a configuration against constraints: rows that hold, limits, and contacts, each for itself.

        The first is drift: what :meth:`close` takes away. :meth:`rows_at` has all rows, with phi of each; of a row with a
        limit that is where it is, and no error.

        Args:
            q: configuration, ``(..., nq)``.
            time: of prescribed motions and moving targets, ``(...)``; s.

        Returns:
            bilateral, limits and contacts, each ``(...)``: the largest error, by how much a limit is exceeded, the largest
            depth of a contact; m or rad. Contacts of shapes that are found as they move are none of the constraints.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.

        Example:
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World, constraints
            >>> arm = ModelBuilder()
            >>> arm.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
            >>> arm.add_joint("pin", "revolute", "world", "arm", axis=(0, 0, 1), lower_limit=-1.0, upper_limit=1.0)
            >>> line = constraints.PointOnLine("line", ("world", (1, 0, 0)), ("arm", (1, 0, 0)))
            >>> found = World(arm.build(), [line]).errors_at([1.5])
            >>> float(found.limits), bool(found.bilateral > 0.1)
            (0.5, True)
        """
        return find_errors(self, q, time)

    def close(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        tol: float = 1e-11,
        fixed: Iterable[str] | str = (),
        time: float = 0.0,
    ) -> Closed:
        """Find the nearest configuration in which all constraints hold, and the nearest velocity that they allow.

        Near is what takes little motion of little mass: ``1/2 d^T H d`` is least, with the way d from ``q`` and the inertia
        matrix H there. ``q`` may be far away; then it is the nearest configuration around the one that was found first.
        Limits are kept, hard and soft ones, and axes of hinges are not turned around. Springs hold nothing.

        Args:
            q: configuration, ``(nq,)``.
            v: velocity, ``(nv,)``; zero if None.
            tol: the largest error of a row; m or rad.
            fixed: names of joints that stay where they are; their velocities may change.
            time: at which motions over time are looked at; s.

        Returns:
            configuration, velocity, and the largest error that is left.

        Raises:
            ClosureError: nothing was found; it has the best configuration, its residual, the name of the worst constraint.
            KeyError: there is no joint of a name in ``fixed``.
            ValueError, TypeError: as :meth:`accelerations`; ``tol`` is not above 0 and below 1.

        Example:
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World, constraints
            >>> arm = ModelBuilder()
            >>> for name, parent, x in (("upper", "world", 0.0), ("lower", "upper", 1.0)):
            ...     arm.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
            ...     arm.add_joint(name, "revolute", parent, name, axis=(0, 0, 1), position=(x, 0, 0))
            >>> nail = constraints.PointOnLine("nail", ("world", (1.0, 1.0, 0)), ("lower", (1.0, 0, 0)))
            >>> print(round(World(arm.build(), [nail]).close([0.1, 1.0]).configuration[1], 6))
            1.570796

        Source: Nocedal, Wright (2006), sections 10.3 and 18.1.
        """
        return close_world(self, q, v, tol=tol, fixed=fixed, time=time)

    def determined(self, q: ArrayLike, active: ArrayLike | None = None) -> Determination:
        """Find which forces of constraints, and which reactions of joints, the motion determines in a configuration.

        Redundant rows (a door on three hinges) share their load in ways that rigid bodies do not know; which ones
        :meth:`accelerations` gives there is a choice.

        Args:
            q: configuration, ``(nq,)``.
            active: which rows with a range hold too, ``(n_rows,)`` of True and False; none if None.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.
        """
        return find_determination(self, q, active)

    def accelerations(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        f_ext: ArrayLike | None = None,
        *,
        time: ArrayLike = 0.0,
        threads: int | None = None,
    ) -> ConstrainedAcceleration:
        """Compute forward dynamics: accelerations, and the forces of the constraints.

        ``H a + c(q, v) = tau + J_ext^T f_ext + J^T r`` with ``J a + Jdot v`` as the constraints want it. Damping, springs
        and armature of joints count. Redundant rows share their load: of all forces that make the same motion those with
        the least ``sum N_kk r_k^2`` are given, ``N = J H^-1 J^T``. Rows that contradict each other are met as nearly as they
        can be. Velocities that constraints forbid are not corrected here; see :meth:`impact`.

        In a singular position, where rows that are independent beside it say the same, the acceleration is the limit along
        the motion, on the branch to which ``v`` is a tangent. The forces are those of rows as they are there: beside it they
        are quotients of two small numbers, and make up the difference. At rest, and for a ``v`` along no branch, there is no
        limit: what the rows that are left allow is one of several accelerations, and :meth:`determined` says that they are
        redundant.

        Args:
            q: configuration, ``(..., nq)``.
            v: velocity, ``(..., nv)``.
            tau: joint forces, ``(..., nv)``; N m or N.
            f_ext: wrenches on the bodies, ``(..., n_bodies, 6)``, in body coordinates.
            time: of prescribed motions and moving targets, ``(...)``; s.
            threads: how many share a batch; all cores if None.

        Returns:
            acceleration, ``(..., nv)``, and forces, ``(..., n_rows)``.

        Raises:
            ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, a joint moves no
                inertia, the result overflows; the world has contacts, which act in steps.
            TypeError: something is not an array of real numbers.
            UnsolvedError: the laws of rows with limits, dry friction or motors are not met: a hard limit is against rows
                that hold.

        Source: RBDA section 8.5; Baraff (1996); source document 002, equation 12 (docs/sources.md).
        """
        refuse_contacts(self, "accelerations")
        inputs: tuple[Any, ...] = (q, v, tau, LEFT_OUT if f_ext is None else f_ext)
        ranged = self.packed.n_rows > self.packed.n_linear
        moving = any(row.motion is not None for row in self.laws)
        if moving or type(time) is not float:
            times = as_times("World.accelerations", time)
            inputs = (times[..., None], *inputs) if moving else inputs
        algorithm = ACCELERATIONS[ranged, moving]
        return ConstrainedAcceleration(*accelerations_on_branches(self, algorithm, inputs, threads))

    def impact(
        self,
        q: ArrayLike,
        v: ArrayLike,
        impulse: ArrayLike | None = None,
        *,
        time: ArrayLike = 0.0,
        threads: int | None = None,
    ) -> Impact:
        """Compute velocities after an impulse, with all constraints: also what becomes of velocities that these forbid.

        Args:
            q, v: the state before, ``(..., nq)`` and ``(..., nv)``.
            impulse: on the coordinates, ``(..., nv)``; N s or N m s; none if None.
            time: of prescribed motions, which go on at their speed, ``(...)``; s.
            threads: how many share a batch; all cores if None.

        Returns:
            velocity, ``(..., nv)``, and impulses, ``(..., n_rows)``.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.

        Source: RBDA section 11.7.
        """
        refuse_contacts(self, "impact")
        inputs = (
            as_times("World.impact", time)[..., None],
            q,
            v,
            np.zeros(self.model.nv) if impulse is None else impulse,
        )
        return Impact(*run_on_rows(self, IMPACT, inputs, threads))

    @called("World.inverse_dynamics")
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        f_ext: ArrayLike | None = None,
        *,
        actuated: Iterable[str] | None = None,
        weights: ArrayLike = 1.0,
        time: ArrayLike = 0.0,
    ) -> Effort:
        """Compute joint forces that make a motion, with the least effort of the drives, and the forces of the constraints.

        Args:
            q, v, a: configuration, velocity and acceleration, ``(..., nq)`` and ``(..., nv)``; constraints must allow them.
            f_ext: wrenches on the bodies, ``(..., n_bodies, 6)``, in body coordinates.
            actuated: the joints with a drive, by name; all of them if None.
            weights: of the drives, a number or ``(nv,)``, above 0: the sum of squares of ``tau / weights`` is the least.
            time: of prescribed motions and moving targets, ``(...)``; s.

        Returns:
            tau, ``(..., nv)``, zero without a drive, and forces, ``(..., n_rows)``: of redundant rows those of least norm.

        Raises:
            ValueError: the constraints forbid the motion, the drives cannot make it, a shape does not fit.
            KeyError: there is no joint of that name.
            TypeError: something is not an array of real numbers.

        Source: Nakamura, Ghodoussi (1989); RBDA section 8.12.
        """
        refuse_contacts(self, "inverse_dynamics")
        return find_effort(self, q, v, a, f_ext, actuated, weights, time)

    @called("World.momentum")
    def momentum(self, q: ArrayLike, v: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Compute the momentum of all bodies: moment about a point of the world, and linear momentum, in world axes.

        Args:
            q, v: the state, ``(..., nq)`` and ``(..., nv)``.
            point: in the world, ``(..., 3)``; m.

        Returns:
            ``[n; p]``, ``(..., 6)``; N m s and N s. Constraints between bodies do not change it.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.

        Source: source document 002, equations 1 and 2 (docs/sources.md): ``p = m v_c``, ``L = I_c w``, summed over bodies.
        """
        h = momentum(self.model, q, v)
        x = as_numbers("World.momentum", "point", point)
        if x.shape[-1:] != (3,) or not np.isfinite(x).all():
            raise ArgumentValueError(f"World.momentum: point is {shown(point)}, expected three finite numbers")
        with np.errstate(all="ignore"):
            found = np.concatenate(np.broadcast_arrays(h[..., :3] - np.cross(x, h[..., 3:]), h[..., 3:]), axis=-1)
        if not np.isfinite(found).all():
            raise ArgumentValueError("World.momentum: the result overflows: q, v or point is too large")
        return found


# ------------------------------------------------------------------------------------------------------------------ efforts


def find_effort(
    world: Constrained,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None,
    actuated: Iterable[str] | None,
    weights: ArrayLike,
    time: ArrayLike,
) -> Effort:
    """Compute tau and the forces of the constraints, with the least effort of the drives."""
    model = world.model
    needed = rnea(model, q, v, a, f_ext)
    driven = np.full(model.nv, actuated is None)
    for joint in () if actuated is None else names_in("World.inverse_dynamics", "actuated", actuated):
        driven[model.v_slice(joint)] = True
    scale = as_weights(weights, model.nv)
    n = world.n_rows - len(world.parts[-1].rows)  # the joints' own friction is in rnea already
    rows = rows_at(world, q, v, time=time)
    own = RowsAt(rows.error[..., :n], rows.jacobian[..., :n, :], rows.bias[..., :n], rows.speed[..., :n])
    speed, gain = (as_numbers("World.inverse_dynamics", name, x) for name, x in (("v", v), ("a", a)))
    effort = least_effort(model, world.names_of_rows, world.laws[:n], own, speed, gain, needed, driven, scale)
    joints = np.zeros((*effort.forces.shape[:-1], world.n_rows - n))
    return Effort(effort.tau, np.concatenate([effort.forces, joints], axis=-1))


def as_weights(weights: ArrayLike, nv: int) -> Array:
    """Check the weights of the drives, and broadcast them to one for each coordinate, ``(nv,)``."""
    scale = as_numbers("World.inverse_dynamics", "weights", weights)
    if scale.shape not in ((), (nv,)) or not (np.isfinite(scale) & (scale > 0.0)).all():
        raise ArgumentValueError(
            f"World.inverse_dynamics: weights is {shown(weights)}, expected numbers above 0, one or ({nv},)"
        )
    return np.broadcast_to(scale, (nv,))
