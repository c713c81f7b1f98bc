"""Mechanisms whose inertia matrices are factorised, and each of the two methods for all of their trees.

Which method a tree gets follows from what is cheaper, and short trees of all types of joints get one alone: to see both on
all of them, the function that decides is replaced.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.articulated.model import trees
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.mechanisms import MOVING, random_body, random_description, random_joint, random_state

EPS = np.finfo(float).eps


def forest(mimic=False, seed=3):
    """Four trees of hinges and other joints, added in turns, two of them tied by a mimic joint."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("forest")
    kinds = ("revolute", "free", "spherical", "revolute", "cylindrical", "revolute", "exponential", "prismatic")
    for k in range(16):
        tree, kind = k % 4, kinds[k % 8] if k > 3 else ("revolute", "free", "prismatic", "revolute")[k]
        options = random_joint(rng, kind, passive=True)
        if mimic and k in (8, 15):
            kind, options = "revolute", {"axis": rng.normal(size=3), "position": rng.normal(size=3)}
            options["mimic"] = ("j3", -0.7, 0.1) if k == 8 else ("j2", 0.4, 0.0)
        builder.add_body(f"b{k}", **random_body(rng))
        builder.add_joint(f"j{k}", kind, parent=f"b{k - 4}" if k > 3 else "world", child=f"b{k}", **options)
        assert tree == k % 4
    return builder.build()


def coupled_branches():
    """Three branches on a trunk; the third has mimic joints that follow joints of the first and of the second.

    Eliminating the second branch's joint then couples that branch's first joint with the first branch: a place that is zero
    in the matrix, and not in its factors.
    """
    rng = np.random.default_rng(9)
    builder = ModelBuilder("coupled branches")
    parents = {"trunk": "world", "b": "trunk", "c": "b", "d": "trunk", "e": "d", "f": "trunk", "g": "f"}
    for name, parent in parents.items():
        mimic = {"f": ("c", 0.7, 0.1), "g": ("e", -0.4, 0.2)}.get(name)
        builder.add_body(name, **random_body(rng))
        options = {"axis": rng.normal(size=3), "position": rng.normal(size=3)}
        builder.add_joint(name, "revolute", parent, name, mimic=mimic, **options)
    return builder.build()


MODELS = {
    "every joint type": lambda: random_description(0, len(MOVING)).build(),
    "breadth first": lambda: random_description(1, len(MOVING) + 3).build("breadth"),
    "shuffled": lambda: random_description(2, len(MOVING) + 3).build(np.random.default_rng(1)),
    "chain": lambda: random_description(4, 9, ("revolute", "spherical", "prismatic"), branching=0.0).build(),
    "mimic joints": lambda: build_for_mimic(mimic=True),
    "forest": forest,
    "tied forest": lambda: forest(mimic=True),
    "coupled branches": coupled_branches,
    "nothing moves": lambda: ModelBuilder().build(),
}


@pytest.fixture(params=["packed", "sweeps"])
def method(request, monkeypatch):
    """Factorise all trees by one method, even if the other is cheaper; those with mimic joints are always packed."""
    choose(monkeypatch, request.param)
    return request.param


def choose(monkeypatch, name):
    """Let all trees of four links and more be swept, or none."""
    swept = name == "sweeps"
    monkeypatch.setattr(trees, "cheaper_by_sweeps", lambda t, link, number, depth, first: (np.diff(first) >= 4) & swept)


def by_both_methods(monkeypatch, compute):
    """Compute arrays by each method, of a model of all kinds of joints and a configuration; they agree to rounding."""
    found = []
    for name in ("packed", "sweeps"):
        with monkeypatch.context() as patch:
            choose(patch, name)
            model = random_description(8, 12, ("revolute", "spherical", "exponential", "helical")).build()
            found.append(compute(model, random_state(model, 8)["q"][0]))
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-9 * np.abs(one).max())


def allowed(H, factor=100.0):
    """Return the bound on a residual's rounding error, for each matrix: ``factor`` n eps times the condition number."""
    return factor * H.shape[-1] * EPS * np.array([np.linalg.cond(h) if h.size else 1.0 for h in H])
