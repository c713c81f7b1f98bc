"""Coulomb's law with a polygon in place of the circle: the complementarity problems of Stewart and Trinkle.

Friction of a contact is a sum of eta forces ``beta_h >= 0`` along directions in its tangent plane,

    d_h = cos(2 pi (h - 1) / eta) t1 + sin(2 pi (h - 1) / eta) t2,        |r_t| <= mu r_n becomes sum_h beta_h <= mu f

whose sum may be anywhere in a regular polygon with its corners on the circle. In the plane there are two, t and -t, and
the law is exact. The auxiliary multiplier lambda is the speed of sliding, measured along the direction that opposes it
most:

    0 <= beta  _|_  D' u_t + lambda e >= 0        0 <= f  _|_  u_n >= 0        0 <= lambda  _|_  mu f - e' beta >= 0

===========================  =========================================================  ==============================
function                     problem                                                    unknowns
===========================  =========================================================  ==============================
:func:`friction_lcp`         the bodies eliminated, as in source document 000           beta, f, lambda, rows
:func:`mixed_lcp`            mixed, bodies in it, as in source document 004             v, rows, f, beta, lambda
===========================  =========================================================  ==============================

Both are ``lower <= z <= upper`` with ``w = A z + b``, w >= 0 at the lower bound, w <= 0 at the upper one and w = 0
between them. Eliminating v from the second gives the first. Where a block slides midway between two directions, its
friction falls short of the circle's by ``1 - cos(pi / eta)``; elsewhere its direction is off, by ``pi / eta`` at most.

What the documents say otherwise, and the tests decide:

- 000: of a contact that parts, lambda may be anything: it is not less than the speed of sliding. Of one that sticks, the
  impulse may leave the cone: it cannot, since ``e' beta <= mu f`` always holds;
- 004: the row of ``J_d`` has a slack ``>= 0`` that is complementary to lambda_d, not the zero on its right-hand side,
  and lambda_d belongs to the complementary pairs;
- 004 has no gap, no restitution and no compliance: here they are the offset of the rows and a block on the diagonal.

Sources: D. E. Stewart and J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
and Coulomb friction" (1996); M. Anitescu and F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with
friction as solvable linear complementarity problems" (1997); source documents 000 and 004 (docs/sources.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_record, as_whole, check_memory, shown
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import as_matrix, as_vector
from pluecker.contact.friction.problem.problem import Problem, not_overflown
from pluecker.contact.friction.sparse.blocks import Indices, to_scipy
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = [
    "SIDES", "FrictionLcp", "MixedLcp", "Unknowns", "check_directions", "friction_lcp", "mixed_lcp", "polygon_directions",
    "polygon_unknowns", "usual_directions",
]  # fmt: skip

SIDES = 8  # of the polygon that stands for the circle in space, unless others are asked for
EVEN = "an even number from 4 on, or 2 in the plane"
COPIES = 6  # of the numbers of A, with their indices, that are in memory while it is put together (measured)


@by_value()
@dataclass(frozen=True, eq=False)
class FrictionLcp:
    """The linear complementarity problem of K contacts with eta directions each, and R rows (source document 000).

        z = [beta; f; lambda; rows],    w = A z + b

    Attributes:
        A: ``((eta + 2) K + R, (eta + 2) K + R)``.
        b: the same length.
        lower: of z: zero, for rows their lower bounds; a problem without rows is ``z >= 0, w >= 0, z . w = 0``.
        upper: infinite, for rows their upper bounds.
        directions: eta.
        contacts: K.
        map: from z to the multipliers r of the problem, ``(m, (eta + 2) K + R)``.
    """

    A: scipy.sparse.csr_matrix
    b: Array
    lower: Array
    upper: Array
    directions: int
    contacts: int
    map: scipy.sparse.csr_matrix

    def block(self, row: int, column: int) -> scipy.sparse.csr_matrix:
        """One of the document's blocks of A: rows and columns are 0 for beta, 1 for f, 2 for lambda, 3 for rows."""
        K = self.contacts
        end = np.cumsum([0, self.directions * K, K, K, len(self.b) - (self.directions + 2) * K])
        return self.A[end[row] : end[row + 1], end[column] : end[column + 1]]

    @property
    def DD(self) -> scipy.sparse.csr_matrix:
        """The document's D'C'M^-1CD, ``(eta K, eta K)``."""
        return self.block(0, 0)

    @property
    def DN(self) -> scipy.sparse.csr_matrix:
        """D'C'M^-1CN, ``(eta K, K)``; its transpose is N'C'M^-1CD."""
        return self.block(0, 1)

    @property
    def NN(self) -> scipy.sparse.csr_matrix:
        """N'C'M^-1CN, ``(K, K)``."""
        return self.block(1, 1)

    @property
    def E(self) -> scipy.sparse.csr_matrix:
        """``(eta K, K)``, a column of ones for each contact."""
        return self.block(0, 2)

    @property
    def mu(self) -> scipy.sparse.csr_matrix:
        """``(K, K)``, the coefficients of friction on the diagonal."""
        return self.block(2, 1)

    def multipliers(self, z: ArrayLike) -> Array:
        """r of the problem, ``(m,)``, from z: each contact (normal, tangents).

        Raises:
            ProblemError: z has another length, or is not finite, or the result overflows.
        """
        return not_overflown("multipliers", np.asarray(self.map @ as_vector("z", z, len(self.b))))


