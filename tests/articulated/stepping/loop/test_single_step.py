"""A single step under constant forces, taken without the loop, is the loop's own: every number of it, by all integrators."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, SimulationError, random_configuration, simulate
from pluecker.articulated.stepping.loop import loop_driver
from pluecker.articulated.stepping.terms.integrator import INTEGRATORS
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface
from tests.mechanisms import random_description

H = 1e-3
EVERYTHING = ("a", "tau", "error")
LISTED = list(INTEGRATORS)


def everything(motion):
    """All numbers of a motion."""
    own = {name: getattr(motion, name) for name in ("time", "q", "v", "a", "tau")}
    return {name: value for name, value in (own | dict(motion.columns)).items() if value is not None}


def both(monkeypatch, move):
    """What a function gives without the loop, and with it."""
    with monkeypatch.context() as patch:
        patch.setattr(loop_driver.LoopTask, "run", property(lambda task: pytest.fail("the loop was asked for")))
        alone = move()
    with monkeypatch.context() as patch:
        patch.setattr(loop_driver, "is_single", lambda *arguments: False)
        return alone, move()


def assert_same(alone, looped):
    """To the last bit."""
    assert everything(alone).keys() == everything(looped).keys()
    for name, value in everything(alone).items():
        np.testing.assert_array_equal(value, everything(looped)[name], err_msg=name)


def mechanism(seed=3):
    model, rng = random_description(seed, 6, passive=False).build(), np.random.default_rng(seed)
    return model, random_configuration(model, rng), rng.standard_normal(model.nv), rng


@pytest.mark.parametrize("integrator", LISTED)
@pytest.mark.parametrize("pushed", [False, True])
def test_a_single_step_is_that_of_the_loop(integrator, pushed, monkeypatch):
    model, q, v, rng = mechanism()
    tau, f_ext = rng.standard_normal(model.nv), rng.standard_normal((model.n_bodies, 6)) if pushed else None
    options = {"integrator": integrator, "limits": False, "record": EVERYTHING, "control": tau, "f_ext": f_ext}
    assert_same(*both(monkeypatch, lambda: simulate(model, q, v, H, H, **options)))


def test_steps_of_a_world_need_no_loop_and_go_on_as_in_one(monkeypatch):
    """A box that slides and tips on the ground, its contacts named or found, or none: state and memory, step by step."""
    builder = ModelBuilder()
    builder.add_body("box", mass=2.0, inertia=(0.02, 0.03, 0.04))
    builder.add_joint("free", "free", parent="world", child="box")
    surface = Surface(friction=0.4, restitution=0.2)
    shapes = [Collider("ground", HalfSpace(), "world", surface), Collider("cube", Box((0.3, 0.2, 0.4)), "box", surface)]
    for options in ({"shapes": shapes}, {"shapes": shapes, "pairs": [("ground", "cube")]}, {}):
        world = World(builder.build(), **options)

        def steps(world=world):
            q, v, memory, found = np.array([0.0, 0, 0.2, 1, 0, 0, 0]), np.array([0.5, 2.0, 0, 1.0, 0, -0.5]), None, []
            for _ in range(4):
                after = world.step(q, v, H, tau=[0.1, 0, 0, 0, 0.3, 0], memory=memory)
                q, v, memory = after
                found += [q, v, memory.impulses, memory.own, np.array([memory.time])]
            return found

        for alone, looped in zip(*both(monkeypatch, steps), strict=True):
            np.testing.assert_array_equal(alone, looped)


@pytest.mark.parametrize("on_unsolved", ["raise", "continue", "substep"])
def test_a_step_that_is_not_solved_ends_as_it_does_in_the_loop(on_unsolved, monkeypatch):
    """What has to be divided is left to the loop; what fails says the same."""
    model, q, v, _ = mechanism()

    def move(speed, step):
        try:
            return everything(simulate(model, q, speed * v, step, step, integrator="redmax", on_unsolved=on_unsolved))
        except SimulationError as error:
            return {"error": str(error), "time": error.time, "q": error.trajectory.q}

    for speed, step in ((300.0, 0.3), (1e200, H)):
        with monkeypatch.context() as patch:
            patch.setattr(loop_driver, "is_single", lambda *arguments: False)
            looped = move(speed, step)
        alone = move(speed, step)
        assert alone.keys() == looped.keys()
        for name, value in alone.items():
            np.testing.assert_array_equal(value, looped[name])
