"""Families of motions that nobody chose by hand, each from a seed: worlds whose contacts are found.

===========================================  =========================================================================
family                                       what it is
===========================================  =========================================================================
boxes, spheres, capsules, hulls, mixed       bodies thrown on a floor, one above the other or side by side
heap                                         boxes and balls in a lattice so narrow that some overlap as they begin
stack                                        boxes on one another, mass ratios to 1e4, at rest or with the lowest thrown
wall                                         bricks in bond, at rest or hit by a ball
cards                                        a house of cards
arch                                         a round arch of stones, some of them too thin to stand
ragdolls                                     figures of eleven bodies on balls and hinges with limits
gripper                                      two fingers close on a box, lift it and shake it
rover                                        a cart on four driven wheels drives over boxes
cradle                                       balls on threads that bounce, with gaps or without
anymal, g1                                   robots with all their shapes, thrown among boxes
===========================================  =========================================================================

``FAMILIES[name](seed)`` is a :class:`~benchmarks.motions.scene.Motion`. Sizes, masses, friction (0 to 1.5), restitution and
steps (0.1 to 20 ms) are drawn too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.motions.loose import heap, thrown
from benchmarks.motions.masonry import arch, house_of_cards, stack, wall
from benchmarks.motions.mechanisms import cradle, gripper, ragdolls, rover
from benchmarks.motions.robots import robot
from benchmarks.motions.scene import Motion

__all__ = ["FAMILIES", "Motion"]

FAMILIES: dict[str, Callable[[int], Motion]] = {
    **{name: partial(thrown, name) for name in ("boxes", "spheres", "capsules", "hulls", "mixed")},
    "heap": heap,
    "stack": stack,
    "wall": wall,
    "cards": house_of_cards,
    "arch": arch,
    "ragdolls": ragdolls,
    "gripper": gripper,
    "rover": rover,
    "cradle": cradle,
    "anymal": partial(robot, "anymal_b/anymal"),
    "g1": partial(robot, "g1/g1_29dof_rev_1_0"),
}
