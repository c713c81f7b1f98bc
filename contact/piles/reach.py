"""Reach of colliders in a step: what may touch in it is as near as both of them come together.

Source: bounds on motion as of conservative advancement, Mirtich, *Impulse-based dynamic simulation of rigid body systems*
(1996), section 2.3.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pluecker.contact.geometry.collision import Collision
from pluecker.contact.piles.jacobian import Paths, point_column
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["reach_of"]


def store_reach(T, centers, radii, bodies, h, v, ways, X, C, out):
    """Store how far each collider comes: its centre, and what is farthest from it"""
    for k in range(len(bodies)):
        R, c, b = T[k], centers[k], bodies[k]
        x = (
            R[0, 0] * c[0] + R[0, 1] * c[1] + R[0, 2] * c[2] + R[0, 3],
            R[1, 0] * c[0] + R[1, 1] * c[1] + R[1, 2] * c[2] + R[1, 3],
            R[2, 0] * c[0] + R[2, 1] * c[1] + R[2, 2] * c[2] + R[2, 3],
        )
        w0 = w1 = w2 = v0 = v1 = v2 = 0.0
        if b >= 0:
            for e in range(ways.first[b], ways.first[b + 1]):
                s, y = point_column(X, C, ways.freedom[e], ways.link[e], x), v[ways.row[e]]
                w0, w1, w2 = w0 + s[0] * y, w1 + s[1] * y, w2 + s[2] * y
                v0, v1, v2 = v0 + s[3] * y, v1 + s[4] * y, v2 + s[5] * y
        turning, moving = sqrt(w0 * w0 + w1 * w1 + w2 * w2), sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        outwards = turning * radii[k] if turning > 0.0 else 0.0  # what does not turn may be without end
        out[k] = h * (moving + outwards)


store_reach = entry_point(store_reach)


def reach_of(collision: Collision, T: Array, h: float, v: Array, ways: Paths, X: Array, C: Array) -> Array:
    """Compute the farthest that a point of each collider comes in a step with the velocity ``v``, ``(n,)``; m.

    Args:
        collision: the colliders.
        T: where they are, ``(n, 4, 4)``.
        h: the step; s.
        v: row by row of the trees, ``(nv,)``.
        ways, X, C: of the bodies to the world, where links are, how freedoms move them.
    """
    out = np.empty(len(collision.bodies))
    store_reach(T, collision.centers, collision.radii, collision.bodies, h, v, ways, X, C, out)
    return out
