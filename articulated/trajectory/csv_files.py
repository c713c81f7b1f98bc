"""Trajectories as tables of text: CSV with a header.

Columns, in any order:

- ``time`` in s, rising;
- ``q:NAME``, ``v:NAME``, ``a:NAME``, ``tau:NAME`` for each coordinate, with the names of ``model.q_names`` and
  ``model.v_names``. A bare ``NAME`` is a position where positions are asked for, and a torque where torques are;
- ``column:NAME`` for what else was recorded, ``column:NAME[i]`` or ``column:NAME[i,j]`` for each entry of arrays.

Text is UTF-8.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.trajectory.samples import COLUMNS, PARTS, Samples, TrajectoryError, names_of
from pluecker.spatial.errors import shown
from pluecker.spatial.files import LARGEST_FILE, open_file

__all__ = ["check_table", "csv_lines", "read_csv", "write_to_standard_output"]

Array = NDArray[np.float64]
LONGEST_LINE = 2**24  # characters: half a million columns. A device that never ends a line is refused here.
PREFIX = "column:"
ENTRY = re.compile(r"(.+)\[(\d+(?:,\d+)*)\]")


def read_csv(path: Path, model: Model, bare: str) -> Samples:
    """Read a trajectory from the columns of a text file."""
    numbers, count = array("d"), 0
    try:
        with open_file(path) as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as file:
            rows = (row for row in csv.reader(lines_of(path, file)) if any(cell.strip() for cell in row))
            header = next(rows, None)
            if header is None:
                raise TrajectoryError(f"{path}: holds nothing, expected a header and at least one sample")
            columns = assign_columns(path, header, model, bare)
            for count, row in enumerate(rows, 1):
                if len(row) != len(header):
                    raise TrajectoryError(f"{path}: sample {count} has {len(row)} cells, the header {len(header)}")
                numbers.extend(to_numbers(path, count, header, row))
    except UnicodeDecodeError as error:
        raise TrajectoryError(f"{path}: no CSV file ({error.reason} for UTF-8)") from None
    except csv.Error as error:
        raise TrajectoryError(f"{path}: no CSV file ({error})") from None
    if count == 0:
        raise TrajectoryError(f"{path}: holds a header only, expected at least one sample")
    values = np.frombuffer(numbers, np.float64).reshape(count, len(header))
    parts: dict[str, Any] = {part: np.ascontiguousarray(values[:, order]) for part, order in columns.items()}
    if "time" in parts:
        parts["time"] = parts["time"][:, 0]
    return Samples(**parts, model=model, columns=gather_columns(path, header, values))


def gather_columns(path: Path, header: Sequence[str], values: Array) -> dict[str, Array]:
    """Gather the recorded columns besides the parts of a trajectory, each with its entries in one array."""
    places: dict[str, dict[tuple[int, ...], int]] = {}
    for j, cell in enumerate(header):
        if not cell.strip().startswith(PREFIX):
            continue
        entry = ENTRY.fullmatch(cell.strip()[len(PREFIX) :])
        name = entry[1] if entry else cell.strip()[len(PREFIX) :]
        place = tuple(int(k) for k in entry[2].split(",")) if entry else ()
        if place in places.setdefault(name, {}):
            raise TrajectoryError(f"{path}: column {shown(cell.strip())} is there twice")
        places[name][place] = j
    found = {}
    for name, entries in places.items():
        axes = {len(place) for place in entries}
        shape = tuple(max(ks) + 1 for ks in zip(*entries, strict=True)) if len(axes) == 1 else ()
        if len(axes) > 1 or np.prod(shape, dtype=object) != len(entries):
            raise TrajectoryError(f"{path}: has some entries of column {shown(name)} but not all")
        order = [entries[place] for place in np.ndindex(*shape)]
        found[name] = np.ascontiguousarray(values[:, order]).reshape(len(values), *shape)
    return found


def lines_of(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of a file; refuse lines and files that are too long."""
    read = 0
    while line := file.readline(LONGEST_LINE):
        read += len(line)
        if len(line) == LONGEST_LINE:
            raise TrajectoryError(f"{path}: no CSV file (a line of {LONGEST_LINE} characters and more)")
        if read > LARGEST_FILE:  # of a pipe, whose length nobody knows
            raise TrajectoryError(f"{path}: holds more than {LARGEST_FILE / 1e9:.3g} GB")
        yield line


