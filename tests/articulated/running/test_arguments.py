"""Arguments of the public functions: what they accept, and what they say to everything else."""

import ctypes
import functools
import inspect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    aba,
    bias_force,
    body_accelerations,
    body_jacobian,
    body_jacobian_dot,
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
    body_velocities,
    carry_velocity,
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
    coriolis_matrix,
    crba,
    crba_packed,
    difference,
    forward_kinematics,
    frame_acceleration,
    frame_placement,
    frame_velocity,
    gravity_force,
    inertia_matrix_rate,
    integrate,
    jacobian,
    jacobian_dot,
    joint_forces,
    kinetic_energy,
    minv,
    momentum,
    momentum_rate,
    operational_inertia,
    passive_force,
    potential_energy,
    random_tree,
    relative_jacobian,
    relative_jacobian_dot,
    rnea,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, UnknownNameError
from tests.mechanisms import random_description, random_state


def of_a_frame(function, **names):
    """The function, asked for a frame."""

    @functools.wraps(function)
    def call(model, **given):
        return function(model, frame="b5", **names, **given)

    return call


OF_SUBTREES = {
    ("q",): (center_of_mass, center_of_mass_jacobian, centroidal_momentum_matrix),
    ("q", "v"): (
        center_of_mass_velocity,
        centroidal_momentum_matrix_dot,
        coriolis_matrix,
        inertia_matrix_rate,
        momentum,
    ),
    ("q", "v", "a"): (center_of_mass_acceleration, momentum_rate),
}
# Every public algorithm, with the names of its inputs
FUNCTIONS = {
    rnea: ("q", "v", "a", "f_ext"),
    joint_forces: ("q", "v", "a", "f_ext"),
    aba: ("q", "v", "tau", "f_ext"),
    crba: ("q",),
    crba_packed: ("q",),
    minv: ("q",),
    bias_force: ("q", "v", "f_ext"),
    gravity_force: ("q",),
    kinetic_energy: ("q", "v"),
    potential_energy: ("q",),
    forward_kinematics: ("q",),
    of_a_frame(frame_placement): ("q", "point"),
    of_a_frame(frame_velocity): ("q", "v", "point"),
    of_a_frame(frame_acceleration): ("q", "v", "a", "point"),
    of_a_frame(jacobian): ("q", "point"),
    of_a_frame(jacobian_dot): ("q", "v", "point"),
    of_a_frame(operational_inertia): ("q", "point"),
    of_a_frame(relative_jacobian, reference="b0"): ("q", "point"),
    of_a_frame(relative_jacobian_dot, reference="b0"): ("q", "v", "point"),
    body_velocities: ("q", "v"),
    body_accelerations: ("q", "v", "a"),
    body_jacobian: ("q",),
    body_jacobian_dot: ("q", "v"),
    body_jacobian_dot_times: ("q", "v", "x"),
    body_jacobian_transpose_times: ("q", "f_ext"),
    passive_force: ("q", "v"),
    **{f: keys for keys, functions in OF_SUBTREES.items() for f in functions},
    integrate: ("q", "v"),
    difference: ("q0", "q1"),
    carry_velocity: ("q0", "q1", "v"),
}
# The checks are one code for all functions; these differ in inputs and results. Each other one would be compiled for them.
DIFFERENT = ("rnea", "aba", "crba", "forward_kinematics", "jacobian", "kinetic_energy", "integrate", "difference")
every = pytest.mark.parametrize(
    "function",
    [
        pytest.param(f, id=f.__name__, marks=[pytest.mark.plain] if f.__name__ not in DIFFERENT else [])
        for f in FUNCTIONS
    ],
)


@pytest.fixture(scope="module")
def model():
    return random_description(2, 11).build(name="test tree")


@pytest.fixture(scope="module")
def inputs(model):
    s = random_state(model, 1, 6)
    return {**s, "q0": s["q"], "q1": s["q"][::-1].copy(), "point": s["tau"][:, :3].copy(), "x": s["a"]}


def arguments(function, inputs, part=slice(None)):
    return {name: inputs[name][part] for name in FUNCTIONS[function]}


