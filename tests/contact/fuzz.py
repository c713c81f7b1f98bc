"""Random friction problems of every kind, and an independent judge of what a solver says about them.

    python -m tests.contact.fuzz 10000 [first seed]

solves 10,000 of them, each from its seed alone with a random law, method and arguments, and prints how many converged. Many
are wide: friction up to 1e8, N and b times anything from 1e-12 to 1e12, redundant and contradictory equations among the
contacts. Seeds are enough to see a problem again: ``run(seed, wide=True)``. The judge is plain NumPy in extended precision
and shares no code with the package: multiplication by the full matrix, projection by bisection, the natural map.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import sys
import time
import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse.csgraph

from pluecker import warmup
from pluecker.contact import LAWS, METHODS, Problem, ProblemError, Result, solve
from tests.contact.any_blocks import SIZES, of_factors, of_matrix, sets_of

Extended = np.longdouble
INF = np.inf
LONGEST = 60.0  # seconds that a problem may take before the process is ended with a traceback
KINDS = ("1", "2", "3", "5", "6", "equation", "limit", "motor", "fixed")
RUNNABLE = tuple(name for name, how in METHODS.items() if how.run is not None)
LCP_METHODS = tuple(name for name in METHODS if name not in RUNNABLE)
STATES = "converged", "iteration limit", "stalled", "no solution found"


class Case(NamedTuple):
    """A problem, and the arguments of ``solve``.

    Attributes:
        seed: that it was made from.
        what: words for the table: which features the problem has.
        problem: the problem.
        N: its matrix, computed here, ``(m, m)``, extended precision.
        size: of what N is summed from, ``(m, m)``.
        arguments: of ``solve``.
    """

    seed: int
    what: str
    problem: Problem
    N: np.ndarray
    size: np.ndarray
    arguments: dict[str, Any]


# ------------------------------------------------------------------------------------------------------------- the judge


def nearest_in_cone(x: np.ndarray, sizes: Any, mu: Any) -> np.ndarray:
    """The nearest point of {r_n >= 0, |r_k| <= mu_k r_n}, by bisection for r_n in extended precision."""
    parts, row = [], 1
    for k, n in enumerate(sizes):
        if n:
            parts.append((Extended(mu[k]), x[row : row + n]))
            row += n
    lengths = [long_norm(part) for _, part in parts]

    def excess(t: Any) -> Any:
        return x[0] - t + sum(m * max(Extended(0), s - m * t) for (m, _), s in zip(parts, lengths, strict=True))

    t = Extended(0)
    if excess(t) > 0:
        low, high = Extended(0), abs(x[0]) + sum(m * s for (m, _), s in zip(parts, lengths, strict=True))
        for _ in range(200):
            t = (low + high) / 2
            low, high = (t, high) if excess(t) > 0 else (low, t)
            if high - low <= 1e-19 * high:
                break
    out = [np.array([t])]
    for (m, part), s in zip(parts, lengths, strict=True):
        out.append(part * (m * t / s) if s > m * t else part)
    return np.concatenate(out)


def long_norm(x: np.ndarray) -> Any:
    """|x|; numbers of extended precision do not overflow here."""
    return np.sqrt((np.asarray(x, Extended) ** 2).sum())


def signorini(r: np.ndarray, u: np.ndarray) -> Any:
    """Penetration or pulling of a contact, or the force of one that parts."""
    least = min(r[0], u[0])
    return -least if least <= 0 else min(long_norm(r), u[0])


def inverse_masses(K: Any, diagonal: np.ndarray, joined: np.ndarray | None = None) -> np.ndarray:
    """Return for each row the mean diagonal of its part of its block: of normal and friction, of rolling, or of spinning.

    Where the mean is nothing beside the largest on its island, that takes its place, or the largest of all. ``joined`` is
    not zero between rows that meet; all are on one island unless it is given.
    """
    out = np.zeros(int(K.start[-1]), Extended)
    for part in range(3):
        first = K.start[:-1] + (1 + K.sizes[:, :part].sum(axis=1) if part else 0)
        last = K.start[:-1] + 1 + K.sizes[:, : part + 1].sum(axis=1)
        mean = np.array([diagonal[a:b].mean() if b > a else 0 for a, b in zip(first, last, strict=True)], Extended)
        for a, b, x in zip(first, last, largest_instead(K, mean, joined), strict=True):
            out[a:b] = x
    return out


def largest_instead(K: Any, mean: np.ndarray, joined: np.ndarray | None) -> np.ndarray:
    """These numbers of blocks; in place of those that are nothing the largest one."""
    island = np.zeros(len(mean), np.int64)
    if joined is not None and len(mean):
        block = np.repeat(np.arange(len(mean)), np.diff(K.start))
        i, j = np.nonzero(joined)
        graph = scipy.sparse.coo_matrix((np.ones(len(i)), (block[i], block[j])), shape=(len(mean),) * 2)
        island = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    largest = np.zeros(len(mean), Extended)
    np.maximum.at(largest, island, mean)
    here = largest[island]
    return np.where(mean > 1e-16 * here, mean, np.where(here > 0, here, mean.max(initial=0.0) or 1.0))


def long_errors(
    K: Any, diagonal: Any, b: np.ndarray, r: np.ndarray, u: np.ndarray, law: str, joined: np.ndarray | None = None
) -> tuple[float, ...]:
    """|x - P(x - w - g)| / max(|s b|, |x|, |w|) with x = r / s and w = s u; the largest velocity of a block, |D (r - P(r -
    (u + g) / D))|; what it is compared with, the largest component of b and u, or the largest |D r| where nothing moves."""
    row_D, total, worst = inverse_masses(K, np.asarray(diagonal, Extended), joined), Extended(0), Extended(0)
    held, speed, D = Extended(0), Extended(0), row_D[K.start[:-1]]
    r, u, b = (np.asarray(x, Extended) for x in (r, u, b))
    for i in range(len(K.start) - 1):
        rows = slice(int(K.start[i]), int(K.start[i + 1]))
        length = np.sqrt(D[i] / row_D[rows])  # by which turns are velocities like the others
        ends = np.minimum(1 + np.cumsum(np.concatenate([[0], K.sizes[i][:-1]])), len(length) - 1)
        mu = np.zeros(3) if law == "frictionless" else K.friction[i] / length[ends]
        f, v = r[rows] * D[i] / length, u[rows] * length
        speed = max(speed, np.abs(v).max(), np.abs(b[rows] * length).max())
        held = max(held, long_norm(f))
        x = f - v
        if not K.sizes[i].any():
            p = np.clip(x, Extended(K.lower[i]) * D[i], Extended(K.upper[i]) * D[i])
        else:
            if law == "ncp":
                row = 1
                for k, n in enumerate(K.sizes[i]):
                    x[0] -= Extended(mu[k]) * long_norm(v[row : row + n])
                    row += n
            p = nearest_in_cone(x, K.sizes[i], mu)
        part = ((f - p) ** 2).sum()
        if law == "ncp" and (mu**2).sum() > 1.0:
            part = max(part, signorini(f, v) ** 2)
        total, worst = total + part / D[i], max(worst, part)
    s = 1 / np.sqrt(row_D)
    scale = max(long_norm(s * b), long_norm(r / s), long_norm(s * u))
    natural = np.sqrt(total) / scale if scale > 0 else np.sqrt(total)
    return float(natural), float(np.sqrt(worst)), float(speed or held)


def polygon_map(K: Any, b: np.ndarray, r: np.ndarray, u: np.ndarray, directions: int) -> float:
    """The natural map of the polygonal law: K has corners ``(1, mu d_h)``, the shift of u_n is ``mu max_h d_h . u_t``."""
    scale = float(max(long_norm(b), long_norm(r), long_norm(u))) or 1.0
    r, u, total = r / scale, u / scale, 0.0
    for i in range(len(K.start) - 1):
        rows = slice(int(K.start[i]), int(K.start[i + 1]))
        if not K.sizes[i].any():
            p = np.clip(r[rows] - u[rows], K.lower[i] / scale, K.upper[i] / scale)
        else:
            angle, mu = 2 * np.pi * np.arange(directions) / directions, K.friction[i, 0]
            d = np.stack([np.cos(angle), np.sin(angle)], 1) if K.sizes[i, 0] == 2 else np.array([[1.0], [-1.0]])
            x = r[rows] - u[rows]
            x[0] -= mu * (d @ u[rows][1:]).max()
            corners = np.hstack([np.ones((len(d), 1)), mu * d]).T
            p = corners @ scipy.optimize.nnls(corners, x)[0]
        total += ((r[rows] - p) ** 2).sum()
    return float(np.sqrt(total))


def judge(case: Case, result: Result) -> list[str]:
    """Complaints about a result, none if it is what it says."""
    problem, tol, law = case.problem, case.arguments["tol"], case.arguments["law"]
    r, u, e, b = result.multipliers, result.velocity, result.errors, problem.offset
    wrong = []
    numbers = [*dataclasses.astuple(e), result.time]
    if not (np.isfinite(r).all() and np.isfinite(u).all()):
        return ["multipliers or velocities are not finite"]
    if np.isnan(numbers).any() or min(numbers) < 0:
        wrong.append(f"errors {numbers}")
    if result.status not in STATES:
        wrong.append(f"status {result.status!r}")
    enough = e.natural_map <= tol and e.velocity <= tol * e.speed * (1 + 1e-12)
    if (result.converged and not enough) or (enough and result.status in STATES[1:3]):
        wrong.append(f"{result.status} with {e.natural_map}, {e.velocity} of {e.speed} m/s, and tolerance {tol}")
    # Rows that contradict one another by less than the tolerance are named, though the result is within it.
    silent = not result.message or (result.converged and result.message.startswith("bilateral rows contradict"))
    if silent != result.converged:
        wrong.append(f"{result.status}, message {result.message!r}")
    if result.tol != tol or result.law != law or result.method != case.arguments["method"]:
        wrong.append("tolerance, law or method are not those asked for")
    long_r = np.asarray(r, Extended)
    exact = case.N @ long_r + b
    size = case.size @ np.abs(long_r) + np.abs(b)
    rounding = 1e-14 * (len(b) + 10)
    if (np.abs(exact - u) > rounding * size + 1e-300).any():
        wrong.append(f"velocity differs from N r + b by {float((np.abs(exact - u) / np.maximum(size, 1e-4000)).max())}")
    if law != "lcp":
        natural, velocity, speed = long_errors(problem.sets, np.diag(case.N), b, r, u, law, case.size)
        if result.converged and not max(natural, velocity / (speed or 1.0)) <= tol * (1 + 1e-6) + 1e-14:
            wrong.append(f"converged, but the errors are {natural:.3e} and {velocity:.3e} m/s, tolerance {tol}")
        known = b.any() or r.any() or u.any()  # otherwise it has no scale, and depends on the units
        differs = not abs(natural - e.natural_map) <= 1e-6 * natural + 1e-13
        if known and case.arguments["method"] not in LCP_METHODS and differs:
            wrong.append(f"the natural map is {natural:.6e}, not {e.natural_map:.6e}")
    elif result.converged:
        K, D = problem.sets, inverse_masses(problem.sets, np.diag(case.N), case.size)
        s = 1 / np.sqrt(D)
        of = s[K.start[:-1]]
        inner = K._replace(lower=K.lower / of, upper=K.upper / of)
        again = polygon_map(inner, s * b, r / s, s * u, case.arguments["directions"])
        most = max(1.0, problem.sets.friction.max(initial=0.0))
        if not again <= 100 * most * tol + 1e-12:
            wrong.append(f"converged, but the natural map of the polygonal law is {again:.3e}, tolerance {tol}")
    if case.arguments.get("history") and result.history is not None:
        h = result.history
        if h.ndim != 2 or h.shape[1] != 2 or np.isnan(h).any():
            wrong.append(f"history of shape {h.shape} or with NaN")
        elif (np.diff(h[:, 0]) < 0).any():
            wrong.append("the times of the history fall")
        elif result.method not in LCP_METHODS and law != "lcp" and (np.diff(h[:, 1]) > 0).any():
            wrong.append("the errors of the history rise")
    str(result)
    return wrong


# --------------------------------------------------------------------------------------------------------- the generator


def pick(rng: np.random.Generator, *choices: Any) -> Any:
    return choices[rng.integers(len(choices))]


def random_jacobian(rng: np.random.Generator, bodies: int, rows: int, last: Any, degenerate: bool) -> np.ndarray:
    """Rows of a contact between two bodies, or one body and the world; perhaps with the normal of another."""
    J = np.zeros((rows, 6 * bodies))
    pair = rng.choice(bodies, min(bodies, 2), replace=False)
    if rng.random() < 0.3:
        pair = pair[:1]
    whole = degenerate and rng.random() < 0.5
    for body in pair:
        part = np.rint(rng.normal(size=(rows, 6))) if whole else rng.normal(size=(rows, 6))
        J[:, 6 * body : 6 * body + 6] = part
    if degenerate and last is not None and rng.random() < 0.5:
        n = min(rows, len(last))
        J[:n] = last[:n] * pick(rng, 1.0, 1.0, -1.0, 2.0)
    return J


class Joints(NamedTuple):
    """Equations that some bodies share: independent ones and combinations of them, which agree with them or do not.

    Attributes:
        J: their rows.
        error: what contradictory ones add to b; none where b is in the range of J.
    """

    J: np.ndarray
    error: np.ndarray


def random_joints(rng: np.random.Generator, bodies: int) -> Joints:
    """One to six rows between a few bodies, and as many combinations of them; rows of zeros, too."""
    independent = np.vstack([random_jacobian(rng, bodies, 1, None, False) for _ in range(rng.integers(1, 7))])
    weights = rng.normal(size=(rng.integers(0, 7), len(independent)))
    weights *= rng.random(weights.shape) < pick(rng, 0.3, 1.0)
    J = np.vstack([independent, weights @ independent])
    error = np.zeros(len(J))
    if rng.random() < 0.4:
        error = rng.normal(size=len(J)) * 10.0 ** rng.integers(-8, 3) * (rng.random(len(J)) < 0.5)
    return Joints(J, error)


def random_case(
    seed: int, methods: tuple[str, ...] = RUNNABLE, most: int = 12, limit: int | None = None, wide: bool = False
) -> Case:
    """A problem and arguments, from a seed alone; a ``wide`` one has what the head of this file says, too."""
    rng, more = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    law = str(rng.choice(LAWS))
    possible = [m for m in methods if law != "lcp" or m == "auto"]
    if law in ("lcp", "frictionless"):
        possible += LCP_METHODS
    method = str(rng.choice(possible))
    words = []
    count = int(rng.integers(0, most + 1)) if rng.random() < 0.95 else int(rng.integers(0, 3 * most))
    bodies = int(rng.integers(1, max(2, count) + 1))
    degenerate, kinds = rng.random() < 0.4, KINDS
    space = pick(rng, 2, 3)
    if law == "lcp":
        kinds = (str(space), *KINDS[5:])
    if rng.random() < 0.3:
        kinds = (str(space),)
    sizes, friction, lower, upper, J, last = [], [], [], [], [], None
    common = pick(rng, None, None, 0.0, 10.0, 0.5)
    for _ in range(count):
        kind = pick(rng, *kinds)
        size, mu, bounds = (0, 0, 0), np.zeros(3), (0.0, INF)
        if kind.isdigit():
            size = SIZES[int(kind)]
            mu = (np.exp(rng.uniform(np.log(0.01), np.log(10), 3)) if common is None else np.full(3, common)) * (
                np.array(size) > 0
            )
            if rng.random() < 0.1:
                mu[rng.integers(3)] = 0.0
        else:
            a, z = np.sort(rng.normal(size=2))
            bounds = {
                "equation": (-INF, INF),
                "limit": pick(rng, (a, INF), (-INF, z), (0.0, INF)),
                "motor": (a, z),
                "fixed": (a, a),
            }[kind]
        last = random_jacobian(rng, bodies, 1 + sum(size), last, degenerate)
        for _ in range(2 if degenerate and rng.random() < 0.3 else 1):
            J.append(last)
            sizes.append(size)
            friction.append(mu)
            lower.append(bounds[0])
            upper.append(bounds[1])
    errors = [np.zeros(len(rows)) for rows in J]
    if wide and more.random() < 0.5:
        words.append("steep")
        largest = pick(more, 8, 8, more.uniform(-8.0, 8.0))
        friction = [10.0 ** more.uniform(-8.0, largest, 3) * (np.array(size) > 0) for size in sizes]
    if wide and more.random() < 0.5:
        joints = random_joints(more, bodies)
        words.append("contradictory" if joints.error.any() else "joints")
        for row, error in zip(joints.J, joints.error, strict=True):
            at = int(more.integers(0, len(J) + 1))
            for values, value in (
                (J, row[None]), (errors, np.array([error])), (sizes, (0, 0, 0)), (friction, np.zeros(3)),
                (lower, -INF), (upper, INF),
            ):  # fmt: skip
                values.insert(at, value)
    H = np.vstack([np.zeros((0, 6 * bodies)), *J])
    m = len(H)
    ratio = pick(rng, 1.0, 10.0, 1e4, 1e8)
    inverse = np.repeat(np.exp(-rng.uniform(0, np.log(ratio), bodies)), 6)
    if rng.random() < 0.05:
        H = np.zeros_like(H)
        words.append("N=0")
    kind = pick(rng, "range", "range", "range", "zero", "any", "small")
    b = H @ rng.normal(size=H.shape[1]) if kind == "range" else rng.normal(size=m) if kind == "any" else np.zeros(m)
    if kind == "small":
        b = H @ (rng.normal(size=H.shape[1]) * 10.0 ** rng.integers(-12, 3, H.shape[1]))
    b = b + np.concatenate([np.zeros(0), *errors])
    words += [kind, "degenerate"] if degenerate else [kind]
    compliance = np.zeros(m)
    if rng.random() < 0.3:
        compliance = 10.0 ** rng.uniform(-8, 0, m) * (rng.random(m) < 0.7)
        words.append("compliance")
    length, mass = 1.0, 1.0
    if rng.random() < 0.15:
        length, mass = (10.0 ** rng.uniform(-150, 150) for _ in range(2))
        if rng.random() < 0.5:
            mass = 1.0
        words.append("scales")
    elif wide and more.random() < 0.5:
        length, mass = (10.0 ** more.uniform(-12, 12) for _ in range(2))
        words.append("units")
    H, b, inverse, compliance = H, b * length, inverse / mass, compliance / mass
    unit = length * mass
    K = sets_of(
        np.array(sizes, np.int64).reshape(-1, 3),
        np.array(friction).reshape(-1, 3),
        np.array(lower) * unit,
        np.array(upper) * unit,
    )
    columns = np.arange(0, H.shape[1] + 1, 6)
    if rng.random() < 0.5:
        T = H * inverse
        problem = of_factors(H, T, columns, b, K, compliance)
        N = np.asarray(H, Extended) @ np.asarray(T, Extended).T
        of = np.abs(np.asarray(H, Extended)) @ np.abs(np.asarray(T, Extended)).T
        words.append("factors")
    else:
        full = (H * inverse) @ H.T
        full = 0.5 * (full + full.T)
        problem = of_matrix(full, b, K, compliance)
        N = np.asarray(full, Extended)
        of = np.abs(N)
        words.append("matrix")
    soft = np.diag(np.asarray(compliance, Extended))
    arguments: dict[str, Any] = {
        "law": law,
        "method": method,
        "tol": float(pick(rng, 1e-4, 1e-6, 1e-6, 1e-8, 1e-10, 1e-12)),
    }
    if limit is not None:
        arguments["max_iterations"] = limit
    elif rng.random() < 0.3:
        arguments["max_iterations"] = int(pick(rng, 1, 2, 7, 100, 3000))
    if rng.random() < 0.3:
        arguments["warm_start"] = rng.normal(size=m) * 10.0 ** rng.integers(-3, 4) * unit * pick(rng, 0.0, 1.0, 1.0)
    if rng.random() < 0.3:
        arguments["threads"] = int(rng.integers(1, 4))
    if rng.random() < 0.3:
        arguments["separate"] = False
    if rng.random() < 0.5:
        arguments["history"] = True
    if problem.operator.is_factored and rng.random() < 0.5 and method not in LCP_METHODS and law != "lcp":
        arguments["form"] = str(pick(rng, "matrix", "factors"))
    if law == "lcp":
        flat = space == 2
        arguments["directions"] = 2 if flat else int(pick(rng, 4, 8, 8, 12))
    if method == "psor" and rng.random() < 0.5:
        arguments["relaxation"] = float(rng.uniform(0.3, 1.7))
    if method == "apgd" and rng.random() < 0.3:
        arguments["momentum"] = "nesterov"
    return Case(seed, " ".join(words), problem, N + soft, of + soft, arguments)


def run(seed: int, **named: Any) -> tuple[Case, Result | None, list[str]]:
    """Solve one problem, warnings being errors; the result, None where a refusal was due, and complaints."""
    case = random_case(seed, **named)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = solve(case.problem, **case.arguments)
        except ProblemError as error:
            return case, None, [] if refusal_is_due(case) else [f"refused: {error}"]
        except Exception as error:
            return case, None, [f"{type(error).__name__}: {error}"]
        return case, result, judge(case, result)


def refusal_is_due(case: Case) -> bool:
    """Lemke's method refuses dependent equations."""
    method, K = case.arguments["method"], case.problem.sets
    return method == "lemke" and bool(np.isinf(K.lower).any())


