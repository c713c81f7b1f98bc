"""The package as it is given away: its files from ``make dist``, in an environment that has nothing else."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

import pluecker
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.conftest import COMPILED
from tests.docs.test_howto import assert_told, python_blocks

TOP = Path(__file__).resolve().parents[2]
everything = pytest.mark.everything
compiled = pytest.mark.skipif(not COMPILED, reason="what is built and installed is the same in every lane")


def dist_program():
    """``packaging/build.py``, which is no module."""
    spec = importlib.util.spec_from_file_location("dist_program", TOP / "packaging" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("page", "pattern"),
    [
        ("CITATION.cff", r"^version: (\S+)$"),
        ("CHANGELOG.md", r"^## (\S+) \("),
        ("packaging/conda/recipe.yaml", r'^  version: "(\S+)"$'),
    ],
)
def test_files_that_repeat_the_version_agree_with_the_package(page, pattern):
    assert re.search(pattern, (TOP / page).read_text("utf-8"), re.MULTILINE)[1] == pluecker.__version__


def test_the_recipe_has_the_bounds_of_the_package():
    text = (TOP / "pyproject.toml").read_text("utf-8")
    stated = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", text, re.MULTILINE)[1])
    python = re.search(r'^requires-python = ">=(.*)"$', text, re.MULTILINE)[1]
    recipe = (TOP / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    run = re.search(r"^  run:\n((?:    - .*\n)*)", recipe, re.MULTILINE)[1].split("    - ")[1:]
    found = {line.strip().replace(" ", "") for line in run}
    assert found == {*stated, "python>=${{python_min}}"}
    assert f'python_min: "{python}"' in recipe


def test_the_same_pythons_are_promised_looked_for_and_tried():
    promised = re.findall(r'Python :: (3\.\d+)"', (TOP / "pyproject.toml").read_text("utf-8"))
    assert re.search(r"for version in (.*); do", (TOP / ".ci" / "pythons").read_text("utf-8"))[1].split() == promised
    for name in ("tests", "wheels"):
        text = (TOP / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
        assert re.findall(r'"([^"]+)"', re.search(r"^ +python: \[(.*)\]$", text, re.MULTILINE)[1]) == promised, name
    assert f"Python {promised[0]} to {promised[-1]}" in (TOP / "CHANGELOG.md").read_text("utf-8")


def test_links_of_the_readme_become_addresses_and_pictures_lead_to_themselves():
    text = "![A dog](docs/a.png) and [b](docs/b.md#part), [c](https://c.org/d), [e](#f)"
    told = dist_program().with_addresses(text, "https://host/name/KIND/v1.0")
    assert told == (
        "![A dog](https://host/name/raw/v1.0/docs/a.png) and [b](https://host/name/blob/v1.0/docs/b.md#part), "
        "[c](https://c.org/d), [e](#f)"
    )
    readme = dist_program().with_addresses((TOP / "README.md").read_text("utf-8"), "https://host/name/KIND/v1.0")
    links = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert len(links) > 10
    assert all(link.startswith(("https:", "#")) for link in links)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Wheel and source archive, made by ``packaging/build.py``."""
    for tool in ("build", "twine"):
        pytest.importorskip(tool, reason=f"{tool} is not installed (extra dev)")
    if not (TOP / ".git").exists():
        pytest.skip("not a git checkout")
    place = tmp_path_factory.mktemp("files")
    done = subprocess.run(
        [sys.executable, str(TOP / "packaging" / "build.py"), str(place)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr  # twice the same bits, and twine has no complaint
    (wheel,), (archive,) = place.glob("*.whl"), place.glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def fresh(files, tmp_path_factory):
    """An environment with the wheel, where the README asks for more with its extra, and the variables of a user in it."""
    place = tmp_path_factory.mktemp("fresh")
    venv.create(place / "env", with_pip=True)
    programs = place / "env" / ("Scripts" if os.name == "nt" else "bin")
    try:
        example_robots()
        wheel = f"{files[0]}[robots]"
    except MissingExtraError:
        wheel = str(files[0])
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--only-binary=:all:", wheel]
    subprocess.run(install, check=True)
    left_out = ("PYTHON", "NUMBA", "PLUECKER", "CC", "CXX")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    environment["PATH"] = str(programs)  # no compiler, and no other Python
    assert not any(shutil.which(compiler, path=environment["PATH"]) for compiler in ("cc", "gcc", "clang", "cl"))
    return programs, {**environment, "NUMBA_CACHE_DIR": str(place / "cache")}


@everything
@compiled
def test_the_files_are_made_twice_with_the_same_bits(files):
    wheel, archive = files
    assert wheel.name == f"pluecker-{pluecker.__version__}-py3-none-any.whl"
    with tarfile.open(archive) as members:
        listed = members.getmembers()
    assert {(member.uid, member.gid, member.uname, member.gname) for member in listed} == {(0, 0, "", "")}
    assert len({member.mtime for member in listed}) == 1
    names = {member.name.partition("/")[2] for member in listed}
    assert {"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= names


@everything
@compiled
@pytest.mark.parametrize("number", [0, 1])
def test_an_example_of_the_readme_runs_where_only_the_wheel_is_installed(number, fresh, tmp_path):
    programs, environment = fresh
    example = python_blocks(TOP / "README.md")[number]
    if "find_robot" in example and "seven_joint_arm" not in example:
        try:
            example_robots()
        except MissingExtraError as missing:
            pytest.skip(str(missing))
    done = subprocess.run(
        [programs / "python", "-c", example], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert_told(example, done.stdout.splitlines())


@everything
@compiled
def test_the_command_is_installed_and_says_what_is(fresh, tmp_path):
    programs, environment = fresh
    told = {
        command: subprocess.run(
            [programs / "pluecker", *command.split()],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
        ).stdout
        for command in ("--version", "info", "info seven_joint_arm")
    }  # fmt: skip
    assert told["--version"] == f"pluecker {pluecker.__version__}\n"
    assert "without        plot, " in told["info"]
    assert "joint7" in told["info seven_joint_arm"]


PROGRAM = """\
import pluecker as pl
from pluecker.articulated import Trajectory

arm = pl.Model.from_urdf(pl.find_robot("seven_joint_arm"))
motion: Trajectory = pl.simulate(arm, pl.neutral(arm), [0.0] * arm.nv, 0.01, 0.001)
print(pl.show_config("dicts")["pluecker"])
pl.show_config(5)
arm.nothing
"""


@everything
@compiled
def test_the_types_are_known_where_only_the_wheel_is_installed(fresh, tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed (extra dev)")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--python-executable", str(fresh[0] / "python"), "program.py"]
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False).stdout
    errors = [line for line in told.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in errors] == ["7", "8"], told  # what is wrong there, and nothing else
    assert "call-overload" in errors[0]
    assert "attr-defined" in errors[1]
