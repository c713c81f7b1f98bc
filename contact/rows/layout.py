"""Memory layout of the constraints of a world: one flat array of float64, and the only functions that know what is where.

Rows are sorted: first the *linear* ones (held, soft, rotors), in the order in which they are eliminated, then those with a
range, and of these those of contacts last: three rows each, and then two for each resistance to rolling, one for each to
spinning. A row has *values*: the entries of its row of the Jacobian J that can differ from zero. Those of one tree are a
*segment*.

==============  ========================================================================================================
part            contents
==============  ========================================================================================================
header          counts, and where the other parts begin
functions       one record a function: kind, the two links, its entries; its points and axes in link coordinates
entries         of each function, which freedom of which link adds to it, and with which sign
rows            one record a row: its values, terms, segments, law and numbers
terms           of each row, which function, with which coefficient, and to which values its entries go
columns         of each value, its place in v
segments        of each row, which tree, which of its values, and which pairs
pairs           of each segment of linear row j, the segments of linear rows i >= j on the same tree, and where S_ij is
factor          S = L D L' of the linear rows by columns: their places, the row of each place; by rows: column and place
ranges          rows with a range, as :mod:`~pluecker.articulated.stepping.terms.rows` has them
motions         of rows with a motion over time: the number of its pieces, of each its first time and four coefficients
kinds           of the blocks of rows with a range: their steps, and 0 for contacts, see :mod:`pluecker.spatial.dense`
touching        one record for each pair of shapes that may touch: their links, places, sizes, and where what they have is
==============  ========================================================================================================
"""

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, tail

__all__ = [
    "block_kinds", "column", "contact_count", "destination", "entry", "entry_count", "factor_column", "factor_count",
    "factor_row", "function_count", "function_entry", "function_number", "function_place", "linear_count", "pair",
    "range_count", "ranges", "resistance_count", "return_count", "row_count", "row_entry", "row_number", "segment",
    "staircase_count", "term", "term_coefficient", "touching_count", "touching_entry", "touching_numbers", "touching_place",
    "value_count",
]  # fmt: skip

# header
N_FUNCTIONS, N_ENTRIES, N_ROWS, N_LINEAR, N_VALUES, N_FACTOR, N_TURNS, N_CONTACTS = range(8)
FUNCTIONS, ENTRIES, ROWS, TERMS, DESTINATIONS, COLUMNS, SEGMENTS, PAIRS, BY_COLUMN, BY_ROW, RANGES, MOTIONS, KINDS = (
    range(8, 21)
)
N_TOUCHING, TOUCHING, TOUCHING_NUMBERS = 21, 22, 23  # how many numbers behind places of links belong to pairs of shapes
N_RESISTANCES, N_RETURNS = 24, 25  # rows of resistance to rolling and spinning; contacts with Poisson's coefficient
N_ROTORS, N_SLOTS = 26, 27  # linear rows of rotors; places where pairs of shapes may touch
PLAN = 28  # where the shapes are whose contacts are found, zero without such
ACCURACY = 29  # a number: the error of the law of contacts that is tolerated, beside the largest velocity of a step
HEADER = 30

