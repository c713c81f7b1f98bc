"""The notebooks: each runs as it stands, its exercises can be solved, and mistakes are told from answers."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pluecker.teaching import Exercise, check_exercise

TOP = Path(__file__).resolve().parents[2]
FOLDER = TOP / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))

each_notebook = pytest.mark.parametrize("path", SOURCES, ids=[path.stem for path in SOURCES])
# A chapter of the spatial algebra alone, which compiles little. A kernel of Jupyter starts for each notebook that is run.
SHORT = ("02",)


def some_notebooks(others: list[pytest.MarkDecorator]) -> pytest.MarkDecorator:
    """The short ones, and with these marks all others."""
    cases = [pytest.param(x, id=x.stem, marks=[] if x.stem.startswith(SHORT) else others) for x in SOURCES]
    return pytest.mark.parametrize("path", cases)


some_are_run = some_notebooks([pytest.mark.everything])
# The exercises of all chapters are graded on each change, in plain Python.
some_are_graded = some_notebooks([pytest.mark.plain])


def test_there_are_notebooks():
    assert len(SOURCES) >= 1
    numbers = [path.name[:2] for path in SOURCES]
    assert len(set(numbers)) == len(numbers)


@pytest.fixture
def chapter(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    """The exercises and the solutions of a notebook, imported as the notebook imports them."""
    monkeypatch.syspath_prepend(str(FOLDER))
    name = f"chapter_{path.name[:2]}"
    yield importlib.import_module(f"exercises.{name}"), importlib.import_module(f"solutions.{name}")
    for module in [m for m in sys.modules if m.split(".")[0] in ("exercises", "solutions")]:
        del sys.modules[module]


def exercises_of(module: ModuleType) -> dict[str, Exercise]:
    """The exercises that a chapter has."""
    return {name: x for name, x in vars(module).items() if isinstance(x, Exercise)}


def graded_in(path: Path) -> list[tuple[str, str]]:
    """Return the names of the functions and of the exercises that a notebook grades."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    return [
        (call.args[0].id, call.args[1].attr)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "check_exercise"
        if isinstance(call.args[0], ast.Name) and isinstance(call.args[1], ast.Attribute)
    ]


# -------------------------------------------------------------------------------------------------------------- exercises


@each_notebook
def test_each_exercise_of_a_chapter_is_in_its_notebook_once(path, chapter):
    exercises, _ = chapter
    asked = [name for _, name in graded_in(path)]
    assert sorted(asked) == sorted(exercises_of(exercises))
    assert 2 <= len(asked) <= 6
    names = [x.name for x in exercises_of(exercises).values()]
    assert len(set(names)) == len(names)


@some_are_graded
def test_solutions_are_right(path, chapter, capsys):
    exercises, solutions = chapter
    for function, name in graded_in(path):
        grade = check_exercise(getattr(solutions, function), getattr(exercises, name))
        assert grade.passed, grade.message
    capsys.readouterr()


@some_are_graded
def test_mistakes_are_recognised_and_explained(path, chapter, capsys):
    exercises, _ = chapter
    for name, exercise in exercises_of(exercises).items():
        assert exercise.mistakes, name
        for mistake, explanation in exercise.mistakes:
            grade = check_exercise(mistake, exercise)
            assert grade.attempted, (name, explanation)
            assert not grade.passed, (name, explanation)
            assert explanation in grade.message, (name, explanation, grade.message)
    capsys.readouterr()


# -------------------------------------------------------------------------------------------------------------- notebooks


@pytest.mark.slow
@some_are_run
def test_a_notebook_runs_to_its_end_before_anything_is_solved(path, chapter):
    pytest.importorskip("nbclient", reason="it runs notebooks (extra notebooks)")
    from notebooks.make import execute

    notebook = execute(path)
    printed = "".join(x.text for cell in notebook.cells for x in cell.get("outputs", []) if x.output_type == "stream")
    exercises, _ = chapter
    for exercise in exercises_of(exercises).values():
        assert f"{exercise.name}: not written yet." in printed


@each_notebook
def test_what_is_committed_has_the_cells_of_the_source_and_its_outputs(path):
    jupytext = pytest.importorskip("jupytext", reason="it reads the sources (extra notebooks)")
    import nbformat

    result = path.with_suffix(".ipynb")
    assert result.stat().st_size < 1.5e6
    source, notebook = jupytext.read(path), nbformat.read(result, as_version=4)
    nbformat.validate(notebook)
    assert [(x.cell_type, x.source) for x in notebook.cells] == [(x.cell_type, x.source) for x in source.cells]
    outputs = [x for cell in notebook.cells for x in cell.get("outputs", [])]
    assert any("image/png" in x.get("data", {}) for x in outputs)
    assert all(x.output_type != "error" for x in outputs)
    assert all(x.get("name") != "stderr" for x in outputs)
    assert str(TOP) not in result.read_text("utf-8")


