"""Eight numbers in one vector: each lane does what NumPy does with one number, and knows nothing of the others."""

import math
import platform
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pluecker.articulated.running.algorithm import ALGORITHMS
from pluecker.spatial import exp6, log6
from pluecker.spatial.engine.memory import tiles, transposition
from pluecker.spatial.engine.scalars import lanes, operations
from tests.conftest import COMPILED
from tests.programs import printed_by
from tests.spatial.rows import WIDTH, bits, compiled, on_views, rows_of_eight, storing

pytestmark = pytest.mark.skipif(not COMPILED, reason="lanes exist in compiled code only")
load, store = operations.load, operations.store

TOP = Path(__file__).resolve().parents[4]
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1e308)
eight = st.lists(st.floats() | st.sampled_from(SPECIAL), min_size=WIDTH, max_size=WIDTH)

# ----------------------------------------------------------------------------------------------------------- arithmetic

# Each has two meanings: for lanes a, b, c in compiled code, and for arrays of NumPy. x is a float, n an integer.
EXPRESSIONS = (
    "a + b", "a + x", "x + a", "a + n", "n + a",
    "a - b", "a - x", "x - a", "a - n", "n - a",
    "a * b", "a * x", "x * a", "a * n", "n * a",
    "a / b", "a / x", "x / a", "a / n", "n / a", "a / 0.0", "a / 0", "1.0 / a", "0 / a",
    "-a", "+a", "-(-a)", "sqrt(a)", "sign(a)", "sign(-a)", "lift(x, a)", "lift(n, a)", "lift(a, b)",
    "select(smaller(a, b), b, c)", "select(smaller(a, x), a, b)", "select(smaller(x, a), x, a)",
    "select(smaller(n, a), n, a)", "select(smaller(a, b), x, n)", "select(smaller(a, a), a, b)",
    "select(flag, a, b)",
)  # fmt: skip
IN_NUMPY = {
    "sqrt": np.sqrt, "sign": np.sign, "smaller": np.less, "select": np.where,
    "lift": lambda number, like: np.broadcast_to(number, WIDTH),
}  # fmt: skip


evaluate = on_views(storing(EXPRESSIONS, "a, b, c", "x, n, flag"))


def in_lanes(*numbers):
    rows = rows_of_eight(len(numbers))
    rows[:] = numbers
    return rows


@example([np.nan] * 8, [0.0, 1.0, np.inf, -np.inf, -0.0, 5e-324, np.nan, 1e308], [1.0] * 8, 0.0, 0, True)
@example([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324], [0.0] * 8, [-0.0] * 8, -0.0, -1, False)
@given(eight, eight, eight, st.floats() | st.sampled_from(SPECIAL), st.integers(-(2**62), 2**62), st.booleans())
def test_each_lane_does_what_numpy_does_with_one_number(a, b, c, x, n, flag):
    out = rows_of_eight(len(EXPRESSIONS))
    evaluate(in_lanes(a, b, c), out, x, n, flag)
    names = IN_NUMPY | {"a": np.array(a), "b": np.array(b), "c": np.array(c), "x": x, "n": n, "flag": flag}
    with np.errstate(all="ignore"):
        for text, found in zip(EXPRESSIONS, out, strict=True):
            expected = np.broadcast_to(np.asarray(eval(text, dict(names)), dtype=float), WIDTH)
            np.testing.assert_array_equal(bits(found), bits(expected), err_msg=text)


def rounded_once(a, b, c):
    """a b + c with one rounding."""
    apart = float(np.float64(a) * np.float64(b) + np.float64(c))
    if not all(map(math.isfinite, (a, b, c))):
        return apart
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else apart
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


multiply_add = on_views(storing(["a * b + c", "c - a * b", "a * b - c"], "a, b, c"))


