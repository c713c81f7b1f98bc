"""Random structures: graphs of joints, damaged URDF texts, and worlds in a wild state that make a few steps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from pluecker import PlueckerError, articulated
from pluecker.articulated import Model, ModelBuilder, kinetic_energy
from pluecker.contact import World, constraints
from tests.fuzz.judge import Call
from tests.fuzz.models import configuration
from tests.fuzz.values import Dice, thing
from tests.mechanisms import MOVING, random_joint

SMALL = """<robot name="r"><link name="a"><inertial><mass value="1"/><origin xyz="0 0 0.1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="b"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="c"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0 1 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<mimic joint="j" multiplier="2"/></joint>
</robot>"""
PIECES = (
    "", "0", "-1", "nan", "inf", "1e308", "1e400", "x", "0 0", "0 0 0 0", "a", "b", "world", "j", "fixed", "floating",
    "planar", "\x00", "<", "&", "revolute", "1e-320", " ", "\u00e9", "\U0001f916", "9" * 400, "10,5", "--", "0x10",
    "<!-- <!DOCTYPE -->", "1_0", "\u0661",
)  # fmt: skip


def use(model: Model) -> list[str]:
    """Print, pickle and compute with a model; return what is wrong."""
    wrong = [] if len(str(model)) < 100_000 else ["its text is long"]
    wrong += [] if pickle.loads(pickle.dumps(model)) == model else ["pickled it is another"]
    q, v = articulated.random_configuration(model, 0), np.sin(np.arange(model.nv))
    try:
        found = articulated.rnea(model, q, v, v), articulated.forward_kinematics(model, q)
        wrong += [] if all(np.isfinite(x).all() for x in found) else ["a result is not finite"]
    except PlueckerError:
        pass
    return wrong


def damaged_text(dice: Dice) -> str:
    """A URDF text with values or pieces exchanged, and parts left out or repeated."""
    text = SMALL
    for _ in range(dice.pick(0, 1, 1, 2, 3)):
        kind, k = dice.below(4), dice.below(len(text))
        quotes, tags = ([k for k, c in enumerate(text) if c == mark] for mark in '"<')
        if kind < 2 and len(quotes) > 1:
            j = 2 * dice.below(len(quotes) // 2)
            text = text[: quotes[j] + 1] + dice.among(PIECES) + text[quotes[j + 1] :]
        elif kind == 2 and tags:
            a, b = sorted((dice.among(tags), dice.among(tags)))
            text = text[:a] + text[b:] if dice.chance(0.5) else text[:b] + text[a:b] + text[b:]
        else:
            text = text[:k] + dice.among(PIECES) + text[k + dice.below(3) :]
    return text


def graph(dice: Dice) -> Model:
    """A tree of bodies, or a graph that is none: with a second joint, without one, or with an unknown body."""
    builder = ModelBuilder(world=dice.pick("world", "world", "world", "b0", "ground"))
    names = [builder.world, *(f"b{k}" for k in range(dice.below(6)))]
    edges = [
        (dice.among(names[: k + 1] if dice.chance(0.9) else [*names, "nobody"]), n) for k, n in enumerate(names[1:])
    ]
    if edges and dice.chance(0.3):
        edges = dice.pick([*edges, (dice.among(names), dice.among(names))], edges[1:])
    for name in names[1:]:
        builder.add_body(name, 1.0, (0.1, 0, 0), (1, 1, 1))
    for k, (parent, child) in enumerate(edges):
        kind = dice.among((*MOVING, "fixed"))
        builder.add_joint(f"j{k}", kind, parent, child, **random_joint(dice.rng, kind, False))
    return builder.build()


def draw_model(dice: Dice) -> Call:
    """A model of a graph, or of a URDF text."""
    if dice.chance(0.4):
        return Call("ModelBuilder.build", lambda: use(graph(dice)), flaw="maybe", check=lambda wrong: wrong)
    text = damaged_text(dice) if dice.chance(0.9) else dice.pick("", "x", "<robot/>", "/", b"<robot/>", thing(dice))
    named = {"path_or_text": text}
    for name, value in (("floating_base", True), ("check_inertia", False), ("mimic", False), ("gravity", (0, 0, -1))):
        if dice.chance(0.25):
            named[name] = value if dice.chance(0.7) else thing(dice)
    return Call("Model.from_urdf", lambda **named: checked(use(Model.from_urdf(**named))), named, flaw="maybe")


def checked(wrong: list[str]) -> None:
    """Raise an error that no call is allowed to raise if something is wrong."""
    assert not wrong, wrong


def wild_world(dice: Dice, types: tuple[str, ...]) -> World:
    """A tree with mass ratios up to 1e8, and limits, motors, servos, friction and couplings on its joints."""
    still = types == ("prismatic",)
    builder = ModelBuilder(gravity=np.zeros(3) if still else (0.0, 0.0, -9.81))
    for k in range(1 + dice.below(5)):
        mass = 10.0 ** (8.0 * dice.random() - 4.0)
        builder.add_body(f"b{k}", mass, 0.3 * dice.normal(3), mass * np.array([0.1, 0.2, 0.25]))
        kind = dice.pick(*types)
        own = {"axis": dice.normal(3)} if kind in ("revolute", "prismatic") else {}
        if own and dice.chance(0.5):
            own |= {"friction": 10.0 ** (4.0 * dice.random() - 2.0)}
        if own and dice.chance(0.6):
            own |= {"lower_limit": -dice.random(), "upper_limit": dice.random()}
        parent = "world" if k == 0 else f"b{dice.below(k)}"
        builder.add_joint(f"j{k}", kind, parent, f"b{k}", position=0.3 * dice.normal(3), **own)
    model, found = builder.build(), []
    single = [joint.name for joint in model.joints if joint.type in ("revolute", "prismatic")]
    for k, name in enumerate(single):
        size, speed = 10.0 ** (6.0 * dice.random() - 2.0), float(dice.normal())
        choices: list[Any] = [
            constraints.Motor(f"c{k}", name, 10.0 * speed, size),
            constraints.Servo(f"c{k}", name, speed, stiffness=size, damping=dice.pick(0.0, 0.1 * size)),
            constraints.Friction(f"c{k}", name, size),
            constraints.Limit(f"c{k}", name, -0.5 * dice.random(), 0.5, restitution=0.0 if still else dice.random()),
        ]
        choices += [constraints.Coupling(f"c{k}", {single[k - 1]: 1.0, name: speed})] if k else []
        found += [dice.among(choices)] if dice.chance(0.7) else []
    return World(model, found)


def energy_of(world: World, q: np.ndarray, v: np.ndarray) -> float:
    """Return the kinetic and the potential energy, with that of servos' springs."""
    rows = zip(world.laws, world.rows_at(q).error, strict=True)
    springs = [0.5 * row.stiffness * error**2 for row, error in rows if row.soft and row.stiffness > 0.0]
    return float(kinetic_energy(world.model, q, v)) + sum(springs)


