"""The command ``pluecker``: the main jobs without a line of Python.

Exit codes: 0 done; 1 the computation failed (a singular inertia, a motion that cannot be followed, too little memory);
2 wrong arguments, or a file that cannot be used; 130 interrupted. Every error is one line.

What is written is checked before anything is computed, see :mod:`~pluecker.articulated.app.outputs`. Characters that the
terminal cannot show become others.

Packages that build on this one add commands of their own: ``main(arguments, extra)``.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.app.simulate_command import Loading, add_simulate
from pluecker.articulated.app.streams import forgiving_streams, give_up_output
from pluecker.articulated.app.view_command import add_view
from pluecker.articulated.errors import ModelError, SimulationError, SingularInertiaError
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.curves import plot_trajectory
from pluecker.articulated.pictures.figures import FIGURES, need_figures, new_figure, save
from pluecker.articulated.robots import SEVEN_JOINT_ARM, find_robot
from pluecker.articulated.running.algorithm import COMPILED
from pluecker.articulated.running.batch import compiled_describe
from pluecker.articulated.simulation.intervals import follow_intervals
from pluecker.articulated.simulation.smooth import follow
from pluecker.articulated.simulation.trajectory import Trajectory, TrajectoryError
from pluecker.articulated.simulation.trajectory_files import TABLES, read_trajectory, write_trajectory
from pluecker.articulated.warmup import TOPICS, compile_here
from pluecker.spatial.ahead import AheadError, Topic, as_topics, compile_elsewhere, described
from pluecker.spatial.errors import ArgumentValueError, PlueckerError
from pluecker.spatial.extras import progress_bar

__all__ = ["fail", "main", "run_warmup"]

Array = NDArray[np.float64]
Part = tuple[Mapping[str, Topic], Callable[[str], None]]  # topics, and what compiles one of them
ROBOTS: Part = TOPICS, compile_here
BLOCK = 4096  # samples computed at a time, so that the progress bar moves
MOST_SAMPLES = 100_000  # of a demonstration: with 40 coordinates its arrays take half a gigabyte
LONGEST = 1000  # characters of an error
ARM = "seven_joint_arm"
PICTURE = "demo.png"


class ComputationError(ArgumentValueError):
    """A sample of a file that has no result."""


def main(arguments: list[str] | None = None, extra: Callable[[Any], None] | None = None) -> int:
    """Run one command; returns the exit code.

    ``extra`` gets what ``add_subparsers`` returns and adds commands; each sets ``run``, a function of the options that
    returns the exit code.
    """
    with forgiving_streams():
        try:
            return run(arguments, extra)
        except (AheadError, SingularInertiaError, SimulationError, ComputationError) as error:
            return fail(1, error)
        except PlueckerError as error:
            return fail(2, error)
        except MemoryError as error:
            return fail(1, f"the memory is too small ({error})" if str(error) else "the memory is too small")
        except BrokenPipeError:  # the reader of our output has seen enough
            return 0
        except OSError as error:
            return fail(2, f"{error.filename or 'standard output'}: {error.strerror or error}")
        except KeyboardInterrupt:
            return fail(130, "interrupted")
        finally:
            give_up_output()


def run(arguments: list[str] | None, extra: Callable[[Any], None] | None) -> int:
    """The same, with errors as exceptions, those of standard output among them."""
    try:
        options = make_parser(extra).parse_args(arguments)
    except SystemExit:  # it has helped, or complained
        sys.stdout.flush()
        raise
    code = int(options.run(options))
    sys.stdout.flush()
    return code


def fail(code: int, message: object) -> int:
    """Say in one line what went wrong; returns the exit code."""
    line = " ".join(str(message).split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"
    print(f"pluecker: error: {line}", file=sys.stderr)
    return code


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        sys.exit(fail(2, f"{message}; '{self.prog} --help' says more"))

    def print_help(self, file: Any = None) -> None:
        (file or sys.stdout).write(self.format_help())  # argparse would pass over errors


def make_parser(extra: Callable[[Any], None] | None = None) -> argparse.ArgumentParser:
    robot_help = f"a URDF file, {ARM!r} (the arm that comes with the package), or a name from example-robot-data"
    parser = Parser(prog="pluecker", description="Dynamics of articulated rigid bodies.")
    parser.add_argument("--version", action="version", version=f"pluecker {importlib.metadata.version('pluecker')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    common = Parser(add_help=False)
    common.add_argument("--floating-base", action="store_true", help="let the root link move freely")
    common.add_argument("--accept-inertia", action="store_true", help="accept inertias that no body can have")
    common.add_argument("--independent-mimic", action="store_true", help="let mimic joints move by themselves")
    common.add_argument(
        "--gravity", type=float, nargs=3, default=(0.0, 0.0, -9.81), metavar=("X", "Y", "Z"), help="m/s^2 (0 0 -9.81)"
    )
    files = Parser(add_help=False)
    files.add_argument("-o", "--output", metavar="FILE", help="result, .csv, .npz or .h5 (CSV to standard output)")
    files.add_argument("--plot", metavar="FILE", help="also draw the result: .png, .pdf or .svg")
    files.add_argument("--force", action="store_true", help="replace files that exist")

    demo = commands.add_parser("demo", parents=[common], help="dynamics of an arm, computed, checked, timed and drawn")
    demo.add_argument("--robot", default=ARM, help=f"{robot_help} (default: the arm)")
    demo.add_argument(
        "--samples", type=samples, default=4000, metavar="N", help=f"of the motion, 2 to {MOST_SAMPLES} (4000)"
    )
    demo.add_argument(
        "--plot",
        metavar="FILE",
        default=PICTURE,
        help=f"where the figure goes: .png, .pdf or .svg ({PICTURE}, which is replaced each time)",
    )
    demo.add_argument("--force", action="store_true", help=f"replace FILE if it exists, and is not {PICTURE}")
    demo.set_defaults(run=run_demo)

    info = commands.add_parser("info", parents=[common], help="what a robot consists of")
    info.add_argument("robot", help=robot_help)
    info.set_defaults(run=run_info)

    inverse = commands.add_parser(
        "inverse",
        parents=[common, files],
        help="the joint forces of a motion",
        description=INVERSE,
        formatter_class=RAW,
    )
    inverse.add_argument("robot", help=robot_help)
    inverse.add_argument("trajectory", help="CSV or NPZ file")
    inverse.set_defaults(run=run_inverse)

    forward = commands.add_parser(
        "forward",
        parents=[common, files],
        help="the motion under joint forces",
        description=FORWARD,
        formatter_class=RAW,
    )
    forward.add_argument("robot", help=robot_help)
    forward.add_argument("torques", help="CSV or NPZ file")
    forward.add_argument("--start", metavar="FILE", help="a file whose first sample has q (and v) to start from")
    forward.set_defaults(run=run_forward)

    add_simulate(commands, Loading(common, robot_help, load, robot_file, start))
    add_view(commands, common, robot_help, load, robot_file, check_quaternions)

    warm = commands.add_parser("warmup", help="compile what is needed ahead", description=WARMUP, formatter_class=RAW)
    warm.add_argument("topics", nargs="*", metavar="TOPIC", help="what to compile (what most users call first)")
    warm.add_argument("--all", action="store_true", help="every topic, in some minutes")
    warm.set_defaults(run=run_warmup)
    if extra is not None:
        extra(commands)
    return parser


RAW = argparse.RawDescriptionHelpFormatter

INVERSE = """The joint forces of a motion, by the recursive Newton-Euler algorithm.

