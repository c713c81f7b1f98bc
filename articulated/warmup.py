"""Compiling ahead, so that the first call is as fast as the others."""

from __future__ import annotations

from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import ALGORITHMS
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.running.batch import compiled_describe, compiled_share_states
from pluecker.articulated.simulation.simulate import simulate
from pluecker.spatial.ahead import Job, compile_ahead
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.parallel.threads import compiled_serve

__all__ = ["compile_job", "jobs", "warmup"]

WITH_MIMIC = " with mimic joints"
SIMULATE = "simulate"


def warmup(model: Model | None = None, *, progress: bool = True) -> None:
    """Compile all algorithms and ``simulate``, for one state and for batches, or load it from the cache of compiled code.

    Two processes do it. Compiled code does not depend on the model, but for models with mimic joints, whose ``aba`` is
    another one. It is kept on disk and found by later processes, until the package, Numba or the processor changes. Of
    ``simulate`` this is the integrator ``"semi_implicit"``, without elements between bodies.

    Args:
        model: a mechanism whose algorithms will be needed; None for those of any mechanism.
        progress: whether to show a progress bar, on a terminal and if tqdm is installed (the extra ``cli`` brings it).

    Raises:
        TypeError: ``model`` is not a model, or ``progress`` neither True nor False.
        RuntimeError: a process that compiles has failed; the message has what it said.

    Example:
        >>> from pluecker.articulated import warmup
        >>> warmup()  # doctest: +SKIP
    """
    if model is not None:
        as_model("warmup", model)
    if not isinstance(progress, bool):
        raise ArgumentTypeError(f"warmup: progress is a {type(progress).__name__}, expected True or False")
    compile_ahead([*jobs("one", model), *reversed(jobs("many", model))], progress=progress)


def jobs(way: str, model: Model | None = None) -> list[Job]:
    """What has to be compiled for one state, ``one``, or for batches, ``many``: the two have few kernels in common."""
    words = [f"{way} {SIMULATE}"]
    for name, algorithm in ALGORITHMS.items():
        if model is None or not model.mimic or algorithm.with_mimic is None:
            words.append(f"{way} {name}")
        if algorithm.with_mimic is not None and (model is None or model.mimic):
            words.append(f"{way} {name}{WITH_MIMIC}")
    return [(__name__, word) for word in words]


def compile_job(word: str) -> None:
    """Compile what the word stands for, or load it; from now on its first call is as fast as the others."""
    way, name = word.split(" ", 1)
    for function in (compiled_describe, compiled_share_states, compiled_serve):
        function()
    if name == SIMULATE:
        simulate_a_little(way == "many")
        return
    algorithm = ALGORITHMS[name.removesuffix(WITH_MIMIC)]
    if name.endswith(WITH_MIMIC):
        assert algorithm.with_mimic is not None
        algorithm = algorithm.with_mimic
    getattr(algorithm, way)  # the first look at an algorithm's function compiles it


def simulate_a_little(many: bool) -> None:
    """Two steps of a pendulum, which has limits to its position and then has none."""
    builder = ModelBuilder()
    builder.add_body("rod", mass=1.0)
    builder.add_joint(
        "hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), lower_limit=-1.0, upper_limit=1.0
    )
    q = [[0.0], [0.5]] if many else [0.0]
    for limits in (True, False):
        simulate(builder.build(), q, [1.0], 0.002, 0.001, limits=limits, record=(), threads=1)
