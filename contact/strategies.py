"""Hypothesis strategies for worlds, whose constraints hold, and for friction problems, which have a solution.

    from hypothesis import given
    from pluecker.contact import solve, strategies

    @given(strategies.friction_problems())
    def test_my_solver_finds_a_solution(case):
        ...

Constraints of a world are closed in the configuration that is drawn with it: frames of two bodies are where they meet there,
limits have room or are touched, contacts are open or touch. A problem is made backwards, from multipliers and velocities of
contacts that are open, stick or slide, so that Coulomb's law has a solution, which comes with it. Many of its matrices are
singular, or nearly so, on purpose: contacts that say the same, and masses that differ by a factor of 1e8.

==========================  ================================================================================================
strategy                    gives
==========================  ================================================================================================
:func:`worlds`              a :class:`WorldState`: a world, and a configuration in which its constraints hold
:func:`friction_problems`   a :class:`SolvedProblem`: a problem, and multipliers that solve it
:func:`solved_problem`      no strategy: the problem that a failing test names so
==========================  ================================================================================================
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.strategies import as_code, configurations, described, tree, trees, velocities
from pluecker.contact import constraints as c
from pluecker.contact import geometry
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.world.world import World
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import as_integer
from pluecker.spatial.functions.lie import exp3

st = require("hypothesis.strategies", "testing", "pluecker.contact.strategies")

__all__ = ["KINDS", "MATRICES", "SolvedProblem", "WorldState", "friction_problems", "solved_problem", "worlds"]

MOST = 100  # constraints of a world, and contacts of a problem: property tests are about small ones
LEAST_LENGTH = 0.1  # m: of rods and ropes, whose direction is none where they have no length
SEEDS, FLAGS = st.integers(0, 2**32 - 1), st.booleans()
STATES = ("open", "sticking", "sliding")
MATRICES = ("regular", "redundant", "nearly redundant", "unequal masses")
NEARLY = 1e-7  # by how much rows differ that nearly say the same
UNEQUAL = 1e4  # the root of the ratio of masses
Strategy = Any  # of Hypothesis, which need not be installed


# ---------------------------------------------------------------------------------------------------------------- worlds


@by_value()
class WorldState(NamedTuple):
    """A world, and a state in which its constraints hold: ``q (nq,)``; ``v (nv,)`` is any velocity, also one they forbid.

    Its ``repr`` is Python: what a failing test prints is pasted back below ``from pluecker.contact.constraints import *``,
    ``from pluecker.contact.geometry import *``, and where ``World``, ``WorldState``, ``tree`` and ``np`` are imported. A
    model of the test's own is called ``model``.
    """

    world: World
    q: Array
    v: Array

    def __repr__(self) -> str:
        model = self.world.model
        made = model.tables.get(tree)
        lines = ["WorldState(", "    World(", f"        {made or 'model'},  # {described(model)}", "        ["]
        lines += [f"            {written(each)}," for each in self.world.constraints]
        lines += ["        ],", f"        limits={self.world.limits},", "    ),"]
        return "\n".join([*lines, *(f"    {name}={as_code(getattr(self, name))}," for name in ("q", "v")), ")"])


def written(value: Any) -> str:
    """A record, and what it holds, as Python that makes it; what is as by default is left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = [(f.name, getattr(value, f.name), f.default) for f in dataclasses.fields(value) if f.init]
        parts = [f"{name}={written(x)}" for name, x, default in own if default is dataclasses.MISSING or x != default]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(written, value))}{',' * (len(value) == 1)})"
    return f"np.{value}" if isinstance(value, float) and value in (np.inf, -np.inf) else repr(value)


class Place(NamedTuple):
    """Surroundings of constraints to be drawn: a model, a configuration, its bodies' placements, and random numbers."""

    model: Model
    q: Array
    T: Array
    rng: np.random.Generator
    draw: Any

    def body(self, k: int) -> tuple[str, Array]:
        """A body's name and placement; -1 is the world."""
        return ("world", np.eye(4)) if k < 0 else (self.model.body_names[k], self.T[k])

    def two_bodies(self) -> tuple[int, int]:
        """Numbers of two bodies, or of the world and a body."""
        second = self.draw(st.integers(0, self.model.n_bodies - 1))
        return self.draw(st.integers(-1, second - 1)), second

    def frame(self, k: int, point: Array, R: Array) -> c.Frame:
        """The frame of a body that is at a point of the world, with these axes."""
        name, T = self.body(k)
        return c.Frame(name, T[:3, :3].T @ (point - T[:3, 3]), T[:3, :3].T @ R)

    def point(self, k: int) -> Array:
        """A point on a body, or next to its origin, in the world."""
        _, T = self.body(k)
        return np.asarray(T[:3, 3] + T[:3, :3] @ self.rng.uniform(-0.5, 0.5, 3))

    def axes(self) -> Array:
        """Those of a frame, ``(3, 3)``; of the world, where that is drawn."""
        return exp3(self.rng.uniform(-1.5, 1.5, 3)) if self.draw(FLAGS) else np.eye(3)

    def coordinates(self) -> list[tuple[str, float]]:
        """Joints with one coordinate that follow no other, and where they are."""
        single = [each for each in self.model.joints if each.mimic is None and JOINT_TYPES[each.type].nq == 1]
        return [(each.name, float(self.q[each.q_start])) for each in single]


