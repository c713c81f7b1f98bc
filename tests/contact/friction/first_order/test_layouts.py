"""How large islands are laid out: eight contacts at a time, whose velocities are read and written together.

Looks inside: contacts of a group that had a body in common would lose what one of them adds to it, which sweeps that go on
hide.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact.friction.problem import prepared
from pluecker.contact.friction.sparse import groups
from tests.conftest import COMPILED
from tests.contact.any_blocks import blocks_of

COUNT = 900 if COMPILED else 60


@pytest.mark.indices
@pytest.mark.parametrize("seed", range(3))
def test_contacts_of_a_group_have_no_body_in_common(seed):
    P, _ = prepared.prepare(packing(COUNT, seed), False)
    found = groups.make_groups(P.A.J, P.A.T, 0, COUNT, 0, len(P.A.J.columns) - 1)
    sides = np.stack([found.sides & (2**32 - 1), found.sides >> 32], axis=1)
    for k in range(0, len(sides), 8):
        group = sides[k : k + 8].ravel()
        group = group[group < found.bodies]
        assert len(np.unique(group)) == len(group)
    assert len(np.unique(found.slots)) == COUNT
    assert found.slots.max() < len(sides) <= 1.25 * COUNT + 16


@pytest.mark.indices
def test_numbers_come_back_from_where_they_were_put():
    P, _ = prepared.prepare(packing(COUNT), False)
    found = groups.make_groups(P.A.J, P.A.T, 0, COUNT, 0, len(P.A.J.columns) - 1)
    memory, (a, b) = found.new_rows(5), np.random.default_rng(0).normal(size=(2, COUNT, 2))
    found.put(a, memory, 0)
    found.put(b, memory, 3)
    assert np.array_equal(found.take(memory, 0, 2), a)
    assert np.array_equal(found.take(memory, 3, 2), b)
    assert not found.take(memory, 2, 1).any()


def test_a_body_that_all_others_touch_is_not_laid_out():
    """Groups of its contacts would have one member each."""
    pattern = np.zeros((100, 101))
    pattern[:, 0], pattern[np.arange(100), np.arange(1, 101)] = 1.0, 1.0
    star = blocks_of(np.kron(pattern, np.ones((3, 6))), np.arange(0, 301, 3), np.arange(0, 607, 6))
    assert groups.make_groups(star, star, 0, 100, 0, 101) is None
