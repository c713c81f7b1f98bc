"""Robots for comparisons with Pinocchio: ten that differ on each change, all of example-robot-data now and then."""

from __future__ import annotations

import functools

import pytest

pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")

from benchmarks.accuracy import Oracle, load
from pluecker.articulated import Model
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.conftest import CHECKED, COMPILED

try:
    ROBOTS = example_robots()
except MissingExtraError:
    pytest.skip("example-robot-data is not installed (extra peers)", allow_module_level=True)

EMPTY = "ur/ur3"  # a file without a robot
SINGULAR = ("romeo/romeo", "romeo/romeo_laas_small")  # hands whose links all lack inertia
# With a fixed base or with a floating one
DIFFERENT = {
    ("iris/iris_simple", False): "nothing moves",
    ("hector/quadrotor_base", True): "one free body",
    ("panda/panda", False): "an arm whose fingers mimic one another",
    ("kinova/kinova", True): "an arm of joints that turn without end",
    ("solo/solo12", True): "a quadruped",
    ("allegro_hand/allegro_left_hand", False): "a hand with inertias that cannot be",
    ("alex/alex_psyonic_hands", True): "half a humanoid, hands with mimic joints that are broken in the file",
    ("talos/talos_full_v2", True): "a humanoid whose grippers mimic",
    ("pr2/pr2", False): "two arms on wheels; slides, mimic joints on several levels",
    ("romeo/romeo", False): "a humanoid with singular hands",
}
FEW = {("panda/panda", False), ("kinova/kinova", True), ("solo/solo12", True)}  # where kernels are slow


def each_robot(*left_out: str) -> pytest.MarkDecorator:
    """Parametrise a test by ``name`` and ``floating``."""
    chosen = DIFFERENT if COMPILED and not CHECKED else FEW
    cases = []
    for name in ROBOTS:
        for floating in (False, True):
            if name != EMPTY and name not in left_out and (COMPILED or (name, floating) in FEW):
                marks = [] if (name, floating) in chosen else [pytest.mark.everything]
                base = "floating" if floating else "fixed"
                cases.append(pytest.param(name, floating, id=f"{name}-{base}", marks=marks))
    return pytest.mark.parametrize(("name", "floating"), cases)


@functools.lru_cache(maxsize=len(DIFFERENT))
def loaded(name: str, floating: bool) -> tuple[Model, Oracle]:
    """Our model of a robot, and Pinocchio's, to be asked one state at a time."""
    model, _ = load(ROBOTS[name], floating)
    return model, Oracle(model, ROBOTS[name], floating)
