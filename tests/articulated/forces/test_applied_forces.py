"""Springs, dampers, cables and wrenches between bodies: their forces, energies and derivatives.

Results are sums of some hundred products, so that 1e-11 of the largest leaves room for rounding.
"""

import dataclasses

import numpy as np
import pytest
from numba.core import event

from pluecker.articulated import (
    Cable,
    Model,
    ModelBuilder,
    PointSpring,
    PointWrench,
    TorsionSpring,
    aba,
    applied_forces,
    applied_stiffness,
    body_jacobian_transpose_times,
    forward_kinematics,
    passive_force,
    random_configuration,
)
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.articulated.model.test_mimic import build
from tests.articulated.slopes import CLOSE, slope, slopes
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_rotation

NAMES = (
    "dead wrench", "following wrench", "spring of no length", "spring", "damper", "torsion spring", "torsion damper",
    "cable", "slack cable", "all",
)  # fmt: skip


def elements_on(model, name):
    """Elements between the first, the second and the last body and the world."""
    rng = np.random.default_rng(17)

    def at(body):
        return model.body_names[body], rng.normal(size=3)

    first, second, last = model.body_names[0], model.body_names[1], model.body_names[-1]
    table = {
        "dead wrench": PointWrench(last, rng.normal(size=6), rng.normal(size=3)),
        "following wrench": PointWrench(last, rng.normal(size=6), rng.normal(size=3), axes="body"),
        "spring of no length": PointSpring(at(0), at(-1), stiffness=3.0),
        "spring": PointSpring(at(1), ("world", rng.normal(size=3)), stiffness=3.0, rest_length=0.5),
        "damper": PointSpring(at(0), at(-1), stiffness=0.0, damping=2.0),
        "torsion spring": TorsionSpring(first, last, 2.0, rest_rotation=random_rotation(rng)),
        "torsion damper": TorsionSpring("world", second, 0.5, 3.0),
        "cable": Cable([at(0), "world", at(1), at(-1), at(0)], stiffness=5.0, rest_length=1.0, damping=0.1),
        "slack cable": Cable([at(0), at(-1)], stiffness=5.0, rest_length=1e3, damping=0.1),
    }
    return list(table.values()) if name == "all" else [table[name]]


@pytest.fixture(scope="module", params=["all joint types", "exponential", "free", "mimic"])
def case(request):
    if request.param == "mimic":
        model = build(mimic=True)
    else:
        kinds = MOVING if request.param == "all joint types" else (request.param, "revolute")
        model = random_description(6, 8 if len(kinds) > 2 else 3, kinds=kinds, branching=0.3).build()
    rng = np.random.default_rng(3)
    return model, random_configuration(model, rng), rng.normal(size=model.nv)


def close(found, expected, tolerance=1e-11):
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(np.asarray(found) / scale, np.asarray(expected) / scale, rtol=0.0, atol=tolerance)


def energetic():
    """Return the names of the elements that have an energy, or lose it."""
    return [name for name in NAMES if "wrench" not in name and name != "all"]


@pytest.mark.parametrize("name", NAMES)
def test_stiffness_and_damping_are_the_derivatives_of_the_joint_force(case, name):
    model, q, v = case
    given = {"elements": elements_on(model, name), "q": q, "v": v}
    K, D = applied_stiffness(model, **given)
    for found, wrt in ((K, "q"), (D, "v")):
        close(-found, slopes(applied_forces, model, wrt, **given)[0], CLOSE)
    if name != "slack cable":
        assert np.abs(K).max() > 0.0


@pytest.mark.indices
@pytest.mark.parametrize("name", NAMES)
def test_the_joint_force_is_that_of_the_wrenches_on_the_bodies(case, name):
    model, q, v = case
    forces = applied_forces(model, elements_on(model, name), q, v)
    close(forces.joint_force, body_jacobian_transpose_times(model, q, forces.wrenches))


