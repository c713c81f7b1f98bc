"""Calls of what draws mechanisms and motions, and of the marks that are drawn with them."""

from __future__ import annotations

from typing import Any

from pluecker import articulated
from pluecker.articulated import Model, Trajectory
from tests.fuzz.algorithms import configuration, given_for, models, wrong_model, wrong_name
from tests.fuzz.judge import Call
from tests.fuzz.values import MAYBE, TYPE, Dice, Given, dressed, not_finite, thing, wild, wrong_type

CURVES = ("plot_trajectory", "plot_energy")
WORDS = {"length": 0.5, "slope": 0.3, "height": 0.2}


def draw(dice: Dice) -> Call:
    """A mark, a picture, or a viewer."""
    return viewer(dice) if dice.chance(0.15) else mark(dice) if dice.chance(0.4) else picture(dice)


def good_mark(dice: Dice, samples: int | None) -> Any:
    """Draw a mark with arguments that fit."""
    shape = (2, 3) if samples is None or dice.chance(0.5) else (samples, 2, 3)
    p, x = dice.normal(*shape), dice.normal(*shape)
    ends, lines = [(("world", p.reshape(-1, 3)[0]), ("world", x.reshape(-1, 3)[0]))], dice.pick("rod", "rope", "spring")
    return dice.pick(
        lambda: articulated.Points(p), lambda: articulated.Arrows(p, x, length=0.1), lambda: articulated.Cones(p, x),
        lambda: articulated.Lines(ends, lines, [3.0]),
    )()  # fmt: skip


def mark(dice: Dice) -> Call:
    """Make a call of a mark, with an argument that may be wrong."""
    name = dice.pick("Points", "Arrows", "Cones")
    shape = dice.pick((1, 3), (4, 3), (5, 2, 3), (0, 3), (3,), (2, 2), (1, 2, 3, 3))
    values: dict[str, Any] = {"positions": dice.normal(*shape), "label": "a mark", "color": dice.pick("red", "#00ff00")}
    if name != "Points":
        values["vectors" if name == "Arrows" else "normals"] = dice.normal(*dice.pick(shape, shape, (1, 3)))
    values |= {
        key: x
        for key, x in WORDS.items()
        if key in ("length",) * (name == "Arrows") + ("slope", "height") * (name == "Cones")
    }
    where, named = dice.pick(*values, "none"), {}
    for key, value in values.items():
        named[key] = Given(value)
        if hasattr(value, "shape"):
            named[key] = dressed(dice, value) if key != where else dice.pick(wild, not_finite, wrong_type)(dice, value)
        elif key == where:
            named[key] = Given(dice.pick(thing(dice), -1.0, 0.0, "chartreuse", float("nan")))
        named[key].flaw = MAYBE  # shapes may not fit either

    def make(**named: Any) -> Any:
        made = getattr(articulated, name)(**named)
        return made.at(0) if made.positions.ndim == 2 or len(made.positions) else made

    return Call("pictures", f"articulated.{name}", make, [], named, compare=False, may_fail=True, infinite=True)


def picture(dice: Dice) -> Call:
    """Make a call that draws a picture, curves or a short film, with an argument that may be wrong."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    name = dice.pick("plot_mechanism", "plot_mechanism", "animate", *CURVES)
    model = models()[dice.below(len(models()))]
    samples = None if name == "plot_mechanism" else 2
    q = configuration(dice, model, () if samples is None else (samples,))
    first, second = (
        Given(model),
        given_for(dice, model, "q", q, dice.pick("good", "good", "wild", "nan", "shape", "type")),
    )
    if dice.chance(0.05):
        first = Given(wrong_model(dice), flaw=TYPE)
    if samples is not None:
        second = Given(motion(dice, model, q) if dice.chance(0.9) else thing(dice), flaw=MAYBE)
    named: dict[str, Given] = {}
    choices: dict[str, Any] = {"title": ("a title", None)}
    if name not in CURVES:
        choices |= {"visuals": (True, False), "inertia": (True, False), "center_of_mass": (False,)}
        choices |= {
            "joint_axes": (True, False),
            "frames": ("bodies", (), [wrong_name(dice)]),
            "camera": ((20.0, 30.0),),
        }
        choices["overlays"] = ((), good_mark(dice, samples), [good_mark(dice, samples)])
    if name == "animate":
        choices |= {"rate": (5.0, 0.0), "speed": (1.0, -1.0, 1e-12)}
    for key, good in choices.items():
        if dice.chance(0.25):
            named[key] = Given(dice.among(good) if dice.chance(0.6) else thing(dice), flaw=MAYBE)

    def draw_and_close(*args: Any, **named: Any) -> None:
        try:
            getattr(articulated, name)(*args, **named)
        finally:
            pyplot.close("all")

    second.flaw = MAYBE if second.flaw != "good" or samples is not None else second.flaw
    return Call("pictures", f"articulated.{name}", draw_and_close, [first, second], named, may_fail=True, says=None)


def viewer(dice: Dice) -> Call:
    """Make a call that shows a mechanism in a browser that nobody opens, with an argument that may be wrong."""
    model = models()[dice.below(len(models()))]
    q = configuration(dice, model, (2,))
    named = {"browser": Given(False)}
    for key, good in (
        ("trajectory", (None, motion(dice, model, q))),
        ("q", (None, q[0], q)),
        ("overlays", ((), good_mark(dice, None), good_mark(dice, 2))),
        ("frames", ("all", [], [wrong_name(dice)])),
        ("inertia", (True, False)),
        ("port", (8080, 0, 70000)),
        ("path", (None, "page.txt", "nowhere/page.html")),
    ):
        if dice.chance(0.3):
            named[key] = Given(dice.among(good) if dice.chance(0.6) else thing(dice), flaw=MAYBE)

    def open_and_close(*args: Any, **named: Any) -> None:
        articulated.view(*args, **named).close()

    first = Given(model) if dice.chance(0.95) else Given(wrong_model(dice), flaw=TYPE)
    return Call("pictures", "articulated.view", open_and_close, [first], named, may_fail=True, says=None)


def motion(dice: Dice, model: Model, q: Any) -> Trajectory:
    """Make a trajectory of two samples, perhaps without v, q or time."""
    v = dice.normal(2, model.nv) if dice.chance(0.8) else None
    return Trajectory(time=dice.pick([0.0, 0.2], None, [0.0, 1e9], [0.0, -1.0]), q=dice.pick(q, q, q, None), v=v)
