"""Articulated bodies in reduced coordinates.

=====================================  ================================================================================
what                                   where
=====================================  ================================================================================
the model of a mechanism               :class:`Model`, :class:`ModelBuilder`, :meth:`Model.from_urdf`
inverse dynamics                       :func:`rnea`, :func:`joint_forces`
forward dynamics                       :func:`aba`
inertia matrix, bias, gravity          :func:`crba`, :func:`bias_force`, :func:`gravity_force`
energies                               :func:`kinetic_energy`, :func:`potential_energy`
kinematics                             :func:`forward_kinematics`, :func:`body_velocities`, :func:`body_accelerations`
one joint                              :func:`joint_transform`
configurations                         :func:`integrate`, :func:`carry_velocity`, :func:`difference`, :func:`neutral`,
                                       :func:`random_configuration`
a motion under joint forces            :func:`simulate`, which gives a :class:`Trajectory`
compiling ahead                        :func:`warmup`
other people's orders                  :mod:`pluecker.articulated.conventions`
=====================================  ================================================================================

Conventions: 6D vectors have the angular part first; quaternions are ``[w, x, y, z]``, body to world; a free joint has
``q = [x y z, w x y z]`` and ``v`` = spatial velocity in body coordinates; SI units and radians.

Leading axes are batches. A batch runs eight states at a time, one in each lane of a SIMD register, and on ``threads``
threads (all cores by default), without the interpreter's lock. Within batches the result for a state depends neither on the
other states nor on its place nor on the number of threads, to the last bit. One state alone goes through code compiled
separately, which fuses other products and sums: it agrees with a batch to rounding.
"""

from pluecker.articulated.algorithms.aba import aba
from pluecker.articulated.algorithms.bias_force import bias_force
from pluecker.articulated.algorithms.carry_velocity import carry_velocity
from pluecker.articulated.algorithms.crba import crba
from pluecker.articulated.algorithms.difference import difference
from pluecker.articulated.algorithms.forward_kinematics import body_accelerations, body_velocities, forward_kinematics
from pluecker.articulated.algorithms.gravity_force import gravity_force
from pluecker.articulated.algorithms.integrate import integrate
from pluecker.articulated.algorithms.joint_transform import joint_transform
from pluecker.articulated.algorithms.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.neutral import neutral
from pluecker.articulated.algorithms.potential_energy import potential_energy
from pluecker.articulated.algorithms.random_configuration import random_configuration
from pluecker.articulated.algorithms.rnea import joint_forces, rnea
from pluecker.articulated.errors import MissingExtraError, ModelError, SimulationError, SingularInertiaError
from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.model.model import Joint, Model
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.simulation.trajectory import Trajectory, TrajectoryError
from pluecker.articulated.warmup import warmup

__all__ = [
    "Joint",
    "MissingExtraError",
    "Model",
    "ModelBuilder",
    "ModelError",
    "SimulationError",
    "SingularInertiaError",
    "Trajectory",
    "TrajectoryError",
    "aba",
    "bias_force",
    "body_accelerations",
    "body_velocities",
    "carry_velocity",
    "crba",
    "difference",
    "forward_kinematics",
    "gravity_force",
    "integrate",
    "joint_forces",
    "joint_transform",
    "kinetic_energy",
    "neutral",
    "potential_energy",
    "random_configuration",
    "rnea",
    "simulate",
    "warmup",
]
