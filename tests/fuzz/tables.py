"""Good arguments of what is no function of arrays: records, models and their methods, problems, worlds, pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse

import pluecker
from pluecker import articulated, contact, course
from pluecker.articulated import Model, ModelBuilder, Trajectory, conventions
from pluecker.contact import Bodies, ContactTable, Problem, Rows, World, constraints, geometry
from pluecker.contact.constraints import Frame
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    Collision,
    ConvexHull,
    Cylinder,
    HalfSpace,
    Sphere,
    Surface,
)
from tests.contact import fuzz as solving
from tests.contact.constraints.records import on_frames
from tests.contact.found.worlds import bodies
from tests.contact.world.mechanisms import bricard, four_bars, slider_crank
from tests.contact.world.worlds import random_world
from tests.fuzz.judge import close
from tests.fuzz.models import configuration, models
from tests.fuzz.values import Dice
from tests.mechanisms import JOINT_TYPES, MOVING, random_body, random_joint

SINGULAR = ("massless", "still", "nothing")  # whose inertia has no inverse, or whose mass is nothing


@dataclass
class Entry:
    """A function, arguments that fit, complaints about its result, and whether good arguments may be refused."""

    function: Callable[..., Any]
    values: dict[str, Any]
    check: Callable[[Any], list[str]] | None = None
    may_fail: bool = False
    raises: tuple[type[BaseException], ...] = ()


# --------------------------------------------------------------------------------------------------------- articulated


def of_articulated(dice: Dice) -> dict[str, Entry]:
    """Records of elements and models, methods of models, and algorithms whose arguments are no arrays."""
    model, small = dice.among(models()), models()[dice.pick(1, 2, 5, 6)]
    q, v = configuration(dice, model, (3,)), dice.normal(3, model.nv)
    frames = ["world", *model.frame_names]
    ends = [(dice.among(frames), dice.normal(3)) for _ in range(2)]
    k, d = np.abs(dice.normal(2))
    spring, stiff = articulated.PointSpring(*ends, k, 1.0, d), {"stiffness": k, "damping": d}
    kind = dice.among((*MOVING, "fixed"))
    type_ = JOINT_TYPES[kind]
    own = {"q": configuration(dice, models()[4 + MOVING.index(kind)], ()) if type_.nq else np.zeros(0)}
    own |= {"axis": dice.normal(3)} if type_.axes else {}
    own |= {"pitch": 0.3} if type_.pitch else {"axis2": dice.normal(3)} if type_.axes == 2 else {}
    motion = {"q": configuration(dice, small, ()), "v": 0.1 * dice.normal(small.nv), "step": 0.01, "duration": 0.02}
    wishes = {"control": None, "limits": True, "outside_limits": "allow", "record": "energy", "every": 1, "threads": 1}
    names = [joint.name for joint in model.joints] + list(model.frame_names) + ["nobody"]
    builder = ModelBuilder()
    builder.add_body("b0", **random_body(dice.rng))
    builder.add_body("b1", **random_body(dice.rng))
    builder.add_joint("j0", "revolute", "world", "b0", axis=(0, 0, 1))
    joint = {"name": "j1", "type": kind, "parent": "b0", "child": "b1", **random_joint(dice.rng, kind, True)}
    at = {"position": dice.normal(3), "rotation": np.eye(3)}
    limits = {key: np.abs(dice.normal(model.nq)) for key in ("rest_position", "upper_limit")}
    limits |= {key: np.abs(dice.normal(model.nv)) for key in ("damping", "armature", "effort_limit")}
    algorithm = dice.pick("difference", "rnea", articulated.crba, "simulate")
    factor = None if model.name in SINGULAR else articulated.factorize(model, q)

    def added(add: str, **named: Any) -> Model:
        getattr(builder, add)(**named)
        builder.add_joint("last", "free", "world", "b1") if add == "add_frame" else None
        return builder.build()

    def solved(factor: Any) -> list[str]:
        x, H = factor.solve(v), articulated.crba(model, q)
        return [] if close(np.einsum("...ij,...j", H, x), v, 1e-8, np.abs(H).max(initial=1) * 1e3) else ["H x is not b"]

    found = {
        "PointWrench": Entry(
            articulated.PointWrench, {"frame": "b0", "wrench": dice.normal(6), "point": dice.normal(3)}
        ),
        "PointSpring": Entry(
            articulated.PointSpring, {"first": ends[0], "second": ends[1], "rest_length": 1.0, **stiff}
        ),
        "TorsionSpring": Entry(articulated.TorsionSpring, {"first": "b0", "second": "world", **stiff}),
        "Cable": Entry(articulated.Cable, {"via": ends, "rest_length": 1.0, **stiff}),
        "applied_forces": Entry(articulated.applied_forces, {"model": model, "elements": [spring], "q": q, "v": v}),
        "applied_stiffness": Entry(articulated.applied_stiffness, {"model": model, "elements": spring, "q": q, "v": v}),
        "simulate": Entry(articulated.simulate, {"model": small, **motion, **wishes}, raises=(ArithmeticError,)),
        "convergence": Entry(articulated.convergence, {"model": small, **motion}, raises=(ArithmeticError,)),
        "factorize": Entry(articulated.factorize, {"model": model, "q": q, "form": "LTL"}, solved, factor is None),
        "inertia_pattern": Entry(articulated.inertia_pattern, {"model": model}),
        "sparse_body_jacobian": Entry(articulated.sparse_body_jacobian, {"model": model, "q": q[0], "format": "csr"}),
        "sparse_body_jacobian_dot": Entry(articulated.sparse_body_jacobian_dot, {"model": model, "q": q[0], "v": v[0]}),
        "derivative_of": Entry(articulated.derivative_of, {"algorithm": algorithm}, may_fail=True),
        "second_derivative_of": Entry(articulated.second_derivative_of, {"algorithm": algorithm}, may_fail=True),
        "joint_transform": Entry(articulated.joint_transform, {"type": kind, **own}),
        "neutral": Entry(articulated.neutral, {"model": model}),
        "random_configuration": Entry(articulated.random_configuration, {"model": model, "rng": 0}),
        "random_tree": Entry(
            articulated.random_tree, {"bodies": 3, "rng": 0, "branching": 0.5, "joints": [kind, "free"]}
        ),
        "warmup": Entry(pluecker.warmup, {"topics": "no topic", "progress": False}, may_fail=True),
        "add_body": Entry(partial(added, "add_body"), {"name": "b2", **random_body(dice.rng)}, may_fail=True),
        "add_joint": Entry(partial(added, "add_joint"), joint, may_fail=True),
        "add_frame": Entry(partial(added, "add_frame"), {"name": "tool", "body": "b0", **at}),
        "Model.replace": Entry(model.replace, {"gravity": dice.normal(3), "name": "other", **limits}, may_fail=True),
        "Model.joint": Entry(model.joint, {"name": dice.among(names)}, may_fail=True),
        "Model.frame_offsets": Entry(model.frame_offsets, {"names": [dice.among(names)]}, may_fail=True),
        **{f"conventions.{name}": entry for name, entry in conversions(dice, model, q).items()},
    }
    if factor is not None:
        found["InertiaFactor.solve"] = Entry(factor.solve, {"b": v})
        found["InertiaFactor.product"] = Entry(
            factor.product, {"factor": dice.pick("L", "L^-T"), "x": v}, may_fail=True
        )
    return found


class PinocchioJoint:
    def __init__(self, id: int, idx_q: int, nq: int, idx_v: int, nv: int, name: str = "") -> None:
        self.id, self.idx_q, self.nq, self.idx_v, self.nv, self.name = id, idx_q, nq, idx_v, nv, name

    def shortname(self) -> str:
        return self.name


class PinocchioModel:
    """A stand-in for Pinocchio's model, with what the conversion looks at: the joints of one of ours, last first."""

    def __init__(self, model: Model) -> None:
        self.names, self.joints = ["universe"], [PinocchioJoint(0, 0, 0, 0, 0)]
        q = v = 0
        for joint in reversed([joint for joint in model.joints if joint.type != "fixed"]):
            nq, nv = 2 if joint.type == "continuous" else JOINT_TYPES[joint.type].nq, JOINT_TYPES[joint.type].nv
            self.names.append(joint.name)
            name = "JointModelSphericalZYX" if joint.type == "euler_zyx" else ""
            self.joints.append(PinocchioJoint(len(self.joints), q, nq, v, nv, name))
            q, v = q + nq, v + nv
        self.nq, self.nv, self.njoints = q, v, len(self.joints)


