"""Dual numbers: each operation has the derivatives of calculus, first and second, and the value that float64 has.

What is made of the operations is compiled for users in derivatives of algorithms, and tested there: here it runs in plain
Python on each change, and compiled before a release.
"""

import mpmath
import numpy as np
import pytest

from pluecker.spatial.algebra import inertia, motions, rotations, transforms, vectors
from pluecker.spatial.engine.memory import arrays, joined
from pluecker.spatial.engine.scalars import operations
from tests.conftest import COMPILED
from tests.spatial.rows import WIDTH, bits, compiled, on_views, rows_of_eight, storing

load, store = operations.load, operations.store
# a, b and c are dual numbers, x is a float and n an integer.
EXPRESSIONS = (
    "a + b", "a + x", "x + a", "a + n", "n + a",
    "a - b", "a - x", "x - a", "a - n", "n - a",
    "a * b", "a * x", "x * a", "a * n", "n * a", "a * a * a",
    "a / b", "a / x", "x / a", "a / n", "n / a", "a * b / (b * c)",
    "-a", "+a", "-(-a)", "sqrt(b)", "sqrt(a * a + b)", "sincos(a)[0]", "sincos(a)[1]", "sincos(b * c)[0]",
    "atan2(a, b)", "atan2(b, a)", "atan2(c, -b)", "atan2(a * b, c)", "atan2(a, x)", "atan2(x, a)",
    "a * sign(a)", "lift(x, a)", "lift(n, a)", "lift(b, a)",
    "select(smaller(a, b), a, b)", "select(smaller(b, a), a, b)", "select(smaller(a, x), a, x)",
    "select(smaller(x, a), a, x)", "select(smaller(n, a), n, a)", "select(within(a, 10.0), b, c)",
    "select(within(a, 0.1), b, c)", "select(flag, a, 2.0)", "select(flag, n, a)", "select(not flag, a, b)",
)  # fmt: skip
IN_MPMATH = {
    "sqrt": mpmath.sqrt, "sincos": lambda x: mpmath.cos_sin(x)[::-1], "atan2": mpmath.atan2, "sign": mpmath.sign,
    "smaller": lambda x, y: x < y, "select": lambda condition, x, y: x if condition else y,
    "lift": lambda number, like: number, "within": lambda x, bound: abs(x) <= bound,
}  # fmt: skip
FLOAT, INTEGER, FLAG = 0.7, 3, True


def rows_like(array):
    """Return a copy aligned for vector loads, which only (n, 8) arrays need."""
    array = np.asarray(array, dtype=float)
    if array.ndim == 1:
        return array.copy()
    rows = rows_of_eight(len(array))
    rows[:] = array
    return rows


def run_on_duals(function, coefficients, n, *more):
    """The coefficients of what ``function(x, out, ...)`` stores in ``n`` entries, from those of its input."""
    inputs = [rows_like(c) for c in coefficients]
    outputs = [rows_like(np.full((n, *c.shape[1:]), np.nan)) for c in inputs]
    arrays = [*inputs, *outputs]
    if not COMPILED:
        arrays = [joined.as_rows(x.reshape(-1)) if x.ndim == 2 else x for x in arrays]
    on_duals(function, len(inputs))(*arrays, *more)
    return outputs


DRIVERS = {}


def on_duals(function, size):
    """The function on dual numbers with so many coefficients, compiled once."""
    if (function, size) not in DRIVERS:
        inner = compiled(function)
        if size == 2:

            def driver(v, t, ov, ot, *more):
                inner(joined.join(v, t), joined.join(ov, ot), *more)
        else:

            def driver(v, t, d, s, ov, ot, od, os, *more):
                inner(joined.join_second(v, t, d, s), joined.join_second(ov, ot, od, os), *more)

        DRIVERS[function, size] = on_views(driver, 2 * size)
    return DRIVERS[function, size]


EVALUATE = storing(EXPRESSIONS, "a, b, c", "x, n, flag")


def random_coefficients(rng, values, order):
    n = len(values)
    kinds = [values, rng.normal(size=(n, WIDTH)), rng.normal(size=n), rng.normal(size=(n, WIDTH))]
    return kinds[: 2**order]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("values", [(1.3, 0.4, -2.0), (-0.6, 2.5, 0.2)])
