"""How many files of the package a call walks through: ``python -m tests.crossed`` prints it, ``--list`` names the files.

Counted in plain Python, in the second of two calls: files whose code runs, in the order in which they are entered. What only
defines names, or ran once and was kept, does not count. A reader who follows such a call has so many files to open.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType

if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # before Numba is imported: compiled code shows no files

import numpy as np

from pluecker.articulated import Model, aba, neutral, rnea, simulate
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.contact import World

__all__ = ["calls", "crossed"]


def crossed(call: Callable[[], object]) -> list[str]:
    """Return the files of the package whose code runs in the second of two calls."""
    call()
    files: dict[str, None] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("pluecker."):
            files.setdefault(frame.f_globals["__name__"].removeprefix("pluecker.").replace(".", "/") + ".py")

    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(files)


def calls() -> dict[str, tuple[Callable[[], object], int]]:
    """Return calls by name, each with the number of files that it may cross."""
    arm = Model.from_urdf(SEVEN_JOINT_ARM)
    world = World(arm)
    q, zero = neutral(arm, within_limits=True), np.zeros(arm.nv)
    many, zeros = np.tile(q, (16, 1)), np.zeros((16, arm.nv))
    return {
        "rnea": (lambda: rnea(arm, q, zero, zero), 15),
        "aba of 16 states": (lambda: aba(arm, many, zeros, zeros), 20),
        "simulate, one step": (lambda: simulate(arm, q, zero, duration=1e-3, step=1e-3), 40),
        "World.step": (lambda: world.step(q, zero, 1e-3), 66),
    }


if __name__ == "__main__":
    for name, (call, most) in calls().items():
        files = crossed(call)
        print(f"{name:20} {len(files):3} files, {most} at most")
        if "--list" in sys.argv:
            print("".join(f"    {file}\n" for file in files), end="")
