"""The kernels of pairs run on every scalar: complex numbers, of which the gap's derivative is the normal, and lanes."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact.geometry import ConvexHull, HalfSpace, distance
from pluecker.contact.geometry.hull_parts import PART
from pluecker.contact.geometry.pairs import HULL_PAIRS, PAIRS, hull_numbers, hull_slots, packed_pose, pair_slots
from pluecker.contact.geometry.shapes import KINDS
from pluecker.contact.geometry.slots import GAP, OPEN, SLOT
from pluecker.spatial.algebra.vectors import load3
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.functions.elementwise import Elementwise
from tests.conftest import COMPILED
from tests.contact.geometry.pairs import pair_of_poses, pose, shape

NAMES = dict(enumerate(("HalfSpace", "Sphere", "Capsule", "Box", "Cylinder")))
LOTS = [pytest.param(kinds, id=" and ".join(KINDS[k] for k in kinds)) for kinds in PAIRS]
SLACK = 1e-3


@pytest.mark.skipif(
    COMPILED, reason="compiled kernels call compiled kernels: Python's run on complex numbers as they are"
)
@pytest.mark.parametrize("kinds", LOTS)
def test_the_gap_grows_as_the_second_shape_moves_along_the_normal(kinds):
    """d gap / d p2 = n, by the complex step; other points of a polygon move along its sides."""
    rng = np.random.default_rng(1)
    pair, h = PAIRS[kinds], 1e-30
    for _ in range(10):
        first, second = (shape(rng, NAMES[k]) for k in kinds)
        T1, T2 = pose(rng), pose(rng)
        a, b = packed_pose(T1), packed_pose(T2)
        for k in range(3):
            p2 = [complex(x, h * (k == j)) for j, x in enumerate(b[9:])]
            out = np.zeros(SLOT * pair.slots, complex)
            sizes = [tuple(complex(x) for x in each.sizes) for each in (first, second)]
            R = [tuple(complex(x) for x in each[:9]) for each in (a, b)]
            p1 = tuple(complex(x) for x in a[9:])
            pair.kernel(R[0], p1, sizes[0], R[1], tuple(p2), sizes[1], SLACK, out)
            slots = out.reshape(-1, SLOT)
            deepest = slots[np.argmin(slots[:, GAP].real)]
            assert deepest[GAP].imag / h == pytest.approx(deepest[k].real, abs=1e-6)


@pytest.mark.skipif(
    COMPILED, reason="compiled kernels call compiled kernels: Python's run on complex numbers as they are"
)
@pytest.mark.parametrize("kind", HULL_PAIRS)
def test_the_gap_grows_as_a_hull_moves_along_the_normal(kind):
    rng = np.random.default_rng(1)
    pair, h = HULL_PAIRS[kind], 1e-30
    for _ in range(5):
        first, second = shape(rng, NAMES[kind]), shape(rng, "ConvexHull")
        a, b = (packed_pose(pose(rng)).tolist() for _ in range(2))
        numbers, count = hull_numbers(kind, second)
        sizes = tuple(complex(x) for x in first.sizes)
        for k in range(3):
            p2, out = [complex(x, h * (k == j)) for j, x in enumerate(b[9:])], np.zeros(SLOT * pair.slots, complex)
            poses = (tuple(a[:9]), tuple(a[9:]), sizes, tuple(b[:9]), tuple(p2))
            pair.kernel(*poses, numbers.ravel(), count, numbers.size // PART, SLACK, out)
            slots = out.reshape(-1, SLOT)
            deepest = slots[np.argmin(slots[:, GAP].real)]
            assert deepest[GAP].imag / h == pytest.approx(deepest[k].real, abs=1e-6)


def in_lanes(kinds):
    """The kernel as a function of arrays, which runs eight pairs at a time."""
    pair = PAIRS[kinds].kernel

    @kernel
    def of_two_shapes(x, out):
        R1 = (*load3(x, 0), *load3(x, 3), *load3(x, 6))
        R2 = (*load3(x, 15), *load3(x, 18), *load3(x, 21))
        pair(R1, load3(x, 9), load3(x, 12), R2, load3(x, 24), load3(x, 27), SLACK, out)

    of_two_shapes.__name__ = f"{pair.__name__}_of_two_shapes"
    return Elementwise("pair", of_two_shapes, {"a": (15,), "b": (15,)}, (SLOT * PAIRS[kinds].slots,))


@pytest.mark.skipif(not COMPILED, reason="lanes exist in compiled code alone")
@pytest.mark.parametrize("kinds", LOTS)
def test_each_lane_has_what_one_pair_alone_has(kinds):
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(64):
        first, second = (shape(rng, NAMES[k]) for k in kinds)
        T1, T2 = pair_of_poses(rng)
        rows.append([np.concatenate([packed_pose(T), each.sizes]) for T, each in ((T1, first), (T2, second))])
    a, b = np.swapaxes(np.array(rows), 0, 1)
    many = in_lanes(kinds)(a, b).reshape(64, -1, SLOT)
    one = pair_slots(kinds, a[:, :12], a[:, 12:], b[:, :12], b[:, 12:], SLACK)
    # where features tie, rounding decides, and products may be fused in one and not in the other
    same = (many[:, :, -1] == one[:, :, -1]).all(axis=1)
    assert same.mean() > 0.7
    closed = same[:, None] & (one[:, :, GAP] < 0.5 * OPEN)
    assert np.allclose(many[closed][:, :GAP], one[closed][:, :GAP], atol=1e-7)
    assert np.abs(many[:, :, :GAP]).max() < 1e3  # open slots are somewhere near too
    assert np.allclose(many[:, :, GAP].min(axis=1), one[:, :, GAP].min(axis=1), atol=1e-9)


def test_slots_without_a_contact_are_open_and_finite():
    rng = np.random.default_rng(3)
    for _ in range(20):
        first, second = shape(rng, "Box"), shape(rng, "Box")
        T1, T2 = pair_of_poses(rng, 3.0)
        slots = pair_slots(
            (3, 3),
            packed_pose(T1)[None],
            np.array([first.sizes]),
            packed_pose(T2)[None],
            np.array([second.sizes]),
            SLACK,
        )[0]
        assert np.isfinite(slots).all()
        closed = slots[:, GAP] < 0.5 * OPEN
        assert closed[0]
        assert (slots[~closed, GAP] == OPEN).all()
        assert len(set(slots[closed, -1].tolist())) == closed.sum()
        assert slots[closed, GAP].min() >= distance(first, T1, second, T2).distance - 1e-3 * min(
            *first.size, *second.size
        )


def test_the_vertices_of_a_hull_that_span_most_are_taken():
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(24)], axis=1)
    vertices = np.concatenate([ring, ring + np.array([0.0, 0.0, 1.0])])
    here = packed_pose(np.eye(4))[None]
    slots = hull_slots(HalfSpace.kind, here, np.zeros((1, 3)), here, ConvexHull(vertices), 1e-3)[0]
    x = slots[:, 3:6]
    assert np.allclose(slots[:, GAP], 0.0, atol=1e-12)
    corners = x[[0, 2, 1, 3]]
    area = 0.5 * np.abs(np.cross(corners[2] - corners[0], corners[3] - corners[1])[2])
    assert area == pytest.approx(2.0, rel=1e-6)  # of the square in the circle
