"""Shapes, how far they are apart, and where they touch: one table of contacts for a model in a configuration.

=================================================================  =======================================================
names                                                              what they are
=================================================================  =======================================================
``HalfSpace``, ``Sphere``, ``Capsule``, ``Box``, ``Cylinder``,     shapes: :mod:`~pluecker.contact.geometry.shapes`
``ConvexHull``, ``Mesh``, ``HeightField``
``distance`` -> ``Distance``                                       how far two shapes are apart, the nearest points, how deep
                                                                   they penetrate
``Surface``                                                        friction, restitution, softness, velocity
``Collider``, ``urdf_colliders``                                   a shape with a surface on a frame; those of a URDF file
``Collision`` -> ``Contacts``                                      where the colliders of a model touch
``ShapeContact``                                                   two colliders that touch in a world, as a constraint
``draw_colliders``                                                 a model whose pictures show its colliders
=================================================================  =======================================================

Half-spaces against everything convex, spheres, capsules and boxes among themselves, and spheres against cylinders have
kernels on scalars (``half_spaces``, ``spheres``, ``capsules``, ``boxes``), which know no branches; any other two shapes with
an inside have one kernel in common (``convex``). Their distances are exact: where a face is nearest, shapes touch at all
corners of what they have in common. What touches a surface of triangles, a mesh that is no hull or a height field, goes
through coal (extra ``collision``). Gaps are positive too, up to a margin: such
contacts keep bodies from passing through each other within a step.
"""

from pluecker.contact.geometry.collision import Collision, Contacts
from pluecker.contact.geometry.distances import Distance, distance
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.geometry.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Sphere,
)
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.geometry.urdf import urdf_colliders

__all__ = [
    "Box", "Capsule", "Collider", "Collision", "Contacts", "ConvexHull", "Cylinder", "Distance", "HalfSpace", "HeightField",
    "Mesh", "ShapeContact", "Sphere", "Surface", "distance", "draw_colliders", "urdf_colliders",
]  # fmt: skip
