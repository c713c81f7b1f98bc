"""Other libraries' orders of coordinates: the one place where anything is reordered.

=====================  ======================================  ==========================================
convention             this package                            Pinocchio
=====================  ======================================  ==========================================
joints                 in the user's (the file's) order        depth-first, children sorted by name
6D vectors             angular part first                      linear part first
quaternions            ``[w, x, y, z]``                        ``[x, y, z, w]``
continuous joints      one angle                               cosine and sine
free joint             called ``floating_base`` from URDF      called ``root_joint``
mimic joints           follow their source                     move by themselves unless asked otherwise
Euler joints           twelve sequences                        ``euler_zyx`` alone, as ``JointModelSphericalZYX``
exponential joints     a rotation vector                       none
=====================  ======================================  ==========================================

Joints are matched by name. Everything with a velocity's components is linear, and one matrix says it all: with
``G = velocity_map_to_pinocchio(...)``, ``v_pin = G v``, ``a_pin = G a``, ``tau = G^T tau_pin``, ``H = G^T M_pin G``; mimic
joints that move by themselves there are among its rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.joints import JOINT_TYPES, JointType, native_kind
from pluecker.articulated.model.model import Joint, Model
from pluecker.articulated.model.records import known
from pluecker.articulated.running.arguments import as_floats, as_model
from pluecker.articulated.running.fields import STANDARD
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, UnknownNameError
from pluecker.spatial.functions.arguments import as_numbers, not_finite

__all__ = ["forces_to_pinocchio", "from_pinocchio_q", "to_pinocchio_q", "velocity_map_to_pinocchio"]

Array = NDArray[np.float64]
ALIKE = {"euler_zyx": "JointModelSphericalZYX"}  # chains here that are one joint there


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
        TypeError: a model is none.
        ValueError: a joint of a type that has other coordinates there (cylindrical, universal, planar), or that is not there
            (exponential, Euler joints but ``euler_zyx``).

    Source: Carpentier et al. (2019) and the documentation of Pinocchio, for its orders.
    """
    model = check_models("to_pinocchio_q", model, pin_model)
    q = finite_numbers("to_pinocchio_q", "q", as_floats("to_pinocchio_q", model, STANDARD["q"], q))
    result = np.zeros((*q.shape[:-1], pin_model.nq))
    for joint, kind, theirs in matched("to_pinocchio_q", model, pin_model):
        there = slice(theirs.idx_q, theirs.idx_q + theirs.nq)
        values = q[..., [joint.q_start + k for k in kind.scalar_last]]
        if joint.mimic is not None:
            values = joint.mimic[1] * values + joint.mimic[2]
        result[..., there] = (
            values if kind.nq == theirs.nq else np.concatenate([np.cos(values), np.sin(values)], axis=-1)
        )
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

    Source: Carpentier et al. (2019) and the documentation of Pinocchio, for its orders.
    """
    model = check_models("from_pinocchio_q", model, pin_model)
    q_pin = as_numbers("from_pinocchio_q", "q_pin", q_pin)
    if q_pin.shape[-1:] != (pin_model.nq,):
        raise ArgumentValueError(f"from_pinocchio_q: q_pin has shape {q_pin.shape}, expected (..., {pin_model.nq})")
    finite_numbers("from_pinocchio_q", "q_pin", q_pin)
    q = np.zeros((*q_pin.shape[:-1], model.nq))
    for joint, kind, theirs in matched("from_pinocchio_q", model, pin_model):
        if joint.mimic is not None:
            continue
        values = q_pin[..., theirs.idx_q : theirs.idx_q + theirs.nq]
        if kind.nq != theirs.nq:
            values = np.arctan2(values[..., 1:], values[..., :1])
        q[..., [joint.q_start + k for k in kind.scalar_last]] = values
    return q


def velocity_map_to_pinocchio(model: Model, pin_model: Any) -> Array:
    """The matrix G of ``v_pin = G v``, which also carries accelerations, and by its transpose forces and matrices.

    Args:
        model: the mechanism.
        pin_model: a ``pinocchio.Model`` of the same mechanism.

    Returns:
        ``(pin_model.nv, nv)``: for free joints the linear part comes first in the rows, the angular part in the columns.

    Source: Carpentier et al. (2019) and the documentation of Pinocchio, for its orders.
    """
    model = check_models("velocity_map_to_pinocchio", model, pin_model)
    G = np.zeros((pin_model.nv, model.nv))
    for joint, kind, theirs in matched("velocity_map_to_pinocchio", model, pin_model):
        for row, k in enumerate(kind.linear_first):
            G[theirs.idx_v + row, joint.v_start + k] = 1.0 if joint.mimic is None else joint.mimic[1]
    return G


def forces_to_pinocchio(model: Model, pin_model: Any, f_ext: ArrayLike) -> list[Array]:
    """Forces on bodies in Pinocchio's order: one ``[f; n]`` for each of its joints, the world first.

    Args:
        model: the mechanism.
        pin_model: a ``pinocchio.Model`` of the same mechanism.
        f_ext: of one state, ``(n_bodies, 6)``, ``[n; f]`` in body coordinates.

    Returns:
        ``pin_model.njoints`` arrays ``(6,)``, in the coordinates of the joint's body; wrap each in ``pinocchio.Force``.

    Source: Carpentier et al. (2019) and the documentation of Pinocchio, for its orders.
    """
    model = check_models("forces_to_pinocchio", model, pin_model)
    f_ext = as_floats("forces_to_pinocchio", model, STANDARD["f_ext"], f_ext)
    if f_ext.ndim != 2:
        raise ArgumentValueError(f"forces_to_pinocchio: f_ext has shape {f_ext.shape}, expected those of one state")
    finite_numbers("forces_to_pinocchio", "f_ext", f_ext)
    forces = [np.zeros(6) for _ in range(pin_model.njoints)]
    for joint, _, theirs in matched("forces_to_pinocchio", model, pin_model):
        forces[theirs.id] = np.roll(f_ext[model.body_index(joint.child)], 3)
    return forces


def check_models(function: str, model: Any, pin_model: Any) -> Model:
    """Return our model, refusing what is not one of ours and one of Pinocchio's."""
    found = as_model(function, model)
    if not all(hasattr(pin_model, name) for name in ("nq", "nv", "njoints", "names", "joints")):
        raise ArgumentTypeError(f"{function}: pin_model must be a pinocchio.Model, got a {type(pin_model).__name__}")
    return found


