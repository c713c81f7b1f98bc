"""Steps that are not solved: where a motion ends, goes on with a mark, or divides its steps; of a state, and in lanes.

The integrator is one of these tests, a few lines that say when they are not solved and that any reader can follow: simulate
takes it as one of the library's.
"""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, SimulationError, SimulationWarning, TimeTable, simulate
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, store
from tests.conftest import COMPILED

H = 1e-2
FAST, LONGEST = 25.0, 0.5 * H
COUNT = 11 if COMPILED else 3  # eight lanes, and three beside them


@kernel
def step_of_slides(m, c, h, given, q1, v1, memory, ws):
    """Unit masses on slides; where the first is fast, a step has an error by its length, of H twice what is tolerated."""
    q, v, law, _ = given
    for k in range(len(q)):
        store(v1, k, load(v, k) + h * load(law, k))
        store(q1, k, load(q, k) + h * load(v1, k))
    return select(smaller(FAST, load(v, 0) * load(v, 0)), h / LONGEST + 0.0 * load(v, 0), 0.0 * load(v, 0))


SLIDES = Integrator("slides", 1, step_of_slides, workspace=lambda model, scenario: 0, listed=False)


@pytest.fixture(scope="module")
def slides():
    builder = ModelBuilder(gravity=(0, 0, 0))
    for k, axis in enumerate(np.eye(3)):
        builder.add_body(f"block{k}", mass=1.0)
        builder.add_joint(f"slide{k}", "prismatic", "world", f"block{k}", axis=axis)
    return builder.build()


@pytest.fixture
def fast():
    """States of which the second is too fast for the step."""
    q, v = np.random.default_rng(1).uniform(-1.0, 1.0, (2, COUNT, 3))
    v[1, 0] = 2.0 * np.sqrt(FAST)
    return q, v


def run(model, q, v, steps=4, h=H, **options):
    return simulate(model, q, v, steps * h, h, integrator=SLIDES, **options)


def test_an_unsolved_step_is_an_error_that_says_when_and_keeps_what_was_computed(slides, fast):
    q, v = fast
    message = r"beyond t = 0 s in state 1 of the batch: the step is not solved"
    with pytest.raises(SimulationError, match=message) as caught:
        run(slides, q, v)
    assert caught.value.time == 0.0
    assert len(caught.value.trajectory) == 1
    push = TimeTable([0.0, 2 * H], [np.zeros(3), np.full(3, 1e5)], linear=False)
    with pytest.raises(SimulationError, match=r"beyond t = 0\.03 s: the step is not solved") as caught:
        run(slides, q[0], v[0], 9, control=push)
    kept, expected = caught.value.trajectory, run(slides, q[0], v[0], 3, control=push)
    assert len(kept) == 4
    for name in ("q", "v", "tau"):
        np.testing.assert_array_equal(getattr(kept, name)[:3], getattr(expected, name)[:3])


def test_unsolved_steps_are_marked_where_the_motion_goes_on(slides, fast):
    q, v = fast
    motion = run(slides, q, v, on_unsolved="continue")
    marks = motion.columns["error"]
    assert (marks[1, 1:] == H / LONGEST).all()
    assert (np.delete(marks, 1, axis=0) == 0.0).all()
    assert (marks[:, 0] == 0.0).all()
    np.testing.assert_allclose(motion.q, q[:, None] + motion.time[:, None] * v[:, None], atol=1e-14)


