"""Long motions of mechanisms that are hard to hold: Bricard's, and chains with a mass ratio of 1e4."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, crba
from pluecker.contact.constraints import Frame, Hinge
from tests.conftest import EVERYTHING
from tests.contact.stepping.stepped import UPRIGHT, World, energy, gap, motion

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1.0]])
AXES = "yzxyzx"


def bricard(gravity=(0.0, 9.81, 0.0)):
    """Six rods along edges of a cube, the sixth of which is the world, with a hinge across both at each corner."""
    b = ModelBuilder(gravity=gravity)
    q = []
    for k in range(5):
        along = CORNERS[k + 1] - CORNERS[k]
        I = np.where(along != 0, 1e-3, 1 / 12)
        b.add_body(f"rod {k}", mass=1.0, center_of_mass=tuple(along / 2), inertia=I)
        b.add_joint(f"free {k}", "free", parent="world", child=f"rod {k}")
        q += [*CORNERS[k], 1.0, 0.0, 0.0, 0.0]
    turned = {
        axis: tuple(map(tuple, np.roll(np.eye(3), i + 1, axis=1))) for i, axis in enumerate("xyz")
    }  # z is the axis
    names = ["world", *(f"rod {k}" for k in range(5)), "world"]
    hinges = []
    for k, axis in enumerate(AXES):
        before, after = (
            Frame(name, tuple(CORNERS[k] - (CORNERS[own] if name != "world" else 0.0)), turned[axis])
            for name, own in ((names[k], k - 1), (names[k + 1], k))
        )
        hinges.append(Hinge(f"hinge {k}", before, after))
    return World(b.build(), hinges), np.array(q)


def test_a_bricard_mechanism_moves_though_its_rows_count_no_freedom():
    """Thirty rows on thirty freedoms, of which one is redundant in all positions: it falls, and stays closed."""
    world, q0 = bricard()
    J = world.rows_at(q0).jacobian
    assert np.linalg.matrix_rank(J.reshape(30, 30), tol=1e-9) == 29
    q, v, error = motion(world, q0, np.zeros(30), 0.01, 8)
    assert error <= 1.0
    assert gap(world, q[-1]) < 1e-10
    assert np.abs(v[-1]).max() > 0.1


def idle_share(world, q, r):
    """Return the share of forces r on rows that moves nothing, in the metric of the diagonal of J H^-1 J^T."""
    A = np.linalg.solve(np.linalg.cholesky(crba(world.model, q)), world.rows_at(q).jacobian.T).T
    size = np.linalg.norm(A, axis=1)
    scaled = r * size
    U, s, _ = np.linalg.svd(A / np.where(size > 0.0, size, 1.0)[:, None])
    idle = U[:, (s > 1e-8).sum() :]
    assert idle.shape[1] >= 1
    return np.abs(idle.T @ scaled).max() / np.abs(scaled).max()


def door():
    """A door on three hinges in line, falling: ten rows too many."""
    b = ModelBuilder()
    b.add_body("door", mass=20.0, center_of_mass=(0.4, 0, 1.0), inertia=(6.0, 7.0, 1.1))
    b.add_joint("free", "free", parent="world", child="door")
    hinges = [
        Hinge(f"hinge {k}", Frame("world", (0, 0, z)), Frame("door", (0, 0, z))) for k, z in enumerate((0.2, 1.0, 1.8))
    ]
    return World(b.build(), hinges), np.array([0, 0, 0, 1.0, 0, 0, 0])


@pytest.mark.parametrize("make", [bricard, door])
def test_redundant_rows_share_their_load_with_the_least_norm(make):
    """Forces at an instant, after an impact and in steps have no part that moves nothing, to 1e-9."""
    world, q = make()
    v, memory = world.impact(q, np.linspace(-1.0, 1.0, world.model.nv)).velocity, None
    for _ in range(4):
        assert idle_share(world, q, world.accelerations(q, v, np.zeros(world.model.nv)).forces) < 1e-9
        assert idle_share(world, q, world.impact(q, v + 0.1).impulses) < 1e-9
        before = q
        q, v, memory = world.step(q, v, 0.01, memory=memory)
        assert idle_share(world, before, memory.impulses) < 1e-9


@pytest.mark.everything
@pytest.mark.slow
def test_a_bricard_mechanism_stays_closed_and_keeps_its_energy():
    """Ten seconds: the error of the energy falls with the step, and does not grow."""
    world, q0 = bricard()
    E0 = energy(world.model, q0, np.zeros(30))
    worst = []
    for h in (2e-3, 1e-3):
        q, v, error = motion(world, q0, np.zeros(30), h, round(10.0 / h))
        assert error <= 1.0
        assert gap(world, q[-1]) < 1e-10
        off = np.abs([energy(world.model, x, u) - E0 for x, u in zip(q[::10], v[::10], strict=True)])
        worst.append(off.max())
        assert off[len(off) // 2 :].max() < 1.2 * off[: len(off) // 2].max()
    assert 1.6 < worst[0] / worst[1] < 2.4


LENGTH = 0.4


def rods(masses, angle):
    """A chain of rods on free joints that hangs from the world by hinges along -y, turned by an angle."""
    b, hinges, q = ModelBuilder(gravity=(0.0, 0.0, -10.0)), [], []
    for k, m in enumerate(masses):
        name, before = f"rod {k}", "world" if k == 0 else f"rod {k - 1}"
        I = m * LENGTH**2 * np.array([0.01, 1 / 12, 1 / 12])
        b.add_body(name, mass=m, center_of_mass=(LENGTH / 2, 0, 0), inertia=I)
        b.add_joint(f"free {k}", "free", parent="world", child=name)
        end = (0.0 if k == 0 else LENGTH, 0.0, 0.0)
        hinges.append(Hinge(f"hinge {k}", Frame(before, end, UPRIGHT), Frame(name, (0, 0, 0), UPRIGHT)))
        turn = np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0
        q += [LENGTH * k * np.cos(angle), 0.0, -LENGTH * k * np.sin(angle), *turn]
    return World(b.build(), hinges), np.array(q)


@pytest.mark.slow
@pytest.mark.parametrize("masses", [[1.0] * 19 + [1e4], [1.0, 1e4] * 10], ids=["a load at the end", "in turn"])
def test_a_chain_with_a_mass_ratio_of_ten_thousand(masses):
    """Twenty hinges in maximal coordinates, 20 s at 1 ms, no joint open, the energy within 1e-3 and without growth.

    On each change the first second of them, in which growth would not be seen yet.
    The energy is compared with what the fall to the lowest position frees. Semi-implicit steps show an energy that is off
    by what moves with the velocity, h/2 of the power of weight, to and fro.
    """
    world, q0 = rods(masses, 1.0)
    model = world.model
    E0 = energy(model, q0, np.zeros(model.nv))
    heights = LENGTH * (np.arange(20) + 0.5) * (1.0 - np.sin(1.0))
    scale = 10.0 * np.dot(masses, heights)
    q, v, error = motion(world, q0, np.zeros(model.nv), 1e-3, 20_000 if EVERYTHING else 1000)
    assert error <= 1.0
    assert max(gap(world, x) for x in q[::100]) < 1e-9
    off = np.abs([energy(model, x, u) - E0 for x, u in zip(q[::20], v[::20], strict=True)]) / scale
    assert off.max() < 1e-3
    assert not EVERYTHING or off[len(off) // 2 :].max() < 1.2 * off[: len(off) // 2].max()
