"""Ctrl-C is answered within a second, as KeyboardInterrupt, in every method; other threads keep their results.

A process of its own solves a problem that takes long, gets a real SIGINT, and says how long it was in answering, measured
there from when the signal was sent.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import ClassVar

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact import solve
from pluecker.contact.friction.sparse import cholesky
from pluecker.spatial.engine.parallel import interruption, interruption_flag, threads
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.any_blocks import blocks_of
from tests.contact.random_friction import random_problem
from tests.programs import printed_by

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
from pluecker.contact import Problem, solve
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start what runs in the background without it
delay, sent = 0.5, []

def problem(count):
    rng = np.random.default_rng(0)
    J = rng.normal(size=(3 * count, 2 * count + 6))
    return Problem.from_delassus(J @ J.T, J @ rng.normal(size=J.shape[1]), np.full(count, 0.7))

def interrupt():
    time.sleep(delay)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

small = problem(4)
for law, method, count in (argument.split() for argument in sys.argv[1:]):
    large = problem(int(count))
    solve(small, law, method, max_iterations=3)  # compiles
    answered = "nothing"
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        for _ in range(1000):
            solve(large, law, method, tol=1e-300, max_iterations=100_000)
    except KeyboardInterrupt:
        answered = f"{time.monotonic() - sent.pop():.3f}"
    print(method, answered, solve(small, law, "auto").status, flush=True)
"""
LAWS = {"lemke": "lcp", "minmap_newton": "lcp"}
SIZES = {"lemke": 60, "minmap_newton": 60, "newton": 200}  # of newton: NumPy finds eigenvalues before, in one piece
METHODS = ["auto", "apgd", "interior_point", "lemke"]  # a recipe, compiled sweeps, factors, a tableau
if EVERYTHING:
    METHODS += ["pgs", "psor", "newton", "minmap_newton"]


@pytest.fixture(scope="module")
def answers():
    """By method: seconds until it had answered, and the status of what was solved afterwards. One process for all."""
    arguments = [f"{LAWS.get(name, 'ncp')} {name} {SIZES.get(name, 400)}" for name in METHODS]
    lines = printed_by(PROGRAM, *arguments).splitlines()
    return {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines}


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="handlers of signals always run between two instructions of Python")
@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C alone")
@pytest.mark.parametrize("method", METHODS)
def test_each_method_answers_within_a_second(method, answers):
    seconds, status = answers[method]
    assert float(seconds) < 1.0
    assert status == "converged"


FIRST = """
import os, signal, threading, time
from pluecker.contact import Problem, solve
signal.signal(signal.SIGINT, signal.default_int_handler)
block, sent = Problem.from_delassus([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], [-1.0, 3.0, 0.0], [0.5]), []
def interrupt():
    time.sleep(4.0)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
try:
    threading.Thread(target=interrupt, daemon=True).start()
    solve(block)
    print("nothing was left to interrupt")
except KeyboardInterrupt:
    print(f"answered {time.monotonic() - sent[0]:.3f}")
os._exit(0)
"""


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C alone")
def test_the_first_compilation_answers_within_a_second(tmp_path):
    """LLVM is inside one function for seconds if the cache is empty."""
    said = printed_by(FIRST, NUMBA_CACHE_DIR=str(tmp_path))
    assert said.startswith("answered")
    assert float(said.split()[1]) < 1.0


def test_a_function_that_was_never_called_is_called_in_a_thread():
    """The first call compiles it; later ones, and those in other threads, call it directly."""

    class Compiled:
        overloads: ClassVar[dict[str, int]] = {}

        def __call__(self, x):
            self.overloads["int"] = 1
            return threading.current_thread(), x

    function, main = Compiled(), threading.main_thread()
    thread, x = interruption.answering(function, 3)
    assert thread is not main
    assert x == 3
    assert interruption.answering(function, 3) == (main, 3)
    assert interruption.answering(function, 3, long=True)[0] is not main
    assert interruption.answering(lambda: threading.current_thread()) is main
    other: list[bool] = []
    function.overloads.clear()
    thread = threading.Thread(
        target=lambda: other.append(interruption.answering(function, 3)[0] is threading.current_thread())
    )
    thread.start()
    thread.join()
    assert other == [True]


def send(delay):
    """Send SIGINT to this process after a delay."""

    def interrupt():
        time.sleep(delay)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


needs_signals = pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C alone")


