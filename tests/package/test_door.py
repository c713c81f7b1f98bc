"""One door: ``import pluecker`` has what programs begin with, the very things that the packages have."""

import ast
import importlib
import inspect
from operator import attrgetter
from pathlib import Path

import pytest

import pluecker
from tests.programs import printed_by

PACKAGES = ("spatial", "spatial.shapes", "course", "course.planar", "course.two_body", "articulated", "contact")
PACKAGES += ("contact.constraints", "contact.geometry")


def declared():
    """Find what the file declares for type checkers: the module of each name."""
    found = {}
    for node in ast.walk(ast.parse(Path(pluecker.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.If):
            for each in node.body:
                if isinstance(each, ast.ImportFrom):
                    found |= {alias.name: each.module for alias in each.names}
    return found


def test_names_are_those_that_are_declared_for_type_checkers():
    assert {*declared(), "__version__"} == set(pluecker.__all__)
    for name, module in declared().items():
        home = importlib.import_module(module)
        expected = importlib.import_module(f"{module}.{name}") if module == "pluecker" else getattr(home, name)
        assert getattr(pluecker, name) is expected, name


def test_the_list_of_names_has_no_others():
    public = {name for name in dir(pluecker) if not name.startswith("__")}
    assert public == set(pluecker.__all__) - {"__version__"}


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'pluecker' has no attribute 'Modle'"):
        pluecker.Modle  # noqa: B018


def test_importing_imports_nothing_else_until_a_name_is_looked_at():
    names = printed_by("import sys, pluecker; print(*sys.modules)").split()
    loaded = {name for name in names if name.partition(".")[0] in ("pluecker", "numpy", "numba", "scipy")}
    assert loaded == {"pluecker"}


def test_the_packages_import_no_part_of_scipy():
    """Sparse matrices, splines and optimisation are imported by who needs them: they take a fifth of a second"""
    program = "import sys, pluecker.contact; print(*sys.modules)"
    parts = {"scipy.sparse", "scipy.linalg", "scipy.optimize", "scipy.interpolate", "scipy.spatial", "scipy.special"}
    assert not parts & set(printed_by(program).split())


def test_one_name_is_one_thing_and_one_thing_has_one_name():
    named, things = {}, {}
    for package in PACKAGES:
        module = attrgetter(package)(pluecker)
        for name in module.__all__:
            thing = getattr(module, name)
            named.setdefault(name, []).append(package)
            if callable(thing) or inspect.ismodule(thing):
                things.setdefault(id(thing), set()).add(name)
    assert {name: where for name, where in named.items() if len(where) > 1} == {}
    assert [names for names in things.values() if len(names) > 1] == []
