"""Calls of :mod:`pluecker.contact`; random problems and the judge of what is solved are those of ``tests.contact.fuzz``."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from pluecker import PlueckerError, contact
from pluecker.contact import Bodies, ContactTable, LcpResult, Problem, ProblemError, Result, Rows
from tests.contact import fuzz as solving
from tests.fuzz.judge import Call, close
from tests.fuzz.values import (
    GOOD,
    LABELS,
    MAYBE,
    Dice,
    Given,
    dressed,
    misshapen,
    not_finite,
    show,
    thing,
    wild,
    wrong_type,
)

Array = np.ndarray


def quiet(dice: Dice) -> bool:
    return dice.chance(0.6)


def bad(dice: Dice, x: Any, core: int = 1) -> Given:
    x = np.asarray(x, float)
    how = dice.below(6)
    if how == 0 or not x.size:
        given = wrong_type(dice, x)
        given.flaw = MAYBE if given.value is None else given.flaw
        return given
    if how == 1:
        given = not_finite(dice, x)
    elif how == 2 and x.ndim:
        given = misshapen(dice, x, max(core, 1))
    elif how == 3:
        given = Given(thing(dice))
    else:
        given = wild(dice, x)
    given.flaw = MAYBE
    return given


def array(dice: Dice, x: Any, wrong: bool) -> Given:
    x = np.asarray(x, float)
    return bad(dice, x, x.ndim) if wrong else dressed(dice, x)


def some(dice: Dice, values: dict[str, Any], p: float, optional: tuple[str, ...] = ()) -> dict[str, Given]:
    """Draw arguments, one of which may be wrong, some of which may be left out."""
    where = dice.among(list(values)) if dice.chance(p) else None
    result = {}
    for name, value in values.items():
        if name in optional and dice.chance(0.5):
            continue
        if isinstance(value, Given):
            result[name] = value
        elif isinstance(value, (np.ndarray, float)):
            result[name] = array(dice, value, name == where)
        else:
            result[name] = Given(thing(dice), flaw=MAYBE) if name == where else Given(value)
    if "step" in result and result["step"].value is not values.get(
        "step"
    ):  # a number, not anything that NumPy makes one of
        result["step"].flaw = MAYBE
    return result


# ---------------------------------------------------------------------------------------------------------------- tables


def moments(dice: Dice, n: int) -> Array:
    x = dice.normal(n, 8, 3)
    S = np.swapaxes(x, -1, -2) @ x / 8
    return np.trace(S, axis1=-1, axis2=-2)[..., None, None] * np.eye(3) - S


def body_values(dice: Dice, n: int) -> dict[str, Any]:
    mass = np.abs(dice.normal(n)) + 0.1
    if n and dice.chance(0.5):
        mass[0] = np.inf
    p = dice.normal(n, 4)
    p = p / np.linalg.norm(p, axis=1, keepdims=True)
    I = moments(dice, n)
    if dice.chance(0.3):
        I = np.linalg.eigvalsh(I) if n else np.zeros((0, 3))
    return {
        "mass": mass,
        "inertia": I,
        "position": dice.normal(n, 3),
        "orientation": p,
        "velocity": dice.normal(n, 6),
        "wrench": dice.normal(n, 6),
    }


def bodies(dice: Dice) -> Call:
    n = dice.pick(0, 1, 2, 3, 5)
    named = some(dice, body_values(dice, n), 0.6, ("orientation", "velocity", "wrench"))
    named["mass"].finite = True

    def check(made: Bodies) -> list[str]:
        wrong = []
        M = made.mass_matrix().toarray()
        if not close(M, M.T, 1e-14):
            wrong.append("the mass matrix is not symmetric")
        x = np.sin(np.arange(6.0 * len(made))).reshape(-1, 6)
        moving = ~made.static
        back = (M @ made.times_inverse_mass(x).ravel()).reshape(-1, 6)
        if all(given.calm for given in named.values()) and not close(back[moving], x[moving], 1e-8, 1.0):
            wrong.append("M M^-1 x is not x")
        return wrong

    return Call("friction", "contact.Bodies", Bodies, [], named, says=None, check=check, infinite=True)


@cache
def some_bodies() -> tuple[Bodies, ...]:
    result = []
    for seed in range(6):
        dice = Dice(seed)
        result.append(Bodies(**body_values(dice, (3, 2, 4, 5, 1, 0)[seed])))
    LABELS.update({id(made): f"friction.some_bodies()[{k}]" for k, made in enumerate(result)})
    return tuple(result)


def body_method(dice: Dice) -> Call:
    made = dice.among(some_bodies())
    n = len(made)
    name = dice.pick(
        "times_inverse_mass", "free_velocity", "kinetic_energy", "with_gravity", "acceleration", "mass_matrix", "len"
    )
    args: list[Given] = []
    wrong = not quiet(dice)
    if name == "times_inverse_mass":
        args = [array(dice, dice.normal(n, 6), wrong)]
    elif name == "free_velocity":
        args = [Given(dice.pick(0.01, 1, np.float64(0.1)))] if not wrong else [Given(thing(dice), flaw=MAYBE)]
    elif name == "kinetic_energy":
        args = [array(dice, dice.normal(n, 6) if dice.chance(0.5) else dice.normal(6 * n), wrong)]
    elif name == "with_gravity":
        args = [array(dice, dice.normal(3), wrong)]
    function = (lambda: len(made)) if name == "len" else getattr(made, name)
    if name == "mass_matrix":
        return Call("friction", "contact.Bodies.mass_matrix", lambda: made.mass_matrix().toarray(), args, says=None)
    return Call(
        "friction", f"contact.Bodies.{name}", function, args, says=None, infinite=name == "with_gravity", exact=False
    )


def table_values(dice: Dice, n: int, K: int) -> dict[str, Any]:
    pairs = np.sort(
        np.array([dice.plain.sample(range(n), 2) for _ in range(K if n > 1 else 0)], np.int64).reshape(-1, 2), axis=1
    )
    K = len(pairs)
    normal = dice.normal(K, 3)
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    friction = np.abs(dice.normal(*dice.pick((K,), (K,), (K, 2), (K, 3))))
    return {
        "bodies": pairs.astype(np.int64).reshape(-1, 2),
        "normal": normal,
        "point": dice.normal(K, 3),
        "gap": dice.normal(K) * 0.1,
        "friction": dice.pick(friction, 0.5),
        "restitution": np.abs(np.sin(dice.normal(K))),
        "compliance": np.abs(dice.normal(K)) * 1e-4,
    }


def indices(dice: Dice, pairs: Array, wrong: bool) -> Given:
    if not wrong:
        dress = dice.below(6)
        if dress < 2:
            return Given(pairs)
        value = [pairs.tolist(), pairs.astype(">i8"), pairs.astype(np.int32), np.asfortranarray(pairs)][dress - 2]
        return Given(value if pairs.size else pairs, pairs)
    value = dice.pick(
        pairs + 0.5,
        pairs.astype(float),
        pairs[:, ::-1],
        pairs + 100,
        pairs - 1,
        pairs * 2**62,
        pairs.astype(np.uint64) + 2**63,
        pairs.astype(str),
        pairs.astype(object),
        [[10**400, 1]],
        [[0, None]],
        [[0]],
        [0, 1],
        thing(dice),
        [[0, True]],
    )
    return Given(value, flaw=MAYBE)


def contact_table(dice: Dice) -> Call:
    values = table_values(dice, 5, dice.pick(0, 1, 2, 4))
    values["bodies"] = indices(dice, values["bodies"], dice.chance(0.15))
    named = some(dice, values, 0.5, ("gap", "friction", "restitution", "compliance"))
    ordered = dice.chance(0.3)
    call = Call("friction", "contact.ContactTable", ContactTable, [], named, says=None)
    if ordered:
        call.name, call.function = "contact.ContactTable.ordered", ContactTable.ordered
    call.check = lambda made: (
        [] if np.allclose(np.linalg.norm(made.normal, axis=1), 1.0, atol=1e-14) else ["normals are not of unit length"]
    )
    return call


def row_values(dice: Dice, n: int, R: int) -> dict[str, Any]:
    pairs = (
        np.array([dice.plain.sample(range(n), 2) for _ in range(R)], np.int64).reshape(-1, 2)
        if n > 1
        else np.zeros((0, 2), np.int64)
    )
    R = len(pairs)
    jacobian = dice.normal(R, 2, 6)
    if R and dice.chance(0.4):
        pairs[0, 1], jacobian[0, 1] = -1, 0.0
    low, high = np.sort(dice.normal(2, R), axis=0)
    return {
        "bodies": pairs,
        "jacobian": jacobian,
        "lower": dice.pick(low, -np.inf),
        "upper": dice.pick(high, np.inf),
        "offset": dice.normal(R),
        "compliance": np.abs(dice.normal(R)) * 1e-4,
    }


def rows(dice: Dice) -> Call:
    values = row_values(dice, 5, dice.pick(0, 1, 3))
    values["bodies"] = indices(dice, values["bodies"], dice.chance(0.15))
    named = some(dice, values, 0.5, ("lower", "upper", "offset", "compliance"))
    return Call("friction", "contact.Rows", Rows, [], named, says=None, infinite=True)


def frames(dice: Dice) -> Call:
    n = dice.normal(*dice.pick((3,), (2, 3), (0, 3), (2, 2, 3)))
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)

    def check(F: Array) -> list[str]:
        good = (
            close(F @ np.swapaxes(F, -1, -2), np.broadcast_to(np.eye(3), F.shape), 1e-12)
            and (np.linalg.det(F) > 0).all()
        )
        return [] if good else [f"no frames: {F.tolist()}"]

    given = array(dice, n, not quiet(dice))
    return Call("friction", "contact.contact_frames", contact.contact_frames, [given], says=None, check=check)


def soft(dice: Dice) -> Call:
    shape = dice.pick((), (3,), (2, 1))
    values = {
        "stiffness": np.abs(dice.normal(*shape)) * 1e3,
        "damping": np.abs(dice.normal(*dice.pick((), (3,)))) * 10,
        "step": 0.01,
    }
    return Call("friction", "contact.soft_contact", contact.soft_contact, [], some(dice, values, 0.5), says=None)


def assemble(dice: Dice) -> Call:
    made = dice.among(some_bodies())
    n = len(made)
    try:
        table = ContactTable(**table_values(dice, n if dice.chance(0.9) else 9, dice.below(5)))
        extra = Rows(**row_values(dice, n, dice.below(3)))
    except ProblemError:
        table, extra = ContactTable([], np.zeros((0, 3)), np.zeros((0, 3))), None  # type: ignore[assignment]
    values: dict[str, Any] = {"bodies": Given(made), "table": Given(table), "step": 0.01}
    if extra is not None and dice.chance(0.6):
        values["rows"] = Given(extra)
    if dice.chance(0.4):
        values["erp"] = Given(dice.pick(0.0, 1.0, 0.5)) if quiet(dice) else Given(thing(dice), flaw=MAYBE)
    if dice.chance(0.3):
        values["restitution"] = Given(dice.pick(True, False)) if quiet(dice) else Given(thing(dice), flaw=MAYBE)
    if dice.chance(0.3):
        name = dice.pick("bodies", "table", "rows", "step")
        values[name] = Given(thing(dice), flaw=MAYBE)
    named = some(dice, values, 0.0)

    def check(problem: Problem) -> list[str]:
        N = problem.matrix().toarray()
        wrong = [] if close(N, N.T, 1e-12) else ["N is not symmetric"]
        r = np.sin(np.arange(problem.size) + 1.0)
        if not close(problem.velocity(r), N @ r + problem.offset, 1e-9, 1.0):
            wrong.append("velocity(r) is not N r + b")
        return wrong

    return Call(
        "friction",
        "contact.assemble_contacts",
        contact.assemble_contacts,
        [],
        named,
        says=None,
        check=check,
        may_fail=True,
        compare=False,
        infinite=True,
    )


# -------------------------------------------------------------------------------------------------------------- problems


def delassus_values(dice: Dice, size: int, K: int, R: int) -> dict[str, Any]:
    m = size * K + R
    J = dice.normal(m, m + 2)
    W = J @ J.T
    low, high = np.sort(dice.normal(2, R), axis=0)
    return {
        "W": W + W.T,
        "q": dice.normal(m),
        "friction": np.abs(dice.normal(K)) if size > 1 else np.zeros(K),
        "size": Given(size),
        "compliance": np.abs(dice.normal(m)) * 1e-3,
        "rows": Given((low, high) if R or dice.chance(0.5) else None),
        "symmetrise": Given(dice.pick(True, False)),
    }


def as_given_matrix(dice: Dice, A: Array) -> Given:
    """Give a matrix as an array, or as a sparse matrix of any kind."""
    if dice.chance(0.5):
        return dressed(dice, A)
    kind = dice.pick("csr", "csc", "coo", "bsr", "lil", "dok")
    value = getattr(scipy.sparse, f"{kind}_{dice.pick('matrix', 'array')}")(A)
    if dice.chance(0.2):
        value = value.astype(dice.pick(np.float32, complex, bool, np.int32, np.longdouble))
        return Given(value, flaw=MAYBE)
    if kind == "csr" and dice.chance(0.2) and value.nnz:
        value.data[0] = dice.pick(np.nan, np.inf, 1e308)
        return Given(value, flaw=MAYBE)
    return Given(value)


def from_delassus(dice: Dice) -> Call:
    size, K, R = dice.pick(1, 2, 3, 3, 5, 6), dice.below(4), dice.below(3)
    values = delassus_values(dice, size, K, R)
    named = some(dice, values, 0.5, ("compliance", "symmetrise"))
    if named["W"].flaw == GOOD and not named["W"].wild:
        named["W"] = as_given_matrix(dice, values["W"])
    if dice.chance(0.1):
        named["rows"] = Given(
            dice.pick(([0.0], [np.nan]), ([1.0], [0.0]), thing(dice), (thing(dice), thing(dice)), [[0.0], [1.0]]),
            flaw=MAYBE,
        )
    if dice.chance(0.1):
        named["size"] = Given(thing(dice), flaw=MAYBE)
    if dice.chance(0.1):  # what is not semidefinite by its lower part may then be taken
        named["repair"] = Given(dice.pick(1e-12, 1e-6, 0.5, 1.0, -1.0, thing(dice)), flaw=MAYBE)

    def check(problem: Problem) -> list[str]:
        if problem.moved > 0.0:
            return []
        r = np.sin(np.arange(problem.size) + 1.0)
        W, c = named["W"].plain, named.get("compliance")
        if W is None or (c is not None and c.plain is None) or named["q"].plain is None:
            return []
        u = W @ r + named["q"].plain + (0.0 if c is None else c.plain * r)
        return [] if close(problem.velocity(r), u, 1e-9, 1.0) else [f"velocity {problem.velocity(r)}, NumPy {u}"]

    return Call(
        "friction",
        "contact.Problem.from_delassus",
        Problem.from_delassus,
        [],
        named,
        says=None,
        check=check,
        infinite=True,
    )


def from_factors(dice: Dice) -> Call:
    size, K, R, n = dice.pick(1, 2, 3, 3, 6), dice.below(4), dice.below(3), dice.pick(0, 2, 6, 7)
    m = size * K + R
    A = dice.normal(n, n)
    low, high = np.sort(dice.normal(2, R), axis=0)
    M = A @ A.T + np.eye(n)
    values: dict[str, Any] = {
        "M": 0.5 * (M + M.T),
        "J": dice.normal(m, n),
        "f": dice.normal(n),
        "w": dice.normal(m),
        "friction": np.abs(dice.normal(K)) if size > 1 else np.zeros(K),
        "size": Given(size),
        "compliance": np.abs(dice.normal(m)) * 1e-3,
        "rows": Given((low, high)),
    }
    named = some(dice, values, 0.5, ("compliance",))
    for name in ("M", "J"):
        if named[name].flaw == GOOD and not named[name].wild:
            named[name] = as_given_matrix(dice, values[name])

    def check(problem: Problem) -> list[str]:
        r = np.sin(np.arange(problem.size) + 1.0)
        parts = [named[k].plain for k in ("M", "J", "f", "w")]
        c = named.get("compliance")
        if any(x is None for x in parts) or (c is not None and c.plain is None) or any(named[k].wild for k in named):
            return []
        M, J, f, w = parts
        v = np.linalg.solve(M, J.T @ r + f)
        u = J @ v + w + (0.0 if c is None else c.plain * r)
        size = np.linalg.cond(M) if len(M) else 1.0
        good = close(problem.velocity(r), u, 1e-9 * size, 1.0) and close(problem.motion(r), v, 1e-9 * size, 1.0)
        return [] if good else [f"velocity {problem.velocity(r)}, NumPy {u}"]

    return Call(
        "friction",
        "contact.Problem.from_factors",
        Problem.from_factors,
        [],
        named,
        says=None,
        check=check,
        infinite=True,
    )


@cache
def problems() -> tuple[Problem, ...]:
    """Small problems of every kind."""
    result = [Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])]
    result += [solving.random_case(seed, most=3).problem for seed in range(500, 530)]
    result.append(Problem.from_delassus(np.zeros((0, 0)), [], []))
    result.append(Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [1e6]))
    for seed in range(6):
        dice = Dice(seed)
        values = delassus_values(dice, (1, 2, 3, 3, 5, 6)[seed], 2, 1)
        result.append(
            Problem.from_delassus(
                values["W"], values["q"], values["friction"], size=(1, 2, 3, 3, 5, 6)[seed], rows=values["rows"].value
            )
        )
    LABELS.update({id(problem): f"friction.problems()[{k}]" for k, problem in enumerate(result)})
    return tuple(result)


def problem_method(dice: Dice) -> Call:
    problem = dice.among(problems())
    name = dice.pick("velocity", "motion", "with_friction", "with_compliance", "assembled", "matrix", "label")
    args: list[Given] = []
    wrong = not quiet(dice)
    contacts = int((problem.sets.sizes[:, 0] > 0).sum())
    if name in ("velocity", "motion"):
        args = [array(dice, dice.normal(problem.size), wrong)]
    elif name == "with_friction":
        args = [array(dice, np.abs(dice.normal(contacts)), wrong)]
    elif name == "with_compliance":
        args = [Given(abs(float(dice.normal(1)[0]))) if not wrong else Given(thing(dice))]
        args[0].flaw = MAYBE if wrong else args[0].flaw
    elif name == "label":
        args = [Given(dice.below(problem.size or 1)) if not wrong else Given(thing(dice))]
        args[0].flaw = MAYBE
    return Call(
        "friction",
        f"contact.Problem.{name}",
        getattr(problem, name),
        args,
        says=None,
        may_fail=name == "motion",
        infinite=name != "velocity",
        compare=name in ("velocity", "motion"),
    )


def solve_random(dice: Dice) -> Call:
    """Make a call that solves a random problem, checked by the judge of the solver's own fuzzer."""
    seed = 10_000_000 + dice.seed

    def make() -> list[str]:
        return solving.run(seed, most=dice.pick(4, 4, 8))[2]

    call = Call("friction", "contact.solve", make, [], check=lambda wrong: wrong)
    call.text = lambda: f"tests.contact.fuzz.run({seed})"  # type: ignore[method-assign]
    return call


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "law": ("ncp", "ccp", "frictionless", "lcp"),
    "method": tuple(contact.METHODS),
    "tol": (1e-6, 1e-4, 1e-8, 1, np.float32(1e-3)),
    "max_iterations": (1, 10, 100, np.int64(3)),
    "directions": (4, 8, 2),
    "relaxation": (0.5, 1.5, 1),
    "momentum": ("full", "nesterov"),
    "threads": (1, 2, None),
    "separate": (True, False),
    "form": ("best", "matrix", "factors"),
    "history": (True, False),
    "on_unsolved": ("return", "raise"),
}


