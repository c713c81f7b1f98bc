"""``pluecker demo``: dynamics of an arm, computed, checked, timed and drawn."""

from __future__ import annotations

import argparse
import sys

from pluecker import command
from pluecker.articulated.app.cli import load, robot_file
from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.errors import ModelError
from pluecker.articulated.pictures.figures import FIGURES, need_figures, save
from pluecker.command import ARM
from pluecker.interruptions import catch_interruptions

__all__ = []


def run_demo(options: argparse.Namespace) -> int:
    from pluecker.examples.demo import compare_with_pinocchio, demonstrate, draw_demonstration, report

    path = robot_file(options.robot)
    check_outputs([Output(options.plot, "figure", FIGURES, own=options.plot == command.DEMO)], [path], options.force)
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
    catch_interruptions()
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
