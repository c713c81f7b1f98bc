"""A Solver is ``solve`` with its preparation kept: the same bits, whatever was solved before, and from several threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from pluecker.contact import (
    METHODS,
    Problem,
    ProblemError,
    Result,
    Solver,
    UnsolvedError,
    assemble_contacts,
    solve,
)
from pluecker.spatial import PlueckerError
from tests.conftest import COMPILED
from tests.contact.random_friction import random_problem
from tests.contact.random_scenes import random_bodies, random_rows, random_table

PAIRS = [(method, law) for method, how in METHODS.items() for law in how.laws]


def from_bodies():
    """Contacts and rows of bodies, by factors."""
    rng = np.random.default_rng(1)
    bodies = random_bodies(rng, 4, static=(0,))
    return assemble_contacts(bodies, random_table(rng, 4, 4, 2), 0.01, random_rows(rng, 4))


def islands(seed, count=3, friction=None):
    """A problem of contacts that is several others side by side, which have 1, 2, ... contacts; N given by its matrix."""
    parts = [random_problem(10 * seed + k, k + 1, ("3",)).problem() for k in range(count)]
    mu = np.concatenate([part.sets.friction[:, 0] for part in parts]) if friction is None else friction
    offset = np.concatenate([part.offset for part in parts])
    return Problem.from_delassus(scipy.sparse.block_diag([part.matrix() for part in parts]), offset, mu)


def same(one: Result, other: Result) -> None:
    """Check that two results are equal to the last bit, but for their times."""
    for name in ("multipliers", "velocity"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("law", "method", "status", "errors", "tol", "iterations", "products", "islands", "message"):
        assert getattr(one, name) == getattr(other, name)
    assert [stage.method for stage in one.stages] == [stage.method for stage in other.stages]
    assert one.contact_states().tolist() == other.contact_states().tolist()


def with_offset(problem, offset):
    return replace(problem, offset=offset)


# ------------------------------------------------------------------------------------------------------------- the same bits


@pytest.mark.parametrize(("method", "law"), PAIRS)
def test_a_solver_gives_what_solve_gives(method, law):
    problem, more = islands(1, 3 if COMPILED else 2), {"tol": 1e-8, "max_iterations": 300 if COMPILED else 30}
    solver = Solver(problem, law, method, **more)
    rng, last = np.random.default_rng(0), None
    for _ in range(3 if COMPILED else 2):
        b = problem.offset + rng.normal(size=problem.size)
        here = with_offset(problem, b)
        same(solver.solve(b), solve(here, law, method, **more))
        if last is not None:
            same(solver.solve(b, warm_start=last), solve(here, law, method, warm_start=last, **more))
        last = solver.solve(b).multipliers
    same(solver.solve(), solve(problem, law, method, **more))


@pytest.mark.parametrize(
    ("method", "law"),
    [pair for pair in PAIRS if pair[0] in (("auto", "pgs", "interior_point", "lemke") if COMPILED else ("pgs",))],
)
def test_after_an_update_a_solver_gives_what_solve_gives_for_the_new_problem(method, law):
    first, second = islands(1), islands(2)
    solver = Solver(first, law, method, tol=1e-8)
    solver.solve()
    for problem in (second, second.with_friction(0.2), first):
        solver.update(problem)
        assert solver.problem is problem
        same(solver.solve(), solve(problem, law, method, tol=1e-8))
        same(
            solver.solve(2.0 * problem.offset), solve(with_offset(problem, 2.0 * problem.offset), law, method, tol=1e-8)
        )


@pytest.mark.parametrize("form", ["best", "matrix", "factors"])
@pytest.mark.parametrize("method", ["auto", "apgd"])
def test_bodies_in_both_forms_of_the_operator(method, form):
    """Rows have bounds, which the solver scales for offsets of another size."""
    problem = from_bodies()
    solver = Solver(problem, "ncp", method, form=form, tol=1e-8)
    for size in (1.0, 1e-9, 1e12, 1.0):
        b = size * problem.offset
        same(solver.solve(b), solve(with_offset(problem, b), "ncp", method, form=form, tol=1e-8))


def hanging(seed, lower=-np.inf, mass=1.0):
    """Contacts on two bodies that are joined by equations, one of them twice, and a limit or motor."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(11, 12))
    J[8] = J[7]
    N = J @ (J / (mass * np.linspace(1.0, 3.0, 12))).T
    rows = np.array([-np.inf] * 4 + [lower]), np.array([np.inf] * 4 + [2.0])
    return Problem.from_delassus(0.5 * (N + N.T), J @ rng.normal(size=12), [0.5, 0.3], rows=rows)


