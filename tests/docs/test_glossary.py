"""The glossary: tables of one form, a unit for each symbol, Chinese terms with the document that has them."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
HEADER = ["symbol", "name", "meaning", "unit", "Chinese (document)", "in"]
TERM = re.compile(
    r"(?:Pl.cker )?[\u4e00-\u9fff\-]+(?:, (?:Pl.cker )?[\u4e00-\u9fff\-]+)* \(00[0-4](?:(?:, | to )00[0-4])*\)"
)


def rows():
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def test_all_tables_have_the_same_columns():
    assert {len(cells) for cells in rows()} == {len(HEADER)}
    assert sum(cells == HEADER for cells in rows()) >= 10


def test_each_line_has_a_name_a_unit_and_a_place():
    for symbol, name, _, unit, chinese, place in rows():
        assert name, symbol
        assert unit, name
        assert chinese, name
        assert place, name


def test_each_chinese_term_says_in_which_document_it_stands():
    terms = [cells[4] for cells in rows() if cells != HEADER and cells[4] != "-"]
    assert len(terms) > 50
    for cell in terms:
        rest = TERM.sub("", cell).replace(",", "").strip()
        assert rest == "", cell