@given(eight, eight, eight)
def test_a_product_and_a_sum_are_rounded_once_or_twice(a, b, c):
    out = rows_of_eight(3)
    multiply_add(in_lanes(a, b, c), out)
    with np.errstate(all="ignore"):
        for found, p, q in ((out[0], 1.0, 1.0), (out[1], -1.0, 1.0), (out[2], 1.0, -1.0)):
            for k in range(WIDTH):
                twice = p * (np.float64(a[k]) * np.float64(b[k])) + q * np.float64(c[k])
                once = rounded_once(p * a[k], b[k], q * c[k])
                assert bits(found[k]) in (bits(twice), bits(np.float64(once)))


angles = on_views(storing(["atan2(y, x)"], "y, x"))


def angles_of(y, x):
    out = rows_of_eight(1)
    angles(in_lanes(y, x), out)
    return out[0]


def check_angles(y, x):
    """Two units in the last place beside mpmath, to the bit what the library gives for the origin, infinity and NaN."""
    for found, yk, xk in zip(angles_of(y, x), y, x, strict=True):
        if np.isfinite([yk, xk]).all() and (xk or yk):
            expected = mpmath.atan2(mpmath.mpf(abs(yk)), mpmath.mpf(xk))  # mpmath has no -0
            assert abs(mpmath.mpf(abs(float(found))) - expected) <= 2.0 * math.ulp(float(expected)), (yk, xk)
            assert math.copysign(1.0, found) == math.copysign(1.0, yk)
        else:
            assert bits(found) == bits(np.float64(math.atan2(yk, xk)))


@given(eight, eight)
def test_angles_are_those_of_mpmath(y, x):
    with mpmath.workdps(40):
        check_angles(y, x)


def test_angles_all_round_and_next_to_where_the_formula_changes():
    rng = np.random.default_rng(0)
    around = np.concatenate(
        [np.linspace(-np.pi, np.pi, 321), np.arange(-8, 9) * np.pi / 8.0, rng.uniform(-4.0, 4.0, 200)]
    )
    around = np.concatenate([around, around + 1e-15, around - 1e-15, around + 1e-9, rng.uniform(-1e-9, 1e-9, 50)])
    around = np.resize(around, WIDTH * -(-len(around) // WIDTH)).reshape(-1, WIDTH)
    with mpmath.workdps(40):
        for size in (1e-295, 1e-200, 1.0, 1e200, 1e295):
            for angle in around[:: 1 if size == 1.0 else 7]:
                check_angles(size * np.sin(angle), size * np.cos(angle))


def first_within(rows, bound):
    return operations.within(load(rows, 0), bound)


holds_in_all = on_views(first_within, 1)


@given(eight, st.floats() | st.sampled_from(SPECIAL))
def test_a_bound_holds_if_it_holds_in_all_lanes(a, bound):
    assert holds_in_all(in_lanes(a), bound) == bool((np.abs(a) <= bound).all())


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1.5])
def test_one_lane_beyond_the_bound_is_enough(odd):
    for lane in range(WIDTH):
        a = np.ones(WIDTH)
        assert holds_in_all(in_lanes(a), 1.0)
        a[lane] = odd
        assert not holds_in_all(in_lanes(a), 1.0)


def take_and_put(rows, taken, k, number):
    x = load(rows, 0)
    store(taken, 0, lanes.get_lane(x, k))
    store(rows, 0, lanes.set_lane(x, k, number))


exchange = on_views(take_and_put)


@pytest.mark.parametrize("number", [2.5, 3])
def test_a_lane_is_taken_out_and_put_in_without_touching_the_others(number):
    for lane in range(WIDTH):
        rows, taken = in_lanes(np.arange(8.0)), np.zeros(1)
        exchange(rows, taken, lane, number)
        expected = np.arange(8.0)
        expected[lane] = number
        assert taken[0] == lane
        np.testing.assert_array_equal(rows[0], expected)


# ---------------------------------------------------------------------------------------------------------------- views


