"""From what a user passes to what a kernel takes: shapes, types, finite numbers, and messages that help.

Everything is checked before anything is written.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import config
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.batch import GOOD, NOT_UNIT, SINGULAR
from pluecker.articulated.errors import SingularInertiaError

if TYPE_CHECKING:
    from pluecker.articulated.model import Model

__all__ = ["Array", "as_floats", "evaluate"]

Array = NDArray[np.float64]
FLOAT = np.dtype(np.float64)
NOTHING = np.empty((1, 0))
AXES = {"f_ext": 2}  # axes of one state's entry, where it is not one

_local = threading.local()


def evaluate(
    name: str,
    driver: Callable[..., int],
    model: Model,
    tail: tuple[int, ...],
    out: Array | None,
    size: int,
    *,
    can_fail: bool = False,
    **inputs: ArrayLike | None,
) -> Array:
    """Run a batched kernel over checked inputs, broadcast against each other.

    Args:
        name: the public function, for messages.
        driver: what :func:`pluecker.articulated.batch.batched` returns.
        model: the mechanism.
        tail: shape of the result for one state.
        out: the user's array for the result, or None.
        size: entries of the workspace.
        can_fail: whether the kernel may fail on good inputs; then ``out`` is written only after it has succeeded.
        inputs: by name, ``q`` first, then ``v``, one more array (``a``, ``tau``, a second configuration), ``f_ext``; what an
            algorithm does not use may be left out.
    """
    arrays = {key: as_floats(name, model, key, value) for key, value in inputs.items() if value is not None}
    batch: tuple[int, ...] = ()
    states = 1
    for key, array in arrays.items():
        if array.ndim > AXES.get(key, 1):
            batch = batch_shape(name, model, arrays)
            states = math.prod(batch)
            break
    rows = {key: as_rows(model, key, array, batch, states) for key, array in arrays.items()}
    if out is not None:
        check_out(name, out, batch + tail)
    direct = out is not None and not can_fail and not shares_memory(out, arrays)
    result = out if direct else np.empty(batch + tail)
    assert result is not None
    if result.size == 0:
        return result if out is None else out
    v, f_ext = rows.pop("v", NOTHING), rows.pop("f_ext", NOTHING)
    q, u = (*rows.values(), NOTHING)[:2]
    status = run(driver, model.packed, q, v, u, f_ext, result.reshape(states, -1), workspace(size))
    if status != GOOD:
        explain(status, name, model, arrays, result)
    if out is None or direct:
        return result
    out[...] = result
    return out


def run(driver: Callable[..., int], *arguments: Array) -> int:
    """Call the driver; without compilation NumPy would warn of the divisions by zero that the status reports."""
    if not config.DISABLE_JIT:
        return driver(*arguments)
    with np.errstate(all="ignore"):
        return driver(*arguments)


def workspace(size: int) -> Array:
    """Scratch memory of this thread: kept from call to call, never shared."""
    buffer: Array | None = getattr(_local, "buffer", None)
    if buffer is None or buffer.size < size:
        buffer = _local.buffer = np.empty(size)
    return buffer


def entry_shape(model: Model, key: str) -> tuple[int, ...]:
    """The shape of one state's ``key``."""
    if key == "f_ext":
        return (model.n_bodies, 6)
    return (model.nq,) if key in ("q", "q0", "q1") else (model.nv,)


def as_floats(name: str, model: Model, key: str, value: ArrayLike) -> Array:
    """``value`` as a float64 array whose last axes have the shape that ``key`` has for this model."""
    if type(value) is np.ndarray and value.dtype == FLOAT:
        array = value
    else:
        array = convert(name, key, value)
    shape = entry_shape(model, key)
    if array.shape[-len(shape) :] != shape:
        expected = ", ".join(["...", *map(str, shape)])
        counts = f"nq = {model.nq}, nv = {model.nv}, n_bodies = {model.n_bodies}"
        raise ValueError(
            f"{name}: {key} has shape {array.shape}, expected ({expected}); model {model.name!r} has {counts}"
        )
    return array


