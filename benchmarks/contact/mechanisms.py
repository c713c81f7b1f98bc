"""Joints in maximal coordinates, with and without contacts: how well bilateral rows hold, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.families.stacks import box_inertia
from benchmarks.measuring.report import Report, seconds
from benchmarks.measuring.timing import Effort
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.solve import solve
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable, Rows
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.functions.quaternions import quaternion_from_rotation

__all__ = ["MECHANISMS", "chain", "door", "four_bar", "hinges", "long_chains", "mechanisms", "stack"]

STEP = 1e-3
TOLERANCE = 1e-11  # asked for
HOLD, TOUCH = 1e-12, 1e-10  # wanted of bilateral rows, and of contacts; m/s, rad/s
LENGTHS = (250, 500, 1000, 2000)  # hinges
SWEEPS = 20_000


def no_contacts() -> ContactTable:
    """An empty table."""
    return ContactTable([], np.zeros((0, 3)), np.zeros((0, 3)))


def hinges(bodies: Bodies, pairs: Sequence[tuple[int, int]], points: Array, axes: Array) -> Rows:
    """Hinges at points, about axes, in the world: three rows that hold the point of both bodies together, two that leave
    nothing but the axis to the rotation; ``[(p - c) x d; d]`` of one body less those of the other.
    """
    of, J = [], np.zeros((5 * len(pairs), 2, 6))
    for k, ((i, j), p, axis) in enumerate(zip(pairs, points, axes, strict=True)):
        across = np.linalg.svd(np.asarray(axis, float)[None])[2][1:]
        for side, (body, sign) in enumerate(((i, -1.0), (j, 1.0))):
            part = J[5 * k : 5 * k + 5, side]
            part[:3, :3] = sign * np.cross(p - bodies.position[body], np.eye(3))
            part[:3, 3:] = sign * np.eye(3)
            part[3:, :3] = sign * across
        of += [(i, j)] * 5
    return Rows(of, J)


def boxes(
    mass: Array, sizes: Array, position: Array, rotation: Array | None = None, velocity: Array | None = None
) -> Bodies:
    """Boxes that fall, the first of them static."""
    inertia = box_inertia(mass, sizes)
    inertia[0] = 1.0
    turned = None if rotation is None else quaternion_from_rotation(rotation)
    return Bodies(
        np.concatenate([[np.inf], mass[1:]]), inertia, position,
        np.tile([1.0, 0, 0, 0], (len(mass), 1)) if turned is None else turned,
        np.zeros((len(mass), 6)) if velocity is None else velocity,
    ).with_gravity()  # fmt: skip


def chain(count: int, ratio: float = 1.0, contacts: int = 0) -> Problem:
    """A chain that hangs from the world, hinges about changing axes, at its end a link that is ``ratio`` as heavy.

    It is straight and swings as one piece. With contacts it is at rest, a zigzag that can give way, and the last link stands
    on a plate that moves up and aside.
    """
    length = 0.5
    bend = np.random.default_rng(0).uniform(-0.3, 0.3, (count, 2)) if contacts else np.zeros((count, 2))
    along = np.column_stack([bend, -np.ones(count)])
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    joints = length * np.vstack([np.zeros(3), np.cumsum(along, axis=0)])
    side = np.cross(along, [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    rotation = np.concatenate([np.eye(3)[None], np.stack([side, np.cross(along, side), along], axis=2)])
    mass = np.ones(count + 1)
    mass[-1] = ratio
    position = np.vstack([[0, 0, 1.0], 0.5 * (joints[1:] + joints[:-1])])
    sizes = np.tile([0.2, 0.2, length], (count + 1, 1))
    velocity = np.zeros((count + 1, 6))
    if contacts:
        velocity[0, 3:] = 0.02, 0.01, 0.03
    else:
        velocity[1:, 1] = 0.5
        velocity[1:, 3:] = np.cross([0, 0.5, 0], position[1:])
    axes = np.where((np.arange(count) % 2 == 0)[:, None], side, np.cross(along, side))
    bodies = boxes(mass, sizes, position, rotation, velocity)
    # The plate and what the chain hangs from are both static, and are one body where there are no contacts.
    if contacts:
        bodies = with_static(bodies, joints[-1] - [0, 0, 1.0])
    rows = hinges(bodies, [(k, k + 1) for k in range(count)], joints[:-1], axes)
    if not contacts:
        return assemble_contacts(bodies, no_contacts(), STEP, rows)
    angle = 2.0 * np.pi * np.arange(contacts) / contacts
    points = joints[-1] + 0.1 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(contacts)])
    plate = len(bodies) - 1
    table = ContactTable.ordered([[plate, count]] * contacts, [[0, 0, 1.0]] * contacts, points, friction=0.4)
    return assemble_contacts(bodies, table, STEP, rows)


def with_static(bodies: Bodies, position: Array) -> Bodies:
    """One more static body, which has the velocity of body 0; that stops."""
    velocity = np.vstack([bodies.velocity, bodies.velocity[:1]])
    velocity[0] = 0.0
    return Bodies(
        np.append(bodies.mass, np.inf), np.concatenate([bodies.inertia, np.eye(3)[None]]),
        np.vstack([bodies.position, position]), np.vstack([bodies.orientation, [1.0, 0, 0, 0]]), velocity,
        np.vstack([bodies.wrench, np.zeros(6)]),
    )  # fmt: skip


def stack(count: int = 20, ratio: float = 1.0) -> Problem:
    """Boxes one on the other, the floor moves under them; four contacts between two. The top one is ``ratio`` as heavy."""
    mass = np.ones(count + 1)
    mass[-1] = ratio
    position = np.column_stack([np.zeros((count + 1, 2)), np.arange(count + 1) - 0.5])
    velocity = np.zeros((count + 1, 6))
    velocity[0, 3:5] = 0.002, 0.001
    bodies = boxes(mass, np.ones((count + 1, 3)), position, None, velocity)
    corners = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    pairs = np.repeat([[k, k + 1] for k in range(count)], 4, axis=0)
    points = np.column_stack([np.tile(corners, (count, 1)), pairs[:, 0]])
    table = ContactTable(pairs, [[0, 0, 1.0]] * len(pairs), points, friction=0.5)
    return assemble_contacts(bodies, table, STEP)


def door(contacts: int = 2) -> Problem:
    """A door on three hinges, of which two are redundant, that shuts against a stop."""
    bodies = boxes(
        np.array([1.0, 30.0]), np.array([[1, 1, 1], [0.9, 0.04, 2.0]]), np.array([[0, 0, 0], [0.45, 0, 1.0]]), None,
        np.array([[0.0] * 6, [0, 0, -1.0, 0, -0.45, 0]]),
    )  # fmt: skip
    points = np.array([[0, 0, z] for z in (0.2, 1.0, 1.8)])
    rows = hinges(bodies, [(0, 1)] * 3, points, np.tile([0, 0, 1.0], (3, 1)))
    stops = np.array([[0.9, -0.02, z] for z in np.linspace(0.3, 1.7, contacts)]).reshape(-1, 3)
    table = (
        ContactTable([[0, 1]] * contacts, [[0, 1.0, 0]] * contacts, stops, friction=0.3) if contacts else no_contacts()
    )
    return assemble_contacts(bodies, table, STEP, rows)


def four_bar(contacts: int = 0) -> Problem:
    """Three links and the world, joined to a ring by four parallel hinges: three rows of twenty are redundant."""
    corner = np.array([[0, 0, 0], [0.2, 0, 0.8], [1.3, 0, 1.0], [1.0, 0, 0]])
    ends = np.stack([corner[:-1], corner[1:]], axis=1)
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    along /= length[:, None]
    y = np.tile([0, 1.0, 0], (3, 1))
    rotation = np.concatenate([np.eye(3)[None], np.stack([along, y, np.cross(along, y)], axis=2)])
    mass = np.concatenate([[1.0], 2.0 * length])
    sizes = np.vstack([np.ones(3), np.column_stack([length, np.full((3, 2), 0.05)])])
    bodies = boxes(mass, sizes, np.vstack([[0, 0, -1.0], ends.mean(axis=1)]), rotation)
    rows = hinges(bodies, [(0, 1), (1, 2), (2, 3), (3, 0)], corner, np.tile([0, 1.0, 0], (4, 1)))
    points = np.array([[0.75, y, 0.9] for y in np.linspace(-0.02, 0.02, contacts)]).reshape(-1, 3)
    table = ContactTable([[0, 2]] * contacts, np.tile([0, 0, 1.0], (contacts, 1)), points, friction=0.3)
    return assemble_contacts(bodies, table if contacts else no_contacts(), STEP, rows)


MECHANISMS: dict[str, Callable[[], Problem]] = {
    "chain of 20 hinges": partial(chain, 20),
    "chain of 20 hinges, four contacts": partial(chain, 20, 1.0, 4),
    "chain of 20 hinges, mass ratio 1e4": partial(chain, 20, 1e4),
    "chain of 20 hinges, mass ratio 1e4, four contacts": partial(chain, 20, 1e4, 4),
    "stack of 20 boxes": partial(stack, 20),
    "door on three hinges, two contacts": door,
    "spatial four-bar": four_bar,
    "spatial four-bar, two contacts": partial(four_bar, 2),
}


def fastest(problem: Problem, tol: float, rounds: int) -> tuple[Result, float]:
    """A result, and the median time of the calls after the first, which compiles."""
    result, spent = solve(problem, tol=tol, threads=1), []
    for _ in range(rounds):
        began = time.perf_counter()
        result = solve(problem, tol=tol, threads=1)
        spent.append(time.perf_counter() - began)
    return result, float(np.median(spent))


def mechanisms(effort: Effort, quick: bool = False) -> Report:
    """How well rows and contacts of mechanisms hold, in Coulomb's law, and what sweeps over all rows reach."""
    rows = []
    for name, make in MECHANISMS.items():
        problem = make()
        result, spent = fastest(problem, TOLERANCE, 1 if quick else effort.rounds)
        swept = solve(problem, method="pgs", tol=TOLERANCE, form="factors", max_iterations=100 if quick else SWEEPS)
        held = result.errors.bilateral <= HOLD and result.errors.velocity <= TOUCH
        rows.append([
            name, str(problem.size), f"{result.errors.bilateral:.1e}", f"{result.errors.velocity:.1e}",
            "yes" if held else "no", str(result.iterations), seconds(spent), f"{swept.errors.velocity:.1e}",
        ])  # fmt: skip
    return Report(
        "contact_mechanisms", "Mechanisms in maximal coordinates",
        f"`solve` with `tol={TOLERANCE:.0e}`. The largest velocity of a bilateral row, and the largest error in "
        f"velocity of all rows, those of contacts among them, m/s or rad/s; wanted are {HOLD:.0e} and {TOUCH:.0e}.",
        ["scene", "rows", "bilateral rows", "error in velocity", "both held", "iterations", "time",
         f"{SWEEPS} sweeps over all rows"],
        rows,
        ["The last column is the error in velocity that `pgs` reaches where bilateral rows are iterated like the others "
         '(`form="factors"`).'],
    )  # fmt: skip


def long_chains(effort: Effort, quick: bool = False) -> Report:
    """Time of a whole call for chains of many hinges, five rows each."""
    rows = []
    for count in LENGTHS[:1] if quick else LENGTHS:
        problem = chain(count)
        result, spent = fastest(problem, 1e-8, max(3, effort.rounds))
        rows.append([
            str(count), str(problem.size), seconds(spent), seconds(spent / count), f"{result.errors.bilateral:.1e}"
        ])  # fmt: skip
    return Report(
        "contact_chains", "Chains of many hinges", "A whole call of `solve`, nothing prepared, one thread.",
        ["hinges", "rows", "time", "time for each hinge", "bilateral rows, m/s or rad/s"], rows,
    )  # fmt: skip
