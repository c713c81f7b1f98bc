"""Stiffness and damping of all that acts during a step, as matrices in joint coordinates: ``K`` of ``- dtau/dq``, ``D`` of
``- dtau/dv``, symmetric and positive semidefinite, so that ``H + h D + h^2 K`` has a Cholesky factor whatever the step.

==========================  ======================================================================================
what acts                   K, D
==========================  ======================================================================================
control                     diag(P), diag(D)
a joint's spring, damper    J' diag(stiffness) J with J the derivative of the displacement from rest, diag(damping)
a line of length l          k g g' + T W' (1 - u u') W / s with g = dl/dq for each piece, where it pulls; d g g'
a torsion spring            k W' W and d W' W, with W the Jacobian of its relative angular velocity
==========================  ======================================================================================

What is left out of ``- dtau/dq`` is in proportion to forces, not to stiffness: the turning of lines that push, of joint axes
and of lever arms under the forces on them. It is of any sign, and steps that leave it explicit are of the same order. All
of it is in :func:`~pluecker.articulated.applied_stiffness`.

Sources: Baraff, Witkin, "Large steps in cloth simulation" (1998), section 4; for leaving out what is indefinite, Choi, Ko,
"Stable but responsive cloth" (2002), section 4.
"""

from pluecker.articulated.forces.lines import add_linear_stiffness, add_piece_columns, piece, pull
from pluecker.articulated.forces.packing import (
    DAMPING,
    FIRST,
    LINE,
    LINEAR,
    POINTS,
    SECOND,
    STIFFNESS,
    TORSION,
    element_count,
    first_element,
    kind,
    next_element,
)
from pluecker.articulated.forces.world_motion import COLUMN, TRANSFORM, VELOCITY, store_columns, world_motion
from pluecker.articulated.model.exponential import unit_vector
from pluecker.articulated.model.joints import difference_joint, has_constant_subspace
from pluecker.articulated.model.layout import DAMPING as DAMPING_COLUMN
from pluecker.articulated.model.layout import STIFFNESS as STIFFNESS_COLUMN
from pluecker.articulated.model.layout import (
    clear,
    first_freedom,
    first_v,
    freedom_count,
    has_losses,
    has_springs,
    link_count,
    owns_coordinates,
    parent,
    rest_position,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.terms.scenario import elements
from pluecker.spatial.algebra.motions import logarithm_transpose
from pluecker.spatial.algebra.vectors import add3, dot3, load3, scale3, store3, store_vector, subtract3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    load_integer,
    select,
    smaller,
    sqrt,
    store,
    tail,
)

__all__ = ["stiffness_and_damping", "stiffness_workspace"]


@kernel
def stiffness_and_damping(m, c, q, v, law, K, D, ws):
    """Compute K and D of control, of joints, and of springs and cables between bodies"""
    nv = velocity_count(m)
    clear(K, nv * nv)
    clear(D, nv * nv)
    for k in range(nv):
        store(K, nv * k + k, load(law, 2 * nv + k))
        store(D, nv * k + k, load(law, 3 * nv + k))
    if has_losses(m):
        for k in range(nv):
            accumulate(D, nv * k + k, velocity_table(m, DAMPING_COLUMN, k))
    if has_springs(m):
        add_joint_springs(m, q, K, ws)
    if element_count(elements(c)) > 0:
        add_elements(m, elements(c), q, v, K, D, ws)


@kernel
def add_joint_springs(m, q, K, ws):
    """K += J' diag(stiffness) J, joint by joint; J is the identity where the displacement is a difference of coordinates"""
    nv = velocity_count(m)
    d, row = ws, tail(ws, nv)
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            n, j = freedom_count(m, i), first_v(m, i)
            if n == 1 or not has_constant_subspace(m, i):
                for k in range(j, j + n):
                    accumulate(K, nv * k + k, velocity_table(m, STIFFNESS_COLUMN, k))
            else:
                difference_joint(m, i, rest_position(m), q, d)
                for k in range(n):
                    logarithm_row(d, j, n, k, row)
                    add_square(velocity_table(m, STIFFNESS_COLUMN, j + k), row, n, nv, j, K)


