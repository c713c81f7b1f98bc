"""Jacobians of points, their rates, centres of mass and momenta of subtrees, against MuJoCo's: hinges, slides and balls."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")

from pluecker.articulated import (  # noqa: E402
    center_of_mass,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    frame_placement,
    jacobian,
    jacobian_dot,
    momentum,
)
from tests.articulated.algorithms.test_mujoco import pair  # noqa: E402, F401

POINT = np.array([0.2, -0.4, 0.3])


def test_jacobians_of_points_and_their_rates(pair):  # noqa: F811
    """``mj_jac`` and ``mj_jacDot`` take the point in world coordinates, and give rows for each part."""
    model, theirs, data, q, v, _, order = pair
    mujoco.mj_forward(theirs, data)
    for body in model.body_names:
        number = theirs.body(body).id
        point = frame_placement(model, q, body, POINT)[:3, 3]
        np.testing.assert_allclose(
            point, data.xpos[number] + data.xmat[number].reshape(3, 3) @ POINT, rtol=0.0, atol=1e-12
        )
        for function, found in (
            (mujoco.mj_jac, jacobian(model, q, body, POINT, "aligned")),
            (mujoco.mj_jacDot, jacobian_dot(model, q, v, body, POINT, "aligned")),
        ):
            linear, angular = np.zeros((2, 3, theirs.nv))
            function(theirs, data, linear, angular, point, number)
            expected = np.concatenate([angular, linear])
            np.testing.assert_allclose(found[:, order], expected, rtol=0.0, atol=1e-12 * (1.0 + np.abs(expected).max()))


def test_centres_of_mass_and_momenta_of_subtrees(pair):  # noqa: F811
    """``mj_subtreeVel`` gives the velocity of the centre of mass and the angular momentum about it."""
    model, theirs, data, q, v, _, order = pair
    mujoco.mj_forward(theirs, data)
    mujoco.mj_subtreeVel(theirs, data)
    for body in (None, *model.body_names):
        number = 0 if body is None else theirs.body(body).id
        np.testing.assert_allclose(center_of_mass(model, q, body), data.subtree_com[number], atol=1e-12)
        np.testing.assert_allclose(center_of_mass_velocity(model, q, v, body), data.subtree_linvel[number], atol=1e-11)
        angular = momentum(model, q, v, body, centroidal=True)[:3]
        np.testing.assert_allclose(
            angular, data.subtree_angmom[number], rtol=0.0, atol=1e-11 * (1.0 + np.abs(v).max() ** 2)
        )
        J = np.zeros((3, theirs.nv))
        mujoco.mj_jacSubtreeCom(theirs, data, J, number)
        np.testing.assert_allclose(center_of_mass_jacobian(model, q, body)[:, order], J, rtol=0.0, atol=1e-11)