@pytest.mark.parametrize("name", energetic())
def test_energy_is_lost_by_damping_alone(case, name):
    """dV/dt = - tau . v at rest of the dampers, and dampers take energy whatever the motion"""
    model, q, v = case
    elements = elements_on(model, name)
    rate = slope(applied_forces, model, v, elements=elements, q=q, v=v)[2]
    close(applied_forces(model, elements, q, 0 * v).joint_force @ v, -rate, CLOSE)
    assert applied_forces(model, elements, q, v).joint_force @ v <= -rate + CLOSE * max(1.0, abs(rate))


@pytest.mark.parametrize("name", energetic())
def test_action_is_reaction(name):
    """Elements between bodies change neither momentum nor angular momentum; the world takes the rest."""
    model = random_description(9, 4, kinds=("free",), branching=1.0).build()
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), rng.normal(size=model.nv)
    elements = elements_on(model, name)
    T = forward_kinematics(model, q)
    force, moment = np.zeros(3), np.zeros(3)
    for k, f in enumerate(applied_forces(model, elements, q, v).wrenches):
        R, p = T[k, :3, :3], T[k, :3, 3]
        force += R @ f[3:]
        moment += R @ f[:3] + np.cross(p, R @ f[3:])
    if name in ("spring", "torsion damper", "cable"):  # they hang on the world
        assert np.abs(force).max() + np.abs(moment).max() > 1e-3
    else:
        close(force, np.zeros(3))
        close(moment, np.zeros(3))


# ------------------------------------------------------------------------------------------------------------ closed forms


def pendulum(kind="revolute", **options):
    builder = ModelBuilder(gravity=(0, 0, 0))
    builder.add_body("rod", 1.0, (0, 0, -1), (1, 1, 1))
    axis = {} if kind in ("spherical", "free", "exponential") else {"axis": (0, -1, 0)}
    builder.add_joint("hinge", kind, "world", "rod", **axis, **options)
    builder.add_frame("tip", "rod", (0, 0, -2.0))
    return builder.build()


def test_a_spring_on_a_pendulum_is_that_of_the_law_of_cosines():
    """l^2 = a^2 + b^2 - 2 a b cos q; T = k (l - l0); tau = - T dl/dq; K = T d2l/dq2 + k (dl/dq)^2"""
    a, b, k, l0, d = 2.0, 3.0, 7.0, 1.0, 0.4
    spring = PointSpring(("world", (0, 0, -b)), "tip", stiffness=k, rest_length=l0, damping=d)
    for q, v in ((0.3, 1.5), (-2.0, -0.4)):
        length = np.sqrt(a**2 + b**2 - 2 * a * b * np.cos(q))
        g = a * b * np.sin(q) / length
        h = a * b * np.cos(q) / length - g**2 / length
        forces = applied_forces(pendulum(), spring, [q], [v])
        tension = k * (length - l0) + d * g * v
        close(forces.joint_force, [-tension * g])
        close(forces.energy, 0.5 * k * (length - l0) ** 2)
        K, D = applied_stiffness(pendulum(), spring, [q], [v])
        close(K, [[tension * h + g * (k * g + d * h * v)]])
        close(D, [[d * g**2]])


def test_a_dead_load_rights_a_pendulum_and_a_following_one_turns_it():
    dead = PointWrench("tip", [0, 0, 0, 0, 0, -5.0])
    follower = PointWrench("tip", [0, 0, 0, 5.0, 0, 0], axes="body")
    for q in (0.0, 0.3, 2.5):
        close(applied_forces(pendulum(), dead, [q], [0.0]).joint_force, [-10.0 * np.sin(q)])
        close(applied_stiffness(pendulum(), dead, [q], [0.0]).K, [[10.0 * np.cos(q)]])
        close(applied_forces(pendulum(), follower, [q], [0.0]).joint_force, [10.0])
        close(applied_stiffness(pendulum(), follower, [q], [0.0]).K, [[0.0]])