# ------------------------------------------------------------------------------------------------------------ the script


def main(count: int, first: int) -> None:
    """Solve problems and print what happened."""
    warmup(["methods"])  # compiling takes longer than a problem may
    outcomes: Counter[tuple[str, str, str]] = Counter()
    longest: list[tuple[float, int, str]] = []
    bad = 0
    for seed in range(first, first + count):
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        began = time.perf_counter()
        case, result, complaints = run(seed, wide=True)
        faulthandler.cancel_dump_traceback_later()
        longest.append((time.perf_counter() - began, seed, case.arguments["method"]))
        law, method = case.arguments["law"], case.arguments["method"]
        outcomes[method, law, "refused" if result is None else result.status] += 1
        if complaints:
            bad += 1
            print(
                f"seed {seed}: {case.what}; m {case.problem.size};",
                {key: value for key, value in case.arguments.items() if key != "warm_start"},
            )
            for complaint in complaints:
                print("    ", complaint, flush=True)
        if (seed - first) % 1000 == 999:
            print(f"-- {seed - first + 1} problems, {bad} with complaints", flush=True)
    states = (*STATES, "refused")
    print(f"{'method':18}{'law':14}" + "".join(f"{state:>20}" for state in states))
    for method, law in sorted({(m, w) for m, w, _ in outcomes}):
        print(f"{method:18}{law:14}" + "".join(f"{outcomes[method, law, state]:20}" for state in states))
    print("longest:", *(f"{t:.1f} s (seed {seed}, {method})" for t, seed, method in sorted(longest)[::-1][:8]))
    print(f"{count} problems from seed {first}: {bad} with complaints")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10000, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
