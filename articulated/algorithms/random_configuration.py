"""Random configurations within the position limits.

Source for quaternions: Marsaglia (1972), four normal numbers scaled to unit length are uniform over all turns.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array

__all__ = ["random_configuration"]


def random_configuration(
    model: Model, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()
) -> Array:
    """Configurations drawn uniformly, each coordinate by itself.

    A coordinate with two limits is drawn between them; with one limit, from an interval of length 2 pi (angles) or 2 m
    (lengths) that begins or ends there; with none, from that interval around zero. Quaternions are uniform over all turns.

    Args:
        model: the mechanism.
        rng: a NumPy generator, or a seed.
        size: leading axes of the result.

    Returns:
        ``size + (nq,)``.

    Raises:
        TypeError: ``rng`` or ``size`` is not what NumPy takes.
    """
    rng = np.random.default_rng(rng)
    shape = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    lower, upper = model.lower_limit.copy(), model.upper_limit.copy()
    width = np.where(model.q_is_angle, 2 * np.pi, 2.0)
    below, above = np.isfinite(lower), np.isfinite(upper)
    lower = np.where(below, lower, np.where(above, upper - width, -width / 2))
    upper = np.where(above, upper, lower + width)
    q = lower + (upper - lower) * rng.random((*shape, model.nq))
    for part in model.quaternion_slices().values():
        p = rng.standard_normal((*shape, 4))
        q[..., part] = p / np.linalg.norm(p, axis=-1, keepdims=True)
    return q
