"""Memory of a world between steps besides q and v: a small record, which can be saved, and belongs to one world.

With q and v it is the state of a world. Joints that follow a motion have come to a time, gears have turned several times
around, rotors have a rate, and a step begins its search at the impulses of the one before. A step that is given q and v only
begins at time zero, with angles in (-pi, pi].

A world whose contacts are found in each step remembers their forces too, by the names of shapes and features.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.description import number
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.contact.constraints.relation import ANGLES, TOUCH, USER
from pluecker.contact.errors import ConstraintError, FileError
from pluecker.contact.found.layout import NEEDS_CONTACTS, REMEMBERED
from pluecker.contact.found.outside import Outside
from pluecker.contact.found.plan import Plan
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.running import run
from pluecker.contact.rows.functions import function_value
from pluecker.contact.rows.layout import (
    ARRAYS,
    CALL,
    FUNCTION,
    FUNCTIONS,
    TURN_NUMBER,
    function_count,
    function_entry,
    touching_place,
)
from pluecker.contact.rows.motion import PLACE, place_links
from pluecker.contact.rows.user import ADDRESS, PARAMETERS
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown
from pluecker.spatial.files import reason_of, whole_file
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.npz import npz_content, read_npz

__all__ = [
    "TURNS",
    "WorldMemory",
    "WorldState",
    "as_numbers_of",
    "as_numbers_with_contacts",
    "check_turns",
    "key_of",
    "memory_of_state",
    "numbers_kept",
    "own_with_contacts",
    "plan_of",
]

FEATURES = 2.0**31  # more than a pair of shapes has, of either sign: those of the edges of hulls are below zero
SAME_ANGLE = 1e-6  # rad: by which an angle may differ from the one that is remembered, whole turns aside
PARTS = ("key", "time", "turns", "impulses", "integrator", "own")


class Order(NamedTuple):
    """Order of the numbers that a step leaves for the next one: time, turns, impulses, rotors, contacts.

    Attributes:
        key: of the world.
        impulses, rotors: where these begin; behind the time are turns.
        contacts: where the number of contacts that were found is, and these behind it; None where none are found.
        place: of each row of the constraints among those of the kernels.
    """

    key: str
    impulses: int
    rotors: int
    contacts: int | None
    place: NDArray[np.int64]

    def part(self, name: str, numbers: Array) -> Array:
        """Take a part of a memory from these numbers."""
        if name == "turns":
            return numbers[1 : self.impulses]
        if name == "impulses":
            return numbers[self.impulses : self.rotors][self.place]
        if self.contacts is None:
            return numbers[self.rotors :]
        return np.concatenate([numbers[self.rotors : self.contacts], numbers[self.contacts + 1 :]])


@by_value()
@dataclass(frozen=True, eq=False)
class WorldMemory:
    """Memory of a world between two steps.

    Attributes:
        key: of the world that it belongs to.
        time: how long the motion lasts already; s.
        turns: angles about hinges, counted over whole turns, ``(..., n)``; rad.
        impulses: along the rows of all constraints in the last step, ``(..., n_rows)``, with which the next one begins
            its search; N s or N m s.
        integrator: that made the step.
        own: what that one remembers besides, ``(..., n)``.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact import World
        >>> lift = ModelBuilder()
        >>> lift.add_body("cabin", mass=2.0)
        >>> lift.add_joint("shaft", "prismatic", parent="world", child="cabin", axis=(0, 0, 1))
        >>> world = World(lift.build())
        >>> q, v, memory = world.step([0.0], [0.0], 0.01)
        >>> q, v, memory = world.step(q, v, 0.01, memory=memory)
        >>> round(memory.time, 6)
        0.02
    """

    key: str
    time: float
    turns: Array
    impulses: Array
    integrator: str = "semi_implicit"
    own: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name in ("key", "integrator"):
            if not isinstance(getattr(self, name), str):
                raise ArgumentTypeError(f"WorldMemory: {name} is {shown(getattr(self, name))}, expected a string")
        for name in ("turns", "impulses", "own"):
            numbers = as_numbers("WorldMemory", name, getattr(self, name))
            if not numbers.ndim:
                raise ConstraintError(f"WorldMemory: {name} is one number, expected (..., n)")
            object.__setattr__(self, name, numbers)
        object.__setattr__(self, "time", number("WorldMemory", "time", self.time))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Take a part from the numbers that a step left, when it is asked for: most steps only hand them on."""
            numbers, order = self.__dict__.get("numbers"), self.__dict__.get("order")
            if order is None or name not in ("turns", "impulses", "own"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            part = order.part(name, numbers)
            part.flags.writeable = False
            self.__dict__[name] = part
            return part

    def at_time(self, time: float) -> WorldMemory:
        """Return this memory as if the motion had lasted for another time; s."""
        return replace(self, time=time)

    def __repr__(self) -> str:
        turns, rows = self.turns.shape[-1], self.impulses.shape[-1]
        return f"<WorldMemory: t = {self.time:g} s, {turns} turns, {rows} rows, {self.integrator}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an NPZ file; one of that name is replaced, when the new one is there as a whole.

        Raises:
            FileError: it cannot be written; what was there before is still there.
        """
        check_path("WorldMemory.save", path)
        content = npz_content({name: np.asarray(getattr(self, name)) for name in PARTS})
        try:
            with whole_file(path) as file:
                file.write(content)
        except (OSError, ValueError) as error:
            raise FileError(f"WorldMemory.save: {shown(path)} cannot be written ({reason_of(error)})") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WorldMemory:
        """Read a file that :meth:`save` wrote.

        Raises:
            FileError: it cannot be read, is damaged, or holds something else.
        """
        check_path("WorldMemory.load", path)

        def refused(reason: str) -> FileError:
            return FileError(f"WorldMemory.load: {shown(path)} holds no memory of a world{reason}")

        try:
            parts, _ = read_npz(path, PARTS.__contains__)
        except (OSError, ValueError) as error:
            raise refused(f" ({reason_of(error)})") from None
        for name in PARTS:
            if not isinstance(parts.get(name), np.ndarray):
                raise refused(f" ({name} is no array in it)")
        numbers = ("time", "turns", "impulses", "own")
        if any(parts[name].dtype != np.float64 for name in numbers) or parts["time"].shape != ():
            raise refused(": its numbers are of another kind")
        words = {name: str(parts[name]) for name in ("key", "integrator") if parts[name].dtype.kind == "U"}
        if len(words) < 2 or any(parts[name].ndim for name in words):
            raise refused(": its words are of another kind")
        try:
            return cls(**{**parts, **words, "time": float(parts["time"])})
        except PlueckerError as error:
            raise refused(f" ({error})") from None


@by_value()
class WorldState(NamedTuple):
    """State of a world, as a tuple of three.

    Attributes:
        q, v: configuration and velocity, ``(..., nq)`` and ``(..., nv)``.
        memory: what there is to remember besides, for the next step.
    """

    q: Array
    v: Array
    memory: WorldMemory

    @property
    def time(self) -> float:
        """How long the motion lasts already; s."""
        return self.memory.time


def check_path(function: str, path: object) -> None:
    """Check that a path is one."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{function}: path is {shown(path)}, expected the path of a file")


