"""FCLIB's layout of problems in HDF5, read and written (``fclib.h``; H5LT datasets in groups).

==============================  =======================================================================================
place                           what is there
==============================  =======================================================================================
``fclib_local`` / ``_global``   the problem: its matrices, ``spacedim``, ``vectors/...``, ``info/title`` ...
a matrix, a group               ``m``, ``n`` rows and columns; ``nz``, ``nzmax``; ``p``, ``i``, ``x``
``nz = -1``                     compressed columns: ``p`` pointers ``(n + 1,)``, ``i`` rows, ``x`` values
``nz = -2``                     compressed rows: ``p`` pointers ``(m + 1,)``, ``i`` columns, ``x`` values
``nz >= 0``                     ``nz`` triplets: ``p`` columns, ``i`` rows, ``x`` values; equal places are summed
``info``                        strings of fixed length, each optional
``solution``, ``guesses/1``     ``v``, ``u``, ``r``, ``l``, each optional
==============================  =======================================================================================

The header says that ``p`` holds the rows of triplets. In the files it holds the columns, as in CSparse, whose matrices they
are: the tall matrices H leave no doubt. Arrays may be longer than what is used of them; ``nzmax`` is the room that the
program had which wrote the file, often more than the file has.

What is written are the layouts of the published files, which is what Siconos can read: compressed rows for the local form,
which it takes apart into blocks row by row, and triplets for the global one, where it refuses rows and miscounts columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.files.fclib_forms import GlobalForm, LocalForm, Solution
from pluecker.contact.friction.files.hdf5 import LARGEST_INTEGER, Reader, write_text
from pluecker.contact.friction.problem.checks import as_vector
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.hdf5 import add_dataset
from pluecker.spatial.lazily import scipy

__all__ = ["read_form", "read_guesses", "read_solution", "write_form", "write_solutions"]

INFO = ("title", "description", "math_info")


# --------------------------------------------------------------------------------------------------------------- reading


def at_least(reader: Reader, place: str, values: Any, count: int, reason: str) -> Any:
    """Return the first ``count`` values of a row, or raise an error if there are fewer."""
    if len(values) < count:
        raise reader.error(place, f"has {len(values)} entries, expected {count}, {reason}")
    return values[:count]


def in_range(reader: Reader, place: str, values: Indices, count: int, what: str) -> Indices:
    """Return the values, if all are indices of ``count`` things."""
    wrong = np.flatnonzero((values < 0) | (values >= count))
    if len(wrong):
        raise reader.error(
            place, f"entry {wrong[0]} is {values[wrong[0]]}, but there are {count} {what}, counted from 0"
        )
    return values


def read_pointers(reader: Reader, place: str, lines: int, nzmax: int) -> Indices:
    """Read the pointers of a compressed matrix: ascending from 0 to the number of entries."""
    p = at_least(reader, place, reader.integers(place), lines + 1, f"one more than the {lines} lines of the matrix")
    if p[0] != 0:
        raise reader.error(place, f"entry 0 is {p[0]}, expected 0, where the first line starts")
    wrong = np.flatnonzero(np.diff(p) < 0)
    if len(wrong):
        k = wrong[0] + 1
        raise reader.error(place, f"entry {k} is {p[k]}, less than the {p[k - 1]} before it: pointers ascend")
    if p[-1] > nzmax:
        raise reader.error(place, f"the last pointer is {p[-1]}, more than the {nzmax} entries that nzmax allows")
    return np.asarray(p)


def read_matrix(reader: Reader, place: str, rows: int, columns: int, reason: str) -> scipy.sparse.csr_matrix:
    """Read a sparse matrix in any of the three layouts. Its size has to be right before anything is made as large."""
    m, n, nz, nzmax = (reader.integer(f"{place}/{name}") for name in ("m", "n", "nz", "nzmax"))
    if (m, n) != (rows, columns):
        raise reader.error(place, f"has {m} rows and {n} columns, expected {rows} and {columns}, {reason}")
    if nz < -2 or nzmax < 0 or nz > nzmax:
        raise reader.error(
            f"{place}/nz",
            f"is {nz} with nzmax {nzmax}, expected -1 (compressed columns), -2 (rows) or up to nzmax triplets",
        )
    lines = m if nz == -2 else n
    pointers = None if nz >= 0 else read_pointers(reader, f"{place}/p", lines, nzmax)
    count = nz if pointers is None else int(pointers[-1])
    said = "the number that nz states" if pointers is None else "the last entry of p"
    first, second = f"{place}/p", f"{place}/i"
    if pointers is None:
        along = at_least(reader, first, reader.integers(first), count, said)
    else:
        along = np.repeat(np.arange(lines), np.diff(pointers))
    across = at_least(reader, second, reader.integers(second), count, said)
    if nz == -2:
        row, column = along, in_range(reader, second, across, n, "columns")
    else:
        column, row = in_range(reader, first, along, n, "columns"), in_range(reader, second, across, m, "rows")
    x = at_least(reader, f"{place}/x", reader.numbers(f"{place}/x"), count, said)
    wrong = np.flatnonzero(~np.isfinite(x))
    if len(wrong):
        k = wrong[0]
        raise reader.error(
            f"{place}/x", f"entry {k} (row {row[k]}, column {column[k]}) is {x[k]}, expected finite numbers"
        )
    return scipy.sparse.csr_matrix((x, (row, column)), shape=(m, n))


def read_form(reader: Reader, form: str | None) -> LocalForm | GlobalForm:
    """Read the problem of a file."""
    there = [name for name in ("local", "global") if f"fclib_{name}" in reader.names("/")]
    if form is not None and form not in there:
        there = []
    if len(there) > 1 and form is None:
        raise reader.error(
            "", "holds a local and a global form of a problem, choose one: form='local' or form='global'"
        )
    if not there:
        held = ", ".join(reader.names("/")[:10]) or "nothing"
        wanted = " or ".join(f"fclib_{name}" for name in ("local", "global") if form in (None, name))
        raise reader.error("", f"holds no friction problem: expected a group {wanted}, found {held}")
    chosen = form or there[0]
    try:
        return read_local(reader) if chosen == "local" else read_global(reader)
    except ProblemError as error:
        if type(error) is not ProblemError:
            raise
        raise reader.error(f"fclib_{chosen}", str(error)) from None


def read_info(reader: Reader, group: str) -> dict[str, str]:
    """Read title, description, mathematical properties."""
    return {name: reader.text(f"{group}/info/{name}") for name in INFO}


def read_local(reader: Reader) -> LocalForm:
    """Read the group ``fclib_local``."""
    group = "fclib_local"
    spacedim = reader.integer(f"{group}/spacedim")
    q, mu = (reader.numbers(f"{group}/vectors/{name}") for name in ("q", "mu"))
    m = len(q)
    W = read_matrix(reader, f"{group}/W", m, m, f"since vectors/q has {m} entries")
    V = R = s = None
    if any(reader.has(f"{group}/{name}") for name in ("V", "R", "vectors/s")):
        s = reader.numbers(f"{group}/vectors/s")
        p = len(s)
        V = read_matrix(reader, f"{group}/V", m, p, f"since vectors/q has {m} entries and vectors/s has {p}")
        R = read_matrix(reader, f"{group}/R", p, p, f"since vectors/s has {p} entries")
    return LocalForm(W, q, mu, spacedim, V, R, s, **read_info(reader, group))


def read_global(reader: Reader) -> GlobalForm:
    """Read the group ``fclib_global``."""
    group = "fclib_global"
    spacedim = reader.integer(f"{group}/spacedim")
    f, w, mu = (reader.numbers(f"{group}/vectors/{name}") for name in ("f", "w", "mu"))
    n, m = len(f), len(w)
    M = read_matrix(reader, f"{group}/M", n, n, f"since vectors/f has {n} entries")
    H = read_matrix(reader, f"{group}/H", n, m, f"since vectors/f has {n} entries and vectors/w has {m}")
    G = b = None
    if reader.has(f"{group}/G") or reader.has(f"{group}/vectors/b"):
        b = reader.numbers(f"{group}/vectors/b")
        G = read_matrix(reader, f"{group}/G", n, len(b), f"since vectors/f has {n} entries and vectors/b has {len(b)}")
    return GlobalForm(M, H, f, w, mu, spacedim, G, b, **read_info(reader, group))


def sizes_of(form: LocalForm | GlobalForm) -> dict[str, int]:
    """Return the lengths of the parts of a solution."""
    if isinstance(form, LocalForm):
        return {"u": len(form.q), "r": len(form.q), "l": 0 if form.s is None else len(form.s)}
    return {"v": len(form.f), "u": len(form.w), "r": len(form.w), "l": 0 if form.b is None else len(form.b)}


def read_solution(reader: Reader, group: str, form: LocalForm | GlobalForm) -> Solution:
    """Read the parts of a solution that a group holds, checking that they are finite and of the right length."""
    parts = {}
    for name, size in sizes_of(form).items():
        if reader.has(f"{group}/{name}"):
            x = parts[name] = reader.numbers(f"{group}/{name}")
            if len(x) != size or not np.isfinite(x).all():
                raise reader.error(f"{group}/{name}", f"has {len(x)} entries, expected {size} finite numbers")
    return Solution(**parts)


def read_guesses(reader: Reader, form: LocalForm | GlobalForm) -> list[Solution]:
    """Read all guesses of a file."""
    count = reader.integer("guesses/number_of_guesses") if reader.has("guesses") else 0
    missing = [k for k in range(1, min(count, len(reader.names("guesses"))) + 1) if not reader.has(f"guesses/{k}")]
    if missing:
        raise reader.error(f"guesses/{missing[0]}", f"is missing, of {count} guesses")
    return [read_solution(reader, f"guesses/{k}", form) for k in range(1, count + 1)]


# --------------------------------------------------------------------------------------------------------------- writing


def write_integers(group: Any, **values: Any) -> None:
    """Write rows of integers of 32 bits, in datasets of these names."""
    for name, value in values.items():
        value = np.atleast_1d(np.asarray(value, np.int64))
        if value.size and value.max() > LARGEST_INTEGER:
            raise ProblemError(
                f"the problem is too large for FCLIB, whose integers have 32 bits: {name} is {value.max()}"
            )
        add_dataset(group, name, value.astype(np.int32))


def write_matrix(group: Any, A: scipy.sparse.csr_matrix, triplets: bool) -> None:
    """Write a sparse matrix as triplets or compressed rows."""
    write_integers(group, nzmax=A.nnz, m=A.shape[0], n=A.shape[1], nz=A.nnz if triplets else -2)
    if triplets:
        write_integers(group, p=A.indices, i=np.repeat(np.arange(A.shape[0]), np.diff(A.indptr)))
    else:
        write_integers(group, p=A.indptr, i=A.indices)
    add_dataset(group, "x", A.data)


def write_form(h5py: Any, file: Any, form: LocalForm | GlobalForm) -> None:
    """Write the group of a problem."""
    local = isinstance(form, LocalForm)
    group = file.create_group("fclib_local" if local else "fclib_global")
    write_integers(group, spacedim=form.spacedim)
    matrices, vectors = (("W", "V", "R"), ("q", "mu", "s")) if local else (("M", "H", "G"), ("f", "w", "mu", "b"))
    for name in matrices:
        if getattr(form, name) is not None:
            write_matrix(group.create_group(name), getattr(form, name), not local)
    for name in vectors:
        if getattr(form, name) is not None:
            add_dataset(group.require_group("vectors"), name, getattr(form, name))
    info = group.create_group("info")
    for name in INFO:
        write_text(h5py, info, name, getattr(form, name))


def complete(name: str, solution: Solution, form: LocalForm | GlobalForm) -> dict[str, Array]:
    """Return the parts of a solution that FCLIB expects in a file of that form, or raise an error if one is missing."""
    parts = {part: (getattr(solution, part), size) for part, size in sizes_of(form).items() if size}
    for part, (values, size) in parts.items():
        if values is None:
            raise ProblemError(f"{name} has no {part}, expected {size} numbers")
    return {part: as_vector(f"{name}, {part}", values, size) for part, (values, size) in parts.items()}


def write_solutions(
    file: Any, form: LocalForm | GlobalForm, solution: Solution | None, guesses: Sequence[Solution]
) -> None:
    """Write the groups of a solution and of guesses."""
    if guesses:
        write_integers(file.create_group("guesses"), number_of_guesses=len(guesses))
    named = [("solution", solution)] if solution is not None else []
    named += [(f"guesses/{k}", guess) for k, guess in enumerate(guesses, 1)]
    for name, one in named:
        group = file.create_group(name)
        for part, values in complete(name, one, form).items():
            add_dataset(group, part, values)
