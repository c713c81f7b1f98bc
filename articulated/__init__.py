"""Articulated bodies in reduced coordinates.

=====================================  ================================================================================
what                                   where
=====================================  ================================================================================
the model of a mechanism               :class:`Model`, :class:`ModelBuilder`, :meth:`Model.from_urdf`
inverse dynamics                       :func:`rnea`, :func:`joint_forces`
forward dynamics                       :func:`aba`
inertia matrix, bias, gravity          :func:`crba`, :func:`bias_force`, :func:`gravity_force`
its inverse, and solutions with it     :func:`minv`, :func:`factorize`, which gives an :class:`InertiaFactor`
products with one factor of it         :meth:`InertiaFactor.product`
inertia of frames, or of points        :func:`operational_inertia`
the matrix without its zeros           :func:`crba_packed`, :func:`inertia_pattern`
its blocks, a tree each                :attr:`Model.trees`, of :class:`Tree`
the Jacobian of all bodies             :func:`body_jacobian`, :func:`body_jacobian_dot`; sparse:
                                       :func:`sparse_body_jacobian`, :func:`sparse_body_jacobian_dot`
products with it, without a matrix     :func:`body_velocities`, :func:`body_jacobian_transpose_times`,
                                       :func:`body_jacobian_dot_times`
the equations of motion, assembled     :func:`redmax_dynamics`; the joints' own part :func:`passive_force`
springs, cables, wrenches on bodies    :class:`PointSpring`, :class:`TorsionSpring`, :class:`Cable`, :class:`PointWrench`
their forces, and derivatives of them  :func:`applied_forces`, :func:`applied_stiffness`
energies                               :func:`kinetic_energy`, :func:`potential_energy`
kinematics                             :func:`forward_kinematics`, :func:`body_velocities`, :func:`body_accelerations`
one frame, or a point of it            :func:`frame_placement`, :func:`frame_velocity`, :func:`frame_acceleration`,
                                       :func:`jacobian`, :func:`jacobian_dot`
one frame as seen from another         :func:`relative_jacobian`, :func:`relative_jacobian_dot`
centre of mass                         :func:`center_of_mass`, :func:`center_of_mass_velocity`,
                                       :func:`center_of_mass_acceleration`, :func:`center_of_mass_jacobian`
momentum                               :func:`momentum`, :func:`momentum_rate`, :func:`centroidal_momentum_matrix`,
                                       :func:`centroidal_momentum_matrix_dot`
Coriolis forces as a matrix            :func:`coriolis_matrix`, :func:`inertia_matrix_rate`
one joint                              :func:`joint_transform`
any mechanism                          :func:`random_tree`; :mod:`pluecker.articulated.strategies` for property tests
configurations                         :func:`integrate`, :func:`carry_velocity`, :func:`difference`, :func:`neutral`,
                                       :func:`random_configuration`
derivatives                            :func:`rnea_derivatives`, :func:`aba_derivatives`, :func:`derivative_of`,
                                       :func:`second_derivative_of`
a motion                               :func:`simulate`, which gives a :class:`Trajectory`; motions of a batch that came to
                                       no end are each a :class:`MotionFailure`
what moves it                          :class:`PDControl`, :class:`TimeTable`, :class:`CompiledControl`; :class:`Control`
                                       samples, limits, and drives an :class:`Actuator`; :class:`JointLimits`
how exact it is                        :func:`convergence`, which gives a :class:`Convergence`
pictures of it                         :func:`plot_mechanism`, :func:`animate`, with :class:`Points`, :class:`Arrows`,
                                       :class:`Cones`, :class:`Lines` on them
in the browser, or as one HTML file    :func:`view`, which gives a :class:`Viewer`
curves of a motion                     :func:`plot_trajectory`, :func:`plot_energy`
other people's orders                  :mod:`pluecker.articulated.conventions`
=====================================  ================================================================================

Conventions: 6D vectors have the angular part first; quaternions are ``[w, x, y, z]``, body to world; a free joint has
``q = [x y z, w x y z]`` and ``v`` = spatial velocity in body coordinates; SI units and radians.

Functions that take a model take a :class:`~pluecker.contact.World` too, and answer as for its model: kinematics, energies,
momenta, the inertia matrix. Where constraints change the answer, as that of :func:`aba`, they refuse worlds that have some.

Leading axes are batches. A batch runs eight states at a time, one in each lane of a SIMD register, and on ``threads``
threads (all cores by default), without the interpreter's lock. Within batches the result for a state depends neither on the
other states nor on its place nor on the number of threads, to the last bit. One state alone goes through code compiled
separately, which fuses other products and sums: it agrees with a batch to rounding.
"""

