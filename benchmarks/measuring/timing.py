"""Timing calls against one another: in turn, several rounds, so that a slow moment of the machine meets all of them."""

from __future__ import annotations

import contextlib
import math
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["ENOUGH", "MOST_TURNS", "Effort", "Times", "interleaved", "progress", "turns_of"]

ENOUGH, MOST_TURNS = 1.0, 200  # seconds that the turns of a short motion take together, and how many there are at most


def turns_of(seconds: float, least: int) -> int:
    """Return how many turns a motion gets that takes so long."""
    return max(least, min(round(ENOUGH / seconds), MOST_TURNS))


Call = Callable[[], Any]


@dataclass(frozen=True)
class Effort:
    """How much time a run may take."""

    rounds: int  # repetitions of each call
    shortest: float  # seconds that one repetition lasts at least; short calls are made several times
    states: int  # in a batch
    processes: int  # started anew for each thing that can only be measured in a fresh process

    @classmethod
    def thorough(cls) -> Effort:
        """Make the effort for results that are kept."""
        return cls(rounds=21, shortest=0.02, states=4096, processes=7)

    @classmethod
    def quick(cls) -> Effort:
        """Make the least effort, to see that everything works."""
        return cls(rounds=1, shortest=0.0, states=64, processes=1)


@dataclass(frozen=True)
class Times:
    """Seconds a call took, one number a round; the same round of two calls is next to one another in time."""

    seconds: np.ndarray

    @property
    def median(self) -> float:
        """Median in seconds."""
        return float(np.median(self.seconds))

    def less(self, other: Times) -> Times:
        """Subtract the median of another time; never less than zero."""
        return Times(np.maximum(self.seconds - other.median, 0.0))

    def over(self, other: Times) -> tuple[float, float, float]:
        """The ratio of each round: median and quartiles, which say how far it can be trusted."""
        low, middle, high = np.percentile(self.seconds / other.seconds, [25, 50, 75])
        return float(middle), float(low), float(high)


def interleaved(
    calls: dict[str, Call],
    effort: Effort,
    timer: Callable[[], float] = time.perf_counter,
    sizes: Mapping[str, float] | None = None,
) -> dict[str, Times]:
    """Time each call in turn, over and over: the first, the second, ..., the first, the second, ...

    Every call is made once before, so that compilation and the first touch of memory do not count.

    Args:
        calls: by name.
        effort: how many rounds, and how long each call is repeated in one.
        timer: ``time.process_time`` counts the seconds of this process alone, on all cores.
        sizes: how many states, or steps, a call computes, by which its time is divided; 1 where it has none.
    """
    sizes = sizes or {}
    numbers = {}
    for name, call in calls.items():
        call()
        once = timeit.timeit(call, timer=timer, number=1)
        numbers[name] = max(1, math.ceil(effort.shortest / max(once, 1e-9)))
        if numbers[name] > 1:  # the first call alone is often much slower than the next
            more = timeit.timeit(call, timer=timer, number=numbers[name]) / numbers[name]
            numbers[name] = max(1, math.ceil(effort.shortest / more))
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(effort.rounds):
        for name, call in calls.items():
            seconds[name].append(timeit.timeit(call, timer=timer, number=numbers[name]) / numbers[name])
    return {name: Times(np.array(values) / sizes.get(name, 1)) for name, values in seconds.items()}


def progress(items: Iterable[Any], label: str) -> Iterable[Any]:
    """The items, with a progress bar on stderr where tqdm is installed."""
    with contextlib.suppress(ImportError):
        from tqdm import tqdm

        return tqdm(items, desc=label, file=sys.stderr, leave=False)
    return items