def test_operations_have_the_derivatives_of_calculus(order, values):
    """The oracle differentiates numerically, to 30 digits and more."""
    x = random_coefficients(np.random.default_rng(order), np.array(values), order)
    found = run_on_duals(EVALUATE, x, len(EXPRESSIONS), FLOAT, INTEGER, FLAG)
    names = IN_MPMATH | {"x": mpmath.mpf(FLOAT), "n": INTEGER, "flag": FLAG}
    lanes = (0, 5)
    with mpmath.workdps(40):
        for k, text in enumerate(EXPRESSIONS):
            for lane in lanes:

                def moved(s, t, text=text, lane=lane):
                    """The expression where the variables have moved by s in that direction, and by t in the other."""
                    steps = [c[:, lane] if c.ndim == 2 else c for c in x[1:]]
                    parts = [step * size for step, size in zip(steps, (s, t, s * t), strict=False)]
                    a, b, c = (mpmath.mpf(v) + sum(p[j] for p in parts) for j, v in enumerate(values))
                    return mpmath.mpf(eval(text, {**names, "a": a, "b": b, "c": c}))

                for m, degree in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)][: len(x)]):
                    expected = float(mpmath.diff(moved, (0, 0), degree) if m else moved(0, 0))
                    one = found[m][k, lane] if found[m].ndim == 2 else found[m][k]
                    assert abs(one - expected) <= 1e-13 * max(1.0, abs(expected)), (text, m, lane)


SPECIAL = (0.0, -0.0, 1.0, -1.5, np.nan, np.inf, -np.inf, 5e-324, 1e308)
BASIC = (
    "a + b", "a - b", "a * b", "a / b", "-a", "a + x", "x - a", "x * a", "a / x", "x / a", "sqrt(a)", "lift(x, a)",
    "select(smaller(a, b), a, b)", "atan2(a, b)",
)  # fmt: skip


BASIC_EVALUATE = storing(BASIC, "a, b", "x")
IN_NUMPY = {
    "sqrt": np.sqrt, "smaller": np.less, "select": np.where, "lift": lambda number, like: number,
    "atan2": np.arctan2,
}  # fmt: skip


def test_values_are_those_of_float64_to_the_bit_whatever_they_are():
    for a in SPECIAL:
        for b in SPECIAL:
            coefficients = [np.array([a, b]), np.ones((2, WIDTH))]
            with np.errstate(all="ignore"):
                found = run_on_duals(BASIC_EVALUATE, coefficients, len(BASIC), FLOAT)[0]
                for text, one in zip(BASIC, found, strict=True):
                    names = IN_NUMPY | {"a": np.float64(a), "b": np.float64(b), "x": np.float64(FLOAT)}
                    expected = np.float64(eval(text, dict(names)))
                    if COMPILED or not (text.startswith("lift") and not np.isfinite(a)):
                        assert bits(np.float64(one)) == bits(expected), (text, a, b)


# ---------------------------------------------------------------------------------------------------------- memory


def shift(x, out):
    """Parts of views are the same memory; a number that is stored has no derivatives."""
    middle, rest = operations.part(x, 1, 2), operations.tail(x, 2)
    n = len(x)
    for k in range(n):
        store(out, k, 7.0)
    inner, last = operations.part(out, 1, n - 1), operations.tail(out, n - 2)
    store(inner, 0, load(middle, 1))
    operations.accumulate(last, 0, load(rest, 0))
    store(last, 1, n)


@pytest.mark.indices
@pytest.mark.parametrize("order", [1, 2])
def test_parts_of_a_view_are_the_same_memory_in_all_coefficients(order):
    x = random_coefficients(np.random.default_rng(0), np.arange(5.0), order)
    found = run_on_duals(shift, x, 5)
    for m, (given, c) in enumerate(zip(x, found, strict=True)):
        number = 7.0 if m == 0 else 0.0
        expected = np.full_like(given, number)
        expected[1] = given[2]
        expected[3] = number + given[2]
        expected[4] = 5.0 if m == 0 else 0.0
        np.testing.assert_array_equal(c, expected)


def rows_in_workspace(ws, n):
    numbers = arrays.aligned(ws)
    rows = joined.as_rows(operations.part(numbers, 8, 8 * n))
    for k in range(n):
        store(rows, k, operations.lift(1.0, load(rows, k)) * (k + 1.0))
    return len(numbers), len(rows)


write_rows = on_views(rows_in_workspace, 1)


