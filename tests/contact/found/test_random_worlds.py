"""Random worlds whose contacts are found: no number is lost, and no energy is made (:mod:`tests.contact.random_worlds`).

On each change other worlds each day, few of them; the same ones, and those that were wrong once, in ``make everything``.
"""

import pytest

from tests.conftest import TODAY
from tests.contact.random_worlds import complaint


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(TODAY, TODAY + 5))
def test_no_number_is_lost_and_no_energy_is_made(seed):
    assert not complaint(seed), seed


@pytest.mark.slow
@pytest.mark.parametrize("rough", [False, True])
def test_cylinders_and_hulls_lose_no_number_and_make_no_energy_on_flat_and_on_rough_ground(rough):
    pytest.importorskip("coal", reason="it finds the contacts of hulls and cylinders (extra collision)")
    for seed in (TODAY, TODAY + 1):
        assert not complaint(seed, kinds=6, rough=rough), seed


@pytest.mark.everything
@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_a_hundred_worlds_lose_no_number_and_make_no_energy(first):
    for seed in range(first, first + 25):
        assert not complaint(seed), seed


@pytest.mark.everything
@pytest.mark.slow
@pytest.mark.parametrize("rough", [False, True])
def test_twenty_worlds_of_all_shapes_lose_no_number_and_make_no_energy(rough):
    """Seeds 71 and 226 have a cylinder in triangles on rough ground, out of which coal knows no way."""
    pytest.importorskip("coal", reason="it finds the contacts of hulls and cylinders (extra collision)")
    for seed in (*range(20), *((71, 226) if rough else ())):
        assert not complaint(seed, kinds=6, rough=rough), seed
