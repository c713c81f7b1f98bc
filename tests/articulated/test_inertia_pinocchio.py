"""The inverse of the inertia matrix and solutions with it against Pinocchio, on every robot of example-robot-data.

Both libraries invert their own rounding of H: they agree to 1e-11, or to nv cond(H) eps where that is more.
"""

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")

from benchmarks.accuracy import load  # noqa: E402
from pluecker.articulated import SingularInertiaError, factorize, minv, random_configuration  # noqa: E402
from pluecker.articulated.app.peer import PinocchioPeer  # noqa: E402
from tests.articulated.test_pinocchio import NAMES, ROBOTS, SINGULAR  # noqa: E402

LIMIT = 1e-11
EPS = np.finfo(float).eps
every_robot = pytest.mark.parametrize("name", NAMES)
both_bases = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])


def states_of(name, floating, states):
    """Our model, Pinocchio's, and random configurations."""
    model, _ = load(ROBOTS[name], floating)
    return model, PinocchioPeer(model, ROBOTS[name], floating), random_configuration(model, 0, states)


def inverse(peer, q):
    """What Pinocchio makes of the inverse; of the matrix G^T M G where mimic joints couple its coordinates."""
    if peer.model.mimic:
        return np.linalg.inv(peer.crba(q))
    Z = pin.computeMinverse(peer.theirs, peer.data, peer.q(q))
    return peer.G.T @ (np.triu(Z) + np.triu(Z, 1).T) @ peer.G


@both_bases
@every_robot
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
