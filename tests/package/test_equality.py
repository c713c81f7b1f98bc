"""Whatever is copied or pickled is equal to what it was, and hashes alike: one object of each public class.

Arrays are compared by their entries, NaN as itself, and an object with one other number is another one.
"""

import copy
import dataclasses
import functools
import inspect
import pickle

import numpy as np
import pytest

from pluecker import articulated as a
from pluecker import contact as c
from pluecker import course
from pluecker import spatial as s
from pluecker.contact import constraints as k
from pluecker.contact import geometry as g

pytestmark = pytest.mark.plain

NAN = float("nan")


def on_the_circle(q):
    """A constraint of a user's."""
    return q[0] ** 2 - 1.0


def objects():
    """One of every public class that holds values, some more."""
    builder = a.ModelBuilder("pair")
    for name, parent in (("upper", "world"), ("lower", "upper")):
        builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        builder.add_joint(
            name, "revolute", parent, name, axis=(0, 0, 1), position=(1.0 if name == "lower" else 0.0, 0, 0)
        )
    pair = builder.build()
    ball = a.ModelBuilder("ball")
    ball.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    ball.add_joint("float", "free", "world", "ball")
    ball = ball.build()
    line = k.PointOnLine("line", ("world", (1.2, 0.5, 0)), ("lower", (1.0, 0, 0)))
    world = c.World(pair, [line, k.UserFunction("circle", on_the_circle, one_sided=True)])
    held = c.World(pair, [line])
    skin = (g.Collider("floor", g.HalfSpace(), "world"), g.Collider("skin", g.Sphere(0.1), "ball", groups=("a",)))
    collision = g.Collision(ball, skin)
    touching = c.World(ball, [], shapes=collision)
    low = [0, 0, 0.099, 1, 0, 0, 0]
    W = np.diag([2.0, 1.0, 1.0])
    problem = c.Problem.from_delassus(W, [-1.0, 3.0, 0.0], [0.5])
    point = c.Problem.from_factors(2.0 * np.eye(3), np.eye(3), [-2.0, 6.0, 0.0], np.zeros(3), [0.5])
    bodies = c.Bodies([np.inf, 2.0], [[0, 0, 0], [0.1, 0.1, 0.1]], [[0, 0, 0], [0, 0, 0.5]])
    table = c.ContactTable([[0, 1]], [[0, 0, 1.0]], [[0, 0, 0.0]], [0.0], friction=0.5)
    motion = a.Trajectory([0.0, 0.1], [[0.0, 1.0], [NAN, 2.0]], model=pair, columns={"heat": [NAN, 1.0]})
    points = a.Points(np.zeros((2, 3)), "tips")
    control = a.PDControl([1.0, 2.0], 0.5, a.TimeTable([0.0, 1.0], [[0.0, 0.1], [0.2, 0.3]]))
    memory = c.WorldMemory("key", 0.5, [NAN], [1.0, 2.0])
    q, v = [0.3, 1.0], [0.1, 0.2]
    result = c.solve(problem)
    return [
        s.MotionVector([1, 2, 3, 4, 5, 6.0]), s.ForceVector([1, 2, 3, 4, 5, 6.0]),
        s.PlueckerTransform(np.eye(3), (1, 2, 3)), s.RigidBodyInertia(1.0, (0, 0, 1.0), np.eye(3)),
        s.ArticulatedInertia(np.eye(6)), s.InverseInertia(np.eye(6)), course.screw_axis([0, 0, 1.0, 0, 0, 2.0]),
        course.central_axis([0, 0, 1.0, 0, 0, 2.0]), s.PrincipalAxes(np.ones(3), np.eye(3), np.zeros(3)),
        course.Subspaces(np.eye(6)[:, :1], np.eye(6)[:, 1:]), course.JointSpace(np.eye(2), np.zeros(2)),
        s.DensityInertia(np.eye(6), np.float64(0.0)),
        course.ConstrainedMotion(np.zeros(6), np.zeros(6), np.eye(6), np.zeros(6)), pair, pair.joints[0],
        pair.trees[0], motion, motion[-1], a.MotionFailure((1,), 0.5, "it ended"),
        control, control.q, a.Control(control, 0.01, clip=True), a.Actuator(2.0, [1.0,
        np.inf]), a.JointLimits(restitution=[0.5, 0.0]), points, a.Arrows(np.zeros((2, 3)), np.eye(3)[:2]),
        a.Lines([("world", "hand")], "rope", lengths=[2.0]),
        a.Cones(np.zeros((1, 3)), np.eye(3)[:1], 0.5, 0.1), a.factorize(pair, q),
        a.AppliedForces(np.zeros(2), np.zeros((2, 6)), np.float64(0.0)), a.AppliedStiffness(np.eye(2), np.eye(2)),
        a.PointSpring("world", ("lower", (1, 0, 0)), 10.0, 0.5), a.PointWrench("lower", [0, 0, 1.0, 0, 0, 0]),
        a.Cable(["world", "upper", "lower"], 10.0, 0.5), a.TorsionSpring("world", "upper", 10.0),
        a.Convergence("q", np.ones(2), np.ones(1), np.ones(1), 1.0, 0.1, motion), problem, result, result.stages[0],
        result.errors, bodies, table, c.friction_lcp(problem), c.solve_lcp(np.eye(2), [-1.0, 1.0]),
        c.Rows([[0, 1]], np.ones((1, 2, 6)), [0.0], [1.0]), c.mixed_lcp(point, 2.0 * np.eye(3), directions=4),
        c.soft_contact(100.0, 1.0, 0.01), c.poisson_restitution(problem, [0.5]),
        c.Solution(np.zeros(3), np.zeros(3), None, None), world, world.constraints[1], touching, world["line"],
        held.maximal(), memory, held.close(q), held.rows_at(q), held.errors_at(q), held.accelerations(q, v, [0.0, 0.0]),
        held.impact(q, v), held.determined(q), held.inverse_dynamics(held.close(q).configuration, [0.0, 0.0], [0.0, 0.0]),
        c.WorldState(np.zeros(2), np.zeros(2), memory), c.WorldStep(np.zeros(2), np.zeros(2), memory),
        c.WorldTrajectory([0.0], [[0.0, 1.0]], memory=memory), collision,
        collision.find(low), touching.step(low, np.zeros(6), 1e-3).contacts, *skin, skin[0].shape, skin[1].shape,
        skin[0].surface, touching.found_contacts, g.Box((1, 2, 3)), g.Capsule(0.1, 1.0), g.Cylinder(0.1, 1.0),
        g.ConvexHull(np.vstack([np.zeros(3), np.eye(3)])), g.HeightField(np.zeros((3, 3)), (1.0, 1.0)),
        g.Mesh(np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
        g.ShapeContact("touch", skin[0], skin[1]), g.Distance(1.0, np.ones(3), np.zeros(3), np.ones(3)),
    ]  # fmt: skip


OBJECTS = functools.cache(objects)
# Objects that work on something else or are shown; functions of C have no copies.
APART = {"Animation", "CompiledControl", "ModelBuilder", "Solver", "Viewer"}
CLASSES = sorted(
    {
        name
        for package in (s, course, a, c, g)
        for name in package.__all__
        if inspect.isclass(getattr(package, name)) and not issubclass(getattr(package, name), BaseException)
    }
    - APART
)


@pytest.mark.parametrize("name", [*CLASSES, "UserFunction"])
def test_copies_are_equal_and_hash_alike(name):
    own = [each for each in OBJECTS() if type(each).__name__ == name]
    assert own
    for each in own:
        for again in (copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert again == each
            assert (again != each) is False
            try:
                number = hash(each)
            except TypeError:  # tuples of arrays, and typed quantities, as before
                assert isinstance(each, tuple) or each.__hash__ is None
            else:
                assert hash(again) == number


@pytest.mark.parametrize("name", CLASSES)
def test_what_has_another_number_is_not_equal(name):
    """The last entry of each array of a record is changed, one array at a time."""
    for each in OBJECTS():
        if (
            type(each).__name__ != name
            or not dataclasses.is_dataclass(each)
            or isinstance(each, (a.Model, g.HeightField))
        ):
            continue
        for field in dataclasses.fields(each):
            value = getattr(each, field.name)
            if isinstance(value, np.ndarray) and value.size and field.init:
                other = copy.copy(each)
                entries = np.array(value)
                last = (-1,) * entries.ndim
                entries[last] = not entries[last] if entries.dtype == bool else 77
                object.__setattr__(other, field.name, entries)
                assert other != each


def test_things_of_other_kinds_and_shapes_are_not_equal():
    one, two = a.TimeTable([0.0], [[1.0]]), a.TimeTable([0.0], [[1.0, 1.0]])
    assert one != two
    assert one != a.TimeTable([0.0], [[1.0]], linear=False)
    assert a.JointLimits() != a.Actuator()
    assert a.Trajectory([0.0], [[1.0]]) != c.WorldTrajectory([0.0], [[1.0]])
    assert a.Trajectory([0.0], [[1.0]], columns={"x": [1.0]}) != a.Trajectory([0.0], [[1.0]], columns={"y": [1.0]})
    assert c.Effort(np.zeros(2), np.zeros(1)) == (np.zeros(2), np.zeros(1))
    assert {one: 1}[copy.deepcopy(one)] == 1
