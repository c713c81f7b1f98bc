"""Constraints from TOML files: what is read, and how a file that is wrong is told."""

import re

import numpy as np
import pytest

from pluecker.contact import ConstraintError, World
from pluecker.contact import constraints as c

MECHANISM = """
[motor.drive]
of = { constraint = "crank", measure = "angle" }
speed = 10.0
force = 2

[hinge.crank]
first = "link2"
second = { frame = "link4", position = [0.0, 0, -0.4], rotation = [0.0, 1.0, 0.0, 0.0] }
softness = { stiffness = 1e5, damping = 10.0 }

[limit."left stop"]
of = { joint = "wrist", index = 1 }
lower = -inf
upper = 1.5
restitution = 0.2

[coupling.mirror]
terms = [{ of = "left", coefficient = 1.0 }, { of = { angle = ["a", { frame = "b" }], sign = -1 }, coefficient = 2 }]

[prescribed_motion.lift]
of = { travel = ["world", "platform"] }
motion = { times = [0, 1], values = [0, 0.3], end_speed = 0.1 }

[servo.hold]
of = "elbow"
target = { times = [0, 1], values = [0.0, 0.5] }
stiffness = 100.0

[hinge2.wheel]
first = "car"
second = "wheel"
angle = 1.4
suspension = { stiffness = 2e4, damping = 300.0 }

[differential.axle]
first = "left"
second = "right"
cage = "cage"

[gear.sun]
first = "sun"
second = "planet"
first_radius = 0.1
second_radius = 0.2
internal = true
"""


def read(tmp_path, text):
    """Read constraints from a file with this text."""
    file = tmp_path / "loop.toml"
    file.write_text(text)
    return c.read_constraints(file)


def test_a_file_is_the_records(tmp_path):
    crank = c.Hinge("crank", "link2", ("link4", (0, 0, -0.4), (0, 1, 0, 0)), softness=c.Softness(1e5, 10.0))
    expected = (
        c.Motor("drive", crank.angle, 10.0, 2.0),
        crank,
        c.Limit("left stop", ("wrist", 1), upper=1.5, restitution=0.2),
        c.Coupling("mirror", {"left": 1.0, c.Angle("a", "b", sign=-1.0): 2.0}),
        c.PrescribedMotion("lift", c.Travel("world", "platform"), c.Spline([0, 1], [0, 0.3], end_speed=0.1)),
        c.Servo("hold", "elbow", c.Spline([0, 1], [0, 0.5]), 100.0),
        c.Hinge2("wheel", "car", "wheel", angle=1.4, suspension=c.Softness(2e4, 300.0)),
        c.Differential("axle", "left", "right", cage="cage"),
        c.Gear("sun", "sun", "planet", first_radius=0.1, second_radius=0.2, internal=True),
    )
    assert read(tmp_path, MECHANISM) == expected


