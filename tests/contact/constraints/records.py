"""One record of each kind, on random frames, and closed in a configuration."""

import numpy as np

from pluecker.contact import constraints as c
from tests import models
from tests.mechanisms import random_rotation


def random_frame(rng, body):
    """Draw a frame on a body."""
    return c.Frame(body, rng.normal(scale=0.3, size=3), random_rotation(rng))


def on_frames(first, second, third):
    """Make one constraint of each kind between two frames; the third frame is on another body."""
    return (
        c.Ball("ball", first, second),
        c.Hinge("hinge", first, second),
        c.Slider("slider", first, second),
        c.Cylindrical("cylindrical", first, second),
        c.Planar("planar", first, second),
        c.Fixed("fixed", first, second),
        c.PointOnLine("point on line", first, second),
        c.PointInPlane("point in plane", first, second),
        c.Universal("universal", first, second),
        c.Hinge2("wheel", first, second, angle=1.2, suspension=c.Softness(100.0, 1.0)),
        c.Screw("screw", first, second, pitch=0.3, offset=0.1),
        c.Rod("rod", first, second, 0.4),
        c.Rod("spring", first, second, 0.4, stiffness=10.0, damping=1.0),
        c.Rope("rope", first, second, 0.4),
        c.PointContact("contact", first, second, friction=0.5),
        c.Gear("gear", first, second, first_radius=0.2, second_radius=0.3, pressure_angle=0.35),
        c.Gear("ring", first, second, first_radius=0.2, second_radius=0.5, internal=True, pressure_angle=-0.35),
        c.Belt("belt", first, second, first_radius=0.2, second_radius=0.3),
        c.Belt("crossed", first, second, first_radius=0.2, second_radius=0.3, crossed=True),
        c.RackAndPinion("rack", first, second, radius=0.2, pressure_angle=0.35),
        c.Differential("differential", first, second, cage=third),
        c.Coupling(
            "coupling", {c.Angle(first, second): 2.0, c.Travel(first, third): -1.0, c.Length(second, third): 0.5}
        ),
        c.Limit("limit", c.Angle(first, second), -1.0, 1.0, restitution=0.5),
        c.Friction("friction", c.Travel(first, second), 0.5),
        c.Motor("motor", c.Angle(first, second, pointer=(0.0, 0.0, 1.0), sign=-1.0), 2.0, 0.5),
        c.Servo("servo", c.Travel(first, second), 0.1, 100.0, 1.0),
        c.PositionDrive("drive", c.Length(first, second), 0.1, 2.0),
        c.PrescribedMotion("motion", c.Travel(first, second), c.Spline([0.0, 1.0], [0.0, 1.0])),
    )


NAMES = tuple(each.name for each in on_frames("a", "b", "c"))


def three_bodies(rng, model):
    """Names of three bodies, of which one may be the world."""
    return tuple(rng.permutation(["world", *model.body_names])[:3].tolist())


def free_bodies(n):
    """Make n bodies on free joints in the world, side by side."""
    return models.free_bodies([f"body{k}" for k in range(n)], 1.0 + np.arange(n), (0.1, 0.2, 0.25))