def add_to_parts(whole, lengths, k, n):
    middle, rest = operations.part(whole, k, n), operations.tail(whole, k)
    store(lengths, 0, len(whole))
    store(lengths, 1, len(middle))
    store(lengths, 2, len(rest))
    for i in range(len(middle)):
        operations.accumulate(middle, i, 100.0)
    for i in range(len(rest)):
        operations.accumulate(rest, i, 1000.0)


use_parts = on_views(add_to_parts)


@pytest.mark.indices
@pytest.mark.parametrize("as_lanes", [False, True], ids=["numbers", "lanes"])
@pytest.mark.parametrize(("k", "n"), [(0, 0), (0, 6), (2, 3), (5, 1), (6, 0)])
def test_a_part_of_a_view_is_the_same_memory(as_lanes, k, n):
    x = rows_of_eight(6) if as_lanes else np.empty(6)
    x.reshape(-1)[:] = np.arange(x.size)
    expected, lengths = x.copy(), np.zeros(3)
    expected[k : k + n] += 100.0
    expected[k:] += 1000.0
    use_parts(x, lengths, k, n)
    np.testing.assert_array_equal(lengths, [6, n, 6 - k])
    np.testing.assert_array_equal(x, expected)


fill = on_views(lambda x, k, number: store(x, k, number), 1)


@pytest.mark.parametrize("number", [2.5, 7, -0.0, np.nan])
def test_a_number_stored_into_lanes_fills_all(number):
    x = in_lanes(*np.arange(24.0).reshape(3, 8))
    expected = x.copy()
    expected[1] = number
    fill(x, 1, number)
    np.testing.assert_array_equal(bits(x), bits(expected))


def first_of(x, k, n):
    return len(x) if load(operations.part(x, 0, n), k) is None else 0


look = on_views(first_of, 1, boundscheck=True)


@pytest.mark.indices
@pytest.mark.parametrize("as_lanes", [False, True], ids=["numbers", "lanes"])
def test_an_index_beyond_a_view_is_an_error_where_bounds_are_checked(as_lanes):
    x = rows_of_eight(6) if as_lanes else np.empty(6)
    look(x, 3, 4)
    for k in (4, -1):
        with pytest.raises(IndexError):
            look(x, k, 4)


# ---------------------------------------------------------------------------------------- from states to lanes and back

GUARD = -7.0


def read_lanes(states, block, finite, n, b):
    store(finite, 0, transposition.read_states(states, n, b, block))


def write_lanes(states, block, finite, n, b):
    store(finite, 0, transposition.write_states(states, n, b, block))


def write_lanes_in_tiles(states, block, finite, order, n, b):
    store(finite, 0, tiles.write_tiles(states, n, b, block, order))


def write_numbers(state, numbers, order):
    tiles.write_state(state, numbers, order)


read, write, write_in_tiles = on_views(read_lanes, 3), on_views(write_lanes, 3), on_views(write_lanes_in_tiles, 4)
write_one = on_views(write_numbers, 3)


def guarded(batch, n):
    """An array of states between guards in the same memory."""
    memory = np.full(batch * n + 32, GUARD)
    return memory, memory[16 : 16 + batch * n].reshape(batch, n)


def guarded_rows(n):
    rows = rows_of_eight(n + 2)
    rows[:] = GUARD
    return rows, rows[1 : n + 1]


