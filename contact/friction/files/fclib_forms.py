"""The friction problems of FCLIB's files, as arrays, before they are a :class:`.Problem`.

===================  ========================================================
form                 equations
===================  ========================================================
:class:`LocalForm`   ``u = W r + V l + q``,  ``0 = V' r + R l + s``
:class:`GlobalForm`  ``M v = H r + G l + f``,  ``u = H' v + w``,  ``0 = G' v + b``
===================  ========================================================

In both, ``r`` and ``u`` are the impulses and the relative velocities of the contacts, each (normal, tangent 1, tangent 2),
or (normal, tangent) in the plane, and ``l`` the multipliers of equations. With ``M^-1`` the second becomes the first:
``W = H' M^-1 H``, ``V = H' M^-1 G``, ``R = G' M^-1 G``, ``q = w + H' M^-1 f``, ``s = b + G' M^-1 f``.

Source: Acary, Bremond, Koziara, Perignon, FCLIB: a collection of discrete 3D frictional contact problems (2014).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import as_coefficients, as_matrix, as_vector
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["GlobalForm", "LocalForm", "Solution", "asymmetry", "most_asymmetric"]


F = TypeVar("F", bound="Form")


def asymmetry(A: scipy.sparse.csr_matrix) -> float:
    """``max |A - A'| / max |A|``, zero for a matrix without entries."""
    size = float(np.abs(A.data).max(initial=0.0))
    if size == 0.0:
        return 0.0
    scaled = scipy.sparse.csr_matrix((A.data / size, A.indices, A.indptr), shape=A.shape)
    return float(abs(scaled - scaled.T).max())


def most_asymmetric(A: scipy.sparse.csr_matrix) -> tuple[int, int]:
    """Find the entry above the diagonal that differs most from the one opposite."""
    rest = abs(A - A.T).tocoo()
    k = int(np.argmax(rest.data))
    i, j = int(rest.row[k]), int(rest.col[k])
    return min(i, j), max(i, j)


def shaped(name: str, A: Any, shape: tuple[int, int], reason: str) -> scipy.sparse.csr_matrix:
    """Return the matrix, if it has the shape that it has to have."""
    A = as_matrix(name, A)
    if A.shape != shape:
        raise ProblemError(f"{name} is {A.shape}, expected {shape}, {reason}")
    return A


