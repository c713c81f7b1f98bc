"""One call simulates a mechanism: under any control, by any integrator, one motion or a batch of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.follow_motion import follow_motion
from pluecker.articulated.simulation.integrators import as_integrator, knowing_rows
from pluecker.articulated.simulation.preparation import Options, Preparation, kept_with, prepare_motion
from pluecker.articulated.simulation.starts import hard_limits
from pluecker.articulated.stepping.control.control import JointLimits
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import ROWS, number_of, pack_scenario
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = ["simulate"]

F = TypeVar("F", bound=Callable[..., Any])


def for_worlds_too(function: F) -> F:
    """Decorate ``simulate``: what is made of a model, such as a world, has a method of this name, called instead."""

    @wraps(function)
    def simulate(model: Any, *arguments: Any, **options: Any) -> Any:
        return (model.simulate if hasattr(type(model), "__model__") else partial(function, model))(
            *arguments, **options
        )

    return cast(F, simulate)


@for_worlds_too
def simulate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    duration: float,
    step: float,
    *,
    control: Any = None,
    f_ext: Any = None,
    elements: Element | Sequence[Element] = (),
    limits: JointLimits | bool | None = None,
    outside_limits: str = "raise",
    integrator: str | Integrator = "semi_implicit",
    record: str | Iterable[str] = ("a", "tau"),
    every: int = 1,
    record_to: str | os.PathLike[str] | None = None,
    on_unsolved: str = "raise",
    tol: float = 1e-9,
    progress: Any = None,
    threads: int | None = None,
) -> Trajectory:
    """The motion of a mechanism from the state ``q, v``.

    The loop over steps is compiled, once for all integrators, and calls their steps, whatever the control: only a function
    of Python's is asked from outside, once for each period of control. A batch runs eight motions at a time and on all
    cores; what may differ from motion to motion, with leading axes that broadcast, are q, v, constant joint forces, tables
    of anything, the gains, references and feedforward of a :class:`PDControl`, the parameters of a
    :class:`CompiledControl`, and wrenches. What belongs to the mechanism is the same in all: elements, limits, actuators,
    the period of control. Ctrl-C ends the simulation, with a warning; what was computed is given back.

    Integrators that know no dry friction refuse models with it, and limits that are asked for.

    Args:
        model: the mechanism; with a :class:`~pluecker.contact.World` this is :meth:`pluecker.contact.World.simulate`.
        q, v: the state at the beginning, ``(..., nq)`` and ``(..., nv)``.
        duration: a whole number of steps; s.
        step: s.
        control: None, constant joint forces ``(..., nv)``, a :class:`TimeTable` of them, a :class:`PDControl`, a
            :class:`CompiledControl`, a function ``(t, q, v)`` that gives joint forces, or a :class:`Control` with one of
            these, a period, limits, and actuators.
        f_ext: wrenches on the bodies in their coordinates, ``(..., n_bodies, 6)``, or a :class:`TimeTable` of them.
        elements: springs, cables and wrenches, as for :func:`applied_forces`.
        limits: whether position limits of joints hold, or how they are met; if None they do, hard and without
            restitution, where the integrator knows them.
        outside_limits: what happens where q is beyond a hard position limit that holds: ``"raise"``; ``"allow"``, to begin
            there, from where the joint may only come nearer; ``"clip"``, to begin at the limit. What is beyond by rounding,
            1.2e-7 of it or of 1, begins there.
        integrator: ``"semi_implicit"``, first order, with dry friction and limits; ``"rk4"``; ``"linearly_implicit"``,
            ``"bdf1"`` and ``"bdf2"`` for stiff springs; ``"variational"``, which keeps momenta and has no trend
            in energy; ``"dormand_prince"``, with dry friction and limits, and ``"dop853"``, without, divide steps as ``tol``
            asks for; ``"euler"``, ``"euler_infinitesimal"``, ``"redmax"`` for comparison.
        record: what to keep besides q and v: ``"a"``, ``"tau"``, ``"energy"`` (columns ``kinetic_energy`` and
            ``potential_energy``, springs included; J), ``"momentum"`` (about the world's origin), ``"center_of_mass"``,
            ``"error"`` (that was left in the steps since the last sample, as a share of what is tolerated), and names of
            frames, for their placements ``(..., n, 4, 4)``, where no quantity has that name. With dry friction or position
            limits ``a`` is the mean of the step behind it.
        every: steps from one sample to the next; the last state is a sample as well.
        record_to: a new folder; samples go to files in it, ``q.npy`` and so on, in constant memory, and the trajectory reads
            from them. At any time all files are whole and of one length. In the name of a frame's file ``%XX`` stands for
            what means something in paths.
        on_unsolved: what happens where a step leaves an error above what is tolerated: ``"raise"``; ``"continue"``, with
            ``columns["error"]`` above 1 there; ``"substep"`` divides it, into 32 at most, and goes on, with
            ``columns["divided"]``: the largest number of pieces of a step since the sample before, 1 for none. Where that
            is of no use, or numbers overflow, one motion ends with an error. Of a batch, unless it is ``"raise"``, the
            others go on: the one that failed is NaN behind its last sample, and in ``failures`` of the trajectory.
        tol: of integrators that divide steps, relative to the coordinates and absolute, above 0.
        progress: True for a bar, or a function that is given the numbers of the samples and gives them back one by one.
        threads: how many share a batch, at least 1; all cores if None.

    Returns:
        A trajectory with ``time`` ``(n,)``, ``q`` ``(..., n, nq)``, ``v``, and what was asked for, joint forces and
        accelerations as ``tau`` and ``a``, the rest as columns; ``failures`` names motions of a batch that came to no end.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a wrong shape, a number that is not finite, a quaternion that is not of unit length, a step or a duration
            that is not above 0, an option that is not known, a start outside of position limits.
        SimulationError: the motion cannot be followed to its end, or its samples cannot be written; the message says at what
            time, or how many the files hold, and ``trajectory`` has what was computed until then.

    Warns:
        LimitWarning: a velocity at the beginning is above the model's ``velocity_limit``, or joint forces that are constant
            or in a table are above its ``effort_limit``.
        SimulationWarning: Ctrl-C, or motions of a batch failed while the others went on.

    Example:
        >>> from pluecker.articulated import ModelBuilder, simulate
        >>> lift = ModelBuilder()
        >>> lift.add_body("cabin", mass=2.0)
        >>> lift.add_joint("shaft", "prismatic", parent="world", child="cabin", axis=(0, 0, 1))
        >>> rise = simulate(lift.build(), q=[0.0], v=[0.0], duration=1.0, step=0.001, control=[2.0 * 9.81 + 4.0])
        >>> rise.q[-1].round(3), rise.v[-1].round(9)
        (array([1.001]), array([2.]))

    Source: RBDA section 3.1; Hairer, Lubich and Wanner (2006), section I.1.2.
    """
    as_model("simulate", model)
    options = Options(control, f_ext, elements, record, every, on_unsolved, tol, threads)

    def choose(springs: tuple[Element, ...]) -> Dynamics:
        chosen = as_integrator(model, integrator)
        held = chosen.takes_rows if limits is None else limits
        if held is not False and not chosen.takes_rows:
            raise ArgumentValueError(
                f"simulate: limits is {shown(held)}, and {chosen.name} knows none; use {knowing_rows()}, or limits=False"
            )
        scenario = as_scenario(model, springs, held)
        by_loop = chosen.takes_rows and number_of(ROWS, scenario) > 0
        stiffness = held.stiffness if isinstance(held, JointLimits) else np.inf if held else 0.0
        return Dynamics(
            chosen.serving(model, scenario), scenario, by_loop=by_loop, limits=hard_limits(model, stiffness)
        )

    def prepare(shapes: dict[str, tuple[int, ...]]) -> Preparation:
        arguments = duration, step, integrator, limits, *options
        make = partial(prepare_motion, model, shapes, duration, step, choose, options)
        return kept_with(model, arguments, tuple(shapes.values()), make)

    trajectory, _ = follow_motion(
        model, q, v, prepare, record_to=record_to, progress=progress, outside_limits=outside_limits
    )
    return trajectory


def as_scenario(model: Model, springs: tuple[Element, ...], limits: Any) -> Array:
    """Elements and rows as the loop reads them."""
    if isinstance(limits, JointLimits):
        options = {name: getattr(limits, name) for name in ("restitution", "stiffness", "damping")}
        for name, values in options.items():
            if values.shape not in ((), (model.nv,)):
                raise ArgumentValueError(
                    f"simulate: {name} of limits has shape {values.shape}, expected a number or ({model.nv},)"
                )
        return pack_scenario(model, springs, options)
    if not isinstance(limits, (bool, np.bool_)):
        raise ArgumentTypeError(
            f"simulate: limits is a {type(limits).__name__}, expected JointLimits, True, False or None"
        )
    return pack_scenario(model, springs, {"limits": bool(limits)})
