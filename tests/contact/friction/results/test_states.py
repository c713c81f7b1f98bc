"""States of contacts: a block on a slope, closed forms of one contact, all laws, all sizes."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import (
    CONTACT_STATES,
    LAWS,
    Bodies,
    ContactTable,
    Errors,
    Problem,
    ProblemError,
    Result,
    Rows,
    assemble_contacts,
    solve,
)  # fmt: skip
from pluecker.spatial import ArgumentTypeError

G, STEP = 9.81, 0.01


def block_on_a_slope(slope, mu, pull=0.0, gap=0.0):
    """A block of 2 kg at rest on the floor; gravity leans by the slope, ``pull`` times the normal weight lifts it."""
    bodies = Bodies([np.inf, 2.0], np.ones((2, 3)), [[0, 0, -1], [0, 0, 0.0]])
    bodies = bodies.with_gravity([G * np.sin(slope), 0.0, -G * np.cos(slope) * (1.0 - pull)])
    return assemble_contacts(bodies, ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], gap=gap, friction=mu), STEP)


@pytest.mark.parametrize("law", ["ncp", "ccp", "lcp"])
@pytest.mark.parametrize("mu", [0.2, 0.5, 0.9])
def test_a_block_sticks_below_the_angle_of_friction_and_slides_above(law, mu):
    for factor, expected in (
        (0.0, "sticking"),
        (0.9, "sticking"),
        (0.99, "sticking"),
        (1.01, "sliding"),
        (1.3, "sliding"),
    ):
        result = solve(block_on_a_slope(factor * np.arctan(mu), mu), law, tol=1e-9)
        assert result.converged, str(result)
        assert result.contact_states().tolist() == [expected], factor


@pytest.mark.parametrize("law", LAWS)
def test_a_block_that_is_pulled_off_is_open_and_one_that_just_grazes_undetermined(law):
    for pull, expected in ((2.0, "open"), (1.01, "open"), (1.0, "undetermined")):
        result = solve(block_on_a_slope(0.0, 0.5, pull), law, tol=1e-9)
        assert result.contact_states().tolist() == [expected]
    far = solve(block_on_a_slope(0.0, 0.5, gap=1.0), law, tol=1e-9)
    assert far.contact_states().tolist() == ["open"]
    pressed = solve(block_on_a_slope(0.0, 0.5), "frictionless", tol=1e-9)
    assert pressed.contact_states().tolist() == ["sliding"]  # nothing holds it


@pytest.mark.parametrize("mass", [1e-12, 1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("speed", [1e-12, 1e-6, 1.0, 1e6, 1e100])
def test_states_depend_on_no_units(mass, speed):
    W = np.eye(12) / mass
    b = speed * np.array([-1.0, 0.2, 0, -1.0, 3.0, 0, 1.0, 3.0, 0, 0.0, 0, 1.0])
    problem = Problem.from_delassus(W, b, [0.5] * 4)
    methods = [("ncp", "newton")]
    if speed < 1e100:  # Lemke's method walks the same way in all units; auto may stop at a rough lambda
        methods += [("lcp", "lemke"), ("lcp", "auto")]
    for law, method in methods:
        result = solve(problem, law, method, tol=1e-10)
        assert result.contact_states().tolist() == ["sticking", "sliding", "open", "undetermined"], (law, method)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
def test_contacts_of_all_sizes_among_rows(size):
    """Rows have no state; a contact of one component has nothing that holds it."""
    mu = np.array([0.5, 0.3, 0.2])[: {1: 1, 2: 1, 3: 1, 5: 2, 6: 3}[size]] * (size > 1)
    for b, expected in (
        ([-1.0] + [0.01] * 5, "sticking"),
        ([-1.0] + [9.0] * 5, "sliding"),
        ([1.0] + [9.0] * 5, "open"),
    ):
        rows = ([-1.0, 0.0], [1.0, np.inf]) if size > 1 else ([-1.0], [1.0])
        full = np.concatenate([b[:size], -np.ones(len(rows[0]))])
        problem = Problem.from_delassus(np.eye(len(full)), full, mu[None], size=size, rows=rows)
        states = solve(problem, tol=1e-9).contact_states()
        assert states.tolist() == ["sliding" if size == 1 and expected == "sticking" else expected]
    spinning = Problem.from_delassus(np.eye(6), [-1.0, 0, 0, 0, 0, 9.0], [[0.5, 0.3, 0.2]], size=6)
    assert solve(spinning, tol=1e-9).contact_states().tolist() == ["sliding"]
    without = Problem.from_delassus(np.eye(6), [-1.0, 0, 0, 0, 0, 9.0], [[0.5, 0.3, 0.0]], size=6)
    assert solve(without, tol=1e-9).contact_states().tolist() == ["sticking"]  # no friction holds its spin


def test_the_tolerance_says_what_is_none():
    b = np.array([-1.0, 0.2, 0, -1e-4, 3e-4, 0, 1e-4, 3.0, 0])
    result = solve(Problem.from_delassus(np.eye(9), b, [0.5] * 3), tol=1e-10, method="newton")
    assert result.contact_states().tolist() == ["sticking", "sliding", "open"]
    assert result.contact_states(tol=1e-2).tolist() == ["sticking", "undetermined", "undetermined"]
    assert result.contact_states(tol=0).tolist()[1:] == ["sliding", "open"]
    assert result.state_tol == max(result.tol, 2.0 * result.errors.relative_velocity)
    assert set(result.contact_states()) <= set(CONTACT_STATES)
    rough = solve(Problem.from_delassus(np.eye(9), b, [0.5] * 3), method="pgs", tol=1e-10, max_iterations=1)
    assert rough.state_tol >= rough.tol


def test_without_contacts_there_are_no_states_and_what_cannot_be_is_refused():
    empty = solve(Problem.from_delassus(np.zeros((0, 0)), [], []))
    assert empty.contact_states().shape == (0,)
    rows = Rows([[1, -1]], np.ones((1, 2, 6)) * [[[1.0], [0.0]]])
    bodies = Bodies([np.inf, 1.0], np.ones((2, 3)), np.zeros((2, 3)))
    none = ContactTable([], np.zeros((0, 3)), np.zeros((0, 3)))
    assert len(solve(assemble_contacts(bodies, none, STEP, rows)).contact_states()) == 0
    for tol, kind in ((-1.0, ProblemError), (np.nan, ProblemError), ("a", ArgumentTypeError), (10**400, ProblemError)):
        with pytest.raises(kind, match="tol is"):
            empty.contact_states(tol=tol)
    errors = Errors(0.0, 0.0, 0.0, 0.0, 0.0)
    own = Result(np.zeros(3), np.zeros(3), "ncp", "apgd", "converged", errors, 1e-6, 0, 0, 1, 0.0)
    with pytest.raises(ProblemError, match="not made by solve"):
        own.contact_states()
