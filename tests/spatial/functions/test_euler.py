"""Euler angles: the product of three turns in mpmath, all sequences of SciPy, and what happens at gimbal lock.

Each sequence is compiled for itself, in seconds. In plain Python all 24 are tested on each change; compiled are four, which
have between them each formula (two axes or three), axes that move and that stay, and frames of either hand.
"""

import itertools

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.spatial import euler_from_rotation, euler_to_rotation
from tests.spatial import precise
from tests.spatial.precise import EPS, error, exact

LETTERS = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] != s[2]]
ALL = [s for letters in LETTERS for s in (letters, letters.upper())]
COMPILED_ON_EACH_CHANGE = ("ZYX", "xyz", "zxz", "YXY")
every = pytest.mark.parametrize(
    "sequence", [s if s in COMPILED_ON_EACH_CHANGE else pytest.param(s, marks=pytest.mark.plain) for s in ALL]
)


def as_product(angles, sequence):
    """The definition: turns about axes that move multiply from the left, about fixed axes from the right."""
    turns = [precise.about(axis, angle) for axis, angle in zip(sequence.lower(), exact(angles), strict=True)]
    product = mpmath.eye(3)
    for turn in turns:
        product = product * turn if sequence.isupper() else turn * product
    return product


def middle(sequence):
    """The middle of the range of the middle angle, and its ends"""
    return 0.0 if len(set(sequence)) == 3 else np.pi / 2.0


def test_there_are_twelve_sequences():
    assert len(LETTERS) == 12


@every
def test_three_turns_make_the_rotation(sequence):
    rng = np.random.default_rng(0)
    for angles in ([1e-160, 1e-8, np.pi - 1e-9], *rng.uniform(-np.pi, np.pi, size=(5, 3))):
        assert error(euler_to_rotation(angles, sequence), list(as_product(angles, sequence))) < 4.0


@every
def test_the_angles_come_back(sequence):
    rng = np.random.default_rng(1)
    angles = rng.uniform(-1.5, 1.5, size=(50, 3)) + np.array([0.0, middle(sequence), 0.0])
    back = euler_from_rotation(euler_to_rotation(angles, sequence), sequence)
    conditioning = 1.0 / np.cos(1.5)  # of the outer angles, near the end of the range of the middle one
    np.testing.assert_allclose(back, angles, rtol=0.0, atol=8.0 * EPS * conditioning)


@every
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-8])
def test_small_angles_keep_their_digits(sequence, size):
    """The error is of the size of products of two angles."""
    angles = size * np.array([1.0, -2.0, 3.0]) + [0.0, middle(sequence), 0.0]
    back = euler_from_rotation(euler_to_rotation(angles, sequence), sequence)
    np.testing.assert_allclose(back[::2], angles[::2], rtol=1e-7)


@every
@pytest.mark.parametrize("end", [-1.0, 1.0])
@pytest.mark.parametrize("near", [0.0, 1e-160, 1e-12, 1e-8, 1e-4])
def test_at_gimbal_lock_the_angles_still_give_the_rotation(sequence, end, near):
    b = middle(sequence) + end * (np.pi / 2.0 - near)
    for a, c in ((0.3, 0.4), (-2.0, 1.0), (3.0, 3.0), (0.0, 0.0)):
        R = euler_to_rotation([a, b, c], sequence)
        back = euler_from_rotation(R, sequence)
        np.testing.assert_allclose(euler_to_rotation(back, sequence), R, rtol=0.0, atol=8.0 * EPS)


@every
def test_scipy_gives_the_same(sequence):
    rotations = Rotation.random(50, random_state=2)
    theirs = rotations.as_euler(sequence)
    np.testing.assert_allclose(euler_from_rotation(rotations.as_matrix(), sequence), theirs, atol=1e-12)
    np.testing.assert_allclose(euler_to_rotation(theirs, sequence), rotations.as_matrix(), atol=1e-14)


@every
def test_the_ranges(sequence):
    angles = euler_from_rotation(Rotation.random(500, random_state=3).as_matrix(), sequence)
    assert (np.abs(angles) <= np.pi).all()
    assert (np.abs(angles[:, 1] - middle(sequence)) <= np.pi / 2.0).all()


@pytest.mark.parametrize("sequence", ["xxy", "xYz", "", "xy", "xyzx", "abc", 5, None, "xyy"])
def test_no_such_sequence(sequence):
    for function, value in ((euler_to_rotation, np.zeros(3)), (euler_from_rotation, np.eye(3))):
        with pytest.raises(
            ValueError if isinstance(sequence, str) else TypeError,
            match=rf"{function.__name__}: sequence is .*, expected three letters such as 'ZYX'",
        ):
            function(value, sequence)


def test_what_is_no_rotation_has_no_angles():
    with pytest.raises(ValueError, match=r"euler_from_rotation: R is not a rotation matrix.*entry 1"):
        euler_from_rotation([np.eye(3), -np.eye(3)], "ZYX")
