"""The loop over steps does what a loop in Python around Euler's step does, with every kind of control, in lanes too."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from pluecker.articulated import (
    Actuator,
    CompiledControl,
    Control,
    Model,
    PDControl,
    PointSpring,
    SimulationError,
    SimulationWarning,
    TimeTable,
    aba,
    applied_forces,
    difference,
    integrate,
    random_configuration,
    simulate,
)
from tests.conftest import COMPILED
from tests.mechanisms import random_description
from tests.models import one_body

H = 1e-2
NUMBERS = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


@pytest.fixture(scope="module")
def tree() -> Model:
    kinds = ("free", "revolute", "spherical", "prismatic")
    return random_description(5, 4, kinds).build().replace(friction=0.0)


@pytest.fixture
def states(tree):
    rng = np.random.default_rng(1)
    count = 11 if COMPILED else 3  # eight lanes, and three beside them
    return random_configuration(tree, rng, count), 0.3 * rng.standard_normal((count, tree.nv))


def loop(model, q, v, steps, torque, f_ext=None):
    """Step semi-implicitly in Python; returns the states and the joint forces."""
    found = [(q, v, torque(0.0, q, v))]
    for k in range(steps):
        a = aba(model, q, v, found[-1][2], f_ext)
        v = v + H * a
        q = integrate(model, q, H * v)
        found.append((q, v, torque((k + 1) * H, q, v)))
    return tuple(np.stack(part, axis=-2) for part in zip(*found, strict=True))


def agree(motion, expected):
    scale = np.abs(expected[1]).max()
    for found, wanted in zip((motion.q, motion.v, motion.tau), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-11 * max(1.0, scale), rtol=1e-11)


def run(model, q, v, steps=4, **options):
    return simulate(model, q, v, steps * H, H, integrator="euler", **options)


def controls(tree):
    """Every kind of control, and the same as a function of Python's."""
    rng = np.random.default_rng(2)
    u, target = rng.standard_normal(tree.nv), random_configuration(tree, rng)
    knots, values = np.array([0.0, 1.5 * H, 3 * H]), rng.standard_normal((3, tree.nv))
    P, D = rng.uniform(0.0, 3.0, (2, tree.nv))

    def linear(t):
        return np.array([np.interp(t, knots, column) for column in values.T])

    def feedback(t, q, v):
        return u + P * difference(tree, q, target) - D * v

    def clipped(t, q, v):
        return np.clip(3.0 * np.clip(feedback(t, q, v), -0.4, 0.4), -0.9, 0.9)

    return {
        "none": (None, lambda t, q, v: np.zeros_like(v)),
        "constant": (u, lambda t, q, v: np.broadcast_to(u, v.shape)),
        "linear": (TimeTable(knots, values), lambda t, q, v: np.broadcast_to(linear(t), v.shape)),
        "held": (
            TimeTable(knots, values, linear=False),
            lambda t, q, v: np.broadcast_to(values[0 if t < 1.4 * H else 1 if t < 2.9 * H else 2], v.shape),
        ),
        "gains": (PDControl(P, D, q=target, tau=u), feedback),
        "python": (feedback, feedback),
        "compiled": (CompiledControl(SIGNATURE(spin_down), [0.5]), lambda t, q, v: -0.5 * v + t),
        "limits": (Control(PDControl(P, D, q=target, tau=u), actuator=Actuator(3.0, 0.4), clip=True), clipped),
    }


def spin_down(t, q, v, tau, parameters):
    """A control in C, as far as the loop can tell."""
    for k in range(NV):
        tau[k] = -parameters[0] * v[k] + t


NV = 11


@pytest.mark.parametrize("kind", ["none", "constant", "linear", "held", "gains", "python", "compiled", "limits"])
def test_the_loop_is_that_of_python_with_every_control(kind, tree, states):
    assert tree.nv == NV
    model = tree.replace(effort_limit=0.9) if kind == "limits" else tree
    control, torque = controls(tree)[kind]
    q, v = states
    agree(run(model, q, v, control=control), loop(model, q, v, 4, torque))
    agree(run(model, q[0], v[0], control=control), loop(model, q[0], v[0], 4, torque))


def test_a_control_with_a_period_looks_at_the_state_once_for_each_and_holds(tree, states):
    q, v = states[0][0], states[1][0]
    seen = []

    def sampled(t, q, v):
        seen.append(t)
        return -v

    held = run(tree, q, v, 6, control=Control(sampled, period=3 * H))
    np.testing.assert_allclose(seen, [0.0, 3 * H, 6 * H])
    np.testing.assert_array_equal(held.tau, -held.v[[0, 0, 0, 3, 3, 3, 6]])
    gains = Control(PDControl(0.0, 1.0, q=q), period=3 * H)
    agree(run(tree, q, v, 6, control=gains), (held.q, held.v, held.tau))


