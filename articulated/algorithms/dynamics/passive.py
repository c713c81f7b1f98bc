"""The forces that joints make by themselves: armature, damping, dry friction, springs.

With these, the equation of motion is, in coordinates of the model,

    tau + J^T f_ext = (H + diag(armature)) a + c(q, v) + damping v + friction sign(v) + k(q)

where ``k`` is the spring force, the gradient of ``1/2 d^T diag(stiffness) d`` with ``d = difference(rest_position, q)``.
Armature is the rotor inertia of a drive, reflected through its gear. Dry friction is Coulomb's: constant against the
motion and zero at rest; it does not hold a joint still.
"""

from pluecker.articulated.model.joints import spring_joint
from pluecker.articulated.model.layout import (
    ARMATURE,
    DAMPING,
    FRICTION,
    has_armature,
    has_losses,
    has_springs,
    link_count,
    owns_coordinates,
    velocity_count,
    velocity_table,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, sign

__all__ = ["add_armature_force", "add_passive_force", "add_spring_force"]


@kernel
def add_armature_force(m, a, tau):
    """tau += armature a"""
    if has_armature(m):
        for k in range(velocity_count(m)):
            accumulate(tau, k, velocity_table(m, ARMATURE, k) * load(a, k))


@kernel
def add_passive_force(m, q, v, tau):
    """tau += damping v + friction sign(v) + k(q)"""
    if has_losses(m):
        for k in range(velocity_count(m)):
            v_k = load(v, k)
            accumulate(tau, k, velocity_table(m, DAMPING, k) * v_k + velocity_table(m, FRICTION, k) * sign(v_k))
    if has_springs(m):
        add_spring_force(m, q, tau)


@kernel
def add_spring_force(m, q, tau):
    """tau += k(q); returns the energy of the springs"""
    energy = 0.0 * load(q, 0)
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            energy = energy + spring_joint(m, i, q, tau)
    return energy
