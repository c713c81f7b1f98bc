"""Steps that the impulses of the step before still solve cost one evaluation of the error, and nothing else: counted.

What is counted are calls inside of a step, of which no result of a step says anything.
"""

import numpy as np
import pytest

from pluecker.contact.friction.dense import cone_problem
from pluecker.contact.piles.step import PileStep
from pluecker.contact.rows import contacts
from tests.conftest import COMPILED
from tests.contact.piles.test_piles import tower
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


def test_contacts_that_are_found_and_go_on_resting_are_looked_at_once(monkeypatch):
    results = []
    solved = PileStep.solved
    monkeypatch.setattr(
        PileStep, "solved", lambda *arguments, **named: results.append(solved(*arguments, **named)) or results[-1]
    )
    world, q = tower(3)
    world.simulate(q, np.zeros(18), 5 * H, H)
    assert results[0].iterations > 0
    assert [each.iterations for each in results[1:]] == [0] * 4
    assert [len(each.stages) for each in results[1:]] == [0] * 4  # no method was begun
