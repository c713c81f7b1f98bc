"""Jacobians of points, and their rates, against MuJoCo's: hinges, slides and balls on branching trees."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")

from pluecker.articulated import frame_placement, jacobian, jacobian_dot  # noqa: E402
from tests.articulated.test_mujoco import pair  # noqa: E402, F401

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
