"""``pluecker view``: a robot, or a motion of it, in the browser."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.viewer import PAGES, need_viewer, view
from pluecker.articulated.simulation.trajectory import Trajectory, TrajectoryError
from pluecker.articulated.simulation.trajectory_files import read_trajectory

__all__ = ["add_view"]

DESCRIPTION = """A robot in the browser, where it can be turned round, and moved by a slider for each coordinate.

With --trajectory, a motion with a line of time: a CSV or NPZ file with positions, as 'pluecker forward' writes it. With
--html, one file in place of the server, which any browser shows without a network. Ctrl-C ends the server."""


def add_view(
    commands: Any,
    common: argparse.ArgumentParser,
    robot_help: str,
    load: Callable[[argparse.Namespace], Model],
    robot_file: Callable[[str], Path],
    check_quaternions: Callable[[Model, str, Trajectory], None],
) -> None:
    """Add the command to what ``add_subparsers`` returned.

    Args:
        commands: of the parser.
        common: options of all commands that load a robot.
        robot_help: what a robot may be given as.
        load: makes the model that the options ask for.
        robot_file: the file that a robot's name stands for.
        check_quaternions: refuses a file whose quaternions are not of unit length.
    """
    parser = commands.add_parser(
        "view",
        parents=[common],
        help="a robot or a motion in the browser",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robot", help=robot_help)
    parser.add_argument("--trajectory", metavar="FILE", help="a motion to be shown, CSV or NPZ")
    parser.add_argument("--html", metavar="FILE", help="write one .html file that works offline, and show nothing")
    parser.add_argument("--frames", nargs="*", default=[], metavar="NAME", help="frames whose axes are shown at first")
    parser.add_argument("--inertia", action="store_true", help="show ellipsoids of equal inertia at first")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    parser.add_argument("--port", type=int, default=8080, help="of the server (8080, or the next one that is free)")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.set_defaults(run=lambda options: run_view(options, load, robot_file, check_quaternions))


def run_view(
    options: argparse.Namespace,
    load: Callable[[argparse.Namespace], Model],
    robot_file: Callable[[str], Path],
    check_quaternions: Callable[[Model, str, Trajectory], None],
) -> int:
    """Show the robot until Ctrl-C, or write the file; returns the exit code."""
    need_viewer()
    inputs: Sequence[Any] = [robot_file(options.robot), *([] if options.trajectory is None else [options.trajectory])]
    if options.html is not None:
        check_outputs([Output(options.html, "page", PAGES)], inputs, options.force)
    model = load(options)
    motion = None
    if options.trajectory is not None:
        motion = read_trajectory(options.trajectory, model, bare="q")
        if motion.q is None:
            raise TrajectoryError(f"{options.trajectory}: has no positions; name the columns after joints, or q:JOINT")
        check_quaternions(model, options.trajectory, motion)
    shown = {"frames": options.frames, "inertia": options.inertia, "port": options.port}
    if options.html is not None:
        with view(model, motion, path=options.html, browser=False, **shown):
            print(f"Page: {options.html}")
        return 0
    with view(model, motion, browser=not options.no_browser, **shown) as viewer:
        print(f"{model.name} at {viewer.url}; Ctrl-C ends it", flush=True)
        viewer.wait()
    return 0
