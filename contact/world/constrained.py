"""Base of worlds: constraints as rows on a model, and algorithms that take these rows."""

from __future__ import annotations

from typing import Any

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import USER, Parts, Row
from pluecker.contact.constraints.user import refuse_broken_functions
from pluecker.contact.errors import ConstraintError, UnsolvedError
from pluecker.contact.instants.motions_at import prescribed_rows
from pluecker.contact.rows.packing import Packed, pack_constraints
from pluecker.contact.world.called import called
from pluecker.contact.world.found_contacts import FoundContacts
from pluecker.contact.world.gimbal_lock import refuse_gimbal_lock
from pluecker.contact.world.running import run
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.properties import cached_property

__all__ = ["Constrained", "refuse_contacts", "run_on_rows"]


class Constrained:
    """Model with constraints, and their rows."""

    model: Model
    constraints: tuple[Any, ...]
    limits: bool
    parts: tuple[Parts, ...]
    found_contacts: FoundContacts | None

    @cached_property
    def smooth(self) -> Model:
        """Model without dry friction, which is rows."""
        return self.model.replace(friction=0.0)

    @cached_property
    def packed(self) -> Packed:
        """Constraints as kernels read them."""
        return pack_constraints(self.model, self.parts)

    @cached_property
    def tables(self) -> dict[Any, Any]:
        """Cache of results about this world, which does not change: filled as functions run."""
        return {}

    @cached_property
    def laws(self) -> tuple[Row, ...]:
        """Rows of all constraints, each with its law; those of the model's own joints last."""
        return tuple(row for part in self.parts for row in part.rows)

    @cached_property
    def prescribed(self) -> tuple[tuple[int, Row], ...]:
        """The rows that are to be somewhere over time, or to move, with their numbers."""
        return prescribed_rows(self.laws)

    @cached_property
    def calls_python(self) -> bool:
        """True if a function of the user's is among the constraints, of Python's or machine code."""
        return any(f.kind == USER for part in self.parts for f in part.functions)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the constraints."""
        return tuple(each.name for each in self.constraints)

    @property
    def n_rows(self) -> int:
        """Number of rows of all constraints, with those of the joints."""
        return len(self.laws)


def refuse_contacts(world: Constrained, method: str) -> None:
    """Refuse contacts, which have impulses in steps, and no forces at an instant."""
    if world.packed.n_contacts or world.found_contacts is not None:
        touching = [] if world.found_contacts is None else ["shapes"]
        touching += [
            name for name, part in zip(world.names, world.parts, strict=False) if any(row.contact for row in part.rows)
        ]
        raise ConstraintError(
            f"World.{method}: contacts act in steps, by World.step and World.simulate; there are {', '.join(touching)}"
        )


def run_on_rows(
    world: Constrained, algorithm: Algorithm, inputs: tuple[Any, ...], threads: int | None
) -> tuple[Array, ...]:
    """An algorithm that gives coordinates of the model, numbers of rows, and what else it gives."""
    with called(algorithm.name):
        try:
            motion, rows, *more = run(world, algorithm, inputs, threads)
        except ArgumentValueError:
            q = inputs[[field.name for field in algorithm.inputs].index("q")]
            refuse_broken_functions(world.model, world.parts, q)
            refuse_gimbal_lock(world, algorithm.name, q)
            raise
        except UnsolvedError as error:
            error.args = (f"{error}; they are those of {names_of_ranged(world)}", *error.args[1:])
            raise
    return motion, rows[..., world.packed.place], *more


def names_of_ranged(world: Constrained) -> str:
    """List the names of the constraints that have limits, dry friction, motors or contacts; the model's joints last."""
    names = [shown(name) for name in world.names] + ["the model's joints"]
    return ", ".join(
        name for name, part in zip(names, world.parts, strict=True) if any(row.ranged for row in part.rows)
    )
