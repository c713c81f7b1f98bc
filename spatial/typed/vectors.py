"""Motion and force vectors that know which they are (course, sections 24 to 26 and 37).

===========================  ========================================  ==========
formula                      written                                   section
===========================  ========================================  ==========
``m1 + m2``, ``2 f``         ``m1 + m2``, ``2 * f``                    24, 26
``m . f``                    ``m.dot(f)``, ``m @ f`` or ``f @ m``      25, 26
``v x m``, ``v x* f``        ``v.cross(m)``, ``v.cross(f)``            37
===========================  ========================================  ==========
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, naming
from pluecker.spatial.functions.coordinates import transform_force, transform_motion
from pluecker.spatial.functions.products import cross_force, cross_motion, scalar_product
from pluecker.spatial.typed.base import Typed
from pluecker.spatial.typed.frames import F6, M6, common_frame

__all__ = ["ForceVector", "MotionVector", "SpatialVector"]

V = TypeVar("V", bound="SpatialVector")


class SpatialVector(Typed):
    """Base class of motion and force vectors: Pluecker coordinates in a frame."""

    __slots__ = ()
    _array = ".coordinates"
    _parts: ClassVar[tuple[str, str]]

    def __init__(self, values: ArrayLike, frame: str | None = None) -> None:
        self._set(np.array(as_floats(type(self).__name__, "values", values, (6,))), (frame,))

    @classmethod
    def _from_parts(cls: type[V], first: ArrayLike, second: ArrayLike, frame: str | None) -> V:
        name = f"{cls.__name__}.from_parts"
        a, b = (as_floats(name, *part, (3,)) for part in zip(cls._parts, (first, second), strict=True))
        try:
            parts = np.broadcast_arrays(a, b)
        except ValueError:
            shapes = f"{cls._parts[0]} {a.shape}, {cls._parts[1]} {b.shape}"
            raise ArgumentValueError(f"{name}: the leading axes do not broadcast: {shapes}") from None
        return cls._make(np.concatenate(parts, axis=-1), frame)

    @classmethod
    def zero(cls: type[V], frame: str | None = None) -> V:
        """The zero vector, where ``sum(vectors, start)`` begins."""
        return cls._make(np.zeros(6), frame)

    @property
    def coordinates(self) -> Array:
        """The Pluecker coordinates, angular part first, as an array that cannot be written to, ``(..., 6)``."""
        return self._values

    @property
    def frame(self) -> str | None:
        """The frame that the coordinates belong to."""
        return self._frames[0]

    def dot(self, other: SpatialVector) -> Any:
        """The scalar product of a motion and a force vector: the power of a force on a body with that velocity.

        Args:
            other: a force vector if this is a motion vector, and the other way round; the batches broadcast.

        Returns:
            ``(...)``; W for a velocity and a force.

        Raises:
            TypeError, ValueError: not a vector of the dual space; in another frame; the batches do not broadcast.

        Source: RBDA section 2.6; course, sections 25 and 26.
        """
        if not isinstance(other, SpatialVector) or other._spaces == self._spaces:
            self._refuse(
                " . ", other,
                "not defined, the scalar product is between a motion and a force vector (course, section 26)",
            )  # fmt: skip
        operation = f"{self._noun} . {other._noun}"
        common_frame(operation, self.frame, other.frame)
        m, f = (self, other) if self._spaces == (M6,) else (other, self)
        with naming(operation):
            return scalar_product(m._values, f._values)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Typed) and not isinstance(other, SpatialVector):
            self._refuse(" @ ", other, "transforms and inertias act from the left")
        return self.dot(other)

    @classmethod
    def _fields(cls, values: Array) -> Mapping[str, Array]:
        return dict(zip(cls._parts, (values[..., :3], values[..., 3:]), strict=True))


class MotionVector(SpatialVector):
    """An element of M6: a velocity, an acceleration, a small displacement, the axis of a joint.

    Args:
        values: Pluecker coordinates ``[angular, linear]``, ``(..., 6)``; rad/s and m/s for a velocity.
        frame: the name of their frame.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; the frame is no name.

    Source: RBDA section 2.2; course, sections 16 to 19 and 24.
    """

    __slots__ = ()
    _noun, _symbol, _spaces, _parts = "motion", r"\mathbf{m}", (M6,), ("angular", "linear")

    @classmethod
    def from_parts(cls, angular: ArrayLike, linear: ArrayLike, frame: str | None = None) -> MotionVector:
        """Make a motion vector of its angular part and its linear part (of the point at the origin), each ``(..., 3)``."""
        return cls._from_parts(angular, linear, frame)

    @property
    def angular(self) -> Array:
        """Angular part, ``(..., 3)``; rad/s for a velocity."""
        return self._values[..., :3]

    @property
    def linear(self) -> Array:
        """Linear part: of the point of the body that is at the origin, ``(..., 3)``; m/s for a velocity."""
        return self._values[..., 3:]

    def cross(self, other: V) -> V:
        """``v x m`` or ``v x* f``: how a vector changes that moves with this velocity.

        Args:
            other: motion or force vectors; the batches broadcast.

        Returns:
            Vectors of the kind of ``other``.

        Raises:
            TypeError, ValueError: ``other`` is no such vector; it is in another frame; the batches do not broadcast.

        Source: RBDA section 2.9; course, sections 37 and 38.
        """
        if not isinstance(other, SpatialVector):
            self._refuse(" x ", other, "the cross product is with a motion or a force vector (course, section 37)")
        operation = f"{self._noun} x {other._noun}"
        frame = common_frame(operation, self.frame, other.frame)
        product = cross_motion if other._spaces == (M6,) else cross_force
        with naming(operation):
            return other._make(product(self._values, other._values), frame)

    def _transformed(self, X: Array) -> Array:
        return transform_motion(X, self._values)


class ForceVector(SpatialVector):
    """An element of F6: a force with its moment, a momentum, an impulse.

    Args:
        values: Pluecker coordinates ``[moment, force]``, ``(..., 6)``; N m and N for a force.
        frame: the name of their frame.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; the frame is no name.

    Source: RBDA section 2.3; course, sections 21 to 24.
    """

    __slots__ = ()
    _noun, _symbol, _spaces, _parts = "force", r"\mathbf{f}", (F6,), ("moment", "force")

    @classmethod
    def from_parts(cls, moment: ArrayLike, force: ArrayLike, frame: str | None = None) -> ForceVector:
        """Make a force vector of the moment about the origin and the force, each ``(..., 3)``."""
        return cls._from_parts(moment, force, frame)

    @property
    def moment(self) -> Array:
        """Moment about the origin, ``(..., 3)``; N m for a force."""
        return self._values[..., :3]

    @property
    def force(self) -> Array:
        """The force itself, ``(..., 3)``; N."""
        return self._values[..., 3:]

    def _transformed(self, X: Array) -> Array:
        return transform_force(X, self._values)
