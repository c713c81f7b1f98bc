"""Frames: placements, velocities, accelerations, Jacobians and their rates, in three choices of axes, of points too.

Tolerances: sums of some ten products of numbers near one; 1e-12 of the largest leaves room for a path of 20 joints.
"""

from functools import partial

import numpy as np
import pytest

from pluecker import articulated
from pluecker.articulated import (
    ModelBuilder,
    forward_kinematics,
    frame_acceleration,
    frame_placement,
    frame_velocity,
    integrate,
    jacobian,
    jacobian_dot,
    relative_jacobian,
    relative_jacobian_dot,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, UnknownNameError
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.articulated.slopes import CLOSE, slope
from tests.articulated.state_by_state import by_state
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_rotation, random_state

# Each is compiled for one state: that batches have what their states have is a law of all algorithms.
frame_placement, frame_velocity, frame_acceleration, jacobian_dot, relative_jacobian, relative_jacobian_dot = map(
    by_state,
    (frame_placement, frame_velocity, frame_acceleration, jacobian_dot, relative_jacobian, relative_jacobian_dot),
)
AXES = ("body", "aligned", "world")
POINT = np.array([0.3, -0.2, 0.5])
every_axes = pytest.mark.parametrize("axes", AXES)
every_relative_axes = pytest.mark.parametrize("axes", ["body", "aligned", "reference"])


def with_frames(seed):
    """A tree of all joint types, fixed joints among them, with frames on bodies, on merged bodies and on the world."""
    rng = np.random.default_rng(seed)
    description = random_description(seed, 16, kinds=(*MOVING, "fixed"))
    builder = ModelBuilder()
    for name, body in description.bodies.items():
        builder.add_body(name, **body)
    for name, joint in description.joints.items():
        builder.add_joint(name, **joint)
    for name in ("world", "b3", "b7", "b15"):
        builder.add_frame(f"tool on {name}", name, rng.normal(size=3), random_rotation(rng))
    return builder.build()


@pytest.fixture(scope="module", params=["all joint types", "all in another order", "mimic joints"])
def model(request):
    if request.param == "mimic joints":
        return build_for_mimic(mimic=True)
    return with_frames(0 if request.param == "all joint types" else 1)


@pytest.fixture(scope="module")
def state(model):
    return random_state(model, 3, 3)


@pytest.fixture(scope="module")
def frames(model):
    """Names of all frames; of every third where kernels are not compiled."""
    return model.frame_names if COMPILED else model.frame_names[::3]


@pytest.fixture(scope="module")
def some_frames(frames):
    """Names of the frames for tests that take longer."""
    return frames if COMPILED else frames[::3]


def close(found, expected, tolerance=1e-12):
    largest = max(np.abs(expected).max(initial=0.0), 1.0)
    np.testing.assert_allclose(np.asarray(found) / largest, np.asarray(expected) / largest, rtol=0.0, atol=tolerance)


def points(axes):
    return (None,) if axes in ("world", "reference") else (None, POINT)


def cross(a, b):
    return np.cross(a, b, axis=0)


# ------------------------------------------------------------------------------------------------------ one with another


def test_placement_is_that_of_forward_kinematics(model, state, frames):
    q = state["q"]
    together = forward_kinematics(model, q, frames)
    for k, frame in enumerate(frames):
        close(frame_placement(model, q, frame), together[:, k])
        moved = frame_placement(model, q, frame, POINT)
        close(moved[..., :3, 3], together[:, k, :3, :3] @ POINT + together[:, k, :3, 3])
        close(moved[..., :3, :3], together[:, k, :3, :3])


@every_axes
def test_velocity_is_jacobian_times_qd(model, state, frames, axes):
    q, v = state["q"], state["v"]
    for frame in frames:
        for point in points(axes):
            J = jacobian(model, q, frame, point, axes)
            close(np.einsum("...ij,...j", J, v), frame_velocity(model, q, v, frame, point, axes))


def test_velocity_is_the_derivative_of_the_placement(model, state, frames):
    """Central differences have an error of second order in h = 1e-5, and rounding of 1e-16 / h."""
    q, v, h = state["q"][0], state["v"][0], 1e-5
    for frame in frames:
        before, after = (frame_placement(model, integrate(model, q, s * h * v), frame, POINT) for s in (-1.0, 1.0))
        w, x = frame_velocity(model, q, v, frame, POINT, "aligned").reshape(2, 3)
        T = frame_placement(model, q, frame, POINT)
        W = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        rate = (after - before) / (2 * h)
        np.testing.assert_allclose(rate[:3, 3], x, atol=1e-7 * (1.0 + np.abs(v).max() ** 3))
        np.testing.assert_allclose(rate[:3, :3], W @ T[:3, :3], atol=1e-7 * (1.0 + np.abs(v).max() ** 3))


@every_axes
def test_acceleration_is_that_of_the_jacobian_and_its_rate(model, state, frames, axes):
    """d/dt (J v): the spatial acceleration in body and world axes, the classical one in aligned axes."""
    q, v, a = state["q"], state["v"], state["a"]
    for frame in frames:
        for point in points(axes):
            J, Jdot = jacobian(model, q, frame, point, axes), jacobian_dot(model, q, v, frame, point, axes)
            expected = np.einsum("...ij,...j", J, a) + np.einsum("...ij,...j", Jdot, v)
            classical = axes == "aligned"
            close(frame_acceleration(model, q, v, a, frame, point, axes, classical=classical), expected)


@every_axes
def test_classical_acceleration_is_larger_by_w_cross_v(model, state, frames, axes):
    q, v, a = state["q"], state["v"], state["a"]
    for frame in frames:
        spatial = frame_acceleration(model, q, v, a, frame, axes=axes)
        u = frame_velocity(model, q, v, frame, axes=axes)
        spatial[..., 3:] += np.cross(u[..., :3], u[..., 3:])
        close(frame_acceleration(model, q, v, a, frame, axes=axes, classical=True), spatial)


def test_change_of_axes(model, state, frames):
    q, v = state["q"][0], state["v"][0]
    for frame in frames:
        T = frame_placement(model, q, frame)
        R, p = T[:3, :3], T[:3, 3]
        body, aligned, world = (jacobian(model, q, frame, axes=axes) for axes in AXES)
        close(aligned, np.concatenate([R @ body[:3], R @ body[3:]]))
        close(world[:3], aligned[:3])
        close(world[3:], aligned[3:] + cross(p[:, None], aligned[:3]))
        body, aligned, world = (jacobian_dot(model, q, v, frame, axes=axes) for axes in AXES)
        close(world[:3], aligned[:3])
        u = frame_velocity(model, q, v, frame, axes="aligned")
        J = jacobian(model, q, frame, axes="aligned")
        close(world[3:], aligned[3:] + cross(p[:, None], aligned[:3]) + cross(u[3:, None], J[:3]))


@pytest.mark.parametrize("axes", ["body", "aligned"])
def test_change_of_point(model, state, frames, axes):
    q = state["q"][0]
    for frame in frames:
        R = frame_placement(model, q, frame)[:3, :3] if axes == "aligned" else np.eye(3)
        origin, there = jacobian(model, q, frame, None, axes), jacobian(model, q, frame, POINT, axes)
        close(there[:3], origin[:3])
        close(there[3:], origin[3:] + cross(origin[:3], (R @ POINT)[:, None]))


# -------------------------------------------------------------------------------------------------- rates of the Jacobians


@every_axes
def test_rate_is_the_derivative_of_the_jacobian_along_the_motion(model, state, some_frames, axes):
    q, v = state["q"][0], state["v"][0]
    for frame in some_frames:
        for point in points(axes):
            expected = slope(jacobian, model, v, q=q, frame=frame, point=point, axes=axes)
            close(jacobian_dot(model, q, v, frame, point, axes), expected, tolerance=CLOSE)


@pytest.mark.indices
@every_relative_axes
def test_rate_of_the_relative_jacobian_is_its_derivative(model, state, some_frames, axes):
    q, v = state["q"][0], state["v"][0]
    for frame, reference in zip(some_frames, some_frames[::-1], strict=True):
        for point in points(axes):
            expected = slope(relative_jacobian, model, v, q=q, frame=frame, reference=reference, point=point, axes=axes)
            close(relative_jacobian_dot(model, q, v, frame, reference, point, axes), expected, tolerance=CLOSE)


# ------------------------------------------------------------------------------------------------------ relative motion


def in_coordinates_of(X, J):
    """Motion vectors, in columns, from a frame placed at X into the coordinates in which X is given."""
    R, p = X[:3, :3], X[:3, 3]
    w = R @ J[:3]
    return np.concatenate([w, R @ J[3:] + cross(p[:, None], w)])


def test_relative_jacobian_is_the_difference_of_two(model, state, frames):
    q = state["q"][0]
    for frame, reference in zip(frames, frames[::-1], strict=True):
        T, T0 = frame_placement(model, q, frame), frame_placement(model, q, reference)
        difference = jacobian(model, q, frame, axes="world") - jacobian(model, q, reference, axes="world")
        found = {
            axes: relative_jacobian(model, q, frame, reference, axes=axes) for axes in ("body", "aligned", "reference")
        }
        close(in_coordinates_of(T, found["body"]), difference)
        close(in_coordinates_of(T0, found["reference"]), difference)
        aligned = T0.copy()
        aligned[:3, 3] = T[:3, 3]
        close(in_coordinates_of(aligned, found["aligned"]), difference)


def test_relative_jacobian_of_a_point_moves_its_columns(model, state, frames):
    q = state["q"][0]
    for frame, reference in zip(frames, frames[::-1], strict=True):
        origin, there = (relative_jacobian(model, q, frame, reference, point) for point in (None, POINT))
        close(there[3:], origin[3:] + cross(origin[:3], POINT[:, None]))


def test_a_frame_does_not_move_relative_to_itself_and_its_body(state, model):
    q, v = state["q"][0], state["v"][0]
    for frame in model.frame_names:
        carrier = model.frame_offsets([frame])[0][0]
        body = model.body_names[carrier] if carrier >= 0 else frame
        assert not relative_jacobian(model, q, frame, frame).any()
        assert not relative_jacobian(model, q, frame, body).any()
        assert not relative_jacobian_dot(model, q, v, body, frame, axes="reference").any()


# ------------------------------------------------------------------------------------------------- what does not matter


def test_columns_of_other_branches_are_zero():
    description = random_description(4, 12, branching=1.0)
    model, depth = description.build(), description.depths()
    q, v = (random_state(model, 1)[key][0] for key in ("q", "v"))
    for body in model.body_names:
        above, parents = {body}, {joint["child"]: joint["parent"] for joint in description.joints.values()}
        while len(above) < depth[body]:
            above |= {parents[name] for name in above if parents[name] != "world"}
        others = [k for joint in model.joints if joint.child not in above
                  for k in range(*model.v_slice(joint.name).indices(model.nv))]  # fmt: skip
        for axes in AXES:
            assert not jacobian(model, q, body, axes=axes)[:, others].any()
            assert not jacobian_dot(model, q, v, body, axes=axes)[:, others].any()


def test_what_is_fixed_to_the_world_does_not_move(state, model):
    q, v, a = (state[key][0] for key in "qva")
    fixed = [frame for frame in model.frame_names if model.frame_offsets([frame])[0][0] < 0]
    for frame in fixed:
        for axes in AXES:
            assert not jacobian(model, q, frame, axes=axes).any()
            assert not jacobian_dot(model, q, v, frame, axes=axes).any()
            assert not frame_velocity(model, q, v, frame, axes=axes).any()
            assert not frame_acceleration(model, q, v, a, frame, axes=axes).any()


def test_in_body_axes_the_place_in_the_world_does_not_count():
    """A robot a thousand kilometres away has the same Jacobian in body axes, but for last bits."""
    builder = ModelBuilder()
    for k in range(3):
        builder.add_body(f"b{k}", 1.0)
    builder.add_joint("root", "free", "world", "b0")
    builder.add_joint("j1", "revolute", "b0", "b1", axis=(0, 1, 2), position=(0.3, 0.1, 0.2))
    builder.add_joint("j2", "helical", "b1", "b2", axis=(1, 1, 0), position=(0.1, 0.2, 0.2), pitch=0.1)
    model = builder.build()
    q = random_state(model, 2)["q"][0]
    far = q.copy()
    far[:3] += 1e6
    np.testing.assert_array_equal(jacobian(model, far, "b2", POINT), jacobian(model, q, "b2", POINT))


def test_points_have_leading_axes_of_their_own(model, state):
    q, frame = state["q"], model.frame_names[-1]
    p = np.random.default_rng(0).normal(size=(4, 1, 3))
    together = jacobian(model, q, frame=frame, point=p)
    assert together.shape[:2] == (4, 3)
    for j in range(4):
        for k in range(3):
            close(together[j, k], jacobian(model, q[k], frame=frame, point=p[j, 0]))


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.fixture(scope="module")
def arm():
    return random_description(2, 3, ("revolute", "prismatic", "helical")).build(name="arm")


def calls(model):
    """Return each function of a frame, by name, with all arguments but the frame."""
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    return {
        "frame_placement": partial(articulated.frame_placement, model, q),
        "frame_velocity": partial(articulated.frame_velocity, model, q, v),
        "frame_acceleration": partial(articulated.frame_acceleration, model, q, v, v),
        "jacobian": partial(articulated.jacobian, model, q),
        "jacobian_dot": partial(articulated.jacobian_dot, model, q, v),
        "relative_jacobian": partial(articulated.relative_jacobian, model, q, reference="b0"),
        "relative_jacobian_dot": partial(articulated.relative_jacobian_dot, model, q, v, reference="b0"),
    }


every_function = pytest.mark.parametrize("name", calls(ModelBuilder().build()))


@every_function
def test_a_frame_that_does_not_exist_is_refused_by_name(name, arm):
    with pytest.raises(UnknownNameError, match=f"^.?{name}: no frame 'hand'; there are 'b0', 'b1', 'b2'"):
        calls(arm)[name](frame="hand")
    with pytest.raises(ArgumentTypeError, match=f"^{name}: frame is .*, expected a string"):
        calls(arm)[name](frame=["b0"])


@pytest.mark.parametrize("name", ["relative_jacobian", "relative_jacobian_dot"])
def test_a_reference_that_does_not_exist_is_refused_by_name(name, arm):
    with pytest.raises(UnknownNameError, match=f"^.?{name}: no frame 'hand'; there are 'b0', 'b1', 'b2'"):
        calls(arm)[name](frame="b0", reference="hand")
    with pytest.raises(ArgumentTypeError, match=f"^{name}: reference is None, expected a string"):
        calls(arm)[name](frame="b0", reference=None)


@every_function
def test_axes_are_one_of_three(name, arm):
    if name == "frame_placement":
        return
    last = "reference" if name.startswith("relative") else "world"
    for axes in ("local", "world" if last == "reference" else "reference", ""):
        expected = f"^{name}: axes is '{axes}', expected one of 'body', '{last}', 'aligned'"
        with pytest.raises(ArgumentValueError, match=expected):
            calls(arm)[name](frame="b0", axes=axes)
    with pytest.raises(ArgumentTypeError, match=f"^{name}: axes is 3, expected a string"):
        calls(arm)[name](frame="b0", axes=3)
    with pytest.raises(ArgumentValueError, match=f"{name}: axes '{last}' are about the origin of the {last}"):
        calls(arm)[name](frame="b0", axes=last, point=(0, 0, 0))


@every_function
def test_points_have_three_finite_coordinates(name, arm):
    for shape in ((2,), (4,), (), (3, 1)):
        with pytest.raises(ArgumentValueError, match=rf"{name}: point has shape .*, expected \(\.\.\., 3\)"):
            calls(arm)[name](frame="b0", point=np.zeros(shape))
    with pytest.raises(ArgumentValueError, match=rf"{name}: point\[0, 1\] is nan, expected a finite number"):
        calls(arm)[name](frame="b0", point=[[0.0, np.nan, 0.0]])
    with pytest.raises(ArgumentTypeError, match=f"{name}: point"):
        calls(arm)[name](frame="b0", point="tip")


def test_a_result_that_overflows_is_an_error_that_names_the_state_and_the_largest_number(arm):
    q, v, p = np.full((9, 3), 0.3), np.full((9, 3), 1e9), np.ones((9, 3))
    p[7] = 1.7e308
    said = "the result overflows float64 in state 7 of the batch.*; the largest number given is point = 1.7e"
    with pytest.raises(ArgumentValueError, match=f"frame_velocity: {said}"):
        articulated.frame_velocity(arm, q, v, "b2", p)
    with pytest.raises(ArgumentValueError, match=f"frame_acceleration: {said}"):
        articulated.frame_acceleration(arm, q, v, v, "b2", p)
    with pytest.raises(ArgumentValueError, match=f"jacobian_dot: {said}"):
        articulated.jacobian_dot(arm, q, v, "b2", p, "aligned")


def test_accelerations_are_spatial_or_classical(arm):
    with pytest.raises(ArgumentTypeError, match="classical is 'yes', expected True or False"):
        frame_acceleration(arm, [0, 0, 0], [0, 0, 0], [0, 0, 0], "b0", classical="yes")
