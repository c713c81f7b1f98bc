"""Memory of large arrays is used again, and only then when nobody sees it any more."""

import gc

import numpy as np
import pytest

from pluecker.spatial.engine.memory import reuse

ROWS = reuse.SMALLEST_REUSED // 8


@pytest.fixture(autouse=True, scope="module")
def only_what_is_new_is_collected():
    """After hours of other tests a collection of all that is there takes a second."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def nothing_idle(monkeypatch):
    gc.collect()
    monkeypatch.setattr(reuse, "_idle", {})


def address(array):
    return array.__array_interface__["data"][0]


def test_what_is_forgotten_is_used_again():
    first = reuse.empty((ROWS, 8))
    place = address(first)
    del first
    assert address(reuse.empty((2, ROWS, 4))) == place


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[5:],
        lambda x: x[:, ::2].T,
        lambda x: x.reshape(-1)[3:].reshape(-1, 1)[:2],
        lambda x: np.broadcast_to(x, (2, *x.shape)),
        lambda x: memoryview(x)[1:],
        lambda x: np.asarray(memoryview(x)),
        lambda x: np.frombuffer(x.data),
    ],
)
def test_a_view_keeps_the_memory(view):
    array = reuse.empty((ROWS, 8))
    place, seen = address(array), view(array)
    array[:] = 1.0
    del array
    gc.collect()
    other = reuse.empty((ROWS, 8))
    other[:] = 2.0
    assert address(other) != place
    assert (np.asarray(seen) == 1.0).all()


def test_small_arrays_and_those_of_another_size_have_their_own():
    first = reuse.empty((ROWS, 8))
    del first
    assert reuse.empty((4,)).base is None
    held = [reuse.empty((3 * ROWS, 8)) for _ in range(2)]
    assert not np.shares_memory(*held)
    assert len(reuse._idle) == 1


def test_an_array_takes_no_memory_of_more_than_twice_its_size():
    long = reuse.empty((3 * ROWS, 8))
    place = address(long)
    del long
    assert address(reuse.empty((ROWS, 8))) != place
    assert address(reuse.empty((2 * ROWS, 8))) == place


def test_no_more_is_kept_than_that(monkeypatch):
    size = 8 * reuse.SMALLEST_REUSED
    monkeypatch.setattr(reuse, "IDLE_BYTES", 3 * size)
    held = [reuse.empty((k * ROWS, 8)) for k in (1, 1, 2, 4)]
    places = [address(array) for array in held]
    while held:
        del held[0]
    assert sorted(block.nbytes for block in reuse._idle.values()) == [size, 2 * size]  # the last of those that fit
    assert address(reuse.empty((ROWS, 8))) == places[1]


def test_what_no_memory_has_room_for_is_refused_as_by_numpy():
    with pytest.raises((MemoryError, ValueError)):
        reuse.empty((2**40, 2**20))
