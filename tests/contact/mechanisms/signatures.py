"""Random mechanisms of every joint type with random loops, for the comparison of reduced and maximal coordinates."""

from dataclasses import dataclass

import numpy as np

from pluecker.articulated import Model, crba, random_configuration, random_tree
from pluecker.contact import World
from pluecker.contact import constraints as c
from tests.contact.world.worlds import frame_at, random_placement

__all__ = ["Draw", "draw_mechanism", "without_odd_springs"]

CLOSED = (c.Ball, c.Hinge, c.Slider, c.Cylindrical, c.Planar, c.Fixed, c.PointOnLine, c.PointInPlane)


@dataclass
class Draw:
    """A world, a state that its constraints allow, forces, and what rounding costs there."""

    world: World
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray
    rounding: float


def without_odd_springs(model: Model) -> Model:
    """Remove the springs that no rows stand for: those of free joints on moving bodies."""
    stiffness = model.stiffness.copy()
    for joint in model.joints:
        if joint.type == "free" and joint.parent != "world":
            stiffness[joint.v_start : joint.v_start + 6] = 0.0
    return model.replace(stiffness=stiffness)


def draw_mechanism(seed: int, most_loops: int = 3) -> Draw:
    """1 to 8 bodies, mimic joints and armature among them, 0 to 3 loops; at rest where rows are redundant.

    Redundant rows that hold in one configuration alone may contradict each other in motion; and dry friction in a joint that
    is kept still shares loads with the rows that keep it, so that it is left out where a joint is still. ``rounding`` is
    that of numbers times the condition of H: next to gimbal lock, the angles lose digits that the bodies do not know of.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    model = random_tree(n, rng, mimic=0.3, passive=bool(rng.random() < 0.7), branching=rng.random())
    model = without_odd_springs(model)
    q = random_configuration(model, rng)
    loops = [random_loop(f"loop {k}", model, q, rng) for k in range(int(rng.integers(0, most_loops + 1)))]
    world = World(model, loops, limits=False)
    v = rng.standard_normal(model.nv)
    if world.determined(q).redundancy:
        v = np.zeros(model.nv)
    elif loops:
        v = world.impact(q, v).velocity
    if np.abs(v).min() < 1e-3:
        world = World(model.replace(friction=0.0), loops, limits=False)
    tau, f_ext = rng.standard_normal(model.nv), rng.standard_normal((n, 6))
    return Draw(world, q, v, tau, f_ext, np.finfo(float).eps * np.linalg.cond(crba(model, q)))


def random_loop(name, model, q, rng):
    """A constraint that holds in this configuration, or a soft one, or one on coordinates."""
    places = ("world", *model.body_names)
    first, second = (places[k] for k in rng.choice(len(places), 2, replace=False))
    choice = rng.integers(len(CLOSED) + 4)
    T = random_placement(rng)
    T[:3, 3] *= 0.3
    if choice < len(CLOSED):
        return CLOSED[choice](name, frame_at(model, q, first, T), frame_at(model, q, second, T))
    if choice == len(CLOSED):
        soft = c.Softness(20.0, 2.0, turning_stiffness=3.0, turning_damping=0.3)
        ahead = T.copy()
        ahead[:3, 3] += 0.1
        return c.Hinge(name, frame_at(model, q, first, T), frame_at(model, q, second, ahead), softness=soft)
    other = random_placement(rng)
    ends = frame_at(model, q, first, T), frame_at(model, q, second, other)
    if choice == len(CLOSED) + 1:
        return c.Rod(name, *ends, float(np.linalg.norm(other[:3, 3] - T[:3, 3])))
    if choice == len(CLOSED) + 2:
        return c.Coupling(name, {c.Angle(*ends): 1.0, c.Travel(*ends): -2.0})
    joints = [joint for joint in model.joints if joint.mimic is None]
    joint = joints[int(rng.integers(len(joints)))]
    v = range(model.v_slice(joint.name).stop - joint.v_start)
    return c.Coupling(name, {(joint.name, int(rng.choice(v))): 1.0, c.Angle(*ends): 0.7})
