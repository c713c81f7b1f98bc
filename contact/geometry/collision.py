"""Contacts of the colliders of a model in a configuration, in one table.

Colliders are placed by the model's kinematics; what touches is found by :mod:`~pluecker.contact.geometry.finding`, and by
coal where one is a surface of triangles. The table is sorted by bodies, colliders and features, so that it is the same
however pairs were found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.arguments import can_be_listed
from pluecker.contact.constraints.frames import body_of
from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.checks import not_negative
from pluecker.contact.geometry.contacts import Contacts
from pluecker.contact.geometry.finding.coal_pairs import check_pair
from pluecker.contact.geometry.finding.filters import Filter
from pluecker.contact.geometry.finding.finder import Finder
from pluecker.contact.geometry.finding.scene import Scene
from pluecker.contact.geometry.surfaces import Collider
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["Collision", "WorldShapes"]


@by_value("model", "colliders", "margin", "allowed")
class Collision:
    """Colliders on a model, and which of them may touch.

    Colliders of one body never touch, nor do two that are both fixed to the world; by default neither do those of a
    body and of the one that carries it through a joint. The world carries nobody: what is on the frame ``"world"`` is
    touched by every body, whatever its joint. A link that is fixed to the world, such as the base of a robot, does carry.

    Args:
        model: the mechanism.
        colliders: shapes on its frames.
        ignored: pairs of names of colliders that do not touch.
        adjacent: whether a body and the one that carries it touch, too.
        margin: how far apart two surfaces may be and be a contact all the same, m: as far as bodies come in a step.

    Raises:
        ArgumentTypeError: an argument of another type.
        UnknownNameError: a frame or a collider is not there.
        GeometryError: a name comes twice, a margin is negative, two shapes that may touch have no distance (a
            half-space and a surface of triangles that move against each other), or one is soft and the other has a
            restitution.

    Source: Ericson, *Real-Time Collision Detection* (2005), chapters 5 and 7.

    Example:
        A ball of radius 0.1 m that has sunk by 1 mm into the floor.

        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact.geometry import Collider, Collision, HalfSpace, Sphere
        >>> builder = ModelBuilder("ball")
        >>> builder.add_body("ball", mass=1.0, inertia=[0.004] * 3)
        >>> builder.add_joint("float", "free", parent="world", child="ball")
        >>> model = builder.build()
        >>> touch = Collision(
        ...     model, [Collider("floor", HalfSpace(), "world"), Collider("skin", Sphere(0.1), "ball")]
        ... ).find([0, 0, 0.099, 1, 0, 0, 0])
        >>> touch.bodies.tolist(), touch.gap.round(9).tolist(), touch.normal.tolist()
        ([[-1, 0]], [-0.001], [[0.0, 0.0, 1.0]])
    """

    def __init__(
        self,
        model: Model,
        colliders: Iterable[Collider],
        *,
        ignored: Any = (),
        adjacent: bool = False,
        margin: float = 0.0,
    ) -> None:
        model = as_model("Collision", model)
        if not can_be_listed(colliders):
            raise ArgumentTypeError(f"Collision: colliders is {shown(colliders)}, expected records of Collider")
        self.model, self.colliders = model, tuple(colliders)
        for collider in self.colliders:
            if not isinstance(collider, Collider):
                raise ArgumentTypeError(f"Collision: colliders hold {shown(collider)}, expected records of Collider")
        names: set[str] = set()
        for collider in self.colliders:
            if collider.name in names:
                raise GeometryError(
                    f"Collision: two colliders are called {shown(collider.name)}, expected each name once"
                )
            names.add(collider.name)
        if not isinstance(adjacent, (bool, np.bool_)):
            raise ArgumentTypeError(f"Collision: adjacent is {shown(adjacent)}, expected True or False")
        self.margin = not_negative("Collision", "margin", margin)
        found = [body_of(f"Collider {shown(c.name)}", "frame", model, c.frame) for c in self.colliders]
        self.bodies = np.array(found, np.int64)
        self.offsets = np.array([collider.on_body(model) for collider in self.colliders]).reshape(-1, 4, 4)
        shapes = [collider.shape for collider in self.colliders]
        self.kinds = np.array([shape.kind for shape in shapes], np.int64)
        self.sizes = np.array([shape.sizes for shape in shapes]).reshape(-1, 3)
        self.centers = np.array([shape.center for shape in shapes]).reshape(-1, 3)
        self.radii = np.array([shape.radius_around for shape in shapes])
        self.rows = np.array([collider.surface.row for collider in self.colliders]).reshape(-1, 7)
        self.velocities = np.array([collider.surface.velocity for collider in self.colliders]).reshape(-1, 3)
        self.allowed = Filter("Collision", model, self.colliders, self.bodies, ignored, bool(adjacent))
        self.check_pairs()

    def on(self, model: Model) -> Collision:
        """Return these colliders on another model with the same bodies and frames; the same pairs are ignored there.

        Args:
            model: the other one, whose joints may be others.

        Raises:
            UnknownNameError: a frame is not there.
        """
        found = Collision(model, self.colliders, adjacent=True, margin=self.margin)
        found.allowed = self.allowed
        return found

    def check_pairs(self) -> None:
        """Refuse pairs that may touch and have no distance, or are soft and bounce."""
        endless = np.flatnonzero([shape.shape.kind in (0, 6, 7) for shape in self.colliders])
        pairs = np.array([(i, j) for i in endless for j in endless if i < j], np.int64).reshape(-1, 2)
        for i, j in self.allowed(pairs):
            first, second = self.colliders[i], self.colliders[j]
            check_pair(f"Collision: {shown(first.name)} and {shown(second.name)}", first.shape, second.shape)
        bouncing = np.flatnonzero(self.rows[:, 3] > 0.0)
        for i in np.flatnonzero(np.isfinite(self.rows[:, 4])) if len(bouncing) else ():
            for _, j in self.allowed(np.column_stack([np.full_like(bouncing, i), bouncing]))[:1]:
                soft, hard = shown(self.colliders[i].name), shown(self.colliders[j].name)
                raise GeometryError(
                    f"Collision: {hard} has a restitution, and {soft} is soft and gives back what its spring does; expected "
                    "one of both, or that they ignore each other"
                )

    def placements(self, q: ArrayLike) -> Array:
        """Compute the placements of the shapes in the world in a configuration ``(nq,)``: ``(n, 4, 4)``.

        Raises:
            ValueError: the configuration is none of the model.
        """
        bodies = forward_kinematics(self.model, q)
        if bodies.ndim != 3:
            raise GeometryError(f"Collision: q has shape {np.shape(q)}, expected ({self.model.nq},): one configuration")
        return self.on_bodies(bodies)

    def on_bodies(self, bodies: Array) -> Array:
        """Compute the placements of the shapes, ``(n, 4, 4)``, from those of the bodies, ``(n_bodies, 4, 4)``; world."""
        return np.concatenate([bodies, np.eye(4)[None]])[self.bodies] @ self.offsets

    def find(self, q: ArrayLike, reach: ArrayLike | None = None) -> Contacts:
        """Find the contacts in a configuration.

        Args:
            q: of the model, ``(nq,)``.
            reach: how far each collider comes, ``(n,)``; m. A pair may be farther apart than the margin by the reach of
                both.

        Returns:
            :class:`Contacts` with all gaps up to the margin, sorted by bodies, colliders and features.

        Raises:
            ValueError: the configuration is none of the model.
            MissingExtraError: something is near a surface of triangles, for which coal is needed (extra ``collision``).
        """
        T = self.placements(q)
        far = np.zeros(len(self.colliders)) if reach is None else self.as_reach(reach)
        return self.find_placed(T, far)

    def as_reach(self, reach: ArrayLike) -> Array:
        """Check the reach of the colliders, ``(n,)``: a length for each."""
        far = as_numbers("Collision.find", "reach", reach)
        if far.shape != (len(self.colliders),) or not (far >= 0.0).all():
            raise GeometryError(
                f"Collision.find: reach is {shown(reach)}, expected ({len(self.colliders)},), lengths that are not negative"
            )
        return far

    def find_placed(self, T: Array, far: Array) -> Contacts:
        """Find the contacts of shapes at placements ``(n, 4, 4)``; ``far`` is the reach of each collider, ``(n,)``, m."""
        finder = self.finders.pop() if self.finders else Finder(self.scene)
        found = finder.find(T, far)
        self.finders.append(finder)
        return found

    @cached_property
    def scene(self) -> Scene:
        """The colliders as compiled code reads them."""
        return Scene(self)

    @cached_property
    def finders(self) -> list[Finder]:
        """Memory in which contacts are found, of which each thread that does takes one."""
        return []

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and pickled: no addresses."""
        return {name: value for name, value in vars(self).items() if name not in ("scene", "finders")}


