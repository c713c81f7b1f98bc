"""Solutions of notebook 11."""

from __future__ import annotations

import numpy as np


def friction_on_the_disc(u_t, mu, r_n):
    """On the edge of the disc, against the motion."""
    return -mu * r_n * u_t / np.linalg.norm(u_t)


def friction_on_the_polygon(u_t, mu, r_n, eta):
    """The corner that brakes most."""
    angles = 2.0 * np.pi * np.arange(eta) / eta
    corners = mu * r_n * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return min(corners, key=lambda corner: corner @ u_t)


def convex_step(fall, speed, mu):
    """The point of u_n >= mu |u_t| that is nearest to (speed, -fall): on the edge (1, mu), or the tip."""
    along = (speed - mu * fall) / (1.0 + mu**2)  # of the edge (1, mu), by projection
    return (along, mu * along) if along > 0.0 else (0.0, 0.0)


def one_contact(m, b, mu):
    """Open if it parts by itself; otherwise the normal stops, and friction stops it or gives all it has."""
    normal = m * max(0.0, -b[0])
    friction = -m * b[1:]
    size = np.linalg.norm(friction)
    if size > mu * normal:
        friction = friction * (mu * normal / size)
    return np.array([normal, *friction])