# function record, integers first; then the points and axes
# (TURN_NUMBER: which of the angles that are counted over turns it is, -1 of what is none)
KIND, LINK_1, LINK_2, FIRST_ENTRY, ENTRY_COUNT, COORDINATE, POSITION, TURN_NUMBER = range(8)
POINT_1, POINT_2, AXIS_1, AXIS_2, SIDE_1 = 8, 11, 14, 17, 20
NEAR = POINT_1  # of a ROTATION, which has no point on the first body
FUNCTION = 24
# entry record: a freedom, its link, 1 on the way of the second body and -1 on that of the first; of a coordinate its place
# in v and the link 0
FREEDOM, LINK, SIGN = range(3)
ENTRY = 3
# row record, integers first; laws of linear rows
FIRST_VALUE, VALUE_COUNT, FIRST_TERM, TERM_COUNT, FIRST_SEGMENT, SEGMENT_COUNT, LAW, HOLONOMIC = range(8)
ROW_OFFSET, ROW_STIFFNESS, ROW_DAMPING, ROW_SPEED, ROW_INERTIA, ROW_FORCE, ROW_CORRECTION = range(8, 15)
# integers: where its motion begins among those of all rows, -1 without one; of a row of a contact which of the rows with a
# range is the normal
ROW_MOTION, ROW_NORMAL = 15, 16
ROW_RETURNED, ROW_KINETIC = 17, 18  # of a normal Poisson's coefficient, and that of what slides
ROW = 19
HELD, SOFT, ROTOR, RANGED, NORMAL, TANGENT, ROLLING, SPINNING = range(8)
# term record, the coefficient last
TERM_FUNCTION, TERM_DESTINATION, COEFFICIENT = range(3)
TERM = 3
# segment record
TREE, SEGMENT_VALUE, SEGMENT_LENGTH, FIRST_PAIR, PAIR_COUNT = range(5)
SEGMENT = 5
PAIR_SEGMENT, PAIR_PLACE = range(2)
PAIR = 2
# record of two shapes that may touch, in the order of their kernel, integers first: where the machine code of the kernel is,
# both links, how many slots there are, where the first one is, counted over all pairs and behind the places of links, where
# its calls are made, its first function and row with a range, whether the normal points from the second to the first; how
# many rows of resistance each slot has, and which the first of them is
CALL, SHAPE_LINK_1, SHAPE_LINK_2, SLOT_COUNT, FIRST_SLOT, SLOTS_AT, CALL_AT, FIRST_TOUCH, FIRST_RANGE, TURNED = range(
    10
)
RESISTANCES, FIRST_RESISTANCE = 10, 11
# where each shape is on its link: its axes as columns of a matrix, row by row, and its origin; sizes, velocities of their
# surfaces in axes of the links, the slack, and which share of the gap away from halfway between the surfaces they touch
SHAPE_1, SHAPE_2, SIZES, SURFACE_1, SURFACE_2, SLACK, SHIFT = 12, 24, 36, 42, 45, 48, 49
TOUCH_RECORD = 50
# in place of sizes, of the first shape or of the second, integers: where the numbers of a shape that comes as an array are,
# and how many there are
ARRAYS = SIZES, SIZES + 3
# what a slot has in a step, in the world: the place, normal, tangents, the gap, the feature
TOUCH_NORMAL, TOUCH_TANGENTS, TOUCH_GAP, TOUCH_FEATURE = 3, 6, 12, 13
TOUCH_SLOT = 14


@kernel
def function_count(w):
    """Return how many functions there are."""
    return load_integer(w, N_FUNCTIONS)


@kernel
def entry_count(w):
    """Return how many entries all functions have."""
    return load_integer(w, N_ENTRIES)


@kernel
def row_count(w):
    """Return how many rows there are."""
    return load_integer(w, N_ROWS)


@kernel
def linear_count(w):
    """Return how many rows are linear; they come first."""
    return load_integer(w, N_LINEAR)


@kernel
def range_count(w):
    """Return how many rows have a range; they come last."""
    return load_integer(w, N_ROWS) - load_integer(w, N_LINEAR)


@kernel
def contact_count(w):
    """Return how many contacts there are, whose rows come after all but those of their resistance."""
    return load_integer(w, N_CONTACTS)


@kernel
def resistance_count(w):
    """Return how many rows of resistance to rolling and spinning there are, which come last of all."""
    return load_integer(w, N_RESISTANCES)


@kernel
def return_count(w):
    """Return how many contacts return impulses, by Poisson's coefficient."""
    return load_integer(w, N_RETURNS)


@kernel
def staircase_count(w):
    """Return how many rows with a range are none of contacts; they come first."""
    return range_count(w) - 3 * contact_count(w) - resistance_count(w)


