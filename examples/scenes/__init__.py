"""Scenes of contact with known answers: each makes a world, says what theory expects, and what came out.

A scene is a file of a room of this folder with a function ``run``, whose arguments are its parameters, and which returns an
:class:`~pluecker.examples.scenes.outcome.Outcome`. Those of ``SCENES`` are what ``pluecker contact`` shows.
"""

from __future__ import annotations

import importlib
from typing import Any

from pluecker.articulated.simulation.follow_motion import whole
from pluecker.examples.scenes.outcome import Outcome
from pluecker.spatial.errors import UnknownNameError, shown

__all__ = ["SCENES", "run_scene"]

SCENES = {
    "incline": "a box on a slope: at which angle it begins to slide, and how fast",
    "slide": "a box that slides to a stop",
    "rolling": "a ball on a slope: it rolls, or slips where friction is too small",
    "bowling": "a ball thrown without spin slides, and then rolls",
    "bounce": "a ball that bounces, and loses height each time",
    "ladder": "a ladder against a smooth wall, and the friction that it takes",
    "tipping": "a tall box on a slope tips over, or slides",
    "capstan": "a rope around a post, and how much it holds",
    "cradle": "Newton's cradle, with gaps and without",
    "conveyor": "a box is put on a belt that runs",
    "grasp": "a gripper holds a box by friction, and lets go slowly",
    "painleve": "a rod that slides on its tip jams",
    "stack": "twenty boxes, the heaviest on top",
    "arch": "a round arch of stones, and the thickness at which it falls",
    "puck": "pucks in all directions: cones, and polygons that drift",
    "launch": "a cube that slides takes off, by the convex law",
    "pile": "balls and boxes fall into a bin and come to rest",
    "ragdoll": "a limp figure falls down",
    "quadruped": "four legs stand, and walk",
    "push": "an arm pushes a box over a table",
    "cards": "two cards lean against each other",
    "resistance": "balls with rolling and spinning resistance",
}
ROOMS = {
    "friction": ("incline", "slide", "capstan", "conveyor", "painleve", "puck", "launch"),
    "standing": ("ladder", "tipping", "cards", "stack", "arch", "pile"),
    "balls": ("rolling", "bowling", "resistance", "bounce", "cradle"),
    "mechanisms": ("grasp", "push", "ragdoll", "quadruped"),
}


def run_scene(name: str, **parameters: Any) -> Outcome:
    """Run one of the scenes, by its name.

    Raises:
        UnknownNameError: there is none of that name.
        KeyboardInterrupt: Ctrl-C; what theory expects of a part is not known.
    """
    if not isinstance(name, str) or name not in SCENES:
        raise UnknownNameError(f"there is no scene {shown(name)}; there are {', '.join(SCENES)}")
    room = next(room for room, names in ROOMS.items() if name in names)
    found: Outcome = whole(importlib.import_module(f"{__name__}.{room}.{name}").run, **parameters)
    return found
