"""Random calls of every public function: right, or one of our errors; see :mod:`tests.fuzz`.

On each change there are a few, other ones each day, and where kernels are compiled none of those areas that take minutes to
compile: they are called without compilation. Now and then there are thousands, the same ones and those of the day.
"""

from __future__ import annotations

from collections import Counter

import pytest

import pluecker.articulated.conventions
import pluecker.contact
import pluecker.spatial
from tests.conftest import COMPILED, EVERYTHING, TODAY
from tests.fuzz.calls import AREAS, make
from tests.fuzz.judge import judge
from tests.fuzz.workers import attempt

# Calls of each area now and then; a tenth without compilation, a fiftieth of those compiled on each change.
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
COMPILED_LONG = ("elements", "friction", "worlds", "shapes")
# Other tests compile these, for one state and for batches.
COMPILED_ANYWAY = ("rnea", "aba", "crba", "forward_kinematics", "jacobian", "kinetic_energy", "integrate", "difference")
FIRST = TODAY * 10_000


def seeds(area):
    """Seeds of the calls that are made."""
    part = 1 if COMPILED and EVERYTHING else 50 if COMPILED and area != "algorithms" else 10
    count = max(10, COUNTS[area] // part)
    of_today = range(FIRST, FIRST + count)
    if EVERYTHING:
        return [*range(count), *of_today]
    if COMPILED and area == "algorithms":
        return [seed for seed in of_today if make(seed, area).name.rsplit(".", 1)[-1] in COMPILED_ANYWAY]
    return of_today


@pytest.mark.parametrize(
    "area",
    [pytest.param(area, marks=[pytest.mark.plain] if area in COMPILED_LONG else []) for area in COUNTS],
)
def test_random_calls_are_right_or_one_of_our_errors(area):
    found = [x for seed in seeds(area) for x in attempt(seed, area, Counter())]
    told = (f"python -m tests.fuzz 1 --seed {x['seed']} --area {area}: {x['call']}\n    -> {x['wrong']}" for x in found)
    assert not found, "\n".join(list(told)[:10])


def test_every_area_has_its_share():
    assert set(COUNTS) == set(AREAS)


@pytest.mark.everything
def test_every_public_function_is_called():
    modules = (
        *(pluecker.spatial, pluecker.course.planar, pluecker.spatial.shapes, pluecker.course.two_body),
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
        area = None if EVERYTHING or not COMPILED else "models"
        assert judge(make(seed, area))[0] == judge(make(seed, area))[0]