def solve(dice: Dice) -> Call:
    """Make a call of ``solve`` with arguments of every sort."""
    problem: Any = dice.among(problems()) if dice.chance(0.95) else thing(dice)
    named: dict[str, Given] = {}
    for name, good in ARGUMENTS.items():
        if dice.chance(0.35):
            named[name] = Given(thing(dice) if dice.chance(0.2) else dice.among(good), flaw=MAYBE)
    if dice.chance(0.4) and isinstance(problem, Problem):
        named["warm_start"] = array(dice, dice.normal(problem.size), dice.chance(0.4))
    if "max_iterations" not in named:
        named["max_iterations"] = Given(50)

    def check(result: Result) -> list[str]:
        law = named.get("law", Given("ncp")).value
        wrong = []
        if not (np.isfinite(result.multipliers).all() and np.isfinite(result.velocity).all()):
            wrong.append("multipliers or velocities are not finite")
        if law in ("ncp", "ccp", "frictionless"):
            again = contact.errors_of(problem, result.multipliers, law)
            for field in dataclasses.fields(again):
                a, b = getattr(again, field.name), getattr(result.errors, field.name)
                if abs(a - b) > 1e-9 * (1 + abs(b)) and max(a, b) < 1e10:
                    wrong.append(f"{field.name} is {b}, errors_of says {a}")
        tol = named.get("tol", Given(1e-6)).value
        if result.converged and not result.errors.natural_map <= tol:
            wrong.append(f"converged with a natural map of {result.errors.natural_map}")
        if result.converged and law == "ncp" and result.errors.signorini > max(1e-2, 1e3 * tol):
            wrong.append(f"converged, and Signorini's condition is off by {result.errors.signorini}")
        return wrong

    return Call(
        "friction",
        "contact.solve",
        contact.solve,
        [Given(problem, flaw=MAYBE if not isinstance(problem, Problem) else GOOD)],
        named,
        says=None,
        check=check,
        may_fail=True,
        compare=False,
        infinite=True,
    )


