"""SciPy, imported when something of it is first looked at: few calls need it, and it takes a tenth of a second and more."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["scipy"]


class LazyModule:
    """A module that is imported when one of its names is first looked at."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, key: str) -> Any:
        found = getattr(import_module(self._name), key)
        setattr(self, key, found)
        return found


if TYPE_CHECKING:
    import scipy
else:
    scipy = LazyModule("scipy")
