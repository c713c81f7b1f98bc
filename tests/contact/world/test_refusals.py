"""Worlds that cannot be, states and memories that do not fit: one error by name, and nothing is changed."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    PointSpring,
    SimulationError,
    SimulationWarning,
    applied_forces,
    random_configuration,
)
from pluecker.contact import ClosureError, ConstraintError, World
from pluecker.contact import constraints as c
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere
from pluecker.contact.world.failures import explanation
from pluecker.spatial import PlueckerError
from tests.contact.world.mechanisms import four_bars
from tests.models import one_body

pytestmark = pytest.mark.plain


def arm(mass=1.0, inertia=(0.1, 0.1, 0.1)):
    """Two links of 1 m, the second of which may have another mass."""
    builder = ModelBuilder(gravity=(0, -9.81, 0))
    builder.add_body("upper", mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    builder.add_body("lower", mass=mass, inertia=inertia)
    builder.add_joint("shoulder", "revolute", parent="world", child="upper", axis=(0, 0, 1))
    builder.add_joint("elbow", "revolute", parent="upper", child="lower", axis=(0, 0, 1), position=(1.0, 0, 0))
    return builder.build()


ARM = arm()
TIP = c.Frame("lower", (1.0, 0, 0))
REST = np.zeros(2)


def nail(x, y=0.0, name="nail"):
    """Constrain the tip to a place in the world."""
    return c.Ball(name, ("world", (x, y, 0)), TIP)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: World(ARM, [c.Ball("x", "world", "hand")]), KeyError, "World: .*'x'.*no frame 'hand'"),
        (lambda: World(ARM, [nail(2.0), nail(2.0)]), ValueError, "constraint 1 is called 'nail', as another one is"),
        (lambda: World(ARM, [nail(2.0, name="joints")]), ValueError, "is called 'joints'"),
        (lambda: World(ARM, 3), TypeError, "constraints is a int, expected records"),
        (lambda: World(ARM, ["nail"]), TypeError, "constraint 0 is a str, expected a constraint"),
        (lambda: World("arm"), TypeError, "World"),
        (lambda: World(arm(0.0, (0.0, 0.0, 0.0))).maximal(), ValueError, "'lower'"),
        (lambda: arm(np.inf), ValueError, "'lower'.*inf"),
        (lambda: World(ARM).close(REST, fixed=["wrist"]), KeyError, "World.close: fixed: .*'wrist'"),
        (lambda: World(ARM).close(REST, tol=0.0), ValueError, "tol is 0, expected a number above 0"),
        (lambda: World(ARM).maximal([np.inf, 0.0]), ValueError, "reference has entries that are not finite"),
        (lambda: World(ARM)["nail"], KeyError, "no constraint 'nail'; there are joints"),
        (lambda: World(ARM, [nail(2.0)])["nail"].forces("abc"), TypeError, "constraint 'nail': forces"),
        (lambda: World(ARM).inverse_dynamics(REST, REST, REST, actuated=3), TypeError, "actuated is 3"),
        (lambda: World(ARM).inverse_dynamics(REST, REST, REST, actuated="wrist"), KeyError, "'wrist'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make, error, message):
    with pytest.raises(error, match=message) as caught:
        make()
    assert isinstance(caught.value, PlueckerError)


def test_a_loop_that_cannot_close_has_the_best_that_was_found():
    """Links of 1 m do not reach 3 m: the nearest tip is 1 m away."""
    world, q = World(ARM, [nail(3.0)]), np.array([0.3, -0.2])
    before = q.tobytes()
    with pytest.raises(ClosureError, match="nail") as caught:
        world.close(q)
    assert q.tobytes() == before
    np.testing.assert_allclose(caught.value.residual, 1.0, atol=1e-3)
    assert caught.value.constraint == "nail"
    assert np.isfinite(caught.value.q).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_function_that_returns_no_number_is_named(value):
    world = World(ARM, [c.UserFunction("broken", lambda q: value)])
    q, v = np.array([0.1, 0.2]), np.array([1.0, -1.0])
    before = q.tobytes(), v.tobytes()
    for act in (
        lambda: world.rows_at(q, v),
        lambda: world.accelerations(q, v, REST),
        lambda: world.impact(q, v),
        lambda: world.step(q, v, 1e-3),
        lambda: world.close(q, v),
    ):
        with pytest.raises(PlueckerError, match="broken"):
            act()
    assert (q.tobytes(), v.tobytes()) == before


def test_a_memory_fits_its_world_and_its_state():
    world, q, v = four_bars(1)
    limited = World(world.model, [*world.constraints, c.Limit("stop", c.Angle("world", "post0"), -4.0, 4.0)])
    first = limited.step(q, v, 1e-3)
    memory = first.memory
    turned = first.q.copy()
    turned[limited.model.v_slice("post0")] += 0.5
    before = turned.tobytes(), first.v.tobytes(), memory.turns.tobytes(), memory.impulses.tobytes()
    for other, state, given, message in (
        (world, first.q, memory, "of another world"),
        (limited, turned, memory, "the angle of 'stop'"),
        (limited, first.q, replace(memory, impulses=memory.impulses[1:]), "impulses"),
        (limited, first.q, replace(memory, impulses=np.nan * memory.impulses), "not finite"),
        (limited, first.q, replace(memory, time=-1.0), "below zero"),
        (limited, first.q, {"turns": 0}, "expected a WorldMemory"),
    ):
        with pytest.raises(PlueckerError, match=message):
            other.step(state, first.v, 1e-3, memory=given)
    assert (turned.tobytes(), first.v.tobytes(), memory.turns.tobytes(), memory.impulses.tobytes()) == before
    limited.step(first.q, first.v, 1e-3, memory=memory)


def test_constraints_that_contradict_each_other_are_named_with_the_time():
    """The tip of the arm cannot be on two nails."""
    q, v = np.array([0.3, 0.4]), np.zeros(2)
    before = q.tobytes(), v.tobytes()
    world = World(ARM, [nail(1.0), nail(1.5, name="other")])
    with pytest.raises(SimulationError, match=r"beyond t = 0 s: the constraints 'nail', 'other' .*contradict.* leaves"):
        world.simulate(q, v, 0.01, 1e-3, on_open="close")
    assert (q.tobytes(), v.tobytes()) == before


def test_gears_that_have_turned_farther_than_angles_tell_are_refused_without_a_memory():
    """Angles begin in (-pi, pi] without a memory: wheels in mesh at 2.5 and -3.75 rad would be turned back by a step."""
    builder = ModelBuilder()
    for name, x in (("a", 0.0), ("b", 1.0)):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(name, "revolute", parent="world", child=name, axis=(0, 0, 1), position=(x, 0, 0))
    model = builder.build()
    wheels = c.Gear.at("mesh", model, [0.0, 0.0], "a", "b", (0, 0, 0), (1, 0, 0), first_radius=0.6, second_radius=0.4)
    world = World(model, [wheels])
    with pytest.raises(ConstraintError, match="'mesh' begins with a gap of more than half a turn"):
        world.step([2.5, -3.75], [0.0, 0.0], 0.01)
    now = world.step([0.6, -0.9], [100.0, -150.0], 0.01)
    later = world.step(now.q, now.v, 0.01, memory=now.memory)  # 2.6 and -3.9 rad by now
    np.testing.assert_allclose(later.q, [2.6, -3.9], atol=1e-9)


def eccentric_gears():
    """Two wheels in mesh as free bodies on hinges, with their centers of mass 0.3 m beside the axes."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for name in ("a", "b"):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.2, 0.25), center_of_mass=(0.3, 0, 0))
        builder.add_joint(name, "free", parent="world", child=name)
    model, places, Z = builder.build(), ((0, 0, 0), (0.5, 0, 0)), (0, 0, 1)
    q = np.array([0.0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 1, 0, 0, 0])
    axles = [c.Hinge.at(f"axle {n}", model, q, "world", n, x, Z) for n, x in zip("ab", places, strict=True)]
    mesh = c.Gear.at("mesh", model, q, "a", "b", *places, first_radius=0.2, second_radius=0.3)
    return World(model, [*axles, mesh]), q


