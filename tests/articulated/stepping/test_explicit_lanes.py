"""Eight states at a time, integrators without matrices move as each of the states alone."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import integrate, neutral
from pluecker.articulated.stepping.explicit.runge_kutta import RK4
from pluecker.articulated.stepping.implicit.variational import VARIATIONAL
from pluecker.articulated.stepping.terms.scenario import pack_scenario, smooth_model
from pluecker.spatial.functions.elementwise import rows_of_eight
from tests.articulated.stepping.driver import step_in_lanes, take_steps
from tests.articulated.stepping.test_orders import mechanism
from tests.conftest import COMPILED


@pytest.mark.skipif(not COMPILED, reason="lanes are there in compiled code only")
@pytest.mark.slow
@pytest.mark.parametrize("integrator", [RK4, VARIATIONAL], ids=lambda i: i.name)
def test_eight_states_in_lanes_move_as_each_alone(integrator):
    model = mechanism(mimic=False, large=False)
    rng = np.random.default_rng(7)
    m, c = smooth_model(model), pack_scenario(model)
    q = integrate(model, neutral(model), rng.uniform(-1.0, 1.0, (8, model.nv)))
    v, law = rng.normal(size=(8, model.nv)), np.abs(rng.normal(size=(8, 4 * model.nv)))
    f_ext = rng.normal(size=(8, 6 * model.n_bodies))

    def rows(n, x=None):
        array = rows_of_eight(n)
        array[:] = 0.0 if x is None else x.T
        return array

    sizes = model.nq, model.nv, integrator.memory(model, c), integrator.workspace(model, c)
    q1, v1, memory, ws = (rows(n) for n in sizes)
    ws[:] = np.nan
    given = [rows(x.shape[1], x) for x in (q, v, law, f_ext)]
    step_in_lanes(integrator)(m, c, 1e-2, *given, q1, v1, memory, ws)
    for k in range(8):
        ((q_k, v_k, left),) = take_steps(integrator, model, q[k], v[k], 1e-2, 1, law[k], f_ext[k])
        assert left <= 1.0
        np.testing.assert_allclose(q1[:, k], q_k, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(v1[:, k], v_k, rtol=0.0, atol=1e-10)  # 1e-12 / h