def conversions(dice: Dice, model: Model, q: np.ndarray) -> dict[str, Entry]:
    peer = PinocchioModel(model)
    both = {"model": model, "pin_model": peer}
    values = {
        "to_pinocchio_q": {"q": q},
        "from_pinocchio_q": {"q_pin": dice.normal(3, peer.nq)},
        "velocity_map_to_pinocchio": {},
        "forces_to_pinocchio": {"f_ext": dice.normal(model.n_bodies, 6)},
    }
    return {name: Entry(getattr(conventions, name), {**both, **more}, may_fail=True) for name, more in values.items()}


# ------------------------------------------------------------------------------------------------------------- contact

HULL = ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.2, 1]])
SHAPES = (Sphere(0.5), Capsule(0.2, 1.0), Box((1.0, 0.1, 2.0)), Box((1e-6, 1.0, 1.0)), Cylinder(0.3, 0.5), HULL)
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
RECORDS: dict[str, dict[str, Any]] = {
    "Sphere": {"radius": 0.5},
    "Capsule": {"radius": 0.5, "length": 1.0},
    "Cylinder": {"radius": 0.5, "length": 1.0},
    "Box": {"size": (1.0, 2.0, 3.0)},
    "ConvexHull": {"vertices": CORNERS},
    "Mesh": {"vertices": CORNERS, "triangles": [[0, 1, 2]], "convex": False},
    "HeightField": {"heights": [[0.0, 1.0], [0.0, 0.5]], "size": (1.0, 2.0)},
    "Surface": {"friction": 0.5, "rolling_friction": 0.0, "restitution": 0.1, "stiffness": np.inf, "damping": 0.0,
                "velocity": (0.0, 1.0, 0.0), "kinetic_friction": 0.4},
    "Collider": {"name": "x", "shape": Sphere(1.0), "frame": "world", "surface": Surface(), "groups": "a"},
    "ShapeContact": {"name": "x", "first": Collider("floor", HalfSpace(), "world"),
                     "second": Collider("ball", Sphere(0.5), "ball"), "friction": 0.5, "kinetic_friction": 0.4,
                     "rolling_friction": 1e-3, "restitution": 0.0, "impacts": "poisson", "recovery": 1.0},
}  # fmt: skip