def solver(dice: Dice) -> Call:
    """Make a call of a prepared ``Solver``: for an offset, or an update with another problem."""
    problem = dice.among(problems())
    prepared = contact.Solver(problem, dice.pick("ncp", "ccp"), dice.pick("auto", "pgs", "apgd"), max_iterations=20)
    if dice.chance(0.3):
        other: Any = dice.among(problems()) if dice.chance(0.6) else thing(dice)
        given = Given(other, flaw=GOOD if other is problem else MAYBE)
        return Call("friction", "contact.Solver.update", prepared.update, [given], says=None, compare=False)
    named = {
        "offset": array(dice, dice.normal(problem.size), not quiet(dice)),
        "warm_start": array(dice, dice.normal(problem.size), not quiet(dice)),
    }

    def check(result: Result) -> list[str]:
        finite = np.isfinite(result.multipliers).all() and np.isfinite(result.velocity).all()
        return [] if finite else ["multipliers or velocities are not finite"]

    return Call(
        "friction",
        "contact.Solver.solve",
        prepared.solve,
        [],
        named,
        says=None,
        check=check,
        compare=False,
        infinite=True,
    )


def errors_of(dice: Dice) -> Call:
    problem = dice.among(problems())
    named = {"multipliers": array(dice, dice.normal(problem.size) * dice.pick(0.0, 1.0), not quiet(dice))}
    if dice.chance(0.6):
        named["law"] = Given(dice.pick("ncp", "ccp", "frictionless") if quiet(dice) else thing(dice), flaw=MAYBE)
    first = Given(problem) if dice.chance(0.95) else Given(thing(dice), flaw=MAYBE)
    return Call("friction", "contact.errors_of", contact.errors_of, [first], named, says=None)


