"""Newton's equation: looks inside, because callers see only that a solution is found, which a wrong matrix makes later."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pluecker.contact.friction.solving import newton
from tests.conftest import COMPILED
from tests.contact.friction.solving.islands import matrix_of, one_island
from tests.contact.random_friction import KINDS, random_problem

SIGMA = 0.03
MIXTURES = {"contacts in space": ("3",), "contacts and rows": ("3", "3", "limit", "motor"), "all kinds": KINDS}


def soft_blocks(seed: int, kinds: tuple[str, ...], **more: float) -> Any:
    """Blocks of these kinds with compliances, scaled."""
    random = random_problem(seed, 8, kinds=kinds, flat=0.2, **more)
    return one_island(random.problem(np.random.default_rng(seed).uniform(0.0, 0.1, len(random.b))))


def missed(P: Any, law: int, x: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return F, and the points whose projections it is made of."""
    z, F = np.empty_like(x), np.empty_like(x)
    size = newton.residual(P, law, x, newton.velocity(P, x), centre, SIGMA, z, F)
    assert size == pytest.approx(np.linalg.norm(F), rel=1e-12)
    return F, z


@pytest.mark.plain
@pytest.mark.parametrize("law", [0, 1])
@pytest.mark.parametrize("kinds", MIXTURES)
def test_the_matrix_of_newtons_equation_is_the_derivative_of_what_is_missed(kinds, law):
    """Points have no kink nearby; blocks stick, slide and part."""
    for seed in range(6):
        P, rng = soft_blocks(seed, MIXTURES[kinds]), np.random.default_rng(seed)
        x, centre, dx = rng.normal(size=(3, len(P.b)))
        h, system = 1e-6, newton.make_system(P.A.N)
        newton.jacobian(P, law, newton.velocity(P, x), missed(P, law, x, centre)[1], SIGMA, system)
        along = matrix_of(P, system.values) @ dx
        after, before = (missed(P, law, x + step * dx, centre)[0] for step in (h, -h))
        bound = 1e-6 * np.linalg.norm(dx) * max(np.abs(P.A.N.data).max(), 1.0)
        np.testing.assert_allclose(along, (after - before) / (2.0 * h), rtol=0.0, atol=bound)


@pytest.mark.plain
@pytest.mark.parametrize("law", [0, 1])
@pytest.mark.parametrize("kinds", MIXTURES)
def test_a_step_takes_away_what_is_missed(kinds, law):
    """Newton's step removes the residual to first order; the change of the velocities that it reports is exact."""
    for seed in range(6):
        P, rng = soft_blocks(seed, MIXTURES[kinds]), np.random.default_rng(seed)
        x, centre = rng.normal(size=(2, len(P.b)))
        system = newton.make_system(P.A.N)
        F, z = missed(P, law, x, centre)
        system.vectors[[newton.SPEED, newton.Z, newton.MAP]] = newton.velocity(P, x), z, F
        assert newton.find_step(P, law, system, SIGMA)
        d, change = system.vectors[newton.STEP], system.vectors[newton.CHANGE]
        np.testing.assert_allclose(
            change, newton.velocity(P, x + d) - newton.velocity(P, x), rtol=0.0, atol=1e-9 * np.abs(change).max()
        )
        matrix = matrix_of(P, system.values)
        np.testing.assert_allclose(matrix @ d, -F, rtol=0.0, atol=1e-9 * np.linalg.norm(F))


def test_steps_that_gain_nothing_are_given_up():
    """Newton's method stops after as many steps without progress as were asked for; the steps before do not change."""
    given_up = gone_on = 0
    for seed in range(40 if COMPILED else 12):
        P = soft_blocks(seed, MIXTURES["contacts in space"], copies=0.5, ratio=1e3)
        start, found = np.random.default_rng(seed).normal(size=len(P.b)), []
        for hope in (0, 1):
            x, u, errors = start.copy(), newton.velocity(P, start), np.zeros(31)
            steps = newton.newton(P, 1, x, u, 1e-9, 30, errors, newton.make_system(P.A.N), hope)
            found.append((steps, x, errors))
        (steps, x, errors), (fewer, y, _) = found
        first = newton.evaluate_all(P, np.zeros_like(x), start, newton.velocity(P, start), 1, np.empty_like(x))
        if steps > 1 and errors[1] > newton.GAIN * first:
            given_up += 1
            assert fewer == 1
            assert newton.evaluate_all(P, np.zeros_like(y), y, newton.velocity(P, y), 1, np.empty_like(y)) <= first
        else:
            gone_on += 1
            assert fewer == steps
            assert np.array_equal(x, y)
    assert min(given_up, gone_on) > (3 if COMPILED else 0)
