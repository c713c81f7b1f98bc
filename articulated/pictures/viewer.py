"""A mechanism or a motion in the browser, by viser (extra ``view``): alive, or as one HTML file that works offline.

The viewer is a small server on this machine. A mechanism has a slider for each coordinate; a motion has a line of time, with
play and pause. The file holds what the browser needs, viser's own player with the scene in it; it has the line of time, but
no sliders, since nothing computes behind it.

Source: viser, https://viser.studio.
"""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import time
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.errors import OutputError
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.animation import sample_times
from pluecker.articulated.pictures.contents import Contents
from pluecker.articulated.pictures.curves import as_motion, known
from pluecker.articulated.pictures.mechanism import as_contents
from pluecker.articulated.pictures.overlays import Overlay, as_overlays
from pluecker.articulated.pictures.scenes import Scene
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.trajectory.files import to_path
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.files import whole_file
from pluecker.spatial.functions.arguments import as_floats, as_integer, naming

__all__ = ["PAGES", "Viewer", "check_page", "need_viewer", "view"]

Array = NDArray[np.float64]
PAGES = (".html",)
HERE = "127.0.0.1"  # nobody else on the network sees it
RATE = 30.0  # pictures a second
SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "4x")
MOST_SLIDERS = 60  # beyond which nobody finds one


def view(
    model: Model | Trajectory,
    trajectory: Trajectory | None = None,
    q: ArrayLike | None = None,
    *,
    path: str | Path | None = None,
    visuals: bool = True,
    joint_axes: bool = True,
    frames: str | Iterable[str] = (),
    inertia: bool = False,
    center_of_mass: bool = True,
    overlays: Overlay | Iterable[Overlay] = (),
    browser: bool = True,
    port: int = 8080,
) -> Viewer:
    """Show a mechanism, or its motion, in the browser, where it can be turned round and moved.

    Without a trajectory there is a slider for each coordinate, within its limits; a ball or a free joint has three for its
    rotation vector. With one there is a line of time. What is shown can be chosen there too.

    The viewer lives until :meth:`Viewer.close`, or the end of the program; a script ends with :meth:`Viewer.wait`.

    Args:
        model: the mechanism; or a trajectory, if it knows its mechanism.
        trajectory: with ``q``. Without ``time``, samples follow one another at 30 a second.
        q: the configuration that is shown first, ``(nq,)``; neutral, or the motion's first, if None.
        path: where to write it too, as one HTML file that works offline, see :meth:`Viewer.save`; nowhere if None.
        visuals, joint_axes, frames, inertia, center_of_mass: what is shown at first, as in :func:`plot_mechanism`. Without
            ``frames``, those of bodies can be switched on.
        overlays: points, arrows, cones, at rest or with as many samples as the trajectory, and lines; besides its own.
        browser: whether to open a browser.
        port: at which the server listens; the next one that is free, if it is taken.

    Returns:
        A :class:`Viewer`, which has the address and can be closed.

    Raises:
        MissingExtraError: viser is not installed.
        TypeError, ValueError: an argument is not as described.
        KeyError: no frame has that name.
        OutputError: the path has another ending, or the file cannot be written.

    Source: viser, https://viser.studio; RBDA section 4.4, for the coordinates of joints.

    Example:
        >>> from pluecker.articulated import Model, view
        >>> from pluecker.articulated.robots import SEVEN_JOINT_ARM
        >>> arm = Model.from_urdf(SEVEN_JOINT_ARM)
        >>> with view(arm, path="arm.html", browser=False) as viewer:  # doctest: +SKIP
        ...     print(viewer.url)
        http://127.0.0.1:8080
    """
    function = "view"
    if trajectory is None and not isinstance(model, Trajectory):
        model, motion = as_model(function, model), None
    else:
        model, motion = as_motion(function, model, trajectory, ("q",))
    contents = as_contents(function, model, visuals, joint_axes, frames, inertia, center_of_mass)
    samples = None if motion is None else len(motion)
    found = as_overlays(function, overlays, samples)
    if motion is not None:
        found += as_overlays(function, motion.overlays, samples)
    place = None if path is None else check_page(function, path)
    if not isinstance(browser, (bool, np.bool_)):
        raise ArgumentTypeError(f"{function}: browser is {shown(browser)}, expected True or False")
    with naming(function):
        number = as_integer(function, "port", port, 1, 65535)
        first = neutral(model) if q is None else as_floats(function, "q", q, (model.nq,))
        if first.shape != (model.nq,):
            raise ArgumentValueError(f"{function}: q has shape {first.shape}, expected ({model.nq},)")
        viewer = Viewer(model, motion, first, contents, found, number)
    try:
        if place is not None:
            viewer.save(place)
        if browser:
            webbrowser.open(viewer.url)
    except BaseException:
        viewer.close()
        raise
    return viewer


