"""Steps towards the solution of a small problem of contacts and rows: one block, all bounds at once, or all equations.

``kinds`` has an integer for each block, as the bits of a float: 0 for a contact of three rows, K for a row whose law is a
staircase of K steps; ``laws`` has their numbers one after the other (:mod:`~pluecker.spatial.dense.laws`). S is the matrix,
n x n, x the multipliers, u the velocities S x + c. ``exact`` is Coulomb's law, otherwise the convex one.

Sources: sweeps over contacts as Jourdan, Alart, Jean (1998); Newton's method as Alart and Curnier (1991); the
method of multipliers with De Saxce's term as Carpentier, Le Lidec, Montaut, "From compliant to rigid contact simulation"
(2024).
"""

from typing import Any, NamedTuple

from pluecker.contact.friction.dense.cone_laws import (
    along_the_cone,
    contact_derivative,
    contact_response,
    nearest_in_cone,
)
from pluecker.spatial.dense.combinations import add_multiple, add_multiples
from pluecker.spatial.dense.laws import size_of, staircase_response
from pluecker.spatial.dense.ldl import factorize_ldl
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, load_integer, sqrt, store, within

__all__ = [
    "CONTACT", "PROXIMAL", "ConeProblem", "eliminate", "factorize_shifted", "move_to_sets", "newton_equations",
    "numbers_of", "rows_of", "shift_by_friction", "store_three", "sweep_blocks", "three", "velocities",
]  # fmt: skip

CONTACT = 0
PROXIMAL = 1e-8  # added to a diagonal of about one: of redundant rows the multipliers stay near those before


class ConeProblem(NamedTuple):
    """A small problem of contacts and rows, in units in which the mean diagonal of each block is one; views.

    Attributes:
        kinds, laws: of the blocks.
        exact: true for Coulomb's law, false for the convex one.
        S, c: the matrix, row by row, and the velocities without multipliers.
        n: the number of rows.
    """

    kinds: Any
    laws: Any
    exact: bool
    S: Any
    c: Any
    n: int


@kernel
def rows_of(kind):
    """The rows of a block"""
    return 3 if kind == CONTACT else 1


@kernel
def numbers_of(kind):
    """The numbers of its law: mu, or l_0, p_1, l_1, ... of a staircase"""
    return 1 if kind == CONTACT else 2 * kind + 1


@kernel
def three(x, k):
    """Return entries k, k + 1, k + 2 of x"""
    return load(x, k), load(x, k + 1), load(x, k + 2)


@kernel
def store_three(x, k, y):
    """Set entries k, k + 1, k + 2 of x"""
    store(x, k, y[0])
    store(x, k + 1, y[1])
    store(x, k + 2, y[2])


@called_kernel
def velocities(S, c, n, x, u):
    """u = S x + c, column by column, which S has as rows: what is added does not wait for what was added before"""
    for i in range(n):
        store(u, i, load(c, i))
    for j in range(0, n - 1, 2):
        add_multiples(n, load(x, j), S, j * n, load(x, j + 1), S, (j + 1) * n, u, 0)
    if n % 2 == 1:
        add_multiple(n, load(x, n - 1), S, (n - 1) * n, u, 0)


@kernel
def sweep_contact(exact, S, n, row, mu, x, u, alpha):
    """Solve one contact, given the others, exactly or by one projection, and update the velocities

    The convex law takes 1 / |S_ii| as the length of a step, which never leads uphill. ``alpha`` is kept from sweep to sweep.
    """
    r, v = three(x, row), three(u, row)
    nn, na, nb = three(S, row * n + row)
    _, aa, ab = three(S, (row + 1) * n + row)
    bb = load(S, (row + 2) * n + row + 2)
    if exact:
        nn, aa, bb = nn + PROXIMAL, aa + PROXIMAL, bb + PROXIMAL
        qn = v[0] - nn * r[0] - na * r[1] - nb * r[2]
        qa = v[1] - na * r[0] - aa * r[1] - ab * r[2]
        qb = v[2] - nb * r[0] - ab * r[1] - bb * r[2]
        y, slide = contact_response(mu, (nn, na, nb, aa, ab, bb), (qn, qa, qb), load(alpha, row))
        store(alpha, row, slide)
    else:
        f = 1.0 / sqrt(nn * nn + aa * aa + bb * bb + 2.0 * (na * na + nb * nb + ab * ab) + PROXIMAL)
        y = nearest_in_cone(mu, r[0] - f * v[0], r[1] - f * v[1], r[2] - f * v[2])
    dn, da, db = y[0] - r[0], y[1] - r[1], y[2] - r[2]
    if not (within(dn, 0.0) and within(da, 0.0) and within(db, 0.0)):
        store_three(x, row, y)
        for j in range(n):
            d = load(S, row * n + j) * dn + load(S, (row + 1) * n + j) * da + load(S, (row + 2) * n + j) * db
            accumulate(u, j, d)


@kernel
def sweep_blocks(kinds, laws, exact, S, n, x, u, alpha):
    """Solve all blocks, one after the other. A block that does not change costs no product, and is visited in each sweep"""
    row, place = 0, 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        if kind == CONTACT:
            sweep_contact(exact, S, n, row, load(laws, place), x, u, alpha)
        else:
            r, w = load(x, row), load(S, row * n + row) + PROXIMAL
            y, _ = staircase_response(laws, place, kind, w, load(u, row) - w * r)
            d = y - r
            if not within(d, 0.0):
                store(x, row, y)
                for j in range(n):
                    accumulate(u, j, load(S, row * n + j) * d)
        row, place = row + rows_of(kind), place + numbers_of(kind)