@by_value()
@dataclass(frozen=True, eq=False)
class WorldShapes:
    """Shapes of a world, and the law of their contacts.

    Attributes:
        collision: the colliders.
        law: ``ncp``, Coulomb's, ``ccp``, ``lcp`` or ``frictionless``.
        impacts: ``newton`` or ``poisson``.
        recovery, recovery_speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        accuracy: the error of the law that is tolerated in a step, see :class:`~pluecker.contact.World`.
    """

    collision: Collision
    law: str
    impacts: str
    recovery: float
    recovery_speed: float
    accuracy: float

    def options(self, collision: Collision | None = None) -> dict[str, Any]:
        """Return the arguments that make a world with these shapes and laws, or with other colliders."""
        return {
            "shapes": self.collision if collision is None else collision,
            "law": self.law,
            "impacts": self.impacts,
            "recovery": self.recovery,
            "recovery_speed": self.recovery_speed,
        }

    def key(self) -> bytes:
        """Compute a hash that tells these shapes and laws from others."""
        names = "\n".join(repr((each.name, each.groups, each.ignores)) for each in self.collision.colliders)
        found = hashlib.sha256(f"{self.law} {self.impacts} {names}".encode())
        touch = self.collision
        numbers = (self.recovery, self.recovery_speed, self.accuracy, touch.margin)
        for array in (
            touch.kinds,
            touch.bodies,
            touch.sizes,
            touch.offsets,
            touch.rows,
            touch.velocities,
            touch.allowed.unwanted,
            touch.allowed.families,
            np.array(numbers),
        ):
            found.update(np.ascontiguousarray(array).tobytes())
        for collider in touch.colliders:
            found.update(np.ascontiguousarray(getattr(collider.shape, "vertices", ())).tobytes())
        return found.digest()