def lcp(dice: Dice) -> Call:
    n = dice.below(6)
    A = dice.normal(n, n)
    kind = dice.below(4)
    A = A @ A.T + np.eye(n) if kind < 2 else A - A.T if kind == 2 else A
    low, high = np.sort(dice.normal(2, n), axis=0)
    values: dict[str, Any] = {"A": A, "b": dice.normal(n)}
    optional: dict[str, Any] = {
        "lower": dice.pick(low, -np.inf, 0.0),
        "upper": dice.pick(high + 5, np.inf),
        "tol": Given(dice.pick(1e-10, 1e-6, 0, 1e-3), flaw=MAYBE),
        "max_iterations": Given(dice.pick(0, 1, 5, 50), flaw=MAYBE),
        "warm_start": dice.normal(n),
        "history": Given(True),
        "covering": np.abs(dice.normal(n)) + 0.1,
        "method": Given(dice.pick("lemke", "minmap_newton"), flaw=MAYBE),
    }
    for name, value in optional.items():
        if dice.chance(0.3):
            values[name] = value if dice.chance(0.85) else Given(thing(dice), flaw=MAYBE)
    named = some(dice, values, 0.4)
    if named["A"].calm and dice.chance(0.4):
        named["A"] = as_given_matrix(dice, A)

    def check(result: LcpResult) -> list[str]:
        A, b = named["A"].plain, named["b"].plain
        if A is None or b is None:
            return []
        wrong = (
            []
            if close(result.w, A @ result.z + b, 1e-9, np.abs(A).max(initial=0) * np.abs(result.z).max(initial=0) + 1.0)
            else ["w is not A z + b"]
        )
        bounds = [named[k].plain if k in named else d for k, d in (("lower", 0.0), ("upper", np.inf))]
        if all(x is not None for x in bounds) and result.converged:
            scale = max(np.linalg.norm(x) for x in (b, result.z, result.w)) or 1.0
            error = np.linalg.norm(result.z - np.clip(result.z - result.w, *bounds)) / scale
            if not error <= max(named.get("tol", Given(1e-10)).value, 1e-12) * 1.01:
                wrong.append(f"converged with a natural map of {error}")
        return wrong

    return Call(
        "friction",
        "contact.solve_lcp",
        contact.solve_lcp,
        [],
        named,
        says=None,
        check=check,
        may_fail=True,
        compare=False,
        infinite=False,
    )


