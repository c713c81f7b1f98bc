"""``pluecker contact``: scenes of contact, with the results of theory and of the simulation."""

from __future__ import annotations

import argparse
import sys
import textwrap

from pluecker.articulated.app.outputs import Output, check_outputs
from pluecker.articulated.errors import ModelError
from pluecker.articulated.pictures.animation import ANIMATIONS, animate, check_animation
from pluecker.articulated.pictures.figures import FIGURES, need_figures, save
from pluecker.articulated.trajectory.files import TABLES, write_trajectory
from pluecker.examples.scenes import SCENES, run_scene
from pluecker.interruptions import catch_interruptions

__all__ = ["describe_contact", "run_contact"]

DESCRIPTION = """A scene of contact whose answer is known: simulated, and compared with theory.

{scenes}

Exit code 1 where something is not as theory expects."""
FIRST_TIME = "compiling, once: half a minute ('pluecker warmup worlds' compiles most of it ahead)"


def describe_contact() -> str:
    """Return the text of ``pluecker contact --help``."""
    width = max(map(len, SCENES))
    return DESCRIPTION.format(scenes="\n".join(f"{name:{width}}  {words}" for name, words in SCENES.items()))


def run_contact(options: argparse.Namespace) -> int:
    """Simulate, compare, draw; returns the exit code."""
    outputs = []
    for name, what, endings in (
        ("plot", "figure", FIGURES),
        ("animate", "animation", ANIMATIONS),
        ("output", "table", TABLES),
    ):
        path = getattr(options, name)
        if path is not None:
            outputs.append(Output(path, what, endings))
    if options.scene != "all" and options.scene not in SCENES:
        raise ModelError(f"there is no scene {options.scene!r}; there are {', '.join(SCENES)}, and all")
    if options.scene == "all" and outputs:
        raise ModelError(f"{outputs[0].path}: one {outputs[0].what} shows one scene, and not all of them")
    check_outputs(outputs, [], options.force)
    if options.plot is not None or options.animate is not None:
        need_figures()
    if options.animate is not None:
        check_animation("contact", options.animate)
    names = tuple(SCENES) if options.scene == "all" else (options.scene,)
    return max([show(name, options) for name in names])


def show(name: str, options: argparse.Namespace) -> int:
    """Run one scene, print its claims, and write the files that are asked for; return 0 if all claims hold, else 1."""
    from pluecker.contact.app.waiting import Wait

    with Wait(lambda: print(FIRST_TIME, file=sys.stderr, flush=True)):
        outcome = run_scene(name)
    print(f"{outcome.title}\n\n{textwrap.fill(outcome.story, 100)}\n", flush=True)
    for claim in outcome.claims:
        print(f"{'holds' if claim.holds else 'FAILS'}  {claim}")
    print(flush=True)
    motion = outcome.motion
    assert motion.model is not None
    catch_interruptions()
    if options.plot is not None:
        from pluecker.examples.scenes.figure import draw_outcome

        save(draw_outcome(outcome), options.plot)
    if options.animate is not None:
        animate(
            motion.model, motion, options.animate, title=outcome.title, camera=outcome.camera, speed=outcome.speed,
            joint_axes=False, center_of_mass=False,
        )  # fmt: skip
    if options.output is not None:
        write_trajectory(options.output, motion.model, motion)
    return 0 if outcome.holds else 1
