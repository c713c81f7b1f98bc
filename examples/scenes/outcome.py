"""Outcome of a scene: a motion, curves, and claims, each with the number by theory and the one that was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Claim", "Curve", "Outcome", "Panel", "order_of", "threshold"]


@dataclass(frozen=True)
class Claim:
    """Claim of a scene: a number that theory knows.

    Attributes:
        what: in words, with the formula.
        expected, found: the number by theory, and by the simulation.
        within: by how much they may differ, for the reason that the scene gives.
        unit: of all three.
    """

    what: str
    expected: float
    found: float
    within: float
    unit: str = ""

    @property
    def holds(self) -> bool:
        """True if the number that was found agrees with theory."""
        return bool(abs(self.found - self.expected) <= self.within)

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        off = f"{self.found - self.expected:+.1e}, tolerance {self.within:.0e}"
        return f"{self.what}: expected {self.expected:.9g}{unit}, found {self.found:.9g}{unit} ({off})"


class Curve(NamedTuple):
    """Line of a panel; that of theory is dashed."""

    label: str
    x: Array
    y: Array
    theory: bool = False


class Panel(NamedTuple):
    """Diagram of a scene.

    Attributes:
        title, x, y: words; with units on the axes.
        curves: what is drawn.
        log: whether both axes are logarithmic.
        limits: of y, where curves go far beyond for moments.
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    log: bool = False
    limits: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a scene.

    Attributes:
        name: of the scene.
        title: in one line.
        story: what happens, and which law it shows; a few sentences.
        motion: with its model, and with contacts as overlays.
        claims: what has to hold.
        panels: diagrams.
        moments: the samples that a picture on paper shows.
        camera: elevation and azimuth, degrees.
        speed: of the film, against the true one.
    """

    name: str
    title: str
    story: str
    motion: Trajectory
    claims: Sequence[Claim]
    panels: Sequence[Panel]
    moments: Sequence[int] = (0, -1)
    camera: tuple[float, float] = (12.0, -75.0)
    speed: float = 1.0

    @property
    def holds(self) -> bool:
        """True if all claims hold."""
        return all(claim.holds for claim in self.claims)


def threshold(happens: Callable[[float], Any], below: float, above: float, width: float) -> float:
    """Find the number at which something begins to happen, by bisection: not at ``below``, but at ``above``."""
    while above - below > width:
        middle = 0.5 * (below + above)
        below, above = (below, middle) if happens(middle) else (middle, above)
    return 0.5 * (below + above)


def order_of(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Compute the power of the step with which an error falls: the slope of the line through the logarithms."""
    return float(np.polyfit(np.log(steps), np.log(np.abs(errors)), 1)[0])
