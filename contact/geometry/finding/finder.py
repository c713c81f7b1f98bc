"""The door for Python to the kernels that find contacts: memory for them, and what they cannot do.

A call says when it needs more room, when a kernel is not compiled yet, and which pairs have none; see
:func:`~pluecker.contact.geometry.finding.find.find_contacts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.geometry.contacts import Contacts, contacts_in
from pluecker.contact.geometry.finding import table
from pluecker.contact.geometry.finding.blocks import POSE
from pluecker.contact.geometry.finding.broad_phase import FARTHEST
from pluecker.contact.geometry.finding.coal_pairs import coal_contacts
from pluecker.contact.geometry.finding.find import (
    COMPLETE,
    PAIRS_LEFT,
    PAIRS_UNREADY,
    TOO_MANY,
    find_of_matrices,
    make_memory,
    store_found,
)
from pluecker.contact.geometry.finding.narrow_phase import (
    FOUND,
    LEFT,
    LEFT_AT,
    PAIR,
    PAIRS_AT,
    PAIRS_FOUND,
    POSES_AT,
    SLOTS_AT,
    UNREADY,
    UNREADY_AT,
)
from pluecker.contact.geometry.finding.scene import MARGIN, Scene
from pluecker.contact.geometry.slots import GAP, SLOT
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Finder"]

Integers = NDArray[np.int64]
FIRST_ROOM = 64  # contacts, and four of each collider besides
LISTED = 64  # pairs of a list
SPARE = 1.5  # times what was needed last


class Finder:
    """Memory in which the contacts of a scene are found, one call after another.

    Args:
        scene: the colliders.

    Attributes:
        work_f, work_i, out_f, out_i: arrays of :func:`~pluecker.contact.geometry.finding.find.find_contacts`; others once
            there was not enough room.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.n = scene, len(scene.bodies)
        self.make_room(FIRST_ROOM + 4 * self.n, LISTED)

    def make_room(self, contacts: int, listed: int) -> None:
        """Make arrays for so many contacts, and so many pairs in each list."""
        self.room, self.listed = contacts, listed
        self.work_f, self.work_i, self.out_f, self.out_i = make_memory(self.n, contacts, listed)

    def find(self, T: Array, far: Array) -> Contacts:
        """Find the contacts of shapes at placements ``(n, 4, 4)``; ``far`` is the reach of each collider, ``(n,)``, m."""
        T, far = np.ascontiguousarray(T).reshape(-1), np.ascontiguousarray(far)
        status = self.call(T, far)
        while status != COMPLETE:
            place = self.work_i[POSES_AT]
            again = self.go_on(status, self.work_f[place : place + POSE * self.n], far)
            status = self.call(T, far) if again else COMPLETE
        return self.contacts()

    def call(self, T: Array, far: Array) -> int:
        """Call the kernel once."""
        arrays = self.scene.numbers, self.scene.integers, T, far, self.work_f, self.work_i, self.out_f, self.out_i
        if DISABLE_JIT:
            with np.errstate(all="ignore"):
                return int(find_of_matrices(*arrays))
        return find_of_matrices(*arrays)

    def go_on(self, status: int, poses: Array, far: Array) -> bool:
        """Do what a call asked for: make room, compile kernels, or add the contacts of pairs without a kernel to the table,
        which is complete then. Return whether another call is needed.

        Args:
            status: what the call has returned.
            poses, far: as the call had them.
        """
        work, room, listed = self.work_i, self.room, self.listed
        if status & PAIRS_UNREADY:
            count = int(work[UNREADY])
            for i, j in pairs_in(work, UNREADY_AT, min(count, listed)):
                self.scene.prepare(i, j)
            listed *= 2 if count > listed else 1  # most may be of the same kinds
        if status & TOO_MANY:
            found, left = int(work[FOUND]), int(work[LEFT])
            room = int(SPARE * found) if found > room else room
            listed = int(SPARE * left) if left > listed else listed
        if room > self.room or listed > self.listed:
            self.make_room(room, listed)
        if status & (TOO_MANY | PAIRS_UNREADY):
            return True
        assert status == PAIRS_LEFT
        return not self.add_left(poses, far)

    def add_left(self, poses: Array, far: Array) -> bool:
        """Add the contacts of pairs without a kernel, by coal, and store the table; return whether there was room."""
        scene, work = self.scene, self.work_i
        rows = poses.reshape(-1, POSE)
        T = np.zeros((self.n, 4, 4))
        T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = rows[:, :9].reshape(-1, 3, 3), rows[:, 9:], 1.0
        pairs = work[work[PAIRS_AT] :][: PAIR * self.room].reshape(-1, PAIR)
        found: list[tuple[int, int, Array]] = []
        for i, j in pairs_in(work, LEFT_AT, int(work[LEFT])):
            margin = float(scene.numbers[MARGIN] + far[i] + far[j])
            margin = margin if margin <= FARTHEST else FARTHEST  # also where it is no number
            slots = coal_contacts(scene.shapes[i], T[i], scene.shapes[j], T[j], margin)
            slots = slots[slots[:, GAP] <= margin]
            slots = slots[np.argsort(slots[:, GAP + 1], kind="stable")]
            if scene.bodies[i] > scene.bodies[j]:
                slots[:, :3] *= -1.0
                i, j = j, i
            if len(slots):
                found.append((i, j, slots))
        first, last = int(work[FOUND]), int(work[FOUND]) + sum(len(slots) for _, _, slots in found)
        if last > self.room:
            self.make_room(int(SPARE * last), self.listed)
            return False
        for i, j, slots in found:
            pairs[work[PAIRS_FOUND]] = i, j, first, len(slots)
            at = work[SLOTS_AT] + SLOT * first
            self.work_f[at : at + slots.size] = slots.ravel()
            work[PAIRS_FOUND] += 1
            first += len(slots)
        work[FOUND] = last
        arrays = scene.numbers, scene.integers, poses, self.work_f, work, self.out_f, self.out_i
        with np.errstate(all="ignore"):
            store_found(*arrays)
        return True

    def contacts(self) -> Contacts:
        """Return the table that is stored now, a copy."""
        K = int(self.out_i[0])
        return contacts_in(self.out_i[: 1 + table.INTEGERS * K].copy(), self.out_f[: table.NUMBERS * K].copy())


def pairs_in(work: Integers, at: int, count: int) -> list[tuple[int, int]]:
    """Read so many pairs of the list whose place the header has there."""
    pairs: Any = work[work[at] :][: 2 * count].reshape(-1, 2).tolist()
    return [(i, j) for i, j in pairs]
