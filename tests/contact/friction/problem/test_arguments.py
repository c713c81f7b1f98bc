"""A wrong type is an ArgumentTypeError, a wrong value a ProblemError; numbers are the same in any layout of memory."""

from __future__ import annotations

import decimal
import fractions
import functools
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse

from pluecker import contact
from pluecker.contact import (
    Bodies,
    ContactTable,
    Problem,
    ProblemError,
    Rows,
    assemble_contacts,
    compare_methods,
    contact_frames,
    errors_of,
    friction_lcp,
    mixed_lcp,
    plot_convergence,
    poisson_restitution,
    soft_contact,
    solve,
    solve_lcp,
    write_fclib,
)  # fmt: skip
from pluecker.spatial import ArgumentTypeError
from tests.layouts import LAYOUTS, read_only, strided

pytestmark = pytest.mark.plain

LONG = 10**400  # an integer that float64 cannot hold
HUGE = np.ones((300, 300))
ONE = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])
MASS = 2.0 * np.eye(3)
FACTORS = Problem.from_factors(MASS, np.eye(3), [-2.0, 6.0, 0.0], np.zeros(3), [0.5])
TABLE = ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], friction=0.3)


@functools.cache
def bodies():
    """The floor and a body. They are made when they are first needed: collecting tests compiles nothing."""
    return Bodies([np.inf, 2.0], np.ones((2, 3)), [[0, 0, 0], [0, 0, 0.5]])


class Odd:
    """No number, no array, and no representation."""

    def __repr__(self):
        raise RuntimeError("no text")

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


