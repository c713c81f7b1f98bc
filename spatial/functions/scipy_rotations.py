"""Rotations and placements of ``scipy.spatial.transform``, there and back.

=========================================  ========================================================
of the package                             of SciPy
=========================================  ========================================================
unit quaternions ``[w, x, y, z]``          ``Rotation``, whose quaternions are ``[x, y, z, w]``
transforms of motion vectors               ``RigidTransform``
=========================================  ========================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.algebra.matrices import NEARLY
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError
from pluecker.spatial.extras import MissingExtraError
from pluecker.spatial.functions.arguments import Array, as_floats, composed
from pluecker.spatial.functions.coordinates import placement, transform_from_placement

__all__ = ["from_scipy", "to_scipy"]


@composed
def to_scipy(value: ArrayLike) -> Any:
    """Quaternions or transforms as objects of ``scipy.spatial.transform``.

    Args:
        value: unit quaternions, ``(..., 4)``, or transforms of motion vectors, ``(..., 6, 6)``.

    Returns:
        A ``Rotation`` that turns body into world coordinates; or, for a transform from A to B, a ``RigidTransform`` that
        turns coordinates of points in B into those in A.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of one of these shapes, not of unit length, no transform.
        MissingExtraError: a ``RigidTransform`` needs SciPy 1.16; more than one leading axis, 1.17.

    Source: documentation of ``scipy.spatial.transform``; the placement that belongs to a transform, RBDA section 2.8.
    """
    from scipy.spatial import transform

    array = as_floats("to_scipy", "value", value, ())
    try:
        if array.shape[-2:] != (6, 6):
            return transform.Rotation.from_quat(np.roll(check_unit("to_scipy", array), -1, axis=-1))
        if not hasattr(transform, "RigidTransform"):
            raise MissingExtraError("to_scipy: this SciPy has no RigidTransform; version 1.16 has")
        return transform.RigidTransform.from_matrix(placement(array))
    except PlueckerError:
        raise
    except ValueError as error:  # of a SciPy that takes one leading axis
        raise MissingExtraError(
            f"to_scipy: this SciPy does not take the shape {array.shape}; version 1.17 does ({error})"
        ) from None


def check_unit(function: str, p: ArrayLike) -> Array:
    """The quaternions, if they are of unit length."""
    p = as_floats(function, "value", p, (4,))
    length = np.linalg.norm(p, axis=-1)
    if (np.abs(length - 1.0) > NEARLY).any():
        worst = float(length.flat[np.argmax(np.abs(length - 1.0))])
        raise ArgumentValueError(
            f"{function}: a quaternion has length {worst:.9g}, expected 1 within 1e-6 (order [w, x, y, z])"
        )
    return p


def from_scipy(value: Any) -> Array:
    """Objects of ``scipy.spatial.transform`` as arrays: the inverse of :func:`to_scipy`.

    Args:
        value: a ``Rotation`` or a ``RigidTransform``.

    Returns:
        Unit quaternions, ``(..., 4)``, of a ``Rotation``; transforms of motion vectors, ``(..., 6, 6)``, of a
        ``RigidTransform``.

    Raises:
        TypeError: it is neither.

    Source: as :func:`to_scipy`.
    """
    from scipy.spatial import transform

    if isinstance(value, transform.Rotation):
        return np.roll(value.as_quat(), 1, axis=-1)
    if hasattr(transform, "RigidTransform") and isinstance(value, transform.RigidTransform):
        return transform_from_placement(value.as_matrix())
    raise ArgumentTypeError(
        f"from_scipy: value is a {type(value).__name__}, expected a Rotation or a RigidTransform of SciPy"
    )