def key_of(world: Constrained) -> str:
    """Compute a fingerprint of the model and the constraints as kernels read them; of users' functions their parameters."""
    found, array = hashlib.sha256(world.model.packed.tobytes()), world.packed.array.copy()
    place = int(array.view(np.int64)[FUNCTIONS])
    for k, function in enumerate(f for part in world.parts for f in part.functions):
        if function.kind == USER:  # addresses are others in each process
            array[[place + FUNCTION * k + which for which in (ADDRESS, PARAMETERS)]] = 0.0
            found.update(function.user.parameters.tobytes())
    pairs = [f.user[0] for part in world.parts for f in part.functions if f.kind == TOUCH]
    for c, pair in enumerate(dict.fromkeys(pairs)):
        array[touching_place(array, c) + CALL] = 0.0
        for k, numbers in pair.arrays.items():
            array[touching_place(array, c) + ARRAYS[k]] = 0.0
            found.update(numbers.tobytes())
    found.update(array.tobytes())
    if world.found_contacts is not None:
        found.update(world.found_contacts.key())
    return found.hexdigest()[:32]


def as_numbers_of(world: Constrained, q: Array, memory: Any, integrator: str, own: int) -> NDArray[np.float64] | None:
    """Convert a memory to the numbers that an integrator remembers, ``(..., n)``; None without one.

    Args:
        q: the state, ``(..., nq)``, that belongs to it.
        own: how many numbers the integrator remembers besides.

    Raises:
        TypeError: it is no memory.
        ConstraintError: it is of another world, or does not fit the state.
    """
    if memory is None:
        return None
    if not isinstance(memory, WorldMemory):
        raise ArgumentTypeError(f"World: memory is a {type(memory).__name__}, expected a WorldMemory")
    if memory.key != world.once(key_of):
        raise ConstraintError("World: the memory is of another world, with another model or other constraints")
    kept = numbers_kept(memory)
    if kept is not None and memory.integrator == integrator and len(kept) == world.once(order_of_numbers).rotors + own:
        check_turns(world, q, memory)
        return kept
    n_turns, n_rows = world.packed.n_turns, world.packed.n_rows
    shapes = memory.turns.shape, memory.impulses.shape
    if shapes[0][-1:] != (n_turns,) or shapes[1][-1:] != (n_rows,) or shapes[0][:-1] != shapes[1][:-1]:
        expected = f"(..., {n_turns}) and (..., {n_rows})"
        raise ConstraintError(f"World: the memory has turns {shapes[0]} and impulses {shapes[1]}, expected {expected}")
    if not np.isfinite(memory.turns).all() or not np.isfinite(memory.impulses).all() or not 0.0 <= memory.time < np.inf:
        raise ConstraintError("World: the memory holds numbers that are not finite, or a time below zero")
    check_turns(world, q, memory)
    batch = shapes[0][:-1]
    rest = np.zeros((*batch, own))
    if memory.integrator == integrator and memory.own.shape == rest.shape:
        rest = memory.own
    time = np.full((*batch, 1), memory.time)
    return np.concatenate([time, memory.turns, memory.impulses[..., np.argsort(world.packed.place)], rest], axis=-1)


