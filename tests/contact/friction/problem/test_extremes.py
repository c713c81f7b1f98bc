"""Finite numbers at the ends of float64: refused with the place where they are, or all that comes of them is finite."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import Bodies, ContactTable, Problem, ProblemError, Rows, assemble_contacts, soft_contact, solve
from pluecker.spatial import ArgumentTypeError

REFUSED = ProblemError, ArgumentTypeError

SIZES = [5e-324, 1e-310, 1e-200, 1e-150, 1e-100, 1e100, 1e150, 1e200, 1e300, 1.7e308]
NAMES = [
    "mass", "inertia", "position", "velocity", "turning", "wrench", "gravity", "point", "gap", "penetration", "friction",
    "compliance", "step", "jacobian", "offset", "softness",
]  # fmt: skip


def problem(**given):
    """Two bodies in a contact and in a row, one number of which is extreme."""
    x = {**dict.fromkeys(NAMES), **given}

    def put(array, place, name, sign=1.0):
        array = np.array(array, float)
        if x[name] is not None:
            array[place] = sign * x[name]
        return array

    velocity = put(put(0.1 * np.ones((2, 6)), (1, 5), "velocity", -1.0), (1, 0), "turning")
    bodies = Bodies(
        put([1.0, 2.0], 1, "mass"),
        np.ones((2, 3)) if x["inertia"] is None else [[1.0] * 3, [x["inertia"]] * 3],
        put(np.zeros((2, 3)), (1, 0), "position"),
        velocity=velocity,
        wrench=put(np.zeros((2, 6)), (1, 4), "wrench"),
    ).with_gravity([0, 0, -9.81] if x["gravity"] is None else [0, 0, -x["gravity"]])
    gap = -0.01 if x["penetration"] is None else -x["penetration"]
    table = ContactTable(
        [[0, 1]], [[0, 0, 1]], put([[0, 0, 0.5]], (0, 1), "point"), gap=gap if x["gap"] is None else x["gap"],
        friction=0.3 if x["friction"] is None else x["friction"], restitution=0.5,
        compliance=0.0 if x["compliance"] is None else x["compliance"],
    )  # fmt: skip
    J = put(np.ones((1, 2, 6)), (0, 1, 2), "jacobian")
    rows = Rows([[0, 1]], J, offset=put([0.1], 0, "offset"), compliance=put([0.0], 0, "softness"))
    return assemble_contacts(bodies, table, 0.01 if x["step"] is None else x["step"], rows, erp=1.0)


def attempt(**given):
    """The problem, or None and why it is refused."""
    try:
        return problem(**given), ""
    except ProblemError as error:
        return None, str(error)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_an_extreme_number_is_refused_or_harmless(name, size):
    made, refusal = attempt(**{name: size})
    if made is None:
        assert any(word in refusal for word in ("body 0", "body 1", "bodies 0 and 1", "contact 0"))
        assert " is nan" not in refusal
        assert "\n" not in refusal
        return
    parts = [made.offset, made.free_velocity, made.matrix().data, made.operator.J.data, made.operator.T.data]
    assert all(np.isfinite(part).all() for part in parts)
    assert all(np.abs(part).max() <= 1e150 for part in (made.offset, made.operator.T.data, made.matrix().diagonal()))
    result = solve(made, max_iterations=20)
    assert np.isfinite(result.multipliers).all()
    assert np.isfinite(result.velocity).all()


def floor_and_ball(mass=1.0, inertia=1.0, **named):
    return Bodies([mass, 1.0], [[inertia] * 3, [1.0] * 3], np.zeros((2, 3)), **named)


def table(gap):
    return ContactTable([[0, 1]], [[0, 0, 1]], [[0.0, 0.0, 0.0]], gap=gap)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: floor_and_ball(mass=1e-310), "body 0: mass is 1e-310 kg, expected 1e-150 to 1e"),
        (lambda: floor_and_ball(mass=1e200), r"body 0: mass is 1e\+200 kg, expected 1e-150 to 1e"),
        (lambda: floor_and_ball(inertia=1e-310), "body 0: .* moment of inertia is 1e-310, expected at least 1e-150"),
        (lambda: floor_and_ball(inertia=1e200), r"body 0: a moment of inertia is 1e\+200, expected at most 1e\+150"),
        (
            lambda: assemble_contacts(floor_and_ball(), table(1e3), 1e-307),
            r"contact 0, component 0, of bodies 0 and 1: the offset is inf, expected no number above 1e\+150",
        ),
        (
            lambda: assemble_contacts(floor_and_ball(), table(-1e3), 1e-307, erp=1.0),
            "contact 0, component 0, of bodies 0 and 1: the offset is -inf",
        ),
        (
            lambda: assemble_contacts(floor_and_ball(velocity=1e200 * np.ones((2, 6))), table(0.0), 0.1),
            "body 0: the acceleration from wrench and angular velocity overflows float64",
        ),
        (
            lambda: assemble_contacts(floor_and_ball(wrench=1e308 * np.ones((2, 6)), mass=1e-9), table(0.0), 0.1),
            "body 0: the acceleration from wrench and angular velocity overflows",
        ),
        (
            lambda: assemble_contacts(
                floor_and_ball(), table(0.0), 0.1, Rows([[1, 0]], np.ones((1, 2, 1)) * [0, 0, 0, 0, 0, 1e200])
            ),
            r"row 0, of bodies 1 and 0: the Jacobian is 1e\+200, expected no number above 1e\+150",
        ),
        (
            lambda: assemble_contacts(
                floor_and_ball(), ContactTable([[0, 1]], [[0, 0, 1]], [[1e100, 0, 0]]), 0.1
            ),
            r"contact 0, component 0, of bodies 0 and 1: the diagonal entry of N is .*e\+200",
        ),
        (lambda: floor_and_ball().times_inverse_mass(1.7e308 * np.ones((2, 6)))[0] * 1.0, None),
        (lambda: floor_and_ball(mass=0.1).times_inverse_mass(1.7e308 * np.ones((2, 6))), "body 0: M.-1 times the force"),
        (lambda: floor_and_ball().kinetic_energy(1e200 * np.ones((2, 6))), "body 0: the kinetic energy overflows"),
        (lambda: floor_and_ball(mass=1e10).with_gravity([0, 0, 1e300]), "body 0: the wrench with the weight overflows"),
        (lambda: soft_contact(1e308, 1.0, 1e5), "leaves float64"),
        (lambda: soft_contact(1e-308, 0.0, 1e-5), "leaves float64"),
    ],
)  # fmt: skip
def test_what_overflows_is_named(make, words):
    if words is None:
        make()
        return
    with pytest.raises(REFUSED, match=words):
        make()


def test_numbers_of_the_largest_size_that_is_taken_are_solved():
    for size in (1e-150, 1.0, 1e150):
        one = Problem.from_delassus(np.eye(3), [-0.5 * size, size, 0.0], [0.5])
        result = solve(one, tol=1e-10)
        assert result.converged
        np.testing.assert_allclose(result.multipliers, [0.5 * size, -0.25 * size, 0.0], rtol=1e-8, atol=1e-8 * size)
        two = Problem.from_delassus(size * np.eye(3), [-0.5, 1.0, 0.0], [0.5])
        velocity = two.velocity([0.5 / size, -0.25 / size, 0.0])
        np.testing.assert_allclose(velocity, [0.0, 0.75, 0.0], atol=1e-15)
