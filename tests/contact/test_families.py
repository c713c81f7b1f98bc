"""The families of friction problems of the benchmarks: plausible geometry, what stands stays, what solvers claim holds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Voronoi

from benchmarks.families import FAMILIES
from benchmarks.families.capsules import capsule_inertia, closest
from benchmarks.families.cards import house_of_cards
from benchmarks.families.polyhedra import cells_around, jittered
from benchmarks.families.scene import GRAVITY
from benchmarks.measuring.resources import capped, peak_bytes
from pluecker.contact import METHODS, assemble_contacts, contact_frames, solve
from tests.contact.fuzz import long_errors

NAMES = sorted(FAMILIES)
MEMBERS = [(8, 1), (24, 2)]  # contacts, seed
STANDING = ("arch", "cards", "stack")  # what is at rest before the step, but for millimetres a second
TOL = 1e-6


def members(name):
    return [FAMILIES[name](count, seed) for count, seed in MEMBERS]


def missed(problem, r, law):
    """Return the violation of the law in the worst block, as a share of the largest velocity, by an independent judge."""
    N = problem.matrix()
    u = N @ r + problem.offset
    _, worst, speed = long_errors(problem.sets, N.diagonal(), problem.offset, r, u, law, N.toarray())
    return worst / speed


# ------------------------------------------------------------------------------------------------------------- geometry


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [1, 30, 300])
def test_contacts_lie_between_their_bodies(name, count):
    """Normals point from the first body to the second, nothing overlaps, and all bodies but the ground can move."""
    scene = FAMILIES[name](count, 3)
    table, centre = scene.table, scene.bodies.position
    first, second = table.bodies.T
    before = np.einsum("ki,ki->k", table.normal, table.point - centre[first])
    behind = np.einsum("ki,ki->k", table.normal, centre[second] - table.point)
    assert (before[first > 0] > -1e-12).all()  # cards are as thin as planes: rounding of metres
    assert (behind > -1e-12).all()
    assert (table.gap >= 0.0).all()
    assert scene.bodies.static.tolist() == [True] + [False] * (len(scene.bodies) - 1)
    assert scene.problem.operator.is_factored  # so that 100,000 contacts fit
    assert count == 1 or 0.5 * count <= len(table) <= 1.7 * count


@pytest.mark.parametrize("name", ["stack", "cards"])
def test_boxes_are_touched_on_their_surface(name):
    """Edges follow from mass and moments; points are compared in body axes."""
    scene = FAMILIES[name](200, 0)
    bodies, table = scene.bodies, scene.table
    for side in (0, 1):
        of = table.bodies[:, side]
        of, point = of[of > 0], table.point[of > 0]
        moments = np.diagonal(bodies.inertia[of], axis1=1, axis2=2)
        # I_x = m (y^2 + z^2) / 12, so that x^2 = 6 (I_y + I_z - I_x) / m.
        edges = np.sqrt(6.0 / bodies.mass[of, None] * (moments.sum(axis=1, keepdims=True) - 2.0 * moments))
        arm = np.einsum("kji,kj->ki", bodies.rotation[of], point - bodies.position[of])
        assert (np.abs(arm) <= 0.5 * edges + 1e-3 * edges.max()).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_is_one_problem(name):
    """Equal seeds give the same bits, others give others."""
    one, same, other = (FAMILIES[name](30, seed).problem for seed in (1, 1, 2))
    assert np.array_equal(one.offset, same.offset)
    assert np.array_equal(one.operator.J.data, same.operator.J.data)
    assert not np.array_equal(one.offset, other.offset)


def test_cells_of_a_lattice_are_cubes():
    """Volume 1, moments 1/6; half as large, an eighth and a thirty-second of that."""
    rng = np.random.default_rng(0)
    points, where = jittered(rng, (5, 5, 5), 1e-9)
    inside = (where == 2).all(axis=1)
    cells = cells_around(0.5 * points, inside)
    assert np.allclose(cells.volume[inside], 0.5**3, rtol=1e-7)
    assert np.allclose(cells.moments[inside], np.eye(3) / 6.0 * 0.5**5, atol=1e-9)
    assert np.allclose(cells.centre[inside], 0.5 * points[inside], atol=1e-7)


def test_cells_have_the_volume_of_their_convex_hulls():
    """Volumes against Qhull's own, and the centre of mass inside."""
    rng = np.random.default_rng(1)
    points, where = jittered(rng, (5, 5, 5), 0.35)
    inside = ((where > 0) & (where < 4)).all(axis=1)
    cells, diagram = cells_around(points, inside), Voronoi(points)
    for k in np.flatnonzero(inside):
        region = diagram.regions[diagram.point_region[k]]
        if -1 not in region:
            hull = ConvexHull(diagram.vertices[region])
            assert cells.volume[k] == pytest.approx(hull.volume, rel=1e-9)
            assert (hull.equations[:, :3] @ cells.centre[k] + hull.equations[:, 3] < 0.0).all()


