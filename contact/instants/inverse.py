"""Inverse dynamics of mechanisms with loops: joint forces that make a motion, with the least effort of the drives.

    H a + c(q, v) = tau + J^T r,    tau = 0 in the coordinates without a drive

r of the rows that hold is unknown too. With as many drives as freedoms there is one solution for tau; with more, forces can
brace the mechanism against itself, and those with the least ``sum (tau_k / w_k)^2`` are taken.

Source: Nakamura, Ghodoussi (1989), "Dynamics computation of closed-link robot mechanisms with nonredundant and redundant
actuators"; RBDA section 8.12.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import Row
from pluecker.contact.errors import ConstraintError
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.spatial.equality import by_value

__all__ = ["Effort", "least_effort"]

POSSIBLE = 1e-8  # of the largest force, what drives that are not there would have to do
ZERO = 1e-10  # of the largest number of a matrix, a singular value that is rounding
CONSISTENT = 1e-6  # of what an acceleration of a row is made of, that which constraints forbid
ROUNDING = 1e-12  # of all accelerations: rows whose bodies do not move against each other have nothing else


@by_value()
class Effort(NamedTuple):
    """Forces that make a motion: of the joints, and of the constraints.

    Attributes:
        tau: joint forces, ``(..., nv)``; zero in coordinates without a drive; N m or N.
        forces: along the rows of all constraints, ``(..., n_rows)``.
    """

    tau: Array
    forces: Array


def least_effort(
    model: Model,
    names: list[str],
    laws: tuple[Row, ...],
    rows: RowsAt,
    v: Array,
    a: Array,
    needed: Array,
    driven: NDArray[np.bool_],
    weights: Array,
) -> Effort:
    """Compute tau and r.

    Args:
        model: the mechanism.
        names: of the constraint of each row.
        laws: the rows.
        rows: errors, J, bias and speeds.
        v, a: the motion, ``(..., nv)``.
        needed: joint forces without any constraint, ``(..., nv)``.
        driven: the coordinates with a drive, ``(nv,)``.
        weights: of their forces, ``(nv,)``.
    """
    J = rows.jacobian
    rate, gain = np.einsum("...ij,...j->...i", J, v), np.einsum("...ij,...j->...i", J, a) + rows.bias
    held = np.array([not law.ranged and not law.soft and law.inertia == 0.0 for law in laws], dtype=bool)
    check_motion(names, rows, held, a, gain)
    given = np.zeros(np.broadcast_shapes(rows.error.shape, rate.shape, gain.shape))
    for k, law in enumerate(laws):
        if law.inertia > 0.0:
            given[..., k] = -law.inertia * gain[..., k]
        elif law.soft:
            given[..., k] = -law.stiffness * rows.error[..., k] - law.damping * (rate[..., k] - rows.speed[..., k])
        elif law.ranged:
            given[..., k] = -law.friction * np.sign(rate[..., k])
    wanted = needed - np.einsum("...ij,...i->...j", J, given)
    C = np.swapaxes(J[..., held, :], -1, -2)  # J^T of the rows that hold
    passive, active = C[..., ~driven, :], C[..., driven, :] / weights[driven][:, None]
    size = np.abs(C).max(axis=(-2, -1), initial=0.0)
    inverse = pseudoinverse(passive, size)
    r0 = apply(inverse, wanted[..., ~driven])
    project = np.eye(C.shape[-1]) - inverse @ passive
    t = wanted[..., driven] / weights[driven]
    r = r0 + apply(project @ pseudoinverse(active @ project, size), t - apply(active, r0))
    tau = wanted - apply(C, r)
    check_possible(model, driven, tau, needed)
    tau = np.where(driven, tau, 0.0)
    given[..., held] = r
    return Effort(tau, given)


def pseudoinverse(A: Any, size: Any) -> Array:
    """Compute the inverse of least norm; singular values that are rounding of numbers of that size count as zero."""
    U, s, V = np.linalg.svd(A, full_matrices=False)
    zero = s <= ZERO * size[..., None]
    inverse = np.where(zero, 0.0, 1.0) / np.where(zero, 1.0, s)
    return np.asarray(np.swapaxes(V, -1, -2) @ (inverse[..., None] * np.swapaxes(U, -1, -2)))


def apply(A: Any, x: Array) -> Array:
    """Compute A x, of batches."""
    return np.asarray(np.einsum("...ij,...j->...i", A, x))


def check_motion(names: list[str], rows: RowsAt, held: NDArray[np.bool_], a: Array, gain: Array) -> None:
    """Refuse accelerations that constraints forbid."""
    made_of = np.einsum("...ij,...j->...i", np.abs(rows.jacobian), np.abs(a)) + np.abs(rows.bias)
    size = CONSISTENT * made_of.max(axis=-1, initial=0.0, keepdims=True)
    wrong = held & (np.abs(gain) > size + ROUNDING * np.abs(a).max(axis=-1, initial=0.0, keepdims=True))
    if wrong.any():
        place = np.unravel_index(int(np.argmax(np.where(wrong, np.abs(gain), 0.0))), gain.shape)
        raise ConstraintError(
            f"World.inverse_dynamics: constraint {names[place[-1]]!r} forbids this motion: the acceleration of one of its "
            f"rows is {gain[place]:.3g}, expected 0"
        )


def check_possible(model: Model, driven: NDArray[np.bool_], tau: Array, needed: Array) -> None:
    """Refuse motions that the drives cannot make."""
    left = np.where(driven, 0.0, np.abs(tau))
    if (left > POSSIBLE * np.abs(needed).max(axis=-1, initial=0.0, keepdims=True)).any():
        place = np.unravel_index(int(np.argmax(left)), left.shape)
        raise ConstraintError(
            f"World.inverse_dynamics: these drives cannot make the motion: {model.v_names[place[-1]]!r} has none, and "
            f"would need {left[place]:.3g}"
        )
