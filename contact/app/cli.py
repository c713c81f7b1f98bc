"""The command ``pluecker`` with what contact adds to it: ``pluecker friction``, a problem of a file solved and judged, and
``pluecker contact``, scenes with known answers.

Exit codes as of :mod:`~pluecker.articulated.app.cli`: 1 where the tolerance was not reached, with the best that was found
printed; 2 for wrong arguments and for files that hold no problem. All arguments are checked before anything is solved.
What solves is imported when ``friction`` is chosen.
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

from pluecker.articulated.app.cli import robot_file
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.app.simulate_command import free_motion
from pluecker.articulated.errors import ModelError
from pluecker.articulated.pictures.figures import FIGURES, as_label, need_figures
from pluecker.command import CONVERGENCE
from pluecker.contact.errors import ConstraintError, ProblemError
from pluecker.interruptions import catch_interruptions
from pluecker.spatial.extras import progress_bar

if TYPE_CHECKING:
    from pluecker.articulated.model.model import Model
    from pluecker.articulated.running.arguments import Array
    from pluecker.contact.friction.problem.problem import Problem
    from pluecker.contact.friction.results.result import Result
    from pluecker.contact.geometry import Collider

__all__ = ["constrained_motion", "run_friction"]

SOLUTIONS = (".hdf5", ".h5")
COMPILING = "compiling, once: up to a minute for each kind of method ('pluecker warmup' compiles all ahead)"


def constrained_motion(options: argparse.Namespace, model: Model, q: Array, v: Array) -> tuple[Any, Array, Array]:
    """Return the function that simulates a robot with constraints or a ground, and the nearest state that they allow."""
    if options.constraints is None and not options.ground:
        return free_motion(options, model, q, v)
    from pluecker.contact.world.world import World

    world = World(model) if options.constraints is None else World.from_file(options.constraints, model)
    if options.ground and world.found_contacts is not None:
        raise ConstraintError(
            f"{options.constraints}: has shapes, as --ground has; give it a [half_space.ground] with frame = 'world', "
            "and robot = true in [contacts]"
        )
    if options.constraints is not None:
        closed = world.close(q, v)
        q, v = closed.configuration, closed.velocity
    if options.ground:
        world = World(model, world.constraints, shapes=ground_and_robot(robot_file(options.robot), model, q))
    return world.simulate, q, v


def ground_and_robot(file: Path, model: Model, q: Array) -> list[Collider]:
    """Return the collision shapes of a robot, and a plane that the lowest of them touches.

    Raises:
        ModelError: it has none.
    """
    from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
    from pluecker.articulated.model.model import Model
    from pluecker.contact.constraints import Frame
    from pluecker.contact.geometry import Collider, HalfSpace, distance, urdf_colliders

    own = Model.from_urdf(file, check_inertia=False).nq  # there are more with --independent-mimic
    robot = urdf_colliders(file, ignore_overlaps_at=q if len(q) in (own, own + 7) else None)
    if not robot:
        raise ModelError(f"{file}: has no collision shapes, and nothing that could touch a ground")
    heights = []
    for each, T in zip(robot, forward_kinematics(model, q, [each.frame.name for each in robot]), strict=True):
        place = np.eye(4)
        place[:3, :3], place[:3, 3] = each.frame.matrix, each.frame.position
        heights.append(float(distance(HalfSpace(), np.eye(4), each.shape, T @ place).distance))
    return [Collider("ground", HalfSpace(), Frame("world", (0.0, 0.0, min(heights)))), *robot]


def run_friction(options: argparse.Namespace) -> int:
    """Solve the problem of a file, print the result, and write what else the options ask for; return the exit code."""
    from pluecker.contact.app.comparison import check_methods, usual_methods
    from pluecker.contact.app.waiting import Wait, fastest
    from pluecker.contact.friction.solving.methods import Options, check
    from pluecker.contact.friction.solving.solve import solve

    check_files(options)
    problem = load(options)
    chosen = {"tol": options.tol, "max_iterations": options.max_iterations, "directions": options.directions}
    check(Options(options.law, options.method, threads=options.threads, **chosen), problem)
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
    """Split the argument of ``--methods`` into names."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise ProblemError(f"--methods is {text!r}, expected different names with commas between them")
    return names


def check_files(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be written, or must not be, before there is anything to write."""
    outputs = []
    if options.plot is not None:
        outputs.append(Output(options.plot, "figure", FIGURES, own=options.plot == CONVERGENCE))
        need_figures()
    if options.write_solution is not None:
        outputs.append(Output(options.write_solution, "solution", SOLUTIONS))
    check_outputs(outputs, [options.file], options.force)


def load(options: argparse.Namespace) -> Problem:
    """Read the problem of the file; warnings become notes of one line."""
    from pluecker.contact.friction.files.siconos import read_problem

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = read_problem(options.file, form=options.form, repair=options.repair)
    for warning in caught:
        print(f"note: {options.file}: {warning.message}", file=sys.stderr)
    return problem


def compare(options: argparse.Namespace, problem: Problem, names: Sequence[str], chosen: dict[str, Any]) -> None:
    """Compare several methods: print a table, and write a figure if the options ask for one."""
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
        catch_interruptions()
        save(figure, options.plot)
    print("\n" + table(results))
    if options.plot is not None:
        print(f"\nFigure: {options.plot}")


def write(options: argparse.Namespace, problem: Problem, result: Result) -> None:
    """Write a file with the problem and its solution; one that did not converge is written as a guess."""
    from pluecker.contact.friction.files.fclib import write_fclib

    catch_interruptions()
    given: dict[str, Any] = {"solution": result} if result.converged else {"guesses": [result]}
    write_fclib(options.write_solution, problem, replace=options.force, **given)
    print(f"\n{'Solution' if result.converged else 'Not a solution, written as a guess'}: {options.write_solution}")


# ------------------------------------------------------------------------------------------------------------------ words


def headline(file: str, problem: Problem) -> str:
    """Describe the problem of a file in a line, with a second line if it was repaired."""
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
    """Describe a result, one fact a line; ``waited``: seconds that the first call waited for compiled code."""
    from pluecker.contact.app.comparison import duration
    from pluecker.contact.friction.results.states import CONTACT_STATES

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
    """Format a table: a line for each method, the fastest first, then their messages."""
    from pluecker.contact.app.comparison import duration

    rows = ["Compared on one thread:", f"{'method':18}{'iterations':>10}{'time':>12}{'error':>14}   status"]
    ranked = sorted(results.items(), key=lambda item: (not item[1].converged, item[1].time))
    for name, result in ranked:
        error, time = f"{result.errors.largest:.1e}", duration(result.time)
        rows.append(f"{name:18}{result.iterations:10}{time:>12}{error:>14}   {result.status}")
    rows += [f"{name}: {result.message}" for name, result in ranked if result.message]
    return "\n".join(rows)
