"""Surfaces and their properties in contact, and shapes with surfaces on frames of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.frames import as_frame
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.checks import as_names, not_negative, numbers
from pluecker.contact.geometry.shapes import Shape, as_shape
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Collider", "Surface"]


@dataclass(frozen=True)
class Surface:
    """How a surface rubs, bounces and gives way.

    Two surfaces that touch have

    - the geometric mean of both coefficients of friction, ``(mu_1 mu_2)^(1/2)``, and of both of what slides;
    - the larger coefficient of rolling friction, of spinning friction, and of restitution;
    - both springs and both dampers in series: ``1/k = 1/k_1 + 1/k_2``, where an infinite stiffness is that of a rigid
      surface, whose damper is rigid too;
    - the difference of their velocities.

    Attributes:
        friction: Coulomb's coefficient. Forces are as near to the cone as the step is accurate, a distance beside the
            largest force: at 1e8 a tangential force F needs 1e-8 F along the normal, which may be missing.
        kinetic_friction: that of what slides, where it is a smaller one.
        rolling_friction: the resistance to rolling, m.
        spinning_friction: the resistance to spinning about the normal, m.
        restitution: Newton's coefficient, which with friction can gain energy, or Poisson's, as the world or the
            :class:`~pluecker.contact.geometry.ShapeContact` says; 0 to 1.
        stiffness: N/m; infinite of a rigid surface.
        damping: of a surface that is not rigid, N s/m.
        velocity: of the material on the surface in the frame of the shape, where that does not move: a conveyor belt; m/s.
            What it has along the normal of a contact counts for nothing: material does not leave its surface.

    Raises:
        GeometryError: a number is negative or not finite, a restitution above 1, a soft surface without stiffness and
            damping, or with a restitution.

    Source: Coulomb friction with rolling and spinning resistance as in
    :class:`~pluecker.contact.friction.tables.table.ContactTable`.

    Example:
        >>> from pluecker.contact.geometry import Surface
        >>> Surface(friction=0.8, restitution=0.5).friction
        0.8
    """

    friction: float = 0.5
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    restitution: float = 0.0
    stiffness: float = np.inf
    damping: float = 0.0
    velocity: Any = (0.0, 0.0, 0.0)
    kinetic_friction: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for key in ("friction", "rolling_friction", "spinning_friction", "damping"):
            object.__setattr__(self, key, not_negative("Surface", key, getattr(self, key)))
        if self.kinetic_friction is not None:
            kinetic = not_negative("Surface", "kinetic_friction", self.kinetic_friction)
            object.__setattr__(self, "kinetic_friction", kinetic)
            if kinetic > self.friction:
                raise GeometryError(
                    f"Surface: kinetic_friction is {kinetic:g} and friction {self.friction:g}, "
                    "expected no more of what slides"
                )
        object.__setattr__(self, "restitution", not_negative("Surface", "restitution", self.restitution, 1.0))
        object.__setattr__(self, "stiffness", not_negative("Surface", "stiffness", self.stiffness, infinite=True))
        if self.stiffness == 0.0 == self.damping:
            raise GeometryError("Surface: stiffness and damping are both 0: nothing would hold two bodies apart")
        if np.isinf(self.stiffness) and self.damping:
            raise GeometryError("Surface: a rigid surface has no damping, expected a finite stiffness with it")
        if np.isfinite(self.stiffness) and self.restitution > 0.0:
            raise GeometryError(
                f"Surface: restitution is {self.restitution:g} and stiffness {self.stiffness:g}: a soft surface gives back "
                "what its spring does"
            )
        v = numbers("Surface", "velocity", self.velocity, (3,))
        object.__setattr__(self, "velocity", tuple((v + 0.0).tolist()))

    @property
    def row(self) -> tuple[float, ...]:
        """Friction, rolling and spinning friction, restitution, stiffness, damping, friction of what slides."""
        return (
            *(self.friction, self.rolling_friction, self.spinning_friction),
            *(self.restitution, self.stiffness, self.damping),
            self.friction if self.kinetic_friction is None else self.kinetic_friction,
        )


@dataclass(frozen=True)
class Collider:
    """A shape with a surface, on a frame of a model.

    Attributes:
        name: of its own, used once; contacts are named after it.
        shape: what is there.
        frame: where: the name of a frame or body, ``"world"``, ``(name, position, rotation)``, or a
            :class:`~pluecker.contact.constraints.relation.Frame`.
        surface: what happens when it is touched.
        groups: names of groups that it belongs to.
        ignores: names of groups that it does not touch. A pair is left out if one of the two ignores a group of the other.

    Raises:
        ArgumentTypeError: no shape, no surface, no name.
        GeometryError: the name is empty.
        ModelError: the frame has no rotation, or a number is not finite.

    Example:
        >>> from pluecker.contact.geometry import Collider, HalfSpace, Sphere, Surface
        >>> floor = Collider("floor", HalfSpace(), "world", Surface(friction=0.9))
        >>> foot = Collider("foot", Sphere(0.02), ("shin", (0.0, 0.0, -0.2)), ignores="robot", groups=("robot", "feet"))
        >>> foot.groups
        ('feet', 'robot')
    """

    name: str
    shape: Shape
    frame: Any
    surface: Surface = field(default_factory=Surface)
    groups: Any = ()
    ignores: Any = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ArgumentTypeError(f"Collider: name is {shown(self.name)}, expected a string")
        if not self.name:
            raise GeometryError("Collider: name is empty, expected a name")
        label = f"Collider {shown(self.name)}"
        as_shape(label, "shape", self.shape)
        object.__setattr__(self, "frame", as_frame(label, "frame", self.frame))
        if not isinstance(self.surface, Surface):
            raise ArgumentTypeError(f"{label}: surface is {shown(self.surface)}, expected a Surface")
        object.__setattr__(self, "groups", as_names(label, "groups", self.groups))
        object.__setattr__(self, "ignores", as_names(label, "ignores", self.ignores))

    @property
    def placement(self) -> Array:
        """Placement of the shape in the frame that it names, ``(4, 4)``."""
        assert isinstance(self.frame, Frame)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.frame.matrix, self.frame.position
        return T

    def on_body(self, model: Model) -> Array:
        """Return the placement of the shape on the body that carries it, or in the world, ``(4, 4)``.

        Args:
            model: that has the frame.
        """
        if self.frame.name not in model.frame_names:
            return self.placement
        return np.asarray(model.frame_offsets([self.frame.name])[1][0] @ self.placement)
