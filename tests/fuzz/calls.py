"""From a seed to a call: good arguments, of which one may be exchanged for something else."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from pluecker import PlueckerError, articulated
from pluecker.articulated import Model, ModelBuilder
from tests.fuzz import structures, tables
from tests.fuzz.judge import Call, close, judge
from tests.fuzz.models import BATCHES, configuration, models
from tests.fuzz.values import NO_NUMBERS, PERHAPS, Dice, misshapen, not_finite, other_form, thing, wild
from tests.spatial.public import ARGUMENTS, FUNCTIONS, OPTIONS

# None is a good argument, or a wrong one as good as any other
MOODS = ("good",) * 5 + ("wild", "wild", "nan", "shape", "type", "perhaps", "thing")
OPTIONAL = ("alpha", "axis", "S_rate", "T_rate", "v", "pitch", "point", "f_ext")


def spoiled(dice: Dice, x: np.ndarray, mood: str) -> tuple[Any, str]:
    """Something in place of good numbers, and what is wrong with it."""
    if mood == "wild" or not x.size:
        return wild(dice, x), "maybe"
    if mood == "nan":
        return other_form(dice, not_finite(dice, x)), "value"
    if mood == "shape":
        return misshapen(dice, x), "maybe"
    if mood == "type":
        return dice.among(NO_NUMBERS)(x), "type"
    return (dice.among(PERHAPS)(x), "maybe") if mood == "perhaps" else (thing(dice), "maybe")


def varied(dice: Dice, name: str, function: Callable[..., Any], values: dict[str, Any], **how: Any) -> Call:
    """A call with these arguments, arrays in other forms; one argument may be wrong."""
    mood, where = dice.among(MOODS), dice.among([*values])
    call = Call(name, function, {}, plain={}, **how)
    for key, value in values.items():
        bad = key == where and mood != "good"
        call.named[key] = call.plain[key] = value  # type: ignore[index]
        if isinstance(value, np.ndarray):
            call.named[key] = other_form(dice, value) if dice.chance(0.5) else value.copy()
            if bad:
                call.named[key], call.flaw = spoiled(dice, value, mood)
        elif bad:
            call.named[key], call.flaw = thing(dice), "maybe"
    if call.flaw:
        call.plain = None
    return call


# ------------------------------------------------------------------------------------------------------------- spatial

INEXACT = {  # computed by NumPy, whose sums depend on how numbers lie in memory
    "reciprocal_basis", "change_of_basis", "coordinates_in", "complement", "subspaces_of_constraints", "joint_space",
    "relative_inertia", "point_masses", "principal_axes", "pseudo_inertia", "from_pseudo_inertia", "density_inertia",
    *(name for name in ARGUMENTS if "_from_" in name or name.startswith(("constraint", "two_body"))),
    *("tetrahedron", "ArticulatedInertia", "InverseInertia", "to_scipy"),
}  # fmt: skip
KEPT = {"is_consistent", "check_consistent", "to_scipy"}  # whose results are no numbers


def draw_spatial(dice: Dice) -> Call:
    """A function of arrays; those whose leading axes broadcast are asked for a batch, too."""
    name = dice.among([name for name in ARGUMENTS if name != "plot_field"])
    arrays = {key: np.array(value, float) for key, value in ARGUMENTS[name].items()}
    if name in ("spatial_to_planar", "grid", "density_inertia"):  # which take some numbers only, or lines and cells
        return varied(dice, f"spatial.{name}", FUNCTIONS[name], {**arrays, **OPTIONS.get(name, {})}, says=name)
    if dice.chance(0.4) and name != "to_scipy":
        batch = dice.pick((1,), (2, 3), (9,))
        arrays = {key: np.broadcast_to(x, batch[dice.below(2) :] + x.shape).copy() for key, x in arrays.items()}
    call = varied(dice, f"spatial.{name}", FUNCTIONS[name], {**arrays, **OPTIONS.get(name, {})}, says=name)
    call.exact, call.finite = name not in INEXACT, not name.endswith("pitch")
    if name in KEPT:
        call.plain, call.flaw = None, call.flaw and "maybe"
    if any(value is None for key, value in call.named.items() if key in OPTIONAL):
        call.flaw = "maybe"
    return call


OPERATORS = operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.eq, operator.getitem
OF_NUMPY = (
    np.add, np.matmul, np.isclose, np.dot, np.cross, np.equal, np.sum, np.shape, np.exp,
    np.linalg.inv, np.asarray, np.linalg.norm, np.mean, np.absolute,
)  # fmt: skip
METHODS = ("inverse", "dot", "cross", "isclose", "sum", "kinetic_energy", "rate")


@cache
def quantities() -> tuple[Any, ...]:
    """Typed quantities of every kind, in two frames, single and in batches."""
    rng, kinds = np.random.default_rng(7), [name for name in ARGUMENTS if name[0].isupper()]
    found = [FUNCTIONS[name](**ARGUMENTS[name]) for name in kinds]
    for name in ("MotionVector", "ForceVector"):
        shapes = ((6,), (2, 6), (0, 6))
        found += [FUNCTIONS[name](rng.normal(size=shape), frame) for shape in shapes for frame in "AB"]
    return tuple(found)


def draw_typed(dice: Dice) -> Call:
    """An operator, a method or a function of NumPy, of a typed quantity and another one, or something else."""
    a = dice.among(quantities())
    b = dice.pick(dice.among(quantities()), dice.normal(6), np.eye(6), 2.0, slice(0, 1), ..., thing(dice))
    name = dice.among([name for name in METHODS if hasattr(a, name)])
    several = dice.pick(lambda a, b: np.stack([a, b]), lambda a, b: np.concatenate([a, b]))
    of_numpy = dice.among(OF_NUMPY)
    function = dice.pick(*OPERATORS, of_numpy, several, lambda a, b: of_numpy(a), lambda a, b: getattr(a, name)(b))

    def compute(a: Any, b: Any) -> None:
        function(*((b, a) if function in OPERATORS[:-1] and dice.chance(0.3) else (a, b)))

    named = {"a": a, "b": b}
    return Call(f"typed.{name} or {function}", compute, named, flaw="maybe", raises=(TypeError, IndexError))


# ---------------------------------------------------------------------------------------------------------- algorithms

Q, V = ("q",), ("q", "v")
INPUTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("rnea", "joint_forces", "rnea_derivatives"), (*V, "a", "f_ext")),
    **dict.fromkeys(("aba", "aba_derivatives"), (*V, "tau", "f_ext")),
    **dict.fromkeys(("bias_force", "redmax_dynamics"), (*V, "f_ext")),
    **dict.fromkeys(("crba", "crba_packed", "minv", "gravity_force", "potential_energy", "body_jacobian"), Q),
    **dict.fromkeys(("center_of_mass", "center_of_mass_jacobian", "centroidal_momentum_matrix"), Q),
    **dict.fromkeys(("kinetic_energy", "body_velocities", "body_jacobian_dot", "passive_force", "integrate"), V),
    **dict.fromkeys(("center_of_mass_velocity", "momentum", "coriolis_matrix", "inertia_matrix_rate"), V),
    **dict.fromkeys(("body_accelerations", "momentum_rate", "center_of_mass_acceleration"), (*V, "a")),
    **dict.fromkeys(("frame_placement", "jacobian", "relative_jacobian", "operational_inertia"), (*Q, "point")),
    **dict.fromkeys(("frame_velocity", "jacobian_dot", "relative_jacobian_dot"), (*V, "point")),
    "centroidal_momentum_matrix_dot": V,
    "frame_acceleration": (*V, "a", "point"),
    "forward_kinematics": Q,
    "body_jacobian_dot_times": (*V, "x"),
    "body_jacobian_transpose_times": (*Q, "f_ext"),
    "difference": ("q0", "q1"),
    "carry_velocity": ("q0", "q1", "v"),
}
OF_FRAMES = {name for name, keys in INPUTS.items() if "point" in keys}
OF_SUBTREES = {name for name in INPUTS if name.startswith(("center", "centroidal", "momentum"))}
TUPLES = {"rnea_derivatives", "aba_derivatives", "redmax_dynamics"}  # whose results are several arrays


def draw_algorithm(dice: Dice) -> Call:
    """An algorithm, of one state or a batch."""
    name, model = dice.among([*INPUTS]), dice.among(models())
    keys = [key for key in INPUTS[name] if key not in OPTIONAL[-2:] or name.endswith("times") or dice.chance(0.5)]
    batch = dice.among(BATCHES)
    values: dict[str, Any] = {"model": model}
    for key in keys:
        part = batch[dice.below(len(batch) + 1) :] if dice.chance(0.3) else batch
        core = {"f_ext": (model.n_bodies, 6), "point": (3,)}.get(key, (model.nv,))
        values[key] = configuration(dice, model, part) if key[0] == "q" else dice.normal(*part, *core)
    batch = np.broadcast_shapes(*(values[key].shape[: -2 if key == "f_ext" else -1] for key in keys))
    values |= options(dice, name, model)
    call = varied(dice, f"articulated.{name}", getattr(articulated, name), values, exact=False, says=name)
    if dice.chance(0.05):
        call.named["model"] = dice.pick(None, Model, "panda", ModelBuilder(), {}, 3, object(), np.zeros(3))
        call.flaw, call.plain = "type" if not call.flaw else "maybe", None
    if dice.chance(0.05) and model.quaternion_slices() and not call.flaw and batch and 0 not in batch and "q" in keys:
        call.named["q"] = values["q"].copy()
        call.named["q"][..., dice.among([*model.quaternion_slices().values()])] *= dice.pick(0.0, 2.0, 1.00001, 1e160)
        call.flaw, call.plain = "value", None
    if dice.chance(0.2) and name not in TUPLES:
        add_out(dice, call, model, values)
    if dice.chance(0.2):
        good = dice.chance(0.5)
        call.named["threads"] = (
            dice.pick(1, 2, None) if good else dice.pick(0, -1, True, 2**63, "2", np.array(2), object)
        )
        call.flaw, call.plain = (call.flaw if good else "maybe"), (call.plain if good else None)
    if any(call.named.get(key, 0) is None for key in OPTIONAL) or (name in OF_FRAMES and not model.frame_names):
        call.flaw = "maybe"
    no_inverse = name in ("aba", "minv", "aba_derivatives", *OF_SUBTREES) and model.name in tables.SINGULAR
    if no_inverse or name == "operational_inertia":
        call.flaw = call.flaw or "maybe"
    call.check = partial(entry_alone, dice, name, values, keys, batch)
    return call


def options(dice: Dice, name: str, model: Model) -> dict[str, Any]:
    """Draw the frame, axes, subtree or rows that an algorithm can be asked for."""
    found: dict[str, Any] = {}
    if name in OF_FRAMES:
        found["frame"] = dice.among(model.frame_names) if model.frame_names else "nowhere"
        if name.startswith("relative"):
            found["reference"] = dice.among(model.frame_names) if model.frame_names else "nowhere"
        if name != "frame_placement":
            found["axes"] = dice.pick("body", "aligned")
        if name == "frame_acceleration":
            found["classical"] = dice.pick(True, False)
        if name == "operational_inertia":
            found["rows"] = dice.pick("all", "linear", "angular", (0,), (5, 3), range(3))
    if name in OF_SUBTREES and dice.chance(0.5) and model.body_names:
        found["subtree"] = dice.among(model.body_names)
    if name.startswith("momentum") and dice.chance(0.5):
        found["centroidal"] = dice.pick(True, False)
    if name == "forward_kinematics" and dice.chance(0.4) and model.frame_names:
        found["frames"] = [dice.among(model.frame_names) for _ in range(dice.below(4))]
    return found


def add_out(dice: Dice, call: Call, model: Model, values: dict[str, Any]) -> None:
    """Add an ``out`` that fits, or one that does not."""
    try:
        shape = call.function(**values).shape
    except PlueckerError:  # there is no result
        return
    call.named["out"] = np.full(shape, 123.0)
    if dice.chance(0.5):
        call.named["out"] = dice.pick(
            np.full(shape, 1.0, ">f8"), np.zeros(shape, np.float32), np.zeros((*shape, 1)), np.ma.zeros(shape),
            np.zeros((*shape, 2))[..., 0], np.zeros(shape, complex), np.broadcast_to(0.0, shape), thing(dice),
        )  # fmt: skip
        call.flaw, call.plain = "maybe", None


def entry_alone(
    dice: Dice, name: str, values: dict[str, Any], keys: list[str], batch: tuple[int, ...], result: Any
) -> list[str]:
    """Compare one state of a batch with the same call for it alone; return what is wrong."""
    if not batch or 0 in batch:
        return []
    index, one = tuple(dice.below(n) for n in batch), dict(values)
    for key in keys:
        core = values[key].shape[-2 if key == "f_ext" else -1 :]
        one[key] = np.broadcast_to(values[key], batch + core)[index]
    alone, got = getattr(articulated, name)(**one), result
    alone, got = (alone, got) if name in TUPLES else ((alone,), (got,))
    right = all(close(x, y[index], 1e-9, 10.0) for x, y in zip(alone, got, strict=True))
    return [] if right else [f"state {index} alone is {alone}"]


# ----------------------------------------------------------------------------------------------------------- all areas


def draw_entry(make: Callable[[Dice], dict[str, tables.Entry]], dice: Dice) -> Call:
    """An entry of a table, whose function may refuse what another argument makes wrong."""
    with_entries = make(dice)
    name = dice.among([*with_entries])
    entry = with_entries[name]
    call = varied(dice, name, entry.function, entry.values, exact=False, finite=False) if entry.values else None
    call = call or Call(name, entry.function, finite=False)
    call.flaw, call.plain = ("maybe" if call.flaw or entry.may_fail else ""), None
    call.check, call.raises = entry.check, entry.raises
    return call


AREAS: dict[str, tuple[Callable[[Dice], Call], int]] = {
    "spatial": (draw_spatial, 40),
    "typed": (draw_typed, 8),
    "algorithms": (draw_algorithm, 40),
    "articulated": (partial(draw_entry, tables.of_articulated), 15),
    "contact": (partial(draw_entry, tables.of_contact), 20),
    "pictures": (partial(draw_entry, tables.of_pictures), 1),
    "models": (structures.draw_model, 15),
    "steps": (structures.draw_step, 4),
}
LOTS = tuple(name for name, (_, weight) in AREAS.items() for _ in range(weight))


def make(seed: int, area: str | None = None) -> Call:
    """The call of a seed, from all areas or one."""
    dice = Dice(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the matrices that NumPy would rather not make
        return AREAS[area or dice.among(LOTS)][0](dice)


def attempt(seed: int, area: str | None = None) -> tuple[str, list[str]]:
    """Make the call of a seed: what came, in a word, and complaints, each with what makes the call again."""
    call = make(seed, area)
    outcome, wrong = judge(call)
    again = f"python -m tests.fuzz 1 --seed {seed}" + (f" --area {area}" if area else "")
    return outcome, [f"{again}\n    {call.text()}\n    -> {text}" for text in wrong]
