"""Coulomb's law of one contact, on scalars: a cone of friction, and what is nearest in it.

A *contact* has a normal and two tangents, ``r = (n, a, b)``, and one coefficient mu of friction. Here are what solves one
alone, given what the others cause; the point of its set that is nearest; and an element of the generalised derivative of
that point, of which Newton's method is made.

Source: the exact law as De Saxce and Feng (1998) write it, ``K* with u + mu |u_t| n``; the projection of Tasora and Anitescu
(2011); the function of Alart and Curnier (1991); the equation for the sliding of one contact as Bonnefon and Daviet,
"Quartic formulation of Coulomb 3D frictional contact" (2011), pose it, solved by Newton's method for its one unknown.
"""

from pluecker.spatial.dense.laws import TINY, larger, size_of
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import select, smaller, sqrt

__all__ = ["along_the_cone", "contact_derivative", "contact_response", "nearest_in_cone", "sliding_contact"]

SHORT = 1.0 - 1e-15


SLIDING_STEPS = 3  # of Newton's method for the sliding of one contact: it starts where it ended the sweep before


@kernel
def nearest_in_cone(mu, n, a, b):
    """Return the nearest point of the cone |(a, b)| <= mu n; whoever projects contacts without more discs does it here"""
    zero = 0.0 * n
    one, size = 1.0 + zero, sqrt(a * a + b * b)
    t = larger((n + mu * size) / (1.0 + mu * mu), zero)
    factor = mu * t / larger(size, TINY + zero)
    factor = select(smaller(one, factor), one, factor)
    return select(smaller(mu * n, size), t, larger(n, zero)), factor * a, factor * b


@kernel
def along_the_cone(mu, n, a, b):
    """The normal part cut off at zero, the tangents at the circle that is left of it: the function of Alart and Curnier"""
    t = larger(n, 0.0 * n)
    size = size_of(a, b)
    factor = select(smaller(mu * t, size), mu * t / size, 1.0 + 0.0 * n)
    return t, factor * a, factor * b


@kernel
def contact_derivative(exact, mu, n, a, b):
    """The derivative of :func:`along_the_cone` where ``exact``, of :func:`nearest_in_cone` otherwise, row by row

    Where the circle holds, with e = (a, b) / |(a, b)| and t the normal part: mu t / |(a, b)| (1 - e e') turns the tangents
    about the centre; mu e is what they follow the normal part with, whose slope is 1, or (1, mu e) / (1 + mu^2).
    """
    zero = 0.0 * n
    one = 1.0 + zero
    size = size_of(a, b)
    e, f = a / size, b / size
    t = n if exact else (n + mu * size) / (1.0 + mu * mu)
    turn = mu * t / size
    slope = one if exact else one / (1.0 + mu * mu)
    back = zero if exact else mu * slope  # of the normal part with the tangents
    sticks = smaller(size, mu * n)
    touches = smaller(zero, t)
    m = mu * slope
    ne, nf = back * e, back * f
    en, fn = m * e, m * f
    ee, ef, ff = turn * f * f + mu * back * e * e, (mu * back - turn) * e * f, turn * e * e + mu * back * f * f
    nn, ne, nf = select(sticks, one, slope), select(sticks, zero, ne), select(sticks, zero, nf)
    en, ee, ef = select(sticks, zero, en), select(sticks, one, ee), select(sticks, zero, ef)
    fn, ff = select(sticks, zero, fn), select(sticks, one, ff)
    return (
        select(touches, nn, zero), select(touches, ne, zero), select(touches, nf, zero),
        select(touches, en, zero), select(touches, ee, zero), select(touches, ef, zero),
        select(touches, fn, zero), select(touches, ef, zero), select(touches, ff, zero),
    )  # fmt: skip


@kernel
def sliding_contact(mu, A, c, w, alpha):
    """r of one contact with u_n = 0 and u_t = -alpha r_t, mu n / |r_t|, and its derivative with alpha

    r_t = -(A + alpha)^-1 c, n = -(w_0 + w' r_t); (r_t)' = -(A + alpha)^-1 r_t.
    """
    aa, ab, bb = A[0] + alpha, A[1], A[2] + alpha
    d = 1.0 / (aa * bb - ab * ab)
    a, b = d * (ab * c[1] - bb * c[0]), d * (ab * c[0] - aa * c[1])
    n = -w[0] - w[1] * a - w[2] * b
    da, db = d * (ab * b - bb * a), d * (ab * a - aa * b)
    size = size_of(a, b)
    ratio = mu * n / size
    slope = -mu * (w[1] * da + w[2] * db) / size - ratio * (a * da + b * db) / (size * size)
    return (n, a, b), ratio, slope


@kernel
def contact_response(mu, block, q, alpha):
    """r of one contact with W r + q = u by Coulomb's law, and alpha, its |u_t| / |r_t| where it slides

    ``block`` is W as (nn, na, nb, aa, ab, bb). With u_n = 0 the normal part is n = -(q_n + w' r_t) / nn; what is left for
    the tangents, u_t = A r_t + c = -alpha r_t, has one unknown. Newton's method for mu n / |r_t| = 1, which in alpha is
    nearly a straight line, between the bounds that its signs give. It starts at ``alpha``, where it ended the sweep before.
    """
    nn, na, nb, aa, ab, bb = block
    zero = 0.0 * q[0]
    w = (q[0] / nn, na / nn, nb / nn)
    A = (aa - w[1] * na, ab - w[1] * nb, bb - w[2] * nb)
    c = (q[1] - na * w[0], q[2] - nb * w[0])
    stuck, ratio, slope = sliding_contact(mu, A, c, w, zero)
    sticks = smaller(1.0, ratio)
    low, high = zero, zero + 1e300
    x = select(smaller(zero, alpha), alpha, (1.0 - ratio) / slope)
    x = select(smaller(zero, x), x, zero)
    for _ in range(SLIDING_STEPS):
        _, ratio, slope = sliding_contact(mu, A, c, w, x)
        outside = smaller(ratio, 1.0)
        low, high = select(outside, larger(low, x), low), select(outside, high, x)
        bounded = smaller(high, 1e299)
        middle = select(bounded, 0.5 * (low + high), 4.0 * low + 0.01 * nn)
        x = x + (1.0 - ratio) / slope
        # A bound itself is a point as good as any: there the method ends.
        x = select(smaller(SHORT * low - TINY, x), select(smaller(SHORT * x, high), x, middle), middle)
    r, ratio, _ = sliding_contact(mu, A, c, w, x)
    ratio = larger(ratio, zero)  # 1 at the solution; without friction 0
    a, b = select(sticks, stuck[1], ratio * r[1]), select(sticks, stuck[2], ratio * r[2])
    n = -w[0] - w[1] * a - w[2] * b
    touches = smaller(zero, select(smaller(q[0], zero), n, zero))
    return (select(touches, n, zero), select(touches, a, zero), select(touches, b, zero)), select(sticks, zero, x)