@by_value()
@dataclass(frozen=True, eq=False)
class MixedLcp:
    """The mixed problem of n velocities, R rows and K contacts with eta directions (source document 004).

        z = [v; rows; f; beta; lambda],    w = A z + b

             [ M    -J_e'  -J_n'  -J_d'   0 ]         [ -M v_free ]
             [ J_e    .      .      .     0 ]         [ w_e       ]
        A =  [ J_n    .      .      .     0 ]     b = [ w_n       ]
             [ J_d    .      .      .     E ]         [ w_d       ]
             [ 0      0      mu    -E'    0 ]         [ 0         ]

    where the points hold the compliance, and nothing in rigid contact. The document's right-hand side is -b.

    Attributes:
        A, b: matrix and offset.
        lower, upper: of z: v is free, rows have their bounds, the others are not negative.
        directions: eta.
        M, Je, Jn, Jd, E, mu: the blocks.
        map: from z to the multipliers r of the problem.
        shape: of the velocities of the bodies, as :meth:`~pluecker.contact.friction.problem.problem.Problem.motion` gives
            them.
    """

    A: scipy.sparse.csr_matrix
    b: Array
    lower: Array
    upper: Array
    directions: int
    M: scipy.sparse.csr_matrix
    Je: scipy.sparse.csr_matrix
    Jn: scipy.sparse.csr_matrix
    Jd: scipy.sparse.csr_matrix
    E: scipy.sparse.csr_matrix
    mu: scipy.sparse.csr_matrix
    map: scipy.sparse.csr_matrix
    shape: tuple[int, ...]

    def multipliers(self, z: ArrayLike) -> Array:
        """r of the problem, ``(m,)``, from z; errors as for :meth:`FrictionLcp.multipliers`."""
        return not_overflown("multipliers", np.asarray(self.map @ as_vector("z", z, len(self.b))))

    def motion(self, z: ArrayLike) -> Array:
        """The velocities of the bodies from z, ``(n, 6)`` or ``(n,)``, as those of the problem; errors as for
        :meth:`FrictionLcp.multipliers`.
        """
        return as_vector("z", z, len(self.b))[: self.M.shape[0]].reshape(self.shape)


