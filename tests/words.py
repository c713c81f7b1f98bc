"""First words of docstrings: ``python -m tests.words`` names those that begin with a riddle, and fails if there are any.

A docstring begins with a verb, or names the thing: "Cancel tasks that no worker has begun", not "What no worker has begun is
not done any more". Those that begin with :data:`RIDDLE` say neither.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PARTS = ("spatial", "articulated", "contact", "package", "examples", "benchmarks", "notebooks", "tests")
RIDDLE = re.compile(r"(What|Which|Whether|Who|Whose|Where|The same|Itself|As)\b")


def docstrings(file: Path) -> Iterator[tuple[int, str, str]]:
    """Line, name and text of each docstring of a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), getattr(node, "name", file.name), text


def riddles(top: Path = TOP) -> list[str]:
    """A line for each docstring that begins with one of :data:`RIDDLE`."""
    found = []
    for part in PARTS:
        for file in sorted((top / part).rglob("*.py")):
            for line, name, text in docstrings(file):
                first = text.split("\n")[0]
                if RIDDLE.match(first):
                    found.append(f"{file.relative_to(top)}:{line}: {name}: {first}")
    return found


if __name__ == "__main__":
    found = riddles(Path(sys.argv[1]) if len(sys.argv) > 1 else TOP)
    print("\n".join(found) or "docstrings begin with a verb, or name the thing")
    sys.exit(bool(found))
