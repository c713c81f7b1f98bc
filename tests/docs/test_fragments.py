"""Code on pages, without running it: names, arguments and options exist, in blocks, between backticks and in commands.

Blocks run elsewhere: those of the README and the tour in ``tests/package/test_package.py``, of the how-to pages in
``test_howto.py``, of "coming from ..." in ``test_coming_from.py``; some of them only in ``make everything``. What is here
sees on each change that a name has gone, or an argument.
"""

import argparse
import ast
import builtins
import contextlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import shlex
from collections import defaultdict
from concurrent.futures import Executor
from functools import cache

import numpy as np
import pytest

from pluecker.articulated import Model, Trajectory
from tests.command import main
from tests.docs.test_docs import PACKAGES, PARTS, found
from tests.docs.test_howto import PAGES, TOP, python_blocks

FORMULAS = {"glossary.md", "sources.md"}  # between backticks they have symbols of the book
EACH = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md")), *PAGES]
MODULES = (*PACKAGES, *PARTS, "pluecker.contact.constraints", "pluecker.contact.geometry")
OTHERS = {"plux": "spatial_v2", "flg_local": "MuJoCo", "mimic": "Pinocchio", "atol": "NumPy", "deadline": "Hypothesis"}
OTHERS["Model.addJoint"] = "Pinocchio"

# Methods that strings, tables, arrays, generators and pools have too
COMMON = {name for kind in (str, dict, np.ndarray, np.random.Generator, Executor) for name in dir(kind)}


@cache
def public():
    """All that is public, and the methods and fields of public classes, by name: several may have one."""
    things = defaultdict(list)
    for module in map(found, MODULES):
        for name in module.__all__:
            things[name].append(getattr(module, name))
    for owner in {each for several in list(things.values()) for each in several if isinstance(each, type)}:
        for name in {*dir(owner), *getattr(owner, "__dataclass_fields__", {})}:
            method = inspect.getattr_static(owner, name, None)
            # of some object: without self
            some = method.__get__(object.__new__(type("Some", (), {}))) if inspect.isfunction(method) else None
            things[f".{name}"].append(some or getattr(owner, name, None))
    return things


@cache
def all_arguments():
    """The names of the arguments of everything public."""
    arguments = set()
    for thing in filter(callable, (each for several in public().values() for each in several)):
        with contextlib.suppress(ValueError):  # of what is made in C
            arguments |= set(inspect.signature(thing).parameters)
    return arguments


def fits(function, call):
    """Return whether a function takes these arguments, all that have no default if the call has no dots."""
    if not callable(function):
        return False
    given = [each for each in call.args if not (isinstance(each, ast.Constant) and each.value is ...)]
    named = {each.arg: None for each in call.keywords if each.arg is not None}
    whole = len(given) == len(call.args) and not any(isinstance(each, ast.Starred) for each in given)
    try:
        inspect.signature(function).bind_partial(*(given if whole else ()), **named)
    except (TypeError, ValueError):
        return False
    return True


def wrong_call(call, imported=()):
    """Return what is wrong with a call of something public, by its name or by that of a method; None of all else."""
    name = call.func
    root = name
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if isinstance(root, ast.Name) and root.id in imported and not ours(imported[root.id]):
        return None  # of NumPy and others
    key = f".{name.attr}" if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    things = public().get(key, []) + (public().get(key[1:], []) if key.startswith(".") else [])
    things = [imported[key]] if key in imported else things
    known = things and key[1:] not in COMMON
    return None if not known or any(fits(each, call) for each in things) else "it takes other arguments"


def ours(thing):
    name = thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", "") or ""
    return name.partition(".")[0] == "pluecker"


