"""Plan of a world with shapes, packed for its steps, and the room that these need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, solve_workspace
from pluecker.articulated.model.joints import FREE
from pluecker.articulated.model.layout import BODY, COUNT, FIRST, INERTIA, INTEGERS_OF_LINK, KIND, PARENT
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT
from pluecker.articulated.stepping.semi_implicit.free_velocity import free_velocity_workspace
from pluecker.articulated.stepping.terms.stage import stage_workspace
from pluecker.contact.found import layout
from pluecker.contact.found.smooth import rows_workspace
from pluecker.contact.geometry.collision import WorldShapes
from pluecker.contact.geometry.finding.find import make_memory
from pluecker.contact.geometry.finding.narrow_phase import WORK_HEADER
from pluecker.contact.rows import layout as rows_layout
from pluecker.contact.rows.motion import COLUMN, PLACE
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.ranges.in_steps import LAW, STAIRCASE_STEPS

__all__ = ["Plan", "Room", "size_of"]

FRICTION, ROLLING, SPINNING = 3, 5, 6  # components of a contact
LEAST = 1e-8  # eigenvalue of a scaled inertia, chosen: below it steps find by themselves what is left of its inverse
GROWTH = 1.5  # of room, beyond what a step needed
LAWS = {"ncp": layout.NCP, "ccp": layout.CCP, "lcp": layout.LCP, "frictionless": layout.FRICTIONLESS}


def size_of(surfaces: Array) -> int:
    """Return how many components contacts have, from friction, rolling and spinning friction of surfaces, ``(n, >= 3)``."""
    return SPINNING if surfaces[:, 2].any() else ROLLING if surfaces[:, 1].any() else FRICTION


@dataclass(frozen=True)
class Room:
    """Room for what a step finds: contacts, pairs without a kernel, numbers of J, scratch memory of its solver."""

    pairs: int
    contacts: int
    data: int
    work: int

    def numbers(self) -> list[int]:
        """List how much there is, in the order of the record in which steps say what they needed."""
        return [self.pairs, self.contacts, self.data, self.work]

    def grown(self, needs: Any) -> Room:
        """Return room for what was needed, and some more of what there was too little of."""
        return Room(*(int(GROWTH * n) + 8 if n > has else has for has, n in zip(self.numbers(), needs, strict=False)))


class Ways:
    """Paths of all bodies to the world, and the trees.

    Attributes:
        first: where the way of each body begins among the freedoms of all ways, ``(n_bodies + 1,)``.
        freedom, link, row: of each freedom on a way its number, the link that it moves, the row of its coordinate.
        tree: of each body, ``(n_bodies,)``.
        start: the first row of each tree, and nv at the end, ``(trees + 1,)``.
        square: where the inverse of each tree begins, ``(trees,)``.
        coordinate: of each row, ``(nv,)``.
        alone: 1 for each tree that is one body on a free joint, ``(trees,)``, whose A^-1 never changes.
        inverses, masses: A^-1 of these, and A, where the square of each begins.
        link_of_body: ``(n_bodies,)``.
    """

    def __init__(self, model: Model) -> None:
        records, trees = model.links[:, INTEGERS_OF_LINK].astype(np.int64), model.coordinate_tree
        moving = np.flatnonzero(records[1:, BODY] >= 0) + 1
        self.link_of_body = np.zeros(model.n_bodies, np.int64)
        self.link_of_body[records[moving, BODY]] = moving
        self.tree = trees.tree_of_link[self.link_of_body].astype(np.int64)
        bodies, links = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        body, at = np.arange(model.n_bodies), self.link_of_body
        while len(body):  # so many rounds as the longest path has links
            body, at = body[at > 0], at[at > 0]
            bodies.append(body)
            links.append(at)
            at = records[at, PARENT]
        b, i = np.concatenate(bodies), np.concatenate(links)
        order = np.argsort(b, kind="stable")
        b, i = b[order], i[order]
        count = records[i, COUNT]
        which = np.repeat(np.arange(len(i)), count)
        self.freedom = records[i[which], FIRST] + np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        self.link = i[which]
        self.first = np.searchsorted(b[which], np.arange(model.n_bodies + 1)).astype(np.int64)
        self.row = np.asarray(trees.row_of_freedom, np.int64)[self.freedom]
        self.start = np.asarray(trees.first_row, np.int64)
        squares = np.diff(self.start) ** 2
        self.square = np.cumsum(squares) - squares
        self.coordinate = np.asarray(trees.v, np.int64)
        self.alone = np.zeros(len(squares), np.int64)
        self.inverses, self.masses = np.zeros(int(squares.sum())), np.zeros(int(squares.sum()))
        roots = np.flatnonzero(records[:, KIND] == FREE)
        roots = roots[(np.bincount(trees.tree_of_link[1:])[trees.tree_of_link[roots]] == 1) & (roots > 0)]
        of_tree, inertias = trees.tree_of_link[roots], inertias_of(model.links[roots, INERTIA : INERTIA + 10])
        matrices, known = inverses_of(inertias)
        laws = (model.armature != 0.0) | (model.damping != 0.0) | (model.stiffness != 0.0)  # which add to it
        known &= ~laws[self.coordinate][self.start[of_tree, None] + np.arange(6)].any(axis=1)
        self.alone[of_tree[known]] = 1
        places = self.square[of_tree[known], None] + np.arange(36)
        self.inverses[places], self.masses[places] = (A[known].reshape(-1, 36) for A in (matrices, inertias))


def inertias_of(inertias: Array) -> Array:
    """Make the matrices of spatial inertias ``m, h, J``, ten numbers each.

    Source: RBDA section 2.13, ``[J, h~; -h~, m]``.
    """
    A, h, J = np.zeros((len(inertias), 6, 6)), inertias[:, 1:4], inertias[:, 4:]
    for k, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
        A[:, i, j] = A[:, j, i] = J[:, k]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        A[:, i, 3 + j] = A[:, 3 + j, i] = -h[:, k]
        A[:, j, 3 + i] = A[:, 3 + i, j] = h[:, k]
        A[:, 3 + i, 3 + i] = inertias[:, 0]
    return A


def inverses_of(A: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Compute the inverses of inertias, ``(n, 6, 6)``, and which of them rounding leaves any digits.

    Rows are divided by powers of two next to the roots of the diagonal, so that it does not matter how large a body is.
    """
    diagonal = np.einsum("...ii->...i", A)
    with np.errstate(all="ignore"):
        scale = np.ldexp(1.0, -(np.frexp(diagonal)[1] // 2))
        scaled = scale[:, :, None] * A * scale[:, None, :]
        known = (diagonal > 0.0).all(axis=1) & np.isfinite(scaled).all(axis=(1, 2))
        scaled[~known] = np.eye(6)
        known &= np.linalg.eigvalsh(scaled)[:, 0] > LEAST
        scaled[~known] = np.eye(6)
        inverse = np.linalg.inv(scaled)
        inverse = scale[:, :, None] * (0.5 * (inverse + np.swapaxes(inverse, 1, 2))) * scale[:, None, :]
    return inverse, known & np.isfinite(inverse).all(axis=(1, 2))


@dataclass(eq=False)
class Plan:
    """Plan of a world: its shapes with the law of their contacts, and what may be asked of Python.

    Attributes:
        model: without dry friction, which is rows.
        packed: the constraints.
        shapes: the colliders, and the law of their contacts.
        room: with which the next motion begins: as much as others needed.
        ways, size: paths of its bodies, and how many components contacts have.
        mass_ratio: of the heaviest link to the lightest, of those with mass.
    """

    model: Model
    packed: Packed
    shapes: WorldShapes
    room: Room = field(default_factory=lambda: Room(0, 0, 0, 0))
    packed_for: dict[Room, Array] = field(default_factory=dict, repr=False)
    ends_for: dict[Room, list[int]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.ways, self.size = Ways(self.model), size_of(self.shapes.collision.rows)
        n = len(self.shapes.collision.colliders)
        if not self.room.contacts:
            self.room = Room(64, 2 * n + 32, 12 * self.size * (2 * n + 32), 0)
        masses = self.model.links[:, INERTIA]
        masses = masses[masses > 0.0]
        self.mass_ratio = float(masses.max(initial=1.0) / masses.min(initial=masses.max(initial=1.0)))

    def pack(self, room: Room, needs: int, outside: int) -> Array:
        """Pack the plan as steps read it, with so much room.

        Args:
            room: for what a step finds.
            needs: the address of the record in which steps say what they needed.
            outside: that of what Python does for them.
        """
        if room not in self.packed_for:
            self.packed_for.clear()  # room only grows
            self.packed_for[room] = self.packed_with(room)
        plan = self.packed_for[room].copy()
        plan.view(np.int64)[[layout.ROOM, layout.OUTSIDE]] = needs, outside
        return plan

    def packed_with(self, room: Room) -> Array:
        """Pack all but addresses."""
        sizes, collision, ways = self.piece_sizes(room), self.shapes.collision, self.ways
        head = np.zeros(layout.HEADER)
        whole = head.view(np.int64)
        bodies = collision.bodies
        links = np.concatenate([ways.link_of_body, [0]])[bodies]
        numbers = (self.shapes.recovery, self.shapes.recovery_speed, self.shapes.accuracy)
        head[layout.RECOVERY : layout.RECOVERY + len(numbers)] = numbers
        whole[: layout.ROOM] = (
            len(collision.colliders), len(ways.square), self.size, LAWS[self.shapes.law],
            self.shapes.impacts == "poisson", room.pairs, room.contacts, room.data, sizes[-1], sum(sizes),
        )  # fmt: skip
        ends = np.cumsum(sizes)
        whole[layout.PLACES :: 2], whole[layout.PLACES + 1 :: 2] = ends - sizes, sizes
        frames = np.concatenate([collision.offsets[:, :3, :3].reshape(-1, 9), collision.offsets[:, :3, 3]], axis=1)
        row_of = np.empty(self.model.nv, np.int64)
        row_of[ways.coordinate] = np.arange(self.model.nv)
        tables: dict[int, Any] = {
            layout.WAY_FIRST: ways.first, layout.WAY_FREEDOM: ways.freedom, layout.WAY_LINK: ways.link,
            layout.WAY_ROW: ways.row, layout.TREE_OF_BODY: ways.tree, layout.START: ways.start,
            layout.SQUARE: ways.square, layout.COORDINATE_OF_ROW: ways.coordinate, layout.ROW_OF_COORDINATE: row_of,
            layout.COLLIDER_LINK: links, layout.COLLIDER_BODY: bodies, layout.COLLIDER_FRAME: frames,
            layout.CENTERS: collision.centers, layout.RADII: collision.radii,
            layout.FINDING_HEADER: make_memory(len(bodies), room.contacts, room.pairs).work_i[:WORK_HEADER],
            layout.ALONE: ways.alone, layout.INVERSES: ways.inverses, layout.MASSES: ways.masses,
        }  # fmt: skip
        scene = collision.scene
        for which, shared in ((layout.SCENE_NUMBERS, scene.numbers), (layout.SCENE_INTEGERS, scene.integers)):
            whole[which : which + 2] = shared.ctypes.data, len(shared)
        parts, place = [head], len(head)
        for which, values in tables.items():
            whole[which] = place
            array = np.ascontiguousarray(values).reshape(-1)
            parts.append(array.astype(np.int64).view(np.float64) if array.dtype.kind == "i" else array)
            place += len(array)
        return np.concatenate(parts)

    def piece_ends(self, room: Room) -> list[int]:
        """Return where each piece of the workspace begins, and where the last one ends; kept for the room there is."""
        if room not in self.ends_for:
            self.ends_for.clear()
            self.ends_for[room] = np.cumsum([0, *self.piece_sizes(room)]).tolist()
        return self.ends_for[room]

    def piece_sizes(self, room: Room) -> list[int]:
        """Compute the sizes of all pieces of the workspace, in their order."""
        model, packed, K, size = self.model, self.packed, room.contacts, self.size
        w = packed.array.view(np.int64)
        ranged, cones = packed.n_rows - packed.n_linear, packed.n_contacts
        plain, n, trees = ranged - 3 * cones, len(self.shapes.collision.colliders), len(self.ways.square)
        records = w[w[rows_layout.ROWS] :][: rows_layout.ROW * packed.n_rows].reshape(-1, rows_layout.ROW)
        segments = records[:, rows_layout.SEGMENT_COUNT]
        last = packed.n_linear + plain
        blocks = 2 * K + int(segments.sum() + (STAIRCASE_STEPS - 1) * segments[packed.n_linear : last].sum())
        groups = K + packed.n_linear + STAIRCASE_STEPS * plain + cones
        m = size * K + packed.n_linear + STAIRCASE_STEPS * plain + 3 * cones
        finding = make_memory(n, K, room.pairs)
        squares = int((np.diff(self.ways.start) ** 2).sum())
        rows = packed.n_values + packed.n_rows + 2 * packed.n_linear + (LAW + 1) * ranged
        sizes = dict.fromkeys(layout.PIECES, m) | {
            "moments": MOMENT * (model.n_links + 1), "inverse": squares, "mass": squares,
            "links": PLACE * (model.n_links + 1), "columns": COLUMN * len(model.freedoms), "rows": rows,
            "before": model.nv, "free": model.nv, "after": model.nv, "poses": 12 * n, "reach": n, "far": n,
            "table_integers": len(finding.out_i), "table_numbers": len(finding.out_f),
            "finding_integers": len(finding.work_i), "finding_numbers": len(finding.work_f), "block_first": groups + 1,
            "block_column": blocks, "block_place": blocks, "block_low": blocks,
            "block_high": blocks, "block_data": room.data, "block_rows": groups + 1,
            "set_sizes": 3 * groups, "set_friction": 3 * groups, "set_lower": groups,
            "set_upper": groups, "again": 1 + layout.REMEMBERED * K, "working_set": groups, "island_of_tree": trees,
            "island_first": trees + 2, "island_blocks": groups, "local": trees,
            "counted": 8, "answer": 8, "call": layout.CALL_SIZE, "work": self.work_size(ranged, m, room),
        }  # fmt: skip
        return [sizes[name] for name in layout.PIECES]

    def work_size(self, ranged: int, m: int, room: Room) -> int:
        """Compute how much scratch memory a step needs, with so many rows with a range, and so many rows in all at most."""
        model, packed = self.model, self.packed
        free = 6 * model.n_bodies + max(free_velocity_workspace(model), stage_workspace(model))
        smooth = factor_numbers(model) + max(free, model.nv + max(solve_workspace(model), factor_numbers(model)))
        rows = packed.n_functions + packed.n_entries + (LAW + 2) * ranged + packed.n_rows
        moves = 2 * model.nv + rows_workspace(model, packed)
        return max(smooth, rows, moves, m + model.nv, room.work)