def draw_step(dice: Dice) -> Call:
    """Three steps from a wild state: they end in a state, or in one error; only motors give sliders energy."""
    still = dice.chance(0.5)
    world = wild_world(dice, ("prismatic",) if still else ("revolute", "revolute", "prismatic", "spherical", "free"))
    named = {"q": configuration(dice, world.model, ()), "step": 10.0 ** (-5.0 + 4.0 * dice.random())}
    named["v"] = 10.0 ** (5.0 * dice.random() - 3.0) * dice.normal(world.model.nv)

    def steps(q: np.ndarray, v: np.ndarray, step: float) -> None:
        memory = None
        if still:
            v = world.impact(q, v).velocity  # couplings hold
            q = world.close(q).configuration if any(row.soft is False for row in world.laws) else q
        for _ in range(3):
            found = world.step(q, v, step, memory=memory, outside_limits="allow")
            assert np.isfinite([*found.q, *found.v]).all()
            if still:
                rates = np.abs(world.rows_at(found.q).jacobian @ found.v)
                work = step * sum(row.force * u for row, u in zip(world.laws, rates, strict=True))
                before, after = energy_of(world, q, v), energy_of(world, found.q, found.v)
                rounding = 1e-24 * world.model.mass  # of velocities, 1e-12 m/s
                assert after <= (before + work) * (1.0 + 1e-7) + rounding, (before, work, after)
            q, v, memory = found

    return Call("World.step", steps, named, flaw="maybe", says="World.")
