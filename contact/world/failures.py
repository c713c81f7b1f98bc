"""Messages about states from which no step is found: the constraints that contradict each other there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.failures import NO_MEASURE, measured
from pluecker.contact.constraints.records.user import refuse_what_broke
from pluecker.contact.geometry.collision import Collision
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.contact.mechanisms.constrained import Constrained, Flags
from pluecker.contact.mechanisms.errors_at import by_energy, rows_at
from pluecker.contact.mechanisms.running import axes_in_line
from pluecker.contact.stepping.projection import TOLERATED
from pluecker.spatial.errors import PlueckerError, shown

__all__ = ["explanation"]

SMALLEST_SINGULAR_VALUE = 1e-9  # of the largest singular value: smaller ones are none
WEAK = 0.3  # chosen: rows that are independent by less are near to a contradiction
LEFT = 1e-7  # of what is asked for: what is left, and rounding cannot have made
PART = 1e-2  # of the largest part of a combination: constraints with less have no part in it
DEEP = 1e-2  # of the smaller radius, chosen: what lies or falls is less deep, by its weight or in a step
NAMED = 5  # pairs, of which more would fill the message
AT_LIMIT = 1e-9  # m or rad: a row that comes as near to its limit is at it


class Asked(NamedTuple):
    """Rows that are to hold in a step: what they are, what is asked of them, and where they come to.

    Attributes:
        names: of their constraints.
        A: scaled, with ``J H^-1 J^T = A A^T``, at the beginning of the step.
        ahead: ``J(q + h v) H^-1 J^T``, scaled: how the impulses of a step move what rows are at its end.
        size: by which rows are scaled.
        speed, gain: ``ds/dt`` and ``d2s/dt2 - Jdot v``.
    """

    names: list[str]
    A: Array
    ahead: Array
    size: Array
    speed: Array
    gain: Array


def explanation(
    world: Constrained, q: Array, v: Array, tau: Array, error: float, time: float, step: float
) -> str | None:
    """Name the constraints whose rows cannot hold at once, and what is left of each; None if they can.

    Rows that hold want velocities ``J v = ds/dt`` and accelerations ``J a = d2s/dt2 - Jdot v``, s their motion over
    time. They contradict each other where these have no solution: what is left of the nearest one, in the metric of the
    masses, is a combination of rows that adds up to nothing on the left-hand side, and to something on the right-hand side.
    Rows that come to a hard limit in the step are among them. Where no combination is nothing, those are named that the
    impulses of the step, along J at its beginning, move least at its end: a dead point is near, or J turns too far. Where
    that is far away too, those with limits, friction, motors or contacts are named that act in the step.

    Args:
        q, v, tau: the state before the step, and joint forces.
        error: of the step, as a share of what is tolerated.
        time: at which the step begins; s.
        step: how long it is; s.

    Raises:
        ConstraintError: a function of the user's has no value there; what it raised is the cause.
    """
    inside = overlaps(world, q) if 1.0 < error < np.inf else None
    if inside is not None:
        return f"the step is not solved, its error is {error:.3g} times what is tolerated; {inside}"
    if not np.isfinite(error):
        refuse_what_broke(world.model, world.parts, q)
    try:
        with np.errstate(all="ignore"):  # of states that have run away
            locked = axes_in_line(world, q, WEAK)
            if locked is not None:
                return locked
            asked = rows_that_hold(world, q, v, time, step)
    except (PlueckerError, np.linalg.LinAlgError):
        return None
    if not all(np.isfinite(each).all() for each in asked[1:]):
        return None
    if not len(asked.A):
        return unmet(world, q, v, error, time, step)
    names, size = asked.names, asked.size
    U, s, _ = np.linalg.svd(asked.A, full_matrices=True)
    rank = int((s > SMALLEST_SINGULAR_VALUE * max(s.max(initial=0.0), 1e-300)).sum())
    for what, unit, each in (("velocities", "/s", asked.speed), ("accelerations", "/s^2", asked.gain)):
        b = each / size
        rest = U[:, rank:] @ (U[:, rank:].T @ b)
        if np.abs(rest).max(initial=0.0) > LEFT * max(np.abs(b).max(initial=0.0), 1e-300):
            own = np.abs(rest * size)
            worst = int(own.argmax())
            return (
                f"the constraints {involved(names, rest)} contradict each other: of the {what} that they ask for, "
                f"{own[worst]:.3g} m{unit} or rad{unit} is left at {shown(names[worst])}"
            )
    if 1.0 < error < np.inf and rank:
        U, s, _ = np.linalg.svd(asked.ahead)
        ranged = any(row.ranged for row in world.laws)  # whose error is a share of impulses: it may be theirs
        if s[rank - 1] < WEAK or not ranged:
            left = f"an error {measured(error, 'times what is tolerated')}"
            if not ranged and error < NO_MEASURE:
                left = f"{error * TOLERATED:.3g} m or rad of them"
            return (
                f"the constraints {involved(names, U[:, rank - 1])} come to contradict each other, or turn too far in one "
                f"step, which leaves {left}; try a smaller step"
            )
    return unmet(world, q, v, error, time, step)


def overlaps(world: Constrained, q: Array) -> str | None:
    """Say which shapes that may touch are deep in one another in a configuration, and what to do; None if none are."""
    try:
        collision, named = shapes_that_may_touch(world)
        found = collision.find(q)
    except PlueckerError:
        return None
    depths: dict[tuple[int, int], float] = {}
    for i, j, gap in zip(*found.colliders.T.tolist(), found.gap.tolist(), strict=True):
        pair = [collision.colliders[k] for k in (i, j)]
        radius = min(each.shape.radius_around for each in pair)
        if -gap > DEEP * radius and (named is None or frozenset(each.name for each in pair) in named):
            depths[i, j] = max(depths.get((i, j), 0.0), -gap)
    if not depths:
        return None
    deepest = sorted(depths, key=lambda pair: -depths[pair])
    words = [
        f"{shown(collision.colliders[i].name)} and {shown(collision.colliders[j].name)} by {depths[i, j]:.3g} m"
        for i, j in deepest[:NAMED]
    ]
    more = f", and {len(deepest) - NAMED} more pairs" if len(deepest) > NAMED else ""
    how = "Collision(..., ignored=...) or urdf_colliders(..., ignore_overlaps_at=...)"
    return (
        f"shapes overlap as it begins, {', '.join(words)}{more}: leave such pairs out"
        f"{f' by {how}' if named is None else ' of pairs'}, or try a smaller step, or on_unsolved='continue'"
    )


def shapes_that_may_touch(world: Constrained) -> tuple[Collision, set[frozenset[str]] | None]:
    """With the pairs that do, where they are named."""
    if world.found_contacts is not None:
        return world.found_contacts.collision, None
    contacts = [each for each in world.constraints if isinstance(each, ShapeContact)]
    colliders = {shape.name: shape for each in contacts for shape in (each.first, each.second)}
    named = {frozenset((each.first.name, each.second.name)) for each in contacts}
    return Collision(world.model, colliders.values(), adjacent=True), named


def unmet(world: Constrained, q: Array, v: Array, error: float, time: float, step: float) -> str | None:
    """Name the constraints with limits, friction, motors or contacts that act in the step; they are solved together."""
    if not 1.0 < error < np.inf:
        return None
    stop = stopped(world, ends_of_step(world, q, v, time, step)[1])
    acting = [
        name
        for name, row, at_limit in zip(world.names_of_rows, world.laws, stop, strict=True)
        if at_limit or row.contact or row.friction > 0.0 or row.force > 0.0
    ]
    if not acting:
        return None
    names = ", ".join(shown(name) for name in dict.fromkeys(acting))
    return (
        f"the laws of {names} are not met, with an error {measured(error, 'times what is tolerated')}; try a smaller step, "
        "or World.simulate with on_unsolved='continue'"
    )


def ends_of_step(world: Constrained, q: Array, v: Array, time: float, step: float) -> tuple[RowsAt, RowsAt]:
    """Compute the rows as the step begins, and where the velocity takes them."""
    ahead = integrate(world.model, q, step * v)
    return rows_at(world, q, v, time=time), rows_at(world, ahead, v, time=time + step)


def stopped(world: Constrained, ahead: RowsAt) -> Flags:
    """Return which rows come to a hard limit; not contacts."""
    lower, upper = (np.array([getattr(row, key) for row in world.laws]) for key in ("lower", "upper"))
    hard = [row.ranged and row.holonomic and not row.contact and np.isinf(row.stiffness) for row in world.laws]
    return np.array(hard, dtype=bool) & ((ahead.error < lower + AT_LIMIT) | (ahead.error > upper - AT_LIMIT))


def rows_that_hold(world: Constrained, q: Array, v: Array, time: float, step: float) -> Asked:
    """Collect linear rows that are no springs, dampers or rotors, and those that come to a hard limit; not contacts."""
    rows, ahead = ends_of_step(world, q, v, time, step)
    held = np.flatnonzero(world.held_rows | stopped(world, ahead))
    A, A1 = (by_energy(world, q, each.jacobian[held]) for each in (rows, ahead))
    size, size1 = (np.linalg.norm(each, axis=1) for each in (A, A1))
    size, size1 = (np.where(each > 0.0, each, 1.0) for each in (size, size1))
    names = world.names_of_rows
    own = [names[k] for k in held]
    A = A / size[:, None]
    return Asked(own, A, A1 / size1[:, None] @ A.T, size, rows.speed[held], -rows.bias[held])


def involved(names: list[str], combination: Array) -> str:
    """Name the constraints that have a part in a combination of rows."""
    share = np.abs(combination)
    found = [name for name, x in zip(names, share, strict=True) if x > PART * share.max()]
    return ", ".join(shown(name) for name in dict.fromkeys(found))
