"""Drift of integrators: ``python -m benchmarks.drift [NAME ...]``, a table of energy and momentum over 10 s at 1 ms.

A floating tree of ten bodies on joints of all kinds turns and swings without gravity and without losses, with springs in its
joints: energy, momentum and angular momentum should stay. The drift of energy is its mean over the last second less that
over the first, its oscillation the difference of the largest and the smallest value in the last second; both are shares of
the energy. The change of momentum is a share of what is added up for it.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from benchmarks.measuring.report import markdown
from pluecker.articulated import Model, ModelBuilder, crba, momentum, neutral, simulate
from pluecker.articulated.simulation.integrators import ADAPTIVE, INTEGRATORS

KINDS = ("revolute", "spherical", "prismatic", "exponential", "universal", "euler_zyx", "cylindrical")
WITH_AXES = ("revolute", "prismatic", "universal", "cylindrical")
STEP, DURATION, EVERY = 1e-3, 10.0, 10
COLUMNS = ["integrator", "order", "drift of energy", "oscillation of energy", "change of momentum", "time for a step"]


def floating_tree(bodies: int = 10, stiffness: float = 5.0) -> Model:
    """A base on a free joint, and bodies on it and on one another"""
    rng = np.random.default_rng(3)
    builder = ModelBuilder("floating tree", gravity=(0, 0, 0))
    for k in range(bodies):
        moments = rng.uniform(0.02, 0.03, 3)
        center = rng.normal(scale=0.05, size=3)
        builder.add_body(f"body{k}", mass=rng.uniform(1.0, 3.0), center_of_mass=center, inertia=moments)
        if k == 0:
            builder.add_joint("float", "free", "world", "body0")
            continue
        kind = KINDS[(k - 1) % len(KINDS)]
        axes = {"axis": rng.normal(size=3)} if kind in WITH_AXES else {}
        if kind == "universal":
            axes["axis2"] = np.cross(axes["axis"], rng.normal(size=3))
        parent, position = f"body{int(rng.integers(k))}", rng.normal(scale=0.3, size=3)
        builder.add_joint(f"joint{k}", kind, parent, f"body{k}", position=position, stiffness=stiffness, **axes)
    return builder.build()


def measure(name: str, model: Model) -> list[str]:
    """A row of the table"""
    rng = np.random.default_rng(0)
    q, v = neutral(model), rng.normal(size=model.nv)
    v[3:6] -= momentum(model, q, v)[3:] / model.mass  # it stays where it is, so that moments are rounded little
    options = {"integrator": name, "record": ("energy", "momentum"), "every": EVERY, "limits": False}
    simulate(model, q, v, STEP, STEP, **options)  # compiles
    begun = perf_counter()
    motion = simulate(model, q, v, DURATION, STEP, **options)
    took = (perf_counter() - begun) / (DURATION / STEP)
    energy = motion.columns["kinetic_energy"] + motion.columns["potential_energy"]
    carried = motion.columns["momentum"]
    second = round(1.0 / (STEP * EVERY))
    first, last = energy[:second], energy[-second:]
    drift, swing = (last.mean() - first.mean()) / energy[0], np.ptp(last) / energy[0]
    change = np.abs(carried - carried[0]).max() / (np.abs(crba(model, q)) @ np.abs(v)).max()
    order = "tol 1e-9" if name in ADAPTIVE else str(INTEGRATORS[name].order)
    return [name, order, f"{drift:+.1e}", f"{swing:.1e}", f"{change:.1e}", f"{1e6 * took:.0f} us"]


def main(names: list[str]) -> None:
    """Print the table"""
    model = floating_tree()
    rows = []
    for name in names or INTEGRATORS:
        rows.append(measure(name, model))
        print("  ".join(rows[-1]), file=sys.stderr)
    print(markdown(COLUMNS, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
