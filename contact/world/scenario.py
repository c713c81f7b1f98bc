"""Integrator and scenario of a world, which the loop over steps needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pluecker.articulated.forces.elements import Element
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import pack_scenario
from pluecker.contact.stepping.step import WORLD_STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pluecker.contact.world.world import World

__all__ = ["world_integrator", "world_scenario"]


def world_scenario(world: World, elements: Element | Sequence[Element] = ()) -> Array:
    """Pack the array of a scenario in which the world's constraints hold; friction and limits of joints are among them.

    That without elements is kept with the world, and to be read only.
    """
    plain = isinstance(elements, tuple) and not elements
    scenario: Array | None = world.tables.get(world_scenario) if plain else None
    if scenario is None:
        scenario = pack_scenario(world.smooth, elements, {"limits": False}, more=world.packed.array)
        if plain:
            world.tables[world_scenario] = scenario
    return scenario


def world_integrator(world: World, elements: Element | Sequence[Element] = ()) -> Integrator:
    """Return the compiled step of this world with these elements."""
    return WORLD_STEP.serving(world.smooth, world_scenario(world, elements))