def coefficients(mu: Any, contacts: Array, spacedim: int, of: str) -> Array:
    """Return one coefficient of friction for each contact."""
    if not isinstance(spacedim, (int, np.integer)) or spacedim not in (2, 3):
        raise ProblemError(f"spacedim is {spacedim!r}, expected 2 or 3")
    if len(contacts) % spacedim:
        raise ProblemError(f"{of} has {len(contacts)} entries, expected a multiple of spacedim, which is {spacedim}")
    mu = as_vector("mu", mu, len(contacts) // spacedim)
    as_coefficients(mu)  # none is negative
    return mu


def check_words(form: Any) -> None:
    """Check that the words of a form are strings that C can read."""
    for name in ("title", "description", "math_info"):
        text = getattr(form, name)
        if not isinstance(text, str) or "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ProblemError(f"{name} is {text!r:.80}, expected a string without zeros and surrogates")


@dataclass(frozen=True, eq=False)
class Form:
    """Base of the two forms: comparison by content."""

    def same(self, other: object) -> bool:
        """Return whether two forms hold the same numbers, bit for bit, and the same words."""
        if type(other) is not type(self):
            return False
        return all(same_bits(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    def with_words(self: F, words: dict[str, str]) -> F:
        """Return a form with these numbers, and another title, description or math_info."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{**values, **words})


def same_bits(a: Any, b: Any) -> bool:
    """Return whether arrays or sparse matrices are equal, telling -0 from 0."""
    if scipy.sparse.issparse(a) and scipy.sparse.issparse(b):
        parts = ("data", "indices", "indptr")
        return a.shape == b.shape and all(same_bits(getattr(a, part), getattr(b, part)) for part in parts)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(a == b)


@by_value()
@dataclass(frozen=True, eq=False)
class LocalForm(Form):
    """Contacts by the operator of their velocities: the group ``fclib_local`` of a file.

    Attributes:
        W: the operator, ``(m, m)``, m/s per N s; positive semidefinite, and symmetric but for what was rounded.
        q: the relative velocities without impulses, ``(m,)``; m/s.
        mu: the coefficients of friction, ``(m / spacedim,)``.
        spacedim: 2 or 3, the components of a contact, the normal one first.
        V, R, s: ``(m, p)``, ``(p, p)``, ``(p,)`` of p equations, all three or none.
        title, description, math_info: words; empty, where a file has none of fixed length.

    Raises:
        ProblemError: of the constructor: shapes that disagree, numbers that are not finite, a negative coefficient, words
            that are none.
    """

    W: scipy.sparse.csr_matrix
    q: Array
    mu: Array
    spacedim: int = 3
    V: scipy.sparse.csr_matrix | None = None
    R: scipy.sparse.csr_matrix | None = None
    s: Array | None = None
    title: str = ""
    description: str = ""
    math_info: str = ""

    def __post_init__(self) -> None:
        q = as_vector("q", self.q)
        checked = {
            "q": q,
            "mu": coefficients(self.mu, q, self.spacedim, "q"),
            "W": shaped("W", self.W, (len(q), len(q)), f"since q has {len(q)} entries"),
        }
        given = [name for name in ("V", "R", "s") if getattr(self, name) is not None]
        if given and len(given) < 3:
            raise ProblemError(f"equations need V, R and s together, there is only {' and '.join(given)}")
        if self.s is not None:
            s = as_vector("s", self.s)
            p = len(s)
            checked |= {
                "s": s,
                "V": shaped("V", self.V, (len(q), p), f"since q has {len(q)} entries and s has {p}"),
                "R": shaped("R", self.R, (p, p), f"since s has {p} entries"),
            }
        check_words(self)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def asymmetry(self) -> float:
        """The relative asymmetry of W, or of R where that is greater: ``max |W - W'| / max |W|``."""
        return max(asymmetry(self.W), 0.0 if self.R is None else asymmetry(self.R))


@by_value()
@dataclass(frozen=True, eq=False)
class GlobalForm(Form):
    """Contacts of bodies, by the mass of these: the group ``fclib_global`` of a file.

    Attributes:
        M: the mass matrix, ``(n, n)``, symmetric and positive definite.
        H: the transposed Jacobian of the contacts, ``(n, m)``.
        f: the impulse on the bodies, ``M`` times their free velocity, ``(n,)``.
        w: what is added to the relative velocities, ``(m,)``; m/s.
        mu: the coefficients of friction, ``(m / spacedim,)``.
        spacedim: 2 or 3, the components of a contact, the normal one first.
        G, b: ``(n, p)`` and ``(p,)`` of p equations, both or none.
        title, description, math_info: words; empty, where a file has none of fixed length.

    Raises:
        ProblemError: of the constructor: shapes that disagree, numbers that are not finite, a negative coefficient, words
            that are none.
    """

    M: scipy.sparse.csr_matrix
    H: scipy.sparse.csr_matrix
    f: Array
    w: Array
    mu: Array
    spacedim: int = 3
    G: scipy.sparse.csr_matrix | None = None
    b: Array | None = None
    title: str = ""
    description: str = ""
    math_info: str = ""

    def __post_init__(self) -> None:
        f, w = as_vector("f", self.f), as_vector("w", self.w)
        checked = {
            "f": f,
            "w": w,
            "mu": coefficients(self.mu, w, self.spacedim, "w"),
            "M": shaped("M", self.M, (len(f), len(f)), f"since f has {len(f)} entries"),
            "H": shaped("H", self.H, (len(f), len(w)), f"since f has {len(f)} entries and w has {len(w)}"),
        }
        if (self.G is None) != (self.b is None):
            raise ProblemError(f"equations need G and b together, there is only {'b' if self.G is None else 'G'}")
        if self.b is not None:
            b = as_vector("b", self.b)
            checked |= {
                "b": b,
                "G": shaped("G", self.G, (len(f), len(b)), f"since f has {len(f)} entries and b has {len(b)}"),
            }
        check_words(self)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def asymmetry(self) -> float:
        """The relative asymmetry of M: ``max |M - M'| / max |M|``."""
        return asymmetry(self.M)


@by_value()
@dataclass(frozen=True, eq=False)
class Solution:
    """Solution or guess that a file holds. Nothing of it is checked against the problem: judge it by its error.

    Attributes:
        r: the impulses of the contacts, ``(m,)``; N s.
        u: their relative velocities, ``(m,)``; m/s.
        v: the velocities of the bodies, ``(n,)``, in a file of the global form.
        l: the multipliers of the equations, ``(p,)``, where the problem has any.
    """

    r: Array | None = None
    u: Array | None = None
    v: Array | None = None
    l: Array | None = None

    @property
    def placeholder(self) -> bool:
        """True if all impulses are zero, or there are none: files are published with zeros in the place of a solution."""
        return self.r is None or not np.any(self.r)
