"""Arrays of NumPy as compiled code finds them in Python's memory.

For each array that it is given, Numba's own entrance asks for its type, converts it into a record of seven words, and counts
references: together as long as the inverse dynamics of an arm. Here compiled code gets the tuple of the arguments as the
object that it is, and reads the few words that say whether an entry is a plain array of native float64, and where its
numbers lie. Whatever is not, of any type, is left to the way that checks and converts.

NumPy's binary interface lays down where these words are (PyArrayObject_fields and PyArray_Descr in its headers), as
Python's does for tuples; only the size of the head of an object differs among builds. The arguments outlive the call.
"""

from __future__ import annotations

import numpy as np

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.memory.addresses import integers_at, numbers_at
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["CLASS_OF_ARRAYS", "OBJECTS", "address_of_object", "array_in", "entries_of", "numbers_of"]

# In words of eight bytes, from the beginning of an object.
HEAD = object.__basicsize__ // 8
CLASS = HEAD - 1  # the last word of the head
FIRST_ENTRY = tuple.__basicsize__ // 8
DATA, AXES, SHAPE, DTYPE, FLAGS = HEAD, HEAD + 1, HEAD + 2, HEAD + 5, HEAD + 6
KIND = HEAD + 1  # of a dtype: four letters, of which the last is reserved, and the number of the type
OBJECT_SIZE = FLAGS + 1

INT = 0xFFFFFFFF  # half a word: the other half is not defined
LETTERS_AND_NUMBER = 0xFFFFFFFF00FFFFFF
NATIVE_FLOAT64 = np.dtype(np.float64).num << 32 | ord("=") << 16 | ord("d") << 8 | ord("f")
CONTIGUOUS_AND_ALIGNED = 0x101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED

# The address of the class: it differs from process to process, and machine code is kept on disk, so callers hand it in.
CLASS_OF_ARRAYS = id(np.ndarray)


# Types of the arguments of what takes three objects.
OBJECTS = ("python_object", "python_object", "python_object")


def address_of_object(value):
    """Return the address of an object."""
    return id(value)


@kernel
def entries_of(arguments, n):
    """The addresses of the ``n`` entries of a tuple"""
    return integers_at(address_of_object(arguments) + 8 * FIRST_ENTRY, n)


@kernel
def array_in(place, axes, class_of_arrays):
    """Return whether the object at an address is a plain array of so many axes, 1 or 2; its entries, rows and columns"""
    words = integers_at(place, OBJECT_SIZE)
    if load(words, CLASS) == class_of_arrays and load(words, AXES) & INT == axes:
        kind = integers_at(load(words, DTYPE), KIND + 1)
        flags = load(words, FLAGS) & CONTIGUOUS_AND_ALIGNED
        if flags == CONTIGUOUS_AND_ALIGNED and load(kind, KIND) & LETTERS_AND_NUMBER == NATIVE_FLOAT64:
            shape = integers_at(load(words, SHAPE), axes)
            rows, columns = load(shape, 0), load(shape, axes - 1) if axes == 2 else 1
            return True, numbers_at(load(words, DATA), rows * columns), rows, columns
    return False, numbers_at(0, 0), 0, 0


@kernel
def numbers_of(array, n):
    """The ``n`` entries of an array that is known to be plain"""
    return numbers_at(load(integers_at(address_of_object(array), OBJECT_SIZE), DATA), n)
