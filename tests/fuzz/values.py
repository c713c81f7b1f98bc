"""Arguments: numbers in every dress that NumPy has, numbers that cannot be, and things that are no numbers."""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import random
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property  # noqa: TID251 - nobody forks here
from typing import Any

import numpy as np

GOOD, TYPE, VALUE, ANY, MAYBE = "good", "type", "value", "any", "maybe"


class Dice:
    """Everything random about one call, from its seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.plain = random.Random(seed)
        self.random, self.chance_ = self.plain.random, self.plain.random

    @cached_property
    def numbers(self) -> np.random.Generator:
        """A generator of numbers for arrays."""
        return np.random.default_rng(self.seed)

    def chance(self, p: float) -> bool:
        return self.random() < p

    def pick(self, *things: Any) -> Any:
        return things[int(self.random() * len(things))]

    def among(self, things: Sequence[Any]) -> Any:
        return things[int(self.random() * len(things))]

    def below(self, n: int) -> int:
        return int(self.random() * n)

    def normal(self, *shape: int) -> np.ndarray:
        return self.numbers.standard_normal(shape)


@dataclass
class Given:
    """One argument.

    Attributes:
        value: what is passed.
        plain: the same numbers, float64, native, contiguous; None where the value is no array of numbers.
        flaw: ``good``; ``type`` or ``value``: refused, by an error of that kind; ``any``: by any; ``maybe``: perhaps.
        finite: whether all numbers in it are.
        wild: whether some are so large or small that the function may say that its result overflows.
    """

    value: Any
    plain: Any = None
    flaw: str = GOOD
    finite: bool = True
    wild: bool = False

    @property
    def calm(self) -> bool:
        """True if there is no reason to refuse it."""
        return self.flaw == GOOD and not self.wild


# ------------------------------------------------------------------------------------------------------- other dresses


class OwnArray(np.ndarray):
    """A subclass of NumPy's array, as users write."""


def unaligned(x: np.ndarray) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    result = raw[1:].view(x.dtype).reshape(x.shape) if x.nbytes else x.copy()
    result[...] = x
    return result


def backwards(x: np.ndarray) -> np.ndarray:
    return x[::-1].copy()[::-1] if x.ndim else x.copy()


def all_backwards(x: np.ndarray) -> np.ndarray:
    flip = (slice(None, None, -1),) * x.ndim
    return x[flip].copy()[flip]


def strided(x: np.ndarray) -> np.ndarray:
    if not x.ndim:
        return x.copy()
    result = np.full((*x.shape[:-1], 2 * x.shape[-1]), 7e77)[..., ::2]
    result[...] = x
    return result


def spread(x: np.ndarray) -> np.ndarray:
    """Return a view with gaps: every third entry of the first axis of a larger array."""
    if not x.ndim:
        return x.copy()
    result = np.full((3 * x.shape[0], *x.shape[1:]), -7e77)[1::3]
    result[...] = x
    return result


def read_only(x: np.ndarray) -> np.ndarray:
    result = x.copy()
    result.flags.writeable = False
    return result


def own_array(x: np.ndarray) -> np.ndarray:
    return x.copy().view(OwnArray)


def big_unaligned(x: np.ndarray) -> np.ndarray:
    return unaligned(x.astype(">f8"))


def nested_tuple(x: np.ndarray) -> Any:
    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return frozen(x.tolist())


def list_of_arrays(x: np.ndarray) -> Any:
    return list(x.copy()) if x.ndim else float(x)


