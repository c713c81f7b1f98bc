"""Conversion of a user's arguments to what kernels take: shapes, types, finite numbers, and messages that help.

Everything is checked before anything is written.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.errors import SingularInertiaError
from pluecker.articulated.model import layout
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import listing
from pluecker.articulated.running.fields import LABELS, Field
from pluecker.spatial.engine.parallel.threads import available_cores
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, shown
from pluecker.spatial.functions.arguments import MOST_LEADING, NOT_TOGETHER, why_apart
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = [
    "Array", "as_floats", "as_model", "as_rows", "as_threads", "batch_shape", "check_array", "check_out", "check_word",
    "explain_inputs", "explain_overflow", "explain_singular", "shares_memory",
]  # fmt: skip

Array = NDArray[np.float64]
FLOAT = np.dtype(np.float64)


def as_model(name: str, model: Any) -> Model:
    """Return the model, refusing what is none.

    What is made of a model, such as a world, has a method ``__model__``: called with the name of the function it returns the
    model, or refuses a function whose answer would be another one for the whole.
    """
    if not isinstance(model, Model):
        if hasattr(type(model), "__model__"):
            found: Model = model.__model__(name)
            return found
        got = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise ArgumentTypeError(f"{name}: model must be a pluecker.articulated.Model, got {got}")
    return model


def check_word(name: str, word: str, value: Any) -> None:
    """Check that a name is a string; whether it is known is checked later, and once for each name."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name}: {word} is {shown(value)}, expected a string")


def as_floats(name: str, model: Model, field: Field, value: ArrayLike) -> Array:
    """``value`` as a float64 array whose last axes have the shape that the field has for this model."""
    if type(value) is np.ndarray and value.dtype is FLOAT:
        array = value
    else:
        array = as_numbers(name, field.name, value)
    shape = field.shape_for(model)
    if array.shape[-len(shape) :] != shape:
        expected = ", ".join(["...", *map(str, shape)])
        counts = f"nq = {model.nq}, nv = {model.nv}, n_bodies = {model.n_bodies}"
        raise ArgumentValueError(
            f"{name}: {field.name} has shape {array.shape}, expected ({expected}); model {model.name!r} has {counts}"
        )
    return array


def batch_shape(name: str, model: Model, fields: dict[str, Field], arrays: dict[str, Array]) -> tuple[int, ...]:
    """The leading axes that the inputs have in common after broadcasting."""
    distinct = {array.shape[: array.ndim - fields[key].axes] for key, array in arrays.items()}
    if len(distinct) == 1:
        (shape,) = distinct
        if len(shape) <= MOST_LEADING:
            return shape
    try:
        return np.broadcast_shapes(*distinct)
    except NOT_TOGETHER as error:
        shapes = ", ".join(f"{key} {array.shape}" for key, array in arrays.items())
        raise ArgumentValueError(f"{name}: the leading axes {why_apart(error)}: {shapes}") from None


def as_rows(model: Model, field: Field, array: Array, batch: tuple[int, ...]) -> Array:
    """Reshape an input to ``(states, entries)``, or ``(1, entries)`` if all states share it.

    The result is C-ordered, and writeable, since compiled functions take one kind of array only.
    """
    shape = field.shape_for(model)
    states, entries = math.prod(batch), math.prod(shape)
    count = array.size // entries if entries else math.prod(array.shape[: array.ndim - len(shape)])
    if count != 1 and count != states:
        array = np.broadcast_to(array, batch + shape)
        count = states
    flags = array.flags  # NumPy warns of a look at `writeable` where `broadcast_arrays` has repeated entries
    if not (flags.c_contiguous and flags.aligned and flags.writeable):
        array = np.require(array, FLOAT, ["C", "A", "W"])
    return array.reshape(count, entries)


def as_threads(name: str, threads: Any) -> int:
    """Return the number of threads to use: that of all cores for None."""
    if threads is None:
        return available_cores()
    expected = "expected a positive whole number, or None for all cores"
    try:
        # NumPy before 2.3 takes its booleans for indices, with a warning.
        count = None if isinstance(threads, bool | np.bool_) else operator.index(threads)
    except TypeError:
        count = None
    if count is None:
        raise ArgumentTypeError(f"{name}: threads is a {type(threads).__name__}, {expected}")
    if count < 1:
        raise ArgumentValueError(f"{name}: threads is {count if count > -(10**9) else 'negative'}, {expected}")
    return count


def shares_memory(out: Array, arrays: dict[str, Array]) -> bool:
    return any(np.may_share_memory(out, array) for array in arrays.values())


def check_out(name: str, out: Any, fields: Sequence[Field], shapes: list[tuple[int, ...]]) -> list[Array]:
    """Check ``out`` and return the arrays that take the results: itself, or those in it if there are several results."""
    if len(shapes) == 1:
        check_array(name, "out", out, shapes[0])
        return [out]
    if not isinstance(out, (tuple, list)) or len(out) != len(shapes):
        names = ", ".join(field.name for field in fields)
        got = f"{len(out)} entries" if isinstance(out, (tuple, list)) else f"a {type(out).__name__}"
        raise ArgumentTypeError(f"{name}: out must be a tuple of arrays ({names}), got {got}")
    for k, (array, shape) in enumerate(zip(out, shapes, strict=True)):
        check_array(name, f"out[{k}]", array, shape)
        if any(np.may_share_memory(array, other) for other in out[:k]):
            raise ArgumentValueError(f"{name}: out[{k}] shares memory with another result")
    return list(out)