def test_no_notebook_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {path.stem for path in SOURCES}


# ------------------------------------------------------------------------------------------------- the page and its map

PAGE = (FOLDER / "README.md").read_text("utf-8")


def test_the_page_lists_the_notebooks_that_there_are():
    assert re.findall(r"^\| \d+ \| `(\w+)` \|", PAGE, re.MULTILINE) == [path.stem for path in SOURCES]


def test_the_example_for_teachers_recognises_the_mistake(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    promised = example.strip().rsplit("# False, and before it: ", 1)[1]
    assert printed[0].endswith(promised)
    assert printed[1] == "False"


def rows_of_the_map() -> list[list[str]]:
    """The cells of all rows of the tables of documents: place, what, notebook, library."""
    text = PAGE.split("## Where everything", 1)[1]
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if row[0] != "place" and not set(row[0]) <= set("-")]


def test_the_map_covers_all_five_documents():
    assert re.findall(r"^### Document (\d{3})", PAGE, re.MULTILINE) == ["000", "001", "002", "003", "004"]
    assert len(rows_of_the_map()) > 100
    for row in rows_of_the_map():
        assert len(row) == 4, row


# The exercises of the course by section: how many there are.
EXERCISES = {8: "A5", 17: "B3", 20: "A4", 27: "B3", 36: "A2", 43: "B2", 48: "A4", 53: "B4", 56: "C1"}


def places_of(document: str) -> list[str]:
    """The first cells of the rows of a document."""
    part = PAGE.split(f"### Document {document}", 1)[1].split("### ", 1)[0]
    rows = [line[1:].split("|")[0].strip() for line in part.splitlines() if line.startswith("|")]
    return [place for place in rows if place != "place" and not set(place) <= set("-")]


def numbers_in(place: str) -> set[int]:
    """All numbers that a place names: "1 to 3, 5"."""
    pairs = re.findall(r"(\d+)\)?(?: to \(?(\d+))?", place)
    return {number for first, last in pairs for number in range(int(first), int(last or first) + 1)}


def test_the_map_has_each_section_and_each_exercise_of_the_course():
    places = places_of("001")
    sections = {number for place in places for number in numbers_in(re.split(r", [a-z(]", place)[0])}
    assert sections == set(range(1, 59))
    exercises = {(n, e) for place in places for n, e in re.findall(r"^(\d+), exercise (\w\d)", place)}
    assert exercises == {(str(n), f"{e[0]}{k}") for n, e in EXERCISES.items() for k in range(1, int(e[1]) + 1)}
    for letter, last in (("A", 32), ("B", 7)):  # the formulas of sections 57 and 58
        found = [place.replace(f"({letter}", "(") for place in places if f"({letter}" in place]
        assert {n for place in found for n in numbers_in(place.split(", ", 1)[1])} == set(range(1, last + 1))


def test_the_map_has_each_numbered_formula_algorithm_and_figure_of_documents_002_and_003():
    places = places_of("002")
    formulas = [re.findall(r"\(\d+\)(?:\*)?(?: to \(\d+\))?", place) for place in places]
    assert {n for found in formulas for text in found for n in numbers_in(text)} == set(range(1, 29))
    assert {place for place in places if place.startswith("algorithm")} == {"algorithm 1", "algorithm 2"}
    assert {int(n) for place in places for n in re.findall(r"figure (\d)", place)} == set(range(1, 9))
    assert {n for place in places_of("003") for n in re.findall(r"\((\d)\)", place)} == {"1", "2"}


def test_the_map_leads_to_sections_of_notebooks_or_says_that_they_are_to_come():
    headings = {
        path.name[:2].lstrip("0"): set(re.findall(r"^# #+ (.*)$", path.read_text("utf-8"), re.MULTILINE))
        for path in SOURCES
    }
    for row in rows_of_the_map():
        for where in row[2].split("; "):
            number, _, section = where.partition(": ")
            if where.endswith(" (to come)"):
                assert where.removesuffix(" (to come)") not in headings, row
            else:
                assert section in headings[number], (row, headings[number])


def test_the_map_names_functions_that_exist():
    modules = [
        importlib.import_module(f"pluecker.{name}")
        for name in ("spatial", "course", "articulated", "contact", "teaching")
    ]
    for row in rows_of_the_map():
        for name in re.findall(r"`([^`]+)`", row[3]):
            assert any(found(module, name) for module in modules), (name, row)


def found(module: ModuleType, name: str) -> bool:
    """Return whether a module has that name, also a method of a class, or a function of one of its own modules."""
    thing: object = module
    for part in name.split("."):
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True