def test_gears_that_turn_too_far_in_a_step_are_named_with_the_time_and_what_is_left():
    """1.5 rad a step: what holds them is along directions that have turned away by the end of the step."""
    world, q = eccentric_gears()
    v = world.impact(q, 150.0 * np.eye(12)[2]).velocity
    message = (
        r"World.simulate: .*beyond t = 0 s: the constraints .*'axle a'.* turn too far .* leaves \S+ m or rad of them"
    )
    with pytest.raises(SimulationError, match=message):
        world.simulate(q, v, 0.05, 0.01, on_unsolved="raise")
    world.simulate(q, v, 0.004, 0.0005)


@pytest.mark.parametrize("through", ["shoulder", "elbow"])
def test_a_motion_that_drives_into_a_limit_is_named_with_it(through):
    """The shoulder reaches 0.5 rad after 0.15 s at 10/3 rad/s, on the joint itself or through a coupling."""
    path = c.Spline([0.0, 0.3], [0.0, 1.0], 10 / 3, 10 / 3)
    parts = [c.PrescribedMotion("drive", "shoulder", path), c.Limit("stop", through, -1.0, 0.5)]
    if through == "elbow":
        parts.append(c.Coupling("chain", {"shoulder": 1.0, "elbow": -1.0}))
    with pytest.raises(SimulationError, match=r"'drive'.*'stop'.* contradict .* of the velocities .* left") as caught:
        World(ARM, parts).simulate(REST, [10 / 3, 0.0], 0.3, 0.01)
    assert caught.value.time == pytest.approx(0.15)
    with pytest.warns(SimulationWarning, match="2 of 2 motions"):
        both = World(ARM, parts).simulate([REST] * 2, [10 / 3, 0.0], 0.3, 0.01)
    assert [str(caught.value).endswith(each.reason) for each in both.failures] == [True, True]