def convert(name: str, key: str, value: Any) -> Array:
    """``value`` as float64, refusing what is not an array of real numbers."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{name}: {key} is not a rectangular array of numbers ({error})") from None
    if np.ma.is_masked(value):
        raise TypeError(f"{name}: {key} has masked entries, expected an array of real numbers")
    if array.dtype.kind not in "fiu" and array.size:
        held = f"{type(value).__name__} of {array.dtype}"
        raise TypeError(f"{name}: {key} must be an array of real numbers (float64), got {held}: {short(value)}")
    return array.astype(FLOAT)


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def batch_shape(name: str, model: Model, arrays: dict[str, Array]) -> tuple[int, ...]:
    """The leading axes that the inputs have in common after broadcasting."""
    leading = {key: array.shape[: array.ndim - len(entry_shape(model, key))] for key, array in arrays.items()}
    distinct = set(leading.values())
    if len(distinct) == 1:
        return distinct.pop()
    try:
        return np.broadcast_shapes(*distinct)
    except ValueError:
        shapes = ", ".join(f"{key} {array.shape}" for key, array in arrays.items())
        raise ValueError(f"{name}: the leading axes do not broadcast: {shapes}") from None


def as_rows(model: Model, key: str, array: Array, batch: tuple[int, ...], states: int) -> Array:
    """C-ordered ``(states, entries)``, or ``(1, entries)`` where one state stands for all."""
    if not batch:
        return np.ascontiguousarray(array).reshape(1, -1)
    shape = entry_shape(model, key)
    count = math.prod(array.shape[: array.ndim - len(shape)])
    if count != 1 and count != states:
        array = np.broadcast_to(array, batch + shape)
        count = states
    return np.ascontiguousarray(array).reshape(count, math.prod(shape))


def shares_memory(out: Array, arrays: dict[str, Array]) -> bool:
    return any(np.may_share_memory(out, array) for array in arrays.values())


def check_out(name: str, out: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(out, np.ndarray) or out.dtype != FLOAT:
        got = f"an array of {out.dtype}" if isinstance(out, np.ndarray) else f"a {type(out).__name__}"
        raise TypeError(f"{name}: out must be a float64 array of shape {shape}, got {got}")
    if out.shape != shape:
        raise ValueError(f"{name}: out has shape {out.shape}, expected {shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"{name}: out must be C-ordered and writeable")


# ------------------------------------------------------------------------------------------------------- what went wrong


def explain(status: int, name: str, model: Model, arrays: dict[str, Array], result: Array) -> None:
    """Raise the error that a status stands for, with the first state and coordinate it concerns."""
    if status == SINGULAR:
        explain_singular(name, model, result)
    if status == NOT_UNIT:
        explain_quaternion(name, model, arrays)
    for key, array in arrays.items():
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            index = tuple(int(n) for n in bad[0])
            where = coordinate_name(model, key, index[array.ndim - len(entry_shape(model, key)) :])
            place = ", ".join(map(str, index))
            raise ValueError(f"{name}: {key}[{place}] is {array[index]}, expected a finite number ({where})")


def coordinate_name(model: Model, key: str, index: tuple[int, ...]) -> str:
    if key == "f_ext":
        return f"body {model.body_names[index[0]]!r}"
    names = model.q_names if entry_shape(model, key) == (model.nq,) and key.startswith("q") else model.v_names
    return f"coordinate {names[index[0]]!r}"


def explain_quaternion(name: str, model: Model, arrays: dict[str, Array]) -> None:
    for key in (key for key in arrays if key.startswith("q")):
        for joint, part in model.quaternion_slices().items():
            length = np.linalg.norm(arrays[key][..., part], axis=-1)
            bad = np.argwhere(np.abs(length - 1.0) > 1e-6)
            if len(bad):
                index = tuple(int(n) for n in bad[0])
                raise ValueError(
                    f"{name}: the quaternion of joint {joint!r}, {key}[..., {part.start}:{part.stop}], has length "
                    f"{length[index]:.9g}, expected 1 within 1e-6; normalize it (order [w, x, y, z])"
                )


def explain_singular(name: str, model: Model, result: Array) -> None:
    flat = result.reshape(-1, model.nv)
    state = int(np.argmax(~np.isfinite(flat).all(axis=1)))
    where = f" in state {state} of the batch" if len(flat) > 1 else ""
    raise SingularInertiaError(f"{name}: the inertia matrix is singular{where}: {model.massless_joints()}")
