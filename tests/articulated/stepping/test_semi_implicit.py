"""The semi-implicit step: no energy from nothing, momentum, stiffness that is stable at any step, and its order."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    PointSpring,
    applied_forces,
    bias_force,
    crba,
    difference,
    integrate,
    kinetic_energy,
    momentum,
    neutral,
    potential_energy,
    random_configuration,
    random_tree,
)
from pluecker.articulated.stepping.semi_implicit.semi_implicit import SEMI_IMPLICIT, VARIANTS
from pluecker.articulated.stepping.terms.scenario import pack_scenario
from tests.articulated.stepping.driver import take_steps

BALL, BOX, NEEDLE = (0.02, 0.02, 0.02), (0.010, 0.020, 0.025), (0.0002, 0.020, 0.0202)
MASS, OFFSET = 2.0, (0.1, -0.05, 0.2)
SPIN = 50.0  # rad/s


def lone_body(moments: tuple[float, ...], joint: str = "free", gravity: tuple[float, ...] = (0, 0, 0)) -> Model:
    """One body whose centre of mass is not its origin; of a pivot the moments are those about it."""
    inertia = np.diag(moments)
    if joint == "spherical":
        c = np.array(OFFSET)
        return lone_inertia(inertia + MASS * (c @ c * np.eye(3) - np.outer(c, c)), joint, gravity, (0.0, 0.0, 0.0))
    return lone_inertia(inertia, joint, gravity, OFFSET)


def lone_inertia(inertia: Any, joint: str, gravity: tuple[float, ...], center: tuple[float, ...]) -> Model:
    builder = ModelBuilder(gravity=gravity)
    builder.add_body("body", mass=MASS, center_of_mass=center, inertia=inertia)
    builder.add_joint("joint", joint, parent="world", child="body")
    return builder.build()


def states(model: Model, q: Any, v: Any, h: float, steps: int, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """The start and what follows."""
    found = [(np.asarray(q, dtype=float), np.asarray(v, dtype=float))]
    found += [(q, v) for q, v, _ in take_steps(SEMI_IMPLICIT, model, q, v, h, steps, **options)]
    qs, vs = zip(*found, strict=True)
    return np.array(qs), np.array(vs)


SPINS = [
    (BALL, (0.6 * SPIN, 0.8 * SPIN, 0.0)),
    (BOX, (SPIN, 0.0, 0.0)),
    (BOX, (0.0, 0.0, SPIN)),
    (NEEDLE, (0.1 * SPIN, 0.6 * SPIN, 0.79 * SPIN)),
]


@pytest.mark.parametrize("h", [1e-3, 1e-2])
@pytest.mark.parametrize(("moments", "spin"), SPINS, ids=["ball", "box long", "box short", "needle"])
def test_a_lone_body_keeps_its_energy_and_its_momentum(
    moments: tuple[float, ...], spin: tuple[float, ...], h: float
) -> None:
    model = lone_body(moments)
    qs, vs = states(model, neutral(model), [*spin, 1.0, 2.0, 3.0], h, 100)
    energy, momenta = kinetic_energy(model, qs, vs), momentum(model, qs, vs)
    assert np.ptp(energy) < 1e-12 * energy[0]
    assert np.abs(momenta[:, 3:] - momenta[0, 3:]).max() < 1e-13 * MASS * SPIN * np.linalg.norm(OFFSET)


@pytest.mark.slow
@pytest.mark.parametrize("h", [1e-3, 1e-2])
@pytest.mark.parametrize(("moments", "spin"), SPINS, ids=["ball", "box long", "box short", "needle"])
def test_a_lone_body_keeps_its_energy_for_100_seconds(
    moments: tuple[float, ...], spin: tuple[float, ...], h: float
) -> None:
    """Rounding alone: up to 1e5 steps, whose errors of some 1e-16 may all have the same sign."""
    model = lone_body(moments)
    qs, vs = states(model, neutral(model), [*spin, 1.0, 2.0, 3.0], h, round(100.0 / h))
    energy, momenta = kinetic_energy(model, qs, vs), momentum(model, qs, vs)
    assert np.ptp(energy) < 1e-10 * energy[0]
    assert np.abs(momenta[:, 3:] - momenta[0, 3:]).max() < 1e-10 * MASS * SPIN * np.linalg.norm(OFFSET)


@pytest.mark.parametrize("moments", [BALL, BOX, NEEDLE])
def test_a_pivoted_body_keeps_its_energy_and_the_length_of_its_angular_momentum(moments: tuple[float, ...]) -> None:
    model = lone_body(moments, "spherical")
    qs, vs = states(model, neutral(model), [0.1 * SPIN, 0.6 * SPIN, 0.79 * SPIN], 1e-2, 100)
    lengths = np.linalg.norm(vs @ crba(model, qs[0]).T, axis=1)
    energy = kinetic_energy(model, qs, vs)
    assert np.ptp(energy) < 1e-12 * energy[0]
    assert np.ptp(lengths) < 1e-12 * lengths[0]


def test_the_centre_of_mass_of_a_spinning_body_falls_as_the_formula_says() -> None:
    """x_n = x_0 + n h v_0 + n (n + 1) / 2 h^2 g, whatever the body does besides"""
    model = lone_body(BOX, gravity=(1.0, -2.0, -9.81))
    h, n = 1e-2, 50
    q = random_configuration(model, np.random.default_rng(0))
    qs, vs = states(model, q, [30.0, -20.0, 40.0, 1.0, 2.0, 3.0], h, n)
    center = np.array([integrate(model, x, [0.0, 0.0, 0.0, *OFFSET])[:3] for x in qs])
    start = momentum(model, qs[0], vs[0])[3:] / MASS
    k = np.arange(n + 1)[:, None]
    expected = center[0] + k * h * start + 0.5 * k * (k + 1) * h**2 * np.array([1.0, -2.0, -9.81])
    assert np.abs(center - expected).max() < 1e-12


@pytest.mark.slow
def test_quaternions_stay_of_unit_length_for_a_million_steps() -> None:
    model = lone_body(NEEDLE)
    steps = take_steps(SEMI_IMPLICIT, model, neutral(model), [5.0, 30.0, 40.0, 1.0, 2.0, 3.0], 1e-3, 1_000_000)
    ((q, _, _),) = deque(steps, maxlen=1)
    assert abs(np.linalg.norm(q[3:]) - 1.0) < 1e-14


# --------------------------------------------------------------------------------------------------------------- its order


def errors(model: Model, duration: float, steps: tuple[int, ...]) -> np.ndarray:
    """Of q and v, with these numbers of steps, against Richardson's extrapolation of twice and four times the last."""
    rng = np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)

    def end(n: int) -> np.ndarray:
        qs, vs = states(model, q, v, duration / n, n)
        return np.concatenate([difference(model, q, qs[-1]), vs[-1]])

    a, b = end(2 * steps[-1]), end(4 * steps[-1])
    limit = 2.0 * b - a
    return np.array([np.abs(end(n) - limit).max() for n in steps])


