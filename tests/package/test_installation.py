"""``pluecker.show_config`` and ``pluecker info``: what they report is so, and costs no import."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import pluecker
from tests.command import main
from tests.conftest import COMPILED
from tests.programs import printed_by

FOLDERS = "import pluecker; print(pluecker.show_config('dicts')['compiled_code'])"
# Instructions of the levels of the x86-64 psABI, as Linux names them.
BASE = "fpu cx8 cmov mmx fxsr sse sse2 syscall lm "
V2 = BASE + "pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm "
V3 = V2 + "fma movbe xsave avx f16c abm bmi1 avx2 bmi2 "
V4 = V3 + "avx512f avx512dq avx512cd avx512bw avx512vl "


@pytest.mark.parametrize("package", ["numpy", "numba", "llvmlite", "scipy"])
def test_versions_are_those_that_are_imported(package):
    found = pluecker.show_config("dicts")["packages"]
    assert found[package] == importlib.import_module(package).__version__


def test_neither_the_function_nor_the_command_imports_what_takes_long():
    program = "import sys, pluecker\npluecker.show_config()\nfrom pluecker.command import main\nprint(main(['info']))\n"
    told = printed_by(program + "print('imported', *sys.modules)").splitlines()
    assert told[-2] == "0"
    assert not {"numpy", "numba", "llvmlite", "scipy", "pluecker.spatial"} & set(told[-1].split())
    half = (len(told) - 2) // 2
    assert told[:half] == told[half:-2]  # the same, twice
    assert told[0].split()[:2] == ["pluecker", f"{pluecker.__version__},"]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind a process to cores")
def test_threads_are_the_cores_that_the_process_may_use():
    program = "import os, pluecker\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    program += "print(pluecker.show_config('dicts')['processor']['threads'])"
    assert printed_by(program) == "1\n"
    assert pluecker.show_config("dicts")["processor"]["threads"] == len(os.sched_getaffinity(0))


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_compiled_code_is_kept_in_the_folder_that_is_reported(tmp_path):
    program = FOLDERS + "\nimport pluecker.spatial as s; s.skew([1.0, 2.0, 3.0])"
    told = printed_by(program, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert told == f"{ {'folder': str(tmp_path / 'cache'), 'not_writable': [], 'shipped': None} }\n"
    assert any((tmp_path / "cache").rglob("*.nbc"))


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache is elsewhere")
def test_a_folder_that_cannot_be_written_is_named_with_the_one_in_its_place(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = pluecker.show_config("dicts")["compiled_code"]
    assert found["not_writable"][0] == str(tmp_path / "file" / "cache")
    assert found["folder"] in (str(Path(pluecker.spatial.__file__).parent / "__pycache__"), str(tmp_path / "numba"))


@pytest.mark.parametrize(
    ("said", "name", "level"),
    [
        (f"processor\t: 0\nmodel name\t: Some: One\nflags\t\t: {BASE}\n", "Some: One", "x86-64"),
        (f"model name\t: Two\nflags\t\t: {V2} avx\n", "Two", "x86-64-v2"),
        (f"model name\t: Three\nflags\t\t: {V3} avx512f\n", "Three", "x86-64-v3"),
        (f"model name\t: Four\nflags\t\t: {V4}\n", "Four", "x86-64-v4"),
        (f"model name\t: Odd\nflags\t\t: {V4.replace('sse4_1 ', '')}\n", "Odd", "x86-64"),
        ("processor\t: 0\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n", platform.processor() or platform.machine(), None),
        (None, platform.processor() or platform.machine(), None),
    ],
    ids=["base", "v2", "v3", "v4", "a gap", "arm", "no such file"],
)
def test_the_level_is_the_highest_of_which_all_instructions_are_there(said, name, level, monkeypatch):
    read = Path.read_text

    def read_text(self, *arguments, **options):
        if self != Path("/proc/cpuinfo"):
            return read(self, *arguments, **options)
        if said is None:
            raise FileNotFoundError(2, "No such file or directory")
        return said

    monkeypatch.setattr(Path, "read_text", read_text)
    found = pluecker.show_config("dicts")["processor"]
    assert (found["name"], found["level"]) == (name, level)


STATED = [
    "numpy>=1.24",
    'matplotlib>=3.7; extra == "plot"',
    "trimesh>=4.0; extra == 'mesh'",
    'pycollada>=0.8; extra == "mesh"',
    'old>=1; python_version < "3.5" and extra == "toml"',
    'new>=1; python_version < "4.0" and extra == "view"',
    'dask[array]>=2024.1; extra == "tables"',
    'pluecker[plot,mesh]; extra == "all"',
]
VERSIONS = {"matplotlib": "3.10", "trimesh": "4.1", "dask": "2024.2", "numpy": "2.0"}


def installed(name):
    """Stand in for ``importlib.metadata.distribution``, with these packages."""
    if name == "pluecker":
        return SimpleNamespace(requires=STATED, version="0.1.0")
    if name not in VERSIONS:
        raise importlib.metadata.PackageNotFoundError(name)
    return SimpleNamespace(version=VERSIONS[name], requires=None)


def test_extras_have_the_versions_of_what_they_bring(monkeypatch, capsys):
    monkeypatch.setattr(importlib.metadata, "distribution", installed)
    config = pluecker.show_config("dicts")
    assert config["extras"] == {
        "plot": {"matplotlib": "3.10"},
        "mesh": {"trimesh": "4.1", "pycollada": None},
        "toml": {},
        "view": {"new": None},
        "tables": {"dask": "2024.2"},
    }
    assert config["packages"] == {"numpy": "2.0", "numba": None, "llvmlite": None, "scipy": None}
    pluecker.show_config()
    told = capsys.readouterr().out
    assert "\nextras         plot: matplotlib 3.10; toml; tables: dask 2024.2\n" in told
    assert "\nwithout        mesh, view\n" in told
    assert "numpy 2.0, numba is not installed" in told


def test_variables_that_matter_are_shown_and_the_home_is_not(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in [name for name in os.environ if name.startswith(("NUMBA_", "PLUECKER_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PLUECKER_PLAIN_NUMBA", "1")
    monkeypatch.setenv("NUMBER", "5")
    pluecker.show_config()
    told = capsys.readouterr().out
    cache = os.path.join("~", "cache")
    assert f"\nvariables      NUMBA_CACHE_DIR={cache}, PLUECKER_PLAIN_NUMBA=1" in told
    assert f"\ncompiled code  kept in {cache}\n" in told
    assert str(tmp_path) not in told
    assert "NUMBER" not in told
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert main(["info"]) == 0
    assert "\ncompiled code  none: NUMBA_DISABLE_JIT is set, kernels are plain Python\n" in capsys.readouterr().out


def test_another_mode_is_refused_and_options_of_robots_without_a_robot_too(capsys):
    with pytest.raises(ValueError, match=r"show_config: mode is 'dict', expected 'stdout' or 'dicts'"):
        pluecker.show_config("dict")
    for options in (["--floating-base"], ["--gravity", "0", "0", "-9.81"], ["--accept-inertia"]):
        assert main(["info", *options]) == 2
        assert capsys.readouterr() == ("", "pluecker: error: info: options are of a robot, and none is named\n")


def test_the_program_has_the_same_version_without_metadata(tmp_path):
    """``--version`` of a folder that nobody installed."""
    (tmp_path / "pluecker").symlink_to(Path(pluecker.__file__).parent, target_is_directory=True)
    command = [sys.executable, "-S", "-m", "pluecker", "--version"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"pluecker {pluecker.__version__}\n"