@cache
def problems() -> tuple[Problem, ...]:
    """Small problems of every kind."""
    found = [solving.random_case(seed, most=3).problem for seed in range(500, 530)]
    found += [Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [mu]) for mu in (0.5, 1e6)]
    return (*found, Problem.from_delassus(np.zeros((0, 0)), [], []))


@cache
def worlds() -> tuple[World, ...]:
    """Worlds of every kind, the same in every process."""
    tree = models()[1]
    joint = next(each.name for each in tree.joints if each.type in ("revolute", "prismatic", "continuous", "helical"))
    last = tree.body_names[-1]
    mixed = (
        constraints.Rope("rope", "world", last, 3.0),
        constraints.Limit("limit", joint, -1.0, 1.0, restitution=0.5),
        constraints.Motor("motor", joint, 1.0, 5.0),
        constraints.Rod("spring", tree.body_names[0], last, 0.4, stiffness=10.0, damping=1.0),
    )
    shapes, surface = [Box((0.2, 0.3, 0.1)), Box((0.4, 0.4, 0.4)), Sphere(0.2)], Surface(0.5, restitution=0.6)
    skins = [Collider(f"s{k}", shape, f"b{k}", surface) for k, shape in enumerate(shapes)]
    skins.append(Collider("floor", HalfSpace(), "world", surface))
    heaps = [World(bodies(shapes), shapes=skins, impacts=impacts) for impacts in ("newton", "poisson")]
    heaps.append(World(bodies(shapes), shapes=skins, pairs=[("floor", "s0"), ("s0", "s2")]))
    closed = [four_bars(1)[0], slider_crank(), bricard(), *(random_world(seed, 5, 1)[0] for seed in range(2))]
    return (World(tree), World(tree, mixed), *closed, *heaps)


