"""Compiled code and its cache: what it follows, what it survives, and processes that fork meanwhile.

The cache shows itself to users by nothing but time: that an edited function is compiled anew, and that a damaged file is, is
asked here of the decorators that keep code on the disk, and of the stamps of what they keep. Each process costs a second or
two: those that differ in one thing only run before a release.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import config, float64

import pluecker.articulated
import pluecker.contact  # noqa: F401  so that all kernels are there
from pluecker.spatial.engine.compiled import decorators, stamp
from tests.conftest import COMPILED, EVERYTHING
from tests.programs import printed_by

kernel, Parts, source_stamp = decorators.kernel, stamp.Parts, stamp.source_stamp
HERE = Path(__file__).resolve().parents[4]
PACKAGES = ("spatial", "articulated", "contact", "examples")
SOURCES = [path for package in PACKAGES for path in sorted((HERE / package).rglob("*.py"))]
compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled or cached with NUMBA_DISABLE_JIT=1")

CALLER = """
from pluecker.spatial.algebra.transforms import transform_motion
X = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0))
print(transform_motion(X, ((0.5, 0.25, 0.125), (0.0, 0.0, 0.0)))[1][0])
print(sum(transform_motion.entrance.dispatcher.stats.cache_hits.values()))
"""


@pytest.fixture
def copied_package(tmp_path):
    """A copy of pluecker that can be edited, found before the installed one."""
    folder = tmp_path / "pluecker"
    for package in PACKAGES:
        shutil.copytree(HERE / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "package" / "__init__.py", folder)
    return folder


def words_of(program, folder, **environment):
    """The words that a program prints which finds the copied package alone."""
    top = str(folder.parent)
    environment = {"PYTHONPATH": top, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error", **environment}
    return printed_by(program, cwd=top, **environment).split()


def run(folder, **environment):
    """The value that the caller computes in a new process, and how often it came from the cache."""
    value, hits = words_of(CALLER, folder, **environment)
    return float(value), int(hits)


def edit(path, old, new):
    """Replace a piece of a file that is there once."""
    text = path.read_text()
    assert text.count(old) == 1, (path, text.count(old))
    path.write_text(text.replace(old, new))


@compiled_only
def test_a_caller_follows_an_edited_callee_in_another_file(copied_package, tmp_path):
    """And no stranger: neither one in another file, nor in a file of its own callees, nor what Python alone runs."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    value = -(2.0 * 0.125 - 3.0 * 0.25)
    assert run(copied_package, **cache) == (value, 0)
    algebra = copied_package / "spatial" / "algebra"
    edit(algebra / "inertia.py", "J[0] * a[0] + J[1] * a[1] + J[2] * a[2]", "J[2] * a[2] + J[1] * a[1] + J[0] * a[0]")
    edit(algebra / "vectors.py", "a[0] * b[0] + a[1] * b[1] + a[2] * b[2]", "a[2] * b[2] + a[1] * b[1] + a[0] * b[0]")
    with (copied_package / "spatial" / "functions" / "elementwise.py").open("a") as file:
        file.write("LARGE = 1e70\n")
    assert run(copied_package, **cache) == (value, 1)
    edit(algebra / "vectors.py", "a[0] + b[1] * c[2] - b[2] * c[1]", "a[0] + b[1] * c[2] + b[2] * c[1]")
    assert run(copied_package, **cache) == (2.0 * 0.125 + 3.0 * 0.25, 0)


