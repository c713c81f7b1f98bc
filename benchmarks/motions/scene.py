"""Motion of a family: a world, the state in which it begins, and how it is followed; parts that worlds are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull as Qhull

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Box, Capsule, Collider, ConvexHull, HalfSpace, Sphere, Surface
from pluecker.spatial.functions.elementwise import Array

__all__ = ["UPRIGHT", "Motion", "Parts", "about_y", "draw_friction", "draw_masses", "draw_step", "draw_turn", "solid"]

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
STEPS = (1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)
MOST, LONGEST = 300, 0.8  # steps of a motion, and s


@dataclass(frozen=True, eq=False)
class Motion:
    """A world and how it moves.

    Attributes:
        world: with shapes.
        q, v: where it begins.
        step: s.
        steps: how many.
        control: joint forces, as for ``World.simulate``.
        passive: whether nothing drives it, nothing bounces (Newton's coefficient gains energy with friction), and no joint
            but free ones turns, so that no step may gain energy.
    """

    world: World
    q: Array
    v: Array
    step: float
    steps: int
    control: Any = None
    passive: bool = True


class Parts:
    """Parts of a world: a floor, and free bodies with one shape each.

    Args:
        name: of the model.
        surface: of all shapes.
    """

    def __init__(self, name: str, surface: Surface) -> None:
        self.builder, self.surface = ModelBuilder(name), surface
        self.shapes = [Collider("floor", HalfSpace(), "world", surface)]
        self.q: list[float] = []
        self.v: list[float] = []

    def body(self, name: str, shape: Any, mass: float, place: Any, turn: Any = UPRIGHT, v: Any = (0.0,) * 6) -> None:
        """Add a free body of a homogeneous shape."""
        self.builder.add_body(name, mass=mass, inertia=mass * solid(shape))
        self.builder.add_joint(name, "free", parent="world", child=name)
        self.add_shape(name, shape, name)
        self.q += [*map(float, place), *map(float, turn)]
        self.v += map(float, v)

    def add_shape(self, name: str, shape: Any, frame: Any, **options: Any) -> None:
        """Add a shape on a body that is there already, or on the world."""
        self.shapes.append(Collider(name, shape, frame, self.surface, **options))

    def motion(self, step: float, most: int = MOST, constraints: Sequence[Any] = (), **options: Any) -> Motion:
        """Return the motion, of so many steps at most."""
        world = World(self.builder.build(), constraints, shapes=self.shapes)
        steps = max(1, min(most, round(LONGEST / step)))
        passive = options.pop("passive", True) and self.surface.restitution == 0.0
        return Motion(world, np.array(self.q), np.array(self.v), step, steps, passive=passive, **options)


def solid(shape: Any) -> Array:
    """Compute the moments of a homogeneous body of 1 kg about its frame's origin, ``(3,)`` or ``(3, 3)``.

    Of a capsule those of a cylinder of equal volume; a hull has its centre of mass at the origin, see :func:`centred`.
    """
    if isinstance(shape, Sphere):
        return np.full(3, 0.4 * shape.radius**2)
    if isinstance(shape, Box):
        squares = np.square(shape.size)
        return np.asarray((squares.sum() - squares) / 12.0)
    if isinstance(shape, ConvexHull):
        return tetrahedra(shape.vertices)[2]
    assert isinstance(shape, Capsule)
    r, length = shape.radius, shape.length + 4.0 / 3.0 * shape.radius
    across = (3.0 * r * r + length * length) / 12.0
    return np.array([across, across, 0.5 * r * r])


def centred(vertices: Array) -> ConvexHull:
    """Return the hull of points, moved so that its centre of mass is at the origin."""
    return ConvexHull(vertices - tetrahedra(vertices)[1])


def tetrahedra(vertices: Array) -> tuple[float, Array, Array]:
    """Compute volume, centre of mass, and moments of 1 kg about the origin, of the hull of points.

    Over a tetrahedron with corners 0, a, b, c the mean of ``x x'`` is ``(s s' + a a' + b b' + c c') / 20``, s their sum.
    """
    hull = Qhull(vertices)
    middle = vertices.mean(axis=0)
    corners = vertices[hull.simplices] - middle
    volumes = np.abs(np.linalg.det(corners)) / 6.0
    sums = corners.sum(axis=1)
    share = volumes / volumes.sum()
    centre = middle + share @ sums / 4.0
    corners, sums = corners + (middle - centre), sums + 4.0 * (middle - centre)
    apex = np.broadcast_to(middle - centre, sums.shape)
    products = np.einsum("kai,kaj->kij", corners, corners) + np.einsum("ki,kj->kij", apex, apex)
    second = np.einsum("k,kij->ij", share, products + np.einsum("ki,kj->kij", sums, sums)) / 20.0
    second += np.outer(centre, centre)
    return float(volumes.sum()), centre, np.trace(second) * np.eye(3) - second


# -------------------------------------------------------------------------------------------------------------- at random


def draw_friction(rng: np.random.Generator) -> Surface:
    """Draw a surface: friction 0 to 1.5, and of one in five some restitution."""
    bounces = float(rng.uniform(0.1, 0.9)) if rng.random() < 0.2 else 0.0
    return Surface(friction=float(rng.choice([0.0, 0.1, 0.3, 0.5, 0.6, 1.0, 1.5])), restitution=bounces)


def draw_step(rng: np.random.Generator, steps: Sequence[float] = STEPS) -> float:
    """Draw a step, s."""
    return float(rng.choice(steps))


def draw_masses(rng: np.random.Generator, n: int) -> Array:
    """Draw masses, kg: mostly alike within a factor of three, of one motion in five over four powers of ten."""
    return np.asarray(10.0 ** rng.uniform(0.0, 4.0 if rng.random() < 0.2 else 0.5, n))


def draw_turn(rng: np.random.Generator) -> Array:
    """Draw an orientation."""
    turn = rng.normal(size=4)
    return np.asarray(turn / np.linalg.norm(turn))


def about_y(angle: float) -> tuple[float, float, float, float]:
    """Return the rotation about y as a quaternion."""
    return float(np.cos(0.5 * angle)), 0.0, float(np.sin(0.5 * angle)), 0.0
