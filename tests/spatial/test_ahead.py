"""Compiling ahead in two processes: each job is done once, a failure is told, and no process stays behind.

What processes do is looked at inside: jobs that fail, or that write down who did them, are none of the package's own.
"""

import os
import sys
from importlib import import_module

import pytest

from pluecker.spatial import ahead
from pluecker.spatial.ahead import AheadError, compile_ahead, compiled_elsewhere
from tests.conftest import COMPILED

JOBS = """
import os, sys, time

def compile_job(word):
    print("not an answer")
    if word == "raises":
        raise ValueError("no such kernel")
    if word == "dies":
        os._exit(9)
    if word == "lasts":
        time.sleep(600)
    with open(os.environ["DONE"], "a") as file:
        file.write(f"{os.getpid()} {word}\\n")
"""


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """A function that gives jobs with these words, and one that reads who did what."""
    (tmp_path / "jobs_for_tests.py").write_text(JOBS)
    (tmp_path / "done").touch()
    monkeypatch.setenv("DONE", str(tmp_path / "done"))
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("jobs_for_tests", None)
    return (
        lambda *words: [("jobs_for_tests", word) for word in words],
        lambda: [line.split() for line in (tmp_path / "done").read_text().splitlines()],
    )


@pytest.fixture
def started(monkeypatch):
    """All processes that are started."""
    found = []
    start = ahead.subprocess.Popen
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda *a, **k: found.append(start(*a, **k)) or found[-1])
    return found


def test_every_job_is_done_once_by_two_processes_that_end(jobs, started):
    of, done = jobs
    words = ["a", "b", "c", "d", "e"]
    assert sorted(compiled_elsewhere(of(*words), 2)) == of(*words)
    assert sorted(word for _, word in done()) == words
    assert os.getpid() not in {int(who) for who, _ in done()}
    assert len(started) == 2
    assert all(process.poll() is not None for process in started)


def test_a_process_that_has_grown_large_is_replaced(jobs, started, monkeypatch):
    of, done = jobs
    monkeypatch.setattr(ahead, "LARGEST", -1.0)
    assert len(list(compiled_elsewhere(of("a", "b"), 1))) == 2
    assert len({who for who, _ in done()}) == len(started) == 2


@pytest.mark.parametrize(("word", "said"), [("raises", "ValueError: no such kernel"), ("dies", "ended with code 9")])
def test_what_fails_elsewhere_is_told_and_the_others_end(jobs, started, word, said):
    of, _ = jobs
    with pytest.raises(AheadError, match=f"'{word}' of jobs_for_tests could not be compiled: .*{said}"):
        list(compiled_elsewhere(of(word, "lasts"), 2))
    assert all(process.poll() is not None for process in started)


def test_an_interruption_ends_both_processes(jobs, started):
    of, _ = jobs
    finished = compiled_elsewhere(of("a", "lasts", "lasts", "lasts"), 2)
    assert next(finished) == of("a")[0]
    with pytest.raises(KeyboardInterrupt):
        finished.throw(KeyboardInterrupt)
    assert all(process.poll() is not None for process in started)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_what_is_not_kept_on_disk_is_compiled_here(jobs, started, monkeypatch):
    of, done = jobs
    monkeypatch.setattr(ahead, "on_disk", lambda job: False)
    compile_ahead(of("a", "b", "c"), progress=False)
    here = [word for who, word in done() if int(who) == os.getpid()]
    assert here == ["a", "b", "c"]
    assert all(process.poll() is not None for process in started)


def test_what_is_on_disk_starts_no_process(jobs, started):
    of, done = jobs
    compile_ahead(of("a", "b"), progress=False)
    assert [word for _, word in done()] == ["a", "b"]
    assert started == []


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_a_job_that_would_compile_something_is_not_on_disk(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    text = (
        "from numba import njit\n\n@njit\ndef f(x):\n    return x + 1\n\ndef compile_job(word):\n    f(float(word))\n"
    )
    (tmp_path / "one_for_tests.py").write_text(text)
    assert not ahead.on_disk(("one_for_tests", "1"))
    import_module("one_for_tests").compile_job("1")
    assert ahead.on_disk(("one_for_tests", "1"))
