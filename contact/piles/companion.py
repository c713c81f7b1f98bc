"""What is compiled beside the first step of a world, by another process: what has the same types of arguments everywhere.

===========  ======================================================================================================
topic        what is compiled
===========  ======================================================================================================
``"found"``  what solves a small problem as a whole, and what follows, for worlds that look for contacts
``"rows"``   of a step in compiled code the velocity without rows, what solves a small problem, what surrounds all steps
===========  ======================================================================================================
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from pluecker.articulated.stepping.loop.surroundings import address_of_surroundings
from pluecker.articulated.stepping.semi_implicit.free_velocity import FREE_VELOCITY, compile_free_velocity
from pluecker.contact.piles.blocks import compile_products
from pluecker.contact.piles.moves import compiled_move
from pluecker.contact.problem.problem import Problem
from pluecker.contact.solving.solve import solve
from pluecker.spatial.companion import Companion
from pluecker.spatial.dense.cone_solver import CONE_SOLVER, compile_cone_solver

__all__ = ["companion", "compile_part"]

TOPICS = {"found": ("solve", "products", "move"), "rows": (FREE_VELOCITY, CONE_SOLVER, "surroundings")}


def compile_solve() -> None:
    """By the solution of a problem of one contact."""
    solve(Problem.from_factors(np.eye(3), np.eye(3), [-1.0, 3.0, 0.0], np.zeros(3), [0.5]))


PARTS: dict[str, Callable[[], object]] = {
    "solve": compile_solve,
    "products": compile_products,
    "move": compiled_move,
    FREE_VELOCITY: compile_free_velocity,
    CONE_SOLVER: compile_cone_solver,
    "surroundings": lambda: address_of_surroundings(False),
}


def compile_part(name: str) -> None:
    """Compile a part of a topic in this process."""
    PARTS[name]()


def compile_topic(name: str) -> None:
    """Compile, in the other process, what is left of a topic."""
    companion.work(name, sys.stdin.fileno())


companion = Companion(TOPICS, compile_part, compile_topic)
