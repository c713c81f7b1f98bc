"""Arguments of the public functions: what they accept, and what they say to everything else."""

import ctypes
import inspect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    aba,
    body_accelerations,
    crba,
    forward_kinematics,
    gravity_force,
    integrate,
    kinetic_energy,
    random_tree,
    redmax_dynamics,
    rnea,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, UnknownNameError
from tests.articulated.running.functions import FUNCTIONS, arguments, every, part
from tests.mechanisms import random_description
from tests.models import one_body

COUNT = 6


@pytest.fixture(scope="module")
def model():
    return random_description(2, 11).build(name="test tree")


@every
def test_a_shape_that_does_not_fit_is_named_with_what_was_expected(name, model):
    given = arguments(name, model, COUNT)
    for key, x in given.items():
        shapes = {"f_ext": (model.n_bodies, 6), "point": (3,)}
        shape = shapes.get(key, (model.nq,) if key.startswith("q") else (model.nv,))
        expected = ", ".join(["...", *map(str, shape)])
        said = rf"{name}: {key} has shape .*{x.shape[-1] - 1}\), expected \({expected}\)"
        with pytest.raises(ValueError, match=said):
            FUNCTIONS[name](model, **given | {key: x[..., :-1]})
        with pytest.raises(ValueError, match=rf"{key} has shape \(\), expected"):
            FUNCTIONS[name](model, **given | {key: 1.0})


@every
def test_what_is_no_array_of_real_numbers_is_refused(name, model):
    given = arguments(name, model, COUNT)
    first, x = next(iter(given.items()))
    for bad in (["a"] * model.nq, x * 1j, [[1.0], [1.0, 2.0]], [None] * model.nq, {"joint": 1.0}, [True] * model.nq):
        with pytest.raises(TypeError, match=f"{name}: {first} "):
            FUNCTIONS[name](model, **given | {first: bad})


@every
def test_an_out_that_does_not_fit_is_refused(name, model):
    given = arguments(name, model, COUNT)
    shape = FUNCTIONS[name](model, **given).shape
    frozen = np.empty(shape)
    frozen.flags.writeable = False
    for out, error, message in (
        (np.empty((*shape, 1)), ValueError, "out has shape"),
        (np.empty(shape, np.float32), TypeError, "float64"),
        ([0.0] * 6, TypeError, "out must be a float64 array"),
        (np.empty(shape, ">f8"), TypeError, "out must be a float64 array"),
        (np.ma.masked_array(np.empty(shape)), TypeError, "out must be a float64 array .* got a MaskedArray"),
        (np.asfortranarray(np.empty((shape[0] * 2, *shape[1:])))[::2], ValueError, "C-ordered"),
        (frozen, ValueError, "writeable"),
    ):
        with pytest.raises(error, match=message):
            FUNCTIONS[name](model, **given, out=out)


