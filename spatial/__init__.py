"""The 6D (Pluecker) algebra of rigid-body motion: functions of arrays, typed vectors, and the kernels behind both.

- *Arrays*: every function below takes NumPy arrays whose leading axes broadcast, and gives new ones.
- *Typed vectors* (:mod:`~pluecker.spatial.typed`): :class:`MotionVector`, :class:`ForceVector`, :class:`PlueckerTransform`,
  :class:`RigidBodyInertia`, :class:`ArticulatedInertia` do the same in operators, and refuse what has no meaning.
- *Kernels*: the formulas themselves, on tuples of any scalar, which the robots of :mod:`pluecker.articulated` run on too.
- *Testing* (:mod:`~pluecker.spatial.strategies`, extra ``testing``): Hypothesis strategies for all of these.

Angular parts come first. ``X = (E, r)`` leads from parent to child coordinates; forces transform with ``X* = X^-T``.

Where each section of Featherstone's course is ("A short introduction to spatial (6D) vectors", source document 001 in
docs/sources.md). Docstrings cite it as *course*, and as *RBDA* the book R. Featherstone, *Rigid Body Dynamics Algorithms*
(Springer, 2008), which has the same formulas:

========  =======================================================  ====================================================
section   formula                                                  function
========  =======================================================  ====================================================
6         ``a x``                                                  :func:`skew`, :func:`unskew`
7         ``a = sum_j x_j d_j``                                    :func:`coordinates_in`
7, 30     ``d_i . e_j = 1 if i = j else 0``                        :func:`reciprocal_basis`
9 to 11   ``V(P) = v_O + w x OP``                                  :func:`~pluecker.course.velocity_at`,
                                                                   :func:`~pluecker.course.grid`,
                                                                   :func:`~pluecker.course.plot_field`
12, 13    planar vectors ``[w, vx, vy]``, ``[n, fx, fy]``          :mod:`~pluecker.course.planar`
14, 20    screw: two magnitudes, a line, a pitch                   :func:`~pluecker.course.twist`,
                                                                   :func:`~pluecker.course.screw_axis`,
                                                                   :func:`~pluecker.course.pitch`
18, 19    velocity of a body from any of its points                :func:`~pluecker.course.twist`,
                                                                   :func:`~pluecker.course.velocity_at`
21, 22    ``N(P) = n_O + f x OP``; line force, couple, torque      :func:`~pluecker.course.moment_at`,
                                                                   :func:`~pluecker.course.line_force`,
                                                                   :func:`~pluecker.course.couple`
23        wrench, central axis                                     :func:`~pluecker.course.wrench`,
                                                                   :func:`~pluecker.course.central_axis`
24 to 26  ``m . f``; M6 and F6 are dual                            :func:`scalar_product`, :class:`MotionVector`
28        columns of X: old basis in new coordinates               :func:`change_of_basis`
31        ``X* = X^-T``                                            :func:`dual`
33 to 35  ``X = [E, 0; -E r~, E]``, ``X*``, ``X^-1``, ``X2 X1``    :func:`pluecker_transform`, :func:`force_transform`,
                                                                   :func:`invert`, :func:`compose`
35        ``X m``, ``X* f``                                        :func:`transform_motion`, :func:`transform_force`
37        ``v x``, ``v x*``                                        :func:`crm`, :func:`crf`, :func:`cross_motion`,
                                                                   :func:`cross_force`
38, 39    rates of change in moving coordinates                    :func:`derivative_of_motion`,
                                                                   :func:`derivative_of_force`
40 to 42  spatial and classical acceleration                       :func:`spatial_acceleration`,
                                                                   :func:`classical_acceleration`
44        ``h = I v``                                              :func:`body_momentum`
45        ``[I_C - m c~ c~, m c~; m c~^T, m 1]``                   :func:`spatial_inertia`, :func:`inertia_parameters`
45        shapes, meshes, parallel and principal axes              :mod:`~pluecker.spatial.functions.shapes`,
                                                                   :func:`shift_inertia`, :func:`principal_axes`
45        particles, bodies of varying density                     :func:`point_masses`, :func:`density_inertia`
46        ``1/2 v . I v``, ``v x* I - I v x``, ``X* I X^-1``       :func:`body_kinetic_energy`, :func:`inertia_rate`,
                                                                   :func:`transform_inertia`
46        what an inertia must satisfy                             :func:`check_consistent`, :func:`pseudo_inertia`
47        ``f = I a + v x* I v``                                   :func:`net_force`
48        ``I^-1``, ``(I_A^-1 + I_B^-1)^-1``                       :func:`inverse_inertia`, :func:`relative_inertia`
49 to 53  S, T, ``Phi``, ``b``, ``lambda``, ``H``, ``C``           :mod:`~pluecker.course.subspaces`,
                                                                   :mod:`~pluecker.course.constrained`
54, 55    the recursive Newton-Euler algorithm                     :func:`pluecker.articulated.rnea`
55.8      X and S of a joint                                       :func:`pluecker.articulated.joint_transform`
56        energy of a robot                                        :func:`pluecker.articulated.kinetic_energy`
57, 58    two bodies and a joint: A1 to A32, B1 to B7              :mod:`~pluecker.course.two_body`
--        exponential, logarithm, Jacobians                        :mod:`~pluecker.spatial.functions.lie`
--        quaternions, the matrices Q, G, L; SciPy                 :mod:`~pluecker.spatial.functions.quaternions`,
                                                                   :mod:`~pluecker.spatial.functions.scipy_rotations`
--        Euler angles                                             :mod:`~pluecker.spatial.functions.euler`
========  =======================================================  ====================================================

All errors are a :class:`PlueckerError`, and each is also the exception of Python that one expects:

=============================  =============  =============================================================================
error                          is a           where
=============================  =============  =============================================================================
:class:`ArgumentTypeError`     `TypeError`    what came is no array of real numbers, or of another type than is needed
:class:`ArgumentValueError`    `ValueError`   a shape, a number, an option that cannot be; a result beyond float64
:class:`UnknownNameError`      `KeyError`     a name that is looked up and not there
:class:`MissingExtraError`     `ImportError`  an optional package is not installed
=============================  =============  =============================================================================

Indices and attributes of typed vectors raise what Python's protocols ask for, an `IndexError` and an `AttributeError` that
are a :class:`PlueckerError` too. Messages begin with the name of the function that was called.

The rooms of the package, each on those below it:

=====================  ==================================================================================================
``typed``              vectors, transforms and inertias that know what they are
``functions``          from kernels to functions of arrays (:mod:`~pluecker.spatial.functions.elementwise`), by topic
``algebra``            the formulas as kernels: vectors, transforms, inertias, rotations, motions, blocks of matrices
``dense``              small dense matrices, on scalars: factors, and rows on staircases
``engine``             what runs them: ``parallel``, ``memory``, ``scalars``, ``compiled``
=====================  ==================================================================================================
"""

