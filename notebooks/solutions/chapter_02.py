"""Motion and force: one answer for each exercise."""

import numpy as np

from pluecker.course import line_force, twist
from pluecker.spatial import skew


def reciprocal(D):
    """D^T E = 1"""
    return np.linalg.inv(D).T


def force_matrix(E, r):
    """X* = [E, -E r~; 0, E]: the moment about the new origin is n - r x f"""
    return np.block([[E, -E @ skew(r)], [np.zeros((3, 3)), E]])


def total_force(forces, points):
    """Force vectors on one body add up"""
    return line_force(forces, points).sum(axis=0)


def holding_torques(joint_1, joint_2, P, pull):
    """tau_i = s_i . (-f)"""
    s = np.array([twist([0, 0, 1], joint_1), twist([0, 0, 1], joint_2)])
    return -s @ line_force(pull, P)
