"""Scenes of the programs that come with RedMax (Wang et al. 2019), and the energies that are published in them.

In centimetres, grams and seconds; every body is a box of density 1. Euler's are in ``matlab/testRedMaxScenes.m``, those of
backward differences in ``matlab-diff/scenesRedMax.m`` of https://github.com/sueda/redmax (MIT), each the kinetic energy at
the end and what the potential energy has gained. Left out are hard loops and limits, friction, prescribed motions and what
is deformable, and two scenes whose result depends on where RedMax changes charts: exponential coordinates beyond 3/4 of a
turn, Euler angles by BDF2 (``test_redmax_charts.py`` follows it there).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.articulated import Model, ModelBuilder, PointSpring

GRAVITY = (0.0, 0.0, -980.0)
X, Y, Z = np.eye(3)
PI = np.pi


@dataclass
class Link:
    """A box on a joint.

    Attributes:
        type, options: of the joint.
        at: where it is on the parent.
        sides, offset: of the box, and where its centre is.
        parent: number of the parent; the one before if None, -1 for the world.
        q, v: coordinates and velocities at the beginning, zero if None.
    """

    type: str
    options: dict[str, Any]
    at: tuple[float, ...]
    sides: tuple[float, ...]
    offset: tuple[float, ...]
    parent: int | None = None
    q: Any = None
    v: Any = None


@dataclass
class Scene:
    """Links, and the energies at the end by Euler's method, BDF1 and BDF2, where they are published."""

    links: list[Link]
    h: float = 1e-2
    steps: int = 200
    gravity: tuple[float, ...] = GRAVITY
    euler: float | None = None
    bdf1: float | None = None
    bdf2: float | None = None
    control: Callable[[float], Any] | None = None  # joint forces during the step that ends at a time
    elements: Any = ()
    joints: dict[str, Any] = field(default_factory=dict)  # of each

    def build(self) -> tuple[Model, Any, Any]:
        """The model and the state at the beginning."""
        builder, q, v = ModelBuilder(gravity=self.gravity), {}, {}
        for k, link in enumerate(self.links):
            sides = np.array(link.sides)
            mass = float(sides.prod())
            inertia = mass / 12.0 * np.diag(sides @ sides - sides**2)
            builder.add_body(f"b{k}", mass, link.offset, inertia)
            parent = k - 1 if link.parent is None else link.parent
            options = {**link.options, **(self.joints if link.type != "fixed" else {})}
            if link.q is not None:
                q[f"j{k}"] = link.q
            if link.v is not None:
                v[f"j{k}"] = link.v
            builder.add_joint(
                f"j{k}", link.type, "world" if parent < 0 else f"b{parent}", f"b{k}", position=link.at, **options
            )
        model = builder.build()
        q0, v0 = np.zeros(model.nq), np.zeros(model.nv)
        for name, x in q.items():
            q0[model.q_slice(name)] = x
        for name, x in v.items():
            v0[model.v_slice(name)] = x
        return model.replace(rest_position=q0), q0, v0


def hinge(
    axis: Any, at: tuple[float, ...] = (0, 0, 0), sides: Any = (10, 1, 1), offset: Any = (5, 0, 0), **more: Any
) -> Link:
    """A box on a revolute joint."""
    return Link("revolute", {"axis": axis}, at, sides, offset, **more)


END = (10, 0, 0)
DOWN, HANGING = {"sides": (1, 1, 10), "offset": (0, 0, -5)}, (0, 0, -10)
CHAIN = [hinge(Y, q=PI / 4)] + [
    hinge(Y, END, q=PI / 4) if k % 2 == 0 else Link("fixed", {}, END, (10, 1, 1), (5, 0, 0)) for k in range(1, 5)
]
AXES = [hinge(Z), hinge(Y, END, q=PI / 2), hinge(Z, END, q=PI / 2)]
BRANCHES = [
    hinge(X, (0, 0, 15), **DOWN), hinge(Z, HANGING, (1, 20, 1), (0, 0, 0)),
    hinge(X, (0, -10, 0), **DOWN, q=PI / 4), hinge(Y, (0, 10, 0), **DOWN, q=PI / 4, parent=1),
]  # fmt: skip
SLIDE_X, SLIDE_Y, SLIDE_Z = (Link("prismatic", {"axis": e}, (0, 0, 0), (0, 0, 0), (0, 0, 0)) for e in (X, Y, Z))
PLATE = Link("prismatic", {"axis": Y}, (0, 0, 0), (10, 10, 1), (0, 0, 0))
PLANAR = [
    SLIDE_X, PLATE, hinge(Y, (-5, 0, 0), **DOWN, q=PI / 2), hinge(X, (0, -5, 0), **DOWN, q=PI / 4, parent=1)
]  # fmt: skip
UNIVERSAL = [
    Link(
        "universal",
        {"axis": X, "axis2": Y},
        HANGING if k else (0, 0, 0),
        **DOWN,
        q=(0, PI / 8) if k == 1 else (PI / 8, 0),
    )
    for k in range(3)
]


def translational(v2: float, v3: float) -> list[Link]:
    """A plate that slides in three directions, with two boxes that turn on it."""
    return [
        SLIDE_X, SLIDE_Z, PLATE, hinge(Y, (-5, 0, 0), **DOWN, v=v2), hinge(X, (0, -5, 0), **DOWN, parent=2, v=v3)
    ]  # fmt: skip


def torque(t: float) -> tuple[float, ...]:
    """Return the joint forces at a time, of the scene with joint torques."""
    return (0, 0, 1e2) if t < 3.0 else (0, 1e2, -1e2) if t < 6.0 else (1e2, -1e2, 0)