@every
def test_out_and_threads_are_given_by_name(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    by_name = [key for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    assert [key for key in by_name if key not in ("classical", "centroidal", "rows")] == ["out", "threads"]


@every
def test_what_is_no_model_is_refused_by_its_type(name, model):
    for wrong, got in ((None, "a NoneType"), (Model, "the class Model"), ("arm.urdf", "a str"), (3.0, "a float")):
        for index in (slice(None), 0):
            with pytest.raises(ArgumentTypeError, match=rf"^{name}: model must be a .*Model, got {got}$"):
                FUNCTIONS[name](wrong, **part(arguments(name, model, COUNT), index))


def test_results_of_several_arrays_go_into_a_tuple_of_arrays(model):
    q, v, n = model.rest_position, np.zeros(model.nv), model.nv
    good, name = np.empty((n, n)), "redmax_dynamics"
    for out, error, message in (
        (good, ArgumentTypeError, rf"{name}: out must be a tuple of arrays \(\w+, \w+\), got a ndarray"),
        ((good,), ArgumentTypeError, r"out must be a tuple of arrays \(\w+, \w+\), got 1 entries"),
        (
            (good[:, :2], np.empty(n)),
            ArgumentValueError,
            rf"{name}: out\[0\] has shape \({n}, 2\), expected \({n}, {n}\)",
        ),
        (
            (good, None),
            ArgumentTypeError,
            rf"{name}: out\[1\] must be a float64 array of shape \({n},\), got a NoneType",
        ),
        ((good, good[0]), ArgumentValueError, r"out\[1\] shares memory with another result"),
    ):
        with pytest.raises(error, match=message):
            redmax_dynamics(model, q, v, out=out)


def test_frames_are_names(model):
    q = arguments("rnea", model, COUNT)["q"]
    for frames in (5, np.array("tool")):
        got = type(frames).__name__
        with pytest.raises(ArgumentTypeError, match=f"forward_kinematics: frames must be names of frames, got a {got}"):
            forward_kinematics(model, q, frames)
    with pytest.raises(UnknownNameError, match="forward_kinematics: no frame 'nowhere'"):
        forward_kinematics(model, q, ["nowhere"])
    with pytest.raises(ArgumentTypeError, match="forward_kinematics: model must be"):
        forward_kinematics(None, q, ["tool"])
    assert forward_kinematics(model, q, []).shape == (COUNT, 0, 4, 4)


def test_an_out_that_is_a_view_of_a_file_or_lies_anywhere_takes_the_result(model, tmp_path):
    """A subclass of NumPy's arrays, and memory that begins at an odd byte."""
    q = arguments("crba", model, COUNT)["q"]
    expected = crba(model, q)
    mapped = np.memmap(tmp_path / "H", np.float64, "w+", shape=expected.shape)
    odd = np.empty(expected.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(expected.shape)
    for out in (mapped, odd):
        assert crba(model, q, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_masked_entries_are_refused(model):
    masked = np.ma.masked_array(model.rest_position, mask=[True] + [False] * (model.nq - 1))
    with pytest.raises(TypeError, match="gravity_force: q has masked entries"):
        gravity_force(model, masked)


def test_leading_axes_that_do_not_broadcast_are_listed(model):
    given = arguments("rnea", model, COUNT)
    with pytest.raises(ValueError, match=r"rnea: the leading axes do not broadcast: q \(6, .*v \(4, "):
        rnea(model, given["q"], given["v"][:4], given["a"])


def test_forces_from_outside_may_be_left_out_and_are_never_empty(model):
    q, v, a, f_ext = part(arguments("rnea", model, COUNT), 0).values()
    np.testing.assert_array_equal(rnea(model, q, v, a), rnea(model, q, v, a, 0.0 * f_ext))
    with pytest.raises(
        ArgumentValueError, match=rf"f_ext has shape \(0, 6\), expected \(\.\.\., {model.n_bodies}, 6\)"
    ):
        rnea(model, q, v, a, np.empty((0, 6)))


def test_a_robot_without_joints_has_empty_results():
    model = one_body("rock", "fixed", 5.0)
    assert (model.nq, model.nv, model.n_bodies) == (0, 0, 0)
    assert rnea(model, [], [], []).shape == (0,)
    assert crba(model, np.empty((4, 0))).shape == (4, 0, 0)
    assert kinetic_energy(model, [], []) == 0.0
    assert forward_kinematics(model, [], ["rock"]).shape == (1, 4, 4)


def test_two_threads_share_nothing(model):
    given = [part(arguments("aba", model, COUNT), k) for k in range(COUNT)]
    expected = [aba(model, **each) for each in given]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: aba(model, **given[k % COUNT]), range(60)))
    for k, result in enumerate(found):
        np.testing.assert_array_equal(result, expected[k % COUNT])


def test_long_names_do_not_make_long_messages():
    model = one_body(300 * "b", "spherical", 1.0, inertia=(1, 1, 1), joint=300 * "j")
    with pytest.raises(ArgumentValueError, match="overflows") as error:
        body_accelerations(model, [1.0, 0, 0, 0], [0, 1e308, -1e308], [0, 1e308, 1e308])
    assert len(str(error.value)) < 300


def test_numbers_from_ctypes_are_numbers():
    # their dtype equals that of NumPy's own, and is another object
    model = random_tree(1, 0, joints=["free"])
    q = np.ctypeslib.as_array((ctypes.c_double * 7)(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert q.dtype == np.float64
    for _ in range(2):
        np.testing.assert_array_equal(integrate(model, q, np.zeros(6)), q)
