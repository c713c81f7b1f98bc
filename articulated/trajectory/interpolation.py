"""A trajectory between its samples: curves on the configuration manifold.

Between two samples, h apart, a configuration is ``q0`` and a displacement d in the coordinates of v, as :func:`integrate`
moves it. Where both velocities are known, d is the cubic polynomial with

    d(0) = 0,    h d'(0) = h v0,    d(1) = difference(q0, q1),    h d'(1) = dexp^-1(h v1)

in which dexp^-1 turns the velocity at ``q1`` into the rate of the displacement: of joints with a quaternion

    d' = v + ad_d v / 2 + ad_d^2 v / 12 - ad_d^4 v / 720 + ...

Sources: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), section III.4, for the series; RBDA section 2.9 for
ad, the motion cross product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.integrate import difference, integrate
from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.trajectory.samples import PARTS, Samples

__all__ = ["displacement_rate", "interpolate"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
# of ad_d^k v, k = 1, 2, 4, 6, ...: 1/2, then B_k / k! with the numbers of Bernoulli
SERIES = {1: 1 / 2, 2: 1 / 12, 4: -1 / 720, 6: 1 / 30240, 8: -1 / 1209600, 10: 1 / 47900160, 12: -691 / 1307674368000}


def interpolate(trajectory: Samples, times: Array) -> Any:
    """Interpolate at times that are within those of the samples, see :meth:`Trajectory.at`."""
    time = trajectory.time
    assert time is not None
    if trajectory.failures:
        return up_to_failures(trajectory, times)
    last = max(len(time) - 2, 0)
    k = np.clip(np.searchsorted(time, times, side="right") - 1, 0, last)
    after = np.minimum(k + 1, len(time) - 1)
    h = np.where(after > k, time[after] - time[k], 1.0)
    s = (times - time[k]) / h

    def linear(values: Array, axis: int) -> Array:
        weight = s.reshape(-1, *(1,) * (values.ndim - axis - 1))
        return (1.0 - weight) * values.take(k, axis) + weight * values.take(after, axis)

    def known(part: Array | None) -> Array | None:
        return None if part is None else linear(part, part.ndim - 2)

    q, v, a = trajectory.q, trajectory.v, trajectory.a
    axis = len(trajectory.batch_shape)
    velocities = known(v)
    if v is not None and a is not None:
        ends = (x.take(j, axis) for x in (v, a) for j in (k, after))
        v0, v1, a0, a1 = ends
        velocities = v0 + cubic(s, v1 - v0, h[:, None] * a0, h[:, None] * a1)
    return trajectory.replace(
        time=times,
        q=None if q is None or trajectory.model is None else placed(trajectory.model, q, v, k, after, s, h),
        v=velocities,
        a=known(a),
        tau=known(trajectory.tau),
        columns={name: linear(x, axis) for name, x in trajectory.columns.items()},
        overlays=(),
    )


def up_to_failures(trajectory: Samples, times: Array) -> Any:
    """Interpolate a batch of which motions failed; they are NaN behind their last samples."""
    assert trajectory.time is not None
    parts = {name: None if (x := getattr(trajectory, name)) is None else x.copy() for name in PARTS}
    columns = {name: x.copy() for name, x in trajectory.columns.items()}
    known = np.ones((*trajectory.batch_shape, len(times)), bool)
    for each in trajectory.failures:
        states = [x[each.state] for x in (trajectory.q, trajectory.v) if x is not None]
        finite = (
            np.flatnonzero(np.all([np.isfinite(x).all(axis=-1) for x in states], axis=0)) if states else np.arange(0)
        )
        end = int(finite[-1]) + 1 if len(finite) else 0
        known[each.state] = times <= trajectory.time[end - 1] if end else False
        behind: Any = (*each.state, slice(end, None))
        for name, part in parts.items():  # any numbers that are some: what comes of them is not known
            if part is not None:
                rest = neutral(trajectory.model) if name == "q" and trajectory.model is not None else 0.0
                part[behind] = rest
        for column in columns.values():
            column[behind] = 0.0
    found = interpolate(trajectory.replace(**parts, columns=columns, failures=()), times)
    made = {name: getattr(found, name) for name in PARTS if getattr(found, name) is not None}
    for array in (*made.values(), *found.columns.values()):
        array[~known] = np.nan
    return found.replace(**made, failures=trajectory.failures)


def placed(
    model: Model, q: Array, v: Array | None, k: NDArray[np.intp], after: NDArray[np.intp], s: Array, h: Array
) -> Array:
    """The configurations a share ``s`` of the way from samples ``k`` to ``after``."""
    q0, q1 = np.ascontiguousarray(q[..., k, :]), np.ascontiguousarray(q[..., after, :])
    D = difference(model, q0, q1)
    if v is None:
        d = s[:, None] * D
    else:
        rate = displacement_rate(model, q0, D, q1, v[..., after, :])
        d = cubic(s, D, h[:, None] * v[..., k, :], h[:, None] * rate)
    return integrate(model, q0, d)


def cubic(s: Array, rise: Array, slope0: Array, slope1: Array) -> Array:
    """The cubic polynomial from 0 to ``rise`` with these slopes at its ends (Hermite's)."""
    x = s[:, None]
    return x * x * (3.0 - 2.0 * x) * rise + x * (1.0 - x) ** 2 * slope0 - x * x * (1.0 - x) * slope1


def displacement_rate(model: Model, q0: Array, d: Array, q1: Array, v1: Array) -> Array:
    """The rate of the displacement d from ``q0`` to ``q1`` at the velocity ``v1`` there."""
    rate = v1.copy()
    for joint in model.joints:
        kind = JOINT_TYPES[joint.type]
        if joint.mimic is not None or kind.rate_is_velocity:
            continue
        part = slice(joint.v_start, joint.v_start + kind.nv)
        if kind.quaternion is not None:
            rate[..., part] = inverse_differential(d[..., part], v1[..., part])
        else:  # exponential coordinates: those of q1 are w = q0 + d, or an equivalent vector along it
            x = q1[..., joint.q_start : joint.q_start + 3]
            rate[..., part] = in_other_vector(
                x, q0[..., joint.q_start : joint.q_start + 3] + d[..., part], v1[..., part]
            )
    return rate


def inverse_differential(d: Array, v: Array) -> Array:
    """dexp^-1 of a rotation, or of a motion [angular, linear]."""
    total, term = v.copy(), v
    for k in range(1, max(SERIES) + 1):
        term = cross(d, term)
        if k in SERIES:
            total += SERIES[k] * term
    return total


def cross(d: Array, v: Array) -> Array:
    """d x v of rotations or of motions"""
    if d.shape[-1] == 3:
        return np.cross(d, v)
    w = d[..., :3]
    return np.concatenate(
        [np.cross(w, v[..., :3]), np.cross(d[..., 3:], v[..., :3]) + np.cross(w, v[..., 3:])], axis=-1
    )


def in_other_vector(x: Array, w: Array, v: Array) -> Array:
    """The rate of the rotation vector ``w`` from that of the equivalent ``x`` along it: across them in the ratio of both."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    same = length < 1e-150
    u = x / np.where(same, 1.0, length)
    ratio = np.where(same, 1.0, np.sum(w * u, axis=-1, keepdims=True) / np.where(same, 1.0, length))
    return ratio * v + (1.0 - ratio) * np.sum(u * v, axis=-1, keepdims=True) * u
