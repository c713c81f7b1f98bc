"""Views of dual numbers, and of the lanes in a workspace of numbers, in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import lower_builtin, overload, type_callable

from pluecker.spatial.engine.codegen.duals import duals, second_duals
from pluecker.spatial.engine.codegen.views import View, make_view, parts
from pluecker.spatial.engine.compiled.numba_internals import TAUGHT
from pluecker.spatial.engine.memory.addresses import address_of, rows_at
from pluecker.spatial.engine.memory.joined import as_rows, join, join_second
from pluecker.spatial.engine.scalars.lanes import WIDTH


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


@overload(as_rows, jit_options=TAUGHT)
def _as_rows(numbers):
    return lambda numbers: rows_at(address_of(numbers), len(numbers) // WIDTH)
