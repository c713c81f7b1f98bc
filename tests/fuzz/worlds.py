"""Calls of worlds, of records of constraints and of what belongs to them."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pluecker import PlueckerError
from pluecker.articulated import ModelBuilder, kinetic_energy
from pluecker.contact import World, WorldMemory, constraints
from pluecker.contact.constraints import Frame
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from tests.contact.constraints.records import on_frames
from tests.contact.found.worlds import bodies
from tests.contact.world.mechanisms import bricard, four_bars, slider_crank
from tests.contact.world.worlds import random_world
from tests.fuzz.algorithms import BATCHES, configuration, threads_for
from tests.fuzz.friction import array, quiet
from tests.fuzz.judge import Call, close
from tests.fuzz.values import LABELS, MAYBE, Dice, Given, thing
from tests.mechanisms import random_description

Array = np.ndarray
FEW = tuple(batch for batch in BATCHES if np.prod(batch) < 10)


@cache
def worlds() -> tuple[World, ...]:
    """Worlds of every kind, the same in every process."""
    tree = random_description(3, 5, ("revolute", "prismatic", "spherical", "free")).build()
    joint = next(each.name for each in tree.joints if each.type in ("revolute", "prismatic"))
    mixed = (
        constraints.Rope("rope", "world", tree.body_names[-1], 3.0),
        constraints.Limit("limit", joint, -1.0, 1.0, restitution=0.5),
        constraints.Motor("motor", joint, 1.0, 5.0),
        constraints.Friction("friction", constraints.Length("world", tree.body_names[-1]), 0.5),
        constraints.Rod("spring", tree.body_names[0], tree.body_names[-1], 0.4, stiffness=10.0, damping=1.0),
    )
    result = [
        World(tree),
        World(tree, mixed),
        *(random_world(seed, 5, 1)[0] for seed in range(3)),
        four_bars(1)[0],
        slider_crank(),
        bricard(),
        World(tree, [constraints.PrescribedMotion("drive", joint, constraints.Spline([0.0, 1.0], [0.0, 0.4], 0.3))]),
        World(four_bars(1)[0].model, [constraints.UserFunction("sum", lambda q: float(q[0] + q[1]))]),
        heap("newton"),
        heap("poisson"),
        dropped("newton"),
        dropped("poisson"),
    ]
    LABELS.update({id(world): f"worlds.worlds()[{k}]" for k, world in enumerate(result)})
    return tuple(result)


def heap(impacts: str) -> World:
    """Two boxes, a ball and the floor, whose contacts are found."""
    shapes = [Box((0.2, 0.3, 0.1)), Box((0.4, 0.4, 0.4)), Sphere(0.2)]
    surface = Surface(0.5, restitution=0.6)
    skins = [Collider(f"s{k}", shape, f"b{k}", surface) for k, shape in enumerate(shapes)]
    return World(bodies(shapes), shapes=[Collider("floor", HalfSpace(), "world", surface), *skins], impacts=impacts)


def dropped(impacts: str) -> World:
    """A box and a ball whose pairs are named, and a point of the box."""
    shapes = [Box((0.2, 0.3, 0.1)), Sphere(0.2)]
    surface = Surface(0.5, restitution=0.6)
    skins = [Collider(f"s{k}", shape, f"b{k}", surface) for k, shape in enumerate(shapes)]
    point = constraints.PointContact("point", "world", ("b0", (0.1, 0.0, 0.3)), restitution=0.4, impacts=impacts)
    floor = Collider("floor", HalfSpace(), "world", surface)
    pairs = [("floor", "s0"), ("s0", "s1")]
    return World(bodies(shapes), [point], shapes=[floor, *skins], pairs=pairs, impacts=impacts)


def state(dice: Dice, world: World, batch: tuple[int, ...], wrong: str) -> dict[str, Given]:
    """A state and joint forces, one of which may be wrong."""
    model = world.model
    values = {
        "q": configuration(dice, model, batch),
        "v": dice.normal(*batch, model.nv),
        "tau": dice.normal(*batch, model.nv),
        "f_ext": dice.normal(*batch, model.n_bodies, 6),
        "time": dice.normal(*batch),
    }
    found = {}
    for name, x in values.items():
        found[name] = array(dice, x, name == wrong)
        if name == "q" and model.quaternion_slices() and found[name].value is not x:
            found[name].flaw = MAYBE  # a dress that rounds has no unit quaternions
    return found


def entry_alone(name: str, world: World, given: dict[str, Given], result: Any) -> list[str]:
    """Compare the last entry of a batch with the same call for it alone; return what is wrong."""
    plain = {key: np.asarray(each.value if each.plain is None else each.plain, float) for key, each in given.items()}
    batch = plain["q"].shape[:-1]
    if not batch or 0 in batch:
        return []
    place = tuple(n - 1 for n in batch)
    alone = getattr(world, name)(**{key: x[place] for key, x in plain.items()})
    wrong = []
    for whole, one in zip(result, alone, strict=True):
        if not close(whole[place], one, 1e-7, 1.0):
            wrong.append(f"an entry of a batch alone gives something else: {whole[place]} and {one}")
    return wrong


USED: dict[str, tuple[str, ...]] = {
    "accelerations": ("q", "v", "tau", "f_ext", "time"),
    "impact": ("q", "v", "time"),
    "rows_at": ("q", "v", "time"),
    "momentum": ("q", "v"),
}


def method(dice: Dice) -> Call:
    """Make a call of a method of ``World`` at an instant, which takes batches."""
    name, world, batch = dice.pick(*USED), dice.among(worlds()), dice.among(FEW)
    keys = [key for key in USED[name] if key not in ("f_ext", "time") or dice.chance(0.3)]
    wrong = "" if quiet(dice) else dice.among(keys)
    given = {key: each for key, each in state(dice, world, batch, wrong).items() if key in keys}
    call = Call(
        "worlds", f"contact.World.{name}", getattr(world, name), [], dict(given), says=f"World.{name}: ", exact=False,
        compare=False,
    )  # fmt: skip
    call.may_fail = any(each.flaw != "good" for each in given.values())
    if name in ("accelerations", "rows_at", "impact"):
        call.check = lambda result: [] if call.may_fail else entry_alone(name, world, given, result)
        if dice.chance(0.2):
            call.named["threads"] = threads_for(dice)
    elif dice.chance(0.5):
        call.named["point"] = array(dice, dice.normal(3), not quiet(dice))
    return call


def single(dice: Dice) -> Call:
    """Make a call of a method of ``World`` that takes one state: closing, inverse dynamics, steps, motions, and others."""
    world = dice.among(worlds())
    name = dice.pick("close", "determined", "inverse_dynamics", "step", "step", "simulate", "maximal")
    keys = {"close": ("q", "v"), "determined": ("q",), "maximal": ("q",)}.get(name, ("q", "v"))
    slow = (
        name in ("step", "simulate") and world.packed.n_rows > world.packed.n_linear
    )  # the most sweeps, where it is wild
    given = state(dice, world, (), "" if slow or quiet(dice) else dice.among(keys))
    named = {"reference" if name == "maximal" else key: given[key] for key in keys}
    call = Call(
        "worlds", f"contact.World.{name}", getattr(world, name), [], named, says=f"World.{name}: ", exact=False,
        compare=False,
    )  # fmt: skip
    call.may_fail = call.infinite = True  # far from closed, too fast
    more: dict[str, Any] = {}
    if name == "inverse_dynamics":
        more = {
            "a": dice.normal(world.model.nv),
            "weights": 1.0,
            "actuated": dice.pick(None, (), "x", ["x"]),
            "time": 0.3,
        }
    if name == "close":
        more = {"tol": 1e-9, "fixed": dice.pick((), (), "x", ["x", 3]), "time": 0.0}
    if name == "determined":
        more = {"active": np.zeros(world.n_rows, bool)}
    if name == "step":
        more = {"step": 1e-3, "tau": dice.normal(world.model.nv), "memory": memory(dice, world)}
    if name == "simulate":
        more = {
            "duration": 3e-3,
            "step": 1e-3,
            "integrator": dice.pick("semi_implicit", "rk4"),
            "memory": memory(dice, world),
        }
        more |= {"on_unsolved": dice.pick("raise", "stop"), "record": dice.pick((), "constraint_forces", "energy")}
    chosen = dice.among(sorted(more)) if more and not quiet(dice) else ""
    for key, value in more.items():
        if dice.chance(0.7) or key in ("a", "step", "duration"):
            call.named[key] = Given(unusual(dice, key) if key == chosen else value, flaw=MAYBE)
    return call


def unusual(dice: Dice, key: str) -> Any:
    """Draw any object; durations are short if they are numbers."""
    value = thing(dice)
    number = isinstance(value, (int, float, np.number)) or hasattr(value, "numerator")
    return "1" if key in ("duration", "step") and number else value


@cache
def memories() -> tuple[WorldMemory, ...]:
    """Memories of some worlds after one step."""
    found = []
    for world, q, v in (four_bars(1), (World(slider_crank().model), np.zeros(3), np.zeros(3))):
        found.append(world.step(q, v, 1e-3).memory)
    return tuple(found)


def memory(dice: Dice, world: World) -> Any:
    """Draw a memory: None, of this world or another one, with or without changes, or any object."""
    how = dice.below(8)
    if how < 4:
        return None
    if how == 4:
        return thing(dice)
    found = dice.among(memories())
    part = dice.among(dataclasses.fields(WorldMemory)).name
    if how == 5:
        return found
    try:
        return dataclasses.replace(found, **{part: thing(dice)})
    except PlueckerError:  # a record that cannot be made
        return found


def stays(dice: Dice) -> Call:
    """Make a call that takes two steps, the second with the memory of the first: the loop must stay closed."""
    world, q, v = four_bars(1)
    h = 10.0 ** -(1 + 4 * dice.random())

    def make() -> list[str]:
        first = world.step(q, v, h)
        second = world.step(first.q, first.v, h, memory=first.memory)
        wrong = [] if np.abs(world.rows_at(second.q).error).max() < 1e-10 else ["the loop is open"]
        return wrong if abs(second.memory.time - 2.0 * h) < 1e-12 else [*wrong, "the time is wrong"]

    return Call("worlds", "contact.World.step", make, says=None, check=lambda wrong: wrong, compare=False)


def wild_world(dice: Dice, types: tuple[str, ...]) -> World:
    """A tree with mass ratios up to 1e8, and limits, motors, servos, friction and couplings on its joints."""
    still = types == ("prismatic",)
    builder = ModelBuilder(gravity=np.zeros(3) if still else (0.0, 0.0, -9.81))
    n = 1 + dice.below(5)
    for k in range(n):
        mass = 10.0 ** (8.0 * dice.random() - 4.0)
        builder.add_body(
            f"b{k}", mass=mass, center_of_mass=0.3 * dice.normal(3), inertia=mass * np.array([0.1, 0.2, 0.25])
        )
        kind = dice.pick(*types)
        own = {"axis": dice.normal(3)} if kind in ("revolute", "prismatic") else {}
        if own and dice.chance(0.5):
            own |= {"friction": 10.0 ** (4.0 * dice.random() - 2.0)}
        if own and dice.chance(0.6):
            own |= {"lower_limit": -dice.random(), "upper_limit": dice.random()}
        parent = "world" if k == 0 else f"b{dice.below(k)}"
        builder.add_joint(f"j{k}", kind, parent=parent, child=f"b{k}", position=0.3 * dice.normal(3), **own)
    model = builder.build()
    single = [joint.name for joint in model.joints if joint.type in ("revolute", "prismatic")]
    found: list[Any] = []
    for k, name in enumerate(single):
        size = 10.0 ** (6.0 * dice.random() - 2.0)
        choices = [
            constraints.Motor(f"c{k}", name, 10.0 * float(dice.normal()), size),
            constraints.Servo(f"c{k}", name, float(dice.normal()), stiffness=size, damping=dice.pick(0.0, 0.1 * size)),
            constraints.Friction(f"c{k}", name, size),
            constraints.Limit(f"c{k}", name, -0.5 * dice.random(), 0.5, restitution=0.0 if still else dice.random()),
        ]
        if k:
            choices.append(constraints.Coupling(f"c{k}", {single[k - 1]: 1.0, name: float(dice.normal())}))
        found += [dice.among(choices)] if dice.chance(0.7) else []
    return World(model, found)


def energy_of(world: World, q: Array, v: Array) -> float:
    """Return the kinetic and the potential energy, with that of servos' springs."""
    springs = [
        0.5 * row.stiffness * error**2
        for row, error in zip(world.laws, world.rows_at(q).error, strict=True)
        if row.soft and row.stiffness > 0.0
    ]
    return float(kinetic_energy(world.model, q, v)) + sum(springs)


