"""Compiled code: all of it ahead, and how long a call waited for it.

=======================  ===========================================================================================
name                     what it does
=======================  ===========================================================================================
:func:`warmup`           compiles what contact needs, or loads it from the disk
:class:`Wait`            measures how long calls wait for compiled code, and says when it has to be made
:func:`fastest`          calls something once more where the first call waited
=======================  ===========================================================================================
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.warmup import pendulum
from pluecker.contact.constraints import PointContact
from pluecker.contact.friction.first_order.sharing import WIDE
from pluecker.contact.friction.lcp.solve_lcp import METHODS as LCP_SOLVERS
from pluecker.contact.friction.lcp.solve_lcp import solve_lcp
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.methods import METHODS
from pluecker.contact.friction.solving.solve import solve
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable, Rows
from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface
from pluecker.contact.world.world import World
from pluecker.spatial.engine.ahead import Topic, as_topics, compile_topic
from pluecker.spatial.engine.compiled.numba_internals import event
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.extras import MissingExtraError, progress_bar

__all__ = ["LONG_CALL", "TOPICS", "Wait", "compile_here", "fastest", "warmup"]

LONG_CALL = 1.0  # seconds from which a call is not made again ...
WAITED = 0.1  # ... unless more than this part of it was waiting for compiled code
COEFFICIENTS = {1: [0.0], 2: [0.5], 3: [0.5], 5: [0.5, 0.1], 6: [0.5, 0.1, 0.1]}  # of contacts, and their coefficients
LIMIT = 200  # iterations, so that gradients leave some to Newton's method
KINDS = "numba:compiler_lock", "numba:compile"


class Wait(event.Listener):
    """A context in which calls, of any thread, may wait for compiled code.

    Args:
        say: is called once, when the first function begins to be compiled; what is loaded from the disk is no reason.

    Attributes:
        seconds: that were spent so far on compiling and loading.
        compiled: how many functions were compiled.
    """

    def __init__(self, say: Callable[[], None] | None = None) -> None:
        self.say, self.seconds, self.compiled = say, 0.0, 0
        self._lock, self._depth, self._began = threading.Lock(), 0, 0.0

    def on_start(self, event: Any) -> None:
        """Count and time the start of Numba's compilation, or of its search for compiled code."""
        with self._lock:
            if event.kind == KINDS[1]:
                self.compiled += 1
                if self.say is not None and self.compiled == 1:
                    self.say()
            else:
                self._began = self._began if self._depth else perf_counter()
                self._depth += 1

    def on_end(self, event: Any) -> None:
        """Add the time of a compilation or search that has ended."""
        with self._lock:
            if event.kind == KINDS[0]:
                self._depth -= 1
                self.seconds += 0.0 if self._depth else perf_counter() - self._began

    def __enter__(self) -> Wait:
        for kind in KINDS:
            event.register(kind, self)
        return self

    def __exit__(self, *_: object) -> None:
        for kind in KINDS:
            event.unregister(kind, self)


def fastest(call: Callable[[], Result], times: int = 2) -> tuple[Result, float]:
    """Return the fastest of some calls, and the seconds that the first one waited for compiled code.

    A call that takes a second or more is not made again, unless a tenth of it was waiting.
    """
    with Wait() as wait:
        results = [call()]
    first, waited = results[0].time, wait.seconds
    again = first - waited < LONG_CALL or waited > WAITED * first
    results += [call() for _ in range(times - 1 if again else 0)]
    return min(results, key=lambda result: result.time), waited


def warmup(*, topics: Sequence[str] | None = None, progress: bool = True) -> None:
    """Compile what solves friction problems, by every method and law, or load it from the cache of compiled code.

    Small problems are solved: contacts of 1, 2, 3, 5 and 6 components with equations, limits and motors, from bodies, from a
    matrix and from factors. Compiled code does not depend on the problem. It is kept on disk and found by later processes,
    until the package, Numba or the processor changes. A method whose extra is not installed is left out.

    =================  ================================================================================================
    topic              what is compiled
    =================  ================================================================================================
    ``"friction"``     ``solve`` with its own method, for small problems and for larger ones
    ``"worlds"``       steps of a :class:`~pluecker.contact.World`, without contacts and with them, one state
    ``"instants"``     accelerations, impacts and rows of a world, for one state and for batches
    ``"methods"``      ``solve`` with every method and law, and ``solve_lcp``
    ``"large"``        gradients and sweeps on islands of hundreds of contacts and more
    =================  ================================================================================================

    Args:
        topics: what to compile; ``["methods"]`` if None, which has all of ``"friction"``.
        progress: whether to show a progress bar, on a terminal and if tqdm is installed (the extra ``cli`` brings it).

    Raises:
        TypeError: ``topics`` are no names, or ``progress`` is neither True nor False.
        KeyError: there is no such topic.

    Example:
        >>> from pluecker.contact import warmup
        >>> warmup(topics=["friction"])  # doctest: +SKIP
    """
    if not isinstance(progress, bool):
        raise ArgumentTypeError(f"warmup: progress is a {type(progress).__name__}, expected True or False")
    names = ("methods",) if topics is None else as_topics("warmup", topics, TOPICS)
    functions = [part for name in names for part in TOPICS[name].parts()]
    for compile_one in progress_bar(functions, unit="function", show=progress):
        compile_one()


def every_method() -> list[Callable[[], object]]:
    """List calls of all methods on all small problems, and of the solvers of linear complementarity problems."""
    problems = small_problems()
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), [-5.0, -6.0]
    return [
        *(partial(run_method, method, problems) for method in METHODS),
        *(partial(solve_lcp, A, b, method=name) for name in LCP_SOLVERS),
    ]