@pytest.mark.parametrize("name", [
    "rows_at", "accelerations", "impact", "inverse_dynamics", "momentum", "close", "determined", "step", "simulate",
    "maximal",
])  # fmt: skip
@pytest.mark.parametrize("value", [[0.0], np.full(2, np.nan), "x"], ids=["short", "nan", "text"])
def test_messages_begin_with_the_function_that_was_called(name, value):
    world = World(ARM, [nail(1.5)])
    more = {"accelerations": (REST,), "inverse_dynamics": (REST,), "step": (0.01,), "simulate": (0.01, 0.01)}
    state = (value,) if name in ("determined", "maximal") else (value, REST, *more.get(name, ()))
    with pytest.raises(PlueckerError, match=rf"^World\.{name}: (?!\w+:)"):
        getattr(world, name)(*state)
    if name not in ("determined", "maximal"):
        with pytest.raises(PlueckerError, match=rf"^World\.{name}: (?!\w+:)"):
            getattr(world, name)(REST, value, *more.get(name, ()))


def test_what_is_wrong_with_a_motion_is_said_of_the_function_that_was_called():
    world = World(ARM, [nail(1.5)])
    for arguments in ({"integrator": "x"}, {"memory": 3}, {"record": "x"}, {"every": 0}, {"tol": 0.0}, {"f_ext": "x"}):
        with pytest.raises(PlueckerError, match=r"^World\.simulate: (?!\w+:)"):
            world.simulate(REST, REST, 0.01, 0.01, **arguments)
    with pytest.raises(SimulationError, match=r"^World\.simulate: the motion") as caught:
        World(ARM, [nail(1.0), nail(1.5, name="other")]).simulate([0.3, 0.4], REST, 0.01, 1e-3, on_open="close")
    assert caught.value.time == 0.0
    assert len(caught.value.trajectory) == 1


def test_laws_that_are_not_met_are_named():
    """The rows that hold do not contradict each other: named are drives and limits that act in the step, and no others."""
    parts = [
        c.Friction("brake", "shoulder", 2.0),
        c.Limit("stop", "elbow", -1.0, 0.5),
        c.Limit("far", "elbow", -3.0, 3.0),
    ]
    why = explanation(World(ARM, parts), np.array([0.0, 0.499]), np.array([0.0, 1.0]), np.zeros(2), 7.0, 0.0, 0.01)
    assert why is not None
    assert why.startswith("the laws of 'brake', 'stop' are not met, with an error 7 times what is tolerated")
    assert explanation(World(ARM, parts[1:]), REST, REST, np.zeros(2), 7.0, 0.0, 0.01) is None