def wild(dice: Dice) -> Call:
    """Make a call that steps from a wild state: it ends in a state, or in one error; only motors give sliders energy."""
    still = dice.chance(0.5)
    world = wild_world(dice, ("prismatic",) if still else ("revolute", "revolute", "prismatic", "spherical", "free"))
    h = 10.0 ** (-5.0 + 4.0 * dice.random())
    q = configuration(dice, world.model, ())
    v = 10.0 ** (5.0 * dice.random() - 3.0) * dice.normal(world.model.nv)

    def make(q: Array, v: Array, step: float) -> list[str]:
        memory = None
        if still:
            v = world.impact(q, v).velocity  # couplings hold
            q = world.close(q).configuration if world.packed.n_linear else q
        for _ in range(3):
            found = world.step(q, v, step, memory=memory, outside_limits="allow")
            if not (np.isfinite(found.q).all() and np.isfinite(found.v).all()):
                return ["a state that is not finite"]
            if still:
                rates = np.abs(world.rows_at(found.q).jacobian @ found.v)
                work = step * sum(row.force * u for row, u in zip(world.laws, rates, strict=True))
                before, after = energy_of(world, q, v), energy_of(world, found.q, found.v)
                rounding = 1e-24 * world.model.mass  # of velocities, 1e-12 m/s
                if after > (before + work) * (1.0 + 1e-7) + rounding:
                    return [f"energy {after:.6g} comes from {before:.6g} and work of motors {work:.6g}"]
            q, v, memory = found
        return []

    named = {"q": Given(q), "v": Given(v), "step": Given(h)}
    return Call(
        "worlds", "contact.World.step", make, [], named, says="World.", check=lambda wrong: wrong, compare=False,
        may_fail=True,
    )  # fmt: skip


