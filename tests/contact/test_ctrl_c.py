"""Ctrl-C at any moment of what takes long: ``KeyboardInterrupt``, or a part that is the whole's and is called one.

Handlers of signals run between two instructions of Python: in a function of the user's, at its very beginning, in NumPy, in
the loop around compiled code. An alarm stands for Ctrl-C, since it comes from the system at a moment of its own choice.
"""

import ctypes
import signal
import time
import warnings

import numpy as np
import pytest

from pluecker.articulated import CompiledControl, ModelBuilder, SimulationWarning, convergence, simulate
from pluecker.contact import World
from pluecker.contact.constraints import UserFunction
from pluecker.contact.geometry import Collider, HalfSpace, Sphere
from tests.conftest import EVERYTHING, TODAY
from tests.models import one_body

MOMENTS = 200 if EVERYTHING else 4
NUMBERS = ctypes.POINTER(ctypes.c_double)
FORM = ctypes.CFUNCTYPE(None, ctypes.c_double, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


def two_masses():
    """Make two masses on two rails."""
    builder = ModelBuilder()
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0))):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(name, "prismatic", "world" if name == "x" else "x", name, axis=axis)
    return builder.build()


def ball():
    return one_body("ball", "free", 1.0, inertia=(0.1, 0.1, 0.1))


def circle(q):
    """Constrain q to the unit circle, slowly, so that many alarms come inside."""
    return sum(x * x for x in q.tolist() * 3) / 3.0 - 1.0


RAILS, Q, V = two_masses(), np.array([1.0, 0.0]), np.array([0.0, 1.0])
CIRCLE = World(RAILS, [UserFunction("circle", circle)])
BALL = World(ball(), shapes=[Collider("floor", HalfSpace(), "world"), Collider("skin", Sphere(0.1), "ball")])
AT, STILL = np.array([0.0, 0, 0.2, 0, 0, 0, 1.0]), np.zeros(6)


def push(t, q, v):
    """A control in Python."""
    return -q


WORK = {
    "simulate": lambda: simulate(RAILS, Q, V, 1.0, 1e-3),
    "control": lambda: simulate(RAILS, Q, V, 0.1, 1e-3, control=push),
    "convergence": lambda: convergence(RAILS, Q, V, 1.0, 1e-3),
    "dop853": lambda: simulate(RAILS, Q, V, 0.1, 1e-2, integrator="dop853"),
    "World.simulate": lambda: CIRCLE.simulate(Q, V, 0.05, 1e-3),
    "World.step": lambda: CIRCLE.step(Q, V, 1e-3),
    "World.accelerations": lambda: CIRCLE.accelerations(Q, V, V),
    "World.close": lambda: CIRCLE.close(1.2 * Q),
    "contacts": lambda: BALL.simulate(AT, STILL, 0.03, 1e-3),
}


class Alarm(BaseException):
    """Raised by nothing but the alarm."""


@pytest.fixture
def alarm(no_collection):
    """Set an alarm that raises an exception of a class after so many seconds."""
    chosen, rung = [KeyboardInterrupt], []

    def ring(*_):
        rung.append(chosen[0])
        raise chosen[0]

    def wind(seconds, kind):
        chosen[0] = kind
        rung.clear()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return rung

    before = signal.signal(signal.SIGALRM, ring)
    yield wind
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def states(found):
    """Return the states of a result, of a whole motion or of its first part."""
    if hasattr(found, "trajectory"):
        found = found.trajectory
    return found.q if hasattr(found, "q") else np.asarray(found[0])[None]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no alarms")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, Alarm])
@pytest.mark.parametrize("name", WORK)
def test_who_is_interrupted_hears_of_it_and_takes_no_part_for_the_whole(name, kind, alarm):
    work, rng = WORK[name], np.random.default_rng(TODAY)
    work()
    begun = time.perf_counter()
    whole = work()
    took = time.perf_counter() - begun
    for _ in range(MOMENTS):
        found = said = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                rung = alarm(rng.uniform(1e-6, 0.9 * took + 2e-6), kind)
                found = work()
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            except (KeyboardInterrupt, Alarm) as error:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                said = error
        if said is not None:
            assert type(said) is kind
        elif not rung:
            np.testing.assert_array_equal(states(found), states(whole))
        else:
            assert kind is KeyboardInterrupt
            assert [each.category for each in caught] == [SimulationWarning]
            assert name not in ("convergence", "World.step", "World.accelerations", "World.close")
            assert len(found) <= len(whole)
            np.testing.assert_array_equal(found.q, whole.q[: len(found)])
    np.testing.assert_array_equal(states(work()), states(whole))


@pytest.mark.plain
@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Alarm])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_users_function_raises_to_end_all_ends_all(kind, threads):
    ended = [False]

    def ends(q):
        if ended[0]:
            raise kind("enough")
        return q[0] ** 2 + q[1] ** 2 - 1.0

    world = World(RAILS, [UserFunction("circle", ends)])
    q, v = np.stack([Q] * 32), np.stack([V] * 32)
    calls = [
        lambda: world.simulate(q, v, 0.01, 1e-3, threads=threads).q,
        lambda: world.accelerations(q, v, v, threads=threads).acceleration,
        lambda: world.rows_at(q, v, threads=threads).error,
        lambda: world.simulate(Q, V, 0.01, 1e-3).q,
        lambda: world.step(Q, V, 1e-3).q,
        lambda: world.close(1.2 * Q).configuration,
    ]
    for call in calls:
        expected = call()
        ended[0] = True
        with pytest.raises(kind, match="enough"):
            call()
        ended[0] = False
        np.testing.assert_array_equal(call(), expected)


@pytest.mark.parametrize("integrator", ["semi_implicit", "dop853"])
@pytest.mark.parametrize("kind", [ValueError, SystemExit])
def test_a_control_behind_ctypes_raises_too(kind, integrator):
    """``ctypes`` itself would print the exception, and torques would be those of the call before."""

    @FORM
    def control(t, q, v, tau, parameters):
        if t > 0.005:
            raise kind("no torque")
        tau[0] = 1.0

    with pytest.raises(kind, match="no torque"):
        simulate(RAILS, Q, V, 0.02, 1e-3, control=CompiledControl(control), integrator=integrator)
