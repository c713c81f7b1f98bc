"""The command ``pluecker`` with what contact adds to it: ``pluecker friction``, a problem of a file solved and judged, and
``pluecker contact``, scenes with known answers.

Exit codes as of :mod:`~pluecker.articulated.app.cli`: 1 where the tolerance was not reached, with the best that was found
printed; 2 for wrong arguments and for files that hold no problem. All arguments are checked before anything is solved.
What solves is imported when ``friction`` is chosen. ``pluecker warmup`` compiles it too.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pluecker.articulated.app.cli import ROBOTS
from pluecker.articulated.app.cli import main as articulated_main
from pluecker.articulated.app.cli import run_warmup as warmup_of_robots
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.app.simulate_command import free_motion
from pluecker.articulated.pictures.figures import FIGURES, as_label, need_figures
from pluecker.contact.app.contact_command import add_contact
from pluecker.contact.errors import ProblemError
from pluecker.spatial.extras import progress_bar

if TYPE_CHECKING:
    from pluecker.articulated.model.model import Model
    from pluecker.articulated.running.arguments import Array
    from pluecker.contact.problem.problem import Problem
    from pluecker.contact.results.result import Result

__all__ = ["main"]

SOLUTIONS = (".hdf5", ".h5")
PICTURE = "convergence.png"
COMPILING = "compiling, once: up to a minute for each kind of method ('pluecker warmup' compiles all ahead)"

WORDS_OF_TOPICS = """* friction      solve by its own method, small problems and large ones
* worlds        World.step and simulate, without contacts and with, one state
  instants      World.accelerations, impact, rows_at
  methods       solve by every method and law, solve_lcp
  large         solve for islands of hundreds of contacts and more"""  # what solves is not imported to say so

FRICTION = """A friction problem of a file, of FCLIB or of Siconos, solved.

laws      frictionless, lcp (Coulomb's law with a polygon), ccp (convex), ncp (Coulomb's law)
methods   auto, apgd, pgs, psor, barzilai_borwein, admm, newton, interior_point, clarabel (extra cone);
          for the laws lcp and frictionless also lemke, minmap_newton

With --methods or --plot several methods are compared, on one thread. The extra cli (tqdm) brings a progress bar for them,
on a terminal; without it there is none. Calls shorter than a second are made twice, and the faster one is shown, since the
first one loads compiled code."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    return articulated_main(arguments, add_commands)


def add_commands(commands: Any) -> None:
    """The commands ``friction`` and ``contact``."""
    parser = commands.add_parser(
        "friction",
        help="a friction problem of a file, solved",
        description=FRICTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="in FCLIB's layout, .hdf5, or the text of Siconos")
    parser.add_argument("--law", default="ncp", help="the law of contact (ncp)")
    parser.add_argument("--method", default="auto", help="what solves it (auto)")
    parser.add_argument("--tol", type=float, default=1e-6, help="the error to be reached, relative (1e-6)")
    parser.add_argument("--max-iterations", type=int, metavar="N", help="the method's own number unless given")
    parser.add_argument("--directions", type=int, metavar="N", help="sides of the polygon, law lcp (8; in the plane 2)")
    parser.add_argument(
        "--repair", type=float, default=0.0, metavar="PART",
        help="how far a matrix printed with few digits may be moved to be semidefinite, of its largest eigenvalue (0)",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, metavar="N", help="for islands (all cores)")
    parser.add_argument("--form", choices=("local", "global"), help="which form, of a file that has both")
    parser.add_argument(
        "--methods", metavar="A,B,C", help="methods to compare; with --plot alone, the usual ones and METHOD"
    )
    parser.add_argument(
        "--plot",
        nargs="?",
        const=PICTURE,
        metavar="OUT",
        help=f"draw their convergence: .png, .pdf or .svg ({PICTURE}, which is replaced each time)",
    )
    parser.add_argument(
        "--write-solution", metavar="OUT", help="write problem and solution, FCLIB's layout, .hdf5 or .h5"
    )
    parser.add_argument("--force", action="store_true", help=f"replace OUT if it exists, and is not {PICTURE}")
    parser.set_defaults(run=run_friction)
    add_contact(commands)
    warmup = commands.choices["warmup"]
    warmup.set_defaults(run=run_warmup)
    assert warmup.description is not None
    warmup.description = warmup.description.replace("\n\nThose", f"\n{WORDS_OF_TOPICS}\n\nThose", 1)
    simulate = commands.choices["simulate"]
    simulate.add_argument(
        "--constraints",
        metavar="FILE",
        help="loops, limits, motors, shapes that touch, .toml; the start is closed first",
    )
    simulate.set_defaults(mover=constrained_motion)


