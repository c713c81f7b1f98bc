"""Exercises of notebook 11: friction."""

from __future__ import annotations

import numpy as np

from pluecker.teaching import Exercise


def random_slip(rng):
    return rng.standard_normal(2), rng.uniform(0.1, 1.0), rng.uniform(0.1, 3.0)


# --------------------------------------------------------------------------------------------------------------- 11.1


def on_the_disc(u_t, mu, r_n):
    return -mu * r_n * u_t / np.linalg.norm(u_t)


friction_on_the_disc = Exercise(
    name="11.1 most dissipation over the disc",
    inputs=random_slip,
    expected=on_the_disc,
    mistakes=(
        (
            lambda u_t, mu, r_n: -mu * r_n * u_t,
            "Coulomb's friction does not grow with the velocity: only its direction counts.",
        ),
        (
            lambda u_t, mu, r_n: -mu * u_t / np.linalg.norm(u_t),
            "The disc has the radius mu r_n: friction grows with the load.",
        ),
        (lambda u_t, mu, r_n: np.zeros(2), "That does not brake at all: the minimum is on the edge of the disc."),
        (lambda u_t, mu, r_n: -mu * r_n * np.sign(u_t), "That is the corner of a square around the disc."),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 11.2


def directions_of(eta):
    angles = 2.0 * np.pi * np.arange(eta) / eta
    return np.column_stack([np.cos(angles), np.sin(angles)])


def on_the_polygon(u_t, mu, r_n, eta):
    d = directions_of(eta)
    return mu * r_n * d[np.argmin(d @ u_t)]


def all_that_brake(u_t, mu, r_n, eta):
    d = directions_of(eta)
    return mu * r_n * d[d @ u_t < 0.0].sum(axis=0)


friction_on_the_polygon = Exercise(
    name="11.2 most dissipation over a polygon",
    inputs=lambda rng: (*random_slip(rng), int(rng.choice([4, 6, 8, 12]))),
    expected=on_the_polygon,
    mistakes=(
        (
            lambda u_t, mu, r_n, eta: on_the_disc(u_t, mu, r_n),
            "That is the disc. A linear function over a polygon has its minimum in a corner.",
        ),
        (
            all_that_brake,
            "Each direction that brakes got all of mu r_n. Their sum may not be more than mu r_n: the best one gets it.",
        ),
        (
            lambda u_t, mu, r_n, eta: on_the_polygon(u_t, mu, r_n, eta) * np.cos(np.pi / eta),
            "The corners lie on the circle of radius mu r_n, not its sides.",
        ),
        (
            lambda u_t, mu, r_n, eta: directions_of(eta)[np.argmin(directions_of(eta) @ u_t)],
            "Right direction; its length is mu r_n.",
        ),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 11.3


def right_step(fall, speed, mu):
    if mu * fall >= speed:
        return 0.0, 0.0
    n = (fall + mu * speed) / (1.0 + mu**2)
    return speed - mu * n, n - fall


def without_stop(fall, speed, mu):
    n = (fall + mu * speed) / (1.0 + mu**2)
    return speed - mu * n, n - fall


def coulombs_step(fall, speed, mu):
    return max(0.0, speed - mu * fall), 0.0


def kept_speed(fall, speed, mu):
    return (0.0, 0.0) if mu * fall >= speed else (speed - mu * fall, mu * (speed - mu * fall))


convex_step = Exercise(
    name="11.3 a step in the convex law",
    inputs=lambda rng: (
        rng.uniform(0.05, 1.0),
        float(rng.choice([0.2, 1.0])) * rng.uniform(0.05, 3.0),
        rng.uniform(0.2, 1.0),
    ),
    expected=right_step,
    mistakes=(
        (
            without_stop,
            "Where the friction is large enough to stop the puck, the nearest point of the cone is its tip: no velocity.",
        ),
        (coulombs_step, "That is Coulomb's law: no rise. The convex law asks u_n >= mu u_t."),
        (
            kept_speed,
            "The rise costs a normal impulse, which brakes as well: the step goes at a right angle to the edge of the cone.",
        ),
        (lambda fall, speed, mu: right_step(fall, speed, mu)[::-1], "The two are exchanged: u_t first."),
    ),
)


# --------------------------------------------------------------------------------------------------------------- 11.4


def right_impulse(m, b, mu):
    if b[0] >= 0.0:
        return np.zeros(3)
    n = -m * b[0]
    stop = -m * b[1:]
    size = np.linalg.norm(stop)
    return np.concatenate([[n], stop if size <= mu * n else stop * (mu * n / size)])


def convex_impulse(m, b, mu):
    x = -m * np.asarray(b)
    slide = np.linalg.norm(x[1:])
    if slide <= mu * x[0]:
        return x
    if mu * slide <= -x[0]:
        return np.zeros(3)
    n = (x[0] + mu * slide) / (1.0 + mu**2)
    return np.concatenate([[n], mu * n * x[1:] / slide])


def always_sliding(m, b, mu):
    if b[0] >= 0.0:
        return np.zeros(3)
    return np.concatenate([[-m * b[0]], mu * m * b[0] * b[1:] / np.linalg.norm(b[1:])])


def never_open(m, b, mu):
    n = -m * b[0]
    stop = -m * b[1:]
    size = np.linalg.norm(stop)
    return np.concatenate([[n], stop if size <= mu * abs(n) else stop * (mu * n / size)])


def in_a_square(m, b, mu):
    if b[0] >= 0.0:
        return np.zeros(3)
    n = -m * b[0]
    return np.concatenate([[n], np.clip(-m * b[1:], -mu * n, mu * n)])


one_contact = Exercise(
    name="11.4 one contact in Coulomb's law",
    inputs=lambda rng: (
        rng.uniform(0.5, 3.0),
        rng.standard_normal(3) * [1.0, 0.6, 0.6] - [0.3, 0.0, 0.0],
        rng.uniform(0.2, 1.2),
    ),
    expected=right_impulse,
    cases=40,
    mistakes=(
        (
            convex_impulse,
            "That is the convex law, the projection of -m b on the cone: a sliding contact gets too large a normal impulse.",
        ),
        (always_sliding, "Where friction can stop the contact, it sticks: no more impulse than that takes."),
        (never_open, "A contact whose free velocity parts has no impulse: r_n is not negative."),
        (in_a_square, "Each tangent was limited by itself: that is a square, the friction does not oppose the motion."),
        (
            lambda m, b, mu: np.asarray(right_impulse(m, b, mu)) / m,
            "These are changes of velocity: the impulse is m times that.",
        ),
    ),
)