The CSV header names joints: a column JOINT (or q:JOINT) for each position, and if known v:JOINT and a:JOINT. Velocities
and accelerations that are missing are found from a 'time' column by splines of degree five. NPZ files hold the arrays
time, q, v, a. 'pluecker info ROBOT' lists the names of the coordinates."""

FORWARD = """The motion under joint forces, by the articulated-body algorithm.

The CSV header names joints: a column JOINT (or tau:JOINT) for each force. With q:JOINT and v:JOINT too, as 'pluecker
inverse' writes them, the acceleration of each sample is computed. With a 'time' column instead, the motion is simulated
from rest in the neutral configuration; with --start, from the state there. Forces are linear between samples; joints with
dry friction stick and slide; position limits are passed over ('pluecker simulate' knows them)."""


WARMUP = f"""Compile ahead what most users call first, or what the topics name; no later call then has to wait for it.

{described(TOPICS)}

Those with a star are compiled if none is named. Compiled code is kept on disk, until the package, Numba or the processor
changes. Each topic is compiled in a process of its own, one after the other. Array functions of pluecker.spatial are
compiled when they are first called."""


def samples(text: str) -> int:
    """How many samples a demonstration has."""
    try:
        count = int(text)
    except ValueError:
        count = 0
    if not 2 <= count <= MOST_SAMPLES:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no number of samples, expected 2 to {MOST_SAMPLES}")
    return count


def robot_file(name: str) -> Path:
    """The file of a robot: that of the name, or of the robot that goes by it."""
    path = Path(name)
    if name == ARM:
        return SEVEN_JOINT_ARM
    if not name:
        raise ModelError(f"the robot's name is empty, expected a URDF file, {ARM!r}, or a name from example-robot-data")
    is_name = "/" not in name.replace("/", "", 1) and path.suffix not in (".urdf", ".xml", ".xacro")
    return find_robot(name) if is_name and not os.path.lexists(name) else path


def load(options: argparse.Namespace) -> Model:
    """The robot that the options name."""
    try:
        return Model.from_urdf(
            robot_file(options.robot),
            floating_base=options.floating_base,
            gravity=options.gravity,
            check_inertia=not options.accept_inertia,
            mimic=not options.independent_mimic,
        )
    except ModelError as error:  # advice in the words of the command
        advice = (
            str(error).replace("check_inertia=False", "--accept-inertia").replace("mimic=False", "--independent-mimic")
        )
        raise ModelError(advice) from None


# --------------------------------------------------------------------------------------------------------------- commands


def run_demo(options: argparse.Namespace) -> int:
    from pluecker.articulated.app.demo import compare_with_pinocchio, demonstrate, draw_demonstration, report

    path = robot_file(options.robot)
    check_outputs([Output(options.plot, "figure", FIGURES, own=options.plot == PICTURE)], [path], options.force)
    need_figures()
    if options.robot != ARM and not options.accept_inertia:
        options = accept_with_note(options)
    model = load(options)
    if model.nv == 0:
        raise ModelError(f"{model.name}: has no joint that moves; try --floating-base")
    print("Computing; the first time, kernels are compiled, which takes some ten seconds ...", file=sys.stderr)
    demo = demonstrate(model, options.samples)
    print(report(demo))
    if options.robot != ARM:
        print("\n" + compare_with_pinocchio(demo, path, options.floating_base))
    save(draw_demonstration(demo), options.plot)
    print(f"\nFigure: {options.plot}")
    return 0


def accept_with_note(options: argparse.Namespace) -> argparse.Namespace:
    """A demonstration goes on with a robot whose file holds an impossible inertia, and says so."""
    try:
        load(options)
    except ModelError as error:
        if "--accept-inertia" not in str(error):
            raise
        print(f"note: {error}\n".replace("mend it, or pass --accept-inertia to take it as it is", "taken as it is"))
        return argparse.Namespace(**{**vars(options), "accept_inertia": True})
    return options


def run_info(options: argparse.Namespace) -> int:
    model = load(options)
    print(model)
    print(f"\nfile    {robot_file(options.robot)}\ngravity {model.gravity.tolist()} m/s^2")
    q_width = max([len(name) for name in model.q_names] + [10])
    print(f"\n{'q':>5}  {'coordinate':{q_width}} {'lower':>10} {'upper':>10}")
    for k, name in enumerate(model.q_names):
        print(f"{k:5}  {name:{q_width}} {model.lower_limit[k]:10.4g} {model.upper_limit[k]:10.4g}")
    columns = ("velocity_limit", "effort_limit", "armature", "damping", "friction", "stiffness")
    v_width = max([len(name) for name in model.v_names] + [10])
    print(f"\n{'v':>5}  {'coordinate':{v_width}} " + " ".join(f"{name:>14}" for name in columns))
    for k, name in enumerate(model.v_names):
        print(f"{k:5}  {name:{v_width}} " + " ".join(f"{getattr(model, column)[k]:14.4g}" for column in columns))
    return 0


def run_inverse(options: argparse.Namespace) -> int:
    check_files(options, options.trajectory)
    model = load(options)
    given = read_trajectory(options.trajectory, model, bare="q")
    if given.q is None:
        raise TrajectoryError(f"{options.trajectory}: has no positions; name the columns after joints, or q:JOINT")
    check_quaternions(model, options.trajectory, given)
    try:
        full = given.with_derivatives(model)
    except TrajectoryError as error:
        raise TrajectoryError(f"{options.trajectory}: {error}") from None
    try:
        tau = of_each_sample(rnea, model, options.trajectory, full.q, full.v, full.a)
    except ComputationError as error:
        if given.v is not None and given.a is not None:
            raise
        splined, name = (given.q, "position") if given.v is None else (given.v, "velocity")
        largest = 1 + int(np.argmax(np.abs(splined).max(axis=1, initial=0.0)))
        raise ComputationError(
            f"{error}; its derivatives are a spline's; the largest {name} is in sample {largest}"
        ) from None
    finish(options, model, Trajectory(full.time, full.q, full.v, full.a, tau), "joint forces of a motion")
    return 0


def run_forward(options: argparse.Namespace) -> int:
    check_files(options, options.torques, *([] if options.start is None else [options.start]))
    model = load(options)
    given = read_trajectory(options.torques, model, bare="tau")
    if given.tau is None:
        raise TrajectoryError(f"{options.torques}: has no torques; name the columns after joints, or tau:JOINT")
    check_quaternions(model, options.torques, given)
    if given.q is not None and given.v is not None and options.start is None:
        a = of_each_sample(aba, model, options.torques, given.q, given.v, given.tau)
        result = Trajectory(given.time, given.q, given.v, a, given.tau)
    elif given.time is None:
        raise TrajectoryError(f"{options.torques}: needs q: and v: columns for accelerations, or time for a simulation")
    else:
        q, v = start(options, model, given)
        bar: Any = functools.partial(progress_bar, unit="sample")
        if model.friction.any():
            result = follow_intervals(model, q, v, given.time, given.tau, progress=bar)
        else:
            result = follow(model, q, v, given.time, given.tau, progress=bar)
    finish(options, model, result, "motion under joint forces")
    return 0


def check_files(options: argparse.Namespace, *inputs: str) -> None:
    """Refuse outputs that cannot be written, or must not be, before anything is computed."""
    outputs = [] if options.output is None else [Output(options.output, "table", TABLES)]
    if options.plot is not None:
        outputs.append(Output(options.plot, "figure", FIGURES))
        need_figures()
    check_outputs(outputs, [robot_file(options.robot), *inputs], options.force)


def of_each_sample(algorithm: Callable[..., Array], model: Model, path: str, *inputs: Any) -> Array:
    """The results of an algorithm, ``(n, nv)``; where there is none, the error names the sample of the file.

    Raises:
        ComputationError: the first sample that has no result, and why.
    """
    found = np.empty((len(inputs[0]), model.nv))
    for first in progress_bar(range(0, len(found), BLOCK), unit="block"):
        block = slice(first, first + BLOCK)
        rows = [np.ascontiguousarray(values[block]) for values in inputs]
        try:
            algorithm(model, *rows, out=found[block])
            good = bool(np.isfinite(found[block]).all())
        except PlueckerError:
            good = False
        for k in () if good else range(len(rows[0])):
            try:
                result = algorithm(model, *(values[k] for values in rows))
            except PlueckerError as error:
                raise ComputationError(f"{path}: sample {first + k + 1}: {error}") from None
            if not np.isfinite(result).all():
                raise ComputationError(f"{path}: sample {first + k + 1}: the result overflows float64")
    return found


def start(options: argparse.Namespace, model: Model, given: Trajectory) -> tuple[Array, Array]:
    """The state to simulate from."""
    if options.start is not None:
        given = read_trajectory(options.start, model, bare="q")
        check_quaternions(model, options.start, given)
        if given.q is None:
            raise TrajectoryError(f"{options.start}: has no positions to start from")
    q = neutral(model) if given.q is None else given.q[0]
    return q, np.zeros(model.nv) if given.v is None else given.v[0]


def check_quaternions(model: Model, path: str, given: Trajectory) -> None:
    for joint, where in model.quaternion_slices().items():
        if given.q is not None:
            with np.errstate(over="ignore"):
                length = np.linalg.norm(given.q[:, where], axis=1)
            bad = np.abs(length - 1.0) > 1e-6
            if bad.any():
                k = int(np.argmax(bad))
                raise TrajectoryError(
                    f"{path}: sample {k + 1}: the quaternion of {joint!r} has length {length[k]:.9g}, not 1"
                )


def finish(options: argparse.Namespace, model: Model, result: Trajectory, what: str) -> None:
    """Write the result, and draw it if asked for."""
    write_trajectory(options.output, model, result)
    if options.plot is not None:
        figure = plot_trajectory(model, result, title=f"{model.name}: {what}", figure=new_figure())
        save(figure, options.plot)


def run_warmup(options: argparse.Namespace, parts: Sequence[Part] = (ROBOTS,)) -> int:
    """Compile topics ahead, each in a process of its own, and say how long each took and where compiled code is kept."""
    topics = {name: (topic, compile_named) for known, compile_named in parts for name, topic in known.items()}
    usual = [name for name, (topic, _) in topics.items() if topic.usual]
    if options.all and options.topics:
        raise ArgumentValueError("warmup: --all means every topic; give either names or --all")
    known = {name: topic for name, (topic, _) in topics.items()}
    names = tuple(topics) if options.all else as_topics("warmup", options.topics or usual, known)
    describe: Any = compiled_describe()
    where = describe.stats.cache_path if COMPILED else None
    if not where:
        print("nothing is compiled: no folder can be written where it is kept, or compilation is switched off")
        return 0
    for name in names:
        start = time.perf_counter()
        topic, compile_named = topics[name]
        compile_elsewhere(compile_named, name)
        print(f"{name:14}{topic.what}: compiled in {time.perf_counter() - start:.1f} s", flush=True)
    left = [name for name in topics if name not in names]
    print(f"kept in {where}")
    if left:
        print(f"not compiled ahead: {', '.join(left)}; name them, or pass --all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
