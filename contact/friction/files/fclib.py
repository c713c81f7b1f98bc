"""Reading and writing friction problems in FCLIB's HDF5 files, the exchange format of the field.

======================  =====================================================================================================
function                what it does
======================  =====================================================================================================
read_fclib              the problem of a file, ready to be solved
write_fclib             a file with a problem, and a solution or guesses
read_fclib_form         the matrices and vectors as they are in the file
read_fclib_solution     the stored solution, where there is one
read_fclib_guesses      the stored guesses
======================  =====================================================================================================

Files that are written here have checksums, as :mod:`pluecker.spatial.hdf5` says, and are refused where they are damaged. Of
files of others sizes, indices and signs are checked; whether a number is the one that was written, nothing can tell.

FCLIB has two forms, see :mod:`~pluecker.contact.friction.files.fclib_forms`: the local one becomes a :class:`Problem` with
an assembled operator, the global one a problem with factors. Equations of the file become rows without bounds, after the
contacts. The functions need h5py: ``pip install 'pluecker[fclib]'``.

A form, with equations or without, becomes one system:

    local     N = [W, V; V', R],      b = [q; s]
    global    N = J M^-1 J',          b = [w; b] + J M^-1 f,          J = [H, G]'
"""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Sequence

import numpy as np

from pluecker.contact.arguments import as_number
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.files.fclib_forms import (
    GlobalForm,
    LocalForm,
    Solution,
    asymmetry,
    most_asymmetric,
    same_bits,
)
from pluecker.contact.friction.files.fclib_layout import (
    read_form,
    read_guesses,
    read_solution,
    write_form,
    write_solutions,
)
from pluecker.contact.friction.files.hdf5 import Reader, file_error, to_path, write_hdf5
from pluecker.contact.friction.problem.problem import PART, Problem
from pluecker.contact.friction.results.result import Result
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = [
    "GlobalForm", "LocalForm", "Solution", "read_fclib", "read_fclib_form", "read_fclib_guesses", "read_fclib_solution",
    "to_problem", "write_fclib",
]  # fmt: skip

WARNED, REFUSED = 2e-3, 1e-2  # relative asymmetry; the published Capsules has 1.7e-3
LARGEST_REPAIR = 0.5  # what was moved does not depend on how far it might have been
FORMS = (None, "local", "global")

read_from: dict[int, LocalForm | GlobalForm] = {}  # what problems were made of, by their identity, as long as they live


# --------------------------------------------------------------------------------------------------- forms and problems


