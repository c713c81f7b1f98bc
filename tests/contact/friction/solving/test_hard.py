"""Coulomb's law where no single method is enough, warm starts, and forces that a compliance makes unique."""

import itertools

import numpy as np
import pytest

from benchmarks.families import FAMILIES
from pluecker.contact import Problem, Solver, errors_of, solve

TOL = 1e-8


def table(legs: int, seed: int, mu: float = 0.5) -> tuple[Problem, np.ndarray]:
    """A body on more legs than carry it, and the Jacobian: its velocities to those of the contacts."""
    rng = np.random.default_rng(seed)
    place = np.column_stack([rng.uniform(-1.0, 1.0, (legs, 2)), np.full(legs, -0.5)])
    J = np.zeros((3 * legs, 6))
    for k, (x, y, z) in enumerate(place):
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        J[3 * k : 3 * k + 3] = np.hstack([-cross, np.eye(3)])[[2, 0, 1]]
    mass = np.array([0.4, 0.4, 0.6, 2.0, 2.0, 2.0])
    v = np.array([0.02, -0.01, 0.0, 0.3, 0.0, -0.1]) if seed % 2 else np.array([0.0, 0.0, 0.0, 0.0, 0.0, -0.1])
    return Problem.from_delassus((J / mass) @ J.T, J @ v, np.full(legs, mu), symmetrise=True), J


@pytest.mark.slow
@pytest.mark.parametrize("law", ["ncp", "ccp"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_compliance_makes_forces_independent_of_method_and_start(law, seed):
    share = 1e-2
    problem = table(9, seed)[0].with_compliance(share)
    rng = np.random.default_rng(3)
    starts = [None, np.abs(rng.normal(size=problem.size))]
    found = [
        solve(problem, law, method, tol=TOL, warm_start=start) for method in ("auto", "pgs", "psor") for start in starts
    ]
    assert all(result.converged for result in found)
    # The natural map is at most tol times the largest of |b|, |x|, |u|; N + share has eigenvalues from share to some 10.
    scale = max(np.linalg.norm(found[0].multipliers), np.linalg.norm(problem.offset))
    for other in found[1:]:
        assert np.abs(other.multipliers - found[0].multipliers).max() <= 10.0 * TOL / share * scale


@pytest.mark.parametrize("share", [1e-3, 1e-2])
def test_penetration_is_compliance_times_impulse(share):
    """The contacts' velocities without the compliance, in closed form."""
    problem, _ = table(4, 0)
    soft = problem.with_compliance(share)
    result = solve(soft, tol=1e-10)
    D = problem.matrix().diagonal().reshape(-1, 3).mean(axis=1)
    rigid = problem.velocity(result.multipliers)
    pressed = result.multipliers[::3] > 1e-6
    assert result.converged
    assert pressed.any()
    np.testing.assert_allclose(rigid[::3][pressed], -(share * D * result.multipliers[::3])[pressed], atol=1e-9)
    np.testing.assert_allclose(result.velocity, rigid + np.repeat(share * D, 3) * result.multipliers, atol=1e-12)


def test_rows_are_not_softened_and_compliances_add_up():
    """A contact, a half-line and a row without bounds."""
    sets = (np.array([0.0, -np.inf]), np.array([np.inf, np.inf]))
    problem = Problem.from_delassus(2.0 * np.eye(5), -np.ones(5), [0.3], rows=sets, compliance=np.full(5, 0.5))
    change = problem.with_compliance(0.1).matrix().diagonal() - problem.matrix().diagonal()
    np.testing.assert_allclose(change, [0.2, 0.2, 0.2, 0.2, 0.0], atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["ncp", "ccp"])
def test_a_warm_start_takes_a_third_of_the_iterations(law):
    """The median over families, whose b is changed by 1e-3 as a change of velocities changes it."""
    shares = []
    for number, name in enumerate(FAMILIES):
        scene = FAMILIES[name](100, number)
        problem, rng = scene.problem, np.random.default_rng(number)
        dv = rng.normal(size=problem.free_velocity.shape)
        dv[scene.bodies.static] = 0.0
        change = problem._factors[0] @ dv.ravel()
        solver = Solver(problem, law, threads=1)
        b = problem.offset + 1e-3 * np.linalg.norm(problem.offset) / np.linalg.norm(change) * change
        cold, warm = solver.solve(b), solver.solve(b, warm_start=solver.solve().multipliers)
        shares.append(warm.iterations / max(1, cold.iterations))
        assert warm.converged or not cold.converged, name
    assert np.median(shares) <= 1.0 / 3.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_rock_pile_and_a_chute_are_solved_where_one_method_alone_stalls(seed):
    for name in ("rocks", "impact", "flow"):
        problem = FAMILIES[name](60, seed).problem
        result = solve(problem, tol=1e-6, threads=1)
        assert result.converged, (name, str(result))
        assert errors_of(problem, result.multipliers).largest <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("name", "contacts", "seed"), [("rest", 86, 19), ("rest", 172, 28), ("jammed", 80, 18)])
def test_weight_on_more_contacts_than_carry_it_comes_to_rest(name, contacts, seed):
    """Jammed spheres, where Gauss-Seidel, shifts and Newton's method go round between kinks."""
    problem = FAMILIES[name](contacts, seed).problem
    result = solve(problem, tol=1e-6, threads=1)
    assert result.converged, str(result)
    assert errors_of(problem, result.multipliers).largest <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "contacts", "seed"),
    [("rest", 50, 12), ("rest", 108, 22), ("jammed", 63, 15), ("rocks", 63, 15), ("rocks", 80, 18)],
)
def test_a_looser_tolerance_ends_the_same_way_earlier(name, contacts, seed):
    """Iterations on one island with a looser tolerance are the first ones with a tighter tolerance."""
    problem = FAMILIES[name](contacts, seed).problem
    runs = [solve(problem, tol=tol, threads=1, separate=False) for tol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)]
    errors = [errors_of(problem, run.multipliers).largest for run in runs]
    assert all(run.converged for run in runs)
    for looser, tighter in itertools.pairwise(runs):
        assert looser.iterations <= tighter.iterations
        spent = {stage.method: stage.iterations for stage in tighter.stages}
        assert all(stage.iterations <= spent[stage.method] for stage in looser.stages)
    assert all(tighter <= looser for looser, tighter in itertools.pairwise(errors))


@pytest.mark.parametrize(("name", "contacts", "seed"), [("packing", 60, 5), ("rocks", 40, 6), ("capsules", 60, 6)])
def test_the_last_digits_cost_newtons_method_next_to_nothing(name, contacts, seed):
    problem = FAMILIES[name](contacts, seed).problem
    coarse, fine = (solve(problem, tol=tol, threads=1, separate=False) for tol in (1e-6, 1e-10))
    assert fine.converged
    assert errors_of(problem, fine.multipliers).largest <= 1e-10
    assert [stage.method for stage in fine.stages] == ["newton"]
    assert coarse.iterations <= fine.iterations <= coarse.iterations + 4