def rails(light, heavy):
    """Two bodies on one line, the second on the first, held by a rod; with these masses, each off its joint by 0.1 m."""
    builder = ModelBuilder()
    for k, mass in enumerate((light, heavy)):
        builder.add_body(f"b{k}", mass=mass, center_of_mass=(0, 0, 0.1), inertia=(mass, mass, mass))
        builder.add_joint(f"j{k}", "prismatic", f"b{k - 1}" if k else "world", f"b{k}", axis=(1, 0, 0))
    return World(builder.build(), [c.Rod("rod", "b1", ("world", (0, 0, 1.0)), length=2.0)])


def test_matrices_without_factors_are_refused_by_name():
    """A body of 1e-30 kg has no digit beside 1e30 kg: rounding leaves no positive matrix of the masses."""
    with pytest.raises(ConstraintError, match=r"World\.determined: .*no factors"):
        rails(1e-30, 1e30).determined([0.5, 0.5])


def test_bodies_whose_moments_squared_overflow_can_be_free():
    assert rails(1e300, 1e300).maximal().world.model.n_bodies == 2


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4", "dormand_prince", "bdf2", "variational", "redmax"])
def test_a_start_whose_loops_are_open_is_refused_by_every_integrator(integrator):
    """Small drift, and a start that is to be closed by name, are not refused."""
    world, options = World(ARM, [nail(1.0)]), {"integrator": integrator}
    said = r"World.simulate: the motion begins with 'nail' open by 1 m or rad, .*World.close\(q\).*on_open='close'"
    with pytest.raises(ConstraintError, match=said):
        world.simulate(REST, REST, 0.01, 0.01, **options)
    with pytest.raises(ConstraintError, match=r"begins in state 1 of the batch with 'nail' open"):
        world.simulate([world.close([0.9, -2.0]).configuration, REST], REST, 0.01, 0.01, **options)
    near = world.close([0.9, -2.0]).configuration + 1e-4
    assert 1e-5 < world.errors_at(near).bilateral < 1e-3
    assert world.errors_at(world.simulate(near, REST, 0.01, 0.01, **options).q[-1]).bilateral < 1e-9
    with pytest.raises(ValueError, match="on_open is 'leave', expected 'raise' or 'close'"):
        world.simulate(near, REST, 0.01, 0.01, on_open="leave", **options)


def test_a_start_that_is_not_finite_is_refused_as_such():
    for call in (World(ARM).step, lambda q, v, h: World(ARM).simulate(q, v, h, h)):
        with pytest.raises(ValueError, match=r"^World\.(step|simulate): .*q.*inf"):
            call([np.inf, 0.0], REST, 0.01)


def test_what_to_do_about_open_starts_is_a_word_also_where_a_motion_goes_on():
    world = World(ARM)
    memory = world.step(REST, REST, 0.01).memory
    with pytest.raises(ValueError, match="on_open is 'leave', expected 'raise' or 'close'"):
        world.step(REST, REST, 0.01, on_open="leave", memory=memory)


def test_an_exception_of_one_call_explains_no_other():
    """A function that failed at an instant, and then a spin that no step follows."""
    fails = [True]

    def height(q):
        if fails[0]:
            raise ValueError("not yet")
        return q[2]

    model = one_body("nut", "free", 0.1, inertia=(0.0011, 0.002, 0.003), joint="free")
    world, q, still = World(model, [c.UserFunction("height", height)]), [0, 0, 0, 1, 0, 0, 0], np.zeros(6)
    with pytest.raises(ConstraintError, match="not yet"):
        world.accelerations(q, still, still)
    fails[0] = False
    with pytest.raises(SimulationError, match="its numbers overflow") as caught:
        world.simulate(q, [1.0, 1e7, 2.0, 0.0, 0.0, 0.0], 0.01, 0.01)
    assert "not yet" not in str(caught.value)


