"""A four-bar linkage of RedMax's: its energy is published, once as ODE45 of MATLAB's leaves it, which is not zero.

Scene 30 of ``matlab/testRedMaxScenes.m`` of https://github.com/sueda/redmax (MIT), after Wang et al. 2019, without friction:
bars of 4, 14 and 12 cm on a base of 10 cm fall for 1.5 s. Two ways to write its dynamics give -2.1968461898 and
-2.1968459311 g cm2/s2. Nothing takes energy there: it is the error of ODE45 with its tolerance of 1e-4, and of Baumgarte's
stabilisation. With the same method, and rows of a world, the published error comes out, to the digits in which the two
agree; with finer tolerances, and by the integrators of worlds, it goes to zero. The energy that is published with friction
is that of a law of pressed pins which is not among ours.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, crba, kinetic_energy, potential_energy, rnea
from pluecker.contact import World
from pluecker.contact.constraints import Frame, PointOnLine

Array = np.ndarray
PUBLISHED = -2.1968461897658926, -2.1968459311251536  # by recursion, and by Jacobians
DURATION, DAMPED = 1.5, 5.0  # s; of Baumgarte's stabilisation, 1/s
STAGES = (
    (1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9), (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)  # fmt: skip
ERROR = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def linkage() -> World:
    """Crank, coupler and rocker, of a section of 0.5 x 0.5 cm and of density 1; in cm, g, s."""
    a, b, c = 6.0, 12.0, 14.0  # of the triangle that crank and base in line leave
    s = (a + b + c) / 2.0
    z = 2.0 / a * np.sqrt(s * (s - a) * (s - b) * (s - c))
    x = np.sqrt(c * c - z * z)
    builder = ModelBuilder(gravity=(0.0, 0.0, -980.0))
    for name, parent, at, end in (
        ("crank", "world", (-5.0, 0.0, 0.0), (4.0, 0.0, 0.0)),
        ("coupler", "crank", (4.0, 0.0, 0.0), (x, 0.0, z)),
        ("rocker", "coupler", (x, 0.0, z), (a - x, 0.0, -z)),
    ):
        length = np.linalg.norm(end)
        sides, mass = np.array([length, 0.5, 0.5]), 0.25 * length
        R = np.column_stack([end / length, (0.0, 1.0, 0.0), np.cross(end / length, (0.0, 1.0, 0.0))])
        builder.add_body(name, mass, 0.5 * np.array(end), R @ np.diag(mass / 12.0 * (sides @ sides - sides**2)) @ R.T)
        builder.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=at)
    pin = Frame("world", (5.0, 0.0, 0.0), [[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # z along the axes of the hinges
    return World(builder.build(), [PointOnLine("loop", pin, ("rocker", (a - x, 0.0, -z)))])


def stabilised(world: World, y: Array) -> Array:
    """Compute the rates of q and v, with ``J a + Jdot v + 2 alpha J v + alpha^2 phi = 0``."""
    q, v, model = y[:3], y[3:], world.model
    rows = world.rows_at(q, v)
    J, error, bias = rows.jacobian[:2], rows.error[:2], rows.bias[:2]
    left = np.block([[crba(model, q), J.T], [J, np.zeros((2, 2))]])
    right = -np.concatenate([rnea(model, q, v, np.zeros(3)), bias + 2.0 * DAMPED * (J @ v) + DAMPED**2 * error])
    return np.concatenate([v, np.linalg.solve(left, right)[:3]])


def ode45(rate: Callable[[Array], Array], y: Array, duration: float, rtol: float) -> Array:
    """Integrate by the pair of Dormand and Prince, with the steps that MATLAB's ODE45 chooses, and atol = rtol / 100.

    Source: Shampine, Reichelt, "The MATLAB ODE suite" (1997).
    """
    t, small, first = 0.0, 1e-2, rate(y)
    fastest = np.abs(first / np.maximum(np.abs(y), small)).max() / (0.8 * rtol**0.2)
    h = min(0.1 * duration, 1.0 / fastest)
    while t < duration:
        h, failed = min(h, 0.1 * duration), False
        last = 1.1 * h >= duration - t
        h = duration - t if last else h
        while True:
            rates = [first]
            for weights in STAGES:
                end = y + h * sum(w * k for w, k in zip(weights, rates, strict=True))
                rates.append(rate(end))
            size = np.maximum(np.maximum(np.abs(y), np.abs(end)), small)
            error = h * np.abs(ERROR @ np.array(rates) / size).max()
            if error <= rtol:
                break
            h, failed, last = h * (0.5 if failed else max(0.1, 0.8 * (rtol / error) ** 0.2)), True, False
        t, y, first = duration if last else t + h, end, rates[-1]
        h = h if failed else h / max(0.2, 1.25 * (error / rtol) ** 0.2)
    return y


def energy(world: World, q: Array, v: Array) -> float:
    """Compute what the energy has gained since the start, at rest."""
    gained = potential_energy(world.model, q) - potential_energy(world.model, np.zeros(3))
    return float(kinetic_energy(world.model, q, v) + gained)


@pytest.mark.slow
def test_a_linkage_gains_the_energy_that_is_published_as_the_error_of_ode45():
    world, gained = linkage(), []
    for rtol in (1e-4, 1e-6, 1e-8):
        y = ode45(lambda y: stabilised(world, y), np.zeros(6), DURATION, rtol)
        gained.append(energy(world, y[:3], y[3:]))
    low, high = PUBLISHED
    assert low - 1e-7 < gained[0] < high + 1e-7
    assert abs(gained[1]) < 1e-2
    assert abs(gained[2]) < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("integrator", "order"),
    [
        ("dormand_prince", 0),
        ("rk4", 4),
        pytest.param("variational", 2, marks=pytest.mark.everything),
        pytest.param("bdf2", 2, marks=pytest.mark.everything),
    ],
)
def test_a_linkage_keeps_its_energy_to_the_order_of_the_integrator(integrator, order):
    """Bars fall for 1.5 s, and nothing takes energy."""
    world, gained = linkage(), []
    for h in (2e-3, 1e-3):
        motion = world.simulate(np.zeros(3), np.zeros(3), DURATION, h, integrator=integrator, record=())
        assert world.errors_at(motion.q).bilateral.max() < 1e-9  # cm
        gained.append(abs(energy(world, motion.q[-1], motion.v[-1])))
    assert gained[1] < 1e-4 if order == 0 else gained[1] < 0.5 ** (order - 0.3) * gained[0]
