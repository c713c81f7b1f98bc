"""Texts as Siconos writes them: the same formats of printf, line by line, for a matrix in each storage."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def number(x):
    """``%32.24e``"""
    return f"{x:32.24e}"


def dense(W):
    """Storage 0, in the order of memory of Fortran, as many numbers a line as there are columns."""
    n = len(W)
    values = [number(x) + " " for x in W.ravel(order="F")]
    lines = ["".join(values[k : k + n]) + "\n" for k in range(0, n * n, n)]
    return f"0\n{n}\n{n}\n{n}\t{n}\n" + "".join(lines)


def blocks(W, size):
    """Storage 1: blocks that are not zero."""
    n = len(W) // size
    parts = W.reshape(n, size, n, size).swapaxes(1, 2)
    kept = [(i, j) for i in range(n) for j in range(n) if parts[i, j].any()]
    first = np.searchsorted([i for i, _ in kept], np.arange(n + 1))
    ends = "".join(f"{size * (k + 1)}\t" for k in range(n)) + "\n"
    text = f"1\n{len(W)}\n{len(W)}\n{len(kept)}\n{n}\n{n}\n" + ends + ends + f"{n + 1}\n{len(kept)}\n"
    text += "".join(f"{k}\t" for k in first) + "\n" + "".join(f"{j}\t" for _, j in kept) + "\n"
    for k, (i, j) in enumerate(kept):
        text += f"{k}\n" + "".join(number(x) + "\n" for x in parts[i, j].ravel(order="F"))
    return text


VERSION = "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n"


def triplets(W):
    """Storage 2, kind 1, six digits."""
    i, j = np.nonzero(W)
    n = len(W)
    head = f"2\n{n}\n{n}\n1\n{VERSION}triplet: {n}-by-{n}, nzmax: {len(i)} nnz: {len(i)}\n"
    return head + "".join(f"    {a} {b} : {W[a, b]:g}\n" for a, b in zip(i, j, strict=True))


def columns(W, kind=2):
    """Storage 2, kind 2, or 3 for rows; six digits."""
    n, count, A = len(W), 0, W if kind == 2 else W.T
    text = f"2\n{n}\n{n}\n{kind}\n{VERSION}"
    text += (
        f"{n}-by-{n}, nzmax: {np.count_nonzero(W)} nnz: {np.count_nonzero(W)}, 1-norm: {abs(W).sum(axis=0).max():g}\n"
    )
    for j in range(n):
        rows = np.flatnonzero(A[:, j])
        text += f"    col {j} : locations {count} to {count + len(rows) - 1}\n"
        text += "".join(f"      {i} : {A[i, j]:g}\n" for i in rows)
        count += len(rows)
    return text


STORAGES = {
    "dense": lambda W, size: dense(W),
    "blocks": blocks,
    "triplets": lambda W, size: triplets(W),
    "columns": lambda W, size: columns(W),
    "rows": lambda W, size: columns(W, 3),
}
EXACT = ("dense", "blocks")


def text_of(W, q, mu, size=3, storage="dense"):
    """Return the text of a problem."""
    vectors = "".join(number(x) + " " for x in q) + "\n" + "".join(number(x) + " " for x in mu) + "\n"
    return f"{size}\n{len(mu)}\n" + STORAGES[storage](np.asarray(W, float), size) + vectors


def example(contacts=4, size=3, seed=0):
    """Two groups of contacts that do not touch one another; W is singular."""
    rng = np.random.default_rng(seed)
    half = size * contacts // 2
    J = scipy.linalg.block_diag(*rng.normal(size=(2, half, half // 2)))
    return J @ J.T, J @ rng.normal(size=J.shape[1]), rng.uniform(0.1, 0.9, contacts)
