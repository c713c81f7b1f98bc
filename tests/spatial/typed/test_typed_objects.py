"""Typed quantities as objects: equality within rounding, no changes, copies, and how they are written out."""

import copy
import functools
import operator
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pluecker.spatial import (
    ArticulatedInertia,
    ForceVector,
    InverseInertia,
    MotionVector,
    PlueckerTransform,
    RigidBodyInertia,
)
from tests.spatial.typed.quantities import (
    KINDS,
    LINEAR,
    ONE,
    ZERO,
    array_of,
    one_of_each,
)

m, f, X, I, IA, Phi = one_of_each()


# --------------------------------------------------------------------------------------------------------------- equality


@KINDS
def test_equality_forgives_rounding_and_nothing_more(x):
    a = array_of(x)
    close, far = (x._make(a * (1 + e), *x._frames) for e in (1e-14, 1e-9))
    assert x == x[()]
    assert x == close
    assert not operator.ne(x, close)
    assert x != far
    assert np.equal(x, close)
    assert np.not_equal(x, far)
    assert x.isclose(far, rtol=1e-8)
    assert not x.isclose(far)
    assert np.isclose(x, far)
    assert np.allclose(x, far)
    assert not np.allclose(x, far, rtol=1e-10, atol=0)
    assert x != np.stack([x])
    assert np.stack([x, x]) == np.stack([x, close])
    assert np.stack([x, x]) != np.stack([x, far])
    np.testing.assert_array_equal(np.stack([x, x]).isclose(np.stack([x, far])), [True, False])
    np.testing.assert_array_equal(x.isclose(np.stack([x, far])), [True, False])


def test_quantities_of_other_kinds_and_frames_are_not_equal():
    for k, a in enumerate(one_of_each("base")):
        others = one_of_each("base")
        others[k] = one_of_each("tool")[k]
        for b in [*others, array_of(a), 1.0, np.float64(1), None, "a", array_of(a).tolist()]:
            for x, y in ((a, b), (b, a)):
                assert not operator.eq(x, y)
                assert operator.ne(x, y)
    with pytest.raises(TypeError, match="motion isclose array"):
        np.allclose(np.ones(6), m)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [  # what a change of origin leaves alone is compared with itself, what it adds to with all that is added
        (MotionVector([1e-9, 0, 0, 1e6, 0, 0]), MotionVector([2e-9, 0, 0, 1e6, 0, 0]), False),
        (MotionVector([1e6, 0, 0, 1e-9, 0, 0]), MotionVector([1e6, 0, 0, 2e-9, 0, 0]), True),
        (MotionVector([1, 1e-15, 0, 0, 0, 1e-15]), MotionVector([1, 0, 0, 0, 0, 0]), True),
        (ForceVector([1e6, 0, 0, 1e-9, 0, 0]), ForceVector([1e6, 0, 0, 2e-9, 0, 0]), False),
        (ForceVector([1e-9, 0, 0, 1e6, 0, 0]), ForceVector([2e-9, 0, 0, 1e6, 0, 0]), True),
        (RigidBodyInertia(1.0, [1e7, 0, 0], ONE), RigidBodyInertia(1.001, [1e7, 0, 0], ONE), False),
        (RigidBodyInertia(1.0, [1e7, 0, 0], ONE), RigidBodyInertia(1.0, [1e7, 0, 0], 1.001 * ONE), True),
        (PlueckerTransform(ONE, [1e7, 0, 0]), PlueckerTransform(ONE, [1e7, 1e-8, 0]), True),
        (PlueckerTransform(ONE, [1e7, 0, 0]), PlueckerTransform(ONE, [1e7, 1e-2, 0]), False),
        (PlueckerTransform.from_rotation(Rotation.from_rotvec([1e-9, 0, 0]), [1e7, 0, 0]),
         PlueckerTransform(ONE, [1e7, 0, 0]), False),
        (InverseInertia(np.diag([1e-9, 1, 1, 1e6, 1e6, 1e6])), InverseInertia(np.diag([2e-9, 1, 1, 1e6, 1e6, 1e6])), False),
        (InverseInertia(np.diag([1e6, 1e6, 1e6, 1e-9, 1, 1])), InverseInertia(np.diag([1e6, 1e6, 1e6, 2e-9, 1, 1])), True),
        (ArticulatedInertia(np.diag([1e-9, 1, 1, 1e6, 1e6, 1e6])),
         ArticulatedInertia(np.diag([2e-9, 1, 1, 1e6, 1e6, 1e6])), True),
        (MotionVector([1e-17, 0, 0, 0, 0, 0]), MotionVector.zero(), False),
    ],
)  # fmt: skip
def test_differences_are_measured_by_what_rounding_can_do(a, b, equal):
    assert (a == b) is equal
    assert (b == a) is equal


