"""Algorithms run for a world, whose constraints may call functions of Python's, and the errors that explain refusals.

Errors begin with the function that the user called. An angle that bodies do not determine is one of them: in gimbal lock the
direction of a TURN is in line with its axis. The angle phi of d_2 about d_1 has the rate

    dphi/dt = (w_2 - w_1) . (d_1 - (d_1 . d_2) d_2) / sin^2 a         a the angle between d_1 and d_2

which has no limit at a = 0: in line, each phi belongs to the same place of both bodies. So it is with the first and the
third of three Euler angles in gimbal lock. A joint of a model goes through it, as its angles are the state, and what they
carry (rotors, springs, dampers) is defined; of free bodies the state does not say which angles there are behind it. Beyond,
``(phi_1, phi_2, phi_3)`` and ``(phi_1 + pi, -phi_2, phi_3 - pi)``, angles from in line, are the same place: springs on
phi_1 and phi_3 have two energies there.

Source: R. Murray, Z. Li, S. Sastry, *A Mathematical Introduction to Robotic Manipulation* (1994), section 2.2.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

import pluecker.articulated
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import axes_in_world
from pluecker.contact.constraints.records.user import refuse_broken_functions
from pluecker.contact.constraints.relation import TURN
from pluecker.contact.errors import ConstraintError, UnsolvedError
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.spatial.engine.parallel.callbacks import callbacks
from pluecker.spatial.errors import ArgumentValueError, PlueckerError, shown

__all__ = ["axes_in_line", "called", "levels_outside", "refuse_contacts", "refuse_gimbal_lock", "run", "run_on_rows"]

F = TypeVar("F", bound=Callable[..., Any])
NONE = 1e-150  # sines whose squares are nothing


def run(world: Constrained, algorithm: Algorithm, inputs: tuple[Any, ...], threads: int | None = None) -> Any:
    """Run an algorithm for a world; exceptions of the users' functions are raised."""
    if not world.calls_python:
        return algorithm.call(world.smooth, inputs, None, threads, (world.packed,))
    with callbacks():
        return algorithm.call(world.smooth, inputs, None, threads, (world.packed,))


def run_on_rows(
    world: Constrained, algorithm: Algorithm, inputs: tuple[Any, ...], threads: int | None
) -> tuple[Array, ...]:
    """An algorithm that gives coordinates of the model, numbers of rows, and what else it gives."""
    with called(algorithm.name):
        try:
            motion, rows, *more = run(world, algorithm, inputs, threads)
        except ArgumentValueError:
            q = inputs[[field.name for field in algorithm.inputs].index("q")]
            refuse_broken_functions(world.model, world.parts, q)
            refuse_gimbal_lock(world, algorithm.name, q)
            raise
        except UnsolvedError as error:
            error.args = (f"{error}; they are those of {names_of_ranged(world)}", *error.args[1:])
            raise
    return motion, rows[..., world.packed.place], *more


class called:
    """Context manager, or decorator, in which messages of errors begin with this name instead of another function's.

    What NumPy's factorisations refuse is refused in the same way: matrices whose numbers are not finite.
    """

    def __init__(self, function: str) -> None:
        self.function = function

    def __call__(self, function: F) -> F:
        """Decorate a function; where nothing is raised, that takes no time, which a context does."""

        @wraps(function)
        def inner(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except (PlueckerError, np.linalg.LinAlgError) as error:
                self.__exit__(type(error), error, error.__traceback__)
                raise

        return cast(F, inner)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, PlueckerError) and error.args:
            said = str(error.args[0])
            name, _, rest = said.partition(": ")
            another = name.split(".")[0] == "World" or name in pluecker.articulated.__all__
            error.args = (f"{self.function}: {rest if another else said}", *error.args[1:])
        if isinstance(error, np.linalg.LinAlgError):
            raise ConstraintError(
                f"{self.function}: the numbers overflow float64, or inertias differ by more than it has digits: a matrix "
                f"has no factors ({error}); expected masses, lengths and velocities nearer to one"
            ) from error


def levels_outside() -> int:
    """Count the frames from the caller to the first outside of the package: ``stacklevel`` of a warning that it raises."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pluecker":
        frame, level = frame.f_back, level + 1
    return level


# ----------------------------------------------------------------------------------------------------------------- refusals


def refuse_contacts(world: Constrained, method: str) -> None:
    """Refuse contacts, which have impulses in steps, and no forces at an instant."""
    if world.packed.n_contacts or world.found_contacts is not None:
        found = world.found_contacts
        touching = ["shapes"] if found is not None and found.collision.colliders else []
        touching += [
            name for name, part in zip(world.names, world.parts, strict=False) if any(row.contact for row in part.rows)
        ]
        raise ConstraintError(
            f"World.{method}: contacts act in steps, by World.step and World.simulate; there are {', '.join(touching)}"
        )


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


def refuse_gimbal_lock(world: Constrained, function: str, q: ArrayLike, least: float = NONE) -> None:
    """Refuse configurations ``(..., nq)`` in one of which an angle has no rate: the sine between axes is below ``least``.

    Raises:
        ConstraintError: there is such an angle.
    """
    with np.errstate(over="ignore"):  # of numbers of other types, which are refused elsewhere
        states = np.asarray(q, dtype=np.float64)
    if states.shape[-1:] != (world.model.nq,) or not any(
        f.kind == TURN for part in world.parts for f in part.functions
    ):
        return
    for one in states.reshape(-1, world.model.nq):
        try:
            found = axes_in_line(world, one, least)
        except PlueckerError:
            return  # the configuration itself is wrong
        if found is not None:
            raise ConstraintError(f"{function}: {found}")


def names_of_ranged(world: Constrained) -> str:
    """List the names of the constraints that have limits, dry friction, motors or contacts; the model's joints last."""
    names = [shown(name) for name in world.names] + ["the model's joints"]
    return ", ".join(
        name for name, part in zip(names, world.parts, strict=True) if any(row.ranged for row in part.rows)
    )