@every
def test_a_shape_that_does_not_fit_is_named_with_what_was_expected(function, model, inputs):
    for name, x in arguments(function, inputs).items():
        given = arguments(function, inputs) | {name: x[..., :-1]}
        shapes = {"f_ext": (model.n_bodies, 6), "point": (3,)}
        shape = shapes.get(name, (model.nq,) if name.startswith("q") else (model.nv,))
        expected = ", ".join(["...", *map(str, shape)])
        with pytest.raises(
            ValueError, match=rf"{function.__name__}: {name} has shape .*{x.shape[-1] - 1}\), expected \({expected}\)"
        ):
            function(model, **given)
        with pytest.raises(ValueError, match=rf"{name} has shape \(\), expected"):
            function(model, **(given | {name: 1.0}))


@every
def test_nan_and_infinity_are_refused_with_the_coordinate_and_nothing_is_written(function, model, inputs):
    expected = function(model, **arguments(function, inputs))
    for name, x in arguments(function, inputs).items():
        for bad in (np.nan, np.inf):
            spoiled = x.copy()
            spoiled[4, 2] = bad
            out = np.full(expected.shape, 7.0)
            what = "body" if name == "f_ext" else "coordinate"
            where = rf".*\({what} '" if name != "point" else ", expected a finite number$"
            with pytest.raises(ValueError, match=rf"{function.__name__}: {name}\[4, 2.*\] is {bad}{where}"):
                function(model, **(arguments(function, inputs) | {name: spoiled}), out=out)
            assert (out == 7.0).all()


@every
def test_what_is_no_array_of_real_numbers_is_refused(function, model, inputs):
    name = FUNCTIONS[function][0]
    others = {key: x for key, x in arguments(function, inputs).items() if key != name}
    for bad in (
        ["a"] * model.nq,
        inputs["q"] * 1j,
        [[1.0], [1.0, 2.0]],
        [None] * model.nq,
        {"joint": 1.0},
        [True] * model.nq,
    ):
        with pytest.raises(TypeError, match=f"{function.__name__}: {name} "):
            function(model, **{name: bad}, **others)


@every
def test_a_quaternion_that_is_not_of_unit_length_is_refused_by_joint(function, model, inputs):
    joint, part = next(iter(model.quaternion_slices().items()))
    for name in FUNCTIONS[function]:
        if name.startswith("q"):
            q = inputs[name].copy()
            q[3, part] *= 1.0 + 3e-6
            with pytest.raises(
                ValueError, match=rf"{function.__name__}: the quaternion of joint '{joint}'.*length 1\.00000"
            ):
                function(model, **(arguments(function, inputs) | {name: q}))
            q = inputs[name].copy()
            q[3, part] *= 1.0 + 5e-7
            function(model, **(arguments(function, inputs) | {name: q}))


@every
def test_an_out_that_does_not_fit_is_refused(function, model, inputs):
    given = arguments(function, inputs)
    shape = function(model, **given).shape
    bad = [
        (np.empty((*shape, 1)), ValueError, "out has shape"),
        (np.empty(shape, np.float32), TypeError, "float64"),
        ([0.0] * 6, TypeError, "out must be a float64 array"),
        (np.empty(shape, ">f8"), TypeError, "out must be a float64 array"),
        (np.ma.masked_array(np.empty(shape)), TypeError, "out must be a float64 array .* got a MaskedArray"),
        (np.asfortranarray(np.empty((shape[0] * 2, *shape[1:])))[::2], ValueError, "C-ordered"),
    ]
    frozen = np.empty(shape)
    frozen.flags.writeable = False
    for out, error, message in [*bad, (frozen, ValueError, "writeable")]:
        with pytest.raises(error, match=message):
            function(model, **given, out=out)


