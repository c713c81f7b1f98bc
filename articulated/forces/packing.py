"""Memory layout of elements: one flat array, a record for each element, integers by their 64 bits.

=========  ===========================================================================================================
record     contents
=========  ===========================================================================================================
all        what kind it is, how many numbers it has
line       number of points, whether it only pulls, stiffness, rest length, damping; of each point its link and place
torsion    its two links, stiffness, damping, and the rotations from their axes to those that agree at rest
wrench     its link, whether it turns with it, the point, moment and force
=========  ===========================================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.forces.elements import ELEMENTS, Cable, Element, PointSpring, PointWrench, TorsionSpring
from pluecker.articulated.model.layout import BODY
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import listing
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load_integer
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, shown

__all__ = [
    "DAMPING", "FIRST", "FIRST_AXES", "LINE", "LINEAR", "LINK", "MOMENT", "ONLY_PULLS", "POINT", "POINTS", "REST", "SECOND",
    "SECOND_AXES", "STIFFNESS", "TORSION", "TURNS", "VIA", "VIA_POINT", "WRENCH", "as_elements", "element_count",
    "first_element", "is_world", "kind", "next_element", "pack_elements", "world_names",
]  # fmt: skip

# kinds; LINEAR is a spring without rest length and damping, whose force needs no direction
LINEAR, LINE, TORSION, WRENCH = range(4)
KIND, SIZE = 0, 1
POINTS, ONLY_PULLS, STIFFNESS, REST, DAMPING, VIA, VIA_POINT = 2, 3, 4, 5, 6, 7, 4
FIRST, SECOND, FIRST_AXES, SECOND_AXES = 2, 3, 7, 16  # stiffness and damping as above
LINK, TURNS, POINT, MOMENT = 2, 3, 4, 7
WORLD = "world"


@kernel
def element_count(c):
    """Return how many elements there are."""
    return load_integer(c, 0)


@kernel
def first_element(c):
    """Return the index at which the first record begins."""
    return 1


@kernel
def next_element(c, r):
    """Return the index at which the record behind record ``r`` begins."""
    return r + load_integer(c, r + SIZE)


@kernel
def kind(c, r):
    """Return the kind of the element of record ``r``: LINEAR, LINE, TORSION or WRENCH."""
    return load_integer(c, r + KIND)


def as_elements(name: str, elements: Any) -> tuple[Element, ...]:
    """Return one element or several as a tuple, checked."""
    expected = ", ".join(each.__name__ for each in ELEMENTS)
    if isinstance(elements, ELEMENTS):
        return (elements,)
    try:
        chosen = tuple(elements)
    except TypeError:
        raise ArgumentTypeError(
            f"{name}: elements is a {type(elements).__name__}, expected records: {expected}"
        ) from None
    for k, element in enumerate(chosen):
        if not isinstance(element, ELEMENTS):
            raise ArgumentTypeError(f"{name}: element {k} is a {type(element).__name__}, expected one of {expected}")
    return chosen


def pack_elements(model: Model, elements: tuple[Element, ...]) -> Array:
    """Pack elements into one array, the constants of an algorithm."""
    links = np.zeros(model.n_bodies + 1, dtype=np.int64)  # of each body; of the world, number -1, in the last place
    moving = np.flatnonzero(model.links[1:, BODY] >= 0) + 1
    links[model.links[moving, BODY].astype(np.int64)] = moving
    parts = [integers(len(elements))]
    for k, element in enumerate(elements):
        try:
            packed = PACK[type(element)](model, links, element)
        except PlueckerError as error:
            raise type(error)(f"element {k} ({type(element).__name__}): {error}") from None
        packed[SIZE : SIZE + 1] = integers(len(packed))
        parts.append(packed)
    return np.concatenate(parts)


def integers(*values: int) -> Array:
    """Return whole numbers as floats of the same 64 bits."""
    return np.array(values, dtype=np.int64).view(np.float64)


def placed(model: Model, links: NDArray[np.int64], frame: str) -> tuple[int, Array]:
    """Return the link that a frame is on, and its placement there."""
    if is_world(model, frame):
        return 0, np.eye(4)
    bodies, placements = model.frame_offsets([frame])
    return int(links[bodies[0]]), placements[0]


def world_names(model: Model) -> set[str]:
    """Return ``world`` and the parents of all joints: one of these that is no frame of the model is the world's name."""
    return {WORLD} | {joint.parent for joint in model.joints}


def is_world(model: Model, name: str) -> bool:
    """Return whether a name is that of the world, and of no frame of the model.

    Raises:
        ModelError: it is ``"world"``, of which most readers think that it stands still, and a frame that moves; what stands
            still had to get another name for it, ``"world_"``. Who names the world differently is taken at their word.
    """
    if name not in model.frame_names:
        return name in world_names(model)
    if name == WORLD and model.frame_offsets([name])[0][0] >= 0:
        still = sorted(world_names(model) - set(model.frame_names))
        if any(other.rstrip("_") == WORLD for other in still):
            raise ModelError(
                f"{shown(WORLD)} is a link of model {shown(model.name)} that moves, and what stands still is called "
                f"{listing(still)}; name that, or give the link another name in its file"
            )
    return False


def line(model: Model, links: NDArray[np.int64], element: PointSpring | Cable) -> Array:
    """Pack a spring between points, or a cable."""
    cable = isinstance(element, Cable)
    via: Any = element.via if isinstance(element, Cable) else (element.first, element.second)
    linear = not cable and element.rest_length == element.damping == 0.0
    parts = [integers(LINEAR if linear else LINE, 0, len(via), int(cable))]
    parts.append(np.array([element.stiffness, element.rest_length, element.damping]))
    places = []
    for frame, point in via:
        link, T = placed(model, links, frame)
        places.append((link, tuple(T[:3, :3] @ point + T[:3, 3])))
        parts += [integers(link), np.array(places[-1][1])]
    for k in range(len(via) - 1):
        if not linear and places[k] == places[k + 1]:
            raise ArgumentValueError(
                f"points {k} and {k + 1} are the same point of one body ({shown(via[k][0])}, {shown(via[k + 1][0])}): "
                "no length is between them"
            )
    return np.concatenate(parts)


def torsion(model: Model, links: NDArray[np.int64], element: TorsionSpring) -> Array:
    """Pack a torsion spring; rotations are from link axes to those of ``first`` and, turned as at rest, of ``second``."""
    rest: Any = element.rest_rotation
    first, T1 = placed(model, links, element.first)
    second, T2 = placed(model, links, element.second)
    axes = T1[:3, :3].T.ravel(), (np.reshape(rest, (3, 3)) @ T2[:3, :3].T).ravel()
    head = integers(TORSION, 0, first, second)
    return np.concatenate([head, [element.stiffness, 0.0, element.damping], *axes])


def wrench(model: Model, links: NDArray[np.int64], element: PointWrench) -> Array:
    """Pack a wrench: moment and force in the axes of the link if they turn with it, else in those of the world."""
    link, T = placed(model, links, element.frame)
    turns, values = element.axes == "body", np.array(element.wrench)
    if turns:
        values = (values.reshape(2, 3) @ T[:3, :3].T).ravel()
    point = T[:3, :3] @ np.array(element.point) + T[:3, 3]
    return np.concatenate([integers(WRENCH, 0, link, int(turns)), point, values])


PACK: dict[type, Any] = {PointSpring: line, Cable: line, TorsionSpring: torsion, PointWrench: wrench}