@kernel
def block_kinds(w, staircases, contacts):
    """Return a view of the kinds of so many rows with a range, and of so many contacts after them"""
    last = load_integer(w, KINDS) + staircase_count(w)
    return part(w, last - staircases, staircases + contacts)


@kernel
def value_count(w):
    """Return how many values all rows have."""
    return load_integer(w, N_VALUES)


@kernel
def factor_count(w):
    """Return how many entries of L are below the diagonal."""
    return load_integer(w, N_FACTOR)


@kernel
def function_place(w, k):
    """Return the offset of the record of function ``k``."""
    return load_integer(w, FUNCTIONS) + FUNCTION * k


@kernel
def function_entry(w, k, which):
    """Load an integer of function ``k``."""
    return load_integer(w, function_place(w, k) + which)


@kernel
def function_number(w, k, which):
    """Load a number of function ``k``."""
    return load(w, function_place(w, k) + which)


@kernel
def entry(w, e, which):
    """Load an integer of entry ``e``, counted over all functions."""
    return load_integer(w, load_integer(w, ENTRIES) + ENTRY * e + which)


@kernel
def row_entry(w, k, which):
    """Load an integer of row ``k``."""
    return load_integer(w, load_integer(w, ROWS) + ROW * k + which)


@kernel
def row_number(w, k, which):
    """Load a number of row ``k``."""
    return load(w, load_integer(w, ROWS) + ROW * k + which)


@kernel
def term(w, t, which):
    """Load an integer of term ``t``, counted over all rows."""
    return load_integer(w, load_integer(w, TERMS) + TERM * t + which)


@kernel
def term_coefficient(w, t):
    """Load the coefficient of a term."""
    return load(w, load_integer(w, TERMS) + TERM * t + COEFFICIENT)


@kernel
def destination(w, d):
    """Load the value, counted over all rows, to which an entry of a term goes."""
    return load_integer(w, load_integer(w, DESTINATIONS) + d)


@kernel
def column(w, k):
    """Load the place in v of value ``k``."""
    return load_integer(w, load_integer(w, COLUMNS) + k)


@kernel
def segment(w, s, which):
    """Load an integer of segment ``s``."""
    return load_integer(w, load_integer(w, SEGMENTS) + SEGMENT * s + which)


@kernel
def pair(w, p, which):
    """Load an integer of pair ``p``."""
    return load_integer(w, load_integer(w, PAIRS) + PAIR * p + which)


@kernel
def factor_column(w, k):
    """Return the offset of column ``k`` of L among its entries."""
    return load_integer(w, load_integer(w, BY_COLUMN) + k)


@kernel
def factor_row(w, p):
    """Load the row of entry ``p`` of L."""
    return load_integer(w, load_integer(w, BY_COLUMN) + linear_count(w) + 1 + p)


@kernel
def row_of_factor(w, k):
    """Return the offset of row ``k`` of L in the list of columns and places."""
    return load_integer(w, load_integer(w, BY_ROW) + k)


@kernel
def column_and_place(w, e):
    """Load an entry of the list of rows of L: the column, and the place of the entry of L"""
    k = load_integer(w, BY_ROW) + linear_count(w) + 1 + 2 * e
    return load_integer(w, k), load_integer(w, k + 1)


@kernel
def touching_count(w):
    """Return how many pairs of shapes may touch."""
    return load_integer(w, N_TOUCHING)


@kernel
def touching_numbers(w):
    """Return how many numbers behind the places of links belong to pairs of shapes."""
    return load_integer(w, TOUCHING_NUMBERS)


@kernel
def touching_place(w, c):
    """Return the offset of the record of pair ``c`` of shapes."""
    return load_integer(w, TOUCHING) + TOUCH_RECORD * c


@kernel
def touching_entry(w, c, which):
    """Load an integer of pair ``c`` of shapes."""
    return load_integer(w, touching_place(w, c) + which)


@kernel
def ranges(w):
    """Return the table of rows with a range, a view."""
    return tail(w, load_integer(w, RANGES))
