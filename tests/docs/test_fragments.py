"""Code on pages, without running it: names, arguments and options exist, in blocks, between backticks and in commands.

Blocks run elsewhere: those of the README and the tour in ``tests/package/test_package.py``, of the how-to pages in
``test_howto.py``, of "coming from ..." in ``test_coming_from.py``; some of them only in ``make everything``. What is here
sees on each change that a name has gone, or an argument.
"""

import argparse
import ast
import builtins
import dataclasses
import importlib
import importlib.util
import inspect
import re
import shlex
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
UNKNOWN = object()  # what a page makes itself, or another library has


class Missing(Exception):
    """A name that does not exist."""


@dataclasses.dataclass(frozen=True)
class Instance:
    """Some object of a class."""

    of: type


@cache
def public():
    """All that is public, by name: several packages may have one."""
    things = {}
    for module in map(found, MODULES):
        for name in module.__all__:
            things.setdefault(name, []).append(getattr(module, name))
    return things


@cache
def public_classes():
    return {thing for things in public().values() for thing in things if isinstance(thing, type)}


@cache
def all_arguments():
    """The names of the arguments of everything public, methods and fields of records among them."""
    things = [thing for several in public().values() for thing in several]
    things += [getattr(each, name) for each in public_classes() for name in dir(each) if not name.startswith("_")]
    arguments = set()
    for thing in filter(callable, things):
        try:
            arguments |= set(inspect.signature(thing).parameters)
        except ValueError:
            continue  # of what is made in C
    return arguments


def has(owner, name):
    return hasattr(owner, name) or name in getattr(owner, "__dataclass_fields__", {})


def members(owner, name):
    """Return the attributes that an object, or some object of a class, has under a name."""
    if owner is UNKNOWN:
        return [UNKNOWN]
    if not isinstance(owner, Instance):
        if not has(owner, name):
            raise Missing(name)
        return [getattr(owner, name, UNKNOWN)]
    if not has(owner.of, name):
        raise Missing(f"{owner.of.__name__}.{name}")
    static = inspect.getattr_static(owner.of, name, None)
    if not inspect.isfunction(static):
        return [getattr(owner.of, name) if isinstance(static, (classmethod, staticmethod)) else UNKNOWN]
    return [static.__get__(object.__new__(type("Some", (), {})))]  # without self


def looked_up(node, names):
    """Return the objects that an expression may mean, by names of the page or public names."""
    if isinstance(node, ast.Attribute):
        return [each for owner in looked_up(node.value, names) for each in members(owner, node.attr)]
    if isinstance(node, ast.Call):
        found = looked_up(node.func, names)
        return [Instance(each) if isinstance(each, type) and each in public_classes() else UNKNOWN for each in found]
    if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
        return [UNKNOWN]
    if node.id in names:
        return [names[node.id]]
    if node.id in public():
        return public()[node.id]
    raise Missing(node.id)


def fits(function, call, shorthand):
    """Return whether a function takes these arguments; in shorthand some are left out."""
    if function is UNKNOWN or not callable(function) or isinstance(function, Instance):
        return function is UNKNOWN
    if isinstance(function, type) and function not in public_classes():
        return True
    given = [each for each in call.args if not (isinstance(each, ast.Constant) and each.value is ...)]
    whole = len(given) == len(call.args) and not any(isinstance(each, ast.Starred) for each in given)
    named = {each.arg: None for each in call.keywords if each.arg is not None}
    signature = inspect.signature(function)
    complete = whole and len(named) == len(call.keywords) and not shorthand
    try:
        (signature.bind if complete else signature.bind_partial)(*(given if whole else ()), **named)
    except TypeError:
        return False
    return True


def names_of(page):
    """Return the names that the blocks of a page import, and those they assign; objects of our classes as their class."""
    names = {"pluecker": importlib.import_module("pluecker")}
    for block in python_blocks(page.read_text(encoding="utf-8")):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= imported(node)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.arg)):
                names[node.arg if isinstance(node, ast.arg) else node.name] = UNKNOWN
            elif isinstance(node, ast.ExceptHandler):
                names[node.name] = UNKNOWN
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.setdefault(node.id, UNKNOWN)
    return names


def imported(node):
    """The names of an import; what is not installed is not known. A name of ours that is not there is missing."""
    module = getattr(node, "module", None)
    found = {}
    for each in node.names:
        path = module or each.name
        if importlib.util.find_spec(path.partition(".")[0]) is None:
            thing = UNKNOWN
        elif module is None:
            thing = importlib.import_module(path if each.asname else path.partition(".")[0])
        else:
            owner = importlib.import_module(module)
            if not hasattr(owner, each.name) and not importlib.util.find_spec(f"{module}.{each.name}"):
                raise Missing(f"{module}.{each.name}")
            thing = getattr(owner, each.name, None) or importlib.import_module(f"{module}.{each.name}")
        found[each.asname or each.name.partition(".")[0]] = thing if ours(thing) else UNKNOWN
    return found


