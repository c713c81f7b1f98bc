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
from tests.fuzz.values import show

LONGEST = 600  # characters of a message
KINDS = {"type": TypeError, "value": (ValueError, ArithmeticError, KeyError)}


@dataclass
class Call:
    """One call of a public function.

    Attributes:
        name: what it is called in the package, ``spatial.crm``.
        function: itself.
        named: its arguments.
        flaw: of one of them: "" for none, ``type`` or ``value``: refused, by an error of that kind; ``maybe``: perhaps.
        plain: the same arguments, float64, native, contiguous, whose result is the same; None where there is no such thing.
        exact: whether it is the same to the bit; otherwise to rounding.
        finite: whether the result has to be.
        says: what a message has to contain.
        check: complaints about a result of good arguments.
        raises: errors that are in order besides those of the package.
    """

    name: str
    function: Callable[..., Any]
    named: dict[str, Any] = field(default_factory=dict)
    flaw: str = ""
    plain: dict[str, Any] | None = None
    exact: bool = True
    finite: bool = True
    says: str = ""
    check: Callable[[Any], list[str]] | None = None
    raises: tuple[type[BaseException], ...] = ()

    def text(self) -> str:
        """Return the call as one would write it."""
        return f"{self.name}({', '.join(f'{name}={show(value)}' for name, value in self.named.items())})"


def arrays_in(value: Any, depth: int = 0) -> Iterator[np.ndarray]:
    """All arrays of floats that a result holds; models, which may have no limits, are none."""
    if isinstance(value, (np.ndarray, np.floating, float)):
        yield from [np.asarray(value)] if np.asarray(value).dtype.kind in "fc" else []
    elif scipy.sparse.issparse(value):
        yield value.data
    elif hasattr(value, "_values"):
        yield value._values
    elif depth < 4 and not isinstance(value, (Model, type)):
        parts: Any = value if isinstance(value, (tuple, list)) else value.values() if isinstance(value, dict) else ()
        if dataclasses.is_dataclass(value):
            parts = [getattr(value, part.name) for part in dataclasses.fields(value)]
        for part in parts:
            yield from arrays_in(part, depth + 1)


def frozen(value: Any) -> Any:
    """Return a copy of what identifies an argument before a call, to be compared with that after it."""
    if isinstance(value, np.ndarray) and value is not np.ma.masked and not value.dtype.hasobject:
        base = value.base if isinstance(value.base, np.ndarray) else value
        return value.shape, value.strides, value.dtype, value.flags.writeable, base.tobytes()
    if isinstance(value, (list, dict)):
        return repr(value) if len(value) < 500 else len(value)
    if hasattr(value, "indptr"):
        return value.shape, value.data.tobytes(), value.indices.tobytes(), value.indptr.tobytes()
    return None


def close(a: Any, b: Any, tolerance: float, scale: float = 0.0) -> bool:
    """Return whether two arrays agree, relative to their largest number or a scale."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or not a.size:
        return a.shape == b.shape
    with np.errstate(all="ignore"):
        size = max(np.abs(a).max(), np.abs(b).max(), scale, 1e-300)
        return bool(np.abs(a / size - b / size).max() <= tolerance)


def same(a: Any, b: Any, exact: bool) -> bool:
    """Return whether two results have the same numbers: to the bit if ``exact``, otherwise to rounding."""
    pairs = list(zip(arrays_in(a), arrays_in(b), strict=True))
    return all(x.shape == y.shape and (np.array_equal(x, y) or (not exact and close(x, y, 1e-9))) for x, y in pairs)


def judge(call: Call) -> tuple[str, list[str]]:
    """Make the call: what came, in a word, and complaints, none if all is well."""
    before = {name: frozen(value) for name, value in call.named.items()}
    error, result = None, None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = call.function(**call.named)
        except Exception as caught:
            error = caught
        try:
            wrong = of_error(call, error) if error is not None else of_result(call, result)
        except Exception as caught:
            wrong = [f"its result or error cannot be checked: {type(caught).__name__}: {caught}"]
    # that a result does not exist is found in a batch when parts of it are written
    late = isinstance(error, SingularInertiaError) or "overflows" in str(error)
    for name, value in call.named.items():
        written = name == "out" and (error is None or late)
        if before[name] is not None and not written and frozen(value) != before[name]:
            wrong.append(f"changes {name}" + (" before an error" if error else ""))
    return ("error" if error is not None else "result"), wrong


def of_error(call: Call, error: Exception) -> list[str]:
    """Complaints about an error."""
    text = str(error)
    what = f"{type(error).__name__}: {text[:300]}"
    if isinstance(error, call.raises) or (call.flaw == "maybe" and isinstance(error, SimulationWarning)):
        return []  # motions of a batch failed, and the others went on
    if not isinstance(error, pluecker.PlueckerError):
        return [f"raises {what}"]
    wrong = [] if call.flaw else [f"refuses good arguments: {what}"]
    if call.flaw in KINDS and not isinstance(error, KINDS[call.flaw]):  # type: ignore[arg-type]
        wrong.append(f"a {call.flaw} is wrong, but it raises {what}")
    if len(text) > LONGEST:
        wrong.append(f"a message of {len(text)} characters: {what}")
    if call.says not in text:
        wrong.append(f"the message does not name {call.says}: {what}")
    return wrong


def of_result(call: Call, result: Any) -> list[str]:
    """Complaints about a result."""
    arrays, out = list(arrays_in(result)), call.named.get("out")
    given = [value for value in call.named.values() if isinstance(value, np.ndarray)]
    if call.flaw in KINDS and any(numbers.size for numbers in arrays):
        return [f"accepts a wrong {call.flaw}, result {show(result, 100)}"]
    wrong = []
    if call.finite and not all(np.isfinite(numbers).all() for numbers in arrays):
        wrong.append(f"result is not finite: {show(result)}")
    if any(numbers.dtype != np.float64 for numbers in arrays):
        wrong.append(f"result is of {[numbers.dtype for numbers in arrays]}")
    if isinstance(out, np.ndarray) and result is not out:
        wrong.append("the result is not out")
    if out is None and any(x.flags.writeable and np.may_share_memory(x, y) for x in arrays for y in given):
        wrong.append("the result shares memory with an argument")
    if not wrong and call.plain is not None and not same(result, call.function(**call.plain), call.exact):
        wrong.append(f"native numbers give something else than {show(result)}")
    return wrong + (call.check(result) if call.check is not None and not wrong and call.flaw != "maybe" else [])
