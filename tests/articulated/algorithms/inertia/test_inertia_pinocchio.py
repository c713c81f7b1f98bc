"""The inverse of the inertia matrix and solutions with it against Pinocchio, on robots of example-robot-data.

Both libraries invert their own rounding of H: they agree to 1e-11, or to nv cond(H) eps where that is more.
"""

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")

from pluecker.articulated import (  # noqa: E402
    SingularInertiaError,
    factorize,
    minv,
    operational_inertia,
    random_configuration,
)
from tests.articulated.algorithms.robots import SINGULAR, each_robot, loaded  # noqa: E402

LIMIT = 1e-11
EPS = np.finfo(float).eps


def states_of(name, floating, states):
    """Our model, Pinocchio's, and random configurations."""
    model, peer = loaded(name, floating)
    return model, peer, random_configuration(model, 0, states)


def inverse(peer, q):
    """Return Pinocchio's inverse of the inertia matrix; that of G^T M G where mimic joints couple its coordinates."""
    if peer.model.mimic:
        return np.linalg.inv(peer.crba(q))
    Z = pin.computeMinverse(peer.theirs, peer.data, peer.q(q))
    return peer.G.T @ (np.triu(Z) + np.triu(Z, 1).T) @ peer.G


@each_robot()
def test_the_inverse_is_pinocchios(name, floating, states):
    model, peer, q = states_of(name, floating, states)
    if name in SINGULAR:
        for function in (minv, factorize):
            with pytest.raises(SingularInertiaError, match=r"moves? no mass"):
                function(model, q)
        return
    found, b = minv(model, q), np.random.default_rng(1).normal(size=(states, model.nv))
    solved = factorize(model, q).solve(b)
    for k in range(states):
        expected = inverse(peer, q[k])
        limit = max(LIMIT, model.nv * np.linalg.cond(expected) * EPS) if model.nv else 0.0
        assert np.linalg.norm(found[k] - expected) <= limit * np.linalg.norm(expected)
        assert np.linalg.norm(solved[k] - expected @ b[k]) <= limit * np.linalg.norm(expected) * np.linalg.norm(b[k])


@each_robot(*SINGULAR)
def test_the_operational_space_inertia_is_that_of_pinocchios_matrices(name, floating, states):
    """Lambda = (J M^-1 J^T)^-1 of frames all over the robot, in all axes; refused where fewer than six freedoms move one."""
    model, peer, q = states_of(name, floating, states)
    q = q[: max(2, states // 4)]
    axes = {"body": pin.LOCAL, "aligned": pin.LOCAL_WORLD_ALIGNED, "world": pin.WORLD}
    chosen = [frame for frame in model.frame_names if peer.theirs.existFrame(frame)]
    for number, frame in enumerate(chosen[:: max(1, len(chosen) // 3)]):
        key = tuple(axes)[number % 3]
        J = np.array([frame_jacobian(peer, state, frame, axes[key]) for state in q])
        H = np.array([peer.crba(state) for state in q])
        if model.nv < 6 or min(np.linalg.matrix_rank(J)) < 6:
            with pytest.raises(SingularInertiaError):
                operational_inertia(model, q, frame, axes=key)
            continue
        A = J @ np.linalg.solve(H, J.swapaxes(-1, -2))
        invert_mobilities(operational_inertia(model, q, frame, axes=key), A, H)


@each_robot(*SINGULAR)
def test_the_inertia_of_points_is_that_of_pinocchios_matrices(name, floating, states):
    """Linear rows of one frame and of two, where the robot's joints let these points move freely."""
    model, peer, q = states_of(name, floating, states)
    q = q[: max(2, states // 4)]
    frames = [frame for frame in model.frame_names if peer.theirs.existFrame(frame)]
    for chosen in ([frames[-1]], [frames[len(frames) // 2], frames[-1]]):
        J = np.array(
            [np.concatenate([frame_jacobian(peer, x, f, pin.LOCAL_WORLD_ALIGNED)[3:] for f in chosen]) for x in q]
        )
        H = np.array([peer.crba(state) for state in q])
        A = J @ np.linalg.solve(H, J.swapaxes(-1, -2))
        if np.linalg.cond(A).max() > 1e10:
            continue
        invert_mobilities(operational_inertia(model, q, chosen, axes="aligned", rows="linear"), A, H)


def invert_mobilities(inertias, mobilities, H):
    """Assert that inertias are the inverses of mobilities, as far as the conditions of these and of H let digits through."""
    for found, mobility, h in zip(inertias, mobilities, H, strict=True):
        limit = max(LIMIT, 10.0 * len(h) * np.linalg.cond(h) * np.linalg.cond(mobility) * EPS)
        expected = np.linalg.inv(mobility)
        assert np.linalg.norm(found - expected) <= limit * np.linalg.norm(expected)


def frame_jacobian(peer, q, frame, axes):
    """Pinocchio's Jacobian with the angular rows first, in our coordinates."""
    J = pin.computeFrameJacobian(peer.theirs, peer.data, peer.q(q), peer.theirs.getFrameId(frame), axes)
    return np.roll(J, 3, axis=0) @ peer.G
