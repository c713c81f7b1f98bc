"""Calls of the algorithms: one state and batches, every dress, ``out`` and ``threads`` of all sorts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import pluecker
from pluecker import articulated, spatial
from pluecker.articulated import Model, ModelBuilder
from tests.fuzz.judge import Call, close
from tests.fuzz.values import (
    GOOD,
    LABELS,
    MAYBE,
    TYPE,
    VALUE,
    Dice,
    Given,
    dressed,
    misshapen,
    not_finite,
    thing,
    wild,
    wrong_type,
)
from tests.mechanisms import JOINT_TYPES, MOVING, random_body, random_description, random_joint

Array = np.ndarray

# Algorithms of a frame, with the arguments between the model and the frame
OF_FRAMES: dict[str, tuple[str, ...]] = {
    "frame_placement": ("q",),
    "frame_velocity": ("q", "v"),
    "frame_acceleration": ("q", "v", "a"),
    "jacobian": ("q",),
    "jacobian_dot": ("q", "v"),
    "relative_jacobian": ("q",),
    "relative_jacobian_dot": ("q", "v"),
    "operational_inertia": ("q",),
}
# Algorithms of a subtree, likewise
OF_SUBTREES: dict[str, tuple[str, ...]] = {
    "center_of_mass": ("q",),
    "center_of_mass_velocity": ("q", "v"),
    "center_of_mass_acceleration": ("q", "v", "a"),
    "center_of_mass_jacobian": ("q",),
    "momentum": ("q", "v"),
    "momentum_rate": ("q", "v", "a"),
    "centroidal_momentum_matrix": ("q",),
    "centroidal_momentum_matrix_dot": ("q", "v"),
}
# the arguments behind the model
INPUTS: dict[str, tuple[str, ...]] = {
    "rnea": ("q", "v", "a", "f_ext"),
    "aba": ("q", "v", "tau", "f_ext"),
    "bias_force": ("q", "v", "f_ext"),
    "joint_forces": ("q", "v", "a", "f_ext"),
    "crba": ("q",),
    "crba_packed": ("q",),
    "minv": ("q",),
    "gravity_force": ("q",),
    "potential_energy": ("q",),
    "kinetic_energy": ("q", "v"),
    "body_velocities": ("q", "v"),
    "body_accelerations": ("q", "v", "a"),
    "forward_kinematics": ("q",),
    **{name: (*keys, "point") for name, keys in OF_FRAMES.items()},
    **OF_SUBTREES,
    "coriolis_matrix": ("q", "v"),
    "inertia_matrix_rate": ("q", "v"),
    "integrate": ("q", "v"),
    "difference": ("q0", "q1"),
    "body_jacobian": ("q",),
    "body_jacobian_dot": ("q", "v"),
    "body_jacobian_dot_times": ("q", "v", "x"),
    "body_jacobian_transpose_times": ("q", "f_ext"),
    "passive_force": ("q", "v"),
    "carry_velocity": ("q0", "q1", "v"),
}
SHAPES: dict[str, Callable[[Model], tuple[int, ...]]] = {
    **dict.fromkeys(
        (
            "rnea",
            "aba",
            "bias_force",
            "gravity_force",
            "difference",
            "carry_velocity",
            "passive_force",
            "body_jacobian_transpose_times",
        ),
        lambda model: (model.nv,),
    ),
    **dict.fromkeys(("kinetic_energy", "potential_energy"), lambda model: ()),
    **dict.fromkeys(
        ("joint_forces", "body_velocities", "body_accelerations", "body_jacobian_dot_times"),
        lambda model: (model.n_bodies, 6),
    ),
    **dict.fromkeys(("body_jacobian", "body_jacobian_dot"), lambda model: (6 * model.n_bodies, model.nv)),
    **dict.fromkeys(("crba", "minv"), lambda model: (model.nv, model.nv)),
    "crba_packed": lambda model: articulated.inertia_pattern(model)[0].shape,
    **dict.fromkeys(("frame_velocity", "frame_acceleration"), lambda model: (6,)),
    **dict.fromkeys((name for name in OF_FRAMES if "jacobian" in name), lambda model: (6, model.nv)),
    "frame_placement": lambda model: (4, 4),
    **dict.fromkeys((name for name in OF_SUBTREES if name.startswith("center")), lambda model: (3,)),
    "center_of_mass_jacobian": lambda model: (3, model.nv),
    **dict.fromkeys(("momentum", "momentum_rate"), lambda model: (6,)),
    **dict.fromkeys((name for name in OF_SUBTREES if "matrix" in name), lambda model: (6, model.nv)),
    **dict.fromkeys(("coriolis_matrix", "inertia_matrix_rate"), lambda model: (model.nv, model.nv)),
    "operational_inertia": lambda model: (6, 6),
    "integrate": lambda model: (model.nq,),
    "forward_kinematics": lambda model: (model.n_bodies, 4, 4),
}
NAMES = tuple(name for name, often in (("rnea", 3), ("aba", 3), ("crba", 2)) for _ in range(often)) + tuple(INPUTS)


# -------------------------------------------------------------------------------------------------------------- models


@cache
def models() -> tuple[Model, ...]:
    """Mechanisms of every kind, the same in every process."""
    result = [random_description(seed, n).build() for seed, n in ((0, 12), (1, 5), (2, 3), (3, 20), (4, 8))]
    result += [random_description(10 + k, 1, (kind,)).build() for k, kind in enumerate(MOVING)]
    result += [random_description(30 + k, 3, (*MOVING, "fixed")).build(np.random.default_rng(k)) for k in range(6)]
    result += [
        random_description(40, 7, ("revolute", "prismatic"), branching=0.0).build(),
        with_mimic(0),
        with_mimic(1),
    ]
    result += [
        massless(),
        still(),
        nothing(),
        random_description(50, 40, ("revolute", "spherical")).build(),
        odd_names(),
    ]
    LABELS.update({id(model): f"algorithms.models()[{k}]" for k, model in enumerate(result)})
    return tuple(result)


def with_mimic(seed: int) -> Model:
    rng = np.random.default_rng(seed)
    builder = ModelBuilder(f"mimic {seed}")
    parent = "world"
    for k, kind in enumerate(("revolute", "prismatic", "spherical", "revolute", "helical", "revolute")):
        options = random_joint(rng, kind, seed > 0)
        if k in (1, 5):
            options["mimic"] = ("j0", -0.7, 0.3)
        builder.add_body(f"b{k}", **random_body(rng))
        builder.add_joint(f"j{k}", kind, parent=parent, child=f"b{k}", **options)
        parent = f"b{k}"
    return builder.build()


def massless() -> Model:
    """A mechanism whose inertia matrix is singular."""
    builder = ModelBuilder("massless")
    builder.add_body("rod", 1.0, (0, 0, -0.5))
    builder.add_body("nothing")
    builder.add_joint("first", "revolute", "world", "rod", axis=(0, 1, 0))
    builder.add_joint("second", "revolute", "rod", "nothing", axis=(1, 0, 0))
    return builder.build()


def still() -> Model:
    """A mechanism without freedoms."""
    builder = ModelBuilder("still")
    builder.add_body("base", 1.0)
    builder.add_joint("weld", "fixed", "world", "base")
    return builder.build()


def nothing() -> Model:
    return ModelBuilder("nothing").build()


def odd_names() -> Model:
    builder = ModelBuilder("odd\n" + 50 * "long", world="ground")
    builder.add_body("world", 1.0, (0.1, 0, 0), (1, 1, 1))
    builder.add_body(300 * "b", 1.0, (0.1, 0, 0), (1, 1, 1))
    builder.add_joint("{0}%s", "free", "ground", "world")
    builder.add_joint(300 * "j", "spherical", "world", 300 * "b")
    return builder.build()


def is_singular(model: Model) -> bool:
    return model.name in ("massless",)


def configuration(dice: Dice, model: Model, batch: tuple[int, ...]) -> Array:
    """q of random states, by a way of our own."""
    q = dice.normal(*batch, model.nq)
    for part in model.quaternion_slices().values():
        q[..., part] /= np.linalg.norm(q[..., part], axis=-1, keepdims=True)
    return q


def numbers_for(dice: Dice, model: Model, key: str, batch: tuple[int, ...]) -> Array:
    if key.startswith("q"):
        return configuration(dice, model, batch)
    if key == "f_ext":
        return dice.normal(*batch, model.n_bodies, 6)
    if key == "point":
        return dice.normal(*batch, 3)
    x = dice.normal(*batch, model.nv)
    return x * dice.pick(0.0, 1.0, 1.0, 1.0, 10.0)


# ------------------------------------------------------------------------------------------------------------ the calls

BATCHES = ((), (), (), (), (), (1,), (2,), (3,), (7,), (8,), (9,), (17,), (2, 3), (0,), (2, 0), (100,))
MOODS = ("good",) * 15 + ("wild",) * 4 + ("shape", "shape", "nan", "nan", "quaternion", "model") + ("type",) * 4


def smaller(dice: Dice, batch: tuple[int, ...]) -> tuple[int, ...]:
    if not batch or dice.chance(0.7):
        return batch
    return batch[dice.below(len(batch) + 1) :]


def draw(dice: Dice) -> Call:
    """A call of an algorithm."""
    if dice.chance(0.1):
        return dice.among(OTHERS)(dice)
    name = dice.among(NAMES)
    function = getattr(articulated, name)
    k = dice.below(len(models()))
    model = models()[k]
    batch, mood = dice.among(BATCHES), dice.among(MOODS)
    keys = INPUTS[name]
    if keys[-1] in ("f_ext", "point") and name != "body_jacobian_transpose_times" and dice.chance(0.6):
        keys = keys[:-1]
    where = dice.below(len(keys))
    given: dict[str, Given] = {}
    batches = [smaller(dice, batch) for _ in keys]
    batch = np.broadcast_shapes(*batches)
    for j, key in enumerate(keys):
        x = numbers_for(dice, model, key, batches[j])
        chosen = mood if j == where or (mood == "wild" and dice.chance(0.3)) else "good"
        given[key] = given_for(dice, model, key, x, chosen)
    first = Given(model)
    if mood == "model":
        first = Given(wrong_model(dice), flaw=TYPE)
    call = Call("algorithms", f"articulated.{name}", function, [first, *given.values()])
    if "point" in given or ("f_ext" in given and dice.chance(0.5)):
        call.named[keys[-1]] = call.args.pop()
    if dice.chance(0.3):
        call.named["threads"] = threads_for(dice)
    if name in OF_FRAMES:
        add_frame(dice, call, name, model)
    if name == "operational_inertia":
        add_rows(dice, call, model)
    if name in OF_SUBTREES:
        add_subtree(dice, call, name, model)
    if name == "forward_kinematics" and dice.chance(0.4):
        call.named["frames"] = frames_for(dice, model)
    call.may_fail |= name == "operational_inertia" or (name in ("aba", "minv") and is_singular(model))
    call.check = lambda result: complaints(call, name, model, keys, result, dice)
    if dice.chance(0.3):
        add_out(dice, call, model, batch)
    return call


def given_for(dice: Dice, model: Model, key: str, x: Array, mood: str) -> Given:
    core = 2 if key == "f_ext" else 1
    if mood == "quaternion" and key.startswith("q") and x.size and model.quaternion_slices():
        part = dice.among(list(model.quaternion_slices().values()))
        x[..., part] *= dice.pick(0.0, 2.0, 1.0 + 1e-5, 1e160, 1e-160, -3.0, 1.0 - 2e-6)
        given = dressed(dice, x)
        given.flaw = VALUE
        return given
    if mood == "wild":
        given = wild(dice, x)
        if key.startswith("q") and model.quaternion_slices():
            given.flaw = MAYBE
        return given
    if mood == "nan":
        return not_finite(dice, x)
    if mood == "shape":
        return misshapen(dice, x, core)
    if mood == "type":
        return wrong_type(dice, x, key in ("f_ext", "point"))
    return dressed(dice, x, may_round=not key.startswith("q"))


def wrong_model(dice: Dice) -> Any:
    value = dice.pick(
        None, Model, "panda", ModelBuilder(), {}, 3, object(), np.zeros(3), models, thing(dice), np.array([1, 2])
    )
    return 0 if isinstance(value, Model) else value


def threads_for(dice: Dice) -> Given:
    value = dice.pick(
        1,
        2,
        3,
        None,
        1,
        2,
        np.int64(2),
        10**9,
        2**63,
        10**400,
        True,
        False,
        0,
        -1,
        1.0,
        "2",
        [1],
        np.array(2),
        np.array([1]),
        np.float64(1),
        b"1",
        dict,
        object(),
        2**31,
    )
    good = value is None or (isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1)
    return Given(value, flaw=GOOD if good and int(value or 1) < 100 else MAYBE)


def frames_for(dice: Dice, model: Model) -> Given:
    names = list(model.frame_names)
    kind = dice.below(8)
    if kind < 3 and names:
        return Given([dice.among(names) for _ in range(dice.below(4))])
    value = dice.pick(
        [],
        (),
        ["nowhere"],
        "abc",
        [3],
        [None],
        None,
        3,
        {"a": 1},
        dict,
        [["b0"]],
        ["b0", 2.0],
        np.array(["b0"]),
        iter(["b0"]),
        b"b0",
        "b0",
        object(),
        {"b0"},
        [10**400],
        ["x" * 10_000],
        ["\ud800"],
        thing(dice),
    )
    return Given(value, flaw=MAYBE)


def add_frame(dice: Dice, call: Call, name: str, model: Model) -> None:
    """Add the frame, the reference and the axes to a call: mostly names that exist."""
    names = model.frame_names
    for key in ("frame", "reference") if name.startswith("relative") else ("frame",):
        good = bool(names) and dice.chance(0.93)
        call.named[key] = Given(dice.among(names)) if good else Given(wrong_name(dice), flaw=MAYBE)
    if name != "frame_placement" and dice.chance(0.7):
        last = "reference" if name.startswith("relative") else "world"
        axes = dice.pick("body", "aligned", last)
        call.named["axes"] = Given(axes, flaw=MAYBE if axes == last and "point" in call.named else GOOD)
        if dice.chance(0.1):
            call.named["axes"] = Given(
                dice.pick("local", "Body", "", "world", "reference", wrong_name(dice)), flaw=MAYBE
            )
    if name == "frame_acceleration" and dice.chance(0.5):
        call.named["classical"] = Given(dice.pick(True, False))
        if dice.chance(0.1):
            call.named["classical"] = Given(dice.pick(0, 1, None, "True", np.True_, thing(dice)), flaw=MAYBE)


def add_rows(dice: Dice, call: Call, model: Model) -> None:
    """Add the rows of the Jacobian to a call, and at times several frames."""
    if dice.chance(0.2) and model.frame_names and call.named["frame"].flaw == GOOD:
        call.named["frame"] = Given([dice.among(model.frame_names) for _ in range(dice.pick(1, 2, 3))])
        call.named.pop("point", None)
    if dice.chance(0.6):
        call.named["rows"] = Given(
            dice.pick("all", "linear", "angular", (0,), (5, 3), [1, 2, 4], range(3), np.arange(2, 5))
        )
        if dice.chance(0.2):
            call.named["rows"] = Given(
                dice.pick((6,), (0, 0), (-1,), (), 3, None, "Linear", (0.5,), (True,), [None], {"all"}, thing(dice)),
                flaw=MAYBE,
            )


def row_numbers(named: dict[str, Given]) -> list[int]:
    """Return the numbers of the rows of the stacked Jacobians that a call asks for; all, if its argument may be refused."""
    frame, rows = (named[key].value if key in named else "all" for key in ("frame", "rows"))
    count = len(frame) if isinstance(frame, (list, tuple)) else 1
    if isinstance(rows, (tuple, list, range, np.ndarray)) and "rows" in named and named["rows"].flaw == GOOD:
        return [int(k) for k in rows]
    first, end = {"linear": (3, 6), "angular": (0, 3)}.get(rows if isinstance(rows, str) else "", (0, 6))
    return [6 * f + e for f in range(count) for e in range(first, end)]


def add_subtree(dice: Dice, call: Call, name: str, model: Model) -> None:
    """Add the subtree to a call, and whether momentum is centroidal; some subtrees have no mass."""
    names = model.body_names
    if dice.chance(0.6):
        good = bool(names) and dice.chance(0.9)
        call.named["subtree"] = Given(dice.among(names)) if good else Given(wrong_name(dice), flaw=MAYBE)
    if name.startswith("momentum") and dice.chance(0.5):
        call.named["centroidal"] = Given(dice.pick(True, False))
        if dice.chance(0.1):
            call.named["centroidal"] = Given(dice.pick(0, 1, None, "True", np.True_, thing(dice)), flaw=MAYBE)
    call.may_fail = not model.mass or model.name == "massless"


def wrong_name(dice: Dice) -> Any:
    return dice.pick(
        "nowhere", "", 3, None, ["b0"], ("b0",), b"b0", np.array(["b0"]), np.str_("b0"), {"a": 1}, "x" * 10_000, "\ud800",
        dict, object(), 10**400, thing(dice),
    )  # fmt: skip


def add_out(dice: Dice, call: Call, model: Model, batch: tuple[int, ...]) -> None:
    """Add an ``out`` of the right shape, or of another sort, to a call."""
    name = call.name.rsplit(".", 1)[-1]
    shape = (*batch, *SHAPES[name](model))
    if "frames" in call.named:
        frames = call.named["frames"].value
        shape = (*batch, len(frames) if isinstance(frames, (list, tuple)) else model.n_bodies, 4, 4)
    if name == "operational_inertia":
        shape = (*batch, *2 * (len(row_numbers(call.named)),))
    kind = dice.below(14)
    out: Any = np.full(shape, 123.0)
    if kind < 6:
        call.named["out"], call.out = Given(out), out
        return
    size = int(np.prod(shape))
    others: list[Callable[[], Any]] = [
        lambda: np.full(shape, 1.0, ">f8"),
        lambda: np.zeros(shape, np.float32),
        lambda: np.zeros((*shape, 1)),
        lambda: np.zeros(shape).tolist(),
        lambda: np.ma.zeros(shape),
        lambda: np.zeros(shape, order="F"),
        lambda: np.zeros((size + 1) * 8, np.uint8)[1 : 1 + 8 * size].view(float).reshape(shape),
        lambda: np.zeros((2, *shape))[0],
        lambda: np.zeros((*shape, 2))[..., 0],
        lambda: read_only(np.zeros(shape)),
        lambda: np.zeros(shape, complex),
        lambda: np.zeros(shape, object),
        lambda: thing(dice),
        lambda: np.zeros(shape).view(np.matrix) if len(shape) == 2 else 0,
        lambda: np.broadcast_to(np.zeros(()), shape),
        lambda: np.zeros(0),
    ]
    out = dice.among(others)()
    call.named["out"] = Given(out, flaw=MAYBE)
    if isinstance(out, np.ndarray) and out is not np.ma.masked:
        call.out = out
        call.compare = False


def read_only(x: Array) -> Array:
    x.flags.writeable = False
    return x


# ------------------------------------------------------------------------------------------------------ what is checked


def complaints(call: Call, name: str, model: Model, keys: tuple[str, ...], result: Any, dice: Dice) -> list[str]:
    """Check one state of a batch alone, and laws between the algorithms; return what is wrong."""
    parts = dict(zip(keys, list(call.args[1:]), strict=False))
    parts |= {key: part for key, part in call.named.items() if key in keys}
    if any(part.plain is None for part in parts.values()) or "frames" in call.named:
        return []
    values = {key: part.plain for key, part in parts.items()}
    cores = {key: 2 if key == "f_ext" else 1 for key in keys}
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - cores[key]] for key, x in values.items()))
    if result.shape[: len(batch)] != batch:
        return [f"result has shape {result.shape}, the batch is {batch}"]
    if 0 in batch or not all(part.calm for part in parts.values()):
        return []
    index = tuple(dice.below(n) for n in batch)
    one = {
        key: np.array(np.broadcast_to(x, batch + x.shape[x.ndim - cores[key] :])[index]) for key, x in values.items()
    }
    one |= {key: part.value for key, part in call.named.items() if key in OPTIONS}
    got = result[index]
    wrong = []
    if batch:
        alone = getattr(articulated, name)(model, **one)
        if not close(alone, got, 1e-9, 1.0 if name != "difference" else 10.0):
            wrong.append(f"state {index} is {got.tolist()!s:.200}, alone {alone.tolist()!s:.200}")
    if dice.chance(0.6) and model.nv:
        wrong += law(name, model, one, got)
    return wrong


def law(name: str, model: Model, x: dict[str, Array], got: Array) -> list[str]:
    """Return what the result of one state violates of the laws of mechanics."""
    q = x.get("q")
    zero = np.zeros(model.nv)
    if name in ("rnea", "aba", "bias_force"):
        f = {"f_ext": x["f_ext"]} if "f_ext" in x else {}
        H = articulated.crba(model, q)
        bias = got if name == "bias_force" else articulated.bias_force(model, q, x["v"], **f)
        a = {"rnea": x.get("a"), "aba": got, "bias_force": zero}[name]
        tau = {"rnea": got, "aba": x.get("tau")}.get(name)
        if tau is None:
            tau = articulated.rnea(model, q, x["v"], zero, **f)
        left = H @ a + bias
        size = np.abs(H).sum() * np.abs(a).max() + np.abs(bias).max() + np.abs(tau).max() + 1.0
        return [] if close(left, tau, 1e-9, size) else [f"H a + C = {left.tolist()}, tau = {tau.tolist()}"]
    if name == "crba":
        ones = np.sin(np.arange(model.nv) + 1.0)
        tau = articulated.rnea(model, q, zero, ones) - articulated.rnea(model, q, zero, zero)
        wrong = [] if np.array_equal(got, got.T) else ["H is not symmetric"]
        size = np.abs(got).sum() + np.abs(articulated.rnea(model, q, zero, zero)).max()
        return wrong if close(got @ ones, tau, 1e-9, size) else [*wrong, f"H x = {got @ ones}, rnea says {tau}"]
    if name == "minv":
        H = articulated.crba(model, q)
        size = np.abs(H).max() * np.abs(got).max() * model.nv
        wrong = [] if np.array_equal(got, got.T) else ["H^-1 is not symmetric"]
        return wrong if close(H @ got, np.eye(model.nv), 1e-9, size) else [*wrong, f"H H^-1 = {H @ got}"]
    if name == "crba_packed":
        H = articulated.crba(model, q)[articulated.inertia_pattern(model)]
        return [] if close(got, H, 1e-12) else [f"it is {got}, entries of H are {H}"]
    if name == "kinetic_energy":
        H = articulated.crba(model, q)
        T = 0.5 * x["v"] @ H @ x["v"]
        return (
            []
            if close(T, got, 1e-9, np.abs(H).sum() * np.abs(x["v"]).max() ** 2)
            else [f"1/2 v H v = {T}, this is {got}"]
        )
    if name == "gravity_force":
        d = np.sin(np.arange(model.nv) + 1.0)
        if model.stiffness.any():
            return []
        h = 1e-5
        U = [articulated.potential_energy(model, articulated.integrate(model, q, s * h * d)) for s in (1, -1)]
        slope = (U[0] - U[1]) / (2 * h)
        size = np.abs(got).sum() + np.abs(U[0]) * 1e-3 + 1.0
        return [] if abs(slope - got @ d) < 1e-5 * size else [f"dU/dq d = {slope}, this times d is {got @ d}"]
    if name == "integrate":
        d = articulated.difference(model, q, got)
        if np.abs(x["v"]).max() > 1.0:
            return []
        return [] if close(d, x["v"], 1e-8, 1.0) else [f"the difference is {d.tolist()}, v is {x['v'].tolist()}"]
    if name == "difference":
        q1 = articulated.integrate(model, x["q0"], got)
        parts = [*model.quaternion_slices().values()]
        for part in parts:
            if q1[part] @ x["q1"][part] < 0:
                q1[part] *= -1
        x["q1"] = articulated.integrate(model, x["q1"], zero)  # the shortest rotation vectors
        return [] if close(q1, x["q1"], 1e-7, 1.0) else [f"q0 + difference is {q1.tolist()}, q1 is {x['q1'].tolist()}"]
    if name in ("body_jacobian", "body_jacobian_dot"):
        v = x.get("v", np.sin(np.arange(model.nv) + 1.0))
        other = (
            articulated.body_velocities(model, q, v)
            if name == "body_jacobian"
            else articulated.body_accelerations(model, q, v, zero)
        )
        size = np.abs(got).max(initial=1.0) * np.abs(v).sum()
        return [] if close(got @ v, other.ravel(), 1e-9, size) else [f"times v it is {got @ v}, not {other.ravel()}"]
    if name == "body_jacobian_dot_times":
        Jdot = articulated.body_jacobian_dot(model, q, x["v"])
        size = np.abs(Jdot).max(initial=1.0) * np.abs(x["x"]).sum()
        return [] if close(Jdot @ x["x"], got.ravel(), 1e-9, size) else ["it is not Jdot times x"]
    if name == "body_jacobian_transpose_times":
        J = articulated.body_jacobian(model, q)
        size = np.abs(J).max(initial=1.0) * np.abs(x["f_ext"]).sum()
        return [] if close(J.T @ x["f_ext"].ravel(), got, 1e-9, size) else ["it is not J transposed times f_ext"]
    if name == "carry_velocity":  # as if the bodies stood at q1 with the coordinates nearest to q0
        step, wrong = articulated.difference(model, x["q0"], x["q1"]), []
        for joint in (joint for joint in model.joints if joint.type == "exponential"):
            part = slice(joint.v_start, joint.v_start + 3)
            q0, q1 = (x[name][joint.q_start : joint.q_start + 3] for name in ("q0", "q1"))
            J = [spatial.right_jacobian3(w) for w in (q1, q0 + step[part])]
            size = np.abs(J[1] @ x["v"][part]).max() + np.abs(got[part]).max()
            if not close(J[0] @ got[part], J[1] @ x["v"][part], 1e-9, size):
                wrong.append(f"{got[part]} is another angular velocity than {x['v'][part]}")
        return wrong
    if name == "forward_kinematics":
        R = got[..., :3, :3]
        good = close(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), 1e-12)
        good = good and np.array_equal(got[..., 3, :], np.broadcast_to([0, 0, 0, 1.0], got[..., 3, :].shape))
        return [] if good else ["these are no placements"]
    if name in OF_SUBTREES or name in ("coriolis_matrix", "inertia_matrix_rate"):
        return momentum_law(name, model, x, got)
    if name in OF_FRAMES:
        return frame_law(name, model, x, got)
    if name == "body_velocities" and model.n_bodies:
        h = 1e-6
        T = [articulated.forward_kinematics(model, articulated.integrate(model, q, s * h * x["v"])) for s in (1, -1)]
        R = articulated.forward_kinematics(model, q)[:, :3, :3]
        linear = np.einsum("nji,nj->ni", R, (T[0][:, :3, 3] - T[1][:, :3, 3]) / (2 * h))
        size = np.abs(got).max() + np.abs(T[0]).max() + 1.0
        return [] if close(linear, got[:, 3:], 1e-4, size * (1 + size)) else [f"linear parts {linear}, this {got}"]
    return []


OPTIONS = ("frame", "reference", "axes", "classical", "subtree", "centroidal", "rows")


def momentum_law(name: str, model: Model, x: dict[str, Any], got: Array) -> list[str]:
    """Compare one quantity of a subtree with another."""
    q, part = x["q"], {"subtree": x["subtree"]} if "subtree" in x else {}
    v = x.get("v", np.sin(np.arange(model.nv) + 1.0))
    if name == "inertia_matrix_rate":
        C = articulated.coriolis_matrix(model, q, v)
        return [] if close(got, C + C.T, 1e-9, np.abs(C).max(initial=1.0)) else [f"C + C' is {C + C.T}"]
    if name == "coriolis_matrix":
        free = model.replace(gravity=(0.0, 0.0, 0.0), damping=0.0, friction=0.0, stiffness=0.0)
        c = articulated.bias_force(free, q, v)
        size = 1.0 + np.abs(got).sum() * np.abs(v).max()
        return [] if close(got @ v, c, 1e-9, size) else [f"C v is {got @ v}, the bias force {c}"]
    if name not in ("center_of_mass_jacobian", "centroidal_momentum_matrix"):
        return []
    u = (
        articulated.center_of_mass_velocity(model, q, v, **part)
        if name == "center_of_mass_jacobian"
        else articulated.momentum(model, q, v, **part, centroidal=True)
    )
    size = 1.0 + np.abs(got).sum() * np.abs(v).max()
    return [] if close(got @ v, u, 1e-9, size) else [f"times v it is {got @ v}, not {u}"]


def frame_law(name: str, model: Model, x: dict[str, Any], got: Array) -> list[str]:
    """Compare one function of a frame with the others."""
    q, frame = x["q"], {key: x[key] for key in ("frame", "point", "axes") if key in x}
    v = x.get("v", np.sin(np.arange(model.nv) + 1.0))
    size = 1.0 + np.abs(v).sum() ** 2 * (1.0 + np.abs(q).max(initial=0.0) + np.abs(x.get("point", 0.0)).max())
    if name == "frame_placement":
        T = articulated.forward_kinematics(model, q, [x["frame"]])[0]
        there = T @ np.append(x.get("point", np.zeros(3)), 1.0)
        good = close(got[:3, :3], T[:3, :3], 1e-9, 1.0) and close(got[:, 3], there, 1e-9, np.abs(there).max())
        return [] if good else [f"forward kinematics has {T}"]
    if name == "jacobian":
        u = articulated.frame_velocity(model, q, v, **frame)
        return [] if close(got @ v, u, 1e-9, size * np.abs(got).max()) else [f"J v = {got @ v}, the velocity is {u}"]
    if name == "frame_acceleration":
        J, Jdot = articulated.jacobian(model, q, **frame), articulated.jacobian_dot(model, q, v, **frame)
        expected = J @ x["a"] + Jdot @ v
        u = articulated.frame_velocity(model, q, v, **frame)
        difference = x.get("classical", False) - float(x.get("axes") == "aligned")  # J a + Jdot v is one or the other
        expected[3:] += difference * np.cross(u[:3], u[3:])
        size *= (1.0 + np.abs(J).max() + np.abs(u).max()) * (1.0 + np.abs(x["a"]).max())
        return [] if close(got, expected, 1e-9, size) else [f"J a + Jdot v says {expected}"]
    if name == "operational_inertia":
        names = [frame["frame"]] if isinstance(frame["frame"], str) else list(frame["frame"])
        J = np.concatenate([articulated.jacobian(model, q, **{**frame, "frame": name}) for name in names])
        J = J[row_numbers({key: Given(x[key]) for key in ("frame", "rows") if key in x})]
        A = J @ np.linalg.solve(articulated.crba(model, q), J.T)
        size = 6.0 * len(A) * np.abs(A).max() * np.abs(got).max() * np.linalg.cond(articulated.crba(model, q))
        return [] if close(A @ got, np.eye(len(A)), 1e-12, size) else [f"times J H^-1 J^T it is {A @ got}"]
    if name == "relative_jacobian":
        back = articulated.relative_jacobian(model, q, x["reference"], x["frame"], axes="reference")
        size = 1.0 + np.abs(back).max() + np.abs(got).max()
        if x.get("axes", "body") != "body" or "point" in x:
            return []
        return [] if close(got, -back, 1e-9, size) else [f"from the other side it is {back}"]
    return []


# -------------------------------------------------------------------------------------------------------------- others


def neutral(dice: Dice) -> Call:
    model = Given(dice.among(models())) if dice.chance(0.6) else Given(wrong_model(dice), flaw=TYPE)

    def check(q: Array) -> list[str]:
        return [] if q.shape == (model.value.nq,) else [f"shape {q.shape}"]

    return Call("algorithms", "articulated.neutral", articulated.neutral, [model], check=check)


def random_tree(dice: Dice) -> Call:
    """Make a call that draws a random mechanism."""
    named = {
        "rng": Given(dice.below(1000)),
        "joints": Given(dice.pick(("revolute", "fixed"), ["exponential", "euler_zxz"], MOVING)),
        "branching": Given(dice.pick(0, 0.5, 1.0)),
        "mimic": Given(dice.pick(0.0, 0.5, 1)),
        "passive": Given(dice.pick(False, True)),
    }
    if dice.chance(0.4):
        named[dice.among(tuple(named))] = Given(thing(dice), flaw=MAYBE)
    bodies = Given(thing(dice), flaw=MAYBE) if dice.chance(0.1) else Given(dice.pick(1, 2, 7, 30))

    def check(model: Any) -> list[str]:
        tau = articulated.rnea(model, articulated.neutral(model), np.zeros(model.nv), np.ones(model.nv))
        return [] if np.isfinite(tau).all() else ["inverse dynamics are not finite"]

    return Call(
        "algorithms", "articulated.random_tree", articulated.random_tree, [bodies], named, check=check, compare=False,
        infinite=True,
    )  # fmt: skip


def random_configuration(dice: Dice) -> Call:
    model = Given(dice.among(models())) if dice.chance(0.9) else Given(wrong_model(dice), flaw=TYPE)
    named: dict[str, Given] = {"rng": Given(dice.below(1000))}
    if dice.chance(0.5):
        named["rng"] = Given(
            dice.pick(
                None,
                -1,
                "a",
                1.5,
                [1, 2],
                np.random.default_rng(0),
                True,
                object(),
                10**400,
                dict,
                "x" * 9999,
                thing(dice),
            ),
            flaw=MAYBE,
        )
    if dice.chance(0.6):
        named["size"] = Given(
            dice.pick(
                3,
                (2, 3),
                (),
                0,
                (0,),
                -1,
                (2, -1),
                "a",
                1.5,
                (1.5,),
                [2],
                np.int64(2),
                np.array([2, 3]),
                None,
                True,
                10**400,
                dict,
                [[1]],
                10**15,
                (10**10, 10**10),
                thing(dice),
            ),
            flaw=MAYBE,
        )

    def check(q: Array) -> list[str]:
        m = model.value
        wrong = [] if q.shape[-1:] == (m.nq,) else [f"shape {q.shape}"]
        if not ((q >= m.lower_limit) & (q <= m.upper_limit)).all():
            wrong.append("outside the limits")
        return wrong

    return Call(
        "algorithms",
        "articulated.random_configuration",
        articulated.random_configuration,
        [model],
        named,
        check=check,
        compare=False,
        raises=(MemoryError,),
    )


def simulate(dice: Dice) -> Call:
    """Make a call that simulates one state for up to three steps, with a control of some kind."""
    model = models()[dice.pick(1, 2, 5, 6, 7, 24)]
    values: dict[str, Array] = {"q": configuration(dice, model, ()), "v": 0.1 * dice.normal(model.nv)}
    given = {}
    where, mood = dice.pick(*values), dice.pick("good", "good", "good", "nan", "shape", "type")
    for key, x in values.items():
        bad = key == where and mood != "good"
        given[key] = given_for(dice, model, key, x, mood) if bad else dressed(dice, x)
        if bad:
            given[key].flaw = MAYBE
    named = dict(given)
    steps = dice.pick(1, 2, 3)
    named["duration"] = Given(dice.pick(0.01 * steps, 0.01 * steps, 0.015, 0.0, -1.0, None, thing(dice)), flaw=MAYBE)
    named["step"] = Given(dice.pick(0.01, 0.01, 0.01, 1e-300, np.inf, "a"), flaw=MAYBE)
    tau = dice.normal(model.nv)
    options: dict[str, Any] = {
        "control": dice.pick(None, tau, tau[:-1], lambda t, q, v: tau, len, thing(dice)),
        "f_ext": dice.pick(None, dice.normal(model.n_bodies, 6), tau),
        "limits": dice.pick(True, False, 3),
        "outside_limits": dice.pick("raise", "allow", "clip", "no", 3),
        "record": dice.pick((), "energy", ("a", "error"), "nothing", 5),
        "every": dice.pick(1, 2, 0, 1.5),
        "on_unsolved": dice.pick("raise", "substep", "continue", "no", None),
        "integrator": dice.pick("semi_implicit", "semi_implicit", "no", 3),
        "threads": dice.pick(None, 1, 0, "a"),
    }
    for name in options:
        if dice.chance(0.2):
            named[name] = Given(options[name], flaw=MAYBE)
    first = Given(model) if dice.chance(0.95) else Given(wrong_model(dice), flaw=TYPE)
    return Call(
        "algorithms",
        "articulated.simulate",
        articulated.simulate,
        [first],
        named,
        may_fail=True,
        exact=False,
        raises=(ArithmeticError,),
        compare=False,
    )


def convergence(dice: Dice) -> Call:
    """Make a call of ``convergence``, mostly with a few runs of one or two steps at first."""
    model = models()[dice.pick(1, 2, 5)]
    named = {
        "q": dressed(dice, configuration(dice, model, ())),
        "v": dressed(dice, 0.1 * dice.normal(model.nv)),
        "duration": Given(0.02),
        "step": Given(dice.pick(0.01, 0.02, 0.0, "a"), flaw=MAYBE),
    }
    if dice.chance(0.3):
        named["runs"] = Given(dice.pick(3, 2, 1.5, None), flaw=MAYBE)
    return Call(
        "algorithms",
        "articulated.convergence",
        articulated.convergence,
        [Given(model) if dice.chance(0.9) else Given(wrong_model(dice), flaw=TYPE)],
        named,
        may_fail=True,
        exact=False,
        raises=(ArithmeticError,),
        compare=False,
        infinite=True,  # the order is NaN where runs differ by rounding alone
    )


def factorize(dice: Dice) -> Call:
    """Make a call that factorises, or that solves with right-hand sides of all sorts."""
    model = dice.among(models())
    batch, mood = dice.pick((), (), (3,), (2, 3), (0,), (9,)), dice.among(MOODS)
    q, b = numbers_for(dice, model, "q", batch), numbers_for(dice, model, "tau", batch)
    if dice.chance(0.5) and not is_singular(model):
        right = given_for(dice, model, "tau", b, "good" if mood == "model" else mood)
        if dice.chance(0.5):
            return Call("algorithms", "articulated.InertiaFactor.solve", articulated.factorize(model, q).solve, [right])
        factor = articulated.factorize(model, q, form=dice.pick("LTL", "LTDL"))
        which = Given(dice.pick("L", "L^T", "L^-1", "L^-T"))
        if dice.chance(0.2):
            which = Given(dice.pick("D", "D^-1", "l", "", 3, None, ["L"], thing(dice)), flaw=MAYBE)
        return Call("algorithms", "articulated.InertiaFactor.product", factor.product, [which, right])
    given = given_for(dice, model, "q", q, mood)

    def check(factor: Any) -> list[str]:
        if not given.calm or not model.nv:
            return []
        x = factor.solve(b)
        H = articulated.crba(model, q)
        wrong = [] if x.shape == b.shape else [f"shape {x.shape}"]
        left = np.einsum("...ij,...j->...i", H, x)
        size = np.abs(H).max(initial=0.0) * np.abs(x).max(initial=0.0) * model.nv
        return wrong if close(left, b, 1e-9, size) else [*wrong, f"H x = {left}, b = {b}"]

    first = Given(wrong_model(dice), flaw=TYPE) if mood == "model" else Given(model)
    call = Call("algorithms", "articulated.factorize", articulated.factorize, [first, given], check=check)
    if dice.chance(0.3):
        call.named["form"] = Given(dice.pick("LTL", "LTDL"))
        if dice.chance(0.2):
            call.named["form"] = Given(dice.pick("LDL", "ltl", "", None, 3, ["LTL"], thing(dice)), flaw=MAYBE)
    call.may_fail = is_singular(model)
    call.compare = False
    if dice.chance(0.3):
        call.named["threads"] = threads_for(dice)
    return call


def inertia_pattern(dice: Dice) -> Call:
    model = Given(dice.among(models())) if dice.chance(0.6) else Given(wrong_model(dice), flaw=TYPE)

    def check(result: Any) -> list[str]:
        rows, columns = result
        n = model.value.nv
        good = len(rows) == len(columns) >= n and len({*zip(rows.tolist(), columns.tolist(), strict=True)}) == len(rows)
        return [] if good and set(rows.tolist()) == set(range(n)) else ["it is no pattern of the matrix"]

    return Call("algorithms", "articulated.inertia_pattern", articulated.inertia_pattern, [model], check=check)


def redmax_dynamics(dice: Dice) -> Call:
    """Make a call of the equations of motion, whose result is two arrays."""
    model = dice.among(models())
    batch, mood = dice.pick((), (), (3,), (2, 3), (0,), (9,)), dice.among(MOODS)
    keys = ("q", "v", "f_ext") if dice.chance(0.5) else ("q", "v")
    where = dice.below(len(keys))
    given = {
        key: given_for(dice, model, key, numbers_for(dice, model, key, batch), mood if j == where else "good")
        for j, key in enumerate(keys)
    }
    first = Given(wrong_model(dice), flaw=TYPE) if mood == "model" else Given(model)

    def check(result: Any) -> list[str]:
        H, force = result
        wrong = [] if H.shape == (*batch, model.nv, model.nv) and force.shape == (*batch, model.nv) else ["shapes"]
        if H.size and all(part.calm for part in given.values()):
            size = np.abs(H).max()
            wrong += (
                [] if close(H, articulated.crba(model, given["q"].plain), 1e-9, size) else ["H is not that of crba"]
            )
        return wrong

    call = Call(
        "algorithms", "articulated.redmax_dynamics", articulated.redmax_dynamics, [first, *given.values()], check=check
    )
    if dice.chance(0.3):
        call.named["threads"] = threads_for(dice)
    if dice.chance(0.2):
        shapes = (*batch, model.nv, model.nv), (*batch, model.nv)
        outs = dice.pick(
            tuple(np.zeros(shape) for shape in shapes), np.zeros(shapes[0]), (np.zeros(shapes[0]),), thing(dice)
        )
        call.named["out"] = Given(outs, flaw=MAYBE)
        call.compare = False
    return call


def dynamics_derivatives(dice: Dice) -> Call:
    """Make a call of derivatives of inverse or forward dynamics, whose result is three matrices."""
    name, third = dice.pick(("rnea_derivatives", "a"), ("aba_derivatives", "tau"))
    model = dice.among(models())
    batch, mood = dice.pick((), (), (3,), (2, 3), (0,), (9,)), dice.among(MOODS)
    keys = ("q", "v", third, "f_ext") if dice.chance(0.5) else ("q", "v", third)
    where = dice.below(len(keys))
    given = {
        key: given_for(dice, model, key, numbers_for(dice, model, key, batch), mood if j == where else "good")
        for j, key in enumerate(keys)
    }
    first = Given(wrong_model(dice), flaw=TYPE) if mood == "model" else Given(model)
    shape = (*batch, model.nv, model.nv)

    def check(result: Any) -> list[str]:
        wrong = [] if [part.shape for part in result] == [shape] * 3 else ["shapes"]
        if result[0].size and all(part.calm for part in given.values()):
            H, inverse = articulated.crba(model, given["q"].plain), name == "aba_derivatives"
            found = np.linalg.inv(result[2]) if inverse else result[2]
            size = np.linalg.cond(H).max() * np.abs(H).max()
            wrong += [] if close(H, found, 1e-9, size) else ["the last is not that of crba"]
        return wrong

    call = Call("algorithms", f"articulated.{name}", getattr(articulated, name), [first, *given.values()], check=check)
    call.may_fail = name == "aba_derivatives" and is_singular(model)
    if dice.chance(0.3):
        call.named["threads"] = threads_for(dice)
    if dice.chance(0.2):
        outs = dice.pick(tuple(np.zeros(shape) for _ in range(3)), np.zeros(shape), (np.zeros(shape),), thing(dice))
        call.named["out"] = Given(outs, flaw=MAYBE)
        call.compare = False
    return call


def derivative_of(dice: Dice) -> Call:
    """Make a call that makes a derivative function; that of a cheap algorithm is called, too."""
    name = dice.pick("derivative_of", "second_derivative_of")
    good = dice.chance(0.6)
    value = dice.pick("difference", articulated.difference, "rnea", articulated.crba, "jacobian", articulated.integrate)
    if not good:
        value = dice.pick("simulate", "", "x" * 9999, articulated.neutral, len, thing(dice), None, 3, b"rnea", Model)
    model = dice.among(models())
    x = {key: numbers_for(dice, model, key, ()) for key in ("q0", "q1")}

    def check(derivative: Any) -> list[str]:
        if value not in ("difference", articulated.difference) or not model.nv:
            return []
        along = {"along": {"q1": np.zeros(model.nv)}} if name.startswith("second") else {}
        found = derivative(model, x["q0"], x["q1"], wrt="q1", **along)
        return [] if found.shape == (model.nv, model.nv) and not (along and found.any()) else ["not a derivative"]

    algorithm = Given(value, flaw=GOOD if good else MAYBE)
    return Call(
        "algorithms", f"articulated.{name}", getattr(articulated, name), [algorithm], check=check, compare=False
    )


def sparse_body_jacobian(dice: Dice) -> Call:
    """Make a call of a sparse Jacobian, or of its rate, mostly of one state."""
    model, mood = dice.among(models()), dice.among(MOODS)
    name, keys = dice.pick(("sparse_body_jacobian", ("q",)), ("sparse_body_jacobian_dot", ("q", "v")))
    batch = dice.pick((), (), (), (), (2,), (0,))
    where = dice.below(len(keys))
    given = {}
    for j, key in enumerate(keys):
        given[key] = given_for(dice, model, key, numbers_for(dice, model, key, batch), mood if j == where else "good")
        if batch:
            given[key].flaw = MAYBE
    first = Given(wrong_model(dice), flaw=TYPE) if mood == "model" else Given(model)
    call = Call("algorithms", f"articulated.{name}", getattr(articulated, name), [first, *given.values()], exact=False)
    if dice.chance(0.6):
        call.named["format"] = Given(dice.pick("csr", "bsr"))
    elif dice.chance(0.3):
        call.named["format"] = Given(dice.pick("coo", "dense", "", None, 3, b"csr", "x" * 999, thing(dice)), flaw=MAYBE)

    def check(result: Any) -> list[str]:
        if batch or not all(part.calm for part in given.values()):
            return []
        dense = getattr(articulated, name.removeprefix("sparse_"))(model, *(part.plain for part in given.values()))
        found = result.toarray()
        return [] if found.shape == dense.shape and close(found, dense, 1e-12, 1.0) else ["it is not the dense one"]

    call.check = check
    return call


def warmup(dice: Dice) -> Call:
    topics = dice.pick("robots", 3, [5], ["no topic"], [["robots"]], Model)
    return Call("algorithms", "warmup", pluecker.warmup, [Given(topics, flaw=MAYBE)], {"progress": Given(False)})


KINDS = (*MOVING, "fixed")


def joint_transform(dice: Dice) -> Call:
    """Make a call of X and S of one joint."""
    kind = dice.among(KINDS)
    joint = JOINT_TYPES[kind]
    batch = dice.pick((), (), (3,), (0,), (2, 3), (17,))
    q = dice.normal(*batch, joint.nq)
    if kind in ("spherical", "free"):
        q[..., -4:] /= np.linalg.norm(q[..., -4:], axis=-1, keepdims=True)
    values = {"axis": dice.normal(3), "pitch": np.float64(0.3), "axis2": dice.normal(3)}
    needed = {"helical": ("axis", "pitch"), "universal": ("axis", "axis2")}.get(kind, ("axis",) if joint.axes else ())
    mood = dice.among(("good",) * 6 + ("wild", "shape", "nan", "type", "other"))
    where = dice.pick("q", *needed)
    named = {}
    for name in needed:
        x = values[name]
        if mood not in ("good", "other") and where == name:
            named[name] = wrong_type(dice, x) if name == "pitch" else given_for(dice, models()[0], "v", x, mood)
            named[name].flaw = MAYBE
        else:
            named[name] = dressed(dice, x) if name != "pitch" else Given(float(x))
    if mood == "other":
        named[dice.pick("axis", "pitch", "axis2")] = Given(thing(dice), flaw=MAYBE)
    first = Given(thing(dice), flaw=MAYBE) if mood == "other" and dice.chance(0.5) else Given(kind)
    given = dressed(dice, q)
    if where == "q" and mood in ("wild", "shape", "nan", "type"):
        given = given_for(dice, models()[0], "v", q, mood)
        given.flaw = MAYBE

    def check(result: Any) -> list[str]:
        X, S = result
        wrong = (
            [] if X.shape == (*batch, 6, 6) and S.shape == (*batch, 6, joint.nv) else [f"shapes {X.shape}, {S.shape}"]
        )
        if X.size and not close(X @ spatial.invert(X), np.broadcast_to(np.eye(6), X.shape), 1e-9, np.abs(X).max() ** 2):
            wrong.append("X X^-1 is not 1")
        return wrong if given.calm else []

    return Call(
        "algorithms",
        "articulated.joint_transform",
        articulated.joint_transform,
        [first, given],
        named,
        check=check,
        exact=False,
    )


OTHERS = (
    joint_transform,
    joint_transform,
    neutral,
    random_configuration,
    random_configuration,
    simulate,
    convergence,
    warmup,
)
OTHERS += (redmax_dynamics, redmax_dynamics, sparse_body_jacobian, sparse_body_jacobian)
OTHERS += (factorize, factorize, inertia_pattern, random_tree)
OTHERS += (dynamics_derivatives, dynamics_derivatives, derivative_of)
