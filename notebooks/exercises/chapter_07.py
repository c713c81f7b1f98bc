"""The exercises of notebook 7: the inertia matrix by columns and by entries, its zeros, and Lagrange's equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.teaching import Exercise

Array = Any


def some_inertia(rng: np.random.Generator) -> Array:
    """The inertia of eight points of 0.1 to 1 kg about the origin: of a body that can be"""
    total = np.zeros((6, 6))
    for m, r in zip(rng.uniform(0.1, 1.0, 8), rng.normal(0.0, 0.4, (8, 3)), strict=True):
        c = np.cross(r, -np.eye(3))
        total += m * np.block([[c @ c.T, c], [c.T, np.eye(3)]])
    return total


def positive_matrix(rng: np.random.Generator, n: int) -> Array:
    """Symmetric and positive definite"""
    A = rng.normal(size=(n, n))
    return A @ A.T + np.eye(n)


# ------------------------------------------------------------------------------------------------------------- 7.1: columns


def black_box(rng: np.random.Generator) -> tuple[Any, ...]:
    """Inverse dynamics of something in some state: torques from accelerations"""
    n = int(rng.integers(2, 6))
    H, C = positive_matrix(rng, n), rng.normal(size=n)
    return (lambda a: H @ np.asarray(a, dtype=float) + C), n


def columns(inverse_dynamics: Callable[[Array], Array], n: int) -> Array:
    """H e_j = ID(e_j) - ID(0)"""
    return np.stack([inverse_dynamics(e) - inverse_dynamics(np.zeros(n)) for e in np.eye(n)], axis=1)


inertia_by_columns = Exercise(
    name="7.1 the inertia matrix from inverse dynamics",
    inputs=black_box,
    expected=columns,
    mistakes=(
        (
            lambda inverse_dynamics, n: np.stack([inverse_dynamics(e) for e in np.eye(n)], axis=1),
            "Gravity and the velocity are in these columns, too: subtract the torques of the acceleration zero.",
        ),
        (
            lambda inverse_dynamics, n: np.stack([inverse_dynamics(e) for e in np.eye(n)], axis=0),
            "Gravity and the velocity are in these rows, too: subtract the torques of the acceleration zero.",
        ),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 7.2: zeros


def parents(rng: np.random.Generator) -> tuple[Any, ...]:
    """A tree of 3 to 9 bodies, with several on the base at times"""
    n = int(rng.integers(3, 10))
    return ((-1, *(int(rng.integers(-1, k)) for k in range(1, n))),)


def way(parent: tuple[int, ...], i: int) -> set[int]:
    """Body i and those that carry it"""
    found = set()
    while i >= 0:
        found.add(i)
        i = parent[i]
    return found


def unrelated(parent: tuple[int, ...]) -> int:
    """Pairs (i, j), both orders, of which neither carries the other"""
    n = range(len(parent))
    return sum(i not in way(parent, j) and j not in way(parent, i) for i in n for j in n)


zeros_of_H = Exercise(
    name="7.2 zeros from branches",
    inputs=parents,
    expected=unrelated,
    mistakes=(
        (
            lambda parent: unrelated(parent) // 2,
            "This counts each pair of bodies once. H has an entry above and one below its diagonal for each.",
        ),
        (
            lambda parent: sum(
                i != j and parent[i] != j and parent[j] != i for i in range(len(parent)) for j in range(len(parent))
            ),
            "Here only neighbours meet. But a joint feels all that it carries, children of children, too.",
        ),
    ),
)


# ----------------------------------------------------------------------------------------------------------- 7.3: one entry


def robot(rng: np.random.Generator) -> tuple[Any, ...]:
    """A tree, its axes and inertias, and two of its bodies"""
    n = int(rng.integers(4, 8))
    parent = (-1, 0, 0, *(int(rng.integers(-1, k)) for k in range(3, n)))
    s, I = rng.normal(size=(n, 6)), np.array([some_inertia(rng) for _ in parent])
    i, j = (int(k) for k in rng.integers(0, n, 2))
    return parent, s, I, i, j


def entry(parent: tuple[int, ...], s: Array, I: Array, i: int, j: int) -> float:
    """s_i . Ic s_j, with the inertia of all that both joints carry"""
    carried = [k for k in range(len(parent)) if {i, j} <= way(parent, k)]
    return float(s[i] @ I[carried].sum(axis=0) @ s[j])


def deeper(parent: tuple[int, ...], i: int, j: int) -> int:
    """The one of two bodies with the longer way to the base"""
    return max((i, j), key=lambda k: len(way(parent, k)))


def of_subtree(parent: tuple[int, ...], s: Array, I: Array, i: int, j: int, top: int) -> float:
    """s_i . Ic s_j, with the composite inertia of body ``top``"""
    return float(s[i] @ sum(I[k] for k in range(len(parent)) if top in way(parent, k)) @ s[j])


entry_of_H = Exercise(
    name="7.3 one entry of the inertia matrix",
    inputs=robot,
    expected=entry,
    mistakes=(
        (
            lambda parent, s, I, i, j: of_subtree(parent, s, I, i, j, deeper(parent, i, j)),
            "On different branches: neither joint carries the other's body, and the entry is zero.",
        ),
        (
            lambda parent, s, I, i, j: of_subtree(parent, s, I, i, j, i),
            "The composite is that of body i here. It has to be all that *both* joints carry.",
        ),
        (
            lambda parent, s, I, i, j: (
                float(s[i] @ I[deeper(parent, i, j)] @ s[j]) if entry(parent, s, I, i, j) else 0.0
            ),
            "This is the inertia of one body. All that it carries accelerates with it.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------------ 7.4: Lagrange


def lagrangian_parts(rng: np.random.Generator) -> tuple[Array, ...]:
    """H, its rate, the derivatives of both energies, velocity and acceleration"""
    n = int(rng.integers(2, 6))
    A = rng.normal(size=(n, n))
    return positive_matrix(rng, n), A + A.T, *rng.normal(size=(4, n))


lagrange_torques = Exercise(
    name="7.4 torques by Lagrange",
    inputs=lagrangian_parts,
    expected=lambda H, H_rate, dT_dq, dV_dq, v, a: H @ a + H_rate @ v - dT_dq + dV_dq,
    mistakes=(
        (
            lambda H, H_rate, dT_dq, dV_dq, v, a: H @ a - dT_dq + dV_dq,
            "The momentum is H v, and H changes with time: by the product rule, dH/dt v is missing.",
        ),
        (
            lambda H, H_rate, dT_dq, dV_dq, v, a: H @ a + 0.5 * H_rate @ v - dT_dq + dV_dq,
            "The half of 1/2 v . H v is gone after the derivative by v: the momentum is H v.",
        ),
        (
            lambda H, H_rate, dT_dq, dV_dq, v, a: H @ a + H_rate @ v + dT_dq + dV_dq,
            "The derivative of L by q is subtracted, that of the kinetic energy with it.",
        ),
        (
            lambda H, H_rate, dT_dq, dV_dq, v, a: H @ a + H_rate @ v - dT_dq - dV_dq,
            "L is T - V, and its derivative by q is subtracted: dV/dq comes in with a plus.",
        ),
    ),
)
