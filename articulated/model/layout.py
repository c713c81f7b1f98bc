"""Layout of a model in memory: one flat array of float64, and the only functions that know where things are in it.

Counts, numbers and places are integers: they use the 64 bits of their entries as such, so that an algorithm which follows
the tree from parent to parent need not convert them.

Links are numbered 0 to n, 0 being the world, and sorted so that a parent comes before its children. A *link* is a moving
body with the joint that carries it; composite joints (cylindrical, universal, planar) add massless links that the user
never sees. A *freedom* is one column of a joint's motion subspace.

===================  ===========================================================================================
part                 contents
===================  ===========================================================================================
header               counts, gravity, and where the other parts begin
links                one record a link: parent, joint kind, where its q and v are, inertia, placement constants
freedoms             of each freedom: its column of S in link coordinates, and which inertia counts as zero
velocity table       armature, damping, friction, stiffness of each velocity coordinate
rest position        the configuration in which the springs are relaxed
trees                their number, then one record a tree: its rows, its links, where its factor is, and how it is solved
rows                 one record a row of the inertia matrix: its coordinate, its parent row, its depth, where it is packed,
                     and where it is in the factor
rows of freedoms     of each freedom its row
ancestors            of each entry of a factor the row that stands for its column, where the factor is one of the matrix
quaternions          their number, then where each begins in q
===================  ===========================================================================================
"""

from pluecker.spatial.algebra.inertia import load_rigid
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import load3, load_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, store, tail

# header
N_LINKS, NQ, NV, N_BODIES, GRAVITY, FREEDOMS, VELOCITIES, REST = 0, 1, 2, 3, 4, 7, 8, 9
HAS_ARMATURE, HAS_LOSSES, HAS_SPRINGS = 10, 11, 12
TREES, ROWS, ROW_OF_FREEDOM, FACTOR_SIZE, SHARES_ROWS, QUATERNIONS, ANCESTORS = 13, 14, 15, 16, 17, 18, 19
HEADER = 24

INTEGERS_OF_HEADER = (
    N_LINKS, NQ, NV, N_BODIES, FREEDOMS, VELOCITIES, REST, HAS_ARMATURE, HAS_LOSSES, HAS_SPRINGS, TREES, ROWS,
    ROW_OF_FREEDOM, QUATERNIONS, ANCESTORS, FACTOR_SIZE, SHARES_ROWS,
)  # fmt: skip

# link record, integers first
PARENT, BODY, KIND, OWNER, IQ, IV, COUNT, FIRST, RATIO, OFFSET = range(10)
INERTIA, PLACEMENT, SINE, COSINE, SLIDE = 10, 20, 32, 41, 50
LINK = 56
INTEGERS_OF_LINK = slice(PARENT, RATIO)

# freedom record: S, then what the threshold is, and what it gains with each unit of moment of inertia
THRESHOLD, WEIGHT = 6, 7
FREEDOM = 8

# tree record, of integers, behind their number; and row record
FIRST_ROW, ROW_COUNT, FIRST_LINK, LINK_COUNT, FACTOR, SWEEPS = range(6)
TREE = 6
UNBRANCHED = 2  # as the entry for sweeps, where 1 stands for sweeps of any tree
COORDINATE, PARENT_ROW, DEPTH, PLACE, FACTORED = range(5)
ROW = 5
SWEPT_ROW = 13  # how many numbers the factor of a tree has of each row, where sweeps solve it

# columns of the velocity table
ARMATURE, DAMPING, FRICTION, STIFFNESS = range(4)


@kernel
def link_count(m):
    """Number of links, the world not counted."""
    return load_integer(m, N_LINKS)


@kernel
def configuration_count(m):
    """nq"""
    return load_integer(m, NQ)


@kernel
def velocity_count(m):
    """nv"""
    return load_integer(m, NV)


@kernel
def body_count(m):
    """Number of moving bodies, as the user counts them."""
    return load_integer(m, N_BODIES)


@kernel
def quaternion_count(m):
    """Number of quaternions in a configuration."""
    return load_integer(m, load_integer(m, QUATERNIONS))


@kernel
def quaternion_place(m, k):
    """Return the index in q of the first entry of quaternion number ``k``."""
    return load_integer(m, load_integer(m, QUATERNIONS) + 1 + k)


@kernel
def base_acceleration(m):
    """a_0 = -g: gravity as an upward acceleration of the world (course, section 55; RBDA section 5.3)"""
    return ((0.0, 0.0, 0.0), (-load(m, GRAVITY), -load(m, GRAVITY + 1), -load(m, GRAVITY + 2)))


@kernel
def gravity(m):
    """Acceleration of free fall, 3 numbers, world axes."""
    return load3(m, GRAVITY)


@kernel
def parent(m, i):
    """The link that carries link ``i``."""
    return load_integer(m, HEADER + LINK * i + PARENT)


@kernel
def body(m, i):
    """The user's number of the body of link ``i``, or -1 for a link inside a composite joint."""
    return load_integer(m, HEADER + LINK * i + BODY)


@kernel
def kind(m, i):
    """The native joint kind of link ``i``."""
    return load_integer(m, HEADER + LINK * i + KIND)


@kernel
def owns_coordinates(m, i):
    """False for a mimic joint, whose coordinate belongs to another link."""
    return load_integer(m, HEADER + LINK * i + OWNER) != 0


@kernel
def first_q(m, i):
    """Return the index in q of the first coordinate of the joint of link ``i``."""
    return load_integer(m, HEADER + LINK * i + IQ)


