"""Joint types: the one place where they are defined.

Four native kinds suffice. The motion subspace ``S`` of the first three is constant in the coordinates of the body they
carry, so that it adds no bias to accelerations (RBDA section 4.4):

- ``ONE_DOF``: revolute, prismatic and helical joints about or along any axis ``u``. With ``x`` the displacement,
  ``E(x) = B0 + B1 sin x + B2 cos x`` and ``r(x) = r0 + r1 x``; the constants contain the placement on the parent, and no
  axis is special. A mimic joint reads ``x = ratio q + offset`` from the coordinate of another joint.
- ``SPHERICAL``: a quaternion; ``v`` is the angular velocity in body coordinates.
- ``FREE``: position and quaternion; ``v`` is the spatial velocity in body coordinates, angular part first.
- ``EXPONENTIAL``: a rotation vector; ``v`` is its rate of change, and S depends on q. Its formulas are in
  :mod:`~pluecker.articulated.model.exponential`.

Algorithms ask for :func:`subspace`, :func:`joint_motion` (S u), :func:`joint_motions` (S v, and S a + dS/dt v),
:func:`add_subspace_rate` (dS/dt v) and :func:`add_joint_force` (S^T f), and so serve all kinds alike.

Every other joint is a chain of 1-DoF joints through massless bodies, listed in :data:`JOINT_TYPES`. To add a joint type,
add a line there; to add a native kind, add a line to :data:`NATIVE` too, and give it a branch in each of the functions
below that asks for the kind. What the rest of the package has to know follows from the two records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.exponential import (
    carried_rate,
    difference_exponential,
    exponential_products,
    exponential_rotation,
    shortest,
    spring_exponential,
    unit_vector,
)
from pluecker.articulated.model.layout import (
    COSINE,
    HEADER,
    IQ,
    KIND,
    LINK,
    PLACEMENT,
    RATIO,
    SINE,
    SLIDE,
    STIFFNESS,
    constant_subspace,
    first_q,
    first_v,
    freedom_count,
    kind,
    link_count,
    offset,
    placement,
    ratio,
    rest_position,
    velocity_table,
)
from pluecker.spatial.algebra.motions import logarithm_transpose, translation_from_twist, twist_from_translation
from pluecker.spatial.algebra.rotations import (
    load_quaternion,
    quaternion_conjugate,
    quaternion_from_rotation_vector,
    quaternion_normalize,
    quaternion_product,
    rotation_from_quaternion,
    rotation_vector_from_quaternion,
    store_quaternion,
)
from pluecker.spatial.algebra.transforms import load_matrix, store_transform
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    dot,
    dot3,
    load3,
    multiply3,
    rotate,
    rotate_back,
    scale,
    scale3,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel, unlikely
from pluecker.spatial.engine.scalars.operations import accumulate, lift, load, sincos, store

Array = NDArray[np.float64]
ONE_DOF, SPHERICAL, FREE, EXPONENTIAL = range(4)
AXES = np.eye(6)
SLACK = 1e-6  # by which constants may differ from what they should be: files are rounded


@dataclass(frozen=True)
class NativeKind:
    """A kind that kernels know, by its number; how many entries of q it has, and which velocities of its body are free.

    These, as places among ``[w; v]``, are the columns of S. Those of a 1-DoF joint depend on its axis. A kind that is ours
    alone has no equivalent in Pinocchio, though one there may have as many coordinates.
    """

    number: int
    nq: int = 1
    free: tuple[int, ...] = ()
    ours_alone: bool = False

    @property
    def nv(self) -> int:
        return len(self.free) or 1


# The first word of a part of a joint type's chain -> its kind
NATIVE = {
    "revolute": NativeKind(ONE_DOF),
    "prismatic": NativeKind(ONE_DOF),
    "helical": NativeKind(ONE_DOF),
    "spherical": NativeKind(SPHERICAL, 4, (0, 1, 2)),
    "free": NativeKind(FREE, 7, (0, 1, 2, 3, 4, 5)),
    "exponential": NativeKind(EXPONENTIAL, 3, (0, 1, 2), ours_alone=True),
}


def native_kind(part: str) -> NativeKind:
    """The kind of a part of a chain: of ``"revolute 0"``, ``"free"``."""
    return NATIVE[part.split()[0]]


@dataclass(frozen=True)
class JointType:
    """Joint type that a user may ask for: its chain of native joints, names and units of its coordinates, and its axes."""

    # "revolute", "prismatic", "helical" about an axis of the user's by number, or of the joint's frame by letter; or a
    # native kind
    chain: tuple[str, ...]
    q_labels: tuple[str, ...]
    v_labels: tuple[str, ...]
    q_units: tuple[str, ...]  # "rad", "m", or "" for the entries of a quaternion
    axes: int = 1  # that the user has to give
    plane: bool = (
        False  # whether the axis is the normal of a plane, with two axes in it, of which the user may give one
    )
    pitch: bool = False  # whether it has one

    @property
    def nq(self) -> int:
        return len(self.q_labels)

    @property
    def nv(self) -> int:
        return len(self.v_labels)

    @property
    def one_freedom(self) -> bool:
        """True if the joint has one position and one velocity coordinate; such joints can mimic each other."""
        return self.nq == self.nv == 1

    @property
    def rate_is_velocity(self) -> bool:
        """True if q is a vector whose rate of change is v, as in chains of 1-DoF joints. (Exponential coordinates change at
        v too, but are replaced by equivalent ones beyond half a turn.)
        """
        return all(native_kind(part).number == ONE_DOF for part in self.chain)

    @property
    def quaternion(self) -> int | None:
        """Index of the quaternion's first entry among the joint's q, None without a quaternion."""
        return self.q_labels.index(QUATERNION[0]) if QUATERNION[0] in self.q_labels else None

    @property
    def neutral(self) -> tuple[float, ...]:
        """Coordinates without displacement: zeros, and the identity quaternion."""
        return tuple(1.0 if label == QUATERNION[0] else 0.0 for label in self.q_labels)

    @property
    def scalar_last(self) -> tuple[int, ...]:
        """Indices of its coordinates in the order of other libraries: quaternions ``[x, y, z, w]``."""
        order = list(range(self.nq))
        if self.quaternion is not None:
            order.insert(self.quaternion + 3, order.pop(self.quaternion))
        return tuple(order)

    @property
    def linear_first(self) -> tuple[int, ...]:
        """Indices of its velocities in the order of other libraries: the linear ones before the angular ones."""
        return tuple(sorted(range(self.nv), key=lambda k: not self.v_labels[k].startswith("v")))


QUATERNION = ("qw", "qx", "qy", "qz")
NO_UNITS = ("", "", "", "")
OMEGA = ("wx", "wy", "wz")
ANGLE_AND_SLIDE, TWO_ANGLES = ("angle", "slide"), ("angle1", "angle2")
IN_PLANE = ("x", "y", "angle")
EULER_ANGLES = ("angle1", "angle2", "angle3")
ROTATION_VECTOR = ("rx", "ry", "rz")
EULER_SEQUENCES = ("xyx", "xyz", "xzx", "xzy", "yxy", "yxz", "yzx", "yzy", "zxy", "zxz", "zyx", "zyz")


def euler_joint(sequence: str) -> JointType:
    """Three hinges through massless bodies, about axes of the frames that the ones before have turned: intrinsic angles.

    R = R_1(angle1) R_2(angle2) R_3(angle3), body to parent. ``v`` is the rate of the angles. Where the first axis and the
    last one are in line (second angle 0 or pi in sequences like zxz, pi/2 or -pi/2 in those like xyz), the angles do not
    determine a turn about the axis that is missing: inverse dynamics and kinematics hold there, but no finite acceleration
    belongs to a general force, and :func:`aba` names the joint as singular.
    """
    chain = tuple(f"revolute {axis}" for axis in sequence)
    return JointType(chain, EULER_ANGLES, EULER_ANGLES, ("rad",) * 3, axes=0)


JOINT_TYPES = {
    "fixed": JointType((), (), (), (), axes=0),
    "revolute": JointType(("revolute 0",), ("",), ("",), ("rad",)),
    "continuous": JointType(("revolute 0",), ("",), ("",), ("rad",)),
    "prismatic": JointType(("prismatic 0",), ("",), ("",), ("m",)),
    "helical": JointType(("helical 0",), ("",), ("",), ("rad",), pitch=True),
    "cylindrical": JointType(("revolute 0", "prismatic 0"), ANGLE_AND_SLIDE, ANGLE_AND_SLIDE, ("rad", "m")),
    "universal": JointType(("revolute 0", "revolute 1"), TWO_ANGLES, TWO_ANGLES, ("rad", "rad"), axes=2),
    "planar": JointType(
        ("prismatic 1", "prismatic 2", "revolute 0"), IN_PLANE, IN_PLANE, ("m", "m", "rad"), plane=True
    ),
    "spherical": JointType(("spherical",), QUATERNION, OMEGA, NO_UNITS, axes=0),
    "free": JointType(
        ("free",), ("x", "y", "z", *QUATERNION), (*OMEGA, "vx", "vy", "vz"), ("m", "m", "m", *NO_UNITS), axes=0
    ),
    "exponential": JointType(("exponential",), ROTATION_VECTOR, ROTATION_VECTOR, ("rad",) * 3, axes=0),
    **{f"euler_{sequence}": euler_joint(sequence) for sequence in EULER_SEQUENCES},
}


def native_joint(
    part: str, axes: tuple[Array, ...], pitch: float, R: Array, p: Array, ratio: float
) -> tuple[int, dict[int, Array], Array]:
    """Compute the joint's entries of a link record: the kind, the placement constants, and the columns of S, ``(nv, 6)``.

    Args:
        part: from a joint type's chain, ``"revolute 0"``, ``"revolute x"`` or ``"free"``.
        axes: the unit axes of the joint; the part names one by its number, or an axis of the joint's frame by its letter.
        pitch: of a helical joint, m/rad.
        R, p: the joint's frame on the parent link: its axes as columns, ``(3, 3)``, and its origin, ``(3,)``.
        ratio: 1, or the multiplier of a mimic joint.
    """
    E = R.T
    kind = native_kind(part)
    constants = {PLACEMENT: E, PLACEMENT + 9: p}
    if kind.number != ONE_DOF:
        return kind.number, constants, AXES[list(kind.free)]
    motion, axis = part.split()
    u = AXES["xyz".index(axis), :3] if axis in "xyz" else axes[int(axis)]
    turn = 0.0 if motion == "prismatic" else 1.0
    slide = {"revolute": 0.0, "prismatic": 1.0, "helical": pitch}[motion]
    if turn:
        along = np.outer(u, u)
        cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
        constants[PLACEMENT] = along @ E
        constants[SINE] = -cross @ E
        constants[COSINE] = (np.eye(3) - along) @ E
    constants[SLIDE] = slide * (E.T @ u)
    return kind.number, constants, np.concatenate([ratio * turn * u, ratio * slide * u])[None]


def contradictory(kind: NativeKind, links: Array, S: Array) -> NDArray[np.bool_]:
    """Find joints of one kind with constants that :func:`native_joint` cannot have made, up to rounding; ``(n,)``, bool.

    Args:
        kind: the native kind.
        links: their link records, ``(n, LINK)``.
        S: the columns of their motion subspaces, ``(n, nv, 6)``.

    Of a 1-DoF joint, ``E^T E = 1`` is a trigonometric polynomial of second degree in x, so that five angles decide for all.
    """
    B0 = links[:, PLACEMENT : PLACEMENT + 9].reshape(-1, 3, 3)
    if kind.number != ONE_DOF:
        return ~are_rotations(B0) | (AXES[list(kind.free)] != S).any(axis=(1, 2))
    B1 = links[:, SINE : SINE + 9].reshape(-1, 3, 3)
    B2 = links[:, COSINE : COSINE + 9].reshape(-1, 3, 3)
    bad = np.zeros(len(links), dtype=bool)
    for x in 2.0 * np.pi / 5.0 * np.arange(5):
        bad |= ~are_rotations(B0 + B1 * np.sin(x) + B2 * np.cos(x))
    E = B0 + B2
    W = -B1 @ E.transpose(0, 2, 1)  # E' = -w x E at x = 0
    w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
    v = np.einsum("nij,nj->ni", E, links[:, SLIDE : SLIDE + 3])
    expected = links[:, RATIO, None] * np.concatenate([w, v], axis=1)
    bad |= np.abs(np.cross(w, v)).max(axis=1) > SLACK * np.abs(v).max(axis=1)  # it travels along its axis
    return bad | (np.abs(S[:, 0] - expected).max(axis=1) > SLACK * np.abs(expected).max(axis=1))


def quaternion_places(links: Array) -> NDArray[np.int64]:
    """Find the index in q of each quaternion's first entry, from the link records ``(n, LINK)``."""
    kinds, first = links[:, KIND], links[:, IQ].astype(np.int64)
    return np.concatenate([first[kinds == SPHERICAL], first[kinds == FREE] + 3])


