"""Dynamics that a simulation follows besides the model: how a step is taken, and what is known of the forces in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.integrator import Integrator

__all__ = ["Dynamics", "Remembered", "Room"]


class Room(Protocol):
    """Protocol of an object that knows how much room steps need, which a motion may find out on its way."""

    def grow(self) -> Array | None:
        """Return a scenario with more room, if the last steps found too little: they are taken again; None if not."""


@dataclass(frozen=True, eq=False)
class Remembered:
    """Memory of the integrator at the start of a simulation, and the location of the impulses in it.

    Attributes:
        numbers: ``(..., n)``; None if it remembers nothing yet.
        first_impulse, impulses: index of the first impulse, and how many there are.
        order: of the impulses, as they are recorded.
    """

    numbers: Array | None = None
    first_impulse: int = 0
    impulses: int = 0
    order: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Dynamics of a mechanism: integrator, scenario, and the functions that accelerations and explanations come from.

    Attributes:
        integrator: a kernel, or the name of a driver.
        scenario: what acts on the mechanism, and is the same in all states,
            :mod:`~pluecker.articulated.stepping.terms.scenario`.
        acceleration: at instants, a function of ``(model, time, q, v, tau, f_ext, threads)``; with forces of constraints
            behind it, if there are constraints.
        by_loop: whether forces act that the steps alone know: then accelerations are what a step did to the velocity.
        constrained: whether forces of constraints can be recorded.
        remembered: what the integrator remembers when the simulation begins.
        since: at which time step number 0 begins; s.
        explain: what may be wrong in a state ``(q, v, tau)`` from which no step is found, or one that leaves an error, as a
            share of what is tolerated, at a time, and how long the step is; None if it does not know.
        limits: of q, lower and upper, ``(nq,)`` each, beyond which a motion must not begin; None where that has been seen.
        room: what a step found too little room for, where that is not known before; None of all others.
        watch: what looks at each step of one state once it was taken; None if nobody does.
    """

    integrator: Integrator
    scenario: Array
    acceleration: Callable[..., Array] = lambda model, time, q, v, tau, f_ext, threads: aba(
        model, q, v, tau, f_ext, threads=threads
    )
    by_loop: bool = False
    constrained: bool = False
    remembered: Remembered = field(default_factory=Remembered)
    since: float = 0.0
    explain: Callable[[Array, Array, Array, float, float, float], str | None] = lambda q, v, tau, error, time, step: (
        None
    )
    limits: tuple[Array, Array] | None = None
    room: Room | None = None
    watch: Callable[[], None] | None = None