def test_inertia_of_a_capsule_is_that_of_its_slices():
    """Discs along the axis, by Gauss quadrature in each part, where the integrands are polynomials."""
    h, R, rho = 0.3, 0.2, 7.0
    x, w = np.polynomial.legendre.leggauss(8)
    z = np.concatenate([h * x, h + 0.5 * R * (1.0 + x), -h - 0.5 * R * (1.0 + x)])
    dz = np.concatenate([h * w, 0.5 * R * w, 0.5 * R * w])
    area = np.pi * (R**2 - np.maximum(np.abs(z) - h, 0.0) ** 2)
    mass = rho * area @ dz
    along, across = rho * (area**2 / (2.0 * np.pi)) @ dz, rho * (area**2 / (4.0 * np.pi) + area * z**2) @ dz
    found = capsule_inertia(*(np.array([v]) for v in (mass, h, R)), np.array([[0.0, 0.0, 1.0]]))[0]
    assert np.allclose(found, np.diag([across, across, along]), rtol=1e-13)


def test_closest_points_of_segments_are_nearer_than_all_others():
    """Against a fine grid of both segments, whose spacing bounds by how much it can miss."""
    rng = np.random.default_rng(2)
    c, a, d, b = rng.normal(size=(4, 40, 3))
    p, q = closest(c, a, d, b)
    found = np.linalg.norm(p - q, axis=1)
    s = np.linspace(-1.0, 1.0, 81)
    one, two = c[:, None] + s[:, None] * a[:, None], d[:, None] + s[:, None] * b[:, None]
    best = np.linalg.norm(one[:, :, None] - two[:, None], axis=3).min(axis=(1, 2))
    assert (found <= best + 1e-12).all()
    spacing = 0.5 * (s[1] - s[0]) * (np.linalg.norm(a, axis=1) + np.linalg.norm(b, axis=1))
    assert (found >= best - spacing).all()


# -------------------------------------------------------------------------------------------------------------- solving


@pytest.mark.slow
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("name", NAMES)
def test_auto_converges_by_an_error_of_our_own(name, law):
    """The error is computed by plain NumPy, which the solver does not use."""
    for scene in members(name):
        result = solve(scene.problem, law, tol=TOL)
        assert result.converged, (scene.name, result.message)
        assert missed(scene.problem, result.multipliers, law) <= 1.001 * TOL, scene.name


@pytest.mark.slow
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in STANDING else pytest.mark.everything) for name in NAMES]
)
def test_who_claims_to_have_converged_has(name, law):
    """Every method, with few iterations."""
    scene = members(name)[0]
    for method, record in METHODS.items():
        if law in record.laws:
            result = solve(scene.problem, law, method, tol=TOL, max_iterations=500)
            if result.converged:
                assert missed(scene.problem, result.multipliers, law) <= 1.001 * TOL, method


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDING)
def test_what_stands_rests_on_the_ground_with_its_weight(name):
    """The ground takes weight and momentum up, and nothing gets faster than it was, a tenth of free fall at most."""
    for scene in members(name):
        bodies, table = scene.bodies, scene.table
        result = solve(scene.problem, tol=1e-9)
        r = result.multipliers.reshape(-1, 3)
        ground = table.bodies[:, 0] == 0
        impulse = np.einsum("kc,kci->i", r[ground], contact_frames(table.normal[ground]))
        after = scene.problem.motion(result.multipliers)[1:, 3:]
        mass, before = bodies.mass[1:, None], bodies.velocity[1:, 3:]
        weight = np.array([0.0, 0.0, GRAVITY * scene.step * mass.sum()])
        # Rounding of sums of impulses: eps times their number and size.
        assert np.allclose(impulse, weight + (mass * (after - before)).sum(axis=0), atol=1e-11 * weight[2])
        assert np.abs(after).max() < 0.1 * GRAVITY * scene.step + np.abs(before).max(), scene.name


@pytest.mark.slow
def test_two_cards_need_half_the_tangent_of_their_lean():
    """tan(20 degrees) / 2 = 0.18: from rest they stay with 0.2, and slide apart with 0.16."""
    for friction, stands in ((0.2, True), (0.16, False)):
        scene = house_of_cards(6, 0, friction=friction)
        still = replace(scene.bodies, velocity=np.zeros_like(scene.bodies.velocity))
        table = replace(scene.table, friction=np.full(len(scene.table), friction))
        problem = assemble_contacts(still, table, scene.step)
        speed = np.abs(problem.motion(solve(problem, tol=1e-10).multipliers)[:, 3:]).max()
        assert (speed < 1e-8) == stands, speed


# ------------------------------------------------------------------------------------------------------------ measuring


def test_a_call_that_takes_too_long_is_given_up():
    """A call is stopped after its share of processor time, which the record has; one that ends in time has its result."""

    def endless():
        while True:
            pass

    run = capped(endless, 0.2)
    assert run.result is None
    assert run.seconds == 0.2
    assert run.words == "> 0.2"
    assert not run.solved
    problem = FAMILIES["packing"](2, 0).problem
    run = capped(partial(solve, problem), 60.0)
    assert run.solved
    assert 0.0 < run.seconds < 60.0


def test_peak_memory_is_that_of_what_a_call_holds_at_once():
    """Forty million bytes, written to: at least as many, and not many more."""
    found = peak_bytes(lambda: np.ones(5_000_000).sum())
    assert not np.isfinite(found) or 3.8e7 <= found < 6e7
