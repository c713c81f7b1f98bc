"""Refusals of typed vectors, transforms and inertias, and their messages: spaces, arrays, impossible values."""

import operator

import numpy as np
import pytest

from pluecker import PlueckerError
from pluecker.spatial import (
    ArgumentTypeError,
    ArgumentValueError,
    ArticulatedInertia,
    ForceVector,
    InverseInertia,
    MotionVector,
    PlueckerTransform,
    RigidBodyInertia,
    body_momentum,
    cross_force,
)
from tests.spatial.typed.quantities import KINDS, LINEAR, ONE, ZERO, one_of_each

pytestmark = pytest.mark.plain

m, f, X, I, IA, Phi = one_of_each()


# --------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("operation", [operator.add, operator.sub, np.add, np.subtract, lambda a, b: a.isclose(b)])
def test_motion_and_force_cannot_be_added_or_compared(operation):
    for a, b in ((m, f), (f, m)):
        with pytest.raises(TypeError, match=r"M6 and F6 are dual spaces.*section 24"):
            operation(a, b)


@pytest.mark.parametrize("x", [m, f], ids=["motion", "force"])
def test_scalar_product_is_between_a_motion_and_a_force_vector(x):
    for other in (x, 2 * x, np.ones(6), 3.0, [1, 2, 3, 4, 5, 6]):
        for product in (x.__class__.dot, operator.matmul, np.matmul):
            with pytest.raises(TypeError, match=r"scalar product is between a motion and a force vector.*section 26"):
                product(x, other)
    with pytest.raises(TypeError, match=r"^motion \. motion: not defined"):
        m @ m
    with pytest.raises(TypeError, match=r"^force \. force: not defined"):
        f @ f


@KINDS
@pytest.mark.parametrize(
    "other", [np.ones(6), np.ones((6, 6)), np.float64(1.0), 1.0, 0, 1j, [1.0] * 6, (1.0,) * 6], ids=repr
)
def test_plain_numbers_are_not_added(x, other):
    for operation in (operator.add, operator.sub):
        for a, b in ((x, other), (other, x)):
            with pytest.raises(TypeError, match="neither"):
                operation(a, b)


@KINDS
def test_matrices_are_no_operands_of_products(x):
    for other in (np.eye(6), np.ones(6), [1.0] * 6):
        with pytest.raises(TypeError, match=f"array @ {x._noun}: make the array"):
            other @ x
        with pytest.raises(TypeError, match=f"{x._noun} [@.] array: "):
            x @ other
    for operation in (operator.matmul, operator.add, operator.mul):
        with pytest.raises(TypeError):
            operation(x, "base")
        with pytest.raises(TypeError):
            operation(None, x)


def test_the_start_of_a_sum_is_told():
    with pytest.raises(TypeError, match=r"sum\(\) takes a start, MotionVector\.zero\(\)"):
        sum([m, m])


def test_batches_that_do_not_broadcast_are_named_by_their_kind():
    for product in (MotionVector.dot, lambda a, b: b.dot(a)):
        with pytest.raises(ValueError, match=r"m \(3, 6\), f \(2, 6\)"):
            product(MotionVector(np.ones((3, 6))), ForceVector(np.ones((2, 6))))


def test_products_that_do_not_exist_are_refused():
    reasons = [
        (m, X, "act from the left"), (f, X, "act from the left"), (m, I, "act from the left"), (f, Phi, "act from the left"),
        (I, f, "motion to force"), (I, I, "motion to force"), (I, X, "motion to force"), (IA, f, "motion to force"),
        (I, Phi, "motion to force"), (Phi, m, "force to motion"), (Phi, I, "force to motion"), (Phi, X, "force to motion"),
    ]  # fmt: skip
    for a, b, reason in reasons:
        for product in (operator.matmul, np.matmul):
            with pytest.raises(TypeError, match=reason):
                product(a, b)
    for a, b in ((m, m), (m, f), (f, m), (I, m), (m, I), (I, I), (Phi, f)):
        for product in (operator.mul, operator.truediv, np.multiply, np.divide):
            with pytest.raises(TypeError, match="only real numbers scale"):
                product(a, b)
    for other in (X, I, Phi, np.ones(6), 1.0, "m"):
        with pytest.raises(TypeError, match="cross product is with a motion or a force vector"):
            m.cross(other)
    for other in (f, np.ones(6)):
        with pytest.raises(TypeError, match="expected a MotionVector"):
            I.kinetic_energy(other)
        with pytest.raises(TypeError, match="expected a MotionVector"):
            I.rate(other)


