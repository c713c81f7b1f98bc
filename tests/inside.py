"""How often tests import the inside of the package: ``make lint`` counts, and the number may only fall.

What a test says through public names stays true when the inside is built anew. Each import statement counts once, also
where ``import_module`` or ``monkeypatch.setattr`` names a module in a string.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LIMIT = 91  # what there is; a smaller number is written here with the change that reaches it

PUBLIC = {
    "pluecker",
    "pluecker.articulated",
    "pluecker.articulated.conventions",
    "pluecker.articulated.robots",
    "pluecker.articulated.strategies",
    "pluecker.contact",
    "pluecker.contact.constraints",
    "pluecker.contact.geometry",
    "pluecker.course",
    "pluecker.course.planar",
    "pluecker.course.two_body",
    "pluecker.examples",
    "pluecker.examples.scenes",
    "pluecker.spatial",
    "pluecker.spatial.strategies",
    "pluecker.teaching",
}
NAMED_IN_STRINGS = ("import_module", "setattr")


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Modules of the package that a file imports, one for each statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if function in NAMED_IN_STRINGS and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def count_inside(folder: Path) -> Counter[str]:
    """Count the imports of what is not public, by file."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        for module in imported_modules(ast.parse(path.read_text(encoding="utf-8"))):
            if module.partition(".")[0] == "pluecker" and module not in PUBLIC:
                counts[str(path.relative_to(folder.parent))] += 1
    return counts


def main() -> int:
    counts = count_inside(Path(__file__).resolve().parent)
    total = counts.total()
    print(f"{total} imports of the inside of the package by {len(counts)} files of tests, {LIMIT} are allowed")
    if total > LIMIT:
        for name, count in counts.most_common():
            print(f"{count:4} {name}")
    elif total < LIMIT:
        print(f"Fewer than before: write LIMIT = {total} in {Path(__file__).name}.")
    return total != LIMIT


if __name__ == "__main__":
    sys.exit(main())
