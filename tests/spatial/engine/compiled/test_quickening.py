"""Faster compilation: changes to Numba and Python while something is compiled give the same results, and leave no trace."""

import gc
import json

import numpy as np
import pytest
from numba import njit, objmode, types
from numba.core.postproc import PostProcessor

from pluecker.articulated import Model, aba, neutral, rnea, simulate
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.spatial import exp6
from pluecker.spatial.engine.compiled.numba_internals import quickened
from tests.conftest import COMPILED
from tests.programs import printed_by

compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
OWNERS = types.BaseFunction, PostProcessor


def test_a_compilation_that_fails_leaves_everything_as_it_was():
    before = gc.get_threshold(), [dict(vars(owner)) for owner in OWNERS]

    def fail():
        with quickened(), quickened():
            assert gc.get_threshold() != before[0]
            assert all(dict(vars(owner)) != was for owner, was in zip(OWNERS, before[1], strict=True))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (gc.get_threshold(), [dict(vars(owner)) for owner in OWNERS]) == before


def test_who_collects_no_garbage_collects_none_while_something_is_compiled():
    before = gc.get_threshold()
    gc.set_threshold(0, *before[1:])
    try:
        with quickened():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


@compiled_only
def test_what_kernels_do_not_have_is_compiled_too():
    """In functions that users compile with Numba: generators, closures, Python in between"""

    @njit
    def squares(n):
        for k in range(n):
            yield k * k

    @njit
    def total(n):
        times, found = lambda a, b: a * b, 0
        for k in squares(n):
            found += times(2, k)
        with objmode(more="int64"):
            more = int("12") + n
        return found + more

    with quickened():
        assert total(5) == 60 + 17


PLAIN = """
import json, sys
import numpy as np
from numba import types
from numba.core import event
from tests.spatial.engine.compiled.test_quickening import RESULTS

class Seen(event.Listener):
    def on_start(self, _): seen.add(types.BaseFunction.get_call_type.__module__)
    def on_end(self, _): pass

seen = set()
event.register("numba:compile", Seen())
print(json.dumps(RESULTS[sys.argv[1]]()), *seen)
"""


def transforms():
    """One function of arrays"""
    return exp6(np.arange(6.0) / 7.0).ravel().tolist()


def motions():
    """Algorithms for one state and for eight, and a motion with limits"""
    arm, x = Model.from_urdf(SEVEN_JOINT_ARM), np.arange(7.0) / 9.0
    batch = np.tile(x, (9, 1))
    result = simulate(arm, neutral(arm, within_limits=True), x, 0.2, 0.01)
    return [*rnea(arm, x, x, x), *aba(arm, batch, batch, batch).ravel(), *result.q.ravel(), *result.v.ravel()]


RESULTS = {"transforms": transforms, "motions": motions}


@compiled_only
@pytest.mark.parametrize("name", ["transforms", pytest.param("motions", marks=pytest.mark.everything)])
def test_without_the_changes_the_code_computes_the_same_bits(name, tmp_path):
    printed = printed_by(PLAIN, name, PLUECKER_PLAIN_NUMBA="1", NUMBA_CACHE_DIR=str(tmp_path))
    found, seen = printed.rsplit("] ", 1)
    assert json.loads(found + "]") == RESULTS[name]()
    assert seen.split() == ["numba.core.types.functions"]
