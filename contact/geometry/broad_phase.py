"""Pairs of spheres that are near each other: the broad phase, in n log n.

Each shape is in a sphere. Spheres are sorted into classes of size, a factor of two wide; in each, and between each two,
a tree of SciPy (cKDTree) finds the pairs whose centres are near enough for the largest of both classes, and their own
radii decide. So a large sphere among many small ones does not make all small ones look far. Half-spaces, which have no
end, meet everything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.functions.elementwise import Array

__all__ = ["near_pairs"]

Pairs = NDArray[np.int64]


def near_pairs(centers: Array, radii: Array, margin: float) -> Pairs:
    """Find pairs i < j of spheres within the margin of each other, ``(m, 2)``, sorted; infinite radii are half-spaces."""
    from scipy.spatial import cKDTree  # here: it takes long to import

    bounded = np.flatnonzero(np.isfinite(radii))
    found = [everything_with(np.flatnonzero(np.isinf(radii)), bounded)]
    if len(bounded):
        classes = np.frexp(radii[bounded])[1]
        groups = [bounded[classes == each] for each in np.unique(classes)]
        trees = [cKDTree(centers[group]) for group in groups]
        for a, first in enumerate(groups):
            reach = 2.0 * radii[first].max() + margin
            found.append(first[trees[a].query_pairs(reach, output_type="ndarray").reshape(-1, 2)])
            for b in range(a + 1, len(groups)):
                reach = radii[first].max() + radii[groups[b]].max() + margin
                near = trees[a].sparse_distance_matrix(trees[b], reach, output_type="ndarray")
                found.append(np.stack([first[near["i"]], groups[b][near["j"]]], axis=1))
    pairs = np.sort(np.concatenate(found).astype(np.int64), axis=1)
    i, j = pairs[:, 0], pairs[:, 1]
    apart = np.linalg.norm(centers[j] - centers[i], axis=1)
    pairs = pairs[~(apart > radii[i] + radii[j] + margin)]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def everything_with(half_spaces: Pairs, bounded: Pairs) -> Pairs:
    """Pair each half-space with everything that is bounded."""
    return np.stack([np.repeat(half_spaces, len(bounded)), np.tile(bounded, len(half_spaces))], axis=1)
