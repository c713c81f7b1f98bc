"""The exact derivative of any algorithm, by dual numbers.

For inverse and forward dynamics there are faster functions, :func:`rnea_derivatives` and :func:`aba_derivatives`.

Source: Griewank, Walther, *Evaluating Derivatives* (2008), chapter 3, forward mode with vectors; for derivatives on the
manifold, Sola, Deray, Atchuthan, "A micro Lie theory for state estimation in robotics" (2018), right Jacobians.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import known
from pluecker.articulated.running.algorithm import ALGORITHMS, LEFT_OUT, Algorithm, Request
from pluecker.articulated.running.arguments import as_floats, as_model, check_out
from pluecker.articulated.running.differentiation import derivative_of_record, steps_of
from pluecker.articulated.running.fields import Field
from pluecker.articulated.running.second_differentiation import second_derivative_of_record
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, UnknownNameError, shown
from pluecker.spatial.functions.arguments import NOT_TOGETHER, why_apart

__all__ = ["derivative_of", "second_derivative_of"]


def derivative_of(algorithm: str | Callable[..., Any]) -> Callable[..., Any]:
    """The derivative of an algorithm, exact to rounding: a function of the same arguments.

    It takes what the algorithm takes, and by name ``wrt``, by which of these to differentiate: the name of one input, or a
    tuple of names; all that were given if None. ``out`` and ``threads`` are those of the algorithm. It gives an array for
    each of them, in a tuple unless ``wrt`` is one name: of the result's shape with an axis more, ``(..., n)`` for the n
    entries of the input (of an input with two axes, row by row). Of an algorithm with several results, a tuple of these.

    A configuration is differentiated by a displacement in v's coordinates, so that its axis has the length ``nv``: column j
    is the derivative of ``f(integrate(model, q, t e_j))`` at ``t = 0``. A result that is a configuration keeps its own
    coordinates. Dry friction counts as constant, where the velocity is zero too.

    The first call compiles the algorithm for dual numbers, which takes about as long as the algorithm itself three times.
    Eight columns are computed at once, in two to three times the time of the algorithm.

    Args:
        algorithm: a function of this package that is an algorithm on states, as :func:`rnea` or :func:`crba`, or its name.

    Returns:
        ``derivative(model, ..., wrt=None, out=None, threads=None)``.

    Raises:
        TypeError: ``algorithm`` is neither a function nor a name.
        KeyError: there is no algorithm of that name, or it cannot be differentiated; the message lists those that can.

    The derivative itself raises what the algorithm raises, and:
        ValueError: ``wrt`` is no input, or one that was left out; the algorithm has no derivative in that state.

    Example:
        >>> from pluecker.articulated import ModelBuilder, derivative_of, potential_energy
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> derivative_of(potential_energy)(arm.build(), [0.0], wrt="q")
        array([-9.81])

    Source: Griewank, Walther, *Evaluating Derivatives* (2008), chapter 3.
    """
    record, function, parameters = find_algorithm("derivative_of", algorithm)

    def derivative(
        model: Model, *arguments: Any, wrt: Any = None, out: Any = None, threads: Any = None, **options: Any
    ) -> Any:
        model = as_model(name, model)
        met, inputs, key = requested(function, model, arguments, options)
        chosen = as_wrt(name, wrt, differentiable(met, parameters), inputs, met)
        result = derivative_of_record(met).call(model, inputs, None, threads, (tuple(sorted(chosen)), *key))
        return split(name, model, met, key, chosen, result, out, isinstance(wrt, str))

    name = f"derivative_of({record.name})"
    derivative.__name__ = derivative.__qualname__ = f"derivative_of_{record.name}"
    derivative.__doc__ = f"The derivative of :func:`{record.name}`, see :func:`derivative_of`."
    return derivative


def second_derivative_of(algorithm: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return a function for the second derivatives of an algorithm along one direction of motion, exact to rounding.

    It gives what :func:`derivative_of` gives, and takes ``along`` besides: a mapping from names of inputs to how these
    move, a velocity ``(..., nv)`` for a configuration, for another input an array of its shape. Inputs that are not named
    stay where they are. The result is the derivative at ``t = 0`` of ``derivative_of(algorithm)`` where configurations are
    ``integrate(model, q, t along["q"])`` and other inputs ``v + t along["v"]``.

    Args:
        algorithm: as for :func:`derivative_of`.

    Returns:
        ``second(model, ..., along, wrt=None, out=None, threads=None)``.

    Raises:
        TypeError, KeyError: as :func:`derivative_of`.

    The function itself raises what the derivative raises, and:
        ValueError: ``along`` names no input, or is not of its shape.
        TypeError: ``along`` is not a mapping.

    Example:
        >>> from pluecker.articulated import ModelBuilder, potential_energy, second_derivative_of
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0, 0, 0.5))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> second_derivative_of(potential_energy)(arm.build(), [0.0], along={"q": [1.0]}, wrt="q")
        array([-9.81])

    Source: Griewank, Walther, *Evaluating Derivatives* (2008), chapter 13.
    """
    record, function, parameters = find_algorithm("second_derivative_of", algorithm)

    def second(
        model: Model,
        *arguments: Any,
        along: Mapping[str, ArrayLike],
        wrt: Any = None,
        out: Any = None,
        threads: Any = None,
        **options: Any,
    ) -> Any:
        model = as_model(name, model)
        met, inputs, key = requested(function, model, arguments, options)
        names = differentiable(met, parameters)
        chosen = as_wrt(name, wrt, names, inputs, met)
        direction = as_direction(name, model, along, names, inputs, met)
        record = second_derivative_of_record(met)
        result = record.call(model, (*inputs, direction), None, threads, (tuple(sorted(chosen)), *key))
        return split(name, model, met, key, chosen, result, out, isinstance(wrt, str))

    name = f"second_derivative_of({record.name})"
    second.__name__ = second.__qualname__ = f"second_derivative_of_{record.name}"
    second.__doc__ = f"Second derivatives of :func:`{record.name}`, see :func:`second_derivative_of`."
    return second


