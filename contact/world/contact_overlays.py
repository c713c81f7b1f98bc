"""Pictures of contacts: points by their state, normals, forces, and the cones in which friction keeps forces.

Samples may have different numbers of contacts: where there is none, marks are NaN, which is not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pluecker.articulated.pictures.overlays import Arrows, Cones, Points
from pluecker.contact.constraints.checks import positive
from pluecker.contact.friction.results.states import CONTACT_STATES
from pluecker.spatial.functions.elementwise import Array

if TYPE_CHECKING:
    from pluecker.contact.world.contact_forces import ContactForces

__all__ = ["ContactSamples", "contact_overlays", "padded"]

LONGEST, NORMAL, CONE = 0.3, 0.13, 0.1  # of the size: the longest force, a normal, the longer edge of a cone
COLOURS = {"open": "grey", "sticking": "green", "sliding": "orange", "undetermined": "black"}
WORDS = {"open": "open contacts", "undetermined": "contacts that graze"}
MOST_OF = 0.95  # of the samples with forces: in the others, impacts mostly, arrows are cut
STEEPEST = 20.0  # a coefficient above it is drawn as that: a cone as wide as the picture hides everything
MOST_CONES = 8  # different coefficients of friction that have cones of their own, each an entry of the legend


class ContactSamples(NamedTuple):
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


def padded(samples: Sequence[ContactForces]) -> ContactSamples:
    """Collect the contacts of samples that may have different numbers of them, padded with NaN."""
    shape = len(samples), max((len(each) for each in samples), default=0)
    point, normal, force = (np.full((*shape, 3), np.nan) for _ in range(3))
    found = ContactSamples(point, normal, force, np.full(shape, np.nan), np.full(shape, "", dtype="U12"))
    for k, each in enumerate(samples):
        for name, array in zip(ContactSamples._fields, found, strict=True):
            array[k, : len(each)] = getattr(each, name)
    return found


def contact_overlays(samples: ContactSamples, size: float | None = None) -> tuple[Points | Arrows | Cones, ...]:
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