def check_array(name: str, what: str, out: Any, shape: tuple[int, ...]) -> None:
    """Check that an array can take a result of that shape."""
    if type(out) is np.ndarray and out.dtype is FLOAT and out.shape == shape and out.flags.carray:
        return  # nearly all of them
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray) or out.dtype != FLOAT:
        got = f"a {type(out).__name__}"
        got += f" of {out.dtype.str}" if isinstance(out, np.ndarray) else ""
        raise ArgumentTypeError(f"{name}: {what} must be a float64 array of shape {shape}, got {got}")
    if out.shape != shape:
        raise ArgumentValueError(f"{name}: {what} has shape {out.shape}, expected {shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ArgumentValueError(f"{name}: {what} must be C-ordered and writeable")


# ------------------------------------------------------------------------------------------------------- what went wrong


def explain_inputs(name: str, model: Model, fields: dict[str, Field], arrays: dict[str, Array]) -> None:
    """Raise the error that compiled code has found in the inputs, with the first state and coordinate it concerns."""
    for key, array in arrays.items():
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            index = tuple(int(n) for n in bad[0])
            where = entry_name(model, fields[key], index[array.ndim - fields[key].axes :])
            place = ", ".join(map(str, index))
            where = f" ({where})" if where else ""
            raise ArgumentValueError(f"{name}: {key}[{place}] is {array[index]}, expected a finite number{where}")
    explain_quaternion(name, model, {key: array for key, array in arrays.items() if fields[key].is_configuration})


def entry_name(model: Model, field: Field, index: tuple[int, ...]) -> str:
    """The coordinate or body that an entry of a field belongs to, in words; empty if it belongs to none."""
    for word, n in zip(field.shape, index, strict=True):
        if isinstance(word, str):
            return f"{'body' if word == 'n_bodies' else 'coordinate'} {shown(getattr(model, LABELS[word])[n])}"
    return ""


def explain_quaternion(name: str, model: Model, arrays: dict[str, Array]) -> None:
    """Name the quaternion whose length is furthest from 1: compiled code has found one that is too far."""
    worst, message = -1.0, f"{name}: a quaternion is not of unit length"
    for key, array in arrays.items():
        for joint, part in model.quaternion_slices().items():
            with np.errstate(over="ignore"):
                length = np.atleast_1d(np.linalg.norm(array[..., part], axis=-1))
            index = np.unravel_index(np.argmax(np.abs(length - 1.0)), length.shape)
            if abs(length[index] - 1.0) > worst:
                worst = abs(length[index] - 1.0)
                message = (
                    f"{name}: the quaternion of joint {joint!r}, {key}[..., {part.start}:{part.stop}], has length "
                    f"{length[index]:.9g}, expected 1 within 1e-6; normalize it (order [w, x, y, z])"
                )
    raise ArgumentValueError(message)


def explain_overflow(
    name: str, model: Model, fields: dict[str, Field], inputs: dict[str, Array], where: str | None, state: str
) -> None:
    """Raise the error for an overflow, from the flat inputs of one state and the name of what the result belongs to."""
    largest = {key: int(np.argmax(np.abs(array))) for key, array in inputs.items()}
    key = max(largest, key=lambda key: abs(float(inputs[key][largest[key]])))
    place = np.unravel_index(largest[key], fields[key].shape_for(model))
    at = f", at {where}" if where is not None else ""
    of = entry_name(model, fields[key], tuple(int(n) for n in place))
    raise ArgumentValueError(
        f"{name}: the result overflows float64{state}{at}; the largest number given is "
        f"{key} = {inputs[key][largest[key]]:g}" + (f" of {of}" if of else "")
    )


def explain_singular(name: str, model: Model, coordinate: int | str | PlueckerError, state: str) -> None:
    """Raise the error for a singular inertia matrix.

    Args:
        name: the public function.
        model: the model.
        coordinate: the velocity coordinate that moves no inertia, by number: the message names it, or all that move no
            mass if it is one of them; or the reason in words; or an error of another kind, whose message is completed.
        state: words for the state of the batch.
    """
    if isinstance(coordinate, PlueckerError):
        coordinate.args = (f"{name}: {coordinate}{state}", *coordinate.args[1:])
        raise coordinate
    if isinstance(coordinate, str):
        raise SingularInertiaError(f"{name}: {coordinate}{state}")
    mass, moved = model.links[:, layout.INERTIA].copy(), model.armature.copy()
    for i in range(model.n_links, 0, -1):  # of each link with all that it carries
        parent, first, count = (int(model.links[i, k]) for k in (layout.PARENT, layout.IV, layout.COUNT))
        mass[parent] += mass[i]
        moved[first : first + count] += mass[i]
    names = [model.v_names[coordinate]]
    why = "moves no inertia in this configuration (a point mass on its axis, aligned axes)"
    if moved[coordinate] == 0.0:
        names = [label for label, amount in zip(model.v_names, moved, strict=True) if amount == 0.0]
        why = "moves no mass" if len(names) == 1 else "move no mass"
    raise SingularInertiaError(
        f"{name}: the inertia matrix is singular{state}: {listing(names)} {why}; "
        "give a body beyond that joint mass or inertia, or the joint armature"
    )
