"""The package as a whole: what the wheel holds, what a missing extra says, and that every example runs."""

import doctest
import importlib
import pkgutil
import re
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import pluecker.articulated
import pluecker.contact
import pluecker.course
import pluecker.examples
import pluecker.spatial
import pluecker.spatial.strategies
import pluecker.teaching
from pluecker.articulated import plot_mechanism, random_tree, view
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.conftest import COMPILED
from tests.docs.test_howto import assert_told, python_blocks
from tests.programs import printed_by

TOP = Path(__file__).resolve().parents[2]
SLIDING = pluecker.contact.Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])
PACKAGES = (pluecker.spatial, pluecker.course, pluecker.articulated, pluecker.contact, pluecker.examples)


def modules(package):
    """All modules of a package."""
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def wrong_modules():
    """List modules without a docstring, and those whose examples do not print what they say."""
    wrong = []
    for module in (pluecker.teaching, *(module for package in PACKAGES for module in modules(package))):
        with np.printoptions(legacy=False):
            result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
        if result.failed or not module.__doc__:
            wrong.append(module.__name__)
    return wrong


@pytest.mark.plain
def test_every_module_has_a_docstring_and_examples_that_run():
    assert wrong_modules() == []


def test_what_is_installed_has_every_folder_of_the_source():
    """An editable install has them all, listed or not; what pip makes has those of the list."""
    listed = re.findall(
        r'^  "(pluecker[\w.]*)",$', (TOP / "pyproject.toml").read_text().split("[tool.setuptools.dynamic]")[0], re.M
    )
    folders = {
        path.parent.relative_to(TOP)
        for name in ("spatial", "articulated", "contact", "examples")
        for path in (TOP / name).rglob("*.py")
    }
    assert {"pluecker." + ".".join(folder.parts) for folder in folders} <= set(listed)


def test_every_public_function_says_shapes_units_errors_and_source():
    from pluecker.articulated import Model as _  # noqa: F401
    from pluecker.articulated import __all__ as names

    without = ("derivative_of", "neutral", "random_configuration", "random_tree", "simulate")
    without += ("animate", "plot_energy", "plot_mechanism", "plot_trajectory", "view")  # of one motion at a time
    for name in names:
        thing = getattr(pluecker.articulated, name)
        assert thing.__doc__, name
        if callable(thing) and not isinstance(thing, type):
            for word in ("Args:", "Returns:", "(..."):
                assert word in thing.__doc__ or name in without, (name, word)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "number", "longest"),
    [
        ("README.md", 0, 15),
        ("README.md", 1, 15),
        pytest.param("docs/tour.md", 0, 15, marks=pytest.mark.everything),
        ("docs/tour.md", 1, 15),
        ("docs/tour.md", 3, 30),
        pytest.param("docs/tour.md", 4, 30, marks=pytest.mark.everything),
        ("docs/tour.md", 5, 30),
    ],
)
def test_an_example_of_the_first_pages_runs_and_prints_what_it_says(page, number, longest, capsys):
    example = python_blocks(TOP / page)[number]
    if "find_robot" in example and "seven_joint_arm" not in example:
        try:
            example_robots()
        except MissingExtraError as missing:
            pytest.skip(str(missing))
    assert len(example.strip().splitlines()) <= longest
    exec(compile(example, page, "exec"), {})
    assert_told(example, capsys.readouterr().out.splitlines())


def test_the_tour_shows_how_to_test_with_our_strategies(tmp_path):
    """The test is written to a file of its own, since Hypothesis reads the file that a test stands in."""
    pytest.importorskip("hypothesis")
    path = tmp_path / "test_robot.py"
    path.write_text(python_blocks(TOP / "docs" / "tour.md")[2])
    runpy.run_path(str(path))["test_my_robot_moves_as_it_should"]()


@pytest.mark.parametrize("name", ["frames", pytest.param("jump", marks=[pytest.mark.slow, pytest.mark.everything])])
def test_a_figure_of_the_pages_is_drawn_by_its_script(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="it draws (extra plot)")
    monkeypatch.setattr(sys, "argv", [f"{name}.py", str(tmp_path / "figure.png")])
    runpy.run_path(str(TOP / "docs" / f"{name}.py"), run_name="__main__")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_the_readme_names_only_targets_of_make_that_exist():
    text = (TOP / "README.md").read_text() + (TOP / "docs" / "install.md").read_text()
    targets = set(re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(), flags=re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)", text) + re.findall(r"^make ([a-z]+)", text, flags=re.MULTILINE)) <= targets


def test_the_page_on_installation_lists_every_extra_and_no_other():
    table = (TOP / "docs" / "install.md").read_text().partition("| extra |")[2].partition("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines()[2:]]
    listed = [name for cell in first for name in re.findall(r"\w+", cell)]
    text = (TOP / "pyproject.toml").read_text().partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    extras = re.findall(r"^(\w+) = \[", text, flags=re.MULTILINE)
    assert sorted(listed) == sorted({*extras} - {"all"})
    of_all = re.findall(r"\w+", re.search(r"^all = \[.*\[(.*)\]", text, flags=re.MULTILINE)[1])
    assert set(listed[: listed.index("view") + 1]) == set(of_all)  # as the page says of it


EXTRAS = ["matplotlib", "PIL", "trimesh", "viser", "hypothesis", "pinocchio", "mujoco", "tqdm"]


def test_neither_importing_nor_reading_a_robot_needs_the_extras():
    program = f"""import sys
from pluecker.articulated import Model, plot_mechanism, random_tree, view
from pluecker.articulated.robots import find_robot
import pluecker.contact, pluecker.course
Model.from_urdf(find_robot("seven_joint_arm"))
print([name for name in {EXTRAS} if name in sys.modules])"""
    assert printed_by(program, PYTHONWARNINGS="error") == "[]\n"


@pytest.mark.parametrize(
    ("module", "extra", "use"),
    [
        ("matplotlib.pyplot", "plot", lambda: plot_mechanism(random_tree(1, 0))),
        ("matplotlib.pyplot", "plot", lambda: pluecker.course.plot_field(np.ones(6))),
        ("viser", "view", lambda: view(random_tree(1, 0))),
        ("trimesh", "mesh", lambda: pluecker.spatial.shapes.mesh("box.stl", mass=1.0)),
        ("h5py", "fclib", lambda: pluecker.contact.read_fclib("problem.hdf5")),
        ("h5py", "fclib", lambda: pluecker.contact.write_fclib("problem.hdf5", SLIDING)),
        ("hypothesis.strategies", "testing", lambda: importlib.reload(pluecker.spatial.strategies)),
    ],
    ids=["plot_mechanism", "plot_field", "view", "mesh", "read_fclib", "write_fclib", "strategies"],
)
def test_a_missing_extra_is_named_in_one_line_by_what_needs_it(module, extra, use, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"^[^\n]*pip install 'pluecker\[{extra}\]'$"):
        use()


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="the wheel is the same in every lane")
def test_the_wheel_holds_the_three_packages_and_nothing_else(tmp_path):
    source = tmp_path / "source"
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    for name in listing.stdout.splitlines():
        if (TOP / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((TOP / name).read_bytes())
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"pluecker/{path.relative_to(source).as_posix()}"
        for package in ("spatial", "articulated", "contact", "examples")
        for path in (source / package).rglob("*")
        if path.suffix in (".py", ".urdf") or path.name == "py.typed"
    } | {f"pluecker/{path.relative_to(source / 'package').as_posix()}" for path in (source / "package").rglob("*.*")}
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == expected
    assert {name.split("/")[0] for name in names - inside} == {wheel.name.split("-py3")[0] + ".dist-info"}
