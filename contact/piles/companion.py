"""Compilation in another process, beside the first step of a world: of functions with the same argument types everywhere.

============  =====================================================================================================
topic         what is compiled
============  =====================================================================================================
``"found"``   what solves a small problem as a whole, and what follows, for worlds that look for contacts
``"step"``    of a step in compiled code the velocity without rows, and what solves a small problem
``"motion"``  the same, the loop over steps, and what surrounds them
============  =====================================================================================================
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from pluecker.articulated.stepping.loop.loop_driver import one_by_one
from pluecker.articulated.stepping.loop.surroundings import address_of_surroundings
from pluecker.articulated.stepping.semi_implicit.free_velocity import FREE_VELOCITY, compile_free_velocity
from pluecker.contact.friction.dense.cone_solver import CONE_SOLVER, compile_cone_solver
from pluecker.contact.friction.problem.operator import Operator, contiguous
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets
from pluecker.contact.friction.results.measures import NUMBER, place_for_scaled
from pluecker.contact.friction.solving.compiled_parts import begin, end
from pluecker.contact.friction.solving.solver import Solver, at_once
from pluecker.contact.piles.blocks import compile_products
from pluecker.contact.piles.moves import compiled_move
from pluecker.spatial.engine.companion import Companion

__all__ = ["companion", "compile_part"]

STEP = (FREE_VELOCITY, CONE_SOLVER)
TOPICS = {
    "found": (CONE_SOLVER, "first steps", "preparation", "ends", "move", "products"),
    "step": STEP,
    "motion": (*STEP, "surroundings", "loop"),
}


def one_contact() -> tuple[Operator, Sets, Prepared]:
    """Make a problem of one contact, as solvers want it; nothing is compiled for it."""
    problem, islands = Problem.from_delassus(np.eye(3), np.zeros(3), [0.5]), np.array([0, 1])
    operator, sets = contiguous(problem.operator), problem.sets
    return operator, sets, Prepared(operator, sets, np.zeros(3), np.ones(3), islands, np.zeros(2, np.int64))


def compile_preparation() -> None:
    """Compile the preparation of a problem, from the factors that a step gives."""
    Solver(Problem.from_factors(np.eye(3), np.eye(3), np.zeros(3), np.zeros(3), [0.5]))


def compile_first_steps() -> None:
    """Compile the first steps of ``auto``."""
    at_once(one_contact()[2], 1, np.zeros(3), 1e-6, 1000)


def compile_ends() -> None:
    """Compile what each call of a solver does before and after its method."""
    (operator, K, P), (b, r, u, x, s), places = one_contact(), np.ones((5, 3)), np.arange(3)
    begin(b, np.zeros(0), K, K, P, places, np.zeros(3), r, x)
    end(operator, K, place_for_scaled(K), P.s, places, x, s, b, 0, 1, r, u, np.empty((5, 3)), np.empty(NUMBER))


PARTS: dict[str, Callable[[], object]] = {
    "preparation": compile_preparation,
    "first steps": compile_first_steps,
    "ends": compile_ends,
    "products": compile_products,
    "move": compiled_move,
    FREE_VELOCITY: compile_free_velocity,
    CONE_SOLVER: compile_cone_solver,
    "surroundings": lambda: address_of_surroundings(False),
    "loop": one_by_one,
}


def compile_part(name: str) -> None:
    """Compile a part of a topic in this process."""
    PARTS[name]()


def compile_topic(name: str) -> None:
    """Compile, in the other process, what is left of a topic."""
    companion.work(name, sys.stdin.fileno())


companion = Companion(TOPICS, compile_part, compile_topic)
