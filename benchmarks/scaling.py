"""Time per body on long chains: ``python -m benchmarks.scaling``.

The recursive algorithms visit each body a fixed number of times, so the time per body must not grow with their number.
The chains are timed in turn, several rounds, and the medians compared: a ratio of 1 is linear cost.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import States, chain
from benchmarks.measuring.report import markdown
from benchmarks.measuring.timing import Effort, interleaved
from pluecker.articulated import (
    aba,
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
    body_velocities,
    crba,
    factorize,
    rnea,
)

LENGTHS = (10, 100, 1000)
STATES = 24_000  # bodies times states, for each timing: whole blocks of eight states of every chain


def seconds_per_body() -> dict[str, list[float]]:
    """For each algorithm, the median time per body and state for each length."""
    calls: dict[int, dict[str, Any]] = {}
    for n in LENGTHS:
        model, count = chain(n).model, STATES // n
        states = States.random(model, count)
        q, v, u = states.q, states.v, states.a
        f, factor = np.random.default_rng(1).standard_normal((count, n, 6)), factorize(model, q)
        calls[n] = {
            "rnea": lambda model=model, q=q, v=v, u=u: rnea(model, q, v, u),
            "aba": lambda model=model, q=q, v=v, u=u: aba(model, q, v, u),
            "factorize, solve": lambda model=model, q=q, u=u: factorize(model, q).solve(u),
            "solve": lambda factor=factor, u=u: factor.solve(u),
            "J x": lambda model=model, q=q, v=v: body_velocities(model, q, v),
            "J' f": lambda model=model, q=q, f=f: body_jacobian_transpose_times(model, q, f),
            "Jdot x": lambda model=model, q=q, v=v, u=u: body_jacobian_dot_times(model, q, v, u),
        }
        if n <= 100:
            calls[n]["crba"] = lambda model=model, q=q: crba(model, q)
    effort = Effort(rounds=9, shortest=0.0, states=STATES, processes=0)
    alone = {f"{name}, {n}": call for n, algorithms in calls.items() for name, call in algorithms.items()}
    times = interleaved(alone, effort, sizes=dict.fromkeys(alone, STATES))
    return {name: [times[f"{name}, {n}"].median for n in LENGTHS if name in calls[n]] for name in calls[LENGTHS[0]]}


def main() -> int:
    """Print the table."""
    rows = []
    for name, times in seconds_per_body().items():
        cells = [f"{t * 1e9:.0f} ns a body" for t in times] + ["-"] * (len(LENGTHS) - len(times))
        ratio = f"{max(times) / min(times):.2f}" if len(times) == len(LENGTHS) else "grows with depth"
        rows.append([name, *cells, ratio])
    print(markdown(["algorithm", *(f"{n} bodies" for n in LENGTHS), "slowest / fastest"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
