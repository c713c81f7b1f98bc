"""Planar mechanisms with loops whose motions are known in other ways."""

from __future__ import annotations

import numpy as np

from pluecker.articulated import ModelBuilder
from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.joints import Ball
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.world.world import World

Z = (0.0, 0.0, 1.0)
ROD = (1e-3, 1.0 / 12.0, 1.0 / 12.0)  # of 1 m and 1 kg


def add_rod(builder: ModelBuilder, name: str, parent: str, place: tuple[float, float, float]) -> None:
    """A uniform rod of 1 m and 1 kg along x, on a hinge about z."""
    builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=ROD)
    builder.add_joint(name, "revolute", parent=parent, child=name, axis=Z, position=place)


def four_bars(n: int = 1) -> tuple[World, np.ndarray, np.ndarray]:
    """N squares of rods side by side, closed by balls, which say one thing too much each; upright, moving at 1 rad/s."""
    b = ModelBuilder(gravity=(0, -9.81, 0))
    loops, q = [], []
    add_rod(b, "post0", "world", (0, 0, 0))
    q.append(np.pi / 2)
    for k in range(n):
        add_rod(b, f"beam{k}", f"post{k}", (1.0, 0, 0))
        add_rod(b, f"post{k + 1}", "world", (k + 1.0, 0, 0))
        loops.append(Ball(f"loop{k}", Frame(f"beam{k}", (1.0, 0, 0)), Frame(f"post{k + 1}", (1.0, 0, 0))))
        q += [-np.pi / 2, np.pi / 2]
    model = b.build()
    v = np.array([-1.0] + [1.0, -1.0] * n)
    return World(model, loops), ordered(model, q), ordered(model, v)


def ordered(model: Model, values: object) -> np.ndarray:
    """The values of joints in the order in which they were added, in the model's."""
    out = np.empty(model.nv)
    names = ["post0"] + [x for k in range((model.nv - 1) // 2) for x in (f"beam{k}", f"post{k + 1}")]
    for name, x in zip(names, np.asarray(values), strict=True):
        out[model.v_slice(name)] = x
    return out


CRANK, COUPLER = 0.3, 1.0


def slider_crank() -> World:
    """A crank of 0.3 m, a coupler of 1 m, and a slider along x."""
    b = ModelBuilder(gravity=(0, -9.81, 0))
    b.add_body("crank", mass=2.0, center_of_mass=(0.1, 0, 0), inertia=(1e-3, 0.02, 0.02))
    b.add_joint("crank", "revolute", parent="world", child="crank", axis=Z)
    b.add_body("coupler", mass=1.0, center_of_mass=(0.5, 0, 0), inertia=ROD)
    b.add_joint("coupler", "revolute", parent="crank", child="coupler", axis=Z, position=(CRANK, 0, 0))
    b.add_body("slider", mass=3.0)
    b.add_joint("slider", "prismatic", parent="world", child="slider", axis=(1, 0, 0))
    return World(b.build(), [Ball("pin", Frame("coupler", (COUPLER, 0, 0)), Frame("slider"))])


def slider_crank_state(angle: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Closed form: r sin a + l sin b = 0, x = r cos a + l cos b."""
    b = -np.arcsin(CRANK / COUPLER * np.sin(angle))
    rate = -CRANK * np.cos(angle) * speed / (COUPLER * np.cos(b))
    x = CRANK * np.cos(angle) + COUPLER * np.cos(b)
    u = -CRANK * np.sin(angle) * speed - COUPLER * np.sin(b) * rate
    return np.array([angle, b - angle, x]), np.array([speed, rate - speed, u])
