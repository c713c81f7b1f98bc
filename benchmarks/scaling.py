"""Time per body on long chains: ``python -m benchmarks.scaling``.

The recursive algorithms visit each body a fixed number of times, so the time per body must not grow with their number.
The chains are timed in turn, several rounds, and the medians compared: a ratio of 1 is linear cost.
"""

from __future__ import annotations

import sys
import timeit

import numpy as np

from pluecker.articulated import (
    Model,
    ModelBuilder,
    aba,
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
    body_velocities,
    crba,
    factorize,
    random_configuration,
    rnea,
)

LENGTHS = (10, 100, 1000)
STATES = 24_000  # bodies times states, for each timing: whole blocks of eight states of every chain


def chain(n: int) -> Model:
    """A serial chain of revolute joints about axes in all directions."""
    rng = np.random.default_rng(n)
    builder = ModelBuilder(f"chain{n}")
    parent = builder.world
    for k in range(n):
        builder.add_body(f"b{k}", mass=1.0, center_of_mass=rng.normal(scale=0.1, size=3), inertia=[0.02, 0.03, 0.04])
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=rng.normal(size=3), position=(0.1, 0.0, 0.0))
        parent = f"b{k}"
    return builder.build()


def seconds_per_body(rounds: int = 9) -> dict[str, list[float]]:
    """For each algorithm, the median time per body and state for each length."""
    calls = {}
    for n in LENGTHS:
        model, rng = chain(n), np.random.default_rng(0)
        states = STATES // n
        q = random_configuration(model, rng, states)
        v, u = rng.standard_normal((2, states, n))
        f, factor = rng.standard_normal((states, n, 6)), factorize(model, q)
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
    times: dict[str, dict[int, list[float]]] = {}
    for _ in range(rounds):
        for n, algorithms in calls.items():
            for name, call in algorithms.items():
                times.setdefault(name, {}).setdefault(n, []).append(timeit.timeit(call, number=1) / STATES)
    return {name: [float(np.median(t[1:])) for t in by_length.values()] for name, by_length in times.items()}


def main() -> int:
    """Print the table."""
    print("| algorithm | " + " | ".join(f"{n} bodies" for n in LENGTHS) + " | slowest / fastest |")
    print("|---|" + "---:|" * (len(LENGTHS) + 1))
    for name, times in seconds_per_body().items():
        cells = [f"{t * 1e9:.0f} ns a body" for t in times] + ["-"] * (len(LENGTHS) - len(times))
        ratio = f"{max(times) / min(times):.2f}" if len(times) == len(LENGTHS) else "grows with depth"
        print(f"| {name} | " + " | ".join(cells) + f" | {ratio} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
