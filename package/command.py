"""The command line of ``pluecker``: what it takes, what it helps with, and how it ends.

Nothing is imported here but Python's own: help, the version and wrong arguments do not wait for Numba. What a command does
is imported once its arguments are known; it is named as a module and a function of the options that returns the exit code.

Exit codes: 0 done; 1 the computation failed (a singular inertia, a motion that cannot be followed, too little memory);
2 wrong arguments, or a file that cannot be used; 130 interrupted. Every error is one line. Characters that the terminal
cannot show become others.
"""

from __future__ import annotations

import argparse
import importlib
import math
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from pluecker.streams import forgiving_streams, give_up_output

__all__ = ["ARM", "CONVERGENCE", "DEMO", "main", "named"]

ARM = "seven_joint_arm"
DEMO, CONVERGENCE = "demo.png", "convergence.png"  # figures that are replaced each time
MOST_SAMPLES = 100_000  # of a demonstration: with 40 coordinates its arrays take half a gigabyte
LARGEST_COUNT = 10**9  # of what is counted: beyond all that can be waited for
ABOVE_0 = "finite number above 0"
NEGATIVE = re.compile(r"-(\.?\d.*|inf(inity)?|nan)$", re.IGNORECASE)  # what follows an option as its number
LONGEST = 1000  # characters of an error
INTEGRATORS = (
    "bdf1", "bdf2", "dop853", "dormand_prince", "euler", "euler_infinitesimal", "linearly_implicit", "redmax", "rk4",
    "semi_implicit", "variational",
)  # fmt: skip
OUTSIDE = ("raise", "allow", "clip")
ROBOTS, CONTACT, EXAMPLES = "pluecker.articulated.app", "pluecker.contact.app", "pluecker.examples"

INFO = """Without a robot: versions, processor, folders and extras of this installation, for reports of issues.

With one: its tree, and limits and constants of its coordinates, by name and number."""

INVERSE = """The joint forces of a motion, by the recursive Newton-Euler algorithm.

The CSV header names joints: a column JOINT (or q:JOINT) for each position, and if known v:JOINT and a:JOINT. Velocities
and accelerations that are missing are found from a 'time' column by splines of degree five. NPZ files hold the arrays
time, q, v, a. 'pluecker info ROBOT' lists the names of the coordinates."""

FORWARD = """The motion under joint forces, by the articulated-body algorithm.

The CSV header names joints: a column JOINT (or tau:JOINT) for each force. With q:JOINT and v:JOINT too, as 'pluecker
inverse' writes them, the acceleration of each sample is computed. With a 'time' column instead, the motion is simulated
from rest in the neutral configuration; with --start, from the state there. Forces are linear between samples; joints with
dry friction stick and slide; position limits are passed over ('pluecker simulate' knows them)."""

SIMULATE = """The motion of a robot from rest in the neutral configuration, joints whose limits that
is outside of at the nearer limit, or from the state that --start names.

--control none: no joint forces. --control hold: critically damped servos keep the joints where they are, and carry the
weight of robots on a fixed base. A floating base has no servo: it falls unless there is something to stand on (--ground).
--control FILE: joint forces from a CSV or NPZ file with a 'time' column, as 'pluecker forward' reads it, linear between
samples. Ctrl-C ends the simulation; what was computed is written."""

VIEW = """A robot in the browser, where it can be turned round, and moved by a slider for each coordinate.

With --trajectory, a motion with a line of time: a CSV or NPZ file with positions, as 'pluecker forward' writes it. With
--html, one file in place of the server, which any browser shows without a network. Ctrl-C ends the server."""

FRICTION = """A friction problem of a file, of FCLIB or of Siconos, solved.

laws      frictionless, lcp (Coulomb's law with a polygon), ccp (convex), ncp (Coulomb's law)
methods   auto, apgd, pgs, psor, newton, interior_point;
          for the laws lcp and frictionless also lemke, minmap_newton

With --methods or --plot several methods are compared, on one thread. The extra cli (tqdm) brings a progress bar for them,
on a terminal; without it there is none. Calls shorter than a second are made twice, and the faster one is shown, since the
first one loads compiled code."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command, that of the command line if None is given; returns the exit code."""
    with forgiving_streams():
        try:
            return run(arguments)
        except BrokenPipeError:  # the reader of our output has seen enough
            return 0
        except OSError as error:
            return fail(2, f"{error.filename or 'standard output'}: {error.strerror or error}")
        except MemoryError as error:
            return fail(1, f"the memory is too small ({error})" if str(error) else "the memory is too small")
        except KeyboardInterrupt:
            return fail(130, "interrupted")
        except Exception as error:
            code = exit_code(error)
            if not code:
                raise
            return fail(code, error)
        finally:
            give_up_output()