@pytest.mark.parametrize("law", ["frictionless", "ccp", "ncp"])
@pytest.mark.parametrize("method", ["auto", "pgs"])
def test_bilateral_rows_are_eliminated_for_many_offsets(method, law):
    """Bounds in the units of offsets of all sizes, other masses, and rows that become bilateral"""
    problem, more = hanging(1, -1.0), {"tol": 1e-9, "max_iterations": 300 if COMPILED else 30}
    solver, last = Solver(problem, law, method, **more), None
    for new in (problem, hanging(2, -1.0), hanging(2, -1.0, 5.0), hanging(3), hanging(1, -0.5)):
        solver.update(new)
        for size in (1.0, 1e-8):
            b = size * new.offset
            found = solver.solve(b, warm_start=last)
            same(found, solve(with_offset(new, b), law, method, warm_start=last, **more))
            assert found.errors.bilateral <= 1e-11 * max(size, 1e-3)
            last = found.multipliers


def test_compliance_and_bounds_are_numbers_too():
    rows = [-np.inf, 0.0], [np.inf, 2.0]
    W, q = np.eye(5) + 0.1, [-1.0, 1.0, 0.0, 2.0, -1.0]
    stiff = Problem.from_delassus(W, q, [0.5], rows=rows)
    soft = Problem.from_delassus(W, q, [0.5], rows=([-1.0, 0.5], [3.0, np.inf]), compliance=np.full(5, 0.1))
    solver = Solver(stiff, tol=1e-10)
    for problem in (soft, stiff, soft):
        solver.update(problem)
        same(solver.solve(), solve(problem, tol=1e-10))


def test_options_are_those_of_solve():
    problem = islands(3)
    for options in (
        {"method": "psor", "relaxation": 0.7, "max_iterations": 20},
        {"separate": False, "max_iterations": 5},
        {"history": True},
        {"method": "apgd", "threads": 2},
        {"law": "lcp", "directions": 4},
    ):
        one, other = Solver(problem, **options).solve(), solve(problem, **options)
        same(one, other)
        assert (one.history is None) == (other.history is None)


def test_results_do_not_share_memory_with_the_solver_or_one_another():
    problem = islands(4)
    solver = Solver(problem)
    one = solver.solve()
    kept = one.multipliers.copy(), one.velocity.copy(), one.blocks.scale.copy()
    begun = one.multipliers.copy()
    solver.solve(3.0 * problem.offset, warm_start=begun)
    np.testing.assert_array_equal(begun, kept[0])  # inputs are never modified
    one.multipliers[:], one.velocity[:] = np.nan, np.nan
    again = solver.solve()
    np.testing.assert_array_equal(again.multipliers, kept[0])
    np.testing.assert_array_equal(again.velocity, kept[1])
    np.testing.assert_array_equal(again.blocks.scale, kept[2])


def strided(array):
    """Return a view of a copy with strides, not writeable."""
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 1] = array
    wide.setflags(write=False)
    return wide[..., 1]


def test_parts_of_a_problem_may_lie_in_memory_as_they_like():
    """Compiled code is called without asking for the types of arrays, so that these are seen to before"""
    plain = islands(8)
    solve(plain)
    N = plain.operator.N
    operator = plain.operator._replace(N=type(N)(*map(strided, N)), compliance=strided(plain.operator.compliance))
    sets = type(plain.sets)(*map(strided, plain.sets))
    same(solve(Problem(operator, plain.offset, sets)), solve(plain))
    same(solve(replace(plain, offset=strided(plain.offset))), solve(plain))


# ---------------------------------------------------------------------------------------------------------------- threads


