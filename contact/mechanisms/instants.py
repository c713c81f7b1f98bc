"""Queries of a world at an instant: accelerations, impacts, efforts, momentum; and singular positions of its constraints.

In a singular position rows that are independent elsewhere say the same, and motions of another kind branch off. What is left
of the constraints there allows more accelerations than those of the branch on which the velocity leads through it. These are
the limit of accelerations beside the position, of sixth order, as motions have it
(:mod:`~pluecker.contact.stepping.singular_positions`). At rest there is no such limit. Kernels count the rows that say
little. A state in which there are more than the fewest that were seen so far is looked at beside; others cost a comparison.

Source: Bayo, Avello (1994), for what happens in singular positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.configuration.integrate import difference, integrate
from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.constraints.checks import names_in
from pluecker.contact.constraints.relation import TURN, USER
from pluecker.contact.instants.accelerations import ACCELERATIONS, IN_LINE
from pluecker.contact.instants.impact import IMPACT
from pluecker.contact.instants.inverse import Effort, least_effort
from pluecker.contact.instants.motions_at import as_times
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.contact.mechanisms.closing import close_world
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.errors_at import by_energy, rows_at
from pluecker.contact.mechanisms.reactions import RANK
from pluecker.contact.mechanisms.running import called, refuse_contacts, refuse_gimbal_lock, run_on_rows
from pluecker.contact.stepping.singular_positions import ASIDE, SLOWEST, WEIGHTS
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, PlueckerError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = [
    "ConstrainedAcceleration",
    "Impact",
    "find_accelerations",
    "find_effort",
    "find_impact",
    "momentum_about",
    "times_of_singular_positions",
]

NEARLY_IN_LINE = 1e-3  # sine between axes of angles: it is why rotors of that joint turn far for little
# Smallest singular value of rows of angles, each of length 1: at 2.2e-4 accelerations of two couplings of one joint were
# measured to be off by 1e-7, at 1.1e-4 by 4e-3, since its square is beside the regularisation of a pivot.
ALIKE = 2e-4
LITTLE = 1e-3  # of the largest on the motion, the smallest singular value of rows: between samples it is met to that
# Of what is aside, where rows say more: their sizes and singular values fall with the distance, by a third and more where
# kernels count a row as little, within 0.01 of 0.03 rad.
FALLEN = 0.7
SMOOTH = 1e-4  # of a limit: orders of extrapolation agree to 3e-6 on mechanisms, and to 3e-4 where they mislead
NEXT = 1e-8  # of the time between two samples: to which a minimum is looked for, about the root of rounding
CHUNK = 1000  # samples that are looked at together
NEAR = 0.25  # of the way aside, and of the velocity: states that constraints allow and that differ by more are on no branch


@by_value()
class ConstrainedAcceleration(NamedTuple):
    """Acceleration of a world, and the forces of its constraints.

    Attributes:
        acceleration: ``(..., nv)``; rad/s^2 or m/s^2.
        forces: along the rows of all constraints, ``(..., n_rows)``; N or N m.
    """

    acceleration: Array
    forces: Array


@by_value()
class Impact(NamedTuple):
    """Velocity after an impulse, and the impulses of the constraints.

    Attributes:
        velocity: ``(..., nv)``; rad/s or m/s.
        impulses: along the rows of all constraints, ``(..., n_rows)``; N s or N m s.
    """

    velocity: Array
    impulses: Array


def find_accelerations(
    world: Constrained, q: Any, v: Any, tau: Any, f_ext: Any, time: Any, threads: int | None
) -> ConstrainedAcceleration:
    """Compute what ``World.accelerations`` returns."""
    refuse_contacts(world, "accelerations")
    inputs: tuple[Any, ...] = (q, v, tau, LEFT_OUT if f_ext is None else f_ext)
    ranged = world.packed.n_rows > world.packed.n_linear
    moving = any(row.motion is not None for row in world.laws)
    if moving or type(time) is not float:
        times = as_times("World.accelerations", time)
        inputs = (times[..., None], *inputs) if moving else inputs
    return ConstrainedAcceleration(*accelerations_on_branches(world, ACCELERATIONS[ranged, moving], inputs, threads))


def find_impact(world: Constrained, q: Any, v: Any, impulse: Any, time: Any, threads: int | None) -> Impact:
    """Compute what ``World.impact`` returns."""
    refuse_contacts(world, "impact")
    along = np.zeros(world.model.nv) if impulse is None else impulse
    inputs = as_times("World.impact", time)[..., None], q, v, along
    return Impact(*run_on_rows(world, IMPACT, inputs, threads))


@called("World.momentum")
def momentum_about(world: Constrained, q: ArrayLike, v: ArrayLike, point: ArrayLike) -> Array:
    """Compute what ``World.momentum`` returns."""
    h = momentum(world.model, q, v)
    x = as_numbers("World.momentum", "point", point)
    if x.shape[-1:] != (3,) or not np.isfinite(x).all():
        raise ArgumentValueError(f"World.momentum: point is {shown(point)}, expected three finite numbers")
    with np.errstate(all="ignore"):
        found = np.concatenate(np.broadcast_arrays(h[..., :3] - np.cross(x, h[..., 3:]), h[..., 3:]), axis=-1)
    if not np.isfinite(found).all():
        raise ArgumentValueError("World.momentum: the result overflows: q, v or point is too large")
    return found


# ------------------------------------------------------------------------------------------------------------------ efforts


@called("World.inverse_dynamics")
def find_effort(
    world: Constrained, q: Any, v: Any, a: Any, f_ext: Any, actuated: Iterable[str] | None, weights: Any, time: Any
) -> Effort:
    """Compute what ``World.inverse_dynamics`` returns: tau and the forces of the constraints, with the least effort."""
    refuse_contacts(world, "inverse_dynamics")
    model = world.model
    needed = rnea(model, q, v, a, f_ext)
    driven = np.full(model.nv, actuated is None)
    for joint in () if actuated is None else names_in("World.inverse_dynamics", "actuated", actuated):
        driven[model.v_slice(joint)] = True
    scale = as_weights(weights, model.nv)
    n = world.n_rows - len(world.parts[-1].rows)  # the joints' own friction is in rnea already
    rows = rows_at(world, q, v, time=time)
    own = RowsAt(rows.error[..., :n], rows.jacobian[..., :n, :], rows.bias[..., :n], rows.speed[..., :n])
    speed, gain = (as_numbers("World.inverse_dynamics", name, x) for name, x in (("v", v), ("a", a)))
    effort = least_effort(model, world.names_of_rows, world.laws[:n], own, speed, gain, needed, driven, scale)
    joints = np.zeros((*effort.forces.shape[:-1], world.n_rows - n))
    return Effort(effort.tau, np.concatenate([effort.forces, joints], axis=-1))


def as_weights(weights: ArrayLike, nv: int) -> Array:
    """Check the weights of the drives, and broadcast them to one for each coordinate, ``(nv,)``."""
    scale = as_numbers("World.inverse_dynamics", "weights", weights)
    if scale.shape not in ((), (nv,)) or not (np.isfinite(scale) & (scale > 0.0)).all():
        raise ArgumentValueError(
            f"World.inverse_dynamics: weights is {shown(weights)}, expected numbers above 0, one or ({nv},)"
        )
    return np.broadcast_to(scale, (nv,))


# ------------------------------------------------------------------------------------------------------- singular positions


def accelerations_on_branches(
    world: Constrained, algorithm: Algorithm, inputs: tuple[Any, ...], threads: int | None
) -> tuple[Array, Array]:
    """Call an algorithm for ``(..., nv)`` and ``(..., n_rows)``; in singular positions, take the limit along the motion."""
    motion, forces, little = run_on_rows(world, algorithm, inputs, threads)
    most = little.item() if little.size == 1 else little.max(initial=0.0)
    if most >= IN_LINE:
        q = np.asarray(inputs[[field.name for field in algorithm.inputs].index("q")], dtype=np.float64)
        unknown = np.broadcast_to(q, (*little.shape[:-1], q.shape[-1]))[little[..., 0] >= IN_LINE]
        refuse_gimbal_lock(world, algorithm.name, unknown, NEARLY_IN_LINE)
        little = little % IN_LINE
        most = little.max()
    if most > 0.0 and np.count_nonzero(rows := rows_of_angles(world)) > 1:
        q = np.asarray(inputs[[field.name for field in algorithm.inputs].index("q")], dtype=np.float64)
        refuse_angles_alike(world, algorithm.name, q.reshape(-1, q.shape[-1]), rows)
    fewest = world.tables.get(accelerations_on_branches)
    if most <= (0.0 if fewest is None else fewest):
        return motion, forces
    names, batch = [field.name for field in algorithm.inputs], little.shape[:-1]
    states = {
        name: None if x is LEFT_OUT else spread(np.asarray(x, dtype=np.float64), batch, 2 if name == "f_ext" else 1)
        for name, x in zip(names, inputs, strict=True)
    }
    motion = motion.reshape(-1, motion.shape[-1])
    for k, count in enumerate(little.reshape(-1)):
        state = {name: x[k] for name, x in states.items() if x is not None}
        if count > (0.0 if fewest is None else fewest) and state["v"].any():
            beside, limit = look_beside(world, algorithm, names, state, float(count))
            fewest = beside if fewest is None else min(fewest, beside)
            motion[k] = motion[k] if limit is None else limit
    if fewest is not None:
        world.tables[accelerations_on_branches] = fewest
    return motion.reshape(*batch, motion.shape[-1]), forces


def rows_of_angles(world: Constrained) -> NDArray[np.bool_]:
    """Return which rows hold, and are of constraints with an angle that gimbal lock takes away, ``(n_rows,)``."""
    angles = [np.full(len(part.rows), any(f.kind == TURN for f in part.functions)) for part in world.parts]
    return world.held_rows & np.concatenate(angles)


def refuse_angles_alike(world: Constrained, function: str, q: Array, rows: NDArray[np.bool_]) -> None:
    """Refuse configurations ``(n, nq)`` next to gimbal lock in which rows of angles say the same but for rounding.

    Raises:
        ConstraintError: there is such a configuration.
    """
    W = by_energy(world, q, rows_at(world, q).jacobian[:, rows])
    sizes = np.linalg.norm(W, axis=-1)
    values = np.linalg.svd(W / np.where(sizes > 0.0, sizes, 1.0)[..., None], compute_uv=False)
    refuse_gimbal_lock(world, function, q[values[:, -1] < ALIKE], NEARLY_IN_LINE)


def spread(x: Array, batch: tuple[int, ...], own: int) -> Array:
    """An input of a batch, a row for each state."""
    return np.broadcast_to(x, (*batch, *x.shape[x.ndim - own :])).reshape(-1, *x.shape[x.ndim - own :])


def look_beside(
    world: Constrained, algorithm: Algorithm, names: list[str], state: dict[str, Array], count: float
) -> tuple[float, Array | None]:
    """How many rows say little beside a state, and the limit of accelerations along the motion if these are fewer."""
    q, v = state["q"], state["v"]
    dt = ASIDE / max(SLOWEST, float(np.abs(v).max()))
    calls = [(f.user, f.user.broken) for part in world.parts for f in part.functions if f.kind == USER]

    def at(side: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Call the algorithm a time aside."""
        own = {**state, "q": q, "v": v} | ({"time": state["time"] + side} if "time" in state else {})
        motion, forces, little = run_on_rows(world, algorithm, tuple(own.get(name, LEFT_OUT) for name in names), None)
        return motion, forces, little

    try:
        beside = min(float(at(side, integrate(world.model, q, side * v), v)[2][0]) for side in (dt, -dt))
        near = np.stack([q, *(integrate(world.model, q, side * v) for side in (dt, -dt))])
        if not beside < count or not rows_say_less(world, near):
            return beside, None
        sums = np.zeros((len(WEIGHTS), len(v)))
        for k in range(1, len(WEIGHTS) + 1):
            for side in (k * dt, -k * dt):
                there = integrate(world.model, q, side * v)
                time = float(state["time"][0]) + side if "time" in state else 0.0
                closed = close_world(world, there, v, time=time)
                off = np.abs(difference(world.model, there, closed.configuration)).max() / (k * ASIDE)
                turned = np.abs(closed.velocity - v).max() / np.abs(v).max()
                if not max(off, turned) < NEAR:
                    return beside, None
                sums[k - 1] += at(side, closed.configuration, closed.velocity)[0]
    except (PlueckerError, np.linalg.LinAlgError):  # no state is there, or none that constraints allow
        return count, None
    finally:  # what a user's function did beside the state explains nothing
        for call, broken in calls:
            call.broken = broken
    limit = np.array(WEIGHTS) @ sums
    coarse = np.array([2.0, -0.5]) / 3.0 @ sums[:2]  # of the fourth order
    smooth = np.abs(limit - coarse).max() <= SMOOTH * np.abs(limit).max()
    return beside, limit if smooth else None  # nothing is known of it from so far aside


