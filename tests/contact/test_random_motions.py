"""Families of motions from seeds: a seed is one motion, and steps of what is small are solved without Python's help."""

import numpy as np
import pytest

from benchmarks.motions import FAMILIES
from benchmarks.motions.scene import centred, solid
from benchmarks.random_motions import follow, table
from pluecker.contact.geometry import Box, ConvexHull
from pluecker.spatial import MissingExtraError

ROBOTS = [pytest.param(name, marks=pytest.mark.everything) for name in ("anymal", "g1")]  # the hulls of meshes: 20 s


@pytest.mark.plain
@pytest.mark.parametrize("name", [*(name for name in FAMILIES if name not in ("anymal", "g1")), *ROBOTS])
def test_a_seed_is_one_motion(name):
    """Equal seeds give equal worlds and states, others give others; velocities of bodies are those of the model."""
    try:
        one, same, other = (FAMILIES[name](seed) for seed in (3, 3, 4))
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert one.world == same.world
    assert np.array_equal(one.q, same.q)
    assert np.array_equal(one.v, same.v)
    assert one.world != other.world
    assert one.q.shape == (one.world.model.nq,)
    assert one.v.shape == (one.world.model.nv,)
    assert 1e-4 <= one.step <= 2e-2
    assert one.steps >= 1


@pytest.mark.plain
def test_a_hull_of_the_corners_of_a_box_has_its_inertia():
    size = np.array([0.1, 0.2, 0.4])
    corners = 0.5 * size * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    hull = centred(corners + np.array([0.3, -0.2, 0.1]))
    assert isinstance(hull, ConvexHull)
    np.testing.assert_allclose(hull.vertices.mean(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(solid(hull), np.diag(solid(Box(tuple(size)))), atol=1e-16)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [("boxes", 1), ("heap", 0), ("spheres", 1), ("stack", 1), ("cards", 2)])
def test_motions_are_solved_in_compiled_steps_and_make_no_energy(name, seed):
    """The boxes begin 83 mm deep in one another, the heap 38 mm, the spheres 18 mm."""
    found = follow(name, seed, FAMILIES[name])
    assert found.is_right, found
    assert found.steps >= 200
    assert found.python == 0, found
    assert f" {found.steps} " in table([found])


@pytest.mark.slow
@pytest.mark.everything
@pytest.mark.parametrize(
    "name", ["boxes", "spheres", "capsules", "hulls", "mixed", "heap", "stack", "cards", "arch", "cradle"]
)
def test_a_hundred_motions_are_solved_and_make_no_energy(name):
    found = [follow(name, seed, FAMILIES[name]) for seed in range(100)]
    assert all(each.is_right for each in found), "\n".join(str(each) for each in found if not each.is_right)


@pytest.mark.slow
@pytest.mark.everything
def test_a_wall_that_a_heavy_ball_hits_goes_on():
    """With friction 1.5; the problems that the step hands on are among the hardest that any family has."""
    found = follow("wall", 1028, FAMILIES["wall"])
    assert not found.failure, found
    assert found.error <= 1.0