def of_contact(dice: Dice) -> dict[str, Entry]:
    """Tables, problems, solvers, shapes, constraints and worlds."""
    problem, shape = dice.among(problems()), dice.pick(*RECORDS)
    few = contact.Solver(problem, dice.pick("ncp", "ccp"), "pgs", max_iterations=20)
    n, R = problem.size, dice.below(4)
    L, low = dice.normal(5, 5), np.sort(dice.normal(2, R), axis=0)
    A, b, mass = L @ L.T + np.eye(5), dice.normal(5), np.abs(dice.normal(3)) + 0.1
    pairs = np.array([[0, 1], [1, 2]][: 1 + dice.below(2)])
    K = len(pairs)
    normal = dice.normal(K, 3) / 2.0
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    table = {
        "bodies": pairs.tolist(),
        "normal": normal,
        "point": dice.normal(K, 3),
        "gap": 0.1 * dice.normal(K),
        "friction": 0.5,
    }
    table |= {"restitution": np.abs(np.sin(dice.normal(K))), "compliance": np.abs(dice.normal(K)) * 1e-4}
    of_rows = {"bodies": pairs.tolist(), "jacobian": dice.normal(K, 2, 6), "offset": dice.normal(K), "lower": -np.inf}
    of_bodies = {"mass": mass, "inertia": mass[:, None] * [1.0, 1.5, 2.0], "position": dice.normal(3, 3)}
    of_bodies |= {"velocity": dice.normal(3, 6), "wrench": dice.normal(3, 6)}
    parts = {"bodies": Bodies(**of_bodies), "table": ContactTable(**table), "step": 0.01, "erp": 0.5}
    factors = {"M": A, "J": dice.normal(6, 5), "f": b, "w": dice.normal(6), "friction": np.abs(dice.normal(2))}
    matrix = dice.pick(A, scipy.sparse.csr_array(A), scipy.sparse.coo_matrix(A))
    how = {"law": "ncp", "method": dice.pick(*contact.METHODS), "tol": 1e-6, "max_iterations": 20, "directions": 4,
           "threads": 1, "form": "best", "history": False, "separate": True}  # fmt: skip
    k, d, h = 10.0 ** dice.normal(3)
    turn, _ = np.linalg.qr(dice.normal(2, 3, 3))
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = turn * np.linalg.det(turn)[:, None, None], dice.normal(2, 3) * dice.pick(0, 1)
    between = {"shape_a": dice.among(SHAPES), "pose_a": poses[0], "shape_b": dice.among(SHAPES), "pose_b": poses[1]}
    world, colliders = dice.among(worlds()), [Collider(f"c{k}", dice.among(SHAPES), "world") for k in range(3)]
    names = [*world.model.body_names, "world", "x"][:3]
    constraint = dice.among(on_frames(*(Frame(name, dice.normal(3)) for name in names)))
    fields = {each.name: getattr(constraint, each.name) for each in dataclasses.fields(constraint) if each.init}
    return {
        "Bodies": Entry(Bodies, of_bodies),
        "ContactTable": Entry(dice.pick(ContactTable, ContactTable.ordered), table),
        "Rows": Entry(Rows, of_rows),
        "contact_frames": Entry(contact.contact_frames, {"normal": normal}),
        "soft_contact": Entry(contact.soft_contact, {"stiffness": np.array(k), "damping": np.array(d), "step": 0.01}),
        "assemble_contacts": Entry(contact.assemble_contacts, parts, velocity_is_affine),
        "Problem.from_delassus": Entry(
            Problem.from_delassus,
            {"W": A, "q": b, "friction": np.abs(dice.normal(1)), "rows": (low[:, :2], low[:, :2])},
            velocity_is_affine, True,
        ),
        "Problem.from_factors": Entry(Problem.from_factors, factors, velocity_is_affine),
        "Problem.velocity": Entry(problem.velocity, {"multipliers": dice.normal(n)}),
        "Problem.with_friction": Entry(problem.with_friction, {"friction": 0.5}, may_fail=True),
        "solve": Entry(contact.solve, {"problem": problem, "warm_start": dice.normal(n), **how}, may_fail=True),
        "Solver.solve": Entry(few.solve, {"offset": dice.normal(n), "warm_start": dice.normal(n)}),
        "Solver.update": Entry(few.update, {"problem": dice.among(problems())}, may_fail=True),
        "errors_of": Entry(contact.errors_of, {"problem": problem, "multipliers": dice.normal(n), "law": "ncp"}),
        "solve_lcp": Entry(contact.solve_lcp, {"A": matrix, "b": b, "lower": 0.0, "tol": 1e-9, "method": "lemke"}, is_lcp),
        "friction_lcp": Entry(contact.friction_lcp, {"problem": problem, "directions": 4}, may_fail=True),
        "mixed_lcp": Entry(contact.mixed_lcp, {"problem": problem, "mass": scipy.sparse.identity(3)}, may_fail=True),
        "poisson_restitution": Entry(
            contact.poisson_restitution, {"problem": problem, "restitution": np.full(problem.blocks, 0.5)}, may_fail=True
        ),
        "compare_methods": Entry(
            contact.compare_methods, {"problem": problem, "methods": ["apgd"], "law": "ncp"}, may_fail=True
        ),
        "erp_cfm": Entry(constraints.erp_cfm, {"stiffness": k, "damping": d, "step": h}, may_fail=True),
        "spring_damper": Entry(constraints.spring_damper, {"erp": dice.random(), "cfm": k, "step": h}, may_fail=True),
        "damper_of_multiplier": Entry(constraints.damper_of_multiplier, {"k": k, "step": h}),
        f"geometry.{shape}": Entry(getattr(geometry, shape), RECORDS[shape], equal_again),
        "distance": Entry(geometry.distance, between, that_far_apart, True),
        "Collision": Entry(
            lambda model, colliders, q, **more: Collision(model, colliders, **more).find(q),
            {"model": world.model, "colliders": colliders, "margin": 0.1, "q": configuration(dice, world.model, ())},
        ),
        "draw_colliders": Entry(
            geometry.draw_colliders, {"model": world.model, "colliders": colliders, "ground": 1.0, "visuals": False}
        ),
        f"constraints.{type(constraint).__name__}": Entry(type(constraint), fields),
        "World": Entry(World, {"model": world.model, "constraints": world.constraints, "limits": True, "recovery": 5.0}),
        **{f"World.{name}": entry for name, entry in of_world(dice, world).items()},
    }  # fmt: skip


