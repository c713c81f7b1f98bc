"""Overlays of a drawing: points, arrows and cones, at rest or over time, and lines between bodies.

Contacts are points, their forces arrows, their friction cones; so may be targets, sensors, wind. Each record is a batch of
marks: arrays ``(k, ...)`` that stay, or ``(n, k, ...)`` with one entry for each sample of a trajectory. A mark whose numbers
are NaN in a sample is not there at that time. Lines have their ends on bodies, and move with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.forces.elements import attachment
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers, as_option, naming

__all__ = [
    "COLOURS",
    "Arrows",
    "Cones",
    "Lines",
    "Overlay",
    "Points",
    "as_overlays",
    "marks",
    "overlay_points",
    "present",
    "rgb",
]

Array = NDArray[np.float64]
COLOURS = {
    "red": "#d62728", "green": "#2e8b57", "blue": "#1f5fb4", "orange": "#e07b00", "purple": "#8e44ad", "brown": "#7f3b08",
    "black": "#111111", "grey": "#7f7f7f",
}  # fmt: skip
SHAPES = ("rod", "rope", "spring", "joint")
HEX = re.compile("#[0-9a-fA-F]{6}")


@by_value()
@dataclass(frozen=True, eq=False)
class Points:
    """Points in space.

    Attributes:
        positions: ``(k, 3)`` or ``(n, k, 3)``, in world coordinates; m.
        label: what they are, for the legend.
        color: ``"#rrggbb"``, or one of the names in :data:`COLOURS`: red, green, blue, orange, purple, brown, black, grey.

    Raises:
        TypeError: not arrays of real numbers, or not text.
        ValueError: arrays of other shapes, or with infinities.

    Example:
        >>> Points([[0.3, 0.0, 0.1]], label="target").positions.shape
        (1, 3)
    """

    positions: ArrayLike
    label: str = "points"
    color: str = "red"

    def __post_init__(self) -> None:
        check(self, ("positions",), ())

    def at(self, sample: int) -> Points:
        """Return the marks of one sample, counted from 0. ValueError if there is no such sample."""
        return replace(self, **one_sample(self, sample))

    def __getitem__(self, samples: Any) -> Points:
        """Select the marks of some samples, as a trajectory is sliced; marks at rest stay."""
        return replace(self, **those_of(self, samples))


@by_value()
@dataclass(frozen=True, eq=False)
class Arrows:
    """Vectors at points: forces, velocities, accelerations.

    Attributes:
        positions: where they begin, ``(k, 3)`` or ``(n, k, 3)``, in world coordinates; m.
        vectors: of the same shape, in world axes; in their own unit.
        length: of an arrow whose vector has magnitude 1; m.
        label: what they are, for the legend.
        color: ``"#rrggbb"``, or one of the names in :data:`COLOURS`: red, green, blue, orange, purple, brown, black, grey.

    Raises:
        TypeError: not arrays of real numbers, or not text.
        ValueError: arrays of other shapes, or with infinities; a length that is not above 0.

    Example:
        >>> Arrows([[0, 0, 0]], [[0, 0, 50.0]], length=0.01, label="ground force, 1 cm for 1 N").length
        0.01
    """

    positions: ArrayLike
    vectors: ArrayLike
    length: float = 1.0
    label: str = "arrows"
    color: str = "blue"

    def __post_init__(self) -> None:
        check(self, ("positions", "vectors"), ("length",))

    def at(self, sample: int) -> Arrows:
        """Return the marks of one sample, counted from 0. ValueError if there is no such sample."""
        return replace(self, **one_sample(self, sample))

    def __getitem__(self, samples: Any) -> Arrows:
        """Select the marks of some samples, as a trajectory is sliced; marks at rest stay."""
        return replace(self, **those_of(self, samples))


@by_value()
@dataclass(frozen=True, eq=False)
class Cones:
    """Cones with their tip at a point, as those that contain the forces which friction allows.

    Attributes:
        positions: of the tips, ``(k, 3)`` or ``(n, k, 3)``, in world coordinates; m.
        normals: along the axes, from the tip into the cone, of the same shape and of any length.
        slope: radius over height, the coefficient of a friction cone.
        height: m.
        label: what they are, for the legend.
        color: ``"#rrggbb"``, or one of the names in :data:`COLOURS`: red, green, blue, orange, purple, brown, black, grey.

    Raises:
        TypeError: not arrays of real numbers, or not text.
        ValueError: arrays of other shapes, or with infinities; a slope or a height that is not above 0.

    Example:
        >>> Cones([[0, 0, 0]], [[0, 0, 1]], slope=0.6, label="friction cone").height
        0.1
    """

    positions: ArrayLike
    normals: ArrayLike
    slope: float = 0.5
    height: float = 0.1
    label: str = "cones"
    color: str = "green"

    def __post_init__(self) -> None:
        check(self, ("positions", "normals"), ("slope", "height"))

    def at(self, sample: int) -> Cones:
        """Return the marks of one sample, counted from 0. ValueError if there is no such sample."""
        return replace(self, **one_sample(self, sample))

    def __getitem__(self, samples: Any) -> Cones:
        """Select the marks of some samples, as a trajectory is sliced; marks at rest stay."""
        return replace(self, **those_of(self, samples))


@by_value()
@dataclass(frozen=True, eq=False)
class Lines:
    """Rods, ropes, springs or joints between points of bodies, which move with them.

    Attributes:
        ends: of each line two ends: a frame's name, ``"world"``, or ``(frame, point)``; m.
        shape: ``"rod"``, a straight line; ``"spring"``, a coil; ``"rope"``, a thin line, which hangs and is dashed where its
            ends are nearer to each other than it is long; ``"joint"``, a thin line with a dot at each end.
        lengths: of ropes, ``(k,)``; m. Ropes without are taut.
        label: what they are, for the legend.
        color: ``"#rrggbb"``, or one of the names in :data:`COLOURS`: red, green, blue, orange, purple, brown, black, grey.

    Raises:
        TypeError: not pairs of ends, not real numbers, or not text.
        ValueError: another shape; lengths that are not one finite number for each line.

    Example:
        >>> Lines([("world", ("bob", (0.0, 0.0, 0.1)))], "spring", label="spring").ends
        ((('world', (0.0, 0.0, 0.0)), ('bob', (0.0, 0.0, 0.1))),)
    """

    ends: Iterable[tuple[Any, Any]]
    shape: str = "rod"
    lengths: ArrayLike | None = None
    label: str = "rods"
    color: str = "black"

    def __post_init__(self) -> None:
        with naming("Lines"):
            object.__setattr__(self, "shape", as_option("Lines", "shape", self.shape, SHAPES))
        if isinstance(self.ends, str) or not isinstance(self.ends, Iterable):
            raise ArgumentTypeError(f"Lines: ends is {shown(self.ends)}, expected pairs of ends")
        ends = []
        for k, pair in enumerate(self.ends):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ArgumentTypeError(f"Lines: ends[{k}] is {shown(pair)}, expected two ends")
            ends.append(tuple(attachment("Lines", f"ends[{k}]", end) for end in pair))
        object.__setattr__(self, "ends", tuple(ends))
        if self.lengths is not None:
            lengths = np.array(as_numbers("Lines", "lengths", self.lengths))
            if lengths.shape != (len(ends),) or not np.isfinite(lengths).all():
                raise ArgumentValueError(
                    f"Lines: lengths is {shown(self.lengths)}, expected a finite number for each of {len(ends)} lines"
                )
            lengths.flags.writeable = False
            object.__setattr__(self, "lengths", lengths)
        check_words(self)

    def at(self, sample: int) -> Lines:
        """Return these lines, which go with the bodies."""
        return self

    def __getitem__(self, samples: Any) -> Lines:
        """Return these lines, which all samples share."""
        return self


Overlay = Points | Arrows | Cones | Lines


def arrays_of(overlay: Points | Arrows | Cones) -> tuple[str, ...]:
    """The names of its arrays."""
    if isinstance(overlay, Points):
        return ("positions",)
    return ("positions", "vectors") if isinstance(overlay, Arrows) else ("positions", "normals")


def check(overlay: Any, arrays: tuple[str, ...], lengths: tuple[str, ...]) -> None:
    """Check the fields of an overlay, and replace its arrays by read-only copies: one shape, lengths above 0, strings."""
    kind = type(overlay).__name__
    shapes = {}
    for name in arrays:
        array = np.array(as_numbers(kind, name, getattr(overlay, name)))
        if array.ndim not in (2, 3) or array.shape[-1] != 3:
            raise ArgumentValueError(f"{kind}: {name} has shape {array.shape}, expected (k, 3) or (n, k, 3)")
        if np.isinf(array).any():
            raise ArgumentValueError(f"{kind}: {name} holds an infinity; what is not there is NaN")
        array.flags.writeable = False
        object.__setattr__(overlay, name, array)
        shapes[name] = array.shape
    if len(set(shapes.values())) > 1:
        raise ArgumentValueError(
            f"{kind}: " + ", ".join(f"{name} has shape {shape}" for name, shape in shapes.items()) + "; expected one"
        )
    for name in lengths:
        value = as_numbers(kind, name, getattr(overlay, name))
        if value.shape != () or not 0.0 < value < np.inf:
            raise ArgumentValueError(f"{kind}: {name} is {shown(getattr(overlay, name))}, expected a number above 0")
        object.__setattr__(overlay, name, float(value))
    check_words(overlay)


def check_words(overlay: Any) -> None:
    """The label is text, and the color is one."""
    kind = type(overlay).__name__
    for name in ("label", "color"):
        if not isinstance(getattr(overlay, name), str):
            raise ArgumentTypeError(f"{kind}: {name} is {shown(getattr(overlay, name))}, expected a string")
    if overlay.color not in COLOURS and not HEX.fullmatch(overlay.color):
        raise ArgumentValueError(
            f"{kind}: color is {shown(overlay.color)}, expected '#rrggbb' or one of {', '.join(COLOURS)}"
        )


def those_of(overlay: Points | Arrows | Cones, samples: Any) -> dict[str, Any]:
    """The arrays of some samples, over time as before."""
    arrays = {name: np.asarray(getattr(overlay, name)) for name in arrays_of(overlay)}
    return {name: array[samples] if array.ndim == 3 else array for name, array in arrays.items()}


def one_sample(overlay: Any, sample: int) -> dict[str, Any]:
    """Return the arrays of one sample; those that do not change over time, as they are."""
    kind, found = type(overlay).__name__, dict[str, Any]()
    for name in arrays_of(overlay):
        array = getattr(overlay, name)
        if array.ndim == 3:
            if not isinstance(sample, (int, np.integer)) or not 0 <= sample < len(array):
                raise ArgumentValueError(f"{kind}: there is no sample {shown(sample)}; there are {len(array)}, from 0")
            array = array[sample]
        found[name] = array
    return found


def as_overlays(function: str, overlays: Any, samples: int | None) -> tuple[Overlay, ...]:
    """Check overlays: all that change over time have ``samples`` samples, None if a single moment is drawn."""
    if isinstance(overlays, Overlay):
        overlays = (overlays,)
    if isinstance(overlays, str) or not isinstance(overlays, Iterable) or getattr(overlays, "shape", None) == ():
        raise ArgumentTypeError(f"{function}: overlays is {shown(overlays)}, expected Points, Arrows, Cones or Lines")
    found = tuple(overlays)
    for overlay in found:
        if not isinstance(overlay, Overlay):
            raise ArgumentTypeError(
                f"{function}: overlays holds a {type(overlay).__name__}, expected Points, Arrows, Cones or Lines"
            )
        if isinstance(overlay, Lines):
            continue
        shape = np.shape(overlay.positions)
        what = f"{function}: the {type(overlay).__name__} {shown(overlay.label)}"
        if len(shape) == 3 and samples is None:
            raise ArgumentValueError(f"{what} change over {shape[0]} samples; choose one with .at(sample)")
        if len(shape) == 3 and shape[0] != samples:
            raise ArgumentValueError(f"{what} have {shape[0]} samples, expected {samples}, those of the trajectory")
    return found


def rgb(colour: str) -> Array:
    """Convert ``"#rrggbb"`` or the name of a colour to red, green and blue, from 0 to 1."""
    digits = COLOURS.get(colour, colour)
    return np.array([int(digits[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def present(overlay: Points | Arrows | Cones) -> NDArray[np.bool_]:
    """Return which marks of an overlay are there, ``(k,)`` or ``(n, k)``: those without NaN."""
    found = [np.isfinite(np.asarray(getattr(overlay, name))).all(axis=-1) for name in arrays_of(overlay)]
    return np.logical_and.reduce(found)


def marks(overlay: Points | Arrows | Cones) -> tuple[Array, Array]:
    """The beginnings and ends of its marks, ``(..., k, 3)`` each, NaN where there is none; of points twice the same."""
    p = np.asarray(overlay.positions, dtype=np.float64)
    if isinstance(overlay, Points):
        return p, p
    if isinstance(overlay, Arrows):
        return p, p + overlay.length * np.asarray(overlay.vectors, dtype=np.float64)
    d = np.asarray(overlay.normals, dtype=np.float64)
    size = np.linalg.norm(d, axis=-1, keepdims=True)
    return p, p + overlay.height * np.where(size > 0.0, d / np.where(size > 0.0, size, 1.0), [0.0, 0.0, 1.0])


def overlay_points(overlays: Iterable[Overlay]) -> Array:
    """All that a picture has to have room for, ``(m, 3)``, but lines, which go with the bodies."""
    found = [np.zeros((0, 3))]
    for overlay in overlays:
        if isinstance(overlay, Lines):
            continue
        there = present(overlay)
        found += [ends[there] for ends in marks(overlay)]
    return np.concatenate(found)
