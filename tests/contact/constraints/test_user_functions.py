"""Functions of the user's: Python's and machine code, with derivatives and without, against the same as records."""

import ctypes
import pickle

import numpy as np
import pytest
from numba import cfunc, types

from pluecker.articulated import forward_kinematics, random_configuration, random_tree
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Coupling, Frame, Rod, UserFunction
from pluecker.spatial import PlueckerError

MODEL = random_tree(4, 5, joints=["revolute", "prismatic", "spherical", "free"])
LAST = MODEL.body_names[-1]
NUMBER, NUMBERS = types.float64, types.CPointer(types.float64)
FORM = types.void(NUMBER, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
SLIDE = next(j for j in MODEL.joints if j.type == "prismatic")
TURN = next(j for j in MODEL.joints if j.type == "revolute")
A, B, NV = TURN.q_start, SLIDE.q_start, MODEL.nv
VA, VB = TURN.v_start, SLIDE.v_start


def state(seed, n=None):
    """Configurations, velocities and joint forces."""
    rng = np.random.default_rng(seed)
    q = (
        random_configuration(MODEL, rng)
        if n is None
        else np.stack([random_configuration(MODEL, rng) for _ in range(n)])
    )
    shape = q.shape[:-1]
    return q, rng.normal(size=(*shape, NV)), rng.normal(size=(*shape, NV))


def distance(q):
    """Return the distance of the last body's origin from the world's, less 0.4 m."""
    return float(np.linalg.norm(forward_kinematics(MODEL, q, [LAST])[0, :3, 3])) - 0.4


def test_differences_of_a_python_function_are_those_of_the_same_record():
    rod = World(MODEL, [Rod("rod", "world", LAST, 0.4)], limits=False)
    own = World(MODEL, [UserFunction("own", distance)], limits=False)
    q, v, tau = state(0)
    expected, rows = rod.rows_at(q, v), own.rows_at(q, v)
    np.testing.assert_allclose(rows.error, expected.error, rtol=1e-14)
    np.testing.assert_allclose(rows.jacobian, expected.jacobian, atol=1e-9)
    np.testing.assert_allclose(rows.bias, expected.bias, atol=1e-6 * (v @ v))
    a, b = (world.accelerations(q, v, tau) for world in (rod, own))
    np.testing.assert_allclose(b.acceleration, a.acceleration, atol=1e-4)
    np.testing.assert_allclose(b.forces, a.forces, rtol=1e-5)


def product(q):
    """Return a polynomial of second degree in two coordinates."""
    return q[A] * q[B] + 0.5 * q[A] ** 2


def product_gradient(q):
    """Return its gradient with respect to v."""
    J = np.zeros(NV)
    J[VA], J[VB] = q[B] + q[A], q[A]
    return J


def product_bias(v):
    """Jdot v."""
    return v[..., VA] * (2.0 * v[..., VB] + v[..., VA])


@pytest.mark.parametrize("n", [None, 11])
def test_a_gradient_that_is_given_is_the_jacobian(n):
    world = World(MODEL, [UserFunction("own", product, product_gradient)], limits=False)
    q, v, _ = state(1, n)
    rows = world.rows_at(q, v)
    states = q.reshape(-1, MODEL.nq)
    np.testing.assert_array_equal(rows.error.ravel(), [product(one) for one in states])
    np.testing.assert_array_equal(rows.jacobian.reshape(-1, NV), [product_gradient(one) for one in states])
    np.testing.assert_allclose(rows.bias[..., 0], product_bias(v), rtol=1e-9, atol=1e-9)


def write(order, q, v, out, parameters):
    """The product, in C's way; its first coefficient is a parameter."""
    c = parameters[0]
    out[0] = c * q[A] * q[B] + 0.5 * q[A] ** 2
    if order >= 1.0:
        out[1 + VA] = c * q[B] + q[A]
        out[1 + VB] = c * q[A]
    if order >= 2.0:
        out[NV + 1] = v[VA] * (2.0 * c * v[VB] + v[VA])


@pytest.mark.parametrize("n", [None, 11])
@pytest.mark.parametrize("differentiates", [True, False])
def test_machine_code_is_called_by_its_address(n, differentiates):
    code = cfunc(FORM)(write)
    own = UserFunction("own", code, parameters=[1.0], differentiates=differentiates)
    world = World(MODEL, [own, Ball("ball", "world", Frame(LAST, (0.1, 0.0, 0.0)))], limits=False)
    q, v, tau = state(2, n)
    rows = world.rows_at(q, v)
    states = q.reshape(-1, MODEL.nq)
    tight = {"rtol": 1e-14, "atol": 1e-14} if differentiates else {"rtol": 1e-8, "atol": 1e-6}
    np.testing.assert_allclose(rows.error[..., 0].ravel(), [product(one) for one in states], rtol=1e-14)
    np.testing.assert_allclose(rows.jacobian[..., 0, :].reshape(-1, NV), [product_gradient(x) for x in states], **tight)
    np.testing.assert_allclose(rows.bias[..., 0], product_bias(v), rtol=1e-6, atol=tight["atol"] * 10.0)
    result = world.accelerations(q, v, tau)
    left = np.einsum("...ij,...j->...i", rows.jacobian, result.acceleration) + rows.bias
    np.testing.assert_allclose(left, 0.0, atol=1e-8 * (1.0 + np.abs(result.acceleration).max()))


def test_a_coupling_by_a_function_has_the_motion_of_the_record():
    pair = {TURN.name: 2.0, SLIDE.name: -1.0}
    record = World(MODEL, [Coupling("sum", pair)], limits=False)

    def gradient(q):
        J = np.zeros(NV)
        J[VA], J[VB] = 2.0, -1.0
        return J

    own = World(MODEL, [UserFunction("sum", lambda q: 2.0 * q[A] - q[B], gradient)], limits=False)
    q, v, tau = state(3)
    for x, y in zip(record.accelerations(q, v, tau), own.accelerations(q, v, tau), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-9)


def test_one_that_is_not_negative_is_a_row_with_a_range():
    parts = UserFunction("wall", product, one_sided=True, restitution=0.5).parts(MODEL)
    (row,) = parts.rows
    assert (row.ranged, row.lower, row.upper, row.restitution) == (True, 0.0, np.inf, 0.5)


def test_one_without_a_value_is_named():
    q, v, tau = state(4)
    q[A] = -1.0
    for function, message in (
        (lambda x: np.nan, "UserFunction 'own': the function is nan at q = "),
        (lambda x: {}["key"], "UserFunction 'own': the function raised KeyError"),
    ):
        world = World(MODEL, [UserFunction("own", function)], limits=False)
        with pytest.raises(ValueError, match=message) as caught:
            world.accelerations(q, v, tau)
        assert isinstance(caught.value, PlueckerError)
    world = World(MODEL, [UserFunction("own", product, lambda x: np.full(NV, np.inf))], limits=False)
    with pytest.raises(ValueError, match="UserFunction 'own': the function has the derivative inf at q = "):
        world.accelerations(q, v, tau)
    world = World(MODEL, [UserFunction("own", product, lambda x: np.zeros(2))], limits=False)
    with pytest.raises(ValueError, match=r"UserFunction 'own': .*gradient has shape \(2,\)"):
        world.accelerations(q, v, tau)


def test_a_world_can_be_copied_with_its_functions():
    world = World(MODEL, [UserFunction("own", product, product_gradient)], limits=False)
    q, v, tau = state(5)
    expected = world.accelerations(q, v, tau)
    copy = pickle.loads(pickle.dumps(world))
    np.testing.assert_array_equal(copy.accelerations(q, v, tau).acceleration, expected.acceleration)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: UserFunction("x", 3.0), TypeError, "UserFunction 'x': function is 3.0, expected a function of q"),
        (lambda: UserFunction("x", product, 3.0), TypeError, "gradient is 3.0"),
        (lambda: UserFunction("x", product, parameters=[np.nan]), ValueError, "parameters"),
        (
            lambda: UserFunction("x", ctypes.CFUNCTYPE(None, ctypes.c_double)(lambda t: None)),
            TypeError,
            "function has another signature, expected void",
        ),
    ],
)
def test_what_is_no_function_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
