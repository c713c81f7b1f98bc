"""Transform and motion subspace of one joint, as functions of its coordinates.

Sources: RBDA, section 4.4 (``jcalc``, table 4.1); Featherstone's course on spatial vectors, section 55.8.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.forward_kinematics import body_velocities, forward_kinematics
from pluecker.articulated.errors import ModelError
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model, ModelBuilder
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import as_floats, as_option, naming
from pluecker.spatial.functions.coordinates import transform_from_placement

__all__ = ["joint_transform"]


def joint_transform(
    type: str,
    q: ArrayLike,
    axis: ArrayLike | None = None,
    axis2: ArrayLike | None = None,
    *,
    pitch: float | None = None,
) -> tuple[Array, Array]:
    """The transform across a joint, and the motion that it allows.

    With ``v_J = S dq/dt`` (of a quaternion, ``S`` times the joint's velocity coordinates), the body's velocity against its
    parent in the body's own coordinates, ``dX/dt = -(v_J x) X``.

    Args:
        type: of the joint, as in :meth:`~pluecker.articulated.ModelBuilder.add_joint`: ``fixed``, ``revolute``,
            ``continuous``, ``prismatic``, ``helical``, ``cylindrical``, ``universal``, ``spherical``, ``exponential``,
            ``euler_xyx`` to ``euler_zyz``, ``planar``, ``free``.
        q: the joint's coordinates, ``(..., nq)``; rad, m, quaternions ``[w, x, y, z]``. A revolute joint has ``nq = 1``, a
            fixed one 0, a free one 7, the position first.
        axis: the joint's axis in its own frame, ``(3,)``, of any length but zero; of ``planar`` the normal. Joints without
            an axis have none.
        axis2: of ``universal`` the second axis, which the first carries along; of ``planar`` the direction of the first
            travel, chosen if None; ``(3,)``.
        pitch: of a helical joint, travel per angle; m/rad.

    Returns:
        ``X (..., 6, 6)``, the transform of motion vectors from the coordinates of the parent to those of the child, whose
        frames agree at zero displacement; ``S (..., 6, nv)``, the motion subspace in coordinates of the child, a column for
        each velocity coordinate, angular part first.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; no such joint; an axis or a pitch that is
            missing, superfluous or cannot be; a quaternion that is not of unit length.

    Source: RBDA, section 4.4; course, section 55.8.

    Example:
        >>> X, S = joint_transform("helical", [0.0], axis=[0, 0, 1], pitch=0.5)
        >>> S[:, 0]
        array([0. , 0. , 1. , 0. , 0. , 0.5])
    """
    function = "joint_transform"
    type = as_option(function, "type", type, JOINT_TYPES)
    axes = [None if a is None else single(name, a, (3,)) for name, a in (("axis", axis), ("axis2", axis2))]
    try:
        model = one_joint(type, *axes, None if pitch is None else single("pitch", pitch, ()))
    except ModelError as error:
        raise ArgumentValueError(f"{function}: {str(error).removeprefix(f'joint {type!r}: ')}") from None
    coordinates = as_floats(function, "q", q, (model.nq,))
    with naming(function):
        X = transform_from_placement(forward_kinematics(model, coordinates, ["child"])[..., 0, :, :])
        if not model.nv:
            return X, np.zeros((*X.shape[:-1], 0))
        columns = body_velocities(model, coordinates[..., None, :], np.eye(model.nv))
        return X, np.swapaxes(columns[..., 0, :], -1, -2).copy()


def single(name: str, value: ArrayLike, shape: tuple[int, ...]) -> tuple[float, ...]:
    """Convert an argument without leading axes to a tuple of floats, which a cache can take as a key."""
    array = as_floats("joint_transform", name, value, shape)
    if array.shape != shape:
        raise ArgumentValueError(f"joint_transform: {name} has shape {array.shape}, expected {shape}")
    return tuple(array.reshape(-1).tolist())


@functools.lru_cache(maxsize=64)
def one_joint(
    type: str, axis: tuple[float, ...] | None, axis2: tuple[float, ...] | None, pitch: tuple[float, ...] | None
) -> Model:
    """A mechanism of one body on one joint, whose frames agree with the world's."""
    builder = ModelBuilder()
    builder.add_body("child", mass=1.0)
    builder.add_joint(
        type, type, parent="world", child="child", axis=axis, axis2=axis2, pitch=None if pitch is None else pitch[0]
    )
    return builder.build()
