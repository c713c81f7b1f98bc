"""Exercises of notebook 12: solvers, limits and motors, a pile, a robot that stands."""

from __future__ import annotations

import numpy as np

from pluecker.teaching import Exercise

# --------------------------------------------------------------------------------------------------------------- 12.1


def random_row(rng):
    lower, upper = np.sort(rng.uniform(-3.0, 3.0, 2))
    kind = rng.integers(3)
    if kind == 1:
        lower, upper = 0.0, np.inf
    if kind == 2:
        lower, upper = -np.inf, np.inf
    return rng.uniform(0.2, 2.0), rng.uniform(-3.0, 3.0), float(lower), float(upper)


def right_row(n, b, lower, upper):
    return min(max(-b / n, lower), upper)


bounded_row = Exercise(
    name="12.1 one row with bounds",
    inputs=random_row,
    expected=right_row,
    mistakes=(
        (lambda n, b, lower, upper: -b / n, "That makes the velocity zero, whatever it takes: the bounds are missing."),
        (
            lambda n, b, lower, upper: min(max(b / n, lower), upper),
            "The sign: the impulse works against the velocity b.",
        ),
        (
            lambda n, b, lower, upper: min(max(-b * n, lower), upper),
            "n is the inverse of a mass: an impulse r changes the velocity by n r.",
        ),
        (
            lambda n, b, lower, upper: -b / n if lower <= -b / n <= upper else 0.0,
            "A motor that is too weak still pushes, with all that it has.",
        ),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 12.2


def random_rows(rng):
    J = rng.standard_normal((4, 6))
    N = J @ J.T + 0.1 * np.eye(4)
    lower = np.array([-np.inf, 0.0, -0.5, 0.0])
    upper = np.array([np.inf, np.inf, 0.5, np.inf])
    return N, rng.standard_normal(4), lower, upper, np.clip(rng.standard_normal(4), lower, upper)


def one_sweep(N, b, lower, upper, r):
    r = r.copy()
    for k in range(len(b)):
        r[k] = min(max(r[k] - (N[k] @ r + b[k]) / N[k, k], lower[k]), upper[k])
    return r


def all_at_once(N, b, lower, upper, r):
    return np.clip(r - (N @ r + b) / np.diag(N), lower, upper)


sweep = Exercise(
    name="12.2 a sweep over rows",
    inputs=random_rows,
    expected=one_sweep,
    mistakes=(
        (
            all_at_once,
            "That is Jacobi's method, all rows at once. In a sweep each row sees what those before it have become.",
        ),
        (
            lambda N, b, lower, upper, r: one_sweep(N, b, lower, upper, np.zeros(4)),
            "The sweep begins at r, the best that is known, and not at zero.",
        ),
        (
            lambda N, b, lower, upper, r: one_sweep(N, b, np.full(4, -np.inf), np.full(4, np.inf), r),
            "The bounds are missing.",
        ),
        (
            lambda N, b, lower, upper, r: np.clip(
                one_sweep(N, b, np.full(4, -np.inf), np.full(4, np.inf), r), lower, upper
            ),
            "Each row is held to its bounds when it is its turn, not all of them at the end.",
        ),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 12.3


def right_turn(speed, h):
    return 2.0 * np.arctan(0.5 * h * speed)


turned_angle = Exercise(
    name="12.3 how far a wheel turns in a step",
    inputs=lambda rng: (rng.uniform(1.0, 200.0), rng.uniform(0.01, 0.1)),
    expected=right_turn,
    mistakes=(
        (lambda speed, h: speed * h, "That is how far it should turn. The step along the rate leaves the unit sphere."),
        (
            lambda speed, h: np.arctan(0.5 * h * speed),
            "The quaternion has half the angle: the wheel turns by the double.",
        ),
        (lambda speed, h: np.arctan(h * speed), "The rate of the quaternion is half of w p."),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 12.4


def random_stool(rng):
    angles = np.cumsum(rng.uniform(1.6, 2.4, 3)) + rng.uniform(0.0, 6.0)
    feet = rng.uniform(0.2, 0.4, 3)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    shares = rng.dirichlet(np.full(3, 2.0))
    return feet, shares @ feet, rng.uniform(10.0, 200.0)


def right_stool(feet, center, weight):
    return weight * np.linalg.solve(np.vstack([np.ones(3), np.transpose(feet)]), [1.0, *center])


def by_distance(feet, center, weight):
    near = 1.0 / np.linalg.norm(feet - center, axis=1)
    return weight * near / near.sum()


three_feet = Exercise(
    name="12.4 what three feet carry",
    inputs=random_stool,
    expected=right_stool,
    mistakes=(
        (
            lambda feet, center, weight: np.full(3, weight / 3.0),
            "Equal forces have their moment about the middle of the feet; the centre of mass is elsewhere.",
        ),
        (
            by_distance,
            "The sum is right, and near feet carry more; but the moments about the centre of mass do not vanish.",
        ),
        (
            lambda feet, center, weight: right_stool(feet, center, 1.0),
            "Those are the shares; the forces have the weight as their sum.",
        ),
    ),
)