@kernel
def first_v(m, i):
    """Return the index in v of the first coordinate of the joint of link ``i``."""
    return load_integer(m, HEADER + LINK * i + IV)


@kernel
def freedom_count(m, i):
    """Number of freedoms of the joint of link ``i``."""
    return load_integer(m, HEADER + LINK * i + COUNT)


@kernel
def first_freedom(m, i):
    """The number of the joint's first freedom, counted over all links."""
    return load_integer(m, HEADER + LINK * i + FIRST)


@kernel
def ratio(m, i):
    """Factor from the coordinate to the joint's own displacement: 1, or the multiplier of a mimic joint."""
    return load(m, HEADER + LINK * i + RATIO)


@kernel
def offset(m, i):
    """Offset of the joint's own displacement: 0, or the offset of a mimic joint."""
    return load(m, HEADER + LINK * i + OFFSET)


@kernel
def inertia(m, i):
    """Rigid-body inertia of link ``i`` in its own coordinates."""
    return load_rigid(m, HEADER + LINK * i + INERTIA)


@kernel
def placement(m, i):
    """Transform from the parent link to the joint's frame on it; for a 1-DoF joint the part that does not change with q."""
    return load_transform(m, HEADER + LINK * i + PLACEMENT)


@kernel
def constant_subspace(m, i, k):
    """S_k: column ``k`` of the motion subspace of joint ``i``, in link coordinates, as the record has it; of a joint whose S
    depends on q, what it is at q = 0."""
    return load_vector(m, load_integer(m, FREEDOMS) + FREEDOM * (first_freedom(m, i) + k))


@kernel
def threshold(m, i, k, moment):
    """Return the inertia up to which what freedom ``k`` of joint ``i`` moves is rounding error, with nothing to accelerate.

    ``moment`` is the largest moment of inertia from which anything was subtracted on the way.
    """
    record = load_integer(m, FREEDOMS) + FREEDOM * (first_freedom(m, i) + k)
    return load(m, record + THRESHOLD) + load(m, record + WEIGHT) * moment


@kernel
def velocity_table(m, column, k):
    """Armature, damping, friction or stiffness of velocity coordinate ``k``."""
    return load(m, load_integer(m, VELOCITIES) + column * load_integer(m, NV) + k)


@kernel
def has_armature(m):
    """Return whether any armature is not zero."""
    return load_integer(m, HAS_ARMATURE) != 0


@kernel
def has_losses(m):
    """Return whether any damping or dry friction is not zero."""
    return load_integer(m, HAS_LOSSES) != 0


@kernel
def has_springs(m):
    """Return whether any stiffness is not zero."""
    return load_integer(m, HAS_SPRINGS) != 0


@kernel
def rest_position(m):
    """The configuration in which all springs are relaxed: a scalar array of floats, of which the first nq count."""
    return tail(m, load_integer(m, REST))


@kernel
def tree_count(m):
    """Number of trees."""
    return load_integer(m, load_integer(m, TREES))


@kernel
def tree_entry(m, t, entry):
    """An entry of the record of tree ``t``: ``FIRST_ROW``, ``ROW_COUNT``, ``FIRST_LINK``, ``LINK_COUNT``, ``FACTOR``."""
    return load_integer(m, load_integer(m, TREES) + 1 + TREE * t + entry)


@kernel
def solved_by_sweeps(m, t):
    """Return whether the sweeps of the articulated-body algorithm solve tree ``t``, not a factor of its inertia matrix."""
    return tree_entry(m, t, SWEEPS) != 0


@kernel
def has_no_branches(m, t):
    """Return, for a tree that is solved by sweeps, whether each link but the first is carried by the one before."""
    return tree_entry(m, t, SWEEPS) == UNBRANCHED


@kernel
def row_coordinate(m, r):
    """The coordinate of row ``r``, as its place in v."""
    return load_integer(m, load_integer(m, ROWS) + ROW * r + COORDINATE)


@kernel
def row_parent(m, r):
    """The next row on the way from row ``r`` to the root, -1 at the root."""
    return load_integer(m, load_integer(m, ROWS) + ROW * r + PARENT_ROW)


@kernel
def row_depth(m, r):
    """Return the number of rows on the way from row ``r`` to the root, itself not counted."""
    return load_integer(m, load_integer(m, ROWS) + ROW * r + DEPTH)


@kernel
def row_place(m, r):
    """Return the index of row ``r``'s first entry in the packed inertia matrix: the entry in the root's column."""
    return load_integer(m, load_integer(m, ROWS) + ROW * r + PLACE)


@kernel
def factored_place(m, r):
    """Return the index of row ``r``'s first entry in the factor of the inertia matrix, or -1 if sweeps solve its tree."""
    return load_integer(m, load_integer(m, ROWS) + ROW * r + FACTORED)


@kernel
def ancestor(m, place):
    """Return the row that is the column of the factor's entry at index ``place``, from a table: no walk up the tree."""
    return load_integer(m, load_integer(m, ANCESTORS) + place)


@kernel
def row_of_freedom(m, f):
    """The row of freedom ``f``, counted over all links."""
    return load_integer(m, load_integer(m, ROW_OF_FREEDOM) + f)


@kernel
def factor_size(m):
    """Return how many numbers the factors of all trees have together."""
    return load_integer(m, FACTOR_SIZE)


@kernel
def shares_rows(m):
    """Return whether mimic joints make freedoms share a row of the inertia matrix."""
    return load_integer(m, SHARES_ROWS) != 0


@kernel
def clear(array, n):
    """Set the first ``n`` entries of a scalar array to zero."""
    for k in range(n):
        store(array, k, 0.0)