def fields_of(record: Any) -> dict[str, Any]:
    """The arguments that a record was made of."""
    return {each.name: getattr(record, each.name) for each in dataclasses.fields(record) if each.init}


def record(dice: Dice) -> Call:
    """Make a call of a record of any kind, one argument of which may be anything."""
    model = dice.among(worlds()).model
    places = ["world", *model.body_names]
    names = dice.plain.sample(places, 3) if len(places) > 2 else [*places, "x"]
    frames = [Frame(name, dice.normal(3)) for name in names]
    kinds: list[Any] = [
        *on_frames(*frames),
        *(constraints.Softness(100.0, 1.0), constraints.Spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.5]), frames[0]),
        *(constraints.Angle(*frames[:2]), constraints.Travel(*frames[:2]), constraints.Length(*frames[:2])),
        constraints.JointCoordinate(model.joints[0].name),
        constraints.UserFunction("user", lambda q: float(q[0])),
    ]
    chosen = dice.among(kinds)
    values = fields_of(chosen)
    if not quiet(dice):
        values[dice.among(list(values))] = thing(dice)
    kind = type(chosen)
    on_model = dice.chance(0.5)

    def make(**values: Any) -> Any:
        made = kind(**values)
        if on_model and isinstance(getattr(made, "name", None), str) and hasattr(made, "parts"):
            World(model, [made], limits=dice.chance(0.5))
        return None

    named = {name: Given(value, flaw=MAYBE) for name, value in values.items()}
    return Call(
        "worlds", f"contact.constraints.{kind.__name__}", make, [], named, says=None, compare=False, may_fail=True
    )


