"""``pluecker view``: a robot, or a motion of it, in the browser."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pluecker.articulated.app.cli import check_quaternions, load, robot_file
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.pictures.viewer import PAGES, need_viewer, view
from pluecker.articulated.trajectory.trajectory import TrajectoryError, read_trajectory
from pluecker.interruptions import catch_interruptions

__all__ = ["run_view"]


def run_view(options: argparse.Namespace) -> int:
    """Show the robot until Ctrl-C, or write the file; returns the exit code."""
    need_viewer()
    catch_interruptions()
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
