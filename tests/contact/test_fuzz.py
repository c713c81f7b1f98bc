"""Random friction problems of every kind: each result is within its tolerance, or says that it is not.

Other problems each day, each from its seed alone: what fails is run again by ``random_case(seed)``, and what failed once
is kept below.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pluecker.contact import Problem, ProblemError, solve
from tests.conftest import COMPILED, EVERYTHING, TODAY
from tests.contact.fuzz import RUNNABLE, random_case, run

COUNT = 300 if EVERYTHING else 60 if COMPILED else 30
FIRST = 1_000_000 * (TODAY % 1000)
NAMED = {} if COMPILED else {"most": 4, "limit": 12}


def cases(count):
    """Parametrise a test by so many cases, a quarter of them unless all is run; the seed of each is of this day."""
    return pytest.mark.parametrize("number", range(count if EVERYTHING else count // 4))


@pytest.mark.parametrize("part", range(COUNT // 30))
def test_results_are_what_they_say(part):
    wrong = []
    for seed in range(FIRST + 30 * part, FIRST + 30 * part + 30):
        case, _, complaints = run(seed, wide=seed % 2 == 1, **NAMED)
        wrong += [f"seed {seed} ({case.what}, {case.arguments['method']}): {complaint}" for complaint in complaints]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", [29, 84, 105, 140, 251, 292, 445, 539, 711, 2241])
def test_what_once_failed(seed):
    """History longer than its buffer, overflow, an unbounded lambda, b = 0, islands without entries"""
    case, _, complaints = run(seed, **NAMED)
    assert not complaints, (case.what, case.arguments, complaints)


@cases(20)
def test_the_same_call_twice_gives_the_same_bits(number):
    """Neither the number of threads nor a history changes any bit."""
    seed = FIRST + 30_000 + number
    case, said = random_case(seed, **NAMED), f"seed {seed}"
    arguments = {**case.arguments, "history": False}
    if arguments["method"] == "lemke":
        pytest.skip("it may refuse")
    first = solve(case.problem, **arguments)
    for named in ({}, {"threads": 1}, {"threads": 2}, {"history": True}):
        again = solve(case.problem, **{**arguments, **named})
        assert first.multipliers.tobytes() == again.multipliers.tobytes(), said
        assert first.velocity.tobytes() == again.velocity.tobytes(), said
        assert (first.status, first.errors, first.iterations) == (again.status, again.errors, again.iterations), said


@cases(30)
def test_units_of_velocity_change_nothing(number):
    """All velocities and forces times a power of two: the same digits"""
    seed = FIRST + 40_000 + number
    case, said = random_case(seed, **NAMED), f"seed {seed}"
    problem, arguments = case.problem, case.arguments
    if arguments["method"] == "lemke" or "scales" in case.what:
        pytest.skip("may refuse, or overflow")
    arguments.pop("warm_start", None)
    factor = 2.0**-150
    first = solve(problem, **arguments)
    sets = problem.sets._replace(lower=problem.sets.lower * factor, upper=problem.sets.upper * factor)
    other = solve(Problem(problem.operator, problem.offset * factor, sets), **arguments)
    velocity, speed = other.errors.velocity / factor, other.errors.speed / factor
    bilateral = other.errors.bilateral / factor
    assert first.errors == replace(other.errors, velocity=velocity, speed=speed, bilateral=bilateral), said
    assert np.array_equal(first.multipliers, other.multipliers / factor), said
    assert np.array_equal(first.velocity, other.velocity / factor), said


@cases(40)
def test_the_history_falls_and_the_stages_add_up(number):
    seed = FIRST + 50_000 + number
    case, said = random_case(seed, methods=RUNNABLE, **NAMED), f"seed {seed}"
    arguments = {**case.arguments, "history": True}
    try:
        result = solve(case.problem, **arguments)
    except ProblemError:
        pytest.skip("a method that refuses these data")
    assert str(result).startswith(result.status), said
    assert result.message in str(result), said
    assert result.iterations <= sum(stage.iterations for stage in result.stages), said
    assert sum(stage.time for stage in result.stages) <= result.time * (1 + 1e-9), said
    assert all(stage.time >= 0 and stage.error >= 0 and stage.iterations >= 0 for stage in result.stages), said
    if result.islands == 1:
        assert sum(stage.iterations for stage in result.stages) == result.iterations, said
    history = result.history
    assert history is not None, said
    assert history.shape[1:] == (2,), said
    assert (np.diff(history[:, 0]) >= 0).all(), said
    if arguments["method"] in RUNNABLE and arguments["law"] != "lcp":
        assert (np.diff(history[:, 1]) <= 0).all(), said
        assert len(history) <= result.iterations, said
        if result.islands == 1 and len(history):
            assert history[-1, 1] >= result.errors.largest * (1 - 1e-6) - 1e-14, said


def test_a_limit_of_iterations_is_one():
    for seed in range(FIRST + 60_000, FIRST + 60_000 + COUNT // 3):
        case = random_case(seed, **NAMED)
        arguments = {**case.arguments, "max_iterations": 1 + seed % 5}
        if arguments["law"] == "lcp" or arguments["method"] not in RUNNABLE:
            continue
        result = solve(case.problem, **arguments)
        assert result.iterations <= arguments["max_iterations"], (seed, arguments["method"])


def test_random_damage_is_refused():
    """NaN or infinity anywhere in the data: one sentence that names the place, before anything is solved"""
    rng = np.random.default_rng(TODAY)
    for _ in range(200):
        size, n = int(rng.choice([1, 2, 3, 5, 6])), int(rng.integers(1, 4))
        m = size * n + 1
        J = rng.normal(size=(m, m + 2))
        mu = np.full(n, 0.5 if size > 1 else 0.0)
        data = {"W": J @ J.T, "q": rng.normal(size=m), "friction": mu, "compliance": np.ones(m)}
        data["lower"], data["upper"] = np.full(1, -1.0), np.ones(1)
        name = str(rng.choice([*data]))
        data[name][tuple(int(rng.integers(k)) for k in data[name].shape)] = rng.choice([np.nan, np.inf, -np.inf])
        allowed = data["lower"][0] == -np.inf or data["upper"][0] == np.inf
        rows, said = (data["lower"], data["upper"]), ""
        try:
            Problem.from_delassus(
                data["W"], data["q"], data["friction"], size=size, compliance=data["compliance"], rows=rows
            )
        except ProblemError as error:
            said = str(error)
        assert bool(said) != allowed, (name, TODAY)
        place = {"lower": "row 0: bounds", "upper": "row 0: bounds", "friction": "contact "}.get(name, f"{name}[")
        assert allowed or (said.startswith(place) and ("nan" in said or "inf" in said)), said
