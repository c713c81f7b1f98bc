"""3D vectors, and the 6D motion and force vectors made of two of them.

A 3D vector is a tuple of three scalars. A rotation or any other 3x3 matrix is a tuple of nine, row by row. A 6D vector is
a pair of 3D vectors, angular part first, in Pluecker coordinates (course, sections 19, 23 and 34):

- a motion vector ``(w, v)``: angular velocity, and linear velocity of the body-fixed point at the origin;
- a force vector ``(n, f)``: moment about the origin, and linear force.

Sources: Featherstone, *Rigid Body Dynamics Algorithms* (RBDA, 2008), chapter 2; his course, "A short
introduction to spatial (6D) vectors", sections 6, 26 and 37.
"""

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "add", "add3", "add_cross3", "add_cross_force", "add_cross_motion", "cross3", "cross_force", "cross_motion", "dot",
    "dot3", "load3", "load_vector", "multiply3", "rotate", "rotate_back", "scale", "scale3", "store3", "store_vector",
    "subtract", "subtract3",
]  # fmt: skip


# --------------------------------------------------------------------------------------------------------- three numbers


@kernel
def add3(a, b):
    """a + b"""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def subtract3(a, b):
    """a - b"""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale3(s, a):
    """s a"""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def dot3(a, b):
    """a . b, without conjugation"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross3(a, b):
    """a x b (course, section 6)"""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def add_cross3(a, b, c):
    """a + b x c, each product added at once: fewer operations, and fewer roundings where they are fused"""
    return (
        a[0] + b[1] * c[2] - b[2] * c[1],
        a[1] + b[2] * c[0] - b[0] * c[2],
        a[2] + b[0] * c[1] - b[1] * c[0],
    )


@kernel
def rotate(E, a):
    """E a: coordinates of ``a`` in the frame whose axes are the rows of ``E``"""
    return (
        E[0] * a[0] + E[1] * a[1] + E[2] * a[2],
        E[3] * a[0] + E[4] * a[1] + E[5] * a[2],
        E[6] * a[0] + E[7] * a[1] + E[8] * a[2],
    )


@kernel
def rotate_back(E, a):
    """E^T a"""
    return (
        E[0] * a[0] + E[3] * a[1] + E[6] * a[2],
        E[1] * a[0] + E[4] * a[1] + E[7] * a[2],
        E[2] * a[0] + E[5] * a[1] + E[8] * a[2],
    )


@kernel
def multiply3(A, B):
    """A B, both 3x3"""
    x = rotate_back(B, (A[0], A[1], A[2]))
    y = rotate_back(B, (A[3], A[4], A[5]))
    z = rotate_back(B, (A[6], A[7], A[8]))
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@kernel
def load3(array, k):
    """Three entries of a scalar array, from ``k`` on."""
    return (load(array, k), load(array, k + 1), load(array, k + 2))


@kernel
def store3(array, k, a):
    """Write three entries of a scalar array, from ``k`` on."""
    store(array, k, a[0])
    store(array, k + 1, a[1])
    store(array, k + 2, a[2])


# ----------------------------------------------------------------------------------------------------------- six numbers


@kernel
def add(x, y):
    """x + y, two motion vectors or two force vectors"""
    return (add3(x[0], y[0]), add3(x[1], y[1]))


@kernel
def subtract(x, y):
    """x - y, two motion vectors or two force vectors"""
    return (subtract3(x[0], y[0]), subtract3(x[1], y[1]))


@kernel
def scale(s, x):
    """s x"""
    return (scale3(s, x[0]), scale3(s, x[1]))


@kernel
def dot(m, f):
    """m . f, the scalar product of a motion and a force vector: power (course, section 26)"""
    return dot3(m[0], f[0]) + dot3(m[1], f[1])


@kernel
def cross_motion(v, m):
    """v x m = (w x mw, w x mv + v x mw): rate of change of ``m`` carried by ``v`` (course, section 37; RBDA section 2.9)"""
    return (cross3(v[0], m[0]), add_cross3(cross3(v[0], m[1]), v[1], m[0]))


@kernel
def add_cross_motion(x, v, m):
    """x + v x m"""
    return (add_cross3(x[0], v[0], m[0]), add_cross3(add_cross3(x[1], v[0], m[1]), v[1], m[0]))


@kernel
def cross_force(v, f):
    """v x* f = (w x n + v x f, w x f): rate of change of ``f`` carried by ``v`` (course, section 37; RBDA section 2.9)"""
    return (add_cross3(cross3(v[0], f[0]), v[1], f[1]), cross3(v[0], f[1]))


@kernel
def add_cross_force(x, v, f):
    """x + v x* f"""
    return (add_cross3(add_cross3(x[0], v[0], f[0]), v[1], f[1]), add_cross3(x[1], v[0], f[1]))


@kernel
def load_vector(array, k):
    """A 6D vector from six entries of a scalar array, from ``k`` on, angular part first."""
    return (load3(array, k), load3(array, k + 3))


@kernel
def store_vector(array, k, x):
    """Write a 6D vector to six entries of a scalar array, from ``k`` on, angular part first."""
    store3(array, k, x[0])
    store3(array, k + 3, x[1])