def run(arguments: list[str] | None) -> int:
    """Run one command as :func:`main` does, but raise errors as exceptions, those of standard output among them."""
    try:
        options = make_parser().parse_args(arguments)
    except SystemExit:  # it has helped, or complained
        sys.stdout.flush()
        raise
    code = int(named(options.run)(options))
    sys.stdout.flush()
    return code


def exit_code(error: Exception) -> int:
    """Return the exit code of an error of the package; zero for others."""
    code: int = named(f"{ROBOTS}.cli:exit_code")(error)
    return code


def fail(code: int, message: object) -> int:
    """Say in one line what went wrong; returns the exit code."""
    line = " ".join(str(message).split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"
    print(f"pluecker: error: {line}", file=sys.stderr)
    return code


def run_info(options: argparse.Namespace) -> int:
    """Run ``pluecker info``: of the robot if there is one, otherwise of the installation."""
    if options.robot is not None:
        code: int = named(f"{ROBOTS}.cli:run_info")(options)
        return code
    of_robots = options.floating_base, options.accept_inertia, options.independent_mimic, type(options.gravity) is list
    if any(of_robots):  # gravity is a tuple unless it is given
        return fail(2, "info: options are of a robot, and none is named")
    named("pluecker.installation:show_config")()
    return 0


def named(place: str) -> Any:
    """Import and return the object that ``"module:function"`` names."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


# ----------------------------------------------------------------------------------------------------------------- arguments


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose description may need imports.

    Args:
        describe: names a function that gives the description, where it is not known without.
    """

    def __init__(self, describe: str | None = None, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.describe = describe
        self._negative_number_matcher = NEGATIVE  # argparse's own takes -1e3 and -inf for options

    def error(self, message: str) -> NoReturn:
        sys.exit(fail(2, f"{message}; '{self.prog} --help' says more"))

    def format_help(self) -> str:
        if self.describe is not None:
            self.description = named(self.describe)()
        return super().format_help()

    def print_help(self, file: Any = None) -> None:
        (file or sys.stdout).write(self.format_help())  # argparse would pass over errors


class Version(argparse.Action):
    """Prints the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        sys.stdout.write(f"pluecker {sys.modules['pluecker'].__version__}\n")
        sys.exit(0)


def count(least: int, most: int, what: str = "whole number") -> Callable[[str], int]:
    """Return a type for argparse that reads a whole number from ``least`` to ``most``; ``what`` names it in errors."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text[:60]!r} is no {what}, expected {least} to {most}")
        return number

    return read


def real(what: str, fits: Callable[[float], bool] = lambda number: True) -> Callable[[str], float]:
    """Make a function that reads a finite number that fits."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and fits(number)):
            raise argparse.ArgumentTypeError(f"{text[:60]!r} is no {what}")
        return number

    return read


def positive(number: float) -> bool:
    """Return whether a number is above 0."""
    return number > 0.0


def make_parser() -> Parser:
    """Make the parser of all commands."""
    robot_help = f"a URDF file, {ARM!r} (the arm that comes with the package), or a name from example-robot-data"
    parser = Parser(prog="pluecker", description="Dynamics of articulated rigid bodies.")
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    common = Parser(add_help=False)
    common.add_argument("--floating-base", action="store_true", help="let the root link move freely")
    common.add_argument("--accept-inertia", action="store_true", help="accept inertias that no body can have")
    common.add_argument("--independent-mimic", action="store_true", help="let mimic joints move by themselves")
    common.add_argument(
        "--gravity",
        type=real("finite number"),
        nargs=3,
        default=(0.0, 0.0, -9.81),
        metavar=("X", "Y", "Z"),
        help="m/s^2 (0 0 -9.81)",
    )
    files = Parser(add_help=False)
    files.add_argument("-o", "--output", metavar="FILE", help="result, .csv, .npz or .h5 (CSV to standard output)")
    files.add_argument("--plot", metavar="FILE", help="also draw the result: .png, .pdf or .svg")
    files.add_argument("--force", action="store_true", help="replace files that exist")

    demo = commands.add_parser("demo", parents=[common], help="dynamics of an arm, computed, checked, timed and drawn")
    demo.add_argument("--robot", default=ARM, help=f"{robot_help} (default: the arm)")
    demo.add_argument(
        "--samples", type=count(2, MOST_SAMPLES, "number of samples"), default=4000, metavar="N",
        help=f"of the motion, 2 to {MOST_SAMPLES} (4000)",
    )  # fmt: skip
    demo.add_argument(
        "--plot",
        metavar="FILE",
        default=DEMO,
        help=f"where the figure goes: .png, .pdf or .svg ({DEMO}, which is replaced each time)",
    )
    demo.add_argument("--force", action="store_true", help=f"replace FILE if it exists, and is not {DEMO}")
    demo.set_defaults(run=f"{EXAMPLES}.demo_command:run_demo")

    info = commands.add_parser(
        "info", parents=[common], help="what a robot consists of, or this installation", description=INFO
    )
    info.add_argument("robot", nargs="?", help=robot_help)
    info.set_defaults(run="pluecker.command:run_info")

    inverse = commands.add_parser(
        "inverse", parents=[common, files], help="the joint forces of a motion", description=INVERSE
    )
    inverse.add_argument("robot", help=robot_help)
    inverse.add_argument("trajectory", help="CSV or NPZ file")
    inverse.set_defaults(run=f"{ROBOTS}.cli:run_inverse")

    forward = commands.add_parser(
        "forward", parents=[common, files], help="the motion under joint forces", description=FORWARD
    )
    forward.add_argument("robot", help=robot_help)
    forward.add_argument("torques", help="CSV or NPZ file")
    forward.add_argument("--start", metavar="FILE", help="a file whose first sample has q (and v) to start from")
    forward.set_defaults(run=f"{ROBOTS}.cli:run_forward")

    simulate = commands.add_parser(
        "simulate", parents=[common], help="the motion of a robot, simulated", description=SIMULATE
    )
    add_simulate(simulate, robot_help)
    add_view(
        commands.add_parser("view", parents=[common], help="a robot or a motion in the browser", description=VIEW),
        robot_help,
    )

    warm = commands.add_parser(
        "warmup", help="compile what is needed ahead", describe="pluecker.compiling:describe_warmup"
    )
    warm.add_argument("topics", nargs="*", metavar="TOPIC", help="what to compile (what most users call first)")
    warm.add_argument("--all", action="store_true", help="every topic, in some minutes")
    warm.set_defaults(run="pluecker.compiling:run_warmup")
    add_friction(commands.add_parser("friction", help="a friction problem of a file, solved", description=FRICTION))
    add_contact(
        commands.add_parser(
            "contact",
            help="scenes of contact, and what theory expects of them",
            describe=f"{EXAMPLES}.contact_command:describe_contact",
        )
    )
    return parser


def add_simulate(parser: Parser, robot_help: str) -> None:
    """Add the arguments of ``pluecker simulate``."""
    parser.add_argument("robot", help=robot_help)
    parser.add_argument(
        "--duration", type=real(ABOVE_0, positive), default=5.0, metavar="S", help="a whole number of steps (5)"
    )
    parser.add_argument(
        "--step", type=real(ABOVE_0, positive), default=1e-3, metavar="S", help="of the integrator (0.001)"
    )
    parser.add_argument(
        "--every", type=count(1, LARGEST_COUNT), default=10, metavar="N", help="steps from one sample to the next (10)"
    )
    parser.add_argument("--control", default="none", metavar="hold|none|FILE", help="what moves the joints (none)")
    parser.add_argument(
        "--integrator", default="semi_implicit", metavar="NAME", help=f"{', '.join(INTEGRATORS)} (semi_implicit)"
    )
    parser.add_argument("--start", metavar="FILE", help="a file whose first sample has q (and v) to start from")
    parser.add_argument(
        "--outside-limits", default="raise", choices=OUTSIDE, help="of a start outside of position limits (raise)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="result, .csv, .npz or .h5 (CSV to standard output)")
    parser.add_argument("--plot", metavar="FILE", help="also draw the result: .png, .pdf or .svg")
    parser.add_argument("--animate", metavar="FILE", help="also show it: .html, .gif or .mp4")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.add_argument(
        "--constraints",
        metavar="FILE",
        help="loops, limits, motors, shapes that touch, .toml; the start is closed first",
    )
    parser.add_argument(
        "--ground",
        action="store_true",
        help="a level plane with friction, which the lowest collision shape of the robot touches at the start",
    )
    parser.set_defaults(run=f"{ROBOTS}.simulate_command:run_simulate", mover=f"{CONTACT}.cli:constrained_motion")


def add_view(parser: Parser, robot_help: str) -> None:
    """Add the arguments of ``pluecker view``."""
    parser.add_argument("robot", help=robot_help)
    parser.add_argument("--trajectory", metavar="FILE", help="a motion to be shown, CSV or NPZ")
    parser.add_argument("--html", metavar="FILE", help="write one .html file that works offline, and show nothing")
    parser.add_argument("--frames", nargs="*", default=[], metavar="NAME", help="frames whose axes are shown at first")
    parser.add_argument("--inertia", action="store_true", help="show ellipsoids of equal inertia at first")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    parser.add_argument(
        "--port", type=count(1, 65535, "port"), default=8080, help="of the server (8080, or the next one that is free)"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.set_defaults(run=f"{ROBOTS}.view_command:run_view")


def add_friction(parser: Parser) -> None:
    """Add the arguments of ``pluecker friction``."""
    parser.add_argument("file", help="in FCLIB's layout, .hdf5, or the text of Siconos")
    parser.add_argument("--law", default="ncp", help="the law of contact (ncp)")
    parser.add_argument("--method", default="auto", help="what solves it (auto)")
    parser.add_argument(
        "--tol", type=real(ABOVE_0, positive), default=1e-6, help="the error to be reached, relative (1e-6)"
    )
    parser.add_argument(
        "--max-iterations", type=count(1, LARGEST_COUNT), metavar="N", help="the method's own number unless given"
    )
    parser.add_argument(
        "--directions",
        type=count(1, LARGEST_COUNT),
        metavar="N",
        help="sides of the polygon, law lcp (8; in the plane 2)",
    )
    parser.add_argument(
        "--repair", type=real("number from 0 on, below 1", lambda part: 0.0 <= part < 1.0), default=0.0, metavar="PART",
        help="how far a matrix printed with few digits may be moved to be semidefinite, of its largest eigenvalue (0)",
    )  # fmt: skip
    parser.add_argument("--threads", type=count(1, LARGEST_COUNT), metavar="N", help="for islands (all cores)")
    parser.add_argument("--form", choices=("local", "global"), help="which form, of a file that has both")
    parser.add_argument(
        "--methods", metavar="A,B,C", help="methods to compare; with --plot alone, the usual ones and METHOD"
    )
    parser.add_argument(
        "--plot",
        nargs="?",
        const=CONVERGENCE,
        metavar="OUT",
        help=f"draw their convergence: .png, .pdf or .svg ({CONVERGENCE}, which is replaced each time)",
    )
    parser.add_argument(
        "--write-solution", metavar="OUT", help="write problem and solution, FCLIB's layout, .hdf5 or .h5"
    )
    parser.add_argument("--force", action="store_true", help=f"replace OUT if it exists, and is not {CONVERGENCE}")
    parser.set_defaults(run=f"{CONTACT}.cli:run_friction")


def add_contact(parser: Parser) -> None:
    """Add the arguments of ``pluecker contact``."""
    parser.add_argument("scene", help="one of those above, or all of them: all")
    parser.add_argument("--plot", metavar="FILE", help="moments, diagrams and the comparison: .png, .pdf or .svg")
    parser.add_argument("--animate", metavar="FILE", help="the motion as a film: .html, .gif or .mp4")
    parser.add_argument("-o", "--output", metavar="FILE", help="the motion, .csv, .npz or .h5")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.set_defaults(run=f"{EXAMPLES}.contact_command:run_contact")