@pytest.mark.everything
@compiled_only
def test_code_for_another_processor_or_of_an_edited_function_is_not_taken(copied_package, tmp_path):
    """And what was compiled before is found again."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", **cache}
    assert run(copied_package, **cache) == (0.5, 0)
    assert run(copied_package, **other) == (0.5, 0)
    assert run(copied_package, **other) == (0.5, 1)
    assert run(copied_package, **cache) == (0.5, 1)
    callee = copied_package / "spatial" / "algebra" / "vectors.py"
    text = callee.read_text()
    edit(callee, "a[0] + b[1] * c[2] - b[2] * c[1]", "a[0] + b[1] * c[2] + b[2] * c[1]")
    assert run(copied_package, **cache)[0] != 0.5
    callee.write_text(text)
    assert run(copied_package, **cache)[0] == 0.5


NUMBER, TABLE = 2.0, np.arange(3.0)


@kernel
def double(x):
    return NUMBER * x


@kernel
def square(x):
    return x * x


def make(function):
    @kernel
    def twice(x):
        return function(function(x)) + TABLE[0]

    return twice


def calls(x):
    return double(x) - square(x)


@compiled_only
def test_the_stamp_follows_constants_callees_and_versions(monkeypatch):
    here = globals()
    entrance = decorators.entry_point(calls, allocates=True)

    def stamp_with(scope, name, value):
        with monkeypatch.context() as patch:
            patch.setitem(scope, name, value) if isinstance(scope, dict) else patch.setattr(scope, name, value)
            return source_stamp(entrance)

    def swapped():
        with monkeypatch.context() as patch:
            patch.setitem(here, "double", square)
            patch.setitem(here, "square", double)
            return source_stamp(entrance)

    stamps = [
        source_stamp(entrance),
        swapped(),
        stamp_with(here, "NUMBER", 3.0),
        stamp_with(here, "NUMBER", 2),
        stamp_with(here, "square", decorators.called_kernel(square.py_func)),
        stamp_with(here, "square", make(double)),
        stamp_with(here, "square", make(square)),
        stamp_with(stamp.np, "__version__", "another"),
        stamp_with(stamp, "version", lambda name: "another" if name == "numba" else name),
        stamp_with(stamp, "version", lambda name: "another" if name == "llvmlite" else name),
        stamp_with(stamp, "TAUGHT", "other scalars"),
        stamp_with(stamp, "BOUNDSCHECK", not stamp.BOUNDSCHECK),
    ]
    assert len(set(stamps)) == len(stamps)
    assert source_stamp(entrance) == stamps[0] == stamp_with(here, "TABLE", TABLE + 1.0)
    twice = make(double)
    before = source_stamp(twice)
    assert source_stamp(make(double)) == before
    monkeypatch.setitem(here, "TABLE", TABLE + 1.0)
    assert source_stamp(twice) != before


RECORD = """
from typing import NamedTuple
from pluecker.spatial.engine.compiled.decorators import entry_point

class Pair(NamedTuple):
    {}: float
    {}: float

@entry_point
def difference(pair):
    return pair.left - pair.right
"""


@pytest.mark.everything
@compiled_only
def test_fields_that_change_places_are_read_where_they_are(copied_package, tmp_path):
    """Numba compares the types of the fields only, and keeps their places in the code."""
    program = "from record import *; print(difference(Pair(3.0, 1.0)), len(difference.dispatcher.stats.cache_hits))"
    for fields, printed in [(("left", "right"), ["2.0", "0"]), (("right", "left"), ["-2.0", "0"])]:
        (tmp_path / "record.py").write_text(RECORD.format(*fields))
        assert words_of(program, copied_package, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == printed


VARIANTS = """
import sys
import numpy as np
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point

def make(k):
    def part(x, n):
        total = 0.0
        for i in range(n):
            y = (x + i) / (1.0 + i * i)
LINES
        return k + 0.0 * total
    return called_kernel(part)

ONE, TWO = make(1.0), make(2.0)

@entry_point
def first(x):
    return CALLS_OF_ONE

@entry_point
def second(x):
    return CALLS_OF_TWO

for name in sys.argv[1].split():
    print({"first": first, "second": second}[name](0.5))