@pytest.mark.parametrize(("method", "form"), [("auto", "best"), ("apgd", "factors"), ("interior_point", "best")])
def test_threads_may_share_a_solver(method, form):
    """Each call has memory of its own, that of products with factors included"""
    problem = from_bodies() if form == "factors" else islands(5, 2)
    solver = Solver(problem, "ncp", method, form=form, tol=1e-9)
    offsets = np.random.default_rng(1).normal(size=(12 if COMPILED else 4, problem.size))
    alone = [Solver(problem, "ncp", method, form=form, tol=1e-9).solve(b) for b in offsets]
    with ThreadPoolExecutor(4) as pool:
        for found, expected in zip(pool.map(solver.solve, offsets), alone, strict=True):
            same(found, expected)


def test_an_update_does_not_disturb_calls_of_other_threads():
    """Each call has the numbers of one problem, and not some of each."""
    problems = islands(1), islands(2)
    expected = [solve(problem, method="pgs", max_iterations=50).multipliers for problem in problems]
    solver = Solver(problems[0], method="pgs", max_iterations=50)

    def change() -> None:
        for k in range(10 if COMPILED else 2):
            solver.update(problems[(k + 1) % 2])

    with ThreadPoolExecutor(3) as pool:
        done = pool.submit(change)
        found = [pool.submit(solver.solve) for _ in range(20 if COMPILED else 4)]
        done.result()
    for one in found:
        assert any(np.array_equal(one.result().multipliers, r) for r in expected)


# --------------------------------------------------------------------------------------------------------------- refusals


def chain(count):
    """Contacts of which each meets the next: N is tridiagonal in blocks."""
    J = np.kron(np.eye(count, count + 1) - np.eye(count, count + 1, 1), np.eye(3))
    return J @ J.T + np.eye(3 * count)


def other_patterns():
    first = Problem.from_delassus(chain(3), np.ones(9), np.full(3, 0.5))
    yield first, islands(1, 4), "it has 10 blocks, not 3"
    one = Problem.from_delassus(np.eye(3), np.ones(3), [0.5])
    yield one, Problem.from_delassus(np.eye(2), np.ones(2), [0.5], size=2), "block 0 has 2 components, not 3"
    row = Problem.from_delassus(np.eye(1), [1.0], [], rows=([0.0], [1.0]))
    yield one, row, "block 0 has 1 component and no friction, not 3 components"
    yield first, Problem.from_delassus(np.eye(9), np.ones(9), np.full(3, 0.5)), "N has no block in row 0 and column 1"
    full = Problem.from_delassus(np.eye(9) + 0.1, np.ones(9), np.full(3, 0.5))
    yield first, full, "N has a block in row 0 and column 2, where there was none"
    J = np.kron(np.eye(3), np.ones((3, 1)))
    factors = Problem.from_factors(np.eye(3), J, np.zeros(3), np.ones(9), np.full(3, 0.5))
    yield first, factors, "its operator is given by factors, not by its matrix"
    other = Problem.from_factors(np.eye(3), J[:, [1, 0, 2]], np.zeros(3), np.ones(9), np.full(3, 0.5))
    yield factors, other, "J has a block in row 0 and column"
    more = Problem.from_factors(np.eye(4), np.pad(J, ((0, 0), (0, 1))), np.zeros(4), np.ones(9), np.full(3, 0.5))
    yield factors, more, "J has 4 columns in"


@pytest.mark.parametrize(("first", "second", "says"), list(other_patterns()), ids=range(8))
def test_an_update_with_another_pattern_says_what_differs_and_changes_nothing(first, second, says):
    solver = Solver(first, method="pgs")
    before = solver.solve()
    with pytest.raises(ProblemError, match=says) as caught:
        solver.update(second)
    assert "make a new Solver" in str(caught.value)
    assert solver.problem is first
    same(solver.solve(), before)
    same(Solver(second, method="pgs").solve(), solve(second, method="pgs"))


def test_an_update_with_something_else_is_a_type_error():
    solver = Solver(islands(1), method="pgs")
    for wrong in (None, 3, np.eye(3), Problem):
        with pytest.raises(TypeError, match="problem is"):
            solver.update(wrong)