def usual_problems() -> list[Callable[[], object]]:
    """List calls of ``solve`` on one sliding contact, on two bodies on the floor, and on sixty contacts."""
    sliding = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.9])
    A = np.random.default_rng(0).standard_normal((180, 120))
    many = Problem.from_delassus(A @ A.T, A @ A[0], np.full(60, 0.9))
    return [partial(solve, problem) for problem in (sliding, from_bodies(), many)]


def world_step() -> list[Callable[[], object]]:
    """List calls: two steps of a pendulum; steps of a box on the ground with contacts found, of one pair, and at points."""
    builder = ModelBuilder()
    builder.add_body("box", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("free", "free", parent="world", child="box")
    model, surface = builder.build(), Surface(friction=0.5)
    solids = [Collider("ground", HalfSpace(), "world", surface), Collider("cube", Box((1.0, 1.0, 1.0)), "box", surface)]
    worlds = (
        World(model, shapes=solids), World(model, shapes=solids, pairs=[("ground", "cube")]),
        World(model, [PointContact("corner", "world", ("box", (0.5, 0.5, -0.5)), friction=0.5)]),
    )  # fmt: skip
    lying = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0], [0.0] * 6, 0.001
    return [
        partial(World(pendulum(), []).simulate, [0.1], [0.0], 0.002, 0.001),
        *(partial(world.step, *lying) for world in worlds),
    ]


def world_instants() -> list[Callable[[], object]]:
    """List calls of what a world computes at an instant, for one state and for a batch."""
    world, states, v, tau = World(pendulum(), []), ([0.1], [[0.1], [0.2]]), [0.0], [0.0]
    return [
        part
        for q in states
        for part in (
            partial(world.accelerations, q, v, tau), partial(world.impact, q, v, [0.1]), partial(world.rows_at, q, v),
        )
    ]  # fmt: skip


def large_island() -> list[Callable[[], object]]:
    """List calls of some iterations on a chain of bodies, each of which touches the next one."""
    n = WIDE + 1
    place, velocity = np.arange(3.0 * n).reshape(n, 3), np.arange(6.0 * n).reshape(n, 6) % 7.0
    bodies = Bodies(np.ones(n), np.tile(np.eye(3), (n, 1, 1)), place, velocity=velocity)
    pairs, normal = np.arange(n - 1)[:, None] + np.arange(2), np.tile([0.0, 0.0, 1.0], (n - 1, 1))
    table = ContactTable(pairs, normal, bodies.position[1:], friction=np.full(n - 1, 0.5))
    chain = assemble_contacts(bodies, table, 0.01)
    solving = [partial(solve, chain, method=method, max_iterations=2, form="factors") for method in ("apgd", "psor")]
    return [*solving, check_large_island]


def check_large_island() -> None:
    """Compile the function that checks velocities and errors of islands of thousands of contacts."""
    from numba import config

    from pluecker.contact.friction.first_order import large_checks, large_task

    if not config.DISABLE_JIT:
        large_task.compiled(large_checks.in_one_thread)


TOPICS = {
    "friction": Topic("solve by its own method, small problems and large ones", usual_problems, usual=True),
    "worlds": Topic("World.step and simulate, without contacts and with, one state", world_step, usual=True),
    "instants": Topic("World.accelerations, impact, rows_at", world_instants),
    "methods": Topic("solve by every method and law, solve_lcp", every_method),
    "large": Topic("solve for islands of hundreds of contacts and more", large_island),
}


def compile_here(name: str) -> None:
    """Compile a topic in this process."""
    compile_topic(TOPICS[name])


def run_method(method: str, problems: Sequence[Problem]) -> None:
    """Run a method on the problems, in all laws that it solves."""
    for problem in problems:
        size = int(np.diff(problem.sets.start).max())
        for law in METHODS[method].laws:
            if law == "lcp" and size != 3:
                continue
            for form in ("matrix", "factors") if problem.operator.is_factored else ("matrix",):
                try:
                    solve(problem, law, method, tol=1e-10, max_iterations=LIMIT, form=form, threads=1)
                except MissingExtraError:
                    return


def small_problems() -> list[Problem]:
    """Make two islands of bodies with contacts and rows, and single contacts of all sizes with rows, in both forms."""
    rng, found = np.random.default_rng(0), [from_bodies()]
    for size, coefficients in COEFFICIENTS.items():
        m = size + 3
        H, f = rng.normal(size=(m + 2, m)), rng.normal(size=m + 2)
        mu = np.array([coefficients])
        rows = [-np.inf, 0.0, -0.1], [np.inf, np.inf, 0.1]
        factored = Problem.from_factors(np.eye(m + 2), H.T, f, np.zeros(m), mu, size=size, rows=rows)
        found += [factored, Problem.from_delassus(H.T @ H, factored.offset, mu, size=size, rows=rows)]
    return found


def from_bodies() -> Problem:
    """Make the problem of two bodies that slide on the floor, each with a contact and one with a motor."""
    mass, inertia, one = np.array([np.inf, 1.0, 1.0]), np.tile(np.eye(3), (3, 1, 1)), np.ones(1)
    bodies = Bodies(mass, inertia, np.eye(3), velocity=np.ones((3, 6))).with_gravity()
    pairs, normal = np.array([[0, 1], [0, 2]]), np.array([[0.0, 0.0, 1.0]] * 2)
    table = ContactTable(pairs, normal, np.eye(3)[:2], friction=np.full(2, 0.5))
    jacobian = np.stack([np.ones((1, 6)), np.zeros((1, 6))], axis=1)
    rows = Rows(np.array([[1, -1]]), jacobian, -0.1 * one, 0.1 * one)
    return assemble_contacts(bodies, table, 0.01, rows=rows)
