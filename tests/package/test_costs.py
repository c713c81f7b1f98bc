"""The costs on the page of all functions: operations are counted, on chains, on heaps of free bodies, and on many arms.

Counted are sums, products, quotients and roots of a state's own numbers, in the source of the kernels. That a
full matrix is written besides is no arithmetic.
"""

import functools
import inspect
import re

import numpy as np
import pytest

import pluecker.articulated as articulated
from pluecker.articulated import ModelBuilder, random_configuration
from pluecker.articulated.algorithms.derivatives.derivative_of import requested
from pluecker.articulated.algorithms.inertia.inertia_factor import FACTORIZE
from pluecker.articulated.running.algorithm import LEFT_OUT
from tests.conftest import COMPILED
from tests.docs.test_functions_page import entries

pytestmark = [pytest.mark.plain, pytest.mark.skipif(COMPILED, reason="kernels are counted where they are plain Python")]

# Functions of several calls, or whose costs have other letters: those with elements, and those by dual numbers in blocks.
# carry_velocity has nothing to do if no coordinates change.
APART = ("applied_forces", "applied_stiffness", "rnea_derivatives", "aba_derivatives", "carry_velocity")
COSTS = {
    cells[0].strip("`"): cells[2]
    for cells in entries("pluecker.articulated", "function")
    if {"out", "threads"} <= set(inspect.signature(getattr(articulated, cells[0].strip("`"))).parameters)
    and cells[0].strip("`") not in APART
}


@functools.cache
def arms(count, length, joint):
    """Make so many chains on the world, each of so many bodies."""
    rng, builder = np.random.default_rng(7), ModelBuilder()
    for arm in range(count):
        for k in range(length):
            name = f"b{arm}_{k}"
            builder.add_body(name, mass=1.0, center_of_mass=rng.normal(size=3), inertia=np.diag([1.0, 1.1, 1.2]))
            parent = f"b{arm}_{k - 1}" if k else "world"
            options = {}
            if joint == "revolute":
                options = {"axis": rng.normal(size=3), "damping": 0.1, "stiffness": 0.2, "armature": 0.3}
            builder.add_joint(f"j{arm}_{k}", joint, parent, name, position=rng.normal(size=3), **options)
    return builder.build()


# Chains that are swept, where shorter ones are factorised; first bodies, which cost less, are few.
LONG = [(1, 40, "revolute"), (1, 80, "revolute")]
NONE = {("passive_force", "heap"), ("difference", "heap")}  # free joints have no springs; an arctangent is not counted
CASES = [(name, family) for name in COSTS for family in ("chain", "heap", "arms") if (name, family) not in NONE]
# Small to large. The frame is the last body of the first arm, the subtree the first arm.
FAMILIES = {
    "chain": [(1, 12, "revolute"), (1, 24, "revolute"), (1, 48, "revolute")],
    "heap": [(4, 1, "free"), (8, 1, "free"), (16, 1, "free")],
    "arms": [(2, 6, "revolute"), (4, 6, "revolute"), (8, 6, "revolute")],
}


def letters(count, length):
    """The letters of the page, for such a mechanism; trees are factorised or swept, whichever takes less: as n here."""
    n = count * length
    d, d2 = (length + 1) / 2, (length + 1) * (2 * length + 1) / 6
    return {"n d2": n * d2, "n d": n * d, "n^2": n * n, "n": n, "p": length, "s": length}


def claimed(name, count, length):
    """Return the count that the page claims."""
    cost, of = COSTS[name], letters(count, length)
    if "factorize" in cost.split(",")[0] and cost.startswith("as"):
        return of["n"]
    if name == "minv":
        return of["n^2"]
    return of[re.match(r"n d2|n d|n|p|s", cost).group()]


def inputs_of(function, model):
    """Arguments of a public function for one state."""
    rng = np.random.default_rng(11)
    last = max(k for k in range(1000) if f"b0_{k}" in model.body_names)
    given = {
        "q": random_configuration(model, rng), "q0": random_configuration(model, rng),
        "q1": random_configuration(model, rng), "frame": f"b0_{last}", "reference": "b0_0", "subtree": "b0_0",
        "f_ext": rng.normal(size=(model.n_bodies, 6)),
    }  # fmt: skip
    for name in ("v", "a", "tau", "x"):
        given[name] = rng.normal(size=model.nv)
    return {name: given[name] for name in inspect.signature(function).parameters if name in given}


def operations(record, model, inputs, key=()):
    """Count the operations of the kernel."""
    from benchmarks.robots.counting import TALLY, numbers

    plan = record.plan(model, key)
    head = plan.head
    constants = [] if plan.algorithm.constants is None else [head.constants]
    arguments = [np.empty(0) if x is LEFT_OUT else numbers(np.ravel(x)) for x in inputs]
    sizes = [head.made] if plan.algorithm.order is not None else plan.sizes
    outputs = [numbers(np.zeros(size)) for size in sizes]
    TALLY.clear()
    plan.algorithm.kernel(head.packed, *constants, *arguments, *outputs, numbers(np.zeros(head.workspace)))
    return sum(TALLY[kind] for kind in ("add", "multiply", "divide", "sqrt"))


@functools.cache
def counted(name, count, length, joint):
    """Count the operations of a public function on one mechanism."""
    model = arms(count, length, joint)
    if name == "factorize":
        return operations(FACTORIZE, model, [random_configuration(model, 3)])
    function = getattr(articulated, name)
    record, inputs, key = requested(function, model, (), inputs_of(function, model))
    return operations(record, model, inputs, key)


def growth(name, family):
    """Return the growth from each size to the next: of the operations, and of what the page claims."""
    members = FAMILIES[family][:2] if name == "redmax_dynamics" else FAMILIES[family]  # it takes longest
    if family == "chain" and name in ("operational_inertia", "relative_jacobian"):
        members = LONG
    found = [counted(name, *member) for member in members]
    said = [claimed(name, *member[:2]) for member in members]
    return [(b / a, y / x) for a, b, x, y in zip(found, found[1:], said, said[1:], strict=False)]


@pytest.mark.parametrize(("name", "family"), CASES)
def test_operations_grow_no_faster_than_the_page_says(name, family):
    for operations, claim in growth(name, family):
        assert operations <= 1.08 * claim, (operations, claim)  # a first body costs less than those that have a parent


@pytest.mark.parametrize(("name", "family"), [case for case in CASES if case[1] != "heap" and case != ("minv", "arms")])
def test_and_not_much_slower(name, family):
    """Parts of lower order count too: of those with n d, the n are 20 times as dear. Trees are inverted one by one."""
    for operations, claim in growth(name, family):
        assert operations >= 0.55 * claim, (operations, claim)


def test_long_chains_are_solved_in_linear_time():
    said = {cells[0]: cells[2] for cells in entries("pluecker.articulated", "function")}["`factorize`"]
    assert "n d2, or n where a tree is swept" in said
    short, long = (counted("factorize", *member) for member in LONG)
    assert long <= 2.1 * short