PLACED = ("Ball", "Hinge", "Slider", "Cylindrical", "Planar", "Fixed", "PointOnLine", "PointInPlane")


def placed(dice: Dice) -> Call:
    """Make a call that places a joint in a configuration, where its error is zero."""
    world = dice.among(worlds()[:5])
    model = world.model
    kind = getattr(constraints, dice.among(PLACED))
    first, second = dice.plain.sample(["world", *model.body_names], 2)
    values = {
        "name": "x", "model": model, "q": configuration(dice, model, ()), "first": first, "second": second,
        "point": dice.normal(3), "axis": dice.normal(3),
    }  # fmt: skip
    good = quiet(dice)
    if not good:
        key = dice.among(sorted(values))
        values[key] = 0.0 * dice.normal(3) if key == "axis" and dice.chance(0.5) else thing(dice)

    def make(**values: Any) -> list[str]:
        own = kind.at(**values)
        if not good:
            return []
        error = World(model, [own], limits=False).rows_at(values["q"]).error[: len(own.parts(model).rows)]
        return [] if np.abs(error).max() < 1e-9 else [f"it is open where it was placed: {error}"]

    named = {name: Given(value, flaw=MAYBE) for name, value in values.items()}
    call = Call(
        "worlds", f"contact.constraints.{kind.__name__}.at", make, [], named, says=None, compare=False, may_fail=True
    )
    call.check = lambda wrong: wrong
    if good:
        call.may_fail = False
        call.named = {name: Given(value) for name, value in values.items()}
    return call