def pair(kind: Any) -> Callable[[str, Place], Any]:
    """A joint between two bodies, whose frames are in one place."""

    def make(name: str, place: Place) -> Any:
        first, second = place.two_bodies()
        point, R = place.point(second), place.axes()
        return kind(name, place.frame(first, point, R), place.frame(second, point, R))

    return make


def stretched(kind: Any, slack: tuple[float, ...]) -> Callable[[str, Place], Any]:
    """A rod or a rope between points of two bodies, so many times as long as they are apart."""

    def make(name: str, place: Place) -> Any:
        first, second = place.two_bodies()
        ends = [place.point(first), place.point(second)]
        if np.linalg.norm(ends[1] - ends[0]) < LEAST_LENGTH:
            ends[0] = ends[0] + [0.0, 0.0, 2.0 * LEAST_LENGTH]
        frames = [place.frame(k, end, np.eye(3)) for k, end in zip((first, second), ends, strict=True)]
        length = float(np.linalg.norm(ends[1] - ends[0]))
        return kind(name, *frames, length=length * place.draw(st.sampled_from(slack)))

    return make


def on_coordinate(make_one: Callable[[str, Place, str, float], Any]) -> Callable[[str, Place], Any]:
    """A constraint on a coordinate of a joint; on a body that has none, a ball joint in its place."""

    def make(name: str, place: Place) -> Any:
        there = place.coordinates()
        if not there:
            return pair(c.Ball)(name, place)
        joint, value = there[place.draw(st.integers(0, len(there) - 1))]
        return make_one(name, place, joint, value)

    return make


def limit(name: str, place: Place, joint: str, value: float) -> Any:
    """A limit on one side that is touched, or on both sides with room; hard, or a spring."""
    stiffness = place.draw(st.sampled_from((np.inf, 100.0)))
    if place.draw(FLAGS):
        return c.Limit(name, joint, value - 0.5, value + 0.5, stiffness=stiffness)
    return c.Limit(name, joint, upper=value, stiffness=stiffness)


def coupling(name: str, place: Place) -> Any:
    """A sum of two coordinates; of a mechanism that has one only, that one held."""
    there = place.coordinates()[:2]
    if not there:
        return pair(c.Ball)(name, place)
    terms = {joint: share for (joint, _), share in zip(there, (1.0, -2.0), strict=False)}
    return c.Coupling(name, terms, sum(share * value for (_, value), share in zip(there, terms.values(), strict=True)))


def ball_on_plane(place: Place) -> tuple[c.Frame, c.Frame, float, float]:
    """A plane of the world and a point of a body above it, a radius, and a coefficient of friction."""
    body = place.draw(st.integers(0, place.model.n_bodies - 1))
    radius, gap = place.draw(st.sampled_from((0.1, 0.5))), place.draw(st.sampled_from((0.0, 1e-9, 0.05)))
    point, R = place.point(body), place.axes()
    plane = place.frame(-1, point - (radius + gap) * R[:, 2], R)
    return plane, place.frame(body, point, np.eye(3)), radius, place.draw(st.sampled_from((0.0, 0.5, 1.0)))


def point_contact(name: str, place: Place) -> Any:
    """A ball on a plane."""
    plane, center, radius, friction = ball_on_plane(place)
    return c.PointContact(name, plane, center, radius=radius, friction=friction)


def shape_contact(name: str, place: Place) -> Any:
    """A ball on a plane, as the contact of two shapes."""
    plane, center, radius, friction = ball_on_plane(place)
    floor = geometry.Collider(f"{name}_floor", geometry.HalfSpace(), plane)
    return geometry.ShapeContact(
        name, floor, geometry.Collider(f"{name}_ball", geometry.Sphere(radius), center), friction=friction
    )


