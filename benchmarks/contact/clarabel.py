"""Clarabel on the convex problem of contacts, called without anything of ours around it: the peer of ``auto``.

    dual form        min 1/2 x'N^x + b^'x            over cones K of the impulses, scaled block by block as our solvers do
    velocity form    min 1/2 v'Mv - f'v              with H'v + w in the dual cones K*, where a file has M and H

Both have the same solution; which one is faster depends on the problem. Only the call of ``solve`` is timed, not the setting
up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.contact.problems import Case
from benchmarks.contact.report import ContactReport
from benchmarks.contact.solvers import GOAL
from benchmarks.measuring.report import Bars, Report, ratio, seconds
from benchmarks.measuring.timing import Effort, Times, progress
from pluecker.contact.friction.files.fclib import GlobalForm
from pluecker.contact.friction.problem.prepared import prepare
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import DISCS, Sets
from pluecker.contact.friction.solving.solve import errors_of, solve
from pluecker.contact.friction.sparse.blocks import to_scipy
from pluecker.spatial.functions.elementwise import Array

__all__ = ["TOLERANCE", "Peer", "against_clarabel", "dual_form", "error_of", "peers"]

TOLERANCE = 1e-9
FINE = 1e-10  # to which ours goes too


class Peer:
    """One form of one problem, set up anew for each call."""

    def __init__(self, data: tuple[Any, ...], impulses: Callable[[Any], Array]) -> None:
        """``data``: P, q, A, c, cones; ``impulses``: what Clarabel's answer says r is."""
        self.data, self.impulses, self.tolerance = data, impulses, TOLERANCE

    def settings(self) -> Any:
        """One thread, the tolerance for gap and feasibility."""
        import clarabel

        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads = False, 1
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = self.tolerance
        return settings

    def run(self) -> tuple[float, Any]:
        """Seconds of the call, and the answer."""
        import clarabel

        solver = clarabel.DefaultSolver(*self.data, self.settings())
        began = time.perf_counter()
        answer = solver.solve()
        return time.perf_counter() - began, answer

    def time(self) -> float:
        """Seconds of the call."""
        return self.run()[0]


def peers(case: Case) -> dict[str, Peer]:
    """The forms that the problem has."""
    found = {"dual form": dual_form(case.problem)}
    if case.velocity_form is not None:
        found["velocity form"] = velocity_form(case.velocity_form)
    return found


def cones(K: Sets) -> tuple[scipy.sparse.csc_matrix, Array, list[Any]]:
    """Write the sets as ``A x + s = c`` with s in cones, for x in the sets."""
    import clarabel

    rows, columns, entries, c, kinds, n = [], [], [], [], [], 0

    def add(parts: list[tuple[int, float]], offset: float) -> None:
        nonlocal n
        for column, entry in parts:
            rows.append(n)
            columns.append(column)
            entries.append(entry)
        c.append(offset)
        n += 1

    for i in range(len(K.start) - 1):
        top = int(K.start[i])
        if K.sizes[i, 0] == 0:
            if K.lower[i] == K.upper[i]:
                add([(top, 1.0)], K.upper[i])
                kinds.append(clarabel.ZeroConeT(1))
                continue
            if K.lower[i] > -np.inf:
                add([(top, -1.0)], -K.lower[i])
                kinds.append(clarabel.NonnegativeConeT(1))
            if K.upper[i] < np.inf:
                add([(top, 1.0)], K.upper[i])
                kinds.append(clarabel.NonnegativeConeT(1))
            continue
        if not (K.friction[i] * K.sizes[i] > 0.0).any():  # others have it from their discs
            add([(top, -1.0)], 0.0)
            kinds.append(clarabel.NonnegativeConeT(1))
        row = top + 1
        for d in range(DISCS):
            size = int(K.sizes[i, d])
            if size and K.friction[i, d] == 0.0:
                for k in range(row, row + size):
                    add([(k, -1.0)], 0.0)
                kinds.append(clarabel.ZeroConeT(size))
                row += size
            elif size:
                add([(top, -float(K.friction[i, d]))], 0.0)
                for k in range(row, row + size):
                    add([(k, -1.0)], 0.0)
                kinds.append(clarabel.SecondOrderConeT(size + 1))
                row += size
    shape = n, int(K.start[-1])
    return scipy.sparse.csc_matrix((entries, (rows, columns)), shape=shape), np.array(c), kinds


def dual_form(problem: Problem) -> Peer:
    """In scaled impulses."""
    P, places = prepare(problem.assembled(), False)
    N = to_scipy(P.A.N) + scipy.sparse.diags_array(P.A.compliance)
    A, c, kinds = cones(P.K)

    def impulses(answer: Any) -> Array:
        r = np.zeros(problem.size)
        r[places] = np.array(answer.x) * P.s
        return r

    return Peer((scipy.sparse.csc_matrix(scipy.sparse.triu(N)), P.b, A, c, kinds), impulses)


