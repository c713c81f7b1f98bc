"""A call, and complaints about what came of it."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse

import pluecker
from pluecker.articulated import Model, SimulationWarning, SingularInertiaError
from tests.fuzz.values import ANY, GOOD, MAYBE, TYPE, VALUE, Given, show

LONGEST = 600  # characters of a message


@dataclass
class Call:
    """One call of a public function.

    Attributes:
        area: which module made it.
        name: what it is called in the package, ``spatial.crm``.
        function: itself.
        args: in order.
        named: keyword arguments.
        out: the array that is to be written to, if one is given that is good.
        exact: whether the same numbers in another dress give the same bits; otherwise to rounding.
        check: complaints about a result of good arguments.
        may_fail: errors that are in order for good arguments.
        infinite: whether the result may hold infinities.
        also: other functions of which a message may be.
        says: what a message has to contain; the last part of the name unless given; None for nothing.
    """

    area: str
    name: str
    function: Callable[..., Any]
    args: list[Given] = field(default_factory=list)
    named: dict[str, Given] = field(default_factory=dict)
    out: np.ndarray | None = None
    exact: bool = True
    check: Callable[[Any], list[str]] | None = None
    may_fail: bool = False
    infinite: bool = False
    says: str | None = ""
    compare: bool = True
    raises: tuple[type[BaseException], ...] = ()
    also: tuple[str, ...] = ()

    @property
    def given(self) -> list[Given]:
        return [*self.args, *self.named.values()]

    def text(self) -> str:
        """Return the call as one would write it."""
        words = [show(given.value) for given in self.args]
        words += [f"{name}={show(given.value)}" for name, given in self.named.items()]
        return f"{self.name}({', '.join(words)})"


# --------------------------------------------------------------------------------------------------------- what it sees


def arrays_in(value: Any, depth: int = 0) -> Iterator[np.ndarray]:
    """All arrays of floats that a result holds."""
    if isinstance(value, Model):
        return  # which was given, and may have no limits
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            yield value
    elif isinstance(value, (float, np.floating)):
        yield np.asarray(value)
    elif scipy.sparse.issparse(value):
        yield value.data
    elif depth < 4:
        if isinstance(value, (tuple, list)):
            for part in value:
                yield from arrays_in(part, depth + 1)
        elif isinstance(value, dict):
            for part in value.values():
                yield from arrays_in(part, depth + 1)
        elif hasattr(value, "_values"):
            yield value._values
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for part in dataclasses.fields(value):
                yield from arrays_in(getattr(value, part.name), depth + 1)


def frozen(value: Any) -> Any:
    """Return a copy of what identifies an argument before a call, to be compared with that after it."""
    if value is np.ma.masked:
        return None
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return value.shape, value.dtype, [id(x) for x in value.reshape(-1)]
        base = value.base if isinstance(value.base, np.ndarray) else value
        mask = None if not isinstance(value, np.ma.MaskedArray) else np.ma.getmaskarray(value).tobytes()
        return value.shape, value.strides, value.dtype, value.flags.writeable, base.tobytes(), mask
    if isinstance(value, (list, dict)):
        return repr(value) if len(value) < 500 else len(value)
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, memoryview):
        return value.tobytes()
    if hasattr(value, "values") and isinstance(getattr(value, "values", None), np.ndarray):
        return value.values.tobytes()
    if scipy.sparse.issparse(value) and hasattr(value, "indptr"):
        return value.shape, value.data.tobytes(), value.indices.tobytes(), value.indptr.tobytes()
    return None


def same(a: Any, b: Any, exact: bool) -> bool:
    """Return whether two results are the same: to the bit if ``exact``, otherwise to rounding."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y, exact) for x, y in zip(a, b, strict=True))
    if isinstance(a, (np.ndarray, np.generic)):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if exact or a.dtype.kind not in "fc":
            return a.tobytes() == b.tobytes() or np.array_equal(a, b)
        return close(a, b, 1e-9)
    if hasattr(a, "_values"):
        return same(a._values, b._values, exact)
    return True


