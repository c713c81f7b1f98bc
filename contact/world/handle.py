"""One constraint of a world: its forces among those of all, and the wrench that it makes, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frames import frame_placement
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.errors import ConstraintError
from pluecker.contact.instants.wrenches import FUNCTION_WRENCHES, wrench_on
from pluecker.contact.world.running import run
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.arguments import as_numbers

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["JOINTS", "ConstraintHandle"]

JOINTS = "joints"  # what the rows of the model's own joints are called


@by_value("world", "number")
class ConstraintHandle:
    """One constraint of a world.

    Attributes:
        record: the constraint as it was given; None for the model's own joints.
        rows: where its rows are among all.
    """

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.record = world.constraints[number] if number < len(world.constraints) else None
        first = sum(len(part.rows) for part in world.parts[:number])
        self.rows = slice(first, first + len(world.parts[number].rows))

    @property
    def name(self) -> str:
        """Name of the constraint as it was given; ``"joints"`` for the model's own."""
        return JOINTS if self.record is None else self.record.name

    def forces(self, row_forces: Any) -> Array:
        """Select its own among the forces, or impulses, of all rows: of a result, or an array ``(..., n_rows)``."""
        own = getattr(row_forces, "forces", getattr(row_forces, "impulses", row_forces))
        array = as_numbers(f"World: constraint {self.name!r}", "forces", own)
        if array.shape[-1:] != (self.world.n_rows,):
            raise ConstraintError(
                f"{self.name}: forces have shape {array.shape}, expected (..., {self.world.n_rows}), one for each row"
            )
        return array[..., self.rows]

    def wrench(self, q: ArrayLike, row_forces: Any, frame: Frame | str | None = None) -> Array:
        """Compute the wrench of this constraint on the body that has a frame, in that frame.

        Args:
            q: configuration, ``(..., nq)``.
            row_forces: what :meth:`World.accelerations` or :meth:`World.impact` gave, or forces of all rows,
                ``(..., n_rows)``.
            frame: by name, or a :class:`Frame`; by default the constraint's second one. The moment is about its origin, the
                numbers are along its axes. The wrench on the first body is asked for with the first frame.

        Returns:
            ``[n; f]``, ``(..., 6)``; N m and N, or N m s and N s.

        Raises:
            ValueError: the constraint does not act on that body by wrenches, a shape does not fit.
            KeyError: there is no frame of that name.
        """
        world, parts = self.world, self.world.parts[self.number]
        place = self.own_frame() if frame is None else frame if isinstance(frame, Frame) else Frame(frame)
        signs = [self.sign(f, place) for f in parts.functions]
        if not any(signs):
            raise ConstraintError(f"{self.name}: it has no wrench on the body of frame {place.name!r}")
        units = run(world, FUNCTION_WRENCHES, (q,))
        own = list(world.packed.functions[self.number])
        T = self.placement(as_numbers("wrench", "q", q), place)
        R, x = T[..., :3, :3], T[..., :3, 3]
        total = wrench_on(parts, signs, units[..., own, :], self.forces(row_forces), x)
        n, f = (np.einsum("...ji,...j->...i", R, part) for part in (total[..., :3], total[..., 3:]))
        return np.concatenate([n, f], axis=-1)

    def own_frame(self) -> Frame:
        """Return the second frame of the constraint."""
        for function in self.world.parts[self.number].functions:
            if function.second is not None:
                return function.second
        raise ConstraintError(f"{self.name}: it acts on coordinates, not on bodies, and has no wrench")

    def sign(self, function: Any, frame: Frame) -> int:
        """Return 1 if a function acts on the body of a frame as on its second, -1 as on its first, 0 if not."""
        if function.second is None:
            return 0
        body = self.body(frame)
        return int(self.body(function.second) == body) - int(self.body(function.first) == body)

    def body(self, frame: Frame) -> int:
        """Return the number of the body that carries a frame, -1 for the world."""
        return body_number(self.world.model, frame.name)

    def placement(self, q: Array, frame: Frame) -> Array:
        """Compute the placement of a frame in the world, ``(..., 4, 4)``."""
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = frame.matrix, frame.position
        if self.body(frame) < 0:
            return np.broadcast_to(own, (*q.shape[:-1], 4, 4))
        return np.asarray(frame_placement(self.world.model, q, frame.name) @ own)

    def __repr__(self) -> str:
        return f"{self.name}: rows {self.rows.start} to {self.rows.stop - 1} of {self.world!r}"
