"""Data and arguments that cannot be are refused with one sentence that names the row; nothing that was passed changes."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from pluecker.contact import (
    METHODS,
    Bodies,
    Problem,
    ProblemError,
    compare_methods,
    errors_of,
    friction_lcp,
    read_fclib,
    soft_contact,
    solve,
    write_fclib,
)
from pluecker.spatial import ArgumentTypeError

pytestmark = pytest.mark.plain

NAN, INF = np.nan, np.inf
REFUSED = ProblemError, ArgumentTypeError


def good(**changes):
    """Arguments of from_delassus for two contacts and two rows."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 9))
    data = {"W": A @ A.T, "q": rng.normal(size=8), "friction": np.array([0.3, 0.6]), "rows": ([-1.0, -INF], [1.0, INF])}
    return {**data, **changes}


def factors(**changes):
    """Arguments of from_factors for the same."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 6))
    data = {
        "M": np.kron(np.eye(2), A @ A.T + np.eye(6)),
        "J": rng.normal(size=(12, 8)).T,
        "f": rng.normal(size=12),
        "w": rng.normal(size=8),
        "friction": np.array([0.3, 0.6]),
        "rows": ([-1.0, -INF], [1.0, INF]),
    }
    return {**data, **changes}


def put(array, index, value):
    out = np.array(array, dtype=float)
    out[index] = value
    return out


W, M = good()["W"], factors()["M"]


DELASSUS = [
    ({"W": put(W, (1, 2), NAN)}, r"W\[1, 2\] is nan"),
    ({"W": scipy.sparse.csc_matrix(put(W, (1, 2), NAN))}, r"W\[1, 2\] is nan"),
    ({"W": scipy.sparse.csr_matrix(W * 1j)}, "complex"),
    ({"W": put(W, (4, 4), INF)}, r"W\[4, 4\] is inf"),
    ({"W": W[:, :7]}, r"W is \(8, 7\), expected \(8, 8\)"),
    ({"W": W[:7, :7]}, r"W is \(7, 7\), expected \(8, 8\)"),
    ({"W": W[0]}, r"W has shape \(8,\)"),
    ({"W": put(W, (0, 3), W[0, 3] + 1e-3)}, r"W is not symmetric: W\[0, 3\] is .* and W\[3, 0\] is"),
    ({"W": -W}, "W is not positive semidefinite"),
    ({"W": W - 1.01 * np.linalg.eigvalsh(W)[0] * np.eye(8) - 1e-3 * np.eye(8)}, "W is not positive semidefinite"),
    ({"W": put(W, (5, 5), -1.0)}, r"W is not positive semidefinite: W\[5, 5\] is -1"),
    ({"q": np.zeros((8, 1))}, r"q has shape \(8, 1\)"),
    ({"q": put(good()["q"], 3, NAN)}, r"q\[3\] is nan"),
    ({"W": put(W, (4, 4), 1e308)}, r"W\[4, 4\] is 1e\+308, expected no number above 1e\+150"),
    ({"W": put(put(W, (1, 2), -1e151), (2, 1), -1e151)}, r"W\[1, 2\] is -1e\+151, expected no number above 1e\+150"),
    ({"W": np.ma.masked_array(W, W > 1.0)}, "W has masked entries, expected a matrix of real numbers"),
    ({"q": np.ma.masked_array(np.zeros(8), np.arange(8) == 3)}, "q has masked entries, expected a vector of real"),
    ({"q": put(good()["q"], 3, 1e200)}, r"q\[3\] is 1e\+200, expected no number above 1e\+150"),
    ({"q": np.zeros(6)}, r"q has shape \(6,\), expected \(8,\) for 2 contacts of size 3 and 2 rows"),
    ({"q": np.zeros(3), "size": 2, "rows": None}, r"expected \(4,\) for 2 contacts of size 2 and 0 rows"),
    ({"q": np.zeros(3), "size": 6, "rows": ([0.0], [1.0])}, r"expected \(13,\) for 2 contacts of size 6 and 1 row$"),
    ({"friction": [0.3, -0.1]}, "contact 1: friction is -0.1"),
    ({"friction": [NAN, 0.1]}, "contact 0: friction is nan"),
    ({"friction": [0.3, INF]}, "contact 1: friction is inf"),
    ({"friction": [0.3, 1e151]}, r"contact 1: friction is 1e\+151, expected .* nor above 1e\+150"),
    (
        {"friction": [[0.3, 0.0], [0.3, 0.1]]},
        "contact 1: rolling friction is 0.1, but a contact of size 3 has no component",
    ),
    (
        {"friction": [[0.3, 0.0, 0.2], [0.3, 0.0, 0.0]]},
        "contact 0: spinning friction is 0.2, but a contact of size 3 has no",
    ),
    ({"friction": [0.0, 0.5], "size": 1}, "contact 1: friction is 0.5, but a contact of size 1 has no component"),
    (
        {"friction": [[0.1, 0.1, 0.1]] * 2, "size": 5},
        "contact 0: spinning friction is 0.1, but a contact of size 5 has",
    ),
    ({"friction": np.ma.masked_array([0.1, 0.2], [True, False])}, "friction has masked entries"),
    ({"friction": 0.3}, "friction has shape"),
    ({"friction": np.ones((2, 4))}, r"friction has shape \(2, 4\)"),
    ({"size": 4}, "size is 4, expected one of 1, 2, 3, 5, 6"),
    ({"compliance": np.ones(7)}, r"compliance has shape \(7,\)"),
    ({"compliance": put(np.ones(8), 2, -1e-9)}, r"compliance\[2\] is -1e-09"),
    ({"compliance": put(np.ones(8), 2, NAN)}, r"compliance\[2\] is nan"),
    ({"rows": ([1.0, 0.0], [-1.0, 0.0])}, "row 0: bounds are 1.0 and -1.0"),
    ({"rows": ([0.0, NAN], [1.0, 1.0])}, "row 1: bounds are nan"),
    ({"rows": ([0.0, INF], [1.0, INF])}, "row 1: bounds are inf"),
    ({"rows": ([0.0, -INF], [1.0, -INF])}, "row 1: bounds are -inf"),
    ({"rows": ([0.0, 0.0], [1.0])}, r"rows: lower has shape \(2,\) and upper \(1,\)"),
    ({"rows": ([0.0, 0.0],)}, "rows"),
]


def check_sentence(call, message):
    """Check that a call is refused with one sentence that holds the message."""
    with pytest.raises(REFUSED) as caught:
        call()
    error, text = caught.value, str(caught.value)
    assert re.search(message, text), text
    assert "\n" not in text
    assert len(text) < 250
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


FACTORS = [
    ({"M": -M}, "M is not positive definite in rows 0 to 5"),
    ({"M": put(M, (6, 6), -1.0)}, "M is not positive definite in rows 6 to 11"),
    ({"M": M * 0}, "M is not positive definite in rows"),
    ({"M": put(M, (0, 3), 5.0)}, r"M is not symmetric: M\[0, 3\] is 5"),
    ({"M": put(M, (7, 7), NAN)}, r"M\[7, 7\] is nan"),
    ({"M": M[:, :11]}, r"M is \(12, 11\), expected a square matrix"),
    ({"M": M[:11, :11]}, r"J is \(8, 12\), expected \(8, 11\)"),
    ({"J": np.zeros((12, 8))}, r"J is \(12, 8\), expected \(8, 12\)"),
    ({"J": put(factors()["J"], (5, 2), INF)}, r"J\[5, 2\] is inf"),
    ({"f": np.zeros(11)}, r"f has shape \(11,\)"),
    ({"f": put(np.zeros(12), 4, NAN)}, r"f\[4\] is nan"),
    ({"w": put(np.zeros(8), 0, INF)}, r"w\[0\] is inf"),
    ({"compliance": -np.ones(8)}, r"compliance\[0\] is -1"),
    ({"compliance": np.full(8, 1e160)}, r"compliance\[0\] is 1e\+160, expected no number above 1e\+150"),
    ({"J": put(factors()["J"], (5, 2), 1e160)}, r"J\[5, 2\] is 1e\+160, expected no number above 1e\+150"),
    ({"f": put(np.zeros(12), 4, -1e160)}, r"f\[4\] is -1e\+160, expected no number above 1e\+150"),
    ({"w": put(np.zeros(8), 4, 1e160)}, r"w\[4\] is 1e\+160, expected no number above 1e\+150"),
    ({"w": np.zeros(9)}, r"w has shape \(9,\), expected \(8,\) for 2 contacts of size 3 and 2 rows"),
    ({"J": np.zeros((7, 12))}, r"expected \(8, 12\) for M of 12 rows, for 2 contacts of size 3 and 2 rows"),
    ({"M": 1e-200 * M}, r"M\^-1 f \[\d+\] is .*e\+\d\d\d, expected no number above 1e\+150"),
    (
        {"M": 1e-200 * M, "f": np.zeros(12)},
        r"block 0, component 0: the Jacobian times M\^-1 is .*e\+\d\d\d, expected no",
    ),
    (
        {"M": 1e-310 * np.eye(12), "f": np.zeros(12)},
        r"the Jacobian times M\^-1 is -?(inf|nan), expected no number above",
    ),
    (
        {"M": 1e-140 * M, "f": np.zeros(12), "J": 1e9 * factors()["J"]},
        "block 0, component 0: the .* N is .*, expected no",
    ),
]


ARGUMENTS = [
    ({"law": "coulomb"}, "law is 'coulomb', expected one of frictionless, lcp, ccp, ncp"),
    ({"method": "simplex"}, "method is 'simplex', expected one of auto, apgd"),
    (
        {"law": "lcp", "method": "apgd"},
        "method 'apgd' solves the laws frictionless, ccp, ncp, not lcp; for that there are auto, lemke",
    ),
    ({"law": "ccp", "method": "lemke"}, "method 'lemke' solves the laws frictionless, lcp, not ccp"),
    ({"max_iterations": 10**9, "history": True}, "max_iterations is 1000000000, expected at most 10000000"),
    ({"separate": "no"}, "separate is 'no', expected True or False"),
    ({"directions": -3}, "directions is -3, expected a whole number"),
    ({"tol": 0.0}, "tol is 0.0"),
    ({"tol": INF}, "tol is inf"),
    ({"max_iterations": 0}, "max_iterations is 0"),
    ({"max_iterations": 2.5}, "max_iterations is 2.5"),
    ({"threads": 0}, "threads is 0"),
    ({"threads": 1.5}, "threads is 1.5"),
    ({"form": "dense"}, "form is .dense., expected one of best, matrix, factors"),
    ({"form": "factors"}, "has no factors"),
    ({"law": "lcp", "directions": 3}, "directions is 3"),
    ({"law": "lcp", "directions": 2}, "expected 2 for 2 directions"),
    ({"method": "psor", "relaxation": 0.0}, "relaxation is 0.0"),
    ({"method": "psor", "relaxation": 2.0}, "relaxation is 2.0"),
    ({"method": "apgd", "momentum": "heavy"}, "momentum is 'heavy', expected one of full, nesterov"),
    ({"method": "pgs", "momentum": "nesterov"}, "momentum is an argument of apgd, the method is 'pgs'"),
]


@pytest.mark.parametrize(("change", "message"), DELASSUS)
def test_bad_data_of_a_matrix(change, message):
    check_sentence(lambda: Problem.from_delassus(**good(**change)), message)


@pytest.mark.parametrize(("change", "message"), FACTORS)
def test_bad_data_of_factors(change, message):
    check_sentence(lambda: Problem.from_factors(**factors(**change)), message)


@pytest.mark.parametrize(("arguments", "message"), ARGUMENTS)
def test_bad_arguments_of_solve(arguments, message):
    check_sentence(lambda: solve(Problem.from_delassus(**good()), **arguments), message)


def test_bad_arguments_of_problems():
    problem = Problem.from_delassus(**good())
    for call, message in (
        (lambda: problem.velocity(np.zeros(3)), r"multipliers has shape \(3,\), expected \(8,\)"),
        (lambda: problem.velocity(np.full(8, NAN)), r"multipliers\[0\] is nan"),
        (lambda: problem.motion(np.zeros(8)), "this problem was made from a matrix"),
        (lambda: problem.with_friction([0.1, 0.2, 0.3]), r"friction has shape \(3, 1\), expected \(2,\)"),
        (lambda: problem.with_friction([0.1, -0.2]), "contact 1: friction is -0.2"),
        (
            lambda: problem.with_friction([[0.1, 0], [0.1, 0.5]]),
            "contact 1: rolling friction is 0.5, but a contact of size 3",
        ),
        (
            lambda: problem.with_friction([[0.1, 0, 0.5], [0.1, 0, 0]]),
            "contact 0: spinning friction is 0.5, but a contact",
        ),
    ):
        check_sentence(call, message)


def test_indefinite_matrices_are_refused_and_rounding_is_not():
    """Relative to the diagonal, whatever the number of rows is: -1e-8 is refused, -1e-10 is rounding."""
    rng = np.random.default_rng(0)
    for m in (30, 300):
        Q = np.linalg.qr(rng.normal(size=(m, m)))[0]
        for least, refused in (
            (-1e-3, True),
            (-1e-5, True),
            (-1e-8, True),
            (-1e-10, False),
            (-1e-14, False),
            (0.0, False),
        ):
            full = Q @ np.diag([least, *np.linspace(0.5, 2.0, m - 1)]) @ Q.T
            full = 0.5 * (full + full.T)
            if refused:
                with pytest.raises(ProblemError, match="W is not positive semidefinite"):
                    Problem.from_delassus(full, np.zeros(m), np.full(m // 3, 0.5))
            else:
                Problem.from_delassus(full, np.zeros(m), np.full(m // 3, 0.5))


STIFF = [(ratio, False) for ratio in (1.0, 1e8, 1e9, 1e12, 1e20)] + [(ratio, True) for ratio in (1.0, 1e8, 1e9, 1e12)]


@pytest.mark.parametrize(("ratio", "linked"), STIFF)
def test_a_stiff_contact_does_not_hide_an_indefinite_one(ratio, linked):
    indefinite = np.array([[1.0, 5, 0], [5, 1, 0], [0, 0, 1]])
    full = np.kron(np.diag([ratio, 0.0]), np.eye(3)) + np.kron(np.diag([0.0, 1.0]), indefinite)
    if linked:
        full[0, 5] = full[5, 0] = 0.5 * np.sqrt(ratio)
    message = r"W is not positive semidefinite: the elimination fails in row [345], of block 1"
    with pytest.raises(ProblemError, match=message):
        Problem.from_delassus(full, np.zeros(6), [0.5, 0.5])


def test_a_stiff_contact_does_not_hide_an_asymmetric_one():
    full = np.diag([1e9, 1e9, 1e9, 1.0, 1.0, 1.0])
    full[3, 4] = 0.5
    with pytest.raises(ProblemError, match=r"W is not symmetric: W\[3, 4\] is 0\.5 and W\[4, 3\] is 0"):
        Problem.from_delassus(full, np.zeros(6), [0.5, 0.5])


def test_rows_of_zeros_may_hold_rounding_and_nothing_else():
    for size, refused in ((1e-17, False), (1e-6, True), (0.5, True)):
        for places in (((0, 3),), ((0, 1),), ((3, 4),), ((3, 3),), ((0, 4), (3, 4))):
            full = np.diag([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
            for i, j in places:
                full[i, j] = full[j, i] = -size
            if refused and places != ((0, 1),):
                with pytest.raises(ProblemError, match="W is not positive semidefinite"):
                    Problem.from_delassus(full + 1e-18 * np.ones((6, 6)), np.zeros(6), [0.5, 0.5])
            else:
                Problem.from_delassus(full + 1e-18 * np.ones((6, 6)), np.zeros(6), [0.5, 0.5])


@pytest.mark.parametrize("seed", range(40))
def test_products_of_factors_in_floats_are_never_refused(seed):
    """J M^-1 J' is semidefinite but for rounding: singular, masses that differ by 1e8, rows of zeros, copies of rows."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        n, contacts = int(rng.integers(1, 12)), int(rng.integers(1, 30))
        J = rng.normal(size=(3 * contacts, n)) * 10.0 ** rng.uniform(-4, 4, (3 * contacts, 1))
        J *= rng.random(J.shape) < rng.uniform(0.2, 1.0)
        J[rng.random(len(J)) < 0.1] = 0.0
        J[-1] = J[0] * (1 + 1e-9)
        W = (J * 10.0 ** rng.uniform(-4, 4, n)) @ J.T
        Problem.from_delassus(0.5 * (W + W.T), np.zeros(len(J)), np.full(contacts, 0.5))
        Problem.from_delassus(W.astype(np.longdouble), np.zeros(len(J)), np.full(contacts, 0.5))