MAKERS: dict[str, Callable[[str, Place], Any]] = {
    "ball": pair(c.Ball),
    "hinge": pair(c.Hinge),
    "slider": pair(c.Slider),
    "cylindrical": pair(c.Cylindrical),
    "planar": pair(c.Planar),
    "fixed": pair(c.Fixed),
    "point_on_line": pair(c.PointOnLine),
    "point_in_plane": pair(c.PointInPlane),
    "universal": pair(c.Universal),
    "rod": stretched(c.Rod, (1.0,)),
    "rope": stretched(c.Rope, (1.0, 1.5)),
    "coupling": coupling,
    "limit": on_coordinate(limit),
    "motor": on_coordinate(lambda name, place, joint, _: c.Motor(name, joint, speed=1.0, force=2.0)),
    "servo": on_coordinate(lambda name, place, joint, q: c.Servo(name, joint, q, stiffness=50.0, damping=1.0)),
    "friction": on_coordinate(lambda name, place, joint, _: c.Friction(name, joint, force=0.5)),
    "point_contact": point_contact,
    "shape_contact": shape_contact,
}
KINDS = tuple(MAKERS)


def worlds(
    models: Any = None,
    smallest: int = 1,
    largest: int = 3,
    *,
    kinds: Iterable[str] = KINDS,
    near_singular: bool = True,
) -> Strategy:
    """A world with a state of it, as a :class:`WorldState`.

    Args:
        models: a model, or a strategy for them, such as :func:`~pluecker.articulated.strategies.trees`, of which those of at
            most four bodies are meant by None.
        smallest, largest: how many constraints, 0 to 100; they may say the same, and forbid all motion.
        kinds: of constraints, names of :data:`KINDS`; contacts act in steps, without them there are accelerations.
        near_singular: as in :func:`~pluecker.articulated.strategies.configurations`.

    Raises:
        TypeError, ValueError: neither a model nor a strategy, numbers that cannot be, no such kind.
    """
    low, high = as_range("worlds", smallest, largest, 0)
    chosen = as_names("worlds", "kinds", kinds, KINDS)
    source = trees(largest=4) if models is None else st.just(models) if isinstance(models, Model) else models
    if not isinstance(source, st.SearchStrategy):
        raise ArgumentTypeError(f"worlds: models is {shown(models)}, expected a Model, or a strategy such as trees()")
    return draw_world(source, low, high, chosen, near_singular)


@st.composite
def draw_world(draw: Any, source: Any, low: int, high: int, kinds: tuple[str, ...], near_singular: bool) -> WorldState:
    """A model, a configuration, then constraints that hold there."""
    model = draw(source)
    q = draw(configurations(model, near_singular=near_singular))
    place = Place(model, q, forward_kinematics(model, q), np.random.default_rng(draw(SEEDS)), draw)
    found = []
    for k in range(draw(st.integers(low, high))):
        kind = draw(st.sampled_from(kinds))
        found.append(MAKERS[kind](f"{kind}{k}", place))
    return WorldState(World(model, found), q, draw(velocities(model)))


# -------------------------------------------------------------------------------------------------------------- problems


@by_value()
class SolvedProblem(NamedTuple):
    """A problem, multipliers r that solve it with Coulomb's law, and the velocities u that belong to them, each ``(m,)``.

    Others may solve it too. Its ``repr`` is Python: what a failing test prints is pasted back where
    :func:`solved_problem` is imported.
    """

    problem: Problem
    multipliers: Array
    velocity: Array
    code: str = ""

    def __repr__(self) -> str:
        return self.code


def friction_problems(
    smallest: int = 1, largest: int = 5, *, rows: int = 2, matrices: Iterable[str] = MATRICES
) -> Strategy:
    """Problems that Coulomb's law solves, each with a solution, as a :class:`SolvedProblem`.

    Args:
        smallest, largest: how many contacts, 0 to 100.
        rows: how many rows behind them at most; without bounds, as joints have, or at a bound, as limits and motors.
        matrices: of :data:`MATRICES`.

    Raises:
        TypeError, ValueError: numbers that cannot be, no such matrix.
    """
    low, high = as_range("friction_problems", smallest, largest, 0)
    most = as_integer("friction_problems", "rows", rows, 0, MOST)
    return draw_problem(low, high, most, as_names("friction_problems", "matrices", matrices, MATRICES))


@st.composite
def draw_problem(draw: Any, low: int, high: int, rows: int, matrices: tuple[str, ...]) -> SolvedProblem:
    """The states are drawn, the numbers are those of a seed."""
    contacts = draw(st.lists(st.sampled_from(STATES), min_size=low, max_size=high))
    behind = draw(st.integers(0 if contacts else min(1, rows), rows))
    friction, matrix = draw(st.sampled_from((0.5, 0.0, 1.0))), draw(st.sampled_from(matrices))
    return solved_problem(contacts, rows=behind, friction=friction, matrix=matrix, rng=draw(SEEDS))