def make_world(dice: Dice) -> Call:
    """Make a call of ``World``, with arguments that fit and others."""
    world = dice.among(worlds())
    shapes = [
        Collider("floor", HalfSpace(), "world"),
        *(Collider(name, Sphere(0.1), name) for name in world.model.body_names),
    ]
    values = {
        "model": world.model,
        "constraints": world.constraints,
        "limits": dice.chance(0.5),
        "shapes": shapes,
        "pairs": [("floor", shapes[-1].name)] if len(shapes) > 1 else [],
        "impacts": dice.pick("newton", "poisson"),
        "recovery": 10.0 * dice.random(),
    }
    if not quiet(dice):
        key = dice.among(sorted(values))
        values[key] = thing(dice) if key != "constraints" or dice.chance(0.5) else [*world.constraints, thing(dice)]
        if key == "constraints" and dice.chance(0.2) and world.constraints:
            values[key] = 2 * world.constraints
    named = {name: Given(value, flaw=MAYBE) for name, value in values.items()}
    return Call("worlds", "contact.World", World, [], named, says=None, compare=False, infinite=True)


def handle(dice: Dice) -> Call:
    """Make a call of the forces or the wrench of one constraint."""
    world = dice.among([world for world in worlds() if len(world)])
    name = dice.among(world.names) if dice.chance(0.9) else thing(dice)
    what = dice.pick("forces", "wrench")
    values: dict[str, Any] = {"row_forces": dice.normal(world.n_rows)}
    if what == "wrench":
        values["q"] = configuration(dice, world.model, ())
        values["frame"] = dice.pick(None, None, "world", world.model.body_names[0], "nowhere")
    if not quiet(dice):
        values[dice.among(sorted(values))] = thing(dice)
    named = {key: Given(value, flaw=MAYBE) for key, value in values.items()}
    return Call(
        "worlds", f"contact.World.{what}", lambda **values: getattr(world[name], what)(**values), [], named, says=None,
        compare=False, may_fail=True, infinite=True,
    )  # fmt: skip


def soft(dice: Dice) -> Call:
    """Make a call that converts one description of softness to another, and back."""
    name = dice.pick("erp_cfm", "spring_damper", "damper_of_multiplier")
    k, d, h = 10.0 ** dice.normal(3)
    values = {
        "erp_cfm": {"stiffness": k, "damping": d, "step": h},
        "spring_damper": {"erp": float(dice.random()), "cfm": k, "step": h},
        "damper_of_multiplier": {"k": k, "step": h},
    }[name]
    good = quiet(dice)
    if not good:
        values[dice.among(sorted(values))] = thing(dice)

    def check(found: Any) -> list[str]:
        if name != "erp_cfm" or not good:
            return []
        back = constraints.spring_damper(found.erp, found.cfm, values["step"])
        return [] if close(back[:2], (k, d), 1e-6) else [f"there and back is {back}, not {(k, d)}"]

    named = {key: Given(value, flaw="good" if good else MAYBE) for key, value in values.items()}
    return Call(
        "worlds", f"contact.constraints.{name}", getattr(constraints, name), [], named, says=None, check=check,
        infinite=True, compare=False,
    )  # fmt: skip