def symmetric(A: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """Return (A + A') / 2, or A itself where it is symmetric."""
    return A if (A != A.T).nnz == 0 else scipy.sparse.csr_matrix(0.5 * A + 0.5 * A.T)


def to_problem(form: LocalForm | GlobalForm, repair: float = 0.0) -> Problem:
    """Make the problem that a form states; equations become rows without bounds, after the contacts.

    Matrices that should be symmetric are replaced by their symmetric part, with a warning where :attr:`LocalForm.asymmetry`
    is above 0.002. ``repair`` is of the local form, see :meth:`Problem.from_delassus`.

    Raises:
        ProblemError: that is above 0.01, W is not positive semidefinite, or M is not positive definite.
    """
    for name in ("W", "R") if isinstance(form, LocalForm) else ("M",):
        A = getattr(form, name)
        lack = 0.0 if A is None else asymmetry(A)
        if lack > REFUSED:
            i, j = most_asymmetric(A)
            raise ProblemError(
                f"{name} is asymmetric by {lack:.2g} of its largest entry, expected at most {REFUSED}: {name}[{i}, {j}] is "
                f"{A[i, j]:.6g} and {name}[{j}, {i}] is {A[j, i]:.6g}"
            )
        if lack > WARNED:
            text = f"{name} is asymmetric by {lack:.2g} of its largest entry; its symmetric part is used"
            warnings.warn(text, stacklevel=3)
    if isinstance(form, LocalForm):
        s = np.zeros(0) if form.s is None else form.s
        N = form.W if form.V is None else scipy.sparse.bmat([[form.W, form.V], [form.V.T, form.R]])
        b, rows = np.concatenate([form.q, s]), unbounded(len(s))
        return Problem.from_delassus(symmetric(N), b, form.mu, size=form.spacedim, rows=rows, repair=repair)
    s = np.zeros(0) if form.b is None else form.b
    H = form.H if form.G is None else scipy.sparse.hstack([form.H, form.G])
    w, rows = np.concatenate([form.w, s]), unbounded(len(s))
    return Problem.from_factors(symmetric(form.M), H.T, form.f, w, form.mu, size=form.spacedim, rows=rows)


def unbounded(count: int) -> tuple[Array, Array]:
    """Return the bounds of equations, minus and plus infinity."""
    return np.full(count, -np.inf), np.full(count, np.inf)


def to_form(problem: Problem) -> LocalForm:
    """Make the local form of a problem: its assembled operator, the contacts first and then the equations."""
    sets = problem.sets
    contact = sets.sizes[:, 0] > 0
    equation = ~contact & np.isneginf(sets.lower) & np.isposinf(sets.upper)
    size = 1 + sets.sizes.sum(axis=1)
    spacedim = int(size[contact][0]) if contact.any() else 3
    expected = 3 if spacedim not in (2, 3) else spacedim
    for i in np.flatnonzero(np.where(contact, size != expected, ~equation)):
        name = problem.names[i] if problem.names else f"block {i}"
        bounds = f"the bounds {sets.lower[i]:.6g} and {sets.upper[i]:.6g}"
        raise ProblemError(
            f"{name} has {f'{size[i]} components' if contact[i] else bounds}: FCLIB holds contacts with friction, all of 3 "
            "components or all of 2, and equations, nothing else"
        )
    belongs = np.repeat(contact, size)
    first, then = np.flatnonzero(belongs), np.flatnonzero(~belongs)
    N, b = problem.matrix(), problem.offset
    mu = sets.friction[contact, 0]
    if not len(then):
        return LocalForm(N, b, mu, spacedim)
    V, R = N[first][:, then], N[then][:, then]
    return LocalForm(N[first][:, first], b[first], mu, spacedim, V, R, b[then])


def source_of(problem: Problem) -> LocalForm | GlobalForm | None:
    """Return the form that a problem was read from, if the problem still is what was read."""
    form = read_from.get(id(problem))
    if form is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = to_problem(form, LARGEST_REPAIR if problem.moved > 0.0 else 0.0)
    kept = all(same_bits(a, b) for a, b in zip(arrays_of(problem), arrays_of(again), strict=True))
    return form if kept else None


def arrays_of(problem: Problem) -> list[object]:
    """List all that a problem consists of, but for the names of its blocks."""
    A = problem.operator
    return [*problem.sets, problem.offset, A.is_factored, A.compliance, *A.N, *A.J, *A.T]


# -------------------------------------------------------------------------------------------------------- public functions


def opened(function: str, path: str | os.PathLike[str], form: str | None) -> Reader:
    """Check the arguments, and open the file."""
    if form is not None and not isinstance(form, str):
        raise ArgumentTypeError(f"{function}: argument form is {shown(form)}, expected 'local' or 'global'")
    if form not in FORMS:
        raise ArgumentValueError(f"{function}: argument form is {shown(form)}, expected 'local' or 'global'")
    return Reader(to_path(function, path))


def read_fclib_form(path: str | os.PathLike[str], *, form: str | None = None) -> LocalForm | GlobalForm:
    """Read the matrices and vectors of a file, as they are there.

    Args:
        path: a file in FCLIB's layout.
        form: "local" or "global", where the file holds both.

    Returns:
        A :class:`LocalForm` or a :class:`GlobalForm`. ``form.asymmetry`` says how far W or M is from symmetric.

    Raises:
        FileError: as for :func:`read_fclib`.
        MissingExtraError: h5py is not installed.
    """
    with opened("read_fclib_form", path, form) as reader:
        return read_form(reader, form)


def read_fclib(path: str | os.PathLike[str], *, form: str | None = None, repair: float = 0.0) -> Problem:
    """Read the friction problem of a file.

    Contacts keep their order, each (normal, tangent 1, tangent 2), or (normal, tangent) in the plane. Equations become rows
    without bounds, after the contacts. W, or M, is replaced by its symmetric part; where ``max |W - W'| / max |W|`` is above
    0.002, a warning says so, and above 0.01 it is refused; :func:`read_fclib_form` has the matrix as it is in the file.

    Args:
        path: a file in FCLIB's layout.
        form: "local" or "global", where the file holds both.
        repair: how far W of the local form may be moved to be positive semidefinite, as a part of its largest eigenvalue,
            see :meth:`Problem.from_delassus`; ``moved`` of the problem says how far it was.

    Returns:
        The problem: with an assembled operator from the local form, with factors from the global one.

    Raises:
        FileError: the file cannot be read, is cut off, is no HDF5 file or one of something else; a dataset is missing, or of
            another type or shape; a number is not finite, an index out of range, a coefficient negative, W not semidefinite
            or far from symmetric, M not definite. The message names the file, and the dataset or row.
        MissingExtraError: h5py is not installed.

    Source: Acary, Bremond, Koziara, Perignon, FCLIB: a collection of discrete 3D frictional contact problems (2014).

    Example:
        >>> from pluecker.contact import read_fclib, solve
        >>> problem = read_fclib("Capsules-i125-1213.hdf5")  # doctest: +SKIP
        >>> problem.blocks, solve(problem).status  # doctest: +SKIP
        (286, 'converged')
    """
    repair = as_number("repair", repair, PART, 0.0, 1.0, zero=True)
    source = read_fclib_form(path, form=form)
    try:
        problem = to_problem(source, repair)
    except ProblemError as error:
        group = "fclib_local" if isinstance(source, LocalForm) else "fclib_global"
        raise file_error(to_path("read_fclib", path), group, str(error)) from None
    read_from[id(problem)] = source
    weakref.finalize(problem, read_from.pop, id(problem), None).atexit = False
    return problem


def read_fclib_solution(path: str | os.PathLike[str], *, form: str | None = None) -> Solution | None:
    """Read the solution that a file holds, None where it has none.

    Many published files hold zeros there: :attr:`Solution.placeholder`. Judge a solution by its error.

    Args:
        path: a file in FCLIB's layout.
        form: "local" or "global", where the file holds both.

    Returns:
        Impulses and velocities of the contacts, with what else the file has of them.

    Raises:
        FileError: as for :func:`read_fclib`; a part is as long as the problem is not, or not finite.
        MissingExtraError: h5py is not installed.

    Source: Acary, Bremond, Koziara, Perignon, FCLIB: a collection of discrete 3D frictional contact problems (2014).
    """
    with opened("read_fclib_solution", path, form) as reader:
        return read_solution(reader, "solution", read_form(reader, form)) if reader.has("solution") else None


def read_fclib_guesses(path: str | os.PathLike[str], *, form: str | None = None) -> list[Solution]:
    """Read the guesses that a file holds: impulses from which somebody's solver was started, or where it stopped.

    Args:
        path: a file in FCLIB's layout.
        form: "local" or "global", where the file holds both.

    Returns:
        Each guess, in the order of the file; an empty list where it has none.

    Raises:
        FileError: as for :func:`read_fclib`; a guess of those that are counted is missing, or a part of one is as long as
            the problem is not, or not finite.
        MissingExtraError: h5py is not installed.

    Source: Acary, Bremond, Koziara, Perignon, FCLIB: a collection of discrete 3D frictional contact problems (2014).
    """
    with opened("read_fclib_guesses", path, form) as reader:
        return read_guesses(reader, read_form(reader, form))


def write_fclib(
    path: str | os.PathLike[str],
    problem: Problem | LocalForm | GlobalForm,
    *,
    title: str | None = None,
    description: str | None = None,
    math_info: str | None = None,
    solution: Solution | Result | None = None,
    guesses: Sequence[Solution | Result] = (),
    replace: bool = False,
) -> None:
    """Write a problem in FCLIB's layout, as Siconos can read it.

    A form is written as it is, and so is a problem that :func:`read_fclib` gave: reading the file again gives the same, bit
    for bit. Any other problem is written in the local form, with its assembled operator, the contacts first and then the
    equations; velocities of bodies, and names, have no place in it. The file is there as a whole or not at all.

    Args:
        path: the file to write.
        problem: a problem whose contacts have all three components, or all two, and whose rows are all equations.
        title, description, math_info: words; those of the form where not given.
        solution: impulses and velocities of a solution, with all parts that the form has; or what
            :func:`~pluecker.contact.friction.solving.solve.solve` returned for the problem, converged or not.
        guesses: the same of guesses.
        replace: whether a file that is there is replaced. It keeps its permissions; one that nobody may write is refused.

    Raises:
        TypeError: an argument is of another type.
        ProblemError: FCLIB has no place for such a problem, or the solution does not fit it.
        FileError: the file is there and shall not or may not be replaced, or it cannot be written; what was there before is
            still there.
        MissingExtraError: h5py is not installed.

    Source: Acary, Bremond, Koziara, Perignon, FCLIB: a collection of discrete 3D frictional contact problems (2014), and
    the layout of the files published with it.

    Example:
        >>> import os, tempfile
        >>> from pluecker.contact import Problem, read_fclib, read_fclib_solution, solve, write_fclib
        >>> problem = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
        ...     path = os.path.join(folder, "sliding.hdf5")
        ...     write_fclib(path, problem, title="a block that slides", solution=solve(problem))
        ...     read_fclib(path).blocks, read_fclib_solution(path).r.round(3)
        (1, array([ 1. , -0.5,  0. ]))
    """
    file = to_path("write_fclib", path)
    if isinstance(problem, Problem):
        form: LocalForm | GlobalForm = source_of(problem) or to_form(problem)
    elif isinstance(problem, (LocalForm, GlobalForm)):
        form = problem
    else:
        raise ArgumentTypeError(
            f"write_fclib: argument problem is a {type(problem).__name__}, expected a Problem or a form"
        )
    words = {"title": title, "description": description, "math_info": math_info}
    form = form.with_words({name: text for name, text in words.items() if text is not None})
    answer = None if solution is None else to_solution("solution", solution, problem)
    if not np.iterable(guesses):
        raise ArgumentTypeError(f"write_fclib: argument guesses is {shown(guesses)}, expected several solutions")
    others = [to_solution(f"guesses/{k}", guess, problem) for k, guess in enumerate(guesses, 1)]

    def fill(h5py: object, target: object) -> None:
        write_form(h5py, target, form)
        write_solutions(target, form, answer, others)

    write_hdf5(file, fill, replace)


def to_solution(name: str, given: object, problem: Problem | LocalForm | GlobalForm) -> Solution:
    """Return a solution as files have it: contacts and equations apart, with velocities of the bodies if they are known."""
    if isinstance(given, Solution):
        return given
    if not isinstance(given, Result):
        raise ArgumentTypeError(
            f"write_fclib: {name} is a {type(given).__name__}, expected a Solution or a Result of solve"
        )
    problem = problem if isinstance(problem, Problem) else to_problem(problem)
    r, u = given.multipliers, given.velocity
    if r.shape != (problem.size,):
        raise ProblemError(f"{name} is of a problem of {len(r)} multipliers, expected {problem.size}")
    mine = np.repeat(problem.sets.sizes[:, 0] > 0, np.diff(problem.sets.start))
    bodies = None if problem.free_velocity is None else problem.motion(r).ravel()
    return Solution(r[mine], u[mine], bodies, None if mine.all() else r[~mine])
