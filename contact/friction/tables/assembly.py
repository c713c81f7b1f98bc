"""Assembly of the friction problem of one step, from bodies, contacts and rows.

    u = J v + w,    v = v_free + M^-1 J' r    so that    N = J M^-1 J' + compliance,    b = J v_free + w

A contact has three rows, for its normal and its tangents d = n, t1, t2, the velocity of body j relative to body i:

    J_d v = d . (v_j + w_j x r_j) - d . (v_i + w_i x r_i) = [r_j x d; d] . v_j - [r_i x d; d] . v_i

with r_i, r_j from the centres of mass to the point; rolling friction adds ``t . (w_j - w_i)`` for both tangents,
spinning friction ``n . (w_j - w_i)``. In the words of source document 000 (docs/sources.md) ``J' = C [N, D]``,
with these corrections, each checked by the tests:

- C: the angular rows of body j are ``l = 2 j_k`` (the document repeats ``2 i_k``); linear rows first there, angular
  ones here;
- the matrix of the cross product has ``- r_2`` in its lower left corner, not ``r_2``;
- the relative velocity of the point has ``w x r_k``, not ``w x v_k``;
- ``u >= v_k / dt`` holds with ``v_k = - gap``, so that the offset ``- v_k / dt`` is ``+ gap / dt``;
- A_lk: the first delta is that of ``i_l`` and ``i_k``. The inertias are those in world axes;
- the acceleration is the first derivative of the velocity, not the second.

What w holds for a contact is its law (:mod:`~pluecker.contact.friction.dense.contact_law`), with the velocity u_n^- before
the step and u_n^free at its end without impulses:

- ``gap / h`` where the gap is positive: the bodies may come as near as to touch;
- ``erp gap / h`` where it is negative: that share of the penetration goes away in a step;
- Newton's restitution, where e > 0, the bodies approach, ``u_n^- < 0``, and would touch within the step, ``u_n^free < - gap
  / h``: ``u_n >= - e u_n^-``, in place of the above where it asks for more. A body at rest does not hop, nor does one that
  gains more in the step than the velocity that it had. One that parts, ``u_n^- > 0``, and is pressed back within the step
  comes to rest, where the ``MoreauJeanOSI`` of Siconos, which asks active contacts for ``u_n >= - e u_n^-`` whatever the
  sign, lets it back.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_record, as_switch
from pluecker.contact.friction.dense.contact_law import NormalLaw, normal_law
from pluecker.contact.friction.problem.checks import check_size
from pluecker.contact.friction.problem.columns import as_column, entry_error
from pluecker.contact.friction.problem.mass_matrix import BODY
from pluecker.contact.friction.problem.operator import factored
from pluecker.contact.friction.problem.problem import Problem, build_sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.friction.tables.bodies import Bodies, as_step
from pluecker.contact.friction.tables.table import ContactTable, Rows, contact_frames
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["assemble_contacts", "contact_jacobian"]

ERP = 0.2  # of the penetration in a step, unless given


def assemble_contacts(
    bodies: Bodies,
    table: ContactTable,
    step: float,
    rows: Rows | None = None,
    *,
    erp: ArrayLike = ERP,
    restitution: bool = True,
) -> Problem:
    """Assemble the friction problem of one step: contacts first, then rows, with a factored operator.

    The columns are the velocities of all bodies, six for each. Those of static bodies stay empty, so that contacts with
    the same floor do not meet there; what their velocity does is part of the offset.

    Args:
        bodies: n bodies, their wrench with gravity in it.
        table: K contacts; each has 3, 5 or 6 components, as it has one, two or three coefficients of friction.
        step: h, s.
        rows: R joints, limits and motors.
        erp: error reduction, the share of a penetration that a step removes, from 0 to 1, one for all or for each
            contact, ``(K,)``; 1 removes it at once, at a speed that may be high, and which the bodies keep.
        restitution: False leaves Newton's restitution out, as
            :func:`~pluecker.contact.friction.solving.restitution.poisson_restitution` needs it.

    Returns:
        A problem whose ``velocity(r)`` is ``J v + w`` (m/s), and whose ``motion(r)``, ``(n, 6)``, are the velocities
        of the bodies at the end of the step, ``[w; v]`` in world axes. Multipliers are impulses in N s; those of
        rolling and spinning in N m s.

    Raises:
        ProblemError: an argument is of another type; a body of a contact or row is out of range, or all its bodies are
            static; an erp is not between 0 and 1; the step is not positive; an entry of J, J M^-1, the offset or the
            diagonal of N is above 1e150. The message names the contact or row.

    Source: D. E. Stewart and J. C. Trinkle (1996); M. Anitescu and F. A. Potra (1997); source document 000
    (docs/sources.md), the linear complementarity problem, and the mixing of forces for the compliance.

    Example:
        >>> from pluecker.contact import Bodies, ContactTable, assemble_contacts
        >>> floor_and_ball = Bodies([float("inf"), 2.0], [[0, 0, 0], [0.1, 0.1, 0.1]], [[0, 0, 0], [0, 0, 0.5]])
        >>> table = ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], friction=0.3)
        >>> assemble_contacts(floor_and_ball.with_gravity(), table, 0.1).offset
        array([-0.981,  0.   ,  0.   ])
    """
    h = as_step(step)
    rows = Rows(np.zeros((0, 2), np.int64), np.zeros((0, 2, BODY))) if rows is None else rows
    as_record("bodies", bodies, Bodies)
    as_record("table", table, ContactTable)
    as_record("rows", rows, Rows)
    restitution = as_switch("restitution", restitution)
    check_bodies("row", rows.bodies, bodies)
    share = as_erp(erp, len(table))
    with np.errstate(over="ignore", invalid="ignore"):  # check_size names what overflows
        problem = assemble(bodies, table, rows, h, share, restitution)
    pairs = np.concatenate([table.bodies, rows.bodies])

    def name(row: int) -> str:
        i, j = pairs[int(np.searchsorted(problem.sets.start, row, "right")) - 1].tolist()
        return f"{problem.label(row)}, of {f'bodies {i} and {j}' if j >= 0 else f'body {i}'}"

    check_size(problem.operator, problem.offset, name)
    return problem


def assemble(bodies: Bodies, table: ContactTable, rows: Rows, h: float, erp: Array, restitution: bool) -> Problem:
    """Assemble the problem of arguments that were checked, see :func:`assemble_contacts`; overflow is left in its arrays."""
    K, size = len(table), table.size
    contacts = contact_jacobian(bodies, table)
    free = bodies.free_velocity(h)
    order = np.argsort(rows.bodies, axis=1)
    pairs = np.concatenate([table.bodies, np.take_along_axis(rows.bodies, order, axis=1)])
    singles = np.take_along_axis(rows.jacobian, order[:, :, None], axis=1)[:, :, None, :]
    there = (pairs >= 0) & ~bodies.static[pairs]
    parts = [contacts, singles]
    linear, angular = bodies.inverse_mass, bodies.inverse_inertia
    root, turned = np.sqrt(linear), bodies.root_of_inverse_inertia
    touching = (table.bodies, pairs[K:])
    divided = [times_masses(angular, linear, mine, part) for mine, part in zip(touching, parts, strict=True)]
    halved = [times_masses(turned, root, mine, part) for mine, part in zip(touching, parts, strict=True)]
    sets = build_sets(table.friction, size, (rows.lower, rows.upper))
    J, T, G = (block_matrix(sets.start, len(bodies), pairs, there, part) for part in (parts, divided, halved))
    offset = relative_velocity(contacts, table.bodies, free)
    before = relative_velocity(contacts[:, :, :1], table.bodies, bodies.velocity)[:, 0]
    least = np.zeros(K)
    newton = table.restitution if restitution else np.zeros(K)
    store_least(h, table.gap, before, offset[:, 0].copy(), newton, erp, least)
    offset[:, 0] -= least
    of_rows = relative_velocity(singles, pairs[K:], free)[:, 0] + rows.offset
    softness = np.zeros((K, size))
    columns = 3 if table.compliance.ndim == 2 else 1
    softness[:, :columns] = table.compliance.reshape(K, columns)
    names = (*(f"contact {k}" for k in range(K)), *(f"row {k}" for k in range(len(rows))))
    operator = factored(J, T, np.concatenate([softness.ravel(), rows.compliance]), G)
    return Problem(operator, np.concatenate([offset.ravel(), of_rows]), sets, free, names)


def contact_jacobian(bodies: Bodies, table: ContactTable) -> Array:
    """Compute the Jacobian of each contact with respect to its two bodies, static ones included, ``(K, 2, size, 6)``.

    Raises:
        ProblemError: an argument is of another type, a body is out of range, or both bodies of a contact are static.
    """
    as_record("bodies", bodies, Bodies)
    as_record("table", table, ContactTable)
    check_bodies("contact", table.bodies, bodies)
    frames = contact_frames(table.normal)
    arms = table.point[:, None] - bodies.position[table.bodies]
    J = np.zeros((len(table), 2, table.size, BODY))
    J[:, :, :3, :3] = np.cross(arms[:, :, None], frames[:, None])
    J[:, :, :3, 3:] = frames[:, None]
    if table.size > 3:
        J[:, :, 3:5, :3] = frames[:, None, 1:]
    if table.size > 5:
        J[:, :, 5, :3] = frames[:, None, 0]
    J[:, 0] *= -1.0
    return J


def times_masses(angular: Array, linear: Array, pairs: Indices, J: Array) -> Array:
    """Multiply J by ``[[angular, 0], [0, linear]]`` of each body, ``(n, 3, 3)`` and ``(n,)``, block by block."""
    T = np.empty_like(J)
    np.matmul(J[..., :3], angular[pairs], out=T[..., :3])
    np.multiply(J[..., 3:], linear[pairs][:, :, None, None], out=T[..., 3:])
    return T


def relative_velocity(J: Array, pairs: Indices, velocity: Array) -> Array:
    """Compute J v of each contact or row, ``(K, size)``; a body of -1 has a Jacobian of zeros."""
    return np.asarray((J @ velocity[pairs][..., None])[..., 0].sum(axis=1))


def store_least(h, gap, before, free, restitution, erp, least):
    """Store the least velocity along each normal, by the law of contacts, of which a step removes a share of the depth"""
    for k in range(len(least)):
        law = NormalLaw(restitution[k], 0.0, inf, 0.0, erp[k] / h, inf)
        _, least[k], _ = normal_law(h, gap[k], before[k], free[k], law)


store_least = entry_point(store_least)


def block_matrix(start: Indices, n: int, pairs: Indices, there: Array, parts: list[Array]) -> BlockMatrix:
    """Make the matrix of the blocks that are there, in rows that begin at ``start``, with six columns for each of n bodies.

    Each part holds blocks of one size, ``(contacts, 2, height, 6)``; the pairs of bodies are those of all parts,
    ascending.
    """
    heights = np.diff(start)
    first = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
    sizes = (np.broadcast_to(heights[:, None], pairs.shape) * BODY)[there]
    place = np.cumsum(sizes) - sizes
    ends = np.cumsum([0, *map(len, parts)])
    data = [part[there[a:b]].ravel() for part, a, b in zip(parts, ends[:-1], ends[1:], strict=True)]
    width = np.where(heights == 3, BODY, 0)
    columns = BODY * np.arange(n + 1, dtype=np.int64)
    return BlockMatrix(start, columns, first, pairs[there], place.astype(np.int64), np.concatenate(data), width)


def check_bodies(what: str, pairs: Indices, bodies: Bodies) -> None:
    """Refuse bodies out of range, and contacts or rows that nothing can answer."""
    n = len(bodies)
    for k in np.flatnonzero((pairs >= n).any(axis=1)):
        raise entry_error(what, int(k), f"body {pairs[k].max()} is out of range, there are {n} bodies")
    for k in np.flatnonzero((bodies.static[pairs] | (pairs < 0)).all(axis=1)):
        i, j = pairs[k].tolist()
        whose = f"bodies {i} and {j} are both static" if j >= 0 else f"body {i} is static"
        raise entry_error(what, int(k), f"{whose}, expected one that can move")


def as_erp(erp: ArrayLike, K: int) -> Array:
    """Return shares from 0 to 1, one for each contact."""
    values = as_column("contact", "erp", erp, (), K)
    for k in np.flatnonzero((values < 0.0) | (values > 1.0)):
        raise entry_error("contact", int(k), f"erp is {values[k]}, expected 0 to 1")
    return values
