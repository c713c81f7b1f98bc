"""How large islands are laid out: strips whose sweeps may run beside one another.

Looks inside: what two threads write at the same time differs now and then only, so that results alone do not show that
strips of one pass have nothing in common.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact.friction.problem import prepared
from pluecker.contact.friction.sparse import strips
from tests.conftest import COMPILED
from tests.contact.any_blocks import blocks_of

COUNT = 900 if COMPILED else 60


def strips_of(count, seed=0):
    """The strips of a packing, and the bodies that each one's contacts touch."""
    P, _ = prepared.prepare(packing(count, seed), False)
    found = strips.make_strips(P.A.J, P.A.T, 0, count, 0, len(P.A.J.columns) - 1)
    sides = np.stack([found.sides & (2**32 - 1), found.sides >> 32], axis=1)
    scale = len(found.sides) // int(found.begin[-1])  # contacts of what is counted in begin
    bodies = [set(sides[a:b].ravel().tolist()) - {found.bodies} for a, b in pairwise(found.begin * scale)]
    return found, sides, bodies


@pytest.mark.indices
@pytest.mark.parametrize("seed", range(3))
def test_strips_of_one_pass_and_contacts_of_a_group_have_no_body_in_common(seed):
    found, sides, bodies = strips_of(COUNT, seed)
    for k in range(0, len(sides), 8):
        group = sides[k : k + 8].ravel()
        group = group[group < found.bodies]
        assert len(np.unique(group)) == len(group)
    for same in (bodies[: found.even], bodies[found.even :]):
        assert sum(map(len, same)) == len(set().union(*same))
    assert len(np.unique(found.slots)) == COUNT


def test_bodies_are_carried_on_before_their_first_contact():
    """By the strip itself, or by an even one, which comes before it"""
    found, _, bodies = strips_of(5000 if COMPILED else COUNT)
    assert found.even > (2 if COMPILED else 0)
    owned = [set(range(a, b)) for a, b in found.owned.reshape(-1, 2)]
    assert sorted(body for some in owned for body in some) == list(range(found.bodies))
    for k, here in enumerate(bodies):
        beside = owned[max(k - found.even, 0) : min(k - found.even + 2, found.even)] if k >= found.even else []
        assert here <= owned[k].union(*beside)


@pytest.mark.parametrize(
    ("strip", "expected"),
    [
        ([0], [0, 5]),
        ([0, 0, 0], [0, 5]),
        ([0, 0, 1], [0, 3, 3, 5]),
        ([0, 1, 2], [0, 2, 2, 5, 2, 2]),
        ([0, 1, 1], [0, 2, 2, 5]),
    ],
)
def test_bodies_of_strips_by_hand(strip, expected):
    """Cases: no contacts, two of the lowest level, one of the next, one of the last; first and last body of each strip."""
    nearest = np.minimum([-1, 0, 1, 2, 2], len(strip) - 1)
    assert strips.bodies_of_strips(np.array(strip), nearest).tolist() == expected


def test_a_body_that_all_others_touch_is_not_laid_out():
    """Groups of its contacts would have one member each."""
    pattern = np.zeros((100, 101))
    pattern[:, 0], pattern[np.arange(100), np.arange(1, 101)] = 1.0, 1.0
    star = blocks_of(np.kron(pattern, np.ones((3, 6))), np.arange(0, 301, 3), np.arange(0, 607, 6))
    assert strips.make_strips(star, star, 0, 100, 0, 101) is None