def solved_problem(
    contacts: Sequence[str], *, rows: int = 0, friction: float = 0.5, matrix: str = "regular", rng: int = 0
) -> SolvedProblem:
    """The problem that :func:`friction_problems` drew where its ``repr`` names it so.

    ``u = N r + b`` with r and u as the states of the contacts want them, and ``N = J J^T`` of a random J: of full rank, with
    the rows of contacts twice, nearly twice, or with scales of their own.

    Args:
        contacts: what each does: ``open``, ``sticking`` or ``sliding``.
        rows: how many rows behind them: one without bounds, one at its upper bound, and so on in turn.
        friction: coefficient of all contacts, at least 0.
        matrix: of :data:`MATRICES`.
        rng: seed of all numbers.

    Raises:
        TypeError, ValueError: no such state or matrix, numbers that cannot be.

    Example:
        >>> from pluecker.contact import errors_of
        >>> from pluecker.contact.strategies import solved_problem
        >>> case = solved_problem(["sliding", "open"], matrix="redundant", rng=3)
        >>> bool(errors_of(case.problem, case.multipliers).largest < 1e-12)
        True
    """
    states = as_names("solved_problem", "contacts", contacts, STATES, empty=True)
    count = as_integer("solved_problem", "rows", rows, 0, MOST)
    as_names("solved_problem", "matrix", [matrix], MATRICES)
    random = np.random.default_rng(as_integer("solved_problem", "rng", rng, 0, 2**32 - 1))
    if isinstance(friction, bool) or not isinstance(friction, (int, float)) or not 0.0 <= friction < 1e6:
        raise ArgumentValueError(f"solved_problem: friction is {shown(friction)}, expected a number from 0 to 1e6")
    r, u = np.zeros((2, 3 * len(states) + count))
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    for k, state in enumerate(states):
        own, turn = slice(3 * k, 3 * k + 3), random.uniform(0.0, 2.0 * np.pi)
        across, size, speed = np.array([np.cos(turn), np.sin(turn)]), *random.uniform(0.5, 2.0, 2)
        if state == "open":
            u[own] = speed, *(speed * across)
        else:
            r[own] = size, *(friction * size * across * (1.0 if state == "sliding" else random.uniform(0.0, 0.9)))
        if state == "sliding":
            u[own] = 0.0, *(-speed * across)
    for k in range(count):
        row = 3 * len(states) + k
        r[row] = random.uniform(-2.0, 2.0)
        if k % 2:  # it would go on: the bound holds it back no more
            upper[k], lower[k], u[row] = r[row], r[row] - 1.0, -random.uniform(0.5, 2.0)
    J = jacobian_of(matrix, len(states), len(r), random)
    N = J @ J.T
    problem = Problem.from_delassus(
        N, u - N @ r, np.full(len(states), float(friction)), rows=(lower, upper), symmetrise=True
    )
    made = f"{list(states)!r}, rows={count}, friction={float(friction)!r}, matrix={matrix!r}, rng={int(rng)}"
    return SolvedProblem(problem, r, problem.velocity(r), f"solved_problem({made})")


def jacobian_of(matrix: str, contacts: int, m: int, random: np.random.Generator) -> Array:
    """J with ``N = J J^T``, ``(m, m + 3)``."""
    J = random.standard_normal((m, m + 3))
    if matrix == "unequal masses":
        for k in range(contacts):
            J[3 * k : 3 * k + 3] *= UNEQUAL ** random.uniform(-0.5, 0.5)
    elif matrix != "regular":
        other = NEARLY * random.standard_normal(J.shape) if matrix == "nearly redundant" else np.zeros(J.shape)
        for k in range(1, contacts, 2):
            J[3 * k : 3 * k + 3] = J[3 * k - 3 : 3 * k] + other[3 * k : 3 * k + 3]
        for row in range(3 * contacts + 1, m, 2):
            J[row] = J[row - 1] + other[row]
    return J


# -------------------------------------------------------------------------------------------------------------- arguments


def as_range(function: str, smallest: Any, largest: Any, least: int) -> tuple[int, int]:
    """Two whole numbers, the first not above the second."""
    low = as_integer(function, "smallest", smallest, least, MOST)
    high = as_integer(function, "largest", largest, least, MOST)
    if low > high:
        raise ArgumentValueError(f"{function}: smallest is {low} and largest is {high}, expected smallest <= largest")
    return low, high


def as_names(function: str, name: str, value: Any, known: tuple[str, ...], empty: bool = False) -> tuple[str, ...]:
    """Some of the names that there are."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentTypeError(f"{function}: {name} is {shown(value)}, expected names, of {', '.join(known)}")
    found = tuple(value)
    for each in found:
        if each not in known:
            raise ArgumentValueError(f"{function}: {name} has {shown(each)}, expected some of {', '.join(known)}")
    if not found and not empty:
        raise ArgumentValueError(f"{function}: {name} is empty, expected some of {', '.join(known)}")
    return found
