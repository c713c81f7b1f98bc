"""One friction problem: an operator, an offset, and the sets that the multipliers lie in.

    u = N r + b,    N = J M^-1 J' + compliance

``r`` are multipliers (impulses, in N s), ``u`` relative velocities at the contacts (m/s). What ties them is the *law*:

============  ========================================================================================================
law           for each contact
============  ========================================================================================================
frictionless  0 <= r_n, u_n >= 0, r_n u_n = 0, and no tangential multipliers
ccp           r in K, u in the dual cone K*, r . u = 0: the optimum of min 1/2 r'Nr + b'r over K
ncp           the same with u_n + sum mu_k |u_k| in place of u_n: Coulomb's law (De Saxce and Feng 1998)
lcp           Coulomb's law with a polygon in place of the circle (Stewart and Trinkle 1996)
============  ========================================================================================================

and for each row ``r = P(r - u)`` with P the projection on ``[lower, upper]``, in all laws.

A problem comes from bodies and a table of contacts (:func:`~pluecker.contact.friction.tables.assembly.assemble_contacts`),
from a matrix (:meth:`Problem.from_delassus`), from the factors of one (:meth:`Problem.from_factors`), or from a file
(:func:`~pluecker.contact.friction.files.fclib.read_fclib`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_number, as_switch, as_whole, real_numbers, shown, type_of
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import (
    HUGE,
    as_coefficients,
    as_matrix,
    as_vector,
    check_components,
    check_size,
    check_symmetric,
)
from pluecker.contact.friction.problem.columns import frozen, is_frozen
from pluecker.contact.friction.problem.mass_matrix import inverse_times
from pluecker.contact.friction.problem.operator import Operator, apply, assemble, assembled, factored, to_matrix
from pluecker.contact.friction.problem.repair import repaired
from pluecker.contact.friction.problem.sets import DISCS, DISCS_OF, Sets, make_sets
from pluecker.contact.friction.problem.softened import with_share
from pluecker.contact.friction.sparse.blocks import from_scipy, to_scipy
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy
from pluecker.spatial.properties import cached_property

__all__ = ["LAWS", "Problem", "contact_sets"]

PART = "a number from 0 on, below 1"
LAWS = ("frictionless", "lcp", "ccp", "ncp")


def contact_sets(friction: Array, size: int) -> Sets:
    """Make the cones of contacts of one size, ``friction`` being ``(K, 3)``."""
    n = len(friction)
    return make_sets(np.tile(DISCS_OF[size], (n, 1)), friction, np.zeros(n), np.full(n, np.inf))


def join_sets(first: Sets, second: Sets) -> Sets:
    """Join the blocks of both, one after the other."""
    pairs = zip(first[1:], second[1:], strict=True)
    return make_sets(*(np.concatenate(pair) for pair in pairs))


@by_value()
@dataclass(frozen=True, eq=False)
class Problem:
    """Multipliers in sets, and the velocities that they cause.

    It is made by :meth:`from_delassus`, :meth:`from_factors`,
    :func:`~pluecker.contact.friction.tables.assembly.assemble_contacts` or
    :func:`~pluecker.contact.friction.files.fclib.read_fclib`, which check it; the constructor itself takes the parts as they
    are. No array of the caller is kept by any of them, and ``offset`` and ``free_velocity`` cannot be written to.

    Attributes:
        operator: N, in either form, see :mod:`~pluecker.contact.friction.problem.operator`.
        offset: b, the relative velocities without multipliers, with what restitution and gaps add, ``(m,)``, m/s.
        sets: cones and intervals, see :mod:`~pluecker.contact.friction.problem.sets`.
        free_velocity: the velocities without multipliers, ``(n, 6)`` of n bodies, ``(n,)`` of factors, None of a matrix;
            with them :meth:`motion` gives the velocities of the bodies.
        names: what each block is called in messages, ``(blocks,)``.
        moved: how far the matrix was moved to be positive semidefinite, in the spectral norm; m/s per N s. See ``repair`` of
            :meth:`from_delassus`.

    One coefficient of friction for each contact: what is needed to start to slide is what resists the sliding (no static
    friction above the kinetic one).

    Sources: D. E. Stewart and J. C. Trinkle (1996), M. Anitescu and F. A. Potra (1997) for contacts, rows and the law lcp;
    M. Anitescu and A. Tasora, "An iterative approach for cone complementarity problems for nonsmooth dynamics" (2010),
    for the law ccp; source documents 000, for contacts and rows, and 004 (docs/sources.md).

    Example:
        A block of 2 kg that falls on the floor with 1 m/s and slides over it with 3 m/s, friction 0.5: it stops falling, and
        slides on with 2.5 m/s.

        >>> from pluecker.contact import Problem
        >>> block = Problem.from_delassus([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], [-1.0, 3.0, 0.0], [0.5])
        >>> block.velocity([2.0, -1.0, 0.0])
        array([0. , 2.5, 0. ])
    """

    operator: Operator
    offset: Array
    sets: Sets
    free_velocity: Array | None = None
    names: tuple[str, ...] | None = None
    moved: float = 0.0

    def __post_init__(self) -> None:
        for name in ("offset", "free_velocity"):
            array = getattr(self, name)
            if array is not None and not is_frozen(array):
                object.__setattr__(self, name, frozen(array))

    @classmethod
    def from_delassus(
        cls,
        W: Any,
        q: ArrayLike,
        friction: ArrayLike,
        *,
        size: int = 3,
        compliance: ArrayLike | None = None,
        symmetrise: bool = False,
        rows: tuple[ArrayLike, ArrayLike] | None = None,
        repair: float = 0.0,
    ) -> Problem:
        """Make a problem from its matrix and offset.

        Args:
            W: the symmetric positive semidefinite matrix N, ``(m, m)``, an array or a sparse matrix: contacts first, each
                with its normal and then its tangents, then rows.
            q: the offset b, ``(m,)``.
            friction: the coefficients of the contacts, ``(K,)``, or ``(K, 2)`` with rolling, ``(K, 3)`` with spinning.
            size: the components of a contact: 1, 2 in the plane, 3, 5 with rolling, 6 with spinning.
            compliance: what is added to the diagonal, ``(m,)``.
            symmetrise: take ``(W + W') / 2`` where W is not symmetric.
            rows: ``lower, upper`` of the rows after the contacts, each ``(R,)``.
            repair: how far W may be moved to be positive semidefinite, as a part of its largest eigenvalue, of each group of
                rows that are joined; for matrices printed with few digits, 1e-7 for eight. The diagonal is raised by what
                the smallest eigenvalue lacks, and no semidefinite matrix is nearer in the spectral norm; ``moved`` of the
                problem says by how much.

        Raises:
            ProblemError: a shape does not fit, a number is not finite or above 1e150, a coefficient is negative or one of a
                friction that the contacts have no component for, bounds are crossed, or W is not symmetric or not positive
                semidefinite; the message names the row.
        """
        matrix = as_matrix("W", W, HUGE)
        sets = build_sets(friction, size, rows)
        reason = counted(sets, size, rows)
        b = as_vector("q", q, int(sets.start[-1]), reason, HUGE)
        if matrix.shape != (len(b), len(b)):
            raise ProblemError(f"W is {matrix.shape}, expected {(len(b), len(b))}{reason}")
        matrix = check_symmetric("W", matrix, as_switch("symmetrise", symmetrise))
        matrix, moved = repaired("W", matrix, sets, as_number("repair", repair, PART, 0.0, 1.0, zero=True))
        operator = assembled(from_scipy(matrix, sets.start, sets.start), make_compliance(compliance, len(b)))
        return cls(operator, b, sets, moved=moved)

    @classmethod
    def from_factors(
        cls,
        M: Any,
        J: Any,
        f: ArrayLike,
        w: ArrayLike,
        friction: ArrayLike,
        *,
        size: int = 3,
        compliance: ArrayLike | None = None,
        rows: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Problem:
        """Make a problem from ``M v = J' r + f`` and ``u = J v + w``: ``N = J M^-1 J'`` and ``b = w + J M^-1 f``.

        Args:
            M: the mass matrix, ``(n, n)``, symmetric positive definite.
            J: the Jacobian, ``(m, n)``: contacts first, each with its normal and then its tangents, then rows; FCLIB's files
                hold its transpose H.
            f: ``(n,)``, N s.
            w: ``(m,)``, m/s.
            friction, size, compliance, rows: as for :meth:`from_delassus`.

        Raises:
            ProblemError: as for :meth:`from_delassus`; M is not positive definite, or so small that N, or the velocity
                ``M^-1 f``, is above 1e150.
        """
        mass, jacobian = check_symmetric("M", as_matrix("M", M), False), as_matrix("J", J, HUGE)
        sets = build_sets(friction, size, rows)
        n, m = mass.shape[0], int(sets.start[-1])
        reason = counted(sets, size, rows)
        if jacobian.shape != (m, n):
            raise ProblemError(f"J is {jacobian.shape}, expected {(m, n)} for M of {n} rows,{reason}")
        jacobian.eliminate_zeros()
        force, shift = as_vector("f", f, n, f" for M of {n} rows", HUGE), as_vector("w", w, m, reason, HUGE)
        solved, columns = inverse_times("M", mass, scipy.sparse.hstack([jacobian.T, force[:, None]]).tocsr())
        rows_of, T = (from_scipy(A, sets.start, columns) for A in (jacobian, solved[:, :m].T))
        free = solved[:, [m]].toarray().ravel()
        if not (np.abs(free) <= HUGE).all():
            k = int(np.argmin(np.abs(free) <= HUGE))
            raise ProblemError(
                f"M^-1 f [{k}] is {free[k]}, expected no number above {HUGE:.0e}, whose products overflow"
            )
        problem = cls(factored(rows_of, T, make_compliance(compliance, m)), shift + jacobian @ free, sets, free)
        check_size(problem.operator, problem.offset, problem.label)
        return problem

    @property
    def size(self) -> int:
        """The number of multipliers, m."""
        return int(self.sets.start[-1])

    @property
    def blocks(self) -> int:
        """The number of contacts and rows."""
        return len(self.sets.start) - 1

    def velocity(self, multipliers: ArrayLike) -> Array:
        """Compute u = N r + b, ``(m,)``, m/s.

        Raises:
            ArgumentTypeError: no real numbers.
            ProblemError: the shape does not fit, an entry is not finite, or the result overflows.
        """
        u = self.unchecked_velocity(as_vector("multipliers", multipliers, self.size))
        return not_overflown("velocity", u)

    def unchecked_velocity(self, multipliers: Array) -> Array:
        """Compute u = N r + b, ``(m,)``, m/s, of multipliers that were checked; what overflows is infinite or NaN."""
        u = np.empty(self.size)
        operator = self.operator._replace(velocity=np.zeros_like(self.operator.velocity))
        with np.errstate(over="ignore", invalid="ignore"):
            apply(operator, multipliers, u, 0, self.blocks, 0, len(operator.velocity))
            return u + self.offset

    def motion(self, multipliers: ArrayLike) -> Array:
        """Compute the velocities of the bodies, in world axes at the centres of mass, ``v_free + M^-1 J' r``.

        Returns:
            ``(n, 6)`` where the problem was made from n bodies: ``[w; v]``, in world axes, of the centres of mass, as
            ``Bodies.velocity``; rad/s, m/s. ``(n,)`` where it was made from factors, in their coordinates.

        Raises:
            ProblemError: the problem was made from a matrix, and knows no bodies; the shape does not fit; the result
                overflows.
        """
        if self.free_velocity is None:
            raise ProblemError("motion: this problem was made from a matrix, and knows no bodies")
        r = as_vector("multipliers", multipliers, self.size)
        with np.errstate(over="ignore", invalid="ignore"):
            change = (self._factors[1].T @ r).reshape(self.free_velocity.shape)
            return not_overflown("motion", self.free_velocity + change)

    def matrix(self) -> scipy.sparse.csr_matrix:
        """Return N as a sparse matrix, the compliance included, ``(m, m)``."""
        return to_matrix(self.operator)

    def assembled(self) -> Problem:
        """Return the problem with its operator in assembled form, as a matrix."""
        return replace(self, operator=assemble(self.operator))

    @cached_property
    def _factors(self) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
        return to_scipy(self.operator.J), to_scipy(self.operator.T)

    def with_friction(self, friction: ArrayLike) -> Problem:
        """Return the problem with other coefficients of friction, ``(K,)``, ``(K, 2)`` or ``(K, 3)``, or one number for all.

        K is the number of contacts that have friction, rolling or spinning among their components.

        Raises:
            ProblemError: the shape does not fit, or a coefficient is negative, or one of a friction that the contact has no
                component for.
        """
        contacts = self.sets.sizes[:, 0] > 0
        values = self.sets.friction.copy()
        values[contacts] = as_coefficients(friction, int(contacts.sum()))
        check_components(values[contacts], self.sets.sizes[contacts])
        values[self.sets.sizes == 0] = 0.0
        return replace(self, sets=self.sets._replace(friction=values))

    def with_compliance(self, share: float) -> Problem:
        """Return the problem with contacts a little soft: their forces are unique where those of rigid ones are not.

        To the compliance of each contact ``share D_i`` is added, ``D_i`` being the mean diagonal entry of its block of N,
        the inverse of its effective mass. Rows, joints and limits among them, stay as they are, but for half-lines, which
        are contacts without friction.

        What it costs: velocities without the compliance are ``u - share D_i r_i``, so that a contact penetrates in each step
        by compliance times impulse times step, ``share D_i r_n h``, and one that sticks creeps by ``share D_i |r_t| h``.
        A body that rests on one contact sinks by ``share g h^2`` in a step: 1e-6 m with 1e-3 and 10 ms. Contacts with a gap
        that takes part in the offset are pushed back by it later.

        What it gives: in the convex law forces are unique, and all methods and warm starts give the same ones up to about
        ``tol / share``, as a part of the largest (in units of the root of the energy). In Coulomb's law they are unique for
        given sliding velocities; whether those are, the compliance does not decide.

        Args:
            share: of the diagonal, positive or zero; 1e-3 is little.

        Raises:
            ArgumentTypeError: no number.
            ProblemError: it is negative or not finite, or the compliance is above 1e150.

        Source: K. Erleben, "Stable, robust, and versatile multibody dynamics animation", thesis (2004), on regularisation;
        source document 000 (docs/sources.md), the mixing of forces (K_cfm).

        Example:
            A bar of 2 kg on three points, which is pressed on the floor: how much the middle one carries, is not determined;
            with a compliance it is half, since the effective mass there is twice that at the ends.

            >>> import numpy as np
            >>> from pluecker.contact import Problem, solve
            >>> points = np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
            >>> bar = Problem.from_delassus(points @ points.T / 2.0, -np.ones(3), np.zeros(3), size=1)
            >>> solve(bar.with_compliance(1e-3), tol=1e-12).multipliers.round(3).tolist()
            [0.5, 1.0, 0.5]
        """
        value = as_number("share", share, "a number that is not negative", 0.0, zero=True)
        operator = with_share(self.operator, self.sets, value)
        check_size(operator, self.offset, self.label)
        return replace(self, operator=operator)

    def label(self, row: int) -> str:
        """Return the name of a row, a number from 0 to m - 1, for messages: its contact and component, or its row.

        Raises:
            TypeError, ValueError: it is no integer; there is no such row.
        """
        row = as_whole("row", row, 0)
        if row >= self.size:
            raise ProblemError(f"row is {shown(row)}, expected less than {self.size}, the number of multipliers")
        i = int(np.searchsorted(self.sets.start, row, "right")) - 1
        name = self.names[i] if self.names else f"block {i}"
        component = row - int(self.sets.start[i])
        return f"{name}, component {component}" if self.sets.sizes[i].any() else name


def not_overflown(name: str, values: Array) -> Array:
    """Return values that were computed, or raise an error if one of them is not finite."""
    if not np.isfinite(values).all():
        raise ProblemError(f"{name}: the result overflows float64, the multipliers are too large")
    return values


def build_sets(friction: ArrayLike, size: int, rows: tuple[ArrayLike, ArrayLike] | None) -> Sets:
    """Check and make the sets: contacts of one size, then rows."""
    expected = f"one of {', '.join(map(str, DISCS_OF))}"
    if as_whole("size", size, 1, expected) not in DISCS_OF:
        raise ProblemError(f"size is {shown(size)}, expected {expected}")
    sets = contact_sets(as_coefficients(friction), int(size))
    check_components(sets.friction, sets.sizes)
    if rows is None:
        return sets
    if not isinstance(rows, (tuple, list)) or len(rows) != 2:
        kind = ProblemError if isinstance(rows, (tuple, list)) else ArgumentTypeError
        raise kind(f"rows is {type_of(rows)}, expected a pair: lower bounds and upper bounds, (R,) each")
    lower, upper = (np.atleast_1d(real_numbers("a bound of rows", bound, "a vector")) for bound in rows)
    if lower.ndim != 1 or lower.shape != upper.shape:
        raise ProblemError(f"rows: lower has shape {lower.shape} and upper {upper.shape}, expected (R,) both")
    wrong = np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf))
    if len(wrong):
        k = int(wrong[0])
        raise ProblemError(f"row {k}: bounds are {lower[k]} and {upper[k]}, expected lower <= upper")
    R = len(lower)
    return join_sets(sets, make_sets(np.zeros((R, DISCS)), np.zeros((R, DISCS)), lower, upper))


def counted(sets: Sets, size: int, rows: tuple[ArrayLike, ArrayLike] | None) -> str:
    """Describe for messages what the multipliers belong to: how many contacts, of which size, and how many rows."""
    R = 0 if rows is None else np.size(rows[0])
    K = len(sets.start) - 1 - R
    return f" for {K} contact{'' if K == 1 else 's'} of size {size} and {R} row{'' if R == 1 else 's'}"


def make_compliance(compliance: ArrayLike | None, size: int) -> Array:
    """Check and return the diagonal of the compliance, zeros where there is none."""
    if compliance is None:
        return np.zeros(size)
    values = as_vector("compliance", compliance, size, largest=HUGE)
    if (values < 0).any():
        k = int(np.argmax(values < 0))
        raise ProblemError(f"compliance[{k}] is {values[k]}, expected a number that is not negative")
    return values
