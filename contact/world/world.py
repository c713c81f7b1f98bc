"""A world: a mechanism and constraints on it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.contact.constraints.relation import Parts
from pluecker.contact.world.accelerations import ACCELERATIONS
from pluecker.contact.world.joint_rows import joint_rows
from pluecker.contact.world.packing import Packed, pack_constraints

__all__ = ["ConstrainedAcceleration", "World"]


class ConstrainedAcceleration(NamedTuple):
    """How a world accelerates.

    Attributes:
        acceleration: ``(..., nv)``.
        forces: along the rows of all constraints, ``(..., n_rows)``, in the order of ``world.packed``.
    """

    acceleration: Array
    forces: Array


class World:
    """A mechanism and constraints on it; immutable, its state is ``(q, v)``.

    Attributes:
        model: the mechanism.
        constraints: records of :mod:`pluecker.contact.constraints`, in their order.
    """

    def __init__(self, model: Model, constraints: Iterable[Any] = (), *, limits: bool = True) -> None:
        self.model = as_model("World", model)
        self.constraints = tuple(constraints)
        self.limits = bool(limits)

    @cached_property
    def smooth(self) -> Model:
        """The model without dry friction, which is rows."""
        return self.model.replace(friction=0.0)

    @cached_property
    def parts(self) -> tuple[Parts, ...]:
        """Functions and rows of each constraint; those of the model's joints, dry friction and limits, come last."""
        return *(each.parts(self.model) for each in self.constraints), joint_rows(self.model, self.limits)

    @cached_property
    def packed(self) -> Packed:
        """The constraints as kernels read them."""
        return pack_constraints(self.model, self.parts)

    def accelerations(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None, *, threads: int | None = None
    ) -> ConstrainedAcceleration:
        """Accelerations and forces of constraints."""
        inputs = q, v, tau, LEFT_OUT if f_ext is None else f_ext
        return ConstrainedAcceleration(*ACCELERATIONS.call(self.smooth, inputs, None, threads, (self.packed,)))
