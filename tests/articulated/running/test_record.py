"""The record of an algorithm: inputs and results of any shape, several results, constants of a key, its derivative.

No public function has the shapes, the keys and the faults that are tried here: records of kernels of the tests have.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import config

from pluecker.articulated import ModelBuilder, body_velocities, forward_kinematics, rnea
from pluecker.articulated.running import algorithm as algorithm_module
from pluecker.articulated.running import differentiation, fields, single
from pluecker.spatial import ArgumentTypeError, ArgumentValueError
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, sqrt, store
from tests.conftest import COMPILED

ALGORITHMS, LEFT_OUT, Algorithm = algorithm_module.ALGORITHMS, algorithm_module.LEFT_OUT, algorithm_module.Algorithm


@kernel
def weighted_kernel(m, c, x, w, extra, total, rows, ws):
    """total = sum c_j x_j w_j (+ the first of extra); rows_kj = w_j x_k, over the first n entries"""
    n = load_integer(c, 0)
    store(ws, 0, 0.0 * load(x, 0))
    for j in range(n):
        store(ws, 0, load(ws, 0) + load(c, 1 + j) * load(x, j) * load(w, j))
        for k in range(n):
            store(rows, n * k + j, load(x, k) * load(w, j))
    store(total, 0, load(ws, 0))
    if len(extra) > 0:
        store(total, 0, load(ws, 0) + load(extra, 0))


@pytest.fixture(scope="module")
def weighted():
    calls = []

    def constants(model, factor):
        calls.append(factor)
        c = np.full(1 + model.nv, factor)
        c[:1].view(np.int64)[0] = model.nv
        return c

    made = Algorithm(
        "weighted",
        weighted_kernel,
        inputs=(fields.Field("x", ("nv",)), "v", "f_ext"),
        outputs=(fields.Field("total", ()), fields.Field("rows", ("nv", lambda model, factor: model.nv))),
        workspace=lambda model, factor: 1,
        constants=constants,
    )
    del ALGORITHMS["weighted"]
    return made, calls


@pytest.fixture(scope="module")
def model():
    builder = ModelBuilder()
    for k, (kind, axis) in enumerate((("revolute", (0, 1, 0)), ("spherical", None), ("prismatic", (1, 0, 0)))):
        builder.add_body(f"b{k}", mass=1.0, inertia=np.eye(3))
        builder.add_joint(f"j{k}", kind, parent=f"b{k - 1}" if k else "world", child=f"b{k}", axis=axis)
    return builder.build()


def expected(x, v, factor):
    return factor * (x * v).sum(axis=-1), x[..., :, None] * v[..., None, :]


@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 9)])
def test_several_results_of_any_shape_follow_from_the_kernel(weighted, model, batch):
    rng = np.random.default_rng(1)
    x, v = rng.normal(size=(*batch, model.nv)), rng.normal(size=model.nv)
    for _ in range(2):  # the first call of one state goes the long way, the second the short one
        found = weighted[0].call(model, (x, v, LEFT_OUT), None, None, (2.0,))
        assert isinstance(found, tuple)
        for array, truth in zip(found, expected(x, v, 2.0), strict=True):
            assert array.shape == truth.shape
            np.testing.assert_allclose(array, truth, rtol=1e-14, atol=1e-14)
    f_ext = rng.normal(size=(model.n_bodies, 6))
    total, _ = weighted[0].call(model, (x, v, f_ext), None, None, (2.0,))
    np.testing.assert_allclose(total, expected(x, v, 2.0)[0] + f_ext[0, 0], rtol=1e-14, atol=1e-14)


def test_constants_are_made_once_for_each_key(weighted, model):
    record, calls = weighted
    calls.clear()
    x = np.ones(model.nv)
    for factor in (7.0, 8.0, 7.0, 8.0):
        total, _ = record.call(model, (x, x, LEFT_OUT), None, None, (factor,))
        assert total == factor * model.nv
    assert calls == [7.0, 8.0]


def test_old_keys_are_forgotten_before_they_fill_the_memory(weighted, model, monkeypatch):
    monkeypatch.setattr(algorithm_module, "MOST_KEYS", 10)
    record, _ = weighted
    x = np.ones(model.nv)
    for factor in range(100):
        record.call(model, (x, x, LEFT_OUT), None, None, (float(factor),))
    assert sum(place[0] is record for place in model.plans) <= 10
    assert len(model.ready.get(record, ())) <= 10


@pytest.mark.parametrize("batch", [(), (20,)])
def test_results_go_into_the_users_arrays(weighted, model, batch):
    x = np.random.default_rng(2).normal(size=(*batch, model.nv))
    out = np.full(batch, np.nan), np.full((*batch, model.nv, model.nv), np.nan)
    assert weighted[0].call(model, (x, x, LEFT_OUT), out, 1, (1.5,)) is out
    for array, truth in zip(out, expected(x, x, 1.5), strict=True):
        np.testing.assert_allclose(array, truth, rtol=1e-14, atol=1e-14)


def test_arrays_for_results_are_checked_one_by_one(weighted, model):
    x = np.ones(model.nv)
    good = np.empty((model.nv, model.nv))
    for out, error, message in (
        (good, ArgumentTypeError, r"weighted: out must be a tuple of arrays \(total, rows\), got a ndarray"),
        ((good,), ArgumentTypeError, r"out must be a tuple of arrays \(total, rows\), got 1 entries"),
        ((np.empty(()), good[:, :2]), ArgumentValueError, r"weighted: out\[1\] has shape \(5, 2\), expected \(5, 5\)"),
        ((None, good), ArgumentTypeError, r"weighted: out\[0\] must be a float64 array of shape \(\), got a NoneType"),
        ((good[0, :1].reshape(()), good), ArgumentValueError, r"out\[1\] shares memory with another result"),
    ):
        with pytest.raises(error, match=message):
            weighted[0].call(model, (x, x, LEFT_OUT), out, None, (1.0,))


def test_what_is_wrong_is_named(weighted, model):
    x = np.ones(model.nv)
    for given, message in (
        ((x[:2], x, LEFT_OUT), r"weighted: x has shape \(2,\), expected \(\.\.\., 5\)"),
        ((x * np.nan, x, LEFT_OUT), r"weighted: x\[0\] is nan, expected a finite number \(coordinate 'j0'\)"),
        (
            (x * 1e200, x * 1e200, LEFT_OUT),
            r"weighted: the result overflows float64; the largest number given is x = 1e\+200",
        ),
        ((x[None] * 1e200, x * 1e200, LEFT_OUT), r"overflows float64 in state 0 of the batch"),
        ((x, x, np.ones((2, 6))), r"weighted: f_ext has shape \(2, 6\), expected \(\.\.\., 3, 6\)"),
    ):
        with pytest.raises(ArgumentValueError, match=message):
            weighted[0].call(model, given, None, None, (1.0,))


def test_an_input_without_entries_is_not_taken_for_one_left_out(model):
    q, v = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.2]), np.zeros(model.nv)
    rnea(model, q, v, v)
    with pytest.raises(ArgumentValueError, match=r"f_ext has shape \(0, 6\), expected \(\.\.\., 3, 6\)"):
        rnea(model, q, v, v, np.empty((0, 6)))


def test_a_record_says_what_it_cannot_be():
    with pytest.raises(ValueError, match="nothing: expected 1 to 5 inputs of one or two axes"):
        Algorithm("nothing", weighted_kernel, inputs=(), outputs=("v",), workspace=lambda model: 0)
    with pytest.raises(ValueError, match="nothing: expected 1 to 6 outputs"):
        Algorithm("nothing", weighted_kernel, inputs=("q",), outputs=(), workspace=lambda model: 0)
    with pytest.raises(ValueError, match="nothing: expected results of at most 8 axes"):
        Algorithm(
            "nothing",
            weighted_kernel,
            ("q",),
            outputs=(fields.Field("x", (1,) * 9),),
            workspace=lambda model: 0,
            listed=False,
        )
    assert "nothing" not in ALGORITHMS


@pytest.mark.skipif(not COMPILED, reason="one model in memory, read by address")
def test_algorithms_share_one_packed_model(model):
    q = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.2])
    forward_kinematics(model, q)
    body_velocities(model, q, np.zeros(model.nv))
    assert {id(plan.head.packed) for plan in model.plans.values()} == {id(model.packed)}


@pytest.mark.skipif(not COMPILED, reason="without compilation there is one way only")
def test_a_fault_inside_is_not_taken_for_an_argument_of_another_kind(model, monkeypatch):
    """The way for one state goes no other way because something in it is broken."""
    given, _, _ = called_once(model)
    ready = model.ready[ALGORITHMS["rnea"]]
    for fault in (TypeError, KeyError, AttributeError, IndexError):

        def broken(*arguments, fault=fault):
            raise fault("broken")

        with monkeypatch.context() as patch:
            patch.setitem(ready, (), (broken, *ready[()][1:]))
            with pytest.raises(fault, match="broken"):
                rnea(model, *given)


def called_once(model):
    """Inverse dynamics whose short way is open: its inputs, its result, and the contexts."""
    q, v = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.2]), np.arange(float(model.nv))
    expected = rnea(model, q, v, v)
    return (q, v, v), expected, model.ready[ALGORITHMS["rnea"]][()][-1]


@pytest.mark.skipif(not COMPILED, reason="without compilation there is one way only")
def test_who_finds_the_context_busy_takes_another_one(model):
    inputs, expected, contexts = called_once(model)
    contexts.others.clear()
    contexts.usual.integers[single.BUSY] = 1
    for _ in range(2):
        np.testing.assert_array_equal(rnea(model, *inputs), expected)
        assert len(contexts.others) == 1
    contexts.usual.integers[single.BUSY] = 0
    contexts.usual.workspace[:] = np.nan
    contexts.others[0].workspace[:] = 7.0
    np.testing.assert_array_equal(rnea(model, *inputs), expected)
    assert not (contexts.usual.workspace == 7.0).any()
    assert (contexts.others[0].workspace == 7.0).all()


@pytest.mark.skipif(not COMPILED, reason="without compilation there is one way only")
@pytest.mark.skipif(
    bool(config.BOUNDSCHECK), reason="with bounds checks the lock is kept: an index error leaves at once"
)
def test_threads_that_call_for_one_state_do_not_meet(model, monkeypatch):
    """The interpreter's lock is released here; otherwise that is so for long calls only."""
    monkeypatch.setattr(single, "LONG_CALL", -1)
    model = model.replace(name="whose calls all count as long")
    _, _, contexts = called_once(model)
    assert contexts.usual.integers[single.RELEASES] == 1
    rng = np.random.default_rng(4)
    v = rng.normal(size=(4, model.nv))
    q = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.2])
    expected = [rnea(model, q, x, x) for x in v]

    def again(k):
        return all((rnea(model, q, v[k], v[k]) == expected[k]).all() for _ in range(3000))

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
    builder = ModelBuilder()
    builder.add_body("rod", mass=1.0)
    builder.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
    model, numbers = builder.build(), [np.array([float(k)]) for k in range(1, 6)]
    for _ in range(2):  # the long way, then the short one
        assert five.call(model, tuple(numbers), None, None) == 55.0
    np.testing.assert_array_equal(
        five.call(model, tuple(np.tile(x, (9, 1)) for x in numbers), None, None), np.full(9, 55.0)
    )


@kernel
def length_kernel(m, v, length, ws):
    """|v|, which has no derivative at zero"""
    store(length, 0, sqrt(load(v, 0) * load(v, 0)))


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
