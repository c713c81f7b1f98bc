"""Planar mechanisms with loops whose motions are known in other ways."""

from __future__ import annotations

import numpy as np

from pluecker.articulated import Model, ModelBuilder, PointSpring
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Frame, Hinge, PrescribedMotion, Spline

Z = (0.0, 0.0, 1.0)
ROD = (1e-3, 1.0 / 12.0, 1.0 / 12.0)  # of 1 m and 1 kg


def add_rod(builder: ModelBuilder, name: str, parent: str, place: tuple[float, float, float]) -> None:
    """A uniform rod of 1 m and 1 kg along x, on a hinge about z."""
    builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=ROD)
    builder.add_joint(name, "revolute", parent=parent, child=name, axis=Z, position=place)


def four_bars(n: int = 1) -> tuple[World, np.ndarray, np.ndarray]:
    """N squares of rods side by side, closed by balls, which say one thing too much each; upright, moving at 1 rad/s."""
    b = ModelBuilder(gravity=(0, -9.81, 0))
    loops, q = [], []
    add_rod(b, "post0", "world", (0, 0, 0))
    q.append(np.pi / 2)
    for k in range(n):
        add_rod(b, f"beam{k}", f"post{k}", (1.0, 0, 0))
        add_rod(b, f"post{k + 1}", "world", (k + 1.0, 0, 0))
        loops.append(Ball(f"loop{k}", Frame(f"beam{k}", (1.0, 0, 0)), Frame(f"post{k + 1}", (1.0, 0, 0))))
        q += [-np.pi / 2, np.pi / 2]
    model = b.build()
    v = np.array([-1.0] + [1.0, -1.0] * n)
    return World(model, loops), ordered(model, q), ordered(model, v)