def test_actuators_answer_late(tree, states):
    q, v = states
    values = np.arange(1.0, 7.0)[:, None] * np.ones(tree.nv)
    table = TimeTable(H * np.arange(6), values, linear=False)
    motion = run(tree, q, v, 5, control=Control(table, actuator=Actuator(delay=2 * H)))
    np.testing.assert_array_equal(motion.tau[..., 0], np.broadcast_to([0, 0, 1, 2, 3, 4], motion.tau.shape[:-1]))


def test_wrenches_and_springs_act_on_bodies_and_tables_of_wrenches_are_taken_in_the_middle_of_steps(tree, states):
    q, v = states
    rng = np.random.default_rng(3)
    first, second = rng.standard_normal((2, tree.n_bodies, 6))
    zero = lambda t, q, v: np.zeros_like(v)  # noqa: E731
    agree(run(tree, q, v, f_ext=first), loop(tree, q, v, 4, zero, first))
    table = TimeTable([0.0, H], [first, second])
    expected = loop(tree, q, v, 1, zero, 0.5 * (first + second))
    agree(run(tree, q, v, 1, f_ext=table), expected)
    nothing = TimeTable([0.0, H], 0.0 * table.values)
    np.testing.assert_array_equal(run(tree, q, v, f_ext=nothing).q, run(tree, q, v).q)
    spring = PointSpring("world", tree.body_names[0], stiffness=50.0, damping=2.0)
    pulled = run(tree, q, v, 1, elements=spring)
    agree(pulled, loop(tree, q, v, 1, zero, applied_forces(tree, spring, q, v).wrenches))
    np.testing.assert_allclose(pulled.a[..., 0, :] * H, pulled.v[..., 1, :] - pulled.v[..., 0, :], atol=1e-10)


BATCHES = [
    "constant", "linear", "held", "stiffness", "damping", "reference", "moving reference", "velocity", "feedforward",
    "sampled", "compiled", "wrenches", "table of wrenches",
]  # fmt: skip
INDICES = ("moving reference", "feedforward", "table of wrenches")  # what is looked up in tables


def batch_of_controls(kind, tree):
    """Options of a simulation of which each of three motions has its own: as a function of which of them."""
    rng = np.random.default_rng(4)
    u, P, D = rng.standard_normal((3, tree.nv)), *rng.uniform(0.0, 3.0, (2, 3, tree.nv))
    knots, values = [0.0, 2 * H, 3 * H], rng.standard_normal((3, 3, tree.nv))
    q = random_configuration(tree, rng, 9).reshape(3, 3, tree.nq)
    parameters, f = rng.uniform(0.0, 1.0, (3, 1)), rng.standard_normal((3, 3, tree.n_bodies, 6))
    return {
        "constant": lambda k: {"control": u[k]},
        "linear": lambda k: {"control": TimeTable(knots, values[k])},
        "held": lambda k: {"control": TimeTable(knots, values[k], linear=False)},
        "stiffness": lambda k: {"control": PDControl(P[k], 0.1, q=q[0, 0])},
        "damping": lambda k: {"control": PDControl(2.0, D[k], q=q[0, 0])},
        "reference": lambda k: {"control": PDControl(2.0, D[0], q=q[k, 0])},
        "moving reference": lambda k: {"control": PDControl(P[0], 0.1, q=TimeTable(knots, q[k]))},
        "velocity": lambda k: {"control": PDControl(2.0, 0.5, q=q[0, 0], v=TimeTable(knots, values[k]))},
        "feedforward": lambda k: {"control": PDControl(P[k], 0.1, q=q[k, 0], tau=TimeTable(knots, values[k]))},
        "sampled": lambda k: {"control": Control(PDControl(P[k], D[k], q=q[k, 0]), period=2 * H, clip=True)},
        "compiled": lambda k: {"control": CompiledControl(SIGNATURE_OF_SPIN, parameters[k])},
        "wrenches": lambda k: {"f_ext": f[k, 0]},
        "table of wrenches": lambda k: {"f_ext": TimeTable(knots, f[k])},
    }[kind]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.indices if kind in INDICES else ()) for kind in BATCHES]
)
def test_each_motion_of_a_batch_has_its_own_control_gains_references_tables_parameters_and_wrenches(kind, tree, states):
    """Motions in lanes from one state equal each motion by itself, and differ from one another at the end."""
    q, v = states[0][0], states[1][0]
    model = tree.replace(effort_limit=2.0) if kind == "sampled" else tree
    options = batch_of_controls(kind, tree)
    batch = run(model, q, v, **options(slice(None)))
    for k in range(3):
        one = run(model, q, v, **options(k))
        agree(batch.motion(k), (one.q, one.v, one.tau))
    assert np.abs(batch.v[0, -1] - batch.v[1:, -1]).max(axis=-1).min() > 1e-3


