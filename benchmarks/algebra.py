"""Topic ``algebra``: functions of a million vectors, beside copying the same bytes and beside the formula in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.measuring.mechanisms import Array
from benchmarks.measuring.report import ROUNDS, Bars, Report, ratio, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from pluecker import spatial

__all__ = ["run"]

MILLION, FEW = 1_000_000, 10_000
MOST_ROUNDS = 7


@dataclass(frozen=True)
class Pair:
    """A function, and what a user of NumPy or SciPy would write."""

    name: str
    ours: Callable[..., Array]
    plain: Callable[..., Array]
    inputs: tuple[str, ...]


# ------------------------------------------------------------------------------------------------ the formulas in NumPy


def skew(a: Array) -> Array:
    """a x"""
    A = np.zeros((len(a), 3, 3))
    A[:, 0, 1], A[:, 0, 2], A[:, 1, 2] = -a[:, 2], a[:, 1], -a[:, 0]
    A[:, 1, 0], A[:, 2, 0], A[:, 2, 1] = a[:, 2], -a[:, 1], a[:, 0]
    return A


def blocks(A: Array, B: Array | None, C: Array | None, D: Array) -> Array:
    """[A, B; C, D]"""
    X = np.zeros((len(A), 6, 6))
    X[:, :3, :3], X[:, 3:, 3:] = A, D
    if B is not None:
        X[:, :3, 3:] = B
    if C is not None:
        X[:, 3:, :3] = C
    return X


def crm(v: Array) -> Array:
    """v x"""
    W = skew(v[:, :3])
    return blocks(W, None, skew(v[:, 3:]), W)


def crf(v: Array) -> Array:
    """v x*"""
    W = skew(v[:, :3])
    return blocks(W, skew(v[:, 3:]), None, W)


def cross_motion(v: Array, m: Array) -> Array:
    """v x m"""
    w = v[:, :3]
    return np.concatenate([np.cross(w, m[:, :3]), np.cross(w, m[:, 3:]) + np.cross(v[:, 3:], m[:, :3])], axis=1)


def cross_force(v: Array, f: Array) -> Array:
    """v x* f"""
    w = v[:, :3]
    return np.concatenate([np.cross(w, f[:, :3]) + np.cross(v[:, 3:], f[:, 3:]), np.cross(w, f[:, 3:])], axis=1)


def times(A: Array, x: Array) -> Array:
    """A x"""
    return (A @ x[..., None])[..., 0]


def spatial_inertia(mass: Array, center: Array, inertia: Array) -> Array:
    """[I - m c~ c~, m c~; -m c~, m 1]"""
    C, m = skew(center), mass[:, None, None]
    return blocks(inertia - m * C @ C, m * C, -m * C, m * np.eye(3))


def exp3(a: Array) -> Array:
    """Rodrigues' formula; a user would have to see to angles next to zero"""
    t = np.linalg.norm(a, axis=1)[:, None, None]
    A = skew(a)
    return np.eye(3) + np.sin(t) / t * A + (1.0 - np.cos(t)) / t**2 * (A @ A)


def exp6(d: Array) -> Array:
    """[R, V b; 0, 1]"""
    t = np.linalg.norm(d[:, :3], axis=1)[:, None, None]
    A = skew(d[:, :3])
    AA = A @ A
    T = np.zeros((len(d), 4, 4))
    T[:, :3, :3] = np.eye(3) + np.sin(t) / t * A + (1.0 - np.cos(t)) / t**2 * AA
    T[:, :3, 3] = times(np.eye(3) + (1.0 - np.cos(t)) / t**2 * A + (t - np.sin(t)) / t**3 * AA, d[:, 3:])
    T[:, 3, 3] = 1.0
    return T


def quaternion_product(p: Array, q: Array) -> Array:
    """p q"""
    (a, b, c, d), (w, x, y, z) = p.T, q.T
    return np.stack([
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
    ], axis=1)  # fmt: skip


def quaternion_to_rotation(p: Array) -> Array:
    """R"""
    w, x, y, z = p.T
    return np.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ], axis=1).reshape(-1, 3, 3)  # fmt: skip


def transpose(X: Array) -> Array:
    """X^T"""
    return np.swapaxes(X, 1, 2)