def test_a_large_sparse_matrix_is_judged_by_sparse_elimination(monkeypatch):
    """A chain of 20000 contacts: its factors hold a few entries for each row."""
    n = 60000
    chain = scipy.sparse.diags([np.full(n - 3, -1.0), np.full(n, 2.0), np.full(n - 3, -1.0)], [-3, 0, 3]).tocsr()
    assert Problem.from_delassus(chain, np.zeros(n), np.full(n // 3, 0.5)).size == n
    chain[30000, 30003] = chain[30003, 30000] = -1.1
    with pytest.raises(ProblemError, match="W is not positive semidefinite: the elimination fails in row"):
        Problem.from_delassus(chain, np.zeros(n), np.full(n // 3, 0.5))


def test_an_asymmetry_is_rounding_or_refused_or_taken_away():
    data = good()
    data["W"] = put(data["W"], (0, 3), data["W"][0, 3] * (1 + 1e-14))
    assert abs(Problem.from_delassus(**data).matrix() - Problem.from_delassus(**data).matrix().T).max() == 0.0
    data["W"] = put(data["W"], (0, 3), data["W"][0, 3] + 1e-3)
    mean = Problem.from_delassus(**data, symmetrise=True).matrix().toarray()
    assert np.allclose(mean, (data["W"] + data["W"].T) / 2, rtol=1e-15, atol=0)


FORMATS = {
    "csr": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_matrix,
    "coo": scipy.sparse.coo_matrix,
    "bsr": lambda x: scipy.sparse.bsr_matrix(x, blocksize=(2, 2)),
    "lil": scipy.sparse.lil_matrix,
    "dok": scipy.sparse.dok_matrix,
    "dia": scipy.sparse.dia_matrix,
    "csr_array": scipy.sparse.csr_array,
    "csc_array": scipy.sparse.csc_array,
    "coo_array": scipy.sparse.coo_array,
    "list": lambda x: np.asarray(x).tolist(),
    "fortran": np.asfortranarray,
    "float32": lambda x: np.asarray(np.asarray(x, np.float32)),
    "object": lambda x: np.asarray(x, dtype=object),
}


@pytest.mark.parametrize("form", FORMATS)
def test_matrices_of_all_formats(form):
    data, wide = good(), factors()
    rough = 1e-5 if form == "float32" else 1e-15
    expected = Problem.from_delassus(**data).matrix().toarray()
    found = Problem.from_delassus(**{**data, "W": FORMATS[form](data["W"])})
    assert np.allclose(found.matrix().toarray(), expected, rtol=rough, atol=rough)
    expected = Problem.from_factors(**wide).matrix().toarray()
    found = Problem.from_factors(**{**wide, "M": FORMATS[form](wide["M"]), "J": FORMATS[form](wide["J"])})
    assert np.allclose(found.matrix().toarray(), expected, rtol=100 * rough, atol=100 * rough)


def test_unsorted_rows_with_entries_that_come_twice():
    data = good()
    columns = np.tile(np.arange(8)[::-1], 16)
    halves = np.concatenate([0.5 * np.concatenate([row[::-1], row[::-1]]) for row in data["W"]])
    unsorted = scipy.sparse.csr_matrix((halves, columns, 16 * np.arange(9)), shape=(8, 8))
    before = unsorted.copy()
    found = Problem.from_delassus(**{**data, "W": unsorted})
    assert np.allclose(found.matrix().toarray(), data["W"], rtol=1e-14)
    assert np.array_equal(unsorted.data, before.data)
    assert np.array_equal(unsorted.indices, before.indices)


def snapshot(value):
    if scipy.sparse.issparse(value):
        return value.toarray().tobytes()
    return np.asarray(value).tobytes()


@pytest.mark.parametrize("method", [*(name for name in METHODS if METHODS[name].run is not None), "lemke"])
def test_nothing_that_was_passed_changes(method):
    data = factors()
    data["M"], data["J"] = scipy.sparse.csc_matrix(data["M"]), scipy.sparse.csr_matrix(data["J"])
    data["rows"] = tuple(np.array(bound) for bound in data["rows"])
    before = {name: snapshot(value) for name, value in data.items() if name != "rows"}
    bounds = [bound.copy() for bound in data["rows"]]
    problem = Problem.from_factors(**data)
    N, b, K = problem.matrix().toarray(), problem.offset.copy(), [part.copy() for part in problem.sets]
    start = np.ones(8)
    law = "frictionless" if method == "lemke" else "ncp"
    first = solve(problem, law, method, warm_start=start, history=True)
    second = solve(problem, law, method, warm_start=start, history=True)
    assert first.multipliers.tobytes() == second.multipliers.tobytes()
    assert {name: snapshot(value) for name, value in data.items() if name != "rows"} == before
    assert all(np.array_equal(x, y) for x, y in zip(bounds, data["rows"], strict=True))
    assert np.array_equal(start, np.ones(8))
    assert np.array_equal(problem.matrix().toarray(), N)
    assert np.array_equal(problem.offset, b)
    assert all(np.array_equal(x, y) for x, y in zip(problem.sets, K, strict=True))


@pytest.mark.parametrize("sparse", [False, True])
def test_no_array_of_a_problem_is_one_of_the_callers(sparse):
    data = factors(compliance=np.ones(8), rows=(np.array([-1.0, -INF]), np.array([1.0, INF])))
    given = [value for value in data.values() if isinstance(value, np.ndarray)] + list(data["rows"])
    if sparse:
        data["M"], data["J"] = scipy.sparse.csr_matrix(data["M"]), scipy.sparse.csr_matrix(data["J"])
        given += [data["M"].data, data["J"].data]
    problem = Problem.from_factors(**data)
    parts = [problem.offset, problem.free_velocity, *problem.sets, problem.operator.compliance]
    parts += [*problem.operator.J, *problem.operator.T]
    local = good()
    by_matrix = Problem.from_delassus(**local)
    given += [local["W"], local["q"], local["friction"]]
    parts += [by_matrix.offset, *by_matrix.sets, *by_matrix.operator.N]
    assert not any(np.shares_memory(part, array) for part in parts for array in given)
    own = np.arange(8.0)
    other = replace(problem, offset=own)
    assert own.flags.writeable
    own[:] = 7.0
    assert np.array_equal(other.offset, np.arange(8.0))


def test_offset_and_free_velocity_cannot_be_written_to():
    problem = Problem.from_factors(**factors())
    for one in (problem, problem.with_friction(0.5), problem.assembled(), Problem.from_delassus(**good())):
        for array in (one.offset, one.free_velocity):
            if array is not None:
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1.0
    assert problem.velocity(np.zeros(8)).flags.writeable


@pytest.mark.parametrize("row", [None, [None], ("world",), 0.5, True, "0"])
def test_a_row_that_is_asked_for_by_number_is_an_integer(row):
    with pytest.raises(TypeError, match=r"row is .* expected a whole number"):
        Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5]).label(row)


@pytest.mark.parametrize("row", [-1, 3, 10**400])
def test_a_row_that_is_not_there_has_no_name(row):
    with pytest.raises(ProblemError, match="row is"):
        Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5]).label(row)


