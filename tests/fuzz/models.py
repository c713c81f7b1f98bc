"""Calls of the builder, of models and their methods, of URDF texts, and of ``conventions``."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pluecker import PlueckerError, articulated
from pluecker.articulated import Joint, Model, ModelBuilder, ModelError, conventions
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from tests.fuzz.algorithms import configuration, models, wrong_model
from tests.fuzz.judge import Call, close
from tests.fuzz.values import (
    MAYBE,
    TYPE,
    Dice,
    Given,
    HasArray,
    dressed,
    misshapen,
    not_finite,
    thing,
    wild,
    wrong_type,
)
from tests.mechanisms import JOINT_TYPES, MOVING, random_body, random_joint

KINDS = (*MOVING, "fixed")
ARRAYS = (
    "armature",
    "damping",
    "friction",
    "stiffness",
    "rest_position",
    "lower_limit",
    "upper_limit",
    "velocity_limit",
    "effort_limit",
)


def bad(dice: Dice, x: Any, core: int = 1) -> Given:
    """Replace a good array by something that may be refused."""
    x = np.asarray(x, float)
    how = (
        dice.among((not_finite, lambda d, x: misshapen(d, x, core), wild, wrong_type, lambda d, x: Given(thing(d))))
        if x.size
        else wrong_type
    )
    given = how(dice, x)
    given.flaw = MAYBE
    return given


def given_array(dice: Dice, x: Any, p: float) -> Given:
    given = bad(dice, x) if dice.chance(p) else dressed(dice, np.asarray(x, float))
    if np.ndim(x) == 0 and isinstance(given.value, (HasArray, memoryview)):  # no number
        given.flaw = MAYBE
    return given


# --------------------------------------------------------------------------------------------------------------- builder


def use(model: Model, dice: Dice) -> list[str]:
    """Print, pickle and compute with a model; return what is wrong."""
    wrong = []
    text = str(model)
    if len(text) > 100_000:
        wrong.append(f"its text has {len(text)} characters")
    if pickle.loads(pickle.dumps(model)) != model:
        wrong.append("pickled it is another")
    q = articulated.random_configuration(model, 0)
    v = np.sin(np.arange(model.nv))
    try:
        tau = articulated.rnea(model, q, v, v)
        T = articulated.forward_kinematics(model, q)
        if not (np.isfinite(tau).all() and np.isfinite(T).all()):
            wrong.append(f"inverse dynamics {tau.tolist()}, placements {T.tolist()!s:.200}")
    except PlueckerError:
        pass
    return wrong


def new_builder(dice: Dice) -> Call:
    named = {}
    if dice.chance(0.5):
        named["name"] = Given(dice.pick("robot", "", thing(dice)), flaw=MAYBE)
    if dice.chance(0.5):
        named["gravity"] = given_array(dice, dice.normal(3), 0.5)
    if dice.chance(0.5):
        named["world"] = Given(dice.pick("ground", "", thing(dice)), flaw=MAYBE)

    def make(**named: Any) -> str:
        builder = ModelBuilder(**named)
        builder.add_body("b", 1.0, inertia=(1, 1, 1))
        builder.add_joint("j", "free", parent=builder.world, child="b")
        return str(builder.build())

    return Call("models", "articulated.ModelBuilder", make, [], named, says=None, compare=False, infinite=True)


def add_body(dice: Dice) -> Call:
    builder = ModelBuilder()
    body = random_body(dice.numbers)
    p = dice.pick(0.0, 0.3, 0.5)
    values: dict[str, Given] = {"name": Given(thing(dice), flaw=MAYBE) if dice.chance(p / 2) else Given("b0")}
    for name, value in body.items():
        if dice.chance(0.8):
            x = value
            if name == "inertia" and dice.chance(0.2):
                x = np.diag(np.sort(np.linalg.eigvalsh(value)))[[0, 1, 2], [0, 1, 2]]
            values[name] = given_array(dice, x, p)
    if "mass" not in values or values["mass"].flaw == MAYBE:
        for given in values.values():
            given.flaw = MAYBE
    if dice.chance(0.3):
        values["check_inertia"] = Given(dice.pick(True, False, thing(dice)), flaw=MAYBE)

    def make(**named: Any) -> Model:
        builder.add_body(**named)
        builder.add_joint("j0", "free", "world", named["name"])
        return builder.build()

    return Call(
        "models",
        "articulated.ModelBuilder.add_body",
        make,
        [],
        values,
        says=None,
        compare=False,
        infinite=True,
        check=lambda model: use(model, dice),
    )


def add_joint(dice: Dice) -> Call:
    builder = ModelBuilder()
    builder.add_body("b0", **random_body(dice.numbers))
    builder.add_body("b1", **random_body(dice.numbers))
    builder.add_joint("j0", "revolute", "world", "b0", axis=(0, 0, 1))
    kind = dice.among(KINDS)
    options = random_joint(dice.numbers, kind, dice.chance(0.5))
    if dice.chance(0.2) and kind in ("revolute", "prismatic", "helical", "continuous"):
        options["mimic"] = ("j0", 2.0, 0.5)
    for name in ARRAYS[4:]:
        if dice.chance(0.1) and kind != "fixed":
            n = JOINT_TYPES[kind].nq if "rest" in name or "_limit" in name else 1
            options[name] = np.abs(dice.normal(n))
    p = dice.pick(0.0, 0.0, 0.3, 0.5)
    values: dict[str, Given] = {}
    for name, value in {"name": "j1", "type": kind, "parent": "b0", "child": "b1"}.items():
        values[name] = Given(thing(dice) if dice.chance(p / 2) else value, flaw=MAYBE)
    for name, value in options.items():
        if name == "mimic":
            values[name] = Given(
                dice.pick(
                    value,
                    value,
                    ("j0",),
                    ("j0", 1.0),
                    ("j1", 1.0, 0.0),
                    ("nobody", 1.0, 0.0),
                    5,
                    ("j0", "a", 0.0),
                    ("j0", 1e308, 0.0),
                    ("j0", float("nan"), 0),
                    thing(dice),
                    ("j0", 0.0, 0.0),
                    ("j0", 10**400, 0),
                ),
                flaw=MAYBE,
            )
        else:
            values[name] = given_array(dice, value, p)
            values[name].flaw = MAYBE
    if dice.chance(p):
        values[dice.pick("axis", "axis2", "pitch", "position", "rotation", "mimic", "color", *ARRAYS)] = Given(
            thing(dice), flaw=MAYBE
        )

    def make(**named: Any) -> Model:
        builder.add_joint(**named)
        return builder.build()

    return Call(
        "models",
        "articulated.ModelBuilder.add_joint",
        make,
        [],
        values,
        says=None,
        compare=False,
        infinite=True,
        may_fail=True,
        check=lambda model: use(model, dice),
    )


def add_frame(dice: Dice) -> Call:
    builder = ModelBuilder()
    builder.add_body("b0", **random_body(dice.numbers))
    builder.add_joint("j0", "revolute", "world", "b0", axis=(0, 0, 1))
    values: dict[str, Given] = {"name": Given(dice.pick("tool", "b0", thing(dice)), flaw=MAYBE)}
    values["body"] = Given(dice.pick("b0", "world", "b0", "nobody", thing(dice)), flaw=MAYBE)
    if dice.chance(0.6):
        values["position"] = given_array(dice, dice.normal(3), 0.4)
    if dice.chance(0.6):
        values["rotation"] = given_array(dice, np.eye(3), 0.4)

    def make(**named: Any) -> Model:
        builder.add_frame(**named)
        return builder.build()

    return Call(
        "models",
        "articulated.ModelBuilder.add_frame",
        make,
        [],
        values,
        says=None,
        compare=False,
        infinite=True,
        check=lambda model: use(model, dice),
    )


def build(dice: Dice) -> Call:
    """Make a call that builds a graph of bodies and joints: a tree, or another one."""
    n = dice.below(6)
    names = ["world", *(f"b{k}" for k in range(n))]
    builder = ModelBuilder(world=dice.pick("world", "world", "world", "b0", "ground"))
    edges = []

    def make() -> Model:
        return builder.build()

    try:
        for name in names[1:]:
            builder.add_body(name, 1.0, (0.1, 0, 0), (1, 1, 1))
        for k, child in enumerate(names[1:]):
            parent = dice.among(names[: k + 1]) if dice.chance(0.9) else dice.pick(*names, "nobody")
            edges.append((parent, child))
        if dice.chance(0.2) and edges:
            edges.append((dice.among(names), dice.among(names)))
        if dice.chance(0.1) and edges:
            edges.pop()
        for k, (parent, child) in enumerate(edges):
            kind = dice.among(KINDS)
            builder.add_joint(f"j{k}", kind, parent, child, **random_joint(dice.numbers, kind, False))
    except PlueckerError:
        pass
    return Call(
        "models",
        "articulated.ModelBuilder.build",
        make,
        [],
        {},
        says=None,
        compare=False,
        infinite=True,
        may_fail=True,
        check=lambda model: use(model, dice),
    )


# ---------------------------------------------------------------------------------------------------------------- models


def replace(dice: Dice) -> Call:
    """Make a call of ``Model.replace``, with fields that it takes and others."""
    model = dice.among(models())
    named: dict[str, Given] = {}
    for _ in range(1 + dice.below(2)):
        name = dice.pick("name", "gravity", *ARRAYS, "links", "joints", "nq", "color")
        size = {"gravity": 3, "name": 1}.get(
            name, model.nq if name in ("rest_position", "lower_limit", "upper_limit") else model.nv
        )
        x = np.abs(dice.normal(size))
        named[name] = (
            Given(dice.pick("other", thing(dice)), flaw=MAYBE) if name == "name" else given_array(dice, x, 0.5)
        )
        named[name].flaw = MAYBE

    def make(**named: Any) -> Model:
        return model.replace(**named)

    return Call(
        "models",
        "articulated.Model.replace",
        make,
        [],
        named,
        says=None,
        compare=False,
        infinite=True,
        may_fail=True,
        check=lambda model: use(model, dice),
    )


FIELDS = tuple(field.name for field in dataclasses.fields(Model))


def corrupted(dice: Dice) -> Call:
    """Make a call of the constructor whose records do not fit: it raises an error, or the model must not crash."""
    model = dice.among(models())
    changes: dict[str, Any] = {}
    for _ in range(dice.pick(1, 1, 1, 2, 4)):
        name = dice.among(FIELDS)
        value = getattr(model, name)
        kind = dice.below(6)
        if isinstance(value, np.ndarray) and kind < 4 and value.size:
            value = np.array(value)
            if kind == 0:
                value = value[: dice.below(len(value))]
            elif kind == 1:
                value = np.concatenate([value, value[:1]])
            else:
                for _ in range(dice.pick(1, 1, 1, 5)):
                    place = tuple(dice.below(n) for n in value.shape)
                    value[place] = dice.pick(
                        -1.0,
                        0.0,
                        1.0,
                        2.0,
                        0.5,
                        1e9,
                        -1e9,
                        1e308,
                        np.nan,
                        np.inf,
                        -(2.0**63),
                        3.0,
                        1e18,
                        value[place] + 1,
                        value[place] * (1 + 1e-9),
                    )
        elif isinstance(value, tuple) and kind < 4 and value:
            k = dice.below(len(value))
            part = value[k]
            if isinstance(part, Joint):
                key = dice.pick("name", "type", "parent", "child", "q_start", "v_start", "mimic")
                new = dice.pick(
                    0,
                    1,
                    -1,
                    100,
                    10**9,
                    "b0",
                    "j0",
                    "world",
                    "free",
                    "revolute",
                    "fixed",
                    ("j0", 1.0, 0.0),
                    None,
                    thing(dice),
                )
                part = dataclasses.replace(part, **{key: new})
            elif kind == 0:
                part = thing(dice)
            elif kind == 1:
                part = value[dice.below(len(value))]
            else:
                part = dice.pick("b0", ("b0", 0), ("x", 10**6), ("x", -2), (), part)
            value = dice.pick((*value[:k], part, *value[k + 1 :]), value[:k], (*value, part), value[::-1])
        else:
            value = thing(dice)
        changes[name] = value
    values = {name: Given(value, flaw=MAYBE) for name, value in changes.items()}

    def make(**named: Any) -> Model:
        made = dataclasses.replace(model, **named)
        everything(made, dice)
        return made

    call = Call(
        "models", "dataclasses.replace(model)", make, [], values, says=None, compare=False, infinite=True, may_fail=True
    )
    call.check = None
    parts = ", ".join(f"{key}={value!r:.200}" for key, value in changes.items())
    call.text = lambda: f"dataclasses.replace({show_model(model)}, {parts}) and every algorithm"  # type: ignore[method-assign]
    return call


def show_model(model: Model) -> str:
    from tests.fuzz.values import show

    return show(model)


def everything(model: Model, dice: Dice) -> None:
    """Run all algorithms, in one state and in a batch; errors of the package are no complaint."""
    str(model)
    try:
        for batch in ((), (9,)):
            q = configuration(dice, model, batch)
            v = np.ones((*batch, model.nv))
            for name, arguments in (
                ("rnea", (q, v, v)),
                ("crba", (q,)),
                ("forward_kinematics", (q,)),
                ("integrate", (q, v)),
                ("bias_force", (q, v)),
                ("aba", (q, v, v)),
                ("difference", (q, q)),
                ("potential_energy", (q,)),
                ("joint_forces", (q, v, v)),
                ("body_accelerations", (q, v, v)),
            ):
                getattr(articulated, name)(model, *arguments)
    except PlueckerError as error:
        if isinstance(error, TypeError):
            raise


def pickled(dice: Dice) -> Call:
    """Make a call that unpickles a model in which some bits were flipped."""
    model = dice.among(models())
    data = bytearray(pickle.dumps(model, protocol=dice.pick(2, 4, 5)))
    places = [dice.below(len(data)) for _ in range(dice.pick(1, 1, 3))]
    for place in places:
        data[place] ^= 1 << dice.below(8)

    def load(data: bytes) -> str:
        try:
            made = pickle.loads(data)
        except PlueckerError:
            raise
        except Exception:  # the pickle itself is broken
            return "broken"
        if isinstance(made, Model):
            everything(made, dice)
        return "loaded"

    return Call(
        "models",
        "pickle.loads(model)",
        load,
        [Given(bytes(data), flaw=MAYBE)],
        {},
        says=None,
        compare=False,
        infinite=True,
    )


def method(dice: Dice) -> Call:
    """Make a call of a method or property of a model."""
    model = dice.among(models())
    names = [joint.name for joint in model.joints] + list(model.frame_names) + ["nobody"]
    name = dice.pick("joint", "q_slice", "v_slice", "body_index", "frame_offsets", "quaternion_slices", "==", "hash")
    argument = Given(dice.among(names)) if dice.chance(0.5) else Given(thing(dice))
    argument.flaw = MAYBE
    if name == "frame_offsets" and dice.chance(0.7):
        argument = Given([dice.among(names) for _ in range(dice.below(3))], flaw=MAYBE)
    if name == "quaternion_slices":
        return Call("models", f"articulated.Model.{name}", getattr(model, name), [])
    if name == "==":
        return Call("models", "articulated.Model.__eq__", lambda other: [model == other][:0], [argument], says=None)
    if name == "hash":
        return Call("models", "articulated.Model.__hash__", lambda: hash(model) and None, [])
    return Call(
        "models", f"articulated.Model.{name}", getattr(model, name), [argument], says=None, compare=False, infinite=True
    )


# ------------------------------------------------------------------------------------------------------------------ URDF


@cache
def urdf() -> str:
    return SEVEN_JOINT_ARM.read_text()


SMALL = """<robot name="r"><link name="a"><inertial><mass value="1"/><origin xyz="0 0 0.1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="b"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="c"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0 1 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<mimic joint="j" multiplier="2"/></joint>
</robot>"""
PIECES = (
    "",
    "0",
    "-1",
    "nan",
    "inf",
    "1e308",
    "1e400",
    "x",
    "0 0",
    "0 0 0 0",
    "a",
    "b",
    "world",
    "j",
    "fixed",
    "floating",
    "planar",
    "\x00",
    "<",
    "&",
    "revolute",
    "1e-320",
    " ",
    "\u00e9",
    "\U0001f916",
    "9" * 400,
    "10,5",
    "<!-- <!DOCTYPE -->",
    "--",
    "0x10",
    "1_0",
    "\u0661",
)


def from_urdf(dice: Dice) -> Call:
    """Make a call that reads a URDF text with some places changed."""
    text = SMALL
    if dice.chance(0.15):
        given = Given(
            dice.pick(
                "",
                "x",
                "<robot/>",
                "/nowhere",
                "/",
                ".",
                b"<robot/>",
                "<robot name='r'>",
                "<?xml version='1.0'?>",
                "\x00",
                "a" * 5000,
                thing(dice),
            ),
            flaw=MAYBE,
        )
    else:
        for _ in range(dice.pick(0, 1, 1, 2, 3)):
            kind = dice.below(4)
            quotes = [k for k, c in enumerate(text) if c == '"']
            if not quotes:
                break
            j = 2 * dice.below(max(1, len(quotes) // 2))
            first, end = quotes[j] + 1, quotes[j + 1] if j + 1 < len(quotes) else len(text)
            if kind < 2:
                text = text[:first] + dice.among(PIECES) + text[end:]
            elif kind == 2:
                tags = [k for k, c in enumerate(text) if c == "<"]
                a, b = sorted((dice.among(tags), dice.among(tags)))
                text = text[:a] + text[b:] if dice.chance(0.5) else text[:b] + text[a:b] + text[b:]
            else:
                k = dice.below(len(text))
                text = text[:k] + dice.among(PIECES) + text[k + dice.below(3) :]
        given = Given(text, flaw=MAYBE)
    named = {}
    for name, value in (("floating_base", True), ("check_inertia", False), ("mimic", False), ("gravity", (0, 0, -1))):
        if dice.chance(0.25):
            named[name] = Given(value if dice.chance(0.7) else thing(dice), flaw=MAYBE)

    def make(text: Any, **named: Any) -> list[str]:
        return use(Model.from_urdf(text, **named), dice)

    return Call(
        "models",
        "articulated.Model.from_urdf",
        make,
        [given],
        named,
        says=None,
        compare=False,
        infinite=True,
        may_fail=True,
        check=lambda wrong: wrong,
    )


# ----------------------------------------------------------------------------------------------------------- conventions


class PinocchioJoint:
    def __init__(self, id: int, idx_q: int, nq: int, idx_v: int, nv: int, name: str = "") -> None:
        self.id, self.idx_q, self.nq, self.idx_v, self.nv, self.name = id, idx_q, nq, idx_v, nv, name

    def shortname(self) -> str:
        return self.name


class PinocchioModel:
    """A stand-in for Pinocchio's model, with what the conversion looks at: the joints of one of ours, last first."""

    def __init__(self, model: Model) -> None:
        self.names, self.joints = ["universe"], [PinocchioJoint(0, 0, 0, 0, 0)]
        q = v = 0
        for joint in reversed([joint for joint in model.joints if joint.type != "fixed"]):
            kind = JOINT_TYPES[joint.type]
            nq = 2 if joint.type == "continuous" else kind.nq
            self.names.append(joint.name)
            name = "JointModelSphericalZYX" if joint.type == "euler_zyx" else ""
            self.joints.append(PinocchioJoint(len(self.joints), q, nq, v, kind.nv, name))
            q, v = q + nq, v + kind.nv
        self.nq, self.nv, self.njoints = q, v, len(self.joints)


