"""Coulomb's law made smooth, and the curve of its solutions: looks inside, because callers see only where the curve ends."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pluecker.contact import solve
from pluecker.contact.problem.operator import assemble
from pluecker.contact.problem.prepared import Prepared, cut, prepare
from pluecker.contact.solving.island import Island
from pluecker.contact.solving.newton import velocity
from pluecker.contact.solving.smooth_path import ATTEMPTS, Curve, Point
from pluecker.contact.solving.smooth_point import product
from pluecker.contact.solving.smoothed_law import is_smoothable, linear_blocks, place_for, smoothed
from pluecker.contact.sparse.blocks import to_full
from tests.contact.random_friction import random_problem

KINDS = ("3", "3", "limit", "motor", "3")
STEP, STIFFNESS = 3.0, 0.1


def one_island(seed: int, kinds: tuple[str, ...] = KINDS, friction: tuple[float, float] = (0.2, 1.5)) -> Prepared:
    """Contacts, a limit and a motor, and everything they touch, scaled."""
    P, _ = prepare(random_problem(seed, 5, kinds=kinds, friction=friction).problem(), separate=False)
    return cut(P._replace(A=assemble(P.A)), 0)


def at(P: Prepared, x: np.ndarray, centre: np.ndarray, level: float):
    """F and its derivatives."""
    L, m = place_for(P), float(np.exp(level))
    total = smoothed(P, x, velocity(P, x), centre, m, STEP, STIFFNESS, np.empty(3), L)
    assert np.sqrt(total) == pytest.approx(np.linalg.norm(L.F), rel=1e-12)
    return L


@pytest.mark.parametrize("level", [0.5, -2.0, -5.0])
def test_derivatives_of_the_smoothed_law_are_differences_of_it(level):
    for seed in range(4):
        P, rng = one_island(seed), np.random.default_rng(seed)
        x, centre, dx = rng.normal(size=(3, len(P.b)))
        h, L, values = 1e-4 * np.exp(level), at(P, x, centre, level), np.empty(len(P.A.N.data))
        linear_blocks(P, L, STIFFNESS * float(np.exp(level)), values)
        matrix = to_full(P.A.N._replace(data=values))
        by_x = (at(P, x + h * dx, centre, level).F - at(P, x - h * dx, centre, level).F) / (2.0 * h)
        by_level = (at(P, x, centre, level + 1e-5).F - at(P, x, centre, level - 1e-5).F) / 2e-5
        # Differences of h miss h^2 / 6 times a third derivative, which is 1 / m^2 at most for each q.
        bound = 1e-7 * STEP * np.linalg.norm(dx) * np.linalg.norm(P.A.N.data)
        np.testing.assert_allclose(matrix @ dx, by_x, rtol=0.0, atol=bound * max(1.0, np.abs(matrix).max()))
        np.testing.assert_allclose(L.T, by_level, rtol=0.0, atol=1e-8 * (1.0 + np.abs(L.T).max()))


def test_the_smoothed_law_comes_to_coulombs_law():
    """What it misses at a solution is of the size of the level; beside a solution it is not."""
    for seed in range(4):
        random = random_problem(seed, 5, kinds=KINDS, friction=(0.2, 1.5))
        r = solve(random.problem(), tol=1e-12).multipliers
        P, places = prepare(random.problem(), separate=False)
        P = cut(P._replace(A=assemble(P.A)), 0)
        x = r[places] / P.s
        other = x + 0.1
        for m in (1e-2, 1e-4, 1e-6):
            assert np.linalg.norm(at(P, x, x, np.log(m)).F) <= 2.0 * STEP * m * len(x)
            assert np.linalg.norm(at(P, other, other, np.log(m)).F) >= 1e-3


def started(P: Prepared) -> Island:
    """An island on its way from no multipliers."""
    island = Island(P, 1, np.zeros(len(P.b)), P.b.copy(), np.zeros(0), 5000)
    island.take(island.x.copy(), P.b.copy())
    return island


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_each_curve_leads_from_no_multipliers_to_a_solution(attempt):
    for seed in range(3):
        island = started(one_island(seed))
        Curve(island, attempt).advance(1e-7, 1000)
        assert island.error <= 1e-7
        assert island.spent["smoothed"][0] == island.iterations <= 1000


def steps_of(curve: Curve, tol: float) -> list[Point]:
    """The points of a curve, one after the other."""
    points = [curve.point]
    while curve.island.error > tol and not curve.ended and curve.factors < 1000:
        curve.advance(tol, 1)
        if curve.point is not points[-1]:
            points.append(curve.point)
    return points


def test_a_curve_goes_on_from_where_it_was():
    """In pieces of any number of factors it has the same points."""
    P = one_island(1)
    at_once, in_pieces = (Curve(started(P), ATTEMPTS[0]) for _ in range(2))
    at_once.advance(1e-7, 1000)
    points = steps_of(in_pieces, 1e-7)
    assert len(points) > 5
    assert at_once.island.error == in_pieces.island.error <= 1e-7
    np.testing.assert_array_equal(at_once.point.x, points[-1].x)
    assert at_once.factors == in_pieces.factors == in_pieces.island.iterations


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_a_curve_takes_no_more_factors_than_there_are_iterations(limit):
    island = started(one_island(1))
    island.limit = limit
    curve = Curve(island, ATTEMPTS[0])
    for _ in range(limit):
        curve.advance(1e-300, 5)
    assert island.iterations == curve.factors == limit


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_direction_of_a_point_is_that_of_the_curve_there(attempt):
    """dF = 0 along it, and it goes on as it came, where the level falls and where it rises."""
    turned = 0
    for seed in range(6):
        P = one_island(seed)
        curve = Curve(started(P), attempt)
        points = steps_of(curve, 1e-7)
        for k, (before, point) in enumerate(itertools.pairwise(points)):
            apart = (point.x - before.x, point.level - before.level)
            assert product(curve.law, *apart, before.dx, before.dlevel) > 0.0
            turned += point.dlevel > 0.0
            if k % 4 == 0:
                curve.value(point.x, point.level)
                values = np.empty(len(P.A.N.data))
                linear_blocks(P, curve.place.L, curve.law.stiffness * float(np.exp(point.level)), values)
                along = to_full(P.A.N._replace(data=values)) @ point.dx
                np.testing.assert_allclose(
                    along, -curve.place.L.T * point.dlevel, rtol=0.0, atol=1e-9 * np.abs(along).max()
                )
    assert turned > 0


def test_no_curve_is_followed_that_has_no_scale():
    assert is_smoothable(one_island(0))
    assert not is_smoothable(one_island(0, friction=(1e-6, 1e-4)))
    assert not is_smoothable(one_island(0, friction=(1e3, 1e4)))
    assert not is_smoothable(one_island(0, kinds=("6",)))
