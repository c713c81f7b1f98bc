"""Exercises that grade themselves: for the notebooks of this package, and for teachers who write their own.

An :class:`Exercise` draws hidden parameters, knows the right answer for them, and knows the mistakes that people make.
:func:`check_exercise` runs a student's function on them and says in words what came of it. It needs only NumPy.

>>> import numpy as np
>>> def area(r):
...     return np.pi * r**2
>>> circle = Exercise(
...     name="the area of a circle",
...     inputs=lambda rng: (rng.uniform(0.5, 2.0),),
...     expected=area,
...     mistakes=((lambda r: 2 * np.pi * r, "This is the circumference."),),
... )
>>> def mine(r): ...
>>> grade = check_exercise(mine, circle)
the area of a circle: not written yet.
>>> def mine(r):
...     return 2 * np.pi * r
>>> grade = check_exercise(mine, circle)
the area of a circle: not right yet. This is the circumference.
>>> def mine(r):
...     return np.pi * r * r
>>> grade = check_exercise(mine, circle)
the area of a circle: right, in all 20 cases.
>>> grade.passed
True
"""

from __future__ import annotations

import copy
import inspect
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Exercise", "Grade", "check_exercise"]

LONGEST = 400  # characters of a value in a message: a 6x6 matrix fits


@dataclass(frozen=True)
class Exercise:
    """One exercise: what is asked for, with parameters that the student does not see.

    Attributes:
        name: what messages begin with.
        inputs: one draw of hidden parameters from a generator, as the tuple of arguments of the student's function.
        expected: the right answer for these arguments: a number, a bool, a str, an array, or a tuple of them. The names of
            its arguments are those that messages show.
        mistakes: functions like ``expected`` that are wrong in a way that is often met, each with a sentence for whoever
            wrote it.
        same: ``same(answer, right, *inputs)``, whether two answers mean the same, for answers that are not unique (a
            sign, the order of a basis). By default numbers are compared.
        cases: how many draws an answer has to be right for.
        rtol: relative tolerance of numbers, of the largest number in an array.
        atol: absolute tolerance of numbers.

    Raises:
        TypeError, ValueError: no functions where functions are needed, fewer cases than one, negative tolerances.
    """

    name: str
    inputs: Callable[[np.random.Generator], tuple[Any, ...]]
    expected: Callable[..., Any]
    mistakes: tuple[tuple[Callable[..., Any], str], ...] = ()
    same: Callable[..., bool] | None = None
    cases: int = 20
    rtol: float = 1e-9
    atol: float = 1e-9

    def __post_init__(self) -> None:
        functions: dict[str, Any] = {"inputs": self.inputs, "expected": self.expected}
        functions |= {f"mistakes[{k}][0]": wrong for k, (wrong, _) in enumerate(self.mistakes)}
        if self.same is not None:
            functions["same"] = self.same
        for name, function in functions.items():
            if not callable(function):
                refuse_type(f"Exercise: {name} is {function!r}, expected a function")
        if self.cases < 1 or self.rtol < 0.0 or self.atol < 0.0:
            refuse_value(f"Exercise: cases = {self.cases}, rtol = {self.rtol}, atol = {self.atol}: expected >= 1, 0, 0")


@dataclass(frozen=True)
class Grade:
    """Result of grading an exercise.

    Attributes:
        passed: whether all cases were right.
        attempted: whether there was anything to grade; not so if the function is not written yet.
        message: what was printed.
    """

    passed: bool
    attempted: bool
    message: str

    def _ipython_display_(self) -> None:
        """A notebook shows nothing more: the message has been printed"""


