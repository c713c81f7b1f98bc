"""Faster compilation: changes to Numba and Python while something is compiled give the same results, and leave no trace."""

import contextlib
import gc

import pytest
from numba import njit, types
from numba.core import errors, event, interpreter, ir, lowering, typeinfer, utils
from numba.core.compiler import run_frontend

from pluecker.spatial.engine.compiled.numba_quickened import quickened
from tests.conftest import COMPILED


def everything(a, b, *rest, c=1.5):
    """Calls with names and stars, tuples, loops, slices, exceptions: all kinds of instructions"""
    total, pairs = 0.0, [(a, b), (b, a)]
    for k, (x, y) in enumerate(pairs):
        if x > y and not k:
            total += max(x, y, key=abs)
        elif b is None:
            raise ValueError("none", b)
        else:
            total -= {"x": x, "y": y}["x"] + len(rest[k : k + 2]) ** c
    while total > 0.0:
        total = -total
    assert total <= 0.0, total
    return f"{total}{a}", pairs, (lambda z: z + a)(b)


@pytest.mark.parametrize("function", [everything, ir.Inst._rec_list_vars])
def test_variables_are_those_that_numba_lists_in_the_same_order(function):
    blocks = run_frontend(function).blocks.values()
    instructions = [each for block in blocks for each in block.body]
    instructions += [
        each.value for each in instructions if isinstance(each, ir.Assign) and isinstance(each.value, ir.Expr)
    ]
    expected = [each.list_vars() for each in instructions]
    with quickened():
        found = [each.list_vars() for each in instructions]
    assert len(instructions) > 10
    assert sum(map(len, expected)) > 20
    assert all(
        len(x) == len(y) and all(a is b for a, b in zip(x, y, strict=True))
        for x, y in zip(expected, found, strict=True)
    )


def test_a_compilation_that_fails_leaves_everything_as_it_was():
    owners = errors.WarningsFixer, event, interpreter, ir.Inst, lowering, typeinfer, types.Function, utils
    before = gc.get_threshold(), [dict(vars(owner)) for owner in owners]

    def fail():
        with quickened(), quickened():
            assert gc.get_threshold() != before[0]
            assert all(dict(vars(owner)) != was for owner, was in zip(owners, before[1], strict=True))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (gc.get_threshold(), [dict(vars(owner)) for owner in owners]) == before


def with_file(path):
    """A function with a statement that kernels do not have."""
    total = 0
    with path:
        total += 1
    return -total


def test_what_is_looked_for_in_vain_in_kernels_is_found_elsewhere():
    functions = everything, with_file
    expected = [list(map(str, block.body)) for each in functions for block in run_frontend(each).blocks.values()]
    with quickened():
        found = [list(map(str, block.body)) for each in functions for block in run_frontend(each).blocks.values()]
    assert found == expected


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_errors_say_what_was_being_done():
    def wrong(x):
        return x + "text"

    messages = []
    for around in (contextlib.nullcontext, quickened):
        with around(), pytest.raises(errors.TypingError) as caught:
            njit(wrong).compile((types.float64,))
        messages.append(str(caught.value))
    places = [[line for line in each.splitlines() if "During" in line or "typing of" in line] for each in messages]
    assert places[0] == places[1] != []


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_events_are_told_to_those_who_listen():
    with quickened(), event.install_recorder("numba:compile") as record:
        njit(lambda x: x).compile((types.float64,))
    assert len(record.buffer) >= 2


def test_who_collects_no_garbage_collects_none_while_something_is_compiled():
    before = gc.get_threshold()
    gc.set_threshold(0, *before[1:])
    try:
        with quickened():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
