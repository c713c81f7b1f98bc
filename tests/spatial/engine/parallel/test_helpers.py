"""Tasks in Python that workers share: results in their order, exceptions, and nothing that is held when it is over."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest

from pluecker.spatial.engine.parallel import helpers, interruption, interruption_flag, threads

map_in_threads, available_cores, state = helpers.map_in_threads, threads.available_cores, interruption_flag.state
PATIENCE = 20.0  # seconds that a thread may take to come
several_cores = pytest.mark.skipif(available_cores() == 1, reason="there is one core, and so no worker")


def soon(condition):
    """Wait until a condition is true, for a while; return whether it is."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("number", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_items(count, number):
    for _ in range(3):
        assert map_in_threads(lambda k: k * k, range(number), count) == [k * k for k in range(number)]


@several_cores
def test_tasks_are_done_side_by_side():
    """Each waits until the other has begun"""
    for _ in range(20):  # of which the later ones find a worker that watches
        check_that_a_worker_comes()


def check_that_a_worker_comes():
    both = threading.Barrier(2, timeout=PATIENCE)
    names = map_in_threads(lambda _: (both.wait(), threading.get_ident())[1], range(2), 2)
    assert len(set(names)) == 2


def test_no_more_workers_are_called_than_there_are_other_items_and_threads(monkeypatch):
    asked, calls = [], int(threads._team.board[threads.CALLS])
    monkeypatch.setattr(helpers, "call_workers", lambda task, times: asked.append(times))
    for number, count in ((2, 8), (8, 2), (5, 1), (1, 8), (0, 8)):
        assert map_in_threads(str, range(number), count) == [str(k) for k in range(number)]
    assert asked == [1, 1, 0, 0, -1]
    for times in (0, -1):
        threads.call_workers(str, times)
    assert threads._team.board[threads.CALLS] == calls
    assert not threads._team.tasks


def test_tasks_may_share_tasks_of_their_own():
    """Tasks for which no worker is free are done by the thread that shares them."""
    outer = map_in_threads(lambda k: map_in_threads(lambda n: k * n, range(4), 4), range(6), 4)
    assert outer == [[k * n for n in range(4)] for k in range(6)]


def test_several_threads_may_share_tasks_at_once():
    found, callers = {}, []
    for caller in range(6):

        def call(caller=caller):
            found[caller] = [map_in_threads(lambda k: caller + k, range(30), 3) for _ in range(20)]

        callers.append(threading.Thread(target=call))
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    assert found == {caller: [[caller + k for k in range(30)]] * 20 for caller in range(6)}


@pytest.mark.parametrize("faulty", [0, 1, 19])
def test_an_exception_of_a_task_is_raised_and_workers_go_on(faulty):
    def task(k):
        if k == faulty:
            raise ValueError("this one")
        return k

    with pytest.raises(ValueError, match="this one"):
        map_in_threads(task, range(20), 3)
    assert map_in_threads(str, range(5), 3) == list("01234")


def test_after_an_exception_nothing_is_begun():
    """Whoever has it"""
    for faulty in (threading.main_thread(), None)[: available_cores()]:
        begun, both = [], threading.Barrier(min(2, available_cores()), timeout=PATIENCE)

        def task(k, faulty=faulty, begun=begun, both=both):
            begun.append(k)
            if k < 2:
                both.wait()
            if (threading.current_thread() is threading.main_thread()) == (faulty is not None):
                raise ValueError("this one")
            time.sleep(0.01)

        with pytest.raises(ValueError, match="this one"):
            map_in_threads(task, range(1000), 2)
        time.sleep(0.05)
        assert len(begun) < 200


class Owner:
    """Has tasks that know of it."""

    def __init__(self, faulty):
        self.numbers, self.faulty = list(range(5)), faulty

    def task(self, k):
        if k == self.faulty:
            raise ValueError("this one")
        return self.numbers[k]

    def work(self):
        return interruption.interruptible(lambda: map_in_threads(self.task, range(5), 4))


@pytest.mark.parametrize("faulty", [None, 0, 3])
def test_nothing_is_held_of_what_tasks_knew(faulty):
    """Neither by workers nor by the list of what they are to do, which none of them may have come for"""
    owner = Owner(faulty)
    if faulty is None:
        assert owner.work() == list(range(5))
    else:
        with pytest.raises(ValueError, match="this one"):
            owner.work()
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert soon(lambda: gone() is None)
    assert not threads._team.tasks


def test_what_no_worker_came_for_is_called_off(monkeypatch):
    """None of a team that nobody wakes does; what others wait for stays"""
    team = threads.Team()
    monkeypatch.setattr(team, "wake", lambda wanted: None)
    monkeypatch.setattr(threads, "_team", team)
    monkeypatch.setattr(threads, "available_cores", lambda: 4)
    threads.call_workers(str, 2)
    assert map_in_threads(lambda k: k + 1, range(5), 4) == [1, 2, 3, 4, 5]
    assert list(team.tasks) == [str, str]


def raise_when(at_work):
    """Raise in the main thread, as Ctrl-C does, when the worker is at work."""
    assert at_work.wait(PATIENCE)
    raise KeyboardInterrupt


@several_cores
def test_workers_at_nobodys_work_end_with_the_callers_exception():
    """One that is at work is interrupted, and may have tasks again"""
    at_work, ended = threading.Event(), []

    def task(k):
        if threading.current_thread() is threading.main_thread():
            raise_when(at_work)
        try:
            at_work.set()
            while True:
                time.sleep(0.001)
        except interruption.Interrupted:
            ended.append(k)
            raise

    with pytest.raises(KeyboardInterrupt):
        map_in_threads(task, range(2), 2)
    assert len(ended) == 1
    assert map_in_threads(str, range(3), 2) == list("012")
    assert all(worker.is_alive() for worker in threads._team.workers)


@several_cores
def test_what_ends_a_task_too_late_ends_no_worker():
    """It may have been raised in the thread just before the task was over"""

    raised = []

    def late():
        raised.append(threading.current_thread())
        raise interruption.Interrupted

    for n in range(2 * available_cores()):
        threads.call_workers(late, 1)
        assert soon(lambda n=n: len(raised) > n)
    check_that_a_worker_comes()
    assert all(worker.is_alive() for worker in threads._team.workers)


@several_cores
def test_an_interruption_waits_for_workers_at_work():
    """The caller ends at once, the worker when it looks at the number"""
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
        interruption.answering(slow)

    with pytest.raises(KeyboardInterrupt):
        map_in_threads(task, range(2), 2)
    assert seen == [True]
    assert state[0] == 0