def of_world(dice: Dice, world: World) -> dict[str, Entry]:
    """Methods of a world, at instants, which take batches, and over steps."""
    model = world.model
    q, v, tau = configuration(dice, model, (2,)), dice.normal(2, model.nv), dice.normal(2, model.nv)
    instant = {"q": q, "v": v, "time": dice.normal(2)}
    batches = {"accelerations": {"q": q, "v": v, "tau": tau}, "impact": instant, "rows_at": instant}
    single = {
        "momentum": {"q": q[0], "v": v[0], "point": dice.normal(3)},
        "close": {"q": q[0], "v": v[0], "tol": 1e-9},
        "determined": {"q": q[0]},
        "maximal": {"reference": q[0]},
        "inverse_dynamics": {"q": q[0], "v": v[0], "a": tau[0]},
        "step": {"q": q[0], "v": v[0], "step": 1e-3, "tau": tau[0], "memory": None},
        "simulate": {"q": q[0], "v": v[0], "duration": 3e-3, "step": 1e-3, "on_unsolved": "raise"},
    }

    def alone(name: str, result: Any) -> list[str]:
        one = getattr(world, name)(**{key: x[-1] for key, x in batches[name].items()})
        right = all(close(whole[-1], part, 1e-7, 1.0) for whole, part in zip(result, one, strict=True))
        return [] if right else ["the last state alone gives something else"]

    steps = world in worlds()[-3:]  # whose contacts act in steps only
    found = {name: Entry(getattr(world, name), values, partial(alone, name), steps) for name, values in batches.items()}
    return found | {name: Entry(getattr(world, name), values, may_fail=True) for name, values in single.items()}


