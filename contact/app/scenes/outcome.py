"""What a scene shows: a motion, curves, and claims: what theory expects, and what came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Claim", "Curve", "Outcome", "Panel", "order_of", "threshold"]


@dataclass(frozen=True)
class Claim:
    """A number that theory knows.

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
        """Whether they agree."""
        return bool(abs(self.found - self.expected) <= self.within)

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        off = f"{self.found - self.expected:+.1e}, tolerance {self.within:.0e}"
        return f"{self.what}: expected {self.expected:.9g}{unit}, found {self.found:.9g}{unit} ({off})"


class Curve(NamedTuple):
    """A line of a panel; what theory expects is dashed."""

    label: str
    x: Array
    y: Array
    theory: bool = False


class Panel(NamedTuple):
    """A diagram.

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
    """What came of a scene.

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
        """Whether all claims do."""
        return all(claim.holds for claim in self.claims)


def threshold(happens: Callable[[float], Any], below: float, above: float, width: float) -> float:
    """The number at which something begins to happen, by halving the interval: not below, and above."""
    while above - below > width:
        middle = 0.5 * (below + above)
        below, above = (below, middle) if happens(middle) else (middle, above)
    return 0.5 * (below + above)


def order_of(steps: Sequence[float], errors: Sequence[float]) -> float:
    """With which power of the step an error falls: the slope of the line through the logarithms."""
    return float(np.polyfit(np.log(steps), np.log(np.abs(errors)), 1)[0])
