"""The velocity at the end of a semi-implicit step, by the articulated-body algorithm: no matrix is made.

In a step without impulses of rows one vector is solved for, with the matrix

    A = H + diag(armature) + diag(added),      added = h (D + D_c) + h^2 (K + P)

whose diagonal part is a part of the pivots of the articulated-body algorithm. So three sweeps suffice: outward angular
velocities, accelerations of the links' origins without the unknown ones, and by Newton's and Euler's equations the impulses
that each body needs for them; inward articulated inertias; outward the changes of velocity. On the way in, each freedom's
U / D is carried to the origin of the parent, so that on the way out nothing has to be ready but the change of the parent.

Accelerations are those of points, ``a + w x v`` of spatial ones: no linear velocity is needed for them.

**Axes.** Each tree is computed in the axes of the link at its root, each link about its own origin. Then an articulated
inertia on its way to the parent is shifted and not turned, which is most of the work otherwise; what is turned is the
inertia of each body alone, once. Nothing is subtracted that is not in coordinates of the link: pivots have all their digits.

The freedoms of a joint are eliminated from the last to the first. So the angular freedoms of a free joint on the world come
last, with what the linear ones leave, and their gyroscopic moment is taken in the middle of the step
(:mod:`~pluecker.articulated.stepping.semi_implicit.gyroscopic`).

Mimic joints have no such recursion; steps with impulses need the factors of A:
:func:`~pluecker.articulated.stepping.semi_implicit.free_velocity.free_velocity` serves both.

Sources: RBDA section 7.3 and table 7.1 (without velocities); Luh, Walker, Paul (1980) for their forces; RBDA section 2.11
for the two accelerations; Featherstone (1983).
"""

from pluecker.articulated.model.joints import (
    add_subspace_rate,
    has_constant_subspace,
    has_no_translation,
    moves_freely,
    subspace,
    turns_freely,
)
from pluecker.articulated.model.layout import (
    ARMATURE,
    base_acceleration,
    body,
    first_freedom,
    first_v,
    freedom_count,
    inertia,
    link_count,
    parent,
    threshold,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT, frame_turn
from pluecker.articulated.stepping.semi_implicit.free_velocity import place_links
from pluecker.articulated.stepping.semi_implicit.gyroscopic import turned_by_midpoint
from pluecker.spatial.algebra.inertia import (
    add_articulated,
    articulated_from_rigid,
    articulated_times_motion,
    load_articulated,
    load_rigid,
    rank1_downdate,
    rotate_symmetric_back,
    shift_articulated,
    store_articulated,
    store_rigid,
    symmetric_times,
)
from pluecker.spatial.algebra.matrices import greater
from pluecker.spatial.algebra.transforms import load_matrix, load_transform, store_matrix
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    cross3,
    dot,
    dot3,
    load3,
    load_vector,
    multiply3,
    rotate,
    rotate_back,
    scale,
    scale3,
    store3,
    store_vector,
    subtract,
)
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, within

__all__ = ["articulated_velocity", "articulated_velocity_workspace"]

# the workspace: for each link its transform and angular velocity, in whose place comes on the way in what its children add
# to its inertia; the largest moment of inertia met beyond, the place of its origin, its acceleration, rigid-body inertia and
# impulse; then for each freedom S, U / D, 1 / D and u
X, W, IA, LARGEST, R, A, I, F = 0, 12, 0, 21, 22, 25, 31, 41
LINK = 47
S, U, D, SHARE = 0, 6, 12, 13
FREEDOM = 14
NOTHING = -1.0  # as the largest moment beyond a link whose children have not added anything yet


@kernel
def articulated_velocity(m, h, q, v, f_ext, added, x, moments, ws):
    """x = v + A^-1 (x - h c(q, v)), of free joints on the world in the frozen frame; ``x`` has the impulses of the joints"""
    n = link_count(m)
    place_links(m, q, ws, LINK)
    for i in range(1, n + 1):
        move_link(m, i, h, q, v, f_ext, moments, ws)
    for i in range(n, 0, -1):
        yield_to(m, i, h, v, added, x, moments, ws)
    for i in range(1, n + 1):
        change_velocity(m, i, v, x, ws)


