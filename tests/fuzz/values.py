"""Arguments: the same numbers in every form that NumPy has, numbers that cannot be, and things that are no numbers."""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import random
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.layouts import big_endian, read_only, unaligned


class Dice:
    """Everything random about one call, from its seed."""

    def __init__(self, seed: int) -> None:
        self.plain = random.Random(seed)
        self.random = self.plain.random
        self.rng = np.random.default_rng(seed)

    def chance(self, p: float) -> bool:
        return self.random() < p

    def pick(self, *things: Any) -> Any:
        return self.among(things)

    def among(self, things: Sequence[Any]) -> Any:
        return things[self.below(len(things))]

    def below(self, n: int) -> int:
        return int(self.random() * n)

    def normal(self, *shape: int) -> np.ndarray:
        return self.rng.standard_normal(shape)


# -------------------------------------------------------------------------------------------------------- other forms


class OwnArray(np.ndarray):
    """A subclass of NumPy's array, as users write."""


class HasArray:
    """An object that NumPy can convert by its ``__array__``."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values if dtype is None else self.values.astype(dtype)


def backwards(x: np.ndarray) -> np.ndarray:
    flip = (slice(None, None, -1),) * x.ndim
    return x[flip].copy()[flip]


def with_gaps(x: np.ndarray) -> np.ndarray:
    """Return a view that has every second number of its last axis, and every third row."""
    if not x.ndim:
        return x.copy()
    result = np.full((3 * x.shape[0], *x.shape[1:-1], 2 * x.shape[-1]) if x.ndim > 1 else 2 * x.size, 7e77)
    result = result[1::3, ..., ::2] if x.ndim > 1 else result[::2]
    result[...] = x
    return result


def nested_tuple(x: np.ndarray) -> Any:
    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return frozen(x.tolist())


FORMS: tuple[Callable[[np.ndarray], Any], ...] = (  # which hold exactly the same numbers
    big_endian,
    lambda x: unaligned(big_endian(x)),
    lambda x: np.array(x, order="F"),
    lambda x: x.copy().view(OwnArray),
    lambda x: x.tolist(),
    lambda x: list(x.copy()) if x.ndim else float(x),
    lambda x: x.astype(np.longdouble),
    lambda x: memoryview(x),
    *(unaligned, backwards, with_gaps, read_only, nested_tuple, HasArray),
)


def other_form(dice: Dice, x: np.ndarray) -> Any:
    """Return the same numbers in another form; empty lists would lose their shape, so that arrays without entries stay."""
    return dice.among(FORMS)(x) if x.size else x


# -------------------------------------------------------------------------------------------------------- wrong numbers

EXTREMES = (
    1e308, -1e308, 1.7976931348623157e308, 1e200, -1e160, 1e155, 1e100, 1e80, 1e-80, 1e-155, 1e-308, 5e-324, -0.0, 0.0,
    1e16, 1e-16, 2.0**53 + 2.0,
)  # fmt: skip


def wild(dice: Dice, x: np.ndarray) -> np.ndarray:
    """Numbers at the ends of float64, in some places or as a factor of all."""
    x, kind = x.copy(), dice.below(4)
    with np.errstate(all="ignore"):
        if kind == 0:
            x = x * dice.among(EXTREMES)
        elif kind == 1:
            x = np.full(x.shape, dice.among(EXTREMES))
        elif x.size:
            for _ in range(kind):
                x.reshape(-1)[dice.below(x.size)] = dice.among(EXTREMES)
    return np.nan_to_num(x, nan=0.0, posinf=1.7e308, neginf=-1.7e308)


def not_finite(dice: Dice, x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.reshape(-1)[dice.below(x.size)] = dice.pick(np.nan, np.inf, -np.inf)
    return x


def misshapen(dice: Dice, x: np.ndarray) -> np.ndarray:
    """Numbers in another shape, which the function may take or not."""
    more = np.concatenate([x, x[..., :1]], axis=-1) if x.ndim and x.shape[-1] else x[..., None]
    zeros = np.zeros(dice.pick((0,), (1, 0), (2, 0, 3), ()))
    return dice.pick(x[..., :-1] if x.ndim else x[None], more, x.reshape(-1)[: dice.below(3)], x[..., None], zeros)


# ---------------------------------------------------------------------------------------------------------- wrong types


class Nothing:
    """A class that the package does not know."""


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


NO_NUMBERS: tuple[Callable[[np.ndarray], Any], ...] = (  # whatever shape is asked for
    *(lambda x, thing=thing: thing for thing in (
        dict, np.ndarray, Nothing, Nothing(), "abc", b"abc", "1.0", "x" * 100_000, {}, {"a": 1.0}, {1.0, 2.0}, len,
        Ellipsis, NotImplemented, types, 1j, [[1.0, 2.0], [3.0]], [1.0, [2.0, 3.0]], [[[1.0], 2.0], 3.0], [None] * 3,
        datetime.datetime(2020, 1, 1),
    )),
    *(lambda x, thing=thing: with_one(x, thing) for thing in ("1.0", None, 1j, {}, [1.0])),
    *(lambda x, kind=kind: (np.abs(np.nan_to_num(x)) % 1000).astype(kind) for kind in ("M8[s]", "m8[s]")),
    lambda x: x + 1j,
    lambda x: x.astype(str),
    lambda x: x.astype(bytes),
    lambda x: x.astype(str).tolist(),
    lambda x: np.zeros(x.shape, dtype=[("a", float), ("b", int)]),
    lambda x: (value for value in x.reshape(-1).tolist()),
    lambda x: itself(),
    lambda x: deep(),
    masked,
)  # fmt: skip
PERHAPS: tuple[Callable[[np.ndarray], Any], ...] = (  # which may be taken for numbers, or refused
    *(lambda x, thing=thing: thing for thing in (
        10**400, -(10**400), [10**400] * 3, 10**30, True, 0, float("nan"), fractions.Fraction(1, 2),
        decimal.Decimal("NaN"), [], (), np.zeros(0, dtype=str), np.zeros((0, 3), dtype=object), np.float64(0.5),
        np.longdouble("1e4000"), np.zeros((1,) * 32), bytearray(b"\x01\x02\x03"), range(3), np.zeros(100_000),
        20_000 * [0.5],
    )),
    *(lambda x, thing=thing: with_one(x, thing) for thing in (
        fractions.Fraction(1, 3), decimal.Decimal("0.1"), 3, 10**400, -(10**30), np.float32(0.5), True, float("nan"),
    )),
    *(lambda x, thing=thing: np.full(x.shape, thing) for thing in (
        np.longdouble("1e4000"), np.longdouble("1e-4000"), np.uint64(2**64 - 1), np.int64(-(2**63)), np.float16(65504),
    )),
    lambda x: x.astype(object),
    lambda x: x > 0,
    lambda x: (x > 0).tolist(),
    lambda x: np.ma.array(x),
    lambda x: np.matrix(x) if x.ndim <= 2 and x.size else x,
    lambda x: array.array("d", x.reshape(-1).tolist()),
    lambda x: np.recarray(x.shape, dtype=[("a", float)]),
)  # fmt: skip
THINGS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 10**400, -(10**400), 2**63, 0.5, -0.0, 1e308, float("nan"), float("inf"), 1j, "",
    "abc", "x" * 5000, b"abc", (), [], [1], {}, {"a": 1}, dict, Nothing, len, Ellipsis, NotImplemented, types,
    np.float64(0.5), np.int64(2), np.uint8(3), np.bool_(True), np.array(2), np.array([2]), np.array([1.0, 2.0]),
    np.array("ncp"), np.array(["ncp", "ccp"]), np.zeros((3, 3)), np.zeros(0), fractions.Fraction(1, 2),
    decimal.Decimal("0.1"), frozenset(), range(2), slice(None), object, "\ud800", "a\nb", np.str_("xy"), [["abc"]],
    [None], ("world",), np.datetime64("2020-01-01"), np.ma.masked, Nothing(), masked(np.zeros(3)), itself(), deep(),
)  # fmt: skip


def thing(dice: Dice) -> Any:
    """Draw any object."""
    return dice.among(THINGS)


def show(value: Any, most: int = 300) -> str:
    """An expression for a report."""
    if type(value) is np.ndarray:
        value = f"np.array({value.tolist() if value.size <= 80 else value.shape}, {value.dtype.str!r})"
    try:
        text = value if isinstance(value, str) and value.startswith("np.array") else repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= most else f"{text[:most]} ... {len(text)} characters"
