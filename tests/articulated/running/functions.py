"""All public functions of a state, their inputs, and random arguments: what tests of arguments and of batches go through."""

import functools
import inspect

import numpy as np
import pytest

import pluecker.articulated
from pluecker.articulated import Model
from pluecker.articulated.running.algorithm import ALGORITHMS
from tests.conftest import COMPILED
from tests.mechanisms import random_state

PUBLIC = {
    name: thing
    for name, thing in vars(pluecker.articulated).items()
    if name in pluecker.articulated.__all__ and inspect.isfunction(thing)
}
ON_BATCHES = {
    name: f for name, f in PUBLIC.items() if "threads" in inspect.signature(f).parameters and name != "simulate"
}  # whose batches have tests of their own
METHODS = {"InertiaFactor.solve", "InertiaFactor.product"}
PARTICULAR = {"operational_inertia"}  # it needs other models than these; it has tests of its own
# Arguments that are no arrays, and their values here
KEYS = {"frame": lambda model: model.body_names[-1], "reference": lambda model: model.body_names[-2]}
OPTIONS = ("model", "frames", *KEYS, "axes", "classical", "subtree", "centroidal", "form", "rows", "out", "threads")


def with_keys(function):
    """Bind the arguments of a function that are no arrays."""
    keys = [key for key in KEYS if key in inspect.signature(function).parameters]

    @functools.wraps(function)
    def call(model, **given):
        return function(model, **{key: KEYS[key](model) if isinstance(model, Model) else "b0" for key in keys}, **given)

    return call


# with one array as their result; tests of the record and of the algorithms themselves look at several
FUNCTIONS = {
    name: with_keys(f)
    for name, f in ON_BATCHES.items()
    if "out" in inspect.signature(f).parameters and len(ALGORITHMS[name].outputs) == 1 and name not in PARTICULAR
}
INPUTS = {
    name: tuple(key for key in inspect.signature(f).parameters if key not in OPTIONS) for name, f in FUNCTIONS.items()
}
# The way to kernels and back is one for all. These differ in what goes that way: scalars, several axes, constants of a key,
# two configurations, numbers put in order, an impossible state. Each other one is compiled for it, in both ways.
DIFFERENT = ("rnea", "aba", "crba", "forward_kinematics", "jacobian", "kinetic_energy", "integrate", "difference")


def by_name(rare, different=()):
    """All functions, by name, with marks for those that differ and for the others."""
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=different if name in DIFFERENT else rare) for name in FUNCTIONS]
    )


every = by_name(pytest.mark.plain)

SOME = 40 if COMPILED else 3


def arguments(name, model, count=SOME, seed=5):
    """Inputs of ``count`` random states, by name."""
    s = random_state(model, seed, count)
    s |= {"q0": s["q"], "q1": random_state(model, seed + 1, count)["q"], "x": s["a"]}
    s |= {"point": np.random.default_rng(seed).normal(size=(count, 3))}
    return {key: s[key] for key in INPUTS[name]}


def part(given, index):
    return {key: np.ascontiguousarray(x[index]) for key, x in given.items()}
