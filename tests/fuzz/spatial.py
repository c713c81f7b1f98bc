"""Calls of the functions of :mod:`pluecker.spatial`, its planar vectors, shapes and two-body problems."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.linalg
from scipy.spatial.transform import Rotation

from pluecker import course, spatial
from pluecker.course import planar, two_body
from pluecker.spatial import shapes
from tests.fuzz.judge import Call, arrays_in, close
from tests.fuzz.values import GOOD, MAYBE, VALUE, Dice, Given, dressed, misshapen, not_finite, thing, wild, wrong_type

L = np.longdouble
Array = np.ndarray


# ------------------------------------------------------------------------------------------- arguments: (axes, numbers)


def any_numbers(*core: int) -> Callable[[Dice, tuple[int, ...]], Array]:
    def make(dice: Dice, batch: tuple[int, ...]) -> Array:
        x = dice.normal(*batch, *core)
        kind = dice.below(6)
        if kind == 0:
            x = np.rint(x)
        elif kind == 1:
            x = x * 10.0 ** dice.plain.randint(-6, 6)
        return x

    return make


def positive(*core: int) -> Callable[[Dice, tuple[int, ...]], Array]:
    return lambda dice, batch: np.abs(dice.normal(*batch, *core)) + 0.1


def quaternion(dice: Dice, batch: tuple[int, ...]) -> Array:
    p = dice.normal(*batch, 4)
    return p / np.linalg.norm(p, axis=-1, keepdims=True)


def turn(p: Array) -> Array:
    """The rotation of a unit quaternion."""
    w, x, y, z = np.moveaxis(p, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotation(dice: Dice, batch: tuple[int, ...]) -> Array:
    return turn(quaternion(dice, batch))


def tilde(a: Any) -> Array:
    a = np.asarray(a)
    S = np.zeros((*a.shape, 3), a.dtype)
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    S[..., 1, 0], S[..., 2, 0], S[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return S


def blocks(A: Any, B: Any, C: Any, D: Any) -> Array:
    return np.concatenate([np.concatenate([A, B], axis=-1), np.concatenate([C, D], axis=-1)], axis=-2)


def motion_matrix(E: Array, r: Array) -> Array:
    E, S = np.broadcast_arrays(E, tilde(r))
    return blocks(E, 0 * E, -(E @ S), E)


def transform(dice: Dice, batch: tuple[int, ...]) -> Array:
    return motion_matrix(rotation(dice, batch), dice.normal(*batch, 3))


def either_transform(dice: Dice, batch: tuple[int, ...]) -> Array:
    X = transform(dice, batch)
    return X if dice.chance(0.6) else np.swapaxes(np.linalg.inv(X), -1, -2)


def placement(dice: Dice, batch: tuple[int, ...]) -> Array:
    T = np.zeros((*batch, 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = rotation(dice, batch), dice.normal(*batch, 3), 1.0
    return T


def moments(dice: Dice, batch: tuple[int, ...]) -> Array:
    """Rotational inertias of eight points."""
    x = dice.normal(*batch, 8, 3)
    S = np.swapaxes(x, -1, -2) @ x / 8
    return np.trace(S, axis1=-1, axis2=-2)[..., None, None] * np.eye(3) - S


def inertia(dice: Dice, batch: tuple[int, ...]) -> Array:
    m, c, J = positive()(dice, batch), dice.normal(*batch, 3), moments(dice, batch)
    return spatial_inertia(m, c, J)


def spatial_inertia(m: Any, c: Any, J: Any) -> Array:
    m, C = np.asarray(m)[..., None, None], tilde(c)
    J, m, C = np.broadcast_arrays(J, m, C)
    return blocks(J - m * C @ C, m * C, -m * C, m * np.eye(3))


def definite(dice: Dice, batch: tuple[int, ...]) -> Array:
    A = dice.normal(*batch, 6, 6)
    I = A @ np.swapaxes(A, -1, -2) + 0.5 * np.eye(6)
    return 0.5 * (I + np.swapaxes(I, -1, -2))


def inertia_or_definite(dice: Dice, batch: tuple[int, ...]) -> Array:
    return inertia(dice, batch) if dice.chance(0.5) else definite(dice, batch)


def skew_matrix(dice: Dice, batch: tuple[int, ...]) -> Array:
    return tilde(dice.normal(*batch, 3))


def columns(dice: Dice, batch: tuple[int, ...]) -> Array:
    return dice.normal(*batch, 6, dice.below(7))


def equations(dice: Dice, batch: tuple[int, ...]) -> Array:
    return dice.normal(*batch, dice.below(8), 6)


def square(dice: Dice, batch: tuple[int, ...]) -> Array:
    n = 1 + dice.seed % 6  # the same for all bases of a call
    return dice.normal(*batch, n, n) + 2 * np.eye(n)


def in_plane(dice: Dice, batch: tuple[int, ...]) -> Array:
    a = np.zeros((*batch, 6))
    a[..., 2:5] = dice.normal(*batch, 3)
    return a


def line(dice: Dice, batch: tuple[int, ...]) -> Array:
    """Draw an argument of grid: a number or a vector, never a batch."""
    return dice.normal(*dice.pick((), (1,), (3,), (4,)))


# kind: (how it is made, how many axes belong to it, whether any numbers will do)
KINDS: dict[str, tuple[Callable[[Dice, tuple[int, ...]], Array], int, bool]] = {
    "number": (any_numbers(), 0, True),
    "v2": (any_numbers(2), 1, True),
    "v3": (any_numbers(3), 1, True),
    "v6": (any_numbers(6), 1, True),
    "w6": (lambda dice, batch: dice.normal(*batch, 6), 1, False),
    "u": (lambda dice, batch: dice.normal(*batch, 3), 1, False),
    "positive": (positive(), 0, False),
    "p3": (positive(3), 1, False),
    "p43": (lambda dice, batch: dice.normal(*batch, 4, 3), 2, False),
    "q": (quaternion, 1, False),
    "q_any": (any_numbers(4), 1, True),
    "E": (rotation, 2, False),
    "X": (transform, 2, False),
    "XF": (either_transform, 2, False),
    "T": (placement, 2, False),
    "J": (moments, 2, False),
    "I": (inertia, 2, False),
    "A": (inertia_or_definite, 2, False),
    "M": (any_numbers(6, 6), 2, True),
    "S3": (skew_matrix, 2, False),
    "S": (columns, 2, False),
    "rows": (equations, 2, False),
    "B": (square, 2, False),
    "flat": (in_plane, 1, False),
    "line": (line, 0, True),
    "masses": (positive(4), 1, False),
    "points": (lambda dice, batch: dice.normal(*batch, 4, 3), 2, False),
    "B6": (lambda dice, batch: dice.normal(*batch, 6, 6) + 2 * np.eye(6), 2, False),
    "P": (lambda dice, batch: pseudo(inertia(dice, batch)), 2, False),
}


def pseudo(I: Array) -> Array:
    P = np.empty((*I.shape[:-2], 4, 4))
    J = I[..., :3, :3]
    P[..., :3, :3] = 0.5 * np.trace(J, axis1=-1, axis2=-2)[..., None, None] * np.eye(3) - J
    h = np.stack([I[..., 2, 4], I[..., 0, 5], I[..., 1, 3]], axis=-1)
    P[..., :3, 3] = P[..., 3, :3] = h
    P[..., 3, 3] = I[..., 3, 3]
    return P


# ------------------------------------------------------------------------------------------------------------- formulas


def mv(A: Any, x: Any) -> Array:
    return (A @ x[..., None])[..., 0]


def crm(v: Any) -> Array:
    W, V = tilde(v[..., :3]), tilde(v[..., 3:])
    return blocks(W, 0 * W, V, W)


def crf(v: Any) -> Array:
    return -np.swapaxes(crm(v), -1, -2)


def T_(A: Any) -> Array:
    return np.swapaxes(A, -1, -2)


def dot(a: Any, b: Any) -> Any:
    return (a * b).sum(axis=-1)


def inverse(X: Any) -> Array:
    """X^-1 of a transform of motion vectors."""
    return blocks(*(T_(X[..., i : i + 3, j : j + 3]) for i in (0, 3) for j in (0, 3)))


def star(X: Any) -> Array:
    return T_(inverse(X))


def first(w: Any) -> Any:
    return w[..., :3]


def last(w: Any) -> Any:
    return w[..., 3:]


def quaternion_product(p: Any, q: Any) -> Array:
    w = p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(axis=-1, keepdims=True)
    u = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([w, u], axis=-1)


def pure(w: Any) -> Array:
    return np.concatenate([0 * w[..., :1], w], axis=-1)


def of_point(v: Any, a: Any, p: Any) -> Array:
    w = first(v)
    return last(a) + np.cross(first(a), p) + np.cross(w, last(v) + np.cross(w, p))


def planar_transform(a: Any, r: Any) -> Array:
    a, r0, r1 = np.broadcast_arrays(a, r[..., 0], r[..., 1])
    s, c = np.sin(a), np.cos(a)
    o, z = np.ones_like(a), np.zeros_like(a)
    rows = [[o, z, z], [s * r0 - c * r1, c, s], [c * r0 + s * r1, -s, c]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def planar_cross(v: Any, m: Any) -> Array:
    w = v[..., 0]
    rows = [0 * w * m[..., 0], -w * m[..., 2] + v[..., 2] * m[..., 0], w * m[..., 1] - v[..., 1] * m[..., 0]]
    return np.stack(rows, axis=-1)


def planar_cross_force(v: Any, f: Any) -> Array:
    w = v[..., 0]
    return np.stack([v[..., 1] * f[..., 2] - v[..., 2] * f[..., 1], -w * f[..., 2], w * f[..., 1]], axis=-1)


def beside(*parts: Any) -> Array:
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def joined(a: Any, b: Any) -> Array:
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    return np.concatenate([np.broadcast_to(x, (*shape, x.shape[-1])) for x in (a, b)], axis=-1)


@dataclass
class Entry:
    """A public function, and how its results are checked.

    Attributes:
        kinds: of its arguments.
        formula: in NumPy, of arrays of extended precision.
        size: of what rounding is relative to, from the largest numbers of the arguments; their product unless given.
        check: complaints about a result of moderate numbers: ``check(result, *arguments)`` is true, or nearly zero.
        exact: whether compiled code computes it, with the same bits whatever the memory looks like.
        infinite: whether infinity is a result.
        batch: whether leading axes broadcast.
    """

    kinds: tuple[str, ...]
    formula: Callable[..., Any] | None = None
    size: Callable[..., Any] | None = None
    check: Callable[..., Any] | None = None
    exact: bool = True
    infinite: bool = False
    batch: bool = True
    optional: int = 0


def nearly(a: Any, b: Any, tolerance: float = 1e-8) -> bool:
    return close(np.asarray(a, float), np.asarray(b, float), tolerance, 1.0)


def no_zero(v: Array) -> bool:
    return bool((np.abs(v[..., :3]).max(axis=-1, initial=0) > 1e-3).all()) if v.size else True


TABLE: dict[str, Entry] = {
    # products
    "skew": Entry(("v3",), tilde),
    "unskew": Entry(("S3",), lambda A: np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)),
    "crm": Entry(("v6",), crm),
    "crf": Entry(("v6",), crf),
    "cross_motion": Entry(("v6", "v6"), lambda v, m: mv(crm(v), m)),
    "cross_force": Entry(("v6", "v6"), lambda v, f: mv(crf(v), f)),
    "scalar_product": Entry(("v6", "v6"), dot),
    # coordinates
    "pluecker_transform": Entry(("E", "v3"), motion_matrix, size=lambda E, r: E * (1 + r)),
    "force_transform": Entry(("E", "v3"), lambda E, r: star(motion_matrix(E, r)), size=lambda E, r: E * (1 + r)),
    "transform_parameters": Entry(("X",), check=lambda got, X: nearly(motion_matrix(*got), X)),
    "dual": Entry(("XF",), lambda X: T_(inverse(X))),
    "invert": Entry(("XF",), inverse),
    "compose": Entry(("X", "X"), lambda A, B: A @ B),
    "transform_motion": Entry(("X", "v6"), lambda X, m: mv(X, m)),
    "transform_force": Entry(("X", "v6"), lambda X, f: mv(star(X), f)),
    "transform_inertia": Entry(("X", "A"), lambda X, I: star(X) @ I @ inverse(X), size=lambda X, I: X * X * I),
    "placement": Entry(("X",), check=lambda got, X: nearly(spatial.transform_from_placement(got), X)),
    "transform_from_placement": Entry(
        ("T",), lambda T: motion_matrix(T_(T[..., :3, :3]), T[..., :3, 3]), size=lambda T: T * (1 + T)
    ),
    "reciprocal_basis": Entry(
        ("B",), check=lambda got, B: residual(T_(got) @ B, np.eye(B.shape[-1]), got, B), exact=False
    ),
    "change_of_basis": Entry(("B", "B"), check=lambda X, old, new: residual(new @ X, old, new, X), exact=False),
    "coordinates_in": Entry(
        ("B6", "v6"), check=lambda x, B, a: residual(mv(B, x), np.broadcast_to(a, x.shape), B, x), exact=False
    ),
    # exponentials
    "exp3": Entry(("v3",), check=lambda R, a: each(lambda R, a: nearly(R, Rotation.from_rotvec(a).as_matrix()), R, a)),
    "log3": Entry(("E",), check=lambda a, R: nearly(spatial.exp3(a), R)),
    "exp6": Entry(("v6",), check=lambda T, d: each(exp6_is, T, d)),
    "log6": Entry(("T",), check=lambda d, T: nearly(spatial.exp6(d), T)),
    "left_jacobian3": Entry(("v3",), check=lambda J, a: nearly(T_(J), spatial.right_jacobian3(a))),
    "right_jacobian3": Entry(("v3",), check=lambda J, a: nearly(J, spatial.left_jacobian3(-a))),
    "left_jacobian3_inverse": Entry(("v3",), check=lambda K, a: residual(K @ spatial.left_jacobian3(a), np.eye(3), K)),
    "right_jacobian3_inverse": Entry(
        ("v3",), check=lambda K, a: residual(K @ spatial.right_jacobian3(a), np.eye(3), K)
    ),
    "left_jacobian6": Entry(("v6",), check=lambda J, d: nearly(J, spatial.right_jacobian6(-d))),
    "right_jacobian6": Entry(("v6",), check=lambda J, d: nearly(J, spatial.left_jacobian6(-d))),
    "left_jacobian6_inverse": Entry(
        ("v6",), check=lambda K, d: residual(K @ spatial.left_jacobian6(d), np.eye(6), K, spatial.left_jacobian6(d))
    ),
    "right_jacobian6_inverse": Entry(
        ("v6",), check=lambda K, d: residual(K @ spatial.right_jacobian6(d), np.eye(6), K, spatial.right_jacobian6(d))
    ),
    # quaternions
    "quaternion_product": Entry(("q_any", "q_any"), quaternion_product),
    "quaternion_conjugate": Entry(("q_any",), lambda p: p * np.array([1, -1, -1, -1])),
    "quaternion_normalize": Entry(
        ("q",), check=lambda got, p: nearly(np.linalg.norm(got, axis=-1), np.ones(p.shape[:-1]), 1e-14), exact=True
    ),
    "quaternion_inverse": Entry(
        ("q",), check=lambda got, p: nearly(quaternion_product(p, got), np.broadcast_to([1.0, 0, 0, 0], p.shape))
    ),
    "quaternion_rotate": Entry(("q", "v3"), lambda p, x: mv(turn(p), x), size=lambda p, x: 10 * x),
    "quaternion_exp": Entry(("v3",), check=lambda p, a: nearly(turn(p), spatial.exp3(a))),
    "quaternion_log": Entry(("q",), check=lambda a, p: nearly(spatial.exp3(a), turn(p))),
    "quaternion_to_rotation": Entry(("q",), turn, size=lambda p: 2),
    "quaternion_from_rotation": Entry(("E",), check=lambda p, R: nearly(turn(p), R) and (p[..., 0] >= 0).all()),
    "quaternion_derivative": Entry(("q", "v3"), lambda p, w: quaternion_product(p, pure(w)) / 2),
    "quaternion_rate_matrix": Entry(
        ("q",),
        check=lambda Q, p: nearly(mv(Q, np.ones(3)), quaternion_product(pure(np.ones((*p.shape[:-1], 3))), p) / 2),
    ),
    "angular_velocity_matrix": Entry(
        ("q",),
        check=lambda G, p: nearly(mv(T_(G), np.ones(3)), quaternion_product(p, pure(np.ones((*p.shape[:-1], 3))))),
    ),
    "position_rate_matrix": Entry(
        ("q",), check=lambda M, p: nearly(M[..., 3:, 3:], T_(spatial.angular_velocity_matrix(p)) / 2)
    ),
    "to_scipy": Entry(("q",), check=lambda R, p: nearly(spatial.from_scipy(R), p), exact=False, batch=False),
    # rates
    "derivative_of_motion": Entry(("v6",) * 3, lambda c, v, m: c + mv(crm(v), m), size=lambda c, v, m: c + v * m),
    "derivative_of_force": Entry(("v6",) * 3, lambda c, v, f: c + mv(crf(v), f), size=lambda c, v, f: c + v * f),
    "component_rate_of_motion": Entry(("v6",) * 3, lambda c, v, m: c - mv(crm(v), m), size=lambda c, v, m: c + v * m),
    "component_rate_of_force": Entry(("v6",) * 3, lambda c, v, f: c - mv(crf(v), f), size=lambda c, v, f: c + v * f),
    "spatial_acceleration": Entry(
        ("v6", "v6"), lambda v, a: joined(first(a), last(a) - np.cross(first(v), last(v))), size=lambda v, a: a + v * v
    ),
    "classical_acceleration": Entry(
        ("v6", "v6"), lambda v, a: joined(first(a), last(a) + np.cross(first(v), last(v))), size=lambda v, a: a + v * v
    ),
    "acceleration_of_point": Entry(("v6", "v6", "v3"), of_point, size=lambda v, a, p: a + a * p + v * v + v * v * p),
    # rigid bodies
    "spatial_inertia": Entry(("positive", "v3", "J"), spatial_inertia, size=lambda m, c, J: J + m * (1 + c) ** 2),
    "inertia_parameters": Entry(("I",), check=lambda got, I: nearly(spatial_inertia(*got), I)),
    "shift_inertia": Entry(
        ("number", "J", "v3"),
        lambda m, J, r: J - m[..., None, None] * tilde(r) @ tilde(r),
        size=lambda m, J, r: J + m * r * r,
    ),
    "body_momentum": Entry(("M", "v6"), mv),
    "body_kinetic_energy": Entry(("A", "v6"), lambda I, v: dot(v, mv(I, v)) / 2, size=lambda I, v: I * v * v),
    "net_force": Entry(
        ("M", "v6", "v6"), lambda I, v, a: mv(I, a) + mv(crf(v), mv(I, v)), size=lambda I, v, a: I * a + v * v * I
    ),
    "inertia_rate": Entry(("A", "v6"), lambda I, v: crf(v) @ I - I @ crm(v)),
    "inverse_inertia": Entry(("A",), check=lambda W, I: residual(W @ I, np.eye(6), W, I)),
    "relative_inertia": Entry(
        ("A", "A"),
        check=lambda R, A, B: residual(
            (np.linalg.inv(A) + np.linalg.inv(B)) @ R, np.eye(6), R, np.linalg.inv(A), factor=1e3
        ),
        exact=False,
    ),
    "check_consistent": Entry(("I",), check=lambda got, I: got is None, exact=False),
    "is_consistent": Entry(("I",), check=lambda got, I: got.all() and got.dtype == bool, exact=False),
    "pseudo_inertia": Entry(("I",), check=lambda P, I: nearly(P, pseudo(I)), exact=False),
    "from_pseudo_inertia": Entry(("P",), check=lambda I, P: nearly(pseudo(I), P), exact=False),
    "principal_axes": Entry(
        ("I",),
        check=lambda got, I: nearly(
            spatial_inertia(I[..., 3, 3], got.center_of_mass, got.axes @ (got.moments[..., None] * T_(got.axes))), I
        ),
        exact=False,
    ),
    # screws
    "velocity_at": Entry(("v6", "v3"), lambda v, p: last(v) + np.cross(first(v), p), size=lambda v, p: v * (1 + p)),
    "moment_at": Entry(("v6", "v3"), lambda f, p: first(f) + np.cross(last(f), p), size=lambda f, p: f * (1 + p)),
    "screw_axis": Entry(
        ("w6",),
        check=lambda got, v: (
            not no_zero(v)
            or nearly(course.twist(*got) / (1 + np.abs(v).max(initial=0)), v / (1 + np.abs(v).max(initial=0)))
        ),
    ),
    "central_axis": Entry(
        ("w6",),
        check=lambda got, f: (
            not no_zero(f[..., 3:])
            or nearly(course.wrench(*got) / (1 + np.abs(f).max(initial=0)), f / (1 + np.abs(f).max(initial=0)))
        ),
    ),
    "magnitudes": Entry(("v6",), check=lambda got, v: nearly(got[0], np.linalg.norm(v[..., :3], axis=-1))),
    "wrench_magnitudes": Entry(("v6",), check=lambda got, v: nearly(got[0], np.linalg.norm(v[..., 3:], axis=-1))),
    "pitch": Entry(
        ("w6",),
        check=lambda h, v: (
            not no_zero(v)
            or nearly(h * dot(first(v), first(v)), dot(first(v), last(v)), 1e-8 * (1 + np.abs(v).max(initial=0) ** 2))
        ),
        infinite=True,
    ),
    "wrench_pitch": Entry(
        ("w6",),
        check=lambda h, v: (
            not no_zero(v[..., 3:])
            or nearly(h * dot(last(v), last(v)), dot(first(v), last(v)), 1e-8 * (1 + np.abs(v).max(initial=0) ** 2))
        ),
        infinite=True,
    ),
    "twist": Entry(
        ("u", "v3", "number", "number"),
        lambda u, p, a, b: twist(u, p, a, b),
        size=lambda u, p, a, b: a * (1 + p) + b,
        optional=2,
    ),
    "wrench": Entry(
        ("u", "v3", "number", "number"),
        lambda u, p, a, b: turned(twist(u, p, a, b)),
        size=lambda u, p, a, b: a * (1 + p) + b,
        optional=2,
    ),
    "line_force": Entry(("v3", "v3"), lambda f, p: joined(np.cross(p, f), f), size=lambda f, p: f * (1 + p)),
    "couple": Entry(("v3",), lambda n: joined(n, 0 * n)),
    "grid": Entry(
        ("line", "line", "line"),
        exact=False,
        batch=False,
        check=lambda got, x, y, z: nearly(
            got.reshape(-1, 3), np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
        ),
    ),
    # subspaces and constraints
    "complement": Entry(
        ("S",), check=lambda T, S: nearly(T_(T) @ S / (1 + np.abs(S).max(initial=0)), 0 * (T_(T) @ S)), exact=False
    ),
    "subspaces_of_constraints": Entry(("rows",), check=lambda got, A: nearly(A @ got.S, 0 * (A @ got.S)), exact=False),
    "apparent_inverse_inertia_from_S": Entry(
        ("A", "S"), check=lambda F, I, S: residual(F @ I @ S, S, F, I, S), exact=False
    ),
    "apparent_inverse_inertia_from_T": Entry(
        ("A", "S"), check=lambda F, I, T: residual(F @ T, 0 * T, F, T, factor=1e3), exact=False
    ),
    "joint_space": Entry(
        ("A", "S"),
        check=lambda got, I, S: nearly(
            got.H / (1 + np.abs(got.H).max(initial=0)), T_(S) @ I @ S / (1 + np.abs(got.H).max(initial=0))
        ),
        exact=False,
    ),
    "constrained_acceleration_from_S": Entry(
        ("A", "S", "v6"),
        exact=False,
        check=lambda got, I, S, f: residual(
            mv(I, got.acceleration) - got.constraint_force,
            np.broadcast_to(f, got.acceleration.shape),
            I,
            f,
            got.apparent_inverse_inertia,
            factor=1e3,
        ),
    ),
    "constrained_acceleration_from_T": Entry(
        ("A", "S", "v6"),
        exact=False,
        check=lambda got, I, T, f: residual(
            mv(I, got.acceleration) - got.constraint_force,
            np.broadcast_to(f, got.acceleration.shape),
            I,
            f,
            got.apparent_inverse_inertia,
            factor=1e4,
        ),
    ),
    "constraint_multipliers": Entry(
        ("A", "S", "v6"),
        exact=False,
        check=lambda got, I, T, f: residual(
            mv(T, got), course.constrained_acceleration_from_T(I, T, f).constraint_force, T, got, I, f
        ),
    ),
    "point_masses": Entry(
        ("masses", "points"),
        exact=False,
        check=lambda I, m, p: (
            nearly(I[..., 5, 5], np.broadcast_to(m.sum(axis=-1), I.shape[:-2])) and bool(spatial.is_consistent(I).all())
        ),
    ),
    # shapes
    "shapes.box": Entry(("positive", "p3"), check=lambda I, m, s: solid(I, m), exact=False),
    "shapes.ellipsoid": Entry(("positive", "p3"), check=lambda I, m, s: solid(I, m), exact=False),
    "shapes.rod": Entry(("positive", "positive"), check=lambda I, m, l: solid(I, m), exact=False),
    "shapes.sphere": Entry(("positive", "positive"), check=lambda I, m, r: solid(I, m), exact=False),
    "shapes.spherical_shell": Entry(("positive", "positive"), check=lambda I, m, r: solid(I, m), exact=False),
    "shapes.cylinder": Entry(("positive",) * 3, check=lambda I, m, r, l: solid(I, m), exact=False),
    "shapes.capsule": Entry(("positive",) * 3, check=lambda I, m, r, l: solid(I, m), exact=False),
    "shapes.cone": Entry(("positive",) * 3, check=lambda I, m, r, l: solid(I, m), exact=False),
    "shapes.tetrahedron": Entry(("positive", "p43"), check=lambda I, m, p: solid(I, m), exact=False),
    # the plane
    "planar.planar_to_spatial": Entry(
        ("v3",), lambda a: joined(joined(0 * a[..., :2], a), 0 * a[..., :1]), exact=False
    ),
    "planar.spatial_to_planar": Entry(("flat",), lambda a: a[..., 2:5], exact=False),
    "planar.planar_twist": Entry(
        ("v2", "number"),
        lambda p, w: beside(w, w * p[..., 1], -w * p[..., 0]),
        size=lambda p, w: w * (1 + p),
        optional=1,
    ),
    "planar.center_of_rotation": Entry(
        ("u",), lambda v: beside(-v[..., 2] / v[..., 0], v[..., 1] / v[..., 0]), size=lambda v: 0
    ),
    "planar.planar_line_force": Entry(
        ("v2", "v2"),
        lambda f, p: beside(p[..., 0] * f[..., 1] - p[..., 1] * f[..., 0], f[..., 0], f[..., 1]),
        size=lambda f, p: f * (1 + p),
    ),
    "planar.planar_line_of_action": Entry(
        ("u",), check=lambda got, f: nearly(np.linalg.norm(got[0], axis=-1), np.ones(f.shape[:-1]))
    ),
    "planar.planar_velocity_at": Entry(
        ("v3", "v2"),
        lambda v, p: beside(v[..., 1] - v[..., 0] * p[..., 1], v[..., 2] + v[..., 0] * p[..., 0]),
        size=lambda v, p: v * (1 + p),
    ),
    "planar.planar_moment_at": Entry(
        ("v3", "v2"),
        lambda f, p: f[..., 0] + f[..., 1] * p[..., 1] - f[..., 2] * p[..., 0],
        size=lambda f, p: f * (1 + p),
    ),
    "planar.planar_scalar_product": Entry(("v3", "v3"), dot),
    "planar.planar_cross_motion": Entry(("v3", "v3"), planar_cross),
    "planar.planar_cross_force": Entry(("v3", "v3"), planar_cross_force),
    "planar.planar_transform": Entry(("number", "v2"), planar_transform, size=lambda a, r: 1 + r),
    "planar.planar_force_transform": Entry(
        ("number", "v2"),
        lambda a, r: T_(np.linalg.inv(planar_transform(a, r).astype(float))),
        size=lambda a, r: (1 + r) * 1e3,
    ),
    # two bodies
    "two_body.two_body_6d": Entry(
        ("A", "A", "w6", "v6"),
        exact=False,
        check=lambda got, I1, I2, s, f: residual(
            mv(got.inertia, got.acceleration1),
            np.broadcast_to(f, got.acceleration1.shape),
            got.inertia,
            got.acceleration1,
            factor=1e3,
        ),
    ),
    "two_body.two_body_3d": Entry(
        ("positive", "J", "positive", "J", "v3", "v3", "u"),
        exact=False,
        check=lambda got, *a: nearly(got.B, T_(got.C), 1e-8 * (1 + np.abs(got.B).max(initial=0))),
    ),
}


def twist(u: Any, p: Any, a: Any, b: Any) -> Array:
    u = u / np.sqrt((u * u).sum(axis=-1, keepdims=True))
    a, b = np.asarray(a)[..., None], np.asarray(b)[..., None]
    return joined(a * u + 0 * b, np.cross(p, a * u) + b * u)


def turned(x: Any) -> Array:
    return joined(x[..., 3:], x[..., :3])


def solid(I: Array, m: Array) -> bool:
    m = np.broadcast_to(m, I.shape[:-2])
    return nearly(I[..., 5, 5], m) and bool(spatial.is_consistent(I).all()) and nearly(I, T_(I), 1e-15)


def residual(A: Any, B: Any, *factors: Any, factor: float = 1.0) -> bool:
    """Return whether A = B, to rounding of products of these factors."""
    size = factor
    for x in factors:
        size = size * (1.0 + np.abs(x).max(initial=0.0))
    return bool(np.abs(A - B).max(initial=0.0) <= 1e-11 * size)


def each(test: Callable[..., bool], R: Array, a: Array) -> bool:
    """Apply a test to the first entry of a batch."""
    if not a.size:
        return True
    a = a.reshape(-1, a.shape[-1])[0]
    if np.abs(a).max() > 30:
        return True
    return test(R.reshape(-1, *R.shape[-2:])[0], a)


def exp6_is(T: Array, d: Array) -> bool:
    D = np.zeros((4, 4))
    D[:3, :3], D[:3, 3] = tilde(d[:3]), d[3:]
    return nearly(T, scipy.linalg.expm(D), 1e-8 * (1 + np.abs(d).max()))


@cache
def function_of(name: str) -> Callable[..., Any]:
    module = {"shapes": shapes, "planar": planar, "two_body": two_body}.get(name.split(".")[0])
    module = module or (course if name in course.__all__ else spatial)
    return getattr(module, name.rsplit(".", 1)[-1])  # type: ignore[no-any-return]


@cache
def names_of(name: str) -> list[str]:
    return list(inspect.signature(function_of(name)).parameters)


# ------------------------------------------------------------------------------------------------------------ the calls

BATCHES = ((), (), (), (), (), (1,), (2,), (3,), (5,), (2, 3), (9,), (17,), (0,), (2, 0), (0, 2))
MOODS = ("good",) * 13 + ("wild",) * 4 + ("shape",) * 2 + ("nan",) * 2 + ("type",) * 4 + ("broadcast",)


def smaller(dice: Dice, batch: tuple[int, ...]) -> tuple[int, ...]:
    """Draw a batch shape that broadcasts to this one."""
    if not batch or dice.chance(0.6):
        return batch
    if dice.chance(0.5):
        return batch[dice.below(len(batch) + 1) :]
    return tuple(1 if dice.chance(0.5) and n != 0 else n for n in batch)


def numbers_for(dice: Dice, kind: str, batch: tuple[int, ...]) -> Array:
    return np.asarray(KINDS[kind][0](dice, batch), dtype=float)


def given_for(dice: Dice, kind: str, x: Array, mood: str) -> Given:
    _, core, free = KINDS[kind]
    if mood == "good":
        return dressed(dice, x, free)
    if mood == "wild":
        given = wild(dice, x)
        return given if free else Given(given.value, given.plain, MAYBE, True, True)
    if mood == "nan":
        return not_finite(dice, x)
    if mood == "shape":
        given = misshapen(dice, x, core)
        return (
            Given(given.value, given.plain, MAYBE)
            if kind in ("S", "rows", "B", "line") and given.flaw == VALUE
            else given
        )
    return wrong_type(dice, x)


def draw(dice: Dice) -> Call:
    """A call of one of the functions of the table, or of one that is called in another way."""
    if dice.chance(0.12):
        return dice.among(OTHERS)(dice)
    name = dice.among(NAMES)
    entry = TABLE[name]
    batch = dice.among(BATCHES) if entry.batch else ()
    kinds = entry.kinds[: len(entry.kinds) - (dice.below(entry.optional + 1) if entry.optional else 0)]
    mood = dice.among(MOODS)
    plains, given = [], []
    where = dice.below(len(kinds))
    for k, kind in enumerate(kinds):
        x = numbers_for(dice, kind, smaller(dice, batch) if entry.batch else ())
        how = "good"
        if (k == where and mood in ("shape", "nan", "type")) or (mood == "wild" and (k == where or dice.chance(0.3))):
            how = mood
        given.append(given_for(dice, kind, x, how))
        plains.append(x)
    if mood == "broadcast" and entry.batch and len(kinds) > 1:
        for k, n in enumerate((2, 3)):
            given[k] = dressed(dice, numbers_for(dice, kinds[k], (n,)))
            given[k].flaw = MAYBE
    parameters = names_of(name)
    args, named = given, {}
    if dice.chance(0.15):
        cut = dice.below(len(given) + 1)
        args, named = given[:cut], dict(zip(parameters[cut:], given[cut:], strict=False))
    call = Call(
        "spatial",
        f"{function_of(name).__module__.split('.')[1]}.{name}",
        function_of(name),
        args,
        named,
        exact=entry.exact,
        infinite=entry.infinite,
    )
    call.check = lambda result: complaints(entry, call, kinds, result, dice)
    return call


def complaints(entry: Entry, call: Call, kinds: tuple[str, ...], result: Any, dice: Dice) -> list[str]:
    """Return what is wrong with a result of good numbers."""
    given = call.given
    if any(part.plain is None for part in given):
        return []
    arguments = [part.plain for part in given]
    cores = [KINDS[kind][1] for kind in kinds]
    wrong = []
    batches = [x.shape[: x.ndim - core] for x, core in zip(arguments, cores, strict=True)]
    if entry.batch:
        batch = np.broadcast_shapes(*batches)
        parts = list(arrays_in(result)) if result is not None else []
        for part in parts:
            if part.shape[: len(batch)] != batch and entry.exact:
                wrong.append(f"result has shape {part.shape}, the batch is {batch}")
        if batch and 0 not in batch and not wrong and dice.chance(0.7):
            index = tuple(dice.below(n) for n in batch)
            single = call.function(*[entry_of(x, core, batch, index) for x, core in zip(arguments, cores, strict=True)])
            for part, one in zip(parts, arrays_in(single), strict=True):
                if part.shape != batch + one.shape:
                    continue
                same = part[index].tobytes() == one.tobytes() or np.array_equal(part[index], one)
                if not (same or (not entry.exact and close(part[index], one, 1e-7))):
                    wrong.append(f"entry {index} of the batch is {part[index].tolist()}, alone {one.tolist()}")
                    break
    if entry.formula is not None:
        extended = [np.asarray(x, L) for x in arguments]
        if len(kinds) < len(entry.kinds):
            defaults = {"course.planar.planar_twist": (1.0,)}.get(call.name, (1.0, 0.0))
            extended += [np.asarray(value, L) for value in defaults[len(kinds) - len(entry.kinds) :]]
        sizes = [np.abs(x).max(initial=L(0)) for x in extended]
        with np.errstate(all="ignore"):
            expected = np.asarray(entry.formula(*extended))
            size = entry.size(*sizes) if entry.size is not None else np.prod(np.asarray(sizes, L))
            bound = 1e-12 * np.maximum(size, np.abs(expected).max(initial=L(0))) + L(1e-306)
            if expected.size and np.isfinite(expected).all():
                got = np.asarray(result, L)
                difference = np.abs(expected - got).max() if got.shape == expected.shape else np.inf
                if not difference <= bound:
                    wrong.append(
                        f"differs from the formula by {float(difference)}: {np.asarray(result).tolist()!s:.300}"
                    )
    moderate = all(part.calm for part in given)
    if entry.check is not None and moderate:
        with np.errstate(all="ignore"):
            if not entry.check(result, *arguments):
                wrong.append(f"fails its check: {result!s:.300}")
    return wrong


def entry_of(x: Array, core: int, batch: tuple[int, ...], index: tuple[int, ...]) -> Array:
    full = np.broadcast_to(x, batch + x.shape[x.ndim - core :])
    return np.array(full[index])


# --------------------------------------------------------------------------------------- functions with other arguments

SEQUENCES = ("ZYX", "zyx", "xyx", "XYZ", "ZXZ", "yzx", "YXZ", "zxy", "XZX", "YZY")


def euler(dice: Dice) -> Call:
    to = dice.chance(0.5)
    kind = "v3" if to else "E"
    mood = dice.among(MOODS)
    x = numbers_for(dice, kind, dice.among(BATCHES))
    given = given_for(dice, kind, x, mood if mood != "broadcast" else "good")
    sequence: Given = Given(dice.among(SEQUENCES))
    if dice.chance(0.2):
        sequence = Given(dice.pick("XXY", "xyZ", "", "abc", "XYZX", thing(dice), thing(dice)), flaw=MAYBE)
    function = spatial.euler_to_rotation if to else spatial.euler_from_rotation

    def check(result: Array) -> list[str]:
        if given.plain is None or not given.calm or not given.plain.size or np.abs(given.plain).max() > 1e3:
            return []
        one = given.plain.reshape(-1, *given.plain.shape[-1 if to else -2 :])[0]
        got = result.reshape(-1, *result.shape[-2 if to else -1 :])[0]
        back = Rotation.from_euler(sequence.value, one if to else got).as_matrix()
        return [] if nearly(back, got if to else one) else [f"SciPy has {back.tolist()}, this is {got.tolist()}"]

    return Call("spatial", f"spatial.{function.__name__}", function, [given, sequence], check=check)


def derivative(dice: Dice) -> Call:
    call_args = [given_for(dice, kind, numbers_for(dice, kind, ()), "good") for kind in ("q", "v3")]
    frame = Given(dice.pick("body", "world")) if dice.chance(0.5) else Given(thing(dice), flaw=MAYBE)
    return Call("spatial", "spatial.quaternion_derivative", spatial.quaternion_derivative, call_args, {"frame": frame})


def consistent(dice: Dice) -> Call:
    function = dice.pick(spatial.check_consistent, spatial.is_consistent)
    I = numbers_for(dice, "I", dice.among(BATCHES))
    kind = dice.below(3)
    if kind == 0:
        I = I * dice.normal(*I.shape)
    given = [Given(I, I, MAYBE), given_for(dice, "M", I, "wild"), given_for(dice, "I", I, "type")][kind]
    given.flaw = MAYBE
    definite_ = Given(dice.pick(True, False), flaw=MAYBE)
    return Call("spatial", f"spatial.{function.__name__}", function, [given], {"definite": definite_})


def subspace(dice: Dice) -> Call:
    kind = dice.pick(
        "fixed",
        "revolute",
        "continuous",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
        "planar",
        "spherical",
        "free",
        "nothing",
    )
    named: dict[str, Given] = {}
    batch = dice.among(BATCHES)
    mood = dice.among(MOODS)
    for name, argument, often in (
        ("axis", "v3", 0.8),
        ("axis2", "v3", 0.4),
        ("pitch", "number", 0.3),
        ("point", "v3", 0.4),
    ):
        if dice.chance(often):
            how = mood if dice.chance(0.4) and mood != "broadcast" else "good"
            named[name] = given_for(dice, argument, numbers_for(dice, argument, smaller(dice, batch)), how)
            if named[name].flaw != GOOD:
                named[name].flaw = MAYBE
    what = Given(kind, flaw=MAYBE) if dice.chance(0.85) else Given(thing(dice), flaw=MAYBE)
    return Call("spatial", "course.motion_subspace", course.motion_subspace, [what], named, may_fail=True)


def constraint(dice: Dice) -> Call:
    """Make a call of a function of constraints, with all arguments, some of which are optional."""
    from_S = dice.chance(0.5)
    n, batch = dice.below(7), dice.among(BATCHES)
    I = inertia_or_definite(dice, smaller(dice, batch))
    S = dice.normal(*smaller(dice, batch), 6, n)
    alpha = dice.normal(*smaller(dice, batch), n)
    v = dice.normal(6)
    if not from_S and n:
        v = v - np.linalg.lstsq(T_(S), mv(T_(S), v)[..., None], rcond=None)[0][..., 0] if S.ndim == 2 else 0 * v
    f, rate = dice.normal(6), dice.normal(6, n)
    which = dice.below(4)
    if which == 0:
        function, values = (
            (course.bias_acceleration_from_S, [I, S, alpha]) if from_S else (course.bias_acceleration_from_T, [I, S, v])
        )
    elif which == 1 and from_S:
        function, values = course.joint_space, [I, S, alpha]
    else:
        function, values = (
            (course.constrained_acceleration_from_S, [I, S, f, alpha])
            if from_S
            else (course.constrained_acceleration_from_T, [I, S, f, v])
        )
    if dice.chance(0.6):
        values = [*values, rate]
    mood, where = dice.among(MOODS), dice.below(len(values))
    given = []
    for k, x in enumerate(values):
        how = mood if k == where and mood != "broadcast" else "good"
        part = dressed(dice, x) if how == "good" else given_for(dice, "S", np.asarray(x), how)
        part.flaw = MAYBE if how != "good" else part.flaw
        given.append(part)
    return Call("spatial", f"spatial.{function.__name__}", function, given, exact=False, may_fail=True)


def scipys(dice: Dice) -> Call:
    if dice.chance(0.4):
        return Call("spatial", "spatial.from_scipy", spatial.from_scipy, [Given(thing(dice), flaw="type")])
    X = numbers_for(dice, "X", ())
    given = given_for(dice, "X", X, dice.pick("good", "good", "nan", "type", "wild"))
    if given.flaw != GOOD:
        given.flaw = MAYBE
    return Call(
        "spatial", "spatial.to_scipy", spatial.to_scipy, [given], exact=False, compare=False, raises=(ImportError,)
    )


def solved(dice: Dice) -> Call:
    """Make a call of the method of a two-body problem."""
    pair = two_body.two_body_3d(1.0, np.eye(3), 2.0, np.eye(3), [0.5, 0, 0], [-0.5, 0.1, 0], [0, 0, 1])
    mood = dice.among(MOODS)
    args = [
        given_for(dice, "v3", numbers_for(dice, "v3", ()), mood if k == 0 and mood != "broadcast" else "good")
        for k in (0, 1)
    ]
    return Call("spatial", "course.two_body.two_body_3d.solve", pair.solve, args, exact=False)


def meshes(dice: Dice) -> Call:
    what: Any = thing(dice)
    if dice.chance(0.3):
        import trimesh

        what = trimesh.creation.box((3.0, 2.0, 1.0))
        if dice.chance(0.4):
            what.vertices[0] = dice.pick(np.nan, 1e160, 1e308, 0.0)
    named = {
        name: Given(dice.pick(1.0, 2.0, 0.0, -1.0, thing(dice)), flaw=MAYBE)
        for name in ("mass", "density")
        if dice.chance(0.6)
    }
    return Call(
        "spatial", "spatial.shapes.mesh", shapes.mesh, [Given(what, flaw=MAYBE)], named, raises=(FileNotFoundError,)
    )


def density(dice: Dice) -> Call:
    """Make a call of the inertia of a body whose density is a function."""
    function: Any = dice.pick(
        lambda x: 1.0 + x[:, 2] ** 2, lambda x: np.ones(len(x)), lambda x: np.stack([x[:, 0] ** 2, x[:, 1] ** 2])
    )
    good = dice.chance(0.6)
    if not good:
        function = dice.pick(
            lambda x: -np.ones(len(x)),
            lambda x: 0.0 * x[:, 0],
            lambda x: x,
            lambda x: "a",
            lambda x: None,
            lambda x: x[:, 0] * np.nan,
            lambda x: 1e308 * np.ones(len(x)),
            lambda x: 1.0,
            thing(dice),
        )
    cells = np.sort(dice.normal(2, 3), axis=0) if dice.chance(0.5) else dice.normal(2, 4, 3)
    given = given_for(dice, "p43", cells, dice.pick("good", "good", "wild", "type", "nan", "shape"))
    if given.flaw != GOOD or given.wild:
        given.flaw = MAYBE
    named = {"order": Given(dice.pick(3, 6, thing(dice)), flaw=MAYBE)} if dice.chance(0.4) else {}
    return Call(
        "spatial",
        "spatial.density_inertia",
        spatial.density_inertia,
        [Given(function, flaw=GOOD if good else MAYBE), given],
        named,
        exact=False,
        may_fail=True,
        compare=False,
    )


def drawing(dice: Dice) -> Call:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def draw_and_close(*args: Any, **named: Any) -> None:
        try:
            course.plot_field(*args, **named)
        finally:
            plt.close("all")

    v = given_for(dice, "v6", numbers_for(dice, "v6", ()), dice.pick("good", "good", "wild", "type", "nan", "shape"))
    v.flaw = MAYBE if v.flaw != GOOD else GOOD
    named: dict[str, Given] = {}
    for name, good in (
        ("kind", ("velocity", "moment")),
        ("plane", ("xy", "zx", None)),
        ("center", ([0.0, 1.0, 2.0],)),
        ("size", (2.0, 1e-3)),
        ("count", (2, 3)),
        ("ax", (None,)),
    ):
        if dice.chance(0.3):
            named[name] = Given(dice.among(good) if dice.chance(0.4) else thing(dice), flaw=MAYBE)
    named["count"] = Given(2)
    return Call("spatial", "course.plot_field", draw_and_close, [v], named, may_fail=True)


OTHERS = (
    (euler,) * 6
    + (derivative,) * 2
    + (consistent,) * 4
    + (subspace,) * 6
    + (constraint,) * 6
    + (scipys,) * 3
    + (solved, meshes, drawing, density, density)
)
NAMES = tuple(TABLE)
