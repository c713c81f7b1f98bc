"""Coulomb's law made smooth, and the curve of its solutions: looks inside, because callers see only where the curve ends."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pluecker.contact import solve
from pluecker.contact.friction.solving import newton, smooth_path, smooth_point, smoothed_law
from tests.conftest import COMPILED
from tests.contact.friction.solving.islands import island_of, matrix_of, one_island, scaled
from tests.contact.random_friction import random_problem

KINDS = ("3", "3", "limit", "motor", "3")
STEP, STIFFNESS = 3.0, 0.1


def mixed(seed: int, kinds: tuple[str, ...] = KINDS, friction: tuple[float, float] = (0.2, 1.5)) -> Any:
    """Contacts, a limit and a motor, and everything they touch, as an island."""
    return one_island(random_problem(seed, 5, kinds=kinds, friction=friction).problem())


def at(P: Any, x: np.ndarray, centre: np.ndarray, level: float):
    """F and its derivatives."""
    L, m = smoothed_law.place_for(P), float(np.exp(level))
    total = smoothed_law.smoothed(P, x, newton.velocity(P, x), centre, m, STEP, STIFFNESS, np.empty(3), L)
    assert np.sqrt(total) == pytest.approx(np.linalg.norm(L.F), rel=1e-12)
    return L


@pytest.mark.plain
@pytest.mark.parametrize("level", [0.5, -2.0, -5.0])
def test_derivatives_of_the_smoothed_law_are_differences_of_it(level):
    for seed in range(4):
        P, rng = mixed(seed), np.random.default_rng(seed)
        x, centre, dx = rng.normal(size=(3, len(P.b)))
        h, L, values = 1e-4 * np.exp(level), at(P, x, centre, level), np.empty(len(P.A.N.data))
        smoothed_law.linear_blocks(P, L, STIFFNESS * float(np.exp(level)), values)
        matrix = matrix_of(P, values)
        by_x = (at(P, x + h * dx, centre, level).F - at(P, x - h * dx, centre, level).F) / (2.0 * h)
        by_level = (at(P, x, centre, level + 1e-5).F - at(P, x, centre, level - 1e-5).F) / 2e-5
        # Differences of h miss h^2 / 6 times a third derivative, which is 1 / m^2 at most for each q.
        bound = 1e-7 * STEP * np.linalg.norm(dx) * np.linalg.norm(P.A.N.data)
        np.testing.assert_allclose(matrix @ dx, by_x, rtol=0.0, atol=bound * max(1.0, np.abs(matrix).max()))
        np.testing.assert_allclose(L.T, by_level, rtol=0.0, atol=1e-8 * (1.0 + np.abs(L.T).max()))


@pytest.mark.plain
def test_the_smoothed_law_comes_to_coulombs_law():
    """The residual at a solution is of the size of the smoothing; elsewhere it stays large."""
    for seed in range(4):
        random = random_problem(seed, 5, kinds=KINDS, friction=(0.2, 1.5))
        r = solve(random.problem(), tol=1e-12).multipliers
        P, x = one_island(random.problem()), scaled(random.problem(), r)
        other = x + 0.1
        for m in (1e-2, 1e-4, 1e-6):
            assert np.linalg.norm(at(P, x, x, np.log(m)).F) <= 2.0 * STEP * m * len(x)
            assert np.linalg.norm(at(P, other, other, np.log(m)).F) >= 1e-3


@pytest.mark.parametrize("attempt", smooth_path.ATTEMPTS)
def test_each_curve_leads_from_no_multipliers_to_a_solution(attempt):
    for seed in range(3 if COMPILED else 1):
        island = island_of(mixed(seed))
        smooth_path.Curve(island, attempt).advance(1e-7, 1000)
        assert island.error <= 1e-7
        assert island.spent["smoothed"][0] == island.iterations <= 1000


def steps_of(curve: Any, tol: float) -> list[Any]:
    """The points of a curve, one after the other."""
    points = [curve.point]
    while curve.island.error > tol and not curve.ended and curve.factors < 1000:
        curve.advance(tol, 1)
        if curve.point is not points[-1]:
            points.append(curve.point)
    return points


def test_a_curve_goes_on_from_where_it_was():
    """The points are the same in pieces of any number of factors."""
    P = mixed(1)
    at_once, in_pieces = (smooth_path.Curve(island_of(P), smooth_path.ATTEMPTS[0]) for _ in range(2))
    at_once.advance(1e-7, 1000)
    points = steps_of(in_pieces, 1e-7)
    assert len(points) > 5
    assert at_once.island.error == in_pieces.island.error <= 1e-7
    np.testing.assert_array_equal(at_once.point.x, points[-1].x)
    assert at_once.factors == in_pieces.factors == in_pieces.island.iterations


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_a_curve_takes_no_more_factors_than_there_are_iterations(limit):
    island = island_of(mixed(1))
    island.limit = limit
    curve = smooth_path.Curve(island, smooth_path.ATTEMPTS[0])
    for _ in range(limit):
        curve.advance(1e-300, 5)
    assert island.iterations == curve.factors == limit


@pytest.mark.plain
@pytest.mark.parametrize("attempt", smooth_path.ATTEMPTS)
def test_the_direction_of_a_point_is_that_of_the_curve_there(attempt):
    """dF = 0 along it, and it goes on as it came, where the level falls and where it rises."""
    turned = 0
    for seed in range(6 if COMPILED else 1):
        P = mixed(seed)
        curve = smooth_path.Curve(island_of(P), attempt)
        points = steps_of(curve, 1e-7)
        for k, (before, point) in enumerate(itertools.pairwise(points)):
            apart = (point.x - before.x, point.level - before.level)
            assert smooth_point.product(curve.law, *apart, before.dx, before.dlevel) > 0.0
            turned += point.dlevel > 0.0
            if k % 4 == 0:
                curve.value(point.x, point.level)
                values = np.empty(len(P.A.N.data))
                smoothed_law.linear_blocks(P, curve.place.L, curve.law.stiffness * float(np.exp(point.level)), values)
                along = matrix_of(P, values) @ point.dx
                np.testing.assert_allclose(
                    along, -curve.place.L.T * point.dlevel, rtol=0.0, atol=1e-9 * np.abs(along).max()
                )
    assert turned > 0 or not COMPILED


def test_no_curve_is_followed_that_has_no_scale():
    assert smoothed_law.is_smoothable(mixed(0))
    assert not smoothed_law.is_smoothable(mixed(0, friction=(1e-6, 1e-4)))
    assert not smoothed_law.is_smoothable(mixed(0, friction=(1e3, 1e4)))
    assert not smoothed_law.is_smoothable(mixed(0, kinds=("6",)))
