"""Quotations in messages: of anything, in one line of at most 60 characters, without asking more of it than it can give."""

import re

import numpy as np
import pytest

from pluecker.spatial import MotionVector, PlueckerError, UnknownNameError, euler_to_rotation

SHORT = 60  # characters


def shown(value):
    """Return the quotation of a value in the message that refuses it."""
    with pytest.raises((TypeError, ValueError)) as caught:
        euler_to_rotation(np.zeros(3), value)
    return re.fullmatch(r"euler_to_rotation: sequence is (.*), expected three letters.*", str(caught.value), re.DOTALL)[
        1
    ]


class Silent:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [
        10**400, -(10**5000), [10**5000] * 3, "x" * 10**6, ["y"] * 10**6, {k: k for k in range(10**5)},
        np.zeros((1000, 1000)), np.arange(4), Silent(), b"z" * 10**6, "two\nlines", object, lambda: None,
        np.array(["1", 2], dtype=object),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_anything_is_quoted_in_short(value):
    text = shown(value)
    assert 0 < len(text) <= SHORT
    assert "\n" not in text


def test_what_is_short_is_quoted_as_it_is():
    for value in (None, 1, 1.5, "abc", [1.0, 2.0], (1, "a"), True):
        assert shown(value) == repr(value)
    assert shown(np.array([1.0, 2.0])) == "[1.0, 2.0]"
    assert shown(np.zeros((3, 4))) == "an array of shape (3, 4)"
    assert shown(10**400) == "an integer of 1329 bits"


def test_a_list_that_contains_itself_is_quoted():
    loop = []
    loop.append(loop)
    assert shown(loop)


def test_each_error_is_also_what_python_calls_it():
    v = MotionVector(np.arange(6.0))
    with pytest.raises(IndexError) as beyond:
        v[6]
    with pytest.raises(AttributeError) as fixed:
        v.coordinates = np.zeros(6)
    assert isinstance(beyond.value, PlueckerError)
    assert isinstance(fixed.value, PlueckerError)
    assert issubclass(UnknownNameError, PlueckerError)
    assert issubclass(UnknownNameError, KeyError)
    assert str(UnknownNameError("there is no such name")) == "there is no such name"
