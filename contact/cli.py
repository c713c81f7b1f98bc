"""The command ``pluecker`` with what contact adds to it: ``pluecker friction``, a problem of a file solved and judged.

Exit codes as of :mod:`~pluecker.articulated.cli`: 1 where the tolerance was not reached, with the best that was found
printed; 2 for wrong arguments and for files that hold no problem. What solves is imported when ``friction`` is chosen.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pluecker.articulated.cli import fail
from pluecker.articulated.cli import main as articulated_main
from pluecker.contact.errors import ProblemError
from pluecker.spatial.extras import progress_bar

if TYPE_CHECKING:
    from pluecker.contact.problem import Problem
    from pluecker.contact.result import Result

__all__ = ["main"]

AGAIN = 60.0  # seconds up to which a call is made twice, since the first one loads or makes compiled code
PICTURE = "convergence.png"

FRICTION = """A friction problem of an FCLIB file, solved.

laws      frictionless, lcp (Coulomb's law with a polygon), ccp (convex), ncp (Coulomb's law)
methods   auto, apgd, pgs, psor, jacobi, barzilai_borwein, admm, newton, interior_point, clarabel (extra cone);
          for the laws lcp and frictionless also lemke, fischer_newton, minmap_newton, lcp_psor

With --methods or --plot several methods are compared: all islands together then, on one thread."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    return articulated_main(arguments, add_commands)


def add_commands(commands: Any) -> None:
    """The command ``friction``."""
    parser = commands.add_parser(
        "friction",
        help="a friction problem of a file, solved",
        description=FRICTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="in FCLIB's layout, .hdf5")
    parser.add_argument("--law", default="ncp", help="the law of contact (ncp)")
    parser.add_argument("--method", default="auto", help="what solves it (auto)")
    parser.add_argument("--tol", type=float, default=1e-6, help="the natural map to be reached, relative (1e-6)")
    parser.add_argument("--max-iterations", type=int, metavar="N", help="the method's own number unless given")
    parser.add_argument("--directions", type=int, default=8, metavar="N", help="sides of the polygon, law lcp (8)")
    parser.add_argument("--threads", type=int, metavar="N", help="for islands (all cores)")
    parser.add_argument("--form", choices=("local", "global"), help="which form, of a file that has both")
    parser.add_argument("--methods", metavar="A,B,C", help="methods to compare; with --plot alone, the usual ones")
    parser.add_argument(
        "--plot", nargs="?", const=PICTURE, metavar="OUT", help=f"draw their convergence: .png, .pdf, .svg ({PICTURE})"
    )
    parser.add_argument("--write-solution", metavar="OUT", help="write problem and solution, FCLIB's layout, .hdf5")
    parser.set_defaults(run=run_friction)


def run_friction(options: argparse.Namespace) -> int:
    """Solve, print, and what else was asked for."""
    try:
        return friction(options)
    except ProblemError as error:
        return fail(2, error)


def friction(options: argparse.Namespace) -> int:
    """The same, with errors as exceptions."""
    from pluecker.articulated.figures import ENDINGS
    from pluecker.contact.solve import solve

    if options.plot is not None and Path(options.plot).suffix.lower() not in ENDINGS:
        raise ProblemError(f"{options.plot}: no figure can be written there; the path must end in {', '.join(ENDINGS)}")
    problem = load(options)
    chosen = {"tol": options.tol, "max_iterations": options.max_iterations, "directions": options.directions}
    result = solve(problem, options.law, options.method, threads=options.threads, **chosen)
    first = result.time
    if first < AGAIN:
        result = solve(problem, options.law, options.method, threads=options.threads, **chosen)
    print(headline(options.file, problem))
    print(describe(result, first))
    if options.methods is not None or options.plot is not None:
        names = None if options.methods is None else [name.strip() for name in options.methods.split(",")]
        compare(options, problem, names, chosen)
    if options.write_solution is not None:
        write(options.write_solution, problem, result)
    return 0 if result.converged else 1