@pytest.mark.indices
@pytest.mark.parametrize("n", range(21))
def test_states_go_into_lanes_and_back_and_nothing_else_is_touched(n):
    rng = np.random.default_rng(n)
    for batch in range(1, 21):
        states = rng.normal(size=(batch, n))
        memory, copy = guarded(batch, n)
        for b in range(0, batch, WIDTH):
            rows, block = guarded_rows(n)
            finite = rows_of_eight(1)
            read(states.reshape(-1), block, finite, n, b)
            chosen = np.minimum(b + np.arange(WIDTH), batch - 1)
            np.testing.assert_array_equal(block, states[chosen].T)
            np.testing.assert_array_equal(rows[[0, -1]], GUARD)
            np.testing.assert_array_equal(finite[0], 0.0)
            write(copy.reshape(-1), block, finite, n, b)
            np.testing.assert_array_equal(finite[0], 0.0)
            np.testing.assert_array_equal(block, states[chosen].T)
            np.testing.assert_array_equal(copy[b + WIDTH :], GUARD)
        np.testing.assert_array_equal(copy, states)
        np.testing.assert_array_equal(memory[:16], GUARD)
        np.testing.assert_array_equal(memory[16 + batch * n :], GUARD)


@pytest.mark.indices
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0], ids="{} are not zero".format)
@pytest.mark.parametrize("n", [*range(21), 37, 64, 150])
def test_rows_are_written_in_the_order_that_was_asked_for(n, share):
    """Some twice, some not at all, and number 0, which is zero, wherever there is nothing."""
    rng = np.random.default_rng(n)
    block, finite = rows_of_eight(25), rows_of_eight(1)
    block[:] = rng.normal(size=block.shape)
    block[0] = 0.0
    for batch in (1, 2, 7, 8, 11):
        order = rng.integers(1, 25, size=n) * (rng.random(n) < share)
        own = tiles.tiles_of(order).view(np.float64)  # in the bits of floats
        memory, states = guarded(batch, n)
        write_in_tiles(states.reshape(-1), block, finite, own, n, 0)
        expected = block[order].T
        first = min(batch - 1, WIDTH)  # beyond these, whoever comes last
        np.testing.assert_array_equal(states[:first], expected[:first])
        np.testing.assert_array_equal(states[WIDTH:], GUARD)
        np.testing.assert_array_equal(finite[0], 0.0)
        np.testing.assert_array_equal(memory[:16], GUARD)
        np.testing.assert_array_equal(memory[16 + batch * n :], GUARD)
        memory, states = guarded(1, n)
        write_one(states[0], np.ascontiguousarray(block[:, 3]), own)
        np.testing.assert_array_equal(states[0], expected[3])
        np.testing.assert_array_equal(memory[:16], GUARD)
        np.testing.assert_array_equal(memory[16 + n :], GUARD)


@pytest.mark.parametrize("n", [150, 1000, 3000])
def test_zeros_go_into_eight_states_and_no_others(n):
    order = np.zeros(n, dtype=np.int64)
    order[[5, n - 7]] = 1, 2
    own, finite, block = tiles.tiles_of(order).view(np.float64), rows_of_eight(1), rows_of_eight(3)
    block[:] = np.arange(3.0)[:, None]
    for b, batch in ((0, 24), (8, 24), (16, 24), (16, 19)):
        memory, states = guarded(24, n)
        write_in_tiles(states.reshape(-1)[: batch * n], block, finite, own, n, b)
        end = min(b + WIDTH, batch)
        np.testing.assert_array_equal(states[b:end], np.tile(block[order, 0], (end - b, 1)))
        for untouched in (states[:b], states[end:], memory[:16], memory[16 + states.size :]):
            assert (untouched == GUARD).all()


@pytest.mark.parametrize("order", [[1], [2, 0, 1], [0, 1, 2, 0, 3], [1, *[0] * 40, 2, 3]])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_number_spoils_its_own_state_wherever_it_comes(order, bad):
    order = np.array(order)
    own, finite = tiles.tiles_of(order).view(np.float64), rows_of_eight(1)
    for row in range(1, order.max() + 1):
        block = rows_of_eight(4)
        block[:] = 0.0
        block[row, 5] = bad
        states = np.zeros((WIDTH, len(order)))
        write_in_tiles(states.reshape(-1), block, finite, own, len(order), 0)
        np.testing.assert_array_equal(np.isnan(finite[0]), np.arange(WIDTH) == 5)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 11, 16])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_entry_spoils_its_own_state_only(n, bad):
    for lane in range(WIDTH):
        for k in range(n):
            states, finite = np.full((WIDTH, n), 1e308), rows_of_eight(1)
            states[lane, k] = bad
            block = rows_of_eight(n)
            read(states.reshape(-1), block, finite, n, 0)
            np.testing.assert_array_equal(np.isnan(finite[0]), np.arange(WIDTH) == lane)
            copy = np.zeros((WIDTH, n))
            write(copy.reshape(-1), block, finite, n, 0)
            np.testing.assert_array_equal(np.isnan(finite[0]), np.arange(WIDTH) == lane)
            np.testing.assert_array_equal(copy, states)


