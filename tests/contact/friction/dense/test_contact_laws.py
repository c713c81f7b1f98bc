"""The laws of one block: they solve what they say, and their derivatives are those of finite differences."""

import numpy as np
import pytest

from pluecker.contact.friction.dense.cone_laws import (
    along_the_cone,
    contact_derivative,
    contact_response,
    nearest_in_cone,
)

STEP = 1e-6  # of central differences: errors of 1e-10 in numbers of order one


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize("mu", [0.0, 0.2, 1.0, 20.0])
def test_one_contact_is_solved_by_newtons_method_in_a_few_sweeps(rng, mu):
    for _ in range(30):
        A = rng.normal(size=(3, 3))
        A[0] *= 0.3  # the normal part is coupled weakly, so that there is one solution
        W, q = A @ A.T + np.eye(3), rng.normal(size=3)
        block = W[0, 0], W[0, 1], W[0, 2], W[1, 1], W[1, 2], W[2, 2]
        alpha, r = np.float64(0.0), None
        for _ in range(3):
            with np.errstate(all="ignore"):
                r, alpha = contact_response(mu, block, tuple(q), alpha)
        u = W @ r + q
        speed, force = np.hypot(u[1], u[2]), np.hypot(r[1], r[2])
        assert r[0] >= 0.0
        assert u[0] >= -1e-14
        assert abs(r[0] * u[0]) <= 1e-14
        assert force <= mu * r[0] + 1e-12
        assert abs(mu * r[0] * speed + r[1] * u[1] + r[2] * u[2]) <= 1e-12 * (1.0 + mu)


@pytest.mark.parametrize(("exact", "function"), [(True, along_the_cone), (False, nearest_in_cone)])
def test_derivatives_are_those_of_finite_differences(rng, exact, function):
    seen = set()
    for mu in (0.0, 0.3, 2.0):
        for _ in range(30):
            z = rng.normal(size=3)
            slack = mu * z[0] - np.hypot(z[1], z[2]), z[0] if exact else z[0] + mu * np.hypot(z[1], z[2])
            if min(map(abs, slack)) < 10 * STEP:
                continue
            seen.add((slack[0] > 0, slack[1] > 0))
            V = np.reshape(contact_derivative(exact, mu, *z), (3, 3))
            for k in range(3):
                more, less = z.copy(), z.copy()
                more[k], less[k] = z[k] + STEP, z[k] - STEP
                column = (np.array(function(mu, *more)) - np.array(function(mu, *less))) / (2.0 * STEP)
                np.testing.assert_allclose(V[:, k], column, rtol=0.0, atol=1e-7)
    assert seen == {(True, True), (False, True), (False, False)}