class HasArray:
    """An object that NumPy can convert by its ``__array__``."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values if dtype is None else self.values.astype(dtype)

    def __repr__(self) -> str:
        return f"HasArray({self.values!r})"


# Other forms of an array that hold exactly the same numbers.
DRESSES: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda x: x.astype(">f8"),
    lambda x: x.astype(">f8"),
    unaligned,
    unaligned,
    big_unaligned,
    lambda x: np.array(x, order="F"),
    backwards,
    all_backwards,
    strided,
    spread,
    read_only,
    own_array,
    lambda x: x.tolist(),
    nested_tuple,
    list_of_arrays,
    lambda x: x.astype(np.longdouble),
    HasArray,
    lambda x: memoryview(x) if x.size else x.copy(),
)
# Types that round, so that the plain copy is rounded as well.
ROUNDINGS = ("<f4", ">f4", "<f2", ">i4", "<i8", "<i2", "<u8", ">u8", "u1", "i1")


def finished(x: np.ndarray) -> np.ndarray:
    return np.array(x, dtype=np.float64, order="C")


def dressed(dice: Dice, x: np.ndarray, may_round: bool = False, often: float = 0.5) -> Given:
    """Good numbers, as they are or in another dress; they may be rounded where any numbers will do."""
    x = finished(x)
    if not dice.chance(often):
        return Given(x, x)
    if may_round and dice.chance(0.3):
        dtype = np.dtype(dice.among(ROUNDINGS))
        if dtype.kind == "u":
            x = np.abs(x)
        if dtype.kind in "iu":
            x = np.clip(np.rint(x), -100, 100)
        value = np.clip(x, -6e4, 6e4).astype(dtype)
        value = value.tolist() if dtype.kind in "iu" and x.size and dice.chance(0.3) else value
        return Given(value, finished(value))
    if x.ndim and x.shape[0] > 1 and may_round and dice.chance(0.1):
        x = np.broadcast_to(x[:1], x.shape)
        return Given(x, finished(x))
    value = dice.among(DRESSES)(x)
    return Given(value, x) if x.size or isinstance(value, np.ndarray) else Given(x, x)  # empty lists lose their shape


# -------------------------------------------------------------------------------------------------------- wrong numbers

EXTREMES = (
    1e308,
    -1e308,
    1.7976931348623157e308,
    1e200,
    -1e160,
    1e155,
    1e100,
    1e80,
    1e-80,
    1e-155,
    1e-308,
    5e-324,
    -0.0,
    0.0,
    1e16,
    1e-16,
    2.0**53 + 2.0,
)


def wild(dice: Dice, x: np.ndarray) -> Given:
    """Numbers at the ends of float64, in some places or as a factor of all."""
    x = finished(x)
    if not x.size:
        return Given(x, x)
    kind = dice.below(4)
    with np.errstate(all="ignore"):
        if kind == 0:
            x = x * dice.among(EXTREMES)
        elif kind == 1:
            x = np.full(x.shape, dice.among(EXTREMES))
        else:
            flat = x.reshape(-1)
            for _ in range(1 + dice.below(3)):
                flat[dice.below(x.size)] = dice.among(EXTREMES)
    x = np.nan_to_num(x, nan=0.0, posinf=1.7e308, neginf=-1.7e308)
    return Given(x, x, wild=True)


def not_finite(dice: Dice, x: np.ndarray) -> Given:
    x = finished(x)
    if not x.size:
        return Given(x, x)
    x.reshape(-1)[dice.below(x.size)] = dice.pick(np.nan, np.inf, -np.inf)
    given = dressed(dice, x)
    return Given(given.value, x, VALUE, finite=False)


def misshapen(dice: Dice, x: np.ndarray, core: int) -> Given:
    """Return an array whose last ``core`` axes have a wrong shape."""
    x = finished(x)
    if core == 0 or not x.ndim:  # any shape will do
        return not_finite(dice, x)
    kind = dice.below(5)
    if kind == 0:
        y = x[..., :-1]
    elif kind == 1:
        y = np.concatenate([x, x[..., :1]], axis=-1) if x.shape[-1] else x[..., None]
    elif kind == 2:
        y = x.reshape(-1)[: dice.below(3)] if x.size else np.zeros(1)
        y = y[:0] if y.shape == x.shape else y
    elif kind == 3:
        y = x[..., None]
    else:
        y = np.zeros(dice.pick((0,), (1, 0), (2, 0, 3), ()))
    y = finished(y)
    if y.shape[y.ndim - core :] == x.shape[x.ndim - core :] and y.ndim >= core:
        return Given(y, y, MAYBE)
    return Given(y, y, VALUE)


# ---------------------------------------------------------------------------------------------------------- wrong types


def itself() -> list[Any]:
    things: list[Any] = [1.0]
    things.append(things)
    return things


def deep() -> Any:
    thing: Any = 1.0
    for _ in range(100):
        thing = [thing]
    return thing


def masked(x: np.ndarray) -> Any:
    hidden = np.zeros(x.shape, bool)
    hidden.reshape(-1)[:1] = True
    return np.ma.array(x, mask=hidden)


def with_one(x: np.ndarray, thing: Any) -> np.ndarray:
    y = x.astype(object)
    if y.size:
        y.reshape(-1)[-1] = thing
    return y


def structured(x: np.ndarray) -> np.ndarray:
    y = np.zeros(x.shape, dtype=[("a", float), ("b", int)])
    y["a"] = x
    return y


def generator(x: np.ndarray) -> Any:
    return (value for value in x.reshape(-1).tolist())


class Nothing:
    """A class that the package does not know."""


# Objects that are no array of numbers, whatever shape is asked for.
NO_NUMBERS: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda x: None,
    lambda x: dict,
    lambda x: np.ndarray,
    lambda x: Nothing,
    lambda x: Nothing(),
    lambda x: "abc",
    lambda x: b"abc",
    lambda x: "1.0",
    lambda x: "x" * 100_000,
    lambda x: {},
    lambda x: {"a": 1.0},
    lambda x: {1.0, 2.0},
    generator,
    lambda x: len,
    lambda x: lambda: 0,
    lambda x: Ellipsis,
    lambda x: NotImplemented,
    lambda x: types,
    lambda x: 1j,
    lambda x: x + 1j,
    lambda x: x.astype(str),
    lambda x: x.astype(bytes),
    lambda x: x.astype(str).tolist(),
    lambda x: with_one(x, "1.0"),
    lambda x: with_one(x, None),
    lambda x: with_one(x, 1j),
    lambda x: with_one(x, {}),
    lambda x: with_one(x, [1.0]),
    structured,
    masked,
    lambda x: (np.abs(np.nan_to_num(x)) % 1000).astype("M8[s]"),
    lambda x: (np.abs(np.nan_to_num(x)) % 1000).astype("m8[s]"),
    lambda x: [[1.0, 2.0], [3.0]],
    lambda x: [1.0, [2.0, 3.0]],
    lambda x: [[[1.0], 2.0], 3.0],
    lambda x: [None] * 3,
    lambda x: itself(),
    lambda x: deep(),
    lambda x: datetime.datetime(2020, 1, 1),
)
# Objects that may be taken for numbers, or refused.
PERHAPS: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda x: x.astype(object),
    lambda x: x > 0,
    lambda x: (x > 0).tolist(),
    lambda x: np.ma.array(x),
    lambda x: with_one(x, fractions.Fraction(1, 3)),
    lambda x: with_one(x, decimal.Decimal("0.1")),
    lambda x: with_one(x, 3),
    lambda x: with_one(x, 10**400),
    lambda x: with_one(x, -(10**30)),
    lambda x: with_one(x, np.float32(0.5)),
    lambda x: with_one(x, True),
    lambda x: with_one(x, float("nan")),
    lambda x: 10**400,
    lambda x: -(10**400),
    lambda x: [10**400] * 3,
    lambda x: 10**30,
    lambda x: True,
    lambda x: 0,
    lambda x: float("nan"),
    lambda x: fractions.Fraction(1, 2),
    lambda x: decimal.Decimal("NaN"),
    lambda x: [],
    lambda x: (),
    lambda x: np.zeros(0, dtype=str),
    lambda x: np.zeros((0, 3), dtype=object),
    lambda x: np.float64(0.5),
    lambda x: np.longdouble("1e4000"),
    lambda x: np.full(x.shape, np.longdouble("1e4000")),
    lambda x: np.full(x.shape, np.longdouble("1e-4000")),
    lambda x: np.full(x.shape, 2**64 - 1, dtype=np.uint64),
    lambda x: np.full(x.shape, -(2**63), dtype=np.int64),
    lambda x: np.full(x.shape, np.finfo(np.float16).max, dtype=np.float16),
    lambda x: np.zeros((1,) * 32),
    lambda x: np.matrix(x) if x.ndim <= 2 and x.size else x,
    lambda x: array.array("d", x.reshape(-1).tolist()),
    lambda x: bytearray(b"\x01\x02\x03"),
    lambda x: range(3),
    lambda x: np.recarray(x.shape, dtype=[("a", float)]),
    lambda x: np.zeros(100_000),
    lambda x: [float(k) for k in range(20_000)],
)


def wrong_type(dice: Dice, x: np.ndarray, none_is_good: bool = False) -> Given:
    """Something that is no array of numbers, or none for sure."""
    x = finished(x)
    if dice.chance(0.4):
        return Given(dice.among(PERHAPS)(x), None, MAYBE)
    make = dice.among(NO_NUMBERS)
    value = make(x)
    if value is None and none_is_good:
        return Given(None, None, MAYBE)
    if not x.size:
        return Given(value, None, MAYBE)
    return Given(value, None, TYPE)


# ------------------------------------------------------------------------------------------------ other kinds of arguments

THINGS: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    10**400,
    -(10**400),
    2**63,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    1j,
    "",
    "abc",
    "x" * 5000,
    b"abc",
    (),
    [],
    [1],
    {},
    {"a": 1},
    dict,
    Nothing,
    len,
    Ellipsis,
    NotImplemented,
    types,
    np.float64(0.5),
    np.int64(2),
    np.uint8(3),
    np.bool_(True),
    np.array(2),
    np.array([2]),
    np.array([1.0, 2.0]),
    np.array("ncp"),
    np.array(["ncp", "ccp"]),
    np.zeros((3, 3)),
    np.zeros(0),
    fractions.Fraction(1, 2),
    decimal.Decimal("0.1"),
    frozenset(),
    range(2),
    slice(None),
    object,
    "\ud800",
    "a\nb",
    np.str_("xy"),
    [["abc"]],
    [None],
    ("world",),
    np.datetime64("2020-01-01"),
    np.ma.masked,
)


def thing(dice: Dice) -> Any:
    """Draw any object."""
    if dice.chance(0.05):
        return dice.pick(Nothing(), generator(np.zeros(3)), masked(np.zeros(3)), itself(), deep())
    return dice.among(THINGS)


# --------------------------------------------------------------------------------------------------------------- as text


LABELS: dict[int, str] = {}  # what reports call the models and problems that all calls share, by their id


def show(value: Any, most: int = 400) -> str:
    """An expression for a report."""
    if id(value) in LABELS:
        return LABELS[id(value)]
    if type(value) is np.ndarray or isinstance(value, OwnArray):
        numbers = value.tolist() if value.size <= 80 else f"<{value.shape} numbers>"
        text = f"np.array({numbers}, {value.dtype.str!r})"
        flags = value.flags
        marks = [("unaligned", not flags.aligned), ("read-only", not flags.writeable)]
        marks += [(f"strides {value.strides}", not flags.c_contiguous), ("subclass", type(value) is not np.ndarray)]
        text += "".join(f" #{word}#" for word, true in marks if true)
    else:
        try:
            text = repr(value)
        except Exception as error:
            text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= most else f"{text[: most - 20]} ...{len(text)} characters"