def check_exercise(function: Callable[..., Any], exercise: Exercise) -> Grade:
    """Grade a function: run it on the hidden parameters of an exercise, and print in words how it did.

    A function that returns None or ``...``, or raises NotImplementedError, is not written yet. A wrong answer of any kind
    is no error: a wrong type or shape, a number that is wrong, an exception in the function. The message shows the
    parameters of the first case that fails. A mistake that the exercise knows is explained. The same function always has
    the same grade, as the parameters follow from the exercise's name.

    Args:
        function: the student's function.
        exercise: the :class:`Exercise`.

    Returns:
        A :class:`Grade`.

    Raises:
        TypeError: ``function`` cannot be called, ``exercise`` is no Exercise, or its ``inputs`` give no tuple.

    Example: see the head of :mod:`pluecker.teaching`.

    Source: Claessen, Hughes, "QuickCheck: a lightweight tool for random testing of Haskell programs" (2000).
    """
    if not isinstance(exercise, Exercise):
        refuse_type(f"check_exercise: exercise is a {type(exercise).__name__}, expected an Exercise")
    if not callable(function):
        refuse_type(f"check_exercise: function is a {type(function).__name__}, expected a function")
    draws = parameters(exercise)
    answers = [attempt(function, draw) for draw in draws]
    if all(unwritten(x) for x in answers):
        grade = Grade(False, False, f"{exercise.name}: not written yet.")
    else:
        with np.errstate(all="ignore"):
            grade = judge(exercise, draws, answers)
    print(grade.message)
    return grade


def parameters(exercise: Exercise) -> list[tuple[Any, ...]]:
    """Draw the hidden parameters of all cases, the same each time."""
    rng = np.random.default_rng(zlib.crc32(exercise.name.encode()))
    draws = [exercise.inputs(rng) for _ in range(exercise.cases)]
    for draw in draws:
        if not isinstance(draw, tuple):
            refuse_type(
                f"check_exercise: inputs of {exercise.name!r} gave {shown(draw)}, expected a tuple of arguments"
            )
    return draws


def attempt(function: Callable[..., Any], draw: tuple[Any, ...]) -> Any:
    """Call a function with copies of the parameters, which it may change; returns its answer, or the exception."""
    try:
        return function(*copy.deepcopy(draw))
    except Exception as error:
        return error


def unwritten(answer: Any) -> bool:
    """Return whether an answer means that the function is not written yet: None, ``...`` or NotImplementedError."""
    return answer is None or answer is Ellipsis or isinstance(answer, NotImplementedError)


def judge(exercise: Exercise, draws: list[tuple[Any, ...]], answers: list[Any]) -> Grade:
    """Grade answers: right in all cases, one of the known mistakes, or wrong, with words for the first wrong case."""
    rights = [exercise.expected(*copy.deepcopy(draw)) for draw in draws]
    complaints = [complaint(exercise, *case) for case in zip(answers, rights, draws, strict=True)]
    wrong = [k for k, text in enumerate(complaints) if text]
    if not wrong:
        cases = f"in all {exercise.cases} cases" if exercise.cases > 1 else "in the one case there is"
        return Grade(True, True, f"{exercise.name}: right, {cases}.")
    for mistake, explanation in (*exercise.mistakes, *slips(exercise)):
        theirs = [attempt(mistake, draw) for draw in draws]
        if not any(complaint(exercise, *case) for case in zip(answers, theirs, draws, strict=True)):
            return Grade(False, True, f"{exercise.name}: not right yet. {explanation}")
    share = (
        f"{len(draws) - len(wrong)} of {len(draws)} cases are right" if len(wrong) < len(draws) else "no case is right"
    )
    where = "".join(f"\n    {name} = {shown(x)}" for name, x in zip(names(exercise), draws[wrong[0]], strict=False))
    return Grade(False, True, f"{exercise.name}: not right yet ({share}). With{where}\n{complaints[wrong[0]]}")


def slips(exercise: Exercise) -> tuple[tuple[Callable[..., Any], str], ...]:
    """Mistakes that can be made in any exercise."""

    def opposite(*draw: Any) -> Any:
        return -np.asarray(exercise.expected(*draw), dtype=float)

    def exchanged(*draw: Any) -> Any:
        x = np.asarray(exercise.expected(*draw), dtype=float)
        if x.shape != (6,):
            raise ValueError
        return np.concatenate([x[3:], x[:3]])

    return (
        (opposite, "All numbers have the opposite sign."),
        (exchanged, "Both halves are right, in the other order: angular parts and moments come first."),
    )