def test_an_open_start_is_closed_by_the_first_step_where_it_is_asked_for():
    world, open_start = World(ARM, [nail(1.0)]), np.array([0.9, -2.0])
    assert world.errors_at(open_start).bilateral > 0.1
    with pytest.raises(ConstraintError, match=r"World\.step: the motion begins with 'nail' open"):
        world.step(open_start, REST, 1e-3)
    closed = world.step(open_start, REST, 1e-3, on_open="close")
    assert world.errors_at(closed.q).bilateral < 1e-9
    np.testing.assert_allclose(closed.v, 0.0, atol=0.1)


def test_errors_of_rows_that_hold_of_limits_and_of_contacts_stand_apart():
    stop, ground = c.Limit("stop", "elbow", lower=-0.5, upper=0.5), c.PointContact("ground", "world", TIP)
    world = World(ARM, [nail(2.0), stop, ground])
    inside = world.errors_at(REST)
    assert inside == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)
    batch = world.errors_at([[0.0, 0.2], [0.0, 0.75], [0.0, -0.75]])
    np.testing.assert_allclose(batch.limits, [0.0, 0.25, 0.25])
    np.testing.assert_allclose(batch.bilateral, np.sin([0.2, 0.75, 0.75]), rtol=1e-12)  # across; along it is less


def test_reactions_of_free_bodies_take_state_and_forces_of_one_world():
    world = World(ARM, [nail(2.0)])
    twin = world.maximal()
    state = twin.state(REST, REST)
    own, other = twin.world.accelerations(*state, np.zeros(12)), world.accelerations(REST, REST, REST)
    assert twin.reactions(*state, own).shape == (2, 6)
    for q, v, found, said in (
        (REST, REST, own, r"q has shape \(2,\), expected \(..., 14\), of the maximal world"),
        (state[0], REST, own, r"v has shape \(2,\), expected \(..., 12\), of the maximal world"),
        (*state, other, r"accelerated.forces has shape \(3,\), expected \(..., 13\), of the maximal world"),
        (*state, 3, r"accelerated.forces has shape \(0,\), expected \(..., 13\)"),
    ):
        with pytest.raises(ValueError, match=f"Maximal.reactions: {said}"):
            twin.reactions(q, v, found)


@pytest.mark.parametrize("kinds", [("revolute", "prismatic"), ("cylindrical", "revolute"), ("free", "revolute")])
def test_constant_forces_of_joints_with_one_axis_are_constant_on_free_bodies(kinds):
    """Constant forces are an array, which compiled steps take; for a joint whose axes turn they depend on the state."""
    builder = ModelBuilder()
    for k, kind in enumerate((*kinds, "universal")):
        builder.add_body(f"b{k}", mass=1.0, center_of_mass=(0.1, 0.2, 0), inertia=(0.1, 0.1, 0.1))
        options = {"axis": (0.6, 0.8, 0), "position": (0.3, 0, 0.1)} if kind != "free" else {}
        options |= {"axis2": (0, 0, 1)} if kind == "universal" else {}
        builder.add_joint(f"b{k}", kind, f"b{k - 1}" if k else "world", f"b{k}", **options)
    model, rng = builder.build(), np.random.default_rng(2)
    twin, tau = World(model).maximal(), rng.standard_normal(model.nv)
    changing = twin.control(tau)
    tau[model.v_slice("b2")] = 0.0
    constant = twin.control(tau)
    for seed in range(3):
        q, v = random_configuration(model, seed), rng.standard_normal(model.nv)
        np.testing.assert_allclose(twin.forces(q, tau), constant, atol=1e-12)
        full = np.where(np.arange(model.nv) < model.v_slice("b2").start, tau, 0.7)
        np.testing.assert_allclose(twin.control(full)(0.0, *twin.state(q, v)), twin.forces(q, full), atol=1e-9)
    assert callable(changing)
    for wrong, said in (
        ([1.0], r"tau has shape \(1,\), expected \(\.\.\., "),
        (tau * np.nan, "expected finite numbers"),
    ):
        with pytest.raises(ValueError, match=f"Maximal.control: {said}|Maximal.control: tau .*{said}"):
            twin.control(wrong)