def polygon(dice: Dice) -> Call:
    problem: Any = dice.among(problems()) if dice.chance(0.95) else thing(dice)
    directions = Given(
        dice.pick(2, 4, 8, None, 6) if quiet(dice) else dice.pick(3, 10**7, 10**400, thing(dice)), flaw=MAYBE
    )
    if dice.chance(0.5):
        return Call(
            "friction",
            "contact.friction_lcp",
            contact.friction_lcp,
            [Given(problem)],
            {"directions": directions},
            says=None,
            may_fail=True,
            compare=False,
            infinite=True,
        )
    mass: Any = scipy.sparse.identity(
        0 if not isinstance(problem, Problem) or problem.free_velocity is None else len(problem.free_velocity)
    )
    return Call(
        "friction",
        "contact.mixed_lcp",
        contact.mixed_lcp,
        [Given(problem), Given(dice.pick(mass, thing(dice)), flaw=MAYBE)],
        {"directions": directions},
        says=None,
        may_fail=True,
        compare=False,
        infinite=True,
    )


def poisson(dice: Dice) -> Call:
    problem: Any = dice.among(problems()) if dice.chance(0.95) else thing(dice)
    e = np.abs(np.sin(dice.normal(problem.blocks))) if isinstance(problem, Problem) else np.zeros(1)
    named: dict[str, Given] = {}
    if dice.chance(0.1):
        named["solver"] = Given(thing(dice), flaw=MAYBE)
    return Call(
        "friction",
        "contact.poisson_restitution",
        contact.poisson_restitution,
        [Given(problem, flaw=GOOD if isinstance(problem, Problem) else MAYBE), array(dice, e, not quiet(dice))],
        named,
        says=None,
        may_fail=True,
        compare=False,
        infinite=True,
        raises=(TypeError,) if named else (),  # of the solver
    )


