"""A smooth motion for any robot, given in closed form, so that its derivatives are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, make_interp_spline

from pluecker.articulated.algorithms.random_configuration import random_configuration
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model

__all__ = ["SmoothMotion", "smooth_motion"]

Array = NDArray[np.float64]
WAYPOINTS = 6
SPEED = 0.8  # of the velocity limits
FASTEST = 2.0  # rad/s or m/s, where the robot has no limit


@dataclass
class SmoothMotion:
    """Coordinates along splines of degree seven, at rest at both ends.

    A spherical joint turns about a fixed axis by the first of its three curves; a free joint does so too, and its origin
    follows the three that come after.
    """

    model: Model
    duration: float
    curves: BSpline  # (nv,) over time

    def __call__(self, time: Array) -> tuple[Array, Array, Array]:
        """Configuration, velocity, acceleration at the times ``(n,)``."""
        x, dx, ddx = self.curves(time), self.curves(time, 1), self.curves(time, 2)
        q = np.zeros((len(time), self.model.nq))
        v, a = dx.copy(), ddx.copy()
        for joint in self.model.joints:
            if joint.mimic is not None:
                continue
            k, j = joint.q_start, joint.v_start
            if joint.type not in ("spherical", "free"):
                n = JOINT_TYPES[joint.type].nq
                q[:, k : k + n] = x[:, j : j + n]
                continue
            u = np.ones(3) / np.sqrt(3.0)
            half = 0.5 * x[:, j]
            v[:, j : j + 3], a[:, j : j + 3] = np.outer(dx[:, j], u), np.outer(ddx[:, j], u)
            if joint.type == "free":
                q[:, k : k + 3] = x[:, j + 3 : j + 6]
                v[:, j + 3 : j + 6] = turned_back(u, x[:, j], dx[:, j + 3 : j + 6])
                a[:, j + 3 : j + 6] = turned_back(u, x[:, j], ddx[:, j + 3 : j + 6])
                a[:, j + 3 : j + 6] -= np.cross(v[:, j : j + 3], v[:, j + 3 : j + 6])
                k += 3
            q[:, k] = np.cos(half)
            q[:, k + 1 : k + 4] = np.sin(half)[:, None] * u
        return q, v, a


def turned_back(u: Array, angle: Array, x: Array) -> Array:
    """R^T x for the turns R about the unit axis ``u`` (Rodrigues)."""
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return c * x - s * np.cross(u, x) + (1.0 - c) * (x @ u)[:, None] * u


def smooth_motion(model: Model, seed: int = 18) -> SmoothMotion:
    """A motion through random configurations in the inner half of the position limits, within the velocity limits."""
    q = random_configuration(model, seed, WAYPOINTS)
    bounded = np.isfinite(model.lower_limit) & np.isfinite(model.upper_limit)
    middle = np.zeros(model.nq)
    middle[bounded] = 0.5 * (model.lower_limit[bounded] + model.upper_limit[bounded])
    points = np.zeros((WAYPOINTS, model.nv))
    for joint in model.joints:
        if joint.mimic is None:
            k, j, n = joint.q_start, joint.v_start, JOINT_TYPES[joint.type].nv
            if joint.type in ("spherical", "free"):
                points[:, j : j + n] = np.random.default_rng(seed).uniform(-0.5, 0.5, (WAYPOINTS, n))
            else:
                around = np.clip(middle[k : k + n], -np.pi, np.pi)
                points[:, j : j + n] = around + np.clip(0.5 * (q[:, k : k + n] - middle[k : k + n]), -1.5, 1.5)
    at_rest = [(k, np.zeros(model.nv)) for k in (1, 2, 3)]
    unit = make_interp_spline(np.linspace(0.0, 1.0, WAYPOINTS), points, k=7, bc_type=(at_rest, at_rest))
    fastest = np.abs(unit(np.linspace(0.0, 1.0, 1000), 1)).max(axis=0)
    limits = np.minimum(np.where(model.velocity_limit > 0.0, model.velocity_limit, FASTEST), FASTEST)
    duration = max(1.0, float(np.max(fastest / (SPEED * limits), initial=0.0)))
    return SmoothMotion(model, duration, BSpline(unit.t * duration, unit.c, unit.k))
