"""Derivatives of dynamics against Pinocchio's, on robots of example-robot-data: analytic ones, nobody's of ours.

Rounding errors of inverse dynamics are below 1e-13 of the largest number there; those of forward dynamics grow with the
condition of the inertia matrix H, once for the acceleration and once more for its derivatives.
"""

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")

from pluecker.articulated import (  # noqa: E402
    SingularInertiaError,
    aba,
    aba_derivatives,
    random_configuration,
    rnea_derivatives,
)
from tests.articulated.algorithms.robots import SINGULAR, each_robot, loaded  # noqa: E402
from tests.conftest import COMPILED, EVERYTHING  # noqa: E402

LIMIT = 1e-9
EPSILON = np.finfo(float).eps


def relative(ours, theirs, size=1e-300):
    """The largest difference, of the largest entry, or of that of what they are made of where they should be zero."""
    return np.abs(ours - theirs).max() / max(np.abs(theirs).max(), np.abs(size).max())


def of_coupled_joints(peer, q, v, a, f_ext):
    """The derivatives of forward dynamics from those of inverse dynamics: tau(q, v, a(q, v, tau)) is tau."""
    G = peer.G
    by_q, by_v, M = pin.computeRNEADerivatives(peer.theirs, peer.data, peer.q(q), G @ v, G @ a, peer.forces(f_ext))
    inverse = np.linalg.inv(G.T @ (np.triu(M) + np.triu(M, 1).T) @ G)
    return -inverse @ G.T @ by_q @ G, -inverse @ (G.T @ by_v @ G + np.diag(peer.model.damping)), inverse


@each_robot()
def test_derivatives_of_dynamics_are_those_of_pinocchio(name, floating):
    model, peer = loaded(name, floating)
    if model.nv == 0:
        assert all(part.size == 0 for part in rnea_derivatives(model, [], [], []))
        return
    theirs, data, G, damping = peer.theirs, peer.data, peer.G, np.diag(model.damping)
    rng = np.random.default_rng(0)
    count = 3 if COMPILED else 1
    q = random_configuration(model, rng, count)
    v, a, tau = rng.standard_normal((3, count, model.nv))
    f_ext = rng.standard_normal((count, model.n_bodies, 6))
    ours = rnea_derivatives(model, q, v, a, f_ext)
    for k in range(count):
        forces = peer.forces(f_ext[k])
        dq, dv, M = pin.computeRNEADerivatives(theirs, data, peer.q(q[k]), G @ v[k], G @ a[k], forces)
        assert relative(ours[0][k], G.T @ dq @ G, ours[2][k]) < LIMIT
        assert relative(ours[1][k], G.T @ dv @ G + damping, ours[2][k]) < LIMIT
        assert relative(ours[2][k], G.T @ (np.triu(M) + np.triu(M, 1).T) @ G) < LIMIT
    if name in SINGULAR:
        if EVERYTHING or not COMPILED:  # an error looks at one state, by code of its own
            with pytest.raises(SingularInertiaError):
                aba_derivatives(model, q, v, tau, f_ext)
        return
    found = aba_derivatives(model, q, v, tau, f_ext)
    for k in range(count):
        H = ours[2][k]
        limit = max(LIMIT, model.nv * np.linalg.cond(H) * EPSILON)
        if model.mimic:  # Pinocchio's forward dynamics moves them by themselves, its inverse dynamics does not
            expected = of_coupled_joints(peer, q[k], v[k], aba(model, q[k], v[k], tau[k], f_ext[k]), f_ext[k])
            for mine, truth in zip(found, expected, strict=True):
                assert relative(mine[k], truth, 1.0) < limit
            continue
        net = G @ (tau[k] - peer.losses(v[k]))
        by_q, by_v, by_tau = pin.computeABADerivatives(theirs, data, peer.q(q[k]), G @ v[k], net, peer.forces(f_ext[k]))
        inverse = G.T @ (np.triu(by_tau) + np.triu(by_tau, 1).T) @ G
        assert relative(found[0][k], G.T @ by_q @ G, 1.0) < limit
        assert relative(found[1][k], G.T @ by_v @ G - inverse @ damping, 1.0) < limit
        assert relative(found[2][k], inverse) < limit
