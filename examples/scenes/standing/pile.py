"""Balls and boxes fall into a bin and come to rest: a pile.

At rest the floor carries the weight of all, less what the walls carry by friction; no step makes energy, and each obeys
Coulomb's law. Where they come to lie is chaotic, and no theory says it.
"""

from __future__ import annotations

import warnings

import numpy as np

from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.errors import SimulationWarning
from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.world.contact_forces import ContactForces
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import (
    FORCES,
    G,
    about_y,
    add_free,
    as_at_rest,
    ball_inertia,
    box_inertia,
    every_for,
    shown_well,
    simulate,
)
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE, DENSITY, WIDTH = 0.1, 1000.0, 0.6
ACCURACY = 1e-5  # of the law in each step


def pile(number: int, friction: float, seed: int) -> tuple[World, Array]:
    """Build balls and boxes above the floor of a bin, in layers, each turned at random; return world and configuration."""
    rng = np.random.default_rng(seed)
    builder, q, surface = ModelBuilder("pile"), [], Surface(friction=friction)
    shapes, half = [Collider("floor", HalfSpace(), "world", surface)], 0.5 * WIDTH
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        turn = np.arctan2(y, x)
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ about_y(-0.5 * np.pi)  # z inwards
        shapes.append(Collider(f"wall {k}", HalfSpace(), Frame("world", (x * half, y * half, 0.0), R), surface))
    per_layer, apart = 9, WIDTH / 3.0
    for k in range(number):
        name, layer, place = f"body {k + 1}", k // per_layer, k % per_layer
        mass = DENSITY * SIZE**3 * (np.pi / 6.0 if k % 2 else 1.0)
        add_free(builder, name, mass, ball_inertia(mass, 0.5 * SIZE) if k % 2 else box_inertia(mass, (SIZE,) * 3))
        shape = Sphere(0.5 * SIZE) if k % 2 else Box((SIZE, SIZE, SIZE))
        shapes.append(Collider(name, shape, name, surface))
        turned = rng.normal(size=4)
        at = apart * (np.array([place % 3, place // 3]) - 1.0) + rng.uniform(-0.01, 0.01, 2)
        q += [*at, SIZE * (1.0 + 1.8 * layer), *(turned / np.linalg.norm(turned))]
    # of the walls pictures show nothing: they would hide the pile
    model = draw_colliders(builder.build(), [each for each in shapes if not each.name.startswith("wall")], ground=WIDTH)
    return World(model, shapes=shapes, accuracy=ACCURACY), np.array(q)


def law_error(contacts: ContactForces) -> float:
    """Compute by how much forces leave their cones, as a share of the largest force."""
    if not len(contacts):
        return 0.0
    push, rub = contacts.normal_force, np.linalg.norm(contacts.friction_force, axis=1)
    largest = float(np.linalg.norm(contacts.force, axis=1).max()) or 1.0
    return float(np.maximum(rub - contacts.friction * push, -push).max()) / largest


def run(number: int = 18, friction: float = 0.4, duration: float = 1.5, step: float = 5e-3, seed: int = 1) -> Outcome:
    """Run the scene.

    Args:
        number: of bodies.
        friction: the coefficient.
        duration, step: s.
        seed: of how they are turned in the beginning.
    """
    world, q = pile(number, friction, seed)
    with (
        warnings.catch_warnings()
    ):  # a step that misses the accuracy by a little goes on; the claims look at all of them
        warnings.simplefilter("ignore", SimulationWarning)
        motion = simulate(
world, q, np.zeros(world.model.nv), duration, step, record=FORCES, every=every_for(duration, step),
            on_unsolved="continue",
        )  # fmt: skip
    contacts = [motion.contacts_at(k) for k in range(len(motion))]
    kinetic = kinetic_energy(world.model, motion.q, motion.v)
    energy = kinetic + potential_energy(world.model, motion.q)
    energy = energy - energy[-1]
    weight = G * world.model.mass
    carried = np.array([float(each.force[each.bodies[:, 0] < 0, 2].sum()) for each in contacts])
    deepest = max(float(np.maximum(-each.gap, 0.0).max(initial=0.0)) for each in contacts)
    claims = [
        Claim("force of the floor and the walls in the end over the weight", 1.0, float(carried[-1]) / weight, 1e-3),
        Claim("energy that is won from one sample to the next, of all that is lost", 0.0,
              float(np.maximum(np.diff(energy), 0.0).max() / energy[0]), ACCURACY),
        Claim("forces outside of their cones, of the largest one", 0.0, max(map(law_error, contacts)), ACCURACY),
        Claim("kinetic energy in the end, of all that is lost", 0.0, float(kinetic[-1] / energy[0]), 1e-3),
    ]  # fmt: skip
    panels = [
        Panel("energy", "t in s", "J", [
            Curve("kinetic and potential", motion.time, energy), Curve("kinetic", motion.time, kinetic)]),
        Panel("what floor and walls carry", "t in s", "N", [
            Curve("simulated", motion.time, carried),
            Curve("weight of all", motion.time, np.full(len(motion), weight), True)]),
        Panel("contacts", "t in s", "number", [
            Curve("that push", motion.time, np.array([float((each.state != "open").sum()) for each in contacts]))]),
    ]  # fmt: skip
    return Outcome(
        "pile", "A pile of balls and boxes",
        f"{number} balls and boxes fall into a bin without a lid, whose four walls are not drawn, and come to rest. In "
        f"the end {int((contacts[-1].state != 'open').sum())} contacts carry them; nothing penetrated by more than "
        f"{1e3 * deepest:.2g} mm on the way.",
        as_at_rest(shown_well(motion)), claims, panels, (0, len(motion) // 5, -1), camera=(22.0, -60.0),
    )  # fmt: skip