def test_an_unsolved_step_is_divided_until_it_is_solved_and_other_states_do_not_notice(slides, fast):
    """Two halves are solved; with forces they lead elsewhere than the whole step."""
    q, v = fast
    u = np.linspace(-1.0, 1.0, 3)
    motion = run(slides, q, v, 1, on_unsolved="substep", control=u)
    others = np.arange(COUNT) != 1
    expected = run(slides, q[others], v[others], 1, control=u)
    np.testing.assert_array_equal(motion.q[others], expected.q)
    half = run(slides, q[1], v[1], 2, 0.5 * H, control=u, on_unsolved="continue")
    np.testing.assert_allclose(motion.q[1, 1], half.q[2], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(motion.v[1, 1], half.v[2], rtol=0.0, atol=1e-14)
    assert np.abs(half.q[2] - q[1] - H * v[1] - H**2 * u).max() > 1e-5


@pytest.mark.parametrize("on_unsolved", ["raise", "continue", "substep"])
def test_a_single_step_that_is_not_solved_ends_as_in_the_loop(on_unsolved, slides, fast):
    """A single step that has to be divided is handed to the loop; one that fails has the loop's message."""
    q, v = fast[0][1], fast[1][1]

    def move(steps):
        try:
            motion = run(
                slides, q, v, steps, control=[1.0, 0.0, -1.0], on_unsolved=on_unsolved, record=("error", "tau")
            )
        except SimulationError as error:
            return str(error), error.time, error.trajectory.q
        return motion.q[:2], motion.v[:2], motion.tau[:2], motion.columns["error"][:2]

    for alone, looped in zip(move(1), move(2), strict=True):
        np.testing.assert_array_equal(alone, looped)


@pytest.mark.indices
@pytest.mark.parametrize("on_unsolved", ["continue", "substep"])
@pytest.mark.parametrize("into", ["memory", "files"])
def test_motions_of_a_batch_that_overflow_leave_the_others_as_they_are_without_them(
    on_unsolved, into, slides, tmp_path
):
    """Of eleven the third and the last are pushed beyond all numbers after 2 steps; the fifth, of the same lanes, later."""
    q, v = np.random.default_rng(1).uniform(-1.0, 1.0, (2, 11, 3))
    push = np.random.default_rng(2).uniform(-1.0, 1.0, (11, 3, 3))
    steps, later = (1500, 1200) if COMPILED else (12, 7)  # more than one stretch of the loop
    h = 0.01 * H
    v[[2, 4, 10], 1], push[[2, 10], 1:, 1], push[4, 2:, 1] = 1.797693e308, 1e308, 1e308
    others = np.delete(np.arange(11), [2, 4, 10])
    table = h * np.array([0.0, 2.0, later])

    def follow(states, name):
        control = TimeTable(table, push[states], linear=False)
        options = {"record": ("a", "tau", "energy", "error"), "on_unsolved": on_unsolved, "every": 3}
        folder = tmp_path / name if into == "files" else None
        return run(slides, q[states], v[states], steps, h, control=control, record_to=folder, **options)

    with pytest.warns(
        SimulationWarning, match=r"3 of 11 motions .* state 2 of the batch not beyond .* numbers overflow"
    ):
        motion = follow(np.arange(11), "all")
    expected = follow(others, "others")
    assert not expected.failures
    for part in ("q", "v", "a", "tau"):
        np.testing.assert_array_equal(getattr(motion, part)[others], getattr(expected, part))
        assert np.isfinite(getattr(expected, part)).all()
    for name, values in expected.columns.items():
        np.testing.assert_array_equal(motion.columns[name][others], values)
        assert np.isfinite(values).all()
    assert [each.state for each in motion.failures] == [(2,), (10,), (4,)]
    np.testing.assert_allclose([each.time for each in motion.failures], [2 * h, 2 * h, later * h])
    for each in motion.failures:
        alone = motion.motion(each.state)
        assert alone.failures == (each._replace(state=()),)
        known = np.isfinite(alone.q).all(axis=-1)
        np.testing.assert_array_equal(known, motion.time <= each.time)  # up to the state before the step that failed
        assert np.isnan(alone.v[~known]).all()
    assert not motion.motion(0).failures
    assert motion[-1:].failures == motion.failures


@pytest.mark.plain
def test_a_control_in_python_that_gives_nan_for_one_state_ends_that_one(slides):
    q, v = np.zeros((3, 3)), np.ones((3, 3))

    def push(t, q, v):
        tau = np.zeros_like(v)
        tau[0, 2] = np.nan if t > 0.5 * H else 0.0
        return tau

    with pytest.warns(SimulationWarning, match="control gives nan for 'slide2'"):
        motion = run(slides, q, v, control=push, on_unsolved="substep")
    assert [(each.state, each.time) for each in motion.failures] == [((0,), H)]
    np.testing.assert_allclose(motion.q[1:, -1], 4 * H, rtol=1e-12)
    with pytest.raises(SimulationError, match=r"'slide2' in state 0 of the batch, expected a finite number"):
        run(slides, q, v, control=push)


@pytest.mark.plain
def test_a_batch_of_which_all_motions_fail_has_all_samples(slides):
    with pytest.warns(SimulationWarning, match="2 of 2 motions"):
        motion = run(
            slides, np.zeros((2, 3)), np.ones((2, 3)), 9, control=np.full(3, 1e308), h=1e3, on_unsolved="continue"
        )
    assert motion.q.shape == (2, 10, 3)
    assert [each.state for each in motion.failures] == [(0,), (1,)]
    assert np.isnan(motion.q[:, 2:]).all()


@pytest.mark.parametrize("into", ["memory", "files"])
def test_steps_that_are_divided_are_marked_with_their_pieces(into, slides, fast, tmp_path):
    """The error is that of the length, which is four times too much and then half of that, as the first block is fast."""
    q, v = fast
    folder = tmp_path / "run" if into == "files" else None
    motion = run(slides, q, v, 5, h=4 * LONGEST, every=2, on_unsolved="substep", record_to=folder)
    expected = np.ones((COUNT, 4))
    expected[1, 1:] = 4.0
    np.testing.assert_array_equal(motion.columns["divided"], expected)
    np.testing.assert_array_equal(motion.divided, expected > 1.0)
    alone = run(slides, q[1], v[1], 1, h=2 * LONGEST, on_unsolved="substep")
    np.testing.assert_array_equal(alone.columns["divided"], [1.0, 2.0])
    alone.save(tmp_path / "run.npz")
    assert alone.load(tmp_path / "run.npz").divided.tolist() == [False, True]
    slow = run(slides, q[0], v[0], 1, on_unsolved="substep")
    assert not slow.divided.any()
    assert "divided" not in run(slides, q[0], v[0], 1).columns
    braked = TimeTable(
        [0.0, H, 2 * H], [[0.0] * 3, [-v[1, 0] / H, 0.0, 0.0], [0.0] * 3], linear=False
    )  # at rest after two
    motion = run(slides, q[1], v[1], 4, control=braked, on_unsolved="substep")
    np.testing.assert_array_equal(motion.columns["divided"], [1.0, 2.0, 2.0, 1.0, 1.0])
