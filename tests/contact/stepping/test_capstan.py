"""A rope around a post, as beads that do not turn with rods between, by contacts that are named or found.

Where each bead turns the rope by d, statics says that it holds up to the ratio ``((1 + mu tan(d/2)) / (1 - mu tan(d/2)))^n``
of the forces at its ends, which goes to Euler's ``e^(mu phi)`` with the second power of 1/n.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.constraints import Rod
from pluecker.contact.geometry import Collider, Cylinder, Sphere, Surface

POST, BEAD, MASS, FRICTION, TURN, H = 0.1, 0.005, 0.01, 0.3, np.pi, 1e-3
ALONG_Y = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]  # the z axis of a cylinder is the post's


def rope(n, kind):
    """The world, where it is, and the angles of the beads from the top."""
    d, surface, radius = TURN / n, Surface(FRICTION), POST + BEAD
    angles, builder = -0.5 * TURN + d * (np.arange(n) + 0.5), ModelBuilder(gravity=(0.0, 0.0, 0.0))
    shapes = [Collider("post", Cylinder(POST, 0.2), ("world", (0, 0, 0), ALONG_Y), surface)]
    for k in range(n):
        builder.add_body(f"guide {k}", mass=MASS)
        builder.add_joint(f"x {k}", "prismatic", "world", f"guide {k}", axis=(1, 0, 0))
        builder.add_body(f"bead {k}", mass=MASS)
        builder.add_joint(f"z {k}", "prismatic", f"guide {k}", f"bead {k}", axis=(0, 0, 1))
        shapes.append(Collider(f"skin {k}", Sphere(BEAD), f"bead {k}", surface, groups="beads", ignores="beads"))
    length = 2.0 * radius * np.sin(0.5 * d)
    rods = [Rod(f"rod {k}", f"bead {k}", f"bead {k + 1}", length=length) for k in range(n - 1)]
    named = {"pairs": [("post", f"skin {k}") for k in range(n)]}
    world = World(builder.build(), rods, shapes=shapes, **(named if kind == "named" else {"accuracy": 1e-9}))
    return world, radius * np.stack([np.sin(angles), np.cos(angles)], axis=1).ravel(), angles


def pulled(angles, ratio):
    """Return the forces of 1 N on the first bead and ``ratio`` N on the last, along the ropes that leave there."""
    n, tau = len(angles), np.zeros((len(angles), 2))
    for k, sign, force in ((0, -1.0, 1.0), (n - 1, 1.0, ratio)):
        angle = angles[k] + 0.5 * sign * TURN / n
        tau[k] += force * sign * np.array([np.cos(angle), -np.sin(angle)])
    return tau.ravel()


@pytest.mark.parametrize("kind", ["named", pytest.param("found", marks=pytest.mark.everything)])
def test_a_rope_holds_up_to_its_ratio_and_slides_beyond(kind):
    off = []
    for n in (3, 6, 12):
        world, q, angles = rope(n, kind)
        t = FRICTION * np.tan(0.5 * TURN / n)
        ratio = ((1.0 + t) / (1.0 - t)) ** n
        off.append(ratio / np.exp(FRICTION * TURN) - 1.0)
        holds, slides = (world.step(q, np.zeros(2 * n), H, tau=pulled(angles, s * ratio)) for s in (1 - 1e-4, 1 + 1e-4))
        assert np.abs(holds.v).max() < 1e-8
        # 1e-4 of the force is left for the masses
        assert np.abs(slides.v).max() > 0.1 * 1e-4 * ratio * H / (2 * n * MASS)
        # the load grows from bead to bead as the tension does: (1 + t) / (1 - t) times
        np.testing.assert_allclose(slides.contacts.normal_force[1:] / slides.contacts.normal_force[:-1],
                                   (1.0 + t) / (1.0 - t), rtol=1e-3)  # fmt: skip
    np.testing.assert_allclose(np.log2(np.array(off[:-1]) / off[1:]), 2.0, atol=0.3)
