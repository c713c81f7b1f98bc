"""Cost of a step of a rope: in proportion to its length, in reduced and in maximal coordinates.

How large the workspace of a step is, only what packs it says: its name is an inside one.
"""

import time

import numpy as np
import pytest

from benchmarks.steps.worlds_mechanisms import rope
from pluecker.contact.world.integrators import SEMI_IMPLICIT, as_world_integrator, world_scenario
from tests.conftest import COMPILED


@pytest.mark.parametrize("maximal", [False, True], ids=["reduced", "maximal"])
def test_memory_of_a_step_is_in_proportion_to_the_length(maximal):
    """Entries of the Jacobian and of its factor, pairs of rows, and the workspace: work is in proportion to these."""
    sizes = []
    for n in (10, 100, 200):
        case = rope(n, maximal)
        packed, scenario = case.world.packed, world_scenario(case.world)
        integrator = as_world_integrator(case.world, SEMI_IMPLICIT, scenario)
        size = (packed.n_factor, packed.n_values, len(scenario), integrator.workspace(case.world.smooth, scenario))
        sizes.append(np.array(size) / n)
    assert (sizes[1] < 2.0 * sizes[0]).all()
    assert (sizes[2] < 1.05 * sizes[1]).all()


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="time is that of compiled code")
@pytest.mark.parametrize("maximal", [False, True], ids=["reduced", "maximal"])
def test_a_step_of_a_thousand_bodies_costs_twice_as_much_for_each_as_of_ten_at_most(maximal):
    """Time of the process, the least of several: what else the machine does adds to it, and takes nothing away."""
    cases = {n: rope(n, maximal) for n in (10, 1000)}
    least = dict.fromkeys(cases, np.inf)
    for k in range(6):
        for n, case in cases.items():
            steps = 40_000 // n  # what a call takes by itself, 20 ms for a thousand bodies, counts little
            begun = time.process_time()
            motion = case.world.simulate(case.q, case.v, 1e-3 * steps, 1e-3, record=(), every=steps, threads=1)
            if k:  # the first of all compiles
                least[n] = min(least[n], (time.process_time() - begun) / (steps * n))
            assert np.abs(case.world.rows_at(motion.q[-1]).error).max() < 1e-9
    assert least[1000] < 2.0 * least[10]
