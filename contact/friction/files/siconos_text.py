"""The words of a file of Siconos, and its matrices: dense, by sparse blocks, sparse. The formats: ``siconos.py``.

What a file says about sizes is believed only as far as it is long enough. Errors name the line, what came, and what was
expected.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from pluecker.contact.errors import FileError
from pluecker.contact.friction.files.hdf5 import file_error
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["STORAGES", "Text"]

INTEGER = re.compile(r"-?[0-9]{1,18}")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
SIZE_LINE = re.compile(r"\s*(triplet: )?(\d{1,18})-by-(\d{1,18}), nzmax: (\d{1,18}) nnz: (\d{1,18})(, 1-norm: \S+)?\s*")
COLUMN = re.compile(r"\s*col (\d{1,18}) : locations (\d{1,18}) to (-?\d{1,18})\s*")
TRIPLETS, COLUMNS, ROWS = 1, 2, 3


class Text:
    """The words of a file, one after the other; errors name the line.

    Raises:
        FileError: of every method, and of the constructor.
    """

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        try:
            text = content.decode("ascii")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise self.error(line, f"holds the byte {content[error.start]:#04x}, expected a text of numbers") from None
        self.text = text.split("\n")
        self.words: list[str] = []
        self.lines: list[int] = []
        for number, one in enumerate(self.text):
            found = one.split()
            self.words += found
            self.lines += [number] * len(found)
        self.next = 0

    def error(self, line: int, complaint: str) -> FileError:
        """Make the error of a line, counted from 1."""
        return file_error(self.path, f"line {line}", complaint)

    def complain(self, complaint: str, back: int = 0) -> FileError:
        """Make the error of the line of the next word, or of one that was read before it."""
        k = min(self.next - back, len(self.words) - 1)
        return self.error(self.lines[k] + 1 if self.words else 1, complaint)

    @property
    def rest(self) -> int:
        """Number of words that are left."""
        return len(self.words) - self.next

    def take(self, count: int, what: str) -> list[str]:
        """Read the next words."""
        if self.rest < count:
            raise self.error(
                len(self.text), f"the file ends after {self.rest} of {count} numbers of {what}: it is cut off"
            )
        self.next += count
        return self.words[self.next - count : self.next]

    def integers(self, count: int, what: str) -> Indices:
        """Read whole numbers."""
        words = self.take(count, what)
        for k, word in enumerate(words):
            if not INTEGER.fullmatch(word):
                raise self.complain(f"is {word[:40]!r} in {what}, expected a whole number", count - k)
        return np.array([int(word) for word in words], np.int64)

    def integer(self, what: str) -> int:
        """Read one whole number."""
        return int(self.integers(1, what)[0])

    def numbers(self, count: int, what: str) -> Array:
        """Read finite real numbers."""
        words = self.take(count, what)
        for k, word in enumerate(words):
            if not NUMBER.fullmatch(word) or not np.isfinite(float(word)):
                raise self.complain(f"is {word[:40]!r} in {what}, expected a finite number", count - k)
        return np.array([float(word) for word in words], np.float64)

    def line(self, what: str) -> str:
        """Read the next line that is not empty, as a whole."""
        if not self.rest:
            raise self.error(len(self.text), f"the file ends before {what}: it is cut off")
        number = self.lines[self.next]
        if self.next and self.lines[self.next - 1] == number:
            raise self.complain(f"has more numbers than expected before {what}")
        while self.rest and self.lines[self.next] == number:
            self.next += 1
        return self.text[number]


# ------------------------------------------------------------------------------------------------------------- matrices


def read_dense(text: Text, size: int) -> scipy.sparse.csr_matrix:
    """Read a matrix of storage 0, dense."""
    again = text.integers(2, "the sizes of the dense matrix").tolist()
    if again != [size, size]:
        raise text.complain(f"the dense matrix is {again[0]} by {again[1]}, expected {size} by {size} as before", 1)
    return scipy.sparse.csr_matrix(text.numbers(size * size, "the matrix").reshape((size, size), order="F"))


def ends_of(text: Text, count: int, size: int, what: str) -> Indices:
    """Read where blocks end; return where they begin and end, from 0, ascending to ``size``."""
    ends = text.integers(count, f"the ends of the block {what}")
    starts = np.concatenate([[0], ends])
    if (np.diff(starts) <= 0).any() or starts[-1] != size:
        raise text.complain(f"the block {what} end at {ends.tolist()!s:.60}, expected numbers that ascend to {size}", 1)
    return starts


def read_blocks(text: Text, size: int) -> scipy.sparse.csr_matrix:
    """Read a matrix of storage 1, by sparse blocks."""
    blocks = text.integer("the number of blocks")
    if blocks == 0:
        return scipy.sparse.csr_matrix((size, size))
    high, wide = text.integer("the number of block rows"), text.integer("the number of block columns")
    if not (0 < blocks <= text.rest and 0 < high <= size and 0 < wide <= size):
        raise text.complain(
            f"there cannot be {blocks} blocks in {high} by {wide}, in {size} rows and {text.rest} words", 1
        )
    tops, lefts = ends_of(text, high, size, "rows"), ends_of(text, wide, size, "columns")
    pointers, count = text.integer("the number of pointers"), text.integer("the number of columns")
    if not (1 <= pointers <= high + 1 and count == blocks):
        raise text.complain(
            f"there are {pointers} pointers and {count} columns, expected up to {high + 1} pointers, and {blocks} columns",
            1,
        )
    first, column = text.integers(pointers, "the pointers"), text.integers(count, "the columns of blocks")
    if first[0] != 0 or (np.diff(first) < 0).any() or first[-1] != blocks:
        raise text.complain(
            f"the pointers are {first.tolist()!s:.60}, expected numbers that ascend from 0 to {blocks}", 1
        )
    if (column < 0).any() or (column >= wide).any():
        raise text.complain(f"a block is in column {column[(column < 0) | (column >= wide)][0]}, there are {wide}", 1)
    row = np.repeat(np.arange(len(first) - 1), np.diff(first))
    if len(np.unique(row * wide + column)) < blocks:
        raise text.complain("two blocks are in the same row and column", 1)
    rows, columns, values = [], [], []
    for k in range(blocks):
        if (named := text.integer("the number of a block")) != k:
            raise text.complain(f"block {named} follows, expected block {k}", 1)
        a, b = np.arange(tops[row[k]], tops[row[k] + 1]), np.arange(lefts[column[k]], lefts[column[k] + 1])
        values.append(text.numbers(len(a) * len(b), f"block {k}"))
        rows.append(np.tile(a, len(b)))
        columns.append(np.repeat(b, len(a)))
    places = np.concatenate(rows), np.concatenate(columns)
    return scipy.sparse.csr_matrix((np.concatenate(values), places), shape=(size, size))


def read_sparse(text: Text, size: int) -> scipy.sparse.csr_matrix:
    """Read a matrix of storage 2, sparse."""
    kind = 0
    if text.rest and text.words[text.next] != "CSparse":  # earlier versions do not name it
        kind = text.integer("the kind of the sparse matrix")
        if kind not in (TRIPLETS, COLUMNS, ROWS):
            raise text.complain(f"the kind of the sparse matrix is {kind}, expected 1, 2 or 3", 1)
    if not text.line("CSparse's version").split()[0] == "CSparse":
        raise text.complain("is no print-out of CSparse, expected its version", 1)
    found = SIZE_LINE.fullmatch(text.line("the sizes of the sparse matrix"))
    if found is None or (kind and (kind == TRIPLETS) != bool(found[1])):
        raise text.complain("has no sizes of a sparse matrix, expected 'N-by-N, nzmax: N nnz: N' of its kind", 1)
    m, n, _, entries = (int(found[k]) for k in range(2, 6))
    if (m, n) != (size, size) or entries > text.rest:
        raise text.complain(f"the sparse matrix is {m} by {n} of {entries} entries, expected {size} by {size}", 1)
    line, place = np.zeros(entries, np.int64), np.zeros(entries, np.int64)
    x = np.zeros(entries)
    if found[1]:
        for k in range(entries):
            line[k], place[k] = text.integers(2, "the place of an entry")
            x[k] = entry(text)
    else:
        begin = 0
        for j in range(size):
            head = COLUMN.fullmatch(text.line(f"column {j}"))
            if head is None or int(head[1]) != j or int(head[2]) != begin or not begin - 1 <= int(head[3]) < entries:
                raise text.complain(f"expected 'col {j} : locations {begin} to ...', up to {entries - 1}", 1)
            end = int(head[3]) + 1
            for k in range(begin, end):
                place[k], line[k] = j, text.integer("the place of an entry")
                x[k] = entry(text)
            begin = end
        if begin != entries:
            raise text.complain(f"the columns have {begin} entries, expected {entries}", 1)
    if (np.minimum(line, place) < 0).any() or (np.maximum(line, place) >= size).any():
        raise text.complain(f"an entry is at a place that a matrix of {size} rows has not", 1)
    places = (place, line) if kind == ROWS else (line, place)
    return scipy.sparse.csr_matrix((x, places), shape=(size, size))


def entry(text: Text) -> float:
    """Read an entry, ``: x``."""
    if text.take(1, "the matrix")[0] != ":":
        raise text.complain(f"is {text.words[text.next - 1][:40]!r} between place and number, expected ':'", 1)
    return float(text.numbers(1, "the matrix")[0])


STORAGES = (read_dense, read_blocks, read_sparse)