def ours(thing):
    name = thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", "") or ""
    return name.partition(".")[0] == "pluecker"


def wrong_calls(block, names):
    """Calls in a block whose function is not there, or takes other arguments; names get what the block makes."""
    for statement in ast.parse(block).body:
        for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
            try:
                found = looked_up(call.func, names)
            except Missing as name:
                yield f"there is no {name}: {ast.unparse(call)}"
            else:
                if not any(fits(each, call, shorthand=False) for each in found):
                    yield f"other arguments: {ast.unparse(call)}"
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                (names[statement.targets[0].id],) = looked_up(statement.value, names)
            except (Missing, ValueError):
                names[statement.targets[0].id] = UNKNOWN


def fragments(page):
    """Yield all text between backticks, blocks aside."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for double, single in re.findall(r"``([^`]+)``|`([^`]+)`", text):
        yield " ".join((double or single).split())


def wrong_with(fragment, names):
    """Return the error of code in a sentence: a call, an argument, or a dotted name; None of all else."""
    if re.fullmatch(r"[a-z_]+=.*", fragment) and "(" not in fragment.partition("=")[0]:
        name, _, value = fragment.partition("=")
        if name in OTHERS or name in all_arguments():
            return wrong_with(value, names) if value.endswith(")") else None
        return f"no function has the argument {name}"
    try:
        node = ast.parse(fragment.removeprefix("."), mode="eval").body
    except SyntaxError:
        return None  # a formula, a command, a file
    if isinstance(node, ast.Call):
        inner = [wrong_with(ast.unparse(each), names) for each in node.args if isinstance(each, ast.Call)]
        return next(filter(None, inner), None) or wrong_call(node, names)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        root = node.value.id
        known = public_classes() & {*public().get(root, ()), names.get(root)} if root in {*public(), *names} else ()
        if root == "pluecker" or known:
            try:
                looked_up(node, names)
            except Missing as name:
                return None if fragment in OTHERS else f"there is no {name}"
    return None


def wrong_call(call, names):
    """Return the error of a call: some arguments may be left out, and of a method its object."""
    try:
        things = looked_up(call.func, names)
    except Missing:
        things = [UNKNOWN]
    if things == [UNKNOWN]:
        last = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        owners = [owner for owner in public_classes() if has(owner, last)]
        things = [each for owner in owners for each in members(Instance(owner), last)]
        if not things:
            known = last in OTHERS or last in names or hasattr(builtins, last)
            return None if known or isinstance(call.func, ast.Attribute) else f"there is no {last}"
    return None if any(fits(each, call, shorthand=True) for each in things) else "it takes other arguments"


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
    names = names_of(page)
    blocks = python_blocks(page.read_text(encoding="utf-8"))
    assert [wrong for block in blocks for wrong in wrong_calls(block, names)] == []


@pytest.mark.parametrize("page", [page for page in EACH if page.name not in FORMULAS], ids=lambda page: page.stem)
def test_names_and_arguments_between_backticks_exist(page):
    names = names_of(page)
    for block in python_blocks(page.read_text(encoding="utf-8")):
        list(wrong_calls(block, names))  # of what classes the page's own names are
    wrong = {fragment: wrong_with(fragment, names) for fragment in fragments(page)}
    assert {fragment: why for fragment, why in wrong.items() if why} == {}


@pytest.mark.parametrize(
    ("fragment", "why"),
    [
        ("Control(stand, lower=-40.0)", "it takes other arguments"),
        ("world.step(q, v, 1e-3, tua=tau)", "it takes other arguments"),
        ("limits=JointLimits(restitutionn=0.5)", "it takes other arguments"),
        ("animat(motion)", "there is no animat"),
        ("World.clos", "there is no clos"),
        ("treads=1", "no function has the argument treads"),
        ("Collider(..., groups='arm')", None),
        ("world.determined(q)", None),
        ("threads=1", None),
        ("u = N r + b", None),
    ],
)
def test_a_name_that_is_not_there_is_found(fragment, why):
    assert wrong_with(fragment, {}) == why


def test_every_block_is_in_a_language_that_a_test_reads():
    known = {"python", "sh", "text", "", "{include}", "{toctree}"}
    languages = {
        page.name: set(re.findall(r"^```(\S*)", page.read_text(), flags=re.MULTILINE)) - known for page in EACH
    }
    assert {page: found for page, found in languages.items() if found} == {}
    with_python = {page for page in EACH if python_blocks(page.read_text(encoding="utf-8"))}
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
    for needed in ("yourdfpy", "matplotlib", "viser"):
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