def velocity_is_affine(problem: Problem) -> list[str]:
    r = np.sin(np.arange(problem.size) + 1.0)
    N = problem.matrix().toarray()
    right = close(N, N.T, 1e-12) and close(problem.velocity(r), N @ r + problem.offset, 1e-9, 1.0)
    return [] if right else ["N is not symmetric, or velocity(r) is not N r + b"]


def is_lcp(found: Any) -> list[str]:
    return [] if not found.converged or ((found.z >= 0).all() and (found.w >= -1e-6).all()) else ["z or w is negative"]


def equal_again(made: Any) -> list[str]:
    return [] if made == dataclasses.replace(made) and hash(made) is not None else ["made again it is another"]


def that_far_apart(found: Any) -> list[str]:
    apart = found.point_b - found.point_a
    unit = abs(np.linalg.norm(found.normal) - 1.0) < 1e-9
    return [] if unit and close(apart, found.distance * found.normal, 1e-9, 1.0) else ["no unit normal or another gap"]


# ------------------------------------------------------------------------------------------------------------ pictures


def of_pictures(dice: Dice) -> dict[str, Entry]:
    """Pictures, curves, short films, marks in them, and pages that nobody opens."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    model = dice.among(models())
    q = configuration(dice, model, (2,))
    motion = Trajectory(time=[0.0, 0.2], q=q, v=dice.normal(2, model.nv))
    points, looks = dice.normal(4, 3), {"title": "a title", "visuals": False, "inertia": True, "frames": "bodies"}
    looks["overlays"] = articulated.Points(points)

    def closed(draw: Callable[..., Any], **named: Any) -> None:
        try:
            draw(**named)
        finally:
            pyplot.close("all")

    drawn = {
        articulated.plot_mechanism: {"model": model, "q": q[0], **looks},
        articulated.animate: {"model": model, "trajectory": motion, "rate": 5.0, "speed": 1.0},
        articulated.plot_trajectory: {"model": model, "trajectory": motion, "title": "a title"},
        articulated.plot_energy: {"model": model, "trajectory": motion},
        course.plot_field: {"vector": dice.normal(6), "center": dice.normal(3), "size": 2.0, "count": 2, "plane": "xy"},
    }
    marks = {
        articulated.Points: {"positions": points, "label": "a mark", "color": "red"},
        articulated.Arrows: {"positions": points, "vectors": dice.normal(4, 3), "length": 0.5},
        articulated.Cones: {"positions": points, "normals": dice.normal(4, 3), "slope": 0.3, "height": 0.2},
    }
    warns = (UserWarning,)  # matplotlib, of places that are all alike in float64
    found = {draw.__name__: Entry(partial(closed, draw), values, None, True, warns) for draw, values in drawn.items()}
    found |= {mark.__name__: Entry(mark, values, may_fail=True) for mark, values in marks.items()}
    page = {"model": model, "trajectory": motion, "frames": "all", "browser": False}
    return {**found, "view": Entry(lambda **named: articulated.view(**named).close(), page, may_fail=True)}
