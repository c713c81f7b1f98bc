"""The exercises of notebook 5: constrained motion with S and T, and two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.teaching import Exercise

Array = Any


def crf(v: Array) -> Array:
    """v x*, for force vectors"""
    w, u = (np.cross(part, -np.eye(3)) for part in (v[:3], v[3:]))
    return np.block([[w, u], [np.zeros((3, 3)), w]])


def some_inertia(rng: np.random.Generator) -> Array:
    """The inertia of eight points of 0.1 to 1 kg about the origin: of a body that can be"""
    total = np.zeros((6, 6))
    for m, r in zip(rng.uniform(0.1, 1.0, 8), rng.normal(0.0, 0.4, (8, 3)), strict=True):
        c = np.cross(r, -np.eye(3))
        total += m * np.block([[c @ c.T, c], [c.T, np.eye(3)]])
    return total


def force_of_the_constraint(I: Array, T: Array, f: Array) -> Array:
    """T lambda with lambda = -(T' I^-1 T)^-1 T' I^-1 f"""
    W = np.linalg.inv(I)
    return -T @ np.linalg.solve(T.T @ W @ T, T.T @ W @ f)


def by_ordinary_projection(I: Array, T: Array, f: Array) -> Array:
    """The force made perpendicular to S as if it were a list of numbers"""
    return -T @ np.linalg.solve(T.T @ T, T.T @ f)


def without_the_force(I: Array, T: Array, f: Array) -> Array:
    """The factor f left out of lambda = -D T' I^-1 f"""
    W = np.linalg.inv(I)
    return -T @ np.linalg.solve(T.T @ W @ T, T.T @ W)


constraint_force = Exercise(
    name="5.1 the force of a constraint",
    inputs=lambda rng: (some_inertia(rng), rng.normal(size=(6, int(rng.integers(1, 6)))), rng.normal(size=6)),
    expected=force_of_the_constraint,
    mistakes=(
        (
            by_ordinary_projection,
            "This takes away the part of f along T as if forces had lengths. What has to vanish is T^T a, and between a "
            "force and an acceleration stands the inverse of the inertia.",
        ),
        (
            without_the_force,
            "This is a matrix: the factor f is missing at the end of lambda, as it is in some prints of the formula.",
        ),
        (
            lambda I, T, f: -np.linalg.solve(T.T @ np.linalg.inv(I) @ T, T.T @ np.linalg.inv(I) @ f),
            "These are the multipliers lambda. The force is T lambda.",
        ),
    ),
)


def hinged_motion(rng: np.random.Generator) -> tuple[Array, ...]:
    """An inertia, two or three freedoms, how they change, and the velocity in them"""
    n = int(rng.integers(2, 4))
    return some_inertia(rng), *rng.normal(size=(2, 6, n)), rng.normal(size=n)


def H_and_C(I: Array, S: Array, S_rate: Array, alpha: Array) -> tuple[Array, Array]:
    """tau = H alpha' + C"""
    v = S @ alpha
    return S.T @ I @ S, S.T @ (I @ S_rate @ alpha + crf(v) @ I @ v)


equation_of_motion = Exercise(
    name="5.2 H and C (exercise B3 of section 53)",
    inputs=hinged_motion,
    expected=H_and_C,
    mistakes=(
        (
            lambda I, S, S_rate, alpha: (S.T @ I @ S, S.T @ crf(S @ alpha) @ I @ S @ alpha),
            "The freedoms change, too: I dS/dt alpha is missing in C.",
        ),
        (
            lambda I, S, S_rate, alpha: (S.T @ I @ S, S.T @ I @ S_rate @ alpha),
            "The gyroscopic force v x* I v is missing in C.",
        ),
        (
            lambda I, S, S_rate, alpha: (
                S.T @ I @ S,
                S.T @ (I @ S_rate @ alpha - crf(S @ alpha).T @ I @ S @ alpha),
            ),
            "I v is a force vector: it takes the product v x*, not v x.",
        ),
        (
            lambda I, S, S_rate, alpha: (
                H_and_C(I, S, S_rate, alpha)[0],
                -H_and_C(I, S, S_rate, alpha)[1],
            ),
            "C has the wrong sign: it stands on the side of H, in tau = H d(alpha)/dt + C.",
        ),
        (
            lambda I, S, S_rate, alpha: H_and_C(I, S, S_rate, alpha)[::-1],
            "The right two, in the other order: H comes first.",
        ),
    ),
)


def energy(I: Array, S: Array, alpha: Array) -> Array:
    """1/2 alpha' H alpha"""
    return 0.5 * alpha @ S.T @ I @ S @ alpha


def energy_inputs(rng: np.random.Generator) -> tuple[Array, ...]:
    """Without the rate of S"""
    I, S, _, alpha = hinged_motion(rng)
    return I, S, alpha


kinetic_energy = Exercise(
    name="5.3 kinetic energy (exercise B4 of section 53)",
    inputs=energy_inputs,
    expected=energy,
    mistakes=((lambda I, S, alpha: 2.0 * energy(I, S, alpha), "A factor of one half is missing."),),
)


def two_bodies(rng: np.random.Generator) -> tuple[Array, ...]:
    """Two inertias, and a joint's axis that is no unit vector"""
    return some_inertia(rng), some_inertia(rng), rng.normal(size=6)


def matrix_of_B7(I1: Array, I2: Array, s: Array) -> Array:
    """I1 + I2 - I2 s s' I2 / s' I2 s"""
    return I1 + I2 - np.outer(I2 @ s, I2 @ s) / (s @ I2 @ s)


apparent_inertia = Exercise(
    name="5.4 the inertia that is felt",
    inputs=two_bodies,
    expected=matrix_of_B7,
    mistakes=(
        (lambda I1, I2, s: I1 + I2, "This is the inertia of both bodies welded together: the joint does not give way."),
        (
            lambda I1, I2, s: I1 + I2 + np.outer(I2 @ s, I2 @ s) / (s @ I2 @ s),
            "The joint gives way, so that less inertia is felt than that of both bodies welded together: look at the sign.",
        ),
        (
            lambda I1, I2, s: I1 + I2 - np.outer(I2 @ s, I2 @ s),
            "The term that is subtracted must not depend on the length of s: a division by s . I2 s is missing.",
        ),
        (
            lambda I1, I2, s: I2 - np.outer(I2 @ s, I2 @ s) / (s @ I2 @ s),
            "This is what body 2 adds. Body 1 itself is missing.",
        ),
        (
            lambda I1, I2, s: I1 + I2 - np.outer(I1 @ s, I1 @ s) / (s @ I1 @ s),
            "The force acts on body 1: it is body 2 that the joint lets turn.",
        ),
    ),
)
