"""Random calls of every public function: right, or one of our errors; see :mod:`tests.fuzz`.

On each change there are a few, other ones each day, and where kernels are compiled none of those areas that take minutes to
compile: they are called without compilation. Now and then there are thousands, the same ones and those of the day.
"""

from __future__ import annotations

import pytest

import pluecker.articulated.conventions
import pluecker.contact
import pluecker.spatial
from tests.conftest import COMPILED, EVERYTHING, TODAY
from tests.fuzz.calls import AREAS, INPUTS, attempt, make, tables
from tests.fuzz.values import Dice
from tests.spatial.public import ARGUMENTS

# Calls of each area now and then; a tenth without compilation, a fiftieth of those compiled on each change.
COUNTS = {
    "spatial": 1500,
    "typed": 400,
    "algorithms": 1500,
    "articulated": 600,
    "contact": 600,
    "pictures": 40,
    "models": 200,
    "steps": 50,
}
COMPILED_LONG = ("articulated", "contact", "steps")
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
    complaints = [complaint for seed in seeds(area) for complaint in attempt(seed, area)[1]]
    assert not complaints, "\n".join(complaints[:10])


def test_every_area_has_its_share():
    assert set(COUNTS) == set(AREAS)


def test_every_public_function_is_called():
    modules = (
        *(pluecker.articulated, pluecker.articulated.conventions, pluecker.contact),
        *(pluecker.contact.constraints, pluecker.contact.geometry),
    )
    public = {
        name
        for module in modules
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
    }
    entries = (make(Dice(0)) for make in (tables.of_articulated, tables.of_contact, tables.of_pictures))
    called = {name.rsplit(".", 1)[-1] for entry in entries for name in entry} | {*INPUTS, *ARGUMENTS}
    from_files = {"read_fclib", "read_fclib_guesses", "read_fclib_solution", "write_fclib", "read_siconos"}
    assert public - called - from_files <= {"plot_convergence", "read_constraints", "urdf_colliders"}


def test_a_seed_makes_the_same_call_again():
    for seed in range(50):
        area = None if EVERYTHING or not COMPILED else "models"
        assert make(seed, area).name == make(seed, area).name
        assert attempt(seed, area)[0] == attempt(seed, area)[0]
