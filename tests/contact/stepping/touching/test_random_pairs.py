"""Random worlds whose pairs are named: no number is lost, and no energy is made (:mod:`tests.contact.random_worlds`)."""

import pytest

from tests.contact.random_worlds import complaint


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_no_number_is_lost_and_no_energy_is_made(first):
    for seed in range(first, first + 25):
        assert not complaint(seed, named=True, kinds=6), seed
