"""Functions that take a model take a world: they answer as for its model, or refuse where constraints change the answer."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import pluecker
from pluecker import articulated
from pluecker.articulated import LimitWarning, PointSpring, Trajectory, derivative_of, simulate
from pluecker.articulated.strategies import velocities
from pluecker.contact import ConstraintError, World
from pluecker.contact.constraints import Motor
from pluecker.contact.geometry import Collider, Collision, HalfSpace, Sphere
from pluecker.spatial import PlueckerError
from tests.contact.world.mechanisms import slider_crank, slider_crank_state

CHANGED = {
    "aba", "aba_derivatives", "convergence", "factorize", "joint_forces", "minv", "operational_inertia", "redmax_dynamics",
    "rnea", "rnea_derivatives",
}  # fmt: skip
DRAWN = {"animate", "plot_energy", "plot_mechanism", "plot_trajectory", "view"}  # which need what may not be here
LOOPED = slider_crank()
MODEL, (Q, V) = LOOPED.model, slider_crank_state(0.4, 5.0)
INPUTS = {
    "q": Q, "q0": Q, "q1": Q + 0.1, "v": V, "a": V + 1.0, "tau": V - 1.0, "x": V + 2.0, "frame": "coupler",
    "reference": "slider", "elements": [PointSpring("coupler", "world", stiffness=3.0, rest_length=0.1)],
    "f_ext": np.ones((3, 6)), "duration": 0.02, "step": 0.01, "rng": 5, "rows": [3],
}  # fmt: skip
FUNCTIONS = {
    name: function
    for name in articulated.__all__
    if inspect.isfunction(function := getattr(articulated, name))
    and next(iter(inspect.signature(function).parameters), "") == "model"
    and name not in {*DRAWN, "simulate"}
}


def arguments(function):
    """Return the inputs that a function needs behind its model, and names of frames."""
    return {
        name: INPUTS[name]
        for name, each in inspect.signature(function).parameters.items()
        if name in INPUTS and (each.default is each.empty or name in ("frame", "rng", "rows"))
    }


@pytest.mark.plain
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_answers_as_for_the_model_or_refuses_what_constraints_change(name):
    function = FUNCTIONS[name]
    inputs = arguments(function)
    expected = function(MODEL, **inputs)
    found = [function(World(MODEL), **inputs) for _ in range(2)]  # the second may go a shorter way
    for each in found:
        assert_equal(each, expected)
    shaped = World(MODEL, shapes=[Collider("floor", HalfSpace(), "world"), Collider("skin", Sphere(0.1), "slider")])
    for world, named in ((LOOPED, "'pin'"), (shaped, "'shapes'")):
        if name in CHANGED:
            with pytest.raises(ConstraintError, match=rf"^{name}: the world has {named}, of which.* world\.model"):
                function(world, **inputs)
        else:
            assert_equal(function(world, **inputs), expected)


def assert_equal(found, expected):
    """Arrays, or records and tuples of them."""
    if hasattr(expected, "toarray"):
        found, expected = found.toarray(), expected.toarray()
    if isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            assert_equal(a, b)
    else:
        assert found == expected


@pytest.mark.plain
def test_derivatives_refuse_what_their_functions_refuse():
    np.testing.assert_array_equal(
        derivative_of("kinetic_energy")(LOOPED, Q, V, wrt="v"), derivative_of("kinetic_energy")(MODEL, Q, V, wrt="v")
    )
    with pytest.raises(ConstraintError, match=r"^derivative_of\(rnea\): the world has 'pin'.*World\.inverse_dynamics"):
        derivative_of("rnea")(LOOPED, Q, V, V)
    motors = [Motor(f"m{k}", "crank", speed=1.0, force=1.0) for k in range(7)]
    with pytest.raises(ConstraintError, match=r"^aba: the world has 'm0', 'm1', 'm2', 'm3', 'm4' and 2 more, of which"):
        articulated.aba(World(MODEL, motors), Q, V, V)


@pytest.mark.plain
def test_simulate_of_a_world_is_its_own():
    assert pluecker.simulate is simulate
    ours, theirs = LOOPED.simulate(Q, V, 0.003, 0.001), simulate(LOOPED, Q, V, 0.003, step=0.001)
    assert np.array_equal(ours.q, theirs.q)
    assert ours.state == theirs.state
    on = simulate(LOOPED, ours.state, 0.002, 0.001, control=[1.0, 0.0, 0.0])
    assert np.array_equal(on.q, LOOPED.simulate(ours.state, 0.002, 0.001, control=[1.0, 0.0, 0.0]).q)
    slow = World(MODEL.replace(velocity_limit=[1.0, np.inf, np.inf]), LOOPED.constraints)
    for call in (lambda: slow.simulate(Q, V, 0.001, 0.001), lambda: simulate(slow, Q, V, 0.001, 0.001)):
        with pytest.warns(LimitWarning, match="velocity_limit") as caught:
            call()
        assert [each.filename for each in caught] == [__file__]
    with pytest.warns(LimitWarning) as caught:
        simulate(slow.model, Q, V, 0.001, 0.001)
    assert [each.filename for each in caught] == [__file__]


@pytest.mark.plain
def test_a_world_is_a_record_that_does_not_change():
    world, twin = slider_crank(), slider_crank()
    for name in ("model", "constraints", "limits", "parts", "found_contacts"):
        with pytest.raises(AttributeError, match=f"cannot assign to field '{name}'"):
            setattr(world, name, None)
    assert world == twin
    assert hash(world) == hash(twin)


@pytest.mark.plain
def test_records_of_models_take_worlds():
    motion = Trajectory(q=Q[None], model=LOOPED)
    assert motion.model is MODEL
    assert Collision(LOOPED, [Collider("skin", Sphere(0.1), "slider")]).model is MODEL
    assert World(World(MODEL), LOOPED.constraints) == LOOPED
    with pytest.raises(ConstraintError, match=r"^World: the world has 'pin'"):
        World(LOOPED)
    assert velocities(LOOPED) is not None
    with pytest.raises(
        PlueckerError, match=r"^rnea: model must be a pluecker\.articulated\.Model, got the class World"
    ):
        articulated.rnea(World, Q, V, V)
