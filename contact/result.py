"""What a solver returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from pluecker.contact.measures import Errors
from pluecker.spatial.elementwise import Array

__all__ = ["CONVERGED", "LIMIT", "STALLED", "UNSOLVED", "Result", "Stage", "doubt"]

CONVERGED, LIMIT, STALLED, UNSOLVED = "converged", "iteration limit", "stalled", "no solution found"

DOUBTFUL = 1e-3  # a scaled map that deserves a word


def doubt(errors: Errors, tolerance: float) -> str:
    """What to say where the natural map is small because of its units; nothing otherwise."""
    if errors.scaled_map <= max(DOUBTFUL, tolerance):
        return ""
    size = f"{errors.scaled_map:.1e}"
    return f"with forces and velocities in alike units the natural map is {size}: ask for a smaller tolerance"


@dataclass(frozen=True)
class Stage:
    """A part of the work that one method did.

    Attributes:
        method: its name.
        iterations: how many it took, the largest number of all islands.
        error: the natural map after it.
        time: in seconds.
    """

    method: str
    iterations: int
    error: float
    time: float


@dataclass(frozen=True, eq=False)
class Result:
    """Multipliers, the velocities that belong to them, and how good they are.

    Attributes:
        multipliers: r, ``(m,)``, N s; the best that were met.
        velocity: u = N r + b, ``(m,)``, m/s, without what De Saxce's correction adds.
        law: the law that was solved.
        method: the method that was asked for.
        status: ``converged`` if and only if the natural map is not above the tolerance; otherwise ``iteration limit``,
            ``stalled`` (rounding, or no progress) or ``no solution found``.
        errors: all errors, for the law, see :mod:`~pluecker.contact.measures`.
        tolerance: the natural map that was asked for.
        iterations: of all methods that took part, of the island that needed most.
        products: products of the operator with a vector, of the island that needed most.
        islands: parts of the problem that do not touch one another.
        time: in seconds, the preparation included.
        stages: what each method did, in turn.
        history: with ``history=True``, the error after each iteration, ``(k, 2)``: seconds, and the best natural map so far.
            Times inside a stage are shared out evenly over its iterations.
        message: one sentence on what happened, for people.
    """

    multipliers: Array
    velocity: Array
    law: str
    method: str
    status: str
    errors: Errors
    tolerance: float
    iterations: int
    products: int
    islands: int
    time: float
    stages: tuple[Stage, ...] = ()
    history: Array | None = None
    message: str = field(default="")

    @property
    def converged(self) -> bool:
        """Whether the natural map is not above the tolerance."""
        return self.status == CONVERGED

    def __str__(self) -> str:
        errors = self.errors
        lines = [
            f"{self.status}: law {self.law}, method {self.method}",
            f"natural map {errors.natural_map:.2e} (tolerance {self.tolerance:.1e}), "
            f"cone violation {errors.cone_violation:.1e}, "
            f"Signorini {errors.signorini:.1e}, dissipation {errors.dissipation:.1e}, duality gap {errors.duality_gap:.1e}, "
            f"scaled map {errors.scaled_map:.1e}",
            f"{self.iterations} iterations, {self.products} products, {self.islands} islands, {1e3 * self.time:.3g} ms",
        ]
        return "\n".join([*lines, self.message] if self.message else lines)
