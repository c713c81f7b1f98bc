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
:func:`tree`             no strategy: the model that a failing test names so
=======================  ===================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.configuration.random_configuration import random_configuration
from pluecker.articulated.algorithms.configuration.random_tree import MOVING, as_joint_types, build_tree
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import as_integer

st = require("hypothesis.strategies", "testing", "pluecker.articulated.strategies")
from pluecker.spatial import strategies as spatial  # noqa: E402  (it needs the same extra, in a name of its own)

__all__ = ["State", "body_forces", "configurations", "states", "tree", "trees", "velocities"]

MOST_BODIES = 1000  # bodies: larger trees are for random_tree
NEAR_LOCK = (0.1, 1e-2, 1e-4)  # from gimbal lock, whose inertia matrix has a condition of its inverse square
ANGLES = (0.0, 1e-160, 1e-8, 1e-4, np.pi / 2 - 1e-9, np.pi / 2, np.pi - 1e-9, np.pi, 2 * np.pi)
LENGTHS = (0.0, 1e-160, 1e-8, 1e-4, 1.0, 100.0)
SHARES = (0.0, 1e-160, 1e-8, 1e-3, 0.03, 1.0)  # of the largest number
LARGEST_COORDINATE = 30.0
PASSIVE = ("armature", "damping", "friction", "stiffness")
Strategy = Any  # of Hypothesis, which need not be installed

# Made once: to make a strategy takes longer than to draw from it.
SEEDS, FLAGS, SIGNS = st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from((1.0, -1.0))
ANGLE, LENGTH, SHARE, LOCK = map(st.sampled_from, (ANGLES, LENGTHS, SHARES, NEAR_LOCK))
PLACE = st.sampled_from(("neutral", "anywhere", "difficult"))
FILL = st.sampled_from(("none", "one", "all"))
TURN, DIRECTION, QUATERNION = spatial.angles(), spatial.directions(), spatial.quaternions()
NEAR_HALF_TURN = st.sampled_from((np.pi - 1e-4, np.pi - 1e-8, np.pi))
ROTATION_VECTOR_LENGTH = TURN | NEAR_HALF_TURN


class State(NamedTuple):
    """A model and one state of it: ``q (nq,)``, ``v``, ``a`` and ``tau`` ``(nv,)``, ``f_ext (n_bodies, 6)``.

    Its ``repr`` is a line of Python for each, with :func:`tree` for a model of :func:`trees`: what a failing test prints is
    pasted back where ``State``, ``tree`` and ``np`` are imported. Another model, which the test has, is called ``model``.
    """

    model: Model
    q: Array
    v: Array
    a: Array
    tau: Array
    f_ext: Array

    def __repr__(self) -> str:
        made = self.model.tables.get(tree)
        lines = ["State(", f"    {made or 'model'},  # {described(self.model)}"]
        lines += [f"    {name}={as_code(getattr(self, name))}," for name in ("q", "v", "a", "tau", "f_ext")]
        return "\n".join([*lines, ")"])


def described(model: Model) -> str:
    """The passive forces of a model, which follow from the seed, for the reader."""
    parts = (f"{name} {np.round(getattr(model, name), 3).tolist()}" for name in PASSIVE if getattr(model, name).any())
    return "; ".join(parts) or "no armature, damping, friction and springs"


def as_code(array: Array) -> str:
    """An array as Python that makes the same numbers."""
    if array.any() or np.signbit(array).any() or not array.size:
        return (
            f"np.array({array.tolist()!r}).reshape({array.shape})"
            if not array.size
            else f"np.array({array.tolist()!r})"
        )
    return f"np.zeros({array.shape if array.ndim > 1 else len(array)})"


def tree(
    joints: Iterable[str], parents: Iterable[int], follows: Iterable[bool], *, rng: int, passive: bool = False
) -> Model:
    """The model that :func:`trees` drew where the ``repr`` of a state names it so.

    Args:
        joints: the type of each joint.
        parents: the number of the body that carries each, smaller than its own; -1 for the world.
        follows: whether each joint follows one before it, where both have one freedom.
        rng: seed of all numbers.
        passive: whether joints have armature, damping, dry friction and springs.

    Raises:
        TypeError, ValueError: no joint types, or not as many parents and follows, or no seed.
    """
    kinds, carriers, flags = as_joint_types("tree", joints), list(parents), list(follows)
    if not len(kinds) == len(carriers) == len(flags):
        counts = f"{len(kinds)} joints, {len(carriers)} parents and {len(flags)} follows"
        raise ArgumentValueError(f"tree: got {counts}, expected as many of each")
    for k, parent in enumerate(carriers):
        if as_integer("tree", "parents", parent, -1, MOST_BODIES) >= k:
            raise ArgumentValueError(f"tree: the parent of body {k} is {parent}, expected a smaller number, or -1")
    for name, flag in (("passive", passive), *(("follows", each) for each in flags)):
        as_flag("tree", name, flag)
    seed = as_integer("tree", "rng", rng, 0, 2**32 - 1)
    model = build_tree(kinds, carriers, flags, np.random.default_rng(seed), passive)
    shape = f"{list(kinds)!r}, {carriers!r}, {flags!r}"
    model.tables[tree] = f"tree({shape}, rng={seed}, passive={bool(passive)})"
    return model


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
    low = as_integer("trees", "smallest", smallest, 1, MOST_BODIES)
    high = as_integer("trees", "largest", largest, 1, MOST_BODIES)
    if low > high:
        raise ArgumentValueError(f"trees: smallest is {low} and largest is {high}, expected smallest <= largest")
    kinds = as_joint_types("trees", joints)
    for name, flag in (("mimic", mimic), ("passive", passive)):
        as_flag("trees", name, flag)

    return draw_tree(low, high, kinds, mimic, passive)


