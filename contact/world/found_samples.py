"""Contacts of a motion whose contacts were found in each step: kept as a column of its trajectory.

=========  ===========================================================================================================
numbers    of one contact; NaN where a sample has fewer contacts than another
=========  ===========================================================================================================
0, 1       the two colliders, by number
2 to 4     the point; world, m
5 to 7     the normal; world axes
8          the gap; m
9 to 11    the force on the second body; world axes, N
12 to 14   its moment about the point, of rolling and spinning friction; N m
15 to 17   the slip; world axes, m/s
18         Coulomb's coefficient
=========  ===========================================================================================================

Of a sample, contacts are those of the step that begins there; of the last one those of the step before.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pluecker.articulated.errors import OutputError
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.friction.lcp.polygon import SIDES
from pluecker.contact.piles.step import PileStep, Touch
from pluecker.contact.world.contact_forces import ContactForces, states_of_contacts
from pluecker.contact.world.contact_overlays import ContactSamples, padded
from pluecker.contact.world.point_contacts import ContactsOfSamples, PointContacts
from pluecker.spatial.files import reason_of, take_room, undisturbed, whole_file, write_all

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["COLUMN", "FiledTouches", "FoundSamples", "contacts_of", "forces_found", "joined_contacts", "with_touches"]

COLUMN, NUMBERS = "found_contacts", 19


def numbers_of(touch: Touch) -> Array:
    """Pack the contacts of a step, ``(K, 19)``."""
    found = touch.found
    parts = (
        found.colliders, found.point, found.normal, found.gap[:, None], touch.force, touch.moment, touch.slip,
        touch.friction[:, None],
    )  # fmt: skip
    return np.concatenate([np.asarray(part, np.float64) for part in parts], axis=1)


class FiledTouches:
    """Contacts of the samples of a motion, on their way to a file beside others that a recording leaves in a folder.

    How many contacts a sample has at most is known at the end: until then they stand in a file that has no name.

    Raises:
        OutputError: of every method: the disk is full, or the like.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder, self.counts = folder, array("q")
        self.file: Any = None

    def append(self, touch: Touch) -> None:
        """Append the contacts of one more sample."""
        with self.writing():
            if self.file is None:
                self.file = tempfile.TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115, open until all have come
                weakref.finalize(self, self.file.close)  # also where a motion ends in an error
            write_all(self.file, numbers_of(touch).tobytes())
        self.counts.append(len(touch.found))

    def column(self, samples: int) -> Array:
        """Write the file, and map it, ``(samples, K, 19)``; to be called when the last sample has come."""
        counts = self.counts[:samples]
        shape = samples, max(counts, default=0), NUMBERS
        path = os.path.join(self.folder, f"{COLUMN}.npy")
        with self.writing():
            undisturbed(partial(self.fill, path, shape, counts))
        return np.load(path, mmap_mode="r").view(np.ndarray) if shape[1] else np.zeros(shape)

    def fill(self, path: str, shape: tuple[int, int, int], counts: Sequence[int]) -> None:
        """Write the file, sample by sample."""
        with whole_file(path) as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
            file.flush()
            start = file.tell()
            take_room(file, start, 8 * math.prod(shape))
            file.seek(start)
            if self.file is not None:
                self.file.seek(0)
            for k in range(shape[0]):
                sample = np.full(shape[1:], np.nan)
                if k < len(counts) and counts[k]:
                    sample[: counts[k]] = np.frombuffer(self.file.read(8 * NUMBERS * counts[k])).reshape(-1, NUMBERS)
                file.write(np.ascontiguousarray(sample, "<f8").tobytes())

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Turn errors of the system that are raised inside into one of this package."""
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"simulate: record_to: {COLUMN}.npy cannot be written ({reason_of(error)}), the contacts that were found"
            ) from None


def touches_as_column(steps: PileStep, samples: int) -> Array:
    """Collect the contacts of so many samples, ``(samples, K, 19)``, padded with NaN."""
    kept = steps.kept
    if isinstance(kept, FiledTouches):
        if len(kept.counts) < samples and steps.touch is not None:
            kept.append(steps.touch)
        return kept.column(samples)
    assert isinstance(kept, list)
    tables = [numbers_of(touch) for touch in kept[:samples]]
    if len(tables) < samples and steps.touch is not None:
        tables.append(numbers_of(steps.touch))
    column = np.full((samples, max((len(table) for table in tables), default=0), NUMBERS), np.nan)
    for k, table in enumerate(tables):
        column[k, : len(table)] = table
    return column


def with_touches(world: World, trajectory: Trajectory, steps: PileStep) -> dict[str, Array]:
    """Return the columns of a motion with one for found contacts, and zeros for ``constraint_forces`` if that is missing."""
    n = len(trajectory)
    none = {"constraint_forces": np.zeros((n, world.n_rows))}
    return {**none, **trajectory.columns, COLUMN: touches_as_column(steps, n)}


def forces_of_numbers(world: World, q: Array, table: Array) -> ContactForces:
    """Describe the contacts of one sample."""
    assert world.found_contacts is not None
    collision, law = world.found_contacts.collision, world.found_contacts.law
    colliders = table[:, :2].astype(np.int64)
    names = np.array([collider.name for collider in collision.colliders], np.str_)
    normal, force, gap, slip = table[:, 5:8], table[:, 9:12], table[:, 8], table[:, 15:18]
    friction = np.zeros(len(table)) if law == "frictionless" else table[:, 18]
    state = states_of_contacts(normal, force, slip, gap, friction, SIDES if law == "lcp" else None)
    return ContactForces(
        world.model, q, collision.bodies[colliders], names[colliders], normal, force, table[:, 2:5], gap, slip, friction,
        state, table[:, 12:15],
    )  # fmt: skip


def forces_found(world: World, q: Array, touch: Touch) -> ContactForces:
    """Describe the contacts that were found in a step from the configuration q."""
    return forces_of_numbers(world, q, numbers_of(touch))


def joined_contacts(first: ContactForces, second: ContactForces) -> ContactForces:
    """Join two records of contacts; the configuration is that of the second."""
    if not len(first):
        return second
    names = ("bodies", "names", "point", "normal", "gap", "force", "slip", "friction", "state", "moment")
    parts: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in (first, second)]) for name in names}
    return ContactForces(second.model, second.q, **parts)


class FoundSamples(ContactsOfSamples):
    """Contacts of each sample of a motion, those of constraints and those that were found."""

    def __init__(self, world: World, others: Sequence[ContactForces], q: Array, column: Array) -> None:
        self.world, self.others, self.q, self.column = world, others, q, column

    def at(self, sample: int) -> ContactForces:
        table = self.column[sample]
        found = forces_of_numbers(self.world, self.q[sample], table[~np.isnan(table[:, 0])])
        return joined_contacts(self.others[sample], found)

    def samples(self) -> ContactSamples:
        return padded(list(self))


def contacts_of(world: World, trajectory: Trajectory) -> ContactsOfSamples:
    """Describe the contacts of one motion in which the forces of constraints were recorded."""
    assert trajectory.q is not None
    assert trajectory.v is not None
    forces = np.asarray(trajectory.columns["constraint_forces"])
    of_rows = PointContacts(world, trajectory.q, trajectory.v, forces)
    if COLUMN not in trajectory.columns:
        return of_rows
    return FoundSamples(world, of_rows, trajectory.q, np.asarray(trajectory.columns[COLUMN]))