def need_viewer() -> Any:
    """The package viser.

    Raises:
        MissingExtraError: it is not installed.
    """
    return require("viser", "view", "showing a mechanism in the browser")


def check_page(function: str, path: Any) -> Path:
    """Check that a page can be written to a path, and return the path."""
    place = to_path(function, path)
    if place.suffix.lower() not in PAGES:
        raise OutputError(f"{function}: no page can be written to {shown(str(place))}; the path must end in .html")
    return place


class Viewer:
    """A mechanism in the browser, made by :func:`view`. In a ``with`` statement it is closed at the end.

    Attributes:
        url: the address at which it is.
    """

    def __init__(
        self,
        model: Model,
        motion: Trajectory | None,
        q: Array,
        contents: Contents,
        overlays: tuple[Overlay, ...],
        port: int,
    ) -> None:
        viser = need_viewer()
        logging.getLogger("websockets").addHandler(logging.NullHandler())  # a page that is closed early is no news
        with contextlib.redirect_stdout(io.StringIO()):  # it prints a table about itself
            self._server = viser.ViserServer(host=HERE, port=port, label=model.name, verbose=False)
        self.url = f"http://{HERE}:{self._server.get_port()}"
        self._model, self._motion, self._lock, self._closed = model, motion, threading.Lock(), threading.Event()
        self._player: threading.Thread | None = None
        try:
            configurations = q[None] if motion is None else known(motion, "q")
            self._scene = Scene(self._server, model, contents, overlays, configurations, "view")
            self._server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
            self._now, self._playing = 0.0, motion is not None
            self._show(configurations[0], 0)
            if motion is None:
                self._add_sliders(q)
            else:
                self._add_time_line()
            self._add_switches(contents)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Viewer of {self._model.name!r} at {self.url}"

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server; the page in the browser stays as it is."""
        if not self._closed.is_set():
            self._closed.set()
            if self._player is not None:
                self._player.join()
            with contextlib.redirect_stdout(io.StringIO()):
                self._server.stop()

    def wait(self) -> None:
        """Wait until the viewer is closed, or until Ctrl-C, which closes it."""
        try:
            while not self._closed.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def save(self, path: str | Path) -> None:
        """Write one HTML file that works offline: the mechanism as it is shown, or a motion with its line of time.

        Args:
            path: ends in ``.html``; a file of that name is replaced.

        Raises:
            TypeError: the path is none.
            ValueError: the motion has more than 3000 pictures at 30 a second.
            OutputError: the path has another ending, or the file cannot be written; what was there before is still there.
        """
        place = check_page("Viewer.save", path)
        motion = self._motion
        samples = [] if motion is None else sample_times("Viewer.save", motion, 1.0, RATE)
        with self._lock:
            if motion is not None:
                self._scene.show(known(motion, "q")[0], 0)
            recorder = self._server.get_scene_serializer()
            for k in samples:
                self._scene.show(known(motion, "q")[k], k)  # type: ignore[arg-type]
                recorder.insert_sleep(1.0 / RATE)
            page = recorder.as_html()
        try:
            with whole_file(place) as file:
                file.write(page.encode("utf-8", "replace"))
        except (OSError, ValueError) as error:
            raise OutputError(f"{place}: the page cannot be written ({getattr(error, 'strerror', error)})") from None

    # --------------------------------------------------------------------------------------------------------- what it shows

    def _show(self, q: Array, sample: int) -> None:
        with self._lock:
            if not self._closed.is_set():
                self._scene.show(q, sample)

    def _add_sliders(self, q: Array) -> None:
        """Add a slider for each coordinate; for a quaternion three, for the rotation vector from its start."""
        gui, q = self._server.gui, q.copy()
        start, sliders = q.copy(), list[Any]()

        def moved(_: Any = None) -> None:
            for coordinates, slider in sliders:
                coordinates(q, slider.value)
            self._show(q, 0)

        with gui.add_folder("Joints", expand_by_default=True):
            for name, lowest, highest, value, coordinates in self._coordinates(q)[:MOST_SLIDERS]:
                step = (highest - lowest) / 1000.0
                slider = gui.add_slider(name, lowest, highest, step, value)
                slider.on_update(moved)
                sliders.append((coordinates, slider))
            if sliders:
                values = [slider.value for _, slider in sliders]

                def reset(_: Any) -> None:
                    for (_, slider), value in zip(sliders, values, strict=True):
                        slider.value = value
                    q[:] = start
                    self._show(q, 0)

                gui.add_button("Back to the start").on_click(reset)

    def _coordinates(self, q: Array) -> list[tuple[str, float, float, float, Any]]:
        """List the sliders: name and unit, lowest and highest value, value, and a function that writes a value into q."""
        model, found = self._model, []
        for joint in model.joints:
            if joint.mimic is not None:
                continue
            kind, first = JOINT_TYPES[joint.type], joint.q_start
            for k, unit in enumerate(kind.q_units):
                i = first + k
                if not unit:  # of a quaternion
                    continue
                wide = np.pi if unit == "rad" else self._scene.size
                low, high = model.lower_limit[i], model.upper_limit[i]
                low, high = low if np.isfinite(low) else -wide, high if np.isfinite(high) else wide
                low, high = min(float(low), float(q[i])), max(float(high), float(q[i]))
                if high > low:
                    found.append((f"{model.q_names[i]}, {unit}", low, high, float(q[i]), write_at(i)))
            if kind.quaternion is not None:
                p = first + kind.quaternion
                turn = Turn(slice(p, p + 4), q[p : p + 4].copy())
                found += [(f"{joint.name} about {'xyz'[j]}, rad", -3.14, 3.14, 0.0, turn.writer(j)) for j in range(3)]
        return found

    def _add_time_line(self) -> None:
        """Add controls of playback: play and pause, time, speed; and start the thread that advances the time."""
        gui, motion = self._server.gui, self._motion
        assert motion is not None
        times = np.arange(len(motion)) / RATE if motion.time is None else motion.time
        first, last = float(times[0]), float(times[-1])
        with gui.add_folder("Time", expand_by_default=True):
            button = gui.add_button("Pause")
            end = max(last, first + 1e-6)  # a slider of no length is none
            line = gui.add_slider("time in s", first, end, (end - first) / 1000.0, first)
            speed = gui.add_dropdown("speed", SPEEDS, initial_value="1x")
        self._now = first

        def toggle(_: Any) -> None:
            self._playing = not self._playing
            button.label = "Pause" if self._playing else "Play"

        def dragged(_: Any) -> None:
            if abs(line.value - self._now) > (last - first) / 900.0:
                self._now = float(line.value)
                self._show_time(times)

        def play() -> None:
            before = time.perf_counter()
            while not self._closed.wait(1.0 / RATE):
                now = time.perf_counter()
                if self._playing and last > first:
                    on = self._now + (now - before) * float(speed.value[:-1])
                    self._now = on if on <= last else first
                    self._show_time(times)
                    line.value = self._now
                before = now

        button.on_click(toggle)
        line.on_update(dragged)
        self._player = threading.Thread(target=play, name="pluecker viewer", daemon=True)
        self._player.start()

    def _show_time(self, times: Array) -> None:
        """Show the last sample that is not later than now."""
        motion = self._motion
        assert motion is not None
        k = max(0, int(np.searchsorted(times, self._now + 1e-12, side="right")) - 1)
        self._show(known(motion, "q")[k], k)

    def _add_switches(self, contents: Contents) -> None:
        """Add a checkbox for each kind of things that can be shown."""
        gui, groups = self._server.gui, self._scene.groups
        words = {
            "shapes": "shapes of the links", "rods": "rods from joint to joint", "joint axes": "joint axes",
            "frames": "axes of frames", "inertia": "ellipsoids of equal inertia", "centre of mass": "centre of mass",
            "ground": f"ground, cells of {self._scene.cell:g} m",
        }  # fmt: skip
        hidden = {"frames": not contents.frames, "inertia": not contents.inertia}
        hidden |= {"joint axes": not contents.axes, "centre of mass": not contents.center_of_mass}
        some = {"rods": self._scene.rods, "joint axes": self._scene.axes, "centre of mass": self._scene.parts.solids}
        with gui.add_folder("Shown", expand_by_default=True):
            for name, nodes in sorted(groups.items(), key=lambda item: [*words, item[0]].index(item[0])):
                if not nodes or (name in some and not some[name]):
                    continue
                box = gui.add_checkbox(words.get(name, name), not hidden.get(name, False))
                box.on_update(self._switch(box, nodes))

    def _switch(self, box: Any, nodes: list[Any]) -> Any:
        def switched(_: Any) -> None:
            with self._lock:
                for node in nodes:
                    node.visible = box.value

        return switched


def write_at(i: int) -> Any:
    """Return a function that writes one coordinate."""

    def write(q: Array, value: float) -> None:
        q[i] = value

    return write


class Turn:
    """A quaternion that three sliders turn, by a rotation vector in the axes of the body where it was at first."""

    def __init__(self, where: slice, start: Array) -> None:
        self.where, self.start, self.vector = where, start, np.zeros(3)

    def writer(self, j: int) -> Any:
        """Return a function that sets entry j of the vector and writes the quaternion."""

        def write(q: Array, value: float) -> None:
            self.vector[j] = value
            angle = float(np.linalg.norm(self.vector))
            (w, x, y, z), c = self.start, np.cos(0.5 * angle)
            a, b, d = 0.5 * np.sinc(0.5 * angle / np.pi) * self.vector
            p = [w * c - x * a - y * b - z * d, w * a + x * c + y * d - z * b]
            p += [w * b - x * d + y * c + z * a, w * d + x * b - y * a + z * c]
            q[self.where] = np.array(p) / np.linalg.norm(p)

        return write