def compare(dice: Dice) -> Call:
    problem: Any = dice.among(problems()) if dice.chance(0.9) else thing(dice)
    methods = dice.pick(
        ["apgd"], ("apgd", "pgs"), [], ["pgs", "pgs"], "apgd", ["nothing"], 3, [3], None, dict, [["apgd"]], thing(dice)
    )
    named = {"methods": Given(methods if methods is not None else ["apgd"], flaw=MAYBE), "max_iterations": Given(5)}
    for name, good in (
        ("law", ("ncp", "ccp")),
        ("tol", (1e-6,)),
        ("directions", (None, 4)),
        ("separate", (True,)),
        ("repeats", (1, 2)),
        ("progress", (None, iter)),
    ):
        if dice.chance(0.4):
            named[name] = Given(dice.among(good) if quiet(dice) else thing(dice), flaw=MAYBE)
    repeats = named.get("repeats", Given(1)).value
    if isinstance(repeats, (int, np.integer)) and repeats > 2:  # it would do so many
        named["repeats"] = Given(0, flaw=MAYBE)
    return Call(
        "friction",
        "contact.compare_methods",
        contact.compare_methods,
        [Given(problem, flaw=MAYBE)],
        named,
        says=None,
        raises=(TypeError,) if callable(named.get("progress", Given(None)).value) else (),  # of progress itself
        compare=False,
        infinite=True,
    )