def rows_say_less(world: Constrained, q: Array) -> bool:
    """Return whether rows that hold say less in the first of some configurations ``(n, nq)`` than in the others.

    A row that moves everything far, as of an angle next to gimbal lock, makes the others small beside it, and not less.
    Beside a singular position rows say more on both sides; next to gimbal lock on that side alone which is nearer to it.
    """
    W = by_energy(world, q, rows_at(world, q).jacobian[:, world.held_rows])
    sizes = np.linalg.norm(W, axis=-1)
    if (sizes[0] < FALLEN * sizes[1:].min(axis=0)).any():
        return True
    values = np.linalg.svd(W / np.where(sizes > 0.0, sizes, 1.0)[..., None], compute_uv=False)
    aside = values[1:].min(axis=0)
    return bool(((aside > RANK) & (values[0] < FALLEN * aside)).any())


def times_of_singular_positions(world: Constrained, motion: Trajectory) -> Array:
    """When a motion was in a singular position, at samples or between them; s.

    Rows are compared by energy, ``J L^-T`` with ``H = L L^T``, each as a share of the largest that it is on the motion. The
    smallest singular value of those that are independent somewhere falls to zero in a singular position. Where it has a
    minimum between samples, the configuration there is looked for by Brent's method.
    """
    time, q = motion.time, motion.q
    holding = world.held_rows
    if time is None or q is None or not len(q) or not holding.any():
        return np.zeros(0)

    def rows_by_energy(q: Array) -> Array:
        """Compute the rows that hold in n configurations, ``(n, rows, nv)``."""
        return by_energy(world, q, rows_at(world, q).jacobian[:, holding])

    chunks = [rows_by_energy(q[k : k + CHUNK]) for k in range(0, len(q), CHUNK)]
    largest = np.max([np.linalg.norm(W, axis=-1).max(axis=0) for W in chunks], axis=0)
    largest[largest == 0.0] = 1.0
    values = np.concatenate([np.linalg.svd(W / largest[:, None], compute_uv=False) for W in chunks])
    rank = int((values > RANK).sum(axis=1).max())
    if rank == 0:
        return np.zeros(0)
    smallest = values[:, rank - 1]

    def at(share: float, first: float, last: float) -> float:
        """The smallest singular value at a time, given as a share of the way from the first to the last."""
        W = rows_by_energy(motion.at(np.array([first + share * (last - first)])).q)
        return float(np.linalg.svd(W[0] / largest[:, None], compute_uv=False)[rank - 1])

    found, level = [], LITTLE * smallest.max()
    for k in np.flatnonzero(is_lowest(smallest)).tolist():
        sides = [max(k - 1, 0), min(k + 1, len(time) - 1)]
        slope = max(smallest[sides]) - smallest[k]
        if smallest[k] < level:
            found.append(float(time[k]))
        elif smallest[k] <= 2.0 * slope:  # it may come to zero in between
            from scipy.optimize import minimize_scalar  # which takes a fifth of a second to import

            first, last = time[sides].tolist()
            lowest = minimize_scalar(
                at, bounds=(0.0, 1.0), args=(first, last), method="bounded", options={"xatol": NEXT}
            )
            if lowest.fun < level:
                found.append(first + float(lowest.x) * (last - first))
    return np.array(found)


def is_lowest(x: Array) -> NDArray[np.bool_]:
    """Return where a number is smaller than the one before it, and not larger than the one behind."""
    found: NDArray[np.bool_] = (x < np.append(np.inf, x[:-1])) & (x <= np.append(x[1:], np.inf))
    return found
