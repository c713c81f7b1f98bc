"""Importing what is optional: a missing package is one line that names the extra to install."""

from __future__ import annotations

import importlib
from typing import Any

from pluecker.articulated.errors import MissingExtraError

__all__ = ["require"]


def require(module: str, extra: str, purpose: str) -> Any:
    """Import ``module``, or say which extra brings it.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = error.name or module
        raise MissingExtraError(
            f"{purpose} needs {package}, which is not installed: pip install 'pluecker[{extra}]'"
        ) from None
