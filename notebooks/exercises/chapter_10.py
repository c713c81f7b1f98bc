"""Exercises of notebook 10: maximal coordinates."""

from __future__ import annotations

import numpy as np

from pluecker.teaching import Exercise

# ---------------------------------------------------------------------------------------------------------------- 10.1


def random_mechanism(rng):
    return int(rng.integers(3, 12)), [int(k) for k in rng.integers(1, 3, rng.integers(3, 8))]


def count_freedoms(bodies, joints):
    return 3 * bodies - sum(3 - k for k in joints)


freedoms = Exercise(
    name="10.1 Gruebler's count",
    inputs=random_mechanism,
    expected=count_freedoms,
    mistakes=(
        (lambda bodies, joints: 3 * bodies - sum(joints), "A joint takes away what it does not leave: 3 - freedoms."),
        (
            lambda bodies, joints: 6 * bodies - sum(6 - k for k in joints),
            "That is in space. In the plane a body has three freedoms.",
        ),
        (lambda bodies, joints: 3 * bodies - 2 * len(joints), "A pin in a slot takes away one freedom, not two."),
        (
            lambda bodies, joints: 3 * (bodies - 1) - sum(3 - k for k in joints),
            "The world is not among the bodies that are counted here: all of these move.",
        ),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 10.2


def random_rows(rng):
    A = rng.standard_normal((6, 6))
    return A @ A.T + 6.0 * np.eye(6), rng.standard_normal((3, 6)), rng.standard_normal(6), rng.standard_normal(3)


def forces_of_rows(M, J, f, bias):
    return np.linalg.solve(J @ np.linalg.solve(M, J.T), -J @ np.linalg.solve(M, f) - bias)


multipliers = Exercise(
    name="10.2 multipliers",
    inputs=random_rows,
    expected=forces_of_rows,
    rtol=1e-8,
    mistakes=(
        (
            lambda M, J, f, bias: -forces_of_rows(M, J, f, bias),
            "The sign: with M a = f + J' lambda, the rows push against what f and Jdot v would do.",
        ),
        (
            lambda M, J, f, bias: forces_of_rows(M, J, f, 0.0 * bias),
            "Jdot v is missing: rows that turn along with bodies need a force even where f is zero.",
        ),
        (
            lambda M, J, f, bias: np.linalg.solve(J @ J.T, -J @ f - bias),
            "Without M^-1 that is a projection of forces: heavy and light bodies would count alike.",
        ),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 10.3


def random_spring(rng):
    return (
        *rng.uniform(0.5, 2.0, 1),
        *rng.uniform(10.0, 500.0, 1),
        *rng.uniform(0.5, 20.0, 1),
        *rng.uniform(0.001, 0.1, 1),
        *rng.standard_normal(2),
    )


def implicit_step(m, k, d, h, x, v):
    v1 = (m * v - h * k * x) / (m + h * d + h**2 * k)
    return np.array([x + h * v1, v1])


def explicit_step(m, k, d, h, x, v):
    v1 = v - h / m * (k * x + d * v)
    return np.array([x + h * v1, v1])


def damper_step(m, k, d, h, x, v):
    v1 = m * v / (m + h * (d + k))
    return np.array([x + h * v1, v1])


soft_step = Exercise(
    name="10.3 a soft row",
    inputs=random_spring,
    expected=implicit_step,
    rtol=1e-9,
    mistakes=(
        (explicit_step, "That is the force at the beginning of the step: it is unstable where k is large."),
        (damper_step, "That is a damper: the gap x has to come in."),
        (
            lambda m, k, d, h, x, v: implicit_step(m, k, d, h, x, v)[::-1],
            "First the gap, then the velocity.",
        ),
        (
            lambda m, k, d, h, x, v: np.array([x + h * v, implicit_step(m, k, d, h, x, v)[1]]),
            "The gap moves with the velocity at the end of the step, with which the spring was reckoned.",
        ),
    ),
)
