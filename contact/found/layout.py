"""Memory layout of a step with found contacts: the plan behind a world's rows, and the pieces of its workspace.

The *plan* stands in the scenario behind the rows of constraints: the counts and options below, then where each piece of
the workspace begins, then tables of the mechanism and of its shapes. The pieces whose sizes are known when a motion begins
come first; others have room for so many pairs, contacts and numbers, and a step that needs more says how much in the
*record of room*, is given it, and is taken again.
"""

from __future__ import annotations

from pluecker.contact.rows import layout
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.memory.arrays import integers, integers_in
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, tail

# counts and options, integers
COLLIDERS, TREES, SIZE, LAW, POISSON, PAIRS, CONTACTS, DATA, WORK, TOTAL, ROOM, OUTSIDE = range(12)
# numbers
RECOVERY, RECOVERY_SPEED, ACCURACY = range(12, 15)
# where each table begins, in the plan
(
    WAY_FIRST, WAY_FREEDOM, WAY_LINK, WAY_ROW, TREE_OF_BODY, START, SQUARE, COORDINATE_OF_ROW, ROW_OF_COORDINATE,
    COLLIDER_LINK, COLLIDER_BODY, COLLIDER_FRAME, CENTERS, RADII, FINDING_HEADER, ALONE, INVERSES, MASSES,
) = range(15, 33)  # fmt: skip
SCENE_NUMBERS, SCENE_INTEGERS = 33, 35  # addresses and lengths of what the search for contacts reads
PLACES = 37  # of each piece of the workspace, where it begins and how long it is

PIECES = (
    # where everything is, and the velocity without impulses
    "moments", "inverse", "mass", "links", "columns", "rows", "before", "free", "after", "poses", "reach", "far",
    # the table of contacts, see :mod:`~pluecker.contact.geometry.finding.table`, and what finding them takes
    "table_integers", "table_numbers", "finding_integers", "finding_numbers",
    # the problem of a step: J by blocks, sets, offsets, impulses
    "block_first", "block_column", "block_place", "block_low", "block_high", "block_data", "block_rows", "set_sizes",
    "set_friction", "set_lower", "set_upper", "offset", "compliance", "impulses", "speed", "moved",
    "least", "owner",
    # forces of a search before the last one in this step, from which the next begins
    "again",
    # which block rows are in play, and islands of these
    "working_set", "island_of_tree", "island_first", "island_blocks", "local", "counted",
    # what calls leave, what they are told; what anything else takes, one after the other
    "answer", "call", "work",
)  # fmt: skip
(
    MOMENTS, INVERSE, MASS, LINKS, COLUMNS, ROWS, BEFORE, FREE, AFTER, POSES, REACH, FAR, TABLE_INTEGERS,
    TABLE_NUMBERS, FINDING_INTEGERS, FINDING_NUMBERS, BLOCK_FIRST, BLOCK_COLUMN, BLOCK_PLACE, BLOCK_LOW, BLOCK_HIGH,
    BLOCK_DATA, BLOCK_ROWS, SET_SIZES, SET_FRICTION, SET_LOWER, SET_UPPER, OFFSET, COMPLIANCE, IMPULSES,
    SPEED, MOVED, LEAST, OWNER, AGAIN, WORKING_SET, ISLAND_OF_TREE, ISLAND_FIRST, ISLAND_BLOCKS, LOCAL, COUNTED,
    ANSWER, CALL, WORKING,
) = range(len(PIECES))  # fmt: skip
HEADER = PLACES + 2 * len(PIECES)

# the record of room: what a step needed; where the workspace of the last step is
NEEDS_PAIRS, NEEDS_CONTACTS, NEEDS_DATA, NEEDS_WORK, LAST_STEP, ROOM_SIZE = range(6)

# the answer of Python: the error, or how many contacts there are; the largest velocity, the fastest parting asked for,
# whether an impact comes first; how long the step is; what finding contacts has come to
ERROR, FASTEST, PARTING, HIT, STEP, STATUS = range(6)

CALL_SIZE = 12  # numbers of the arguments of a call

# what is remembered of a contact from step to step: both colliders, the feature; force and moment on the second body
REMEMBERED = 9

NCP, CCP, LCP, FRICTIONLESS = range(4)

# of the working set of a step, for each block row: it is without impulses, in an island that is solved, in one that is not
IDLE, SOLVED, UNSOLVED = range(3)

# what Python is asked for: contacts of pairs without a kernel, impulses of a problem
FIND, SOLVE = range(2)


@kernel
def plan(w):
    """Return the plan behind the rows of a world"""
    return tail(w, load_integer(w, layout.PLAN))


@kernel
def count(s, which):
    """Load a count, an option or an address of a plan"""
    return load_integer(s, which)


@kernel
def number(s, which):
    """Load a number of a plan"""
    return load(s, which)


@kernel
def table(s, which):
    """Return a table of numbers of a plan, up to its end"""
    return tail(s, load_integer(s, which))


@kernel
def index_table(s, which):
    """Return a table of integers of a plan, up to its end"""
    return integers(tail(s, load_integer(s, which)))


@kernel
def piece(s, ws, which):
    """Return a piece of the workspace, numbers"""
    return part(ws, load_integer(s, PLACES + 2 * which), load_integer(s, PLACES + 2 * which + 1))


@kernel
def index_piece(s, ws, which):
    """Return a piece of the workspace, integers"""
    return integers(piece(s, ws, which))


@kernel
def room_of(s):
    """View the record of room of a plan"""
    return integers_in(count(s, ROOM), ROOM_SIZE)


@kernel
def needs(s, which, n):
    """Record that a step needs room for n"""
    room = room_of(s)
    room[which] = max(room[which], n)


@kernel
def lacks_room(s):
    """Return whether a step before needed more room than there is; what is counted is in the order of the record"""
    room, lacks = room_of(s), False
    for k in range(LAST_STEP):
        lacks = lacks or room[k] > count(s, PAIRS + k)
    return lacks