def ordered(model: Model, values: object) -> np.ndarray:
    """Sort values of joints, given in the order in which they were added, into the model's order."""
    out = np.empty(model.nv)
    names = ["post0"] + [x for k in range((model.nv - 1) // 2) for x in (f"beam{k}", f"post{k + 1}")]
    for name, x in zip(names, np.asarray(values), strict=True):
        out[model.v_slice(name)] = x
    return out


CRANK, COUPLER = 0.3, 1.0


def slider_crank() -> World:
    """A crank of 0.3 m, a coupler of 1 m, and a slider along x."""
    b = ModelBuilder(gravity=(0, -9.81, 0))
    b.add_body("crank", mass=2.0, center_of_mass=(0.1, 0, 0), inertia=(1e-3, 0.02, 0.02))
    b.add_joint("crank", "revolute", parent="world", child="crank", axis=Z)
    b.add_body("coupler", mass=1.0, center_of_mass=(0.5, 0, 0), inertia=ROD)
    b.add_joint("coupler", "revolute", parent="crank", child="coupler", axis=Z, position=(CRANK, 0, 0))
    b.add_body("slider", mass=3.0)
    b.add_joint("slider", "prismatic", parent="world", child="slider", axis=(1, 0, 0))
    return World(b.build(), [Ball("pin", Frame("coupler", (COUPLER, 0, 0)), Frame("slider"))])


def slider_crank_state(angle: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Closed form: r sin a + l sin b = 0, x = r cos a + l cos b."""
    b = -np.arcsin(CRANK / COUPLER * np.sin(angle))
    rate = -CRANK * np.cos(angle) * speed / (COUPLER * np.cos(b))
    x = CRANK * np.cos(angle) + COUPLER * np.cos(b)
    u = -CRANK * np.sin(angle) * speed - COUPLER * np.sin(b) * rate
    return np.array([angle, b - angle, x]), np.array([speed, rate - speed, u])


# ------------------------------------------------------------------------------------------------------------ Bricard

SECTION = 0.1  # m, of the rods, which are square


def bricard() -> World:
    """Five rods along edges of a cube, six hinges, each across both of its rods: one freedom, and one row too much."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    b = ModelBuilder(gravity=(0, -9.81, 0))
    for k in range(5):
        along = corners[k + 1] - corners[k]
        across = (1.0 + SECTION**2) / 12.0
        inertia = across + (SECTION**2 / 6.0 - across) * np.abs(along)
        b.add_body(f"rod{k}", mass=1.0, center_of_mass=along / 2.0, inertia=inertia)
        place = corners[k] - corners[max(k - 1, 0)]
        b.add_joint(
            f"h{k}", "revolute", parent=f"rod{k - 1}" if k else "world", child=f"rod{k}", axis=axes[k], position=place
        )
    x_as_z = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    end = Frame("rod4", tuple(corners[5] - corners[4]), x_as_z)
    return World(b.build(), [Hinge("closing", Frame("world", (0, 0, 1), x_as_z), end)])


# ------------------------------------------------------------------------------- Andrews' squeezing mechanism: the test set

MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
D, DA, E, EA = 0.028, 0.0115, 0.02, 0.01421
RR, RA, SS, SA, SB, SC, SD = 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
STIFFNESS, LENGTH, MOMENT = 4530.0, 0.07785, 0.033
ANGLES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (
    -0.0617138900142764496, 0.0, 0.4552798191630703803, 0.2226683901658858847, 0.4873649795438425502, -0.2226683901658858847,
    1.2305474445498211925,
)  # fmt: skip
END = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
       0.5347301163226948, 1.048080741042263)  # fmt: skip


def andrews() -> World:
    """Seven bodies in a plane, three loops that meet in one point; angles as the test set has them."""
    b = ModelBuilder(gravity=(0, 0, 0))
    tree = {  # body: parent, place on it, centre of mass, angle
        1: ("world", (0, 0, 0), (RA, 0, 0), "beta"),
        2: ("K1", (RR, 0, 0), (-DA, 0, 0), "theta"),
        3: ("world", B, (SB, -SA, 0), "gamma"),
        5: ("world", A, (TA, TB, 0), "delta"),
        4: ("K5", (ZT, 0, 0), (0, EA - E, 0), "phi"),
        7: ("world", A, (UB, -UA, 0), "epsilon"),
        6: ("K7", (0, -U, 0), (ZF - FA, 0, 0), "omega"),
    }
    for k, (parent, place, center, angle) in tree.items():
        I = INERTIA[k - 1]
        b.add_body(f"K{k}", mass=MASS[k - 1], center_of_mass=center, inertia=(I, I, I))
        b.add_joint(angle, "revolute", parent=parent, child=f"K{k}", axis=Z, position=place)
    p = Frame("K2", (-D, 0, 0))
    ends = {"K3": (0, -SS, 0), "K4": (0, -E, 0), "K6": (ZF, 0, 0)}
    return World(b.build(), [Ball(f"to {name}", p, Frame(name, place)) for name, place in ends.items()])


def of_angles(world: World, values: object) -> np.ndarray:
    """Sort joint angles, given in the order of the test set, into the model's order."""
    out = np.zeros(world.model.nv)
    for name, x in zip(ANGLES, np.asarray(values), strict=True):
        out[world.model.v_slice(name)] = x
    return out


def squeezing_spring() -> PointSpring:
    """Make the spring between the lever and the ground."""
    return PointSpring(("K3", (SD, -SC, 0)), ("world", C), STIFFNESS, LENGTH)


# --------------------------------------------------------------------------------------------------- a driven four-bar


def driven_four_bar(crank, coupler, rocker, ground, turns, duration):
    """A four-bar whose crank turns as a spline says, and the angles and rates of its joints at a time."""
    b = ModelBuilder(gravity=(0, -9.81, 0))
    places = {"crank": ("world", (0, 0, 0)), "coupler": ("crank", (crank, 0, 0)), "rocker": ("world", (ground, 0, 0))}
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        parent, place = places[name]
        b.add_body(name, mass=length, center_of_mass=(length / 2, 0, 0), inertia=np.array(ROD) * length**3)
        b.add_joint(name, "revolute", parent=parent, child=name, axis=Z, position=place)
    model = b.build()
    speed = 2.0 * np.pi * turns / duration
    motion = Spline([0.0, duration / 2, duration], [0.0, 0.9 * speed * duration / 2, speed * duration], speed, speed)
    loop = Ball("loop", Frame("coupler", (coupler, 0, 0)), Frame("rocker", (rocker, 0, 0)))

    def angles(t):
        value, rate, _ = motion.at(t)
        a = value + 0.5
        x, y = ground - crank * np.cos(a), -crank * np.sin(a)  # from the crank's end to the rocker's pivot
        d, along = np.hypot(x, y), np.arctan2(y, x)
        c = along + np.arccos((coupler**2 + d**2 - rocker**2) / (2 * coupler * d))
        r = np.arctan2(coupler * np.sin(c) - y, coupler * np.cos(c) - x)
        E = np.array([[-coupler * np.sin(c), rocker * np.sin(r)], [coupler * np.cos(c), -rocker * np.cos(r)]])
        dc, dr = np.linalg.solve(E, crank * rate * np.array([np.sin(a), -np.cos(a)]))
        return np.array([a, c - a, r]), np.array([rate, dc - rate, dr])

    return World(model, [loop, PrescribedMotion("drive", "crank", raised(motion, 0.5))]), angles


def raised(motion, by):
    """Return the spline shifted upwards."""
    return Spline(motion.times, np.asarray(motion.values) + by, motion.start_speed, motion.end_speed)