def imports_of(blocks):
    """Return what the blocks of a page import, by name; None for what is not installed."""
    names = {}
    for node in (node for block in blocks for node in ast.walk(ast.parse(block))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for each in node.names:
                path = f"{node.module}.{each.name}" if isinstance(node, ast.ImportFrom) else each.name
                there = importlib.util.find_spec(path.partition(".")[0]) is not None
                whole = isinstance(node, ast.ImportFrom) or each.asname
                names[each.asname or each.name.partition(".")[0]] = (
                    pkgutil.resolve_name(path if whole else path.partition(".")[0]) if there else None
                )
    return names


def fragments(page):
    """Yield all text between backticks, blocks aside."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for double, single in re.findall(r"``([^`]+)``|`([^`]+)`", text):
        yield " ".join((double or single).split())


def wrong_with(fragment):
    """Return the error of code in a sentence: a call, an argument, or a dotted name; None of all else."""
    if re.fullmatch(r"[a-z_]+=.*", fragment) and "(" not in fragment.partition("=")[0]:
        name, _, value = fragment.partition("=")
        known = name in OTHERS or name in all_arguments()
        return (wrong_with(value) if value.endswith(")") else None) if known else f"no function has the argument {name}"
    try:
        node = ast.parse(fragment.removeprefix("."), mode="eval").body
    except SyntaxError:
        return None  # a formula, a command, a file
    if isinstance(node, ast.Call):
        wrong = [wrong_call(each) for each in ast.walk(node) if isinstance(each, ast.Call)]
        last = getattr(node.func, "id", None)
        if last and last not in public() and f".{last}" not in public() and not hasattr(builtins, last):
            wrong.append(None if last in OTHERS else f"there is no {last}")
        return next(filter(None, wrong), None)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and fragment not in OTHERS:
        owners = [each for each in public().get(node.value.id, ()) if isinstance(each, type) or inspect.ismodule(each)]
        owners += [importlib.import_module("pluecker")] if node.value.id == "pluecker" else []
        fields = [getattr(each, "__dataclass_fields__", {}) for each in owners]
        if owners and not any(
            hasattr(each, node.attr) or node.attr in own for each, own in zip(owners, fields, strict=True)
        ):
            return f"there is no {node.attr}"
    return None


def commands():
    """Yield each command ``pluecker`` on a page, without comments, with the page's name."""
    for page in EACH:
        text = page.read_text(encoding="utf-8")
        lines = [line for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL) for line in block.splitlines()]
        for line in (*lines, *fragments(page)):
            if line.startswith("pluecker "):
                yield page.stem, tuple(shlex.split(line, comments=True)[1:])


@pytest.mark.parametrize("page", EACH, ids=lambda page: page.stem)
def test_names_and_arguments_in_blocks_exist(page):
    blocks = python_blocks(page)
    imported = imports_of(blocks)
    own = {node.name for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.FunctionDef)}
    calls = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    wrong = {ast.unparse(call): wrong_call(call, imported) for call in calls if getattr(call.func, "id", "") not in own}
    assert {call: why for call, why in wrong.items() if why} == {}


@pytest.mark.parametrize("page", [page for page in EACH if page.name not in FORMULAS], ids=lambda page: page.stem)
def test_names_and_arguments_between_backticks_exist(page):
    wrong = {fragment: wrong_with(fragment) for fragment in fragments(page)}
    assert {fragment: why for fragment, why in wrong.items() if why} == {}


def test_a_name_that_is_not_there_is_found():
    for fragment, why in (
        ("Control(stand, lower=-40.0)", "it takes other arguments"),
        ("world.step(q, v, 1e-3, tua=tau)", "it takes other arguments"),
        ("limits=JointLimits(restitutionn=0.5)", "it takes other arguments"),
        ("animat(motion)", "there is no animat"),
        ("World.clos", "there is no clos"),
        ("treads=1", "no function has the argument treads"),
        ("Collider(..., groups='arm')", None),
        ("u = N r + b", None),
    ):
        assert wrong_with(fragment) == why


