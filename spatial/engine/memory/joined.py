"""Views of dual numbers, and of the lanes in a workspace of numbers.

Whoever differentiates has one workspace of numbers. A part of it that begins where vectors may is a view of lanes too, and
with values beside it a view of dual numbers. Without compilation, lanes are rows of a NumPy array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import lower_builtin, type_callable

from pluecker.spatial.engine.memory.views import View, make_view, parts
from pluecker.spatial.engine.scalars.duals import duals, second_duals
from pluecker.spatial.engine.scalars.lanes import LONG, WIDTH, lanes
from pluecker.spatial.engine.scalars.plain_duals import JoinedArray, RowArray

__all__ = ["as_rows", "from_next_line", "join", "join_second"]


def join(values, derivatives):
    """Dual numbers in memory, from a view of their values and one of lanes for their eight derivatives each."""
    return JoinedArray(values, derivatives)


def join_second(values, derivatives, along, changes):
    """Dual numbers of second order in memory, from four views: values and derivatives as :func:`join`; numbers for the
    derivatives along one more direction, and lanes for the eight derivatives of each of these.
    """
    return JoinedArray(values, derivatives, along, changes)


def joins(function: Callable[..., Any], scalar: Any) -> None:
    """Make ``function`` join views of all coefficients of that scalar."""
    fitting = tuple(View(kind) for kind in scalar.kinds)

    def typer(*views):
        return View(scalar) if views == fitting else None

    shaped = (lambda a, b: typer(a, b)) if len(fitting) == 2 else (lambda a, b, c, d: typer(a, b, c, d))
    type_callable(function)(lambda context: shaped)

    def lower(context, builder, signature, arguments):
        fields = [parts(context, builder, *pair) for pair in zip(signature.args, arguments, strict=True)]
        return make_view(context, builder, signature.return_type, *fields[0], [data for data, _ in fields[1:]])

    lower_builtin(function, *[View] * len(fitting))(lower)


joins(join, duals)
joins(join_second, second_duals)


def from_next_line(numbers):
    """A view of numbers without those, at most seven, that come before the next multiple of 64 bytes."""
    return numbers


@type_callable(from_next_line)
def type_from_next_line(context):
    """from_next_line(numbers)"""
    return lambda numbers: numbers if numbers == View(types.float64) else None


@lower_builtin(from_next_line, View)
def lower_from_next_line(context, builder, signature, arguments):
    """from_next_line(numbers)"""
    data, size = parts(context, builder, *signature.args, *arguments)
    skipped = builder.and_(builder.lshr(builder.neg(builder.ptrtoint(data, LONG)), LONG(3)), LONG(WIDTH - 1))
    rest = builder.sub(size, skipped)
    return make_view(context, builder, signature.return_type, builder.gep(data, [skipped], inbounds=True), rest)


def as_rows(numbers):
    """View numbers as lanes, as far as they fill rows of eight; they begin at a multiple of 64 bytes."""
    return RowArray(numbers[: len(numbers) // WIDTH * WIDTH].reshape(-1, WIDTH))


@type_callable(as_rows)
def type_as_rows(context):
    """as_rows(numbers)"""
    return lambda numbers: View(lanes) if numbers == View(types.float64) else None


@lower_builtin(as_rows, View)
def lower_as_rows(context, builder, signature, arguments):
    """as_rows(numbers)"""
    data, size = parts(context, builder, *signature.args, *arguments)
    return make_view(context, builder, signature.return_type, data, builder.sdiv(size, LONG(WIDTH)))
