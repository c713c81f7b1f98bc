"""Dynamics of articulated rigid bodies, on spatial (6D) vectors.

=================================  ====================================================================================
:mod:`pluecker.spatial`            the 6D algebra: motion and force vectors, transforms, inertias
:mod:`pluecker.articulated`        reduced coordinates: models, inverse and forward dynamics, kinematics
:mod:`pluecker.contact`            maximal coordinates: contacts with friction, and their solvers
:mod:`pluecker.course`             screws, fields of twists, planar vectors, subspaces: what teaches the algebra
:mod:`pluecker.teaching`           exercises that grade themselves
:mod:`pluecker.examples`           scenes with known answers, and a demonstration
=================================  ====================================================================================

``import pluecker as pl`` is enough to begin with: ``dir(pl)`` lists these packages and what most programs use of them,
``pl.Model``, ``pl.rnea``, ``pl.simulate``, ``pl.World`` and others. Each is imported when it is first looked at.
:class:`PlueckerError` is what all errors of the package have in common.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pluecker import articulated, contact, course, examples, spatial, teaching
    from pluecker.articulated import (
        Control,
        Model,
        ModelBuilder,
        PDControl,
        TimeTable,
        aba,
        animate,
        crba,
        forward_kinematics,
        integrate,
        jacobian,
        neutral,
        plot_mechanism,
        random_configuration,
        rnea,
        simulate,
        view,
    )
    from pluecker.articulated.robots import find_robot
    from pluecker.compiling import warmup
    from pluecker.contact import Problem, World, constraints, geometry, solve
    from pluecker.installation import show_config
    from pluecker.spatial import PlueckerError

__all__ = [
    "Control",
    "Model",
    "ModelBuilder",
    "PDControl",
    "PlueckerError",
    "Problem",
    "TimeTable",
    "World",
    "__version__",
    "aba",
    "animate",
    "articulated",
    "constraints",
    "contact",
    "course",
    "crba",
    "examples",
    "find_robot",
    "forward_kinematics",
    "geometry",
    "integrate",
    "jacobian",
    "neutral",
    "plot_mechanism",
    "random_configuration",
    "rnea",
    "show_config",
    "simulate",
    "solve",
    "spatial",
    "teaching",
    "view",
    "warmup",
]
__version__ = "0.1.0"

PACKAGES = ("articulated", "contact", "course", "examples", "spatial", "teaching")
# Modules of the other names, as above; that of all others is pluecker.articulated.
HOMES = {
    "PlueckerError": "pluecker.spatial.errors",
    "find_robot": "pluecker.articulated.robots",
    "show_config": "pluecker.installation",
    "warmup": "pluecker.compiling",
    **dict.fromkeys(("Problem", "World", "constraints", "geometry", "solve"), "pluecker.contact"),
}

if not TYPE_CHECKING:  # or any name would pass for one of these

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'pluecker' has no attribute {name!r}")
        if name in PACKAGES:
            return import_module(f"pluecker.{name}")
        globals()[name] = found = getattr(import_module(HOMES.get(name, "pluecker.articulated")), name)
        return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
