"""A motion as moving pictures: an HTML player for notebooks and pages, a GIF, or an MP4. Needs the extra ``plot``.

Each moment is drawn by matplotlib as :func:`plot_mechanism` draws it. The player is one file that needs nothing else; a GIF
is written by Pillow, which comes with matplotlib, an MP4 by the program ``ffmpeg``. A GIF has 256 colours for all of its
pictures, so that a mark has one colour from first to last: as a palette that goes by areas, picture by picture, is all
white and grey, this one has the colours that most pixels of the film have, and mixes what is left of others.
"""

from __future__ import annotations

import base64
import html
import io
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import OutputError
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.curves import as_motion, as_title, known
from pluecker.articulated.pictures.drawing import CAMERA, Drawing, space
from pluecker.articulated.pictures.figures import new_figure
from pluecker.articulated.pictures.mechanism import as_camera, as_contents
from pluecker.articulated.pictures.overlays import Overlay, as_overlays
from pluecker.articulated.pictures.parts import body_placements
from pluecker.articulated.trajectory.files import to_path
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import MissingExtraError, require
from pluecker.spatial.files import whole_file
from pluecker.spatial.functions.arguments import as_floats, naming

__all__ = [
    "ANIMATIONS", "Animation", "animate", "check_animation", "common_palette", "positive", "sample_times",
    "with_palette",
]  # fmt: skip

ANIMATIONS = (".html", ".gif", ".mp4")
MOST_PICTURES = 3000  # two minutes at 25 a second, which take ten minutes to draw
TRIANGLES = 4000  # of the shapes in each: half the time of a single drawing's
DOTS = 100  # to an inch
CENTISECOND = 100.0  # what a GIF counts time in: a picture lasts a whole number of them


