"""Recorded quantities besides q and v: filled by the loop, or computed from q and v afterwards, as a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.algorithms.momentum.center_of_mass import center_of_mass
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.forces.applied_forces import applied_forces
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.steps import RECORDED
from pluecker.articulated.stepping.control.control_law import WRENCH
from pluecker.articulated.stepping.loop.signal import Signal
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, UnknownNameError, shown

__all__ = ["Recorder"]

Block = Mapping[str, Array]


class Recorder:
    """Choice of the quantities to keep of a simulation, independent of its states at the beginning.

    Attributes:
        widths: of the arrays that the loop fills, zero for those that are not wanted.
    """

    def __init__(
        self,
        model: Model,
        record: Any,
        signals: Sequence[Signal],
        elements: Sequence[Element],
        dynamics: Dynamics,
        step: float,
        marked: bool,
        threads: int,
    ) -> None:
        self.elements, self.threads, self.wrench = tuple(elements), threads, signals[WRENCH]
        self.dynamics, self.step = dynamics, step
        self.names = as_names(model, record, dynamics.constrained)
        forces, by_loop = "constraint_forces" in self.names, dynamics.by_loop
        wanted = {
            "q": model.nq,
            "v": model.nv,
            "tau": model.nv if {"tau", "a", "constraint_forces"} & self.names else 0,
            "a": model.nv if "a" in self.names and by_loop else 0,
            "error": 1 if marked or "error" in self.names else 0,
            "constraint_forces": dynamics.remembered.impulses if forces and by_loop else 0,
        }
        self.widths = {name: wanted[name] for name in RECORDED}

    def complete(self, model: Model, block: Block) -> dict[str, Array]:
        """Compute what follows from q, v and the joint forces of samples; arrays ``(samples, states, ...)``."""
        names, many = self.names, self.threads
        if not names:
            return {}
        q, v = block["q"], block["v"]
        found: dict[str, Array] = {}
        if "constraint_forces" in block:  # impulses of the loop
            found["constraint_forces"] = block["constraint_forces"][..., self.dynamics.remembered.order] / self.step
        elif {"a", "constraint_forces"} & names and not self.dynamics.by_loop:
            found |= self.at_instants(model, block["time"], q, v, block["tau"])
        if "energy" in names:
            found["kinetic_energy"] = of_each(lambda q, v: kinetic_energy(model, q, v, threads=many), q, v)
            found["potential_energy"] = of_each(partial(self.stored_energy, model), q, v)
        if "momentum" in names:
            found["momentum"] = of_each(lambda q, v: momentum(model, q, v, threads=many), q, v)
        if "center_of_mass" in names:
            found["center_of_mass"] = of_each(lambda q: center_of_mass(model, q, threads=many), q)
        frames = [name for name in model.frame_names if name in names and name not in QUANTITIES]
        if frames:
            placements = of_each(lambda q: forward_kinematics(model, q, frames, threads=many), q)
            found |= {name: np.ascontiguousarray(placements[..., k, :, :]) for k, name in enumerate(frames)}
        return found

    def at_instants(self, model: Model, time: Array, q: Array, v: Array, tau: Array) -> dict[str, Array]:
        """Compute accelerations and constraint forces at the samples, from what acts there."""
        nv = model.nv
        both = of_each(partial(self.acceleration, model), time, q, v, tau)
        found = {"a": both[..., :nv], "constraint_forces": both[..., nv:]}
        return {name: np.ascontiguousarray(x) for name, x in found.items() if name in self.names}

    def acceleration(self, model: Model, time: Array, q: Array, v: Array, tau: Array) -> Array:
        """Compute accelerations, followed on the last axis by constraint forces."""
        wrenches = self.wrench.at(time).reshape(len(q), -1, model.n_bodies, 6)
        if self.elements:
            wrenches = wrenches + applied_forces(model, self.elements, q, v, threads=self.threads).wrenches
        return self.dynamics.acceleration(model, time, q, v, tau, wrenches, self.threads)

    def stored_energy(self, model: Model, q: Array, v: Array) -> Array:
        """Compute the potential energy of gravity, of the joints' springs and of elements."""
        found = potential_energy(model, q, threads=self.threads)
        return found + applied_forces(model, self.elements, q, v).energy if self.elements else found


def of_each(function: Callable[..., Array], *samples: Array) -> Array:
    """Compute a result for each sample; NaN where it fails, as at the end of a motion that grows without bounds."""
    try:
        return function(*samples)
    except PlueckerError:
        pass
    found: list[Array | None] = []
    for k in range(len(samples[0])):
        try:
            found.append(function(*(x[k : k + 1] for x in samples))[0])
        except PlueckerError:
            found.append(None)
    known = next((x for x in found if x is not None), None)
    if known is None:
        return np.full(samples[-1].shape, np.nan)
    return np.array([np.full_like(known, np.nan) if x is None else x for x in found])


QUANTITIES = ("a", "tau", "energy", "momentum", "center_of_mass", "error")
TAKEN = ("time", "q", "v", "kinetic_energy", "potential_energy", "found_contacts")  # by what is recorded besides


def as_names(model: Model, record: Any, constrained: bool) -> frozenset[str]:
    """Check the names of what to record: quantities, and frames of the model."""
    known = (*QUANTITIES, "constraint_forces") if constrained else QUANTITIES
    if isinstance(record, str):
        record = (record,)
    if not isinstance(record, Iterable) or getattr(record, "shape", None) == ():
        raise ArgumentTypeError(f"simulate: record is a {type(record).__name__}, expected names")
    names = tuple(record)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"simulate: record has a {type(name).__name__} in it, expected names")
        if name not in known and name not in model.frame_names:
            raise UnknownNameError(
                f"simulate: {shown(name)} cannot be recorded, expected {', '.join(known)}, or a frame: "
                f"{listing(model.frame_names)}"
            )
        if name in TAKEN:
            raise ArgumentValueError(
                f"simulate: frame {name!r} cannot be recorded: a trajectory has something else of that name; add_frame "
                "gives the place another one"
            )
    return frozenset(names)
