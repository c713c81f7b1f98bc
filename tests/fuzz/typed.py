"""Calls of the typed quantities of :mod:`pluecker.spatial`: constructors, operators, methods, functions of NumPy."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pluecker import spatial
from pluecker.spatial import (
    ArticulatedInertia,
    ForceVector,
    InverseInertia,
    MotionVector,
    PlueckerTransform,
    RigidBodyInertia,
)
from tests.fuzz import spatial as plain
from tests.fuzz.judge import Call, close
from tests.fuzz.values import LABELS, MAYBE, Dice, Given, thing

BATCHES = ((), (), (), (2,), (3,), (0,), (2, 3))
FRAMES = (None, None, "A", "B")
KINDS = (MotionVector, ForceVector, PlueckerTransform, RigidBodyInertia, ArticulatedInertia, InverseInertia)


def values_of(kind: type, dice: Dice, batch: tuple[int, ...]) -> list[tuple[str, np.ndarray]]:
    """The arrays that the constructor takes, with what kind they are."""
    names = {
        MotionVector: ("v6",),
        ForceVector: ("v6",),
        PlueckerTransform: ("E", "v3"),
        RigidBodyInertia: ("positive", "v3", "J"),
        ArticulatedInertia: ("A",),
        InverseInertia: ("A",),
    }[kind]
    return [(name, plain.numbers_for(dice, name, batch)) for name in names]


@cache
def quantities() -> tuple[Any, ...]:
    """Typed quantities of every kind, single and in batches, in several frames."""
    result: list[Any] = []
    dice = Dice(7)
    for batch in ((), (2,), (3,), (0,)):
        for frame in ("A", "B", None):
            for kind in KINDS:
                arrays = [x for _, x in values_of(kind, dice, batch)]
                frames = (frame, dice.among(FRAMES)) if kind is PlueckerTransform else (frame,)
                result.append(kind(*arrays, *frames))
    LABELS.update({id(made): f"typed.quantities()[{k}]" for k, made in enumerate(result)})
    return tuple(result)


def constructor(dice: Dice) -> Call:
    kind = dice.among(KINDS)
    batch, mood = dice.among(BATCHES), dice.among(plain.MOODS)
    parts = values_of(kind, dice, batch)
    where = dice.below(len(parts))
    given = [
        plain.given_for(dice, name, x, mood if k == where and mood != "broadcast" else "good")
        for k, (name, x) in enumerate(parts)
    ]
    named = {}
    for frame in ("source", "target") if kind is PlueckerTransform else ("frame",):
        if dice.chance(0.3):
            named[frame] = Given(dice.pick("A", None) if dice.chance(0.6) else thing(dice), flaw=MAYBE)

    def check(made: Any) -> list[str]:
        again = pickle.loads(pickle.dumps(made))
        wrong = [] if made == again and again.shape == made.shape else ["pickled it is another"]
        repr(made), made._repr_latex_()
        return wrong

    return Call("typed", f"spatial.{kind.__name__}", kind, given, named, check=check, exact=False)


def classmethods(dice: Dice) -> Call:
    name, function, kinds = dice.among(
        (
            ("MotionVector.from_parts", MotionVector.from_parts, ("v3", "v3")),
            ("ForceVector.from_parts", ForceVector.from_parts, ("v3", "v3")),
            ("PlueckerTransform.from_matrix", PlueckerTransform.from_matrix, ("X",)),
            ("PlueckerTransform.from_placement", PlueckerTransform.from_placement, ("T",)),
            ("PlueckerTransform.from_rotation", PlueckerTransform.from_rotation, ("q", "v3")),
            ("RigidBodyInertia.from_matrix", RigidBodyInertia.from_matrix, ("I",)),
            ("PlueckerTransform.identity", PlueckerTransform.identity, ()),
            ("MotionVector.zero", MotionVector.zero, ()),
        )
    )
    batch, mood = dice.among(BATCHES), dice.among(plain.MOODS)
    where = dice.below(len(kinds) or 1)
    given = [
        plain.given_for(
            dice, kind, plain.numbers_for(dice, kind, batch), mood if k == where and mood != "broadcast" else "good"
        )
        for k, kind in enumerate(kinds)
    ]
    if name.endswith("from_rotation"):
        from scipy.spatial.transform import Rotation

        given[0] = Given(Rotation.identity() if dice.chance(0.5) else thing(dice), flaw=MAYBE)
    elif not kinds:
        given = [Given(dice.pick("A", None, thing(dice)), flaw=MAYBE)]
    return Call("typed", f"spatial.{name}", function, given, says=None, exact=False)


def other(dice: Dice) -> Any:
    """Draw an operand: a typed quantity, or something else."""
    kind = dice.below(8)
    if kind < 5:
        return dice.among(quantities())
    return dice.pick(
        2.0,
        0,
        -1,
        np.float64(0.5),
        dice.normal(2),
        dice.normal(6),
        np.eye(6),
        [1.0, 2.0],
        1e308,
        0.0,
        float("nan"),
        thing(dice),
    )


BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.eq, operator.ne)


def binary(dice: Dice) -> Call:
    function = dice.among(BINARY)
    a, b = dice.among(quantities()), other(dice)
    if dice.chance(0.3):
        a, b = b, a

    def compute(a: Any, b: Any) -> Any:
        result = function(a, b)
        return (
            None
            if isinstance(result, (bool, np.bool_))
            or result is NotImplemented
            or (isinstance(result, np.ndarray) and result.dtype == bool)
            else result
        )

    def check(result: Any) -> list[str]:
        if result is None or not all(isinstance(x, spatial.MotionVector | spatial.ForceVector) for x in (a, b)):
            return []
        if function in (operator.add, operator.sub):
            expected = function(a.coordinates, b.coordinates)
            return [] if np.array_equal(result.coordinates, expected) else ["not the sum of the coordinates"]
        if function is operator.matmul:
            expected = (a.coordinates * b.coordinates).sum(axis=-1)
            return [] if close(result, expected, 1e-12, 1.0) else ["not the sum of products"]
        return []

    finite = not isinstance(b, float) or np.isfinite(b)
    return Call(
        "typed",
        f"spatial.typed.{function.__name__}",
        compute,
        [Given(a, flaw=MAYBE, finite=finite), Given(b, flaw=MAYBE, finite=finite)],
        says=None,
        check=check,
        raises=(TypeError,),
        infinite=True,
    )


METHODS = (
    "inverse",
    "dot",
    "cross",
    "isclose",
    "sum",
    "kinetic_energy",
    "rate",
    "__getitem__",
    "__len__",
    "__iter__",
    "__bool__",
    "matrix",
    "coordinates",
    "force_matrix",
    "placement",
    "rotation",
    "translation",
    "mass",
    "center_of_mass",
    "inertia_about_center",
    "moment",
    "force",
    "angular",
    "linear",
    "shape",
)
INDICES = (
    0,
    -1,
    5,
    slice(None),
    slice(0, 1),
    Ellipsis,
    None,
    (0, 0),
    [0],
    [0, 1],
    np.array([True, False]),
    10**400,
    "a",
    1.5,
    (slice(None), 0),
    (),
    (Ellipsis, 0),
)


def method(dice: Dice) -> Call:
    a = dice.among(quantities())
    name = dice.among([name for name in METHODS if hasattr(type(a), name)])
    args: list[Given] = []
    if name in ("dot", "cross", "isclose", "kinetic_energy", "rate"):
        args = [Given(other(dice), flaw=MAYBE)]
        if name == "isclose" and dice.chance(0.3):
            args += [Given(dice.pick(1e-9, 0.0, thing(dice)), flaw=MAYBE)]
    elif name == "sum" and dice.chance(0.7):
        args = [Given(dice.pick(0, -1, 1, (0,), None, thing(dice)), flaw=MAYBE)]
    elif name == "__getitem__":
        args = [Given(dice.among(INDICES) if dice.chance(0.8) else thing(dice), flaw=MAYBE)]
    value = getattr(a, name)
    function: Callable[..., Any] = value if callable(value) else lambda: getattr(a, name)
    if name == "__iter__":
        function = lambda: list(a)  # noqa: E731
    protocol: tuple[type[BaseException], ...] = (IndexError,) if name in ("__getitem__", "__iter__") else ()
    return Call(
        "typed",
        f"spatial.{type(a).__name__}.{name}",
        function,
        args,
        says=None,
        may_fail=True,
        compare=False,
        raises=protocol,
    )


FUNCTIONS = (
    np.add,
    np.subtract,
    np.multiply,
    np.matmul,
    np.negative,
    np.isfinite,
    np.isclose,
    np.allclose,
    np.stack,
    np.concatenate,
    np.sum,
    np.shape,
    np.ndim,
    np.linalg.inv,
    np.asarray,
    np.array,
    np.dot,
    np.cross,
    np.linalg.norm,
    np.exp,
    np.mean,
    np.equal,
    np.absolute,
)


def numpy_function(dice: Dice) -> Call:
    function = dice.among(FUNCTIONS)
    a, b = dice.among(quantities()), other(dice)
    if function in (np.stack, np.concatenate):
        args: list[Any] = [[a, b] if dice.chance(0.5) else [a, a]]
        if dice.chance(0.3):
            args.append(dice.pick(0, 1, -1, 7, thing(dice)))
    elif function in (np.add, np.subtract, np.multiply, np.matmul, np.isclose, np.allclose, np.dot, np.cross, np.equal):
        args = [a, b] if dice.chance(0.6) else [b, a]
    else:
        args = [a]

    def compute(*args: Any) -> None:
        function(*args)

    text = f"numpy.{function.__name__}"
    return Call(
        "typed", text, compute, [Given(x, flaw=MAYBE) for x in args], says=None, raises=(TypeError,), compare=False
    )


DRAWS = (constructor,) * 5 + (classmethods,) * 3 + (binary,) * 6 + (method,) * 5 + (numpy_function,) * 2


def draw(dice: Dice) -> Call:
    """A call of one of these."""
    return dice.among(DRAWS)(dice)
