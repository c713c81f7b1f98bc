"""A world: a mechanism and constraints on it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import Overlay
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.contact.constraints.checks import names_in
from pluecker.contact.constraints.relation import Row
from pluecker.contact.constraints.toml_file import read_constraints
from pluecker.contact.constraints.user import refuse_broken_functions
from pluecker.contact.errors import ConstraintError
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.instants.accelerations import ACCELERATIONS
from pluecker.contact.instants.impact import IMPACT
from pluecker.contact.instants.inverse import Effort, least_effort
from pluecker.contact.instants.motions_at import as_times, motions_at
from pluecker.contact.instants.rows_at import ROWS_AT, RowsAt, sorted_rows
from pluecker.contact.rows.joint_rows import joint_rows
from pluecker.contact.rows.packing import Packed, pack_constraints
from pluecker.contact.world.arguments import as_configuration, checked, parts_of
from pluecker.contact.world.called import called
from pluecker.contact.world.found_contacts import FoundContacts, as_found_contacts
from pluecker.contact.world.gimbal_lock import refuse_gimbal_lock
from pluecker.contact.world.handle import JOINTS, ConstraintHandle
from pluecker.contact.world.memory import WorldMemory
from pluecker.contact.world.overlays import overlays_of
from pluecker.contact.world.pairs import pair_contacts
from pluecker.contact.world.results import ConstrainedAcceleration, Impact
from pluecker.contact.world.simulation import WorldStep, WorldTrajectory, simulate_world, step_world
from pluecker.contact.world.touching_bias import with_touching_bias
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, UnknownNameError, shown
from pluecker.spatial.functions.arguments import as_numbers

if TYPE_CHECKING:
    from pluecker.contact.world.closing import Closed
    from pluecker.contact.world.determination import Determination
    from pluecker.contact.world.maximal import Maximal

__all__ = ["World"]


class World:
    """A mechanism and constraints on it, in any mixture of reduced and maximal coordinates.

    A world is immutable. Its state is ``(q, v)``, as of its model. A body on a free joint is in maximal coordinates, a body
    on a tree in reduced ones; constraints hold frames of bodies, of any two, and coordinates. Each constraint is a few rows,
    on which it has forces; the rows of all are counted in the order in which the constraints were given, and those of the
    model's own joints, dry friction and limits, come last.

    Args:
        model: the mechanism.
        constraints: records of :mod:`pluecker.contact.constraints`, each with a name of its own.
        limits: whether position limits of the model's joints hold.
        shapes: what may touch: records of :class:`~pluecker.contact.geometry.Collider`, or a
            :class:`~pluecker.contact.geometry.Collision` on this model, which says more about who ignores whom. Contacts are
            found in each step, however many there are, and steps are those of one state.
        pairs: names of two shapes each: then only these touch, and each pair is a constraint,
            :class:`~pluecker.contact.geometry.ShapeContact`, after the others, called ``"first/second"``. Such steps are
            compiled, and go in batches.
        law: of contacts that are found: ``ncp``, Coulomb's, or ``ccp``, ``lcp``, ``frictionless``, as for
            :func:`~pluecker.contact.solve`. Pairs have Coulomb's.
        recovery: at which rate depths of contacts are undone, at most all of them in a step; 1/s.
        accuracy: where contacts are found, the error of the law that is tolerated in a step, as ``tol`` of
            :func:`~pluecker.contact.solve`; steps aim at a tenth of it, and few contacts have more digits.

    Raises:
        TypeError: ``model`` is no model, something is no constraint.
        ValueError: two constraints have one name, a constraint cannot be on this model.
        KeyError: there is no frame, joint or shape of that name.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact import World, constraints
        >>> swing = ModelBuilder()
        >>> for side in ("left", "right"):
        ...     swing.add_body(side, mass=1.0, center_of_mass=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        ...     place = (0.0 if side == "left" else 1.0, 0, 0)
        ...     swing.add_joint(side, "revolute", parent="world", child=side, axis=(0, 1, 0), position=place)
        >>> rod = constraints.Rod("rod", ("left", (0, 0, -1)), ("right", (0, 0, -1)), length=1.0)
        >>> world = World(swing.build(), [rod])
        >>> world.accelerations(q=[0.0, 0.0], v=[0.0, 0.0], tau=[1.0, 0.0]).acceleration.round(3)
        array([1.429, 1.429])
    """

    def __init__(
        self,
        model: Model,
        constraints: Iterable[Any] = (),
        *,
        limits: bool = True,
        shapes: Any = (),
        pairs: Any = None,
        law: str = "ncp",
        recovery: float = 10.0,
        accuracy: float = 1e-5,
    ) -> None:
        self.model = as_model("World", model)
        fixed = () if pairs is None else pair_contacts(shapes, pairs, law, recovery)
        self.constraints = checked((*checked(constraints), *fixed))
        if not isinstance(limits, (bool, np.bool_)):
            raise ArgumentTypeError(f"World: limits is a {type(limits).__name__}, expected True or False")
        self.limits = bool(limits)
        named = any(isinstance(each, ShapeContact) for each in self.constraints)
        self.found_contacts = as_found_contacts(self.model, shapes, law, recovery, accuracy, named, pairs is not None)
        self.parts = *(parts_of(each, self.model) for each in self.constraints), joint_rows(self.model, self.limits)

    @classmethod
    def from_urdf(
        cls,
        path_or_text: str | os.PathLike[str],
        *,
        constraints: str | os.PathLike[str] | Iterable[Any] = (),
        limits: bool = True,
        **options: Any,
    ) -> World:
        """A robot from a URDF file, with constraints, which URDF cannot say.

        Args:
            path_or_text: path of a file, or the XML itself.
            constraints: a TOML file, :func:`~pluecker.contact.constraints.read_constraints`, or records.
            limits: whether position limits of the robot's joints hold.
            options: of :meth:`Model.from_urdf`.

        Raises:
            ModelError, ConstraintError: a file cannot be read, or does not describe such a thing.
            MissingExtraError: yourdfpy is not installed.
        """
        records = read_constraints(constraints) if isinstance(constraints, (str, os.PathLike)) else constraints
        return cls(Model.from_urdf(path_or_text, **options), records, limits=limits)

    # ------------------------------------------------------------------------------------------------- what it consists of

    @cached_property
    def smooth(self) -> Model:
        """The model without dry friction, which is rows."""
        return self.model.replace(friction=0.0)

    @cached_property
    def packed(self) -> Packed:
        """The constraints as kernels read them."""
        return pack_constraints(self.model, self.parts)

    def __reduce__(self) -> tuple[Any, ...]:
        found, options = self.found_contacts, {"limits": self.limits}
        if found is None:
            return partial(World, **options), (self.model, self.constraints)
        return rebuilt, (self.model, self.constraints, options, found)

    @cached_property
    def laws(self) -> tuple[Row, ...]:
        """The rows of all constraints with what becomes of them; those of the model's own joints last."""
        return tuple(row for part in self.parts for row in part.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the constraints."""
        return tuple(each.name for each in self.constraints)

    @property
    def n_rows(self) -> int:
        """How many rows all constraints have, with those of the joints."""
        return len(self.laws)

    def __getitem__(self, name: str) -> ConstraintHandle:
        """A constraint by its name; ``"joints"`` has the rows of the model's own joints."""
        names = (*self.names, JOINTS)
        if not isinstance(name, str) or name not in names:
            raise UnknownNameError(f"World: no constraint {shown(name)}; there are {', '.join(names)}")
        return ConstraintHandle(self, names.index(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.constraints)

    def __repr__(self) -> str:
        return f"World of model {self.model.name!r}: {len(self.constraints)} constraints, {self.n_rows} rows"

    @called("World.maximal")
    def maximal(self, reference: ArrayLike | None = None) -> Maximal:
        """The same world in maximal coordinates: each body free, each joint a constraint under the joint's name.

        Accelerations are the same, and so are the net wrenches on bodies, and reactions where the motion determines them.
        Beyond half a turn, rotation vectors change to the equivalent ones, as they do in reduced coordinates. Euler angles
        are functions of where bodies are outside of gimbal lock alone, where the rates of the first and the third one have
        ``1 / sin`` of the angle between their axes: with armature, damping or springs of such joints, motions are followed
        until there, and end in an error that names the joint.

        Args:
            reference: configuration from which angles are counted, ``(nq,)``: springs and limits of joints that turn mean
                angles up to half a turn from there. The neutral one if None.

        Raises:
            ConstraintError: a body without mass or inertia, which cannot be free; a universal joint with its axes in line;
                springs of a joint that is free on a moving body; a constraint with the name of a joint.
            ValueError, TypeError: ``reference`` is no configuration.
        """
        from pluecker.contact.world.making_maximal import make_maximal

        return make_maximal(self, reference)

    # --------------------------------------------------------------------------------------------------------- an instant

    @called("World.rows_at")
    def rows_at(
        self, q: ArrayLike, v: ArrayLike | None = None, *, time: ArrayLike = 0.0, threads: int | None = None
    ) -> RowsAt:
        """Errors, Jacobian and bias of all rows in a state.

        Args:
            q: configuration, ``(..., nq)``.
            v: velocity, ``(..., nv)``; zero if None.
            time: of prescribed motions and moving targets, ``(...)``; s.
            threads: how many share a batch; all cores if None.

        Returns:
            error ``(..., n_rows)``, jacobian ``(..., n_rows, nv)``, bias and speed ``(..., n_rows)``, with
            ``d error / dt = jacobian v - speed`` and ``d2 error / dt2 = jacobian a + bias``.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.
        """
        inputs = q, np.zeros(self.model.nv) if v is None else v
        asked = motions_at(self.laws, as_times("World.rows_at", time))
        try:
            rows = sorted_rows(self.packed, ROWS_AT.call(self.smooth, inputs, None, threads, (self.packed,)), asked)
            return rows if v is None else with_touching_bias(self, q, v, rows)
        except ArgumentValueError:
            refuse_broken_functions(self.model, self.parts, q)
            raise

    def close(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        tol: float = 1e-11,
        fixed: Iterable[str] | str = (),
        time: float = 0.0,
    ) -> Closed:
        """The nearest configuration in which all constraints hold, and the nearest velocity that they allow.

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
        from pluecker.contact.world.closing import close_world

        return close_world(self, q, v, tol, fixed, time)

    def determined(self, q: ArrayLike, active: ArrayLike | None = None) -> Determination:
        """Which forces of constraints, and which reactions of joints, the motion determines in a configuration.

        Redundant rows (a door on three hinges) share their load in ways that rigid bodies do not know; which ones
        :meth:`accelerations` gives there is a choice.

        Args:
            q: configuration, ``(nq,)``.
            active: which rows with a range hold too, ``(n_rows,)`` of True and False; none if None.

        Raises:
            ValueError, TypeError: as :meth:`accelerations`.
        """
        from pluecker.contact.world.determination import find_determination

        return find_determination(self, as_configuration("World.determined", self.model, q), active)

    def _refuse_contacts(self, method: str) -> None:
        """Contacts have impulses in steps, and no forces at an instant."""
        if self.packed.n_contacts or self.found_contacts is not None:
            touching = [] if self.found_contacts is None else ["shapes"]
            touching += [
                name
                for name, part in zip(self.names, self.parts, strict=False)
                if any(row.contact for row in part.rows)
            ]
            raise ConstraintError(
                f"World.{method}: contacts act in steps, by World.step and World.simulate; there are {', '.join(touching)}"
            )

    def _run(self, algorithm: Algorithm, inputs: tuple[Any, ...], threads: int | None) -> tuple[Array, Array]:
        """An algorithm that gives coordinates of the model, and numbers of rows."""
        with called(algorithm.name):
            try:
                motion, rows = algorithm.call(self.smooth, inputs, None, threads, (self.packed,))
            except ArgumentValueError:
                q = inputs[[field.name for field in algorithm.inputs].index("q")]
                refuse_broken_functions(self.model, self.parts, q)
                refuse_gimbal_lock(self, algorithm.name, q)
                raise
        return motion, rows[..., self.packed.place]

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
        """Forward dynamics: accelerations, and the forces of the constraints.

        ``H a + c(q, v) = tau + J_ext^T f_ext + J^T r`` with ``J a + Jdot v`` as the constraints want it. Damping, springs
        and armature of joints count. Redundant rows share their load: of all forces that make the same motion those with
        the least ``sum N_kk r_k^2`` are given, ``N = J H^-1 J^T``. Rows that contradict each other are met as nearly as they
        can be. Velocities that constraints forbid are not corrected here; see :meth:`impact`.

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

        Source: RBDA section 8.5; Baraff (1996); source document 002, equation 12 (docs/sources.md).
        """
        self._refuse_contacts("accelerations")
        inputs: tuple[Any, ...] = (q, v, tau, LEFT_OUT if f_ext is None else f_ext)
        ranged = self.packed.n_rows > self.packed.n_linear
        moving = any(row.motion is not None for row in self.laws)
        if moving or type(time) is not float:
            times = as_times("World.accelerations", time)
            inputs = (times[..., None], *inputs) if moving else inputs
        return ConstrainedAcceleration(*self._run(ACCELERATIONS[ranged, moving], inputs, threads))

    def impact(
        self,
        q: ArrayLike,
        v: ArrayLike,
        impulse: ArrayLike | None = None,
        *,
        time: ArrayLike = 0.0,
        threads: int | None = None,
    ) -> Impact:
        """Velocities after an impulse, with all constraints: also what becomes of velocities that these forbid.

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
        self._refuse_contacts("impact")
        inputs = (
            as_times("World.impact", time)[..., None],
            q,
            v,
            np.zeros(self.model.nv) if impulse is None else impulse,
        )
        return Impact(*self._run(IMPACT, inputs, threads))

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
        """Joint forces that make a motion, with the least effort of the drives, and the forces of the constraints.

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
        self._refuse_contacts("inverse_dynamics")
        model = self.model
        needed = rnea(model, q, v, a, f_ext)
        driven = np.full(model.nv, actuated is None)
        for joint in () if actuated is None else names_in("World.inverse_dynamics", "actuated", actuated):
            driven[model.v_slice(joint)] = True
        scale = as_numbers("World.inverse_dynamics", "weights", weights)
        if scale.shape not in ((), (model.nv,)) or not (np.isfinite(scale) & (scale > 0.0)).all():
            raise ArgumentValueError(
                f"World.inverse_dynamics: weights is {shown(weights)}, expected numbers above 0, one or ({model.nv},)"
            )
        names = [name for name, part in zip((*self.names, JOINTS), self.parts, strict=True) for _ in part.rows]
        laws = [row for part in self.parts[:-1] for row in part.rows]
        n = len(laws)  # the joints' own friction is in rnea already
        rows = self.rows_at(q, v, time=time)
        own = RowsAt(rows.error[..., :n], rows.jacobian[..., :n, :], rows.bias[..., :n], rows.speed[..., :n])
        speed, gain = (as_numbers("World.inverse_dynamics", name, x) for name, x in (("v", v), ("a", a)))
        scale = np.broadcast_to(scale, (model.nv,))
        effort = least_effort(model, names, laws, own, speed, gain, needed, driven, scale)
        joints = np.zeros((*effort.forces.shape[:-1], self.n_rows - n))
        return Effort(effort.tau, np.concatenate([effort.forces, joints], axis=-1))

    @called("World.momentum")
    def momentum(self, q: ArrayLike, v: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """The momentum of all bodies: moment about a point of the world, and linear momentum, in world axes.

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

    # ----------------------------------------------------------------------------------------------------------- a motion

    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        step: float,
        *,
        tau: ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        memory: WorldMemory | None = None,
    ) -> WorldStep:
        """One step of the motion; :meth:`simulate` with one of them.

        Args:
            q, v: the state, ``(..., nq)`` and ``(..., nv)``.
            step: s.
            tau: joint forces during the step, ``(..., nv)``; none if None.
            f_ext: wrenches on the bodies in their coordinates, ``(..., n_bodies, 6)``.
            memory: what the step before gave; None before the first one.

        Returns:
            q and v at the end of the step, and the memory for the next one; ``step.contacts`` has what touched, with forces.

        Raises:
            ValueError, TypeError: as :meth:`simulate`.
            SimulationError: there is no such step: constraints contradict each other, or cannot be met.

        Source: Moreau (1999).
        """
        return step_world(self, q, v, step, tau, f_ext, memory)

    def simulate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        duration: float,
        step: float,
        *,
        control: Any = None,
        f_ext: Any = None,
        elements: Element | Sequence[Element] = (),
        integrator: str = "semi_implicit",
        record: str | Iterable[str] = ("a", "tau"),
        every: int = 1,
        record_to: str | os.PathLike[str] | None = None,
        on_unsolved: str = "raise",
        tol: float = 1e-9,
        progress: Any = None,
        threads: int | None = None,
        memory: WorldMemory | None = None,
    ) -> WorldTrajectory:
        """The motion from the state ``q, v``; arguments that are not named here are those of :func:`simulate`.

        Args:
            q, v: the state at the beginning, ``(..., nq)`` and ``(..., nv)``.
            duration, step: a whole number of steps; s.
            integrator: ``"semi_implicit"``, the step of worlds, of first order, which knows all rows; ``"rk4"`` and
                ``"dormand_prince"``, of order four and five, with q and v brought back onto the constraints after each step,
                for worlds without limits, dry friction and motors.
            record: also ``"constraint_forces"``, along the rows of all constraints, a column ``(..., n, n_rows)``: of
                ``"semi_implicit"`` their mean over the step behind a sample, like ``a``; N or N m.
            memory: of a simulation or a step before, from which this one goes on, also in time: both together give
                the same numbers, to the last bit, as one simulation of both.

        Returns:
            A trajectory, with ``memory``.

        Raises:
            ValueError, TypeError: as :func:`simulate`; the memory is of another world, or does not fit the state.
            SimulationError: the motion cannot be followed to its end; the message says at what time, and which constraints
                contradict each other, ``trajectory`` has what was computed until then.

        Example:
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World, constraints
            >>> free = ModelBuilder()
            >>> free.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
            >>> free.add_joint("bob", "free", parent="world", child="bob")
            >>> world = World(free.build(), [constraints.Ball("hook", ("world", (0, 0, 0)), ("bob", (0, 0, 1)))])
            >>> swing = world.simulate([0, 0, -1.0, 1, 0, 0, 0], [0.1, 0, 0, 0, 0.1, 0], 0.01, 0.001, integrator="rk4")
            >>> float(abs(world.rows_at(swing.q).error).max()) < 1e-12
            True

        Source: Moreau (1999); Eich (1993).
        """
        return simulate_world(
            self, q, v, duration, step, integrator=integrator, memory=memory, control=control, f_ext=f_ext,
            elements=elements, record=record, every=every, record_to=record_to, on_unsolved=on_unsolved, tol=tol,
            progress=progress, threads=threads,
        )  # fmt: skip

    def overlays(self, trajectory: Trajectory) -> tuple[Overlay, ...]:
        """What pictures show of the constraints in one motion: the axes of their frames, and their forces.

        :meth:`simulate` gives its trajectory these where ``"constraint_forces"`` is recorded, for
        :func:`~pluecker.articulated.animate`, :func:`~pluecker.articulated.view` and others. Forces are those on the body of
        a constraint's second frame; the longest arrow of all samples has three tenths of the mechanism's reach, and the
        legend says how many newtons it stands for. Of contacts these are points, by what each does, normals, forces on the
        body of the higher number, and cones of friction.

        Args:
            trajectory: one motion of this world, with q, and with the column ``constraint_forces`` if forces are wanted.

        Raises:
            TypeError, ValueError: it is no trajectory, or a batch of motions.
        """
        return overlays_of(self, trajectory)


def rebuilt(model: Model, constraints: Iterable[Any], options: dict[str, Any], found: FoundContacts) -> World:
    """A world with shapes that was pickled."""
    return World(
        model,
        constraints,
        shapes=found.collision,
        law=found.law,
        recovery=found.recovery,
        accuracy=found.accuracy,
        **options,
    )