PAIRS = [
    Pair("skew", spatial.skew, skew, ("a",)),
    Pair("crm", spatial.crm, crm, ("v",)),
    Pair("crf", spatial.crf, crf, ("v",)),
    Pair("cross_motion", spatial.cross_motion, cross_motion, ("v", "m")),
    Pair("cross_force", spatial.cross_force, cross_force, ("v", "m")),
    Pair("scalar_product", spatial.scalar_product, lambda v, m: (v * m).sum(axis=1), ("v", "m")),
    Pair("pluecker_transform", spatial.pluecker_transform, lambda E, r: blocks(E, None, -E @ skew(r), E), ("E", "a")),
    Pair("invert", spatial.invert, np.linalg.inv, ("X",)),
    Pair("compose", spatial.compose, np.matmul, ("X", "X")),
    Pair("transform_motion", spatial.transform_motion, times, ("X", "m")),
    Pair("transform_force", spatial.transform_force, lambda X, f: times(transpose(np.linalg.inv(X)), f), ("X", "m")),
    Pair("spatial_inertia", spatial.spatial_inertia, spatial_inertia, ("mass", "a", "J")),
    Pair("body_momentum", spatial.body_momentum, times, ("I", "v")),
    Pair("body_kinetic_energy", spatial.body_kinetic_energy, lambda I, v: 0.5 * (v * times(I, v)).sum(axis=1), ("I", "v")),
    Pair("net_force", spatial.net_force, lambda I, v, a: times(I, a) + cross_force(v, times(I, v)), ("I", "v", "m")),
    Pair("inertia_rate", spatial.inertia_rate, lambda I, v: crf(v) @ I - I @ crm(v), ("I", "v")),
    Pair("inverse_inertia", spatial.inverse_inertia, np.linalg.inv, ("I",)),
    Pair("exp3", spatial.exp3, exp3, ("a",)),
    Pair("log3", spatial.log3, lambda E: Rotation.from_matrix(E).as_rotvec(), ("E",)),
    Pair("exp6", spatial.exp6, exp6, ("v",)),
    Pair("quaternion_product", spatial.quaternion_product, quaternion_product, ("p", "p")),
    Pair("quaternion_to_rotation", spatial.quaternion_to_rotation, quaternion_to_rotation, ("p",)),
    Pair("quaternion_from_rotation", spatial.quaternion_from_rotation,
         lambda E: np.roll(Rotation.from_matrix(E).as_quat(canonical=True), 1, axis=1), ("E",)),
    Pair("euler_from_rotation", lambda E: spatial.euler_from_rotation(E, "XYZ"),
         lambda E: Rotation.from_matrix(E).as_euler("XYZ"), ("E",)),
    Pair("left_jacobian6", spatial.left_jacobian6, lambda v: series(crm(v)), ("v",)),
]  # fmt: skip


def series(A: Array) -> Array:
    """sum_k A^k / (k + 1)!, as many terms as a small angle needs"""
    result = term = np.broadcast_to(np.eye(6), A.shape)
    for k in range(2, 16):
        term = term @ A / k
        result = result + term
    return result


def made(n: int) -> dict[str, Array]:
    """All inputs."""
    rng = np.random.default_rng(0)
    v, m = rng.uniform(-0.5, 0.5, size=(2, n, 6))
    a, mass = rng.uniform(-0.5, 0.5, size=(n, 3)), 1.0 + rng.random(n)
    E, J = spatial.exp3(a), np.eye(3) + 0.1 * rng.random((n, 1, 1)) * np.ones((3, 3))
    X = spatial.pluecker_transform(E, a)
    I = spatial.spatial_inertia(mass, a, J)
    return {"v": v, "m": m, "a": a, "mass": mass, "E": E, "J": J, "X": X, "I": I, "p": spatial.quaternion_exp(a)}


def run(effort: Effort) -> Report:
    """Measure everything."""
    n = FEW if effort.states < 1000 else MILLION
    effort = replace(effort, rounds=min(effort.rounds, MOST_ROUNDS))
    report = Report(
        "algebra",
        f"Functions of {n} vectors, transforms and inertias",
        "How long a function of arrays takes, beside copying as many bytes as it reads and writes, and beside the same "
        "formula in NumPy, or SciPy where it has one.",
        ["function", "NumPy / ours", "ours / copying", "ours", "copying", "NumPy or SciPy", "bytes each"],
    )
    labels: list[str] = []
    series: dict[str, list[float | None]] = {"NumPy / ours": [], "ours / copying": []}
    given = made(n)
    for pair in progress(PAIRS, "algebra"):
        inputs = [given[key] for key in pair.inputs]
        result, expected = pair.ours(*inputs), pair.plain(*inputs)
        np.testing.assert_allclose(result, expected, rtol=0.0, atol=1e-10)
        size = sum(x.nbytes for x in inputs) + result.nbytes
        memory = np.ones(size // 16)  # half of it is read, half is written
        del result, expected
        calls = {
            "ours": lambda pair=pair, inputs=inputs: pair.ours(*inputs),
            "copying": memory.copy,
            "plain": lambda pair=pair, inputs=inputs: pair.plain(*inputs),
        }
        times = interleaved(calls, effort)
        faster, beside = times["plain"].over(times["ours"]), times["ours"].over(times["copying"])
        each = [seconds(times[key].median / n) for key in ("ours", "copying", "plain")]
        report.rows.append([pair.name, ratio(faster), ratio(beside), *each, str(size // n)])
        labels.append(pair.name)
        series["NumPy / ours"].append(faster[0])
        series["ours / copying"].append(beside[0])
    report.charts = [
        Bars(
            labels,
            {"NumPy / ours": series["NumPy / ours"]},
            "time of NumPy or SciPy / ours",
            5.0,
            "5x",
            "longer is better",
        ),
        Bars(
            labels,
            {"ours / copying": series["ours / copying"]},
            "ours / copying as many bytes",
            2.0,
            "2x",
            "shorter is better",
        ),
    ]
    report.notes += [
        ROUNDS,
        "One thread. All results are new arrays, also that of copying. They are compared first (differences below 1e-10).",
        "Ours looks at every number: whether it is finite, whether a rotation is one, a quaternion of unit length, an "
        "inertia symmetric. NumPy's formulas do not; SciPy's `Rotation` does.",
        "Where NumPy needs one pass over the data (`scalar_product`, a product of matrices), both wait for memory.",
    ]
    return report