# What compiled code knows of scalars has to be known before anything is compiled.
import pluecker.spatial.engine.memory.joined  # noqa: F401
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, UnknownNameError
from pluecker.spatial.extras import MissingExtraError
from pluecker.spatial.functions import shapes
from pluecker.spatial.functions.bases import change_of_basis, coordinates_in, reciprocal_basis
from pluecker.spatial.functions.consistency import (
    PrincipalAxes,
    check_consistent,
    from_pseudo_inertia,
    is_consistent,
    principal_axes,
    pseudo_inertia,
)
from pluecker.spatial.functions.coordinates import (
    compose,
    dual,
    force_transform,
    invert,
    placement,
    pluecker_transform,
    transform_force,
    transform_from_placement,
    transform_inertia,
    transform_motion,
    transform_parameters,
)
from pluecker.spatial.functions.euler import (
    euler_from_rotation,
    euler_to_rotation,
)
from pluecker.spatial.functions.lie import (
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
from pluecker.spatial.functions.point_masses import DensityInertia, density_inertia, point_masses
from pluecker.spatial.functions.products import (
    crf,
    crm,
    cross_force,
    cross_motion,
    scalar_product,
    skew,
    unskew,
)
from pluecker.spatial.functions.quaternions import (
    angular_velocity_matrix,
    position_rate_matrix,
    quaternion_conjugate,
    quaternion_derivative,
    quaternion_exp,
    quaternion_from_rotation,
    quaternion_inverse,
    quaternion_log,
    quaternion_normalize,
    quaternion_product,
    quaternion_rate_matrix,
    quaternion_rotate,
    quaternion_to_rotation,
)
from pluecker.spatial.functions.rates import (
    acceleration_of_point,
    classical_acceleration,
    component_rate_of_force,
    component_rate_of_motion,
    derivative_of_force,
    derivative_of_motion,
    spatial_acceleration,
)
from pluecker.spatial.functions.rigid_body import (
    body_kinetic_energy,
    body_momentum,
    inertia_parameters,
    inertia_rate,
    inverse_inertia,
    net_force,
    relative_inertia,
    shift_inertia,
    spatial_inertia,
)
from pluecker.spatial.functions.scipy_rotations import from_scipy, to_scipy
from pluecker.spatial.typed import (
    ArticulatedInertia,
    ForceVector,
    InverseInertia,
    MotionVector,
    PlueckerTransform,
    RigidBodyInertia,
)

__all__ = [
    "ArgumentTypeError",
    "ArgumentValueError",
    "ArticulatedInertia",
    "DensityInertia",
    "ForceVector",
    "InverseInertia",
    "MissingExtraError",
    "MotionVector",
    "PlueckerError",
    "PlueckerTransform",
    "PrincipalAxes",
    "RigidBodyInertia",
    "UnknownNameError",
    "acceleration_of_point",
    "angular_velocity_matrix",
    "body_kinetic_energy",
    "body_momentum",
    "change_of_basis",
    "check_consistent",
    "classical_acceleration",
    "component_rate_of_force",
    "component_rate_of_motion",
    "compose",
    "coordinates_in",
    "crf",
    "crm",
    "cross_force",
    "cross_motion",
    "density_inertia",
    "derivative_of_force",
    "derivative_of_motion",
    "dual",
    "euler_from_rotation",
    "euler_to_rotation",
    "exp3",
    "exp6",
    "force_transform",
    "from_pseudo_inertia",
    "from_scipy",
    "inertia_parameters",
    "inertia_rate",
    "inverse_inertia",
    "invert",
    "is_consistent",
    "left_jacobian3",
    "left_jacobian3_inverse",
    "left_jacobian6",
    "left_jacobian6_inverse",
    "log3",
    "log6",
    "net_force",
    "placement",
    "pluecker_transform",
    "point_masses",
    "position_rate_matrix",
    "principal_axes",
    "pseudo_inertia",
    "quaternion_conjugate",
    "quaternion_derivative",
    "quaternion_exp",
    "quaternion_from_rotation",
    "quaternion_inverse",
    "quaternion_log",
    "quaternion_normalize",
    "quaternion_product",
    "quaternion_rate_matrix",
    "quaternion_rotate",
    "quaternion_to_rotation",
    "reciprocal_basis",
    "relative_inertia",
    "right_jacobian3",
    "right_jacobian3_inverse",
    "right_jacobian6",
    "right_jacobian6_inverse",
    "scalar_product",
    "shapes",
    "shift_inertia",
    "skew",
    "spatial_acceleration",
    "spatial_inertia",
    "to_scipy",
    "transform_force",
    "transform_from_placement",
    "transform_inertia",
    "transform_motion",
    "transform_parameters",
    "unskew",
]