@kernel
def logarithm_row(d, j, n, k, row):
    """Row k of J, which maps the velocity to the rate of the displacement d: J' e_k"""
    a = load3(d, j)
    u = load3(d, j + 3) if n == 6 else scale3(0.0, a)
    e, nothing = unit_vector(k % 3, a[0]), scale3(0.0, a)
    if k < 3:
        store_vector(row, 0, logarithm_transpose((a, u), (e, nothing)))
    else:
        store_vector(row, 0, logarithm_transpose((a, u), (nothing, e)))


@kernel
def add_square(x, row, n, nv, first, K):
    """K += x row' row, in the n rows and columns from ``first`` on"""
    for a in range(n):
        y = x * load(row, a)
        for b in range(n):
            accumulate(K, nv * (first + a) + first + b, y * load(row, b))


@kernel
def add_elements(m, c, q, v, K, D, ws):
    """Add K and D of springs and cables between bodies, one element after the other"""
    n = link_count(m)
    X = ws
    V = tail(X, TRANSFORM * (n + 1))
    J = tail(V, VELOCITY * (n + 1))
    more = tail(J, COLUMN * (first_freedom(m, n) + freedom_count(m, n)))
    world_motion(m, q, v, X, V)
    store_columns(m, q, X, J)
    r = first_element(c)
    for _ in range(element_count(c)):
        if kind(c, r) == LINE:
            add_line(m, c, r, X, V, J, more, K, D)
        elif kind(c, r) == LINEAR:
            add_linear_stiffness(m, c, r, X, J, more, K)
        elif kind(c, r) == TORSION:
            add_torsion(m, c, r, J, more, K, D)
        r = next_element(c, r)


@kernel
def add_line(m, c, r, X, V, J, more, K, D):
    """K += k g g' + T W' (1 - u u') W / s for T > 0, D += d g g'; ``more``: 4 nv scalars"""
    nv = velocity_count(m)
    W, g = more, tail(more, 3 * nv)
    tension, stiff, damping, _, _ = pull(c, r, X, V)
    pulling = select(smaller(0.0, tension), tension, 0.0 * tension)
    clear(g, nv)
    for k in range(1, load_integer(c, r + POINTS)):
        d, _, y = piece(c, r, k, X, V)
        s = sqrt(y)
        u = scale3(1.0 / s, d)
        add_piece_columns(m, c, r, k, X, J, W)
        for a in range(nv):
            Wa = load3(W, 3 * a)
            ua = dot3(u, Wa)
            accumulate(g, a, ua)
            turned = scale3(pulling / s, subtract3(Wa, scale3(ua, u)))
            for b in range(nv):
                accumulate(K, nv * a + b, dot3(turned, load3(W, 3 * b)))
    for a in range(nv):
        ga = load(g, a)
        for b in range(nv):
            accumulate(K, nv * a + b, stiff * ga * load(g, b))
            accumulate(D, nv * a + b, damping * ga * load(g, b))


@kernel
def add_torsion(m, c, r, J, W, K, D):
    """K += k W' W, D += d W' W, W times v being the angular velocity of the second body relative to the first"""
    nv = velocity_count(m)
    k, d = load(c, r + STIFFNESS), load(c, r + DAMPING)
    clear(W, 3 * nv)
    add_turning(m, load_integer(c, r + FIRST), -1.0, J, W)
    add_turning(m, load_integer(c, r + SECOND), 1.0, J, W)
    for a in range(nv):
        Wa = load3(W, 3 * a)
        for b in range(nv):
            x = dot3(Wa, load3(W, 3 * b))
            accumulate(K, nv * a + b, k * x)
            accumulate(D, nv * a + b, d * x)


@kernel
def add_turning(m, i, sign, J, W):
    """W_c += sign w_c: how link ``i`` turns with each coordinate"""
    while i > 0:
        for k in range(freedom_count(m, i)):
            place = 3 * (first_v(m, i) + k)
            column = load3(J, COLUMN * (first_freedom(m, i) + k))
            store3(W, place, add3(load3(W, place), scale3(sign, column)))
        i = parent(m, i)


def stiffness_workspace(model: Model) -> int:
    """Count the numbers of scratch memory that :func:`stiffness_and_damping` needs."""
    between = (TRANSFORM + VELOCITY) * (model.n_links + 1) + COLUMN * len(model.freedoms) + 4 * model.nv
    return max(between, model.nv + 6)
