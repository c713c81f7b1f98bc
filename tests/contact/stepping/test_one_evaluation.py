"""Steps that the impulses of the step before still solve cost one evaluation of the error, and nothing else: counted.

What is counted are calls inside of a step, of which no result of a step says anything.
"""

import numpy as np
import pytest

from pluecker.contact.friction.dense import cone_problem
from pluecker.contact.rows.ranges import contacts
from tests.conftest import COMPILED
from tests.contact.found.test_piles import tower
from tests.contact.stepping.touching.test_shape_contact import stack
from tests.contact.stepping.touching.touching import on_ground

H = 0.01


@pytest.mark.plain
@pytest.mark.skipif(COMPILED, reason="calls within compiled code cannot be counted")
@pytest.mark.parametrize("make", [lambda: on_ground("box"), lambda: on_ground("hull"), stack])
def test_named_contacts_that_go_on_resting_are_looked_at_once(make, monkeypatch):
    looks, iterations = [], []
    error_of, solve = cone_problem.cone_problem_error, contacts.solve_cone

    def counted_error(*arguments):
        looks[-1] += 1
        return error_of(*arguments)

    def counted_solve(*arguments):
        looks.append(0)
        iterations.append(solve(*arguments))
        return iterations[-1]

    monkeypatch.setattr(cone_problem, "cone_problem_error", counted_error)
    monkeypatch.setattr(contacts, "solve_cone", counted_solve)
    world, q = make()
    world.simulate(q, np.zeros(world.model.nv), 5 * H, H)
    assert iterations[0] > 0
    assert len(looks) == 5
    assert looks[1:] == [1] * 4
    assert iterations[1:] == [0] * 4


def test_contacts_that_are_found_and_go_on_resting_keep_their_forces():
    """They are looked at, and nothing is solved anew: forces are turned into the axes of contacts and back, no more."""
    world, q = tower(3)
    v, memory, forces = np.zeros(18), None, []
    for _ in range(6):
        q, v, memory = world.step(q, v, H, memory=memory)
        forces.append(memory.own)
    np.testing.assert_allclose(forces[-1], forces[-2], rtol=0, atol=np.spacing(np.abs(forces[0]).max()))
    assert forces[0].any()
