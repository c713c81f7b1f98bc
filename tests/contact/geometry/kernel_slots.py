"""Kernels of two convex shapes as compiled steps have them: all slots, with their features.

Steps read slots through an address, and no public name gives them with their features and for many poses at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.geometry.finding.calls import slots_of
from pluecker.contact.geometry.slots import GAP, OPEN

__all__ = ["Touch", "contacts", "deepest"]


class Touch(NamedTuple):
    """Contacts of one pair of poses, or the deepest ones of many: normal, point, gap, feature."""

    normal: np.ndarray
    point: np.ndarray
    gap: np.ndarray
    feature: np.ndarray


def parts(slots):
    """The columns of slots."""
    return Touch(slots[..., :3], slots[..., 3:6], slots[..., GAP], slots[..., GAP + 1])


def closed(slots):
    """The contacts of each pair."""
    return [parts(each[each[:, GAP] < OPEN / 2]) for each in slots]


def contacts(first, T1, second, T2, slack):
    """Return contacts of two shapes at many placements ``(n, 4, 4)``: a list of n."""
    return closed(slots_of(first, T1, second, T2, slack))


def deepest(first, T1, second, T2):
    """Return the deepest contact of each pair."""
    slots = slots_of(first, T1, second, T2, 0.0)
    return parts(np.take_along_axis(slots, slots[:, :, GAP].argmin(axis=1)[:, None, None], axis=1)[:, 0])