def test_a_following_load_on_two_rods_has_a_stiffness_that_is_not_symmetric():
    """Beck's column of two pieces of length l under P along the second: tau = (- P l sin q2, 0)"""
    builder = ModelBuilder(gravity=(0, 0, 0))
    for k, parent in enumerate(("world", "b0")):
        builder.add_body(f"b{k}", 1.0, (1, 0, 0), (1, 1, 1))
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 0, 1), position=(2.0 * k, 0, 0))
    model, P, q2 = builder.build(), 3.0, 0.4
    load = PointWrench("b1", [0, 0, 0, -P, 0, 0], (2.0, 0, 0), axes="body")
    close(applied_forces(model, load, [0.7, q2], [0, 0]).joint_force, [-P * 2.0 * np.sin(q2), 0.0])
    close(applied_stiffness(model, load, [0.7, q2], [0, 0]).K, [[0.0, 2.0 * P * np.cos(q2)], [0.0, 0.0]])


def test_a_cable_over_a_pulley_balances_two_weights_and_becomes_slack():
    """Two weights on slides, the cable up over a point of the world: l = (h - q1) + (h - q2)"""
    builder = ModelBuilder()
    for k in range(2):
        builder.add_body(f"b{k}", 2.0)
        builder.add_joint(f"j{k}", "prismatic", "world", f"b{k}", axis=(0, 0, 1), position=(0.0, 0.0, -5.0 - k))
    model = builder.build()
    stretch = 2.0 * 9.81 / 100.0
    cable = Cable(["b0", "world", "b1"], stiffness=100.0, rest_length=11.0 - stretch, damping=2.0)
    forces = applied_forces(model, cable, [0, 0], [0, 0])
    close(forces.joint_force, [19.62, 19.62])
    close(aba(model, [0, 0], [0, 0], forces.joint_force), [0, 0])
    close(aba(model, [0, 0], [0, 0], [0, 0], forces.wrenches), [0, 0])
    K, D = applied_stiffness(model, cable, [0, 0], [0, 0])
    close(K, np.full((2, 2), 100.0))
    close(D, np.full((2, 2), 2.0))
    for q, v in (([0.2, 0.0], [0.0, 0.0]), ([0.1, 0.0], [50.0, 0.0])):  # too short, and shortening too fast: no push
        slack = applied_forces(model, cable, q, v)
        assert not slack.joint_force.any()
        assert not any(part.any() for part in applied_stiffness(model, cable, q, v))
    assert slack.energy > 0.0


@pytest.mark.parametrize("kind", ["revolute", "spherical", "exponential"])
def test_a_torsion_spring_is_a_joints_own_spring(kind):
    """A spring of equal stiffness in all directions: 1/2 k angle^2 is its energy, whatever the joint's coordinates."""
    model = pendulum(kind, stiffness=3.0)
    q = random_configuration(model, 5)
    rest = np.zeros(model.nv)
    forces = applied_forces(model, TorsionSpring("world", "rod", 3.0), q, rest)
    close(forces.joint_force, -passive_force(model, q, rest))
    angle = np.arccos((np.trace(forward_kinematics(model, q)[0, :3, :3]) - 1.0) / 2.0)
    close(forces.energy, 1.5 * angle**2)


def test_a_spring_of_no_length_has_a_force_where_its_ends_meet():
    spring = PointSpring(("world", (0, 0, -2.0)), "tip", stiffness=4.0)
    close(applied_forces(pendulum(), spring, [0.0], [0.0]).joint_force, [0.0])
    close(applied_stiffness(pendulum(), spring, [0.0], [0.0]).K, [[16.0]])


# ------------------------------------------------------------------------------------------------------------------- peers