@kernel
def place_of_freedom(m, i):
    """Return the index in the workspace of the record of joint ``i``'s first freedom"""
    return LINK * (link_count(m) + 1) + FREEDOM * first_freedom(m, i)


@kernel
def turned_back(E, S):
    """Rotate a motion or force vector to the axes of the root, about the same point: E^T S of both halves"""
    return (rotate_back(E, S[0]), rotate_back(E, S[1]))


@kernel
def shifted_motion(r, m):
    """Shift a motion vector to the point at ``r`` from the one that it refers to"""
    return (m[0], add_cross3(m[1], m[0], r))


@kernel
def no_vector(like):
    """Return a zero vector of scalars as ``like``"""
    zero = 0.0 * like
    return ((zero, zero, zero), (zero, zero, zero))


@kernel
def start_link(m, i, ws):
    """Return E from the axes of the root, and of the parent w, dw/dt, and the acceleration at the origin of link ``i``"""
    w, p = LINK * i, LINK * parent(m, i)
    E, r = load_transform(ws, w + X)
    if p > 0:
        E0 = load_matrix(ws, p + X)
        E, r = multiply3(E, E0), rotate_back(E0, r)
        store_matrix(ws, w + X, E)
        store3(ws, w + R, r)
        wp, (turn, a) = load3(ws, p + W), load_vector(ws, p + A)
        return E, wp, turn, add_cross3(add_cross3(a, turn, r), wp, cross3(wp, r))
    z = 0.0 * E[0]
    none = (z, z, z)
    a0 = rotate(E, base_acceleration(m)[1])  # a_0 = -g
    E = (1.0 + z, z, z, z, 1.0 + z, z, z, z, 1.0 + z)
    store_matrix(ws, w + X, E)
    store3(ws, w + R, r)
    return E, none, none, a0


@kernel
def move_link(m, i, h, q, v, f_ext, moments, ws):
    """Compute, outward, velocity and bias acceleration of link ``i``, its inertia, and the impulse that it takes alone"""
    w, s, j = LINK * i, place_of_freedom(m, i), first_v(m, i)
    E, wp, turn, a = start_link(m, i, ws)
    S0 = subspace(m, i, 0, q)
    if has_no_translation(m, i, 0):
        axis = rotate_back(E, S0[0])
        wJ = scale3(load(v, j), axis)
        store3(ws, s + S, axis)
        if freedom_count(m, i) > 1:
            wJ, turn, a = add_freedoms(m, i, q, v, E, wp, (wJ, scale3(0.0, wJ)), turn, a, ws)
    else:
        S0 = turned_back(E, S0)
        store_vector(ws, s + S, S0)
        wJ, turn, a = add_freedoms(m, i, q, v, E, wp, scale(load(v, j), S0), turn, a, ws)
    turn, wi = add_cross3(turn, wp, wJ), add3(wp, wJ)
    mass, first, J = inertia(m, i)
    Ii = mass, rotate_back(E, first), rotate_symmetric_back(E, J)
    fi = needed_force(Ii, wi, turn, a)
    if len(f_ext) > 0 and body(m, i) >= 0:
        fi = subtract(fi, turned_back(E, load_vector(f_ext, 6 * body(m, i))))
    store3(ws, w + W, wi)
    store_vector(ws, w + A, (turn, a))
    store_rigid(ws, w + I, Ii)
    store_vector(ws, w + F, scale(h, fi))
    store(ws, w + LARGEST, NOTHING)
    store(moments, MOMENT * i, Ii[0])
    store3(moments, MOMENT * i + 1, Ii[1])


@kernel
def needed_force(I, w, turn, a):
    """Compute the force that a body needs for angular velocity w, its rate ``turn``, and acceleration ``a`` of its origin

    By Newton and Euler, f = m a + turn x m c + w x (w x m c),  n = J turn + w x J w + m c x a, about its origin.
    """
    m, first, J = I
    n = add_cross3(add_cross3(symmetric_times(J, turn), first, a), w, symmetric_times(J, w))
    return (n, add_cross3(add_cross3(scale3(m, a), turn, first), w, cross3(w, first)))


