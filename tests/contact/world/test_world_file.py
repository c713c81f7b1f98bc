"""Shapes and pairs in the TOML file of a world: what is read, what it does, how a file that is wrong is told; the command.

The command is called in this process, by its inside function: a process of its own takes seconds.
"""

import numpy as np
import pytest

from pluecker import PlueckerError
from pluecker.articulated import Model, Trajectory
from pluecker.contact import World
from pluecker.contact.constraints import Motor
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Sphere,
    Surface,
)
from tests.command import main
from tests.contact.stepping.touching.touching import bodies
from tests.contact.world.test_overlays import ROD, URDF

ALL_KINDS = """
[half_space.floor]
frame = "world"
surface = "rubber"

[sphere.ball]
radius = 0.1
frame = { frame = "b", position = [0, 0.0, -0.4] }
surface = { friction = 0.3, velocity = [1, 0, 0] }
groups = ["balls"]
ignores = "boxes"

[box.crate]
size = [0.1, 0.2, 0.3]
frame = { frame = "b", rotation = [0, 1, 0, 0] }
groups = "boxes"

[capsule.pill]
radius = 0.1
length = 0.5
frame = "b"

[cylinder.tin]
radius = 0.1
length = 0.5
frame = "b"

[convex_hull.stone]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
frame = "b"

[mesh.ground]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
triangles = [[0, 1, 2]]
convex = false
frame = "world"

[height_field.hills]
heights = [[0, 0.1], [0.2, 0]]
frame = "world"

[surface.rubber]
friction = 0.9
kinetic_friction = 0.7
rolling_friction = 1e-3
restitution = 0.2

[motor.push]
of = "b"
speed = 1.0
force = 2.0

[contacts]
recovery = 5.0
recovery_speed = 0.5
"""
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def model():
    """Two free bodies."""
    return bodies({"b": Sphere(0.1), "c": Sphere(0.1)})


def written(tmp_path, text):
    """A file with this text."""
    file = tmp_path / "world.toml"
    file.write_text(text)
    return file


def test_a_file_is_the_records(tmp_path):
    world = World.from_file(written(tmp_path, ALL_KINDS), model())
    assert world.constraints == (Motor("push", "b", 1.0, 2.0),)
    found = world.found_contacts
    assert found.collision.colliders == (
        Collider("floor", HalfSpace(), "world", Surface(0.9, 1e-3, restitution=0.2, kinetic_friction=0.7)),
        Collider("ball", Sphere(0.1), ("b", (0, 0, -0.4)), Surface(0.3, velocity=(1, 0, 0)), "balls", "boxes"),
        Collider("crate", Box([0.1, 0.2, 0.3]), ("b", (0, 0, 0), (0, 1, 0, 0)), groups="boxes"),
        Collider("pill", Capsule(0.1, 0.5), "b"),
        Collider("tin", Cylinder(0.1, 0.5), "b"),
        Collider("stone", ConvexHull(CORNERS), "b"),
        Collider("ground", Mesh(np.array(CORNERS)[:3], [[0, 1, 2]], convex=False), "world"),
        Collider("hills", HeightField([[0, 0.1], [0.2, 0]]), "world"),
    )
    assert (found.recovery, found.recovery_speed) == (5.0, 0.5)


def test_a_world_of_a_file_has_its_pairs_or_finds_contacts(tmp_path):
    text = '[half_space.floor]\nframe = "world"\n[sphere.ball]\nradius = 0.1\nframe = "b"\n'
    named = World.from_file(
        written(tmp_path, text + '[contacts]\npairs = [["floor", "ball"]]\nimpacts = "poisson"\n'), model()
    )
    assert named.names == ("floor/ball",)
    assert named.constraints[0].impacts == "poisson"
    assert named.found_contacts is None
    found = World.from_file(written(tmp_path, text + '[contacts]\nlaw = "ccp"\naccuracy = 1e-6\n'), model())
    assert (found.found_contacts.law, found.found_contacts.impacts) == ("ccp", "newton")
    assert (found.found_contacts.accuracy, len(found)) == (1e-6, 0)
    none = World.from_file(written(tmp_path, ""), model())
    assert none.found_contacts is None
    assert not len(none)