def to_numbers(path: Path, sample: int, header: Sequence[str], row: Sequence[str]) -> list[float]:
    """Convert the cells of one sample to numbers."""
    try:
        if "_" not in "".join(row):  # which Python takes for a separator of digits
            return [float(cell) for cell in row]
    except ValueError:
        pass
    j = next(j for j, cell in enumerate(row) if not is_number(cell))
    name, cell = header[j].strip(), shown(row[j])
    raise TrajectoryError(f"{path}: sample {sample}, column {name!r}: {cell} is no number")


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def assign_columns(path: Path, header: Sequence[str], model: Model, bare: str) -> dict[str, list[int]]:
    """Find, for each part that the header has, its columns in the model's order."""
    where: dict[tuple[str, str], int] = {}
    known = {part: frozenset(names_of(model, part)) for part in PARTS}
    for j, cell in enumerate(header):
        if cell.strip().startswith(PREFIX):
            continue  # see gather_columns
        key = meaning(cell, known, bare) or meaning(cell.strip(), known, bare)
        column = f"{path}: column {shown(cell.strip())}"
        if key is None:
            prefix = cell.strip().partition(":")[0]
            there = listing(names_of(model, prefix if prefix in PARTS else bare))
            hint = "; columns are separated by commas" if len(header) == 1 and (";" in cell or "\t" in cell) else ""
            raise TrajectoryError(f"{column} names no coordinate of the robot; there are {there}{hint}")
        if key in where:
            raise TrajectoryError(f"{column} is there twice")
        where[key] = j
    columns = {}
    for part in COLUMNS:
        if any(key[0] == part for key in where):
            names = ("",) if part == "time" else names_of(model, part)
            missing = [name for name in names if (part, name) not in where]
            if missing:
                raise TrajectoryError(f"{path}: has some {part} columns but not {listing(missing)}")
            columns[part] = [where[part, name] for name in names]
    return columns


def meaning(cell: str, known: dict[str, frozenset[str]], bare: str) -> tuple[str, str] | None:
    """Return the part and the name that a cell of the header stands for, if any."""
    if cell in ("time", "t"):
        return "time", ""
    part, _, name = cell.partition(":")
    if part in PARTS and name in known[part]:
        return part, name
    return (bare, cell) if cell in known[bare] else None


# --------------------------------------------------------------------------------------------------------------- writing


def write_to_standard_output(lines: Iterator[str]) -> None:
    """Write lines to standard output: to a terminal in its own encoding, else in UTF-8, as files are."""
    stdout = sys.stdout
    if stdout.isatty() or not hasattr(stdout, "buffer"):
        stdout.writelines(lines)
        return
    stdout.flush()
    stdout.buffer.writelines(line.encode("utf-8", "backslashreplace") for line in lines)


def csv_lines(model: Model, trajectory: Samples) -> Iterator[str]:
    """Yield a header, and a row for each sample, with as many digits as tell numbers apart."""
    parts = {part: getattr(trajectory, part) for part in COLUMNS if getattr(trajectory, part) is not None}
    header = [
        "time" if part == "time" else f"{part}:{name}"
        for part in parts
        for name in (("",) if part == "time" else names_of(model, part))
    ]
    values = list(parts.values())
    for name, column in trajectory.columns.items():
        entries = list(np.ndindex(*column.shape[1:]))
        header += [f"{PREFIX}{name}" + (f"[{','.join(map(str, entry))}]" if entry else "") for entry in entries]
        values.append(column.reshape(len(column), len(entries)))
    text = io.StringIO()
    odd = any("\r" in name for name in header)  # which only newer versions of csv quote by themselves
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerow(header)
    yield text.getvalue()
    for row in np.column_stack(values):
        yield ",".join(map(repr, row.tolist())) + "\n"


def check_table(place: str, trajectory: Samples) -> None:
    """Refuse what a table cannot hold: a batch, and names of columns that would be read as entries of others."""
    if trajectory.batch_shape:
        raise TrajectoryError(f"{place}: a table holds one motion, not a batch of shape {trajectory.batch_shape}")
    for name in trajectory.columns:
        if name != name.strip() or ENTRY.fullmatch(name):
            raise TrajectoryError(f"{place}: column {shown(name)} cannot be told from entries of others in a table")
