"""The how-to pages: each block of Python runs, in its order, and prints what the page says it prints."""

import importlib.util
import re
import types
from pathlib import Path

import numpy as np
import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted((TOP / "docs" / "howto").glob("*.md"))
NEEDS = {
    "see_a_mechanism": ("matplotlib", "viser"),
    "simulate_a_robot": ("matplotlib",),
    "test_with_hypothesis": ("hypothesis",),
    "trajectories": ("h5py", "pandas", "xarray"),
}
SLOW = {"inverse_kinematics", "put_a_robot_on_the_ground"}  # minutes in plain Python: compiled only
# On each change where kernels are compiled: the others simulate and solve in ways that take most of a minute to compile.
SHORT = {
    *("inverse_dynamics_of_a_batch", "inverse_kinematics", "see_a_mechanism", "solve_again_and_again"),
    "test_with_hypothesis",
}


def marks(page):
    """When a page runs."""
    found = [pytest.mark.slow] if page.stem in SLOW else []
    if page.stem not in SHORT:
        found.append(pytest.mark.everything if page.stem in SLOW else pytest.mark.plain)
    return found


EACH = [pytest.param(page, id=page.stem, marks=marks(page)) for page in PAGES]


def python_blocks(page):
    """Return the blocks of Python of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def promises(block):
    """Return the comments behind ``print(...)``, one for each line."""
    return [
        line.split("# ", 1)[1] for line in block.splitlines() if line.lstrip().startswith("print(") and "# " in line
    ]


def run_page(path, folder, capsys):
    """Run all blocks as one module, each from a file, since Hypothesis reads the source of a test."""
    module = types.ModuleType("page")
    for number, block in enumerate(python_blocks(path)):
        file = folder / f"{path.stem}_{number}.py"
        file.write_text(block, encoding="utf-8")
        with np.printoptions(legacy=False):
            exec(compile(block, str(file), "exec"), module.__dict__)
        printed = capsys.readouterr().out.splitlines()
        yield block, printed


def test_there_are_how_to_pages():
    assert len(PAGES) >= 4


@pytest.mark.parametrize("path", EACH)
def test_a_page_runs_and_prints_what_it_says(path, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a page writes its files
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for name in NEEDS.get(path.stem, ()):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"the page needs {name}, which is not installed")
    blocks = 0
    for block, printed in run_page(path, tmp_path, capsys):
        blocks += 1
        assert_told(block, printed)
    assert blocks >= 3


def assert_told(block, printed):
    """Assert that comments say what was printed, line by line; after a comma or a colon they may go on in words."""
    expected = promises(block)
    assert len(printed) == len(expected), block
    wrong = [
        (promise, line)
        for promise, line in zip(expected, printed, strict=True)
        if promise != line and not promise.startswith((line + ",", line + ":"))
    ]
    assert wrong == []
