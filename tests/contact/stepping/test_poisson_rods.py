"""Poisson's restitution in steps, of bodies that are hit off their centres: a slanted rod against its closed form, energy.

The end of a rod hits the floor: its impulse turns the rod, and normal and tangent act on each other. In the plane, with
the mobility N of the contact and the velocity u before,

    compression    r = -N^-1 u where that is in the cone of friction, else (-+ mu, 1) r_n with u_n = 0 after it
    expansion      e r_n along the normal, and what keeps the end from slipping, -N_tn / N_tt of that, or +- mu
"""

from itertools import combinations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, kinetic_energy
from pluecker.contact import World
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import Box, Capsule, Collider, HalfSpace, ShapeContact, Sphere, Surface
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.found.worlds import inertia

H = 1e-6
MASS, HALF, THICK = 1.0, 0.5, 0.02
INERTIA = MASS * HALF**2 / 3.0
WAYS = ("points", "shapes", "found")


def rod(way, friction, restitution, impacts):
    """A rod along its z axis and the floor, without gravity."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_body("rod", mass=MASS, inertia=(INERTIA, INERTIA, 0.01 * INERTIA))
    builder.add_joint("free", "free", "world", "rod")
    model, surface = builder.build(), Surface(friction, restitution=restitution)
    shapes = Collider("floor", HalfSpace(), "world", surface), Collider("rod", Capsule(THICK, 2 * HALF), "rod", surface)
    if way == "found":
        return World(model, shapes=shapes, impacts=impacts, recovery=0.0, accuracy=1e-10)
    if way == "shapes":
        return World(model, [ShapeContact("touch", *shapes, impacts=impacts, recovery=0.0)])
    end = PointContact(
        "end", "world", ("rod", (0.0, 0.0, -HALF)), radius=THICK, friction=friction, restitution=restitution,
        impacts=impacts, recovery=0.0,
    )  # fmt: skip
    return World(model, [end])


def slanted(angle, speed, sideways=0.0):
    """Return q and v of a rod that falls at 1 m/s, one end touching the floor at an angle; and that end's axes and lever."""
    c, s, turn = np.cos(angle), np.sin(angle), 0.5 * np.pi - angle  # of z towards x
    q = np.array([0.0, 0.0, HALF * s + THICK, np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0])
    R = np.array([[s, 0.0, c], [0.0, 1.0, 0.0], [-c, 0.0, s]])
    v = np.concatenate([np.zeros(3), R.T @ [speed, sideways, -1.0]])
    return q, v, R, np.array([-HALF * c, -HALF * s - THICK])


def expected_impulse(N, u, friction, e):
    """Return the impulse of both phases, tangent and normal, by the closed form."""
    stick = -np.linalg.solve(N, u)
    if abs(stick[0]) <= friction * stick[1]:
        first, slip = stick, 0.0
    else:
        way = -np.sign(u[0]) * friction
        first = np.array([way, 1.0]) * -u[1] / (N[1, 1] + way * N[1, 0])
        slip = u[0] + N[0] @ first
    p = e * first[1]
    held = -(slip + N[0, 1] * p) / N[0, 0]
    return first + np.array([np.clip(held, -friction * p, friction * p), p])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("angle", "friction", "speed"),
    [
        (1.0, 0.1, 1.4),  # slides throughout
        (1.0, 5.0, 1.4),  # sticks in both phases
        (1.0, 0.35, 0.55),  # sticks as it is compressed, slips as it comes back
        (1.2, 0.3, -0.6),  # the other way
        (0.4, 0.2, 3.0),
    ],
)
def test_a_slanted_rod_comes_back_as_the_closed_form_says(way, angle, friction, speed):
    e = 0.7
    q, v, R, lever = slanted(angle, speed)
    turn = np.array([lever[1], -lever[0]])
    N = np.eye(2) / MASS + np.outer(turn, turn) / INERTIA
    r = expected_impulse(N, np.array([speed, -1.0]), friction, e)
    after = rod(way, friction, e, "poisson").step(q, v, H).v
    tolerance = 10 * H  # the rod turns by some H in the step
    np.testing.assert_allclose((R @ after[3:])[[0, 2]], np.array([speed, -1.0]) + r / MASS, atol=tolerance)
    np.testing.assert_allclose(after[:3], [0.0, turn @ r / INERTIA, 0.0], atol=tolerance)
    parts = (N @ r)[1] - 1.0
    assert parts > 0.0  # the closed form has no third phase


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("speed", [0.7, 1.4])
def test_where_newtons_law_gains_energy_with_friction_poissons_gains_none(way, speed):
    """With e = 1 and friction that holds the end: r = N^-1 (-u_t, 2), which gains r . (u+ + u-) / 2."""
    q, v, _, lever = slanted(1.0, speed)
    turn = np.array([lever[1], -lever[0]])
    N = np.eye(2) / MASS + np.outer(turn, turn) / INERTIA
    gain = -speed * (N[1, 1] * speed + 2.0 * N[0, 1]) / (2.0 * np.linalg.det(N))
    assert gain > 0.0
    before, found = None, {}
    for impacts in ("newton", "poisson"):
        world = rod(way, 5.0, 1.0, impacts)
        before = float(kinetic_energy(world.model, q, v))
        found[impacts] = float(kinetic_energy(world.model, q, world.step(q, v, H).v)) - before
    np.testing.assert_allclose(found["newton"], gain, atol=20 * H)
    assert found["poisson"] <= 1e-9