def fclib(dice: Dice) -> Call:
    """Make a call that writes a problem and reads it again, or reads a file of another kind."""
    problem: Any = dice.among(problems()) if dice.chance(0.9) else thing(dice)
    path: Any = (
        None
        if dice.chance(0.6)
        else dice.pick("/nowhere/x.hdf5", "", ".", "\x00", 3, b"x", None, dict, "x" * 5000, thing(dice))
    )
    words = {
        name: thing(dice) if dice.chance(0.5) else "words"
        for name in ("title", "description", "math_info")
        if dice.chance(0.3)
    }
    if dice.chance(0.2):
        words[dice.pick("solution", "guesses", "replace")] = thing(dice)
    form = None if path is None else dice.pick(None, None, "local", "global", thing(dice))
    reading = dice.pick(contact.read_fclib, contact.read_fclib_solution, contact.read_fclib_guesses)

    def make(problem: Any, path: Any, words: dict[str, Any], form: Any) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "x.hdf5") if path is None else path
            if path is not None:
                reading(name, form=form)
                return []
            contact.write_fclib(name, problem, **words)
            if dice.chance(0.2):
                data = bytearray(Path(name).read_bytes())
                data[dice.below(len(data))] ^= 1 << dice.below(8)
                Path(name).write_bytes(data[: dice.pick(len(data), dice.below(len(data)))])
                reading(name, form=form)
                return []
            again = contact.read_fclib(name, form=form)
            return (
                []
                if close(np.sort(again.offset), np.sort(problem.offset), 0.0)
                else ["what was written is not what was read"]
            )

    call = Call(
        "friction",
        "contact.write_fclib",
        make,
        [Given(problem), Given(path, flaw=MAYBE), Given(words), Given(form, flaw=MAYBE)],
        says=None,
        check=lambda wrong: wrong,
        may_fail=True,
        compare=False,
        raises=(UserWarning,),
    )
    if path is not None:
        call.name = f"contact.{reading.__name__}"
    call.text = lambda: (
        f"write_fclib / {reading.__name__}({path!r:.100}, {show(problem)}, form={form!r:.60}, {words!r:.300})"
    )  # type: ignore[method-assign]
    return call


