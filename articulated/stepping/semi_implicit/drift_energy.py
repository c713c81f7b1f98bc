"""Hard limits make no energy: how fast a tree may move at the end of a step in which a limit acts.

Impulses of rows take kinetic energy away, in the metric H(q) of the step's beginning in which they are found. But then the
configuration moves on at a velocity that has jumped, while Coriolis and centrifugal forces were those of the velocity before
it, and H is another one at the end: of each impact some energy of the size of h remains, with either sign. Light joints that
are thrown from limit to limit, faster than a step resolves, gain many times what they had.

A step is a kick by forces, impulses, and a motion without forces, which keeps the kinetic energy. Of these parts,

    1/2 v+^T H(q+) v+  <=  1/2 v_k^T H(q) v_k + min(0, 1/2 x^T H(q) x - 1/2 x_0^T H(q) x_0)

with ``v_k = v + A^-1 h (tau - tau_0(q))`` the velocity by all forces but those of Coriolis and centrifugal ones (tau_0 is
what gravity and wrenches ask for at rest), and x_0 and x the velocities that the step finds without the impulses, and with
them. Where a tree would end with more, its velocity is made smaller by one factor, beside that of its centre of mass if it
hangs on a free joint. So what is at rest on a limit stays there, the linear momentum of a floating tree is not touched, and
the correction is of the order of the method. Trees without a limit that acts are left alone.

Source: Hairer, Lubich, Wanner, *Geometric Numerical Integration* (2006), section IV.4, projection on invariants; here on the
inequality.
"""

from pluecker.articulated.algorithms.dynamics import rnea
from pluecker.articulated.algorithms.dynamics.rnea import LINK
from pluecker.articulated.model.joints import joint_motion
from pluecker.articulated.model.layout import (
    ARMATURE,
    clear,
    first_v,
    freedom_count,
    has_armature,
    inertia,
    link_count,
    owns_coordinates,
    parent,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT, is_free_root
from pluecker.articulated.stepping.semi_implicit.newton_euler import add_needed_force, place_links
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import add, add3, dot, dot3, load3, load_vector, scale3, store3, store_vector
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    part,
    select,
    smaller,
    sqrt,
    store,
    tail,
    within,
)

__all__ = ["add_force_at_rest", "mark_trees", "slow_down"]

# the workspace of each link, in the places of Newton and Euler: its transform, velocity, kinetic energy, and momentum
V, T, P = rnea.V, rnea.A, rnea.F
ROUNDING = 1e-13  # of the energy: what is more by less is left as it is
TINY = 1e-300  # divided by in place of zero


@kernel
def mark_trees(m, acting, marks):
    """Mark with 1 links whose tree has a coordinate marked in ``acting``; return whether there is any, in any state"""
    found = False
    for i in range(link_count(m) + 1):
        store(marks, i, 0.0 * load(acting, 0))
    for i in range(link_count(m), 0, -1):
        for k in range(freedom_count(m, i)):
            store(marks, i, larger(load(marks, i), load(acting, first_v(m, i) + k)))
        if parent(m, i) > 0:
            store(marks, parent(m, i), larger(load(marks, parent(m, i)), load(marks, i)))
        elif not within(load(marks, i), 0.5):
            found = True
    for i in range(1, link_count(m) + 1):
        if parent(m, i) > 0:
            store(marks, i, load(marks, parent(m, i)))
    return found


