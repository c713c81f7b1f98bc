"""Batches of typed quantities, and the frames they are in."""

import operator

import numpy as np
import pytest

from pluecker.spatial import ArticulatedInertia, ForceVector, MotionVector, PlueckerTransform, RigidBodyInertia
from tests.spatial.typed.quantities import CLOSE, KINDS, ONE, ZERO, array_of, one_of_each, random_transform

m, f, X, I, IA, Phi = one_of_each()


# ---------------------------------------------------------------------------------------------------------------- batches


@KINDS
def test_batch_is_indexed_and_iterated_over_its_leading_axes(x):
    batch = np.stack(
        [np.stack([x, x @ x]) if isinstance(x, PlueckerTransform) else np.stack([x, 2 * x]) for _ in range(3)]
    )
    a = array_of(batch)
    assert batch.shape == (3, 2)
    assert len(batch) == 3
    assert np.shape(batch) == (3, 2)
    assert np.ndim(batch) == 2
    rows = np.array([True, False, True])
    for key in (1, -1, slice(0, 2), (2, 1), (slice(None), 0), [0, 2], (None, 0), rows, (), ...):
        part = batch[key]
        assert type(part) is type(x)
        np.testing.assert_array_equal(array_of(part), a[key])
        assert not array_of(part).flags.writeable
    np.testing.assert_array_equal(array_of(batch[..., 1]), a[:, 1])
    np.testing.assert_array_equal(array_of(batch[1:, ..., 1]), a[1:, 1])
    assert [entry.shape for entry in batch] == [(2,)] * 3
    assert next(iter(batch)) == batch[0]
    for key in (3, (0, 2), (0, 0, 0), "a"):
        with pytest.raises(IndexError, match=type(x).__name__):
            batch[key]


@KINDS
def test_single_quantity_has_neither_length_nor_entries(x):
    assert x.shape == ()
    for function in (len, iter, list):
        with pytest.raises(TypeError, match="single"):
            function(x)
    with pytest.raises(IndexError, match=type(x).__name__):
        x[0]
    assert x[()] == x


def test_batches_broadcast(rng):
    v, g = MotionVector(rng.normal(size=(4, 1, 6))), ForceVector(rng.normal(size=(3, 6)))
    expected = np.einsum("ijk,jk->ij", np.broadcast_to(v.coordinates, (4, 3, 6)), g.coordinates)
    np.testing.assert_allclose(v.dot(g), expected, **CLOSE)
    assert v.cross(g).shape == (4, 3)
    Xs = np.stack([random_transform(rng) for _ in range(3)])
    for x in (v, g, I, IA, Phi):
        moved = Xs @ x
        alone = Xs[1] @ x
        assert (moved[:, 1] if x is v else moved[1]) == (alone[:, 0] if x is v else alone[1] if x is g else alone)
    assert (Xs @ np.stack([I, I, I])).shape == (3,)
    assert (Xs @ np.stack([Phi, Phi, Phi]))[2] == Xs[2] @ Phi
    assert (Xs[0] @ np.stack([Phi, Phi]))[1] == Xs[0] @ Phi
    assert (Xs[:, None] @ Xs).shape == (3, 3)


def test_array_of_numbers_scales_entry_by_entry():
    batch, s = MotionVector(np.arange(18.0).reshape(3, 6)), np.array([1.0, 2.0, 3.0])
    for scaled in (s * batch, batch * s, np.multiply(s, batch), [1.0, 2.0, 3.0] * batch):
        assert type(scaled) is MotionVector
        np.testing.assert_array_equal(scaled.coordinates, s[:, None] * batch.coordinates)
    np.testing.assert_array_equal((batch / s).coordinates, batch.coordinates / s[:, None])
    assert (s[:, None] * batch).shape == (3, 3)
    assert (s * MotionVector(np.ones(6))).shape == (3,)


def test_sums_over_batches(rng):
    a = rng.normal(size=(4, 3, 6))
    g = ForceVector(a, "base")
    for total, expected in (
        (g.sum(), a.sum((0, 1))),
        (np.sum(g), a.sum((0, 1))),
        (g.sum(0), a.sum(0)),
        (np.sum(g, axis=-1), a.sum(1)),
        (g.sum((0, 1)), a.sum((0, 1))),
        (sum(g[:, 0], ForceVector.zero()), a[:, 0].sum(0)),
    ):
        assert type(total) is ForceVector
        assert total.frame == "base"
        np.testing.assert_allclose(total.coordinates, expected, **CLOSE)
    assert g[:0].sum(0) == ForceVector.zero() * np.ones(3)
    assert np.stack([I, I]).sum() == 2 * I
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        g.sum(2)
    with pytest.raises(TypeError, match="integer"):
        g.sum(0.5)