TEXT = """[ball.loop]
first = { frame = "a", position = [0.0, 0.0, 1.0] }
second = "b"

[limit.end]
of = { joint = "elbow", index = 0 }
lower = -1.0
upper = inf
"""


TEXT_OF_SHAPES = """[half_space.floor]
frame = "world"
surface = "rubber"

[sphere.foot]
radius = 0.1
frame = { frame = "NAME", position = [0.0, 0.0, -0.1] }
surface = { friction = 0.5 }

[surface.rubber]
friction = 0.9

[contacts]
pairs = [["floor", "foot"]]
recovery = 5.0
impacts = "poisson"
"""


def damaged(dice: Dice, text: str) -> str:
    """Damage a text in most cases."""
    if quiet(dice):
        return text
    k = dice.below(len(text))
    return text[:k] + dice.pick("", "x", "=", "[", "nan", "\n", '"', "\u00e9", "-1e400") + text[k + dice.below(9) :]


def file_call(dice: Dice, name: str, text: str, read: Callable[[Any], Any]) -> Call:
    """Make a call that reads a file with this text, or a path that is none."""
    path: Any = None if dice.chance(0.8) else dice.pick("/nowhere/x.toml", "", ".", "\x00", 3, b"x", thing(dice))

    def make(path: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "x.toml")
            Path(file).write_text(text, encoding="utf-8")
            read(file if path is None else path)

    call = Call("worlds", name, make, [Given(path, flaw=MAYBE)], says=None, may_fail=True, compare=False)
    call.text = lambda: f"{name}({path!r:.100}) of {text!r}"  # type: ignore[method-assign]
    return call


def toml(dice: Dice) -> Call:
    """Make a call that reads a file of constraints, whole or damaged."""
    return file_call(dice, "contact.constraints.read_constraints", damaged(dice, TEXT), constraints.read_constraints)


def world_file(dice: Dice) -> Call:
    """Make a call that reads a file of shapes and a pair of them, whole or damaged."""
    model = dice.among(worlds()).model
    text = damaged(dice, TEXT_OF_SHAPES.replace("NAME", dice.among(model.body_names)))
    return file_call(dice, "contact.World.from_file", text, lambda path: World.from_file(path, model))


def kept(dice: Dice) -> Call:
    """Make a call that reads the saved memory of a world, perhaps damaged."""
    found = dice.among(memories())
    path: Any = None if dice.chance(0.8) else dice.pick("/nowhere/x.npz", "", ".", "\x00", 3, thing(dice))
    damaged = not quiet(dice)

    def make(path: Any) -> list[str]:
        if path is not None:
            WorldMemory.load(path)
            return []
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "x.npz")
            found.save(name)
            if damaged:
                data = bytearray(Path(name).read_bytes())
                data[dice.below(len(data))] ^= 1 << dice.below(8)
                Path(name).write_bytes(data[: dice.pick(len(data), dice.below(len(data)))])
            again = WorldMemory.load(name)
        return [] if damaged or again.impulses.tobytes() == found.impulses.tobytes() else ["it is another one"]

    return Call(
        "worlds", "contact.WorldMemory.load", make, [Given(path, flaw=MAYBE)], says=None, may_fail=True, compare=False,
        check=lambda wrong: wrong,
    )  # fmt: skip


DRAWS: tuple[tuple[Callable[[Dice], Call], int], ...] = (
    (method, 10),
    (single, 8),
    (stays, 1),
    (wild, 4),
    (record, 12),
    (placed, 4),
    (make_world, 4),
    (handle, 4),
    (soft, 4),
    (toml, 4),
    (world_file, 2),
    (kept, 2),
)
LOTS = tuple(draw for draw, weight in DRAWS for _ in range(weight))


def draw(dice: Dice) -> Call:
    """A call of one of these."""
    return dice.among(LOTS)(dice)
