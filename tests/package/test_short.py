"""The short run, for other versions of Python and Numba: the import, and one compiled function of each package.

With ``tests/spatial/engine/compiled/test_compile.py``, which has the caches, it is what ``.ci/short`` runs.
"""

import numpy as np

from pluecker import articulated, contact, spatial
from tests.models import one_body


def test_transforming_is_multiplying_by_the_matrix():
    X = spatial.pluecker_transform(np.eye(3), [1.0, 2.0, 3.0])
    m = np.arange(60.0).reshape(10, 6)
    np.testing.assert_allclose(spatial.transform_motion(X, m), m @ X.T, rtol=1e-15)


def test_a_pendulum_has_the_torque_of_the_closed_form():
    """m l² qdd + m g l sin(q), one state and in lanes, alone and shared among threads."""
    model = one_body("rod", "revolute", 2.0, (0.0, 0.0, -0.5), axis=(0.0, 1.0, 0.0))
    q, v, a = np.random.default_rng(0).standard_normal((3, 5000, 1))
    expected = 2.0 * 0.5**2 * a + 2.0 * 9.81 * 0.5 * np.sin(q)
    np.testing.assert_allclose(articulated.rnea(model, q, v, a), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(articulated.rnea(model, q[0], v[0], a[0]), expected[0], rtol=1e-13, atol=1e-13)


def test_a_complementarity_problem_has_its_solution():
    result = contact.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0], method="lemke")
    np.testing.assert_allclose(result.z, [4.0 / 3.0, 7.0 / 3.0], rtol=1e-14)
