"""Large islands in groups of eight contacts: the sweep in their order is a sweep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact import solve
from tests.conftest import COMPILED
from tests.contact.friction.first_order.large_islands import KINDS, LAWS, all_are_large, both_ways

__all__ = ["all_are_large"]  # a fixture

SWEEPS = pytest.mark.parametrize("method", ["pgs", "psor"])


def projected(z, mu):
    """The nearest points of |r_t| <= mu r_n."""
    normal, tangent = z[:, 0], np.hypot(z[:, 1], z[:, 2])
    height = np.where(tangent <= mu * normal, normal, np.maximum(0.0, (normal + mu * tangent) / (1.0 + mu * mu)))
    shrunk = np.minimum(1.0, mu * height / np.where(tangent > 0.0, tangent, 1.0))
    return np.column_stack([height, z[:, 1:] * shrunk[:, None]])


def updated(problem, result, law, relaxation, contact, others):
    """Impulses that one contact comes to from nothing, for each choice of those others whose impulses are there already."""
    N, mu = problem.matrix().toarray(), problem.sets.friction[contact, 0]
    s, mine = result.blocks.scale[3 * contact], slice(3 * contact, 3 * contact + 3)
    choices = np.array(list(itertools.product([0.0, 1.0], repeat=len(others)))).reshape(2 ** len(others), -1)
    pushed = [N[mine, 3 * j : 3 * j + 3] @ result.multipliers[3 * j : 3 * j + 3] for j in others]
    u = s * (problem.offset[mine] + choices @ np.array(pushed).reshape(-1, 3))
    if law == "ncp":
        u[:, 0] += mu * np.hypot(u[:, 1], u[:, 2])
    step = relaxation / np.linalg.eigvalsh(s * s * N[mine, mine])[-1]
    return choices, s * projected(-step * u, mu)


@LAWS
@pytest.mark.parametrize("kind", KINDS)
def test_a_sweep_in_groups_takes_one_contact_after_the_other(law, kind, all_are_large):
    """Each contact sees the new impulses of some others and the old ones of the rest; of two that touch one is the first."""
    problem, count = KINDS[kind](40), 40
    result = solve(
        problem, law, "psor", relaxation=1.3, tol=1e-300, max_iterations=1, separate=False, form="factors", threads=1
    )
    r, N = result.multipliers.reshape(-1, 3), problem.matrix().toarray()
    touches = np.abs(N).reshape(count, 3, count, 3).max(axis=(1, 3)) > 0.0
    before, size = np.full((count, count), -1), np.abs(r).max()
    for contact in range(count):
        others = [j for j in np.flatnonzero(touches[contact]) if j != contact and r[j].any()]
        choices, found = updated(problem, result, law, 1.3, contact, others)
        fits = np.abs(found - r[contact]).max(axis=1) <= 1e-6 * size
        assert fits.any(), contact
        if fits.sum() == 1:
            before[contact, others] = choices[fits.argmax()]
    known = (before >= 0) & (before.T >= 0)
    assert known.sum() > count // 2  # most impulses are zero after one sweep
    assert (before + before.T)[known].tolist() == [1] * known.sum()


@SWEEPS
@LAWS
def test_sweeps_in_groups_and_in_the_usual_order_have_one_limit(method, law, monkeypatch):
    """Both take about as many sweeps. With a compliance multipliers are unique in the convex law, and near each other in
    Coulomb's.
    """
    problem, tol = packing(60).with_compliance(0.1), 1e-9 if COMPILED else 1e-5
    small, large = both_ways(monkeypatch, problem, law, method, tol=tol, max_iterations=4000)
    assert small.converged
    assert large.converged
    size = np.abs(small.multipliers).max()
    assert np.abs(small.multipliers - large.multipliers).max() <= 1e4 * tol * size
    assert 0.5 < large.iterations / small.iterations < 2.0


@SWEEPS
def test_methods_of_sweeps_keep_the_best_error(method, all_are_large):
    result = solve(packing(60).with_compliance(0.1), "ncp", method, tol=1e-4, separate=False, history=True)
    assert result.converged
    assert result.history[-1, 1] <= 1e-4
    assert (np.diff(result.history[:, 1]) <= 0.0).all()
