"""Newton's method for impulses and velocities, whose equation is one for the velocities alone.

With x the impulses and u their velocities the law is ``F(x) = 0`` of

    z = x - w u,    F = x - (the normal part of z cut off at zero, each disc of z cut off at mu_k max(z_n, 0)),

the function of Alart and Curnier: where a contact holds it is linear, which De Saxce's map is not. In the convex law what is
subtracted from x is the projection of z on the cone. With V the derivative of that at z, a step is, to first order,

    (1 - V + V w (C + epsilon)) dx + V w J dv = -F,    A dv = J' dx

The first equation is solved block by block, ``dx = q - D J dv``, and what is left is ``(A + J' D J) dv = J' q``, six
velocities a body, whatever the number of its contacts. V is not symmetric where a contact slides, since friction follows the
normal part.

epsilon, a small compliance, holds impulses near those before: where contacts share a load their parts are not unique, and
without it they change from step to step, and what slides, holds and parts with them. It is large where |F| is, ``EPSILON
|F|^0.7``. Where ``PATIENCE`` steps have found no solution, as many are taken with another epsilon, in turns ``HOLDS`` times
as large: steps that go about for ever with one seldom do with the next. Steps are taken whole: where sets of contacts change
|F| has to rise on the way to a solution. With a line search 20 boxes on one another of which the lowest is thrown take 31
steps instead of 9, and ten of 38 such problems are not solved in 60; with smaller ones where |F| rises fewer still.

Source: P. Alart and A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods"
(1991); M. Hintermueller, K. Ito and K. Kunisch (2002) on such methods as choices of active sets; R. T. Rockafellar (1976) on
the proximal term; V. Acary, M. Bremond and O. Huber (2018), section 4, where the unknowns are the impulses.
"""

from __future__ import annotations

from math import inf, sqrt