@kernel
def add_freedoms(m, i, q, v, E, wp, vJ, turn, a, ws):
    """Angular velocity of joint ``i``, whose first freedom moves with vJ, and both accelerations, still without wp x wJ"""
    s, j = place_of_freedom(m, i), first_v(m, i)
    for k in range(1, freedom_count(m, i)):
        Sk = turned_back(E, subspace(m, i, k, q))
        store_vector(ws, s + FREEDOM * k + S, Sk)
        vJ = add(vJ, scale(load(v, j + k), Sk))
    wJ, slide = vJ
    a = add_cross3(a, add3(scale3(2.0, wp), wJ), slide)  # of Coriolis, and what a slide that turns with the joint adds
    if not has_constant_subspace(m, i):
        more = turned_back(E, add_subspace_rate(no_vector(load(q, 0)), m, i, q, v))
        turn, a = add3(turn, more[0]), add3(a, more[1])
    return wJ, turn, a


@kernel
def has_gained(ws, w):
    """Return whether a child has added to the inertia of the link whose record begins at ``w``"""
    return not within(load(ws, w + LARGEST) - NOTHING, 0.5)


@kernel
def yield_to(m, i, h, v, added, x, moments, ws):
    """Eliminate joint ``i``, inward: its share of the impulse of the tree beyond it, and what that leaves for the parent"""
    w, p, s, j = LINK * i, LINK * parent(m, i), place_of_freedom(m, i), first_v(m, i)
    Ia = articulated_from_rigid(load_rigid(ws, w + I))
    moment = Ia[0][0] + Ia[0][3] + Ia[0][5]
    if has_gained(ws, w):
        Ia = add_articulated(Ia, load_articulated(ws, w + IA))
        moment = greater(Ia[0][0] + Ia[0][3] + Ia[0][5], load(ws, w + LARGEST))
    f = load_vector(ws, w + F)
    if p == 0:
        f = start_root(m, i, h, v, x, moments, Ia, f, ws)
    if freedom_count(m, i) > 1:
        Ia, f = yield_freedoms(m, i, added, x, moment, Ia, f, ws)
    if has_no_translation(m, i, 0):
        S0 = load3(ws, s + S)
        Uk = symmetric_times(Ia[0], S0), rotate_back(Ia[1], S0)
        d, b = dot3(S0, Uk[0]), dot3(S0, f[0])
    else:
        Sk = load_vector(ws, s + S)
        Uk = articulated_times_motion(Ia, Sk)  # U = IA S
        d, b = dot(Sk, Uk), dot(Sk, f)
    d = d + velocity_table(m, ARMATURE, j) + load(added, j)  # D = S^T U
    Dk, uk = reciprocal(d, threshold(m, i, 0, moment)), load(x, j) - b
    share = scale(Dk, Uk)
    store(ws, s + D, Dk)
    store(ws, s + SHARE, uk)
    if p > 0:
        Ia = rank1_downdate(Ia, Uk, Dk)  # Ia = IA - U D^-1 U^T
        f = add(f, scale(uk, share))  # pa = pA + U D^-1 u
        r = load3(ws, w + R)
        store_vector(ws, s + U, (add_cross3(share[0], r, share[1]), share[1]))  # about the origin of the parent
        pass_on(m, i, r, Ia, f, moment, moments, ws)
    elif turns_freely(m, i):
        turn_root(m, i, h, v, s, ws)


@kernel
def pass_on(m, i, r, Ia, f, moment, moments, ws):
    """Add to the parent: IA_p = IA_p + X^T Ia X, p_p = p_p + X^T pa, and the mass and first moment that it carries"""
    p = LINK * parent(m, i)
    Ip = shift_articulated(r, Ia)
    if has_gained(ws, p):
        Ip = add_articulated(load_articulated(ws, p + IA), Ip)
        moment = greater(load(ws, p + LARGEST), moment)
    store_articulated(ws, p + IA, Ip)
    store(ws, p + LARGEST, moment)
    fp = load_vector(ws, p + F)
    store_vector(ws, p + F, (add_cross3(add3(fp[0], f[0]), r, f[1]), add3(fp[1], f[1])))
    mass, up = load(moments, MOMENT * i), MOMENT * parent(m, i)
    first = add3(load3(moments, MOMENT * i + 1), scale3(mass, r))
    accumulate(moments, up, mass)
    store3(moments, up + 1, add3(load3(moments, up + 1), first))