def thrown(seed, way, restitution):
    """Balls, rods and boxes without weight that are thrown at one another and at the floor: a world, q and v."""
    rng = np.random.default_rng(seed)
    surface = Surface(float(rng.choice([0.0, 0.2, 0.6, 1.5])), restitution=float(rng.uniform(*restitution)))
    builder, shapes = ModelBuilder(gravity=(0.0, 0.0, 0.0)), [Collider("floor", HalfSpace(), "world", surface)]
    q, v, top = [], [], 0.0
    for k in range(int(rng.integers(1, 5))):
        s, mass = float(rng.uniform(0.05, 0.3)), float(10.0 ** rng.uniform(-1, 1))
        one = (Sphere(s), Capsule(0.1 * s, 2.0 * s), Box(2.0 * s * rng.uniform(0.1, 1.0, 3)))[rng.integers(3)]
        builder.add_body(f"b{k}", mass=mass, inertia=inertia(one, mass))
        builder.add_joint(f"j{k}", "free", "world", f"b{k}")
        shapes.append(Collider(f"s{k}", one, f"b{k}", surface))
        turn = rng.standard_normal(4)
        q += [*rng.uniform(-0.1, 0.1, 2), top + one.radius_around + 0.01, *(turn / np.linalg.norm(turn))]
        v += [*(3.0 * rng.standard_normal(3)), *(rng.standard_normal(3) - [0.0, 0.0, 2.0])]
        top += 2.0 * one.radius_around + 0.02
    names = [each.name for each in shapes]
    options = {"accuracy": 1e-7} if way == "found" else {"pairs": list(combinations(names, 2))}
    return World(builder.build(), shapes=shapes, impacts="poisson", recovery=0.0, **options), np.array(q), np.array(v)


@pytest.mark.skipif(not COMPILED, reason="thousands of steps: compiled only")
@pytest.mark.parametrize(("way", "count"), [("named", 40 if EVERYTHING else 8), ("found", 8 if EVERYTHING else 2)])
def test_no_step_gains_energy_whatever_hits_what(way, count):
    """Impulses act on the velocity that a body has at the end of the step, turned on by what turns it within: that is of
    first order in the step, which is short here against a turn.
    """
    impacts = 0
    for seed in range(count):
        world, q, v = thrown(seed, way, (0.1, 1.0))
        motion = world.simulate(q, v, 0.3, 0.002, record=(), on_unsolved="continue")
        energy = kinetic_energy(world.model, motion.q, motion.v)
        assert np.diff(energy).max() <= 1e-9 * energy[0], seed
        impacts += int((np.diff(energy) < -1e-6 * energy[0]).sum())
    assert impacts > count
