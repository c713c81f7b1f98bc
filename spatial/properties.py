"""Properties that are computed once, without a lock.

:func:`functools.cached_property` has a lock up to Python 3.11, one for all objects of a class. A process made by ``fork``
while another thread holds it would wait for it forever. From 3.12 on there is none: two threads may compute the same value.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property  # noqa: TID251 - the one place
else:

    class cached_property(functools.cached_property):  # noqa: TID251
        """:func:`functools.cached_property` without a lock, as it is from Python 3.12 on."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value
