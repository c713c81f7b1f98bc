"""Strategies for worlds and friction problems: samples hold, or are solved; failures shrink, and print what makes them."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from pluecker import PlueckerError
from pluecker.articulated import random_tree
from pluecker.articulated.strategies import tree
from pluecker.contact import World, constraints, errors_of, geometry, strategies

pytestmark = pytest.mark.plain

FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
NAMES = {name: getattr(module, name) for module in (constraints, geometry) for name in module.__all__}
NAMES |= {"World": World, "WorldState": strategies.WorldState, "tree": tree, "np": np}
NAMES |= {"solved_problem": strategies.solved_problem}


def reach(state):
    """Return the size of frames and coordinates, of which rounding is a share."""
    frames = [getattr(each, key, None) for each in state.world.constraints for key in ("first", "second")]
    places = [frame.position for frame in frames if isinstance(frame, constraints.Frame)]
    return 1.0 + np.abs(state.q).max() + np.abs([*places, (0.0, 0.0, 0.0)]).max()


@FEW
@given(strategies.worlds())
def test_constraints_hold_in_the_state_that_is_drawn_with_them(state):
    assert 1 <= len(state.world) <= 3
    assert state.v.shape == (state.world.model.nv,)
    errors = state.world.errors_at(state.q)
    for error in (errors.bilateral, errors.limits, errors.contacts):
        assert error <= 1e-13 * reach(state)


@pytest.mark.parametrize("kind", strategies.KINDS)
def test_each_kind_of_constraint_holds_and_prints_what_makes_it_again(kind):
    """The tree has joints that each kind can use."""
    model = random_tree(3, 1, joints=["revolute", "prismatic", "spherical"])
    sample = settings(max_examples=4, database=None, phases=[Phase.generate])

    @sample
    @given(strategies.worlds(model, 2, 2, kinds=[kind]))
    def holds(state):
        assert kind.replace("_", "") in {type(each).__name__.lower() for each in state.world.constraints}
        assert state.world.errors_at(state.q).bilateral <= 1e-13 * reach(state)
        assert eval(repr(state), {**NAMES, "model": model}) == state

    holds()


@FEW
@given(strategies.worlds())
def test_what_a_world_prints_makes_it_again(state):
    again = eval(repr(state), NAMES)
    assert again == state
    assert repr(again) == repr(state)


def test_worlds_shrink_to_one_body_and_the_constraint_that_fails():
    def fails(state):
        return any(isinstance(each, constraints.Hinge) for each in state.world.constraints)

    found = find(strategies.worlds(), fails)
    assert [type(each) for each in found.world.constraints] == [constraints.Hinge]
    assert [joint.type for joint in found.world.model.joints] == ["revolute"]
    np.testing.assert_array_equal([found.q, found.v], 0.0)


@FEW
@given(strategies.friction_problems())
def test_problems_come_with_a_solution_and_print_what_makes_them_again(case):
    assert errors_of(case.problem, case.multipliers).largest < 1e-12
    again = eval(repr(case), NAMES)
    assert again == case
    assert repr(again) == repr(case)


@pytest.mark.parametrize(
    ("matrix", "least", "most"),
    [
        ("regular", 1e-4, 1.0),
        ("redundant", 0.0, 1e-14),
        ("nearly redundant", 1e-18, 1e-10),
        ("unequal masses", 1e-14, 1e-2),
    ],
)
def test_matrices_are_as_near_to_singular_as_they_are_called(matrix, least, most):
    """The ratio of the smallest eigenvalue to the largest, in the middle of many."""
    cases = [strategies.solved_problem(["sliding", "open"], matrix=matrix, rng=k) for k in range(9)]
    sizes = [np.linalg.eigvalsh(case.problem.matrix().toarray()) for case in cases]
    assert least <= np.median([abs(size[0]) / size[-1] for size in sizes]) <= most


def test_problems_shrink_to_one_contact():
    found = find(strategies.friction_problems(), lambda case: case.multipliers @ case.velocity < -0.1)
    assert repr(found) == "solved_problem(['sliding'], rows=0, friction=0.5, matrix='regular', rng=0)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: strategies.worlds(3), "worlds: models is 3"),
        (lambda: strategies.worlds(smallest=2, largest=1), "worlds: smallest is 2 and largest is 1"),
        (lambda: strategies.worlds(kinds=["weld"]), "worlds: kinds has 'weld', expected some of ball, "),
        (lambda: strategies.worlds(kinds="ball"), "worlds: kinds is 'ball', expected names"),
        (lambda: strategies.worlds(kinds=[]), "worlds: kinds is empty"),
        (lambda: strategies.friction_problems(-1), "friction_problems: smallest is -1"),
        (lambda: strategies.friction_problems(matrices=["flat"]), "friction_problems: matrices has 'flat'"),
        (
            lambda: strategies.solved_problem(["rolling"]),
            "solved_problem: contacts has 'rolling', expected some of open, ",
        ),
        (lambda: strategies.solved_problem(["open"], friction=-1.0), "solved_problem: friction is -1.0"),
        (lambda: strategies.solved_problem(["open"], matrix=3), "solved_problem: matrix has 3"),
    ],
)
def test_what_no_strategy_can_be_made_of_is_said(call, message):
    with pytest.raises(PlueckerError, match=f"^{message}"):
        call()