from pluecker.contact.friction.dense.cone_laws import along_the_cone, contact_derivative
from pluecker.contact.friction.problem.sets import COMPONENTS, DISCS, derivative_block, length, project_block
from pluecker.contact.friction.velocities.factor import factorise, solve_factored
from pluecker.contact.friction.velocities.island import (
    ALONG,
    BEST,
    BLOCKS,
    EIGHTS,
    FRICTION,
    IMPULSE,
    LENGTH,
    LOWER,
    NEAREST,
    OFFSET,
    POINT,
    PUSH,
    RESIDUAL,
    RESPONSE,
    ROWS,
    SHARE,
    SIZES,
    SOFTNESS,
    START,
    STEP,
    TABLE,
    UPPER,
    VELOCITY,
    WORK,
    count,
    move,
    numbers,
    push,
    rates,
    rows,
    sets_of,
    try_impulses,
    whole,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import as_matrix, as_vector
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = ["newton"]

# Chosen on the problems that solve_island.py tells of.
WEIGHT = 0.3  # of velocities beside impulses: w where there is no compliance
EPSILON, POWER, LEAST, MOST = 0.02, 0.7, 1e-6, 1.0
PATIENCE, HOLDS = 15, (100.0, 1.0, 10.0, 1000.0)
OF_EQUATIONS = 1e-8  # epsilon of rows without bounds, which always hold
# Error of a start from which the first step has a small epsilon: mostly numbers alone have changed. A residual from which on
# velocities are computed anew.
CLOSE = 1e-3
NEAR = 10.0  # times the error that is aimed at: a residual from which on impulses are looked at more closely


# -------------------------------------------------------------------------------------------------------------- residual


@called_kernel
def choose_lengths(I, exact):
    """w of each row: the same for those of a disc, and of the whole block in the convex law"""
    w, soft, start, sizes = numbers(I, LENGTH), numbers(I, SOFTNESS), whole(I, START), whole(I, SIZES)
    for i in range(count(I, BLOCKS)):
        top = start[i]
        if exact == 0:
            weight = WEIGHT / (1.0 + largest(soft, top, start[i + 1] - top))
            for k in range(top, start[i + 1]):
                w[k] = weight
        else:
            w[top] = WEIGHT / (1.0 + soft[top])
            row = top + 1
            for disc in range(DISCS):
                n = sizes[DISCS * i + disc]
                for k in range(row, row + n):
                    w[k] = WEIGHT / (1.0 + largest(soft, row, n))
                row += n


@kernel
def largest(x, first, n):
    """Return the largest of ``x[first : first + n]``"""
    most = x[first]
    for k in range(first + 1, first + n):
        most = max(most, x[k])
    return most


@kernel
def cut_off(K, i, z, out):
    """Cut the normal part off at zero and the discs at what friction allows with it, a row at its bounds"""
    if K.sizes[i, 0] == 0:
        project_block(K, i, z, out)
        return
    top = K.start[i]
    normal, row = max(z[top], 0.0), top + 1
    out[top] = normal
    for disc in range(DISCS):
        n = K.sizes[i, disc]
        if n > 0:
            radius, size = K.friction[i, disc] * normal, length(z, row, n)
            factor = radius / size if size > radius else 1.0
            for k in range(row, row + n):
                out[k] = factor * z[k]
            row += n


@called_kernel
def cut_off_or_project(I, i, exact):
    """Store what F takes from the impulses of block i, of any size and either law, in RESIDUAL"""
    K, z, F = sets_of(I), as_vector(numbers(I, POINT)), as_vector(numbers(I, RESIDUAL))
    if exact == 1:
        cut_off(K, i, z, F)
    else:
        project_block(K, i, z, F)


@called_kernel
def residual(I, exact):
    """Compute z, in POINT, and F, in RESIDUAL; return |F|, as a share of the largest of |x|, |u| and |b|"""
    x, u, b, w = numbers(I, IMPULSE), numbers(I, VELOCITY), numbers(I, OFFSET), numbers(I, LENGTH)
    z, F, start, mu = numbers(I, POINT), numbers(I, RESIDUAL), whole(I, START), numbers(I, FRICTION)
    ff = xx = uu = bb = 0.0
    for i in range(count(I, BLOCKS)):
        top, end = start[i], start[i + 1]
        for k in range(top, end):
            z[k] = x[k] - w[k] * u[k]
            xx, uu, bb = xx + x[k] * x[k], uu + u[k] * u[k], bb + b[k] * b[k]
        if end - top == 3 and exact == 1:
            F[top], F[top + 1], F[top + 2] = along_the_cone(mu[DISCS * i], z[top], z[top + 1], z[top + 2])
        else:
            cut_off_or_project(I, i, exact)
        for k in range(top, end):
            F[k] = x[k] - F[k]
            ff += F[k] * F[k]
    scale = max(max(xx, uu), bb)
    return sqrt(ff / scale) if scale > 0.0 else 0.0


# ------------------------------------------------------------------------------------------------------------------ step


@kernel
def derivative(K, i, z, V):
    """V, an element of the generalised Jacobian of :func:`cut_off` at z"""
    top, n = K.start[i], K.start[i + 1] - K.start[i]
    for a in range(n):
        for b in range(n):
            V[a, b] = 0.0
    if not K.lower[i] < z[top] < K.upper[i]:
        return
    V[0, 0] = 1.0
    row = 1
    for disc in range(DISCS):
        size_of_disc, mu = K.sizes[i, disc], K.friction[i, disc]
        if size_of_disc > 0:
            size = length(z, top + row, size_of_disc)
            for a in range(row, row + size_of_disc):
                if size > mu * z[top]:
                    e, turn = z[top + a] / size, mu * z[top] / size
                    V[a, 0] = mu * e
                    for b in range(row, row + size_of_disc):
                        V[a, b] = turn * ((1.0 if a == b else 0.0) - e * (z[top + b] / size))
                else:
                    V[a, a] = 1.0
            row += size_of_disc


@called_kernel
def respond_of_any(I, i, exact, epsilon):
    """``D = (1 - V + V w (C + epsilon))^-1 V w`` and q, the same inverse times -F, of a block of any size and either law

    By Gauss and Jordan's elimination without pivots: the normal part comes first, and what it leaves of each disc is
    symmetric and positive definite.
    """
    K, z, F, q = sets_of(I), numbers(I, POINT), numbers(I, RESIDUAL), numbers(I, SHARE)
    soft, w, D, table = numbers(I, SOFTNESS), numbers(I, LENGTH), numbers(I, RESPONSE), numbers(I, TABLE)
    V = as_matrix(table, COMPONENTS, COMPONENTS)
    M = as_matrix(tail(table, COMPONENTS * COMPONENTS), COMPONENTS, COMPONENTS)
    top = K.start[i]
    n = K.start[i + 1] - top
    if exact == 1:
        derivative(K, i, as_vector(z), V)
    else:
        derivative_block(K, i, as_vector(z), V, as_vector(part(numbers(I, WORK), top, n)))
    for a in range(n):
        q[top + a] = -F[top + a]
        for b in range(n):
            along = V[a, b] * w[top + b]
            M[a, b] = (1.0 if a == b else 0.0) - V[a, b] + along * (soft[top + b] + epsilon)
            D[COMPONENTS * (top + a) + b] = along
    for k in range(n):
        pivot = 1.0 / M[k, k]
        q[top + k] *= pivot
        for b in range(n):
            M[k, b] *= pivot
            D[COMPONENTS * (top + k) + b] *= pivot
        for a in range(n):
            f = M[a, k]
            if a != k and f != 0.0:
                q[top + a] -= f * q[top + k]
                for b in range(n):
                    M[a, b] -= f * M[k, b]
                    D[COMPONENTS * (top + a) + b] -= f * D[COMPONENTS * (top + k) + b]


@called_kernel
def respond_of_contact(I, top, mu, epsilon):
    """D and q, as of :func:`respond_of_any`, of a contact with friction alone and Coulomb's law

    The normal part does not depend on the tangents: D has no entries behind its first one in the first row.
    """
    z, F, q, soft, w = (
        numbers(I, POINT),
        numbers(I, RESIDUAL),
        numbers(I, SHARE),
        numbers(I, SOFTNESS),
        numbers(I, LENGTH),
    )
    D = part(numbers(I, RESPONSE), COMPONENTS * top, 3 * COMPONENTS)
    for a in range(3):
        q[top + a] = -F[top + a]
        D[COMPONENTS * a] = D[COMPONENTS * a + 1] = D[COMPONENTS * a + 2] = 0.0
    normal, x, y, wn, wt = z[top], z[top + 1], z[top + 2], w[top], w[top + 1]
    if not normal > 0.0:
        return
    cn, ca, cb = soft[top] + epsilon, soft[top + 1] + epsilon, soft[top + 2] + epsilon
    D[0], q[top] = 1.0 / cn, q[top] / (wn * cn)
    size, radius = sqrt(x * x + y * y), mu * normal
    if size <= radius:
        D[COMPONENTS + 1], D[2 * COMPONENTS + 2] = 1.0 / ca, 1.0 / cb
        q[top + 1], q[top + 2] = q[top + 1] / (wt * ca), q[top + 2] / (wt * cb)
        return
    _, _, _, vx, vxx, vxy, vy, _, vyy = contact_derivative(True, mu, normal, x, y)  # the circle holds
    mx, my = vx * (wn * cn - 1.0), vy * (wn * cn - 1.0)
    a, b = 1.0 - vxx + vxx * wt * ca, -vxy + vxy * wt * cb
    c, d = -vxy + vxy * wt * ca, 1.0 - vyy + vyy * wt * cb
    inverse = 1.0 / (a * d - b * c)
    a, b, c, d = inverse * d, -inverse * b, -inverse * c, inverse * a
    x, y = vx * wn - mx / cn, vy * wn - my / cn
    D[COMPONENTS], D[2 * COMPONENTS] = a * x + b * y, c * x + d * y
    D[COMPONENTS + 1], D[COMPONENTS + 2] = (a * vxx + b * vxy) * wt, (a * vxy + b * vyy) * wt
    D[2 * COMPONENTS + 1], D[2 * COMPONENTS + 2] = (c * vxx + d * vxy) * wt, (c * vxy + d * vyy) * wt
    x, y = q[top + 1] - mx * q[top], q[top + 2] - my * q[top]
    q[top + 1], q[top + 2] = a * x + b * y, c * x + d * y


@called_kernel
def respond(I, exact, epsilon):
    """Store D and q of all block rows, q in SHARE"""
    start, mu, z, F, q = (
        whole(I, START),
        numbers(I, FRICTION),
        numbers(I, POINT),
        numbers(I, RESIDUAL),
        numbers(I, SHARE),
    )
    lower, upper, soft, w = numbers(I, LOWER), numbers(I, UPPER), numbers(I, SOFTNESS), numbers(I, LENGTH)
    D = numbers(I, RESPONSE)
    for i in range(count(I, BLOCKS)):
        top = start[i]
        n = start[i + 1] - top
        if n == 1:
            holds, always = lower[i] < z[top] < upper[i], lower[i] == -inf and upper[i] == inf
            c = soft[top] + (OF_EQUATIONS if always else epsilon)
            D[COMPONENTS * top], q[top] = (1.0 / c, -F[top] / (w[top] * c)) if holds else (0.0, -F[top])
        elif n == 3 and exact == 1:
            respond_of_contact(I, top, mu[DISCS * i], epsilon)
        else:
            respond_of_any(I, i, exact, epsilon)


@called_kernel
def find_step(I):
    """Compute the step dx, in SHARE, from q and D; return whether there is one"""
    dx, along, D, start = numbers(I, SHARE), numbers(I, ALONG), numbers(I, RESPONSE), whole(I, START)
    push(I, dx)
    step, pushed = rows(I, STEP), rows(I, PUSH)
    for k in range(count(I, EIGHTS)):
        store(step, k, load(pushed, k))
    if not factorise(I):
        return False
    solve_factored(I, numbers(I, STEP))
    rates(I, numbers(I, STEP), along)
    for i in range(count(I, BLOCKS)):
        top, n = start[i], start[i + 1] - start[i]
        if n == 3:
            x, y, z = along[top], along[top + 1], along[top + 2]
            for a in range(top, top + 3):
                dx[a] -= D[COMPONENTS * a] * x + D[COMPONENTS * a + 1] * y + D[COMPONENTS * a + 2] * z
            continue
        for a in range(top, top + n):
            for b in range(n):
                dx[a] -= D[COMPONENTS * a + b] * along[top + b]
    return True


# ---------------------------------------------------------------------------------------------------------------- method


@kernel
def share_of_residual(turn):
    """Return what epsilon is of a power of |F| in the first turn, 0, or in those that follow"""
    return EPSILON if turn == 0 else EPSILON * HOLDS[(turn - 1) % len(HOLDS)]


@called_kernel
def newton(I, exact, aim, finer, steps, best):
    """Take steps from the impulses that were tried last, which are the best; return the smallest error, of impulses in BEST,
    and how many there were

    One more follows when the error is what is aimed at, unless it is finer already, with a small epsilon: what contacts are
    by then they stay, and most of what is left goes. The first one from a start that is close has it too, and is undone
    where it does not lead there. From step to step velocities change as the equation of the step has it; where few digits
    are left to find, and now and then, they are computed anew.
    """
    x, u, dx, along = numbers(I, IMPULSE), numbers(I, VELOCITY), numbers(I, SHARE), numbers(I, ALONG)
    nearest, kept, soft = numbers(I, NEAREST), numbers(I, BEST), numbers(I, SOFTNESS)
    m, used, turn, least = count(I, ROWS), 0, 0, inf
    choose_lengths(I, exact)
    for k in range(m):
        x[k], u[k] = kept[k], along[k]
    r = residual(I, exact)
    while used < steps and not interrupted():
        used, last, bold = used + 1, best <= aim, used == 0 and best <= CLOSE
        epsilon = share_of_residual(turn + (used - 1) // PATIENCE) * r**POWER
        respond(I, exact, OF_EQUATIONS if last or bold else min(max(epsilon, LEAST), MOST))
        r = inf
        if find_step(I):
            for k in range(m):
                x[k], u[k] = x[k] + dx[k], u[k] + (along[k] + soft[k] * dx[k])
            r = residual(I, exact)
        failed = not r < inf
        if failed:  # with a larger epsilon from here on
            turn += 1
        elif r <= NEAR * aim:
            best = try_impulses(I, x, exact, best)
        elif r < least:
            least = r
            for k in range(m):
                nearest[k] = x[k]
        if last or best <= min(aim, finer):
            break
        back = failed or (bold and best > aim)
        if back:  # to the best impulses, from which to begin again
            for k in range(m):
                x[k] = kept[k]
        if back or bold or r <= CLOSE or used % PATIENCE == 0:
            move(I, x, u)
            r = residual(I, exact)
    if best > aim and least < inf:
        best = try_impulses(I, nearest, exact, best)
    return best, used