def are_rotations(E: Array) -> NDArray[np.bool_]:
    """Return for each of the matrices ``(n, 3, 3)`` whether it is a rotation, up to rounding."""
    error = np.abs(E @ E.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    return (error < SLACK) & (np.linalg.det(E) > 0.0)


@kernel
def joint_transform(m, i, q):
    """X: from the parent link to link ``i`` (RBDA: iX_lambda(i) = X_J(i) X_T(i))"""
    k = first_q(m, i)
    if kind(m, i) == ONE_DOF:
        link = HEADER + LINK * i
        x = ratio(m, i) * load(q, k) + offset(m, i)
        s, c = sincos(x)
        E0, r0 = placement(m, i)
        B1, B2, r1 = load_matrix(m, link + SINE), load_matrix(m, link + COSINE), load3(m, link + SLIDE)
        E = (
            E0[0] + B1[0] * s + B2[0] * c, E0[1] + B1[1] * s + B2[1] * c, E0[2] + B1[2] * s + B2[2] * c,
            E0[3] + B1[3] * s + B2[3] * c, E0[4] + B1[4] * s + B2[4] * c, E0[5] + B1[5] * s + B2[5] * c,
            E0[6] + B1[6] * s + B2[6] * c, E0[7] + B1[7] * s + B2[7] * c, E0[8] + B1[8] * s + B2[8] * c,
        )  # fmt: skip
        return (E, (r0[0] + r1[0] * x, r0[1] + r1[1] * x, r0[2] + r1[2] * x))
    E0, r0 = placement(m, i)
    if kind(m, i) == SPHERICAL:
        p = load_quaternion(q, k)
        return (multiply3(rotation_from_quaternion(p), E0), (lift(r0[0], p[0]), lift(r0[1], p[0]), lift(r0[2], p[0])))
    if unlikely(kind(m, i) == EXPONENTIAL):
        a = load3(q, k)
        return (multiply3(exponential_rotation(a), E0), (lift(r0[0], a[0]), lift(r0[1], a[0]), lift(r0[2], a[0])))
    E = rotation_from_quaternion(load_quaternion(q, k + 3))
    return (multiply3(E, E0), add3(r0, rotate_back(E0, load3(q, k))))


@kernel
def has_constant_subspace(m, i):
    """Return whether the motion subspace of joint ``i``, in link coordinates, is the same in all configurations"""
    return kind(m, i) != EXPONENTIAL


def kind_has_constant_subspace(kind: int) -> bool:
    """Return whether the motion subspace of joints of a native kind is constant; see :func:`has_constant_subspace`."""
    return kind != EXPONENTIAL


@kernel
def moves_freely(m, i):
    """Return whether S of joint ``i`` is the identity, so that products with it need no arithmetic"""
    return kind(m, i) == FREE


@kernel
def turns_freely(m, i):
    """Return whether the first three freedoms of joint ``i`` are the angular velocity of its body"""
    return kind(m, i) == FREE or kind(m, i) == SPHERICAL


@kernel
def joint_transforms(m, q, ws, record):
    """Compute the transforms of all joints into a workspace, each at the start of its link's record.

    Recursions load them from there. The transforms do not depend on each other, so that the processor overlaps them here;
    inside a recursion each would wait for the one before.
    """
    for i in range(1, link_count(m) + 1):
        store_transform(ws, record * i, joint_transform(m, i, q))


@kernel
def has_no_translation(m, i, k):
    """Return whether S_k of joint ``i`` has no linear part in any configuration, so that products with it skip that half"""
    _, v = constant_subspace(m, i, k)
    return v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0


@kernel
def subspace(m, i, k, q):
    """S_k: column ``k`` of the motion subspace of joint ``i``, in link coordinates"""
    S = constant_subspace(m, i, k)
    like = load(q, 0)
    if unlikely(kind(m, i) == EXPONENTIAL):
        u = unit_vector(k, like)
        return angular(exponential_products(load3(q, first_q(m, i)), u, u)[0])
    return (
        (lift(S[0][0], like), lift(S[0][1], like), lift(S[0][2], like)),
        (lift(S[1][0], like), lift(S[1][1], like), lift(S[1][2], like)),
    )


@kernel
def subspace_rate(m, i, k, q, v):
    """dS_k/dt in link coordinates: not zero only where S depends on q"""
    zero = lift(0.0, load(v, 0))
    if unlikely(kind(m, i) == EXPONENTIAL):
        return angular(exponential_products(load3(q, first_q(m, i)), load3(v, first_v(m, i)), unit_vector(k, zero))[2])
    return ((zero, zero, zero), (zero, zero, zero))


@kernel
def angular(w):
    """The motion vector (w, 0)"""
    zero = lift(0.0, w[0])
    return (w, (zero, zero, zero))


@kernel
def joint_motion(m, i, q, u):
    """S u: the joint's velocity, or its acceleration, in link coordinates; ``u`` is the whole of v or of its derivative"""
    k = first_v(m, i)
    if unlikely(kind(m, i) == EXPONENTIAL):
        qd = load3(u, k)
        return angular(exponential_products(load3(q, first_q(m, i)), qd, qd)[0])
    motion = scale(load(u, k), constant_subspace(m, i, 0))
    for j in range(1, freedom_count(m, i)):
        motion = add(motion, scale(load(u, k + j), constant_subspace(m, i, j)))
    return motion


@kernel
def joint_motions(m, i, q, v, a):
    """(S v, S a + dS/dt v): the joint's velocity, and its share of the acceleration"""
    k = first_v(m, i)
    if unlikely(kind(m, i) == EXPONENTIAL):
        p, qd, qdd = load3(q, first_q(m, i)), load3(v, k), load3(a, k)
        vJ, _, rate = exponential_products(p, qd, qd)
        return angular(vJ), angular(add3(rate, exponential_products(p, qd, qdd)[0]))
    S = constant_subspace(m, i, 0)
    vJ, aJ = scale(load(v, k), S), scale(load(a, k), S)
    for j in range(1, freedom_count(m, i)):
        S = constant_subspace(m, i, j)
        vJ, aJ = add(vJ, scale(load(v, k + j), S)), add(aJ, scale(load(a, k + j), S))
    return vJ, aJ


@kernel
def add_subspace_rate(a, m, i, q, v):
    """a + dS/dt v: what velocity adds to the acceleration of a body on a joint whose S depends on q"""
    if unlikely(kind(m, i) == EXPONENTIAL):
        qd = load3(v, first_v(m, i))
        return (add3(a[0], exponential_products(load3(q, first_q(m, i)), qd, qd)[2]), a[1])
    return a


@kernel
def add_joint_force(m, i, q, f, tau):
    """tau_i += S^T f: the working components of the force ``f`` through the joint"""
    k = first_v(m, i)
    if unlikely(kind(m, i) == EXPONENTIAL):
        add_three(tau, k, exponential_products(load3(q, first_q(m, i)), f[0], f[0])[1])
        return
    for j in range(freedom_count(m, i)):
        accumulate(tau, k + j, dot(constant_subspace(m, i, j), f))


@kernel
def add_three(array, k, a):
    """Add three numbers to the entries of a scalar array from ``k`` on"""
    accumulate(array, k, a[0])
    accumulate(array, k + 1, a[1])
    accumulate(array, k + 2, a[2])


@kernel
def rate_joint(m, i, q, v, out):
    """dq/dt: the velocity itself; 1/2 p w for a quaternion; R v for the position of a free joint (RBDA section 4.5)"""
    k, j = first_q(m, i), first_v(m, i)
    if kind(m, i) == ONE_DOF:
        store(out, k, load(v, j))
        return
    if unlikely(kind(m, i) == EXPONENTIAL):
        store3(out, k, load3(v, j))
        return
    w = load3(v, j)
    if kind(m, i) == FREE:
        E = rotation_from_quaternion(load_quaternion(q, k + 3))
        store3(out, k, rotate_back(E, load3(v, j + 3)))
        k += 3
    half = 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]
    store_quaternion(out, k, quaternion_product(load_quaternion(q, k), (0.0 * w[0], half[0], half[1], half[2])))


