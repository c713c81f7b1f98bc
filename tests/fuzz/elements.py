"""Calls about springs, cables and wrenches between bodies: the records, their forces and the derivatives of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker import articulated
from pluecker.articulated import Model
from tests.fuzz.algorithms import configuration, given_for, models, numbers_for, threads_for, wrong_model, wrong_name
from tests.fuzz.judge import Call, close
from tests.fuzz.values import MAYBE, TYPE, Dice, Given, dressed, not_finite, thing, wild, wrong_type


def draw(dice: Dice) -> Call:
    """Make a call of a record, or of the forces of several elements."""
    return record(dice) if dice.chance(0.3) else applied(dice)


def frame(dice: Dice, model: Model) -> str:
    return dice.among(model.frame_names) if model.frame_names and dice.chance(0.8) else "world"


def end(dice: Dice, model: Model) -> Any:
    return frame(dice, model) if dice.chance(0.2) else (frame(dice, model), dice.normal(3))


def element(dice: Dice, model: Model) -> Any:
    """Draw an element with arguments that fit."""
    kind = dice.below(5)
    k, rest, d = np.abs(dice.normal(3)) * dice.pick(0.0, 1.0, 1.0, 10.0)
    if kind == 0:
        return articulated.PointWrench(
            frame(dice, model), dice.normal(6), dice.normal(3), axes=dice.pick("body", "aligned")
        )
    if kind == 1:
        p = dice.normal(4)
        return articulated.TorsionSpring(
            frame(dice, model), frame(dice, model), k, d, rest_rotation=dice.pick(None, p / np.linalg.norm(p))
        )
    if kind == 2:
        via = [(frame(dice, model), dice.normal(3)) for _ in range(2 + dice.below(3))]
        return articulated.Cable(via, k, rest + 0.1, d)
    ends = [(frame(dice, model), dice.normal(3)) for _ in range(2)]
    return articulated.PointSpring(*ends, k, dice.pick(0.0, rest), dice.pick(0.0, d))


def record(dice: Dice) -> Call:
    """Make a call of a record, with an argument that may be wrong."""
    name = dice.pick("PointWrench", "PointSpring", "TorsionSpring", "Cable")
    model = models()[0]
    numbers = {"stiffness": abs(dice.normal(1)[0]), "damping": abs(dice.normal(1)[0])}
    values: dict[str, Any] = {
        "PointWrench": {"frame": "b0", "wrench": dice.normal(6), "point": dice.normal(3), "axes": "body"},
        "PointSpring": {"first": end(dice, model), "second": ("b1", dice.normal(3)), "rest_length": 1.0, **numbers},
        "TorsionSpring": {"first": "b0", "second": "world", "rest_rotation": [1.0, 0.0, 0.0, 0.0], **numbers},
        "Cable": {"via": [("b0", dice.normal(3)), end(dice, model)], "rest_length": 1.0, **numbers},
    }[name]
    where, mood = dice.pick(*values), dice.pick("good", "good", "wild", "nan", "type", "thing", "name", "shape")
    named = {}
    for key, value in values.items():
        named[key] = dressed(dice, value) if isinstance(value, np.ndarray) else Given(value)
        if key == where and mood != "good":
            x = np.asarray(value) if key in ("wrench", "point", *numbers) else np.ones(3)
            bad = {
                "wild": lambda x=x: wild(dice, x),
                "nan": lambda x=x: not_finite(dice, x),
                "type": lambda x=x: wrong_type(dice, x),
                "thing": lambda: Given(thing(dice)),
                "name": lambda: Given(wrong_name(dice)),
                "shape": lambda: Given(dice.normal(dice.below(5))),
            }[mood]()
            named[key] = Given(bad.value, flaw=MAYBE)
    return Call(
        "elements",
        f"articulated.{name}",
        getattr(articulated, name),
        [],
        named,
        exact=False,
        compare=False,
        may_fail=True,
    )


def applied(dice: Dice) -> Call:
    """Make a call of the forces of elements or of their derivatives, in one state or a batch."""
    name = dice.pick("applied_forces", "applied_stiffness")
    model = dice.among(models())
    batch = dice.pick((), (), (3,), (2, 3), (0,), (9,))
    mood = dice.pick("good", "good", "good", "good", "wild", "nan", "shape", "type", "quaternion", "model", "elements")
    chosen: Any = [element(dice, model) for _ in range(dice.below(4))]
    chosen = chosen[0] if len(chosen) == 1 and dice.chance(0.5) else dice.pick(list, tuple)(chosen)
    elements = Given(chosen)
    if mood == "elements":
        lost = articulated.PointSpring("nowhere", "world", 1.0)
        elements = Given(dice.pick(lost, [lost], ["b0"], 3, None, "b0", [articulated.Cable], thing(dice)), flaw=MAYBE)
    where = dice.below(2)
    given = []
    for j, key in enumerate(("q", "v")):
        x = configuration(dice, model, batch) if key == "q" else numbers_for(dice, model, key, batch)
        given.append(given_for(dice, model, key, x, mood if j == where else "good"))
    first = Given(wrong_model(dice), flaw=TYPE) if mood == "model" else Given(model)
    call = Call("elements", f"articulated.{name}", getattr(articulated, name), [first, elements, *given])
    if dice.chance(0.3):
        call.named["threads"] = threads_for(dice)

    def check(result: Any) -> list[str]:
        wrong = [] if all(part.shape[: len(batch)] == batch for part in result) else ["shapes"]
        if name == "applied_stiffness" or 0 in batch or not all(part.calm for part in given) or not model.n_bodies:
            return wrong
        expected = articulated.body_jacobian_transpose_times(model, given[0].plain, result.wrenches)
        size = np.abs(result.wrenches).max() * (1.0 + np.abs(given[0].plain).sum())
        good = close(result.joint_force, expected, 1e-9, size)
        return wrong if good else [*wrong, "the joint force is not J' times the wrenches"]

    call.check = check
    return call
