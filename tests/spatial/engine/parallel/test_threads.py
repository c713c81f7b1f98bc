"""Sharing work among threads: each item is done once, by whoever is there, and nobody waits for those who are not."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pluecker.spatial.engine.parallel import interruption, interruption_flag, threads
from tests.conftest import EVERYTHING

map_in_threads, share, state = threads.map_in_threads, threads.share, interruption_flag.state
PATIENCE = 20.0  # seconds that a thread may take to come
several_cores = pytest.mark.skipif(threads.available_cores() == 1, reason="there is one core, and so no worker")


def soon(condition):
    """Wait until it becomes true, and return whether it has."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def is_main():
    return threading.current_thread() is threading.main_thread()


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("number", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_items(count, number):
    for _ in range(3):
        assert map_in_threads(lambda k: k * k, range(number), count) == [k * k for k in range(number)]


@several_cores
def test_items_are_done_side_by_side():
    """Each waits until the other has begun"""
    for _ in range(20):
        check_that_a_worker_comes()


def check_that_a_worker_comes():
    both = threading.Barrier(2, timeout=PATIENCE)
    names = map_in_threads(lambda _: (both.wait(), threading.get_ident())[1], range(2), 2)
    assert len(set(names)) == 2


@several_cores
def test_there_are_as_many_workers_as_other_cores_and_no_more_are_asked_than_there_is_work_for(monkeypatch):
    asked, usual = [], threads._pool.ask
    monkeypatch.setattr(
        threads._pool, "ask", lambda function, count: (asked.append(max(count, 0)), usual(function, count))
    )
    other = threads.available_cores() - 1
    for number, count in ((2, 800), (800, 2), (800, 800), (5, 1), (1, 8), (0, 8)):
        assert map_in_threads(str, range(number), count) == [str(k) for k in range(number)]
    assert asked == [1, 1, other, 0, 0, 0]
    assert len(threads._pool.workers) == other


def test_items_may_be_shared_themselves():
    """A caller that has no worker for them does them alone."""
    outer = map_in_threads(lambda k: map_in_threads(lambda n: k * n, range(4), 4), range(6), 4)
    assert outer == [[k * n for n in range(4)] for k in range(6)]


def test_several_threads_of_the_user_may_share_at_once():
    def call(caller):
        return [map_in_threads(lambda k: caller + k, range(30), 3) for _ in range(20)]

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(call, range(6))) == [[[caller + k for k in range(30)]] * 20 for caller in range(6)]


@pytest.mark.parametrize("faulty", [0, 1, 19])
def test_an_exception_of_an_item_is_raised_and_workers_go_on(faulty):
    def task(k):
        if k == faulty:
            raise ValueError("this one")
        return k

    with pytest.raises(ValueError, match="this one"):
        map_in_threads(task, range(20), 3)
    assert map_in_threads(str, range(5), 3) == list("01234")


@several_cores
@pytest.mark.parametrize("in_main", [True, False])
def test_after_an_exception_nothing_is_begun(in_main):
    begun, both = [], threading.Barrier(2, timeout=PATIENCE)

    def task(k):
        begun.append(k)
        if k < 2:
            both.wait()
        if is_main() == in_main:
            raise ValueError("this one")
        time.sleep(0.01)

    with pytest.raises(ValueError, match="this one"):
        map_in_threads(task, range(1000), 2)
    time.sleep(0.05)
    assert len(begun) < 200


class Owner:
    """Has items that know of it."""

    def __init__(self, faulty):
        self.numbers, self.faulty = list(range(5)), faulty

    def task(self, k):
        if k == self.faulty:
            raise ValueError("this one")
        return self.numbers[k]

    def work(self):
        return interruption.interruptible(lambda: map_in_threads(self.task, range(5), 4))


@pytest.mark.parametrize("faulty", [None, 0, 3])
def test_nothing_is_held_of_what_items_knew(faulty):
    """Neither by workers nor by the queue of what they are to do, which none of them may have come for"""
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


# ------------------------------------------------------------------------------------------------------------------ Ctrl-C


def raise_when(at_work):
    """Raise in the main thread what Ctrl-C does, when the worker is at work."""
    assert at_work.wait(PATIENCE)
    raise KeyboardInterrupt


@several_cores
def test_workers_at_nobodys_work_end_with_the_callers_exception():
    """One that is at work is interrupted, and may have items again"""
    at_work, ended = threading.Event(), []

    def task(k):
        if is_main():
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
    assert all(worker.is_alive() for worker in threads._pool.workers)


