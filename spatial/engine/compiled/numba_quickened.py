"""Temporary changes to Numba and to Python that make compilation take less time, with the same result.

With :mod:`~pluecker.spatial.engine.compiled.numba_internals`, whose table has the reasons,
:mod:`~pluecker.spatial.engine.compiled.numba_passes` and :mod:`~pluecker.spatial.engine.compiled.numba_cache` the only file
with private parts of Numba. Who compiles holds Numba's lock: no other thread meets what is changed here.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any

from numba import types
from numba.core import errors, event, interpreter, ir, lowering, typeinfer, utils

__all__ = ["quickened"]


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Context in which Python collects garbage seldom, and very seldom among all objects.

    What compilation makes stays, and to go through it again and again is more than a tenth of the time to compile.
    """
    before = gc.get_threshold()
    if before[0]:  # else it is not to look at all
        gc.set_threshold(*map(max, before, SELDOM))
    try:
        yield
    finally:
        gc.set_threshold(*before)


SELDOM = 20_000, 50, 100


@contextlib.contextmanager
def recalled_operators() -> Iterator[None]:
    """Context in which the signature that Numba resolves for an operator on numbers is cached.

    It is the same each time, and asked for thousands of times: Numba goes through all overloads of the operator each time,
    those for arrays, dates and strings too, a tenth of the time to compile.
    """
    found: dict[Any, Any] = {}
    search = types.Function.get_call_type

    def recall(function: Any, context: Any, arguments: Any, named: Any) -> Any:
        if named or not all(isinstance(kind, NUMBERS) for kind in arguments):
            return search(function, context, arguments, named)
        key = function, tuple(arguments)
        if key not in found:
            found[key] = search(function, context, arguments, named)
        return found[key]

    types.Function.get_call_type = recall
    try:
        yield
    finally:
        types.Function.get_call_type = search


NUMBERS = (types.Number, types.Boolean)


@contextlib.contextmanager
def replaced(owner: Any, **others: Any) -> Iterator[None]:
    """Context in which attributes of ``owner`` are replaced by others, if it has such; afterwards they are restored."""
    kept = {name: vars(owner)[name] for name in others if name in vars(owner)}
    for name in kept:
        setattr(owner, name, others[name])
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(owner, name, value)


# ------------------------------------------------------------------------------------------------- variables in instructions


def variables_in(instruction: Any, entries: Any) -> list[Any]:
    """List the variables among the entries of an instruction, whatever their types.

    They are collected in one list, in the same order: Numba makes one for each of its entries, a thirtieth of the time to
    compile.
    """
    found: list[Any] = []
    collect((entries,), found)
    return found


def collect(entries: Any, found: list[Any]) -> None:
    """Add the variables among the entries, and in them."""
    for entry in entries:
        kind = KINDS.get(type(entry))
        if kind is None:
            kind = KINDS[type(entry)] = kind_of(entry)
        if kind == NOTHING:
            continue
        if kind == VARIABLE:
            found.append(entry)
        elif kind == INSTRUCTION:
            found.extend(entry.list_vars())
        elif kind == MAPPING:
            collect(entry.values(), found)
        else:
            collect(entry, found)


NOTHING, VARIABLE, INSTRUCTION, MAPPING, SEQUENCE = range(5)
KINDS: dict[type, int] = {}  # that were met


def kind_of(entry: Any) -> int:
    """Classify an entry by the variables that it may contain: one of NOTHING, VARIABLE, INSTRUCTION, MAPPING, SEQUENCE."""
    if isinstance(entry, ir.Var):
        return VARIABLE
    if isinstance(entry, ir.Inst):
        return INSTRUCTION
    return MAPPING if isinstance(entry, dict) else SEQUENCE if isinstance(entry, (list, tuple)) else NOTHING


# ------------------------------------------------------------------------------------------------ what most code has not


def assignments(function: Any) -> Iterator[Any]:
    """Yield all assignments of a function."""
    for block in function.blocks.values():
        for each in block.body:
            if type(each) is ir.Assign:
                yield each


delete_exits, fuse_updates = (
    getattr(interpreter, name, lambda function: function)
    for name in ("peep_hole_delete_with_exit", "peep_hole_fuse_dict_add_updates")
)


def exits_deleted(function: Any) -> Any:
    """Delete variables of ``with`` only where there are any: Numba looks at all variables of all instructions, twice."""
    found = any(each.target.name.startswith("$setup_with_exitfn") for each in assignments(function))
    return delete_exits(function) if found else function


def updates_fused(function: Any) -> Any:
    """Fuse the pieces of long dictionary literals only where there are any."""
    found = any(type(each.value) is ir.Expr and each.value.op == "build_map" for each in assignments(function))
    return fuse_updates(function) if found else function


class ErrorContext:
    """Context that adds what is being compiled to the message of an error; without an error it costs nothing."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.arguments, self.named = arguments, named

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None:
            with tell_context(*self.arguments, **self.named):
                raise error


tell_context: Any = vars(errors)["new_error_context"]


class Warnings:
    """Context in place of Numba's own, which catches the warnings of each expression to sort them: kernels give none."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


WARNINGS = Warnings()


def only_heard(tell: Callable[..., None]) -> Callable[..., None]:
    """Return a function that reports the begin or end of an event only where somebody listens to its kind."""

    def told(kind: str, *arguments: Any, **named: Any) -> None:
        if event._registered.get(kind):
            tell(kind, *arguments, **named)

    return told


begin_event, end_event = only_heard(event.start_event), only_heard(event.end_event)


@contextlib.contextmanager
def quickened() -> Iterator[None]:
    """Context with all these changes, for the compilation of something by one thread.

    What Numba does for each expression and each call of LLVM, and nobody needs, is an eighth of the time to compile.
    """
    with contextlib.ExitStack() as stack:
        for change in (
            seldom_collected(),
            recalled_operators(),
            replaced(ir.Inst, _rec_list_vars=variables_in),
            replaced(
                interpreter, peep_hole_delete_with_exit=exits_deleted, peep_hole_fuse_dict_add_updates=updates_fused
            ),
            replaced(lowering, new_error_context=ErrorContext),
            replaced(typeinfer, new_error_context=ErrorContext),
            replaced(vars(errors)["WarningsFixer"], catch_warnings=lambda fixer, filename=None, lineno=None: WARNINGS),
            replaced(event, start_event=begin_event, end_event=end_event),
            replaced(utils, pysignature=functools.cache(utils.pysignature)),
        ):
            stack.enter_context(change)
        yield
