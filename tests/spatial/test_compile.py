"""The kernel decorator and its cache: a caller follows its callee, and no cache folder is no failure."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pluecker.articulated  # noqa: F401  so that all kernels are there
from pluecker.spatial.compiled import decorators as compile_module
from pluecker.spatial.compiled.decorators import kernel, kernel_sources
from tests.conftest import COMPILED

HERE = Path(__file__).resolve().parents[2]
compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled or cached with NUMBA_DISABLE_JIT=1")

CALLER = """
from pluecker.spatial.algebra.transforms import transform_motion
X = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0))
print(transform_motion(X, ((0.5, 0.25, 0.125), (0.0, 0.0, 0.0)))[1][0])
print(sum(transform_motion.entrance.stats.cache_hits.values()))
"""


@pytest.fixture
def copied_package(tmp_path):
    """A copy of pluecker.spatial that can be edited, found before the installed one."""
    folder = tmp_path / "pluecker" / "spatial"
    shutil.copytree(HERE / "spatial", folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "package" / "__init__.py", folder.parent)
    return folder


def run(folder, **environment):
    """The value that the caller computes in a new process, and how often it came from the cache."""
    top = str(folder.parent.parent)
    environment = {**os.environ, "PYTHONPATH": top, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [sys.executable, "-W", "error", "-c", CALLER]
    done = subprocess.run(command, env=environment, cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    value, hits = done.stdout.split()
    return float(value), int(hits)


@compiled_only
def test_a_caller_follows_an_edited_callee_in_another_file(copied_package, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    value = -(2.0 * 0.125 - 3.0 * 0.25)
    assert run(copied_package, **cache) == (value, 0)
    assert run(copied_package, **cache) == (value, 1)
    callee = copied_package / "algebra" / "vectors.py"
    text = callee.read_text()
    assert "a[0] + b[1] * c[2] - b[2] * c[1]" in text
    callee.write_text(text.replace("a[0] + b[1] * c[2] - b[2] * c[1]", "a[0] + b[1] * c[2] + b[2] * c[1]"))
    assert run(copied_package, **cache) == (2.0 * 0.125 + 3.0 * 0.25, 0)
    callee.write_text(text)
    assert run(copied_package, **cache)[0] == value


@compiled_only
def test_code_for_another_processor_is_not_taken(copied_package, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(copied_package, **cache) == (0.5, 0)
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", **cache}
    assert run(copied_package, **other) == (0.5, 0)
    assert run(copied_package, **other) == (0.5, 1)
    assert run(copied_package, **cache) == (0.5, 1)


def test_the_stamp_tells_versions_apart(monkeypatch):
    stamps = {compile_module.source_stamp.__wrapped__()}
    with monkeypatch.context() as patch:
        patch.setattr(compile_module, "package_version", lambda: "another")
        stamps.add(compile_module.source_stamp.__wrapped__())
    with monkeypatch.context() as patch:
        patch.setattr(compile_module.numba, "__version__", "another")
        stamps.add(compile_module.source_stamp.__wrapped__())
    with monkeypatch.context() as patch:
        patch.setattr(compile_module, "kernel_sources", lambda: kernel_sources()[1:])
        stamps.add(compile_module.source_stamp.__wrapped__())
    assert len(stamps) == 4


@compiled_only
def test_without_a_folder_to_write_kernels_work_uncached(copied_package, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder can be made below a file")
    (copied_package / "algebra" / "__pycache__").write_text("nor here")
    nowhere = str(blocked / "below")
    environment = {"NUMBA_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
    for _ in range(2):
        assert run(copied_package, **environment) == (0.5, 0)


@compiled_only
def test_a_folder_that_vanishes_is_no_failure(tmp_path):
    @kernel
    def double(x):
        return 2.0 * x

    def gone(*_):
        raise OSError("no space left on device")

    double.entrance._cache._cache_file._save_index = gone
    assert double(4.0) == 8.0


@compiled_only
def test_kernels_release_the_lock_and_do_not_reorder_arithmetic():
    from pluecker.articulated.algorithms.rnea import RNEA

    for driver in (RNEA.one, RNEA.many):
        assert driver.targetoptions["nogil"]
        assert driver.targetoptions["fastmath"] == {"contract"}


def test_without_compilation_a_kernel_is_the_python_function():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    imports = "from pluecker.spatial.algebra.vectors import dot3"
    program = f"{imports}; print(type(dot3).__name__, dot3((1., 2., 3.), (4., 5., 6.)))"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["function", "32.0"]


def test_every_number_that_a_kernel_reads_is_in_a_file_that_the_stamp_covers():
    """A constant is frozen into compiled code; it must be defined where a change of it is noticed."""
    sources = kernel_sources()
    assert {"vectors.py", "operations.py", "layout.py", "joints.py", "rnea.py", "batch.py"} <= {
        path.name for path in sources
    }
    defined = set()
    trees = [ast.parse(path.read_text()) for path in sources]
    for tree in trees:
        for node in tree.body:
            if isinstance(node, ast.Assign):
                defined |= {
                    name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)
                }
            elif isinstance(node, ast.FunctionDef):
                defined.add(node.name)
    modules = {name: module for name, module in sys.modules.items() if name.startswith("pluecker.")}
    checked = 0
    for module in modules.values():
        for value in vars(module).values():
            function = getattr(value, "py_func", None)
            if function is not None:
                for name in function.__code__.co_names:
                    if isinstance(function.__globals__.get(name), (int, float, tuple, np.ndarray)):
                        assert name in defined, f"{function.__qualname__} reads {name}"
                        checked += 1
    assert checked > 20 or not COMPILED


def test_a_kernel_is_short_enough_to_read():
    for path in kernel_sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any(getattr(d, "id", "") == "kernel" for d in node.decorator_list):
                length = node.end_lineno - node.body[0].end_lineno
                assert length <= 40, f"{path.name}: {node.name} has {length} lines"