"""


@pytest.mark.everything
@compiled_only
@pytest.mark.slow
def test_what_two_processes_compiled_under_one_name_stays_apart_in_a_third(tmp_path):
    """A part that is too long to become part of its callers, twice, each the first one that its process compiles."""
    lines = "\n".join(f"            total += np.sin({c}.5 * y) * np.exp(-y) + np.cos({c} * y)" for c in range(1, 40))
    program = VARIANTS.replace("LINES", lines)
    for name in ("ONE", "TWO"):
        program = program.replace(f"CALLS_OF_{name}", " + ".join(f"{name}(x, {n})" for n in range(1, 9)))
    path = tmp_path / "variants.py"
    path.write_text(program)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed = []
    for names in ("first", "second", "first second", "second first"):
        command = [sys.executable, str(path), names]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        printed.append(done.stdout.split())
    assert printed == [["8.0"], ["16.0"], ["8.0", "16.0"], ["16.0", "8.0"]]


def kernels():
    """All that the modules of the package compile, by name."""
    return {
        f"{name}.{key}": value
        for name, module in list(sys.modules.items())
        if name.startswith("pluecker.")
        for key, value in vars(module).items()
        if hasattr(value, "py_func")
    }


@compiled_only
def test_everything_that_a_kernel_reads_has_a_description():
    found = {name: Parts(value).strange for name, value in kernels().items()}
    assert len(found) > 500
    assert {name: strange for name, strange in found.items() if strange} == {}


@compiled_only
def test_what_has_no_description_puts_the_whole_package_into_the_stamp(monkeypatch):
    monkeypatch.setitem(globals(), "NUMBER", {"a": "dictionary"})
    assert Parts(double).strange == ["NUMBER"]
    before = source_stamp(double)
    monkeypatch.setattr(stamp, "PACKAGE", stamp.PACKAGE[:1])
    assert source_stamp(double) != before


def test_only_files_that_belong_to_every_stamp_teach_the_compiler():
    taught = {path.relative_to(stamp.TOP) for pattern in stamp.TEACHING for path in stamp.TOP.glob(pattern)}
    marks = re.compile(r"numba\.extending|@(overload|intrinsic|lower_builtin|type_callable|register_model)")
    assert {path.relative_to(HERE) for path in SOURCES if marks.search(path.read_text())} <= taught
    assert len(taught) > 8


def test_one_file_uses_what_is_private_in_numba():
    private = re.compile(r"^\s*(from|import) numba\.(?!extending)|\bnumba\.core\.|_nrt\b", flags=re.MULTILINE)
    assert {path.name for path in SOURCES if private.search(path.read_text())} == {
        "locking.py",
        "numba_internals.py",
        "settings.py",
    }


def plus(x, y):
    return x + y


DAMAGE = {
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "half": lambda data: data[: len(data) // 2],
    "all but one": lambda data: data[:-1],
    "garbage": lambda data: bytes(range(256)),
    "another byte": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "a pickle": lambda data: b"\x80\x04N.",
    "two files": lambda data: data + data,
}


@compiled_only
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_a_damaged_file_is_compiled_anew_and_written_again(ending, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def hits():
        found = decorators.compiled_for(plus, (float64, float64))
        assert found(1.0, 2.0) == 3.0
        return sum(found.stats.cache_hits.values())

    assert [hits(), hits()] == [0, 1]
    (path,) = tmp_path.rglob(f"*{ending}")
    for name, damage in DAMAGE.items():
        path.write_bytes(damage(path.read_bytes()))
        assert [hits(), hits()] == [0, 1], name
    path.unlink()
    path.mkdir()
    assert hits() == 0  # nothing can be written there


@compiled_only
@pytest.mark.skipif(os.name != "posix", reason="rights are others there")
def test_nothing_is_loaded_from_a_folder_that_everybody_may_write(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    hits = [sum(decorators.compiled_for(plus, (float64, float64)).stats.cache_hits.values()) for _ in range(2)]
    assert hits == [0, 1]
    (path,) = tmp_path.rglob("*.nbc")
    path.parent.chmod(0o777)
    found = decorators.compiled_for(plus, (float64, float64))
    assert found(1.0, 2.0) == 3.0
    assert not found.stats.cache_hits


MOVED = """
import sys
from importlib import import_module
from pluecker.spatial.engine.compiled.decorators import entry_point
twice = import_module(sys.argv[1]).twice
@entry_point
def thrice(x):
    return twice(x) + x
print(thrice(2.0), sum(thrice.dispatcher.stats.cache_hits.values()))
"""
TWICE = """
from pluecker.spatial.engine.compiled.decorators import called_kernel
@called_kernel
def twice(x):
    return 2.0 * x
"""


@compiled_only
def test_what_calls_a_function_that_has_moved_is_compiled_anew(tmp_path):
    """Its stamp is the same, but its code on the disk names the module where the function was."""
    (tmp_path / "caller.py").write_text(MOVED)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(module):
        command = [sys.executable, "caller.py", module]
        return subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout

    (tmp_path / "here.py").write_text(TWICE)
    assert run("here") == "6.0 0\n"
    (tmp_path / "here.py").rename(tmp_path / "there.py")
    assert [run("there"), run("there")] == ["6.0 0\n", "6.0 1\n"]


FORK = """
import os, signal, sys, threading, time
import numpy as np
from numba.core import event
from pluecker.spatial import exp6, skew

class Begun(event.Listener):
    def on_start(self, _): begun.set()
    def on_end(self, _): pass

begun = threading.Event()
event.register("numba:compile", Begun())
thread = threading.Thread(target=lambda: exp6(np.arange(6.0)))
thread.start()
begun.wait()
time.sleep(0.2)
child = os.fork()
if child == 0:
    signal.alarm(100)
    a, b = exp6(np.arange(6.0)), skew(np.arange(3.0))
    os._exit(0 if a.shape == (4, 4) and b[2, 1] == 0.0 else 1)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
