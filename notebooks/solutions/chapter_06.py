"""Solutions of the exercises of notebook 6."""

import numpy as np


def cross_motion(v, m):
    """v x m"""
    w, u = v[:3], v[3:]
    return np.concatenate([np.cross(w, m[:3]), np.cross(w, m[3:]) + np.cross(u, m[:3])])


def accelerations(parent, s, qd, qdd):
    """a_i = a_parent + s_i qdd_i + v_i x s_i qd_i, from a_0 = -a_g"""
    v, a = [], []
    for i, p in enumerate(parent):
        v_parent = v[p] if p >= 0 else np.zeros(6)
        a_parent = a[p] if p >= 0 else np.array([0, 0, 0, 0, 0, 9.81])
        v.append(v_parent + s[i] * qd[i])
        a.append(a_parent + s[i] * qdd[i] + cross_motion(v[i], s[i] * qd[i]))
    return np.array(a)


def joint_torques(parent, s, f_B):
    """f_i = f_Bi + those of the children, from the last body to the first"""
    f = f_B.copy()
    for i in reversed(range(len(parent))):
        if parent[i] >= 0:
            f[parent[i]] += f[i]
    return np.array([s[i] @ f[i] for i in range(len(parent))])


def robot_energy(parent, s, I, qd):
    """The sum over the bodies"""
    v, total = [], 0.0
    for i, p in enumerate(parent):
        v.append((v[p] if p >= 0 else np.zeros(6)) + s[i] * qd[i])
        total += 0.5 * v[i] @ I[i] @ v[i]
    return total


def robot_momentum(parent, s, I, qd):
    """Outwards for velocities, inwards for momenta"""
    v = []
    for i, p in enumerate(parent):
        v.append((v[p] if p >= 0 else np.zeros(6)) + s[i] * qd[i])
    h = np.array([I[i] @ v[i] for i in range(len(parent))])
    for i in reversed(range(len(parent))):
        if parent[i] >= 0:
            h[parent[i]] += h[i]
    return h
