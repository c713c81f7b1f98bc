"""Compiling ahead, so that the first call is as fast as the others: :func:`warmup`, and the command of that name.

What is compiled together is a topic: a line in :data:`TOPICS`, whose parts are calls that compile it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial

import numpy as np

from pluecker.articulated.model.model import Model, ModelBuilder
from pluecker.articulated.running.algorithm import ALGORITHMS, COMPILED, Algorithm
from pluecker.articulated.running.batch import compiled_describe, compiled_describe_batch
from pluecker.articulated.running.short_batches import enter_few
from pluecker.articulated.simulation.integrators import INTEGRATORS
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.stepping.loop.called_step import called_step
from pluecker.contact.constraints import Ball, Frame, Hinge, PointContact
from pluecker.contact.found.step import VARIANTS as FOUND_VARIANTS
from pluecker.contact.friction.first_order.sharing import WIDE
from pluecker.contact.friction.lcp.solve_lcp import METHODS as LCP_SOLVERS
from pluecker.contact.friction.lcp.solve_lcp import solve_lcp
from pluecker.contact.friction.problem.operator import assemble
from pluecker.contact.friction.problem.prepared import prepare
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.solving.methods import METHODS
from pluecker.contact.friction.solving.solve import errors_of, solve
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable, Rows
from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface
from pluecker.contact.geometry.finding.calls import call_of
from pluecker.contact.geometry.pairs import HULL_PAIRS, PAIRS, SOLID_PAIRS, arrays_of
from pluecker.contact.stepping.step import VARIANTS as WORLD_VARIANTS
from pluecker.contact.world.world import World
from pluecker.interruptions import catch_interruptions
from pluecker.spatial.engine.compiled.decorators import cache_folder
from pluecker.spatial.engine.topics import Topic, as_topics, compile_elsewhere, compile_topic, described
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError
from pluecker.spatial.extras import progress_bar
from pluecker.spatial.functions.elementwise import ELEMENTWISE

__all__ = ["TOPICS", "compile_here", "describe_warmup", "run_warmup", "warmup"]

Parts = list[Callable[[], object]]

# What most users call first, of all rooms of algorithms.
USUAL = (
    "rnea", "bias_force", "gravity_force", "aba", "crba", "integrate", "forward_kinematics", "frame_placement",
    "frame_velocity", "jacobian",
)  # fmt: skip
# Where algorithms stand, and what they compute there.
ROOMS = {
    "configuration": "integrate, difference, carry_velocity",
    "dynamics": "inverse and forward dynamics, with mimic joints too, energies",
    "frames": "all bodies, frames, points, and their Jacobians",
    "inertia": "factors of the inertia matrix, minv, operational_inertia, coriolis_matrix",
    "momentum": "centers of mass, momentum and their matrices",
    "redmax": "body_jacobian and its products, redmax_dynamics",
    "derivatives": "rnea_derivatives, aba_derivatives",
    "forces": "applied_forces, applied_stiffness",
}
OWN_INTEGRATOR = "semi_implicit"
COEFFICIENTS = {1: [0.0], 2: [0.5], 3: [0.5], 5: [0.5, 0.1], 6: [0.5, 0.1, 0.1]}  # of contacts, and their coefficients
LIMIT = 200  # iterations, so that gradients leave some to Newton's method


def warmup(topics: Sequence[str] | None = None, *, progress: bool = True) -> None:
    """Compile ahead what most programs call first, or what the topics name, or load it from the cache of compiled code.

    Compiled code depends neither on the model nor on the problem, but for models with mimic joints, whose ``aba`` is another
    one. It is kept on disk and found by later processes, until the package, Numba or the processor changes.

    All topics take minutes, and memory that only the end of this process gives back: ``pluecker warmup`` on the command
    line has a process for each topic. What has come with the package as machine code is compiled no more.

    ===================  ==============================================================================================
    topic                what is compiled
    ===================  ==============================================================================================
    ``"robots"``         what most users call first: inverse and forward dynamics, the inertia matrix, frames, Jacobians
    ``"simulation"``     ``simulate`` for one state, by its own integrator, with and without position limits
    ``"friction"``       ``solve`` with its own method, for small problems and for larger ones
    ``"worlds"``         steps of a :class:`~pluecker.contact.World`, without contacts and with them, one state
    ``"shapes"``         contacts of all pairs of shapes
    ``"scenes"``         steps of worlds with limits, motors, springs, rolling friction, loops, one state
    ``"many"``           steps of worlds that batches take in lanes
    ``"arrays"``         functions of arrays, those of :mod:`pluecker.spatial`
    ``"batches"``        ``simulate`` for batches of states
    ``"integrators"``    ``simulate`` for one state, by all other integrators
    of algorithms        ``"configuration"``, ``"dynamics"``, with mimic joints too, ``"frames"``, ``"inertia"``,
                         ``"momentum"``, ``"redmax"``, ``"derivatives"``, ``"forces"``; for one state and for batches
    ``"loops"``          what :class:`~pluecker.contact.World` computes of mechanisms with loops: ``close``, forces
    ``"instants"``       accelerations, impacts and rows of a world, for one state and for batches
    ``"methods"``        ``solve`` with every method and law, and ``solve_lcp``
    ``"large"``          gradients and sweeps on islands of hundreds of contacts and more
    ===================  ==============================================================================================

    Args:
        topics: what to compile; the first four if None.
        progress: whether to show a progress bar, on a terminal and if tqdm is installed (the extra ``cli`` brings it).

    Raises:
        TypeError: ``topics`` are no names, or ``progress`` is neither True nor False.
        KeyError: there is no such topic.

    Example:
        >>> import pluecker
        >>> pluecker.warmup(["robots", "friction"])  # doctest: +SKIP
    """
    if not isinstance(progress, bool):
        raise ArgumentTypeError(f"warmup: progress is a {type(progress).__name__}, expected True or False")
    names = usual_topics() if topics is None else as_topics("warmup", topics, TOPICS)
    parts = [part for name in names for part in TOPICS[name].parts()]
    for compile_part in progress_bar(parts, unit="function", show=progress):
        compile_part()


def usual_topics() -> list[str]:
    """List the names of the topics that most users need."""
    return [name for name, topic in TOPICS.items() if topic.usual]


def describe_warmup() -> str:
    """Return the description of ``pluecker warmup --help``."""
    return f"""Compile ahead what most users call first, or what the topics name; no later call then has to wait for it.

