"""One interface: the same arguments under one name, in one order, and switches by name only, in all public functions."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import pluecker.articulated.conventions
import pluecker.articulated.robots
import pluecker.contact
import pluecker.spatial
from pluecker.spatial import PlueckerError

MODULES = (
    *(pluecker.spatial, pluecker.course, pluecker.course.planar, pluecker.spatial.shapes, pluecker.course.two_body),
    *(pluecker.articulated, pluecker.articulated.conventions, pluecker.articulated.robots),
    pluecker.contact,
)
Functions = Mapping[str, Callable[..., Any]]

# Orders of arguments, for functions that take several of them; names between two semicolons may have any order.
ORDERS = (
    "path, path_or_text, name; model; pin_model; q, q0, q_pin; q1; v; a, tau; f_ext",
    "path, model, name; problem; law; method, methods",
    "name; type; parent; child; axis; axis2",
    "type; q; axis; axis2",
    "time; a; tau",
    "name; mass, masses; center_of_mass; inertia; position, positions; orientation, rotation; velocity; wrench",
    "name; body; position; orientation, rotation",
    "mass, inertia; offset",
    "m1; I1; m2; I2; r1; r2",
    "mass, density, masses; size, radius, semi_axes, vertices, cells, positions; length, height",
    "I, I_A, I1; I_B, I2; S, T; s, alpha, v, velocity; a, classical; f, force; point",
    "alpha, v; S_rate, T_rate",
    "component_rate, derivative; v, v_frame; m, f",
    "X, X2, X1; v, m, f, I",
    "X2; X1",
    "E; r",
    "p; q, w, x",
    "moment, angular; force, linear; frame",
    "matrix, values, E; r; frame, source; target",
    "direction; point; angular, linear",
    "bodies, A, W, b, M, J; normal, jacobian; point; gap; lower; upper; friction; offset; restitution; compliance",
    "table, problem, stiffness; damping, mass, restitution; step; rows",
    "angle, angles, R; r, sequence",
    "kind; plane",
    "q; v; a; frame; reference; point; axes",
    "q; v; a; subtree",
    "rng; size",
    "rtol; atol",
)
# How something is computed, not what of: these have defaults, and go by name only. So does whatever is true or false.
OPTIONS = {
    "out", "threads", "tol", "max_iterations", "warm_start", "progress", "history", "relaxation", "momentum", "directions",
    "separate", "repeats", "form", "replace", "definite", "check_inertia", "symmetrise", "recovery", "covering", "solver",
    "title", "pitch", "erp",
}  # fmt: skip
# Names that other libraries use, and the one name here.
SYNONYMS = {
    "tolerance": "tol", "eps": "tol", "epsilon": "tol", "xtol": "tol", "ftol": "tol",
    "start": "warm_start", "initial": "warm_start", "initial_guess": "warm_start", "guess": "warm_start", "x0": "warm_start",
    "seed": "rng", "random_state": "rng", "generator": "rng", "samples": "size", "batch": "size",
    "callback": "progress", "verbose": "progress", "show": "progress", "bar": "progress",
    "output": "out", "result": "out", "replace_existing": "replace", "overwrite": "replace", "force_overwrite": "replace",
    "n_threads": "threads", "nthreads": "threads", "num_threads": "threads", "workers": "threads", "n_jobs": "threads",
    "maxiter": "max_iterations", "max_iter": "max_iterations", "iterations": "max_iterations",
    "kind": "type", "joint_type": "type", "check": "check_inertia", "com": "center_of_mass",
    "centre": "center", "centre_of_mass": "center_of_mass", "mass_center": "center_of_mass",
    "external_forces": "f_ext", "fext": "f_ext", "forces": "f_ext",
    "qd": "v", "dq": "v", "qdot": "v", "qdd": "a", "ddq": "a", "qddot": "a", "torque": "tau", "torques": "tau",
    "dt": "step", "timestep": "step", "h": "step", "mu": "friction", "filename": "path", "file": "path",
}  # fmt: skip
# Exceptions, each with its reason.
ANOTHER_THING = {("plot_field", "kind"): "of a field, not of a joint"}
ANOTHER_ORDER = {
    ("Trajectory", "time"): "the columns of a table, time first; simulate takes the state first, as all algorithms do",
    ("wrench", "force"): "numbers along and about an axis, the main one first, as angular of twist; not the 3D parts",
}
# Records that functions give back, and users do not make. Named tuples are such records too.
RESULTS = (
    *(
        "Animation",
        "Errors",
        "FrictionLcp",
        "Joint",
        "LcpResult",
        "MixedLcp",
        "Model",
        "PoissonImpact",
        "Result",
        "SoftContact",
    ),
    "Stage",
)


# ----------------------------------------------------------------------------------------------------------- what there is


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All public functions and methods, and the classes that users make something of."""
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            if not isinstance(thing, type):
                if callable(thing):
                    yield name, thing
            elif not issubclass(thing, PlueckerError):
                if name not in RESULTS and not issubclass(thing, tuple):
                    yield name, thing
                for method, function in inspect.getmembers(
                    thing, lambda x: inspect.isfunction(x) or inspect.ismethod(x)
                ):
                    if not method.startswith("_") and function.__module__.startswith("pluecker."):
                        yield f"{name}.{method}", function


PUBLIC = dict(public())


def signatures(functions: Functions) -> list[tuple[str, Signature]]:
    """Return the names of functions with their signatures."""
    return [(name, inspect.signature(function)) for name, function in functions.items()]


