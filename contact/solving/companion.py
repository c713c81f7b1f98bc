"""What is compiled beside the first step of a world, by another process: the solver, whose types are the same everywhere.

===========  ======================================================================================================
topic        what is compiled
===========  ======================================================================================================
``"found"``  what solves a small problem as a whole, for worlds that look for contacts
``"rows"``   what solves it from a step in compiled code, and what surrounds all steps
===========  ======================================================================================================
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.stepping.loop.surroundings import address_of_surroundings
from pluecker.contact.problem.problem import Problem
from pluecker.contact.solving.solve import solve
from pluecker.spatial.companion import Companion
from pluecker.spatial.dense.cone_solver import compile_cone_solver

__all__ = ["companion", "compile_beside"]


def compile_beside(name: str) -> None:
    """Compile a topic in this process."""
    if name == "found":
        solve(Problem.from_factors(np.eye(3), np.eye(3), [-1.0, 3.0, 0.0], np.zeros(3), [0.5]))
    else:
        compile_cone_solver()
        address_of_surroundings(False)


companion = Companion(compile_beside)
