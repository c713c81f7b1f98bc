"""Arguments of a call as they lie in Python's memory, for compiled code whose arguments always have the same types.

Numba's own entrance asks each array for its type, counts a reference to it and gives that back, with 40 lines of code for
each; a prepared friction problem has 40 arrays. Here all arguments come in one tuple, and what is in it is known: arrays in
C order, numbers, and tuples of these. Of an array the address of its numbers and its shape are read, and nothing else.
The arguments outlive the call.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import NativeValue, models, register_model, unbox

from pluecker.spatial.engine.compiled.numba_internals import populate_array
from pluecker.spatial.engine.memory.objects import DATA, FIRST_ENTRY, SHAPE
from pluecker.spatial.engine.scalars.lanes import LONG

__all__ = ["Lent"]

WORD = 8  # bytes


class Lent(types.Tuple):
    """Type of a tuple whose entries are known to have these types: they are not checked."""

    def __new__(cls, kinds: Any) -> Lent:
        """Make this type also where all entries have the same type, for which ``Tuple`` would give another class."""
        return object.__new__(cls)


register_model(Lent)(models.TupleModel)


def word(builder: Any, place: Any, k: int) -> Any:
    """Read word k of the memory at an address."""
    return builder.load(builder.inttoptr(builder.add(place, LONG(WORD * k)), LONG.as_pointer()))


def borrowed(c: Any, kind: Any, value: Any) -> Any:
    """Emit code that reads a Python object of this type as a borrowed value: no reference is counted."""
    builder, context = c.builder, c.context
    if isinstance(kind, types.Float):
        return context.cast(builder, c.pyapi.float_as_double(value), types.float64, kind)
    if isinstance(kind, types.Integer):
        return context.cast(builder, c.pyapi.long_as_longlong(value), types.int64, kind)
    place = builder.ptrtoint(value, LONG)
    if isinstance(kind, types.Array):
        array, shape = context.make_array(kind)(context, builder), word(builder, place, SHAPE)
        extents = [word(builder, shape, axis) for axis in range(kind.ndim)]
        data = builder.inttoptr(word(builder, place, DATA), array.data.type)
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        strides = [LONG(size)]
        for extent in reversed(extents[1:]):
            strides.insert(0, builder.mul(strides[0], extent))
        populate_array(array, data, extents, strides, LONG(size), None)
        return array._getvalue()
    entries = [builder.inttoptr(word(builder, place, FIRST_ENTRY + k), c.pyapi.pyobj) for k in range(len(kind))]
    return context.make_tuple(builder, kind, [borrowed(c, *pair) for pair in zip(kind, entries, strict=True)])


@unbox(Lent)
def from_python(kind: Any, value: Any, c: Any) -> Any:
    """Unbox the tuple of all arguments, by :func:`borrowed`."""
    return NativeValue(borrowed(c, kind, value))
