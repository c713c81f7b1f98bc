"""Large islands for tests: problems, and sizes from which islands are large that are lowered.

Looks inside for these sizes alone: with them small problems, which plain Python solves too, go the way of large ones, and
the same problem can be solved in both ways. Results are those of ``solve``.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact import solve
from pluecker.contact.friction import solving
from pluecker.contact.friction.first_order import sharing
from tests.conftest import COMPILED
from tests.contact.any_blocks import of_two_factors

__all__ = [
    "COUNT", "KINDS", "LAWS", "all_are_large", "both_ways", "compiled_only", "lower_sizes", "start_of", "sweeps_alone",
]  # fmt: skip

COUNT = 150 if COMPILED else 21  # contacts: no multiple of eight
LAWS = pytest.mark.parametrize("law", ["ccp", "ncp"])
compiled_only = pytest.mark.skipif(not COMPILED, reason="without compilation there is one thread")
KINDS = {
    "root": packing,
    "two matrices": lambda count: of_two_factors(packing(count)),
    "soft": lambda count: packing(count).with_compliance(0.1),
    "steep": lambda count: packing(count).with_friction(3.0),
    "frictionless": lambda count: packing(count).with_friction(0.0),
}


def lower_sizes(monkeypatch, contacts=1):
    """Let islands of so many contacts count as large, with matrices that threads share."""
    monkeypatch.setattr(sharing, "WIDE", contacts)
    monkeypatch.setattr(solving.preparation, "BOTH", contacts)


@pytest.fixture
def all_are_large(monkeypatch):
    lower_sizes(monkeypatch)


def start_of(problem, seed):
    """Multipliers of all signs, about as large as those of a solution."""
    size = np.abs(problem.offset).max() / problem.matrix().diagonal().mean()
    return np.random.default_rng(seed).normal(size=problem.size) * size


def both_ways(monkeypatch, problem, law, method, **options):
    """Solve a problem of one island as a small one, and as a large one."""
    options = {"tol": 1e-300, "separate": False, "form": "factors", "history": True, **options}
    small = solve(problem, law, method, **options)
    with monkeypatch.context() as patch:
        lower_sizes(patch)
        return small, solve(problem, law, method, **options)


def sweeps_alone(monkeypatch):
    """Let any island count as one of many contacts, whose factors as a whole take too long."""
    lower_sizes(monkeypatch)
    monkeypatch.setattr(solving.islands.automatic, "LARGE", 0)
    monkeypatch.setattr(solving.islands.island, "LONGEST_FACTOR", 0.0)
    monkeypatch.setattr(solving.islands.newton, "NUMBER", -1)