is_finite = on_views(lambda array: transposition.all_finite(array), 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_single_bad_entry_is_seen_wherever_it_is(bad):
    for n in (*range(41), 63, 64, 65, 80, 95, 97):
        good = np.full(n, -1e308)
        assert is_finite(good)
        for k in range(n):
            spoiled = good.copy()
            spoiled[k] = bad
            assert not is_finite(spoiled)


def test_only_what_belongs_to_an_array_is_looked_at():
    for n in range(41):
        memory = np.full(n + 16, np.nan)
        memory[8 : 8 + n] = 1.0
        assert is_finite(memory[8 : 8 + n])


# -------------------------------------------------------------------------------------------------------- the processor

x86_only = pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="instructions of x86-64")


def instructions(text):
    """Count the floating-point instructions for single numbers, and those for several at once."""
    operation = r"\bv?(?:add|sub|mul|div|sqrt|fn?m(?:add|sub)\d*)"
    return [len(re.findall(operation + suffix + r"\b", text)) for suffix in ("sd", "pd")]


@x86_only
def test_the_arithmetic_of_lanes_is_in_vectors():
    in_lanes_only = on_views(storing(["a * b + c", "a - b * c", "sqrt(a) / b"], "a, b, c"))
    in_lanes_only(rows_of_eight(3), rows_of_eight(3))
    (text,) = in_lanes_only.inspect_asm().values()
    single, packed = instructions(text)
    assert (single, packed >= 4) == (0, True)


@pytest.mark.everything
@pytest.mark.slow
@x86_only
@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_the_arithmetic_of_a_batch_is_in_vectors(name):
    """Single numbers are only those of the model: its stiffness, its pitches, the type of a joint."""
    many = ALGORITHMS[name].many
    fresh = compiled(many.py_func)  # what comes from the cache has no text
    fresh.compile(many.signatures[0])
    (text,) = fresh.inspect_asm().values()
    single, packed = instructions(text)
    assert packed > 200
    assert packed > 10 * single


MOTIONS = """
import sys
import numpy as np
from pluecker.spatial import exp6, log6
d = np.random.default_rng(31).normal(size=(11, 6))
np.save(sys.argv[1], np.hstack([f(x).reshape(11, -1) for f, x in ((exp6, d), (log6, exp6(d)))]))
"""


def on_processor(processor, program, folder, *arguments):
    """Results that a program saves where all is compiled anew for another processor."""
    target = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(folder)}
    printed_by(program, str(folder / "result.npy"), *arguments, PYTHONWARNINGS="error", **target)
    return np.load(folder / "result.npy")


@x86_only
@pytest.mark.parametrize("processor", ["x86-64", pytest.param("haswell", marks=pytest.mark.everything)])
def test_motions_are_the_same_on_processors_without_wide_registers(processor, tmp_path):
    """The oldest of this kind, without fused products; and AVX2, which has them."""
    d = np.random.default_rng(31).normal(size=(11, 6))
    own = np.hstack([f(x).reshape(11, -1) for f, x in ((exp6, d), (log6, exp6(d)))])
    np.testing.assert_allclose(on_processor(processor, MOTIONS, tmp_path), own, rtol=0.0, atol=1e-13)