LOOP = [
    Link("fixed", {}, (0, 0, 0), (20, 1, 1), (0, 0, 0)),
    hinge(Y, (-10, 0, 0), **DOWN), hinge(Y, (10, 0, 0), **DOWN, parent=0),
    hinge(Y, HANGING, (20, 1, 1), (10, 0, 0), parent=1), hinge(Y, END, **DOWN, v=5.0),
]  # fmt: skip
SCENES = {
    "two bodies": Scene([hinge(Y, q=PI / 2), hinge(Y, END, q=PI / 4)], euler=-3697.4545694454454861),
    "serial chain": Scene(CHAIN, euler=-5930.8171118834870867),
    "axes": Scene(AXES, euler=-9423.2594023734018265),
    "branching": Scene(BRANCHES, euler=-1123.9825362491046690),
    "torque": Scene(
        [hinge(Y), hinge(Y, END), hinge(Y, END)], 5e-2, 200, (0, 0, 0), 170.5971183034905607, control=torque
    ),
    "stiffness and damping": Scene(
        [hinge(Y, v=1.0), hinge(Y, END), hinge(Y, END)], 2e-2, 250, (0, 0, 0), 2659.7218894234238178,
        joints={"stiffness": 1e4, "damping": 1e3},
    ),
    "universal": Scene(UNIVERSAL, euler=9679.3365423127470422),
    "planar": Scene(PLANAR, euler=1027.3404900101377279),
    "translational": Scene(translational(2.0, 1.0), gravity=(0, 0, 0), euler=836.2350063173605577),
    "free": Scene(
        [Link("exponential", {}, (0, 0, 0), (0, 0, 0), (0, 0, 0), v=(0.2, 0.4, 0.6)), SLIDE_X, SLIDE_Y,
         Link("prismatic", {"axis": Z}, (0, 0, 0), (1, 1, 1), (0, 0, 0), v=3.0)],
        steps=700, gravity=(0, 0, -1), euler=4.6566660480208437,
    ),
    "composite": Scene(
        [Link("cylindrical", {"axis": X}, (0, 0, 0), (1, 1, 10), (0, 0, 5), q=(0.1, 0), v=(0, 1))],
        2e-2, 100, euler=918.5086593280602756,
    ),
    "mesh": Scene(
        [hinge(Y, at, (1, 2, 3), (0.5, 0, -1.5)) for at in ((0, 0, 0), (0, 0, -3))], steps=100, euler=59.8820887155682158
    ),
    "serial chain, one second": Scene(CHAIN, steps=100, bdf1=-1.2705398823489915e05, bdf2=2.6058008179021417e03),
    "axes, one second": Scene(AXES, steps=100, bdf1=-3.8359074258588909e04, bdf2=-9.7138545812971279e02),
    "branching, one second": Scene(BRANCHES, steps=100, bdf1=-2.2826101928480086e04, bdf2=-2.4159349151742754e02),
    "prismatic": Scene(
        [Link("prismatic", {"axis": X}, (0, 0, 0), (20, 1, 1), (0, 0, 0)), hinge(Y, (-10, 0, 0), **DOWN, q=PI / 2)],
        steps=100, bdf1=-3.7579402399569808e04, bdf2=-6.1132876082600706e02,
    ),
    "planar, one second": Scene(PLANAR, steps=100, bdf1=-4.5738939646068720e04, bdf2=-4.7000178355609387e02),
    "translational, two seconds": Scene(
        translational(-10.0, 10.0), gravity=(0, 0, 0), bdf1=3.3661704151378050e04, bdf2=3.3377464890219308e04
    ),
    "free in a plane": Scene(
        [Link("planar", {"axis": Z}, (0, 0, 0), (1, 1, 1), (0, 0, 0), q=(-10, -10, 0), v=(50, 200, 20))],
        5e-3, 80, (0, -980, 0), bdf1=2.0322933333333378e04, bdf2=2.1283333333333332e04,
    ),
    "universal, one second": Scene(UNIVERSAL, steps=100, bdf1=-2.5276246935781084e04, bdf2=-1.3781281283808785e03),
    "Euler angles": Scene(
        [Link("euler_xyz", {}, (0, 0, 0), **DOWN, q=(PI / 8, 0, 0), v=(2, 2, 2)),
         Link("euler_xyz", {}, HANGING, **DOWN, q=(PI / 2, 0, 0))],
        2e-3, 500, bdf1=-8.7859815791305155e03,
    ),
    "free, Euler angles": Scene(
        [SLIDE_X, SLIDE_Y, Link("prismatic", {"axis": Z}, (0, 0, 0), (0, 0, 0), (0, 0, 0), v=3.0),
         Link("euler_xyz", {}, (0, 0, 0), (1, 1, 1), (0, 0, 0), v=(0.2, 0.4, 0.6))],
        5e-2, 120, (0, 0, -1), bdf1=4.3970920953724946, bdf2=4.5466508559364156,
    ),
    "loop": Scene(
        LOOP, steps=100, bdf1=1.2475343855668743e03, bdf2=4.1276838094574923e03,
        elements=PointSpring(("b2", (0, 0, -10)), ("b3", (20, 0, 0)), stiffness=1e8),
    ),
}  # fmt: skip

# The scene of limits of 1e8, number 14 of ``matlab-diff/scenesRedMax.m``. The first joint's zero is a quarter of a turn on.
LIMITED = Scene(
    [hinge(Y), hinge(Y, END), hinge(Y, END)], steps=100, bdf1=-4.3935567424677353e05, bdf2=-3.1324585577747499e05
)
LIMITS = {"j0": (0.0, PI / 2), "j1": (-PI / 2, 0.0), "j2": (-PI / 2, 0.0)}