HINGED = c.Hinge("hinged", c.Frame("world", (2.0, 0, 0)), TIP)
KINDS = {
    "joints, loops, gears, prescribed motions": (
        [nail(2.0)],
        [HINGED],
        [c.Gear.at("mesh", ARM, REST, "upper", "lower", (0, 0, 0), (1, 0, 0), first_radius=0.5, second_radius=0.5)],
        [c.PrescribedMotion("path", "elbow", c.Spline([0.0, 1.0], [0.0, 0.1]))],
    ),
    "springs and dampers on coordinates, ways, lengths": (
        [c.Servo("servo", "elbow", 0.1, stiffness=3.0, damping=0.1)],
        [c.Rod("spring", ("world", (2.5, 1.0, 0)), TIP, 1.0, stiffness=3.0, damping=0.1)],
    ),
    "springs and dampers on angles that may turn around": (
        [HINGED, c.Servo("servo", HINGED.angle, 0.1, stiffness=3.0)],
    ),
    "soft limits and ropes without dampers": (
        [c.Limit("stop", "elbow", upper=-0.1, stiffness=5.0)],
        [c.Rope("rope", ("world", (2.5, 0, 0)), TIP, 0.3, stiffness=5.0)],
    ),
    "limits and ropes, hard ones or with dampers": (
        [c.Limit("stop", "elbow", upper=0.5)],
        [c.Rope("rope", ("world", (2.5, 0, 0)), TIP, 1.0)],
        [c.Limit("damped", "elbow", upper=0.5, stiffness=5.0, damping=0.1)],
    ),
    "dry friction": ([c.Friction("brake", "elbow", 1.0)],),
    "motors, position drives": (
        [c.Motor("motor", "elbow", speed=1.0, force=1.0)],
        [c.PositionDrive("drive", "elbow", 0.1, force=1.0)],
    ),
    "point contacts, shapes": ([c.PointContact("ground", "world", TIP, friction=0.5)],),
}
PAGE = Path(__file__).parents[3] / "docs" / "howto" / "close_a_loop.md"


BACKWARD, OTHERS = ("bdf1", "bdf2"), ("rk4", "dormand_prince", "variational", "linearly_implicit", "redmax")


def table_of_docstring():
    """Table of constraints and integrators, as ``World.simulate`` has it: semi-implicit, backward differences, others."""
    _, rows, _ = (part.split("\n", 1)[1] for part in re.split(r"\n +=+ (?= *=)", World.simulate.__doc__)[1:])
    return {line.strip().rsplit(None, 3)[0]: line.split()[-3:] for line in rows.strip("\n").splitlines()}


def table_of_page():
    """Read the table of constraints and integrators from the page."""
    head = "| constraints | semi_implicit | bdf1, bdf2 | other smooth |\n|---|---|---|---|\n"
    lines = PAGE.read_text().split(head)[1]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines.split("\n\n")[0].splitlines())
    return {kind: answers for kind, *answers in cells}


def test_both_tables_are_about_these_integrators():
    said, names = " ".join(World.simulate.__doc__.split()), [*BACKWARD, f"and {OTHERS[0]}", *OTHERS[1:-1]]
    assert f"Smooth integrators are {', '.join(names)} and {OTHERS[-1]};" in said
    page = " ".join(PAGE.read_text().split()).replace("`", "")
    assert f"Smooth ones are {', '.join(names)} and {OTHERS[-1]};" in page


def test_tables_of_what_goes_with_what_are_the_same():
    assert table_of_docstring() == table_of_page()
    assert list(table_of_page()) == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_each_cell_of_the_table_is_a_motion_or_a_refusal(kind):
    shapes = (Collider("ball", Sphere(0.1), "lower"), Collider("floor", HalfSpace(), ("world", (0, 0, -1))))
    worlds = [World(ARM, constraints) for constraints in KINDS[kind]]
    worlds += [World(ARM, shapes=shapes, pairs=[("ball", "floor")])] if "shapes" in kind else []
    answers = zip((("semi_implicit",), BACKWARD, OTHERS), table_of_docstring()[kind], strict=True)
    for integrator, answer in ((name, answer) for names, answer in answers for name in names):
        for world in worlds:
            if answer == "yes":
                motion = world.simulate(REST, REST, 1e-3, 1e-3, integrator=integrator)
                assert motion.v[-1].any()
                assert world.errors_at(motion.q[-1], time=1e-3).bilateral < 1e-9
            else:
                with pytest.raises(ConstraintError, match=f"{integrator} knows no .*; use semi_implicit"):
                    world.simulate(REST, REST, 1e-3, 1e-3, integrator=integrator)


