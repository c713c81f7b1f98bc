"""Importing what is optional: a missing package is one line that names the extra to install."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from typing import Any, TypeVar

from pluecker.spatial.errors import PlueckerError

__all__ = ["MissingExtraError", "progress_bar", "require"]

T = TypeVar("T")


class MissingExtraError(PlueckerError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


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


def progress_bar(steps: Iterable[T], unit: str, show: bool = True) -> Iterable[T]:
    """The steps, with a progress bar on standard error where that is a terminal and tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return steps
    bar: Iterable[T] = tqdm(steps, unit=unit, disable=not (show and sys.stderr.isatty()), leave=False, delay=0.5)
    return bar