def close(a: Any, b: Any, tolerance: float, scale: Any = 0.0) -> bool:
    """Return whether two arrays agree, relative to their largest number or a scale."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if not a.size:
        return True
    with np.errstate(all="ignore"):
        size = max(np.abs(a).max(), np.abs(b).max(), np.max(scale), 1e-300)
        return bool(np.abs(a / size - b / size).max() <= tolerance)


# ------------------------------------------------------------------------------------------------------------- the judge

NAMES: set[str] = set()


def public_names() -> set[str]:
    if not NAMES:
        for package in (pluecker.spatial, pluecker.course, pluecker.articulated, pluecker.contact):
            NAMES.update(name for name in package.__all__ if name.islower())
        for module in (pluecker.course.planar, pluecker.spatial.shapes, pluecker.course.two_body):
            NAMES.update(module.__all__)
    return NAMES


def judge(call: Call) -> tuple[str, list[str]]:
    """Make the call: what came, in a word, and complaints, none if all is well."""
    before = [frozen(given.value) for given in call.given]
    old = None if call.out is None else call.out.copy()
    error, result = None, None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = call.function(
                *[given.value for given in call.args], **{name: given.value for name, given in call.named.items()}
            )
        except Exception as caught:
            error = caught
        try:
            wrong = of_error(call, error) if error is not None else of_result(call, result)
        except Exception as caught:
            wrong = [f"what it gives cannot be checked: {type(caught).__name__}: {caught}"]
    # that a result does not exist is found in a batch when parts of it are written
    late = isinstance(error, SingularInertiaError) or "overflows" in str(error)
    if error is not None and not late and old is not None and old.tobytes() != call.out.tobytes():  # type: ignore[union-attr]
        wrong.append("out was changed before an error")
    for given, state in zip(call.given, before, strict=True):
        if state is not None and given.value is not call.out and frozen(given.value) != state:
            wrong.append(f"changes its argument {show(given.value, 80)}")
    return ("error" if error is not None else "result"), wrong


def of_error(call: Call, error: Exception) -> list[str]:
    """Complaints about an error."""
    try:
        text = str(error)
    except Exception as caught:
        return [f"{type(error).__name__} whose text raises {type(caught).__name__}"]
    what = f"{type(error).__name__}: {text[:300]}"
    if isinstance(error, SimulationWarning) and call.may_fail:  # motions of a batch failed, and the others went on
        return []
    if isinstance(error, Warning):
        return [f"warning {what}"]
    if call.raises and isinstance(error, call.raises):
        return []
    if not isinstance(error, pluecker.PlueckerError):
        return [f"raises {what}"]
    flaws = [given.flaw for given in call.given if given.flaw != GOOD]
    wrong = []
    if not flaws and not call.may_fail and not any(given.wild for given in call.given):
        wrong.append(f"refuses good arguments: {what}")
    kinds = {TYPE: TypeError, VALUE: (ValueError, ArithmeticError, KeyError)}
    if len(flaws) == 1 and not call.may_fail and flaws[0] in kinds and not isinstance(error, kinds[flaws[0]]):  # type: ignore[arg-type]
        wrong.append(f"a {flaws[0]} is wrong, but it raises {what}")
    if len(text) > LONGEST:
        wrong.append(f"a message of {len(text)} characters: {what}")
    own = call.name.rsplit(".", 1)[-1]
    says = own if call.says == "" else call.says
    if says and says not in text:
        wrong.append(f"the message does not name {says}: {what}")
    first = text.split(":")[0]
    if first in public_names() and first not in (own, says, *call.also):
        wrong.append(f"the message names {first}: {what}")
    return wrong


def of_result(call: Call, result: Any) -> list[str]:
    """Complaints about a result."""
    wrong = []
    for given in call.given:
        if given.flaw in (TYPE, VALUE, ANY) and any(numbers.size for numbers in arrays_in(result)):
            return [f"accepts {show(given.value, 80)}, result {show(result, 100)}"]
    if all(given.finite for given in call.given) and not call.infinite:
        for numbers in arrays_in(result):
            if not np.isfinite(numbers).all():
                wrong.append(f"result is not finite: {show(numbers, 200)}")
                break
    for numbers in arrays_in(result):
        if numbers.dtype != np.float64 or not numbers.dtype.isnative:
            wrong.append(f"result is of {numbers.dtype}")
        if (
            call.out is None
            and numbers.flags.writeable
            and any(
                isinstance(given.value, np.ndarray) and np.may_share_memory(numbers, given.value)
                for given in call.given
            )
        ):
            wrong.append("the result shares memory with an argument")
    if call.out is not None and result is not call.out:
        wrong.append("the result is not out")
    if wrong or any(given.flaw == MAYBE for given in call.given):
        return wrong
    plain = [given.plain is not None and given.value is not given.plain for given in call.given]
    if call.compare and (any(plain) or call.out is not None):
        args = [given.plain if given.plain is not None else given.value for given in call.args]
        named = {n: given.plain if given.plain is not None else given.value for n, given in call.named.items()}
        if call.out is not None:
            named.pop("out", None)
        if call.out is None or not shares(call.out, [*args, *named.values()]):
            again = call.function(*args, **named)
            if not same(result, again, call.exact):
                wrong.append(f"native numbers give something else: {show(result, 300)} and {show(again, 300)}")
    if call.check is not None:
        wrong += call.check(result)
    return wrong


def shares(out: np.ndarray, others: list[Any]) -> bool:
    return any(isinstance(x, np.ndarray) and np.may_share_memory(out, x) for x in others)