@st.composite
def draw_tree(draw: Any, low: int, high: int, kinds: tuple[str, ...], mimic: bool, passive: bool) -> Model:
    """The shape is drawn, the numbers are those of a seed."""
    n = draw(st.integers(low, high))
    kind = st.integers(0, len(kinds) - 1)
    chosen = [kinds[draw(kind)] for _ in range(n)]
    parents = [draw(st.integers(-1, k - 1)) for k in range(n)]
    follows = [mimic and draw(FLAGS) for _ in range(n)]
    forces = passive and draw(FLAGS)
    return tree(chosen, parents, follows, rng=draw(SEEDS), passive=forces)


def configurations(model: Model, *, near_singular: bool = True) -> Strategy:
    """Configurations of a model, ``(nq,)``: each joint neutral, anywhere, or where formulas lose digits.

    Args:
        model: the mechanism.
        near_singular: whether Euler angles come closer than 0.1 rad to gimbal lock, down to 1e-4. They are never in it, so
            that forward dynamics is defined.

    Raises:
        TypeError: ``model`` is no model, or ``near_singular`` neither True nor False.
    """
    model = as_model("configurations", model)
    as_flag("configurations", "near_singular", near_singular)
    return draw_configuration(model, near_singular)


@st.composite
def draw_configuration(draw: Any, model: Model, near_singular: bool) -> Array:
    """Joint by joint."""
    q, anywhere = neutral(model), random_configuration(model, draw(SEEDS))
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        part = slice(joint.q_start, joint.q_start + JOINT_TYPES[joint.type].nq)
        choice = draw(PLACE)
        if choice == "anywhere":
            q[part] = anywhere[part]
        elif choice == "difficult":
            q[part] = difficult(draw, joint.type)
        if joint.type.startswith("euler"):
            q[part.start + 1] = away_from_lock(draw, joint.type, q[part.start + 1], near_singular)
    clipped = np.clip(q, model.lower_limit, model.upper_limit)
    for part in model.quaternion_slices().values():
        clipped[part] = q[part]
    return clipped


def difficult(draw: Any, kind: str) -> Array:
    """Coordinates of a joint on which formulas lose digits."""
    joint = JOINT_TYPES[kind]
    if kind == "exponential":
        return np.asarray(draw(ROTATION_VECTOR_LENGTH) * draw(DIRECTION))
    entries = np.array([draw(SIGNS) * draw(ANGLE if unit == "rad" else LENGTH) for unit in joint.q_units if unit])
    return entries if joint.quaternion is None else np.concatenate([entries, draw(QUATERNION)])


def away_from_lock(draw: Any, kind: str, angle: float, near: bool) -> float:
    """The second of three Euler angles, brought away from gimbal lock, as far as it may be near."""
    lock = 0.0 if kind[-3] == kind[-1] else np.pi / 2
    turned = (angle - lock + np.pi / 2) % np.pi - np.pi / 2  # from the nearest lock, of which there are two in a turn
    least = draw(LOCK) if near else NEAR_LOCK[0]
    return float(angle if abs(turned) >= least else angle - turned + (least if turned >= 0.0 else -least))


def velocities(model: Model, *, largest: float = LARGEST_COORDINATE) -> Strategy:
    """Numbers for the velocity coordinates of a model, ``(nv,)``: zero, one, all of one size, or any.

    Args:
        model: the mechanism.
        largest: of an entry; rad/s or m/s. Accelerations and joint forces may be taken from here too.

    Raises:
        TypeError, ValueError: no model, or no number above 0.
    """
    model = as_model("velocities", model)
    return numbers((model.nv,), as_size("velocities", largest))


def body_forces(model: Model, *, largest: float = LARGEST_COORDINATE) -> Strategy:
    """Forces on the bodies, ``(n_bodies, 6)``: zero, one entry, all of one size, or any.

    Args:
        model: the mechanism.
        largest: of an entry; N m or N.

    Raises:
        TypeError, ValueError: no model, or no number above 0.
    """
    model = as_model("body_forces", model)
    return numbers((model.n_bodies, 6), as_size("body_forces", largest))


@st.composite
def numbers(draw: Any, shape: tuple[int, ...], largest: float) -> Array:
    """Zeros; zeros but for one entry; random numbers of one size."""
    array = np.zeros(shape)
    fill = draw(FILL) if array.size else "none"
    if fill != "none":
        size, seed = largest * draw(SHARE), draw(SEEDS)
        if fill == "one":
            array.flat[seed % array.size] = size
        else:
            array[...] = size * np.random.default_rng(seed).uniform(-1.0, 1.0, shape)
    return array


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
    if not isinstance(source, st.SearchStrategy):
        raise ArgumentTypeError(f"states: models is {shown(models)}, expected a Model, or a strategy such as trees()")

    return draw_state(source, near_singular)


@st.composite
def draw_state(draw: Any, source: Any, near_singular: bool) -> State:
    """A model, then a state of it."""
    model = draw(source)
    model = as_model("states", model)
    q = draw(draw_configuration(model, near_singular))
    v, a, tau = (draw(numbers((model.nv,), LARGEST_COORDINATE)) for _ in range(3))
    return State(model, q, v, a, tau, draw(numbers((model.n_bodies, 6), LARGEST_COORDINATE)))


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
