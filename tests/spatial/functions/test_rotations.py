"""Rotations and finite motions: against SciPy, and against the matrix exponential; next to zero and next to pi too.

Users have these kernels in functions of arrays, which ``test_lie.py`` and ``test_quaternions.py`` test compiled, and in
joints and springs: here they run in plain Python on each change, and each compiled for itself before a release.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, logm

from pluecker.spatial.algebra import motions
from tests.conftest import EVERYTHING
from tests.spatial import matrices as mat

pytestmark = pytest.mark.plain


def direction(seed):
    u = np.random.default_rng(seed).normal(size=3)
    return u / np.linalg.norm(u)


def twist_matrix(a, b):
    T = np.zeros((4, 4))
    T[:3, :3], T[:3, 3] = mat.skew(a), b
    return T


@pytest.mark.parametrize("angle", [1e-9, 1e-3, 0.1, 0.49, 0.51, 1.5, 2.5] if EVERYTHING else [1e-9, 0.49, 0.51, 2.5])
def test_logarithm_transpose_is_the_derivative_of_the_logarithm(angle):
    d = np.concatenate([angle * direction(8), [0.4, -0.7, 0.2]])
    T = expm(twist_matrix(d[:3], d[3:]))
    h, J = 1e-5, np.zeros((6, 6))
    for k, e in enumerate(np.eye(6)):
        step = twist_matrix(h * e[:3], h * e[3:])
        ends = [logm(T @ expm(s * step)).real for s in (1.0, -1.0)]
        D = (ends[0] - ends[1]) / (2 * h)
        J[:, k] = [D[2, 1], D[0, 2], D[1, 0], *D[:3, 3]]
    f = np.random.default_rng(9).normal(size=6)
    found = mat.flat(motions.logarithm_transpose(mat.motion(d), mat.motion(f)))
    np.testing.assert_allclose(found, J.T @ f, rtol=1e-8, atol=1e-8)  # h^2 and rounding / h


@given(st.floats(-8, 0), st.integers(0, 10**6))
def test_series_and_closed_forms_of_the_logarithms_derivative_agree(exponent, seed):
    """The two branches must meet at t = 1/2 +- 10^exponent: f changes no faster than its derivative allows."""
    u, f = direction(seed), mat.motion(np.random.default_rng(seed).normal(size=6))
    step = 10.0**exponent * 1e-3
    below, above = (
        mat.flat(motions.logarithm_transpose((tuple((0.5 + s * step) * u), (0.2, 0.5, -0.3)), f)) for s in (-1, 1)
    )
    assert np.abs(above - below).max() <= 40 * step + 1e-14