@pytest.fixture(autouse=True)
def handler():
    """Install Python's handler of SIGINT: a program that a shell starts in the background has none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@needs_signals
def test_work_in_python_is_ended_by_an_exception():
    ended = []

    def work():
        try:
            while True:
                time.sleep(0.001)
        except interruption.Interrupted:
            ended.append(True)
            raise

    thread = send(0.05)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interruption.interruptible(work)
    assert time.monotonic() - began < 1.0
    assert ended
    assert interruption_flag.state[0] == 0
    thread.join()


@needs_signals
def test_workers_end_with_the_work_that_they_take_part_in(monkeypatch):
    """Workers on the interrupted task end it without complaints, and take part in the next one."""
    begun, ended, complaints, senders, several = [], [], [], [], min(4, threads.available_cores())
    monkeypatch.setattr(threading, "excepthook", complaints.append)

    def wait(k):
        begun.append(k)
        if len(begun) == several:
            senders.append(send(0.05))
        try:
            while True:
                time.sleep(0.001)
        finally:
            ended.append(threading.get_ident())

    with pytest.raises(KeyboardInterrupt):
        interruption.interruptible(lambda: threads.map_in_threads(wait, range(8), 4))
    senders[0].join()
    limit = time.monotonic() + 20.0
    while len(ended) < several and time.monotonic() < limit:
        time.sleep(0.01)
    assert len(set(ended)) == several
    assert sorted(begun) == list(range(several))
    assert interruption.interruptible(lambda: threads.map_in_threads(str, range(3), 4)) == list("012")
    assert not complaints
    assert interruption_flag.state[0] == 0


@needs_signals
def test_what_another_handler_raises_comes_out():
    class Custom(Exception):
        pass

    def handler(number, frame):
        raise Custom

    before = signal.signal(signal.SIGINT, handler)
    try:
        thread = send(0.05)
        with pytest.raises(Custom):
            interruption.interruptible(lambda: time.sleep(0.3))
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)


@needs_signals
def test_work_of_other_threads_that_ended_too_early_is_done_again():
    """Work in another thread sees the flag that interrupts the main thread, ends too, and begins again."""
    found, rounds = [], []

    def count():
        rounds.append(0)
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            if interruption_flag.state[0]:
                return "early"
            time.sleep(0.0005)
        return "all"

    other = threading.Thread(target=lambda: found.append(interruption.interruptible(count)))
    sender = send(0.1)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        interruption.interruptible(lambda: time.sleep(0.2))
    other.join()
    sender.join()
    assert found == ["all"]
    assert len(rounds) == 2


def test_errors_and_results_of_work_come_out():
    with pytest.raises(ZeroDivisionError):
        interruption.interruptible(lambda: 1 // 0)
    assert interruption.interruptible(lambda: np.arange(3)).tolist() == [0, 1, 2]
    assert not interruption.takes_long(8000, 12)
    assert interruption.takes_long(8000, 300)


@pytest.fixture
def stopped():
    """Set the flag of an interruption during the test."""
    interruption_flag.state[0] = 1
    yield
    interruption_flag.state[0] = 0


@pytest.mark.parametrize("method", ["apgd", "pgs", "psor", "interior_point"])
def test_loops_end_where_they_are(method, stopped):
    problem = random_problem(3, 6, kinds=("3",)).problem()
    assert solve(problem, "ccp", method, tol=1e-14).iterations <= 1


@pytest.mark.parametrize("method", ["apgd", "pgs"])
def test_loops_of_large_islands_end_where_they_are(method, stopped):
    """A flag that is set before the loops begin leaves one iteration at most."""
    result = solve(packing(220), "ccp", method, tol=1e-14, form="factors")
    assert result.iterations <= 1


def test_a_factor_ends_where_it_is(stopped):
    N = random_problem(3, 6, kinds=("3",)).problem().operator.N
    S = cholesky.analyse(N)
    L = np.empty(S.numbers[0])
    assert cholesky.factor(S, N, N.data, np.zeros(S.square[-1]), 1e-14, L) == 6
    interruption_flag.state[0] = 0
    assert cholesky.factor(S, N, N.data, np.ones(S.square[-1]), 1e-14, L) < 6


@pytest.mark.parametrize("delay", [0.1, 0.13, 0.17])
def test_an_interruption_while_a_pattern_is_found_ends_that_alone(delay):
    """The process must survive: Numba makes Python objects there without a check whether that failed."""
    N = blocks_of(np.kron(np.ones((40, 40)), np.ones((3, 3))), np.arange(0, 121, 3), np.arange(0, 121, 3))
    cholesky.analyse(N)  # which compiles it

    def patterns():
        while True:
            cholesky.analyse(N)

    sender = send(delay)
    with pytest.raises(KeyboardInterrupt):
        interruption.interruptible(patterns)
    sender.join()


def test_nothing_is_raised_inside_what_answers():
    """The exception comes as soon as the function returns to the work that was interrupted."""
    entered, left = [], []

    def piece():
        entered.append(True)
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
        left.append(True)

    def work():
        interruption.answering(piece)
        left.append("more")

    sender = send(0.1)
    with pytest.raises(KeyboardInterrupt):
        interruption.interruptible(work)
    sender.join()
    assert entered == left == [True]