def check_turns(world: Constrained, q: Array, memory: WorldMemory) -> None:
    """Refuse a state whose angles are not those that are remembered."""
    if not world.packed.n_turns or not memory.time > 0.0:
        return
    off = run(world, TURNS, (q,)) - memory.turns
    off = np.abs(off - 2.0 * np.pi * np.rint(off / (2.0 * np.pi)))
    if not off.max(initial=0.0) <= SAME_ANGLE:
        k = int(np.argwhere(off > SAME_ANGLE)[0][-1])
        named = zip(world.names, world.parts, strict=False)
        names = [name for name, part in named for f in part.functions if f.kind in ANGLES]
        raise ConstraintError(
            f"World: the state does not fit the memory: the angle of {shown(names[k])} is another one by "
            f"{off.max():.3g} rad; leave the memory out after a change of the state"
        )


# ----------------------------------------------------------------------------------------------- of contacts that are found


def plan_of(world: Constrained) -> Plan:
    """Return the plan of a world with shapes; kept with it, with the room that its steps have needed."""
    assert world.found_contacts is not None
    return Plan(world.smooth, world.packed, world.found_contacts)


def remembered_contacts(memory: WorldMemory, rotors: int, colliders: int) -> Array:
    """Read the forces of contacts from a memory, ``(..., K, 9)``, names before them; -1 in place of names of none.

    Raises:
        ConstraintError: it has something else.
    """
    own = memory.own
    if own.shape[:-1] != memory.turns.shape[:-1] or own.shape[-1] < rotors or (own.shape[-1] - rotors) % REMEMBERED:
        raise ConstraintError(
            f"World: the memory has numbers of its own of shape {own.shape}, expected {rotors} and {REMEMBERED} for each "
            "contact"
        )
    table = own[..., rotors:].reshape(*own.shape[:-1], -1, REMEMBERED)
    none = (table[..., :3] == -1.0).all(axis=-1)
    names = table[..., :3][~none]
    if not np.isfinite(own).all() or (names != np.floor(names)).any() or (names[:, :2] < 0).any():
        raise ConstraintError(
            "World: the memory names contacts by numbers that are not whole, or holds what is not finite"
        )
    if (names[:, :2] >= colliders).any() or (np.abs(names[:, 2]) >= FEATURES).any():
        raise ConstraintError(
            f"World: the memory names contacts of colliders that are not there; there are {colliders}"
        )
    return table