NO_RECORDS = [None, "text", 3, Problem, Bodies, Odd(), HUGE, [ONE], 1j, LONG]
CALLS_WITH_A_PROBLEM = {
    "solve": solve,
    "errors_of": lambda x: errors_of(x, np.zeros(3)),
    "compare_methods": compare_methods,
    "friction_lcp": friction_lcp,
    "mixed_lcp": lambda x: mixed_lcp(x, MASS),
    "poisson_restitution": lambda x: poisson_restitution(x, [0.5]),
    "plot_convergence": plot_convergence,
}
CALLS_WITH_NUMBERS = {
    "q": lambda x: Problem.from_delassus(np.eye(3), x, [0.5]),
    "W": lambda x: Problem.from_delassus(x, np.zeros(3), [0.5]),
    "friction": lambda x: Problem.from_delassus(np.eye(3), np.zeros(3), x),
    "compliance": lambda x: Problem.from_delassus(np.eye(3), np.zeros(3), [0.5], compliance=x),
    "rows": lambda x: Problem.from_delassus(np.eye(1), [0.0], [], rows=(x, [1.0])),
    "M": lambda x: Problem.from_factors(x, np.eye(3), np.zeros(3), np.zeros(3), [0.5]),
    "J": lambda x: Problem.from_factors(MASS, x, np.zeros(3), np.zeros(3), [0.5]),
    "f": lambda x: Problem.from_factors(MASS, np.eye(3), x, np.zeros(3), [0.5]),
    "with_friction": ONE.with_friction,
    "velocity": ONE.velocity,
    "motion": FACTORS.motion,
    "warm_start": lambda x: solve(ONE, warm_start=x),
    "multipliers": lambda x: errors_of(ONE, x),
    "restitution": lambda x: poisson_restitution(ONE, x),
    "mass": lambda x: Bodies(x, np.ones((2, 3)), np.zeros((2, 3))),
    "inertia": lambda x: Bodies([1.0], x, np.zeros((1, 3))),
    "position": lambda x: Bodies([1.0], np.ones((1, 3)), x),
    "orientation": lambda x: Bodies([1.0], np.ones((1, 3)), np.zeros((1, 3)), orientation=x),
    "gravity": lambda x: bodies().with_gravity(x),
    "force": lambda x: bodies().times_inverse_mass(x),
    "energy": lambda x: bodies().kinetic_energy(x),
    "bodies": lambda x: ContactTable(x, [[0, 0, 1]], [[0, 0, 0]]),
    "ordered": lambda x: ContactTable.ordered(x, [[0, 0, 1]], [[0, 0, 0]]),
    "normal": lambda x: ContactTable([[0, 1]], x, [[0, 0, 0]]),
    "gap": lambda x: ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], gap=x),
    "friction of a table": lambda x: ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], friction=x),
    "jacobian": lambda x: Rows([[0, 1]], x),
    "lower": lambda x: Rows([[0, 1]], np.ones((1, 2, 6)), lower=x),
    "erp": lambda x: assemble_contacts(bodies(), TABLE, 0.1, erp=x),
    "frames": contact_frames,
    "stiffness": lambda x: soft_contact(x, 1.0, 0.1),
    "A": lambda x: solve_lcp(x, [1.0]),
    "b": lambda x: solve_lcp([[1.0]], x),
    "lower of an LCP": lambda x: solve_lcp([[1.0]], [1.0], lower=x),
    "start of an LCP": lambda x: solve_lcp([[1.0]], [1.0], warm_start=x),
    "covering": lambda x: solve_lcp([[1.0]], [1.0], covering=x),
    "z": lambda x: friction_lcp(ONE).multipliers(x),
}
LARGE = ("velocity", "motion", "warm_start", "multipliers", "stiffness")  # numbers may be as large as that
NO_NUMBERS = [
    "1.0", ["1.0"], np.array(["1.0", 2.0], dtype=object), np.array([["0", "1"]], dtype=object), [[1.0], [1.0, 2.0]], 1j,
    [None], {}, Odd(), [Odd()], Problem, b"1", np.array(["2020-01-01"], dtype="M8[D]"), np.ma.masked_array([1.0], [True]),
    scipy.sparse.csr_matrix(np.eye(2) * 1j), [decimal.Decimal(1)],
]  # fmt: skip
SCALARS = {
    "tol": lambda x: solve(ONE, tol=x),
    "relaxation": lambda x: solve(ONE, method="psor", relaxation=x),
    "tol of an LCP": lambda x: solve_lcp([[1.0]], [1.0], tol=x),
    "step": lambda x: assemble_contacts(bodies(), TABLE, x),
    "step of a spring": lambda x: soft_contact(1.0, 1.0, x),
    "free velocity": lambda x: bodies().free_velocity(x),
    "max_iterations": lambda x: solve(ONE, max_iterations=x),
    "max_iterations of an LCP": lambda x: solve_lcp([[1.0]], [1.0], max_iterations=x),
    "threads": lambda x: solve(ONE, threads=x),
    "directions": lambda x: solve(ONE, "lcp", directions=x),
    "directions of a polygon": lambda x: friction_lcp(ONE, directions=x),
    "size": lambda x: Problem.from_delassus(np.eye(3), np.zeros(3), [0.5], size=x),
    "repeats": lambda x: compare_methods(ONE, methods=["apgd"], repeats=x),
}
NAMES = {
    "law": lambda x: solve(ONE, x),
    "method": lambda x: solve(ONE, method=x),
    "form": lambda x: solve(ONE, form=x),
    "law of errors": lambda x: errors_of(ONE, np.zeros(3), x),
    "law of a comparison": lambda x: compare_methods(ONE, x),
    "method of an LCP": lambda x: solve_lcp([[1.0]], [1.0], method=x),
    "methods": lambda x: compare_methods(ONE, methods=x),
    "one of methods": lambda x: compare_methods(ONE, methods=[x]),
}
SWITCHES = {
    "separate": lambda x: solve(ONE, separate=x),
    "history": lambda x: solve(ONE, history=x),
    "history of an LCP": lambda x: solve_lcp([[1.0]], [1.0], history=x),
    "symmetrise": lambda x: Problem.from_delassus(np.eye(3), np.zeros(3), [0.5], symmetrise=x),
    "restitution": lambda x: assemble_contacts(bodies(), TABLE, 0.1, restitution=x),
}


