"""The Jacobian of all bodies and its rate, as matrices: dense, or sparse by the shape of the tree.

A block of six numbers is there for each body and each coordinate on its way to the world; all others are zero.

Sources: Wang et al. (2019); source document 002, equations (24) and (25), algorithms 1 and 2 (docs/sources.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.frames.jacobian_rows import (
    COLUMN,
    jacobian_and_rate_rows,
    jacobian_rows,
    row_table,
)
from pluecker.articulated.model.layout import link_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, as_floats, as_model
from pluecker.articulated.running.fields import STANDARD, Field
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import tail
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, shown

__all__ = ["body_jacobian", "body_jacobian_dot", "sparse_body_jacobian", "sparse_body_jacobian_dot"]

TRANSFORM = 12  # the workspace: of each link its transform; then, for the rate, all rows of the Jacobian
FORMATS = ("bsr", "csr")


@kernel
def body_jacobian_kernel(m, c, q, J, ws):
    """Compute all rows, in the order of the links"""
    jacobian_rows(m, c, q, J, ws)


@kernel
def body_jacobian_dot_kernel(m, c, q, v, Jdot, ws):
    """Compute all rows of the rate, in the order of the links"""
    jacobian_and_rate_rows(m, c, q, v, tail(ws, TRANSFORM * (link_count(m) + 1)), Jdot, ws)


# ------------------------------------------------------------------------------------------------------------ the patterns


@dataclass(frozen=True)
class Pattern:
    """Pattern of a sparse matrix, and the order of the kernel's numbers in it.

    Attributes:
        order: for each number that is stored, its index among those of the kernel.
        indices: the columns, as in SciPy's formats BSR and CSR.
        indptr: the beginnings of the rows in ``indices``, as there.
    """

    order: NDArray[np.int64]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int32]


def dense_order(model: Model) -> NDArray[np.int64]:
    """Return for each entry of the dense matrix its index among the numbers of all rows; 0 where it is always zero."""
    order = np.zeros((model.n_bodies, COLUMN, model.nv), dtype=np.int64)
    for b, (first, columns) in enumerate(row_table(model).of_bodies()):
        order[b][:, columns] = first + COLUMN * np.arange(len(columns)) + np.arange(COLUMN)[:, None]
    return order.ravel()


def pattern(model: Model, form: str) -> Pattern:
    """Return the pattern of the block-sparse (BSR) or row-sparse (CSR) matrix, columns in order; kept with the model."""
    key = pattern, form
    found: Pattern | None = model.tables.get(key)
    if found is not None:
        return found
    places, indices, counts = [], [], []
    for first, columns in row_table(model).of_bodies():
        sorting = np.argsort(columns)
        block = first + COLUMN * sorting[:, None] + np.arange(COLUMN)  # a column of six after the other
        places.append(block.ravel() if form == "bsr" else block.T.ravel())
        repeated = 1 if form == "bsr" else COLUMN
        indices += [columns[sorting]] * repeated
        counts += [len(columns)] * repeated
    nothing = [np.empty(0, dtype=np.int64)]
    found = Pattern(
        np.concatenate(places + nothing),
        np.concatenate(indices + nothing).astype(np.int32),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
    )
    model.tables[key] = found
    return found


def order(model: Model, form: str) -> NDArray[np.int64]:
    """Return for each entry of the result its index among the kernel's numbers."""
    return dense_order(model) if form == "dense" else pattern(model, form).order


def height(model: Model, form: str) -> int:
    """Return the number of rows of the dense matrix; the numbers of a sparse one are in one row."""
    return COLUMN * model.n_bodies if form == "dense" else 1


def width(model: Model, form: str) -> int:
    """Return the number of columns of the dense matrix, or how many numbers a sparse one holds."""
    return model.nv if form == "dense" else len(pattern(model, form).order)


def sparse_matrix(algorithm: Algorithm, model: Model, form: Any, **inputs: ArrayLike) -> Any:
    """Compute the sparse matrix of one state, with its own copy of the pattern."""
    model = as_model(f"sparse_{algorithm.name}", model)
    check_one_state(f"sparse_{algorithm.name}", model, form, inputs)
    try:
        numbers = algorithm.call(model, tuple(inputs.values()), None, 1, (form,))
    except PlueckerError as error:  # which names the algorithm
        raise type(error)(f"sparse_{error}") from None
    import scipy.sparse  # here: it takes long to import

    size = (COLUMN * model.n_bodies, model.nv)
    found = pattern(model, form)
    data, indices, indptr = numbers[0], found.indices.copy(), found.indptr.copy()
    if form == "csr":
        return scipy.sparse.csr_array((data, indices, indptr), shape=size)
    blocks = data.reshape(-1, COLUMN, 1)
    return scipy.sparse.bsr_array((blocks, indices, indptr), shape=size, blocksize=(COLUMN, 1))


BODY_JACOBIAN = Algorithm(
    "body_jacobian",
    body_jacobian_kernel,
    inputs=("q",),
    outputs=(Field("J", (height, width)),),
    constants=lambda model, form: row_table(model).packed,
    workspace=lambda model, form: TRANSFORM * (model.n_links + 1),
    order=order,
)
BODY_JACOBIAN_DOT = Algorithm(
    "body_jacobian_dot",
    body_jacobian_dot_kernel,
    inputs=("q", "v"),
    outputs=(Field("Jdot", (height, width)),),
    constants=lambda model, form: row_table(model).packed,
    workspace=lambda model, form: TRANSFORM * (model.n_links + 1) + row_table(model).size,
    order=order,
)


