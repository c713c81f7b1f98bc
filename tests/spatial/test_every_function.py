"""Every public function: errors of the package in the function's own name, nothing said by NumPy, any memory layout."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from pluecker.spatial import ArgumentTypeError, ArgumentValueError, MissingExtraError, PlueckerError, skew
from tests.conftest import EVERYTHING
from tests.layouts import LAYOUTS
from tests.spatial.public import ARGUMENTS, FUNCTIONS, OPTIONS, arrays_of

LONGEST = 500  # characters of a message
every = pytest.mark.parametrize("name", sorted(ARGUMENTS))
SOME = {"skew", "euler_from_rotation", "box", "motion_subspace", "joint_space", "planar_twist", "MotionVector"}
PARTIAL = {"is_consistent", "pitch", "wrench_pitch"}  # whose results are not numbers, or may be infinite


def masked(value):
    array = np.array(value, dtype=float)
    return [np.ma.masked_array(array, np.ones(array.shape, dtype=bool))] * 2


class Hostile:
    """An object of which nothing can be asked."""

    def __repr__(self):
        raise RuntimeError

    def __array__(self, *args, **kwargs):
        raise TypeError("no")


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    import sys

    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def call(name, **changed):
    if name == "plot_field":
        pytest.importorskip("matplotlib").use("Agg")
    return FUNCTIONS[name](**{**ARGUMENTS[name], **OPTIONS.get(name, {}), **changed})


def refuses(name, kinds, **changed):
    """The error: one of the package, short, in one line, that begins with the name of the function."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kinds) as caught:
            call(name, **changed)
    assert isinstance(caught.value, PlueckerError), caught.value
    message = str(caught.value)
    assert re.match(rf"{name}: ", message), message
    assert len(message) < LONGEST, message
    return message


def test_all_public_functions_are_here():
    without_arrays = {"from_scipy", "mesh"}
    assert set(FUNCTIONS) - without_arrays == set(ARGUMENTS)


@every
def test_what_is_no_array_of_numbers_is_a_type_error(name):
    for key, value in ARGUMENTS[name].items():
        wrong = [
            "abc", float, object(), Hostile(), 1j, {1: 2}, [[1.0], [2.0, 3.0]], np.array(["1", 2], dtype=object), b"1",
            np.array([None]), np.array(["2000-01-01"], dtype="M8[s]"), True, masked(value), [1.0, np.ma.masked],
        ]  # fmt: skip
        if EVERYTHING or name in SOME:  # these take time
            wrong += ["x" * 1_000_000, ["x"] * 100_000]
        for bad in wrong:
            kinds = TypeError if not (name == "plot_field" and key == "plane") else PlueckerError
            refuses(name, kinds, **{key: bad})
        if key not in ("alpha", "axis", "S_rate", "T_rate", "v", "pitch"):  # which may be left out
            refuses(name, TypeError, **{key: None})


@every
def test_integers_beyond_float64_and_numbers_that_are_not_finite_are_refused(name):
    for key, value in ARGUMENTS[name].items():
        for bad in (10**400, -(10**5000), [10**400, 1.0]):
            refuses(name, ValueError, **{key: bad})
        for bad in (np.nan, np.inf, -np.inf, np.longdouble("1e4000")):
            array = np.array(value, dtype=np.longdouble)
            array[(0,) * array.ndim] = bad
            place = "" if not array.ndim else rf"\[{', '.join('0' * array.ndim)}\]"
            said = rf"{name}: {key}{place} is {np.float64(bad)}, expected a finite number"
            assert re.match(said, refuses(name, ValueError, **{key: array})), said


