"""Compiling ahead, so that the first call is as fast as the others."""

from __future__ import annotations

import functools
from collections.abc import Callable

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import ALGORITHMS, Algorithm
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.running.batch import compiled_describe, compiled_share_states
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.extras import progress_bar
from pluecker.spatial.parallel.threads import compiled_serve

__all__ = ["warmup"]


def warmup(model: Model | None = None, *, progress: bool = True) -> None:
    """Compile every algorithm, for one state and for batches, or load it from the cache of compiled code.

    Compiled code does not depend on the model, but for models with mimic joints, whose ``aba`` is another one. It
    is kept on disk and found by later processes, until the package, Numba or the processor changes.

    Args:
        model: a mechanism whose algorithms will be needed; None for those of any mechanism.
        progress: whether to show a progress bar, on a terminal and if tqdm is installed (the extra ``cli`` brings it).

    Raises:
        TypeError: ``model`` is not a model, or ``progress`` neither True nor False.

    Example:
        >>> from pluecker.articulated import warmup
        >>> warmup()  # doctest: +SKIP
    """
    if model is not None:
        as_model("warmup", model)
    if not isinstance(progress, bool):
        raise ArgumentTypeError(f"warmup: progress is a {type(progress).__name__}, expected True or False")
    needed: list[Algorithm] = []
    for algorithm in ALGORITHMS.values():
        if model is None or not model.mimic or algorithm.with_mimic is None:
            needed.append(algorithm)
        if algorithm.with_mimic is not None and (model is None or model.mimic):
            needed.append(algorithm.with_mimic)
    functions: list[Callable[[], object]] = [compiled_describe, compiled_share_states, compiled_serve]
    functions += [functools.partial(getattr, algorithm, way) for algorithm in needed for way in ("one", "many")]
    for compile_one in progress_bar(functions, unit="function", show=progress):
        compile_one()  # the first look at an algorithm's function compiles it