FLOOR = "[half_space.floor]\nframe = 'world'\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[cube.x]\n", "no kind of constraint 'cube'"),
        ("sphere = 3", r"\[sphere\] is 3, expected tables \[sphere.name\]"),
        ("contacts = 3", r"\[contacts\] is 3, expected \[contacts\]"),
        ("[sphere]\nradius = 1.0", r"\[sphere\] has the key 'radius', expected tables"),
        ("[sphere.x]\nframe = 'b'", r"\[sphere.x\]: the key 'radius' is missing"),
        ("[sphere.x]\nradius = 1.0", r"\[sphere.x\]: the key 'frame' is missing"),
        ("[sphere.x]\nradius = 1.0\nframe = 'b'\nlength = 2", r"\[sphere.x\]: no key 'length'; there are radius, frame"),
        ("[sphere.x]\nradius = -1.0\nframe = 'b'", r"\[sphere.x\]: Sphere: radius is -1"),
        ("[sphere.x]\nradius = 1.0\nframe = 3", r"\[sphere.x\]: frame is 3, expected a frame's name"),
        ("[sphere.x]\nradius = 1.0\nframe = 'b'\nsurface = 'ice'", r"surface: no surface 'ice'; there are none"),
        ("[sphere.x]\nradius = 1.0\nframe = 'b'\nsurface = { mu = 1 }", r"\[sphere.x\]: surface: no key 'mu'"),
        ("[sphere.x]\nradius = 1.0\nframe = 'b'\ngroups = 3", r"\[sphere.x\]: .*groups"),
        ("[surface.ice]\nfriction = -1", r"\[surface.ice\]: Surface: friction is -1"),
        ("[contacts]\nmargin = 1", r"\[contacts\]: no key 'margin'; there are pairs, law"),
        ("[contacts]\nrobot = 1", r"\[contacts\]: robot is 1, expected true or false"),
        ("[contacts]\nrobot = true", r"\[contacts\]: robot is true, and model .* was not read from a URDF"),
        ("[contacts]\nrobot_surface = 'ice'", r"\[contacts\]: robot_surface is given without robot = true"),
        (FLOOR + "[contacts]\npairs = [['floor', 'ball']]", "World: pairs: no shape 'ball'; there are floor"),
        (FLOOR + "[sphere.floor]\nradius = 1.0\nframe = 'b'", "two shapes are called 'floor'"),
        ("[sphere.x]\nradius = 1.0\nframe = 'nobody'", "nobody"),
        ("[contacts]\nlaw = 'newton'", "World: law is 'newton'"),
        ("[contacts]\nimpacts = 'coulomb'", "World: impacts is 'coulomb'"),
    ],
)  # fmt: skip
def test_errors_name_file_table_and_key(tmp_path, text, message):
    with pytest.raises(PlueckerError, match=f"world.toml: .*{message}"):
        World.from_file(written(tmp_path, text), model())


FOOT = """
<robot name="leg"><link name="shin">
  <inertial><mass value="1.0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision name="foot"><geometry><sphere radius="0.1"/></geometry></collision>
</link></robot>
"""
GROUND = """
[half_space.floor]
frame = "world"
surface = { friction = 0.8 }
[contacts]
robot = true
robot_surface = { friction = 0.2 }
pairs = [["floor", "foot"]]
"""


def test_the_collision_elements_of_a_robot_are_shapes_of_its_file(tmp_path):
    world = World.from_urdf(FOOT, constraints=written(tmp_path, GROUND), floating_base=True)
    assert world.names == ("floor/foot",)
    assert world.constraints[0].law.friction == pytest.approx(0.4)


def test_the_command_simulates_a_robot_on_the_ground_of_its_file(tmp_path, capsys):
    robot, out = tmp_path / "leg.urdf", tmp_path / "motion.npz"
    robot.write_text(FOOT)
    (tmp_path / "start.csv").write_text("time,q0,q1,q2,q3,q4,q5,q6\n0,0,0,0.1,1,0,0,0\n")
    file = written(tmp_path, GROUND)
    arguments = ["simulate", str(robot), "--floating-base", "--duration", "0.02", "--step", "0.002", "--every", "5"]
    world = World.from_file(file, Model.from_urdf(robot, floating_base=True))
    np.savez(tmp_path / "start.npz", time=[0.0], q=[[0, 0, 0.1, 1, 0, 0, 0]])
    start = ["--start", str(tmp_path / "start.npz"), "-o", str(out), "--constraints", str(file)]
    assert main([*arguments, *start]) == 0
    motion = Trajectory.load(out, world.model)
    np.testing.assert_allclose(motion.q[-1], [0, 0, 0.1, 1, 0, 0, 0], atol=1e-9)  # it rests
    file.write_text(GROUND + "[sphere.x]\n")
    capsys.readouterr()
    assert main([*arguments, "--constraints", str(file)]) == 2
    assert "[sphere.x]" in capsys.readouterr().err


def test_the_command_simulates_with_constraints(tmp_path, capsys):
    robot, rod, out = tmp_path / "two.urdf", tmp_path / "rod.toml", tmp_path / "motion.npz"
    robot.write_text(URDF)
    rod.write_text(ROD)
    (tmp_path / "start.csv").write_text("time,q:ja,q:jb,v:ja,v:jb\n0,0.3,0.2,0,0\n")
    arguments = ["simulate", str(robot), "--duration", "0.02", "--step", "0.002", "--every", "5"]
    start = ["--start", str(tmp_path / "start.csv"), "-o", str(out)]
    assert main([*arguments, "--constraints", str(rod), *start]) == 0
    world = World.from_urdf(URDF, constraints=rod)
    assert World.from_urdf(URDF, constraints=world.constraints) == world
    motion = Trajectory.load(out, world.model)
    assert len(motion) == 3
    assert np.abs(world.rows_at(motion.q).error).max() < 1e-10
    rod.write_text("[nothing.there]\n")
    capsys.readouterr()
    assert main([*arguments, "--constraints", str(rod)]) == 2
    assert "nothing" in capsys.readouterr().err
    assert main([*arguments, "--constraints", str(tmp_path / "nowhere.toml")]) == 2