class Unknowns(NamedTuple):
    """Unknowns of the polygon, ``[beta; f; lambda; rows]``, of K contacts, eta directions and R rows.

    Attributes:
        counts: ``eta K, K, K, R``.
        map: from them to the multipliers, ``(m, n)``.
        cone: what the law adds to the matrix: e beside lambda, mu and -e' in its rows, ``(n, n)``.
        lower, upper: their bounds, ``(n,)``.
    """

    counts: tuple[int, int, int, int]
    map: scipy.sparse.csr_matrix
    cone: scipy.sparse.csr_matrix
    lower: Array
    upper: Array


def polygon_directions(directions: int) -> Array:
    """Return cos and sin of the eta directions, ``(eta, 2)``, the second half exactly the opposite of the first.

    Raises:
        ProblemError: eta is not an even number from 4 on.

    Source: source document 000 (docs/sources.md), ``eta = 2 i, i >= 2``.
    """
    if as_whole("directions", directions, 4, EVEN) % 2:
        raise ProblemError(f"directions is {shown(directions)}, expected {EVEN}")
    angle = 2.0 * np.pi * np.arange(directions // 2) / directions
    half = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    half[np.abs(half) < 1e-15] = 0.0
    return np.concatenate([half, -half])


def usual_directions(problem: Problem) -> int:
    """Return 2 where the contacts are in the plane, :data:`SIDES` otherwise."""
    sizes = np.diff(problem.sets.start)[problem.sets.sizes[:, 0] > 0]
    return 2 if len(sizes) and (sizes == 2).all() else SIDES


def checked_directions(directions: int, pairs: int, entries: int) -> int:
    """Return the number of directions that was asked for, if the problem with so many fits into memory.

    Args:
        directions: eta.
        pairs: of contacts that meet in the matrix, in eta^2 entries.
        entries: that become eta each.
    """
    eta = as_whole("directions", directions, 2, EVEN)
    check_memory(
        f"directions is {shown(directions)}: such a problem", COPIES * (eta + 2) * ((eta + 2) * pairs + entries + 1)
    )
    return eta


def check_directions(problem: Problem, directions: int) -> None:
    """Check the number of directions that was asked for, and that :func:`friction_lcp` with so many fits into memory.

    Raises:
        ProblemError: it is no such number, or too large.
    """
    N, top = problem.matrix(), normals(problem)
    checked_directions(directions, N[top][:, top].nnz, N[top].nnz)


def normals(problem: Problem) -> Indices:
    """Return the rows of the normal multipliers of the contacts."""
    return problem.sets.start[:-1][problem.sets.sizes[:, 0] > 0]


def polygon_unknowns(problem: Problem, directions: int) -> Unknowns:
    """List the unknowns of the polygon, in the order of source document 000."""
    sets, m = problem.sets, problem.size
    size = np.diff(sets.start)
    contacts, rows = np.flatnonzero(sets.sizes[:, 0] > 0), np.flatnonzero(sets.sizes[:, 0] == 0)
    expected = 2 if directions == 2 else 3
    unit = np.array([[1.0], [-1.0]]) if directions == 2 else polygon_directions(directions)
    for k in contacts[size[contacts] != expected]:
        name = problem.label(int(sets.start[k])).removesuffix(", component 0")
        raise ProblemError(f"{name} has {size[k]} components, expected {expected} for {directions} directions")
    K, R, eta = len(contacts), len(rows), len(unit)
    top, n = sets.start[contacts], K * eta + 2 * K + R
    beta, f = np.arange(K * eta), K * eta + np.arange(K)
    speed, each = np.repeat(f + K, eta), K * eta + 2 * K + np.arange(R)  # lambda of each beta, and the rows
    tangent = top[:, None, None] + 1 + np.arange(expected - 1)[None, None, :]
    shape = (K, eta, expected - 1)
    values, i, j = (np.broadcast_to(x, shape).ravel() for x in (unit, tangent, beta.reshape(K, eta, 1)))
    i, j = np.concatenate([i, top, sets.start[rows]]), np.concatenate([j, f, each])
    of_cone = np.concatenate([np.ones(K * eta), -np.ones(K * eta), sets.friction[contacts, 0]])
    p, q = np.concatenate([beta, speed, f + K]), np.concatenate([speed, beta, f])
    return Unknowns(
        counts=(K * eta, K, K, R),
        map=scipy.sparse.csr_matrix((np.concatenate([values, np.ones(K + R)]), (i, j)), shape=(m, n)),
        cone=scipy.sparse.csr_matrix((of_cone, (p, q)), shape=(n, n)),
        lower=np.concatenate([np.zeros(n - R), sets.lower[rows]]),
        upper=np.concatenate([np.full(n - R, np.inf), sets.upper[rows]]),
    )


def diagonal(values: Array) -> scipy.sparse.csr_matrix:
    """Make a diagonal matrix, of any size."""
    each = np.arange(len(values))
    return scipy.sparse.csr_matrix((values, (each, each)), shape=(len(values),) * 2)


def friction_lcp(problem: Problem, *, directions: int | None = None) -> FrictionLcp:
    """Coulomb's law with a polygon, as the linear complementarity problem of source document 000.

        [ DD   DN   E   DR ] [ beta   ]   [ D'b ]
        [ DN'  NN   0   NR ] [ f      ] + [ N'b ]   >= 0   complementary to z, for rows between their bounds
        [ -E'  mu   0   0  ] [ lambda ]   [ 0   ]
        [ DR'  NR'  0   RR ] [ rows   ]   [ R'b ]

    Args:
        problem: contacts of three components, or of two in the plane, and rows; compliance adds to the diagonal of N.
        directions: eta, an even number from 4 on, or 2 in the plane; unless given 8, or 2 in the plane.

    Returns:
        A :class:`FrictionLcp`. A is copositive, ``z'Az = r'Nr + lambda'mu f >= 0`` for z >= 0, so that Lemke's
        algorithm solves a problem without rows where ``b'z >= 0`` for all solutions z of the one with b = 0 (Anitescu
        and Potra 1997).

    Raises:
        ProblemError: a contact has another number of components, eta is no such number.

    Source: Anitescu and Potra (1997); source document 000 (docs/sources.md), the problem with friction, and one design for
    all constraints.

    Example:
        >>> import numpy as np
        >>> from pluecker.contact.friction.lcp.polygon import friction_lcp
        >>> from pluecker.contact.friction.problem.problem import Problem
        >>> friction_lcp(Problem.from_delassus(np.eye(3), [-1.0, 0.5, 0.0], [0.3]), directions=4).A.toarray()
        array([[ 1. ,  0. , -1. ,  0. ,  0. ,  1. ],
               [ 0. ,  1. ,  0. , -1. ,  0. ,  1. ],
               [-1. ,  0. ,  1. ,  0. ,  0. ,  1. ],
               [ 0. , -1. ,  0. ,  1. ,  0. ,  1. ],
               [ 0. ,  0. ,  0. ,  0. ,  1. ,  0. ],
               [-1. , -1. , -1. , -1. ,  0.3,  0. ]])
    """
    as_record("problem", problem, Problem)
    N = problem.matrix()
    if directions is None:
        directions = usual_directions(problem)
    else:
        check_directions(problem, directions)
    P = polygon_unknowns(problem, directions)
    back = scipy.sparse.csr_matrix(P.map.T)
    A = scipy.sparse.csr_matrix(back @ N @ P.map + P.cone)
    return FrictionLcp(A, back @ problem.offset, P.lower, P.upper, directions, P.counts[1], P.map)


def mixed_lcp(problem: Problem, mass: Any, *, directions: int | None = None) -> MixedLcp:
    """Coulomb's law with a polygon, as the mixed linear complementarity problem of source document 004.

    Args:
        problem: with factors, from bodies or from :meth:`~pluecker.contact.friction.problem.problem.Problem.from_factors`;
            its contacts as for :func:`friction_lcp`. All its rows stand where the document has the equations of joints.
        mass: M, ``(n, n)``, as the problem was made with;
            :meth:`~pluecker.contact.friction.tables.bodies.Bodies.mass_matrix` for bodies.
        directions: eta, as for :func:`friction_lcp`.

    Returns:
        A :class:`MixedLcp`.

    Raises:
        ProblemError: the problem was made from a matrix; M has another shape, or is not the one whose inverse the
            problem has; else as for :func:`friction_lcp`.

    Source: Stewart and Trinkle (1996); source document 004 (docs/sources.md), section 10.

    Example:
        >>> import numpy as np
        >>> from pluecker.contact.friction.lcp.solve_lcp import solve_lcp
        >>> from pluecker.contact.friction.lcp.polygon import mixed_lcp
        >>> from pluecker.contact.friction.problem.problem import Problem
        >>> mass = 2.0 * np.eye(3)  # a point of 2 kg that slides on a floor: normal, and two directions
        >>> problem = Problem.from_factors(mass, np.eye(3), [-2.0, 6.0, 0.0], np.zeros(3), [0.5])
        >>> mixed = mixed_lcp(problem, mass, directions=4)
        >>> result = solve_lcp(mixed.A, mixed.b, lower=mixed.lower, upper=mixed.upper)
        >>> (mixed.motion(result.z).round(9) + 0.0).tolist(), mixed.multipliers(result.z).round(9).tolist()
        ([0.0, 2.5, 0.0], [2.0, -1.0, 0.0])
    """
    as_record("problem", problem, Problem)
    if problem.free_velocity is None or not problem.operator.is_factored:
        raise ProblemError("mixed_lcp: this problem has no factors: it was made from a matrix, or assembled")
    J, T, free = to_scipy(problem.operator.J), to_scipy(problem.operator.T), problem.free_velocity.ravel()
    M, n = as_matrix("mass", mass), len(free)
    if M.shape != (n, n):
        raise ProblemError(f"mass is {M.shape}, expected {(n, n)}")
    if np.abs((T @ M - J).data).max(initial=0.0) > 1e-9 * np.abs(J.data).max(initial=0.0):
        raise ProblemError("mass is not the one that this problem was made with: J M^-1 is another matrix")
    if directions is None:
        directions = usual_directions(problem)
    else:
        top = normals(problem)
        directions = checked_directions(directions, len(top), J[top].nnz)
    P = polygon_unknowns(problem, directions)
    K, R, friction = P.counts[1], P.counts[3], P.counts[0]
    ends = np.cumsum((0, R, K, friction, K))
    rows, normal, beta, speed = (slice(*pair) for pair in pairwise(ends))
    order = np.concatenate([friction + 2 * K + np.arange(R), friction + np.arange(K), np.arange(friction),
                            friction + K + np.arange(K)])  # fmt: skip
    Q, cone = scipy.sparse.csr_matrix(P.map[:, order]), scipy.sparse.csr_matrix(P.cone[order][:, order])
    W = scipy.sparse.csr_matrix(Q.T @ J)
    soft = scipy.sparse.csr_matrix(Q.T @ diagonal(problem.operator.compliance) @ Q + cone)
    A = scipy.sparse.csr_matrix(scipy.sparse.bmat([[M, -W.T], [W, soft]]))
    b = np.concatenate([-(M @ free), Q.T @ (problem.offset - J @ free)])
    lower = np.concatenate([np.full(n, -np.inf), P.lower[order]])
    upper = np.concatenate([np.full(n, np.inf), P.upper[order]])
    back = scipy.sparse.csr_matrix(scipy.sparse.hstack([scipy.sparse.csr_matrix((problem.size, n)), Q]))
    shape = problem.free_velocity.shape
    return MixedLcp(
        A,
        b,
        lower,
        upper,
        directions,
        M,
        W[rows],
        W[normal],
        W[beta],
        cone[beta, speed],
        cone[speed, normal],
        back,
        shape,
    )
