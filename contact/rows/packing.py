"""Packing of a world's constraints into an array, from their records: see :mod:`~pluecker.contact.rows.layout`.

Linear rows have an elimination order. Rows of one constraint go together. Two constraints are neighbours if they act on
the same tree. The one with the fewest neighbours goes first, and makes its neighbours neighbours of each other: with
chains and trees of bodies that fills nothing.

Source: Tinney, Walker (1967), "Direct solutions of sparse network equations by optimally ordered triangular factorization",
scheme 2: minimum degree.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.forces.packing import placed
from pluecker.articulated.model.layout import BODY, COUNT, FIRST, INTEGERS_OF_LINK, IV, PARENT
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms import rows as range_rows
from pluecker.contact.constraints.relation import (
    ANGLES,
    COORDINATE,
    NORMAL,
    ROLL,
    ROLLING,
    ROTATION,
    SLIP,
    SPIN,
    TOUCH,
    TOUCH_TURN,
    USER,
    Function,
    Parts,
    Row,
)
from pluecker.contact.friction.dense.cone_steps import CONTACT
from pluecker.contact.rows import layout
from pluecker.contact.rows.pack_touching import ShapePairs, pack_touching, shape_pairs_of
from pluecker.contact.rows.ranges.in_steps import STAIRCASE_STEPS
from pluecker.contact.rows.user import PARAMETERS

__all__ = ["Packed", "eliminate", "neighbours_of", "pack_constraints"]

LATE = (0, 1, 1, 2, 2)  # rows of contacts, and those of resistance, by what they are of a contact: none, NORMAL, ...


@dataclass(frozen=True, eq=False)
class Packed:
    """Constraints of a world as kernels read them.

    Attributes:
        array: see :mod:`~pluecker.contact.rows.layout`.
        rows: of each constraint, the numbers of its rows.
        place: of each row, counted over all constraints as they were given, which one of the array it is, ``(n_rows,)``.
        functions: of each constraint, the numbers of its functions.
        n_rows, n_linear, n_values, n_factor, n_functions, n_entries, n_turns, n_contacts: counts.
        n_rotors: how many linear rows are those of rotors.
        n_touching, n_slots, touching_numbers: of pairs of shapes, of places where they may touch, of numbers behind the
            places of links.
    """

    array: Array
    rows: tuple[tuple[int, ...], ...]
    place: NDArray[np.int64]
    functions: tuple[tuple[int, ...], ...]
    n_rows: int
    n_linear: int
    n_values: int
    n_factor: int
    n_functions: int
    n_entries: int
    n_turns: int
    n_contacts: int
    n_rotors: int
    n_touching: int
    n_slots: int
    touching_numbers: int


class Tree:
    """Data of a model that the packing needs: paths of its links, and the tree of each coordinate."""

    def __init__(self, model: Model) -> None:
        records = model.links[:, INTEGERS_OF_LINK].astype(np.int64)
        self.model, self.records = model, records
        self.links = np.zeros(model.n_bodies + 1, dtype=np.int64)
        moving = np.flatnonzero(records[1:, BODY] >= 0) + 1
        self.links[records[moving, BODY]] = moving
        rows = model.coordinate_tree
        self.tree_of_coordinate = np.empty(model.nv, dtype=np.int64)
        numbers = np.searchsorted(rows.first_row, np.arange(model.nv), side="right") - 1
        self.tree_of_coordinate[rows.v] = numbers

    def path(self, link: int) -> list[int]:
        """Return the links from this one to the world, which is not among them."""
        found = []
        while link > 0:
            found.append(link)
            link = int(self.records[link, PARENT])
        return found

    def entries(self, a: int, b: int) -> list[tuple[int, int, int, int]]:
        """Return freedom, link, sign and coordinate of all that moves link b against link a."""
        first, second = self.path(a), self.path(b)
        common = set(first) & set(second)
        found = []
        for path, sign in ((first, -1), (second, 1)):
            for i in path:
                if i not in common:
                    for k in range(int(self.records[i, COUNT])):
                        freedom, v = int(self.records[i, FIRST]) + k, int(self.records[i, IV]) + k
                        found.append((freedom, i, sign, v))
        return found


def pack_constraints(model: Model, parts: Sequence[Parts], accuracy: float) -> Packed:
    """Pack the parts of all constraints, in their order; ``accuracy`` is that of contacts."""
    tree = Tree(model)
    functions = [f for part in parts for f in part.functions]
    touching = shape_pairs_of(functions)
    first_function = np.cumsum([0, *(len(part.functions) for part in parts)])
    records, entries, columns = pack_functions(tree, functions, touching)
    order, linear, later = sort_rows(tree, parts, first_function, columns)
    table = RowPacking(tree, first_function, columns, [has_value(f) for f in functions])
    for c, k in order:
        table.add(c, parts[c].rows[k])
    n, by_column, by_row, places = factor_pattern(order[:linear], later)
    table.pair_segments(linear, places)
    table.name_normals(parts, order, linear)
    ranged = [parts[c].rows[k] for c, k in order[linear:]]
    n_contacts, resistances, returns = (
        sum(row.contact == NORMAL for row in ranged),
        sum(row.contact >= ROLLING for row in ranged),
        sum(row.returned > 0.0 for row in ranged),
    )
    kinds = [STAIRCASE_STEPS] * (len(ranged) - 3 * n_contacts - resistances) + [CONTACT] * (
        n_contacts + resistances + returns
    )
    row_of = {t: k for k, row in enumerate(order[linear:]) for t in used_functions(parts, first_function, row)}
    pieces = {
        layout.FUNCTIONS: records, layout.ENTRIES: integers(entries), layout.ROWS: np.array(table.rows).reshape(-1),
        layout.TERMS: np.array(table.terms).reshape(-1), layout.DESTINATIONS: integers(table.destinations),
        layout.COLUMNS: integers(table.columns), layout.SEGMENTS: integers(table.segments),
        layout.PAIRS: integers(table.pairs), layout.BY_COLUMN: integers(by_column), layout.BY_ROW: integers(by_row),
        layout.RANGES: pack_ranges(ranged), layout.MOTIONS: np.array(table.motions), layout.KINDS: integers(kinds),
        layout.TOUCHING: pack_touching(tree, touching, row_of),
    }  # fmt: skip
    n_turns = sum(f.kind in ANGLES for f in functions)
    counts = [len(functions), len(entries), len(order), linear, len(table.columns), n, n_turns, n_contacts]
    header = np.zeros(layout.HEADER, dtype=np.int64)
    header[: len(counts)] = counts
    header[layout.N_TOUCHING], header[layout.TOUCHING_NUMBERS] = len(touching.pairs), touching.numbers
    header[layout.N_RESISTANCES], header[layout.N_RETURNS] = resistances, returns
    laws = pieces[layout.ROWS].view(np.int64).reshape(-1, layout.ROW)[:linear, layout.LAW]
    header[layout.N_ROTORS], header[layout.N_SLOTS] = (laws == layout.ROTOR).sum(), touching.n_slots
    header.view(np.float64)[layout.ACCURACY] = accuracy
    place = layout.HEADER
    for part, values in pieces.items():
        header[part] = place
        place += len(values)
    numbers: dict[tuple[int, int], int] = {row: k for k, row in enumerate(order)}
    rows = tuple(tuple(numbers[c, k] for k in range(len(part.rows))) for c, part in enumerate(parts))
    return Packed(
        np.concatenate([header.view(np.float64), *pieces.values()]),
        rows,
        np.array([k for own in rows for k in own], dtype=np.int64),
        tuple(tuple(range(a, b)) for a, b in itertools.pairwise(first_function)),
        len(order), linear, len(table.columns), n, len(functions), len(entries), n_turns, n_contacts,
        int(header[layout.N_ROTORS]), len(touching.pairs), touching.n_slots, touching.numbers,
    )  # fmt: skip


def used_functions(parts: Sequence[Parts], first_function: Any, row: tuple[int, int]) -> list[int]:
    """Return the numbers of the functions of a row, counted over all constraints."""
    c, k = row
    return [int(first_function[c]) + t for t, _ in parts[c].rows[k].terms]


def integers(values: Any) -> Array:
    """Pack whole numbers by their bits."""
    return np.array(values, dtype=np.int64).reshape(-1).view(np.float64)


def pack_functions(
    tree: Tree, functions: Sequence[Function], touching: ShapePairs
) -> tuple[Array, list[tuple[int, int, int]], list[list[int]]]:
    """Pack functions: their records, the entries of all, and of each function the coordinates of its entries."""
    records: list[Array] = []
    entries: list[tuple[int, int, int]] = []
    columns: list[list[int]] = []
    turns = 0
    for f in functions:
        numbers = np.zeros(layout.FUNCTION)
        if f.kind == COORDINATE:
            own, a, b = [(f.coordinate, 0, 1, f.coordinate)], 0, 0
        elif f.kind == USER:
            own, a, b = [(j, 0, 1, j) for j in range(tree.model.nv)], 0, 0
        else:
            assert f.first is not None
            assert f.second is not None
            (a, T1), (b, T2) = (placed(tree.model, tree.links, frame.name) for frame in (f.first, f.second))
            own = tree.entries(a, b)
            R1, R2 = T1[:3, :3] @ f.first.matrix, T2[:3, :3] @ f.second.matrix
            x1 = T1[:3, :3] @ np.array(f.first.position) + T1[:3, 3]
            x2 = T2[:3, :3] @ np.array(f.second.position) + T2[:3, 3]
            data = [x1 + R1 @ f.point_1, x2 + R2 @ f.point_2, R1 @ f.axis_1, R2 @ f.axis_2, R1 @ f.side_1]
            numbers[layout.POINT_1 : layout.SIDE_1 + 3] = np.concatenate(data)
            if f.kind == ROTATION:
                numbers[layout.NEAR : layout.NEAR + 3] = f.near
        head = [f.kind, a, b, len(entries), len(own), f.coordinate, f.position, turns if f.kind in ANGLES else -1]
        if f.kind == USER:
            head[layout.COORDINATE], head[layout.POSITION] = f.user.address, tree.model.nq
            numbers[PARAMETERS : PARAMETERS + 1] = integers(f.user.parameters.ctypes.data)
        if f.kind in (TOUCH, TOUCH_TURN):
            head[layout.COORDINATE], head[layout.POSITION] = touching.places(tree.model.n_links, f)
        numbers[: len(head)] = integers(head)
        records.append(numbers)
        turns += f.kind in ANGLES
        entries += [entry[:3] for entry in own]
        columns.append([entry[3] for entry in own])
    return np.concatenate([np.zeros(0), *records]), entries, columns


def sort_rows(
    tree: Tree, parts: Sequence[Parts], first_function: Any, columns: list[list[int]]
) -> tuple[list[tuple[int, int]], int, list[set[int]]]:
    """Sort the rows in the order of the array, each as constraint and number; how many are linear; who meets whom later."""
    linear = [[k for k, row in enumerate(part.rows) if not row.ranged] for part in parts]
    trees: list[set[int]] = []
    for c, part in enumerate(parts):
        v = {j for k in linear[c] for t, _ in part.rows[k].terms for j in columns[first_function[c] + t]}
        trees.append({int(tree.tree_of_coordinate[j]) for j in v})
    order, later = eliminate(neighbours_of(trees), [len(own) for own in linear])
    sorted_rows = [(c, k) for c in order for k in linear[c]]
    ranged = [(c, k) for c, part in enumerate(parts) for k, row in enumerate(part.rows) if row.ranged]
    ranged.sort(key=lambda row: LATE[parts[row[0]].rows[row[1]].contact])  # all else as it was given
    return sorted_rows + ranged, len(sorted_rows), later


def has_value(f: Function) -> bool:
    """Return whether phi is known, and not its rate alone: not of coordinates whose rate is no derivative of a
    number in q.
    """
    return f.kind not in (SPIN, SLIP, ROLL, TOUCH_TURN) and (f.kind != COORDINATE or f.position >= 0)


class RowPacking:
    """Rows as they are packed, one after the other."""

    def __init__(self, tree: Tree, first_function: Any, function_columns: list[list[int]], valued: list[bool]) -> None:
        self.tree, self.first_function, self.function_columns = tree, first_function, function_columns
        self.valued = valued
        self.rows: list[Array] = []
        self.terms: list[Array] = []
        self.destinations: list[int] = []
        self.columns: list[int] = []
        self.segments: list[list[int]] = []
        self.pairs: list[tuple[int, int]] = []
        self.motions: list[float] = []

    def add(self, constraint: int, row: Row) -> None:
        """Add a row: its values are sorted by tree, so that those of a tree are one segment."""
        used = [(int(self.first_function[constraint]) + k, c) for k, c in row.terms]
        trees = self.tree.tree_of_coordinate
        v = sorted({j for k, _ in used for j in self.function_columns[k]}, key=lambda j: (trees[j], j))
        first_value, first_term, first_segment = len(self.columns), len(self.terms), len(self.segments)
        value_of = {j: first_value + k for k, j in enumerate(v)}
        for k, c in used:
            self.terms.append(np.concatenate([integers([k, len(self.destinations)]), [c]]))
            self.destinations += [value_of[j] for j in self.function_columns[k]]
        for t in sorted({int(trees[j]) for j in v}):
            own = [value_of[j] for j in v if trees[j] == t]
            self.segments.append([t, own[0], len(own), 0, 0])
        self.columns += v
        law = layout.RANGED if row.ranged else layout.ROTOR if row.inertia > 0.0 else layout.SOFT if row.soft else 0
        law = (law, layout.NORMAL, layout.TANGENT, layout.ROLLING, layout.SPINNING)[row.contact]
        head = [
            first_value, len(v), first_term, len(used), first_segment, len(self.segments) - first_segment, law,
            int(row.holonomic and all(self.valued[k] for k, _ in used)),
        ]  # fmt: skip
        numbers = [row.offset, row.stiffness, row.damping, row.speed, row.inertia, row.force, row.correction]
        place = len(self.motions) if row.motion is not None else -1
        if row.motion is not None:
            pieces = row.motion.pieces
            self.motions += [*integers([len(pieces)]), *pieces.ravel()]
        self.rows.append(np.concatenate([integers(head), numbers, integers([place, -1]), [row.returned, row.kinetic]]))

    def name_normals(self, parts: Sequence[Parts], order: list[tuple[int, int]], linear: int) -> None:
        """Set for each row of a contact which row with a range is its normal, the last one before it in the constraint."""
        place = {row: k for k, row in enumerate(order)}
        for c, k in order[linear:]:
            own = parts[c].rows
            if own[k].contact:
                normal = max(j for j in range(k + 1) if own[j].contact == NORMAL)
                self.rows[place[c, k]].view(np.int64)[layout.ROW_NORMAL] = place[c, normal] - linear

    def pair_segments(self, linear: int, places: dict[tuple[int, int], int]) -> None:
        """Pair each segment of row j with those of rows i >= j on its tree, and with where S_ij is."""
        heads = [row.view(np.int64) for row in self.rows[:linear]]
        on: dict[int, list[tuple[int, int]]] = {}
        for i, head in enumerate(heads):
            for s in range(head[layout.FIRST_SEGMENT], head[layout.FIRST_SEGMENT] + head[layout.SEGMENT_COUNT]):
                on.setdefault(self.segments[s][layout.TREE], []).append((i, s))
        for j, head in enumerate(heads):
            for s in range(head[layout.FIRST_SEGMENT], head[layout.FIRST_SEGMENT] + head[layout.SEGMENT_COUNT]):
                own = [(other, places[i, j]) for i, other in on[self.segments[s][layout.TREE]] if i >= j]
                self.segments[s][layout.FIRST_PAIR :] = [len(self.pairs), len(own)]
                self.pairs += own


def factor_pattern(
    order: list[tuple[int, int]], later: list[set[int]]
) -> tuple[int, list[int], list[int], dict[tuple[int, int], int]]:
    """Find the entries of L below the diagonal; by columns, by rows; and the place of each (row, column) in the factor."""
    rows_of: dict[int, list[int]] = {}
    for i, (c, _) in enumerate(order):
        rows_of.setdefault(c, []).append(i)
    n = len(order)
    starts, rows, by_row = [0], [], [[] for _ in range(n)]  # type: ignore[var-annotated]
    places = {(i, i): i for i in range(n)}
    for j, (c, _) in enumerate(order):
        below = [i for i in rows_of[c] if i > j] + sorted(i for other in later[c] for i in rows_of.get(other, []))
        for i in below:
            by_row[i].append((j, len(rows)))
            places[i, j] = 2 * n + len(rows)
            rows.append(i)
        starts.append(len(rows))
    ends = np.cumsum([0, *map(len, by_row)]).tolist()
    return len(rows), starts + rows, ends + [x for own in by_row for e in own for x in e], places


def pack_ranges(rows: Sequence[Row]) -> Array:
    """Pack rows with a range, as steps know those of coordinates: row k is on coordinate k."""
    table = np.array(
        [(k, k, r.friction, r.lower, r.upper, r.restitution, r.stiffness, r.damping) for k, r in enumerate(rows)]
    ).reshape(-1, range_rows.ROW)
    table.view(np.int64)[:, : range_rows.FRICTION] = table[:, : range_rows.FRICTION]
    return np.concatenate([np.array([len(table)]).view(np.float64), table.ravel()])


def neighbours_of(trees: Sequence[set[int]]) -> list[set[int]]:
    """Find for each constraint those that act on one of its trees, itself not among them."""
    on: dict[int, list[int]] = {}
    for k, own in enumerate(trees):
        for t in own:
            on.setdefault(t, []).append(k)
    return [{j for t in own for j in on[t]} - {k} for k, own in enumerate(trees)]


def eliminate(neighbours: Sequence[set[int]], weights: Sequence[int]) -> tuple[list[int], list[set[int]]]:
    """Find the order, and for each constraint those that come later and meet it when it is eliminated."""
    now = [set(own) for own in neighbours]
    order: list[int] = []
    later: list[set[int]] = [set() for _ in now]
    gone = [False] * len(now)
    heap = [(sum(weights[j] for j in own), k) for k, own in enumerate(now)]
    heapq.heapify(heap)
    while heap:
        degree, k = heapq.heappop(heap)
        if gone[k] or degree != sum(weights[j] for j in now[k]):
            continue
        gone[k] = True
        order.append(k)
        later[k] = now[k]
        for j in now[k]:
            now[j] = (now[j] | now[k]) - {j, k}
            heapq.heappush(heap, (sum(weights[i] for i in now[j]), j))
    return order, later
