"""Views of dual numbers, and of the lanes in a workspace of numbers.

Whoever differentiates has one workspace of numbers. A part of it that begins where vectors may is a view of lanes too, and
with values beside it a view of dual numbers. Without compilation, lanes are rows of a NumPy array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config
from numba.extending import lower_builtin, type_callable

from pluecker.spatial.engine.memory.arrays import rows_of
from pluecker.spatial.engine.memory.views import View, make_view, parts
from pluecker.spatial.engine.scalars.duals import duals, second_duals
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.plain_duals import JoinedArray, RowArray

__all__ = ["as_rows", "join", "join_second"]


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


def as_rows(numbers):
    """View numbers as lanes, as far as they fill rows of eight; they begin at a multiple of 64 bytes."""
    return RowArray(numbers[: len(numbers) // WIDTH * WIDTH].reshape(-1, WIDTH))


if not config.DISABLE_JIT:
    as_rows = rows_of