@pytest.mark.indices
def test_rows_of_eight_in_a_workspace_begin_where_vectors_may():
    for shift in range(8):
        memory = np.zeros(64)
        ws = memory[shift:]
        count, rows = write_rows(ws, 3)
        assert rows == 3
        assert len(ws) - 8 < count <= len(ws)
        first = len(memory) - count + 8
        assert not COMPILED or memory[first:].ctypes.data % 64 == 0
        expected = np.zeros(64)
        expected[first : first + 24] = np.repeat([1.0, 2.0, 3.0], 8)
        np.testing.assert_array_equal(memory, expected)


@pytest.mark.skipif(not COMPILED, reason="without compilation Python checks them")
def test_an_index_beyond_a_view_is_an_error_where_bounds_are_checked():
    def is_small(v, t, k):
        return operations.within(load(operations.part(joined.join(v, t), 0, 2), k), 1.0)

    look = on_views(is_small, boundscheck=True)
    v, t = np.zeros(3), rows_like(np.zeros((3, WIDTH)))
    assert look(v, t, 1)
    for k in (2, -1):
        with pytest.raises(IndexError):
            look(v, t, k)


# ------------------------------------------------------------------------------------------------------ the 6D algebra


def algebra(x, out):
    """Rotations, motions and inertia: each kernel once, on numbers that depend on all inputs."""
    a, b, p = vectors.load3(x, 0), vectors.load3(x, 3), rotations.load_quaternion(x, 6)
    q = rotations.quaternion_product(rotations.quaternion_from_rotation_vector(a), p)
    E = rotations.rotation_from_quaternion(q)
    X = (E, motions.translation_from_twist(a, b))
    rotations.store_quaternion(out, 0, rotations.quaternion_from_rotation(transforms.transpose(E)))
    vectors.store3(out, 4, rotations.rotation_vector_from_quaternion(q))
    vectors.store3(out, 7, motions.twist_from_translation(a, b))
    v = transforms.transform_motion(X, (a, b))
    f = inertia.rigid_times_motion((2.0, (0.1, 0.2, 0.3), (1.0, 0.0, 0.1, 2.0, 0.2, 3.0)), v)
    vectors.store_vector(out, 10, vectors.cross_force(v, f))
    vectors.store_vector(out, 16, transforms.inverse_transform_force(X, motions.logarithm_transpose((a, b), f)))
    vectors.store_vector(out, 22, vectors.load_vector(x, 4))


algebra_of_complex = compiled(algebra)
ENTRIES = 28


def complex_step(x, direction):
    out = np.zeros(ENTRIES, dtype=complex)
    algebra_of_complex(x + 1e-30j * direction, out)
    return out.real, out.imag / 1e-30


@pytest.mark.parametrize("turn", [0.0, 1e-9, 1e-3, 0.8, 3.3, 5.5])
@pytest.mark.parametrize("order", [pytest.param(order, marks=pytest.mark.plain) for order in (1, 2)])
def test_kernels_of_the_algebra_have_the_derivatives_of_the_complex_step(turn, order):
    rng = np.random.default_rng(3)
    x = rng.normal(size=10)
    x[:3] *= turn / np.linalg.norm(x[:3])
    x[6:] /= np.linalg.norm(x[6:])
    given = random_coefficients(rng, x, order)
    found = run_on_duals(algebra, given, ENTRIES)
    steps = [complex_step(x, given[1][:, lane]) for lane in range(WIDTH)]
    scale = np.abs(found[1]).max()
    np.testing.assert_allclose(found[0], steps[0][0], rtol=0.0, atol=1e-14 * scale)
    np.testing.assert_allclose(found[1], np.transpose([rate for _, rate in steps]), rtol=0.0, atol=1e-13 * scale)
    if order == 2:
        np.testing.assert_allclose(found[2], complex_step(x, given[2])[1], rtol=0.0, atol=1e-13 * scale)
        h = 1e-5  # central differences of exact derivatives: errors of h^2 and of 1e-16 / h
        for lane in (0, 6):
            ends = [
                complex_step(x + side * given[2], given[1][:, lane] + side * given[3][:, lane])[1] for side in (h, -h)
            ]
            expected = (ends[0] - ends[1]) / (2.0 * h)
            np.testing.assert_allclose(found[3][:, lane], expected, rtol=0.0, atol=1e-7 * np.abs(expected).max())
