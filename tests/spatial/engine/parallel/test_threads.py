"""Sharing work among threads: each piece is done once, by whoever is there, and nobody waits for those who are not."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import types

from pluecker.spatial.engine.compiled.decorators import address, compiled_for
from pluecker.spatial.engine.memory import addresses, views
from pluecker.spatial.engine.parallel import atomics, threads
from tests.conftest import COMPILED, EVERYTHING

if not COMPILED:
    pytest.skip("threads share compiled functions", allow_module_level=True)

view = views.view
NEXT, PIECES, LENGTH, ADDED, DONE, PRESENT, CLASHES, COUNTS = 0, 1, 2, 3, 4, 16, 50, 64
several_cores = pytest.mark.skipif(threads.available_cores() == 1, reason="there is one core, and so one thread")


def count_pieces(job_address, k):
    """Take pieces until there are none: count each piece, and all calls that go by the same number at the same time."""
    job = addresses.integers_at(job_address, 1 << 20)
    if atomics.add_shared(job, PRESENT + k, 1) != 0:
        atomics.add_shared(job, CLASHES, 1)
    piece = atomics.add_shared(job, NEXT, 1)
    while piece < atomics.read_shared(job, PIECES):
        atomics.add_shared(job, COUNTS + piece, 1)
        for _ in range(atomics.read_shared(job, LENGTH)):
            atomics.pause()
        atomics.add_shared(job, ADDED, piece)
        atomics.raise_shared(job, DONE, k + 1)
        piece = atomics.add_shared(job, NEXT, 1)
    atomics.add_shared(job, PRESENT + k, -1)
    return k


def raise_error(job_address, k):
    """Whoever comes: an exception."""
    if k >= 0:
        raise ValueError("for a test")
    return 0


def share_from_python(the_board, function, job, count):
    return threads.share(view(the_board), function, addresses.address_of(view(job)), count)


@pytest.fixture(scope="module")
def compiled():
    """``share``, and the addresses of the two functions above."""
    integers = types.int64[::1]
    run = compiled_for(share_from_python, (integers, types.intp, integers, types.intp))
    counting, raising = (compiled_for(function, (types.intp, types.intp)) for function in (count_pieces, raise_error))
    return run, address(counting), address(raising), (counting, raising)


def a_job(pieces, length):
    job = np.zeros(COUNTS + pieces, dtype=np.int64)
    job[[PIECES, LENGTH]] = pieces, length
    return job


def check_counted(job):
    pieces = int(job[PIECES])
    assert (job[COUNTS:] == 1).all()
    assert job[ADDED] == pieces * (pieces - 1) // 2
    assert not job[CLASHES]
    assert not job[PRESENT:CLASHES].any()


@pytest.mark.indices
@pytest.mark.parametrize("pieces", [0, 1, 2, 1000])
@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_each_piece_is_done_once_and_all_threads_have_left(pieces, count, compiled):
    run, counting = compiled[:2]
    for _ in range(50):
        job = a_job(pieces, 20)
        assert 0 <= run(threads.board(count), counting, job, count) < count
        check_counted(job)


@several_cores
def test_workers_take_part_in_a_job_that_lasts(compiled):
    run, counting = compiled[:2]
    for _ in range(100):  # a worker may be late, or its core may be somebody else's for a while
        job = a_job(2000, 100)
        if run(threads.board(2), counting, job, 2) == 1 and job[DONE] == 2:
            break
    assert job[DONE] == 2
    check_counted(job)


@several_cores
def test_workers_go_to_sleep_and_are_woken(compiled):
    run, counting = compiled[:2]
    the_board = threads.board(2)
    for _ in range(2):
        run(the_board, counting, a_job(100, 100), 2)
        limit = time.perf_counter() + 10.0
        while the_board[threads.AWAKE] and time.perf_counter() < limit:
            time.sleep(1e-3)
        assert the_board[threads.AWAKE] == 0
        limit = time.perf_counter() + 10.0
        while not the_board[threads.AWAKE] and time.perf_counter() < limit:
            threads.board(2)
        assert the_board[threads.AWAKE] > 0


def a_long_job(compiled):
    """About 40 ms for one thread, several times as long as the system lets a thread run while others wait."""
    run, counting = compiled[:2]
    began = time.perf_counter()
    run(threads.board(1), counting, a_job(2000, 100), 1)
    return a_job(min(int(2000 * 0.04 / (time.perf_counter() - began)) + 1, 1 << 19), 100)


def until_all_sleep():
    limit = time.perf_counter() + 30.0
    while threads.board(1)[threads.WATCHING] and time.perf_counter() < limit:
        time.sleep(1e-3)
    assert not threads.board(1)[threads.WATCHING]


@several_cores
def test_workers_are_woken_once_for_each_time_that_they_sleep(compiled):
    """Calls that come when they are no longer counted as awake, but have not gone to sleep yet, leave nothing behind"""
    run, counting = compiled[:2]
    until_all_sleep()
    for _ in range(30):
        run(threads.board(2), counting, a_job(100, 1), 2)
        limit = time.perf_counter() + 1.0
        while threads.board(1)[threads.AWAKE] and time.perf_counter() < limit:
            pass
        assert threads._team.wake_ups.qsize() < threads.available_cores()


@several_cores
def test_who_is_not_counted_as_awake_any_more_still_takes_part(compiled):
    """Otherwise a caller that has just counted it would wake nobody, and be alone"""
    run, counting = compiled[:2]
    for _ in range(50):  # this thread may be stopped by the system in the meantime
        the_board, job, limit = threads.Team().board, a_long_job(compiled), time.perf_counter() + 10.0
        worker = threading.Thread(target=threads.compiled_serve(), args=(the_board.ctypes.data, 0))
        worker.start()
        while not the_board[threads.AWAKE] and time.perf_counter() < limit:
            pass
        while the_board[threads.AWAKE] and time.perf_counter() < limit:
            pass
        run(the_board, counting, job, 2)
        the_board[threads.CLOSED] = 1
        worker.join()
        assert not the_board[[threads.AWAKE, threads.WATCHING]].any()
        if job[DONE] == 2:
            break
    assert job[DONE] == 2
    check_counted(job)


def watched(team, is_called):
    """Let a worker watch the board; return whether it says that it was called."""
    found = []

    def watch():
        found.append(threads.compiled_serve()(team.board.ctypes.data, int(team.board[threads.CALLS])))

    worker = threading.Thread(target=watch)
    worker.start()
    while not team.board[threads.AWAKE] and worker.is_alive():
        time.sleep(1e-6)  # it needs the interpreter to begin
    if is_called:
        team.board[threads.CALLS] += 1
    worker.join()
    assert not team.board[[threads.AWAKE, threads.WATCHING]].any()
    return found[0]


@several_cores
def test_workers_that_watch_come_back_to_python_when_they_are_called():
    """Once of many times: the system may stop either thread, and clocks are coarse"""
    team = threads.Team()
    assert all(watched(team, False) == 0 for _ in range(10))
    assert any(watched(team, True) == 1 for _ in range(200))


@several_cores
def test_calls_before_a_worker_watches_are_not_missed():
    team = threads.Team()
    calls = int(team.board[threads.CALLS])
    team.board[threads.CALLS] += 1
    assert threads.compiled_serve()(team.board.ctypes.data, calls) == 1


@several_cores
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="threads cannot be sent to a core here")
def test_workers_on_the_core_of_the_caller_take_part(compiled):
    """The system wakes them there at times: they let the caller write to the board"""
    run, counting = compiled[:2]
    run(threads.board(2), counting, a_job(100, 100), 2)
    workers, everywhere = [t for t in threading.enumerate() if t.name.startswith("pluecker-")], os.sched_getaffinity(0)
    everyone = [0, *(worker.native_id for worker in workers)]
    present = 0
    try:
        for thread in everyone:
            os.sched_setaffinity(thread, {min(everywhere)})
        for _ in range(10):
            job = a_long_job(compiled)
            until_all_sleep()
            run(threads.board(2), counting, job, 2)
            check_counted(job)
            present += int(job[DONE] == 2)
    finally:
        for thread in everyone:
            os.sched_setaffinity(thread, everywhere)
    assert present >= 8


def test_who_finds_the_board_taken_works_alone(compiled):
    run, counting = compiled[:2]
    taken = threads.Team().board
    taken[threads.TAKEN] = 1
    job = a_job(100, 1)
    assert run(taken, counting, job, 8) == 0
    check_counted(job)
    assert taken[threads.TAKEN] == 1
    assert taken[threads.WORKERS] == 0


def test_nobody_is_waited_for_who_did_not_come(compiled):
    run, counting = compiled[:2]
    deserted = threads.Team().board
    for _ in range(3):
        job = a_job(100, 1)
        assert run(deserted, counting, job, 8) == 0
        check_counted(job)
        assert not deserted[[threads.TAKEN, threads.WORKERS]].any()


def test_an_exception_in_any_thread_is_reported(compiled):
    run, _, raising, _ = compiled
    for count in (1, 2):
        assert run(threads.board(count), raising, a_job(0, 0), count) == atomics.BROKEN
    check_counted_after(compiled)


def check_counted_after(compiled):
    """The board is free again."""
    run, counting = compiled[:2]
    job = a_job(100, 1)
    assert run(threads.board(2), counting, job, 2) < 2
    check_counted(job)


def test_many_callers_at_once(compiled):
    run, counting = compiled[:2]

    def work(_):
        for _ in range(200):
            job = a_job(30, 10)
            run(threads.board(3), counting, job, 3)
            check_counted(job)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [None] * 16
    check_counted_after(compiled)


def test_shared_memory_changes_whole():
    def change(job_address, k):
        memory = addresses.integers_at(job_address, 4)
        atomics.write_shared(memory, 0, 12)
        first = atomics.replace_shared(memory, 0, 11, 1)
        second = atomics.replace_shared(memory, 0, 12, 5)
        before = atomics.raise_shared(memory, 1, 7)
        again = atomics.raise_shared(memory, 1, k)
        return 1000 * before + 100 * again + 10 * first + second

    memory = np.array([0, 3, 0, 0])
    compiled_change = compiled_for(change, (types.intp, types.intp))
    assert compiled_change(memory.ctypes.data, 4) == 3701
    assert memory.tolist() == [5, 7, 0, 0]


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
def test_a_process_ends_cleanly_with_workers_awake():
    top = Path(__file__).resolve().parents[4]
    environment = {**os.environ, "PYTHONPATH": str(top)}
    for _ in range(3 if EVERYTHING else 1):
        command = [sys.executable, "-W", "error", "-c", ENDING]
        done = subprocess.run(
            command, cwd=top, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "computed", "")


@several_cores
def test_there_are_no_more_workers_than_other_cores():
    threads.board(1000)
    assert len(threads._team.workers) == threads.available_cores() - 1
    names = [thread.name for thread in threading.enumerate() if thread.name.startswith("pluecker-")]
    assert len(names) >= threads.available_cores() - 1
