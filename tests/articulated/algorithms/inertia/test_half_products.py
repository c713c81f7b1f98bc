"""Products with one factor of the inertia matrix: ``H = L^T D L`` and ``H = L^T L``.

The oracle is NumPy's Cholesky factor of the dense matrix with its rows in reverse order, ``H = U U^T`` with U upper
triangular, so that ``L = U^T``. Both lose a small multiple of eps times the condition number of H.
"""

import numpy as np
import pytest

from pluecker.articulated import crba, factorize, inertia_pattern, kinetic_energy
from pluecker.spatial import ArgumentTypeError, ArgumentValueError
from tests.articulated.algorithms.inertia.methods import MODELS, allowed, by_both_methods, method  # noqa: F401
from tests.conftest import COMPILED
from tests.mechanisms import random_state
from tests.models import one_body

EPS = np.finfo(float).eps
N = 10 if COMPILED else 2
PRODUCTS = ("L", "L^T", "L^-1", "L^-T")


@pytest.fixture(params=[name for name in MODELS if name != "nothing moves"])
def model(request, method):  # noqa: F811
    return MODELS[request.param]()


def dense(model, H):
    """L of H = L^T L by NumPy, for rows from the roots on, in the order of v; and the diagonal of D."""
    order = np.concatenate([tree.v for tree in model.trees])
    back = np.argsort(order)
    U = np.linalg.cholesky(H[np.ix_(order[::-1], order[::-1])])[::-1, ::-1]
    return U.T[np.ix_(back, back)], np.diag(U)[back] ** 2


def matrix(factor, which):
    """The factor itself: of unit vectors, one a row, the product gives its columns as rows."""
    return factor.product(which, np.eye(factor.model.nv)).T


@pytest.mark.parametrize("form", ["LTL", "LTDL"])
def test_factors_are_those_of_dense_cholesky_in_reverse_order(model, form):
    q = random_state(model, 11)["q"][0]
    H = crba(model, q)
    L, D = dense(model, H)
    if form == "LTDL":
        L = L / np.sqrt(D)[:, None]
    factor, limit = factorize(model, q, form=form), allowed(H[None])[0]
    expected = {"L": L, "L^T": L.T, "L^-1": np.linalg.inv(L), "L^-T": np.linalg.inv(L).T}
    if form == "LTDL":
        expected |= {"D": np.diag(D), "D^-1": np.diag(1.0 / D)}
    for which, known in expected.items():
        np.testing.assert_allclose(matrix(factor, which), known, rtol=0.0, atol=limit * np.abs(known).max())


def test_factors_have_entries_only_where_the_matrix_can_have_some(model):
    q = random_state(model, 12)["q"][0]
    rows, columns = inertia_pattern(model)
    pattern = np.zeros((model.nv, model.nv), dtype=bool)
    pattern[rows, columns] = True
    factor = factorize(model, q, form="LTL")
    for which in ("L", "L^-1"):
        assert not matrix(factor, which)[~pattern].any()


def test_products_compose_to_the_matrix_and_to_its_inverse_in_batches(model):
    q = random_state(model, 13, N)["q"]
    x = np.random.default_rng(3).normal(size=(4, 1, model.nv))
    H = crba(model, q)
    Hx, limit = np.einsum("kij,akj->aki", H, x), allowed(H) * np.abs(H).max(axis=(1, 2))
    root, unit = factorize(model, q, form="LTL"), factorize(model, q)
    half = root.product("L", x)
    assert half.shape == (4, N, model.nv)
    for found in (
        root.product("L^T", half),
        unit.product("L^T", unit.product("D", unit.product("L", x))),
    ):
        assert (np.abs(found - Hx).max(axis=(0, 2)) <= limit * np.abs(x).max()).all()
    solution = root.solve(x)
    for found in (
        root.product("L^-1", root.product("L^-T", x)),
        unit.product("L^-1", unit.product("D^-1", unit.product("L^-T", x))),
    ):
        assert (np.abs(found - solution).max(axis=(0, 2)) <= allowed(H) * np.abs(solution).max()).all()
    for which in PRODUCTS:
        together = root.product(which, x)
        out = np.full(together.shape, np.nan)
        assert root.product(which, x, out=out, threads=2) is out
        np.testing.assert_array_equal(out, together)
        alone = factorize(model, q[1], form="LTL").product(which, x[2, 0])
        np.testing.assert_allclose(together[2, 1], alone, rtol=0.0, atol=allowed(H)[1] * np.abs(alone).max())


def test_the_length_of_a_half_product_is_the_kinetic_energy(model):
    s = {key: values[0] for key, values in random_state(model, 14).items()}
    y = factorize(model, s["q"], form="LTL").product("L", s["v"])
    np.testing.assert_allclose(0.5 * y @ y, kinetic_energy(model, s["q"], s["v"]), rtol=100 * model.nv * EPS)


def test_products_do_not_depend_on_the_method(monkeypatch):
    def products(model, q):
        factor = factorize(model, q, form="LTL")
        return [factor.product(which, np.arange(model.nv)) for which in PRODUCTS]

    by_both_methods(monkeypatch, products)


def test_what_is_no_form_and_no_factor_is_refused():
    model = one_body("rod", "revolute", 2.0, (0.5, 0, 0), axis=(0, 1, 0))
    for form in ("LDL", "ltl"):
        with pytest.raises(ArgumentValueError, match=f"factorize: form is '{form}', expected 'LTDL' or 'LTL'"):
            factorize(model, [0.0], form=form)
    with pytest.raises(ArgumentTypeError, match="factorize: form is 3, expected 'LTDL' or 'LTL'"):
        factorize(model, [0.0], form=3)
    factor = factorize(model, [0.0], form="LTL")
    assert "LTL" in repr(factor)
    with pytest.raises(
        ArgumentValueError, match=r"product: factor is 'D', expected one of 'L', 'L\^T', .* in the form LTL"
    ):
        factor.product("D", [1.0])
    with pytest.raises(ArgumentTypeError, match=r"InertiaFactor.product: factor is None, expected one of 'L'"):
        factor.product(None, [1.0])
    with pytest.raises(ArgumentValueError, match=r"InertiaFactor.product: x has shape \(2,\)"):
        factor.product("L", [1.0, 2.0])
