"""The scalar ``duals``: a number, and how it changes in eight directions at once.

Computing with ``x + x1 e``, where ``e e = 0``, differentiates whatever is computed: ``f(x + x1 e) = f(x) + f'(x) x1 e``, to
rounding. Here ``x1`` holds eight numbers, one vector as of :mod:`~pluecker.spatial.engine.codegen.lanes`: a single run of an
algorithm gives its value and its derivatives in eight directions.

``second_duals`` have one more infinitesimal, d with ``d d = 0``, for one direction: ``x + x1 e + x2 d + x3 e d``. What
stands before ``e d`` in a result is how fast the eight derivatives change in that direction: second derivatives.

Both are the same algebra: a number has a *coefficient* for each set of infinitesimals, sets being counted in binary, 1 for e
and 2 for d. Coefficients of sets with e are vectors. A product sums over the ways to split a set in two. An ordinary number
has the first coefficient alone, and the others cost nothing.

Conditions look at the value: a derivative is that of the branch that is taken. Where there is none, as of the square root
at zero, coefficients are infinite or NaN. The type exists in compiled code only;
:mod:`~pluecker.spatial.engine.scalars.plain_duals` stands for it otherwise.

Sources: Griewank, Walther, *Evaluating Derivatives* (2008), sections 3.1 and 13.1; Fike, Alonso, "The development of
hyper-dual numbers for exact second-derivative calculations" (2011).
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable

from pluecker.spatial.engine.codegen.lanes import DOUBLE, FUSE, VECTOR, broadcast, lanes
from pluecker.spatial.engine.codegen.operations import NUMBER
from pluecker.spatial.engine.compiled.numba_internals import Named, means
from pluecker.spatial.engine.compiled.settings import OPTIONS
from pluecker.spatial.engine.scalars.duals import value
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import atan2, lift, select, sign, sincos, smaller, sqrt, within

__all__ = ["Duals", "assemble", "coefficients", "duals", "filled", "second_duals"]

Coefficients = list[Any]  # LLVM's numbers and vectors, None for zero


class Duals(Named):
    """Type of dual numbers: a number, and the coefficients of its infinitesimals."""

    def __init__(self, name: str, order: int) -> None:
        self.kinds = [lanes if m & 1 else types.float64 for m in range(2**order)]  # of the coefficients
        super().__init__(name)


duals, second_duals = Duals("duals", 1), Duals("second_duals", 2)


@register_model(Duals)
class DualsModel(models.StructModel):
    """Representation of a dual number: its coefficients."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, [(f"c{m}", kind) for m, kind in enumerate(fe_type.kinds)])


def coefficients(context: Any, builder: Any, x_type: Any, x: Any) -> Coefficients:
    """Return the coefficients of a dual number, or an ordinary number as the first one."""
    if isinstance(x_type, Duals):
        return [builder.extract_value(x, m) for m in range(len(x_type.kinds))]
    return [context.cast(builder, x, x_type, types.float64)]


def assemble(context: Any, builder: Any, kind: Any, x: Coefficients) -> Any:
    """Make a dual number of its coefficients; those that are missing are zero."""
    number = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for m, coefficient in enumerate(filled(kind, x)):
        number = builder.insert_value(number, coefficient, m)
    return number


def filled(kind: Any, x: Coefficients) -> Coefficients:
    """Return coefficients with zeros for those that are missing."""
    zeros = [ir.Constant(VECTOR, [0.0] * WIDTH) if own == lanes else DOUBLE(0.0) for own in kind.kinds]
    return [x[m] if m < len(x) and x[m] is not None else zero for m, zero in enumerate(zeros)]


# ------------------------------------------------------------------------------------------------------------- arithmetic


def combine(builder: Any, name: str, x: Any, y: Any) -> Any:
    """x + y, x - y or x y of coefficients that are not zero; of a number and a vector, a vector."""
    if x.type != y.type:
        x, y = (c if c.type == VECTOR else broadcast(builder, c) for c in (x, y))
    return getattr(builder, name)(x, y, flags=FUSE)


def plus(builder: Any, x: Any, y: Any) -> Any:
    return (x if y is None else y) if x is None or y is None else combine(builder, "fadd", x, y)


def minus(builder: Any, x: Any, y: Any) -> Any:
    if x is None or y is None:
        return x if y is None else builder.fneg(y)
    return combine(builder, "fsub", x, y)


def times(builder: Any, x: Any, y: Any) -> Any:
    return None if x is None or y is None else combine(builder, "fmul", x, y)


def paired(x: Coefficients, y: Coefficients) -> Any:
    return itertools.zip_longest(x, y)


def products(builder: Any, x: Coefficients, y: Coefficients, m: int, most: int) -> Any:
    """The sum of x_a y_b over the ways to split the set m into a and b, a below ``most``."""
    total = None
    for a in range(min(len(x), most)):
        if a & m == a and m ^ a < len(y):
            total = plus(builder, total, times(builder, x[a], y[m ^ a]))
    return total


