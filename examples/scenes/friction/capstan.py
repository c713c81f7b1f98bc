"""A rope around a post: it holds as long as ``T2 <= T1 e^(mu phi)``, with the angle phi of the turn.

The rope is a chain of n points with rods between, each on the tangent plane of the post there, and each turns by
``d = phi / n``: the two forces at a point press with ``(T + T') sin(d/2)`` and differ by ``(T' - T) cos(d/2)``. So it
holds up to

    T2 / T1 = ((1 + mu tan(d/2)) / (1 - mu tan(d/2)))^n,

which goes to ``e^(mu phi)`` with the second power of 1/n.

Source: Euler (1769); Eytelwein, *Handbuch der Statik fester Koerper* (1808); any text on statics.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.distance import Rod
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Capsule, Cylinder, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, order_of, threshold
from pluecker.examples.scenes.parts import about_y, add_free, still, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

RADIUS, MASS, HOLD, THICK = 0.1, 0.01, 1.0, 0.005
ALONG_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # the z axis of a cylinder is the post's


class Rope:
    """Rope, a chain of points and rods, around the upper half of a post along y.

    Args:
        n: points.
        turn: by which the rope goes around, phi; rad.
        friction: the coefficient.
    """

    def __init__(self, n: int, turn: float, friction: float) -> None:
        d = turn / n
        self.at = -0.5 * turn + d * (np.arange(n) + 0.5)  # from the top, positive to +x
        builder, contacts = ModelBuilder("rope", gravity=(0.0, 0.0, 0.0)), []
        shapes = [Collider("post", Cylinder(RADIUS * np.cos(0.5 * d), 0.15), ("world", (0, 0, 0), ALONG_Y))]
        names, q, length = [f"p{k}" for k in range(n)], [], 2.0 * RADIUS * np.sin(0.5 * d)
        for name, angle in zip(names, self.at, strict=True):
            add_free(builder, name, MASS, np.full(3, 0.4 * MASS * 0.008**2))
            R = about_y(angle)
            plane = Frame("world", tuple(RADIUS * R[:, 2]), R)
            contacts.append(PointContact(f"on {name}", plane, name, friction=friction))
            shapes.append(Collider(name, Sphere(THICK), name))
            for side in (1.0, -1.0):  # half a rod on each side, as if it were one rope
                A = about_y(angle + side * (0.5 * np.pi + 0.5 * d))
                shapes.append(
                    Collider(f"{name} {side}", Capsule(THICK, 0.5 * length), (name, 0.25 * length * A[:, 2], A))
                )
            q += [*(RADIUS * R[:, 2]), 1.0, 0.0, 0.0, 0.0]
        rods = [Rod(f"{a}-{b}", a, b, length=length) for a, b in pairwise(names)]
        colors = {each.name: "#b5651d" for each in shapes} | {"post": "#b9bfc7"}
        self.world = World(draw_colliders(builder.build(), shapes, colors=colors), [*contacts, *rods])
        self.q, self.n, self.d = np.array(q), n, d

    def forces(self, pull: float) -> Array:
        """Return joint forces: HOLD at the first point and ``pull`` at the last one, along the ropes that leave there."""
        tau = np.zeros(6 * self.n)
        for k, sign, force in ((0, -1.0, HOLD), (self.n - 1, 1.0, pull)):
            angle = self.at[k] + 0.5 * sign * self.d
            tau[6 * k + 3 : 6 * k + 6] = force * sign * np.array([np.cos(angle), 0.0, -np.sin(angle)])
        return tau

    def limit(self, friction: float) -> float:
        """Compute the ratio of forces up to which this chain holds, by statics."""
        t = friction * np.tan(0.5 * self.d)
        return float(((1.0 + t) / (1.0 - t)) ** self.n)

    def found(self, expected: float) -> float:
        """Find the ratio of forces at which the chain begins to slide in the simulation."""

        def slides(ratio: float) -> bool:
            after = self.world.step(self.q, still(self.world), 1e-3, tau=self.forces(ratio * HOLD))
            return bool(np.abs(after.v).max() > 1e-8 * HOLD * 1e-3 / MASS)

        return threshold(slides, 0.999 * expected, 1.001 * expected, 1e-7)


def run(friction: float = 0.3, turn: float = 180.0, points: int = 12) -> Outcome:
    """Run the scene.

    Args:
        friction: the coefficient.
        turn: by which the rope goes around; degrees.
        points: of the chain in the film.
    """
    phi = float(np.radians(turn))
    numbers = np.array([3, 6, 12])
    ropes = [Rope(int(n), phi, friction) for n in numbers]
    ratios = [rope.found(rope.limit(friction)) for rope in ropes]
    euler = float(np.exp(friction * phi))
    shown = Rope(points, phi, friction)
    motion = watch(
        shown.world, shown.q, still(shown.world), 0.02, 1e-3, control=shown.forces(1.3 * shown.limit(friction))
    )
    held = shown.world.step(shown.q, still(shown.world), 1e-3, tau=shown.forces(0.999 * shown.limit(friction))).contacts
    claims = [
        *(Claim(f"ratio at which a chain of {n} slides", rope.limit(friction), x, 1e-6)
          for n, rope, x in zip(numbers, ropes, ratios, strict=True)),
        Claim("order in 1/n with which it comes to e^(mu phi)", 2.0,
              order_of([1.0 / n for n in numbers[1:]], [x - euler for x in ratios[1:]]), 0.1),
    ]  # fmt: skip
    slope = np.degrees(shown.at - shown.at[0])
    fine = np.linspace(0.0, slope[-1], 50)
    pressed = 2.0 * np.sin(0.5 * shown.d) * HOLD * np.exp(friction * np.radians(fine + 0.5 * np.degrees(shown.d)))
    panels = [
        Panel("how hard each point presses", "angle along the rope in degrees", "normal force in N", [
            Curve("simulated", slope, held.normal_force), Curve("2 sin(d/2) T1 e^(mu angle)", fine, pressed, True)]),
        Panel("chains of more and more points", "number of points", "ratio less e^(mu phi)", [
            Curve("simulated", numbers.astype(float), np.array(ratios) - euler),
            Curve("second order", numbers.astype(float), (ratios[0] - euler) * (3.0 / numbers) ** 2, True)], log=True),
    ]  # fmt: skip
    return Outcome(
        "capstan", "A rope around a post",
        f"A rope that goes half around a post, with a coefficient of friction of {friction:g}, lets one newton hold "
        f"{euler:.4f}, whatever the radius. Each point of the chain presses harder than the one before. In the film the "
        "right end is pulled by 1.3 times as much as holds, and the rope slides.",
        motion, claims, panels, (0, -1), camera=(8.0, -80.0), speed=0.02,
    )  # fmt: skip
