"""Files and problems that the tests of FCLIB share.

The forms, as files hold them, are no part of what ``pluecker.contact`` lists; the tests of files take them from here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from pluecker.contact import Problem
from pluecker.contact.friction.files.fclib import GlobalForm, LocalForm, read_fclib_form, to_problem

__all__ = [
    "DATA", "GlobalForm", "LocalForm", "dense", "edited", "global_form", "local_form", "published", "read_fclib_form",
    "same_bits", "same_problem", "sparse", "to_problem",
]  # fmt: skip

DATA = Path(__file__).resolve().parents[5] / "shared/data/friction"


def published() -> list[Any]:
    """The published files as parameters of a test, or one that is skipped."""
    files = sorted(DATA.glob("*.hdf5"))
    missing = pytest.param(None, marks=pytest.mark.skip(f"the published problems are not in {DATA}"))
    return [pytest.param(path, id=path.stem) for path in files] or [missing]


@contextlib.contextmanager
def edited(path: Path) -> Iterator[Any]:
    """An HDF5 file as somebody edits it: the checksums of what it held are deleted."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "r+") as file:
        entries = [file]
        file.visititems(lambda name, entry: entries.append(entry))
        for entry in entries:
            entry.attrs.pop("checksum", None)
        yield file


def sparse(rng: np.random.Generator, rows: int, columns: int, density: float = 0.5) -> Any:
    """A random sparse matrix, with a stored zero and a stored -0"""
    A = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < density)
    A = scipy.sparse.csr_matrix(A)
    A.data[:2] = 0.0, -0.0
    return A


def local_form(seed: int = 0, contacts: int = 4, spacedim: int = 3, equations: int = 2) -> LocalForm:
    """A random problem in the local form, positive definite"""
    rng = np.random.default_rng(seed)
    m = contacts * spacedim
    J = rng.normal(size=(m + equations, m + equations + 3)) * (rng.random((m + equations, 1)) < 0.8)
    N = J @ J.T + 0.1 * np.eye(m + equations)
    N[np.abs(N) < 1.0] = 0.0
    N += 10.0 * np.diag(np.abs(N).sum(axis=1))
    q, mu = rng.normal(size=m), rng.random(contacts)
    q[:2] = -0.0, 5e-324
    if not equations:
        return LocalForm(N, q, mu, spacedim, title="a title")
    s = rng.normal(size=equations)
    return LocalForm(N[:m, :m], q, mu, spacedim, N[:m, m:], N[m:, m:], s, "a title", "Körper", "unknown\n")


def global_form(seed: int = 0, contacts: int = 4, spacedim: int = 3, equations: int = 2) -> GlobalForm:
    """A random problem in the global form, of bodies with six coordinates"""
    rng = np.random.default_rng(seed)
    n, m = 18, contacts * spacedim
    blocks = [block @ block.T + np.eye(6) for block in rng.normal(size=(3, 6, 6))]
    H, G = sparse(rng, n, m), sparse(rng, n, equations) if equations else None
    b = rng.normal(size=equations) if equations else None
    f, w, mu = rng.normal(size=n), np.full(m, -0.0), rng.random(contacts)
    return GlobalForm(
        scipy.sparse.block_diag(list(map(scipy.sparse.csr_matrix, blocks))), H, f, w, mu, spacedim, G, b, "bodies"
    )


def same_bits(a: Any, b: Any) -> bool:
    """Return whether all numbers have the same bits (-0 and 0 differ): of arrays, of tuples of them, of None."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same_bits(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(a == b)


def same_problem(a: Problem, b: Problem) -> bool:
    """Return whether two problems have the same bits, except for velocities that a product left in the operator."""
    parts = ((p.operator._replace(velocity=np.zeros(0)), p.offset, p.sets, p.free_velocity) for p in (a, b))
    return same_bits(*parts)


def dense(group: Any) -> np.ndarray:
    """A matrix of a file, entry by entry, as CSparse reads it: triplets have their columns in p and their rows in i."""
    m, n, nz = (int(group[name][0]) for name in ("m", "n", "nz"))
    p, i, x = (group[name][()] for name in ("p", "i", "x"))
    A = np.zeros((m, n))
    if nz >= 0:
        for k in range(nz):
            A[i[k], p[k]] += x[k]
        return A
    for line in range(n if nz == -1 else m):
        for k in range(p[line], p[line + 1]):
            A[(i[k], line) if nz == -1 else (line, i[k])] += x[k]
    return A