FORK_OF_USER = """
import os, signal, threading, time
import numba
import pluecker.articulated  # which has not imported Numba by itself
from numba.core.compiler_lock import global_compiler_lock

held, go_on = threading.Event(), threading.Event()

def compile_something():
    with global_compiler_lock:
        held.set()
        time.sleep(0.5)

thread = threading.Thread(target=compile_something)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if numba.njit(lambda x: 2 * x)(3) == 6 else 1)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
PROPERTY = """
import os, signal, threading, time
from pluecker.spatial.properties import cached_property

class Slow:
    @cached_property
    def value(self):
        begun.set()
        go_on.wait()
        return 1

begun, go_on = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: Slow().value)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    go_on.set()
    os._exit(1 - Slow().value)
go_on.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
LOCKS = """
import os, signal, threading
from pluecker.spatial.engine.parallel import interruption

held, go_on = threading.Event(), threading.Event()

def hold():
    for lock in (interruption.stopping, interruption.starting):
        lock.acquire()
    held.set()
    go_on.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(interruption.interruptible(lambda: 0))
go_on.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not made by fork here")
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(FORK, marks=compiled_only, id="compiling"),
        pytest.param(FORK_OF_USER, marks=compiled_only, id="compiling for the user"),
        PROPERTY,
        LOCKS,
    ],
)
def test_a_process_may_fork_while_another_thread_is_in_the_middle(program, tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": "ignore::DeprecationWarning"}
    assert printed_by(program, **environment) == "0\n"


@compiled_only
def test_without_a_folder_to_write_kernels_work_uncached(copied_package, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder can be made below a file")
    (copied_package / "spatial" / "algebra" / "__pycache__").write_text("nor here")
    nowhere = str(blocked / "below")
    environment = {"NUMBA_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
    for _ in range(2 if EVERYTHING else 1):
        assert run(copied_package, **environment) == (0.5, 0)


@compiled_only
def test_kernels_release_the_lock_and_do_not_reorder_arithmetic():
    for made in (
        kernel(plus),
        decorators.called_kernel(plus),
        decorators.entry_point(plus, allocates=True),
        decorators.entry_point(plus),
    ):
        assert made.targetoptions["nogil"]
        assert made.targetoptions["fastmath"] == {"contract"}


INTERRUPTED = """
import os, signal, sys, threading, time
import pluecker as pl

def interrupt():
    while "numba" not in sys.modules:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    pl.spatial.skew([1.0, 2.0, 3.0])
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", pl.spatial.skew([1.0, 2.0, 3.0])[0, 1])
"""


@compiled_only
@pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself Ctrl-C alone")
def test_ctrl_c_while_numba_is_imported_is_answered_behind_it_and_breaks_nothing(tmp_path):
    assert printed_by(INTERRUPTED, NUMBA_CACHE_DIR=str(tmp_path)) == "interrupted -3.0\n"


def test_numba_and_scipy_are_imported_when_they_are_used_and_not_before():
    """Among all modules only those need Numba that teach it, and the one that ships what it has made."""
    need = ("spatial/engine/codegen/", "numba_internals.py", "shipped/writer.py", "__main__.py")
    paths = [path.relative_to(HERE) for path in SOURCES]
    names = ["pluecker." + ".".join(p.with_suffix("").parts) for p in paths if not any(x in str(p) for x in need)]
    assert len(names) > 400
    program = f"import importlib, sys; [importlib.import_module(x) for x in {names}]"
    assert printed_by(program + "; print({'numba', 'scipy'} & set(sys.modules))") == "set()\n"


def test_without_compilation_a_kernel_is_the_python_function():
    imports = "from pluecker.spatial.algebra.vectors import dot3"
    program = f"{imports}; print(type(dot3).__name__, dot3((1., 2., 3.), (4., 5., 6.)))"
    assert printed_by(program, NUMBA_DISABLE_JIT="1").split() == ["function", "32.0"]


def test_a_kernel_is_short_enough_to_read():
    for path in SOURCES:
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "@kernel" in text else ():
            if isinstance(node, ast.FunctionDef) and any(getattr(d, "id", "") == "kernel" for d in node.decorator_list):
                length = node.end_lineno - node.body[0].end_lineno
                assert length <= 40, f"{path.name}: {node.name} has {length} lines"
