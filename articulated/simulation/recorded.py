"""What a simulation keeps besides q and v, and how it is found: by the loop, or from q and v afterwards, as a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.algorithms.momentum.center_of_mass import center_of_mass
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.forces.applied_forces import applied_forces
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.steps import RECORDED
from pluecker.articulated.stepping.loop_driver import Signal
from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError, shown

__all__ = ["Recorder"]

Block = Mapping[str, Array]


class Recorder:
    """What to keep of a simulation.

    Attributes:
        widths: of the arrays that the loop fills, zero for those that are not wanted.
    """

    def __init__(
        self,
        model: Model,
        record: Any,
        signals: Sequence[Signal],
        elements: Sequence[Element],
        rows: bool,
        marked: bool,
        threads: int,
    ) -> None:
        self.model, self.elements, self.threads, self.wrench = model, tuple(elements), threads, signals[6]
        self.names = as_names(model, record)
        limited = np.isfinite(model.lower_limit).any() or np.isfinite(model.upper_limit).any()
        # forces of rows are known to the loop alone: then acceleration is what it did to the velocity
        self.by_loop = rows and bool(model.friction.any() or limited)
        wanted = {
            "q": model.nq,
            "v": model.nv,
            "tau": model.nv if {"tau", "a"} & self.names else 0,
            "a": model.nv if "a" in self.names and self.by_loop else 0,
            "error": 1 if marked or "error" in self.names else 0,
        }
        self.widths = {name: wanted[name] for name in RECORDED}

    def complete(self, block: Block) -> dict[str, Array]:
        """What follows from q, v and the joint forces of samples, arrays ``(samples, states, ...)``."""
        model, q, v, names = self.model, block["q"], block["v"], self.names
        found: dict[str, Array] = {}
        applied = applied_forces(model, self.elements, q, v, threads=self.threads) if self.elements else None
        if "a" in names and not self.by_loop:
            wrenches = signal_at(self.wrench, block["time"]).reshape(len(q), -1, model.n_bodies, 6)
            if applied is not None:
                wrenches = wrenches + applied.wrenches
            found["a"] = aba(model, q, v, block["tau"], wrenches, threads=self.threads)
        if "energy" in names:
            found["kinetic_energy"] = kinetic_energy(model, q, v, threads=self.threads)
            found["potential_energy"] = potential_energy(model, q, threads=self.threads)
            if applied is not None:
                found["potential_energy"] += applied.energy
        if "momentum" in names:
            found["momentum"] = momentum(model, q, v, threads=self.threads)
        if "center_of_mass" in names:
            found["center_of_mass"] = center_of_mass(model, q, threads=self.threads)
        frames = [name for name in self.model.frame_names if name in names]
        if frames:
            placements = forward_kinematics(model, q, frames, threads=self.threads)
            found |= {name: np.ascontiguousarray(placements[..., k, :, :]) for k, name in enumerate(frames)}
        return found


QUANTITIES = ("a", "tau", "energy", "momentum", "center_of_mass", "error")


def as_names(model: Model, record: Any) -> frozenset[str]:
    """Quantities, and frames of the model."""
    if isinstance(record, str):
        record = (record,)
    if not isinstance(record, Iterable) or getattr(record, "shape", None) == ():
        raise ArgumentTypeError(f"simulate: record is a {type(record).__name__}, expected names")
    names = tuple(record)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"simulate: record has a {type(name).__name__} in it, expected names")
        if name not in QUANTITIES and name not in model.frame_names:
            raise UnknownNameError(
                f"simulate: {shown(name)} cannot be recorded, expected {', '.join(QUANTITIES)}, or a frame: "
                f"{listing(model.frame_names)}"
            )
    return frozenset(names)


def signal_at(signal: Signal, times: Array) -> Array:
    """A signal at so many times, ``(times, states or 1, width)``."""
    k = np.clip(np.searchsorted(signal.times, times, side="right") - 1, 0, len(signal.times) - 1)
    values = signal.values[k]
    if not signal.linear or len(signal.times) == 1:
        return values
    after = np.minimum(k + 1, len(signal.times) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        s = (times - signal.times[k]) / (signal.times[after] - signal.times[k])
    share = np.clip(np.where(after > k, s, 0.0), 0.0, 1.0)[:, None, None]
    return values + share * (signal.values[after] - values)
