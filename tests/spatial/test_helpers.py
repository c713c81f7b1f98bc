"""Threads that help with tasks: results in their order, exceptions, and no thread that outlives what it was made for."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from pluecker.spatial.parallel.helpers import Helpers

PATIENCE = 20.0  # seconds that a thread may take to end


def soon(condition):
    """Whether it becomes true"""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("most", [0, 1, 3])
@pytest.mark.parametrize("number", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_items(most, number):
    helpers = Helpers(most)
    for _ in range(3):
        assert helpers.map(lambda k: k * k, range(number)) == [k * k for k in range(number)]
    assert len(helpers.threads) == max(0, min(most, number - 1))


def test_tasks_are_done_side_by_side():
    """Each waits until the other has begun"""
    both = threading.Barrier(2, timeout=PATIENCE)
    names = Helpers(1).map(lambda _: (both.wait(), threading.get_ident())[1], range(2))
    assert len(set(names)) == 2


@pytest.mark.parametrize("faulty", [0, 1, 19])
def test_an_exception_of_a_task_is_raised_and_helpers_go_on(faulty):
    helpers = Helpers(2)

    def task(k):
        if k == faulty:
            raise ValueError("this one")
        return k

    with pytest.raises(ValueError, match="this one"):
        helpers.map(task, range(20))
    assert helpers.map(str, range(5)) == list("01234")


def test_threads_end_when_nobody_has_them_any_more():
    helpers = Helpers(2)
    helpers.map(str, range(5))
    threads = helpers.threads
    assert all(thread.is_alive() for thread in threads)
    del helpers
    gc.collect()
    assert soon(lambda: not any(thread.is_alive() for thread in threads))
