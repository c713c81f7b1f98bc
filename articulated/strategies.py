"""Hypothesis strategies for mechanisms: trees of bodies on joints of any type, their states, and those that break code.

    from hypothesis import given
    from pluecker.articulated import aba, rnea, strategies

    @given(strategies.states(strategies.trees()))
    def test_my_dynamics_are_inverse(state):
        model, q, v, a, _, f_ext = state
        ...

The shape of a tree (how many bodies, on which joints, on which parents) is Hypothesis's own and shrinks to one body on the
first type of joint; its numbers are random ones of a seed, which shrinks to 0. Configurations shrink to the neutral one.
Among them are those on which formulas lose digits: no turn, turns of 1e-160 and 1e-8, a quarter and half a turn exactly and
1e-9 less, exponential coordinates next to the change of their vector, and Euler angles as near to gimbal lock as 1e-4.

=======================  ===================================================================================================
strategy                 gives
=======================  ===================================================================================================
:func:`trees`            models of random bodies
:func:`configurations`   ``q``, ``(nq,)``, within the position limits
:func:`velocities`       ``v``, ``(nv,)``, over many orders of magnitude; accelerations and joint forces too
:func:`body_forces`      ``f_ext``, ``(n_bodies, 6)``; none, on one body, on all
:func:`states`           a :class:`State`: a model with all of these
=======================  ===================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.neutral import neutral
from pluecker.articulated.algorithms.random_configuration import random_configuration
from pluecker.articulated.algorithms.random_tree import MOVING, as_joint_types, build_tree
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import as_integer

st = require("hypothesis.strategies", "testing", "pluecker.articulated.strategies")
from pluecker.spatial import strategies as spatial  # noqa: E402  (it needs the same extra, in a name of its own)

__all__ = ["State", "body_forces", "configurations", "states", "trees", "velocities"]

MOST = 1000  # bodies: larger trees are for random_tree
SEEDS = 2**32 - 1
NEAR_LOCK = (0.1, 1e-2, 1e-4)  # from gimbal lock, whose inertia matrix has a condition of its inverse square
ANGLES = (0.0, 1e-160, 1e-8, 1e-4, np.pi / 2 - 1e-9, np.pi / 2, np.pi - 1e-9, np.pi, 2 * np.pi)
LENGTHS = (0.0, 1e-160, 1e-8, 1e-4, 1.0, 100.0)
NEAR_HALF_TURN = (np.pi - 1e-4, np.pi - 1e-8, np.pi)
SPEEDS = (0.0, 1e-160, 1e-8, 1e-3, 1.0, 30.0)
Strategy = Any  # of Hypothesis, which need not be installed


class State(NamedTuple):
    """A model and one state of it: ``q (nq,)``, ``v``, ``a`` and ``tau`` ``(nv,)``, ``f_ext (n_bodies, 6)``."""

    model: Model
    q: Array
    v: Array
    a: Array
    tau: Array
    f_ext: Array


def trees(
    smallest: int = 1,
    largest: int = 8,
    *,
    joints: Iterable[str] = MOVING,
    mimic: bool = True,
    passive: bool = True,
) -> Strategy:
    """Models: chains, bushes, and what is between.

    Args:
        smallest, largest: how many bodies, 1 to 1000.
        joints: names of joint types; all that move by default.
        mimic: whether joints may follow others.
        passive: whether joints may have armature, damping, dry friction and springs.

    Raises:
        TypeError, ValueError: as :func:`~pluecker.articulated.random_tree`.
    """
    low = as_integer("trees", "smallest", smallest, 1, MOST)
    high = as_integer("trees", "largest", largest, 1, MOST)
    if low > high:
        raise ArgumentValueError(f"trees: smallest is {low} and largest is {high}, expected smallest <= largest")
    kinds = as_joint_types("trees", joints)
    for name, flag in (("mimic", mimic), ("passive", passive)):
        as_flag("trees", name, flag)

    @st.composite
    def tree(draw: Any) -> Model:
        n = draw(st.integers(low, high))
        chosen = draw(st.lists(st.sampled_from(kinds), min_size=n, max_size=n))
        parents = [draw(st.integers(-1, k - 1)) for k in range(n)]
        follows = draw(st.lists(st.booleans(), min_size=n, max_size=n)) if mimic else [False] * n
        forces = draw(st.booleans()) if passive else False
        return build_tree(chosen, parents, follows, np.random.default_rng(draw(st.integers(0, SEEDS))), forces)

    return tree()


def configurations(model: Model, *, near_singular: bool = True) -> Strategy:
    """Configurations of a model, ``(nq,)``: each joint neutral, anywhere, or where formulas lose digits.

    Args:
        model: the mechanism.
        near_singular: whether Euler angles come closer than 0.1 rad to gimbal lock, down to 1e-4. They are never in it, so
            that forward dynamics is defined.

    Raises:
        TypeError: ``model`` is no model, or ``near_singular`` neither True nor False.
    """
    as_model("configurations", model)
    as_flag("configurations", "near_singular", near_singular)
    owners = [joint for joint in model.joints if joint.mimic is None]

    @st.composite
    def configuration(draw: Any) -> Array:
        q, anywhere = neutral(model), random_configuration(model, draw(st.integers(0, SEEDS)))
        for joint in owners:
            part = slice(joint.q_start, joint.q_start + JOINT_TYPES[joint.type].nq)
            choice = draw(st.sampled_from(("neutral", "anywhere", "difficult")))
            if choice == "anywhere":
                q[part] = anywhere[part]
            elif choice == "difficult":
                q[part] = difficult(draw, joint.type)
            if joint.type.startswith("euler"):
                q[part.start + 1] = away_from_lock(draw, joint.type, q[part.start + 1], near_singular)
        turns = [*model.quaternion_slices().values()]
        clipped = np.clip(q, model.lower_limit, model.upper_limit)
        for part in turns:
            clipped[part] = q[part]
        return clipped

    return configuration()


def difficult(draw: Any, kind: str) -> Array:
    """Coordinates of a joint on which formulas lose digits."""
    joint = JOINT_TYPES[kind]
    if kind == "exponential":
        lengths = spatial.angles() | st.sampled_from(NEAR_HALF_TURN)
        return np.asarray(draw(st.builds(np.multiply, lengths, spatial.directions())))
    entries = [draw(signed(ANGLES if unit == "rad" else LENGTHS)) for unit in joint.q_units]
    if joint.quaternion is not None:
        entries[joint.quaternion :] = draw(spatial.quaternions())
    return np.array(entries)


def signed(sizes: tuple[float, ...]) -> Strategy:
    """One of these numbers, or its negative."""
    return st.builds(np.multiply, st.sampled_from(sizes), st.sampled_from((1.0, -1.0)))


def away_from_lock(draw: Any, kind: str, angle: float, near: bool) -> float:
    """The second of three Euler angles, brought away from gimbal lock, as far as it may be near."""
    lock = 0.0 if kind[-3] == kind[-1] else np.pi / 2
    turned = (angle - lock + np.pi / 2) % np.pi - np.pi / 2  # from the nearest lock, of which there are two in a turn
    least = draw(st.sampled_from(NEAR_LOCK)) if near else NEAR_LOCK[0]
    return float(angle if abs(turned) >= least else angle - turned + (least if turned >= 0.0 else -least))


def velocities(model: Model, *, largest: float = 30.0) -> Strategy:
    """Numbers for the velocity coordinates of a model, ``(nv,)``: zero, one, all of one size, or any.

    Args:
        model: the mechanism.
        largest: of an entry; rad/s or m/s. Accelerations and joint forces may be taken from here too.

    Raises:
        TypeError, ValueError: no model, or no number above 0.
    """
    as_model("velocities", model)
    return numbers((model.nv,), as_size("velocities", largest))


def body_forces(model: Model, *, largest: float = 30.0) -> Strategy:
    """Forces on the bodies, ``(n_bodies, 6)``: zero, one entry, all of one size, or any.

    Args:
        model: the mechanism.
        largest: of an entry; N m or N.

    Raises:
        TypeError, ValueError: no model, or no number above 0.
    """
    as_model("body_forces", model)
    return numbers((model.n_bodies, 6), as_size("body_forces", largest))


def numbers(shape: tuple[int, ...], largest: float) -> Strategy:
    """Zeros; zeros but for one entry; random numbers of one size."""
    count = int(np.prod(shape))
    sizes = st.sampled_from([x for x in SPEEDS if x < largest] + [largest])

    def one(k: int, x: float) -> Array:
        array = np.zeros(count)
        array[k] = x
        return array.reshape(shape)

    def all_of(seed: int, size: float) -> Array:
        return np.asarray(size * np.random.default_rng(seed).uniform(-1.0, 1.0, shape))

    zeros = st.builds(np.zeros, st.just(shape))
    if not count:
        return zeros
    return zeros | st.builds(one, st.integers(0, count - 1), sizes) | st.builds(all_of, st.integers(0, SEEDS), sizes)


def states(models: Any = None, *, near_singular: bool = True) -> Strategy:
    """A model with a state, as a :class:`State`.

    Args:
        models: a model, or a strategy for them, such as :func:`trees`, which is meant by None.
        near_singular: as in :func:`configurations`.

    Raises:
        TypeError: neither a model nor a strategy.
    """
    as_flag("states", "near_singular", near_singular)
    source = trees() if models is None else st.just(models) if isinstance(models, Model) else models
    if not hasattr(source, "flatmap"):
        raise ArgumentTypeError(f"states: models is {shown(models)}, expected a Model, or a strategy such as trees()")

    def state(model: Model) -> Strategy:
        q, v = configurations(model, near_singular=near_singular), velocities(model)
        return st.builds(State, st.just(model), q, v, velocities(model), velocities(model), body_forces(model))

    return source.flatmap(state)


# -------------------------------------------------------------------------------------------------------------- arguments


def as_flag(function: str, name: str, value: Any) -> None:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{function}: {name} is {shown(value)}, expected True or False")


def as_size(function: str, value: Any) -> float:
    """A finite number above zero."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"{function}: largest is {shown(value)}, expected a number above 0")
    if not 0.0 < value < 1e300:
        raise ArgumentValueError(f"{function}: largest is {shown(value)}, expected a number above 0, below 1e300")
    return float(value)