def load(options: argparse.Namespace) -> Problem:
    """The problem of the file; warnings become notes of one line."""
    from pluecker.contact.fclib import read_fclib

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = read_fclib(options.file, form=options.form)
    for warning in caught:
        print(f"note: {options.file}: {warning.message}", file=sys.stderr)
    return problem


def compare(options: argparse.Namespace, problem: Problem, names: Sequence[str] | None, chosen: dict[str, Any]) -> None:
    """Several methods: a table, and a figure where one was asked for."""
    from pluecker.articulated.figures import save
    from pluecker.contact.convergence import compare_methods, plot_convergence

    def progress(methods: Sequence[str]) -> Iterable[str]:
        return progress_bar(methods, unit="method")

    given: dict[str, Any] = {"law": options.law, "progress": progress, **chosen}
    if options.plot is None:
        results = compare_methods(problem, names, **given)
    else:
        title = f"{Path(options.file).name}, {problem.blocks} contacts and rows, law {options.law}"
        figure, results = plot_convergence(problem, names, title=title, **given)
        save(figure, options.plot)
    print("\n" + table(results))
    if options.plot is not None:
        print(f"\nFigure: {options.plot}")


def write(path: str, problem: Problem, result: Result) -> None:
    """A file with the problem, and its solution; one that did not converge is written as a guess."""
    from pluecker.contact.fclib import Solution, write_fclib

    contact = problem.sets.sizes[:, 0] > 0
    heights = problem.sets.sizes.sum(axis=1) + 1
    mine = contact.repeat(heights)
    r, u = result.multipliers, result.velocity
    bodies = None if problem.free_velocity is None else problem.motion(r)
    solution = Solution(r[mine], u[mine], bodies, None if mine.all() else r[~mine])
    if result.converged:
        write_fclib(path, problem, solution=solution)
    else:
        write_fclib(path, problem, guesses=[solution])
    print(f"\n{'Solution' if result.converged else 'Not a solution, written as a guess'}: {path}")


# ------------------------------------------------------------------------------------------------------------------ words


def headline(file: str, problem: Problem) -> str:
    """What the file holds."""
    contacts = int((problem.sets.sizes[:, 0] > 0).sum())
    rows = problem.blocks - contacts
    form = "global form" if problem.operator.is_factored else "local form"
    parts = [f"{contacts} contacts", f"{rows} equations" if rows else "", f"{problem.size} multipliers", form]
    return f"{'file':16}{Path(file).name}: {', '.join(part for part in parts if part)}"


def describe(result: Result, first: float) -> str:
    """A result, one fact a line; ``first`` is the time of the first call, which loads compiled code."""
    from pluecker.contact.convergence import duration

    lines = [("law", result.law), ("method", result.method), ("status", result.status)]
    if result.message:
        lines.append(("", result.message))
    for field in fields(result.errors):
        value = f"{getattr(result.errors, field.name):.2e}"
        note = f"   tolerance {result.tolerance:.0e}" if field.name == "natural_map" else ""
        lines.append((field.name.replace("_", " "), value + note))
    lines += [(name, str(getattr(result, name))) for name in ("iterations", "products", "islands")]
    loading = f", the first call {duration(first)}" if first > result.time else ""
    lines.append(("time", duration(result.time) + loading))
    for number, stage in enumerate(result.stages):
        text = f"{stage.method:18}{stage.iterations:7} iterations{duration(stage.time):>12}   error {stage.error:.1e}"
        lines.append(("" if number else "stages", text))
    return "\n".join(f"{name:16}{text}".rstrip() for name, text in lines)


def table(results: dict[str, Result]) -> str:
    """A line for each method, the fastest first."""
    from pluecker.contact.convergence import duration

    rows = [f"{'method':18}{'iterations':>10}{'time':>12}{'natural map':>14}   status"]
    for name, result in sorted(results.items(), key=lambda item: (not item[1].converged, item[1].time)):
        error, time = f"{result.errors.natural_map:.1e}", duration(result.time)
        rows.append(f"{name:18}{result.iterations:10}{time:>12}{error:>14}   {result.status}")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
