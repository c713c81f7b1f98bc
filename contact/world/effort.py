"""Inverse dynamics of a world: see ``World.inverse_dynamics``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.checks import names_in
from pluecker.contact.instants.inverse import Effort, least_effort
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.contact.world.handle import JOINTS
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers

if TYPE_CHECKING:
    from pluecker.contact.world.instants import Instants

__all__ = ["find_effort"]


def find_effort(
    world: Instants,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None,
    actuated: Iterable[str] | None,
    weights: ArrayLike,
    time: ArrayLike,
) -> Effort:
    """Compute tau and the forces of the constraints, with the least effort of the drives."""
    model = world.model
    needed = rnea(model, q, v, a, f_ext)
    driven = np.full(model.nv, actuated is None)
    for joint in () if actuated is None else names_in("World.inverse_dynamics", "actuated", actuated):
        driven[model.v_slice(joint)] = True
    scale = as_weights(weights, model.nv)
    names = [name for name, part in zip((*world.names, JOINTS), world.parts, strict=True) for _ in part.rows]
    laws = [row for part in world.parts[:-1] for row in part.rows]
    n = len(laws)  # the joints' own friction is in rnea already
    rows = world.rows_at(q, v, time=time)
    own = RowsAt(rows.error[..., :n], rows.jacobian[..., :n, :], rows.bias[..., :n], rows.speed[..., :n])
    speed, gain = (as_numbers("World.inverse_dynamics", name, x) for name, x in (("v", v), ("a", a)))
    effort = least_effort(model, names, laws, own, speed, gain, needed, driven, scale)
    joints = np.zeros((*effort.forces.shape[:-1], world.n_rows - n))
    return Effort(effort.tau, np.concatenate([effort.forces, joints], axis=-1))


def as_weights(weights: ArrayLike, nv: int) -> Array:
    """Check the weights of the drives, and broadcast them to one for each coordinate, ``(nv,)``."""
    scale = as_numbers("World.inverse_dynamics", "weights", weights)
    if scale.shape not in ((), (nv,)) or not (np.isfinite(scale) & (scale > 0.0)).all():
        raise ArgumentValueError(
            f"World.inverse_dynamics: weights is {shown(weights)}, expected numbers above 0, one or ({nv},)"
        )
    return np.broadcast_to(scale, (nv,))