@kernel
def start_root(m, i, h, v, x, moments, Ia, f, ws):
    """The impulse f of a tree with what its frame takes, h a = -h w x v_c of a free joint; its record keeps h a"""
    w, j, none = LINK * i, first_v(m, i), no_vector(f[0][0])
    store_vector(ws, w + A, none)
    if moves_freely(m, i):
        a = scale3(h, frame_turn(moments, i, load3(v, j), load3(v, j + 3)))
        store_vector(ws, w + A, (none[0], a))
        f = add(f, articulated_times_motion(Ia, (none[0], a)))
        accumulate(x, j + 3, -velocity_table(m, ARMATURE, j + 3) * a[0])
        accumulate(x, j + 4, -velocity_table(m, ARMATURE, j + 4) * a[1])
        accumulate(x, j + 5, -velocity_table(m, ARMATURE, j + 5) * a[2])
    return f


@kernel
def yield_freedoms(m, i, added, x, moment, Ia, f, ws):
    """Eliminate the freedoms of a joint except the first one, the last one first"""
    s, j = place_of_freedom(m, i), first_v(m, i)
    for k in range(freedom_count(m, i) - 1, 0, -1):
        e = s + FREEDOM * k
        Sk = load_vector(ws, e + S)
        Uk = articulated_times_motion(Ia, Sk)  # U = IA S
        d = dot(Sk, Uk) + velocity_table(m, ARMATURE, j + k) + load(added, j + k)  # D = S^T U
        Dk = reciprocal(d, threshold(m, i, k, moment))
        uk = load(x, j + k) - dot(Sk, f)  # u = tau - S^T p
        share = scale(Dk, Uk)
        Ia = rank1_downdate(Ia, Uk, Dk)  # Ia = IA - U D^-1 U^T
        f = add(f, scale(uk, share))  # pa = pA + U D^-1 u
        store_vector(ws, e + U, share)
        store(ws, e + D, Dk)
        store(ws, e + SHARE, uk)
    return Ia, f


@kernel
def turn_root(m, i, h, v, s, ws):
    """The shares of the first three freedoms of a root that turns freely, with the gyroscopic moment in the middle"""
    e0, e1, e2 = s, s + FREEDOM, s + 2 * FREEDOM
    d = load(ws, e0 + D), load(ws, e1 + D), load(ws, e2 + D)
    b = load(ws, e0 + SHARE), load(ws, e1 + SHARE), load(ws, e2 + SHARE)
    L = load(ws, e1 + U), load(ws, e2 + U), load(ws, e2 + U + 1)
    y = turned_by_midpoint(h, load3(v, first_v(m, i)), d, L, b)
    store(ws, e0 + SHARE, y[0])
    store(ws, e1 + SHARE, y[1])
    store(ws, e2 + SHARE, y[2])


@kernel
def change_velocity(m, i, v, x, ws):
    """Solve, outward, for the change of each freedom's velocity: x = D^-1 (u - U^T a'), a' being that of the parent"""
    w, p, s, j = LINK * i, LINK * parent(m, i), place_of_freedom(m, i), first_v(m, i)
    y, d = no_vector(load(ws, w + A)), load(ws, s + D) * load(ws, s + SHARE)
    if p > 0:
        y = load_vector(ws, p + A)
        d = d - dot(y, load_vector(ws, s + U))  # x = D^-1 (u - U^T a')
        y = shifted_motion(load3(ws, w + R), y)
    store(x, j, load(v, j) + d)
    if has_no_translation(m, i, 0):
        y = (add3(y[0], scale3(d, load3(ws, s + S))), y[1])
    else:
        y = add(y, scale(d, load_vector(ws, s + S)))  # a = a' + S x
    for k in range(1, freedom_count(m, i)):
        e = s + FREEDOM * k
        d = load(ws, e + D) * load(ws, e + SHARE) - dot(y, load_vector(ws, e + U))
        store(x, j + k, load(v, j + k) + d)
        y = add(y, scale(d, load_vector(ws, e + S)))
    if p == 0:
        y = add(y, load_vector(ws, w + A))
    store_vector(ws, w + A, y)


def articulated_velocity_workspace(model: Model) -> int:
    """Count the numbers of scratch memory that :func:`articulated_velocity` needs."""
    return LINK * (model.n_links + 1) + FREEDOM * model.nv
