"""How far colliders come in a step: what may touch in it is as near as both of them come together.

Source: bounds on motion as of conservative advancement, Mirtich, *Impulse-based dynamic simulation of rigid body systems*
(1996), section 2.3.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.geometry.collision import Collision
from pluecker.contact.piles.jacobian import Paths, motions_of_points
from pluecker.spatial.functions.elementwise import Array

__all__ = ["reach_of"]


def reach_of(collision: Collision, T: Array, h: float, v: Array, ways: Paths, X: Array, C: Array) -> Array:
    """The farthest that a point of each collider comes in a step with the velocity ``v``, ``(n,)``; m.

    Args:
        collision: the colliders.
        T: where they are, ``(n, 4, 4)``.
        h: the step; s.
        v: row by row of the trees, ``(nv,)``.
        ways, X, C: of the bodies to the world, where links are, how freedoms move them.
    """
    centers = np.einsum("nij,nj->ni", T[:, :3, :3], collision.centers) + T[:, :3, 3]
    motion = np.empty((len(centers), 6))
    motions_of_points(collision.bodies, centers, ways, X, C, v, motion)
    turning, moving = (np.linalg.norm(motion[:, k : k + 3], axis=1) for k in (0, 3))
    outwards = np.multiply(turning, collision.radii, out=np.zeros(len(turning)), where=turning > 0.0)
    return np.asarray(h * (moving + outwards))
