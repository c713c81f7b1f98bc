"""Mechanisms with loops that others have published: Bricard's, N four-bars, Andrews' squeezing mechanism.

Sources: González, Dopico, Lugrís, Cuadrado, "A benchmarking system for MBS simulation software" (2006); Hairer and Wanner
(1996), section VII.7; Mazzia, Magherini, *Test set for initial value problem solvers* (2008), andrews.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.conftest import COMPILED
from tests.contact.world.mechanisms import (
    END,
    MOMENT,
    START,
    andrews,
    bricard,
    driven_four_bar,
    four_bars,
    of_angles,
    squeezing_spring,
)


def energy(motion):
    """Return the energy of all samples, less that of the first."""
    found = motion.columns["kinetic_energy"] + motion.columns["potential_energy"]
    return found - found[0]


def test_bricards_mechanism_keeps_its_energy_and_stays_closed():
    world = bricard()
    still = np.zeros(5)
    jacobian = world.rows_at(still).jacobian
    assert np.linalg.matrix_rank(jacobian, tol=1e-12) == 4  # one row too much, one freedom
    duration = 10.0 if COMPILED else 0.02
    motion = world.simulate(still, still, duration, 0.002, integrator="rk4", record=("a", "energy"), every=10)
    assert np.abs(energy(motion)).max() < 1e-6
    assert np.abs(world.rows_at(motion.q).error).max() < 1e-10
    assert not COMPILED or np.abs(motion.q).max() > 1.0


@pytest.mark.plain  # ten seconds of compilation; in plain Python its start
def test_andrews_squeezing_mechanism_ends_where_the_test_set_says():
    world = andrews()
    torque = np.zeros(7)
    torque[world.model.v_slice("beta")] = MOMENT
    q = of_angles(world, START)
    assert np.abs(world.rows_at(q).error).max() < 1e-16
    start = world.simulate(q, np.zeros(7), 1e-5, 1e-5, integrator="rk4", control=torque, elements=squeezing_spring())
    given = of_angles(world, [14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(start.a[0], given, atol=1e-6)
    if COMPILED:
        motion = world.simulate(
            q,
            np.zeros(7),
            0.03,
            1e-4,
            integrator="dormand_prince",
            control=torque,
            elements=squeezing_spring(),
            tol=1e-11,
        )
        np.testing.assert_allclose(motion.q[-1], of_angles(world, END), atol=1e-7)
        assert np.abs(world.rows_at(motion.q).error).max() < 1e-13


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="time is that of compiled code")
def test_four_bars_side_by_side_take_time_in_proportion_to_their_number():
    """Numbers of entries are counted on each change, in place of seconds: stepping/test_growth."""
    worlds, took = {n: four_bars(n) for n in (10, 40)}, {10: [], 40: []}
    for _ in range(10):
        for n, (world, q, v) in worlds.items():
            begun = time.perf_counter()
            world.simulate(q, v, 0.1, 0.002, integrator="rk4", record=())
            took[n].append((time.perf_counter() - begun) / n)
    assert min(took[40]) < 2.0 * min(took[10])


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_a_driven_four_bar_follows_its_closed_form_over_two_turns(integrator):
    """Freudenstein: the ends of crank and rocker are as far apart as the coupler is long."""
    crank, coupler, rocker, ground = 0.3, 1.0, 0.8, 1.1
    world, angles = driven_four_bar(crank, coupler, rocker, ground, turns=2.0, duration=2.0)
    q, v = angles(0.0)
    duration = 2.0 if COMPILED else 0.02
    motion = world.simulate(q, v, duration, 0.001, integrator=integrator, record=(), every=10)
    theirs = np.array([angles(t)[0] for t in motion.time])
    np.testing.assert_allclose(motion.q, theirs, atol=1e-6)
    assert np.abs(world.rows_at(motion.q).error[:, :2]).max() < 1e-9
