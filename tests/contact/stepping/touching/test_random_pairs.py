"""Random worlds whose pairs are named: no number is lost, and no energy is made (:mod:`tests.contact.random_worlds`)."""

import pytest

from tests.conftest import TODAY
from tests.contact.random_worlds import complaint


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(TODAY, TODAY + 6))
def test_no_number_is_lost_and_no_energy_is_made(seed):
    """Seeds, and so worlds, are other ones each day."""
    assert not complaint(seed, named=True, kinds=6), seed


@pytest.mark.everything
@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_no_number_is_lost_and_no_energy_is_made_in_a_hundred_worlds(first):
    for seed in range(first, first + 25):
        assert not complaint(seed, named=True, kinds=6), seed
