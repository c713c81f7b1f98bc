"""Random friction problems with blocks of all kinds, and what Clarabel, an independent solver, finds for the convex one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from pluecker.contact import Problem
from tests.contact.any_blocks import SIZES, of_matrix, sets_of

KINDS = ("1", "2", "3", "5", "6", "equation", "limit", "motor", "fixed")


class Random(NamedTuple):
    """N as a full matrix, b, K."""

    full: np.ndarray
    b: np.ndarray
    K: Any

    def problem(self, compliance: Any = None) -> Problem:
        """Return it as a ``Problem`` of the package, the compliance outside of the matrix."""
        return of_matrix(self.full, self.b, self.K, compliance)


def as_random(full, b, sizes, friction, lower, upper):
    """Make a random problem of a full matrix."""
    return Random(np.asarray(full, float), np.asarray(b, float), sets_of(sizes, friction, lower, upper))


def random_problem(seed, count, kinds=KINDS, friction=(0.05, 1.5), ratio=1.0, copies=0.0, flat=0.0):
    """``count`` contacts and rows between pairs of bodies whose masses differ by ``ratio``; b is in the range of N.

    ``copies`` is the chance that a contact or an equation comes twice, ``flat`` that one of its discs has no friction.
    """
    rng = np.random.default_rng(seed)
    bodies = max(2, count // 2)
    sizes, coefficients, lower, upper, rows = [], [], [], [], []
    for _ in range(count):
        kind = kinds[rng.integers(len(kinds))]
        size, mu, bounds = SIZES.get(int(kind), (0, 0, 0)) if kind.isdigit() else (0, 0, 0), np.zeros(3), (0.0, np.inf)
        J = np.zeros((1 + sum(size), 6 * bodies))
        for body in rng.choice(bodies, 2, replace=False):
            J[:, 6 * body : 6 * body + 6] = rng.normal(size=(len(J), 6))
        if kind.isdigit():
            mu = np.exp(rng.uniform(*np.log(friction), 3)) * (np.array(size) > 0)
            if rng.random() < flat:
                mu[rng.integers(3)] = 0.0
        else:
            a, b = np.sort(rng.normal(size=2))
            one = ((a, np.inf), (-np.inf, b))[rng.integers(2)]
            bounds = {"equation": (-np.inf, np.inf), "limit": one, "motor": (a, b), "fixed": (a, a)}[kind]
        for factor in (1.0, 2.0) if rng.random() < copies and kind not in ("limit", "motor", "fixed") else (1.0,):
            rows.append(factor * J)
            sizes.append(size)
            coefficients.append(mu)
            lower.append(bounds[0])
            upper.append(bounds[1])
    J = np.vstack(rows)
    N = J / np.repeat(np.exp(rng.uniform(0.0, np.log(ratio), bodies)), 6) @ J.T
    return as_random(0.5 * (N + N.T), J @ rng.normal(size=6 * bodies), sizes, coefficients, lower, upper)


def clarabel_solution(problem, tolerance=1e-11):
    """The multipliers, and whether Clarabel is content."""
    import clarabel

    K, m = problem.K, len(problem.b)
    unit, equal, positive, cones, sizes = np.eye(m), [], [], [], []
    for i in range(len(K.start) - 1):
        top, row = K.start[i], K.start[i] + 1
        before = len(sizes)
        for size, mu in zip(K.sizes[i], K.friction[i], strict=True):
            if size > 0 and mu > 0.0:
                cones += [(-mu * unit[top], 0.0), *((-unit[k], 0.0) for k in range(row, row + size))]
                sizes.append(size + 1)
            else:
                equal += [(unit[k], 0.0) for k in range(row, row + size)]
            row += size
        if len(sizes) == before:
            if K.lower[i] == K.upper[i]:
                equal.append((unit[top], K.lower[i]))
            else:
                positive += [(-unit[top], -K.lower[i])] if K.lower[i] > -np.inf else []
                positive += [(unit[top], K.upper[i])] if K.upper[i] < np.inf else []
    lines = equal + positive + cones
    A = np.array([a for a, _ in lines]).reshape(-1, m)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    kinds = [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(positive))]
    kinds += [clarabel.SecondOrderConeT(int(size)) for size in sizes]
    answer = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(np.triu(problem.full)), problem.b, scipy.sparse.csc_matrix(A),
        np.array([h for _, h in lines], float), kinds, settings,
    ).solve()  # fmt: skip
    return np.array(answer.x), str(answer.status) == "Solved"