def test_springs_and_cables_are_mujocos_tendons():
    """Tendons go over sites; one with a range of lengths without force is a cable.

    The forces of MuJoCo's joints are taken off.
    """
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")
    from tests.articulated.algorithms.test_mujoco import random_pair

    seen = set()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model, spec, places = *random_pair(seed, compile=False), {}
        for k in range(9):
            places[f"b{k}"] = rng.normal(size=3)
            spec.body(f"b{k}").add_site(name=f"s{k}", pos=places[f"b{k}"])
        elements = []
        for number, (via, stiffness, rest, damping) in enumerate(
            [((0, 8), 3.0, 0.5, 0.7), ((2, 5), 0.0, 0.5, 1.3), ((1, 4, 7, 3), 5.0, 0.8, 0.0), ((6, 2), 5.0, 50.0, 0.0)]
        ):
            tendon = spec.add_tendon(name=f"t{number}")
            only_pulls = damping == 0.0
            tendon.stiffness[0], tendon.damping[0] = stiffness, damping
            tendon.springlength = [0.0 if only_pulls else rest, rest]
            for k in via:
                tendon.wrap_site(f"s{k}")
            ends = [(f"b{k}", places[f"b{k}"]) for k in via]
            elements.append(
                Cable(ends, stiffness, rest) if only_pulls else PointSpring(*ends, stiffness, rest, damping)
            )
        theirs = spec.compile()
        data = mujoco.MjData(theirs)
        order = [model.v_slice(theirs.joint(k).name) for k in range(theirs.njnt)]
        v_order = np.concatenate([np.arange(s.start, s.stop) for s in order])
        order = [model.q_slice(theirs.joint(k).name) for k in range(theirs.njnt)]
        q_order = np.concatenate([np.arange(s.start, s.stop) for s in order])
        q, v = random_configuration(model, rng), rng.normal(size=model.nv)
        data.qpos, data.qvel = q[q_order], v[v_order]
        mujoco.mj_forward(theirs, data)
        forces = applied_forces(model, elements, q, v)
        close((forces.joint_force - passive_force(model, q, v))[v_order], data.qfrc_passive)
        seen.add(float(np.abs(applied_forces(model, elements[3], q, v).joint_force).max()))
    assert seen == {0.0}


def test_wrenches_are_pinocchios_transposed_frame_jacobians():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    from pluecker.articulated.conventions import to_pinocchio_q, velocity_map_to_pinocchio

    try:
        path = str(example_robots()["panda/panda"])
    except MissingExtraError:
        pytest.skip("example-robot-data is not installed (extra peers)")
    model = Model.from_urdf(path, floating_base=True)
    theirs = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    data, G = theirs.createData(), velocity_map_to_pinocchio(model, theirs)
    rng = np.random.default_rng(4)
    q, frame = (
        random_configuration(model, rng),
        "panda_hand_tcp" if "panda_hand_tcp" in model.frame_names else "panda_hand",
    )
    for axes, theirs_axes in (("body", pin.LOCAL), ("aligned", pin.LOCAL_WORLD_ALIGNED)):
        wrench = rng.normal(size=6)
        J = pin.computeFrameJacobian(
            theirs, data, to_pinocchio_q(model, theirs, q), theirs.getFrameId(frame), theirs_axes
        )
        expected = G.T @ J.T @ np.roll(wrench, 3)
        found = applied_forces(model, PointWrench(frame, wrench, axes=axes), q, np.zeros(model.nv))
        close(found.joint_force, expected)


# ---------------------------------------------------------------------------------------------------- how it may be called


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (applied_forces, lambda model: [(model.nv,), (model.n_bodies, 6), ()]),
        pytest.param(
            applied_stiffness,
            lambda model: [(model.nv, model.nv)] * 2,
            marks=[pytest.mark.everything, pytest.mark.indices],
        ),
    ],
)
def test_batches_threads_and_arrays_of_the_users_give_the_same(case, function, shapes):
    model, _, _ = case
    elements = elements_on(model, "all")
    rng = np.random.default_rng(0)
    q, v = random_configuration(model, rng, 11), rng.normal(size=(11, model.nv))
    together = function(model, elements, q, v)
    assert [part.shape for part in together] == [(11, *shape) for shape in shapes(model)]
    for k in (0, 10):
        for found, expected in zip(together, function(model, elements, q[k], v[k]), strict=True):
            close(found[k], expected, 1e-12)
    out = tuple(np.empty_like(part) for part in together)
    again = function(model, elements, q, v, out=out, threads=2)
    for array, expected, written in zip(again, together, out, strict=True):
        assert array is written
        np.testing.assert_array_equal(array, expected)


