"""A world: a mechanism and constraints on it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import Lines, Overlay
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.rows.joint_rows import joint_rows
from pluecker.contact.world.arguments import checked, parts_of
from pluecker.contact.world.called import called
from pluecker.contact.world.found_contacts import as_found_contacts
from pluecker.contact.world.handle import JOINTS, ConstraintHandle
from pluecker.contact.world.instants import Instants
from pluecker.contact.world.memory import WorldMemory
from pluecker.contact.world.overlays import connections_of, overlays_of
from pluecker.contact.world.pairs import pair_contacts
from pluecker.contact.world.simulation import WorldStep, WorldTrajectory, simulate_world, step_world
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, UnknownNameError, shown
from pluecker.spatial.properties import cached_property

if TYPE_CHECKING:
    from pluecker.contact.world.maximal import Maximal

__all__ = ["World"]


@by_value("model", "constraints", "limits", "found_contacts")
class World(Instants):
    """A mechanism and constraints on it, in any mixture of reduced and maximal coordinates.

    A world is immutable. Its state is ``(q, v)``, as of its model. A body on a free joint is in maximal coordinates, a body
    on a tree in reduced ones; constraints hold frames of bodies, of any two, and coordinates. Each constraint is a few rows,
    on which it has forces; the rows of all are counted in the order in which the constraints were given, and those of the
    model's own joints, dry friction and limits, come last.

    Worlds are equal, and hash alike, if model, constraints and shapes are; they can be copied and pickled.

    Args:
        model: the mechanism.
        constraints: records of :mod:`pluecker.contact.constraints`, each with a name of its own.
        limits: whether position limits of the model's joints hold.
        shapes: what may touch: records of :class:`~pluecker.contact.geometry.Collider`, or a
            :class:`~pluecker.contact.geometry.Collision` on this model, which says more about who ignores whom. Contacts are
            found in each step, however many there are, and steps are those of one state. Shapes of one body, of a body and
            the one that carries it, and of groups that ignore each other do not touch; the world carries nobody.
        pairs: names of two shapes each: then only these touch, and each pair is a constraint,
            :class:`~pluecker.contact.geometry.ShapeContact`, after the others, called ``"first/second"``, whatever their
            groups. Such steps are compiled, and go in batches.
        law: of contacts that are found, and of point contacts beside them: ``ncp``, Coulomb's, or ``ccp``, ``lcp``,
            ``frictionless``, as for :func:`~pluecker.contact.solve`. Where none are found all contacts have Coulomb's.
        impacts: of contacts that are found, and of pairs: ``"newton"``, or ``"poisson"``, by which no impact of one contact
            gains energy with friction; see :class:`~pluecker.contact.constraints.PointContact`.
        recovery: at which rate depths of contacts are undone, at most all of them in a step; 1/s. Where contacts are
            found, shapes that joints or walls hold in one another are parted only as far as these let them.
        recovery_speed: the largest speed at which they are undone; m/s, may be infinite.
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
        impacts: str = "newton",
        recovery: float = 10.0,
        recovery_speed: float = 1.0,
        accuracy: float = 1e-5,
    ) -> None:
        self.model = as_model("World", model)
        fixed = () if pairs is None else pair_contacts(shapes, pairs, law, recovery, recovery_speed, impacts)
        self.constraints = checked((*checked(constraints), *fixed))
        if not isinstance(limits, (bool, np.bool_)):
            raise ArgumentTypeError(f"World: limits is a {type(limits).__name__}, expected True or False")
        self.limits = bool(limits)
        named = any(isinstance(each, ShapeContact) for each in self.constraints)
        self.found_contacts = as_found_contacts(
            self.model, shapes, law, impacts, recovery, recovery_speed, accuracy, named, pairs is not None
        )
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
        """Read a robot from a URDF file, with constraints, which URDF cannot say.

        Args:
            path_or_text: path of a file, or the XML itself.
            constraints: a TOML file, as of :meth:`from_file`, or records.
            limits: whether position limits of the robot's joints hold.
            options: of :meth:`Model.from_urdf`.

        Raises:
            ModelError, ConstraintError: a file cannot be read, or does not describe such a thing.
            MissingExtraError: yourdfpy is not installed.
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
        from pluecker.contact.world.world_file import read_world_file

        found = read_world_file(path, as_model("World.from_file", model))
        try:
            return cls(model, found.constraints, limits=limits, **found.options)
        except PlueckerError as error:
            error.args = (f"{os.fspath(path)}: {error.args[0]}", *error.args[1:])
            raise

    def __reduce__(self) -> tuple[Any, ...]:
        found = self.found_contacts
        return made_again, (self.model, self.constraints, self.limits, {} if found is None else found.options())

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

    def __repr__(self) -> str:
        return f"World of model {self.model.name!r}: {len(self.constraints)} constraints, {self.n_rows} rows"

    @called("World.maximal")
    def maximal(self, reference: ArrayLike | None = None) -> Maximal:
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
        from pluecker.contact.world.making_maximal import make_maximal

        return make_maximal(self, reference)

    # ----------------------------------------------------------------------------------------------------------- a motion

    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        step: float,
        *,
        tau: ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        on_open: str = "raise",
        memory: WorldMemory | None = None,
        outside_limits: str = "raise",
    ) -> WorldStep:
        """Make one step of the motion; :meth:`simulate` with one of them.

        Args:
            q, v: the state, ``(..., nq)`` and ``(..., nv)``.
            step: s.
            tau: joint forces during the step, ``(..., nv)``; none if None.
            f_ext: wrenches on the bodies in their coordinates, ``(..., n_bodies, 6)``.
            on_open: ``"close"`` lets open constraints in, see :meth:`simulate`.
            memory: what the step before gave; None before the first one.
            outside_limits: of the first one, as for :meth:`simulate`.

        Returns:
            q and v at the end of the step, and the memory for the next one; ``step.contacts`` has what touched, with forces.

        Raises:
            ValueError, TypeError: as :meth:`simulate`.
            SimulationError: there is no such step: constraints contradict each other, or cannot be met.

        Source: Moreau (1999).
        """
        return step_world(self, q, v, step, tau, f_ext, on_open, memory, outside_limits)

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
        on_open: str = "raise",
        tol: float = 1e-9,
        progress: Any = None,
        threads: int | None = None,
        memory: WorldMemory | None = None,
        outside_limits: str = "raise",
    ) -> WorldTrajectory:
        """Simulate the motion from the state ``q, v``; arguments that are not named here are those of :func:`simulate`.

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
            q, v: the state at the beginning, ``(..., nq)`` and ``(..., nv)``.
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
            on_open: what becomes of a state at the beginning in which constraints that hold are open, by more than a
                hundredth of a metre or radian: ``"raise"``, or ``"close"``: the first step moves the bodies to where they
                hold, the nearest way in the metric of the masses; velocities have no part in that. Less is closed always.
            memory: of a simulation or a step before, from which this one goes on, also in time: both together give
                the same numbers, to the last bit, as one simulation of both.
            outside_limits: what happens where q is beyond a position limit of the model's, as for :func:`simulate`; a motion
                that goes on from a memory begins where it is.

        Returns:
            A trajectory, with ``memory``; its ``singular_times`` say when it was in a singular position.

        Raises:
            ValueError, TypeError: as :func:`simulate`; the memory is of another world, or does not fit the state.
            ConstraintError: a constraint is open at the beginning; the message names it and :meth:`close`.
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
            >>> bool(world.errors_at(swing.q).bilateral.max() < 1e-12)
            True

        Source: Moreau (1999); Eich (1993); Gear, Gupta, Leimkuhler (1985); Andersen (1983).
        """
        return simulate_world(
            self, q, v, duration, step, integrator=integrator, memory=memory, control=control, f_ext=f_ext,
            elements=elements, record=record, every=every, record_to=record_to, on_unsolved=on_unsolved, on_open=on_open,
            tol=tol, progress=progress, threads=threads, outside_limits=outside_limits,
        )  # fmt: skip

    @cached_property
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
        return connections_of(self)

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


def made_again(model: Model, constraints: tuple[Any, ...], limits: bool, options: dict[str, Any]) -> World:
    """A world from what it is made of: of a copy all of that is copied together, the model of its shapes too."""
    return World(model, constraints, limits=limits, **options)