def constrained_motion(options: argparse.Namespace, model: Model, q: Array, v: Array) -> tuple[Any, Array, Array]:
    """What simulates a robot with constraints, and the nearest state that they allow."""
    if options.constraints is None:
        return free_motion(options, model, q, v)
    from pluecker.contact.world.world import World

    world = World.from_file(options.constraints, model)
    closed = world.close(q, v)
    return world.simulate, closed.configuration, closed.velocity


def run_warmup(options: argparse.Namespace) -> int:
    """Compile what robots need, and what contact needs."""
    from pluecker.contact.app.warmup import TOPICS, compile_here

    return warmup_of_robots(options, [ROBOTS, (TOPICS, compile_here)])


def run_friction(options: argparse.Namespace) -> int:
    """Solve, print, and what else was asked for."""
    from pluecker.contact.app.comparison import check_methods, usual_methods
    from pluecker.contact.app.warmup import Wait, fastest
    from pluecker.contact.solving.methods import check
    from pluecker.contact.solving.solve import solve

    check_files(options)
    problem = load(options)
    chosen = {"tol": options.tol, "max_iterations": options.max_iterations, "directions": options.directions}
    check(
        problem, options.law, options.method, options.tol, options.max_iterations, None, options.threads,
        options.directions, "best",
    )  # fmt: skip
    names = usual_methods(options.law, options.method) if options.plot is not None else ()
    names = names if options.methods is None else names_in(options.methods)
    if names:
        check_methods(problem, names, options.law, options.tol, options.max_iterations, options.directions, 1)
    with Wait(lambda: print(COMPILING, file=sys.stderr, flush=True)):
        result, waited = fastest(lambda: solve(problem, options.law, options.method, threads=options.threads, **chosen))
        print(headline(options.file, problem))
        print(describe(result, waited), flush=True)
        if names:
            compare(options, problem, names, chosen)
    if options.write_solution is not None:
        write(options, problem, result)
    return 0 if result.converged else 1


def names_in(text: str) -> tuple[str, ...]:
    """The methods of ``--methods``."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise ProblemError(f"--methods is {text!r}, expected different names with commas between them")
    return names


def check_files(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be written, or must not be, before there is anything to write."""
    outputs = []
    if options.plot is not None:
        outputs.append(Output(options.plot, "figure", FIGURES, own=options.plot == PICTURE))
        need_figures()
    if options.write_solution is not None:
        outputs.append(Output(options.write_solution, "solution", SOLUTIONS))
    check_outputs(outputs, [options.file], options.force)


def load(options: argparse.Namespace) -> Problem:
    """The problem of the file; warnings become notes of one line."""
    from pluecker.contact.files.siconos import read_problem

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = read_problem(options.file, form=options.form, repair=options.repair)
    for warning in caught:
        print(f"note: {options.file}: {warning.message}", file=sys.stderr)
    return problem