def test_no_elements_do_nothing(case):
    model, q, v = case
    forces = applied_forces(model, [], q, v)
    assert not forces.joint_force.any()
    assert not forces.wrenches.any()
    assert forces.energy == 0.0
    assert not any(part.any() for part in applied_stiffness(model, (), q, v))


def test_equal_elements_are_known_again():
    springs = [PointSpring("rod", ("world", np.array([0, 0, -1.0])), 3, rest_length=np.float64(1)) for _ in range(2)]
    assert springs[0] == springs[1]
    assert hash(springs[0]) == hash(springs[1])
    wrench = PointWrench("rod", [0, 0, 0, -0.0, 0, 1])
    assert wrench == PointWrench("rod", (0, 0, 0, 0, 0, 1.0), np.zeros(3))


@pytest.mark.parametrize("rotation", [None, [0.6, 0.0, 0.8, 0.0], [[0, -1, 0], [1, 0, 0], [0, 0, 1]]])
def test_what_an_element_shows_can_be_given_again(rotation):
    """This is what ``dataclasses.replace`` needs."""
    spring = TorsionSpring("rod", "world", 2.0, rest_rotation=rotation)
    damped = dataclasses.replace(spring, damping=1.0)
    assert damped.damping == 1.0
    np.testing.assert_allclose(damped.rest_rotation, spring.rest_rotation, rtol=0, atol=1e-15)
    for element in (
        PointWrench("tip", np.ones(6)),
        PointSpring("rod", ("tip", [1, 2, 3]), 1),
        Cable(["rod", "tip"], 1, 1),
    ):
        assert dataclasses.replace(element) == element


def test_the_world_may_have_another_name():
    builder = ModelBuilder(world="ground")
    builder.add_body("world", 1.0, (0, 0, -1), (1, 1, 1))
    builder.add_joint("slide", "prismatic", "ground", "world", axis=(1, 0, 0))
    model = builder.build()
    spring = PointSpring("ground", "world", 2.0, rest_length=1.0)
    close(applied_forces(model, spring, [3.0], [0.0]).joint_force, [-4.0])


