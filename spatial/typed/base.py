"""Base class of all typed quantities: batches, arithmetic, equality within rounding.

A typed quantity is an array with a meaning: its last axes hold coordinates of M6 or F6, its leading axes are a batch, and it
may carry the names of the frames that the coordinates belong to. It never changes.

**Equality.** ``a == b`` is one bool: the same kind, the same batch shape, frames that agree, and coordinates that agree
within 1e-12 of their size, which :mod:`~pluecker.spatial.typed.frames` defines. It does not raise: quantities of different
kinds or frames are not equal. :meth:`Typed.isclose` takes other tolerances, gives one answer for each entry of a batch, and
insists on one kind and one frame. Equality with a tolerance is not transitive, so there is no hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from numbers import Number
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    EntryIndexError,
    PlueckerError,
    ReadOnlyError,
)
from pluecker.spatial.functions.arguments import Array, as_floats
from pluecker.spatial.typed.frames import F6, M6, common_frame, frame_name, sizes
from pluecker.spatial.typed.numpy_protocol import FromNumPy, leading_axes
from pluecker.spatial.typed.text import SHOWN, bmatrix, frame_latex, written

__all__ = ["Typed", "noun"]

ROUNDING = 1e-12
PLAIN = (Number, np.ndarray, np.generic, list, tuple)  # what has numbers, but neither space nor frame

T = TypeVar("T", bound="Typed")


def is_operand(thing: Any) -> bool:
    """Return whether operators take an operand or say why not; for others they return NotImplemented."""
    return isinstance(thing, (Typed, *PLAIN))


def noun(thing: Any) -> str:
    """Return the word for an operand in a message."""
    if isinstance(thing, Typed):
        return thing._noun
    if isinstance(thing, (Number, np.generic)):
        return "number"
    return "array" if isinstance(thing, PLAIN) else type(thing).__name__


def why_not_together(a: Typed, b: Any) -> str:
    """Say why two operands have no sum."""
    if not isinstance(b, Typed):
        zero = isinstance(b, Number) and b == 0 and hasattr(a, "zero")
        start = f"; sum() takes a start, {type(a).__name__}.zero()" if zero else ""
        return f"an array has neither space nor frame, make it a {type(a).__name__} first{start}"
    if {a._spaces, b._spaces} == {(M6,), (F6,)}:
        return "M6 and F6 are dual spaces, their elements cannot be added or compared (course, section 24)"
    return "they are not elements of one vector space"


class Typed(FromNumPy):
    """A typed quantity: a read-only array, and the names of its frames."""

    __slots__ = ()
    _noun: ClassVar[str]
    _symbol: ClassVar[str]  # in LaTeX
    _frame_names: ClassVar[tuple[str, ...]] = ("frame",)

    # ------------------------------------------------------------------------------------------------- making, not changing

    def _set(self, values: Array, frames: tuple[str | None, ...]) -> None:
        """Fill a new object with an array that nobody else writes to."""
        values = as_floats(type(self).__name__, "the result", values, (6,) * len(self._spaces))
        values.setflags(write=False)
        object.__setattr__(self, "_values", values.view())  # a view of what is read-only can never be made writeable
        names = [frame_name(type(self).__name__, *item) for item in zip(self._frame_names, frames, strict=True)]
        object.__setattr__(self, "_frames", tuple(names))

    @classmethod
    def _make(cls: type[T], values: Array, *frames: str | None) -> T:
        """A new object from the result of an operation."""
        self = object.__new__(cls)
        self._set(values, frames)
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ReadOnlyError(f"{name} cannot be set: a {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise ReadOnlyError(f"{name} cannot be deleted: a {type(self).__name__} does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._make, (self._values, *self._frames)

    # --------------------------------------------------------------------------------------------------------------- batches

    @property
    def shape(self) -> tuple[int, ...]:
        """The leading axes: ``()`` for a single quantity."""
        return self._values.shape[: self._values.ndim - len(self._spaces)]

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentTypeError(f"a single {type(self).__name__} has no length, only a batch has")
        return self.shape[0]

    def __iter__(self: T) -> Iterator[T]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self: T, key: Any) -> T:
        key = key if isinstance(key, tuple) else (key,)
        try:
            np.broadcast_to(np.empty(()), self.shape)[key]  # so that no index reaches the coordinates
        except (IndexError, TypeError, ValueError, OverflowError) as error:
            kind: type[PlueckerError] = EntryIndexError
            if not isinstance(error, IndexError):
                kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentValueError
            raise kind(f"{type(self).__name__}: {error}; an index chooses among the entries of a batch") from None
        dots = any(part is Ellipsis for part in key)
        values = self._values[key + ((slice(None),) * len(self._spaces) if dots else (Ellipsis,))]
        return self._make(values, *self._frames)

    def __bool__(self) -> NoReturn:
        raise ArgumentTypeError(f"a {type(self).__name__} is neither true nor false; compare it with == or isclose")

    def sum(self: T, axis: int | tuple[int, ...] | None = None) -> T:
        """The sum over leading axes: all of them, or those given.

        Raises:
            ValueError: there is no such axis.
        """
        count = len(self.shape)
        places = leading_axes(f"{type(self).__name__}.sum", range(count) if axis is None else axis, count)
        with np.errstate(all="ignore"):
            return self._make(self._values.sum(axis=places), *self._frames)

    # ------------------------------------------------------------------------------------------------------------ arithmetic

    def _refuse(self, operation: str, other: Any, reason: str, reflected: bool = False) -> NoReturn:
        names = (noun(other), self._noun) if reflected else (self._noun, noun(other))
        raise ArgumentTypeError(f"{operation.join(names)}: {reason}")

    def _together(self, other: Any, operation: str, reflected: bool = False) -> tuple[type[Any], list[str | None]]:
        """Return the kind and the frames of the result of two quantities: the more general kind of the two."""
        kinds = [kind for kind in (type(self), type(other)) if isinstance(self, kind) and isinstance(other, kind)]
        if not kinds:
            self._refuse(operation, other, why_not_together(self, other), reflected)
        operation = f"{self._noun}{operation}{noun(other)}"
        frames = [common_frame(operation, *pair) for pair in zip(self._frames, other._frames, strict=True)]
        return kinds[0], frames

    def _broadcast(self, operation: str, other: Any, function: Callable[..., Array], values: Array) -> Array:
        try:
            with np.errstate(all="ignore"):
                return function(self._values, values)
        except ValueError:
            shapes = f"{self.shape} and {np.shape(other)}"
            raise ArgumentValueError(
                f"{self._noun}{operation}{noun(other)}: the batches do not broadcast: {shapes}"
            ) from None

    def _combined(self, other: Any, operation: str, function: Callable[..., Array]) -> Any:
        if not is_operand(other):
            return NotImplemented
        kind, frames = self._together(other, operation)
        return kind._make(self._broadcast(operation, other, function, other._values), *frames)

    def _scaled(self: T, other: Any, operation: str, function: Callable[..., Array]) -> T:
        if isinstance(other, Typed):
            self._refuse(
                operation, other, "only real numbers scale; the products of two quantities are a.dot(b) and a @ b"
            )
        if not isinstance(other, PLAIN):
            return NotImplemented
        factor = as_floats(f"{self._noun}{operation}{noun(other)}", "the factor", other, ())
        factor = factor.reshape(factor.shape + (1,) * len(self._spaces))
        return self._make(self._broadcast(operation, other, function, factor), *self._frames)

    def __add__(self: T, other: T) -> T:
        return self._combined(other, " + ", np.add)

    def __sub__(self: T, other: T) -> T:
        return self._combined(other, " - ", np.subtract)

    def __radd__(self, other: object) -> Any:
        return self._together(other, " + ", True) if isinstance(other, PLAIN) else NotImplemented

    def __rsub__(self, other: object) -> Any:
        return self._together(other, " - ", True) if isinstance(other, PLAIN) else NotImplemented

    def __mul__(self: T, other: ArrayLike) -> T:
        return self._scaled(other, " * ", np.multiply)

    __rmul__ = __mul__

    def __truediv__(self: T, other: ArrayLike) -> T:
        return self._scaled(other, " / ", np.true_divide)

    def __rtruediv__(self, other: object) -> Any:
        return self._refuse(" / ", other, "no quantity divides", True) if isinstance(other, PLAIN) else NotImplemented

    def __neg__(self: T) -> T:
        return self._make(-self._values, *self._frames)

    def __pos__(self: T) -> T:
        return self

    def __rmatmul__(self, other: object) -> Any:
        reason = f"make the array a transform or an inertia first, or multiply it by {self._array}"
        return self._refuse(" @ ", other, reason, True) if isinstance(other, PLAIN) else NotImplemented

    # -------------------------------------------------------------------------------------------------------------- equality

    def isclose(self, other: Any, rtol: Any = ROUNDING, atol: Any = 0.0) -> Any:
        """Return whether the coordinates agree within tolerances, for each entry of a batch.

        Args:
            other: a quantity of the same kind in the same frame; the leading axes broadcast.
            rtol: allowed difference, relative to the size of both (:mod:`~pluecker.spatial.typed.frames`).
            atol: allowed difference in any coordinate, in its SI unit. Needed to compare with zero.

        Returns:
            Booleans, ``(...)``.

        Raises:
            TypeError, ValueError: ``other`` is of another kind; it is in another frame, or the batches do not broadcast.
        """
        self._together(other, " isclose ")
        rtol, atol = (as_floats("isclose", name, x, ()) for name, x in (("rtol", rtol), ("atol", atol)))
        if rtol.ndim or atol.ndim:
            raise ArgumentValueError(
                f"isclose: rtol has shape {rtol.shape}, atol {atol.shape}, expected one number each"
            )
        difference = np.abs(self._broadcast(" isclose ", other, np.subtract, other._values))
        with np.errstate(all="ignore"):
            allowed = atol + rtol * np.maximum(sizes(self._values, self._spaces), sizes(other._values, self._spaces))
        return (difference <= allowed).all(axis=tuple(range(-len(self._spaces), 0)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PLAIN):
            return False
        if not isinstance(other, Typed):
            return NotImplemented
        try:
            return self.shape == other.shape and bool(self.isclose(other).all())
        except (TypeError, ValueError):
            return False

    __hash__ = None  # type: ignore[assignment]

    # ------------------------------------------------------------------------------------------- transforming, writing out

    def _transformed(self, X: Array) -> Array:
        """The coordinates in the target frame of a transform."""
        raise NotImplementedError

    @classmethod
    def _fields(cls, values: Array) -> Mapping[str, Array]:
        """The arguments of the constructor that are arrays."""
        return {"matrix": values}

    def __repr__(self) -> str:
        frames = dict(zip(self._frame_names, self._frames, strict=True))
        first = self._values.reshape(-1, *self._values.shape[len(self.shape) :])[:SHOWN]
        return written(type(self).__name__, self.shape, self._fields(first), frames)

    def _latex_name(self) -> str:
        """The symbol, with the frame where such vectors carry it: above, on the left."""
        frame = frame_latex(self._frames[0])
        return rf"{{}}^{{{frame}}}{self._symbol}" if frame else self._symbol

    def _repr_latex_(self) -> str | None:
        """An equation for notebooks; None for a batch, which is then shown by ``repr``."""
        if self.shape:
            return None
        return rf"$\displaystyle {self._latex_name()} = {bmatrix(self._values.reshape(6, -1))}$"
