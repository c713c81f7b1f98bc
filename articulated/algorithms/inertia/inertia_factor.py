"""The factors of the inertia matrix, tree by tree, solutions of ``H x = b`` with them, and products with one factor.

Each tree is factorised as ``H = L^T D L`` (:mod:`~pluecker.articulated.algorithms.inertia.ltdl`), or solved by stored
sweeps of the articulated-body algorithm (:mod:`~pluecker.articulated.algorithms.inertia.inertia_sweeps`) where that takes
fewer operations: in long chains, whose factor is dense. The factor of a state is one array; the model's layout says what
is where in it.
Sources: RBDA sections 6.4, 6.5 and 7.3; Featherstone (2005).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.inertia import crba
from pluecker.articulated.algorithms.inertia.crba import store_inertia_matrix
from pluecker.articulated.algorithms.inertia.factor_products import PRODUCTS, product_kernel
from pluecker.articulated.algorithms.inertia.inertia_sweeps import (
    ARTICULATED,
    factorize_by_sweeps,
    solve_by_sweeps,
)
from pluecker.articulated.algorithms.inertia.ltdl import factorize_ltdl, solve_ltdl
from pluecker.articulated.model.joints import joint_transforms
from pluecker.articulated.model.layout import (
    FACTOR_SIZE,
    factored_place,
    first_freedom,
    freedom_count,
    link_count,
    row_coordinate,
    row_depth,
    row_of_freedom,
    solved_by_sweeps,
    threshold,
    tree_count,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import load_rigid
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = [
    "InertiaFactor", "factor_numbers", "factor_workspace", "factorize", "factorize_placed", "factorize_trees",
    "refused_coordinate", "solve_factorized", "solve_workspace",
]  # fmt: skip

DEFAULT = "LTDL"
EPSILON = 1e-13  # of its entry on the diagonal, a pivot of the factorised inertia matrix that is rounding error
NEARLY = 0.5  # of a pivot, how near to what is refused: eight states at a time are rounded otherwise than one


@kernel
def factorize_kernel(m, q, factor, ws):
    """Factorise the inertia matrices of all trees"""
    factorize_trees(m, q, factor, ws, tail(ws, 2 * velocity_count(m)))


@kernel
def factorize_trees(m, q, factor, pivots, ws):
    """Factorise all trees; ``pivots`` gets for each row the threshold of its pivot, then for each row the pivot"""
    joint_transforms(m, q, ws, crba.LINK)
    factorize_placed(m, q, part(ws, 0, 0), factor, pivots, ws)


@kernel
def factorize_placed(m, q, added, factor, pivots, ws):
    """Factorise H of all trees, or H plus a diagonal matrix whose entries ``added`` has by coordinate, if it is not empty.

    The workspace has the transforms of the joints, one in each record of :mod:`crba`; ``pivots`` as in
    :func:`factorize_trees`.
    """
    n, smallest, pivots = link_count(m), pivots, tail(pivots, velocity_count(m))
    articulated = tail(ws, crba.LINK * (n + 1) + crba.FREEDOM * (first_freedom(m, n) + freedom_count(m, n)))
    store_inertia_matrix(m, q, True, factor, ws)
    if len(added) > 0:
        add_to_diagonal(m, added, factor)
    store_thresholds(m, ws, factor, smallest)
    for t in range(tree_count(m)):
        if solved_by_sweeps(m, t):
            factorize_by_sweeps(m, t, q, added, ws, crba.LINK, factor, smallest, pivots, articulated)
        else:
            factorize_ltdl(m, t, smallest, pivots, factor)


@kernel
def add_to_diagonal(m, added, factor):
    """Add a number for each coordinate to H_kk, in the trees that are packed"""
    for r in range(velocity_count(m)):
        if factored_place(m, r) >= 0:
            accumulate(factor, factored_place(m, r) + row_depth(m, r), load(added, row_coordinate(m, r)))


@kernel
def store_thresholds(m, composite, factor, smallest):
    """Store for each row of a packed tree the rounding error of its pivot, its threshold: that of the inertias that are
    summed up for its diagonal entry, and that of this entry, from which the others are subtracted"""
    for r in range(velocity_count(m)):
        place = factored_place(m, r)
        if place >= 0:
            store(smallest, r, EPSILON * load(factor, place + row_depth(m, r)))
    for i in range(1, link_count(m) + 1):
        r = row_of_freedom(m, first_freedom(m, i))
        if factored_place(m, r) >= 0:
            _, _, J = load_rigid(composite, crba.LINK * i + crba.IC)
            for k in range(freedom_count(m, i)):
                r = row_of_freedom(m, first_freedom(m, i) + k)
                accumulate(smallest, r, threshold(m, i, k, J[0] + J[3] + J[5]))


@called_kernel
def solve_factorized(m, factor, x, ws):
    """Solve H x = b, with ``b`` in ``x``; six numbers of workspace for each coordinate"""
    for t in range(tree_count(m)):
        if solved_by_sweeps(m, t):
            solve_by_sweeps(m, t, factor, x, ws)
        else:
            solve_ltdl(m, t, factor, x)


@kernel
def solve_kernel(m, factor, b, x, ws):
    """Compute x = H^-1 b"""
    for k in range(velocity_count(m)):
        store(x, k, load(b, k))
    solve_factorized(m, factor, x, ws)


def factor_numbers(model: Model, *key: Hashable) -> int:
    """Return how many numbers the factors of all trees have, whatever the key."""
    return int(model.packed.view(np.int64)[FACTOR_SIZE])


def factor_workspace(model: Model) -> int:
    """Return the size of the workspace of :func:`factorize_kernel`, in numbers"""
    articulated = ARTICULATED * (model.n_links + 1) if model.coordinate_tree.sweeps.any() else 0
    return 2 * model.nv + crba.workspace(model) + articulated


def solve_workspace(model: Model, *key: Hashable) -> int:
    """Return the size of the workspace of :func:`solve_factorized`, and of products; that of the factorisation is larger"""
    return 6 * model.nv


def refused_coordinate(model: Model, ws: Array) -> int | None:
    """Find the velocity coordinate whose pivot was refused, in the workspace; None where numbers overflow instead."""
    for r in range(model.nv - 1, -1, -1):
        smallest, pivot = ws[r], ws[model.nv + r]
        if not np.isfinite([smallest, pivot]).all():
            return None
        if not smallest < NEARLY * pivot:
            return int(model.coordinate_tree.v[r])
    return None


FACTORIZE = Algorithm(
    "factorize",
    factorize_kernel,
    inputs=("q",),
    outputs=(Field("factor", (factor_numbers,)),),
    workspace=factor_workspace,
    singular=refused_coordinate,
)
SOLVE = Algorithm(
    "InertiaFactor.solve",
    solve_kernel,
    inputs=(Field("factor", (factor_numbers,)), Field("b", ("nv",))),
    outputs=(Field("x", ("nv",)),),
    workspace=solve_workspace,
)
PRODUCT = Algorithm(
    "InertiaFactor.product",
    product_kernel,
    inputs=(Field("factor", (factor_numbers,)), Field("x", ("nv",))),
    outputs=(Field("y", ("nv",)),),
    constants=lambda model, form, name: np.array(PRODUCTS[form][name], dtype=np.int64).view(np.float64),
    workspace=solve_workspace,
)


@by_value()
@dataclass(slots=True, eq=False)
class InertiaFactor:
    """The factorised inertia matrix of a mechanism in one configuration or many, made by :func:`factorize`.

    Attributes:
        model: the mechanism.
        values: the factors of its trees, ``(..., n)``: for :meth:`solve`, in an order of its own.
        form: ``"LTDL"`` or ``"LTL"``, which says what L is in products with it.
    """

    model: Model
    values: Array
    form: str = field(default=DEFAULT, kw_only=True)

    def solve(self, b: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """x with ``H x = b``: the acceleration that joint forces ``b`` alone cause, from rest and without gravity.

        Args:
            b: right-hand sides, ``(..., nv)``: N m or N. Leading axes broadcast with those of the configurations, so that
                many right-hand sides for one configuration are rows, not columns.
            out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
            threads: how many threads share a batch, at least 1; all cores if None.

        Returns:
            x, ``(..., nv)``; rad/s^2 or m/s^2.

        Raises:
            ValueError: a shape does not fit, an entry is not finite, the result overflows.
            TypeError: something is not an array of real numbers.

        Source: RBDA sections 6.5 and 7.3.
        """
        return SOLVE.call(self.model, (self.values, b), out, threads)

    def product(self, factor: str, x: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The product of one factor with a vector: half of what :meth:`solve` does, or of ``H x``.

        In the form LTL, ``|L v|^2 = v^T H v`` is twice the kinetic energy, ``L^-T`` whitens joint forces whose covariance
        is H, and ``L^-1`` gives to independent numbers of variance 1 the covariance H^-1. The products of unit vectors are
        columns, one a row: ``factor.product("L^T", np.eye(nv))`` is L itself.

        Args:
            factor: ``"L"``, ``"L^T"``, ``"L^-1"`` or ``"L^-T"``; in the form LTDL, ``"D"`` or ``"D^-1"`` too.
            x: vectors, ``(..., nv)``. Leading axes broadcast with those of the configurations, as for :meth:`solve`.
            out, threads: as for :meth:`solve`.

        Returns:
            The product, ``(..., nv)``.

        Raises:
            ValueError: there is no such factor, a shape does not fit, an entry is not finite, the result overflows.
            TypeError: ``factor`` is no string, something is not an array of real numbers.

        Source: RBDA section 6.5.
        """
        known = PRODUCTS[self.form]
        if not isinstance(factor, str):
            raise ArgumentTypeError(
                f"InertiaFactor.product: factor is {shown(factor)}, expected one of {', '.join(map(repr, known))}"
            )
        if factor not in known:
            raise ArgumentValueError(
                f"InertiaFactor.product: factor is {shown(factor)}, expected one of {', '.join(map(repr, known))} "
                f"in the form {self.form}"
            )
        return PRODUCT.call(self.model, (self.values, x), out, threads, (self.form, factor))

    def __repr__(self) -> str:
        batch = self.values.shape[:-1]
        return f"InertiaFactor of model {self.model.name!r}: {self.form}, nv = {self.model.nv}, batch {batch}"