def finite_numbers(function: str, name: str, array: Array) -> Array:
    """Return the array, if all its entries are finite."""
    if not np.isfinite(array).all():
        raise ArgumentValueError(not_finite(function, name, array))
    return array


def matched(function: str, model: Model, pin_model: Any) -> list[tuple[Joint, JointType, Any]]:
    """Pair joints of both models by name: our joint, its type, and theirs; a floating base's may have another name there."""
    ours = {joint.name: joint for joint in model.joints}
    pairs = []
    for k in range(1, pin_model.njoints):
        name, theirs = pin_model.names[k], pin_model.joints[k]
        if name == "root_joint" and name not in ours:
            alike = [joint.name for joint in model.joints if fits(joint.type, theirs)]
            name = alike[0] if len(alike) == 1 else name
        if name not in ours:
            raise UnknownNameError(
                f"{function}: Pinocchio's joint {name!r} is not in model {model.name!r}; there are {known(name, ours)}"
            )
        joint, kind = ours[name], JOINT_TYPES[ours[name].type]
        if not fits(joint.type, theirs):
            raise ArgumentValueError(
                f"{function}: joint {name!r}: a {joint.type} joint has other coordinates in Pinocchio"
            )
        pairs.append((joint, kind, theirs))
    return pairs


def fits(name: str, theirs: Any) -> bool:
    """Return whether a type of joint has the same coordinates as one of Pinocchio's, but for their order, and for cosine and
    sine in place of an angle.
    """
    kind, sizes = JOINT_TYPES[name], (theirs.nq, theirs.nv)
    if name in ALIKE:
        return bool(theirs.shortname() == ALIKE[name])
    return (
        len(kind.chain) == 1
        and not native_kind(kind.chain[0]).ours_alone
        and sizes in [(kind.nq, kind.nv), (2, 1) if kind.one_freedom else (kind.nq, kind.nv)]
    )