@pytest.mark.parametrize("integrator", ["dop853", "euler", "euler_infinitesimal"])
def test_integrators_that_know_no_constraints_are_refused_with_those_that_do(integrator):
    with pytest.raises(ValueError, match=r"expected one of semi_implicit, rk4, dormand_prince, bdf1, .*redmax$"):
        World(ARM, [nail(2.0)]).simulate(REST, REST, 1e-3, 1e-3, integrator=integrator)


def test_a_step_that_is_not_solved_where_shapes_overlap_names_them_and_how_deep_they_are():
    builder = ModelBuilder()
    builder.add_body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("slide", "prismatic", "world", "block", axis=(1, 0, 0))
    box = Box((1.0, 1.0, 1.0))
    walls = [Collider("left", box, ("world", (-0.95, 0, 0))), Collider("right", box, ("world", (0.98, 0, 0)))]
    world = World(builder.build(), shapes=[*walls, Collider("sides", box, "block")])
    state = np.zeros(1), np.zeros(1), np.zeros(1)
    said = explanation(world, *state, error=3.0, time=0.0, step=1e-3)
    assert said is not None
    assert "its error is 3 times what is tolerated" in said
    assert "overlap as it begins, 'left' and 'sides' by 0.05 m, 'right' and 'sides' by 0.02 m: leave" in said
    apart = explanation(World(world.model, shapes=walls), *state, error=3.0, time=0.0, step=1e-3)
    assert apart is None
    pairs = World(world.model, shapes=world.found_contacts.collision.colliders, pairs=[("left", "sides")])
    said = explanation(pairs, *state, error=3.0, time=0.0, step=1e-3)
    assert said is not None
    assert "overlap as it begins, 'left' and 'sides' by 0.05 m: leave such pairs out of pairs, or" in said


# A hopper whose hip is called as what stands still is elsewhere: with a floating base it is no part of the world.
HOPPER = """<robot name="hopper">
<link name="world"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<link name="foot"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="knee" type="prismatic"><parent link="world"/><child link="foot"/><origin xyz="0 0 -0.3"/><axis xyz="0 0 1"/>
<limit lower="-0.05" upper="0.05" effort="9" velocity="9"/></joint></robot>"""
WAYS = {
    "point": lambda model, ground: World(model, [c.PointContact("p", ground, "foot", radius=0.1)]),
    "pairs": lambda model, ground: World(model, shapes=sole(ground), pairs=[("floor", "sole")]),
    "found": lambda model, ground: World(model, shapes=sole(ground)),
}


def sole(ground):
    """Make a floor, and a ball below the foot."""
    return Collider("floor", HalfSpace(), ground), Collider("sole", Sphere(0.1), "foot")


@pytest.mark.parametrize("way", WAYS)
def test_a_link_called_world_that_moves_is_not_taken_for_the_ground(way):
    model = Model.from_urdf(HOPPER, floating_base=True)
    with pytest.raises(ValueError, match=r"'world' is a link of model 'hopper' that moves.* is called 'world_'; name"):
        WAYS[way](model, "world")
    motion = WAYS[way](model, "world_").simulate([0, 0, 0.5, 1, 0, 0, 0, 0], np.zeros(7), 0.5, 1e-3)
    assert 0.345 < motion.q[-1, 2] < 0.455
    standing = Model.from_urdf(HOPPER)
    assert WAYS[way](standing, "world").model is standing  # where it is welded to the world both are the same place


def test_springs_too_are_not_tied_to_a_link_called_world_that_moves():
    model = Model.from_urdf(HOPPER, floating_base=True)
    state = [0, 0, 0.5, 1, 0, 0, 0, 0], np.zeros(7)
    with pytest.raises(ValueError, match=r"element 0 .*'world' is a link of model 'hopper' that moves"):
        applied_forces(model, PointSpring("world", "foot", stiffness=10.0), *state)
    pulled = applied_forces(model, PointSpring("world_", "foot", stiffness=10.0), *state)
    assert pulled.joint_force[5] == pytest.approx(-10.0 * 0.2)