# ------------------------------------------------------------------------------------------------------------ comparison


def complaint(exercise: Exercise, answer: Any, right: Any, draw: tuple[Any, ...]) -> str:
    """Describe what is wrong with an answer, in sentences; empty if nothing is."""
    if isinstance(right, Exception):  # of a mistake that has no answer here
        return "no comparison"
    if isinstance(answer, Exception) and not isinstance(answer, NotImplementedError):
        return f"the function raised {type(answer).__name__}: {shorten(str(answer))}"
    if unwritten(answer):
        return f"the function returned nothing; the answer is {shown(right)}."
    both = f"the function returned {shown(answer)}; the answer is {shown(right)}."
    if exercise.same is None:
        return difference(exercise, answer, right, both)
    try:
        return "" if exercise.same(answer, right, *copy.deepcopy(draw)) else both
    except Exception:  # an answer of another kind, which the exercise's own comparison does not expect
        return both


def difference(exercise: Exercise, answer: Any, right: Any, both: str) -> str:
    """Describe how an answer differs from the right one: in kind, in shape, in value; empty if it does not."""
    if isinstance(right, tuple):
        if not isinstance(answer, tuple | list) or len(answer) != len(right):
            return f"the function returned {shown(answer)}; expected {len(right)} things, separated by commas."
        texts = (difference(exercise, a, b, both) for a, b in zip(answer, right, strict=True))
        return next((text for text in texts if text), "")
    if isinstance(right, str | bool | np.bool_):
        kind = str if isinstance(right, str) else bool | np.bool_
        if not isinstance(answer, kind):
            expected = "a string" if isinstance(right, str) else "True or False"
            return f"the function returned {shown(answer)}; expected {expected}."
        return "" if answer == right else both
    try:
        a, b = np.asarray(answer, dtype=float), np.asarray(right, dtype=float)
    except (TypeError, ValueError):
        return f"the function returned {shown(answer)}, a {type(answer).__name__}; expected numbers."
    if a.shape != b.shape:
        return f"the function returned {kind_of(a)}; expected {kind_of(b)}: the answer is {shown(right)}."
    finite = np.abs(b[np.isfinite(b)])
    scale = finite.max() if finite.size else 0.0
    alike = np.isclose(a, b, rtol=0.0, atol=exercise.atol + exercise.rtol * scale, equal_nan=True)
    return "" if alike.all() else both


# ----------------------------------------------------------------------------------------------------------------- words


def names(exercise: Exercise) -> list[str]:
    """Return the names of the arguments of an exercise, or ``argument 1``, ... where they have none."""
    try:
        found = list(inspect.signature(exercise.expected).parameters)
    except ValueError:  # some functions that are compiled do not say
        found = []
    return [*found, *(f"argument {k + 1}" for k in range(len(found), 20))]


def kind_of(x: np.ndarray) -> str:
    """A number, or an array of some shape."""
    return f"an array of shape {x.shape}" if x.ndim else "a number"


def shown(value: Any) -> str:
    """A value as a student reads it."""
    if isinstance(value, tuple):
        return "(" + ", ".join(shown(x) for x in value) + ")"
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=5, separator=", ", suppress_small=True, threshold=40)
        return shorten(text if value.ndim < 2 else "\n" + text)
    return shorten(f"{value:.10g}" if isinstance(value, float | np.floating) else repr(value))


def shorten(text: str) -> str:
    """Cut a text to :data:`LONGEST` characters."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


# ---------------------------------------------------------------------------------------------------------------- errors


def refuse_type(message: str) -> None:
    """Raise a TypeError of the package, which is imported only then: grading needs NumPy alone."""
    from pluecker.spatial.errors import ArgumentTypeError

    raise ArgumentTypeError(message)


def refuse_value(message: str) -> None:
    """Raise a ValueError of the package, which is imported only then."""
    from pluecker.spatial.errors import ArgumentValueError

    raise ArgumentValueError(message)