def shown(function: str, signature: Signature) -> str:
    """A function with its arguments, without their types."""
    plain = [p.replace(annotation=Parameter.empty) for p in signature.parameters.values()]
    return f"{function}{signature.replace(parameters=plain, return_annotation=Signature.empty)}"


def by_place(signature: Signature) -> list[Parameter]:
    """The parameters that may be given by their place."""
    places = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [p for p in signature.parameters.values() if p.kind in places and p.name not in ("self", "cls")]


def ordered_pairs(signature: Signature) -> Iterator[tuple[str, str]]:
    """Names, the first before the second, of which it might be the other way: what has a default comes last in Python."""
    for x, y in combinations(by_place(signature), 2):
        if (x.default is Parameter.empty) == (y.default is Parameter.empty):
            yield x.name, y.name


# -------------------------------------------------------------------------------------------------------------- the rules


def against_the_orders(functions: Functions) -> list[str]:
    """Arguments in another order than that of :data:`ORDERS`."""
    found: dict[tuple[str, str, str], str] = {}
    for function, signature in signatures(functions):
        for order in ORDERS:
            rank = {name: k for k, names in enumerate(order.split("; ")) for name in names.split(", ")}
            for x, y in ordered_pairs(signature):
                if rank.get(x, 0) > rank.get(y, len(rank)) and (function, x) not in ANOTHER_ORDER:
                    complaint = f"{shown(function, signature)}: {y} comes before {x}, by the order {order!r}"
                    found.setdefault((function, x, y), complaint)
    return list(found.values())


def against_one_another(functions: Functions) -> list[str]:
    """Functions that take the same two arguments in different orders, whatever they are."""
    found: list[str] = []
    first: dict[tuple[str, str], str] = {}  # the function that has them in this order, with its signature
    for function, signature in signatures(functions):
        for x, y in ordered_pairs(signature):
            if (function, x) in ANOTHER_ORDER:
                continue
            if (y, x) in first:
                found.append(f"{shown(function, signature)}: {x} before {y}, but {first[y, x]}: one order everywhere")
            first.setdefault((x, y), shown(function, signature))
    return found


def options_by_place(functions: Functions) -> list[str]:
    """Options, and what is true or false, that can be given without their name."""
    return [
        f"{shown(function, signature)}: {p.name} goes by name only, put it behind a *"
        for function, signature in signatures(functions)
        for p in by_place(signature)
        if p.name in OPTIONS or isinstance(p.default, bool | np.bool_) or p.annotation in ("bool", bool)
    ]


def other_names(functions: Functions) -> list[str]:
    """One thing under two names."""
    return [
        f"{shown(function, signature)}: {name} is called {SYNONYMS[name]} everywhere"
        for function, signature in signatures(functions)
        for name in signature.parameters
        if name in SYNONYMS and (function, name) not in ANOTHER_THING
    ]


def documented_otherwise(functions: Functions) -> list[str]:
    """Docstrings that list arguments in another order than the signature, or such as it does not have."""
    found = []
    for function, signature in signatures(functions):
        entries = documented(functions[function])
        said = [names[0] for names in entries]  # of arguments that share an entry, the first
        unknown = {name for names in entries for name in names} - set(signature.parameters)
        if unknown or said != [name for name in signature.parameters if name in said]:
            found.append(
                f"{shown(function, signature)}: the docstring lists {', '.join(said)}; not there: {unknown or 'none'}"
            )
    return found


def documented(function: Callable[..., Any]) -> list[list[str]]:
    """The entries in the section of arguments of a docstring, each with its names."""
    section = (inspect.getdoc(function) or "").partition("\nArgs:\n")[2].partition("\n\n")[0]
    return [names.split(", ") for names in re.findall(r"^    (\w[^:]*):", section, flags=re.MULTILINE)]


RULES = (against_the_orders, against_one_another, options_by_place, other_names, documented_otherwise)


# -------------------------------------------------------------------------------------------------------------- the tests


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_public_signatures_keep_the_rule(rule):
    complaints = rule(PUBLIC)
    assert not complaints, "\n".join(complaints)


def test_everything_is_looked_at():
    """Inherited methods and class methods are looked at, too; results are not made by users."""
    for name in ("rnea", "box", "planar_twist", "to_pinocchio_q", "ModelBuilder.add_joint", "MotionVector.isclose"):
        assert name in PUBLIC
    for name in ("Model.from_urdf", "Problem.from_delassus", "Bodies", "RigidBodyInertia", "solve_lcp"):
        assert name in PUBLIC
    for name in RESULTS:
        kind = next(getattr(module, name) for module in MODULES if hasattr(module, name))
        assert dataclasses.is_dataclass(kind) or issubclass(kind, tuple)


def test_exceptions_and_orders_are_of_arguments_that_there_are():
    """Entries that are no longer needed have to be removed."""
    used = {name for _, signature in signatures(PUBLIC) for name in signature.parameters}
    for order in ORDERS:
        names = {name for names in order.split("; ") for name in names.split(", ")}
        assert names <= used, f"{order}: {names - used}"
    for function, name in {**ANOTHER_THING, **ANOTHER_ORDER}:
        assert name in inspect.signature(PUBLIC[function]).parameters, (function, name)
    assert used >= OPTIONS, OPTIONS - used
    assert not set(SYNONYMS.values()) & set(SYNONYMS)