MECHANISMS = {
    "every joint type, with damping, springs and armature": random_tree(24, 5, passive=True),
    "mimic joints": random_tree(10, 7, mimic=0.4),
    "a floating tree": random_tree(6, 2, joints=["free", *["revolute"] * 5], branching=0.3),
    "a floating chain that is swept": random_tree(36, 4, joints=["free", *["revolute"] * 35], branching=0.0),
    "a pivoted chain that is swept": random_tree(30, 4, joints=["spherical", *["revolute"] * 29], branching=0.0),
    "free joints on one another": random_tree(3, 1, joints=["free"], branching=0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_order_is_one(name: str) -> None:
    model = MECHANISMS[name].replace(friction=0.0, lower_limit=-np.inf, upper_limit=np.inf)
    found = errors(model, 0.02, (16, 32, 64))
    assert np.abs(np.log2(found[:-1] / found[1:]) - 1.0).max() < 0.1


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "mimic joints"])
def test_a_step_by_sweeps_is_that_by_factors(name: str) -> None:
    """Two algorithms for one equation. The condition number of the longest chain is some 1e5."""
    model = MECHANISMS[name].replace(friction=0.0, armature=0.1, damping=0.3, stiffness=2.0)
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), 3.0 * rng.standard_normal(model.nv)
    law, f_ext = np.abs(rng.standard_normal(4 * model.nv)), rng.standard_normal((model.n_bodies, 6))
    options = {
        "h": 1e-2,
        "steps": 1,
        "law": law,
        "f_ext": f_ext,
        "scenario": pack_scenario(model, (), {"limits": False}),
    }
    by_sweeps, by_factors = (VARIANTS[False, False, factors] for factors in (False, True))
    ((q1, v1, _),) = take_steps(by_sweeps, model, q, v, **options)
    ((q2, v2, _),) = take_steps(by_factors, model, q, v, **options)
    assert np.abs(v1 - v2).max() < 1e-11 * np.abs(v2).max()
    assert np.abs(q1 - q2).max() < 1e-12


