"""A smooth motion for any robot, given in closed form, so that its derivatives are exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.configuration.random_configuration import random_configuration
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

__all__ = ["SmoothMotion", "smooth_motion"]

Array = NDArray[np.float64]
WAYPOINTS = 6
SPEED = 0.8  # of the velocity limits
FASTEST = 2.0  # rad/s or m/s, where the robot has no limit


@dataclass
class SmoothMotion:
    """Displacements along splines of degree seven, at rest at both ends.

    A joint whose velocity is not the rate of its coordinates, such as a spherical or free one, moves along a constant
    screw, by the first of its curves: its velocity and acceleration are then those of the curve, along the screw.
    """

    model: Model
    duration: float
    curves: BSpline  # (nv,) over time

    def __call__(self, time: Array) -> tuple[Array, Array, Array]:
        """Configuration, velocity, acceleration at the times ``(n,)``."""
        displacement, v, a = self.curves(time), self.curves(time, 1), self.curves(time, 2)
        for joint in self.model.joints:
            if joint.mimic is None and not JOINT_TYPES[joint.type].rate_is_velocity:
                part = self.model.v_slice(joint.name)
                screw = np.full(part.stop - part.start, 1.0 / np.sqrt(3.0))
                for x in (displacement, v, a):
                    x[:, part] = np.outer(x[:, part.start], screw)
        return integrate(self.model, neutral(self.model), displacement), v, a


def smooth_motion(model: Model, seed: int = 18) -> SmoothMotion:
    """A motion through random configurations in the inner half of the position limits, within the velocity limits."""
    from scipy.interpolate import BSpline, make_interp_spline  # here: it takes long to import

    q = random_configuration(model, seed, WAYPOINTS)
    bounded = np.isfinite(model.lower_limit) & np.isfinite(model.upper_limit)
    middle = np.zeros(model.nq)
    middle[bounded] = 0.5 * (model.lower_limit[bounded] + model.upper_limit[bounded])
    points = np.zeros((WAYPOINTS, model.nv))
    for joint in model.joints:
        if joint.mimic is None:
            kind = JOINT_TYPES[joint.type]
            k, j, n = joint.q_start, joint.v_start, kind.nv
            if not kind.rate_is_velocity:
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
