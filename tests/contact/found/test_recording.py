"""Motions whose contacts are found in each step: recorded in files, and steps that are taken in pieces.

That a step is not solved is a made-up result of its inner function: no scene is known in which it is so on purpose.
"""

import numpy as np
import pytest

from pluecker.articulated import Control, PDControl, SimulationError
from pluecker.contact import World
from pluecker.contact.constraints import Friction
from pluecker.contact.found.outside import Outside, layout
from pluecker.contact.geometry import Box, Sphere
from tests.contact.found.worlds import UPRIGHT, bodies, floor, world_of

H = 0.005
RECORD = ("constraint_forces", "error")
PLAIN = {"divided", "error", "q", "tau", "time", "v"}  # files beside that of contacts


def ball_and_box(**options):
    """A ball that falls onto a box that slides: from no contact to four, five and others."""
    world = world_of([Box((0.4, 0.4, 0.2)), Sphere(0.1)], **options)
    q = np.array([0, 0, 0.1, *UPRIGHT, 0.1, 0, 0.33, *UPRIGHT])
    return world, q, np.array([0, 0, 0, 1.0, 0, 0, 0, 0, 3.0, 0, 0, -0.2])


def test_contacts_in_files_are_those_in_memory(tmp_path):
    world, q, v = ball_and_box()
    options = {"record": RECORD, "every": 3}
    memory = world.simulate(q, v, 20 * H, H, **options)
    filed = world.simulate(q, v, 20 * H, H, record_to=tmp_path / "run", **options)
    assert len(memory) == len(filed) == 8
    assert {len(memory.contacts_at(k)) for k in range(8)} == {4, 5}
    (column,) = {each.stem for each in (tmp_path / "run").iterdir()} - PLAIN
    np.testing.assert_array_equal(np.load(tmp_path / "run" / f"{column}.npy"), memory.columns[column])
    assert not filed.columns[column].flags.owndata
    for k in (0, 5, -1):
        np.testing.assert_array_equal(filed.contacts_at(k).force, memory.contacts_at(k).force)


def test_where_nothing_touches_the_file_has_no_contacts(tmp_path):
    world = world_of([Sphere(0.1)])
    motion = world.simulate([0, 0, 1.0, *UPRIGHT], np.zeros(6), 2 * H, H, record=RECORD, record_to=tmp_path)
    (column,) = {each.stem for each in tmp_path.iterdir()} - PLAIN
    assert np.load(tmp_path / f"{column}.npy").shape == (3, 0, 19)
    assert len(motion.contacts_at(1)) == 0


@pytest.fixture
def unsolved(monkeypatch):
    """Let steps of more than so many seconds leave an error."""
    longest = []
    plain = Outside.solve

    def solve(self, piece):
        plain(self, piece)
        answer = piece[layout.ANSWER]
        answer[0] = answer[0] if answer[layout.STEP] <= longest[0] else 7.0

    monkeypatch.setattr(Outside, "solve", solve)
    return longest


def test_a_step_in_pieces_is_the_shorter_steps_with_the_mean_of_their_forces(unsolved):
    """Gains, a constraint with forces, and a wrench that changes, whose value pieces take from the middle of the step."""
    shapes = [Box((0.4, 0.4, 0.2))]
    model = bodies(shapes)
    _, q, v = ball_and_box()
    held = [Friction("brake", ("j0", 3), force=2.0)]
    shapes = [floor(), *world_of(shapes).found_contacts.collision.colliders[1:]]
    world = World(model, held, shapes=shapes, law="lcp", accuracy=1e-10)  # steps leave a polygon to Python, to 1e-11
    pull = Control(PDControl(stiffness=30.0, damping=2.0, q=[0.1, 0.2, 0.1, *UPRIGHT]))
    push = np.zeros((1, 6))
    push[0, 3] = 4.0
    options = {"control": pull, "f_ext": push, "record": ("constraint_forces", "a", "error")}
    unsolved[:] = [0.3 * H]
    divided = world.simulate(q[:7], v[:6], 2 * H, H, on_unsolved="substep", **options)
    unsolved[:] = [1.0]
    fine = world.simulate(q[:7], v[:6], 2 * H, H / 4, **options)
    assert divided.columns["error"].max() <= 1.0
    np.testing.assert_array_equal(divided.columns["divided"], [1.0, 4.0, 4.0])
    np.testing.assert_allclose(divided.q, fine.q[::4], atol=1e-12)
    np.testing.assert_allclose(divided.v, fine.v[::4], atol=1e-11)
    forces = fine.columns["constraint_forces"]
    np.testing.assert_allclose(divided.columns["constraint_forces"][0], forces[:4].mean(axis=0), atol=1e-8)
    np.testing.assert_allclose(divided.a[0], (fine.v[4] - fine.v[0]) / H, atol=1e-8)
    np.testing.assert_allclose(divided.contacts_at(0).force, fine.contacts_at(3).force, atol=1e-6)
    assert divided.memory.time == pytest.approx(2 * H, rel=1e-12)
    assert len(divided.contacts) == 3


def test_a_step_that_no_pieces_solve_ends_the_motion_where_it_begins(unsolved):
    world, q, v = ball_and_box(law="lcp")
    unsolved[:] = [H / 64]
    with pytest.raises(SimulationError) as caught:
        world.simulate(q, v, 2 * H, H, on_unsolved="substep")
    np.testing.assert_array_equal(caught.value.trajectory.q[-1], q)


@pytest.mark.parametrize(
    ("size", "told"), [(5000, "the files hold the"), (15_500, "the other files hold all 21 samples")]
)
def test_contacts_that_find_no_room_leave_the_other_files_whole(size, told, tmp_path):
    """The 21 samples of four or five contacts take 14,288 bytes, and padded 15,960; positions take 2,352."""
    world, q, v = ball_and_box()
    whole = world.simulate(q, v, 20 * H, H, record=RECORD)
    assert 8 * 19 * sum(len(each) for each in whole.contacts) < 15_500 < 8 * whole.columns["found_contacts"].size
    resource = pytest.importorskip("resource", reason="the system has no limits for files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        with pytest.raises(SimulationError, match=rf"found_contacts.npy cannot be written .*{told}") as caught:
            world.simulate(q, v, 20 * H, H, record=RECORD, record_to=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    kept = caught.value.trajectory
    files = {each.stem: np.load(each) for each in tmp_path.iterdir()}
    assert files.keys() == PLAIN
    assert {len(array) for array in files.values()} == {len(kept)}
    np.testing.assert_array_equal(files["q"], whole.q[: len(kept)])