def product(builder: Any, x: Coefficients, y: Coefficients) -> Coefficients:
    n = max(len(x), len(y))
    return [products(builder, x, y, m, n) for m in range(n)]


def quotient(builder: Any, x: Coefficients, y: Coefficients) -> Coefficients:
    """q from q y = x, set by set: q_m y_0 is what the smaller sets leave of x_m."""
    reciprocal = builder.fdiv(DOUBLE(1.0), y[0])
    q = [builder.fdiv(x[0], y[0])]
    for m in range(1, max(len(x), len(y))):
        rest = minus(builder, x[m] if m < len(x) else None, products(builder, q, y, m, m))
        q.append(times(builder, reciprocal, rest))
    return q


def define(function: Callable[..., Any], count: int, generate: Callable[..., Coefficients]) -> None:
    """Give ``function`` a meaning for so many dual or ordinary numbers, at least one of them dual: ``generate`` makes the
    coefficients of the result from those of the arguments."""

    def typer(*arguments):
        found = {t for t in arguments if isinstance(t, Duals)}
        ordinary = all(isinstance(t, types.Float | types.Integer | Duals) for t in arguments)
        return found.pop() if len(found) == 1 and ordinary else None

    # Numba wants to know the number of arguments.
    shaped = (lambda a: typer(a), lambda a, b: typer(a, b))[count - 1]
    type_callable(function)(lambda context: shaped)

    def lower(context, builder, signature, arguments):
        x = [coefficients(context, builder, *pair) for pair in zip(signature.args, arguments, strict=True)]
        return assemble(context, builder, signature.return_type, generate(builder, *x))

    for case in itertools.product((Duals, types.Number), repeat=count):
        if Duals in case:
            lower_builtin(function, *case)(lower)


define(operator.add, 2, lambda builder, x, y: [plus(builder, *pair) for pair in paired(x, y)])
define(operator.sub, 2, lambda builder, x, y: [minus(builder, *pair) for pair in paired(x, y)])
define(operator.mul, 2, product)
define(operator.truediv, 2, quotient)
define(operator.neg, 1, lambda builder, x: [builder.fneg(c) for c in x])
define(operator.pos, 1, lambda builder, x: x)
define(lift, 2, lambda builder, number, like: number)


# -------------------------------------------------------------------------------------------------------------- functions


@means(value)
def _value(typing, x):
    """The number without its infinitesimals."""
    number = types.float64

    def generate(context, builder, signature, arguments):
        return coefficients(context, builder, signature.args[0], arguments[0])[0]

    return number(x), generate


@intrinsic
def chain(typing, x, f, f1, f2):
    """f(x), from the function and its first two derivatives at the value of ``x``."""

    def generate(context, builder, signature, arguments):
        c = coefficients(context, builder, signature.args[0], arguments[0])
        f, f1, f2 = arguments[1:]
        result = [f, *(times(builder, f1, coefficient) for coefficient in c[1:])]
        if len(c) > 2:
            result[3] = plus(builder, result[3], times(builder, f2, times(builder, c[1], c[2])))
        return assemble(context, builder, signature.return_type, result)

    return x(x, *[types.float64] * 3), generate


@overload(sincos, jit_options=OPTIONS)
def _sincos(x):
    if isinstance(x, Duals):

        def both(x):
            s, c = sincos(value(x))
            return chain(x, s, c, -s), chain(x, c, -s, -c)

        return both
    return None


@overload(sqrt, jit_options=OPTIONS)
def _sqrt(x):
    if isinstance(x, Duals):

        def root(x):
            s = sqrt(value(x))
            return chain(x, s, 0.5 / s, -0.25 / (s * value(x)))

        return root
    return None


@overload(atan2, jit_options=OPTIONS)
def _atan2(y, x):
    if isinstance(y, Duals) or isinstance(x, Duals):

        def angle(y, x):
            # In axes that are turned to the point, it stays next to the first one: atan z = z for a z whose value is zero.
            y0, x0 = value(y), value(x)
            return chain((x0 * y - y0 * x) / (x0 * x + y0 * y), atan2(y0, x0), 1.0, 0.0)

        return angle
    return None


@overload(smaller, jit_options=OPTIONS)
def _smaller(x, y):
    if isinstance(x, Duals) or isinstance(y, Duals):
        return lambda x, y: value(x) < value(y)
    return None


@overload(within, jit_options=OPTIONS)
def _within(x, bound):
    return (lambda x, bound: within(value(x), bound)) if isinstance(x, Duals) else None


@overload(sign, jit_options=OPTIONS)
def _sign(x):
    return (lambda x: sign(value(x))) if isinstance(x, Duals) else None


@overload(select, jit_options=OPTIONS)
def _select(condition, x, y):
    if isinstance(condition, types.Boolean) and isinstance(x, Duals) and isinstance(y, NUMBER):
        return lambda condition, x, y: x if condition else lift(y, x)
    if isinstance(condition, types.Boolean) and isinstance(x, NUMBER) and isinstance(y, Duals):
        return lambda condition, x, y: lift(x, y) if condition else y
    return None