def test_sums_of_different_kinds_are_refused():
    kinds = [m, f, X, I, Phi]
    for a in kinds:
        for b in kinds:
            if type(a) is not type(b):
                for operation in (operator.add, operator.sub):
                    with pytest.raises(
                        TypeError, match=r"dual spaces|not elements of one vector space|neither sums nor"
                    ):
                        operation(a, b)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: X + X, lambda: X - X, lambda: 2 * X, lambda: X * 2, lambda: X / 2, lambda: -X, lambda: +X, lambda: X + 1,
        lambda: 1 - X, lambda: np.float64(2) * X, lambda: np.ones(3) * X, lambda: np.negative(X), lambda: X.sum(),
        lambda: np.sum(np.stack([X, X])),
    ],
)  # fmt: skip
def test_transforms_have_neither_sums_nor_multiples(operation):
    with pytest.raises(TypeError, match="neither sums nor multiples"):
        operation()


@LINEAR
def test_factors_must_be_finite_real_numbers_that_broadcast(x):
    for factor in (1j, True, np.array(["a"]), [None]):
        with pytest.raises(TypeError, match=r"factor must be an array of real numbers|rectangular"):
            x * factor
    for factor in (np.nan, np.inf, [1.0, -np.inf]):
        with pytest.raises(ValueError, match="expected a finite number"):
            factor * x
    for factor in (0, 0.0, [1.0, 0.0]):
        with pytest.raises(ValueError, match=r"the result.* expected a finite number"):
            x / factor
    with pytest.raises(TypeError, match="no quantity divides"):
        1.0 / x
    with pytest.raises(TypeError, match="no quantity divides"):
        np.ones(2) / x
    with pytest.raises(ValueError, match=r"do not broadcast: \(2,\) and \(3,\)"):
        np.stack([x, x]) * np.ones(3)
    with pytest.raises(ValueError, match=r"do not broadcast: \(2,\) and \(3,\)"):
        np.stack([x, x]) + np.stack([x, x, x])
    with pytest.raises(ValueError, match=r"do not broadcast: \(2,\) and \(3,\)"):
        np.stack([x, x]).isclose(np.stack([x, x, x]))
    with pytest.raises(ValueError, match="expected a finite number"):
        1e308 * (1e10 * x)
    for operation in (lambda: x**2, lambda: abs(x), lambda: x % 2, lambda: x // 2, lambda: float(x), lambda: x < x):
        with pytest.raises(TypeError):
            operation()


def test_an_array_that_takes_the_result_is_refused():
    for operation in (
        lambda: np.add(m, m, out=np.zeros(6)),
        lambda: np.multiply(2.0, m, where=True),
        lambda: operator.imul(np.ones(3), m),
        lambda: operator.iadd(np.ones(6), m),
    ):
        with pytest.raises(TypeError, match="results are new quantities"):
            operation()


@KINDS
def test_other_numpy_functions_are_refused(x):
    batch = np.stack([x, x])
    for function in (
        np.sin, np.exp, np.sqrt, np.abs, np.square, np.sign, np.maximum.reduce, np.add.reduce, np.add.accumulate, np.mean,
        np.std, np.max, np.sort, np.cumsum, np.prod, np.size, np.copy, np.transpose, np.zeros_like, np.ravel, np.atleast_1d,
        np.linalg.det, np.linalg.eigvals, np.linalg.pinv, np.trace, np.vstack, np.nan_to_num, np.real,
    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"not defined for a|is no array"):
            function(batch)
    for function in (
        np.maximum,
        np.power,
        np.arctan2,
        np.hypot,
        np.less,
        np.floor_divide,
        np.array_equal,
        np.kron,
        np.outer,
    ):
        with pytest.raises(TypeError, match=r"not defined for a|is no array"):
            function(x, x)
    for wanted in (np.asarray, np.array, np.asanyarray, np.ascontiguousarray, lambda y: np.array([y, y])):
        with pytest.raises(TypeError, match=r"is no array.*\.(coordinates|matrix)"):
            wanted(x)
    with pytest.raises(TypeError, match="is no array"):
        np.array(x, dtype=object)
    for function in (np.dot, np.vdot, np.inner):
        with pytest.raises(TypeError, match=r"m\.dot\(f\)"):
            function(x, x)
    with pytest.raises(TypeError, match=r"numpy\.cross .*v\.cross\(m\)"):
        np.cross(x, x)
    with pytest.raises(TypeError, match=r"numpy\.linalg\.norm .*different units"):
        np.linalg.norm(x)
    with pytest.raises(TypeError, match=r"numpy\.sin is not defined.*knows neither spaces nor frames"):
        np.sin(x)
    with pytest.raises(TypeError, match="dtype"):
        np.sum(batch, dtype=int)


def test_a_vector_has_no_inverse():
    for x in (m, f):
        with pytest.raises(TypeError, match="no inverse"):
            np.linalg.inv(x)
    assert np.linalg.inv(I) == I.inverse()
    assert np.linalg.inv(Phi) == Phi.inverse()


def test_numpy_asks_whether_entries_are_finite():
    for x in one_of_each():
        batch = np.stack([x, x])
        for function, answer in ((np.isfinite, True), (np.isinf, False), (np.isnan, False)):
            np.testing.assert_array_equal(function(batch), [answer, answer])
            assert bool(function(x)) is answer


def test_functions_of_arrays_do_not_take_typed_quantities_for_arrays():
    with pytest.raises(TypeError, match="is no array"):
        cross_force(m, m)
    with pytest.raises(TypeError, match="is no array"):
        body_momentum(I, m)
    for kind in (MotionVector, ForceVector):
        with pytest.raises(TypeError, match="is no array"):
            kind(m)


# ------------------------------------------------------------------------------------------------------- impossible values


@pytest.mark.parametrize("kind", [MotionVector, ForceVector])
def test_parts_of_vectors_are_three_finite_real_numbers(kind):
    first, second = kind._parts
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.from_parts: {first}"):
        kind.from_parts(np.ones(2), ZERO)
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.from_parts: {second}\[1\] is nan"):
        kind.from_parts(ZERO, [0, np.nan, 0])
    with pytest.raises(ValueError, match=rf"leading axes do not broadcast: {first} \(2, 3\), {second} \(4, 3\)"):
        kind.from_parts(np.ones((2, 3)), np.ones((4, 3)))


IMPOSSIBLE = [
    (lambda: PlueckerTransform(2 * ONE, ZERO), "^PlueckerTransform: .*not a rotation"),
    (lambda: PlueckerTransform(np.diag([1.0, 1.0, -1.0]), ZERO), "^PlueckerTransform: .*not a rotation"),
    (lambda: PlueckerTransform(ONE, [1e160, 0.0, 0.0]), "^PlueckerTransform: the result overflows"),
    (
        lambda: PlueckerTransform.from_matrix(np.ones((6, 6))),
        r"^PlueckerTransform\.from_matrix: .*not a Pluecker transform",
    ),
    (
        lambda: PlueckerTransform.from_placement(np.ones((4, 4))),
        r"^PlueckerTransform\.from_placement: .*not a placement",
    ),
    (lambda: RigidBodyInertia(0.0, ZERO, ONE), "^RigidBodyInertia: the mass is .*, expected a positive number"),
    (lambda: RigidBodyInertia([1.0, 0.0], ZERO, ONE), "^RigidBodyInertia: the mass is .*, expected a positive number"),
    (lambda: RigidBodyInertia(1.0, ZERO, np.triu(np.ones((3, 3)))), "^RigidBodyInertia: .*not symmetric"),
    (lambda: RigidBodyInertia(1e200, [1e200, 0, 0], ONE), "^RigidBodyInertia: "),
    (
        lambda: RigidBodyInertia.from_matrix(IA.matrix),
        r"^RigidBodyInertia\.from_matrix: .*not the inertia of a rigid body",
    ),
    (lambda: -I, "expected a positive number"),
    (lambda: I - I, "expected a positive number"),
    (lambda: 0 * I, "expected a positive number"),
    (lambda: I - 2 * I, "expected a positive number"),
    (lambda: ArticulatedInertia(np.zeros((6, 6))).inverse(), "positive definite"),
    (lambda: InverseInertia(np.zeros((6, 6))).inverse(), "positive definite"),
]


def test_transforms_and_inertias_are_of_their_form():
    for call, message in IMPOSSIBLE:
        with pytest.raises(ArgumentValueError, match=message):
            call()
    with pytest.raises(
        ArgumentTypeError, match=r"^PlueckerTransform\.from_rotation: rotation is a list, expected a Rot"
    ):
        PlueckerTransform.from_rotation([1, 0, 0, 0])
    A = np.stack([np.eye(6), np.eye(6)])
    A[1, 0, 5] = 0.25
    for kind in (ArticulatedInertia, InverseInertia):
        said = rf"{kind.__name__}: matrix is not symmetric, \[1, 0, 5\] is 0\.25 and \[1, 5, 0\] is 0"
        with pytest.raises(ArgumentValueError, match=said):
            kind(A)
        with pytest.raises(ArgumentValueError, match=rf"{kind.__name__}: matrix has shape"):
            kind(np.eye(5))


# -------------------------------------------------------------------------------------------- errors of the package, all


def calls_on(x):
    """Yield calls that are wrong for any quantity."""
    batch = x if x.shape else np.stack([x, x])
    for index in ("a", 1.5, 7, 10**400, None.__class__, slice("a", "b"), slice(None, None, 0), [0.5], (0, 0, 0, 0)):
        yield lambda index=index: batch[index]
    for tolerance in ("x", None, 1j, [1.0, 2.0], 10**400, np.nan):
        yield lambda tolerance=tolerance: x.isclose(x, rtol=tolerance)
        yield lambda tolerance=tolerance: x.isclose(x, atol=tolerance)
    yield lambda: len(type(x)._make(batch._values[0], *batch._frames))
    yield lambda: setattr(x, "frame", "b")
    yield lambda: delattr(x, "frame")
    yield lambda: setattr(x, "nothing", 1)
    yield lambda: bool(x)
    yield lambda: np.asarray(x)
    yield lambda: np.stack([x, x], axis="a")
    yield lambda: np.stack([x, x], axis=3)
    yield lambda: np.sum(x, axis=0, dtype=int)
    if not isinstance(x, PlueckerTransform):
        yield lambda: batch.sum(axis="a")
        yield lambda: batch.sum(axis=1.5)
        yield lambda: batch.sum(axis=10**400)
        for factor in ("a", None.__class__, 1j, 10**400, [[1.0], [1.0, 2.0]]):
            yield lambda factor=factor: x * np.array(factor, dtype=object)


@pytest.mark.parametrize("x", [m, f, X, I, IA, Phi], ids=lambda x: type(x).__name__)
@pytest.mark.filterwarnings("error")
def test_every_error_is_one_of_the_package(x):
    for wrong in calls_on(x):
        with pytest.raises(PlueckerError) as caught:
            wrong()
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("kind", [MotionVector, ForceVector, ArticulatedInertia, InverseInertia, RigidBodyInertia])
def test_names_of_frames_are_quoted_in_short(kind):
    given = (
        (1.0, ZERO, ONE)
        if kind is RigidBodyInertia
        else (np.eye(6)[0 if kind in (MotionVector, ForceVector) else ...],)
    )
    for bad in (5, b"base", [1] * 1_000_000, 10**5000, kind):
        with pytest.raises(
            ArgumentTypeError, match=f"^{kind.__name__}: frame is .*, expected the name of a frame"
        ) as caught:
            kind(*given, frame=bad)
        assert len(str(caught.value)) < 200
    a, b = kind(*given, frame="a" * 1_000_000), kind(*given, frame="b")
    with pytest.raises(ArgumentValueError, match="the first is in frame 'aaa") as caught:
        a + b
    assert len(str(caught.value)) < 200


def test_products_of_batches_that_do_not_broadcast_speak_of_the_operands():
    v, f = MotionVector(np.ones((2, 6))), ForceVector(np.ones((3, 6)))
    X, I = PlueckerTransform(np.eye(3), np.ones((2, 3))), RigidBodyInertia(np.ones(3), [0, 0, 0], np.eye(3))
    products = {
        "motion . force": lambda: v.dot(f),
        "motion x force": lambda: v.cross(f),
        "rigid-body inertia @ motion": lambda: I @ v,
        "inverse inertia @ force": lambda: I[:2].inverse() @ f,
        "rate": lambda: I.rate(v),
        "transform @ force": lambda: X @ f,
        "X2 @ X1": lambda: X @ PlueckerTransform(np.eye(3), np.ones((3, 3))),
    }
    for words, product in products.items():
        with pytest.raises(ValueError, match="leading axes do not broadcast") as error:
            product()
        assert str(error.value).startswith(f"{words}: "), words


def test_batches_that_do_not_fit_together_are_not_joined():
    one, two = MotionVector(np.ones(6)), MotionVector(np.ones((2, 6)))
    for join in (np.stack, np.concatenate):
        with pytest.raises(ArgumentValueError, match="the batches do not fit together"):
            join([two, one])
    with pytest.raises(ArgumentValueError, match="expected one integer"):
        np.stack([one, one], [])