def test_every_record_but_functions_has_a_kind(tmp_path):
    """The message about an unknown kind lists those that there are."""
    records = {each for each in map(c.__dict__.get, c.__all__) if isinstance(each, type) and hasattr(each, "parts")}
    with pytest.raises(ConstraintError) as caught:
        read(tmp_path, "[nothing.x]")
    kinds = str(caught.value).partition("there are ")[2].split(", ")
    names = [re.sub(r"(?<=.)([A-Z])", r"_\1", each.__name__).lower() for each in records - {c.UserFunction}]
    assert sorted(kinds) == sorted(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[hinge", "loop.toml: no TOML: "),
        ("[hings.a]", "loop.toml: no kind of constraint 'hings'; there are ball, hinge"),
        ("hinge = 3", r"loop.toml: \[hinge\] is 3, expected tables \[hinge.name\]"),
        ("[hinge]\nfirst = 'a'", r"loop.toml: \[hinge\] has the key 'first', expected tables"),
        ("[ball.x]\nfirst='a'\nsecond='b'\n[hinge.x]\n", r"\[ball.x\] and \[hinge.x\] have one name"),
        ("[ball.x]\nfirst='a'\nthird='b'", r"loop.toml: \[ball.x\]: no key 'third'; there are first, second"),
        ("[ball.x]\nfirst='a'", r"loop.toml: \[ball.x\]: the key 'second' is missing"),
        ("[ball.x]\nfirst=3\nsecond='b'", r"\[ball.x\]: first is 3, expected a frame's name, or a table"),
        ("[ball.x]\nfirst={ position = [0,0,0] }\nsecond='b'", r"\[ball.x\]: first: the key 'frame' is missing"),
        ("[ball.x]\nfirst={ frame = 'a', at = 1 }\nsecond='b'", r"\[ball.x\]: first: no key 'at'"),
        (
            "[ball.x]\nfirst={ frame = 'a', position = [0] }\nsecond='b'",
            r"\[ball.x\]: first: .*position has shape \(1,\)",
        ),
        ("[ball.x]\nfirst='a'\nsecond='b'\nsoftness={ damping = 1 }", r"\[ball.x\]: softness: .*needs no damper"),
        ("[rod.x]\nfirst='a'\nsecond='b'\nlength=-1", r"\[rod.x\]: Rod 'x': length is -1"),
        ("[rod.x]\nfirst='a'\nsecond='b'\nlength='long'", r"\[rod.x\]: .*length"),
        ("[screw.x]\nfirst='a'\nsecond='b'", r"\[screw.x\]: the key 'pitch' is missing"),
        ("[motor.x]\nof='a'\nspeed=1", r"\[motor.x\]: the key 'force' is missing"),
        ("[motor.x]\nof=3\nspeed=1\nforce=1", r"\[motor.x\]: of is 3, expected a joint's name, or a table with joint"),
        ("[motor.x]\nof={ angle = 'a' }\nspeed=1\nforce=1", r"\[motor.x\]: of: angle is 'a', expected two frames"),
        (
            "[motor.x]\nof={ constraint = 'y', measure = 'angle' }\nspeed=1\nforce=1",
            r"\[motor.x\]: of: no constraint 'y' beside it; there are ",
        ),
        (
            "[motor.x]\nof={ constraint = 'y', measure = 'travel' }\nspeed=1\nforce=1\n[hinge.y]\nfirst='a'\nsecond='b'",
            r"\[motor.x\]: of: the hinge 'y' has no 'travel'; it has angle",
        ),
        (
            "[motor.x]\nof={ constraint = 'x', measure = 'angle' }\nspeed=1\nforce=1",
            r"\[motor.x\]: of: no constraint 'x' beside it",
        ),
        ("[coupling.x]\nterms=3", r"\[coupling.x\]: terms is 3, expected a list"),
        ("[coupling.x]\nterms=[{ of = 'a' }]", r"\[coupling.x\]: terms\[0\]: the key 'coefficient' is missing"),
        (
            "[coupling.x]\nterms=[{ of = 'a', coefficient = 0 }]",
            r"\[coupling.x\]: Coupling 'x': the coefficient of .* is 0",
        ),
        (
            "[prescribed_motion.x]\nof='a'\nmotion={ times = [1, 0], values = [0, 1] }",
            r"\[prescribed_motion.x\]: motion: Spline: times\[1\] is 0 after 1",
        ),
    ],
)
def test_errors_name_file_table_and_key(tmp_path, text, message):
    with pytest.raises(ConstraintError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConstraintError, match=r"none.toml: cannot be read: No such file"):
        c.read_constraints(tmp_path / "none.toml")
    with pytest.raises(ConstraintError, match=r"cannot be read"):
        c.read_constraints(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(np.arange(256, dtype=np.uint8).tobytes())
    with pytest.raises(ConstraintError, match=r"bytes.toml: no TOML"):
        c.read_constraints(tmp_path / "bytes.toml")
    with pytest.raises(TypeError, match="path is 3"):
        c.read_constraints(3)


FOUR_BAR = """
<robot name="bars">
  <link name="base"/>
  {bars}
</robot>
"""
BAR = """
  <link name="{name}">
    <inertial><mass value="1.0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="{name}_pin" type="continuous">
    <parent link="{parent}"/><child link="{name}"/><origin xyz="{place}"/><axis xyz="0 1 0"/>
  </joint>
"""
LOOP = """
[hinge.loop]
first = { frame = "coupler", position = [1, 0, 0], rotation = [0.7071067811865476, -0.7071067811865476, 0, 0] }
second = { frame = "rocker", position = [0, 0, 1], rotation = [0.7071067811865476, -0.7071067811865476, 0, 0] }

[motor.drive]
of = "crank_pin"
speed = 1.0
force = 5.0
"""


def test_a_urdf_and_a_file_beside_it_are_a_world(tmp_path):
    places = (("crank", "base", "0 0 0"), ("coupler", "crank", "0 0 1"), ("rocker", "base", "1 0 0"))
    bars = "".join(BAR.format(name=name, parent=parent, place=place) for name, parent, place in places)
    (tmp_path / "loop.toml").write_text(LOOP)
    world = World.from_urdf(FOUR_BAR.format(bars=bars), constraints=tmp_path / "loop.toml", gravity=(0.0, 0.0, -1.0))
    assert world.names == ("loop", "drive")
    np.testing.assert_array_equal(world.model.gravity, (0.0, 0.0, -1.0))
    rows = world.rows_at(np.zeros(3))
    np.testing.assert_allclose(rows.error[:5], 0.0, atol=1e-15)  # a square, which stays a parallelogram
    order = [world.model.joint_names.index(f"{name}_pin") for name, _, _ in places]
    turn = np.zeros(3)
    turn[order] = 1.0, -1.0, 1.0
    np.testing.assert_allclose(rows.jacobian[:5] @ turn, 0.0, atol=1e-14)
    with pytest.raises(ConstraintError, match=r"none.toml: cannot be read"):
        World.from_urdf(FOUR_BAR.format(bars=bars), constraints=tmp_path / "none.toml")
