"""Velocities and accelerations of a trajectory that has positions only: derivatives of splines of degree five."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.trajectory.samples import Samples, TrajectoryError
from pluecker.spatial.errors import shown

__all__ = ["with_derivatives"]

Array = NDArray[np.float64]


def with_derivatives(motion: Samples, model: Model) -> Any:
    """Complete a trajectory, see :meth:`Trajectory.with_derivatives`."""
    v, a = motion.v, motion.a
    if v is None and model.quaternion_slices():
        joints = listing(model.quaternion_slices())
        raise TrajectoryError(f"velocities (v:...) are needed: joint {joints} has a quaternion")
    check_vectors(motion, model)
    if v is None:
        v = derivative(motion, "q")
        a = derivative(motion, "q", 2) if a is None else a
    if a is None:
        a = derivative(motion, "v")
    return motion.replace(v=v, a=a)


def check_vectors(motion: Samples, model: Model) -> None:
    """Refuse missing derivatives if exponential coordinates change to an equivalent vector between samples."""
    if motion.q is None or (motion.v is not None and motion.a is not None):
        return
    for joint, part in model.rotation_vector_slices().items():
        ahead, steps = motion.q[..., 1:, part], np.diff(motion.q[..., part], axis=-2)
        length = np.linalg.norm(ahead, axis=-1)
        changed = np.abs(np.sum(steps * ahead, axis=-1)) > np.pi * length
        if changed.any():
            sample = int(np.argwhere(changed)[0][-1]) + 2
            raise TrajectoryError(
                f"velocities and accelerations are needed: the exponential coordinates of joint {shown(joint)} change "
                f"to an equivalent vector before sample {sample}"
            )


def derivative(motion: Samples, part: str, order: int = 1) -> Array:
    """Differentiate a part of a trajectory with respect to time, ``order`` times, by a spline of degree five."""
    from scipy.interpolate import make_interp_spline  # here: it takes long to import

    values = getattr(motion, part)
    if values is None:
        raise TrajectoryError("positions or velocities are needed where accelerations are missing")
    if motion.time is None:
        raise TrajectoryError("a time column is needed where velocities or accelerations are missing")
    if len(motion) < 6:
        raise TrajectoryError(f"{len(motion)} samples are too few to find derivatives; 6 are needed")
    try:
        with np.errstate(all="ignore"):  # what overflows is an error below, no warning too
            found: Array = make_interp_spline(motion.time, values, k=5, axis=-2).derivative(order)(motion.time)
    except (ValueError, np.linalg.LinAlgError) as error:
        raise TrajectoryError(f"no spline goes through the samples of {part} ({error})") from None
    if not np.isfinite(found).all():
        largest = np.abs(values).max(axis=-1, initial=0.0)
        sample = int(np.unravel_index(np.argmax(largest), largest.shape)[-1]) + 1
        raise TrajectoryError(f"the derivatives of {part} overflow; its largest value is in sample {sample}")
    return found
