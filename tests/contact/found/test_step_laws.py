"""Laws of steps whose contacts are found: closed forms of bodies that rest, slide, roll, bounce and are carried along."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import ConstraintError, World
from pluecker.contact.geometry import Box, Collider, Cylinder, Sphere, Surface
from tests.contact.found.worlds import UPRIGHT, G, bodies, floor, world_of

H = 0.01


def placed(*heights):
    """Configurations of bodies one above the other."""
    return np.concatenate([[0.0, 0.0, z, *UPRIGHT] for z in heights])


def test_a_cylinder_stands_on_its_base_and_its_forces_are_its_weight():
    world = world_of([Cylinder(radius=0.1, length=0.3)], masses=2.0)
    step = world.step(placed(0.15), np.zeros(6), H)
    np.testing.assert_allclose(step.v, 0.0, atol=1e-9)
    np.testing.assert_allclose(step.contacts.wrench("world", "b0")[3:], [0.0, 0.0, 2.0 * G], atol=1e-6)


def test_a_ball_bounces_to_the_share_e_of_its_speed_and_one_at_rest_does_not_hop():
    world = world_of([Sphere(0.1)], Surface(restitution=0.6))
    for height in (0.11, 0.099):  # above, less than it falls through in a step, and a little deep
        step = world.step(placed(height), [0, 0, 0, 0, 0, -2.0], H)
        np.testing.assert_allclose(step.v[5], 1.2, rtol=1e-9)
    assert abs(world.step(placed(0.1), np.zeros(6), H).v[5]) < 1e-12


def test_a_ball_at_fifty_metres_per_second_does_not_pass_through_a_sheet():
    world = world_of([Sphere(0.01)], masses=1.0)
    q = world.step(placed(0.4), [0, 0, 0, 0, 0, -50.0], H).q
    np.testing.assert_allclose(q[2], 0.01, atol=1e-9)


def test_a_ball_that_is_hit_does_not_pass_through_the_next_one():
    # the second is at rest, so that it alone would come nowhere in the step; the first one gives it speed
    world = world_of([Sphere(0.1)] * 3, Surface(friction=0.0), ground=floor(), masses=[100.0, 1.0, 1.0])
    q = np.concatenate([[x, 0.0, 1.0, *UPRIGHT] for x in (0.0, 0.2, 0.9)])
    v = np.zeros(18)
    v[3] = 100.0
    q1, v1, _ = world.step(q, v, H)
    assert q1[7] + 0.2 <= q1[14] + 1e-6 * 100.0 * H  # the accuracy of the law times the largest velocity
    assert v1[15] > 10.0


def test_a_belt_takes_a_box_along_and_then_carries_it():
    belt = Surface(friction=0.5, velocity=(1.0, 0.0, 0.0))
    world = world_of([Box((0.2, 0.2, 0.2))], Surface(friction=0.5), ground=floor(belt))
    motion = world.simulate(placed(0.1), np.zeros(6), 0.3, H)
    expected = np.minimum(0.5 * G * H * np.arange(31), 1.0)
    np.testing.assert_allclose(motion.v[:, 3], expected, atol=1e-7)


def test_rolling_and_spinning_friction_stop_a_ball_with_their_torques():
    mu_r, mu_s = 0.004, 0.002
    world = world_of(
        [Sphere(0.1)], Surface(friction=0.8, rolling_friction=mu_r, spinning_friction=mu_s), accuracy=1e-10
    )
    rolling = world.simulate(placed(0.1), [0.0, 10.0, 0.0, 1.0, 0.0, 0.0], 5 * H, H).v[-1]
    spinning = world.simulate(placed(0.1), [0.0, 0.0, 3.0, 0.0, 0.0, 0.0], 5 * H, H).v[-1]
    # about the point of contact: 7/5 m r^2 dw/dt = - mu_r m g; about the normal: 2/5 m r^2 dw/dt = - mu_s m g
    np.testing.assert_allclose(rolling[1], 10.0 - 5 * H * mu_r * G / (1.4 * 0.01), rtol=1e-7)
    np.testing.assert_allclose(spinning[2], 3.0 - 5 * H * mu_s * G / (0.4 * 0.01), rtol=1e-7)


def test_a_soft_floor_gives_way_by_the_weight_over_its_stiffness():
    k = 2e3
    world = world_of([Sphere(0.1)], Surface(stiffness=k, damping=150.0), ground=floor(Surface()), masses=3.0)
    q = world.simulate(placed(0.1), np.zeros(6), 0.6, H).q[-1]
    np.testing.assert_allclose(0.1 - q[2], 3.0 * G / k, rtol=1e-5)


def test_a_depth_is_undone_at_the_rate_of_recovery_and_adds_no_more_speed_than_that():
    world = world_of([Sphere(0.1)], recovery=5.0)
    step = world.step(placed(0.098), np.zeros(6), H)
    np.testing.assert_allclose(step.v[5], 5.0 * 0.002, rtol=1e-9)
    still = world_of([Sphere(0.1)], recovery=0.0).step(placed(0.098), np.zeros(6), H)
    np.testing.assert_allclose(still.v[5], 0.0, atol=1e-12)


@pytest.mark.parametrize("pairs", [None, [("floor", "s0")]])
@pytest.mark.parametrize(("limit", "speed"), [(1.0, 1.0), (0.2, 0.2), (np.inf, 3.0), (0.0, 0.0)])
def test_what_begins_deep_in_another_comes_out_no_faster_than_is_allowed(pairs, limit, speed):
    world = world_of([Sphere(0.5)], recovery=10.0, recovery_speed=limit, pairs=pairs)
    v = world.step(placed(0.2), np.zeros(6), H).v
    np.testing.assert_allclose(v[5], speed, rtol=1e-9, atol=1e-12)  # 0.3 m deep: else at 3 m/s


def test_what_begins_deep_in_another_comes_to_rest_on_it():
    world = world_of([Sphere(0.5)])
    motion = world.simulate(placed(0.2), np.zeros(6), 1.5, H)
    assert motion.q[:, 2].max() < 0.5 + 1e-6
    np.testing.assert_allclose(motion.q[-1, 2], 0.5, atol=1e-4)
    np.testing.assert_allclose(motion.v[:, 5].max(), 1.0, rtol=1e-6)


@pytest.mark.parametrize("law", ["ncp", "ccp"])
def test_the_convex_law_lifts_a_cube_that_slides_and_coulombs_does_not(law):
    mu, speed = 0.5, 3.0
    world = world_of([Box((0.2, 0.2, 0.2))], Surface(friction=mu), law=law)
    v = world.step(placed(0.1), [0, 0, 0, speed, 0, 0], H).v
    # ccp: with r_t = - mu r_n and u_n = mu u_t: r_n (1 + mu^2) / m = mu v + g h
    rise = {"ncp": 0.0, "ccp": (mu * speed + G * H) / (1.0 + mu * mu) - G * H}[law]
    np.testing.assert_allclose(v[5], rise, atol=1e-7)
    assert law == "ncp" or rise > 1.0


def test_in_the_convex_law_a_ball_that_flies_past_the_floor_is_lifted_before_it_touches():
    """r_n (1 + mu^2 (1 + 5/2 (1 + gap / 2 r)^2)) / m = mu v + g h - gap / h: u_n + gap / h = mu u_t, r_t = mu r_n"""
    mu, gap, h, speed, r = 0.5, 0.005, 0.01, 2.0, 0.1
    yielding = 1.0 + 2.5 * (1.0 + 0.5 * gap / r) ** 2  # along the floor, at a point halfway to it
    lift = {"ccp": (mu * speed + G * h - gap / h) / (1.0 + mu * mu * yielding), "ncp": 0.0}
    for law, expected in lift.items():
        world = world_of([Sphere(r)], Surface(friction=mu), law=law)
        end = world.step(placed(r + gap), [0, 0, 0, speed, 0, 0], h)
        np.testing.assert_allclose(end.q[2] - r - gap, h * (expected - G * h), atol=1e-8)


def test_without_friction_a_box_slides_for_ever():
    world = world_of([Box((0.2, 0.2, 0.2))], Surface(friction=0.9), law="frictionless")
    v = world.simulate(placed(0.1), [0, 0, 0, 1.0, 0, 0], 10 * H, H).v[-1]
    np.testing.assert_allclose(v, [0, 0, 0, 1.0, 0, 0], atol=1e-9)


def test_a_pair_that_is_found_moves_as_the_same_pair_that_is_named():
    surface = Surface(friction=0.4, restitution=0.3)
    shapes = [floor(surface), Collider("s0", Box((0.2, 0.3, 0.1)), "b0", surface)]
    model = bodies([Box((0.2, 0.3, 0.1))])
    a = 0.3  # it stands on an edge, and falls over
    q = np.array([0.0, 0.0, 0.1 * np.sin(a) + 0.05 * np.cos(a), np.cos(a / 2), 0.0, np.sin(a / 2), 0.0])
    v = np.array([0.3, -1.0, 0.2, 1.0, 0.5, -0.5])
    found, named = (
        World(model, shapes=shapes).step(q, v, H),
        World(model, shapes=shapes, pairs=[("floor", "s0")]).step(q, v, H),
    )
    np.testing.assert_allclose(found.v, named.v, atol=1e-7)
    np.testing.assert_allclose(found.q, named.q, atol=1e-9)
    np.testing.assert_allclose(
        found.contacts.wrench("world", "b0"), named.contacts.wrench("world", "b0"), rtol=1e-5, atol=1e-5
    )


def test_a_polygon_knows_no_resistance_to_turning():
    for options in ({"rolling_friction": 0.004}, {"spinning_friction": 0.003}):
        with pytest.raises(ConstraintError, match="law is 'lcp', which knows no rolling and spinning friction"):
            world_of([Sphere(0.1)], Surface(friction=0.5, **options), law="lcp")


@pytest.mark.plain
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_a_free_body_moves_as_one_whose_joint_has_next_to_no_damping(scale):
    """Mass matrices of free bodies are known before a motion, those of joints with damping are factors of each step"""

    def falling(damping):
        builder = ModelBuilder(gravity=(0.0, 0.0, -9.81 * scale))
        principal = scale**5 * np.array([2.0, 3.0, 2.5])
        builder.add_body(
            "body", mass=300.0 * scale**3, center_of_mass=scale * np.array([0.03, -0.02, 0.05]), inertia=principal
        )
        builder.add_joint("root", "free", "world", "body", damping=damping)
        surface = Surface(friction=0.4)
        shapes = [floor(surface), Collider("skin", Box(scale * np.array([0.3, 0.2, 0.4])), "body", surface)]
        world = World(builder.build(), shapes=shapes)
        start = [0, 0, 0.3 * scale, 0.96, 0.0, 0.28, 0.0]
        return world.simulate(start, [0.5, 2.0, -1.0, 0.3 * scale, 0, -0.5 * scale], 0.2, H)

    size = np.array([scale] * 3 + [1.0] * 4)
    free, damped = falling(0.0), falling(1e-12 * scale**5)
    np.testing.assert_allclose(free.q / size, damped.q / size, rtol=0.0, atol=1e-9)
    assert np.abs(free.v[-1] - free.v[0]).max() > 0.1 * scale  # it is hit
