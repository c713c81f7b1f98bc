"""Objects of Python's in compiled code: their addresses."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import NativeValue, models, register_model, unbox

from pluecker.spatial.engine.codegen.lanes import LONG
from pluecker.spatial.engine.compiled.numba_internals import TYPES, means
from pluecker.spatial.engine.memory.objects import address_of_object

__all__ = ["PythonObject", "python_object"]


class PythonObject(types.Type):
    """Any object of Python's, which compiled code looks at by itself."""

    def __init__(self) -> None:
        super().__init__("object of Python")


python_object = PythonObject()
TYPES["python_object"] = python_object


@register_model(PythonObject)
class AddressModel(models.PrimitiveModel):
    """Representation of an object in compiled code: its address."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, LONG)


@unbox(PythonObject)
def address_from_python(kind: Any, value: Any, c: Any) -> Any:
    """Unbox an object as its address. No reference is counted: the caller has one."""
    return NativeValue(c.builder.ptrtoint(value, LONG))


@means(address_of_object)
def _address_of_object(typing, value):
    """Return the address of an object."""

    def generate(context, builder, signature, arguments):
        return arguments[0]

    return types.intp(value), generate