@kernel
def integrate_joint(m, i, q, v, out):
    """The joint's coordinates after unit time at the constant velocity ``v``"""
    k, j = first_q(m, i), first_v(m, i)
    if kind(m, i) == ONE_DOF:
        store(out, k, load(q, k) + load(v, j))
        return
    if unlikely(kind(m, i) == EXPONENTIAL):
        store3(out, k, shortest(add3(load3(q, k), load3(v, j))))
        return
    a = load3(v, j)
    if kind(m, i) == FREE:
        E = rotation_from_quaternion(load_quaternion(q, k + 3))
        step = rotate_back(E, translation_from_twist(a, load3(v, j + 3)))
        store3(out, k, add3(load3(q, k), step))
        k += 3
    p = quaternion_product(load_quaternion(q, k), quaternion_from_rotation_vector(a))
    store_quaternion(out, k, quaternion_normalize(p))


@kernel
def difference_joint(m, i, q0, q1, out):
    """The constant velocity that leads from ``q0`` to ``q1`` in unit time, by the shorter turn"""
    k, j = first_q(m, i), first_v(m, i)
    if kind(m, i) == ONE_DOF:
        store(out, j, load(q1, k) - load(q0, k))
    elif kind(m, i) == SPHERICAL:
        store3(out, j, difference_quaternion(load_quaternion(q0, k), load_quaternion(q1, k)))
    elif kind(m, i) == EXPONENTIAL:
        store3(out, j, difference_exponential(load3(q0, k), load3(q1, k)))
    else:
        d = difference_free(q0, q1, k)
        store3(out, j, d[0])
        store3(out, j + 3, d[1])