@cache
def peers() -> tuple[Any, ...]:
    return tuple(PinocchioModel(model) for model in models())


def convention(dice: Dice) -> Call:
    k = dice.below(len(models()))
    model, peer = models()[k], peers()[k]
    name = dice.pick("to_pinocchio_q", "from_pinocchio_q", "velocity_map_to_pinocchio", "forces_to_pinocchio")
    batch = dice.pick((), (), (3,), (0,)) if name != "forces_to_pinocchio" else ()
    q = configuration(dice, model, batch)
    args: list[Given] = []
    if name != "velocity_map_to_pinocchio":
        x = (
            q
            if name == "to_pinocchio_q"
            else dice.normal(*batch, peer.nq)
            if name == "from_pinocchio_q"
            else dice.normal(model.n_bodies, 6)
        )
        how = dice.below(6)
        args = (
            [bad(dice, x, 2 if name == "forces_to_pinocchio" else 1)]
            if how == 0
            else [wrong_type(dice, x)]
            if how == 1
            else [dressed(dice, x)]
        )
    first, second = Given(model), Given(peer)
    if dice.chance(0.1):
        first = Given(wrong_model(dice), flaw=TYPE)
    elif dice.chance(0.1):
        second = Given(dice.pick(peers()[0], model, thing(dice)), flaw=MAYBE)
    call = Call(
        "models", f"articulated.conventions.{name}", getattr(conventions, name), [first, second, *args], may_fail=True
    )

    def check(result: Any) -> list[str]:
        if name != "to_pinocchio_q" or not args[0].calm or not np.size(result):
            return []
        back = conventions.from_pinocchio_q(model, peer, result)
        again = conventions.to_pinocchio_q(model, peer, back)
        return [] if close(again, result, 1e-9, 1.0) else ["there and back is another configuration"]

    call.check = check
    return call


DRAWS: tuple[tuple[Callable[[Dice], Call], int], ...] = (
    (new_builder, 2),
    (add_body, 6),
    (add_joint, 10),
    (add_frame, 3),
    (build, 6),
    (replace, 6),
    (corrupted, 12),
    (pickled, 3),
    (method, 6),
    (from_urdf, 6),
    (convention, 8),
)
LOTS = tuple(draw for draw, weight in DRAWS for _ in range(weight))


def draw(dice: Dice) -> Call:
    """A call of one of these."""
    return dice.among(LOTS)(dice)


_ = ModelError