@every
def test_shapes_that_do_not_fit_are_refused(name):
    for key, value in ARGUMENTS[name].items():
        shape = np.shape(value)
        if name == "grid":
            refuses(name, ValueError, **{key: np.ones((2, 2))})
        elif shape:
            refuses(name, ValueError, **{key: np.ones((*shape[:-1], 9))})
            refuses(name, ValueError, **{key: 1.0})
    if len(ARGUMENTS[name]) > 1 and name not in ("grid", "plot_field", "density_inertia"):
        (first, a), (second, b), *_ = ARGUMENTS[name].items()
        changed = {first: np.stack([np.asarray(a, float)] * 3), second: np.stack([np.asarray(b, float)] * 2)}
        message = refuses(name, ValueError, **changed)
        assert "broadcast" in message or "go together" in message


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_options_of_a_wrong_type_or_value_are_refused(name):
    for key, value in OPTIONS[name].items():
        for bad in (None, float, object(), Hostile(), 10**5000, b"xy", ["x"], {}, 1.5):
            if (bad is None and key in ("count", "plane")) or (key == "density" and bad is float):
                continue
            kinds = (TypeError, ValueError) if key in ("count", "plane") else TypeError
            refuses(name, kinds, **{key: bad})
        if isinstance(value, str):
            for bad in ("", "q", value * 100_000):
                refuses(name, ValueError, **{key: bad})
    if name == "plot_field":
        for bad in (0, 1, 10**9, True, 2.0):
            refuses(name, (TypeError, ValueError), count=bad)
    if name == "density_inertia":
        for bad in (None, 2, 65, 10**400, 6.0, "6"):
            refuses(name, (TypeError, ValueError), order=bad)
        for bad in (lambda x: "abc", lambda x: None, lambda x: x, lambda x: -x[:, 0], lambda x: 0.0 * x[:, 0]):
            refuses(name, (TypeError, ValueError), density=bad)


def scaled(scale, value):
    """Scale a value, to the largest finite number at most."""
    with np.errstate(over="ignore"):
        return np.clip(scale * np.asarray(value, dtype=float), -np.finfo(float).max, np.finfo(float).max)


@every
def test_extremes_give_a_finite_result_or_an_error_and_no_warning(name):
    given = ARGUMENTS[name]
    if name == "plot_field":  # places so near or far are for matplotlib, which warns
        given = {"vector": given["vector"]}
    for scale in (1e308, 1e200, 1e155, 1e80, 1e-80, 1e-155, 1e-200, 1e-310, 0.0):
        for changed in (list(given), *([key] for key in given)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    result = call(name, **{key: scaled(scale, given[key]) for key in changed})
                except (ArgumentTypeError, ArgumentValueError) as error:
                    result, message = (), str(error)
                else:
                    message = f"{name}: "
            assert re.match(rf"{name}: ", message), (scale, message)
            assert len(message) < LONGEST
            for array in arrays_of(result):
                assert name in PARTIAL or np.isfinite(array).all(), (scale, changed, result)


KINDS = LAYOUTS | {
    "masked, with no mask": np.ma.masked_array,
    "object of a subclass": lambda x: x.view(type("Own", (np.ndarray,), {})),
}


@every
def test_the_memory_layout_of_an_argument_makes_no_difference(name):
    given = {key: np.array(value, dtype=float) for key, value in ARGUMENTS[name].items()}
    expected = [array.tobytes() for array in arrays_of(call(name, **given))]
    kept = {key: value.copy() for key, value in given.items()}
    for layout in KINDS.values():
        changed = {key: layout(value) for key, value in given.items()}
        assert [array.tobytes() for array in arrays_of(call(name, **changed))] == expected
    assert all(np.array_equal(given[key], kept[key]) for key in given)


@every
def test_float32_is_the_float64_of_the_same_value(name):
    """Within 1e-6 a rotation is still one, and an inertia consistent."""
    single = {key: np.asarray(value, dtype=np.float32) for key, value in ARGUMENTS[name].items()}
    double = {key: value.astype(float) for key, value in single.items()}
    found, expected = ([array.tobytes() for array in arrays_of(call(name, **x))] for x in (single, double))
    assert found == expected


def test_errors_keep_the_kind_of_exception_that_python_has_for_them():
    assert issubclass(ArgumentTypeError, TypeError)
    assert issubclass(ArgumentValueError, ValueError)
    assert issubclass(MissingExtraError, ImportError)


@pytest.mark.parametrize("dtype", [complex, object, str, "M8[s]", [("a", float), ("b", int)]])
def test_an_array_without_entries_has_no_entries_of_a_wrong_type(dtype):
    assert skew(np.zeros((0, 3), dtype)).shape == (0, 3, 3)