@kernel
def carry_joint(m, i, q0, q1, v, out):
    """The joint's velocity at ``q1`` in its coordinates there, from ``v`` in those of ``q0``"""
    k, j = first_q(m, i), first_v(m, i)
    if unlikely(kind(m, i) == EXPONENTIAL):
        store3(out, j, carried_rate(load3(q0, k), load3(q1, k), load3(v, j)))
        return
    for c in range(j, j + freedom_count(m, i)):
        store(out, c, load(v, c))


@kernel
def difference_quaternion(p0, p1):
    """The rotation vector from ``p0`` to ``p1`` in the coordinates of ``p0``"""
    return rotation_vector_from_quaternion(quaternion_product(quaternion_conjugate(p0), p1))


@kernel
def difference_free(q0, q1, k):
    """The twist from one placement to another, in the coordinates of the first"""
    p0 = load_quaternion(q0, k + 3)
    a = difference_quaternion(p0, load_quaternion(q1, k + 3))
    step = rotate(rotation_from_quaternion(p0), subtract3(load3(q1, k), load3(q0, k)))
    return (a, twist_from_translation(a, step))


@kernel
def spring_joint(m, i, q, tau):
    """tau_i += J^T K d with ``d`` the displacement from rest; returns the energy 1/2 d^T K d"""
    k, j = first_q(m, i), first_v(m, i)
    rest = rest_position(m)
    if kind(m, i) == ONE_DOF:
        x = load(q, k) - load(rest, k)
        fx = velocity_table(m, STIFFNESS, j) * x
        accumulate(tau, j, fx)
        return 0.5 * fx * x
    if unlikely(kind(m, i) == EXPONENTIAL):
        force, energy = spring_exponential(load3(rest, k), load3(q, k), stiffness(m, i)[0])
        add_three(tau, j, force)
        return energy
    if kind(m, i) == SPHERICAL:
        a = difference_quaternion(load_quaternion(rest, k), load_quaternion(q, k))
        d = (a, scale3(0.0, a))
    else:
        d = difference_free(rest, q, k)
    K = stiffness(m, i)
    f = ((K[0][0] * d[0][0], K[0][1] * d[0][1], K[0][2] * d[0][2]),
         (K[1][0] * d[1][0], K[1][1] * d[1][1], K[1][2] * d[1][2]))  # fmt: skip
    add_joint_force(m, i, q, logarithm_transpose(d, f), tau)
    return 0.5 * (dot3(d[0], f[0]) + dot3(d[1], f[1]))


@kernel
def stiffness(m, i):
    """K, diagonal, of a joint of several freedoms: three numbers for the turn, three for the travel"""
    j = first_v(m, i)
    n = velocity_table(m, STIFFNESS, j), velocity_table(m, STIFFNESS, j + 1), velocity_table(m, STIFFNESS, j + 2)
    if kind(m, i) != FREE:
        return (n, (0.0, 0.0, 0.0))
    j += 3
    return (
        n,
        (velocity_table(m, STIFFNESS, j), velocity_table(m, STIFFNESS, j + 1), velocity_table(m, STIFFNESS, j + 2)),
    )
