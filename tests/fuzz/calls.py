"""From a seed to a call."""

from __future__ import annotations

import warnings

from tests.fuzz import algorithms, elements, friction, models, pictures, shapes, spatial, typed, worlds
from tests.fuzz.judge import Call
from tests.fuzz.values import Dice

AREAS = {
    "spatial": (spatial.draw, 45),
    "algorithms": (algorithms.draw, 30),
    "elements": (elements.draw, 8),
    "models": (models.draw, 10),
    "friction": (friction.draw, 12),
    "worlds": (worlds.draw, 8),
    "shapes": (shapes.draw, 8),
    "pictures": (pictures.draw, 1),
    "typed": (typed.draw, 8),
}
LOTS = tuple(name for name, (_, weight) in AREAS.items() for _ in range(weight))


def make(seed: int, area: str | None = None) -> Call:
    """The call of a seed, from all areas or one."""
    dice = Dice(seed)
    name = dice.among(LOTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the matrices that NumPy would rather not make
        return AREAS[area or name][0](dice)
