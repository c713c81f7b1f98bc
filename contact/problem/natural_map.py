"""The natural map of one block, ``r - P(r - u - g)``: zero where impulses and velocities obey the law, and nowhere else.

Errors, first-order methods and Newton's method all sum its squares, each with units of its own: ``r = s x``, ``u = w / s``.

Source: as in :mod:`~pluecker.contact.results.measures`.
"""

from __future__ import annotations

from pluecker.contact.problem.sets import is_steep, project_block, shift_block, signorini_block
from pluecker.spatial.compiled.decorators import allocation_free_kernel

__all__ = ["distance_block", "natural_block"]


@allocation_free_kernel
def distance_block(K, i, s, x, z, out, total):
    """total + |s (x - P(z))|^2 of block i; P(z) is left in ``out``, which may be ``z``"""
    project_block(K, i, z, out)
    for k in range(K.start[i], K.start[i + 1]):
        d = (x[k] - out[k]) * s
        total += d * d
    return total


@allocation_free_kernel
def natural_block(K, i, s, inverse, g, exact, x, u, work):
    """|s (x - P(x - (u / s + g) / s))|^2 of block i; ``exact`` adds De Saxce's correction of u to the shift g

    Of a steep cone Signorini's condition counts where it is the larger.
    """
    top = K.start[i]
    for k in range(top, K.start[i + 1]):
        work[k] = x[k] - u[k] * inverse * inverse
    work[top] -= g * inverse
    if exact == 1:
        work[top] -= shift_block(K, i, u) * inverse * inverse
    part = distance_block(K, i, s, x, work, work, 0.0)
    if exact == 1 and is_steep(K, i):
        lack = signorini_block(K, i, s, inverse, x, u)
        part = max(part, lack * lack)
    return part