@pytest.mark.slow
def test_rows_that_wake_and_sleep_give_what_rows_that_stay_awake_do() -> None:
    """An arm swings into its limits and rests there: whether a step is taken by sweeps or by factors is not seen."""
    model = random_tree(4, 3, joints=["revolute"], branching=0.0)
    model = model.replace(friction=0.0, lower_limit=-0.3, upper_limit=0.3)
    scenario = pack_scenario(model)
    q, v = np.zeros(4), np.array([2.0, -1.0, 3.0, -2.0])
    motions = [
        list(take_steps(VARIANTS[False, True, factors], model, q, v, 1e-3, 400, scenario=scenario))
        for factors in (False, True)
    ]
    touching = [bool((np.abs(q) > 0.3 - 1e-9).any()) for q, _, _ in motions[0]]
    assert 0 < sum(touching) < len(touching)
    assert max(np.abs(a[0] - b[0]).max() for a, b in zip(*motions, strict=True)) < 1e-9


def test_one_step_is_the_linear_equation_that_it_says() -> None:
    """Of a mechanism without gyroscopic moments at its roots: H + h D + h^2 K by the dense matrix, c by inverse dynamics."""
    model = random_tree(8, 3, joints=["revolute", "prismatic", "universal", "helical"], passive=True)
    model = model.replace(friction=0.0)
    rng = np.random.default_rng(1)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)
    law = np.abs(rng.standard_normal((4, model.nv)))
    u, R, P, D = law
    h = 1e-2
    K, losses = np.diag(model.stiffness + P), np.diag(model.damping + D)
    b = u + h * R - bias_force(model, q, v) - h * K @ v
    expected = v + np.linalg.solve(crba(model, q) + h * losses + h**2 * K, h * b)
    qs, vs = states(model, q, v, h, 1, law=law.ravel())
    assert np.abs(vs[1] - expected).max() < 1e-11 * np.abs(expected).max()
    assert np.abs(qs[1] - integrate(model, q, h * vs[1])).max() < 1e-14


@pytest.mark.slow
def test_elements_act_as_the_joint_forces_that_they_make() -> None:
    model = random_tree(5, 3, joints=["free", "revolute", "spherical"]).replace(friction=0.0)
    rng = np.random.default_rng(1)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)
    spring = PointSpring("world", ("body4", (0.1, 0.2, 0.3)), 100.0, damping=2.0)
    _, vs = states(model, q, v, 1e-2, 1, elements=[spring])
    u = applied_forces(model, [spring], q, v).joint_force
    _, expected = states(model, q, v, 1e-2, 1, law=np.concatenate([u, np.zeros(3 * model.nv)]))
    assert np.abs(vs[1] - expected[1]).max() < 1e-12 * np.abs(expected[1]).max()


# ------------------------------------------------------------------------------------------------------------- stiff forces


def slide(**passive: float) -> Model:
    builder = ModelBuilder(gravity=(-9.81, 0, 0))
    builder.add_body("block", mass=1.0)
    builder.add_joint("slide", "prismatic", parent="world", child="block", axis=(1, 0, 0), **passive)
    return builder.build()


def test_a_stiff_spring_comes_to_rest_where_it_carries_the_weight() -> None:
    """1e8 N/m at 1 ms: ten thousand times the stability limit of a step with the spring at its beginning"""
    qs, vs = states(slide(stiffness=1e8), [1e-3], [0.0], 1e-3, 60)
    assert np.all(np.diff(np.abs(vs[1:5, 0])) < 0.0)
    assert abs(qs[-1, 0] + 9.81 / 1e8) < 1e-12
    assert abs(vs[-1, 0]) < 1e-12


def test_gains_of_a_million_are_stable_at_ten_milliseconds() -> None:
    model = random_tree(6, 1, joints=["revolute", "prismatic", "helical"])
    model = model.replace(friction=0.0, lower_limit=-np.inf, upper_limit=np.inf)
    rng = np.random.default_rng(2)
    target, q, v = neutral(model), random_configuration(model, rng), rng.standard_normal(model.nv)
    P, D = 1e6 * np.ones(model.nv), 1e4 * np.ones(model.nv)
    for _ in range(
        60
    ):  # control as PD gains with references give it: u is what they ask for at the beginning of a step
        law = np.concatenate([P * (target - q) - D * v, 0.0 * P, P, D])
        qs, vs = states(model, q, v, 1e-2, 1, law=law)
        q, v = qs[1], vs[1]
    weight = np.abs(potential_gradient(model, target)).max()
    assert np.abs(q - target).max() < 1.01 * weight / 1e6
    assert np.abs(v).max() < 1e-6


def potential_gradient(model: Model, q: np.ndarray) -> np.ndarray:
    """By central differences."""
    unit = 1e-6 * np.eye(model.nv)
    sides = [potential_energy(model, np.array([integrate(model, q, s * e) for e in unit])) for s in (1.0, -1.0)]
    return (sides[0] - sides[1]) / 2e-6
