"""A process beside compiles a topic when something begins to be compiled here; nothing but time depends on it."""

import os
import subprocess
import sys
import time

import pytest
from numba import config, types

from pluecker.spatial import companion
from pluecker.spatial.companion import Companion
from pluecker.spatial.compiled.decorators import allocation_free
from tests.conftest import COMPILED

compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
TAKES = (types.intp,)


def twice(x):
    return 2 * x


def compile_something(folder, monkeypatch):
    """One function, in a folder of its own for compiled code."""
    monkeypatch.setattr(config, "CACHE_DIR", str(folder))
    allocation_free(twice).compile(TAKES)


@compiled_only
def test_it_begins_when_something_begins_to_be_compiled_and_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made = Companion(os.mkdir), tmp_path / "made"
    with found.beside(str(made)):
        compile_something(tmp_path, monkeypatch)
    found.wait(str(made))
    assert made.is_dir()
    assert found.processes == {str(made): None}


@compiled_only
def test_it_does_not_begin_for_what_is_on_the_disk_or_outside_of_the_context(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made = Companion(os.mkdir), str(tmp_path / "made")
    with found.beside(made):
        pass
    compile_something(tmp_path, monkeypatch)
    with found.beside(made):
        compile_something(tmp_path, monkeypatch)
    assert found.processes == {}
    found.wait(made)
    assert not os.path.exists(made)


@compiled_only
def test_it_begins_once(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, made = Companion(os.mkdir), str(tmp_path / "made")
    for number in range(2):
        with found.beside(made):
            compile_something(tmp_path / str(number), monkeypatch)
        found.wait(made)
        os.rmdir(made)
        os.mkdir(made)
    assert os.path.isdir(made)


@compiled_only
@pytest.mark.parametrize("reason", ["one processor", "no interpreter", "no process"])
def test_where_there_can_be_none_all_goes_on_without(reason, tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 1 if reason == "one processor" else 2)
    if reason != "one processor":
        monkeypatch.setattr(sys, "executable", "" if reason == "no interpreter" else str(tmp_path / "nothing"))
    found, made = Companion(os.mkdir), str(tmp_path / "made")
    with found.beside(made):
        compile_something(tmp_path, monkeypatch)
    found.wait(made)
    assert found.processes == {made: None}
    assert not os.path.exists(made)


@compiled_only
def test_without_a_folder_for_compiled_code_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, function = Companion(os.mkdir), allocation_free(twice)
    function._cache.disable()
    with found.beside(str(tmp_path / "made")):
        function.compile((types.uint32,))
    assert found.processes == {}


def test_one_that_fails_is_as_none(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "available_cores", lambda: 2)
    found, nowhere = Companion(os.rmdir), str(tmp_path / "nowhere")
    found.start(nowhere)
    found.wait(nowhere)
    assert found.processes == {nowhere: None}


ENDS = """
from pluecker.spatial import companion
from tests.spatial.test_companion import sleep_long
companion.available_cores = lambda: 2
found = companion.Companion(sleep_long)
found.start("")
print(found.processes[""].pid)
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