ONE = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (np.zeros(2), r"has shape \(2,\), expected \(3,\)"),
        (np.zeros((3, 1)), r"has shape \(3, 1\), expected \(3,\)"),
        (1.0, r"has shape \(\), expected \(3,\)"),
        ([1.0, np.nan, 0.0], r"\[1\] is nan, expected a finite number"),
        ([1.0, 0.0, -np.inf], r"\[2\] is -inf, expected a finite number"),
        (["a", "b", "c"], "expected a vector of real numbers"),
        ([1.0, 2.0, 1j], "expected a vector of real numbers"),
    ],
)
@pytest.mark.parametrize("name", ["offset", "warm_start"])
def test_what_is_no_vector_of_that_length_is_refused_by_name(name, wrong, says):
    for call in (Solver(ONE).solve, *((lambda **given: solve(ONE, **given),) if name == "warm_start" else ())):
        with pytest.raises(PlueckerError, match=f"{name}.*{says}|{name}{says}"):
            call(**{name: wrong})


def test_offsets_may_be_as_large_as_those_of_problems():
    solver = Solver(ONE)
    with pytest.raises(ProblemError, match="no number above 1e"):
        solver.solve([1e151, 0.0, 0.0])
    assert solver.solve([-1e150, 0.0, 0.0]).converged
    assert solver.solve([-1.0, 0, True]).converged  # integers and truth values are numbers
    assert solver.solve(np.array([-1.0, 0.0, 0.0], np.float32)).converged


@pytest.mark.parametrize(
    "options", [{"law": "x"}, {"method": "x"}, {"tol": 0.0}, {"on_unsolved": "x"}, {"form": "factors"}]
)
def test_a_solver_refuses_what_solve_refuses(options):
    messages = []
    for make in (Solver, solve):
        with pytest.raises(ProblemError) as caught:
            make(ONE, **options)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    for make in (Solver, solve):
        with pytest.raises(TypeError, match="on_unsolved is"):
            make(ONE, on_unsolved=None)


# ------------------------------------------------------------------------------------------------------------- unsolved


@pytest.mark.parametrize("law", ["ncp", "ccp", "lcp"])
def test_what_is_not_solved_is_raised_with_its_result_if_that_is_asked_for(law):
    pinched = Problem.from_delassus([[1, -1], [-1, 1]], [-1.0, -1.0], [0.0, 0.0], size=1)
    law = "frictionless" if law == "lcp" else law
    returned = solve(pinched, law)
    assert not returned.converged
    for call in (lambda: solve(pinched, law, on_unsolved="raise"), Solver(pinched, law, on_unsolved="raise").solve):
        with pytest.raises(UnsolvedError, match=returned.status) as caught:
            call()
        same(caught.value.result, returned)
        assert isinstance(caught.value, PlueckerError)
        assert isinstance(caught.value, RuntimeError)
        assert returned.message in str(caught.value)


def test_what_is_solved_is_returned():
    assert solve(ONE, on_unsolved="raise").converged
    assert Solver(ONE, on_unsolved="raise").solve().converged


def test_an_unsolved_error_goes_to_other_processes():
    with pytest.raises(UnsolvedError) as caught:
        solve(ONE, method="pgs", tol=1e-300, max_iterations=1, on_unsolved="raise")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    np.testing.assert_array_equal(again.result.multipliers, caught.value.result.multipliers)


# ---------------------------------------------------------------------------------------------------------- nothing to do


@pytest.mark.parametrize(("method", "law"), [pair for pair in PAIRS if pair[1] in ("ncp", "lcp")])
def test_no_contacts_no_multipliers(method, law):
    nothing = Problem.from_delassus(np.zeros((0, 0)), [], [])
    solver = Solver(nothing, law, method)
    for result in (solver.solve(), solver.solve([]), solver.solve(warm_start=[]), solve(nothing, law, method)):
        assert result.converged
        assert result.multipliers.shape == result.velocity.shape == (0,)
        assert result.iterations == 0


def test_a_solver_says_what_it_solves():
    text = repr(Solver(ONE, "ccp", "pgs", tol=1e-4))
    assert text == "Solver(1 blocks, 3 multipliers, law ccp, method pgs, tol 0.0001)"
