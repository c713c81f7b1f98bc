"""Featherstone's course beyond the formulas: screws, fields, planar vectors, subspaces, constrained motion.

=============================  ========================================================================================
:mod:`.screws`                 twists and wrenches as vector fields, and as two magnitudes and a line
:mod:`.fields`                 grids of points, and pictures of the field of a twist or of a wrench
:mod:`.planar`                 the three coordinates that are left of six when everything happens in the x-y plane
:mod:`.subspaces`              what a joint or a constraint allows, and how it acts
:mod:`.constrained`            how a rigid body accelerates when its velocity is bound to a subspace
:mod:`.two_body`               two bodies joined by a revolute joint, solved twice
=============================  ========================================================================================

The formulas themselves are in :mod:`pluecker.spatial`.
"""

from pluecker.course import planar, two_body
from pluecker.course.constrained import (
    ConstrainedMotion,
    JointSpace,
    apparent_inverse_inertia_from_S,
    apparent_inverse_inertia_from_T,
    bias_acceleration_from_S,
    bias_acceleration_from_T,
    constrained_acceleration_from_S,
    constrained_acceleration_from_T,
    constraint_multipliers,
    joint_space,
)
from pluecker.course.fields import (
    grid,
    plot_field,
)
from pluecker.course.screws import (
    CentralAxis,
    ScrewAxis,
    central_axis,
    couple,
    line_force,
    magnitudes,
    moment_at,
    pitch,
    screw_axis,
    twist,
    velocity_at,
    wrench,
    wrench_magnitudes,
    wrench_pitch,
)
from pluecker.course.subspaces import (
    Subspaces,
    complement,
    motion_subspace,
    subspaces_of_constraints,
)

__all__ = [
    "CentralAxis",
    "ConstrainedMotion",
    "JointSpace",
    "ScrewAxis",
    "Subspaces",
    "apparent_inverse_inertia_from_S",
    "apparent_inverse_inertia_from_T",
    "bias_acceleration_from_S",
    "bias_acceleration_from_T",
    "central_axis",
    "complement",
    "constrained_acceleration_from_S",
    "constrained_acceleration_from_T",
    "constraint_multipliers",
    "couple",
    "grid",
    "joint_space",
    "line_force",
    "magnitudes",
    "moment_at",
    "motion_subspace",
    "pitch",
    "planar",
    "plot_field",
    "screw_axis",
    "subspaces_of_constraints",
    "twist",
    "two_body",
    "velocity_at",
    "wrench",
    "wrench_magnitudes",
    "wrench_pitch",
]
