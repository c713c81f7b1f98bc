"""Functions of arrays, made from kernels: broadcast, checked, eight entries at a time.

A kernel knows the numbers of one vector, one transform, one inertia. Here it becomes a function of NumPy arrays whose
last axes hold such numbers and whose leading axes broadcast against one another. The work is done in
:mod:`~pluecker.spatial.engine.scalars.lanes`, block by block, as for batches of robots; a single vector is a batch of one.
So there is one formula, and one rounding, whether a function is called with one vector or with a million.

The functions are plain: the same input gives the same result, nothing is changed, and they may be called from any thread, as
``dask.array.apply_gufunc(crm, "(i)->(i,i)", v, output_dtypes=float)`` does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.engine.compiled.decorators import compiled_for, once
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.transposition import read_states, write_states
from pluecker.spatial.engine.memory.views import flat, view
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import part, tail, within
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import (
    FLOAT,
    NOT_TOGETHER,
    Array,
    as_floats,
    as_numbers,
    as_shaped,
    finite,
    not_finite,
    why_apart,
)

__all__ = ["ELEMENTWISE", "Array", "Elementwise", "as_floats", "as_numbers", "finite", "rows_of_eight"]

LARGE_NUMBER = 1e75  # numbers whose fourth power leaves the range of float64
ROWS = "float64[:, ::1]"


ELEMENTWISE: list[Elementwise] = []  # all functions of arrays


class Elementwise:
    """A function of up to three arrays, made from a kernel ``kernel(x, out)``.

    ``x`` holds the numbers of all inputs, one input after the other, and ``out`` takes those of the result. A kernel that
    finds its input impossible stores NaN; then ``complaint`` says what was expected.
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., None],
        inputs: Mapping[str, tuple[int, ...]],
        output: tuple[int, ...],
        complaint: str = "the result is not a finite number",
    ) -> None:
        ELEMENTWISE.append(self)
        self.name, self.kernel, self.inputs, self.output, self.complaint = name, kernel, dict(inputs), output, complaint
        self.sizes = [math.prod(shape) for shape in self.inputs.values()]
        self.size = math.prod(output)
        self.spare: list[Array] = []  # scratch memory that no thread uses at the moment

    @property
    def signature(self) -> str:
        """The signature in the notation of generalised ufuncs, with axes named by their length."""
        return ",".join(f"({','.join(f'd{n}' for n in shape)})" for shape in (*self.inputs.values(),)) + (
            f"->({','.join(f'd{n}' for n in self.output)})"
        )

    @once
    def compiled(self) -> Callable[..., bool]:
        """The compiled loop over all entries."""
        return loop(self.kernel)

    def __call__(self, *values: ArrayLike) -> Array:
        """The result for the inputs in order, their leading axes broadcast."""
        arrays = [
            as_shaped(self.name, key, value, shape)
            for (key, shape), value in zip(self.inputs.items(), values, strict=True)
        ]
        leading = [
            array.shape[: array.ndim - len(shape)] for array, shape in zip(arrays, self.inputs.values(), strict=True)
        ]
        try:
            batch = np.broadcast_shapes(*leading)
        except NOT_TOGETHER as error:
            shapes = ", ".join(f"{key} {array.shape}" for key, array in zip(self.inputs, arrays, strict=True))
            raise ArgumentValueError(f"{self.name}: the leading axes {why_apart(error)}: {shapes}") from None
        result = np.empty(batch + self.output)
        if result.size:
            rows = [
                self.as_rows(array, batch, shape) for array, shape in zip(arrays, self.inputs.values(), strict=True)
            ]
            rows += [NO_ROWS] * (3 - len(rows))
            try:
                scratch = self.spare.pop()
            except IndexError:
                scratch = rows_of_eight(sum(self.sizes) + self.size)
            good = self.compiled(*rows, result.reshape(-1, self.size), scratch)
            self.spare.append(scratch)
            if not good:
                self.explain(arrays, result)
        return result[()] if result.ndim == 0 else result

    @staticmethod
    def as_rows(array: Array, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
        """``(entries, numbers)``, or ``(1, numbers)`` where one stands for all."""
        count, size = math.prod(batch), math.prod(shape)
        own = math.prod(array.shape[: array.ndim - len(shape)])
        if own not in (1, count):
            array, own = np.broadcast_to(array, batch + shape), count
        flags = array.flags  # NumPy warns of a look at `writeable` where `broadcast_arrays` has repeated entries
        if not (flags.c_contiguous and flags.aligned and flags.writeable):
            array = np.require(array, FLOAT, ["C", "A", "W"])
        return array.reshape(own, size)

    def explain(self, arrays: list[Array], result: Array) -> None:
        """Raise the error that compiled code has found."""
        for key, array in zip(self.inputs, arrays, strict=True):
            if not np.isfinite(array).all():
                raise ArgumentValueError(not_finite(self.name, key, array))
        axes = tuple(range(result.ndim - len(self.output), result.ndim))
        bad = np.argwhere(~np.isfinite(result).all(axis=axes))
        where = f" (entry {', '.join(map(str, bad[0]))})" if len(bad) and result.ndim > len(self.output) else ""
        largest = max((float(np.abs(array).max(initial=0.0)) for array in arrays), default=0.0)
        if largest > LARGE_NUMBER or np.isinf(result).any():
            raise ArgumentValueError(
                f"{self.name}: the result overflows float64, or {self.complaint}{where}; largest input {largest:g}"
            )
        raise ArgumentValueError(f"{self.name}: {self.complaint}{where}")


NO_ROWS = np.empty((1, 0))


def rows_of_eight(n: int) -> Array:
    """Scratch memory for lanes, ``(n, 8)``, each row in one line of the cache."""
    memory = np.empty(WIDTH * (n + 1))
    first = -(memory.ctypes.data // memory.itemsize) % WIDTH
    return memory[first : first + WIDTH * n].reshape(n, WIDTH)


@functools.cache
def loop(kernel: Callable[..., None]) -> Callable[..., bool]:
    """The compiled function around a kernel: three inputs, the result, scratch memory. Whether all numbers were finite."""

    def rows(a, b, c, out, ws):
        na, nb, nc, n, count = a.shape[1], b.shape[1], c.shape[1], out.shape[1], len(out)
        a, b, c, out, ws = flat(a), flat(b), flat(c), flat(out), view(ws)
        x, result = part(ws, 0, na + nb + nc), tail(ws, na + nb + nc)
        good = True
        for k in range(0, count, WIDTH):
            bad = read_states(a, na, k, x)
            bad = bad + read_states(b, nb, k, tail(x, na)) + read_states(c, nc, k, tail(x, na + nb))
            kernel(x, result)
            bad = bad + write_states(out, n, k, result)
            good = good and within(bad, 0.0)
        return good

    def rows_one_by_one(a, b, c, out, ws):
        good = True
        with np.errstate(all="ignore"):
            for k in range(len(out)):
                x = np.concatenate([array[k if len(array) > 1 else 0] for array in (a, b, c)])
                kernel(x, out[k])
                good = good and bool(np.isfinite(x).all() and np.isfinite(out[k]).all())
        return good

    driver = rows_one_by_one if DISABLE_JIT else rows
    # By its name the cache on disk tells it from others made by the same lines, also where file names have no capitals.
    driver.__name__ = driver.__qualname__ = f"{kernel.__module__.rpartition('.')[2]}_{kernel.__name__}_rows"
    return compiled_for(driver, (ROWS, ROWS, ROWS, ROWS, ROWS))
