"""A process beside compiles a topic when something begins to be compiled here; nothing but time depends on it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba import config, types

from pluecker.spatial.engine import companion
from pluecker.spatial.engine.compiled import decorators, numba_internals
from tests.conftest import COMPILED

compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
TAKES = (types.intp,)


class Files(dict):
    """Topics whose parts are files that are to be made: each is called after them."""

    def __missing__(self, name):
        return tuple(name.split(os.pathsep))


def make_file(part):
    """With the number of the process in it; one that is called ``after_NAME`` is made after its neighbour of that name."""
    path = Path(part)
    if path.name.startswith("after_"):
        until = time.monotonic() + 60.0
        while not (path.parent / path.name.removeprefix("after_")).exists() and time.monotonic() < until:
            time.sleep(0.01)
    path.write_text(str(os.getpid()))


def make_files(name):
    """Work as the second process."""
    of_files().work(name, sys.stdin.fileno())


def of_files():
    return companion.Companion(Files(), make_file, make_files)


def twice(x):
    return 2 * x


def compile_something(folder, monkeypatch):
    """One function, in a folder of its own for compiled code."""
    monkeypatch.setattr(config, "CACHE_DIR", str(folder))
    decorators.allocation_free(twice).compile(TAKES)


@compiled_only
def test_it_begins_once_when_something_begins_to_be_compiled_and_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made = of_files(), tmp_path / "made"
    for number in range(2):
        with found.beside(str(made)):
            compile_something(tmp_path / str(number), monkeypatch)
        found.wait(str(made))
        assert made.is_file() == (number == 0)
        assert found.running == {str(made): None}
        made.unlink(missing_ok=True)


@compiled_only
def test_it_does_not_begin_for_what_is_on_the_disk_or_outside_of_the_context(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made = of_files(), str(tmp_path / "made")
    with found.beside(made):
        pass
    compile_something(tmp_path, monkeypatch)
    with found.beside(made):
        compile_something(tmp_path, monkeypatch)
    assert found.running == {}
    found.wait(made)
    assert not os.path.exists(made)


@compiled_only
@pytest.mark.parametrize("reason", ["one processor", "no interpreter", "no process"])
def test_where_there_can_be_none_all_goes_on_without(reason, tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 1 if reason == "one processor" else 2)
    if reason != "one processor":
        monkeypatch.setattr(sys, "executable", "" if reason == "no interpreter" else str(tmp_path / "nothing"))
    found, made = of_files(), str(tmp_path / "made")
    with found.beside(made):
        compile_something(tmp_path, monkeypatch)
    found.wait(made)
    assert found.running == {made: None}
    assert not os.path.exists(made)


@compiled_only
def test_without_a_folder_for_compiled_code_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, function = of_files(), decorators.allocation_free(twice)
    function._cache.disable()
    with found.beside(str(tmp_path / "made")):
        function.compile((types.uint32,))
    assert found.running == {}


@pytest.mark.everything
def test_one_that_fails_is_as_none_and_its_parts_are_made_where_they_are_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made = companion.Companion(Files(), make_file, fail), str(tmp_path / "made")
    found.start(made)
    process = found.running[made].process
    process.wait()
    assert process.returncode != 0
    found.wait(made)
    assert found.running == {made: None}
    assert os.path.exists(made)


def fail(_):
    raise RuntimeError("nothing is made")


@pytest.mark.everything
@compiled_only
def test_whoever_waits_makes_the_parts_that_are_left(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, slow, quick = of_files(), tmp_path / "after_quick", tmp_path / "quick"
    both = os.pathsep.join([str(slow), str(quick)])
    found.start(both)
    found.wait(both)  # neither process alone ends in time: what comes after the other has to be made beside it
    assert slow.read_text() != quick.read_text()
    assert str(os.getpid()) in (slow.read_text(), quick.read_text())


@pytest.mark.everything
@compiled_only
def test_what_code_calls_by_its_name_is_waited_for_before_it_is_made_here(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made, other, seen = of_files(), str(tmp_path / "made"), str(tmp_path / "other"), []
    for name in (made, other):
        monkeypatch.setitem(numba_internals.NAMED, name, lambda name=name: seen.append((name, os.path.exists(made))))
    numba_internals.make_named([made])
    with found.beside(made):
        compile_something(tmp_path, monkeypatch)
        numba_internals.make_named([other])
        begun = found.running[made]
        numba_internals.make_named([made])
    numba_internals.make_named([other])
    assert seen[0] == (made, False)
    assert seen[1][0] == other
    assert begun is not None
    assert seen[2:] == [(made, True), (other, True)]


ENDS = """
from pluecker.spatial.engine import companion
from tests.spatial.engine.compiled.test_companion import sleep_long
companion.available_cores = lambda: 2
found = companion.Companion({"": ()}, print, sleep_long)
found.start("")
print(found.running[""].process.pid)
"""


def sleep_long(_):
    time.sleep(600)


def test_it_ends_with_the_process_that_has_started_it_without_a_warning():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), os.getcwd()])}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ENDS],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