def siconos(dice: Dice) -> Call:
    """Make a call that reads a text of Siconos, whole, damaged, or anything else."""
    numbers = (2, 2, 0, 4, 4, 4, 4, 2, 0, 1, 0, 0, 2, 0, 1, 1, 0, 2, 0, 0, 1, 0, 2, -1, 3, -1, 0.5, 0.5, 0.5)
    words = [str(x) for x in numbers]
    whole = dice.chance(0.3)
    if not whole:
        words[dice.below(len(words))] = str(dice.pick(-1, 0, 1, 7, 1e300, "nan", "inf", "x", "", "\u00e9", "9" * 30))
        words = words[: dice.pick(len(words), dice.below(len(words)))]
    path = None if dice.chance(0.8) else dice.pick("/nowhere/x.dat", "", ".", "\x00", 3, b"x", None, thing(dice))
    repair = dice.pick(0.0, 0.0, 1e-6, thing(dice))

    def make(path: Any, repair: Any) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "x.dat")
            Path(name).write_text(" ".join(words), encoding="utf-8")
            problem = contact.read_siconos(name if path is None else path, repair=repair)
        return [] if problem.size == 4 or not whole else ["a contact is lost"]

    return Call(
        "friction",
        "contact.read_siconos",
        make,
        [Given(path, flaw=MAYBE), Given(repair, flaw=MAYBE)],
        says=None,
        check=lambda wrong: wrong,
        may_fail=True,
        compare=False,
        raises=(UserWarning,),
    )


def records(dice: Dice) -> Call:
    """Make a call that converts z of a polygon's problem to multipliers."""
    lcp_ = contact.friction_lcp(problems()[0], directions=4)
    z = dice.normal(len(lcp_.b))
    return Call(
        "friction",
        "contact.FrictionLcp.multipliers",
        lcp_.multipliers,
        [array(dice, z, not quiet(dice))],
        says=None,
        exact=False,
    )


DRAWS: tuple[tuple[Callable[[Dice], Call], int], ...] = (
    (bodies, 8),
    (body_method, 6),
    (contact_table, 8),
    (rows, 6),
    (frames, 5),
    (soft, 4),
    (assemble, 6),
    (from_delassus, 8),
    (from_factors, 6),
    (problem_method, 5),
    (solve_random, 8),
    (solve, 10),
    (solver, 5),
    (errors_of, 5),
    (lcp, 10),
    (polygon, 4),
    (poisson, 2),
    (compare, 1),
    (fclib, 1),
    (siconos, 1),
    (records, 1),
)
LOTS = tuple(draw for draw, weight in DRAWS for _ in range(weight))


def draw(dice: Dice) -> Call:
    """A call of one of these."""
    return dice.among(LOTS)(dice)


_ = PlueckerError
