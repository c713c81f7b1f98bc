"""Dynamics of articulated rigid bodies, on spatial (6D) vectors.

=================================  ====================================================================================
:mod:`pluecker.spatial`            the 6D algebra: motion and force vectors, transforms, inertias
:mod:`pluecker.articulated`        reduced coordinates: models, inverse and forward dynamics, kinematics
:mod:`pluecker.contact`            maximal coordinates: contacts with friction, and their solvers
:mod:`pluecker.course`             screws, fields of twists, planar vectors, subspaces: what teaches the algebra
:mod:`pluecker.teaching`           exercises that grade themselves
:mod:`pluecker.examples`           scenes with known answers, and a demonstration
=================================  ====================================================================================

The packages are imported when they are first looked at. :class:`PlueckerError` is what all errors of the package have in
common.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pluecker import articulated, contact, course, examples, spatial, teaching
    from pluecker.spatial.errors import PlueckerError

PACKAGES = ("articulated", "contact", "course", "examples", "spatial", "teaching")
__all__ = ["PlueckerError", "__version__", "articulated", "contact", "course", "examples", "spatial", "teaching"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return importlib.import_module(f"pluecker.{name}")
    if name == "PlueckerError":
        return importlib.import_module("pluecker.spatial.errors").PlueckerError
    raise AttributeError(f"module 'pluecker' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
