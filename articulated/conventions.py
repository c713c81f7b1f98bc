"""Other libraries' orders of coordinates: the one place where anything is reordered.

=====================  ======================================  ==========================================
                       this package                            Pinocchio
=====================  ======================================  ==========================================
joints                 in the user's (the file's) order        depth-first, children sorted by name
6D vectors             angular part first                      linear part first
quaternions            ``[w, x, y, z]``                        ``[x, y, z, w]``
continuous joints      one angle                               cosine and sine
free joint             called ``floating_base`` from URDF      called ``root_joint``
mimic joints           follow their source                     move by themselves unless asked otherwise
=====================  ======================================  ==========================================

Joints are matched by name. Everything with a velocity's components is linear, and one matrix says it all: with
``G = velocity_map_to_pinocchio(...)``, ``v_pin = G v``, ``a_pin = G a``, ``tau = G^T tau_pin``, ``H = G^T M_pin G``; mimic
joints that move by themselves there are among its rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.model import Joint, Model, listing
from pluecker.articulated.running.arguments import as_floats
from pluecker.spatial.errors import ArgumentValueError, UnknownNameError

__all__ = ["forces_to_pinocchio", "from_pinocchio_q", "to_pinocchio_q", "velocity_map_to_pinocchio"]

Array = NDArray[np.float64]

XYZW = [1, 2, 3, 0]  # from [w, x, y, z]
WXYZ = [3, 0, 1, 2]  # from [x, y, z, w]


def to_pinocchio_q(model: Model, pin_model: Any, q: ArrayLike) -> Array:
    """A configuration in Pinocchio's order: joints as in ``pin_model``, quaternions ``[x, y, z, w]``, cosine and sine for
    continuous joints.

    Args:
        model: the mechanism.
        pin_model: a ``pinocchio.Model`` of the same mechanism.
        q: configuration in our order, ``(..., nq)``.

    Returns:
        ``(..., pin_model.nq)``.

    Raises:
        KeyError: a joint of ``pin_model`` is not in ``model``.
        ValueError: a joint of a type that cannot be converted (planar).
    """
    q = as_floats("to_pinocchio_q", model, "q", q)
    result = np.zeros((*q.shape[:-1], pin_model.nq))
    for joint, theirs in matched(model, pin_model):
        there = slice(theirs.idx_q, theirs.idx_q + theirs.nq)
        start = joint.q_start
        if joint.type == "free":
            result[..., there] = q[..., [start, start + 1, start + 2, *(start + 3 + k for k in XYZW)]]
        elif joint.type == "spherical":
            result[..., there] = q[..., [start + k for k in XYZW]]
        else:
            _, ratio, offset = joint.mimic or ("", 1.0, 0.0)
            x = ratio * q[..., start] + offset
            result[..., there] = np.stack([np.cos(x), np.sin(x)] if theirs.nq == 2 else [x], axis=-1)
    return result


def from_pinocchio_q(model: Model, pin_model: Any, q_pin: ArrayLike) -> Array:
    """A configuration in our order from one in Pinocchio's: the inverse of :func:`to_pinocchio_q`, angles of continuous
    joints in (-pi, pi].

    Args:
        model: the mechanism.
        pin_model: a ``pinocchio.Model`` of the same mechanism.
        q_pin: configuration in Pinocchio's order, ``(..., pin_model.nq)``.

    Returns:
        ``(..., nq)``.
    """
    q_pin = np.asarray(q_pin, dtype=np.float64)
    if q_pin.shape[-1:] != (pin_model.nq,):
        raise ArgumentValueError(f"from_pinocchio_q: q_pin has shape {q_pin.shape}, expected (..., {pin_model.nq})")
    q = np.zeros((*q_pin.shape[:-1], model.nq))
    for joint, theirs in matched(model, pin_model):
        if joint.mimic is not None:
            continue
        values = q_pin[..., theirs.idx_q : theirs.idx_q + theirs.nq]
        if joint.type == "free":
            values = values[..., [0, 1, 2, *(3 + k for k in WXYZ)]]
        elif joint.type == "spherical":
            values = values[..., WXYZ]
        elif theirs.nq == 2:
            values = np.arctan2(values[..., 1:], values[..., :1])
        q[..., joint.q_start : joint.q_start + values.shape[-1]] = values
    return q


def velocity_map_to_pinocchio(model: Model, pin_model: Any) -> Array:
    """The matrix G of ``v_pin = G v``, which also carries accelerations, and by its transpose forces and matrices.

    Args:
        model: the mechanism.
        pin_model: a ``pinocchio.Model`` of the same mechanism.

    Returns:
        ``(pin_model.nv, nv)``: for free joints the linear part comes first in the rows, the angular part in the columns.
    """
    G = np.zeros((pin_model.nv, model.nv))
    for joint, theirs in matched(model, pin_model):
        row, column = theirs.idx_v, joint.v_start
        if joint.type == "free":
            G[row : row + 3, column + 3 : column + 6] = np.eye(3)
            G[row + 3 : row + 6, column : column + 3] = np.eye(3)
        elif joint.type == "spherical":
            G[row : row + 3, column : column + 3] = np.eye(3)
        else:
            G[row, column] = 1.0 if joint.mimic is None else joint.mimic[1]
    return G


def forces_to_pinocchio(model: Model, pin_model: Any, f_ext: ArrayLike) -> list[Array]:
    """Forces on bodies in Pinocchio's order: one ``[f; n]`` for each of its joints, the world first.

    Args:
        model: the mechanism.
        pin_model: a ``pinocchio.Model`` of the same mechanism.
        f_ext: of one state, ``(n_bodies, 6)``, ``[n; f]`` in body coordinates.

    Returns:
        ``pin_model.njoints`` arrays ``(6,)``, in the coordinates of the joint's body; wrap each in ``pinocchio.Force``.
    """
    f_ext = as_floats("forces_to_pinocchio", model, "f_ext", f_ext)
    forces = [np.zeros(6) for _ in range(pin_model.njoints)]
    for joint, theirs in matched(model, pin_model):
        forces[theirs.id] = np.roll(f_ext[model.body_index(joint.child)], 3)
    return forces


def matched(model: Model, pin_model: Any) -> list[tuple[Joint, Any]]:
    """Our joints with theirs, by name; the free joint of a floating base may have another name there."""
    ours = {joint.name: joint for joint in model.joints}
    free = [joint for joint in model.joints if joint.type == "free"]
    pairs = []
    for k in range(1, pin_model.njoints):
        name = pin_model.names[k]
        if name == "root_joint" and name not in ours and len(free) == 1:
            name = free[0].name
        if name not in ours:
            raise UnknownNameError(
                f"Pinocchio's joint {name!r} is not in model {model.name!r}; there are {listing(ours)}"
            )
        if ours[name].type in ("cylindrical", "universal", "planar"):
            raise ArgumentValueError(f"joint {name!r}: a {ours[name].type} joint has other coordinates in Pinocchio")
        pairs.append((ours[name], pin_model.joints[k]))
    return pairs
