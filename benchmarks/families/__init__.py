"""Families of friction problems, each of any size, from a seed.

=============  ===========================================================================================================
family         what it is
=============  ===========================================================================================================
packing        spheres in a box that move at random
rest           the same at rest: weight passes from sphere to sphere to the floor
rocks          a pile of irregular polyhedra with friction 1, one to four contacts between the same two
impact         the same, the upper half falls on the lower one with 1 m/s
stack          bricks in bond, four contacts for each of the two below, mass ratio 1e4 with the heavy ones on top
flow           spheres of many sizes down a chute with rough walls
cards          a house of cards, twelve storeys at most
arch           arches of voussoirs, beyond 100 contacts in a row on piers
capsules       rods with round ends in a box
=============  ===========================================================================================================

``FAMILIES[name](contacts, seed)`` is a :class:`~benchmarks.families.scene.Scene`, whose ``problem`` is solved. Bodies are
placed by construction, in time about linear in their number; nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.families.arches import arch
from benchmarks.families.capsules import capsules
from benchmarks.families.cards import house_of_cards
from benchmarks.families.flows import chute
from benchmarks.families.packings import packing
from benchmarks.families.rocks import rock_pile
from benchmarks.families.scene import Scene
from benchmarks.families.stacks import stack

__all__ = ["FAMILIES", "Scene"]

FAMILIES: dict[str, Callable[[int, int], Scene]] = {
    "packing": packing,
    "rest": partial(packing, speed=0.0),
    "rocks": rock_pile,
    "impact": partial(rock_pile, impact=1.0),
    "stack": stack,
    "flow": chute,
    "cards": house_of_cards,
    "arch": arch,
    "capsules": capsules,
}