from pluecker.articulated.algorithms.configuration.integrate import carry_velocity, difference, integrate
from pluecker.articulated.algorithms.configuration.joint_transform import joint_transform
from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.configuration.random_configuration import random_configuration
from pluecker.articulated.algorithms.configuration.random_tree import random_tree
from pluecker.articulated.algorithms.derivatives.aba_derivatives import aba_derivatives
from pluecker.articulated.algorithms.derivatives.derivative_of import derivative_of, second_derivative_of
from pluecker.articulated.algorithms.derivatives.rnea_derivatives import rnea_derivatives
from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.algorithms.dynamics.bias_force import bias_force
from pluecker.articulated.algorithms.dynamics.gravity_force import gravity_force
from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.passive_force import passive_force
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.algorithms.dynamics.rnea import joint_forces, rnea
from pluecker.articulated.algorithms.frames.forward_kinematics import (
    body_accelerations,
    body_velocities,
    forward_kinematics,
)
from pluecker.articulated.algorithms.frames.frames import frame_acceleration, frame_placement, frame_velocity
from pluecker.articulated.algorithms.frames.jacobian import jacobian, jacobian_dot
from pluecker.articulated.algorithms.frames.relative_jacobian import relative_jacobian, relative_jacobian_dot
from pluecker.articulated.algorithms.inertia.coriolis_matrix import coriolis_matrix, inertia_matrix_rate
from pluecker.articulated.algorithms.inertia.crba import crba, crba_packed, inertia_pattern
from pluecker.articulated.algorithms.inertia.inertia_factor import InertiaFactor, factorize
from pluecker.articulated.algorithms.inertia.minv import minv
from pluecker.articulated.algorithms.inertia.operational_inertia import operational_inertia
from pluecker.articulated.algorithms.momentum.center_of_mass import (
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
)
from pluecker.articulated.algorithms.momentum.centroidal import (
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
)
from pluecker.articulated.algorithms.momentum.momentum import momentum, momentum_rate
from pluecker.articulated.algorithms.redmax.body_jacobian import (
    body_jacobian,
    body_jacobian_dot,
    sparse_body_jacobian,
    sparse_body_jacobian_dot,
)
from pluecker.articulated.algorithms.redmax.body_jacobian_products import (
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
)
from pluecker.articulated.algorithms.redmax.redmax_dynamics import redmax_dynamics
from pluecker.articulated.errors import (
    LimitWarning,
    ModelError,
    OutputError,
    SimulationError,
    SimulationWarning,
    SingularInertiaError,
)
from pluecker.articulated.forces.applied_forces import AppliedForces, applied_forces
from pluecker.articulated.forces.applied_stiffness import AppliedStiffness, applied_stiffness
from pluecker.articulated.forces.elements import Cable, PointSpring, PointWrench, TorsionSpring
from pluecker.articulated.model.model import Joint, Model, ModelBuilder
from pluecker.articulated.model.trees import Tree
from pluecker.articulated.pictures.animation import Animation, animate
from pluecker.articulated.pictures.curves import plot_energy, plot_trajectory
from pluecker.articulated.pictures.mechanism import plot_mechanism
from pluecker.articulated.pictures.overlays import Arrows, Cones, Lines, Points
from pluecker.articulated.pictures.viewer import Viewer, view
from pluecker.articulated.simulation.accuracy import Convergence, convergence
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.stepping.control.control import (
    Actuator,
    CompiledControl,
    Control,
    JointLimits,
    PDControl,
    TimeTable,
)
from pluecker.articulated.trajectory.trajectory import MotionFailure, Trajectory, TrajectoryError

__all__ = [
    "Actuator",
    "Animation",
    "AppliedForces",
    "AppliedStiffness",
    "Arrows",
    "Cable",
    "CompiledControl",
    "Cones",
    "Control",
    "Convergence",
    "InertiaFactor",
    "Joint",
    "JointLimits",
    "LimitWarning",
    "Lines",
    "Model",
    "ModelBuilder",
    "ModelError",
    "MotionFailure",
    "OutputError",
    "PDControl",
    "PointSpring",
    "PointWrench",
    "Points",
    "SimulationError",
    "SimulationWarning",
    "SingularInertiaError",
    "TimeTable",
    "TorsionSpring",
    "Trajectory",
    "TrajectoryError",
    "Tree",
    "Viewer",
    "aba",
    "aba_derivatives",
    "animate",
    "applied_forces",
    "applied_stiffness",
    "bias_force",
    "body_accelerations",
    "body_jacobian",
    "body_jacobian_dot",
    "body_jacobian_dot_times",
    "body_jacobian_transpose_times",
    "body_velocities",
    "carry_velocity",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_dot",
    "convergence",
    "coriolis_matrix",
    "crba",
    "crba_packed",
    "derivative_of",
    "difference",
    "factorize",
    "forward_kinematics",
    "frame_acceleration",
    "frame_placement",
    "frame_velocity",
    "gravity_force",
    "inertia_matrix_rate",
    "inertia_pattern",
    "integrate",
    "jacobian",
    "jacobian_dot",
    "joint_forces",
    "joint_transform",
    "kinetic_energy",
    "minv",
    "momentum",
    "momentum_rate",
    "neutral",
    "operational_inertia",
    "passive_force",
    "plot_energy",
    "plot_mechanism",
    "plot_trajectory",
    "potential_energy",
    "random_configuration",
    "random_tree",
    "redmax_dynamics",
    "relative_jacobian",
    "relative_jacobian_dot",
    "rnea",
    "rnea_derivatives",
    "second_derivative_of",
    "simulate",
    "sparse_body_jacobian",
    "sparse_body_jacobian_dot",
    "view",
]
