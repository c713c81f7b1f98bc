"""A mechanism in one configuration, drawn by matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.contents import Contents
from pluecker.articulated.pictures.curves import as_title
from pluecker.articulated.pictures.drawing import CAMERA, Drawing, space
from pluecker.articulated.pictures.overlays import Overlay, as_overlays
from pluecker.articulated.pictures.parts import body_placements
from pluecker.articulated.running.arguments import as_model
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import as_floats, as_option, naming

__all__ = ["as_camera", "as_contents", "as_frames", "plot_mechanism"]


def plot_mechanism(
    model: Model,
    q: ArrayLike | None = None,
    *,
    visuals: bool = True,
    joint_axes: bool = True,
    frames: str | Iterable[str] = (),
    inertia: bool = False,
    center_of_mass: bool = True,
    overlays: Overlay | Iterable[Overlay] = (),
    camera: tuple[float, float] = CAMERA,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw a mechanism in one configuration, with equal scales along the three axes.

    Links have the shapes of the URDF file that the model was read from, meshes among them where trimesh is installed (extra
    ``mesh``) and the files are there. Others are rods from joint to joint, and a body that has no length is the box of equal
    mass and inertia.

    Args:
        model: the mechanism.
        q: the configuration, ``(nq,)``; neutral if None.
        visuals: whether to draw the shapes of the URDF file.
        joint_axes: whether to draw the lines about which joints turn, or along which they slide.
        frames: whose axes are drawn: names, ``"bodies"``, or ``"all"``.
        inertia: whether to draw, for each body, the homogeneous ellipsoid of equal mass and inertia.
        center_of_mass: whether to mark the centre of mass of the whole mechanism.
        overlays: points, arrows, cones and lines to be drawn with it.
        camera: from where it is seen: elevation above the horizontal and azimuth from the x axis; degrees.
        title: above the drawing; the model's name if None.
        ax: 3D axes of matplotlib to draw on; those of a new figure of ``pyplot``, which is shown by it, if None.

    Returns:
        The axes of matplotlib; ``.figure`` is the figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
        TypeError, ValueError: an argument is not as described; a quaternion that is not of unit length; the URDF file is no
            longer there.
        KeyError: no frame has that name.

    Source: RBDA section 2.2, for the axis of a joint's motion; the ``visual`` element of URDF.

    Example:
        >>> from pluecker.articulated import Model, plot_mechanism
        >>> from pluecker.articulated.robots import SEVEN_JOINT_ARM
        >>> arm = Model.from_urdf(SEVEN_JOINT_ARM)
        >>> axes = plot_mechanism(arm, [0.3, 0.5, 0.0, -1.8, 0.0, 2.2, 0.0], frames=["flange"])  # doctest: +SKIP
        >>> axes.figure.savefig("arm.png")  # doctest: +SKIP
    """
    function = "plot_mechanism"
    model = as_model(function, model)
    contents = as_contents(function, model, visuals, joint_axes, frames, inertia, center_of_mass)
    heading, direction = as_title(function, model, title), as_camera(function, camera)
    with naming(function):
        configuration = neutral(model) if q is None else as_floats(function, "q", q, (model.nq,))
        if configuration.shape != (model.nq,):
            raise ArgumentValueError(f"{function}: q has shape {configuration.shape}, expected ({model.nq},)")
        found = as_overlays(function, overlays, None)
        if ax is not None and not hasattr(ax, "get_zlim"):
            raise ArgumentTypeError(f"{function}: ax is a {type(ax).__name__}, expected 3D axes of matplotlib")
        place, own = body_placements(model, configuration), ax is None
        if own:
            figure = require("matplotlib.pyplot", "plot", function).figure(figsize=(7.5, 6.5), layout="constrained")
            ax = space(figure)
        ax.view_init(*direction)
        drawing = Drawing(ax, model, contents, found, configuration[None], place[None])
        drawing.draw(0)
    drawing.explain(ax.figure if own else ax)
    ax.set_title(heading)
    return ax


def as_contents(
    function: str, model: Model, visuals: Any, joint_axes: Any, frames: Any, inertia: Any, center_of_mass: Any
) -> Contents:
    """Check the options of a picture and return them as a record."""
    given = {"visuals": visuals, "joint_axes": joint_axes, "inertia": inertia, "center_of_mass": center_of_mass}
    for name, value in given.items():
        if not isinstance(value, (bool, np.bool_)):
            raise ArgumentTypeError(f"{function}: {name} is {shown(value)}, expected True or False")
    names = as_frames(function, model, frames)
    return Contents(bool(visuals), bool(joint_axes), names, bool(inertia), bool(center_of_mass))


def as_camera(function: str, camera: Any) -> tuple[float, float]:
    """Check a camera and return its elevation and azimuth; degrees."""
    with naming(function):
        angles = as_floats(function, "camera", camera, (2,))
    if angles.shape != (2,) or np.abs(angles).max() > 1e6:
        raise ArgumentValueError(f"{function}: camera is {shown(camera)}, expected elevation and azimuth in degrees")
    return float(angles[0]), float(angles[1])


def as_frames(function: str, model: Model, frames: Any) -> tuple[str, ...]:
    """Return names of frames, each checked; for ``"bodies"`` and ``"all"`` those of the model."""
    if isinstance(frames, str):
        which = as_option(function, "frames", frames, ("bodies", "all"))
        return model.body_names if which == "bodies" else model.frame_names
    with naming(function):
        model.frame_offsets(frames := list_of(frames))
    return tuple(frames)


def list_of(things: Any) -> Any:
    """Return a list of an iterable, which may be exhausted by that; anything else as it is, for callers to refuse."""
    several = isinstance(things, Iterable) and getattr(things, "shape", None) != ()
    return list(things) if several else things
