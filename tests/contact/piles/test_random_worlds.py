"""Random worlds whose contacts are found: no number is lost, and no energy is made (:mod:`tests.contact.random_worlds`)."""

import pytest

from tests.contact.random_worlds import complaint


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_no_number_is_lost_and_no_energy_is_made(first):
    for seed in range(first, first + 25):
        assert not complaint(seed), seed


@pytest.mark.slow
def test_cylinders_and_hulls_lose_no_number_and_make_no_energy():
    pytest.importorskip("coal", reason="it finds the contacts of hulls and cylinders (extra collision)")
    for seed in range(20):
        assert not complaint(seed, kinds=6), seed


@pytest.mark.slow
def test_rough_ground_loses_no_number_and_makes_no_energy():
    """In two of these a cylinder is in triangles out of which coal knows no way."""
    pytest.importorskip("coal", reason="it finds the contacts of height fields (extra collision)")
    for seed in (*range(20), 71, 226):
        assert not complaint(seed, kinds=6, rough=True), seed
