"""Sine and cosine against 60 digits: within two units in the last place on |x| <= 1e6. The largest error found is 0.78."""

import mpmath
import numpy as np
import pytest

from pluecker.spatial.engine.scalars import operations
from tests.conftest import COMPILED
from tests.spatial.rows import WIDTH, bits, in_rows, on_views, rows_of_eight

pytestmark = pytest.mark.skipif(not COMPILED, reason="without compilation it is NumPy's, and there are no lanes")

ULPS = 2.0
LARGEST = 1e6  # up to here it is said to be so
# pi/2 in three parts, of 53 bits each
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)


def sines_and_cosines(x, out):
    n = len(x)
    for k in range(n):
        s, c = operations.sincos(operations.load(x, k))
        operations.store(out, k, s)
        operations.store(out, n + k, c)


fill = on_views(sines_and_cosines)


def by_lanes(x):
    """Sine and cosine, eight at a time."""
    x = np.asarray(x, dtype=float)
    rows = in_rows(x)
    out = rows_of_eight(2 * len(rows))
    fill(rows, out)
    return out.reshape(2, -1)[:, : len(x)]


def by_numbers(x):
    """Sine and cosine, one at a time."""
    x = np.array(x, dtype=float)
    out = np.empty((2, len(x)))
    fill(x, out.reshape(-1))
    return out


def exact(x):
    """Sine and cosine to 60 digits, each as a double and what is left."""
    parts = np.empty((2, 2, len(x)))
    with mpmath.workdps(60):
        for k, number in enumerate(x):
            for which, value in enumerate(mpmath.cos_sin(mpmath.mpf(float(number)))[::-1]):
                parts[which, 0, k] = float(value)
                parts[which, 1, k] = float(value - parts[which, 0, k])
    return parts


def ulps(computed, parts):
    """Errors in units of the last place of the exact value."""
    double, rest = parts
    below = np.where(np.sign(rest) == -np.sign(double), np.nextafter(double, 0.0), double)
    return np.abs((computed - double) - rest) / np.spacing(np.abs(below))


def largest_error(x):
    """Return the largest error of both functions and of both ways to compute them."""
    truth = exact(x)
    return max(ulps(y, t).max() for way in (by_lanes, by_numbers) for y, t in zip(way(x), truth, strict=True))


def neighbours(x):
    """Numbers and the doubles on both sides of them, of either sign."""
    x = np.concatenate([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)])
    x = np.concatenate([x, -x])
    return x[np.abs(x) <= LARGEST]


def distances(k):
    """The double closest to k pi/2, and how far away it is, to 1e-9 of that: double-double arithmetic for k < 2^26."""
    high = HALF_PI[0] * 134217729.0  # Dekker's splitting into two halves of 26 bits
    high = high - (high - HALF_PI[0])
    product = k * HALF_PI[0]
    rest = ((k * high - product) + k * (HALF_PI[0] - high)) + k * HALF_PI[1]
    nearest = product + rest
    return nearest, ((product - nearest) + rest) + k * HALF_PI[2]


def hardest_multiples(count):
    """Doubles within 1e6 that are exceptionally close to a multiple of pi/2: absolutely, and for their size."""
    x, distance = distances(np.arange(1.0, LARGEST / HALF_PI[0]))
    absolutely = np.argsort(np.abs(distance))[:count]
    relatively = np.argsort(np.abs(distance) / np.spacing(x))[:count]
    return x[np.union1d(absolutely, relatively)]


def test_the_scan_for_hard_arguments_finds_them():
    """Distances against 60 digits; and the closest of all, which a continued fraction gives as well."""
    k = np.array([1.0, 2.0, 22.0, 710.0, 208696.0, 409102.0, 636619.0])
    with mpmath.workdps(60):
        for n, x, distance in zip(k, *distances(k), strict=True):
            assert float(n * mpmath.pi / 2 - mpmath.mpf(float(x))) == pytest.approx(distance, rel=1e-9)
    assert 642615.9188844458 in hardest_multiples(10)  # 409102 pi/2 - 8.9e-17


def test_the_error_is_below_two_ulps_throughout():
    """Measured: 0.78 in 100000 samples."""
    rng = np.random.default_rng(1)
    uniform = np.concatenate([rng.uniform(-LARGEST, LARGEST, 3000), rng.uniform(-10.0, 10.0, 6000)])
    dense = np.linspace(-2 * np.pi, 2 * np.pi, 4001)
    assert largest_error(np.concatenate([uniform, dense])) <= ULPS