def velocity_form(form: GlobalForm) -> Peer:
    """State the problem in velocities of the bodies; the impulses are the multipliers of the constraints."""
    import clarabel

    size, contacts = form.spacedim, len(form.mu)
    weights = np.ones((contacts, size))
    weights[:, 1:] = form.mu[:, None]  # u in K* is (u_n, mu u_t) in the cone of second order
    width = scipy.sparse.linalg.norm(form.H, axis=0).reshape(contacts, size).mean(axis=1)
    weights /= np.where(width > 0, width, 1.0)[:, None]
    keep = np.ones((contacts, size), np.bool_)
    keep[form.mu == 0.0, 1:] = False
    B = scipy.sparse.diags_array(weights.ravel()).tocsr()[keep.ravel()]
    kinds = [clarabel.SecondOrderConeT(size) if mu > 0.0 else clarabel.NonnegativeConeT(1) for mu in form.mu]
    A, c = -(B @ form.H.T), B @ form.w
    if form.G is not None:
        A, c = scipy.sparse.vstack([A, -form.G.T]), np.concatenate([c, form.b])
        kinds.append(clarabel.ZeroConeT(len(form.b)))
    M = scipy.sparse.csc_matrix(scipy.sparse.triu(0.5 * (form.M + form.M.T)))

    def impulses(answer: Any) -> Array:
        z = np.array(answer.z)
        return np.concatenate([B.T @ z[: B.shape[0]], z[B.shape[0] :]])

    return Peer((M, -form.f, scipy.sparse.csc_matrix(A), c, kinds), impulses)


def error_of(problem: Problem, r: Array) -> float:
    """Return the error of impulses by the measure that our solvers stop at."""
    if not np.isfinite(r).all():
        return np.inf
    return errors_of(problem, r, "ccp").largest


# -------------------------------------------------------------------------------------------------------- auto beside it


def our_time(case: Case, law: str, tol: float) -> float:
    """Seconds of a whole call."""
    return solve(case.problem, law, tol=tol, threads=1).time


def several(call: Callable[[], float], shortest: float) -> float:
    """The median of calls in a row that take so long together: what a program that solves step after step sees."""
    spent = [call()]
    while sum(spent) < shortest:
        spent.append(call())
    return float(np.median(spent))


def against_clarabel(cases: list[Case], effort: Effort, report: ContactReport) -> Report:
    """Whole calls of ``auto`` beside the call of Clarabel's solver alone, the faster of its forms."""
    table = Report(
        "contact_clarabel", f"auto beside Clarabel at its tolerance {TOLERANCE:.0e}, the convex law",
        "The time of our whole call over that of Clarabel's `solve` alone, of the form that is faster; shorter is better.",
        ["problem", f"auto to {GOAL:.0e} / Clarabel", f"auto to {FINE:.0e} / Clarabel", f"auto to {GOAL:.0e}",
         f"auto to {FINE:.0e}", "Clarabel", "its form", "the other form", "error of auto", "error of Clarabel",
         f"Coulomb's law, auto to {GOAL:.0e}"],
    )  # fmt: skip
    ratios: dict[float, list[float]] = {GOAL: [], FINE: []}
    for case in progress(cases, "Clarabel"):
        forms = peers(case)
        answers = {name: peer.run()[1] for name, peer in forms.items()}
        calls: dict[str, Callable[[], float]] = {name: peer.time for name, peer in forms.items()}
        ours = {}
        for key, law, tol in ((GOAL, "ccp", GOAL), (FINE, "ccp", FINE), ("ncp", "ncp", GOAL)):
            ours[key] = solve(case.problem, law, tol=tol, threads=1)
            calls[str(key)] = partial(our_time, case, law, tol)
        spent: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(effort.rounds):
            for name, call in calls.items():
                spent[name].append(several(call, effort.shortest))
        times = {name: Times(np.array(values)) for name, values in spent.items()}
        best, *others = sorted(forms, key=lambda name: times[name].median)
        over = {tol: times[str(tol)].over(times[best]) for tol in ratios}
        error = error_of(case.problem, forms[best].impulses(answers[best]))
        for tol, value in over.items():
            if not ours[tol].converged:
                table.note(f"{case.name}: `auto` to {tol:.0e} did not converge ({ours[tol].errors.largest:.1e}).")
            ratios[tol].append(value[0] if ours[tol].converged else np.inf)
        table.rows.append(
            [case.name, ratio(over[GOAL]), ratio(over[FINE]), *(seconds(times[str(t)].median) for t in ratios),
             seconds(times[best].median), best, seconds(times[others[0]].median) if others else "-",
             f"{ours[GOAL].errors.largest:.1e}, {ours[FINE].errors.largest:.1e}", f"{error:.1e}",
             seconds(times["ncp"].median) + ("" if ours["ncp"].converged else ", not converged")]
        )  # fmt: skip
    labels = [case.name for case in cases]
    series: dict[str, Any] = {f"auto to {tol:.0e}": values for tol, values in ratios.items()}
    table.charts = [Bars(labels, series, "time of auto / Clarabel", 1.0, "as fast", "shorter is better", form="{:.2f}")]
    table.notes += [
        "All calls of a row in turn, round after round, each repeated until 20 ms have passed, in one process, one "
        "thread. Ratios are medians of those of single rounds, in brackets their quartiles. Ours begins with the problem as "
        "it was read: finding islands, scaling and, of a global file, assembling the matrix are in it. Clarabel's setup is "
        "not in its time.",
        "Clarabel's error is what its tolerance gives by our measure: natural map or error in velocity, both relative.",
    ]
    report.target(f"`auto` to {GOAL:.0e} / Clarabel, the slowest", 1.5, max(ratios[GOAL]))
    report.target(f"`auto` to {GOAL:.0e} / Clarabel, median", 0.5, float(np.median(ratios[GOAL])))
    report.target(f"`auto` to {FINE:.0e} / Clarabel, the slowest", 4.0, max(ratios[FINE]))
    return table
