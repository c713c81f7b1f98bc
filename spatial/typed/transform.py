"""Coordinate transforms that know where they start and end (course, section 35).

=============================  ===============================  ==========
formula                        written                          section
=============================  ===============================  ==========
``X m``, ``X* f``              ``X @ m``, ``X @ f``             35
``X* I X^-1``                  ``X @ I``                        46
``X I^-1 X^T``                 ``X @ I.inverse()``              46, 48
``X2 X1``                      ``X2 @ X1``                      35
``X^-1``                       ``X.inverse()``                  35
=============================  ===============================  ==========
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.arguments import Array, naming
from pluecker.spatial.functions.coordinates import (
    compose,
    dual,
    invert,
    placement,
    pluecker_transform,
    transform_from_placement,
    transform_parameters,
)
from pluecker.spatial.typed.base import Typed, noun
from pluecker.spatial.typed.frames import F6, M6, common_frame
from pluecker.spatial.typed.text import frame_latex

__all__ = ["PlueckerTransform"]

T = TypeVar("T", bound=Typed)


class PlueckerTransform(Typed):
    """The coordinate transform from frame A (source) to frame B (target): of motions, of forces and of inertias.

    Args:
        E: rotations, ``(..., 3, 3)``: ``E a`` are the B coordinates of the vector with the A coordinates ``a``.
        r: the origin of B in A coordinates, ``(..., 3)``; m.
        source: the name of A.
        target: the name of B.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; E is not a rotation; a frame is no name.

    Source: RBDA section 2.8; course, section 35.
    """

    __slots__ = ()
    _noun, _symbol, _spaces, _frame_names = "transform", r"\mathbf{X}", (M6, F6), ("source", "target")

    def __init__(self, E: ArrayLike, r: ArrayLike, source: str | None = None, target: str | None = None) -> None:
        with naming(type(self).__name__):
            values = pluecker_transform(E, r)
            transform_parameters(values)  # squares of a translation overflow before itself does
        self._set(values, (source, target))

    @classmethod
    def from_matrix(cls, X: ArrayLike, source: str | None = None, target: str | None = None) -> PlueckerTransform:
        """Make a transform of its matrix for motion vectors, ``(..., 6, 6)``; ValueError if it is not of that form."""
        with naming(f"{cls.__name__}.from_matrix"):
            return cls(*transform_parameters(X), source, target)

    @classmethod
    def from_placement(cls, T: ArrayLike, source: str | None = None, target: str | None = None) -> PlueckerTransform:
        """Make a transform of the placement ``[R, p; 0, 1]`` of the target in the source, ``(..., 4, 4)``."""
        with naming(f"{cls.__name__}.from_placement"):
            return cls._make(transform_from_placement(T), source, target)

    @classmethod
    def from_rotation(
        cls, rotation: Any, r: ArrayLike = (0.0, 0.0, 0.0), source: str | None = None, target: str | None = None
    ) -> PlueckerTransform:
        """Make a transform of the orientation of the target in the source, a ``scipy.spatial.transform.Rotation``.

        Its matrix takes target coordinates to source coordinates, as that of a placement does: ``E`` is the transpose.
        """
        if isinstance(rotation, type) or not callable(getattr(rotation, "as_matrix", None)):
            raise ArgumentTypeError(
                f"{cls.__name__}.from_rotation: rotation is a {type(rotation).__name__}, expected a Rotation of SciPy"
            )
        with naming(f"{cls.__name__}.from_rotation"):
            return cls(np.swapaxes(rotation.as_matrix(), -1, -2), r, source, target)

    @classmethod
    def identity(cls, frame: str | None = None) -> PlueckerTransform:
        """Return the identity, the transform from a frame to itself."""
        return cls(np.eye(3), np.zeros(3), frame, frame)

    @property
    def source(self) -> str | None:
        """The frame A that the transform leads from."""
        return self._frames[0]

    @property
    def target(self) -> str | None:
        """The frame B that the transform leads to."""
        return self._frames[1]

    @property
    def matrix(self) -> Array:
        """``X``, for motion vectors, ``(..., 6, 6)``."""
        return self._values

    @property
    def force_matrix(self) -> Array:
        """``X* = X^-T``, for force vectors, ``(..., 6, 6)``."""
        return dual(self._values)

    @property
    def rotation(self) -> Array:
        """``E``, from source to target coordinates, ``(..., 3, 3)``."""
        return transform_parameters(self._values)[0]

    @property
    def translation(self) -> Array:
        """``r``, the origin of the target in source coordinates, ``(..., 3)``; m."""
        return transform_parameters(self._values)[1]

    @property
    def placement(self) -> Array:
        """The target as seen from the source, ``[E^T, r; 0, 1]``, ``(..., 4, 4)``."""
        return placement(self._values)

    def inverse(self) -> PlueckerTransform:
        """Return the inverse, the transform from the target to the source."""
        return self._make(invert(self._values), self.target, self.source)

    def __matmul__(self, other: T) -> T:
        """Apply to what is on the right: ``X m``, ``X* f``, ``X* I X^-1``, or compose with a transform."""
        if isinstance(other, PlueckerTransform):
            common_frame("X2 @ X1", other.target, self.source, "X1 leads to frame", "X2 starts from frame")
            with naming("X2 @ X1"):
                return other._make(compose(self._values, other._values), other.source, self.target)
        if not isinstance(other, Typed):
            self._refuse(
                " @ ", other, "say what it is, motion and force vectors transform differently (course, section 35)"
            )
        said = "the transform starts from frame", f"the {noun(other)} is in frame"
        product = f"{self._noun} @ {noun(other)}"
        common_frame(product, self.source, other._frames[0], *said)
        with naming(product):
            return other._make(other._transformed(self._values), self.target)

    def _no_sum(self, *other: Any) -> NoReturn:
        raise ArgumentTypeError(
            "transforms have products X2 @ X1 and inverses, but neither sums nor multiples (course, section 35)"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = __pos__ = _no_sum
    sum = _no_sum  # type: ignore[assignment]

    @classmethod
    def _fields(cls, values: Array) -> Mapping[str, Array]:
        return dict(zip("Er", transform_parameters(values), strict=True))

    def _latex_name(self) -> str:
        """``X`` with the target above on the left and the source below on the right."""
        source, target = map(frame_latex, self._frames)
        return (rf"{{}}^{{{target}}}" if target else "") + self._symbol + (rf"_{{{source}}}" if source else "")