@pytest.mark.parametrize("form", [["local"], np.array(["local", "global"]), 3, b"local"])
def test_a_form_of_a_file_is_a_word(form):
    with pytest.raises(TypeError, match="read_fclib_form: argument form is"):
        read_fclib("nowhere.hdf5", form=form)


def test_quaternions_whose_squares_overflow_are_refused_without_a_warning():
    with pytest.raises(ProblemError, match="body 1: orientation is a quaternion of length inf"):
        Bodies([1.0, 1.0], np.ones((2, 3)), np.zeros((2, 3)), [[1.0, 0, 0, 0], [1e200, 0, 0, 0]])


def test_multipliers_of_a_polygon_that_overflow_are_refused():
    polygon = friction_lcp(Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5]), directions=4)
    with pytest.raises(ProblemError, match="multipliers: the result overflows"):
        polygon.multipliers([1.7e308, 0.0, -1.7e308, 0.0, 0.0, 0.0])


def test_what_is_no_number_no_function_or_too_much_is_refused():
    sliding = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])
    with pytest.raises(TypeError, match="step is"):
        soft_contact(1.0, 1.0, np.timedelta64(1, "s"))
    with pytest.raises(TypeError, match="progress is"):
        compare_methods(sliding, methods=["pgs"], progress=[1])
    with pytest.raises(ProblemError, match=r"directions is .* of memory"):
        friction_lcp(Problem.from_delassus(np.zeros((0, 0)), [], []), directions=10**400)


def test_errors_of_the_smallest_multipliers_are_finite():
    errors = errors_of(Problem.from_delassus(np.eye(1), [1.0], [0.0], size=1), [-5e-324])
    assert np.isfinite(errors.cone_violation)


def test_guesses_are_several(tmp_path):
    with pytest.raises(TypeError, match="write_fclib: argument guesses is 2"):
        write_fclib(tmp_path / "x.hdf5", Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5]), guesses=2)