def refused(call, value, *kinds):
    """Check that a call raises one of these errors, of one short line, and warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kinds) as caught:
            call(value)
    text = str(caught.value)
    assert type(caught.value) in kinds
    assert "\n" not in text
    assert len(text) < 300, text
    assert "object at 0x" not in text


@pytest.mark.parametrize("name", CALLS_WITH_A_PROBLEM)
def test_what_is_no_problem_is_a_wrong_type(name):
    if name == "plot_convergence":
        pytest.importorskip("matplotlib")
    for value in NO_RECORDS:
        refused(CALLS_WITH_A_PROBLEM[name], value, ArgumentTypeError)


def test_what_are_no_bodies_and_no_table_are_wrong_types():
    for value in NO_RECORDS:
        if value is not None:
            refused(lambda x: assemble_contacts(bodies(), TABLE, 0.1, x), value, ArgumentTypeError)
        refused(lambda x: assemble_contacts(x, TABLE, 0.1), value, ArgumentTypeError)
        refused(lambda x: assemble_contacts(bodies(), x, 0.1), value, ArgumentTypeError)
        refused(lambda x: write_fclib("nowhere.hdf5", x), value, ArgumentTypeError)


@pytest.mark.parametrize("name", CALLS_WITH_NUMBERS)
def test_what_are_no_numbers_is_a_wrong_type(name):
    """An object may be refused for its shape first, if its type is wrong only further in."""
    for value in NO_NUMBERS:
        if not (name in ("A", "W", "M", "J") and scipy.sparse.issparse(value)):
            kinds = (ArgumentTypeError, ProblemError) if name in ("bodies", "ordered") else (ArgumentTypeError,)
            refused(CALLS_WITH_NUMBERS[name], value, *kinds)
    if name not in ("energy",):
        refused(CALLS_WITH_NUMBERS[name], None if name not in ("compliance", "warm_start", "orientation", "lower of an LCP",
                "start of an LCP", "covering") else "x", ArgumentTypeError)  # fmt: skip
    for value in (LONG, [LONG], [1.0, LONG], [[LONG, 1.0, 1.0]], HUGE, np.full((1, 3), np.nan), np.full(3, 1e308)):
        if value is HUGE and name in ("frames", "stiffness"):
            continue
        if isinstance(value, np.ndarray) and value.max() == 1e308 and name in LARGE:
            CALLS_WITH_NUMBERS[name](value)
            continue
        refused(CALLS_WITH_NUMBERS[name], value, ArgumentTypeError, ProblemError)


@pytest.mark.parametrize("name", SCALARS)
def test_numbers_that_cannot_be(name):
    for value in ("1", None, [1.0], np.ones(2), 1j, True, Problem, Odd(), b"1", HUGE):
        if not (value is None and name in ("relaxation", "relaxation of an LCP", "max_iterations", "threads", "directions",
                                           "max_iterations of an LCP", "directions of a polygon")):  # fmt: skip
            refused(SCALARS[name], value, ArgumentTypeError)
    for value in (-1, -LONG, 0):
        if not ((value == 0 and name.endswith("tions of an LCP")) or (value == 0 and name == "tol of an LCP")):
            refused(SCALARS[name], value, ProblemError)
    if "max_iterations" not in name and name not in ("threads", "repeats"):
        refused(SCALARS[name], LONG, ProblemError)
    refused(SCALARS[name], np.nan, ArgumentTypeError, ProblemError)


def test_large_multipliers_have_errors_or_say_that_they_overflow():
    r = np.array([1e308, -5e307, 0.0])
    assert errors_of(ONE, r).natural_map == pytest.approx(errors_of(ONE, 1e-300 * r).natural_map, rel=1e-6)
    heavy = Problem.from_delassus(1e10 * np.eye(3), [-1.0, 3.0, 0.0], [0.5])
    with pytest.raises(ProblemError, match="velocity: the result overflows"):
        heavy.velocity(r)
    with pytest.raises(ProblemError, match="motion: the result overflows"):
        Problem.from_factors(1e-10 * np.eye(3), np.eye(3), np.zeros(3), np.zeros(3), [0.5]).motion(r)


def test_limits_may_be_of_any_size():
    assert solve(ONE, max_iterations=LONG, threads=LONG).converged
    assert solve_lcp([[1.0]], [-1.0], max_iterations=LONG).converged


@pytest.mark.parametrize("name", NAMES)
def test_names_that_cannot_be(name):
    for value in (None, 3, HUGE, np.array(["ncp"]), np.array("ncp"), Problem, Odd(), LONG, {}, [["ncp"]]):
        if name != "methods" or not (value is None or isinstance(value, list)):
            refused(NAMES[name], value, ArgumentTypeError)
    refused(NAMES[name], "x" * 10**6, ProblemError, ArgumentTypeError)


def test_methods_are_a_list_of_names():
    refused(NAMES["methods"], [["apgd"]], ArgumentTypeError)
    refused(NAMES["methods"], {}, ArgumentTypeError)
    refused(NAMES["methods"], [], ProblemError)
    refused(NAMES["methods"], ["pgs", "pgs"], ProblemError)


@pytest.mark.parametrize("name", SWITCHES)
def test_switches_are_true_or_false(name):
    for value in (None, 1, 0.0, "yes", [True], np.ones(1, bool), HUGE, Odd()):
        refused(SWITCHES[name], value, ArgumentTypeError)


def test_solvers_of_the_caller_return_multipliers():
    for solver, kind in ((3, ArgumentTypeError), (lambda p: None, ArgumentTypeError)):
        refused(lambda x, s=solver: poisson_restitution(x, [0.5], solver=s), ONE, kind)

    class Wrong:
        multipliers = (1.0, 2.0)

    refused(lambda x: poisson_restitution(x, [0.5], solver=lambda p: Wrong()), ONE, ProblemError)


def test_options_go_by_name_only():
    for call in (
        lambda: friction_lcp(ONE, 4),
        lambda: mixed_lcp(FACTORS, MASS, 4),
        lambda: poisson_restitution(ONE, [0.5], solve),
        lambda: solve(ONE, "ncp", "auto", 1e-6),
        lambda: solve_lcp([[1.0]], [1.0], [0.0]),
        lambda: compare_methods(ONE, "ncp", ["apgd"], 1e-6),
    ):
        with pytest.raises(TypeError, match="positional"):
            call()


# ---------------------------------------------------------------------------------------------------------------- layouts


KINDS = LAYOUTS | {
    "float32": lambda x: x.astype(np.float32),
    "big float32": lambda x: x.astype(">f4"),
    "objects": lambda x: x.astype(object),
    "fractions": np.vectorize(lambda v: fractions.Fraction(v) if np.isfinite(v) else v, otypes=[object]),
    "mask without masked entries": lambda x: np.ma.masked_array(x, False),
}


def everything(change):
    """All that arrays go into, as one list of numbers; the data are exact in float32."""
    A = np.array([[4.0, 1, 0, 0, 0, 1], [1, 3, 0, 1, 0, 0], [0, 0, 2, 0, 0, 0.5], [0, 1, 0, 5, 0, 0], [0, 0, 0, 0, 2, 0.25],
                  [1, 0, 0.5, 0, 0.25, 6]])  # fmt: skip
    b, mu = np.array([-1.0, 3.0, 0.5, -2.0, 0.25, 1.0]), np.array([0.5, 0.25])
    start = np.array([1.0, 0.25, 0.0, 0.5, 0.0, 0.0])
    local = Problem.from_delassus(change(A), change(b), change(mu), compliance=change(np.full(6, 0.125)))
    wide = Problem.from_factors(change(A), change(A), change(b), change(b), change(mu))
    bodies = Bodies(
        change(np.array([np.inf, 2.0, 4.0])), change(np.ones((3, 3))), change(np.arange(9.0).reshape(3, 3)),
        velocity=change(np.arange(18.0).reshape(3, 6)), wrench=change(np.ones((3, 6))),
    )  # fmt: skip
    pairs = np.array([[0, 1], [1, 2]])
    normals = np.array([[0.0, 0, 1], [0, 1, 0]])
    integers = pairs if change(np.ones(2)) is None else np.array(change(pairs.astype(float)), float).astype(int)
    table = ContactTable(integers, change(normals), change(np.ones((2, 3))), friction=change(mu))
    rows = Rows([[1, -1]], change(np.ones((1, 2, 6)) * np.array([[1.0], [0.0]])), change(np.array([-1.0])), 1.0)
    scene = assemble_contacts(bodies, table, 0.125, rows, erp=change(np.array([0.5, 0.25])))
    found = [contact_frames(change(normals)).ravel(), soft_contact(change(b**2), change(mu[:1]), 0.125).compliance]
    for problem in (local, wide, scene):
        m = problem.size
        r = change(np.resize(start, m))
        found += [problem.velocity(r), problem.matrix().toarray().ravel(), errors_of(problem, r).natural_map]
        found += [solve(problem, method="pgs", warm_start=r, tol=1e-8, max_iterations=300).multipliers]
    found += [wide.motion(change(start)), scene.motion(change(np.resize(start, 7))).ravel()]
    found += [solve_lcp(change(A), change(b), warm_start=change(start), lower=change(np.zeros(6)), method=method).z
              for method in ("lemke", "minmap_newton")]  # fmt: skip
    return np.concatenate([np.ravel(part) for part in found])


def test_numbers_of_any_layout_are_the_same_numbers():
    """Bit for bit, and in any order: an array that is not aligned, met first, changes nothing of what comes after."""
    expected = everything(lambda x: x)
    for name in [*KINDS, "big-endian"]:
        np.testing.assert_array_equal(everything(KINDS[name]), expected, err_msg=name)


def test_pairs_of_bodies_of_any_layout():
    pairs = np.array([[0, 1], [1, 2], [0, 2]])
    for dtype in (">i8", "<i4", ">u2", object, "i1"):
        for change in (np.asarray, np.asfortranarray, strided):
            table = ContactTable(change(pairs.astype(dtype)), np.tile([0, 0, 1], (3, 1)), np.zeros((3, 3)))
            np.testing.assert_array_equal(table.bodies, pairs)
            assert table.bodies.dtype == np.dtype(np.int64)
            assert table.bodies.flags.c_contiguous


def test_offsets_that_are_put_in_by_hand_are_native():
    from dataclasses import replace

    big = replace(ONE, offset=read_only(np.array([-1.0, 3.0, 0.0], ">f8")))
    np.testing.assert_array_equal(solve(big).multipliers, solve(ONE).multipliers)


# ----------------------------------------------------------------------------------------------------------------- memory


@pytest.mark.parametrize("directions", [10**5, 10**6, 10**9, 10**20, 10**400])
def test_polygons_of_millions_of_directions_say_what_memory_they_would_take(directions):
    """The error comes at once, and before memory is allocated."""
    tracemalloc.start()
    calls = (
        lambda: friction_lcp(ONE, directions=directions),
        lambda: mixed_lcp(FACTORS, MASS, directions=directions),
        lambda: solve(ONE, "lcp", directions=directions),
        lambda: compare_methods(ONE, "lcp", ["lemke"], directions=directions),
    )
    for call in calls:
        with pytest.raises(ProblemError, match=r"directions is .* would take .* GiB of memory, expected at most 2 GiB"):
            call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_a_polygon_of_a_thousand_directions_is_no_problem():
    lcp = friction_lcp(ONE, directions=1000)
    assert lcp.A.shape == (1002, 1002)
    assert lcp.A.nnz >= 10**6 - 4000  # directions at right angles have no entry


def test_pivots_need_a_dense_matrix_and_say_so_where_it_is_too_large():
    n = 20000
    A = scipy.sparse.diags([np.full(n, 2.0), np.full(n - 1, -1.0), np.full(n - 1, -1.0)], [0, 1, -1]).tocsr()
    with pytest.raises(ProblemError, match=r"Lemke's method with 20000 unknowns .* GiB"):
        solve_lcp(A, -np.ones(n))


def test_every_public_function_of_the_package_is_there():
    assert sorted(contact.__all__, key=str) == sorted(set(contact.__all__), key=str)
    assert all(hasattr(contact, name) for name in contact.__all__)
