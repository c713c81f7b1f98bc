"""The inertia matrix tree by tree: what is packed, what its factors solve, its inverse, and what is singular.

A solution of ``H x = b`` by factors of H, or of a few roundings of it, has a residual of a small multiple of
``eps cond(H)``, relative to b; so has the inverse.
"""

import tracemalloc

import numpy as np
import pytest

from benchmarks.measuring.mechanisms import chain
from pluecker.articulated import (
    ModelBuilder,
    SingularInertiaError,
    aba,
    bias_force,
    crba,
    crba_packed,
    factorize,
    inertia_pattern,
    minv,
    rnea,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError
from tests.articulated.algorithms.inertia.methods import (  # noqa: F401
    MODELS,
    allowed,
    by_both_methods,
    forest,
    method,
)
from tests.conftest import COMPILED
from tests.mechanisms import random_body, random_rotation, random_state
from tests.models import free_bodies

EPS = np.finfo(float).eps
N = 40 if COMPILED else 4


@pytest.fixture(params=MODELS)
def model(request, method):  # noqa: F811
    return MODELS[request.param]()


# ------------------------------------------------------------------------------------------------------ trees and pattern


@pytest.mark.parametrize("name", MODELS)
def test_each_coordinate_and_each_link_is_on_one_tree(name):
    model = MODELS[name]()
    assert sorted(k for tree in model.trees for k in tree.v) == list(range(model.nv))
    assert sorted(k for tree in model.trees for k in tree.links) == list(range(1, model.n_links + 1))
    assert sorted(name for tree in model.trees for name in tree.bodies) == sorted(model.body_names)
    assert all(tree.root == tree.bodies[0] for tree in model.trees)


def test_trees_are_those_of_the_joints_and_mimic_joints_tie_them():
    roots = {tree.root: set(tree.bodies) for tree in forest().trees}
    assert roots == {f"b{k}": {f"b{j}" for j in range(k, 16, 4)} for k in range(4)}
    tied = forest(mimic=True)
    assert [len(tree.bodies) for tree in tied.trees] == [12, 4]
    assert tied.trees[1].root == "b1"


@pytest.mark.parametrize("name", MODELS)
def test_packed_entries_are_those_of_the_matrix_and_all_others_are_zero(name):
    model = MODELS[name]()
    q = random_state(model, 1, 3)["q"]
    rows, columns = inertia_pattern(model)
    H = np.zeros((3, model.nv, model.nv))
    packed = crba_packed(model, q)
    assert packed.shape == (3, len(rows))
    H[:, rows, columns] = H[:, columns, rows] = packed
    np.testing.assert_array_equal(H, crba(model, q))
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == len(rows)
    block = np.zeros((model.nv, model.nv), dtype=bool)
    for tree in model.trees:
        block[np.ix_(tree.v, tree.v)] = True
    assert block[rows, columns].all()


def test_a_branch_meets_only_its_own_way_to_the_world():
    """A trunk of one hinge with arms of two: 1 + 3 (2 + 3) entries, where a dense factor would have 28."""
    builder = ModelBuilder()
    rng = np.random.default_rng(1)
    builder.add_body("trunk", **random_body(rng))
    builder.add_joint("waist", "revolute", "world", "trunk", axis=(0, 0, 1))
    for arm in "abc":
        for parent, child in (("trunk", f"{arm}1"), (f"{arm}1", f"{arm}2")):
            builder.add_body(child, **random_body(rng))
            builder.add_joint(f"to_{child}", "revolute", parent, child, axis=rng.normal(size=3))
    model = builder.build()
    assert crba_packed(model, np.zeros(7)).shape == (16,)
    assert factorize(model, np.zeros(7)).values.shape == (16,)


# ------------------------------------------------------------------------------------------------------------- solutions


def test_solutions_satisfy_the_equation(model):
    q = random_state(model, 3, N)["q"]
    H, b = crba(model, q), np.random.default_rng(1).normal(size=(N, model.nv))
    x = factorize(model, q).solve(b)
    residual = np.abs(np.einsum("kij,kj->ki", H, x) - b).max(axis=1, initial=0.0)
    assert (residual <= allowed(H) * np.abs(b).max(initial=1.0)).all()


def test_forward_dynamics_is_the_solution_for_force_less_bias(model):
    s = {key: values[0] for key, values in random_state(model, 4).items()}
    bias = bias_force(model, s["q"], s["v"], s["f_ext"])
    found = factorize(model, s["q"]).solve(s["tau"] - bias)
    expected = aba(model, s["q"], s["v"], s["tau"], s["f_ext"])
    limit = allowed(crba(model, s["q"])[None])[0] * (np.abs(expected).max(initial=1.0) + np.abs(bias).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=limit)


@pytest.mark.indices
def test_many_right_hand_sides_are_solved_as_one_by_one(model):
    q = random_state(model, 5, 3)["q"]
    b = np.random.default_rng(2).normal(size=(11, 1, model.nv))
    factor = factorize(model, q)
    together = factor.solve(b)
    assert together.shape == (11, 3, model.nv)
    for j in range(3):
        one = factorize(model, q[j])
        for k in (0, 10):
            alone = one.solve(b[k, 0])
            np.testing.assert_allclose(together[k, j], alone, rtol=1e-9, atol=1e-9 * np.abs(alone).max(initial=1.0))
    out = np.full(together.shape, np.nan)
    assert factor.solve(b, out=out, threads=2) is out
    np.testing.assert_array_equal(out, together)


def test_the_pivots_of_all_methods_multiply_to_the_determinant(model):
    """det H = det D: L is unit triangular"""
    q = random_state(model, 6)["q"][0]
    pivots = np.diagonal(factorize(model, q).product("D", np.eye(model.nv)))
    _, logarithm = np.linalg.slogdet(crba(model, q))
    np.testing.assert_allclose(np.log(pivots).sum(), logarithm, rtol=1e-10, atol=1e-10)


@pytest.mark.indices
def test_the_inverse_times_the_matrix_is_one(model):
    q = random_state(model, 7, N)["q"]
    H, Z = crba(model, q), minv(model, q)
    np.testing.assert_array_equal(Z, Z.swapaxes(-1, -2))
    error = np.abs(Z @ H - np.eye(model.nv)).max(axis=(1, 2), initial=0.0)
    assert (error <= allowed(H)).all()
    alone = minv(model, q[0])
    np.testing.assert_allclose(Z[0], alone, rtol=0.0, atol=allowed(H)[0] * np.abs(alone).max(initial=1.0))


def test_the_solution_does_not_depend_on_the_method(monkeypatch):
    by_both_methods(monkeypatch, lambda model, q: (factorize(model, q).solve(np.ones(model.nv)), minv(model, q)))


# ------------------------------------------------------------------------------------------------- what it takes, and where


def test_long_chains_are_swept_and_short_ones_and_those_with_mimic_joints_are_packed():
    assert not chain(10).model.coordinate_tree.sweeps.any()
    assert chain(100).model.coordinate_tree.sweeps.all()
    size = [factorize(chain(n).model, np.zeros(n)).values.size for n in (100, 200)]
    assert size[1] == 2 * size[0]  # in proportion to the length, as the time
    builder = ModelBuilder()
    for k in range(60):
        builder.add_body(f"b{k}", mass=1.0, center_of_mass=(0.1, 0, 0), inertia=(1, 1, 1))
        mimic = ("j3", 0.5, 0.0) if k == 50 else None
        builder.add_joint(
            f"j{k}",
            "revolute",
            f"b{k - 1}" if k else "world",
            f"b{k}",
            axis=(0, 0, 1),
            position=(0.2, 0, 0),
            mimic=mimic,
        )
    assert not builder.build().coordinate_tree.sweeps.any()


def test_a_forest_needs_memory_in_proportion_to_its_bodies():
    """10,000 free bodies: 210,000 entries; a matrix of nv x nv would have 3.6e9. Less where kernels are not compiled."""
    n = 10_000 if COMPILED else 100
    model = free_bodies(n, 1.0 + np.arange(n), (1.0, 2.0, 2.5))
    q = np.zeros((n, 7))
    q[:, 3] = 1.0
    q, b = q.ravel(), np.ones(model.nv)
    assert len(model.trees) == n
    factorize(model, q).solve(b)  # what belongs to the model is made, and kernels are compiled
    tracemalloc.start()
    packed, x = crba_packed(model, q), factorize(model, q).solve(b)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert packed.shape == (21 * n,)
    np.testing.assert_allclose(
        x.reshape(n, 6), 1.0 / np.array([[1.0, 2.0, 2.5, 1.0 + k, 1.0 + k, 1.0 + k] for k in range(n)]), rtol=1e-12
    )
    assert peak < 5000 * n  # 50 MB for the 10,000 of them


def test_a_chain_of_a_thousand_is_solved():
    n = 1000 if COMPILED else 60
    model = chain(n).model
    rng = np.random.default_rng(0)
    q, a = rng.normal(size=n), rng.normal(size=n)
    zero = np.zeros(n)
    b = rnea(model, q, zero, a) - rnea(model, q, zero, zero)
    found = factorize(model, q).solve(b)
    again = rnea(model, q, zero, found) - rnea(model, q, zero, zero)
    np.testing.assert_allclose(again, b, rtol=0.0, atol=1e-12 * n * np.abs(b).max())


# --------------------------------------------------------------------------------------------------------------- refused


def test_a_point_mass_on_its_axis_is_singular_however_it_is_turned(method):  # noqa: F811
    """The moment about the axis is rounding error of the moment about the root, not zero."""
    refused, rng = 0, np.random.default_rng(6)
    for _ in range(8):
        builder = ModelBuilder()
        for k in range(4):
            options = {"position": rng.normal(size=3), "rotation": random_rotation(rng)}
            axis = rng.normal(size=3)
            body = {"mass": 3.0, "center_of_mass": 0.7 * axis} if k == 3 else random_body(rng)
            builder.add_body(f"b{k}", **body)
            builder.add_joint(f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", axis=axis, **options)
        model = builder.build()
        q = rng.normal(size=4)
        for function in (factorize, minv):
            with pytest.raises(SingularInertiaError, match="'j3' moves no inertia"):
                function(model, q)
        refused += crba(model, q)[3, 3] != 0.0
    assert refused > 0  # in some of them the entry is not zero


def test_right_hand_sides_are_checked():
    model = forest()
    factor = factorize(model, random_state(model, 0, 2)["q"])
    assert repr(factor) == f"InertiaFactor of model 'forest': LTDL, nv = {model.nv}, batch (2,)"
    b = np.zeros(model.nv)
    with pytest.raises(
        ArgumentValueError, match=rf"InertiaFactor.solve: b has shape \(3,\), expected \(\.\.\., {model.nv}\)"
    ):
        factor.solve(b[:3])
    with pytest.raises(ArgumentValueError, match="the leading axes do not broadcast"):
        factor.solve(np.zeros((3, model.nv)))
    b[2] = np.nan
    with pytest.raises(ArgumentValueError, match=r"InertiaFactor.solve: b\[2\] is nan, expected a finite number"):
        factor.solve(b)
    with pytest.raises(ArgumentTypeError, match="inertia_pattern: model must be a pluecker"):
        inertia_pattern("forest")
    with pytest.raises(ArgumentTypeError, match="factorize: model must be a pluecker"):
        factorize(None, b)


def test_a_result_that_overflows_is_an_error():
    model = forest()
    with pytest.raises(ArgumentValueError, match=r"InertiaFactor\.solve: the result overflows float64"):
        factorize(model.replace(armature=1e-3), random_state(model, 0)["q"][0]).solve(np.full(model.nv, 1.7e308))
