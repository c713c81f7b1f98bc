"""Every public function of ``pluecker.spatial``, and arguments that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

from pluecker import course, spatial
from pluecker.course import planar, two_body
from pluecker.spatial import shapes
from tests.spatial import matrices as mat

__all__ = ["ARGUMENTS", "FUNCTIONS", "OPTIONS", "arrays_of"]

# By definition, with NumPy and SciPy: this module is imported when tests are collected, and nothing should be compiled then.
rng = np.random.default_rng(11)
R = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
r = rng.normal(size=3)
X = np.block([[R, np.zeros((3, 3))], [-R @ mat.skew(r), R]])
COM, INERTIA = np.array([0.1, 0.2, -0.3]), np.diag([1.0, 2.0, 2.5])
H = 2.0 * mat.skew(COM)  # of 2 kg
I = np.block([[INERTIA + 2.0 * mat.skew(COM) @ mat.skew(COM).T, H], [H.T, 2.0 * np.eye(3)]])
SECOND_MOMENTS = 0.5 * np.trace(I[:3, :3]) * np.eye(3) - I[:3, :3]
PSEUDO_INERTIA = np.block([[SECOND_MOMENTS, 2.0 * COM[:, None]], [2.0 * COM, 2.0]])
T = np.eye(4)
T[:3, :3], T[:3, 3] = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
p, q = (turn / np.linalg.norm(turn) for turn in rng.normal(size=(2, 4)))
m, f, g, h = rng.normal(size=(4, 6))
a, b, c = rng.normal(size=(3, 3))
S = np.zeros((6, 2))  # of a cylindrical joint along z through (0.3, 0.1, 0)
S[:, 0], S[5, 1] = [0.0, 0.0, 1.0, 0.1, -0.3, 0.0], 1.0
W = null_space(S.T)
v = S @ [0.5, -0.2]

ARGUMENTS: dict[str, dict[str, Any]] = {
    "acceleration_of_point": {"v": f, "a": m, "point": a},
    "angular_velocity_matrix": {"p": p},
    "apparent_inverse_inertia_from_S": {"I": I, "S": S},
    "apparent_inverse_inertia_from_T": {"I": I, "T": W},
    "bias_acceleration_from_S": {"I": I, "S": S, "alpha": [0.5, -0.2], "S_rate": 0.1 * S},
    "bias_acceleration_from_T": {"I": I, "T": W, "v": v, "T_rate": 0.1 * W},
    "central_axis": {"f": f},
    "change_of_basis": {"old": R, "new": np.diag([1.0, 2.0, 3.0])},
    "check_consistent": {"I": I},
    "classical_acceleration": {"v": f, "a": m},
    "complement": {"S": S},
    "component_rate_of_force": {"derivative": m, "v_frame": f, "f": g},
    "component_rate_of_motion": {"derivative": m, "v_frame": f, "m": g},
    "compose": {"X2": X, "X1": X},
    "constrained_acceleration_from_S": {"I": I, "S": S, "f": f, "alpha": [0.5, -0.2], "S_rate": 0.1 * S},
    "constrained_acceleration_from_T": {"I": I, "T": W, "f": f, "v": v, "T_rate": 0.1 * W},
    "constraint_multipliers": {"I": I, "T": W, "f": f, "v": v, "T_rate": 0.1 * W},
    "coordinates_in": {"basis": S, "a": v},
    "couple": {"moment": a},
    "crf": {"v": m},
    "crm": {"v": m},
    "cross_force": {"v": m, "f": f},
    "cross_motion": {"v": m, "m": f},
    "density_inertia": {"cells": [[0.0, 0, 0], [1.0, 2, 3]]},
    "derivative_of_force": {"component_rate": m, "v_frame": f, "f": g},
    "derivative_of_motion": {"component_rate": m, "v_frame": f, "m": g},
    "dual": {"X": X},
    "euler_from_rotation": {"R": R},
    "euler_to_rotation": {"angles": a},
    "exp3": {"a": a},
    "exp6": {"d": m},
    "force_transform": {"E": R, "r": a},
    "from_pseudo_inertia": {"P": PSEUDO_INERTIA},
    "grid": {"x": [0.0, 1.0], "y": [0.0, 0.5], "z": 0.0},
    "inertia_parameters": {"I": I},
    "inertia_rate": {"I": I, "v": m},
    "inverse_inertia": {"I": I},
    "invert": {"X": X},
    "is_consistent": {"I": I},
    "joint_space": {"I": I, "S": S, "alpha": [0.5, -0.2], "S_rate": 0.1 * S},
    "body_kinetic_energy": {"I": I, "v": m},
    "left_jacobian3": {"a": a},
    "left_jacobian3_inverse": {"a": a},
    "left_jacobian6": {"d": m},
    "left_jacobian6_inverse": {"d": m},
    "line_force": {"force": a, "point": b},
    "log3": {"R": R},
    "log6": {"T": T},
    "magnitudes": {"v": m},
    "moment_at": {"f": f, "point": a},
    "body_momentum": {"I": I, "v": m},
    "motion_subspace": {"axis": a, "pitch": 0.3, "point": b},
    "net_force": {"I": I, "v": f, "a": m},
    "pitch": {"v": m},
    "placement": {"X": X},
    "plot_field": {"vector": m, "center": a, "size": 2.0},
    "pluecker_transform": {"E": R, "r": a},
    "point_masses": {"masses": [1.0, 2.0, 0.5], "positions": np.stack([a, b, c])},
    "position_rate_matrix": {"p": p},
    "principal_axes": {"I": I},
    "pseudo_inertia": {"I": I},
    "quaternion_conjugate": {"p": p},
    "quaternion_derivative": {"p": p, "w": a},
    "quaternion_exp": {"a": a},
    "quaternion_from_rotation": {"R": R},
    "quaternion_inverse": {"p": 3.0 * p},
    "quaternion_log": {"p": p},
    "quaternion_normalize": {"p": 3.0 * p},
    "quaternion_product": {"p": p, "q": q},
    "quaternion_rate_matrix": {"p": p},
    "quaternion_rotate": {"p": p, "x": a},
    "quaternion_to_rotation": {"p": p},
    "reciprocal_basis": {"D": np.diag([1.0, 2.0, 3.0]) @ R},
    "relative_inertia": {"I_A": I, "I_B": 2.0 * I},
    "right_jacobian3": {"a": a},
    "right_jacobian3_inverse": {"a": a},
    "right_jacobian6": {"d": m},
    "right_jacobian6_inverse": {"d": m},
    "scalar_product": {"m": m, "f": f},
    "screw_axis": {"v": m},
    "shift_inertia": {"mass": 2.0, "inertia": np.diag([1.0, 2.0, 2.5]), "offset": a},
    "skew": {"a": a},
    "spatial_acceleration": {"v": f, "classical": m},
    "spatial_inertia": {"mass": 2.0, "center_of_mass": a, "inertia": np.diag([1.0, 2.0, 2.5])},
    "subspaces_of_constraints": {"A": np.stack([m, f])},
    "to_scipy": {"value": p},
    "transform_force": {"X": X, "f": f},
    "transform_from_placement": {"T": T},
    "transform_inertia": {"X": X, "I": I},
    "transform_motion": {"X": X, "m": m},
    "transform_parameters": {"X": X},
    "twist": {"direction": a, "point": b, "angular": 2.0, "linear": 0.5},
    "unskew": {"A": mat.skew(a)},
    "velocity_at": {"v": m, "point": a},
    "wrench": {"direction": a, "point": b, "force": 2.0, "moment": 0.5},
    "wrench_magnitudes": {"f": f},
    "wrench_pitch": {"f": f},
    "box": {"mass": 2.0, "size": [1.0, 2.0, 3.0]},
    "capsule": {"mass": 2.0, "radius": 0.1, "length": 0.5},
    "cone": {"mass": 2.0, "radius": 0.1, "height": 0.5},
    "cylinder": {"mass": 2.0, "radius": 0.1, "length": 0.5},
    "ellipsoid": {"mass": 2.0, "semi_axes": [1.0, 2.0, 3.0]},
    "rod": {"mass": 2.0, "length": 0.5},
    "sphere": {"mass": 2.0, "radius": 0.1},
    "spherical_shell": {"mass": 2.0, "radius": 0.1},
    "tetrahedron": {"mass": 2.0, "vertices": [[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]]},
    "center_of_rotation": {"v": a},
    "planar_cross_force": {"v": a, "f": b},
    "planar_cross_motion": {"v": a, "m": b},
    "planar_force_transform": {"angle": 0.3, "r": a[:2]},
    "planar_line_force": {"force": a[:2], "point": b[:2]},
    "planar_line_of_action": {"f": a},
    "planar_moment_at": {"f": a, "point": b[:2]},
    "planar_scalar_product": {"m": a, "f": b},
    "planar_to_spatial": {"a": a},
    "planar_transform": {"angle": 0.3, "r": a[:2]},
    "planar_twist": {"center": a[:2], "rate": 2.0},
    "planar_velocity_at": {"v": a, "point": b[:2]},
    "spatial_to_planar": {"a": [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]},
    "two_body_3d": {"m1": 1.0, "I1": np.eye(3), "m2": 2.0, "I2": np.diag([1.0, 2.0, 2.5]), "r1": a, "r2": b, "s": c},
    "two_body_6d": {"I1": I, "I2": 2.0 * I, "s": m, "f": f},
    "MotionVector": {"values": m},
    "ForceVector": {"values": f},
    "PlueckerTransform": {"E": R, "r": a},
    "RigidBodyInertia": {"mass": 2.0, "center_of_mass": a, "inertia": np.diag([1.0, 2.0, 2.5])},
    "ArticulatedInertia": {"matrix": I},
    "InverseInertia": {"matrix": np.linalg.inv(I)},
}
OPTIONS: dict[str, dict[str, Any]] = {  # what is no array of numbers
    "density_inertia": {"density": lambda x: 1.0 + x[:, 0] ** 2},
    "euler_from_rotation": {"sequence": "ZYX"},
    "euler_to_rotation": {"sequence": "ZYX"},
    "motion_subspace": {"type": "helical"},
    "plot_field": {"kind": "velocity", "count": 3, "plane": "xy"},
    "quaternion_derivative": {"frame": "world"},
}
TYPES = [name for name in vars(spatial) if name in ARGUMENTS and isinstance(getattr(spatial, name), type)]
MODULES = (spatial, course, planar, shapes, two_body)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if callable(getattr(module, name)) and (name in TYPES or not isinstance(getattr(module, name), type))
}


def arrays_of(result: Any) -> list[np.ndarray]:
    """All arrays in a result."""
    if isinstance(result, tuple):
        return [array for part in result for array in arrays_of(part)]
    if hasattr(result, "_values"):
        return [result._values]
    return [np.asarray(result)] if isinstance(result, (np.ndarray, np.generic)) else []
