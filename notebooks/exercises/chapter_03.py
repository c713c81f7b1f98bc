"""The spatial cross product and acceleration: what the notebook's exercises ask, and what people answer instead."""

import numpy as np

from pluecker.teaching import Exercise


def join(a, b):
    return np.concatenate([a, b])


# ------------------------------------------------------------------------------------------------------- 3.1


def some_thruster(rng):
    return rng.normal(size=6), rng.normal(size=3), rng.normal(size=3)


def thrust_rate(v, P, p):
    w, v_O, n = v[:3], v[3:], np.cross(P, p)
    return join(np.cross(w, n) + np.cross(v_O, p), np.cross(w, p))


def as_motion(v, P, p):
    w, v_O, n = v[:3], v[3:], np.cross(P, p)
    return join(np.cross(w, n), np.cross(w, p) + np.cross(v_O, n))


rate_of_thrust = Exercise(
    name="3.1 a force that rides on a body",
    inputs=some_thruster,
    expected=thrust_rate,
    mistakes=(
        (as_motion, "This is the product with a motion vector, v x; a force vector takes v x*."),
        (
            lambda v, P, p: join(np.cross(v[:3], np.cross(P, p)), np.cross(v[:3], p)),
            "Only turned: the body also carries the line of the force along, which adds v_O x p to the moment.",
        ),
        (
            lambda v, P, p: join(np.cross(v[3:], p), np.cross(v[:3], p)),
            "The moment OP x p turns with the body as well, which adds omega x (OP x p).",
        ),
        (
            lambda v, P, p: join(np.cross(v[3:] + np.cross(v[:3], P), p), np.cross(v[:3], p)),
            "The point moves, but the force turns as well: d(OP x p)/dt has two parts.",
        ),
        (
            lambda v, P, p: join(np.cross(v[3:] + np.cross(v[:3], P), p), np.zeros(3)),
            "The point moves, but the force turns as well, at the rate omega x p.",
        ),
        (
            lambda v, P, p: join(np.cross(P, np.cross(v[:3], p)), np.cross(v[:3], p)),
            "The force turns, but the point moves as well: d(OP x p)/dt has two parts.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 3.2


def some_point(rng):
    return rng.normal(size=6), rng.normal(size=6), rng.normal(size=3)


def classical(v, a, P):
    v_P = v[3:] + np.cross(v[:3], P)
    return a[3:] + np.cross(a[:3], P) + np.cross(v[:3], v_P)


point_acceleration = Exercise(
    name="3.2 the acceleration of a point",
    inputs=some_point,
    expected=classical,
    mistakes=(
        (
            lambda v, a, P: a[3:] + np.cross(a[:3], P),
            "This is the field of the spatial acceleration at P, which is short of omega x v_P.",
        ),
        (
            lambda v, a, P: a[3:] + np.cross(a[:3], P) + np.cross(v[:3], np.cross(v[:3], P)),
            "This takes a_O for the classical acceleration of the point at O: omega x v_O is missing.",
        ),
        (
            lambda v, a, P: a[3:] + np.cross(a[:3], P) + np.cross(v[:3], v[3:]),
            "The cross product is with the velocity of the point at P, not of that at O.",
        ),
        (
            lambda v, a, P: a[3:] + np.cross(a[:3], P) - np.cross(v[:3], v[3:] + np.cross(v[:3], P)),
            "Spatial acceleration is classical acceleration less omega x v_P: on the way back it is added.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 3.3


def some_cylinder(rng):
    return tuple(float(x) for x in rng.uniform([0.2, -1.0, 0.5, -2.0], [1.0, 1.0, 3.0, 2.0]))


rolling_acceleration = Exercise(
    name="3.3 a cylinder that rolls faster and faster",
    inputs=some_cylinder,
    expected=lambda radius, y, V, V_rate: np.array([-V_rate / radius, 0, 0, 0, 0, (V**2 + y * V_rate) / radius]),
    mistakes=(
        (
            lambda radius, y, V, V_rate: np.array([-V_rate / radius, 0, 0, 0, V_rate, 0]),
            "The linear part is the acceleration of the axis. It has to say how the velocity at O changes.",
        ),
        (
            lambda radius, y, V, V_rate: np.array([-V_rate / radius, 0, 0, 0, 0, V**2 / radius]),
            "v_O = y V / r upwards: both y and V change.",
        ),
        (
            lambda radius, y, V, V_rate: np.array([-V_rate / radius, 0, 0, 0, 0, y * V_rate / radius]),
            "v_O = y V / r upwards: both y and V change.",
        ),
        (
            lambda radius, y, V, V_rate: np.array([V_rate / radius, 0, 0, 0, 0, (V**2 + y * V_rate) / radius]),
            "A cylinder that rolls along y turns about -x: check the sign of the angular part.",
        ),
        (
            lambda radius, y, V, V_rate: np.array([0, 0, 0, 0, 0, (V**2 + y * V_rate) / radius]),
            "The angular velocity -V/r changes too.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 3.4


def some_robot(rng):
    return np.append(rng.normal(size=2), 0.0), rng.normal(size=2), rng.normal(size=2)


def robot_acceleration(elbow, qd, qdd, coriolis=1.0):
    s_2 = np.array([0, 0, 1, elbow[1], -elbow[0], 0])
    s_2_rate = np.array([0, 0, 0, elbow[0], elbow[1], 0]) * qd[0]  # the elbow moves with [-y, x] qd_1
    return np.array([0, 0, qdd[0], 0, 0, 0]) + s_2 * qdd[1] + coriolis * s_2_rate * qd[1]


second_body_acceleration = Exercise(
    name="3.4 the acceleration of a robot's second body",
    inputs=some_robot,
    expected=lambda elbow, qd, qdd: robot_acceleration(elbow, qd, qdd),
    mistakes=(
        (
            lambda elbow, qd, qdd: robot_acceleration(elbow, qd, qdd, 0.0),
            "The second axis rides on body 1: its rate v_1 x s_2 is missing.",
        ),
        (
            lambda elbow, qd, qdd: robot_acceleration(elbow, qd, qdd, -1.0),
            "The rate of the second axis is v_1 x s_2, in this order.",
        ),
        (
            lambda elbow, qd, qdd: robot_acceleration(elbow, qd, qdd, 2.0),
            "The term v_1 x s_2 qd_2 comes once: spatial acceleration has no Coriolis term with a factor of two.",
        ),
        (
            lambda elbow, qd, qdd: robot_acceleration(-elbow, qd, qdd),
            "The linear part of a rotation about a line through Q is OQ x omega, and not omega x OQ.",
        ),
    ),
)