@every
def test_out_and_threads_are_given_by_name(function):
    parameters = inspect.signature(function).parameters
    by_name = [name for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    assert [name for name in by_name if name not in ("classical", "centroidal", "rows")] == ["out", "threads"]


@every
def test_what_is_no_model_is_refused_by_its_type(function, inputs):
    for wrong, got in ((None, "a NoneType"), (Model, "the class Model"), ("arm.urdf", "a str"), (3.0, "a float")):
        for part in (slice(None), 0):
            with pytest.raises(ArgumentTypeError, match=rf"^{function.__name__}: model must be a .*Model, got {got}$"):
                function(wrong, **arguments(function, inputs, part))
        if function is forward_kinematics:
            with pytest.raises(ArgumentTypeError, match="forward_kinematics: model must be"):
                function(wrong, inputs["q"], ["tool"])


def test_no_frames_are_no_placements(model, inputs):
    assert forward_kinematics(model, inputs["q"], []).shape == (*inputs["q"].shape[:-1], 0, 4, 4)


def test_frames_are_names(model, inputs):
    with pytest.raises(ArgumentTypeError, match="forward_kinematics: frames must be names of frames, got a int"):
        forward_kinematics(model, inputs["q"], 5)
    with pytest.raises(ArgumentTypeError, match="forward_kinematics: frames must be names of frames, got a ndarray"):
        forward_kinematics(model, inputs["q"], np.array("tool"))
    with pytest.raises(UnknownNameError, match="forward_kinematics: no frame 'nowhere'"):
        forward_kinematics(model, inputs["q"], ["nowhere"])
    assert forward_kinematics(model, inputs["q"], []).shape[-3:] == (0, 4, 4)


def test_an_out_that_is_a_view_of_a_file_or_lies_anywhere_takes_the_result(model, inputs, tmp_path):
    """A subclass of NumPy's arrays, and memory that begins at an odd byte."""
    expected = crba(model, inputs["q"])
    mapped = np.memmap(tmp_path / "H", np.float64, "w+", shape=expected.shape)
    odd = np.empty(expected.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(expected.shape)
    for out in (mapped, odd):
        assert crba(model, inputs["q"], out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_masked_entries_are_refused(model, inputs):
    masked = np.ma.masked_array(inputs["q"][0], mask=[True] + [False] * (model.nq - 1))
    with pytest.raises(TypeError, match="gravity_force: q has masked entries"):
        gravity_force(model, masked)


def test_leading_axes_that_do_not_broadcast_are_listed(model, inputs):
    with pytest.raises(ValueError, match=r"rnea: the leading axes do not broadcast: q \(6, .*v \(4, "):
        rnea(model, inputs["q"], inputs["v"][:4], inputs["a"])


def test_forces_from_outside_may_be_left_out(model, inputs):
    none = rnea(model, inputs["q"], inputs["v"], inputs["a"])
    zero = rnea(model, inputs["q"], inputs["v"], inputs["a"], np.zeros((model.n_bodies, 6)))
    np.testing.assert_array_equal(none, zero)


def test_a_robot_without_joints_has_empty_results():
    builder = ModelBuilder()
    builder.add_body("rock", mass=5.0)
    builder.add_joint("weld", "fixed", "world", "rock")
    model = builder.build()
    assert (model.nq, model.nv, model.n_bodies) == (0, 0, 0)
    assert rnea(model, [], [], []).shape == (0,)
    assert crba(model, np.empty((4, 0))).shape == (4, 0, 0)
    assert kinetic_energy(model, [], []) == 0.0
    assert forward_kinematics(model, [], ["rock"]).shape == (1, 4, 4)


def test_two_threads_share_nothing(model, inputs):
    expected = [aba(model, **arguments(aba, inputs, k)) for k in range(6)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: aba(model, **arguments(aba, inputs, k % 6)), range(60)))
    for k, result in enumerate(found):
        np.testing.assert_array_equal(result, expected[k % 6])


def test_long_names_do_not_make_long_messages():
    builder = ModelBuilder()
    builder.add_body(300 * "b", 1.0, inertia=(1, 1, 1))
    builder.add_joint(300 * "j", "spherical", "world", 300 * "b")
    with pytest.raises(ArgumentValueError, match="overflows") as error:
        body_accelerations(builder.build(), [1.0, 0, 0, 0], [0, 1e308, -1e308], [0, 1e308, 1e308])
    assert len(str(error.value)) < 300


def test_numbers_from_ctypes_are_numbers():
    # their dtype equals that of NumPy's own, and is another object
    model = random_tree(1, 0, joints=["free"])
    q = np.ctypeslib.as_array((ctypes.c_double * 7)(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert q.dtype == np.float64
    for _ in range(2):
        np.testing.assert_array_equal(integrate(model, q, np.zeros(6)), q)
