"""Signals over time, and addresses of arrays, as a task of the loop describes them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.batch import compiled_describe
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.properties import cached_property

__all__ = ["Signal", "place_of"]

BEGINNING = np.zeros(1)  # the only knot of a constant


def place_of(array: Array) -> tuple[int, int]:
    """Return the address and the size of an array; by a compiled function, which is faster than to ask NumPy."""
    if not array.flags.writeable:  # which compiled functions do not take
        return array.ctypes.data, array.size
    if not array.size or DISABLE_JIT:
        return 0, array.size
    found = np.empty(3, dtype=np.int64)
    compiled_describe()(found, 0, array.reshape(1, -1))
    return int(found[0]), array.size


@dataclass(frozen=True, eq=False)
class Signal:
    """Signal over time: values ``(knots, states or 1, width)`` at the times of the knots, linear in between or held."""

    values: Array
    times: Array
    linear: bool = False

    @classmethod
    def constant(cls, values: Array) -> Signal:
        """Make a signal that is constant in time, from values ``(states or 1, width)``."""
        return cls(np.ascontiguousarray(values[None]), BEGINNING)

    @cached_property
    def description(self) -> NDArray[np.int64]:
        """Description in a task, as integers; made once, since signals without control serve all simulations of a model."""
        return np.array([*place_of(self.values), *place_of(self.times), *self.values.shape[1:], self.linear])

    def at(self, times: Array) -> Array:
        """Evaluate the signal at several times, ``(times, states or 1, width)``."""
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 1)
        values = self.values[k]
        if not self.linear or len(self.times) == 1:
            return values
        after = np.minimum(k + 1, len(self.times) - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            s = (times - self.times[k]) / (self.times[after] - self.times[k])
        share = np.clip(np.where(after > k, s, 0.0), 0.0, 1.0)[:, None, None]
        return np.asarray(values + share * (self.values[after] - values))

    def of_states(self, numbers: NDArray[np.intp]) -> Signal:
        """Return the signal of some states of a batch."""
        return (
            self if self.values.shape[1] == 1 else replace(self, values=np.ascontiguousarray(self.values[:, numbers]))
        )

    @cached_property
    def is_nothing(self) -> bool:
        """True if the signal is zero at all times."""
        return not self.values.any()