def test_the_error_is_below_two_ulps_for_the_smallest_numbers():
    """Measured: 0.71 in 100000 samples."""
    rng = np.random.default_rng(2)
    sizes = 10.0 ** rng.uniform(-300.0, 6.0, 3000)
    denormal = 5e-324 * np.concatenate([[1.0, 2.0, 3.0, 2.0**51], np.floor(10.0 ** rng.uniform(0.0, 15.6, 500))])
    border = [2.2250738585072014e-308]  # the smallest number with 53 bits
    assert largest_error(neighbours(np.concatenate([sizes, denormal, border]))) <= ULPS


def test_the_error_is_below_two_ulps_next_to_multiples_of_a_right_angle():
    """The remainder must still have 53 bits where all digits cancel. Measured: 0.50.

    The doubles that are closest to a multiple, among all 636619 of them, and their neighbours.
    """
    assert largest_error(neighbours(hardest_multiples(1500))) <= ULPS
    first = np.arange(1.0, 300.0) * HALF_PI[0]
    assert largest_error(neighbours(first)) <= ULPS


def test_the_error_is_below_two_ulps_where_one_quadrant_ends():
    """Next to odd multiples of pi/4 the nearest multiple of pi/2 is decided by rounding. Measured: 0.77."""
    rng = np.random.default_rng(3)
    k = np.concatenate([np.arange(200.0), rng.integers(200, 636000, 1500)])
    assert largest_error(neighbours((2.0 * k + 1.0) * (HALF_PI[0] / 2.0))) <= ULPS


def test_zero_keeps_its_sign():
    for way in (by_lanes, by_numbers):
        sine, cosine = way([0.0, -0.0])
        np.testing.assert_array_equal(bits(sine), bits(np.array([0.0, -0.0])))
        np.testing.assert_array_equal(cosine, [1.0, 1.0])


def test_at_the_border_to_large_arguments_both_ways_are_right():
    border = np.array([LARGEST, np.nextafter(LARGEST, 0.0), np.nextafter(LARGEST, np.inf)])
    assert largest_error(np.concatenate([border, -border])) <= ULPS


def test_beyond_a_million_it_is_as_good_as_the_system():
    """NumPy has its own vectorised functions: within one unit of the last place."""
    rng = np.random.default_rng(4)
    x = 10.0 ** rng.uniform(6.0, 300.0, 4000) * rng.choice([-1.0, 1.0], 4000)
    for way in (by_lanes, by_numbers):
        for ours, system in zip(way(x), (np.sin(x), np.cos(x)), strict=True):
            assert (np.abs(ours - system) <= np.spacing(np.abs(system))).all()
    assert largest_error(x[:500]) <= ULPS


def test_infinity_and_nan_give_nan():
    for way in (by_lanes, by_numbers):
        assert np.isnan(way([np.inf, -np.inf, np.nan])).all()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300, -2e6])
def test_an_odd_lane_changes_nothing_in_the_others(odd):
    x = np.random.default_rng(5).uniform(-100.0, 100.0, WIDTH)
    expected = by_lanes(x)
    for lane in range(WIDTH):
        spoiled = x.copy()
        spoiled[lane] = odd
        others = np.arange(WIDTH) != lane
        for found, plain in zip(by_lanes(spoiled), expected, strict=True):
            np.testing.assert_array_equal(bits(found)[others], bits(plain)[others])
        for found, single in zip(by_lanes(spoiled), by_numbers([odd]), strict=True):
            np.testing.assert_array_equal(bits(found)[lane], bits(single)[0])


def test_a_lane_is_a_number_bit_for_bit():
    """Both execute the same instructions in the same order, fused at the same places."""
    rng = np.random.default_rng(6)
    x = np.concatenate(
        [rng.uniform(-1e6, 1e6, 50000), rng.uniform(-7.0, 7.0, 50000), 10.0 ** rng.uniform(-30, 9, 50000)]
    )
    for one, eight in zip(by_numbers(x), by_lanes(x), strict=True):
        np.testing.assert_array_equal(bits(one), bits(eight))