@kernel
def add_three(M, k, x, y, z):
    """Add x, y, z to entries k, k + 1, k + 2 of M"""
    accumulate(M, k, x)
    accumulate(M, k + 1, y)
    accumulate(M, k + 2, z)


@kernel
def newton_contact(P, row, mu, rho, x, u, M, d):
    """The three rows of a contact in the equations of Newton's method"""
    exact, S, n, r, v = P.exact, P.S, P.n, three(x, row), three(u, row)
    zn, za, zb = r[0] - v[0], r[1] - v[1], r[2] - v[2]
    y = along_the_cone(mu, zn, za, zb) if exact else nearest_in_cone(mu, zn, za, zb)
    nn, na, nb, an, aa, ab, bn, ba, bb = contact_derivative(exact, mu, zn, za, zb)
    store_three(d, row, (y[0] - r[0], y[1] - r[1], y[2] - r[2]))
    top, middle, bottom = row * n, (row + 1) * n, (row + 2) * n
    for j in range(n):
        sn, sa, sb = load(S, top + j), load(S, middle + j), load(S, bottom + j)
        store(M, top + j, nn * sn + na * sa + nb * sb)
        store(M, middle + j, an * sn + aa * sa + ab * sb)
        store(M, bottom + j, bn * sn + ba * sa + bb * sb)
    f = rho - 1.0
    add_three(M, top + row, 1.0 + f * nn, f * na, f * nb)
    add_three(M, middle + row, f * an, 1.0 + f * aa, f * ab)
    add_three(M, bottom + row, f * bn, f * ba, 1.0 + f * bb)


@kernel
def newton_equations(P, rho, x, u, M, d):
    """M = 1 - V + V (S + rho) and d = y(x - u) - x: y of Alart and Curnier, or the nearest point, V its derivative"""
    kinds, laws, S, n, row, place = P.kinds, P.laws, P.S, P.n, 0, 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        if kind == CONTACT:
            newton_contact(P, row, load(laws, place), rho, x, u, M, d)
        else:
            r = load(x, row)
            y, v = staircase_response(laws, place, kind, 1.0, load(u, row) - r)
            store(d, row, y - r)
            for j in range(n):
                store(M, row * n + j, v * load(S, row * n + j))
            accumulate(M, row * n + row, 1.0 + (rho - 1.0) * v)
        row, place = row + rows_of(kind), place + numbers_of(kind)


@called_kernel
def eliminate(M, n, d):
    """d from M x = d, by elimination without exchanges; M is lost

    Lanes would have to agree on exchanges. Where a pivot is nearly zero the step is useless, and is not taken.
    """
    for k in range(0, n - 1, 2):
        eliminate_two(M, n, k, d)
    if n % 2 == 1:
        store(M, n * n - 1, 1.0 / load(M, n * n - 1))
    for i in range(n - 1, -1, -1):
        x = load(M, i * n + i) * load(d, i)
        store(d, i, x)
        for j in range(i):
            accumulate(d, j, -load(M, j * n + i) * x)


@kernel
def eliminate_two(M, n, k, d):
    """Rows k and k + 1 from all below, together: memory is what takes time here. Their pivots become 1 / pivot

    One after the other in each sum, so that a row that is set apart changes no bit of others, whichever is its partner.
    """
    one, two = k * n, (k + 1) * n
    p = 1.0 / load(M, one + k)
    f = p * load(M, two + k)
    add_multiple(n - k - 1, -f, M, one + k + 1, M, two + k + 1)
    accumulate(d, k + 1, -f * load(d, k))
    q = 1.0 / load(M, two + k + 1)
    store(M, one + k, p)
    store(M, two + k + 1, q)
    first = k + 2
    for i in range(first, n):
        row = i * n
        f = p * load(M, row + k)
        g = q * (load(M, row + k + 1) - f * load(M, one + k + 1))
        add_multiples(n - first, -f, M, one + first, -g, M, two + first, M, row + first)
        z = load(d, i) - f * load(d, k)
        store(d, i, z - g * load(d, k + 1))


@kernel
def factorize_shifted(S, n, rho, M):
    """M = S + rho, factorised"""
    for i in range(n):
        for j in range(n):
            store(M, i * n + j, load(S, i * n + j))
        accumulate(M, i * n + i, rho)
    factorize_ldl(M, n, 0.0)


@kernel
def shift_by_friction(kinds, laws, sign, z, y):
    """y_n += sign mu |z_t| of the contacts: De Saxce's term"""
    row, place = 0, 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        if kind == CONTACT:
            accumulate(y, row, sign * load(laws, place) * size_of(load(z, row + 1), load(z, row + 2)))
        row, place = row + rows_of(kind), place + numbers_of(kind)


@kernel
def move_to_sets(kinds, laws, rho, x, z, y):
    """y = P(x - z / rho) of all blocks, and z += rho (y - x), which tends to the velocities, De Saxce's term included"""
    row, place = 0, 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        if kind == CONTACT:
            r, v = three(x, row), three(z, row)
            p = nearest_in_cone(load(laws, place), r[0] - v[0] / rho, r[1] - v[1] / rho, r[2] - v[2] / rho)
            store_three(y, row, p)
            store_three(z, row, (v[0] + rho * (p[0] - r[0]), v[1] + rho * (p[1] - r[1]), v[2] + rho * (p[2] - r[2])))
        else:
            r, v = load(x, row), load(z, row)
            p, _ = staircase_response(laws, place, kind, rho, v - rho * r)
            store(y, row, p)
            store(z, row, v + rho * (p - r))
        row, place = row + rows_of(kind), place + numbers_of(kind)
