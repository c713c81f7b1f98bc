"""The 6D (Pluecker) algebra of rigid-body motion, as kernels on tuples of any scalar.

====================================  =================================================================================
file                                  what is in it (sections of Featherstone's course, seed document 001)
====================================  =================================================================================
:mod:`~pluecker.spatial.vectors`      3D vectors; motion and force vectors, scalar product, cross products (6, 26, 37)
:mod:`~pluecker.spatial.transforms`   coordinate transforms of motion and force, composition, inverse (35)
:mod:`~pluecker.spatial.inertia`      rigid-body inertia (45, 46), articulated-body inertia (RBDA section 7.1)
:mod:`~pluecker.spatial.rotations`    rotations from axis and angle, from quaternions (18)
:mod:`~pluecker.spatial.motions`      finite motions: exponential, logarithm and its derivative
:mod:`~pluecker.spatial.scalars`      what a kernel may ask of a scalar
:mod:`~pluecker.spatial.lanes`        the scalar that is eight numbers in one vector
:mod:`~pluecker.spatial.sincos`       sine and cosine, of numbers and of lanes
:mod:`~pluecker.spatial.arrays`       scalar arrays in memory
:mod:`~pluecker.spatial.blocks`       from the states of a batch to lanes and back
:mod:`~pluecker.spatial.compile`      the decorator that makes a kernel, and its cache
====================================  =================================================================================

Angular parts come first. ``X = (E, r)`` leads from parent to child coordinates; forces transform with ``X* = X^-T``.
"""

# What compiled code knows of scalars has to be known before anything is compiled.
from pluecker.spatial import arctangent, arrays, lanes, sincos  # noqa: F401
from pluecker.spatial.coordinates import (
    change_of_basis,
    compose,
    dual,
    force_transform,
    invert,
    placement,
    pluecker_transform,
    reciprocal_basis,
    transform_force,
    transform_from_placement,
    transform_inertia,
    transform_motion,
    transform_parameters,
)
from pluecker.spatial.cross import (
    crf,
    crm,
    cross_force,
    cross_motion,
    scalar_product,
    skew,
    unskew,
)
from pluecker.spatial.euler import (
    euler_from_rotation,
    euler_to_rotation,
)
from pluecker.spatial.lie import (
    exp3,
    exp6,
    left_jacobian3,
    left_jacobian3_inverse,
    left_jacobian6,
    left_jacobian6_inverse,
    log3,
    log6,
    right_jacobian3,
    right_jacobian3_inverse,
    right_jacobian6,
    right_jacobian6_inverse,
)
from pluecker.spatial.quaternions import (
    angular_velocity_matrix,
    from_scipy,
    position_rate_matrix,
    quaternion_conjugate,
    quaternion_derivative,
    quaternion_exp,
    quaternion_from_rotation,
    quaternion_log,
    quaternion_normalize,
    quaternion_product,
    quaternion_rate_matrix,
    quaternion_to_rotation,
    to_scipy,
)
from pluecker.spatial.rigid import (
    inertia_parameters,
    inertia_rate,
    inverse_inertia,
    kinetic_energy,
    momentum,
    net_force,
    relative_inertia,
    shift_inertia,
    spatial_inertia,
)

__all__ = [
    "angular_velocity_matrix",
    "change_of_basis",
    "compose",
    "crf",
    "crm",
    "cross_force",
    "cross_motion",
    "dual",
    "euler_from_rotation",
    "euler_to_rotation",
    "exp3",
    "exp6",
    "force_transform",
    "from_scipy",
    "inertia_parameters",
    "inertia_rate",
    "inverse_inertia",
    "invert",
    "kinetic_energy",
    "left_jacobian3",
    "left_jacobian3_inverse",
    "left_jacobian6",
    "left_jacobian6_inverse",
    "log3",
    "log6",
    "momentum",
    "net_force",
    "placement",
    "pluecker_transform",
    "position_rate_matrix",
    "quaternion_conjugate",
    "quaternion_derivative",
    "quaternion_exp",
    "quaternion_from_rotation",
    "quaternion_log",
    "quaternion_normalize",
    "quaternion_product",
    "quaternion_rate_matrix",
    "quaternion_to_rotation",
    "reciprocal_basis",
    "relative_inertia",
    "right_jacobian3",
    "right_jacobian3_inverse",
    "right_jacobian6",
    "right_jacobian6_inverse",
    "scalar_product",
    "shift_inertia",
    "skew",
    "spatial_inertia",
    "to_scipy",
    "transform_force",
    "transform_from_placement",
    "transform_inertia",
    "transform_motion",
    "transform_parameters",
    "unskew",
]