@called_kernel
def kinetic_energies(m, q, v, moments, ws):
    """Compute the kinetic energy of each tree, at its root, without that of the centre of mass of a floating one

    The workspace has the transforms of the joints, ``moments`` is what
    :func:`~pluecker.articulated.stepping.semi_implicit.free_roots.carried_moments` gives.
    """
    n = link_count(m)
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, n + 1):
        w = LINK * i
        vi = add(
            transform_motion(load_transform(ws, w), load_vector(ws, LINK * parent(m, i) + V)), joint_motion(m, i, q, v)
        )
        hi = rigid_times_motion(inertia(m, i), vi)
        store_vector(ws, w + V, vi)
        store_vector(ws, w + P, hi)
        store(ws, w + T, 0.5 * dot(vi, hi) + rotor_energy(m, i, v))  # T_i = 1/2 v_i . I_i v_i
    for i in range(n, 0, -1):
        w, p = LINK * i, LINK * parent(m, i)
        if p > 0:
            accumulate(ws, p + T, load(ws, w + T))
            hp = inverse_transform_force(load_transform(ws, w), load_vector(ws, w + P))
            store_vector(ws, p + P, add(load_vector(ws, p + P), hp))
        elif is_free_root(m, i):
            linear = load3(ws, w + P + 3)
            accumulate(ws, w + T, -0.5 / load(moments, MOMENT * i) * dot3(linear, linear))  # 1/2 m v_c^2


@kernel
def rotor_energy(m, i, v):
    """1/2 sum armature v^2 of the joint of a link"""
    energy = 0.0 * load(v, 0)
    if has_armature(m) and owns_coordinates(m, i) and not is_free_root(m, i):
        for k in range(first_v(m, i), first_v(m, i) + freedom_count(m, i)):
            energy = energy + 0.5 * velocity_table(m, ARMATURE, k) * load(v, k) * load(v, k)
    return energy


@kernel
def add_force_at_rest(m, q, f, still, tau, ws):
    """tau += tau_0(q), what gravity and the wrenches ``f`` ask for where nothing moves; ``still`` is made nv zeros"""
    clear(still, velocity_count(m))
    place_links(m, q, ws, LINK)
    add_needed_force(m, q, still, still, f, tau, ws)


@called_kernel
def slow_down(m, q, kicked, free, x, moments, marks, q1, v1, ws):
    """Scale v1 of marked trees, so that they end with no more energy than the head of this file allows; x_0 is ``free``"""
    n = link_count(m)
    most, rest = part(ws, 0, n + 1), tail(ws, n + 1)
    place_links(m, q, rest, LINK)
    kinetic_energies(m, q, free, moments, rest)
    for i in range(1, n + 1):
        store(most, i, -load(rest, LINK * i + T))
    kinetic_energies(m, q, x, moments, rest)
    for i in range(1, n + 1):
        gain = load(most, i) + load(rest, LINK * i + T)
        store(most, i, select(smaller(gain, 0.0), gain, 0.0 * gain))
    kinetic_energies(m, q, kicked, moments, rest)
    for i in range(1, n + 1):
        accumulate(most, i, load(rest, LINK * i + T))
    place_links(m, q1, rest, LINK)
    kinetic_energies(m, q1, v1, moments, rest)
    for i in range(1, n + 1):
        if parent(m, i) == 0:
            s = speed_share(load(most, i), load(rest, LINK * i + T))
            store(most, i, select(smaller(0.5, load(marks, i)), s, 1.0 + 0.0 * s))
        else:
            store(most, i, load(most, parent(m, i)))
        scale_joint(m, i, load(most, i), moments, load_vector(rest, LINK * i + P), v1)


@kernel
def speed_share(most, energy):
    """s with s^2 T = most where T is larger, else 1"""
    zero = 0.0 * energy
    most = larger(most, zero)
    s = sqrt(most / larger(energy, zero + TINY))
    return select(smaller((1.0 + ROUNDING) * most, energy), s, 1.0 + zero)


@kernel
def scale_joint(m, i, s, moments, momentum, v):
    """v of the joint of link ``i`` times s; of a free joint on the world, so that the centre of mass keeps its velocity"""
    if not owns_coordinates(m, i):
        return
    j = first_v(m, i)
    for k in range(j, j + freedom_count(m, i)):
        store(v, k, s * load(v, k))
    if is_free_root(m, i):
        store3(v, j + 3, add3(load3(v, j + 3), scale3((1.0 - s) / load(moments, MOMENT * i), momentum[1])))
