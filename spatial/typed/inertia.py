"""Inertias that know what they are: maps from M6 to F6, and their inverses (course, sections 44 to 48).

===============================  ===============================================================  =========
formula                          written                                                          section
===============================  ===============================================================  =========
``h = I v``                      ``I @ v``                                                        44, 46
``I_A + I_B``                    ``I_A + I_B``: bodies joined rigidly                             46
``X* I X^-1``                    ``X @ I``                                                        46
``T = 1/2 v . I v``              ``I.kinetic_energy(v)``                                          46
``dI/dt = v x* I - I v x``       ``I.rate(v)``                                                    46
``f = I a + v x* I v``           ``I @ a + v.cross(I @ v)``                                       47
``I^-1 f``                       ``I.inverse() @ f``                                              48, A2
``(I_A^-1 + I_B^-1)^-1``         ``(I_A.inverse() + I_B.inverse()).inverse()``                    48, A3
===============================  ===============================================================  =========

A rigid-body inertia is an articulated-body inertia of a special form, which sums of rigid bodies and changes of frame keep.

>>> I, v = RigidBodyInertia(2.0, [0, 0, 0.5], np.eye(3), frame="link"), MotionVector([0, 1, 0, 0, 0, 0])
>>> I @ v
ForceVector(moment=[0, 1.5, 0], force=[1, 0, 0], frame='link')
>>> I + I
RigidBodyInertia(mass=4, center_of_mass=[0, 0, 0.5], inertia=[[2, 0, 0], [0, 2, 0], [0, 0, 2]], frame='link')
>>> I.inverse() @ (I @ v) == v
True
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.algebra.matrices import NEARLY, NOISE
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, naming
from pluecker.spatial.functions.coordinates import (
    compose,
    invert,
    pluecker_transform,
    transform_inertia,
    transform_motion,
    transform_parameters,
)
from pluecker.spatial.functions.rigid_body import (
    body_kinetic_energy,
    body_momentum,
    inertia_parameters,
    inertia_rate,
    inverse_inertia,
    spatial_inertia,
)
from pluecker.spatial.typed.base import Typed
from pluecker.spatial.typed.frames import F6, M6, common_frame
from pluecker.spatial.typed.vectors import ForceVector, MotionVector

__all__ = ["ArticulatedInertia", "InverseInertia", "RigidBodyInertia", "SymmetricMap"]

LOST = 0.1  # of an inertia about the centre of mass, to rounding of what the distance of the centre adds to it


def allowed_asymmetry(matrix: Array) -> Array:
    """Return the allowed difference of entries ij and ji: 1e-6 of what ii and jj allow, and rounding of the largest in their
    blocks.
    """
    size = np.sqrt(np.abs(np.diagonal(matrix, axis1=-2, axis2=-1)))
    block = np.repeat(np.stack([size[..., :3].max(axis=-1), size[..., 3:].max(axis=-1)], axis=-1), 3, axis=-1)
    return NEARLY * size[..., :, None] * size[..., None, :] + NOISE * block[..., :, None] * block[..., None, :]


def symmetric(matrix: Array) -> Array:
    """The symmetric part, free of rounding."""
    return 0.5 * matrix + 0.5 * np.swapaxes(matrix, -1, -2)


class SymmetricMap(Typed):
    """Base class of inertias and their inverses: a symmetric matrix."""

    __slots__ = ()

    def __init__(self, matrix: ArrayLike, frame: str | None = None) -> None:
        A = as_floats(type(self).__name__, "matrix", matrix, (6, 6))
        with np.errstate(all="ignore"):
            wrong = np.argwhere(np.abs(A - np.swapaxes(A, -1, -2)) > allowed_asymmetry(A))
        if len(wrong):
            i = ", ".join(map(str, wrong[0]))
            j = ", ".join(map(str, [*wrong[0][:-2], wrong[0][-1], wrong[0][-2]]))
            raise ArgumentValueError(
                f"{type(self).__name__}: matrix is not symmetric, [{i}] is {A[tuple(wrong[0])]:.6g} and"
                f" [{j}] is {np.swapaxes(A, -1, -2)[tuple(wrong[0])]:.6g}"
            )
        self._set(symmetric(A), (frame,))

    @property
    def matrix(self) -> Array:
        """The symmetric matrix, as an array that cannot be written to, ``(..., 6, 6)``."""
        return self._values

    @property
    def frame(self) -> str | None:
        """The frame that the coordinates belong to."""
        return self._frames[0]


class ArticulatedInertia(SymmetricMap):
    """A map from M6 to F6: what force a body needs per acceleration, where joints may let parts of it move.

    Args:
        matrix: symmetric, ``(..., 6, 6)``; blocks in kg m^2, kg m, kg.
        frame: the name of the frame of the coordinates.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not symmetric; the frame is no name.

    Source: RBDA section 7.1; course, section 46.
    """

    __slots__ = ()
    _noun, _symbol, _spaces = "inertia", r"\mathbf{I}^A", (F6, F6)

    def __matmul__(self, other: MotionVector) -> ForceVector:
        """``I v``, a momentum; ``I a``, a force."""
        if not isinstance(other, MotionVector):
            self._refuse(" @ ", other, "an inertia maps motion to force vectors; force to motion by its inverse()")
        product = f"{self._noun} @ {other._noun}"
        frame = common_frame(product, self.frame, other.frame)
        with naming(product):
            return ForceVector._make(body_momentum(self._values, other._values), frame)

    def kinetic_energy(self, velocity: MotionVector) -> Any:
        """``1/2 v . I v``, ``(...)``; J.

        Raises:
            TypeError, ValueError: not a motion vector; in another frame; the batches do not broadcast.
        """
        self._velocity("kinetic_energy", velocity)
        return body_kinetic_energy(self._values, velocity._values)

    def rate(self, velocity: MotionVector) -> Array:
        """``v x* I - I v x``: how the inertia of a body with this velocity changes, in a fixed frame; ``(..., 6, 6)``.

        A plain array: the rate of an inertia is no inertia, and cannot be added to one.

        Raises:
            TypeError, ValueError: not a motion vector; in another frame; the batches do not broadcast.
        """
        self._velocity("rate", velocity)
        with naming("rate"):
            return inertia_rate(self._values, velocity._values)

    def _velocity(self, method: str, velocity: Any) -> str | None:
        if not isinstance(velocity, MotionVector):
            raise ArgumentTypeError(f"{method}: velocity is a {type(velocity).__name__}, expected a MotionVector")
        return common_frame(f"{method} of {self._noun} with {velocity._noun}", self.frame, velocity.frame)

    def inverse(self) -> InverseInertia:
        """The map from F6 to M6.

        Raises:
            ValueError: the inertia is not positive definite.
        """
        return InverseInertia._make(inverse_inertia(self._values), self.frame)

    def _transformed(self, X: Array) -> Array:
        return symmetric(transform_inertia(X, self._values))


class RigidBodyInertia(ArticulatedInertia):
    """The inertia of a rigid body, about the origin of its frame.

    Args:
        mass: positive, ``(...)``; kg.
        center_of_mass: in the frame, ``(..., 3)``; m.
        inertia: the rotational inertia about the centre of mass, in axes parallel to the frame's, symmetric,
            ``(..., 3, 3)``; kg m^2. Whether a body can have it is not asked.
        frame: the name of the frame.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; the mass is not positive; the inertia
            is not symmetric; the frame is no name.

    Source: RBDA section 2.13; course, section 45.
    """

    __slots__ = ()
    _noun, _symbol = "rigid-body inertia", r"\mathbf{I}"

    def __init__(
        self, mass: ArrayLike, center_of_mass: ArrayLike, inertia: ArrayLike, frame: str | None = None
    ) -> None:
        name = type(self).__name__
        mass = as_floats(name, "mass", mass, ())
        center_of_mass = as_floats(name, "center_of_mass", center_of_mass, (3,))
        inertia = as_floats(name, "inertia", inertia, (3, 3))
        with naming(name):
            values = spatial_inertia(mass, center_of_mass, inertia)
            self._set(values, (frame,))
            given = np.broadcast_to(inertia, (*values.shape[:-2], 3, 3))
            lost = np.abs(inertia_parameters(values)[2] - given).max(axis=(-1, -2))
        size = np.abs(given).max(axis=(-1, -2))
        if ((lost > LOST * size) & (size > 0.0)).any():
            raise ArgumentValueError(
                f"{type(self).__name__}: the inertia about so distant a centre of mass is lost in rounding: "
                "choose a frame nearer to the body"
            )

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, frame: str | None = None) -> RigidBodyInertia:
        """Make an inertia of its matrix ``[J, h~; -h~, m 1]``, ``(..., 6, 6)``; ValueError if it is not of that form."""
        with naming(f"{cls.__name__}.from_matrix"):
            return cls(*inertia_parameters(matrix), frame)

    def _set(self, values: Array, frames: tuple[str | None, ...]) -> None:
        super()._set(values, frames)
        mass = values[..., 5, 5]
        if not (mass > 0).all():
            raise ArgumentValueError(f"{type(self).__name__}: the mass is {mass.min():.6g}, expected a positive number")

    @property
    def mass(self) -> Any:
        """The mass, ``(...)``; kg."""
        return inertia_parameters(self._values)[0][()]

    @property
    def center_of_mass(self) -> Array:
        """The centre of mass in the frame, ``(..., 3)``; m."""
        return inertia_parameters(self._values)[1]

    @property
    def inertia_about_center(self) -> Array:
        """The rotational inertia about the centre of mass, ``(..., 3, 3)``; kg m^2."""
        return inertia_parameters(self._values)[2]

    def _transformed(self, X: Array) -> Array:
        """Transform the parameters: the mass stays, the centre of mass is transformed, the rotational inertia rotated."""
        mass, center, inertia = inertia_parameters(self._values)
        # From the target to the centre of mass, in the axes of the source.
        back = compose(pluecker_transform(np.eye(3), center), invert(X))
        R, center = transform_parameters(back)
        return spatial_inertia(mass, center, np.swapaxes(R, -1, -2) @ inertia @ R)

    @classmethod
    def _fields(cls, values: Array) -> Mapping[str, Array]:
        return dict(zip(("mass", "center_of_mass", "inertia"), inertia_parameters(values), strict=True))


class InverseInertia(SymmetricMap):
    """A map from F6 to M6: the acceleration of a body per force. Made by ``inverse()`` of an inertia.

    Args:
        matrix: symmetric, ``(..., 6, 6)``; blocks in 1/(kg m^2), 1/(kg m), 1/kg.
        frame: the name of the frame of the coordinates.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not symmetric; the frame is no name.

    Source: RBDA section 2.15; course, section 48, exercises A2 and A3.
    """

    __slots__ = ()
    _noun, _symbol, _spaces = "inverse inertia", r"\mathbf{I}^{-1}", (M6, M6)

    def __matmul__(self, other: ForceVector) -> MotionVector:
        """``I^-1 f``"""
        if not isinstance(other, ForceVector):
            self._refuse(" @ ", other, "an inverse inertia maps force to motion vectors")
        product = f"{self._noun} @ {other._noun}"
        frame = common_frame(product, self.frame, other.frame)
        with naming(product):
            return MotionVector._make(body_momentum(self._values, other._values), frame)

    def inverse(self) -> ArticulatedInertia:
        """The map from M6 to F6.

        Raises:
            ValueError: the inverse inertia is not positive definite, as where a body cannot move in all directions.
        """
        return ArticulatedInertia._make(inverse_inertia(self._values), self.frame)

    def _transformed(self, X: Array) -> Array:
        """``X I^-1 X^T``: the columns are motion vectors, and so are the rows."""
        X = X[..., None, :, :]
        half = transform_motion(X, self._values)  # the rows of I^-1 X^T
        return symmetric(transform_motion(X, np.swapaxes(half, -1, -2)))
