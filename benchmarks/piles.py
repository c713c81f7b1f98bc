"""Piles of boxes and balls beside MuJoCo: ``python -m benchmarks.piles [--steps K] [N ...]``, 100 and 1,000 unless given.

Layers of boxes of 17 cm and balls of 20 cm, by turns, turned a little, come to rest on one another and slide apart on a
floor, friction 0.5, steps of 5 ms. Ours holds Coulomb's law, the error of the worst step beside it; MuJoCo, with its
defaults and elliptic cones, has soft contacts, whose law is another one. Times are of the processor, of all threads
together, with the search for contacts; the first step and what compiles are not counted.
"""

from __future__ import annotations

import argparse
import sys
from time import process_time

import numpy as np

from benchmarks.contact_large import compile_all
from benchmarks.report import markdown
from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from pluecker.spatial.extras import require

STEP, BOX, RADIUS = 0.005, 0.17, 0.1
COLUMNS = ["bodies", "program", "law", "contacts", "a step", "a contact", "error of the law", "deepest penetration"]


def placed(n: int) -> np.ndarray:
    """Where the bodies begin, ``(n, 7)``."""
    side, k = max(round((n / 8) ** 0.5), 1), np.arange(n)
    layer, rest = np.divmod(k, side * side)
    y, x = np.divmod(rest, side)
    angle = np.random.default_rng(0).uniform(-0.1, 0.1, n)
    q = np.zeros((n, 7))
    q[:, :3] = np.stack([0.201 * x, 0.201 * y, 0.1 + 0.186 * layer], axis=1)
    q[:, 3], q[:, 6] = np.cos(angle), np.sin(angle)
    return q


def ours(n: int, steps: int) -> list[str]:
    """A row of the table."""
    builder, shapes = ModelBuilder("pile"), [Collider("floor", HalfSpace(), "world", Surface(friction=0.5))]
    for k in range(n):
        moment = 0.4 * RADIUS**2 if k % 2 else BOX**2 / 6.0
        builder.add_body(f"b{k}", mass=1.0, inertia=(moment, moment, moment))
        builder.add_joint(f"j{k}", "free", parent="world", child=f"b{k}")
        shape = Sphere(RADIUS) if k % 2 else Box((BOX, BOX, BOX))
        shapes.append(Collider(f"s{k}", shape, f"b{k}", Surface(friction=0.5)))
    world = World(builder.build(), shapes=shapes)
    step = world.step(placed(n).ravel(), np.zeros(6 * n), STEP)
    record = ("error", "constraint_forces")
    options = {"memory": step.memory, "on_unsolved": "continue", "every": steps, "record": record}
    world.simulate(step.q, step.v, STEP, STEP, **options)
    begun = process_time()
    motion = world.simulate(step.q, step.v, steps * STEP, STEP, **options)
    took = (process_time() - begun) / steps
    touch = motion.contacts_at(-1)
    count, error = len(touch), float(motion.columns["error"].max()) * world.found_contacts.accuracy
    return row(n, "pluecker", "Coulomb's, exact", count, took, f"{error:.0e}", -float(touch.gap.min(initial=0.0)))


def in_mujoco(n: int, steps: int) -> list[str]:
    """The same in MuJoCo."""
    mujoco = require("mujoco", "peers", "the benchmark")
    geoms = [f'<geom type="box" size="{BOX / 2} {BOX / 2} {BOX / 2}"', f'<geom type="sphere" size="{RADIUS}"']
    bodies = "".join(
        f'<body pos="{q[0]} {q[1]} {q[2]}" quat="{q[3]} 0 0 {q[6]}"><freejoint/>'
        f'{geoms[k % 2]} mass="1" friction="0.5"/></body>'
        for k, q in enumerate(placed(n))
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="2G"/><option timestep="{STEP}" cone="elliptic"/><worldbody>'
        f'<geom type="plane" size="0 0 1" friction="0.5"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    begun = process_time()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    took = (process_time() - begun) / steps
    depth = -float(data.contact.dist.min(initial=0.0))
    return row(n, f"MuJoCo {mujoco.__version__}", "its own, soft", int(data.ncon), took, "-", depth)


def row(n: int, program: str, law: str, contacts: int, took: float, error: str, depth: float) -> list[str]:
    """As it is printed."""
    each = f"{1e6 * took / max(contacts, 1):.0f} us"
    return [str(n), program, law, str(contacts), f"{1e3 * took:.1f} ms", each, error, f"{1e3 * depth:.2g} mm"]


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.piles")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("counts", type=int, nargs="*", default=[100, 1000])
    options = parser.parse_args(arguments)
    rows = []
    compile_all(("apgd", "psor", "auto"))
    for n in options.counts or [100, 1000]:
        for measure in (ours, in_mujoco):
            rows.append(measure(n, options.steps))
            print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    print(markdown(COLUMNS, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
