"""Kernels of two convex shapes as compiled steps have them: all slots, with their features.

Steps read slots through an address, and no public name gives them with their features and for many poses at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.geometry.finding.calls import slots_of
from pluecker.contact.geometry.slots import GAP, OPEN

__all__ = ["Touch", "contacts"]


class Touch(NamedTuple):
    """Contacts of one pair of poses: normal, point, gap, feature."""

    normal: np.ndarray
    point: np.ndarray
    gap: np.ndarray
    feature: np.ndarray


def contacts(first, T1, second, T2, slack):
    """Return contacts of two shapes at many placements ``(n, 4, 4)``: a list of n."""
    pairs = (each[each[:, GAP] < OPEN / 2] for each in slots_of(first, T1, second, T2, slack))
    return [Touch(each[:, :3], each[:, 3:6], each[:, GAP], each[:, GAP + 1]) for each in pairs]