def compare(options: argparse.Namespace, problem: Problem, names: Sequence[str], chosen: dict[str, Any]) -> None:
    """Several methods: a table, and a figure where one was asked for."""
    from pluecker.articulated.pictures.figures import save
    from pluecker.contact.app.comparison import compare_methods
    from pluecker.contact.app.convergence import counted, plot_convergence

    def progress(methods: Sequence[str]) -> Iterable[str]:
        return progress_bar(methods, unit="method")

    given: dict[str, Any] = {"law": options.law, "progress": progress, **chosen}
    if options.plot is None:
        results = compare_methods(problem, methods=names, **given)
    else:
        title = f"{as_label(Path(options.file).name)}: {counted(problem)}, law {options.law}"
        figure, results = plot_convergence(problem, methods=names, title=title, **given)
        save(figure, options.plot)
    print("\n" + table(results))
    if options.plot is not None:
        print(f"\nFigure: {options.plot}")


def write(options: argparse.Namespace, problem: Problem, result: Result) -> None:
    """A file with the problem, and its solution; one that did not converge is written as a guess."""
    from pluecker.contact.files.fclib import write_fclib

    given: dict[str, Any] = {"solution": result} if result.converged else {"guesses": [result]}
    write_fclib(options.write_solution, problem, replace=options.force, **given)
    print(f"\n{'Solution' if result.converged else 'Not a solution, written as a guess'}: {options.write_solution}")


# ------------------------------------------------------------------------------------------------------------------ words


def headline(file: str, problem: Problem) -> str:
    """What the file holds."""
    contacts = int((problem.sets.sizes[:, 0] > 0).sum())
    rows = problem.blocks - contacts
    form = "global form" if problem.operator.is_factored else "local form"
    parts = [f"{contacts} contacts", f"{rows} equations" if rows else "", f"{problem.size} multipliers", form]
    line = f"{'file':16}{Path(file).name}: {', '.join(part for part in parts if part)}"
    if problem.moved > 0.0:
        part = problem.moved / float(np.abs(problem.matrix().data).max())
        line += (
            f"\n{'repaired':16}W was moved by {problem.moved:.2e} to be semidefinite, {part:.1e} of its largest entry"
        )
    return line


def describe(result: Result, waited: float) -> str:
    """A result, one fact a line; ``waited`` are the seconds for compiled code, of the first call."""
    from pluecker.contact.app.comparison import duration
    from pluecker.contact.results.states import CONTACT_STATES

    lines = [("law", result.law), ("method", result.method), ("status", result.status)]
    if result.message:
        lines.append(("", result.message))
    for field in fields(result.errors):
        unit = " m/s" if field.name in ("velocity", "speed") else ""
        value = f"{getattr(result.errors, field.name):.2e}{unit}"
        note = f"   tolerance {result.tol:.0e}" if field.name == "natural_map" else ""
        note = f"   tolerance {result.tol * result.errors.speed:.0e} m/s" if field.name == "velocity" else note
        lines.append((field.name.replace("_", " "), value + note))
    states = result.contact_states().tolist()
    count = ", ".join(f"{states.count(state)} {state}" for state in CONTACT_STATES if state in states)
    lines.append(("contacts", f"{count or 'none'}   tolerance {result.state_tol:.0e}"))
    lines += [(name, str(getattr(result, name))) for name in ("iterations", "products", "islands")]
    loading = f", at first {duration(waited)} more for compiled code" if waited > result.time else ""
    lines.append(("time", duration(result.time) + loading))
    for number, stage in enumerate(result.stages):
        text = f"{stage.method:18}{stage.iterations:7} iterations{duration(stage.time):>12}   error {stage.error:.1e}"
        lines.append(("" if number else "stages", text))
    return "\n".join(f"{name:16}{text}".rstrip() for name, text in lines)


def table(results: dict[str, Result]) -> str:
    """A line for each method, the fastest first, and what their messages say."""
    from pluecker.contact.app.comparison import duration

    rows = ["Compared on one thread:", f"{'method':18}{'iterations':>10}{'time':>12}{'error':>14}   status"]
    ranked = sorted(results.items(), key=lambda item: (not item[1].converged, item[1].time))
    for name, result in ranked:
        error, time = f"{result.errors.largest:.1e}", duration(result.time)
        rows.append(f"{name:18}{result.iterations:10}{time:>12}{error:>14}   {result.status}")
    rows += [f"{name}: {result.message}" for name, result in ranked if result.message]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