def body_jacobian(model: Model, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """The Jacobian of all bodies: ``phi = J v``, with the spatial velocities of the bodies one below the other.

    Rows ``6 k`` to ``6 k + 5`` are those of body ``k``, in body coordinates, of its origin, angular part first:
    ``(J @ v).reshape(-1, 6)`` is :func:`body_velocities`, which gives the product without the matrix. The transposed one
    turns wrenches on the bodies into joint forces, :func:`body_jacobian_transpose_times`. The inertia matrix is ``J' M J``.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        J, ``(..., 6 n_bodies, nv)``.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, body_jacobian
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("slide", "prismatic", parent="world", child="rod", axis=(0, 1, 0))
        >>> body_jacobian(arm.build(), q=[0.3]).T
        array([[0., 0., 0., 0., 1., 0.]])

    Source: Wang et al. (2019); source document 002, equation (25) and algorithm 1 (docs/sources.md).
    """
    return BODY_JACOBIAN.call(model, (q,), out, threads, ("dense",))


def body_jacobian_dot(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """The rate of change of :func:`body_jacobian`, entry by entry, while the mechanism moves with velocity ``v``.

    The rate of the bodies' velocities is ``J a + Jdot v``: :func:`body_accelerations`. Products of Jdot with any vector
    without the matrix: :func:`body_jacobian_dot_times`.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        out, threads: as for :func:`body_jacobian`.

    Returns:
        Jdot, ``(..., 6 n_bodies, nv)``.

    Raises:
        ValueError, TypeError: as :func:`body_jacobian`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, body_jacobian_dot
        >>> arm = ModelBuilder()
        >>> for k, parent in enumerate(("world", "b0")):
        ...     arm.add_body(f"b{k}", mass=2.0)
        ...     arm.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 0, 1), position=(k, 0, 0))
        >>> Jdot = body_jacobian_dot(arm.build(), [0.0, 0.0], [0.0, 3.0])
        >>> print(Jdot[9, 0])  # the axes of the second body turn away from its velocity along y
        3.0

    Source: Wang et al. (2019); source document 002, algorithm 2 (docs/sources.md).
    """
    return BODY_JACOBIAN_DOT.call(model, (q, v), out, threads, ("dense",))


def sparse_body_jacobian(model: Model, q: ArrayLike, *, format: str = "csr") -> Any:
    """:func:`body_jacobian` of one state as a sparse matrix, whose pattern is that of bodies and their ancestors.

    Time and memory are proportional to the number of pairs of a body and a coordinate on its way to the world. The pattern
    is the same in every configuration: entries that happen to be zero are stored.

    Args:
        model: the mechanism.
        q: configuration, ``(nq,)``.
        format: ``"csr"``, or ``"bsr"`` with a block of shape (6, 1) for each pair.

    Returns:
        J, ``(6 n_bodies, nv)``, as ``scipy.sparse.csr_array`` or ``bsr_array``, columns in order. For a batch ``(..., nq)``
        use :func:`body_jacobian`.

    Raises:
        ValueError, TypeError: as :func:`body_jacobian`; several states, or a format that is not one of these.

    Example:
        >>> from pluecker.articulated import ModelBuilder, sparse_body_jacobian
        >>> pair = ModelBuilder()
        >>> for name in ("left", "right"):
        ...     pair.add_body(name, mass=2.0)
        ...     pair.add_joint(f"hinge_{name}", "revolute", parent="world", child=name, axis=(0, 1, 0))
        >>> J = sparse_body_jacobian(pair.build(), q=[0.0, 0.0], format="bsr")
        >>> J.shape, J.data.shape  # two blocks of six numbers; nothing for one body and the other's joint
        ((12, 2), (2, 6, 1))

    Source: Wang et al. (2019); source document 002, equation (25) and algorithm 1 (docs/sources.md).
    """
    return sparse_matrix(BODY_JACOBIAN, model, format, q=q)


def sparse_body_jacobian_dot(model: Model, q: ArrayLike, v: ArrayLike, *, format: str = "csr") -> Any:
    """:func:`body_jacobian_dot` of one state as a sparse matrix, of the same pattern as :func:`sparse_body_jacobian`.

    Args:
        model: the mechanism.
        q: configuration, ``(nq,)``.
        v: velocity, ``(nv,)``.
        format: ``"csr"``, or ``"bsr"`` with a block of shape (6, 1) for each pair.

    Returns:
        Jdot, ``(6 n_bodies, nv)``. For a batch ``(..., nq)`` use :func:`body_jacobian_dot`.

    Raises:
        ValueError, TypeError: as :func:`sparse_body_jacobian`.

    Source: Wang et al. (2019); source document 002, algorithm 2 (docs/sources.md).
    """
    return sparse_matrix(BODY_JACOBIAN_DOT, model, format, q=q, v=v)


def check_one_state(name: str, model: Model, format: Any, inputs: dict[str, ArrayLike]) -> None:
    """A known format, and inputs without leading axes."""
    expected = " or ".join(repr(form) for form in FORMATS)
    if not isinstance(format, str):
        raise ArgumentTypeError(f"{name}: format is a {type(format).__name__}, expected {expected}")
    if format not in FORMATS:
        raise ArgumentValueError(f"{name}: format is {shown(format)}, expected {expected}")
    for key, value in inputs.items():
        shape = np.shape(as_floats(name, model, STANDARD[key], value))
        if len(shape) != 1:
            raise ArgumentValueError(f"{name}: {key} has shape {shape}, expected one state, ({shape[-1]},)")
