"""Records that cannot be: one error, which says of which constraint, what came, and what was expected."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, neutral, random_tree
from pluecker.contact import constraints as c
from pluecker.spatial import PlueckerError

pytestmark = pytest.mark.plain

TREE = random_tree(4, 0, joints=["revolute", "prismatic", "spherical", "free"])
HINGE, BALL = (next(j.name for j in TREE.joints if j.type == kind) for kind in ("revolute", "spherical"))


def mimicking():
    """A model whose second joint follows the first."""
    builder = ModelBuilder()
    for k in range(2):
        builder.add_body(f"body{k}", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("lead", "revolute", parent="world", child="body0", axis=(0, 0, 1))
    builder.add_joint("follow", "revolute", parent="body0", child="body1", axis=(0, 0, 1), mimic=("lead", 2.0, 0.0))
    return builder.build()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: c.Frame(3), TypeError, "Frame: name is 3"),
        (lambda: c.Frame("a", (0, 0)), ValueError, r"Frame on 'a': position has shape \(2,\)"),
        (lambda: c.Frame("a", (0, 0, np.inf)), ValueError, "position is .*inf.*, expected three finite numbers"),
        (lambda: c.Frame("a", rotation=2.0 * np.eye(3)), ValueError, "rotation is no rotation matrix"),
        (lambda: c.Ball(1, "a", "b"), TypeError, "Ball: name is 1, expected a string"),
        (lambda: c.Ball("", "a", "b"), ValueError, "Ball: name is empty"),
        (lambda: c.Ball("x", "a", 7), TypeError, "Ball 'x': second is 7, expected a Frame"),
        (lambda: c.Ball("x", ("a", (0, 0)), "b"), ValueError, r"Ball 'x': first: .*\(2,\)"),
        (lambda: c.Ball("x", "a", "b", softness=3.0), TypeError, "Ball 'x': softness is a float, expected a Softness"),
        (lambda: c.Hinge2("x", "a", "b", angle=0.0), ValueError, "angle is 0, expected one between 0 and pi"),
        (lambda: c.Hinge2("x", "a", "b", suspension=2.0), TypeError, "suspension is a float"),
        (lambda: c.Screw("x", "a", "b"), ValueError, "Screw 'x': pitch is NaN"),
        (lambda: c.Rod("x", "a", "b", 0.0), ValueError, "length is 0, expected a positive one; .* a Ball"),
        (lambda: c.Rod("x", "a", "b", -1.0), ValueError, "length is -1"),
        (lambda: c.Rod("x", "a", "b", 1.0, damping=2.0), ValueError, "needs no damper"),
        (lambda: c.Rope("x", "a", "b", 0.0), ValueError, "length is 0, expected a number above 0"),
        (lambda: c.Rope("x", "a", "b", 1.0, restitution=1.5), ValueError, "restitution is 1.5, expected 0 to 1"),
        (
            lambda: c.Gear("x", "a", "b", first_radius=0.0, second_radius=1.0),
            ValueError,
            "Gear 'x': first_radius is 0, expected a number above 0",
        ),
        (
            lambda: c.Gear("x", "a", "b", first_radius=2.0, second_radius=1.0, internal=True),
            ValueError,
            "expected a smaller gear inside the second",
        ),
        (
            lambda: c.RackAndPinion("x", "a", "b", radius=1.0, pressure_angle=2.0),
            ValueError,
            "pressure_angle is 2, expected one from -1.4 to 1.4",
        ),
        (
            lambda: c.Belt("x", "a", "b", first_radius=1.0, second_radius=1.0, crossed="yes"),
            TypeError,
            "crossed is 'yes', expected True or False",
        ),
        (lambda: c.Coupling("x", {}), ValueError, "Coupling 'x': terms is empty"),
        (lambda: c.Coupling("x", {"a": 0.0}), ValueError, "the coefficient of 'a' is 0"),
        (lambda: c.Coupling("x", [("a", 1.0), ("a", 2.0)]), ValueError, "'a' is there twice"),
        (lambda: c.Coupling("x", 3.0), TypeError, "terms is 3.0, expected measures and coefficients"),
        (lambda: c.Coupling("x", {3: 1.0}), TypeError, "a term is 3, expected the name of a joint"),
        (lambda: c.Limit("x", "a", 2.0, 1.0), ValueError, "lower is 2 and upper is 1, expected lower <= upper"),
        (lambda: c.Limit("x", "a"), ValueError, "neither lower nor upper is finite"),
        (lambda: c.Limit("x", "a", np.nan, 1.0), ValueError, "lower is NaN"),
        (lambda: c.Limit("x", "a", np.inf, np.inf), ValueError, "nothing is between them"),
        (
            lambda: c.Limit("x", "a", 0.0, restitution=0.5, stiffness=2.0),
            ValueError,
            "restitution is 0.5 and stiffness 2",
        ),
        (lambda: c.Friction("x", "a"), ValueError, "Friction 'x': force is NaN"),
        (lambda: c.Friction("x", "a", -1.0), ValueError, "force is -1, expected no negative number"),
        (lambda: c.Motor("x", "a", np.inf, 1.0), ValueError, "speed is inf"),
        (lambda: c.Motor("x", "a", 1.0, "strong"), TypeError, "force"),
        (lambda: c.Servo("x", "a", 0.0, 0.0, 0.0), ValueError, "both zero"),
        (lambda: c.Servo("x", "a", [0.0], 1.0), ValueError, "target has shape"),
        (lambda: c.PositionDrive("x", "a", 0.0, 1.0, correction=0.0), ValueError, "correction is 0"),
        (lambda: c.PrescribedMotion("x", "a", [0.0, 1.0]), TypeError, "motion is a list, expected a Spline"),
        (lambda: c.Angle("a", "b", pointer=(0, 0, 0)), ValueError, "pointer"),
        (lambda: c.Angle("a", "b", sign=2.0), ValueError, "sign is 2.0, expected 1 or -1"),
        (lambda: c.JointCoordinate(3), TypeError, "joint is 3"),
        (lambda: c.JointCoordinate("a", 1.5), TypeError, "index is 1.5"),
    ],
)
def test_records_check_themselves(make, error, message):
    with pytest.raises(error, match=message) as caught:
        make()
    assert isinstance(caught.value, PlueckerError)


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        (c.Ball("x", "body0", "hand"), KeyError, "Ball 'x': second: no frame 'hand'; there are"),
        (
            c.Ball("x", "body0", ("body0", (1, 0, 0))),
            ValueError,
            "Ball 'x': first and second are both on the body 'body0'",
        ),
        (c.Ball("x", "world", ("world", (1, 0, 0))), ValueError, "first and second are both on the world"),
        (
            c.Differential("x", "body0", "body1", cage="body1"),
            ValueError,
            "second and cage are both on the body 'body1'",
        ),
        (c.Limit("x", c.Angle("world", "hand"), 0.0), KeyError, "Limit 'x': Angle: second: no frame 'hand'"),
        (c.Limit("x", "elbow", 0.0), KeyError, "Limit 'x': no joint 'elbow' with a coordinate; there are 'joint0'"),
        (c.Limit("x", (HINGE, 1), 0.0), ValueError, "the revolute joint .* has no velocity 1, it has 1"),
        (c.Limit("x", (BALL, 1), 0.0), ValueError, "is a velocity alone, which has no position"),
        (c.Servo("x", BALL, 0.0, 1.0), ValueError, "is a velocity alone"),
        (c.Coupling("x", {BALL: 1.0}, 2.0), ValueError, "it has no offset and no spring"),
    ],
)
def test_records_check_the_model(record, error, message):
    with pytest.raises(error, match=message) as caught:
        record.parts(TREE)
    assert isinstance(caught.value, PlueckerError)


def test_a_joint_that_follows_has_no_coordinate():
    with pytest.raises(ValueError, match="'follow' follows 'lead' and has no coordinate of its own"):
        c.Motor("x", "follow", 1.0, 1.0).parts(mimicking())


@pytest.mark.parametrize(
    ("place", "error", "message"),
    [
        (lambda q: c.Hinge.at("x", TREE, q, "body0", "body1", (0, 0, 0), (0, 0, 0)), ValueError, "Hinge 'x': axis"),
        (lambda q: c.Hinge.at("x", TREE, q, "body0", "hand", (0, 0, 0)), KeyError, "Hinge 'x': .*no frame 'hand'"),
        (lambda q: c.Hinge.at("x", TREE, q, "body0", "body0", (0, 0, 0)), ValueError, "both on the body 'body0'"),
        (lambda q: c.Hinge.at("x", TREE, q[1:], "body0", "body1", (0, 0, 0)), ValueError, "Hinge 'x': .*q has shape"),
        (lambda q: c.Hinge.at("x", TREE, q, "body0", "body1", (0, 0)), ValueError, r"point has shape \(2,\)"),
        (
            lambda q: c.Hinge.at("x", TREE, q, "body0", "body1", (0, 0, 0), (0, 0, 2), side=(0, 0, -1)),
            ValueError,
            "side is along the axis",
        ),
        (lambda q: c.Hinge.at("x", 3, q, "body0", "body1", (0, 0, 0)), TypeError, "Hinge.at"),
        (lambda q: c.Hinge.at("x", TREE, q, 3, "body1", (0, 0, 0)), TypeError, "Hinge 'x': 3 is no name"),
        (
            lambda q: c.Belt.at(
                "x", TREE, q, "body0", "body1", (0, 0, 0), (0, 0, 0), first_radius=1.0, second_radius=1.0
            ),
            ValueError,
            "expected two places",
        ),
        (
            lambda q: c.Belt.at(
                "x", TREE, q, "body0", "body1", (0, 0, 0), (0, 0, 1), first_radius=1.0, second_radius=1.0
            ),
            ValueError,
            "the line of centres is along the axis",
        ),
    ],
)
def test_places_are_checked(place, error, message):
    with pytest.raises(error, match=message) as caught:
        place(neutral(TREE))
    assert isinstance(caught.value, PlueckerError)


def test_motors_keep_within_the_limits_of_the_joint():
    model = TREE.replace(velocity_limit=np.full(TREE.nv, 3.0), effort_limit=np.full(TREE.nv, 0.5))
    (row,) = c.Motor("x", HINGE, -10.0, 2.0).parts(model).rows
    assert (row.speed, row.force) == (-3.0, 0.5)
    (row,) = c.PositionDrive("x", HINGE, 1.0, 2.0).parts(model).rows
    assert (row.speed, row.force, row.offset) == (3.0, 0.5, 1.0)
    (row,) = c.Motor("x", c.Angle("world", "body0"), -10.0, 2.0).parts(model).rows
    assert (row.speed, row.force) == (-10.0, 2.0)
