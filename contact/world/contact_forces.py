"""Contacts of a step, each with its force and its state: one record, however contacts were found; and pictures of them.

================  =====================================================================================================
state             when
================  =====================================================================================================
open              no force, and it is apart, or parts
undetermined      no force, and it touches and does not part: it grazes
sticking          a force inside of the cone of friction, or at its edge without slip
sliding           a force at the edge of the cone, and a slip; of a contact without friction, any force
================  =====================================================================================================

*No force* is not above ``NONE`` times the largest one of the step, *no slip* not above ``NONE`` times the largest one, or
``STILL``. The force decides before the slip: while bodies turn, points that stick have at the end of a step a slip of
first order in it, which is none of theirs, since where they touch has changed by then.

Pictures have points by state, normals, forces, and the cones in which friction keeps forces. Samples may have different
numbers of contacts: where there is none, marks are NaN, which is not drawn.

Sources: Stewart, Trinkle (1996), the three states of a contact; source document 000 (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.frames.frames import frame_placement
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import Arrows, Cones, Points
from pluecker.contact.constraints.checks import positive
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.errors import ConstraintError
from pluecker.contact.friction.results.states import CONTACT_STATES, OPEN, SLIDING, STICKING, UNDETERMINED
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ContactForces", "PaddedContacts", "contact_overlays", "padded", "states_of_contacts"]

NONE = 1e-8  # of the largest force or slip: impulses of a step are known to 1e-10 of the largest
STILL = 1e-9  # m/s: a slip at which nothing moves; below a micrometre in a quarter of an hour
LONGEST, NORMAL, CONE = 0.3, 0.13, 0.1  # of the size: the longest force, a normal, the longer edge of a cone
COLOURS = {"open": "grey", "sticking": "green", "sliding": "orange", "undetermined": "black"}
WORDS = {"open": "open contacts", "undetermined": "contacts that graze"}
MOST_OF = 0.95  # of the samples with forces: in the others, impacts mostly, arrows are cut
STEEPEST = 20.0  # a coefficient above it is drawn as that: a cone as wide as the picture hides everything
MOST_CONES = 8  # different coefficients of friction that have cones of their own, each an entry of the legend
SHAPES = {"bodies": (2,), "names": (2,), "point": (3,), "normal": (3,), "gap": (), "force": (3,), "slip": (3,),
          "friction": (), "moment": (3,)}  # fmt: skip


@by_value()
@dataclass(frozen=True, eq=False, repr=False)
class ContactForces:
    """The K contacts of one step, with their forces: the mean over the step, an impulse divided by it.

    Attributes:
        model: whose bodies touch.
        q: configuration in which the contacts are described, ``(nq,)``: of a sample of a motion its own, and the forces are
            those of the step that begins there; of one step that at its end, or, where contacts are looked for anew in
            each step, that in which they were found, at its beginning.
        bodies: the two bodies i < j, ``(K, 2)``; -1 is the world, or what is fixed to it.
        names: of the two colliders that touch, that of body i first, ``(K, 2)``; of a constraint its name, and ``""``.
        normal: from i to j, of unit length, ``(K, 3)``; world axes.
        force: on j from i, ``(K, 3)``; world axes, N.
        point: where the force acts, ``(K, 3)``; world, m.
        gap: the distance along the normal, negative where bodies penetrate, ``(K,)``; m.
        slip: velocity of j against i at the point, at that time or at the end of the step, ``(K, 3)``; world axes, m/s. Its
            part along the normal is the rate of the gap.
        friction: Coulomb's coefficient that is in force, ``(K,)``.
        state: ``"open"``, ``"sticking"``, ``"sliding"`` or ``"undetermined"``, ``(K,)``; the rule stands in
            :mod:`~pluecker.contact.world.contact_forces`.
        moment: on j from i about the point, of rolling and spinning friction, ``(K, 3)``; world axes, N m.

    Example:
        A box of 2 kg on the ground, pushed by 4 N, at a coefficient of 0.5.

        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact import World
        >>> from pluecker.contact.constraints import PointContact
        >>> builder = ModelBuilder()
        >>> builder.add_body("box", mass=2.0, inertia=(0.02, 0.02, 0.02))
        >>> builder.add_joint("free", "free", "world", "box")
        >>> corners = [PointContact(f"{x}{y}", "world", ("box", (x, y, -0.1)), friction=0.5)
        ...     for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
        >>> world = World(builder.build(), corners)
        >>> step = world.step([0, 0, 0.1, 1, 0, 0, 0], [0] * 6, 0.01, tau=[0, 0, 0, 4.0, 0, 0])
        >>> step.contacts.state.tolist()
        ['sticking', 'sticking', 'sticking', 'sticking']
        >>> float(step.contacts.wrench("world", "box")[5].round(6))  # on the box, from the ground
        19.62

    Raises:
        ConstraintError: an array of another shape, an unknown state.
    """

    model: Model
    q: Array
    bodies: NDArray[np.int64]
    names: NDArray[np.str_]
    normal: Array
    force: Array
    point: Array
    gap: Array
    slip: Array
    friction: Array
    state: Any = None
    moment: Any = None

    def __post_init__(self) -> None:
        K = len(self.gap)
        if self.moment is None:
            object.__setattr__(self, "moment", np.zeros((K, 3)))
        if self.state is None:
            object.__setattr__(self, "state", states_of_contacts(
                self.normal, self.force, self.slip, self.gap, self.friction))  # fmt: skip
        for name, own in (*SHAPES.items(), ("state", ())):
            if np.shape(getattr(self, name)) != (K, *own):
                raise ConstraintError(
                    f"ContactForces: {name} has shape {np.shape(getattr(self, name))}, expected {(K, *own)}"
                )
        unknown = set(np.unique(self.state).tolist()) - set(CONTACT_STATES)
        if unknown:
            raise ConstraintError(f"ContactForces: state is {min(unknown)!r}, expected {', '.join(CONTACT_STATES)}")

    def __len__(self) -> int:
        return len(self.gap)

    def __repr__(self) -> str:
        states = self.state.tolist()
        count = [f"{states.count(state)} {state}" for state in CONTACT_STATES if state in states]
        return f"<ContactForces: {', '.join(count) or 'no contacts'}>"

    @property
    def normal_force(self) -> Array:
        """Force along the normal with which the bodies press on each other, ``(K,)``; N."""
        return np.einsum("ki,ki->k", self.force, self.normal)

    @property
    def friction_force(self) -> Array:
        """Part of the force across the normal, on j, ``(K, 3)``; world axes, N."""
        return self.force - self.normal_force[:, None] * self.normal

    @property
    def slip_velocity(self) -> Array:
        """Part of ``slip`` across the normal, ``(K, 3)``; world axes, m/s."""
        return self.slip - np.einsum("ki,ki->k", self.slip, self.normal)[:, None] * self.normal

    def between(self, first: str, second: str) -> NDArray[np.bool_]:
        """Return which contacts are between two bodies, in whatever order, ``(K,)``.

        Args:
            first, second: names of bodies, or of frames on them; ``"world"``.

        Raises:
            KeyError: there is no frame of that name.
        """
        i, j = (self._body("between", name) for name in (first, second))
        return np.asarray((self.bodies == sorted((i, j))).all(axis=1))

    def wrench(self, first: str, second: str, frame: str = "world") -> Array:
        """Compute the net wrench of all contacts between two bodies: of the first on the second.

        Args:
            first, second: names of bodies, or of frames on them; ``"world"``.
            frame: in which it is asked for: the moment is about its origin, the numbers are along its axes.

        Returns:
            ``[n; f]``, ``(6,)``; N m and N.

        Raises:
            KeyError: there is no frame of that name.

        Source: RBDA section 2.4: wrenches at one point are added.
        """
        i, j = (self._body("wrench", name) for name in (first, second))
        T = np.eye(4) if self._body("wrench", frame) < 0 else frame_placement(self.model, self.q, frame)
        found, sign = self.between(first, second), 1.0 if i < j else -1.0
        force = sign * self.force[found]
        n = np.cross(self.point[found] - T[:3, 3], force) + sign * self.moment[found]
        return np.concatenate([T[:3, :3].T @ n.sum(axis=0), T[:3, :3].T @ force.sum(axis=0)])

    def _body(self, method: str, name: Any) -> int:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"ContactForces.{method}: {shown(name)} is no name of a body or a frame")
        return body_number(self.model, name)

    def overlays(self, size: float | None = None) -> tuple[Points | Arrows | Cones, ...]:
        """Return overlays for pictures of the contacts: points by state, normals, forces, cones of friction.

        Args:
            size: of the mechanism in the picture, m; twice that of the contacts together if None.

        Raises:
            ValueError: ``size`` is not above 0.
        """
        return tuple(overlay.at(0) for overlay in contact_overlays(padded([self]), size))


def states_of_contacts(
    normal: ArrayLike, force: ArrayLike, slip: ArrayLike, gap: ArrayLike, friction: ArrayLike, sides: int | None = None
) -> NDArray[np.str_]:
    """Return the state of each contact of a step, by the rule of this file.

    Args:
        normal, force, slip: of K contacts, as of :class:`ContactForces`, ``(..., K, 3)``.
        gap, friction: ``(..., K)``.
        sides: of the polygon that stands for the circle, whose corners are on it; the circle itself if None. Between its
            incircle and the circle, a contact that slips slides.

    Returns:
        Words, ``(..., K)``.
    """
    n, f, u, g, mu = (
        as_numbers("states_of_contacts", name, x)
        for name, x in (("normal", normal), ("force", force), ("slip", slip), ("gap", gap), ("friction", friction))
    )
    pressed, parts = (np.einsum("...i,...i->...", x, n) for x in (f, u))
    across, along = (np.linalg.norm(x - y[..., None] * n, axis=-1) for x, y in ((f, pressed), (u, parts)))
    size, speed = (np.linalg.norm(x, axis=-1) for x in (f, u))
    slow = np.maximum(NONE * speed.max(axis=-1, initial=0.0, keepdims=True), STILL)
    inner = 1.0 if sides is None else np.cos(np.pi / sides)
    edge = across >= (1.0 - NONE) * inner * mu * pressed
    free = np.where((parts > slow) | (g > 0.0), OPEN, UNDETERMINED)
    held = np.where(edge & ((along > slow) | (mu == 0.0)), SLIDING, STICKING)
    none = size <= NONE * size.max(axis=-1, initial=0.0, keepdims=True)
    return np.array(CONTACT_STATES)[np.where(none, free, held)]


# ----------------------------------------------------------------------------------------------------------------- pictures


class PaddedContacts(NamedTuple):
    """The contacts of n samples, K at most in each; those that are not there have NaN and the state ``""``.

    Attributes:
        point, normal, force: ``(n, K, 3)``.
        friction, state: ``(n, K)``.
    """

    point: Array
    normal: Array
    force: Array
    friction: Array
    state: Any


def padded(samples: Sequence[ContactForces]) -> PaddedContacts:
    """Collect the contacts of samples that may have different numbers of them, padded with NaN."""
    shape = len(samples), max((len(each) for each in samples), default=0)
    point, normal, force = (np.full((*shape, 3), np.nan) for _ in range(3))
    found = PaddedContacts(point, normal, force, np.full(shape, np.nan), np.full(shape, "", dtype="U12"))
    for k, each in enumerate(samples):
        for name, array in zip(PaddedContacts._fields, found, strict=True):
            array[k, : len(each)] = getattr(each, name)
    return found


def contact_overlays(samples: PaddedContacts, size: float | None = None) -> tuple[Points | Arrows | Cones, ...]:
    """Make the overlays of the contacts in all samples of a motion.

    Args:
        samples: their contacts.
        size: of the mechanism in the picture, m; twice that of the contacts of all samples together if None.

    Raises:
        ValueError: ``size`` is not above 0.
    """
    point, state = samples.point, samples.state
    there = state != ""
    if size is None:
        size = 2.0 * float(np.ptp(point[there], axis=0).max()) if there.any() else 0.0
        size = size or 1.0
    size = positive("overlays", "size", size)
    touches = there & (state != "open")

    def where(chosen: Any, vectors: Array) -> Array:
        return np.where(chosen[..., None], vectors, np.nan)

    found: list[Points | Arrows | Cones] = [
        Points(where(state == word, point), WORDS.get(word, f"{word} contacts"), COLOURS[word])
        for word in CONTACT_STATES
        if (state == word).any()
    ]
    if not touches.any():
        return tuple(found)
    place = where(touches, point)
    found.append(Arrows(place, where(touches, samples.normal), NORMAL * size, "normals", "grey"))
    values = np.unique(samples.friction[touches])
    for mu in values[values > 0.0][:MOST_CONES].tolist():
        slope, own = min(mu, STEEPEST), where(touches & (samples.friction == mu), samples.normal)
        found.append(Cones(place, own, slope, CONE * size / max(1.0, slope), f"cone of friction, {mu:.3g}", "green"))
    sizes = np.linalg.norm(where(touches, samples.force), axis=-1)
    largest = np.nan_to_num(sizes).max(axis=-1)
    unit = float(np.quantile(largest[largest > 0.0], MOST_OF)) if (largest > 0.0).any() else 0.0
    if unit > 0.0:
        cut = sizes > unit * (1.0 + 1e-9)
        vectors = samples.force * np.where(cut, unit / np.where(cut, sizes, 1.0), 1.0)[..., None]
        label = f"forces of contacts, the longest {unit:.3g} N{' and more' if cut.any() else ''}"
        found.append(Arrows(place, where(touches, vectors), LONGEST * size / unit, label, "purple"))
    return tuple(found)