def test_stack_and_concatenate_join_quantities_of_one_kind():
    a = MotionVector(np.arange(12.0).reshape(2, 6), "base")
    b = MotionVector(np.ones((2, 6)))
    for axis in (0, 1, -1, -2):
        expected = np.stack([a.coordinates, b.coordinates], axis if axis >= 0 else axis - 1)
        np.testing.assert_array_equal(np.stack([a, b], axis=axis).coordinates, expected)
    joined = np.concatenate([b, a])
    assert (joined.shape, joined.frame) == ((4,), "base")
    np.testing.assert_array_equal(joined.coordinates, np.concatenate([b.coordinates, a.coordinates]))
    assert type(np.stack([I, IA])) is ArticulatedInertia
    assert type(np.stack([I, I])) is RigidBodyInertia
    with pytest.raises(ValueError, match=r"'base'.*'tool'"):
        np.stack([b, a, MotionVector(np.ones((2, 6)), "tool")])
    for other in (f, X, np.zeros(6), 0.0, None):
        with pytest.raises(TypeError, match=r"motion in numpy\.stack with"):
            np.stack([m, other])
    for axis in (2, -3):
        with pytest.raises(ValueError, match="out of bounds"):
            np.concatenate([a, b], axis=axis)


def test_empty_batches_are_batches():
    none = MotionVector(np.zeros((0, 6)))
    assert len(none) == 0
    assert list(none) == []
    assert none == none + none
    assert (X @ none).shape == (0,)
    assert repr(none) == "MotionVector(shape=(0,))"
    assert repr((X @ np.stack([I]))[:0]) == "RigidBodyInertia(shape=(0,))"


# ----------------------------------------------------------------------------------------------------------------- frames


def test_none_agrees_with_every_frame():
    named, free = one_of_each("base"), one_of_each()
    for a, b in zip(named, free, strict=True):
        if not isinstance(a, PlueckerTransform):
            assert (a + b).frame == (b + a).frame == "base"
            assert (b + b).frame is None
        assert a == b
    assert (free[3] @ named[0]).frame == (named[3] @ free[0]).frame == "base"
    assert (named[2] @ free[0]).frame == "base"
    assert named[0].cross(free[0]).frame == named[0].cross(free[1]).frame == free[0].cross(named[1]).frame == "base"
    assert (free[2] @ named[0]).frame is None  # where an unnamed transform leads to is not known


def meetings():
    a, b = one_of_each("base"), one_of_each("tool")
    pairs = [(operator.add, x, y) for x, y in zip(a, b, strict=True) if not isinstance(x, PlueckerTransform)]
    pairs += [(operator.sub, x, y) for x, y in zip(a, b, strict=True) if not isinstance(x, PlueckerTransform)]
    pairs += [(operator.matmul, a[2], y) for y in b]
    pairs += [(operator.matmul, a[i], b[j]) for i, j in ((0, 1), (1, 0), (3, 0), (4, 0), (5, 1))]
    pairs += [(lambda x, y: x.dot(y), a[0], b[1]), (lambda x, y: x.dot(y), a[1], b[0])]
    pairs += [(lambda x, y: x.cross(y), a[0], b[0]), (lambda x, y: x.cross(y), a[0], b[1])]
    pairs += [(lambda x, y: x.kinetic_energy(y), a[3], b[0]), (lambda x, y: x.rate(y), a[3], b[0])]
    pairs += [(lambda x, y: x.isclose(y), x, y) for x, y in zip(a, b, strict=True)]
    pairs += [(np.isclose, a[0], b[0]), (lambda x, y: np.stack([x, y]), a[0], b[0])]
    return [pytest.param(*case, id=f"{k}") for k, case in enumerate(pairs)]


@pytest.mark.parametrize(("operation", "x", "y"), meetings())
def test_frames_that_differ_are_both_named(operation, x, y):
    with pytest.raises(ValueError, match=r"'base'.*'tool'|'tool'.*'base'"):
        operation(x, y)


def test_the_message_says_which_frame_is_whose():
    X1, X2 = PlueckerTransform(ONE, ZERO, "base", "tool"), PlueckerTransform(ONE, ZERO, "camera", "tool")
    with pytest.raises(ValueError, match=r"^X2 @ X1: X1 leads to frame 'tool', X2 starts from frame 'camera'$"):
        X2 @ X1
    with pytest.raises(
        ValueError, match=r"^transform @ force: the transform starts from frame 'base', the force is in frame 'x'$"
    ):
        X1 @ ForceVector(np.ones(6), "x")
    with pytest.raises(ValueError, match=r"^motion \+ motion: the first is in frame 'a', the second in frame 'b'$"):
        MotionVector(np.ones(6), "a") + MotionVector(np.ones(6), "b")


@pytest.mark.parametrize(
    ("frame", "error"), [(3, TypeError), (b"base", TypeError), (["base"], TypeError), ("", ValueError)]
)
def test_frame_must_be_a_name(frame, error):
    for make in (
        lambda: MotionVector(np.ones(6), frame),
        lambda: ForceVector.from_parts(ZERO, ZERO, frame),
        lambda: RigidBodyInertia(1.0, ZERO, ONE, frame),
        lambda: ArticulatedInertia(np.eye(6), frame),
        lambda: MotionVector.zero(frame),
    ):
        with pytest.raises(error, match="frame"):
            make()
    with pytest.raises(error, match="source"):
        PlueckerTransform(ONE, ZERO, source=frame)
    with pytest.raises(error, match="target"):
        PlueckerTransform(ONE, ZERO, target=frame)