def factorize(model: Model, q: ArrayLike, *, form: str = DEFAULT, threads: int | None = None) -> InertiaFactor:
    """Factorise the joint-space inertia matrix, armature included, to solve ``H x = b`` with any ``b``.

    Trees are independent of each other. A tree's matrix is factorised in its packed form, ``H = L^T D L``, without filling
    an entry (branch-induced sparsity); a tree with long chains is swept, as in the articulated-body algorithm, at a cost
    that grows with the number of its bodies alone. Counted operations decide which of the two. Mimic joints count.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        form: what L is in :meth:`InertiaFactor.product`; solutions are the same. ``"LTDL"``: ``H = L^T D L`` with ones on
            the diagonal of L and D diagonal. ``"LTL"``: ``H = L^T L``, the Cholesky factor for an elimination that begins at
            the leaves. In both, L has entries only where a coordinate meets another on its way to the world, and is lower
            triangular if the coordinates are sorted from the root on.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        An :class:`InertiaFactor` of the batch ``(...)``, which solves for one or many right-hand sides.

    Raises:
        ValueError: ``form`` is none of the two, a shape does not fit, an entry is not finite, a quaternion is not of unit
            length, the result overflows.
        TypeError: something is not an array of real numbers, or no string, or no model.
        SingularInertiaError: a joint moves no inertia; the joint is named.

    Example:
        >>> from pluecker.articulated import ModelBuilder, factorize
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> factorize(arm.build(), q=[0.0]).solve([[1.0], [3.0]])
        array([[2.],
               [6.]])
        >>> factorize(arm.build(), q=[0.0], form="LTL").product("L^-1", [2.0]).round(3)
        array([2.828])

    Source: RBDA sections 6.5 and 7.3; Featherstone (2005).
    """
    if type(model) is not Model:
        model = as_model("factorize", model)
    if form is DEFAULT:  # as loops call it: the shortest way
        return InertiaFactor(model, FACTORIZE.call(model, (q,), None, threads))
    if not isinstance(form, str):
        raise ArgumentTypeError(f"factorize: form is {shown(form)}, expected 'LTDL' or 'LTL'")
    if form not in PRODUCTS:
        raise ArgumentValueError(f"factorize: form is {shown(form)}, expected 'LTDL' or 'LTL'")
    return InertiaFactor(model, FACTORIZE.call(model, (q,), None, threads), form=str(form))
