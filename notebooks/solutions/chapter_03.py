"""The spatial cross product and acceleration: one answer for each exercise."""

import numpy as np

from pluecker.course import line_force, twist
from pluecker.spatial import cross_force, cross_motion


def rate_of_thrust(v, P, p):
    """v x* f"""
    return cross_force(v, line_force(p, P))


def point_acceleration(v, a, P):
    """a_O + dw x OP + w x v_P"""
    w, dw = v[:3], a[:3]
    v_P = v[3:] + np.cross(w, P)
    return a[3:] + np.cross(dw, P) + np.cross(w, v_P)


def rolling_acceleration(radius, y, V, V_rate):
    """d/dt of [-V/r, 0, 0; 0, 0, y V/r]"""
    return np.array([-V_rate / radius, 0.0, 0.0, 0.0, 0.0, (V * V + y * V_rate) / radius])


def second_body_acceleration(elbow, qd, qdd):
    """a_2 = s_1 qdd_1 + s_2 qdd_2 + v_1 x s_2 qd_2"""
    s_1, s_2 = twist([0, 0, 1], [0, 0, 0]), twist([0, 0, 1], elbow)
    return s_1 * qdd[0] + s_2 * qdd[1] + cross_motion(s_1 * qd[0], s_2) * qd[1]