def as_numbers_with_contacts(world: Constrained, q: Array, memory: Any, name: str, outside: Outside) -> Array | None:
    """Return the numbers that the first step remembers, with room for contacts; None without memory."""
    rotors = world.packed.n_rotors
    if not isinstance(memory, WorldMemory) or memory.key != world.once(key_of):
        return as_numbers_of(world, q, memory, name, 0)
    kept = numbers_kept(memory)
    if kept is not None and memory.integrator == name:
        at = world.once(order_of_numbers).contacts
        assert at is not None
        outside.needs[NEEDS_CONTACTS] = int(kept[at])
        outside.grow()
        check_turns(world, q, memory)
        numbers = np.zeros(at + 1 + REMEMBERED * outside.room.contacts)
        numbers[: len(kept)] = kept
        return numbers
    table = remembered_contacts(memory, rotors, len(outside.plan.shapes.collision.colliders))
    outside.needs[NEEDS_CONTACTS] = table.shape[-2]
    outside.grow()
    rest = np.zeros((*memory.own.shape[:-1], rotors + 1 + REMEMBERED * outside.room.contacts))
    rest[..., :rotors] = memory.own[..., :rotors]
    rest[..., rotors] = (table[..., 0] >= 0.0).sum(axis=-1)
    rest[..., rotors + 1 : rotors + 1 + REMEMBERED * table.shape[-2]] = memory.own[..., rotors:]
    return as_numbers_of(world, q, replace(memory, own=rest), name, rest.shape[-1])


def order_of_numbers(world: Constrained) -> Order:
    """Return the order of the numbers that a step leaves for the next one."""
    packed = world.packed
    impulses = 1 + packed.n_turns
    rotors = impulses + packed.n_rows
    contacts = None if world.found_contacts is None else rotors + packed.n_rotors
    return Order(world.once(key_of), impulses, rotors, contacts, packed.place)


def memory_of_state(world: Constrained, numbers: Array, name: str) -> WorldMemory:
    """Make the memory of one state from the numbers with which a step ended; it keeps these for the next one."""
    order = world.once(order_of_numbers)
    if order.contacts is not None:
        numbers = numbers[: order.contacts + 1 + REMEMBERED * int(numbers[order.contacts])]
    numbers = numbers.copy()
    numbers.setflags(write=False)
    memory = object.__new__(WorldMemory)
    own = memory.__dict__
    own["key"], own["time"], own["integrator"], own["numbers"], own["order"] = (
        order.key, numbers.item(0), name, numbers, order,
    )  # fmt: skip
    return memory


def numbers_kept(memory: WorldMemory) -> Array | None:
    """Return the numbers that a memory keeps for the next step, as steps read them; None of one that was put together."""
    found: Array | None = memory.__dict__.get("numbers")
    return found


def own_with_contacts(own: Array, rotors: int) -> Array:
    """Return what a memory keeps of the numbers behind impulses: rotors, and contacts up to the most that a state has."""
    counts = own[..., rotors].astype(np.int64)
    most = int(counts.max(initial=0))
    table = own[..., rotors + 1 : rotors + 1 + REMEMBERED * most].reshape(*counts.shape, most, REMEMBERED).copy()
    none = np.arange(most) >= counts[..., None]
    table[none] = 0.0
    table[..., :3][none] = -1.0
    return np.concatenate([own[..., :rotors], table.reshape(*counts.shape, -1)], axis=-1)


# ------------------------------------------------------------------------------------------------------------------- kernel


@kernel
def turns_kernel(m, w, q, turns, ws):
    """Compute the angles that are counted over turns, in (-pi, pi]"""
    place_links(m, q, ws)
    for k in range(function_count(w)):
        if function_entry(w, k, TURN_NUMBER) >= 0:
            store(turns, function_entry(w, k, TURN_NUMBER), function_value(w, k, q, ws))


TURNS = Algorithm(
    "World.turns",
    turns_kernel,
    inputs=("q",),
    outputs=(Field("turns", (lambda model, packed: packed.n_turns,)),),
    constants=lambda model, packed: packed.array,
    workspace=lambda model, packed: PLACE * (model.n_links + 1),
    listed=False,
    lanes=False,  # which would take a dozen seconds to compile, for a look at a few angles
)
