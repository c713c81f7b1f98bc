"""Compiling ahead, so that the first call is as fast as the others."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import ALGORITHMS, Algorithm
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.running.batch import compiled_describe, compiled_share_states
from pluecker.articulated.simulation.integrators import INTEGRATORS
from pluecker.articulated.simulation.simulate import simulate
from pluecker.spatial.engine.ahead import Topic, as_topics, compile_topic
from pluecker.spatial.engine.parallel.threads import compiled_serve
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.extras import progress_bar

__all__ = ["TOPICS", "compile_here", "pendulum", "warmup"]

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


def warmup(model: Model | None = None, *, topics: Sequence[str] | None = None, progress: bool = True) -> None:
    """Compile every algorithm, for one state and for batches, or load it from the cache of compiled code.

    Compiled code does not depend on the model, but for models with mimic joints, whose ``aba`` is another one. It
    is kept on disk and found by later processes, until the package, Numba or the processor changes.

    All of it takes minutes, and memory that only the end of this process gives back: ``pluecker warmup`` on the command
    line has a process for each topic.

    ===================  ==============================================================================================
    topic                what is compiled
    ===================  ==============================================================================================
    ``"robots"``         what most users call first: inverse and forward dynamics, the inertia matrix, frames, Jacobians
    ``"simulation"``     ``simulate`` for one state, by its own integrator, with and without position limits
    ``"batches"``        the same for batches of states
    ``"integrators"``    ``simulate`` for one state, by all other integrators
    of algorithms        ``"configuration"``, ``"dynamics"``, ``"frames"``, ``"inertia"``, ``"momentum"``, ``"redmax"``,
                         ``"derivatives"``, ``"forces"``
    ===================  ==============================================================================================

    Args:
        model: a mechanism whose algorithms will be needed; None for those of any mechanism.
        topics: what to compile; every algorithm if None, and no simulation.
        progress: whether to show a progress bar, on a terminal and if tqdm is installed (the extra ``cli`` brings it).

    Raises:
        TypeError: ``model`` is not a model, ``topics`` no names, or ``progress`` neither True nor False.
        KeyError: there is no such topic.

    Example:
        >>> from pluecker.articulated import warmup
        >>> warmup(topics=["robots", "simulation"])  # doctest: +SKIP
    """
    if model is not None:
        as_model("warmup", model)
    if not isinstance(progress, bool):
        raise ArgumentTypeError(f"warmup: progress is a {type(progress).__name__}, expected True or False")
    names = None if topics is None else as_topics("warmup", topics, TOPICS)
    functions = of_algorithms(ALGORITHMS, model) if names is None else []
    for name in names or ():
        known = room(name) if name in ROOMS else USUAL if name == "robots" else None
        functions += TOPICS[name].parts() if known is None else of_algorithms(known, model)
    for compile_one in progress_bar(functions, unit="function", show=progress):
        compile_one()  # the first look at an algorithm's function compiles it


def of_algorithms(names: Iterable[str], model: Model | None = None) -> Parts:
    """Return functions that compile these algorithms, for one state and for batches."""
    needed: list[Algorithm] = []
    for algorithm in map(ALGORITHMS.__getitem__, names):
        if model is None or not model.mimic or algorithm.with_mimic is None:
            needed.append(algorithm)
        if algorithm.with_mimic is not None and (model is None or model.mimic):
            needed.append(algorithm.with_mimic)
    functions: Parts = [compiled_describe, compiled_share_states, compiled_serve]
    return functions + [functools.partial(getattr, algorithm, way) for algorithm in needed for way in ("one", "many")]


def room(name: str) -> list[str]:
    """List the algorithms of a room, which are those whose kernels are in the subpackage of that name."""
    places = f".algorithms.{name}.", f".{name}."
    return [key for key, algorithm in ALGORITHMS.items() if any(p in algorithm.kernel.__module__ + "." for p in places)]


def of_room(name: str) -> Parts:
    """Return functions that compile the algorithms of a room."""
    return of_algorithms(room(name))


def usual() -> Parts:
    """Return functions that compile what most users call first, for models without mimic joints."""
    return of_algorithms(USUAL, pendulum())


@functools.cache
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
            start = functools.partial(simulate, pendulum(limited), q, [0.0], 0.002, 0.001)
            found.append(functools.partial(start, integrator=name, limits=limited, threads=1))
    return found


def other_integrators() -> Parts:
    """Return functions that compile all integrators but the default one."""
    return motions(sorted(set(INTEGRATORS) - {OWN_INTEGRATOR}))


TOPICS = {
    "robots": Topic(", ".join(USUAL), usual, usual=True),
    "simulation": Topic("simulate, one state", functools.partial(motions, [OWN_INTEGRATOR]), usual=True),
    "batches": Topic("simulate, batches of states", functools.partial(motions, [OWN_INTEGRATOR], batch=True)),
    "integrators": Topic("simulate, by all other integrators", other_integrators),
    **{name: Topic(words, functools.partial(of_room, name)) for name, words in ROOMS.items()},
}


def compile_here(name: str) -> None:
    """Compile a topic in this process."""
    compile_topic(TOPICS[name])