def test_comparison_with_zero_takes_an_absolute_tolerance():
    assert MotionVector([1e-17, 0, 0, 0, 0, 0]).isclose(MotionVector.zero(), atol=1e-15)


offsets = st.sampled_from([0.0, 1e-6, 1e-3, 1.0, 1e3, 1e6])
angles = st.sampled_from([0.0, 1e-160, 1e-8, 0.5, np.pi - 1e-9, np.pi])


@given(st.tuples(offsets, offsets, offsets), angles, st.integers(0, 2**32 - 1))
def test_there_and_back_is_equal_at_every_distance(r, angle, seed):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    rotation = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
    X = PlueckerTransform.from_rotation(rotation, r, "a", "b")
    v, g = MotionVector(rng.normal(size=6), "a"), ForceVector(rng.normal(size=6), "a")
    allowed = 1e-14 * (1 + max(r)) if max(r) > 1 else 0.0
    assert (X.inverse() @ (X @ v)).isclose(v, atol=allowed)
    assert (X.inverse() @ (X @ g)).isclose(g, atol=allowed)
    assert X.inverse().inverse() == X
    assert X @ v == PlueckerTransform.from_matrix(X.matrix, "a", "b") @ v


# ------------------------------------------------------------------------------------------------- objects do not change


@KINDS
def test_quantities_do_not_change(x):
    with pytest.raises(ValueError, match="read-only"):
        array_of(x)[0] = 1.0
    for name in ("frame", "coordinates", "shape", "_values", "colour"):
        with pytest.raises(AttributeError, match="does not change"):
            setattr(x, name, None)
        with pytest.raises(AttributeError, match="does not change"):
            delattr(x, name)
    assert not hasattr(x, "__dict__")
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x)


def test_what_was_given_may_change_afterwards():
    a, A, E, r = np.ones(6), np.eye(6), np.eye(3), np.zeros(3)
    made = [MotionVector(a), ForceVector(a), ArticulatedInertia(A), InverseInertia(A), PlueckerTransform(E, r)]
    before = [array_of(x).copy() for x in made]
    for given_array in (a, A, E, r):
        given_array[...] = 7.0
        assert given_array.flags.writeable
    for x, values in zip(made, before, strict=True):
        np.testing.assert_array_equal(array_of(x), values)


