"""The package can be read: calls walk through few files, and no files import one another in a circle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conftest import COMPILED
from tests.crossed import calls, crossed

TOP = Path(__file__).resolve().parents[2]
PARTS = {
    "spatial": "spatial",
    "articulated": "articulated",
    "contact": "contact",
    "examples": "examples",
    "package": "",
}


def modules():
    """Return the path of each module of the package, by its name below ``pluecker``."""
    found = {}
    for part, prefix in PARTS.items():
        for path in (TOP / part).rglob("*.py"):
            names = [name for name in (prefix, *path.relative_to(TOP / part).with_suffix("").parts) if name]
            found[".".join(["pluecker", *(names[:-1] if names[-1] == "__init__" else names)])] = path
    return found


def imports(known):
    """Return which modules each module imports, wherever in the file, for types alone too."""
    found = {}
    for module, path in known.items():
        names = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                names |= {name for name in whole if name in known} or {node.module}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        found[module] = (names & set(known)) - {module}
    return found


def circles(graph):
    """Return the sets of modules that reach one another (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(module):
        number[module] = low[module] = len(number)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in number:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == number[module]:
            place = stack.index(module)
            component, stack[place:] = stack[place:], []
            if len(component) > 1:
                found.append(sorted(component))

    for module in sorted(graph):
        if module not in number:
            visit(module)
    return found


def test_files_import_one_another_in_no_circle():
    known = modules()
    assert len(known) > 100
    assert circles(imports(known)) == []


@pytest.mark.plain
@pytest.mark.skipif(COMPILED, reason="compiled code shows no files")
def test_calls_walk_through_few_files():
    for name, (call, most) in calls().items():
        files = crossed(call)
        assert 5 < len(files) <= most, (name, files)