@several_cores
def test_what_ends_an_item_too_late_ends_no_worker():
    """It may have been raised in the thread just before the item was over"""
    raised = []

    def late():
        raised.append(threading.current_thread())
        raise interruption.Interrupted

    for n in range(2 * threads.available_cores()):
        threads._pool.ask(late, 1)
        assert soon(lambda n=n: len(raised) > n)
    check_that_a_worker_comes()
    assert all(worker.is_alive() for worker in threads._pool.workers)


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
        if is_main():
            raise_when(at_work)
        interruption.answering(slow)

    with pytest.raises(KeyboardInterrupt):
        map_in_threads(task, range(2), 2)
    assert seen == [True]
    assert state[0] == 0


@several_cores
def test_an_interrupted_caller_does_not_wait_for_a_worker_that_cannot_be_interrupted():
    """Such as a library that holds on to its thread; what it finds is thrown away"""
    at_work, release, ended = threading.Event(), threading.Event(), []

    def slow():
        at_work.set()
        ended.append(release.wait(PATIENCE))

    def task(_):
        if is_main():
            raise_when(at_work)
        interruption.answering(slow)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        map_in_threads(task, range(2), 2)
    assert not ended
    assert time.monotonic() - began < PATIENCE / 2
    release.set()
    assert soon(lambda: ended) == [True]
    assert map_in_threads(str, range(3), 2) == list("012")


@several_cores
def test_a_worker_that_is_interrupted_before_it_begins_counts_as_the_end_of_no_other(monkeypatch):
    """The caller goes on waiting for the other one, which writes into its memory"""
    both, ended, callers, usual = threading.Barrier(2, timeout=PATIENCE), [], [], threads._pool.ask

    class AtWork(set):
        def add(self, worker):
            if threading.current_thread().name == "late":
                raise interruption.Interrupted
            super().add(worker)

    def ask(function, count):
        callers.append(function.args[0].__self__)
        callers[0].at_work = AtWork()
        usual(function, count)

    def come_late():
        with pytest.raises(interruption.Interrupted):
            callers[0].take_part()

    def task(_, k):
        both.wait()
        if is_main():
            late = threading.Thread(target=come_late, name="late")
            late.start()
            late.join()
        else:
            time.sleep(0.3)
        ended.append(k)
        return k

    monkeypatch.setattr(threads._pool, "ask", ask)
    assert share(task, 0, 2) == 1
    assert sorted(ended) == [0, 1]


# ------------------------------------------------------------------------------------------ functions in compiled code


@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_each_number_of_a_thread_is_given_once_and_the_largest_result_comes_back(count):
    """Also where callers are many"""

    def call(_):
        given = []
        largest = share(lambda task, k: (given.append((task, k)), 10 * k)[1], 5, count)
        return largest, sorted(given)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(100))) == [(10 * (count - 1), [(5, k) for k in range(count)])] * 100


@several_cores
@pytest.mark.parametrize("times", [0, 1, 3])
def test_memory_that_is_shared_is_left_by_all_before_an_exception_comes_out(times, monkeypatch):
    """Of a worker, of the caller, and of one who presses Ctrl-C again while it waits: memory is given back then"""
    both, ended, wait = threading.Barrier(2, timeout=PATIENCE), [], threads.Shared.wait
    raised = [KeyboardInterrupt("again")] * (times - 1)

    def impatient(shared):
        if raised:
            raise raised.pop()
        wait(shared)

    def task(_, k):
        both.wait()
        if is_main() == (times > 0):
            raise KeyboardInterrupt("first")
        ended.append(k) if times == 0 or soon(lambda: state[0]) else None
        time.sleep(0.1 if times == 0 else interruption.PATIENCE + 0.3)  # longer than others are waited for
        ended.append(k)
        return 0

    monkeypatch.setattr(threads.Shared, "wait", impatient)
    with pytest.raises(KeyboardInterrupt, match="first"):
        share(task, 0, 2)
    assert len(ended) == 2


ENDING = """
import sys
import numpy as np
from pluecker.articulated import rnea
from tests.mechanisms import random_description, random_state

model = random_description(3, 11).build()
s = random_state(model, 4, 4000)
inputs = s["q"], s["v"], s["a"]
for _ in range(20):
    rnea(model, *inputs, threads=8)
sys.stdout.write("computed")
"""


@pytest.mark.slow
def test_a_process_ends_cleanly_with_workers():
    top = Path(__file__).resolve().parents[4]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(top), os.environ.get("PYTHONPATH", "")])}
    for _ in range(3 if EVERYTHING else 1):
        command = [sys.executable, "-W", "error", "-c", ENDING]
        done = subprocess.run(
            command, cwd=top, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "computed", "")
