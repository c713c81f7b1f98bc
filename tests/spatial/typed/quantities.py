"""Typed quantities of every kind, for the tests of the typed layer."""

import numpy as np
import pytest

from pluecker.spatial import ArticulatedInertia, ForceVector, MotionVector, PlueckerTransform, RigidBodyInertia
from tests.spatial import matrices as mat

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
ZERO, ONE = np.zeros(3), np.eye(3)


def random_transform(rng, source=None, target=None):
    E, r = mat.random_transform(rng)
    return PlueckerTransform(np.reshape(E, (3, 3)), r, source, target)


def random_rigid(rng, frame=None):
    return RigidBodyInertia.from_matrix(mat.rigid_matrix(mat.random_rigid(rng)), frame)


def random_articulated(rng, frame=None):
    return ArticulatedInertia(mat.articulated_matrix(mat.random_articulated(rng)), frame)


def one_of_each(frame=None):
    """A quantity of every kind; the transform leads from that frame to itself."""
    rng = np.random.default_rng(5)
    I = random_rigid(rng, frame)
    return [
        MotionVector(rng.normal(size=6), frame),
        ForceVector(rng.normal(size=6), frame),
        random_transform(rng, frame, frame),
        I,
        random_articulated(rng, frame),
        I.inverse(),
    ]


def array_of(x):
    return x.coordinates if isinstance(x, (MotionVector, ForceVector)) else x.matrix


KINDS = pytest.mark.parametrize("x", one_of_each("base"), ids=lambda x: type(x).__name__)
LINEAR = pytest.mark.parametrize(
    "x", [x for x in one_of_each("base") if not isinstance(x, PlueckerTransform)], ids=lambda x: type(x).__name__
)
