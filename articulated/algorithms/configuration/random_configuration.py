"""Random configurations within the position limits.

Source for quaternions: Marsaglia (1972), four normal numbers scaled to unit length are uniform over all turns.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = ["random_configuration"]

MOST_AXES = 24  # of the 32 that every NumPy allows, some are needed for what is made of configurations
MOST_NUMBERS = 2**31


def random_configuration(
    model: Model, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()
) -> Array:
    """Configurations drawn uniformly, each coordinate by itself.

    A coordinate with two limits is drawn between them; with one limit, from an interval of length 2 pi (angles) or 2 m
    (lengths) that begins or ends there; with none, from that interval around zero. Quaternions are uniform over all turns,
    and so are exponential coordinates without limits, as vectors not longer than pi.

    Args:
        model: the mechanism.
        rng: a NumPy generator, or a seed.
        size: leading axes of the result.

    Returns:
        ``size + (nq,)``.

    Raises:
        TypeError: ``model`` is not a model, ``rng`` no generator or seed, ``size`` no integer or tuple of integers.
        ValueError: the seed or an axis is negative, or the result would not fit into memory.

    Source: quaternions uniform over all turns, Shoemake (1992); by normal deviates, Muller (1959).
    """
    model = as_model("random_configuration", model)
    rng, shape = as_generator(rng), as_shape(size, model.nq)
    lower, upper = model.lower_limit.copy(), model.upper_limit.copy()
    width = np.where(model.q_is_angle, 2 * np.pi, 2.0)
    below, above = np.isfinite(lower), np.isfinite(upper)
    lower = np.where(below, lower, np.where(above, upper - width, -width / 2))
    upper = np.where(above, upper, lower + width)
    share = rng.random((*shape, model.nq))
    with np.errstate(over="ignore", invalid="ignore"):  # limits that are further apart than float64 reaches
        q = np.where(np.isfinite(upper - lower), lower + (upper - lower) * share, lower * (1.0 - share) + upper * share)
    for part in model.quaternion_slices().values():
        p = rng.standard_normal((*shape, 4))
        q[..., part] = p / np.linalg.norm(p, axis=-1, keepdims=True)
    for part in model.rotation_vector_slices().values():
        if not (below[part].any() or above[part].any()):
            p = rng.standard_normal((*shape, 4))
            length = np.linalg.norm(p[..., 1:], axis=-1, keepdims=True)
            q[..., part] = 2.0 * np.arctan2(length, np.abs(p[..., :1])) / length * p[..., 1:]
    return q


def as_generator(rng: Any, function: str = "random_configuration") -> np.random.Generator:
    """A NumPy generator, from a seed if it is one."""
    what = f"{function}: rng is {shown(rng)}, expected a numpy.random.Generator, a seed or None"
    if isinstance(rng, (bool, str)):
        raise ArgumentTypeError(what)
    try:
        return np.random.default_rng(rng)
    except TypeError:
        raise ArgumentTypeError(what) from None
    except ValueError as error:
        raise ArgumentValueError(f"{what} ({error})") from None


def as_shape(size: Any, nq: int) -> tuple[int, ...]:
    """The leading axes of the result."""
    axes = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) for n in axes):
        raise ArgumentTypeError(f"random_configuration: size is {shown(size)}, expected an integer or a tuple of them")
    if (
        len(axes) > MOST_AXES
        or any(n < 0 for n in axes)
        or math.prod(max(1, int(n)) for n in (*axes, nq)) > MOST_NUMBERS
    ):
        most = f"at most {MOST_AXES} axes, none negative, and {MOST_NUMBERS} numbers in all"
        raise ArgumentValueError(f"random_configuration: size is {shown(size)}, expected {most}")
    return tuple(map(int, axes))
