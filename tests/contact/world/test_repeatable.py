"""Motions with contacts repeat bit for bit, on any number of threads, and from a memory in a file; and what is not new
compiles nothing.
"""

import numpy as np
import pytest

from pluecker.contact import World, WorldMemory
from pluecker.contact.geometry import Box, Collider, Sphere, Surface
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.found.worlds import UPRIGHT, bodies, floor, world_of
from tests.contact.stepping.test_two_coefficients import LIES, WAYS, block
from tests.programs import printed_by

H = 0.005
THREADS = (1, 2, 3) if EVERYTHING else (1, 3)


@pytest.mark.parametrize("way", WAYS)
def test_a_block_that_slides_by_kinetic_friction_goes_on_from_a_file_bit_for_bit(way, tmp_path):
    """It brakes, sticks, and turns meanwhile; the file is written while it slides, and once more while it sticks."""
    world, v = block(way), np.array([0.0, 0.0, 2.0, 0.3, 0.2, 0.0])
    whole, again = (world.simulate(LIES, v, 40 * H, H) for _ in range(2))
    np.testing.assert_array_equal(whole.q, again.q)
    for steps in (3, 30):
        half = world.simulate(LIES, v, steps * H, H)
        half.memory.save(tmp_path / "half.npz")
        memory = WorldMemory.load(tmp_path / "half.npz")
        rest = world.simulate(half.q[-1], half.v[-1], (40 - steps) * H, H, memory=memory)
        np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
        np.testing.assert_array_equal(rest.v[-1], whole.v[-1])


@pytest.mark.skipif(not COMPILED, reason="without compilation there are no threads")
def test_contacts_that_are_found_are_solved_alike_on_any_number_of_threads():
    """Many towers that lean and rub: islands are what threads share."""
    towers, surface = 130, Surface(0.4)
    world = world_of([Box((0.2, 0.2, 0.2))] * (2 * towers), surface)
    q = np.zeros((towers, 2, 7))
    q[:, :, 0], q[:, :, 1] = (np.arange(towers) % 12)[:, None], (np.arange(towers) // 12)[:, None]
    q[:, :, 2], q[:, :, 3] = (0.1, 0.3), 1.0
    v = np.zeros((towers, 2, 6))
    v[:, 1, 3:5] = np.random.default_rng(0).standard_normal((towers, 2))
    motions = [world.simulate(q.ravel(), v.ravel(), 4 * H, H, threads=n, record=("error",)) for n in THREADS]
    assert motions[0].columns["error"].max() <= 1.0
    for other in motions[1:]:
        np.testing.assert_array_equal(other.q, motions[0].q)
        np.testing.assert_array_equal(other.v, motions[0].v)


@pytest.mark.skipif(not COMPILED, reason="without compilation there are no threads")
def test_what_is_hard_is_solved_alike_beside_any_others():
    """Boxes that resist to rolling come down in towers, of which one or another is not solved at once."""
    rng = np.random.default_rng(7)
    boxes = [Box(rng.uniform(0.15, 0.3, 3)) for _ in range(9)]
    world = world_of(boxes, Surface(0.5, rolling_friction=0.002), masses=1.0 + np.arange(9))
    q, v = np.zeros((9, 7)), rng.standard_normal((9, 6))
    q[:, 0], q[:, 1], q[:, 2] = 0.9 * (np.arange(9) % 3), 0.1 * rng.standard_normal(9), 0.2 + 0.26 * (np.arange(9) // 3)
    turns = rng.standard_normal((9, 4))
    q[:, 3:] = turns / np.linalg.norm(turns, axis=1)[:, None]
    motions = [world.simulate(q.ravel(), v.ravel(), 0.6 if EVERYTHING else 0.2, 2e-3, threads=n) for n in THREADS]
    for other in motions[1:]:
        np.testing.assert_array_equal(other.v, motions[0].v)


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="without compilation there are no threads")
def test_a_batch_of_named_contacts_moves_alike_on_any_number_of_threads():
    shapes = [Box((0.2, 0.3, 0.1)), Sphere(0.1)]
    surface = Surface(0.4, rolling_friction=1e-3, restitution=0.3, kinetic_friction=0.2)
    skins = [floor(surface), *(Collider(f"s{k}", shape, f"b{k}", surface) for k, shape in enumerate(shapes))]
    world = World(
        bodies(shapes), shapes=skins, pairs=[("floor", "s0"), ("floor", "s1"), ("s0", "s1")], impacts="poisson"
    )
    rng = np.random.default_rng(2)
    q = np.tile([0.0, 0, 0.06, *UPRIGHT, 0.02, 0, 0.22, *UPRIGHT], (64, 1))
    v = rng.standard_normal((64, 12))
    options = {"record": (), "on_unsolved": "continue"}
    motions = [world.simulate(q, v, 20 * H, H, threads=n, **options) for n in (1, 2, 3)]
    for other in motions[1:]:
        np.testing.assert_array_equal(other.q, motions[0].q)
        np.testing.assert_array_equal(other.v, motions[0].v)


OTHER_NUMBERS = """
import sys

from numba.core import caching, event
import numpy as np
from pluecker.contact import World
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from tests.contact.found.worlds import bodies

loaded, load = [], caching.Cache.load_overload
caching.Cache.load_overload = lambda *arguments: loaded.append(load(*arguments)) or loaded[-1]

def move(way, friction, kinetic, mass, size, restitution):
    shapes = [Box((size, size, 0.1)), Sphere(0.5 * size)]
    rubber = Surface(friction, kinetic_friction=kinetic, restitution=restitution)
    model = bodies(shapes, mass)
    skins = [Collider("floor", HalfSpace(), "world", rubber)]
    skins += [Collider(f"s{k}", shape, f"b{k}", rubber) for k, shape in enumerate(shapes)]
    pairs = [("floor", "s0"), ("s0", "s1")]
    q = [0, 0, 0.05, 1, 0, 0, 0, 0, 0, 0.1 + 0.5 * size, 1, 0, 0, 0]
    world = World(model, shapes=skins, **{"pairs": pairs} if way == "named" else {})
    if way == "points":
        law = {"friction": friction, "kinetic_friction": kinetic, "restitution": restitution}
        world = World(model, [PointContact("p", "world", "b1", radius=0.5 * size, **law)])
    world.simulate(q, [0, 0, 0, 0.5, 0, 0] * 2, 0.03, 0.01, record="constraint_forces").contacts_at(0)

for way in sys.argv[1:]:
    move(way, 0.5, 0.5, 1.0, 0.2, 0.0)
    del loaded[:]
    with event.install_recorder("numba:compile") as recorder:
        for numbers in ((0.9, 0.9, 1.0, 0.2, 0.0), (0.9, 0.9, 30.0, 0.2, 0.0), (0.9, 0.9, 30.0, 0.33, 0.0),
                        (0.9, 0.4, 30.0, 0.33, 0.0), (0.9, 0.4, 30.0, 0.33, 0.5)):
            move(way, *numbers)
    print(len(recorder.buffer), sum(each is not None for each in loaded))
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_another_friction_mass_or_size_compiles_nothing():
    """Compiled code on the disk, which another test may have left there, is not read either."""
    ways = ["found", "named", "points"] if EVERYTHING else ["named"]
    assert printed_by(OTHER_NUMBERS, *ways).split() == ["0", "0"] * len(ways)