def find_algorithm(caller: str, algorithm: Any) -> tuple[Algorithm, Callable[..., Any], frozenset[str]]:
    """Return the record of an algorithm that can be differentiated, its public function, and the names of its arguments."""
    if not (isinstance(algorithm, str) or callable(algorithm)):
        got = f"a {type(algorithm).__name__}"
        raise ArgumentTypeError(f"{caller}: algorithm must be a function or its name, got {got}")
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", "")
    record = ALGORITHMS.get(name)
    function = None if record is None else public_function(record)
    if record is None or function is None or (callable(algorithm) and algorithm is not function):
        there = known(name, sorted(key for key, other in ALGORITHMS.items() if public_function(other) is not None))
        raise UnknownNameError(f"{caller}: {shown(name)} cannot be differentiated, expected one of {there}")
    return record, function, frozenset(inspect.signature(function).parameters)


def public_function(record: Algorithm) -> Callable[..., Any] | None:
    """Return the public function of an algorithm, if it gives back arrays and its kernel takes dual numbers."""
    function = getattr(sys.modules["pluecker.articulated"], record.name, None)
    if function is None or not record.lanes:
        return None
    return function if {"out", "threads"} <= set(inspect.signature(function).parameters) else None


def requested(
    function: Callable[..., Any], model: Any, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Algorithm, tuple[Any, ...], tuple[Any, ...]]:
    """Call the public function only up to its algorithm; returns what it would pass on: the record, the inputs, the key.

    Half of the functions prepare what they pass on: points, subtrees, elements. So they are asked, and no table is kept.
    """
    request: Any = Request()
    with contextlib.suppress(Request):
        function(model, *arguments, threads=request, **options)
    return request.record, request.inputs, request.key


def differentiable(met: Algorithm, parameters: frozenset[str]) -> list[str]:
    """The inputs of the algorithm that are arguments of its public function."""
    return [field.name for field in met.inputs if field.name in parameters]