def test_every_block_is_in_a_language_that_a_test_reads():
    known = {"python", "sh", "text", "", "{include}", "{toctree}"}
    languages = {
        page.name: set(re.findall(r"^```(\S*)", page.read_text(), flags=re.MULTILINE)) - known for page in EACH
    }
    assert {page: found for page, found in languages.items() if found} == {}
    with_python = {page for page in EACH if python_blocks(page)}
    assert with_python - set(PAGES) == {
        TOP / "README.md",
        TOP / "docs" / "tour.md",
        TOP / "docs" / "coming_from.md",
    }  # which have their own tests


def test_files_that_pages_name_exist():
    tops = {path.name for path in TOP.iterdir()} - {"build"}
    named = {(page.name, fragment) for page in EACH for fragment in fragments(page)}
    paths = {(page, path) for page, path in named if re.fullmatch(r"[\w.-]+(/[\w.-]*)+", path)}
    chosen = {(page, path) for page, path in paths if path.partition("/")[0] in tops}
    assert len(chosen) > 100
    assert {(page, path) for page, path in chosen if not (TOP / path).exists()} == set()


@pytest.mark.parametrize(("page", "command"), list(dict.fromkeys(commands())))
def test_a_command_has_the_options_that_a_page_gives_it(page, command, monkeypatch):
    parse = argparse.ArgumentParser.parse_args

    def only_parsed(self, *arguments):
        options = parse(self, *arguments)
        options.run = "operator:not_"  # of options: False, which is 0
        return options

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_parsed)
    try:
        code = main(list(command))
    except SystemExit as ended:  # of --help
        code = ended.code
    assert code == 0


ROBOT = """<robot name="two"><link name="base"/>{}</robot>"""
LINK = """<link name="{0}"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
<inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{0}_pin" type="revolute"><parent link="{1}"/><child link="{0}"/><axis xyz="0 1 0"/><origin xyz="0 0 -0.3"/>
<limit lower="-2" upper="2" effort="50" velocity="10"/></joint>"""
CONSTRAINTS = "[motor.drive]\nof = 'lower_pin'\nspeed = 1.0\nforce = 5.0\n"


def commands_of(stem):
    return [list(command) for page, command in commands() if page == stem]


@pytest.mark.slow
@pytest.mark.everything
@pytest.mark.parametrize("name", ["demo", "contact"])
def test_a_demonstration_and_scenes_of_the_tour_run(name, tmp_path, monkeypatch):
    pytest.importorskip("pinocchio", reason="robots by name come with the extra peers")
    monkeypatch.chdir(tmp_path)
    chosen = [each for each in commands_of("tour") if each[0] == name and len(each) > 2]
    assert chosen
    assert [main(each) for each in chosen] == [0] * len(chosen)


@pytest.mark.slow
def test_the_commands_of_the_tour_run(tmp_path, monkeypatch, capsys):
    """One after the other in one folder; what would compile for minutes, and a server, are left out."""
    for needed in ("matplotlib", "viser"):
        pytest.importorskip(needed, reason=f"the commands need {needed}, which is not installed")
    monkeypatch.chdir(tmp_path)
    robot = ROBOT.format(LINK.format("upper", "base") + LINK.format("lower", "upper"))
    (tmp_path / "robot.urdf").write_text(robot)
    (tmp_path / "loops.toml").write_text(CONSTRAINTS)
    time = np.linspace(0.0, 1.0, 21)
    Trajectory(time, np.sin(np.outer(time, [1.0, 2.0]))).save("motion.csv", Model.from_urdf(robot))
    ran = []
    for command in commands_of("tour"):
        if command[0] == "view":
            command += ["--html", "page.html"]
        if "robot.urdf" in command and len(command) > 1:
            force = ["--force"] if "-o" in command else []
            assert main(command + force) == 0, (command, capsys.readouterr().err)
            ran.append(command[0])
    assert ran == ["info", "inverse", "forward", "simulate", "simulate", "view"]
    assert {path.name for path in tmp_path.iterdir()} >= {"torques.csv", "torques.png", "motion.png", "page.html"}
