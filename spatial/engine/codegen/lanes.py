"""The scalar ``lanes``: eight numbers that move together, one state of a batch in each.

A value of this type is one LLVM vector of eight doubles: one register of AVX-512, two of AVX2, four of SSE2 or NEON.
An algorithm that meets it instead of ``float64`` does the arithmetic of eight states in each instruction, and nothing in
its source says so.

The type exists in compiled code only. It comes out of a *scalar array* with an axis more than usual: where an array of
shape ``(n,)`` holds the numbers of one state, an array of shape ``(n, 8)`` holds those of eight, and entry ``k`` is its
row ``k`` (:mod:`pluecker.spatial.engine.codegen.views`).

Here are the arithmetic, between lanes and with ordinary numbers, which stand for the same number in all lanes; the
functions of :mod:`pluecker.spatial.engine.scalars.operations`; and those of :mod:`pluecker.spatial.engine.scalars.lanes`,
for what has to be done lane by lane. ``mask`` is the type of a condition that holds in some lanes and not in others.

Everything is built with Numba's public ``numba.extending``. In each lane NaN and infinity behave as in ``float64``.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable

from pluecker.spatial.engine.compiled.numba_internals import Named, cgutils, means
from pluecker.spatial.engine.compiled.settings import OPTIONS
from pluecker.spatial.engine.scalars.lanes import WIDTH, everywhere, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import lift, select, sign, smaller, sqrt, within

__all__ = [
    "DOUBLE",
    "FUSE",
    "INT",
    "LONG",
    "VECTOR",
    "broadcast",
    "define",
    "function_of_llvm",
    "lanes",
    "mask",
    "spread",
]

DOUBLE, LONG, INT = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
VECTOR, CONDITION = ir.VectorType(DOUBLE, WIDTH), ir.VectorType(ir.IntType(1), WIDTH)
FUSE = ("contract",)  # a product and a sum may become one instruction, with one rounding


class Lanes(Named):
    """Eight doubles in one vector."""


class Mask(Named):
    """Eight truth values in one vector."""


lanes, mask = Lanes("lanes"), Mask("mask")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """Representation of lanes, in registers and in memory: a vector of eight doubles."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, VECTOR)


@register_model(Mask)
class MaskModel(models.PrimitiveModel):
    """Representation of a mask, in registers and in memory: a vector of eight bits."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, CONDITION)


def spread(context: Any, builder: Any, x_type: Any, x: Any) -> Any:
    """Broadcast a number to all lanes; lanes and masks stay as they are."""
    if x_type in (lanes, mask):
        return x
    return broadcast(builder, context.cast(builder, x, x_type, types.float64))


def broadcast(builder: Any, number: Any) -> Any:
    """A vector of one number."""
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, INT(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(INT, WIDTH), [0] * WIDTH))


# ------------------------------------------------------------------------------------- what is done in all lanes at once


def define(function: Callable[..., Any], pattern: str, result: Any, generate: Callable[..., Any]) -> None:
    """Give ``function`` a meaning for lanes: ``generate`` emits it for a builder and its arguments, all of them vectors.

    The pattern has one letter an argument: ``x`` for lanes, or a number that is spread to all of them; ``m`` for a mask.
    There is a letter ``m``, or at least one argument is lanes.
    """
    choices = [(Mask,) if letter == "m" else (Lanes, types.Number) for letter in pattern]
    cases = [case for case in itertools.product(*choices) if Lanes in case or Mask in case]

    def typer(*arguments):
        fits = any(all(map(isinstance, arguments, case)) for case in cases)
        return result if fits and not any(isinstance(t, types.Complex) for t in arguments) else None

    # Numba wants to know the number of arguments.
    shaped = (lambda a: typer(a), lambda a, b: typer(a, b), lambda a, b, c: typer(a, b, c))[len(pattern) - 1]
    type_callable(function)(lambda context: shaped)

    def lower(context, builder, signature, arguments):
        vectors = map(spread, itertools.repeat(context), itertools.repeat(builder), signature.args, arguments)
        return generate(builder, *vectors)

    for case in cases:
        lower_builtin(function, *case)(lower)


def function_of_llvm(builder: Any, name: str, *values: Any) -> Any:
    """Emit a call of LLVM's own function (intrinsic) of that name for numbers or vectors."""
    kind = values[0].type
    function_type = ir.FunctionType(kind, [kind] * len(values))
    suffix = f"v{WIDTH}f64" if kind == VECTOR else "f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, f"llvm.{name}.{suffix}"), values)


def less(builder: Any, x: Any, y: Any) -> Any:
    """x < y, false where one is NaN."""
    return builder.fcmp_ordered("<", x, y)


def sign_of(builder: Any, x: Any) -> Any:
    """-1, 0 or 1; NaN where x is NaN."""
    zero, one, minus = (ir.Constant(VECTOR, [number] * WIDTH) for number in (0.0, 1.0, -1.0))
    nonzero = builder.select(less(builder, zero, x), one, builder.select(less(builder, x, zero), minus, zero))
    return builder.select(builder.fcmp_unordered("uno", x, x), x, nonzero)


define(operator.add, "xx", lanes, lambda builder, x, y: builder.fadd(x, y, flags=FUSE))
define(operator.sub, "xx", lanes, lambda builder, x, y: builder.fsub(x, y, flags=FUSE))
define(operator.mul, "xx", lanes, lambda builder, x, y: builder.fmul(x, y, flags=FUSE))
define(operator.truediv, "xx", lanes, lambda builder, x, y: builder.fdiv(x, y))
define(operator.neg, "x", lanes, lambda builder, x: builder.fneg(x))
define(operator.pos, "x", lanes, lambda builder, x: x)
define(sqrt, "x", lanes, lambda builder, x: function_of_llvm(builder, "sqrt", x))
define(sign, "x", lanes, sign_of)
define(smaller, "xx", mask, less)
define(select, "mxx", lanes, lambda builder, condition, x, y: builder.select(condition, x, y))
define(lift, "xx", lanes, lambda builder, number, like: number)


# ------------------------------------------------------------------------- between lanes and numbers, and lane by lane


@means(everywhere)
def _everywhere(typing, number):
    """A number in all lanes."""

    def generate(context, builder, signature, arguments):
        return spread(context, builder, signature.args[0], arguments[0])

    return lanes(number), generate


@means(get_lane)
def _get_lane(typing, x, k):
    """Lane ``k`` of ``x``, a float."""
    return types.float64(x, k), lambda context, builder, signature, arguments: builder.extract_element(*arguments)


@means(set_lane)
def _set_lane(typing, x, k, number):
    """``x`` with ``number`` in lane ``k``."""

    def generate(context, builder, signature, arguments):
        x, k, number = arguments
        return builder.insert_element(x, context.cast(builder, number, signature.args[2], types.float64), k)

    return lanes(x, k, number), generate


@intrinsic
def all_within(typing, x, bound):
    """Return whether |x| <= bound in all lanes."""

    def generate(context, builder, signature, arguments):
        limit = spread(context, builder, signature.args[1], arguments[1])
        holds = builder.fcmp_ordered("<=", function_of_llvm(builder, "fabs", arguments[0]), limit)
        packed = builder.bitcast(holds, ir.IntType(WIDTH))
        return builder.icmp_unsigned("==", packed, ir.Constant(packed.type, 2**WIDTH - 1))

    return types.boolean(x, bound), generate


@overload(within, jit_options=OPTIONS)
def _within(x, bound):
    return (lambda x, bound: all_within(x, bound)) if x == lanes else None
