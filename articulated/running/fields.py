"""Fields, the inputs and results of algorithms: names, and shapes in the words of a model.

A shape is a tuple of whole numbers, of the words ``nq``, ``nv``, ``n_bodies``, and of functions of the model (and of the key
of what is asked for, such as a frame) where a word does not suffice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pluecker.articulated.model.model import Model
from pluecker.spatial.errors import shown

__all__ = ["STANDARD", "Field", "as_fields"]

# What the rows of an axis of that length are called: the attribute of the model that names them
LABELS = {"nq": "q_names", "nv": "v_names", "n_bodies": "body_names"}


@dataclass(frozen=True)
class Field:
    """An input or a result of an algorithm.

    Attributes:
        name: as the user knows it, for messages.
        shape: for one state.
        optional: whether it may be left out; the kernel then sees an array without entries.
        frames: for a result whose first axis are frames their names, from the model and the key.
    """

    name: str
    shape: tuple[int | str | Callable[..., int], ...]
    optional: bool = False
    frames: Callable[..., tuple[str, ...]] | None = None

    @property
    def axes(self) -> int:
        """Number of axes for one state."""
        return len(self.shape)

    @property
    def is_configuration(self) -> bool:
        """True for a configuration, whose quaternions must have unit length."""
        return self.shape == ("nq",)

    def shape_for(self, model: Model, key: tuple[Any, ...] = ()) -> tuple[int, ...]:
        """Return the shape for one state of a model."""
        if len(self.shape) == 1 and isinstance(self.shape[0], str):  # most of them
            return (getattr(model, self.shape[0]),)
        return tuple(
            getattr(model, n) if isinstance(n, str) else n if isinstance(n, int) else n(model, *key) for n in self.shape
        )

    def size_for(self, model: Model, key: tuple[Any, ...] = ()) -> int:
        """Return the number of entries for one state of a model."""
        return math.prod(self.shape_for(model, key))

    def label(self, model: Model, key: tuple[Any, ...], place: tuple[int, ...]) -> str | None:
        """Name what an entry belongs to, quoted: a coordinate, a body, or a frame, with that word before; else None."""
        if self.frames is not None:
            return f"frame {shown(self.frames(model, *key)[place[0]])}"
        for word, n in zip(self.shape, place, strict=True):
            if isinstance(word, str):
                return shown(getattr(model, LABELS[word])[n])
        return None


STANDARD = {
    **{name: Field(name, ("nq",)) for name in ("q", "q0", "q1")},
    **{name: Field(name, ("nv",)) for name in ("v", "a", "tau")},
    "f_ext": Field("f_ext", ("n_bodies", 6), optional=True),
}


def as_fields(fields: tuple[str | Field, ...]) -> tuple[Field, ...]:
    """Convert what a record declares to fields; names are those of :data:`STANDARD`."""
    return tuple(STANDARD[field] if isinstance(field, str) else field for field in fields)
