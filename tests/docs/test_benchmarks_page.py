"""The page of benchmarks: every result has a line in its index."""

import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_each_result_is_in_the_index_once():
    text = (TOP / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(\.\./(benchmarks/results/[\w/]+\.md)\)", text)
    results = [path.relative_to(TOP).as_posix() for path in (TOP / "benchmarks" / "results").rglob("*.md")]
    assert sorted(linked) == sorted(results)
