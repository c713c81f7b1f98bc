"""The operational-space inertia of a frame: what it is by its definition, as mass and as energy, and where there is none.

Matrices are inverted twice, H and then J H^-1 J^T: residuals are small multiples of eps times both condition numbers.
"""

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    SingularInertiaError,
    aba,
    crba,
    frame_acceleration,
    jacobian,
    kinetic_energy,
    operational_inertia,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, UnknownNameError
from tests.articulated.algorithms.inertia.methods import method  # noqa: F401
from tests.conftest import COMPILED
from tests.mechanisms import random_body, random_description, random_joint, random_state
from tests.models import one_body

EPS = np.finfo(float).eps
AXES = ("body", "aligned", "world")
N = 20 if COMPILED else 3


def arm(mimic=False, seed=1):
    """A chain of eight joints of many types beside another one; with mimic joints, each way."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("arm")
    kinds = ("spherical", "revolute", "helical", "exponential", "prismatic", "revolute", "universal", "revolute")
    for k, kind in enumerate(kinds):
        for side, parent in (("a", f"a{k - 1}"), ("b", f"b{k - 1}")):
            options = random_joint(rng, kind, passive=True)
            if mimic and k == 5:
                options["mimic"] = (f"{side}1" if side == "a" else "a4", 0.6, 0.1)
            builder.add_body(f"{side}{k}", **random_body(rng))
            builder.add_joint(f"{side}{k}", kind, parent if k else "world", f"{side}{k}", **options)
    builder.add_frame("tool", body="a7", position=(0.1, -0.2, 0.3), rotation=(0.5, 0.5, -0.5, 0.5))
    return builder.build()


MODELS = {
    "two arms": arm,
    "two arms with mimic joints": lambda: arm(mimic=True),
    "a tree on a free body": lambda: free_tree(),
}


def free_tree():
    description = random_description(3, 12, ("revolute", "spherical", "prismatic"))
    first = next(iter(description.joints))
    description.joints[first] = {**description.joints[first], "type": "free"}
    for name in ("axis", "axis2", "pitch", "armature", "damping", "friction", "stiffness"):
        description.joints[first].pop(name, None)
    return description.build()


@pytest.fixture(params=MODELS)
def model(request, method):  # noqa: F811
    return MODELS[request.param]()


def mobility(model, q, frame, **options):
    """J H^-1 J^T, and what an error in its inverse may be."""
    J, H = jacobian(model, q, frame, **options), crba(model, q)
    A = J @ np.linalg.solve(H, J.swapaxes(-1, -2))
    return A, 1000 * EPS * np.linalg.cond(H) * np.linalg.cond(A)


def test_it_is_the_inverse_of_the_mobility(model):
    q = random_state(model, 1, N)["q"]
    frame = "tool" if "tool" in model.frame_names else model.body_names[-1]
    point = np.random.default_rng(2).normal(size=(N, 3))
    for options in (*({"axes": axes} for axes in AXES), {"point": point}, {"point": point[0], "axes": "aligned"}):
        A, allowed = mobility(model, q, frame, **options)
        found = operational_inertia(model, q, frame, **options)
        np.testing.assert_array_equal(found, found.swapaxes(-1, -2))
        error = np.abs(found @ A - np.eye(6)).max(axis=(1, 2))
        assert (error <= allowed).all()


def test_a_force_on_the_frame_accelerates_it_by_the_inverse(model):
    s = {key: values[0] for key, values in random_state(model, 3).items()}
    frame = model.body_names[-2]
    rest, f = np.zeros(model.nv), np.random.default_rng(3).normal(size=6)
    pushed = np.zeros((model.n_bodies, 6))
    pushed[model.body_index(frame)] = f
    a = [
        frame_acceleration(model, s["q"], rest, aba(model, s["q"], rest, s["tau"], forces), frame)
        for forces in (pushed, 0.0 * pushed)
    ]
    _, allowed = mobility(model, s["q"], frame)
    found = operational_inertia(model, s["q"], frame) @ (a[0] - a[1])
    np.testing.assert_allclose(found, f, rtol=0.0, atol=allowed * (1.0 + np.abs(a).max()))


def test_no_motion_with_the_same_velocity_of_the_frame_has_less_energy(model):
    q = random_state(model, 4)["q"][0]
    frame, rng = model.body_names[-2], np.random.default_rng(4)
    J, H = jacobian(model, q, frame), crba(model, q)
    inertia, u = operational_inertia(model, q, frame), rng.normal(size=6)
    least = np.linalg.solve(H, J.T @ inertia @ u)
    np.testing.assert_allclose(J @ least, u, rtol=0.0, atol=mobility(model, q, frame)[1])
    energy = kinetic_energy(model, q, least)
    np.testing.assert_allclose(energy, 0.5 * u @ inertia @ u, rtol=mobility(model, q, frame)[1])
    for _ in range(5):
        x = rng.normal(size=model.nv)
        other = least + x - np.linalg.pinv(J) @ (J @ x)
        assert kinetic_energy(model, q, other) > energy


def test_that_of_a_free_body_is_its_own():
    model = one_body("ball", "free", 2.0, (0.0, 0.0, 0.5), (0.1, 0.2, 0.25), joint="flying")
    found = operational_inertia(model, [1, 2, 3, 0.5, 0.5, 0.5, 0.5], "ball", point=(0, 0, 0.5))
    np.testing.assert_allclose(found, np.diag([0.1, 0.2, 0.25, 2.0, 2.0, 2.0]), atol=1e-13)


def test_one_state_and_batches_agree(model):
    q = random_state(model, 5, 19 if COMPILED else 3)["q"]
    frame = model.body_names[-1]
    _, allowed = mobility(model, q, frame)
    together = operational_inertia(model, q, frame, axes="aligned")
    out = np.full(together.shape, np.nan)
    assert operational_inertia(model, q, frame, axes="aligned", out=out, threads=3) is out
    np.testing.assert_array_equal(out, together)
    for _ in range(2):
        alone = operational_inertia(model, q[0], frame, axes="aligned")
        np.testing.assert_allclose(alone, together[0], rtol=0.0, atol=allowed[0] * np.abs(alone).max())


# ------------------------------------------------------------------------------------------------- several frames, some rows


def stacked(model, q, frames, points=None, axes="body"):
    """The Jacobians of several frames on top of one another."""
    points = [None] * len(frames) if points is None else np.moveaxis(points, -2, 0)
    return np.concatenate(
        [jacobian(model, q, frame, point, axes) for frame, point in zip(frames, points, strict=True)], axis=-2
    )


def quadruped():
    """A free trunk with four legs of three hinges, and an arm of two on a mast that stands by itself."""
    rng = np.random.default_rng(5)
    builder = ModelBuilder("quadruped")
    builder.add_body("trunk", **random_body(rng))
    builder.add_joint("free", "free", "world", "trunk")
    for leg in range(4):
        for k in range(3):
            builder.add_body(f"l{leg}{k}", **random_body(rng))
            parent = f"l{leg}{k - 1}" if k else "trunk"
            position = rng.normal(size=3)
            builder.add_joint(
                f"j{leg}{k}", "revolute", parent, f"l{leg}{k}", axis=rng.normal(size=3), position=position
            )
    for k in range(3):
        builder.add_body(f"m{k}", **random_body(rng))
        options = {"axis": rng.normal(size=3), "position": rng.normal(size=3)}
        builder.add_joint(f"m{k}", "revolute", f"m{k - 1}" if k else "world", f"m{k}", **options)
    return builder.build()


CASES = {
    "points of four feet": (("l02", "l12", "l22", "l32"), "linear", range(3, 6)),
    "trunk and a hand on a tree of its own": (("trunk", "m2"), (0, 1, 2, 3, 4, 5, 9, 10, 11), None),
    "in any order": (("m2", "l12", "trunk"), (16, 3, 12, 4, 9, 5), None),
    "turns of two legs": (["l12", "l22"], "angular", range(3)),
    "rows of one": (("l02",), [5, 0], None),
}


@pytest.mark.indices
@pytest.mark.parametrize("case", CASES)
def test_the_inertia_of_several_frames_is_that_of_their_jacobians_on_top_of_one_another(case, method):  # noqa: F811
    model = quadruped()
    frames, rows, each = CASES[case]
    q, rng = random_state(model, 6, N)["q"], np.random.default_rng(6)
    numbers = list(rows) if each is None else [6 * f + e for f in range(len(frames)) for e in each]
    for axes in AXES:
        points = None if axes == "world" else rng.normal(size=(N, len(frames), 3))
        J, H = stacked(model, q, frames, points, axes)[:, numbers], crba(model, q)
        A = J @ np.linalg.solve(H, J.swapaxes(-1, -2))
        found = operational_inertia(model, q, frames, points, axes, rows=rows)
        assert found.shape == A.shape
        error = np.abs(found @ A - np.eye(len(numbers))).max(axis=(1, 2))
        assert (error <= 1000 * EPS * np.linalg.cond(H) * np.linalg.cond(A)).all()
        one = operational_inertia(model, q[1], frames, None if points is None else points[1], axes, rows=rows)
        np.testing.assert_allclose(one, found[1], rtol=0.0, atol=error.max() * np.abs(one).max() + 1e-12)


def test_frames_on_different_trees_do_not_feel_each_other(method):  # noqa: F811
    model = quadruped()
    q = random_state(model, 7)["q"][0]
    points = np.array([[0.1, 0.2, 0.3], [0.3, -0.1, 0.2]])
    found = operational_inertia(model, q, ["l02", "m2"], points, rows="linear")
    np.testing.assert_array_equal(found[:3, 3:], 0.0)
    alone = operational_inertia(model, q, "m2", points[1], rows="linear")
    np.testing.assert_allclose(found[3:, 3:], alone, rtol=0.0, atol=1e-12 * np.abs(alone).max())


def test_an_arm_of_five_joints_has_an_inertia_for_its_point_and_not_for_all(method):  # noqa: F811
    rng = np.random.default_rng(8)
    builder = ModelBuilder("arm of five")
    for k in range(5):
        builder.add_body(f"b{k}", **random_body(rng))
        options = {"axis": rng.normal(size=3), "position": rng.normal(size=3)}
        builder.add_joint(f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", **options)
    model = builder.build()
    q = random_state(model, 8)["q"][0]
    for rows, shape in (("linear", 3), ("angular", 3), ((1, 2, 3, 4, 5), 5)):
        found = operational_inertia(model, q, "b4", rows=rows)
        assert found.shape == (shape, shape)
        assert np.linalg.eigvalsh(found).min() > 0.0
    with pytest.raises(SingularInertiaError, match="do not let the linear z of 'b4' accelerate independently"):
        operational_inertia(model, q, "b4")
    with pytest.raises(SingularInertiaError, match="do not let the angular x of 'b4' accelerate independently"):
        operational_inertia(model, q, "b4", rows=(1, 2, 3, 4, 5, 0))


# ----------------------------------------------------------------------------------------------------------------- refused


TWO, ORIGIN = ["tool", "a5"], (0.0, 0.0, 0.0)


REFUSED = [
    (
        {"rows": "rotation"},
        ArgumentValueError,
        "rows is 'rotation', expected one of 'all', 'angular', 'linear', or n",
    ),
    ({"rows": 3}, ArgumentTypeError, "rows is 3, expected one of 'all', 'angular', 'linear', or numbers"),
    ({"rows": (0, 12)}, ArgumentValueError, r"rows\[1\] is 12, expected numbers from 0 to 11, each once"),
    ({"rows": (0, 1, 0)}, ArgumentValueError, r"rows\[2\] is 0, expected numbers from 0 to 11, each once"),
    ({"rows": (-1,)}, ArgumentValueError, r"rows\[0\] is -1, expected numbers from 0 to 11, each once"),
    ({"rows": (0.5,)}, ArgumentTypeError, r"rows\[0\] is 0.5, expected a whole number"),
    ({"rows": (True,)}, ArgumentTypeError, r"rows\[0\] is True, expected a whole number"),
    ({"rows": ()}, ArgumentValueError, "rows has no numbers, expected some from 0 to 11"),
    ({"frame": []}, ArgumentValueError, "frame has no names"),
    ({"frame": ["tool", 3]}, ArgumentTypeError, r"frame\[1\] is 3, expected the name of a frame"),
    ({"frame": ["tool", "hand"]}, UnknownNameError, "no frame 'hand'; there are"),
    ({"frame": "hand"}, UnknownNameError, "no frame 'hand'; there are"),
    ({"frame": 3}, ArgumentTypeError, "frame is 3, expected the name of a frame"),
    ({"point": ORIGIN}, ArgumentValueError, r"point has shape \(3,\), expected \(\.\.\., 2, 3\)"),
    (
        {"point": [ORIGIN, (0.0, 0.0, np.nan)]},
        ArgumentValueError,
        r"point\[1, 2\] is nan, expected a finite number",
    ),
    ({"frame": "tool", "point": (1.0, 2.0)}, ArgumentValueError, r"point has shape \(2,\), expected \(\.\.\., 3\)"),
    (
        {"frame": "tool", "point": ORIGIN, "axes": "world"},
        ArgumentValueError,
        "expected no point, or axes 'aligned'",
    ),
    ({"axes": "local"}, ArgumentValueError, "axes is 'local', expected one of 'body', 'world'"),
]


def test_frames_rows_points_and_axes_that_cannot_be_are_refused():
    model = arm()
    q = random_state(model, 7)["q"][0]
    for given, error, said in REFUSED:
        with pytest.raises(error, match=f"operational_inertia: .*{said}"):
            operational_inertia(model, q, **({"frame": TWO} | given))


def test_a_frame_that_cannot_move_in_all_directions_has_none(method):  # noqa: F811
    model = arm()
    q = random_state(model, 6, 3)["q"]
    said = "operational_inertia: the operational-space inertia is singular: the joints do not let the"
    rest = "accelerate independently of the rows before it"
    for frame, row in (("a1", "linear x of 'a1'"), ("world_frame", "angular x of 'world_frame'")):
        builder = ModelBuilder("flat")
        builder.add_body("a1", mass=1.0, inertia=(1, 1, 1))
        builder.add_joint("a1", "spherical", "world", "a1")
        builder.add_frame("world_frame", body="world")
        for state in ([1, 0, 0, 0], [[1, 0, 0, 0], [0, 1, 0, 0]]):
            with pytest.raises(SingularInertiaError, match=f"{said} {row} {rest}"):
                operational_inertia(builder.build(), state, frame)
    for frame, row in (("a0", "linear x of 'a0'"), ("b1", "linear y of 'b1'")):
        with pytest.raises(SingularInertiaError, match=f"{said} {row} {rest} in state 0 of the batch"):
            operational_inertia(model, q, frame)


def test_a_singular_configuration_is_refused_with_its_state(method):  # noqa: F811
    """Two parallel axes at the wrist: six freedoms, and no way to turn about the third direction."""
    builder = ModelBuilder("robot")
    axes, places = "zyyxyx", ((0, 0, 0.3), (0.1, 0, 0.2), (0, 0, 0.5), (0.3, 0, 0), (0.2, 0, 0), (0.1, 0, 0))
    for k, (axis, place) in enumerate(zip(axes, places, strict=True)):
        builder.add_body(f"b{k}", mass=1.0, center_of_mass=(0.05, 0, 0.1), inertia=(0.1, 0.1, 0.1))
        u = np.eye(3)["xyz".index(axis)]
        builder.add_joint(f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", axis=u, position=place)
    model = builder.build()
    q = np.random.default_rng(0).uniform(0.3, 0.8, (11, 6))
    operational_inertia(model, q, "b5")
    q[8, 4] = 0.0
    with pytest.raises(SingularInertiaError, match=r"of 'b5' accelerate independently .* in state 8 of the batch"):
        operational_inertia(model, q, "b5")
    with pytest.raises(SingularInertiaError, match=r"of 'b5' accelerate independently of the rows before it$"):
        operational_inertia(model, q[8], "b5")


def test_a_joint_that_moves_no_inertia_is_named():
    builder = ModelBuilder()
    builder.add_body("base", mass=1.0, inertia=(1, 1, 1))
    builder.add_body("hand")
    builder.add_joint("flying", "free", "world", "base")
    builder.add_joint("wrist", "revolute", "base", "hand", axis=(0, 0, 1))
    with pytest.raises(
        SingularInertiaError, match="operational_inertia: the inertia matrix is singular: 'wrist' moves"
    ):
        operational_inertia(builder.build(), [0, 0, 0, 1, 0, 0, 0, 0], "base")
