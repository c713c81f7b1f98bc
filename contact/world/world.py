"""A world: a mechanism and constraints on it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import Lines, Overlay
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.arguments import as_choice
from pluecker.contact.constraints.checks import positive
from pluecker.contact.constraints.records.limits import joint_rows
from pluecker.contact.friction.problem.problem import LAWS
from pluecker.contact.instants.inverse import Effort
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.contact.mechanisms.closing import Closed, close_world
from pluecker.contact.mechanisms.constrained import (
    JOINTS,
    Constrained,
    as_world_shapes,
    checked,
    pair_contacts,
    parts_of,
)
from pluecker.contact.mechanisms.errors_at import ErrorsAt, find_errors, rows_at
from pluecker.contact.mechanisms.instants import (
    ConstrainedAcceleration,
    Impact,
    find_accelerations,
    find_effort,
    find_impact,
    momentum_about,
)
from pluecker.contact.mechanisms.maximal import Maximal
from pluecker.contact.mechanisms.reactions import ConstraintHandle, Determination, find_determination
from pluecker.contact.mechanisms.running import called
from pluecker.contact.mechanisms.tree_joints import free_parts
from pluecker.contact.world.memory import WorldMemory, WorldState
from pluecker.contact.world.overlays import connections_of, overlays_of
from pluecker.contact.world.simulation import WorldStep, WorldTrajectory, simulate_world, start_world, step_world
from pluecker.contact.world.world_file import read_world_file
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, UnknownNameError, shown

__all__ = ["World"]


class World(Constrained):
    """A mechanism and constraints on it, in any mixture of reduced and maximal coordinates.

    A world is immutable. Its state is ``(q, v)``, as of its model. A body on a free joint is in maximal coordinates, a body
    on a tree in reduced ones; constraints hold frames of bodies, of any two, and coordinates. Each constraint is a few rows,
    on which it has forces; the rows of all are counted in the order in which the constraints were given, and those of the
    model's own joints, dry friction and limits, come last.

    Functions that take a model take a world: :func:`~pluecker.articulated.forward_kinematics`, energies, momenta and the
    inertia matrix are those of its model, and so are all others where there are no constraints and no shapes.

    Worlds are equal, and hash alike, if model, constraints and shapes are; they can be copied and pickled.

    Args:
        model: the mechanism.
        constraints: records of :mod:`pluecker.contact.constraints`, each with a name of its own.
        limits: whether position limits of the model's joints hold.
        shapes: what may touch: records of :class:`~pluecker.contact.geometry.Collider`, or a
            :class:`~pluecker.contact.geometry.Collision` on this model, which says more about who ignores whom. Contacts are
            found in each step, however many there are, of one state or of each state of a batch. Shapes of one body, of a
            body and the one that carries it, and of groups that ignore each other do not touch; the world carries nobody.
        pairs: names of two shapes each: then only these touch, and each pair is a constraint,
            :class:`~pluecker.contact.geometry.ShapeContact`, after the others, called ``"first/second"``, whatever their
            groups. Eight states of a batch go at once. With another law than Coulomb's contacts are found in each step, of
            these pairs alone, and they are no constraints.
        law: of all contacts: ``ncp``, Coulomb's, or ``ccp``, ``lcp``, ``frictionless``, as for
            :func:`~pluecker.contact.solve`. Contacts of points have another law than Coulomb's one state at a time.
        impacts: of contacts that are found, and of pairs: ``"newton"``, or ``"poisson"``, by which no impact of one contact
            gains energy with friction; see :class:`~pluecker.contact.constraints.PointContact`.
        recovery: of contacts that are found, and of ``pairs``: at which rate depths are undone, as that of a
            :class:`~pluecker.contact.constraints.PointContact`, which has its own; 1/s. Where contacts are found, shapes
            that joints or walls hold in one another are parted only as far as these let them.
        recovery_speed: the largest speed at which they are undone; m/s, may be infinite.
        accuracy: the error of the law of contacts that is tolerated in a step, of points, of pairs, and of those that are
            found: by how much a contact misses it, as a velocity, beside the largest velocity of the step, as ``tol`` of
            :func:`~pluecker.contact.solve`. Where contacts are found, steps aim at a third of it, and most have more
            digits; those of points and of pairs are solved nearly to rounding. Loops, and limits where there are no
            contacts, hold to 1e-10.

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
        impacts: str = "newton",
        recovery: float = 10.0,
        recovery_speed: float = 1.0,
        accuracy: float = 1e-6,
    ) -> None:
        model = as_model("World", model)
        fixed = None if pairs is None else pair_contacts(shapes, pairs, recovery, recovery_speed, impacts)
        law = as_choice("World: law", law, LAWS)
        records = checked((*checked(constraints), *(fixed or () if law == "ncp" else ())))
        if not isinstance(limits, (bool, np.bool_)):
            raise ArgumentTypeError(f"World: limits is a {type(limits).__name__}, expected True or False")
        accuracy = positive("World", "accuracy", accuracy)
        found = as_world_shapes(model, shapes, law, impacts, recovery, recovery_speed, accuracy, records, fixed)
        parts = *(parts_of(each, model) for each in records), joint_rows(model, bool(limits))
        super().__init__(model, records, bool(limits), parts, found, accuracy)

    @classmethod
    def from_urdf(
        cls,
        path_or_text: str | os.PathLike[str],
        *,
        constraints: str | os.PathLike[str] | Iterable[Any] = (),
        limits: bool = True,
        **options: Any,
    ) -> World:
        """Read a robot from a URDF file, with constraints, which URDF cannot say.

        Args:
            path_or_text: path of a file, or the XML itself.
            constraints: a TOML file, as of :meth:`from_file`, or records.
            limits: whether position limits of the robot's joints hold.
            options: of :meth:`Model.from_urdf`.

        Raises:
            ModelError, ConstraintError: a file cannot be read, or does not describe such a thing.
        """
        model = Model.from_urdf(path_or_text, **options)
        if isinstance(constraints, (str, os.PathLike)):
            return cls.from_file(constraints, model, limits=limits)
        return cls(model, constraints, limits=limits)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], model: Model, *, limits: bool = True) -> World:
        """Read a world from a TOML file, whose format is that of :mod:`~pluecker.contact.world.world_file`.

        Args:
            path: of the file: constraints, as of :func:`~pluecker.contact.constraints.read_constraints`, shapes and pairs.
            model: the mechanism, whose bodies the file names.
            limits: whether position limits of the model's joints hold.

        Raises:
            ConstraintError: the file cannot be read or is no TOML; a table, a key or a value is not as it should be.
            TypeError, ValueError, KeyError: as World; the message names the file.

        Source: TOML 1.0, https://toml.io.

        Example:
            >>> import pathlib, tempfile
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World
            >>> builder = ModelBuilder()
            >>> builder.add_body("ball", mass=1.0)
            >>> builder.add_joint("rail", "prismatic", "world", "ball", axis=(0, 0, 1))
            >>> file = pathlib.Path(tempfile.mkdtemp(), "ball.toml")
            >>> lines = "half_space.floor.frame = 'world'", "sphere.skin = { radius = 0.1, frame = 'ball' }"
            >>> _ = file.write_text(chr(10).join(lines))
            >>> [collider.name for collider in World.from_file(file, builder.build()).found_contacts.collision.colliders]
            ['floor', 'skin']
        """
        found = read_world_file(path, as_model("World.from_file", model))
        try:
            return cls(model, found.constraints, limits=limits, **found.options)
        except PlueckerError as error:
            error.args = (f"{os.fspath(path)}: {error.args[0]}", *error.args[1:])
            raise

    def __reduce__(self) -> tuple[Any, ...]:
        found = {} if self.found_contacts is None else self.found_contacts.options()
        return made_again, (self.model, self.constraints, self.limits, {"accuracy": self.accuracy, **found})

    def __repr__(self) -> str:
        return f"World of model {self.model.name!r}: {len(self.constraints)} constraints, {self.n_rows} rows"

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
        return close_world(self, q, v, tol, fixed, time)

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
        return find_accelerations(self, q, v, tau, f_ext, time, threads)

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
        return find_impact(self, q, v, impulse, time, threads)

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
        return find_effort(self, q, v, a, f_ext, actuated, weights, time)

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
        return momentum_about(self, q, v, point)

    def start(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        time: float = 0.0,
        on_open: str = "raise",
        outside_limits: str = "raise",
    ) -> WorldState:
        """Begin a motion: check where it begins, and return the state that steps and simulations take and give back.

        Args:
            q, v: configuration and velocity, ``(..., nq)`` and ``(..., nv)``; at rest if v is None.
            time: of prescribed motions, at which it begins; s.
            on_open, outside_limits: what becomes of open constraints, and of q beyond position limits, as for
                :meth:`simulate`.

        Returns:
            The state, a tuple ``q, v, memory`` that has a ``time``.

        Raises:
            ValueError, TypeError: as :meth:`simulate`; ``time`` is below 0.

        Warns:
            LimitWarning: a velocity is above the model's ``velocity_limit``.

        Example:
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World
            >>> lift = ModelBuilder()
            >>> lift.add_body("cabin", mass=2.0)
            >>> lift.add_joint("shaft", "prismatic", parent="world", child="cabin", axis=(0, 0, 1))
            >>> world = World(lift.build())
            >>> state = world.start([0.0], [1.0])
            >>> for _ in range(10):
            ...     state = world.step(state, 0.01, tau=[2.0 * 9.81])
            >>> round(state.time, 6), state.q.round(6)
            (0.1, array([0.1]))
        """
        return start_world(self, q, v, time, on_open, outside_limits)

    def step(
        self,
        q: ArrayLike | WorldState,
        v: ArrayLike | None = None,
        step: float | None = None,
        *,
        tau: ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        on_open: str = "raise",
        memory: WorldMemory | None = None,
        outside_limits: str = "raise",
    ) -> WorldStep:
        """Make one step of the motion; :meth:`simulate` with one of them.

        ``state = world.step(state, h)`` goes on from a state of :meth:`start`, of a step, or of a motion. ``q, v, h`` begin
        a motion at time zero, with angles in (-pi, pi]; with ``memory=`` they go on.

        A step of one state that goes on costs Python some 15 microseconds beside the step itself. What begins a motion, a
        batch, wrenches from outside, ``on_open="close"`` and functions of yours go the way of :meth:`simulate`, which takes
        half a millisecond.

        Args:
            q, v: the state, ``(..., nq)`` and ``(..., nv)``; or a state, and nothing in the place of v.
            step: s.
            tau: joint forces during the step, ``(..., nv)``; none if None.
            f_ext: wrenches on the bodies in their coordinates, ``(..., n_bodies, 6)``.
            on_open: ``"close"`` lets open constraints in, see :meth:`simulate`.
            memory: what the step before gave, where q and v do not come as its state; None before the first one.
            outside_limits: of the first one, as for :meth:`simulate`.

        Returns:
            The state at the end of the step, a tuple ``q, v, memory``; its ``contacts`` are what touched, with forces.

        Raises:
            ValueError, TypeError: as :meth:`simulate`.
            SimulationError: there is no such step: constraints contradict each other, or cannot be met.

        Warns:
            SimulationWarning: there is no step from some states of a batch, which ``failures`` of the result names.
            MemoryWarning: q and v are the arrays that the last step gave, and the memory that is missing had come to a time
                that motions depend on, or had counted turns, or rates of rotors.

        Source: Moreau (1999).
        """
        return step_world(self, q, v, step, tau, f_ext, on_open, memory, outside_limits)

    def simulate(
        self,
        q: ArrayLike | WorldState,
        v: ArrayLike | None = None,
        duration: float | None = None,
        step: float | None = None,
        *,
        control: Any = None,
        f_ext: Any = None,
        elements: Element | Sequence[Element] = (),
        integrator: str = "semi_implicit",
        record: str | Iterable[str] = ("a", "tau"),
        every: int = 1,
        record_to: str | os.PathLike[str] | None = None,
        on_unsolved: str = "substep",
        on_open: str = "raise",
        tol: float = 1e-9,
        progress: Any = None,
        threads: int | None = None,
        memory: WorldMemory | None = None,
        outside_limits: str = "raise",
    ) -> WorldTrajectory:
        """Simulate the motion from the state ``q, v``; arguments that are not named here are those of :func:`simulate`.

        ``world.simulate(state, duration, step)`` goes on from a state of :meth:`start`, of a step, or of a motion.

        What goes with what. Smooth integrators are bdf1, bdf2, and rk4, dormand_prince, variational, linearly_implicit and
        redmax; further ones of :func:`simulate` know no constraints, and are refused:

        ==================================================  =============  ==========  ==============
        constraints                                         semi_implicit  bdf1, bdf2  other smooth
        ==================================================  =============  ==========  ==============
        joints, loops, gears, prescribed motions            yes            yes         yes
        springs and dampers on coordinates, ways, lengths   yes            yes         yes
        springs and dampers on angles that may turn around  yes            no          no
        soft limits and ropes without dampers               yes            yes         no
        limits and ropes, hard ones or with dampers         yes            no          no
        dry friction                                        yes            no          no
        motors, position drives                             yes            no          no
        point contacts, shapes                              yes            no          no
        ==================================================  =============  ==========  ==============

        Args:
            q, v: the state at the beginning, ``(..., nq)`` and ``(..., nv)``; or a state, and nothing in the place of v.
            duration, step: a whole number of steps; s.
            integrator: ``"semi_implicit"``, the step of worlds, of first order, which knows all rows; or a smooth one.
                ``"rk4"`` and ``"dormand_prince"``, of order four and five, and ``"linearly_implicit"`` and ``"redmax"``,
                which know no armature in maximal coordinates, bring q and v back onto the constraints after each step.
                ``"bdf1"`` and ``"bdf2"`` solve for the forces with which positions are on them; velocities are to the
                order of the method, as behind springs of rising stiffness.
                ``"variational"`` has both, keeps momenta, and makes no trend of energy. In a singular position, where
                constraints say the same that are independent elsewhere, a motion goes on along the branch to which its
                velocity is a tangent; variational steps that begin next to one may have to be divided, by
                ``on_unsolved="substep"``.
            record: also ``"constraint_forces"``, along the rows of all constraints, a column ``(..., n, n_rows)``: of
                ``"semi_implicit"`` their mean over the step behind a sample, like ``a``; N or N m. With it come contacts
                that are found; of a step that is divided those of its last piece.
            on_unsolved: as for :func:`simulate`; unless told otherwise a step that is not solved is divided, into 32 at
                most, and marked in ``columns["divided"]``.
            on_open: what becomes of a state at the beginning in which constraints that hold are open, by more than a
                hundredth of a metre or radian: ``"raise"``, or ``"close"``: the first step moves the bodies to where they
                hold, the nearest way in the metric of the masses; velocities have no part in that. Less is closed always.
            memory: of a simulation or a step before, from which this one goes on, also in time: both together give
                the same numbers, to the last bit, as one simulation of both.
            outside_limits: what happens where q is beyond a position limit of the model's, as for :func:`simulate`; a motion
                that goes on from a memory begins where it is.

        Returns:
            A trajectory, with the ``state`` at its end; ``singular_times`` say when it was in a singular position. Of a
            batch of which motions failed, as for :func:`simulate`, the memory has these as they were last.

        Raises:
            ValueError, TypeError: as :func:`simulate`; the memory is of another world, or does not fit the state.
            ConstraintError: a constraint is open at the beginning; the message names it and :meth:`close`.
            SimulationError: the motion cannot be followed to its end; the message says at what time, and which constraints
                contradict each other, ``trajectory`` has what was computed until then.

        Warns:
            MemoryWarning: as :meth:`step`.

        Example:
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World, constraints
            >>> free = ModelBuilder()
            >>> free.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
            >>> free.add_joint("bob", "free", parent="world", child="bob")
            >>> world = World(free.build(), [constraints.Ball("hook", ("world", (0, 0, 0)), ("bob", (0, 0, 1)))])
            >>> swing = world.simulate([0, 0, -1.0, 1, 0, 0, 0], [0.1, 0, 0, 0, 0.1, 0], 0.01, 0.001, integrator="rk4")
            >>> bool(world.errors_at(swing.q).bilateral.max() < 1e-12)
            True

        Source: Moreau (1999); Eich (1993); Gear, Gupta, Leimkuhler (1985); Andersen (1983).
        """
        options = {
            "control": control, "f_ext": f_ext, "record": record, "every": every, "record_to": record_to,
            "on_unsolved": on_unsolved, "on_open": on_open, "tol": tol, "progress": progress, "threads": threads,
        }  # fmt: skip
        return simulate_world(self, q, v, duration, step, integrator, elements, memory, outside_limits, options)

    @property
    def connections(self) -> tuple[Lines, ...]:
        """Lines between bodies that pictures show: joints, rods, springs as coils, ropes, dashed while they are slack.

        Example:
            >>> from pluecker.articulated import ModelBuilder, plot_mechanism
            >>> from pluecker.contact import World, constraints
            >>> builder = ModelBuilder()
            >>> builder.add_body("bob", mass=1.0)
            >>> builder.add_joint("rail", "prismatic", parent="world", child="bob", axis=(0, 0, 1))
            >>> world = World(builder.build(), [constraints.Rope("rope", ("world", (0, 0, 1)), "bob", length=1.2)])
            >>> [lines.label for lines in world.connections]
            ['ropes, dashed while slack']
            >>> axes = plot_mechanism(world.model, overlays=world.connections)  # doctest: +SKIP
        """
        return self.once(connections_of)

    def overlays(self, trajectory: Trajectory) -> tuple[Overlay, ...]:
        """Make the overlays of one motion: :attr:`connections`, the axes of the frames of constraints, their forces.

        :meth:`simulate` gives its trajectory these where ``"constraint_forces"`` is recorded, else the connections alone,
        for :func:`~pluecker.articulated.animate`, :func:`~pluecker.articulated.view` and others. Forces are those on the
        body of a constraint's second frame; the longest arrow of all samples has three tenths of the mechanism's reach, and
        the legend says how many newtons it stands for. Of contacts these are points, by what each does, normals, forces on
        the body of the higher number, and cones of friction.

        Args:
            trajectory: one motion of this world, with q, and with the column ``constraint_forces`` if forces are wanted.

        Raises:
            TypeError, ValueError: it is no trajectory, or a batch of motions.
        """
        return overlays_of(self, trajectory)

    @called("World.maximal")
    def maximal(self, reference: ArrayLike | None = None) -> Maximal[World]:
        """Make the world in maximal coordinates: each body free, each joint a constraint under the joint's name.

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
        free = free_parts(self, reference)
        world = type(self)(free.model, free.constraints, limits=self.limits, accuracy=self.accuracy, **free.options)
        return Maximal(world, self, free.reference, free.shapes, free.coordinates)


def made_again(model: Model, constraints: tuple[Any, ...], limits: bool, options: dict[str, Any]) -> World:
    """A world from what it is made of: of a copy all of that is copied together, the model of its shapes too."""
    return World(model, constraints, limits=limits, **options)
