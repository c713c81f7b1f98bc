"""Distances of 10^5 random pairs of every kind of shapes beside coal and MuJoCo: ``python -m benchmarks.distances [PAIRS]``.

A third of the pairs are parallel, nearly so, or have one centre. For each kind: the time of a pair in batches of 100, and of
coal in Python; how often coal gives another distance by more than 1e-6 m, apart and inside, and the worst; and the
largest *doubt*: by how much what the normal parts differs from the distance, by the support functions of both shapes.
Where there is no doubt and the shapes are apart, the distance is proven, whatever coal says; inside, the shorter way
out is right. MuJoCo's ``mj_geomDistance`` is asked for every hundredth pair that is apart (each takes a model of its own).
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from pluecker.contact.geometry import HalfSpace, distance
from pluecker.spatial.extras import require
from tests.contact.geometry.pairs import PRIMITIVES, pair_of_poses, shape
from tests.contact.geometry.peers import coal_distance, mujoco_distance, separation

EACH = 100  # pairs of poses for one pair of shapes
CLOSE = 1e-6  # m
BESIDE = 100  # one of so many pairs is shown to MuJoCo


def compare(kinds: tuple[str, str], count: int) -> list[str]:
    """The cells of a row of the table."""
    rng = np.random.default_rng(0)
    coal = require("coal", "collision", "comparing distances")
    ours: list[float] = []
    seconds, theirs_seconds, doubt, worst = 0.0, 0.0, 0.0, 0.0
    other = {"apart": 0, "we longer": 0, "we shorter": 0}
    beside: list[float] = []
    for _ in range(max(count // EACH, 1)):
        first, second = (shape(rng, kind) for kind in kinds)
        T1, T2 = map(np.array, zip(*(pair_of_poses(rng) for _ in range(EACH)), strict=True))
        if not ours:
            distance(first, T1, second, T2)  # compiled before it is timed
        start = time.process_time()
        found = distance(first, T1, second, T2)
        seconds += time.process_time() - start
        ours += found.distance.tolist()
        for k in range(EACH):
            parted = separation(first, T1[k], second, T2[k], found.normal[k])
            doubt = max(doubt, abs(parted - found.distance[k]))
        start = time.process_time()
        theirs = np.array([coal_distance(coal, first, T1[k], second, T2[k]) for k in range(EACH)])
        theirs_seconds += time.process_time() - start
        off = found.distance - theirs
        worst = max(worst, np.abs(off).max())
        other["apart"] += int(((np.abs(off) > CLOSE) & (found.distance > 0)).sum())
        other["we shorter"] += int(((off > CLOSE) & (found.distance <= 0)).sum())
        other["we longer"] += int(((off < -CLOSE) & (found.distance <= 0)).sum())
        if not isinstance(first, HalfSpace) and "Cylinder" not in kinds and found.distance[0] > 1e-3:
            beside.append(abs(found.distance[0] - mujoco_distance(first, T1[0], second, T2[0])))
    return [
        *(" - ".join(kinds), str(len(ours)), f"{1e9 * seconds / len(ours):.0f}"),
        *(f"{1e9 * theirs_seconds / len(ours):.0f}", f"{doubt:.1e}", f"{worst:.1e}"),
        *(str(number) for number in other.values()),
        f"{max(beside):.1e}" if beside else "",
    ]


def main(arguments: Any = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("pairs", type=int, nargs="?", default=100_000, help="of each kind")
    count = parser.parse_args(arguments).pairs
    print("| shapes | pairs | ns | coal ns | doubt | coal's worst | apart | we longer | we shorter | MuJoCo's worst |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kinds in PRIMITIVES:
        if "ConvexHull" not in kinds:
            print(f"| {' | '.join(compare(kinds, count))} |", flush=True)


if __name__ == "__main__":
    main()
