"""Random calls of every public function: right, or one of our errors; see :mod:`tests.fuzz`."""

from __future__ import annotations

from collections import Counter

import pytest
from numba import config

import pluecker.articulated.conventions
import pluecker.contact
import pluecker.spatial
from tests.conftest import COMPILED
from tests.fuzz.calls import AREAS, make
from tests.fuzz.judge import judge
from tests.fuzz.workers import attempt

CHECKED = bool(config.BOUNDSCHECK)  # slow, and the same answers
COUNTS = {
    "spatial": 1500,
    "typed": 400,
    "algorithms": 1500,
    "elements": 300,
    "models": 500,
    "friction": 300,
    "worlds": 150,
    "shapes": 200,
    "pictures": 40,
}
PART = 1 if COMPILED and not CHECKED else 10


@pytest.mark.parametrize("area", COUNTS)
def test_random_calls_are_right_or_one_of_our_errors(area):
    if CHECKED and area in ("spatial", "typed", "elements", "pictures"):
        pytest.skip("no index there depends on data, or other tests in this lane reach it")
    found = [x for seed in range(COUNTS[area] // PART) for x in attempt(seed, area, Counter())]
    assert not found, "\n".join(f"seed {x['seed']}: {x['call']}\n    -> {x['wrong']}" for x in found[:10])


def test_every_area_has_its_share():
    assert set(COUNTS) == set(AREAS)


def test_every_public_function_is_called():
    modules = (
        *(pluecker.spatial, pluecker.spatial.planar, pluecker.spatial.shapes, pluecker.spatial.two_body),
        *(pluecker.articulated, pluecker.articulated.conventions, pluecker.contact),
        *(pluecker.contact.constraints, pluecker.contact.geometry),
    )
    public = {
        name
        for module in modules
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
    }
    called = {make(seed, area).name.rsplit(".", 1)[-1] for area in AREAS for seed in range(1500)}
    files = {"read_fclib", "read_fclib_guesses", "read_fclib_solution"}  # what write_fclib writes is read
    assert public - called - files <= {"plot_convergence"}


def test_a_seed_makes_the_same_call_again():
    for seed in range(50):
        assert make(seed).name == make(seed).name
        assert judge(make(seed))[0] == judge(make(seed))[0]
