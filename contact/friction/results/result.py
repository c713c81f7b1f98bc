"""Result of a solver: multipliers, velocities, errors and status, and the work that each method did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.arguments import as_number
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.results.measures import Errors
from pluecker.contact.friction.results.states import Blocks, states_of
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array

__all__ = ["CONVERGED", "LIMIT", "STALLED", "UNSOLVED", "Part", "Result", "Stage", "is_converged", "judge"]

CONVERGED, LIMIT, STALLED, UNSOLVED = "converged", "iteration limit", "stalled", "no solution found"

UNSOLVED_ABOVE = 0.1  # an error that is no approximation
# Of a contact that sticks, the map of a cone has all of u_t, that of a polygon with eta directions only lambda and the slack
# of two directions: a velocity up to 2^(1/2) times as large (eta = 4) has the same error. What is left is for rounding.
POLYGON = 2.0


def is_converged(errors: Errors, tol: float) -> bool:
    """Return whether the natural map is at most tol, and the error in velocity at most tol times the largest velocity."""
    return errors.largest <= tol


def judge(errors: Errors, tol: float, stopped: int | None) -> tuple[str, str]:
    """Return the status, and a sentence where it is not ``converged``; ``stopped``: iterations made, if at their limit."""
    if is_converged(errors, tol):
        return CONVERGED, ""
    if errors.natural_map <= tol:
        what = f"the error in velocity is {errors.relative_velocity:.1e} of the largest velocity, above {tol:.1e}"
    else:
        what = f"natural map {errors.natural_map:.1e} is above {tol:.1e}"
    if not errors.largest < UNSOLVED_ABOVE:
        return UNSOLVED, f"{what}: the law may have no solution for these data, or more iterations are needed"
    if stopped is not None:
        return LIMIT, f"{what}: stopped after {stopped} iterations"
    return STALLED, f"{what}: no further progress"


@dataclass(frozen=True)
class Stage:
    """A part of the work that one method did.

    Attributes:
        method: its name.
        iterations: how many it took, of the island that took most.
        error: what tolerances refer to, :attr:`Errors.largest`, after it, the largest of all islands. Where bilateral rows
            are eliminated, that of the problem that is left, multiplied by one number so that the last one is that of all
            rows.
        time: in seconds, of all islands together.
    """

    method: str
    iterations: int
    error: float
    time: float


class Part(NamedTuple):
    """Work of one method on consecutive islands.

    Attributes:
        method: its name.
        islands: which ones.
        iterations: of each.
        errors: of each, afterwards.
        time: of all, in seconds.
    """

    method: str
    islands: slice
    iterations: Array
    errors: Array
    time: float


@by_value()
@dataclass(frozen=True, eq=False)
class Result:
    """Multipliers, the velocities that belong to them, and how good they are.

    Attributes:
        multipliers: r, ``(m,)``, N s; the best that were met.
        velocity: u = N r + b, ``(m,)``, m/s, without what De Saxce's correction adds.
        law: the law that was solved.
        method: the method that was asked for.
        status: ``converged`` if and only if the natural map is not above the tolerance, and the error in velocity not above
            the tolerance times the largest velocity; otherwise ``iteration limit``, ``stalled`` (rounding, or no progress)
            or ``no solution found``.
        errors: all errors, for the law, see :mod:`~pluecker.contact.friction.results.measures`.
        tol: the error that was asked for.
        iterations: of all methods that took part, of the island that needed most; those on some of its contacts count by the
            share that these are of all.
        products: products of the operator with a vector, of the island that needed most; those of methods that factorise
            a matrix in each iteration are not counted.
        islands: parts of the problem that do not touch one another.
        time: in seconds, the preparation included.
        stages: what each method did, in the order in which they began.
        history: with ``history=True``, the error after each iteration, ``(k, 2)``: seconds, and the best error so far, the
            largest of all islands, relative to their own velocities, when each has done so many iterations. The time
            of a method is shared out evenly over its iterations. Where bilateral rows are eliminated, errors are those of
            the problem that is left, multiplied as those of stages are. Methods for complementarity problems tell the error
            that they go by, the natural map of :func:`~pluecker.contact.friction.lcp.solve_lcp.solve_lcp`, which may end
            above the tolerance; Lemke's tells nothing.
        message: one sentence on what happened, for people.
        blocks: the data of the problem that :meth:`contact_states` needs.
    """

    multipliers: Array
    velocity: Array
    law: str
    method: str
    status: str
    errors: Errors
    tol: float
    iterations: int
    products: int
    islands: int
    time: float
    stages: tuple[Stage, ...] = ()
    history: Array | None = None
    message: str = field(default="")
    blocks: Blocks | None = field(default=None, repr=False)

    @property
    def converged(self) -> bool:
        """True if the status is ``converged``."""
        return self.status == CONVERGED

    def contact_states(self, *, tol: float | None = None) -> NDArray[np.str_]:
        """Return the state of each contact: ``open``, ``sticking``, ``sliding`` or ``undetermined``, ``(K,)``.

        Args:
            tol: up to which a velocity, or what an impulse changes of it, is none, relative to the largest velocity, see
                :mod:`~pluecker.contact.friction.results.states`; :attr:`state_tol` unless given.

        Raises:
            ArgumentTypeError: tol is no number.
            ProblemError: tol is negative or not finite, or the result was not made by ``solve``.

        Source: source documents 000 and 004 (docs/sources.md), the three states of a contact.

        Example:
            >>> from pluecker.contact import Problem, solve
            >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
            >>> solve(sliding).contact_states().tolist()
            ['sliding']
        """
        chosen = (
            self.state_tol if tol is None else as_number("tol", tol, "a number that is not negative", 0.0, zero=True)
        )
        if self.blocks is None:
            raise ProblemError("contact_states: this result does not know its problem, it was not made by solve")
        return states_of(self.blocks, self.multipliers, self.velocity, chosen)

    @property
    def state_tol(self) -> float:
        """The tolerance of :meth:`contact_states`: what was asked for, or twice the error in velocity, if larger."""
        return max(self.tol, POLYGON * self.errors.relative_velocity)

    @property
    def has_bilateral(self) -> bool:
        """True if there are rows without bounds."""
        K = None if self.blocks is None else self.blocks.sets
        return K is not None and bool((np.isneginf(K.lower) & np.isposinf(K.upper)).any())

    def __str__(self) -> str:
        errors = self.errors
        lines = [
            f"{self.status}: law {self.law}, method {self.method}",
            f"natural map {errors.natural_map:.2e} (tolerance {self.tol:.1e}), "
            f"cone violation {errors.cone_violation:.1e}, "
            f"Signorini {errors.signorini:.1e}, dissipation {errors.dissipation:.1e}, duality gap {errors.duality_gap:.1e}",
            f"error in velocity {errors.velocity:.2e} m/s, the largest velocity {errors.speed:.2e} m/s",
            *([f"bilateral rows {errors.bilateral:.1e} (m/s, rad/s)"] if self.has_bilateral else []),
            f"{self.iterations} iterations, {self.products} products, {self.islands} islands, {1e3 * self.time:.3g} ms",
        ]
        return "\n".join([*lines, self.message] if self.message else lines)