def test_axes_of_states_and_of_controls_broadcast(tree, states):
    """Two states along one axis, three gains along the other: six motions."""
    q, v = (x[:2, None] for x in states)
    P = np.array([0.5, 1.0, 2.0])[:, None] * np.ones(tree.nv)
    motion = run(tree, q, v, control=PDControl(P, 0.1, q=states[0][0]))
    assert motion.q.shape == (2, 3, 5, tree.nq)
    one = run(tree, q[1, 0], v[1, 0], control=PDControl(P[2], 0.1, q=states[0][0]))
    agree(motion.motion((1, 2)), (one.q, one.v, one.tau))


SIGNATURE_OF_SPIN = SIGNATURE(spin_down)


def test_samples_come_every_so_many_steps_and_at_the_end(tree, states):
    q, v = states
    whole, some = run(tree, q, v, 7), run(tree, q, v, 7, every=3)
    np.testing.assert_allclose(some.time, [0.0, 3 * H, 6 * H, 7 * H])
    for name in ("q", "v", "tau", "a"):
        np.testing.assert_array_equal(getattr(some, name), getattr(whole, name)[..., [0, 3, 6, 7], :])


def test_a_recording_in_files_is_the_one_in_memory(tree, states, tmp_path):
    """Compiled, of so many samples that they are written block by block."""
    q, v = (x[:2].reshape(2, 1, -1) for x in states)
    steps = 18_001 if COMPILED else 9
    options = {"record": ("a", "tau", "energy", "error", tree.body_names[1]), "every": 2, "integrator": "euler"}
    given = tree, q, v, 1e-5 * steps, 1e-5
    memory, files = simulate(*given, **options), simulate(*given, **options, record_to=tmp_path / "new")
    samples = steps // 2 + 2
    assert files.q.shape == (2, 1, samples, tree.nq)
    for name in ("time", "q", "v", "tau", "a"):
        np.testing.assert_array_equal(getattr(files, name), getattr(memory, name))
    assert set(files.columns) == set(memory.columns)
    for name, column in memory.columns.items():
        np.testing.assert_array_equal(files.columns[name], column)
    assert np.load(tmp_path / "new" / "q.npy").shape == (samples, 2, 1, tree.nq)
    with pytest.raises(ValueError, match=r"record_to: .* is there already"):
        run(tree, q, v, record_to=tmp_path / "new")


# ------------------------------------------------------------------------------------------------- motions that end early


def test_a_control_that_is_no_number_is_named(tree, states):
    q, v = states
    with pytest.raises(SimulationError, match=r"beyond t = 0\.02 s in state 0 of the batch: control gives nan for"):
        run(tree, q, v, control=CompiledControl(SIGNATURE_OF_NAN))
    with pytest.raises(SimulationError, match=r"what control gives at t = 0\.01 s is nan for '.+', expected") as caught:
        run(tree, q[0], v[0], control=lambda t, q, v: np.full(tree.nv, np.nan if t > 0.0 else 0.0))
    assert len(caught.value.trajectory) == 1
    with pytest.raises(SimulationError, match=r"control raised ZeroDivisionError at t = 0\.01 s") as caught:
        run(tree, q[0], v[0], control=lambda t, q, v: 0.0 * v if t == 0.0 else 1 // 0)
    assert len(caught.value.trajectory) == 1
    with pytest.raises(SimulationError, match="has shape"):
        run(tree, q[0], v[0], control=lambda t, q, v: np.zeros(2))


def adding(t, q, v, tau, parameters):
    tau[0] += 1.0


SIGNATURE_OF_ADDING = SIGNATURE(adding)


def test_a_compiled_control_finds_zeros_where_it_writes(tree, states):
    q, v = states
    for begin in ((q, v), (q[0], v[0])):
        motion = run(tree, *begin, 5, control=CompiledControl(SIGNATURE_OF_ADDING))
        np.testing.assert_array_equal(motion.tau[..., 0], 1.0)
        np.testing.assert_array_equal(motion.tau[..., 1:], 0.0)


def nan_later(t, q, v, tau, parameters):
    tau[0] = np.nan if t > 1.5 * H else 0.0


SIGNATURE_OF_NAN = SIGNATURE(nan_later)


def test_an_interrupted_simulation_gives_back_what_was_computed(tree, states):
    def impatient(t, q, v):
        if t > 2.5 * H:
            raise KeyboardInterrupt
        return -v

    with pytest.warns(SimulationWarning, match=r"interrupted; the trajectory ends at t = 0\.02 s"):
        motion = run(tree, states[0], states[1], 9, control=impatient)
    agree(motion, loop(tree, *states, 2, lambda t, q, v: -v))


def test_a_body_may_have_the_name_of_a_quantity():
    motion = simulate(one_body("a", "prismatic", 1.0, axis=(1, 0, 0)), [0.0], [0.0], 4 * H, H, control=[2.0])
    np.testing.assert_allclose(motion.a, np.full((5, 1), 2.0))