{described(TOPICS)}

Those with a star are compiled if none is named. Compiled code is kept on disk, until the package, Numba or the processor
changes. Each topic is compiled in a process of its own, one after the other. What came with the package as machine code is
there already."""


def run_warmup(options: argparse.Namespace) -> int:
    """Compile topics ahead, each in a process of its own, and say how long each took and where compiled code is kept."""
    if options.all and options.topics:
        raise ArgumentValueError("warmup: --all means every topic; give either names or --all")
    names = tuple(TOPICS) if options.all else as_topics("warmup", options.topics or usual_topics(), TOPICS)
    where = cache_folder()
    if not where:
        print("nothing is compiled: no folder can be written where it is kept, or compilation is switched off")
        return 0
    catch_interruptions()
    for name in names:
        start = time.perf_counter()
        compile_elsewhere(compile_here, name)
        print(f"{name:14}{TOPICS[name].what}: ready after {time.perf_counter() - start:.1f} s", flush=True)
    left = [name for name in TOPICS if name not in names]
    print(f"kept in {where}")
    if left:
        print(f"not compiled ahead: {', '.join(left)}; name them, or pass --all")
    return 0


def compile_here(name: str) -> None:
    """Compile a topic in this process."""
    compile_topic(TOPICS[name])


# -------------------------------------------------------------------------------------------------------------------- robots


def of_algorithms(names: Iterable[str], mimic: bool = True) -> Parts:
    """Return functions that compile these algorithms, for one state and for batches; with ``mimic`` for mimic joints too."""
    needed: list[Algorithm] = []
    for algorithm in map(ALGORITHMS.__getitem__, names):
        needed.append(algorithm)
        if mimic and algorithm.with_mimic is not None:
            needed.append(algorithm.with_mimic)
    functions: Parts = [compiled_describe, compiled_describe_batch, *([enter_few] if COMPILED else [])]
    return functions + [partial(getattr, algorithm, way) for algorithm in needed for way in ("one", "many")]


def room(name: str) -> list[str]:
    """List the algorithms of a room, which are those whose kernels are in the subpackage of that name."""
    places = f".algorithms.{name}.", f".{name}."
    return [key for key, algorithm in ALGORITHMS.items() if any(p in algorithm.kernel.__module__ + "." for p in places)]


def of_room(name: str) -> Parts:
    """Return functions that compile the algorithms of a room."""
    return of_algorithms(room(name))


def usual() -> Parts:
    """Return functions that compile what most users call first, for models without mimic joints."""
    return of_algorithms(USUAL, mimic=False)


@cache
def pendulum(limited: bool = True) -> Model:
    """Make a rod on a hinge, with position limits or without."""
    builder, limit = ModelBuilder(), 1.0 if limited else np.inf
    builder.add_body("rod", mass=1.0, center_of_mass=(0.0, 0.0, -1.0))
    builder.add_joint(
        "hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), lower_limit=-limit, upper_limit=limit
    )
    return builder.build()


def motions(integrators: Iterable[str], batch: bool = False) -> Parts:
    """Return functions that simulate two steps of a pendulum by each integrator, and so compile it."""
    q = [[0.1], [0.2]] if batch else [0.1]
    found: Parts = []
    for name in integrators:
        knows_limits = INTEGRATORS[name].takes_rows
        for limited in (True, False) if knows_limits else (False,):
            start = partial(simulate, pendulum(limited), q, [0.0], 0.002, 0.001)
            found.append(partial(start, integrator=name, limits=limited, threads=1))
    return found


def other_integrators() -> Parts:
    """Return functions that compile all integrators but the default one."""
    return motions(sorted(set(INTEGRATORS) - {OWN_INTEGRATOR}))


# ------------------------------------------------------------------------------------------------------------------- contact


def every_method() -> Parts:
    """List calls of all methods on all small problems, and of the solvers of linear complementarity problems."""
    problems = small_problems()
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), [-5.0, -6.0]
    return [
        *(partial(run_method, method, problems) for method in METHODS),
        *(partial(solve_lcp, A, b, method=name) for name in LCP_SOLVERS),
    ]


def usual_problems() -> Parts:
    """List calls of ``solve`` on one sliding contact, on two bodies on the floor, and on sixty contacts."""
    sliding, held = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.9]), from_bodies(force=np.inf)
    A = np.random.default_rng(0).standard_normal((180, 120))
    many = Problem.from_delassus(A @ A.T, A @ A[0], np.full(60, 0.9))
    problems, laws = (sliding, from_bodies(), held, many), ("ncp", "ccp")
    solving: Parts = [partial(solve, problem, law) for problem in problems for law in laws]
    solving += [partial(solve, held, law, "interior_point") for law in laws]
    return [*solving, lambda: errors_of(held, solve(held).multipliers, "ncp")]


def world_step() -> Parts:
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

    def go_on() -> object:
        """Take two steps from a state that remembers its contacts."""
        start = worlds[0].start(*lying[:2])
        return worlds[0].step(worlds[0].step(start, lying[2]), lying[2])

    return [
        go_on,
        partial(World(pendulum(), []).simulate, [0.1], [0.0], 0.002, 0.001),
        *(partial(world.step, *lying) for world in worlds),
    ]


def shapes() -> Parts:
    """Return functions that compile the kernels of all pairs of shapes."""
    kinds = PAIRS | HULL_PAIRS | SOLID_PAIRS
    return [partial(call_of, pair, arrays_of(*kind)) for kind, pair in kinds.items()]


def scenes() -> Parts:
    """Return functions that compile the steps of worlds of all kinds, for one state."""
    variants = [*WORLD_VARIANTS.values(), *FOUND_VARIANTS.values()]
    return [partial(called_step, each, False) for each in variants]


def batches_of_worlds() -> Parts:
    """Return functions that compile the steps of worlds of all kinds that batches take in lanes."""
    return [partial(called_step, each, True) for each in WORLD_VARIANTS.values()]


def arrays() -> Parts:
    """Return functions that compile all functions of arrays."""
    return [partial(getattr, function, "compiled") for function in ELEMENTWISE]


def loops() -> Parts:
    """Return a function that closes a four-bar linkage, asks for accelerations and forces there, and takes steps."""
    builder = ModelBuilder()
    places = {
        "crank": ("world", (0.0, 0.0, 0.0)),
        "coupler": ("crank", (0.0, 0.0, 0.3)),
        "rocker": ("world", (0.8, 0.0, 0.0)),
    }
    for name, (parent, place) in places.items():
        builder.add_body(name, mass=1.0, center_of_mass=(0.0, 0.0, 0.2), inertia=(0.02, 0.02, 0.001))
        builder.add_joint(f"{name}_pin", "revolute", parent=parent, child=name, axis=(0, 1, 0), position=place)
    half = np.sqrt(0.5)
    ends = [Frame(body, (0.0, 0.0, z), (half, -half, 0.0, 0.0)) for body, z in (("coupler", 0.9), ("rocker", 0.6))]
    model = builder.build()
    world, with_ball = World(model, [Hinge("loop", *ends)]), World(model, [Ball("loop", *ends)])

    def run() -> None:
        with_ball.close([0.0, 1.0, 0.0])
        closed = world.close([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], fixed=["crank_pin"])
        q, v = closed.configuration, closed.velocity
        now = world.accelerations(q, v, tau=[0.5, 0.0, 0.0])
        world["loop"].wrench(q, now.forces)
        world.simulate(q, v, 0.002, 0.001)
        world.errors_at([q, q])

    return [run]


def world_instants() -> Parts:
    """List calls of what a world computes at an instant, for one state and for a batch."""
    world, states, v, tau = World(pendulum(), []), ([0.1], [[0.1], [0.2]]), [0.0], [0.0]
    return [
        part
        for q in states
        for part in (
            partial(world.accelerations, q, v, tau), partial(world.impact, q, v, [0.1]), partial(world.rows_at, q, v),
        )
    ]  # fmt: skip


def large_island() -> Parts:
    """List calls of some iterations on a chain of bodies, each of which touches the next one."""
    n = WIDE + 1
    place, velocity = np.arange(3.0 * n).reshape(n, 3), np.arange(6.0 * n).reshape(n, 6) % 7.0
    bodies = Bodies(np.ones(n), np.tile(np.eye(3), (n, 1, 1)), place, velocity=velocity)
    pairs, normal = np.arange(n - 1)[:, None] + np.arange(2), np.tile([0.0, 0.0, 1.0], (n - 1, 1))
    table = ContactTable(pairs, normal, bodies.position[1:], friction=np.full(n - 1, 0.5))
    chain = assemble_contacts(bodies, table, 0.01)
    solving = [partial(solve, chain, method=method, max_iterations=2, form="factors") for method in ("apgd", "psor")]
    return [*solving, partial(check_large_island, chain)]


def check_large_island(problem: Problem) -> None:
    """Compute velocities and errors as those of islands of thousands of contacts are."""
    from pluecker.contact.friction.solving.islands.island import Checks

    P, _ = prepare(Problem(assemble(problem.operator), problem.offset, problem.sets))
    checks = Checks(P, 1)
    checks.error(P.b, checks.velocity(P.b, 1))


def run_method(method: str, problems: Sequence[Problem]) -> None:
    """Run a method on the problems, in all laws that it solves."""
    for problem in problems:
        size = int(np.diff(problem.sets.start).max())
        for law in METHODS[method].laws:
            if law == "lcp" and size != 3:
                continue
            for form in ("matrix", "factors") if problem.operator.is_factored else ("matrix",):
                solve(problem, law, method, tol=1e-10, max_iterations=LIMIT, form=form, threads=1)


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


def from_bodies(force: float = 0.1) -> Problem:
    """Make the problem of two bodies that slide on the floor, each with a contact and one with a motor of that force."""
    mass, inertia, one = np.array([np.inf, 1.0, 1.0]), np.tile(np.eye(3), (3, 1, 1)), np.ones(1)
    bodies = Bodies(mass, inertia, np.eye(3), velocity=np.ones((3, 6))).with_gravity()
    pairs, normal = np.array([[0, 1], [0, 2]]), np.array([[0.0, 0.0, 1.0]] * 2)
    table = ContactTable(pairs, normal, np.eye(3)[:2], friction=np.full(2, 0.5))
    jacobian = np.stack([np.ones((1, 6)), np.zeros((1, 6))], axis=1)
    rows = Rows(np.array([[1, -1]]), jacobian, -force * one, force * one)
    return assemble_contacts(bodies, table, 0.01, rows=rows)


# -------------------------------------------------------------------------------------------------------------------- topics

TOPICS = {
    "robots": Topic(", ".join(USUAL), usual, usual=True),
    "simulation": Topic("simulate, one state", partial(motions, [OWN_INTEGRATOR]), usual=True),
    "friction": Topic("solve by its own method, small problems and large ones", usual_problems, usual=True),
    "worlds": Topic("World.step and simulate, without contacts and with, one state", world_step, usual=True),
    "shapes": Topic("contacts of all pairs of shapes", shapes),
    "scenes": Topic("World.step and simulate with limits, motors, springs, rolling friction, loops", scenes),
    "many": Topic("World.simulate, batches of states", batches_of_worlds),
    "arrays": Topic("functions of arrays of pluecker.spatial", arrays),
    "batches": Topic("simulate, batches of states", partial(motions, [OWN_INTEGRATOR], batch=True)),
    "integrators": Topic("simulate, by all other integrators", other_integrators),
    **{name: Topic(words, partial(of_room, name)) for name, words in ROOMS.items()},
    "loops": Topic("World.close, accelerations and forces of mechanisms with loops", loops),
    "instants": Topic("World.accelerations, impact, rows_at", world_instants),
    "methods": Topic("solve by every method and law, solve_lcp", every_method),
    "large": Topic("solve for islands of hundreds of contacts and more", large_island),
}
