"""Functions that a step calls from several places, each compiled once: joints' transforms, Newton-Euler recursion.

Source: RBDA section 5.3.
"""

from pluecker.articulated.algorithms.dynamics.rnea import move_link, pass_force_on, start_from_world
from pluecker.articulated.model.joints import joint_transforms
from pluecker.articulated.model.layout import link_count
from pluecker.spatial.engine.compiled.decorators import called_kernel

__all__ = ["add_needed_force", "place_links"]


@called_kernel
def place_links(m, q, ws, record):
    """Compute the transforms of all joints, each at the start of its link's record, of length ``record``"""
    joint_transforms(m, q, ws, record)


@called_kernel
def add_needed_force(m, q, v, a, f, tau, ws):
    """Add to tau the forces that v and a need, less the wrenches ``f``; the workspace has the transforms of the joints"""
    start_from_world(m, ws)
    for i in range(1, link_count(m) + 1):
        move_link(m, i, q, v, a, f, ws)
    for i in range(link_count(m), 0, -1):
        pass_force_on(m, i, q, tau, ws)