def as_wrt(name: str, wrt: Any, names: list[str], inputs: tuple[Any, ...], met: Algorithm) -> tuple[int, ...]:
    """The numbers of the inputs to differentiate by, in the order of ``wrt``."""
    number = {field.name: k for k, field in enumerate(met.inputs)}
    known = [key for key in names if inputs[number[key]] is not LEFT_OUT]
    chosen = known if wrt is None else (wrt,) if isinstance(wrt, str) else wrt
    if not isinstance(chosen, tuple | list) or not all(isinstance(key, str) for key in chosen):
        raise ArgumentTypeError(
            f"{name}: wrt must be a name or a tuple of names, of {', '.join(names)}; got {shown(wrt)}"
        )
    for key in chosen:
        check_input(name, "wrt", key, names, known)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ArgumentValueError(f"{name}: wrt is {shown(wrt)}, expected one or more names, each once")
    return tuple(number[key] for key in chosen)


def check_input(name: str, argument: str, key: Any, names: list[str], known: list[str]) -> None:
    """Refuse a name that is no input, or one of an input that was left out."""
    if key in names and key not in known:
        raise ArgumentValueError(f"{name}: {argument} names {key}, which was left out")
    if key not in names:
        raise ArgumentValueError(f"{name}: {argument} names {shown(key)}, expected one of {', '.join(known)}")


def as_direction(
    name: str, model: Model, along: Any, names: list[str], inputs: tuple[Any, ...], met: Algorithm
) -> NDArray[np.float64]:
    """Return the steps of all inputs as one array, one after the other along its last axis; zero for those not named."""
    if not isinstance(along, Mapping):
        got = f"a {type(along).__name__}"
        raise ArgumentTypeError(f"{name}: along must be a mapping from names of inputs to how they move, got {got}")
    known = [f.name for f, value in zip(met.inputs, inputs, strict=True) if f.name in names and value is not LEFT_OUT]
    for key in along:
        check_input(name, "along", key, names, known)
    steps = []
    for field in met.inputs:
        shape = ("nv",) if field.is_configuration else field.shape
        step = Field(f"along[{field.name!r}]", shape)
        zero = np.zeros(step.shape_for(model))
        array = as_floats(name, model, step, along.get(field.name, zero))
        steps.append(array.reshape(*array.shape[: array.ndim - len(shape)], -1) if array.size else np.zeros(0))
    try:
        batch = np.broadcast_shapes(*(step.shape[:-1] for step in steps))
    except NOT_TOGETHER as error:
        shapes = ", ".join(str(step.shape) for step in steps)
        raise ArgumentValueError(f"{name}: the leading axes of along {why_apart(error)}: {shapes}") from None
    return np.concatenate([np.broadcast_to(step, (*batch, step.shape[-1])) for step in steps], axis=-1)


def split(
    name: str,
    model: Model,
    met: Algorithm,
    key: tuple[Any, ...],
    chosen: tuple[int, ...],
    result: Any,
    out: Any,
    single: bool,
) -> Any:
    """Split derivatives into the columns of each input, in the order in which they were asked for, into ``out`` if given."""
    in_order = sorted(chosen)
    ends = np.cumsum([steps_of(met.inputs[k], model, key) for k in in_order])
    found = []
    for array in result if isinstance(result, tuple) else (result,):
        pieces = np.split(array, ends[:-1], axis=-1)
        found.append([pieces[in_order.index(k)] for k in chosen])
    if out is not None:
        fill(name, out, found, single)
        return out
    shaped = tuple(pieces[0] if single else tuple(pieces) for pieces in found)
    return shaped if isinstance(result, tuple) else shaped[0]


def fill(name: str, out: Any, found: list[list[Any]], single: bool) -> None:
    """Write results into ``out``, which is nested as they are."""
    rows = [out] if len(found) == 1 else check_length(name, out, len(found))
    flat = [
        array
        for row, part in zip(rows, found, strict=True)
        for array in ([row] if single else check_length(name, row, len(part)))
    ]
    arrays = [array for part in found for array in part]
    target: Any = flat[0] if len(flat) == 1 else tuple(flat)
    for place, array in zip(check_out(name, target, [], [array.shape for array in arrays]), arrays, strict=True):
        place[...] = array


def check_length(name: str, out: Any, n: int) -> list[Any]:
    """Return the entries of ``out`` as a list, if it is a tuple or list of that length."""
    if not isinstance(out, tuple | list) or len(out) != n:
        got = f"{len(out)} entries" if isinstance(out, tuple | list) else f"a {type(out).__name__}"
        raise ArgumentTypeError(f"{name}: out must be a tuple of {n}, got {got}")
    return list(out)
