"""The record of an algorithm: what it can be, how much it keeps, threads that share it, where it has no derivative.

No public function has five inputs, or no derivative at a point: records of kernels of the tests have.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import config

from pluecker.articulated import ModelBuilder, forward_kinematics, rnea
from pluecker.articulated.running import algorithm as algorithm_module
from pluecker.articulated.running import differentiation, fields, single
from pluecker.spatial import ArgumentValueError
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, sqrt, store
from tests.conftest import COMPILED
from tests.models import one_body

ALGORITHMS, Algorithm = algorithm_module.ALGORITHMS, algorithm_module.Algorithm


@kernel
def length_kernel(m, v, length, ws):
    """|v|, which has no derivative at zero"""
    store(length, 0, sqrt(load(v, 0) * load(v, 0)))


@pytest.fixture(scope="module")
def model():
    builder = ModelBuilder()
    for k, (kind, axis) in enumerate((("revolute", (0, 1, 0)), ("spherical", None), ("prismatic", (1, 0, 0)))):
        builder.add_body(f"b{k}", mass=1.0, inertia=np.eye(3))
        builder.add_joint(f"j{k}", kind, parent=f"b{k - 1}" if k else "world", child=f"b{k}", axis=axis)
    return builder.build()


def test_old_keys_are_forgotten_before_they_fill_the_memory(model, monkeypatch):
    monkeypatch.setattr(algorithm_module, "MOST_KEYS", 10)
    q, record = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.2]), ALGORITHMS["forward_kinematics"]
    for frames in itertools.product(model.frame_names, repeat=3):
        forward_kinematics(model, q, frames)
    assert sum(place[0] is record for place in model.plans) <= 10
    assert len(model.ready.get(record, ())) <= 10


def test_a_record_says_what_it_cannot_be():
    with pytest.raises(ValueError, match="nothing: expected 1 to 5 inputs of one or two axes"):
        Algorithm("nothing", length_kernel, inputs=(), outputs=("v",), workspace=lambda model: 0)
    with pytest.raises(ValueError, match="nothing: expected 1 to 6 outputs"):
        Algorithm("nothing", length_kernel, inputs=("q",), outputs=(), workspace=lambda model: 0)
    with pytest.raises(ValueError, match="nothing: expected results of at most 8 axes"):
        Algorithm(
            "nothing",
            length_kernel,
            ("q",),
            outputs=(fields.Field("x", (1,) * 9),),
            workspace=lambda model: 0,
            listed=False,
        )
    assert "nothing" not in ALGORITHMS


@pytest.mark.skipif(not COMPILED, reason="without compilation there is one way only")
@pytest.mark.skipif(
    bool(config.BOUNDSCHECK), reason="with bounds checks the lock is kept: an index error leaves at once"
)
def test_threads_that_call_for_one_state_do_not_meet(model, monkeypatch):
    """The interpreter's lock is released here; otherwise that is so for long calls only."""
    monkeypatch.setattr(single, "LONG_CALL", -1)
    model = model.replace(name="whose calls all count as long")
    start = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.2])
    rnea(model, start, np.zeros(model.nv), np.zeros(model.nv))
    assert model.ready[ALGORITHMS["rnea"]][()][-1].usual.integers[single.RELEASES] == 1
    rng = np.random.default_rng(4)
    v = rng.normal(size=(4, model.nv))
    expected = [rnea(model, start, x, x) for x in v]

    def again(k):
        return all((rnea(model, start, v[k], v[k]) == expected[k]).all() for _ in range(3000))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(again, range(4)))


@kernel
def five_kernel(m, a, b, c, d, e, total, ws):
    """total = a + 2 b + 3 c + 4 d + 5 e"""
    low = load(a, 0) + 2.0 * load(b, 0) + 3.0 * load(c, 0)
    store(total, 0, low + 4.0 * load(d, 0) + 5.0 * load(e, 0))


def test_five_inputs_reach_the_kernel_in_their_order():
    inputs = tuple(fields.Field(name, ("nv",)) for name in "abcde")
    total = (fields.Field("total", ()),)
    five = Algorithm("five", five_kernel, inputs, total, workspace=lambda model: 0, listed=False)
    model, numbers = one_body("rod", "revolute", 1.0, axis=(0, 1, 0)), [np.array([float(k)]) for k in range(1, 6)]
    for _ in range(2):  # the long way, then the short one
        assert five.call(model, tuple(numbers), None, None) == 55.0
    np.testing.assert_array_equal(
        five.call(model, tuple(np.tile(x, (9, 1)) for x in numbers), None, None), np.full(9, 55.0)
    )


@pytest.mark.plain  # it would be compiled for dual numbers
def test_where_there_is_no_derivative_there_is_one_error(model):
    total = (fields.Field("length", ()),)
    record = Algorithm("length", length_kernel, ("v",), total, workspace=lambda model: 0, listed=False)
    derivative, v = differentiation.derivative_of_record(record), np.ones((3, model.nv))
    np.testing.assert_array_equal(derivative.call(model, (v,), None, None, ((0,),))[:, 0], 1.0)
    v[1] = 0.0
    with pytest.raises(ArgumentValueError, match=r"derivative_of\(length\): .* does not exist in state 1 of the batch"):
        derivative.call(model, (v,), None, None, ((0,),))
    v[1] = 1e200
    with pytest.raises(
        ArgumentValueError, match=r"derivative_of\(length\): the result overflows float64.* in state 1 "
    ):
        derivative.call(model, (v,), None, None, ((0,),))
