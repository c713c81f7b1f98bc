"""The colours of a film in a GIF, which has 256 for all of its pictures: so that a mark has one colour from first to last.

A palette that goes by areas, picture by picture, is all white and grey, and marks of one kind differ from picture to
picture. This one has the colours that most pixels of the film have as they are, and mixes what is left of others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["common_palette", "with_palette"]

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