@by_value()
@dataclass(frozen=True, eq=False, repr=False)
class Animation:
    """A motion as pictures. A notebook shows it as a player.

    Attributes:
        title: what it shows.
        rate: pictures a second.
        pictures: PNG files, in the order of time.
    """

    title: str
    rate: float
    pictures: tuple[bytes, ...] = field(repr=False)

    def __repr__(self) -> str:
        return f"Animation of {len(self.pictures)} pictures, {len(self.pictures) / self.rate:.3g} s: {self.title}"

    def _repr_html_(self) -> str:
        return self.html()

    def html(self) -> str:
        """The player, as a piece of HTML that needs nothing else."""
        pictures = ",".join(f'"{base64.b64encode(picture).decode()}"' for picture in self.pictures)
        number = f"m{abs(hash(self.pictures)):x}"  # so that one page may hold several
        return PLAYER.substitute(
            title=html.escape(self.title),
            last=len(self.pictures) - 1,
            rate=f"{self.rate:g}",
            name=number,
            pictures=pictures,
        )

    def save(self, path: str | Path) -> None:
        """Write it, as a whole or not at all; the ending of the path chooses the format.

        Args:
            path: ends in ``.html``, ``.gif`` or ``.mp4``; a file of that name is replaced.

        Raises:
            TypeError: the path is none.
            OutputError: it has another ending, or the file cannot be written; what was there before is still there.
            MissingExtraError: an MP4 needs the program ``ffmpeg``, which is not installed.
        """
        place = check_animation("Animation.save", path)
        ending = place.suffix.lower()
        if ending == ".html":
            head = f'<head><meta charset="utf-8"><title>{html.escape(self.title)}</title></head>'
            page = f'<!DOCTYPE html><html lang="en">{head}<body>{self.html()}</body></html>\n'
            data = page.encode("utf-8", "replace")
        else:
            data = self.gif() if ending == ".gif" else self.mp4()
        try:
            with whole_file(place) as file:
                file.write(data)
        except (OSError, ValueError) as error:
            raise OutputError(
                f"{place}: the animation cannot be written ({getattr(error, 'strerror', error)})"
            ) from None

    def gif(self) -> bytes:
        """Encode the pictures as a GIF that repeats."""
        image = require("PIL.Image", "plot", "writing a GIF")
        frames = [image.open(io.BytesIO(picture)).convert("RGB") for picture in self.pictures]
        palette = common_palette(image, frames)  # so that a mark keeps its colour
        frames = with_palette(image, frames, palette)
        duration = 10 * max(2, round(CENTISECOND / self.rate))  # players take less than two hundredths for a mistake
        file = io.BytesIO()
        frames[0].save(file, format="GIF", save_all=True, append_images=frames[1:], duration=duration, loop=0)
        return file.getvalue()

    def mp4(self) -> bytes:
        """Encode the pictures as an MP4 (H.264), by the program ffmpeg."""
        command = [
            need_ffmpeg(),
            "-loglevel",
            "error",
            "-f",
            "image2pipe",
            "-c:v",
            "png",
            "-framerate",
            f"{self.rate:g}",
        ]
        command += ["-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"]
        command += ["-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "-"]
        done = subprocess.run(command, input=b"".join(self.pictures), capture_output=True, check=False)
        if done.returncode != 0 or not done.stdout:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
            raise OutputError(f"ffmpeg cannot write the MP4: {said or f'exit code {done.returncode}'}")
        return done.stdout


def animate(
    model: Model | Trajectory,
    trajectory: Trajectory | None = None,
    path: str | Path | None = None,
    *,
    speed: float = 1.0,
    rate: float = 25.0,
    visuals: bool = True,
    joint_axes: bool = False,
    frames: str | Iterable[str] = (),
    inertia: bool = False,
    center_of_mass: bool = True,
    overlays: Overlay | Iterable[Overlay] = (),
    camera: tuple[float, float] = CAMERA,
    title: str | None = None,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Animation:
    """Show a motion as moving pictures: in a notebook, or in a file.

    A picture shows the last sample that is not later than it. Axes have equal scales, and room for the whole motion.

    Args:
        model: the mechanism; or the trajectory alone, if it knows its mechanism.
        trajectory: with ``q``. Without ``time``, each sample is one picture.
        path: where to write it too, a file that ends in ``.html``, ``.gif`` or ``.mp4``; nowhere if None.
        speed: of the motion that is shown, against the true one.
        rate: pictures a second.
        visuals, joint_axes, frames, inertia, center_of_mass: what is drawn, as in :func:`plot_mechanism`.
        overlays: points, arrows, cones, at rest or with as many samples as the trajectory, and lines; besides its own.
        camera: from where it is seen: elevation above the horizontal and azimuth from the x axis; degrees.
        title: above the pictures; the model's name if None.
        progress: is given the numbers of the pictures and gives them back one by one, for a progress bar.

    Returns:
        An :class:`Animation`, which notebooks show, and whose ``save`` writes it again in another format.

    Raises:
        MissingExtraError: matplotlib is not installed; for an MP4, ``ffmpeg`` is not.
        TypeError, ValueError: an argument is not as described; more than 3000 pictures.
        KeyError: no frame has that name.
        OutputError: the path has another ending, or the file cannot be written.

    Source: RBDA section 4.5, for what q is over time.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import Model, Trajectory, animate
        >>> from pluecker.articulated.robots import SEVEN_JOINT_ARM
        >>> arm = Model.from_urdf(SEVEN_JOINT_ARM)
        >>> t = np.linspace(0.0, 2.0, 101)
        >>> wave = Trajectory(time=t, q=np.sin(t)[:, None] * [0.5, 0.3, 0, -1.2, 0, 1.5, 0])
        >>> animate(arm, wave, "wave.gif")  # doctest: +SKIP
        Animation of 51 pictures, 2.04 s: seven_joint_arm
    """
    function = "animate"
    model, motion = as_motion(function, model, trajectory, ("q",))
    place = None if path is None else check_animation(function, path)
    contents = as_contents(function, model, visuals, joint_axes, frames, inertia, center_of_mass)
    heading, direction = as_title(function, model, title), as_camera(function, camera)
    samples = sample_times(function, motion, positive(function, "speed", speed), positive(function, "rate", rate))
    found = as_overlays(function, overlays, len(motion)) + as_overlays(function, motion.overlays, len(motion))
    if not callable(progress):
        raise ArgumentTypeError(f"{function}: progress is a {type(progress).__name__}, expected a function")
    figure, q = new_figure(6.4, 5.4, DOTS), known(motion, "q")
    with naming(function):
        ax = space(figure)
        ax.view_init(*direction)
        drawing = Drawing(ax, model, contents, found, q, body_placements(model, q), TRIANGLES)
        pictures, behind = [], None
        for j in progress(range(len(samples))):
            k = samples[j]
            drawing.draw(k)
            moment = f"sample {k + 1}" if motion.time is None else f"t = {motion.time[k]:.2f} s"
            ax.set_title(f"{heading}    {moment}", fontsize=11, family="monospace")
            if behind is None:
                drawing.explain(figure)
                behind = drawing.at_rest()
            pictures.append(drawing.picture(behind))
    made = Animation(model.name if title is None else title, float(rate), tuple(pictures))
    if place is not None:
        made.save(place)
    return made


def sample_times(function: str, motion: Trajectory, speed: float, rate: float) -> list[int]:
    """Choose the sample that each picture shows, by number."""
    n = len(motion)
    if motion.time is None:
        samples: NDArray[np.int64] = np.arange(n)
        count = float(n)
    else:
        duration = float(motion.time[-1] - motion.time[0]) / speed
        count = np.floor(duration * rate * (1.0 + 1e-12)) + 1.0
    if not count <= MOST_PICTURES:
        raise ArgumentValueError(
            f"{function}: {count:.4g} pictures, expected {MOST_PICTURES} at most; raise speed, or lower rate"
        )
    if motion.time is not None:
        shown_at = motion.time[0] + np.arange(int(count)) * (speed / rate)
        late = 1e-9 * (speed / rate)  # rounding makes no picture show the sample before
        samples = np.searchsorted(motion.time, shown_at + late, side="right") - 1
    return [int(k) for k in samples]


def positive(function: str, name: str, value: Any) -> float:
    """Return a number as a float, refusing what is not above zero."""
    with naming(function):
        number = as_floats(function, name, value, ())
    if number.shape != () or not number > 0.0:
        raise ArgumentValueError(f"{function}: {name} is {shown(value)}, expected a number above 0")
    return float(number)


def check_animation(function: str, path: Any) -> Path:
    """Check that an animation can be written to a path, before it is made, and return the path."""
    place = to_path(function, path)
    ending = place.suffix.lower()
    if ending not in ANIMATIONS:
        raise OutputError(
            f"{function}: no animation can be written to {shown(str(place))}; the path must end in {', '.join(ANIMATIONS)}"
        )
    if ending == ".mp4":
        need_ffmpeg()
    return place


def need_ffmpeg() -> str:
    """Find the program that writes an MP4, ffmpeg or what matplotlib's settings name instead, on the search path.

    Raises:
        MissingExtraError: it is not installed.
    """
    chosen = require("matplotlib", "plot", "writing an MP4").rcParams["animation.ffmpeg_path"]
    found = shutil.which(chosen)
    if found is None:
        raise MissingExtraError(
            f"writing an MP4 needs the program ffmpeg, and there is no {shown(chosen)}: install it (apt install ffmpeg, "
            "brew install ffmpeg), or write a .gif or an .html file"
        )
    return found


PLAYER = Template("""\
<div id="$name" style="font: 14px sans-serif; max-width: 660px">
<img alt="$title" style="width: 100%"><div style="display: flex; gap: 8px; align-items: center">
<button type="button" style="width: 5em">Pause</button>
<input type="range" min="0" max="$last" value="0" aria-label="time" style="flex: 1">
</div></div>
<script>(() => {
  const box = document.getElementById("$name"), rate = $rate, pictures = [$pictures];
  const image = box.querySelector("img"), button = box.querySelector("button"), slider = box.querySelector("input");
  let start = performance.now(), playing = true;
  const show = k => { image.src = "data:image/png;base64," + pictures[k]; slider.value = k; };
  const step = now => {
    if (!playing || !box.isConnected) return;
    show(Math.floor((now - start) / 1000 * rate) % pictures.length);
    requestAnimationFrame(step);
  };
  const play = on => {
    playing = on;
    button.textContent = on ? "Pause" : "Play";
    if (on) { start = performance.now() - slider.value / rate * 1000; requestAnimationFrame(step); }
  };
  button.onclick = () => play(!playing);
  slider.oninput = () => { play(false); show(Number(slider.value)); };
  show(0);
  play(true);
})();</script>
""")


SAMPLED = 8  # pictures of a film, whose colours are those of all
COLOURS, OTHERS = 256, 96  # of a palette; those of them that are mixed of what few pixels have


def common_palette(image: Any, pictures: list[Any]) -> NDArray[np.uint8]:
    """Choose the palette of a film, ``(n, 3)``: the colours of most pixels, and 96 for all others."""
    few = pictures[:: max(1, len(pictures) // SAMPLED)]
    colours, counts = np.unique(np.concatenate([pixels(each) for each in few]), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    flat, others = np.split(parts_of_colours(colours[order]), [COLOURS - OTHERS])
    if len(others):
        weights = np.ceil(np.sqrt(counts[order[len(flat) :]])).astype(np.int64)  # by areas alone marks would get none
        mixed = image.fromarray(np.repeat(others, weights, axis=0)[None]).quantize(OTHERS)
        flat = np.concatenate([flat, np.array(mixed.getpalette(), np.uint8).reshape(-1, 3)[:OTHERS]])
    return flat


def with_palette(image: Any, pictures: list[Any], palette: NDArray[np.uint8]) -> list[Any]:
    """Pictures in the nearest colours of a palette. Pillow takes the nearest to each fourth one alone."""
    from scipy.spatial import cKDTree  # here: it takes long to import

    nearest, found = np.zeros(1 << 24, np.uint8), list[Any]()
    for picture in pictures:
        nearest[pixels(picture)] = 1
    colours = np.flatnonzero(nearest)
    nearest[colours] = cKDTree(palette).query(parts_of_colours(colours))[1]
    for picture in pictures:
        made = image.fromarray(nearest[pixels(picture)].reshape(picture.size[::-1]))
        made.putpalette(palette.ravel().tolist())
        found.append(made)
    return found


def pixels(picture: Any) -> NDArray[np.int32]:
    """Of each pixel one number for red, green and blue."""
    r, g, b = np.asarray(picture).reshape(-1, 3).astype(np.int32).T
    number: NDArray[np.int32] = (r << 16) | (g << 8) | b
    return number


def parts_of_colours(numbers: NDArray[Any]) -> NDArray[np.uint8]:
    """Red, green and blue of such numbers, ``(n, 3)``."""
    return (numbers[:, None] >> np.array([16, 8, 0]) & 255).astype(np.uint8)