REFUSED = {
    "the name": (lambda: PointWrench(3, np.zeros(6)), TypeError, r"PointWrench: frame is 3, expected the name of a frame"),
    "five": (lambda: PointWrench("rod", np.zeros(5)), ValueError, r"PointWrench: wrench has shape \(5,\), expected \(6,\)"),
    "nan": (lambda: PointWrench("rod", [np.nan] * 6), ValueError, r"PointWrench: wrench is .*, expected six finite numbers"),
    "axes": (
        lambda: PointWrench("rod", np.zeros(6), axes="world"), ValueError,
        r"PointWrench: axes is 'world', expected 'body' or 'aligned'",
    ),
    "no axes": (lambda: PointWrench("rod", np.zeros(6), axes=1), TypeError, r"PointWrench: axes is a int"),
    "point": (
        lambda: PointSpring("rod", ("rod", [1, 2]), 1.0), ValueError,
        r"PointSpring: the point of second has shape \(2,\), expected three numbers",
    ),
    "end": (lambda: PointSpring("rod", None, 1.0), TypeError, r"PointSpring: second is None, expected the name of a frame"),
    "stiffness": (
        lambda: PointSpring("rod", "world", -1.0), ValueError, r"PointSpring: stiffness is -1, expected no negative number"
    ),
    "damping": (lambda: TorsionSpring("rod", "world", 1.0, -2.0), ValueError, r"TorsionSpring: damping is -2, expected no"),
    "infinite": (lambda: PointSpring("rod", "world", np.inf), ValueError, r"PointSpring: stiffness is inf, expected a"),
    "rotation": (
        lambda: TorsionSpring("rod", "world", 1.0, rest_rotation=np.zeros((3, 3))), ValueError,
        r"TorsionSpring: rest_rotation: rotation is no rotation matrix",
    ),
    "one point": (lambda: Cable(["rod"], 1.0, 1.0), ValueError, r"Cable: via has 1 points, expected at least two"),
    "no points": (lambda: Cable("rod", 1.0, 1.0), TypeError, r"Cable: via is 'rod', expected points of frames"),
    "no length": (lambda: Cable(["rod", "tip"], 1.0, 0.0), ValueError, r"Cable: rest_length is 0, expected a"),
    "no axis": (lambda: Cable(np.array("rod"), 1.0, 1.0), TypeError, r"Cable: via is .*, expected points of frames"),
    "twice": (
        lambda: Cable(["rod", "tip", "tip"], 1.0, 1.0), ValueError, r"Cable: via\[1\] and via\[2\] are the same point"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_element_that_cannot_be_is_refused(name):
    make, error, message = REFUSED[name]
    with pytest.raises(error, match=f"^{message}"):
        make()


@pytest.mark.parametrize("function", [applied_forces, pytest.param(applied_stiffness, marks=pytest.mark.plain)])
def test_what_does_not_fit_the_model_is_refused_by_name(function):
    model, name, state = pendulum(), function.__name__, ([0.0], [0.0])
    wrench = PointWrench("rod", np.ones(6))
    with pytest.raises(KeyError, match=rf"{name}: element 1 \(TorsionSpring\): no frame 'arm'; there are 'rod', 'tip'"):
        function(model, [wrench, TorsionSpring("rod", "arm", 1.0)], *state)
    with pytest.raises(TypeError, match=rf"{name}: element 1 is a str, expected one of PointWrench, PointSpring"):
        function(model, [wrench, "spring"], *state)
    with pytest.raises(TypeError, match=rf"{name}: elements is a int, expected records"):
        function(model, 3, *state)
    with pytest.raises(
        ValueError, match=rf"{name}: element 0 \(PointSpring\): points 0 and 1 are the same point of one body"
    ):
        function(model, PointSpring(("rod", (0, 0, -2.0)), "tip", 1.0, damping=1.0), *state)
    touching = Cable([("world", (0, 0, -2.0)), "tip", ("world", (1, 0, 0))], 1.0, 1.0)
    message = rf"{name}: element 1: two of its points coincide, so that the line between them has no direction"
    for _ in range(2):
        with pytest.raises(ValueError, match=f"{message}$"):
            function(model, [wrench, touching], *state)
    with pytest.raises(ValueError, match=f"{message} in state 1 of the batch$"):
        function(model, [wrench, touching], [[1.0], [0.0]], state[1])
    with pytest.raises(ValueError, match=rf"{name}: v has shape \(2,\)"):
        function(model, wrench, [0.0], [0.0, 0.0])
    with pytest.raises(TypeError, match=rf"{name}: model must be"):
        function(None, wrench, *state)
    with pytest.raises(ValueError, match=rf"{name}: the result overflows float64"):
        function(model, PointSpring(("world", (1e200, 0, 0)), "tip", 1e200, rest_length=1.0), *state)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_other_elements_compile_nothing_anew():
    model, zero = pendulum(), np.zeros(1)
    elements = PointSpring("rod", ("world", (1, 0, 0)), 1.0), TorsionSpring("rod", "world", 1.0)
    applied_forces(model, elements[0], zero, zero)
    with event.install_recorder("numba:compile") as recorder:
        for _ in range(2):
            applied_forces(model, elements[1], zero, zero)
    assert not recorder.buffer
