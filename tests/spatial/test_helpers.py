"""Threads that help with tasks: results in their order, exceptions, and no thread that outlives what it was made for."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest

from pluecker.spatial.parallel import helpers as helpers_module
from pluecker.spatial.parallel.helpers import Helpers
from pluecker.spatial.parallel.interruption import Interrupted, answering, interruptible
from pluecker.spatial.parallel.interruption_flag import state

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


def test_who_watches_rests_where_helpers_are_called(monkeypatch):
    """Before any of them wants a core; but not for nothing"""
    rests = []
    monkeypatch.setattr(helpers_module, "rest", lambda: rests.append(threading.active_count()))
    before = threading.active_count()
    alone, several = Helpers(0), Helpers(2)
    alone.map(str, range(5))
    several.map(str, range(1))
    assert rests == []
    several.map(str, range(5))
    assert rests == [before]
    several.map(str, range(5))
    assert len(rests) == 2


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


class Owner:
    """Has helpers whose tasks know of it."""

    def __init__(self):
        self.helpers, self.numbers = Helpers(2), list(range(5))

    def work(self):
        return self.helpers.map(lambda k: self.numbers[k], range(5))


def test_threads_end_when_nobody_has_them_any_more():
    """Nor do they keep what their last task knew of"""
    owner = Owner()
    assert owner.work() == list(range(5))
    threads = owner.helpers.threads
    assert all(thread.is_alive() for thread in threads)
    gone = weakref.ref(owner)
    del owner
    assert soon(lambda: gone() is None)
    assert soon(lambda: not any(thread.is_alive() for thread in threads))


def test_threads_end_after_an_exception_too():
    def work():
        helpers = Helpers(1)
        threads.extend(helpers.map(lambda _: threading.current_thread(), range(20)))
        raise ValueError("this one")

    threads = []
    with pytest.raises(ValueError, match="this one"):
        interruptible(work)
    gc.collect()
    assert soon(lambda: all(thread is threading.main_thread() or not thread.is_alive() for thread in threads))


def test_after_an_exception_nothing_is_begun():
    """Whoever has it"""
    for faulty in (threading.main_thread(), None):
        begun, both = [], threading.Barrier(2, timeout=PATIENCE)

        def task(k, faulty=faulty, begun=begun, both=both):
            begun.append(k)
            if k < 2:
                both.wait()
            if (threading.current_thread() is threading.main_thread()) == (faulty is not None):
                raise ValueError("this one")
            time.sleep(0.01)

        helpers = Helpers(1)
        with pytest.raises(ValueError, match="this one"):
            helpers.map(task, range(1000))
        time.sleep(0.05)
        assert len(begun) < 200


def raise_when(at_work):
    """What Ctrl-C raises in the main thread, when the helper is at work"""
    assert at_work.wait(PATIENCE)
    raise KeyboardInterrupt


def test_helpers_of_nobodys_work_end_with_the_callers_exception():
    """A helper that is at work is interrupted, and may have tasks again"""
    at_work, ended = threading.Event(), []

    def task(k):
        if threading.current_thread() is threading.main_thread():
            raise_when(at_work)
        try:
            at_work.set()
            while True:
                time.sleep(0.001)
        except Interrupted:
            ended.append(k)
            raise

    helpers = Helpers(1)
    with pytest.raises(KeyboardInterrupt):
        helpers.map(task, range(2))
    assert len(ended) == 1
    assert helpers.map(str, range(3)) == list("012")
    assert all(thread.is_alive() for thread in helpers.threads)


def test_an_interruption_waits_for_helpers_at_work():
    """The caller ends at once, the helper when it looks at the number"""
    at_work, seen = threading.Event(), []

    def slow():
        at_work.set()
        end = time.monotonic() + PATIENCE
        while not state[0] and time.monotonic() < end:
            time.sleep(0.1)
        seen.append(bool(state[0]))

    def task(_):
        if threading.current_thread() is threading.main_thread():
            raise_when(at_work)
        answering(slow)

    with pytest.raises(KeyboardInterrupt):
        Helpers(1).map(task, range(2))
    assert seen == [True]
    assert state[0] == 0