@KINDS
def test_copies_and_pickles_are_equal(x):
    for batch in (x, np.stack([x, x])):
        copies = [copy.copy(batch), copy.deepcopy(batch)]
        copies += [pickle.loads(pickle.dumps(batch, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
        for other in copies:
            assert type(other) is type(x)
            assert other == batch
            assert other._frames == batch._frames
            np.testing.assert_array_equal(array_of(other), array_of(batch))
            assert not array_of(other).flags.writeable


def test_subclasses_keep_their_kind():
    class Twist(MotionVector):
        __slots__ = ()

    v = Twist([1, 2, 3, 4, 5, 6])
    assert type(v + v) is type(2 * v) is type(v[()]) is type(X @ v) is Twist
    assert type(v + m) is type(m + v) is MotionVector
    assert repr(v).startswith("Twist(angular=")


def test_other_classes_may_know_what_to_do():
    class Knows:
        def __radd__(self, other):
            return "sum"

        def __rmul__(self, other):
            return "product"

    assert m + Knows() == "sum"
    assert m * Knows() == "product"


# ------------------------------------------------------------------------------------------------------------ written out


def test_repr_names_the_parts():
    v = MotionVector.from_parts([0, 0, 1], [0, -1, -0.0], frame="base")
    assert repr(v) == "MotionVector(angular=[0, 0, 1], linear=[0, -1, 0], frame='base')"
    assert (
        repr(ForceVector([1 / 3, 1e-17, 0, 2e20, 0, 0]))
        == "ForceVector(moment=[0.333333, 1e-17, 0], force=[2e+20, 0, 0])"
    )
    assert (
        repr(PlueckerTransform(ONE, [1, 2, 3], "base", "tool"))
        == "PlueckerTransform(E=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], r=[1, 2, 3], source='base', target='tool')"
    )
    assert (
        repr(RigidBodyInertia(2, [0, 0, 1], ONE, "link"))
        == "RigidBodyInertia(mass=2, center_of_mass=[0, 0, 1], inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], frame='link')"
    )
    lines = repr(ArticulatedInertia(np.diag(np.arange(6.0)), "link")).splitlines()
    assert lines[0] == "ArticulatedInertia(matrix=["
    assert lines[2] == "  [0, 1, 0, 0, 0, 0],"
    assert lines[-1] == "  [0, 0, 0, 0, 0, 5]], frame='link')"


def test_repr_of_a_batch_shows_its_shape_and_its_first_entries():
    batch = MotionVector(np.arange(48.0).reshape(2, 4, 6), "base")
    assert repr(batch).splitlines() == [
        "MotionVector(shape=(2, 4), frame='base')",
        "  [0, 0] angular=[0, 1, 2], linear=[3, 4, 5]",
        "  [0, 1] angular=[6, 7, 8], linear=[9, 10, 11]",
        "  [0, 2] angular=[12, 13, 14], linear=[15, 16, 17]",
        "  ...",
    ]
    assert len(repr(batch[0, :3]).splitlines()) == 4
    assert "mass=2" in repr(RigidBodyInertia([1, 2], ZERO, ONE)).splitlines()[2]
    assert len(repr(np.stack([Phi] * 9)).splitlines()) == 1 + 3 * 7 + 1


@LINEAR
def test_repr_of_a_single_quantity_makes_it_again(x):
    again = eval(repr(x), {type(x).__name__: getattr(x, "from_parts", type(x))})
    assert type(again) is type(x)
    assert again.isclose(x, rtol=1e-4)


def test_latex_is_a_column_with_symbol_and_frame():
    v = MotionVector([1, 0, -0.5, 1e-17, 2e20, -0.0], "tool_1")
    column = r"\begin{bmatrix} 1 \\ 0 \\ -0.5 \\ 1 \cdot 10^{-17} \\ 2 \cdot 10^{20} \\ 0 \end{bmatrix}"
    assert v._repr_latex_() == rf"$\displaystyle {{}}^{{\mathrm{{tool\_1}}}}\mathbf{{m}} = {column}$"
    assert ForceVector(np.ones(6))._repr_latex_().startswith(r"$\displaystyle \mathbf{f} = \begin{bmatrix}")
    X = PlueckerTransform(ONE, ZERO, "a", "b")._repr_latex_()
    assert X.startswith(
        r"$\displaystyle {}^{\mathrm{b}}\mathbf{X}_{\mathrm{a}} = \begin{bmatrix} 1 & 0 & 0 & 0 & 0 & 0 \\"
    )
    assert r"\mathbf{I}^A" in IA._repr_latex_()
    assert r"\mathbf{I}^{-1}" in Phi._repr_latex_()
    assert np.stack([v, v])._repr_latex_() is None


def test_frame_names_are_escaped_in_latex():
    for x in one_of_each(r"a\b{c}_%&#$^~"):
        text = x._repr_latex_()
        bare = functools.reduce(lambda s, part: s.replace(part, ""), (r"\{", r"\}"), text)
        assert bare.count("{") == bare.count("}")
        assert text.count("$") - text.count(r"\$") == 2
