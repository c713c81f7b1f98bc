"""Reading friction problems in the text form of Siconos, as its function ``frictionContact_printInFile`` writes them.

======================  =================================================================================================
lines                   what is there
======================  =================================================================================================
dimension, contacts     2 or 3, and how many contacts
storage, rows, columns  of the matrix: 0 dense, 1 by sparse blocks, 2 sparse
the matrix              see below
q, mu                   the offset, and a coefficient for each contact; very old files then have a 0 or a 1 more
======================  =================================================================================================

======================  =================================================================================================
matrix                  what is there
======================  =================================================================================================
dense                   rows and columns once more; the numbers, column after column
sparse blocks           the number of blocks; of block rows and block columns; where each block row ends, and each block
                        column; how many pointers and how many columns follow; for each block row the number of its first
                        block, and of all; the block column of each block; then each block, its number before it, column
                        after column
sparse                  the kind, 1 triplets, 2 compressed columns, 3 compressed rows; CSparse's own print-out, with six
                        digits: its version, its sizes, and lines ``row column : number``, or ``col j : locations p to q``
                        and below it ``row : number``
======================  =================================================================================================

A print-out of six digits is not positive semidefinite any more, as a rule: the argument ``repair`` takes it.

Source: Siconos, ``FrictionContactProblem``, ``NumericsMatrix``, ``SparseBlockMatrix``, ``CSparseMatrix`` (the formats, from
their writers, and the files of its tests).
"""

from __future__ import annotations

import os

from pluecker.contact.arguments import as_number
from pluecker.contact.errors import FileError, ProblemError
from pluecker.contact.friction.files.fclib import read_fclib, to_problem
from pluecker.contact.friction.files.fclib_forms import LocalForm
from pluecker.contact.friction.files.hdf5 import SIGNATURE, file_error, to_path
from pluecker.contact.friction.files.siconos_text import STORAGES, Text
from pluecker.contact.friction.problem.problem import PART, Problem
from pluecker.spatial.files import open_file, read_file, reason_of

__all__ = ["read_problem", "read_siconos"]

LARGEST_FILE = 2**29  # bytes of a file, whose words take ten times as much


def read_form(text: Text) -> LocalForm:
    """Read all that is in the file."""
    dimension, contacts = text.integer("the dimension"), text.integer("the number of contacts")
    if dimension not in (2, 3):
        raise text.complain(f"the dimension is {dimension}, expected 2 or 3, of a friction problem of Siconos", 2)
    storage, rows, columns = (text.integer(f"the {what} of the matrix") for what in ("storage", "rows", "columns"))
    if storage not in (0, 1, 2):
        raise text.complain(f"the storage of the matrix is {storage}, expected 0, 1 or 2", 3)
    size = dimension * contacts
    if contacts < 0 or (rows, columns) != (size, size):
        raise text.complain(
            f"the matrix is {rows} by {columns}, expected {size} by {size} for {contacts} contacts of {dimension} "
            "components; problems in the global form are not read",
            1,
        )
    if size > text.rest:
        raise text.complain(f"{contacts} contacts cannot be in {text.rest} numbers that follow: the file is cut off", 1)
    W = STORAGES[storage](text, size)
    q, mu = text.numbers(size, "q"), text.numbers(contacts, "mu")
    if text.rest == 1 and text.words[text.next] in ("0", "1"):  # whether it is complete, in old files
        text.next += 1
    if text.rest:
        raise text.complain(f"has {text.rest} numbers more than the problem, {text.words[text.next][:40]!r} the first")
    return LocalForm(W, q, mu, dimension)


def read_siconos(path: str | os.PathLike[str], *, repair: float = 0.0) -> Problem:
    """Read the friction problem of a file in the text form of Siconos.

    Contacts keep their order, each (normal, tangent 1, tangent 2), or (normal, tangent) in the plane. The matrix is
    replaced by its symmetric part, as by :func:`~pluecker.contact.friction.files.fclib.read_fclib`.

    Args:
        path: a file as ``frictionContact_printInFile`` writes it: a matrix dense, by sparse blocks or sparse.
        repair: how far the matrix may be moved to be positive semidefinite, as a part of its largest eigenvalue, see
            :meth:`Problem.from_delassus`; sparse matrices are printed with six digits and need about 1e-5. ``moved`` of the
            problem says how far it was.

    Returns:
        The problem, with an assembled operator.

    Raises:
        ArgumentTypeError: an argument of another type.
        FileError: the file cannot be read or is cut off, or is something else; sizes disagree, a number is not finite or a
            coefficient negative, or the matrix is far from symmetric, or further from semidefinite than ``repair``. The
            message names the file and the line.

    Source: see the head of the file; Acary, Bremond, Koziara, Perignon, FCLIB: a collection of discrete 3D frictional
    contact problems (2014), for the form.

    Example:
        >>> import os, tempfile
        >>> from pluecker.contact import read_siconos
        >>> text = "2 1   0 2 2   2 2  1.0 0.0 0.0 1.0   -1.0 3.0   0.5"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "sliding.dat")
        ...     with open(path, "w") as file:
        ...         _ = file.write(text)
        ...     problem = read_siconos(path)
        >>> problem.blocks, problem.offset.tolist()
        (1, [-1.0, 3.0])
    """
    file = to_path("read_siconos", path)
    repair = as_number("repair", repair, PART, 0.0, 1.0, zero=True)
    try:
        content = read_file(file, LARGEST_FILE)
    except IsADirectoryError:
        raise file_error(file, "", "this is a folder, expected a text of Siconos") from None
    except (OSError, ValueError) as error:
        raise file_error(file, "", f"cannot be read ({reason_of(error)})") from None
    if not content.strip():
        raise file_error(file, "", "the file is empty, expected a text of Siconos")
    try:
        return to_problem(read_form(Text(file, content)), repair)
    except FileError:
        raise
    except ProblemError as error:
        raise file_error(file, "", str(error)) from None


def read_problem(path: str | os.PathLike[str], *, form: str | None = None, repair: float = 0.0) -> Problem:
    """Read a friction problem, in FCLIB's layout or in Siconos' text form, whose files begin with a whole number."""
    try:
        with open_file(to_path("read_problem", path)) as file:
            start = file.read(64)
    except (OSError, ValueError):
        start = SIGNATURE
    word = start.split()[:1]
    if word and word[0].isdigit() and form is None:
        return read_siconos(path, repair=repair)
    return read_fclib(path, form=form, repair=repair)
