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

Distances are exact: where a face is nearest, shapes touch at all corners of what they have in common. Gaps are positive too,
up to a margin: such contacts keep bodies from passing through each other within a step. Inside:

=================  =====================================================================================================
room or file       what is in it
=================  =====================================================================================================
``pictures``       colliders drawn
``urdf``           colliders of URDF files
``shape_contact``  two colliders as a constraint, and the pair of shapes that its kernel takes
``collision``      colliders of a model or a world, the table of contacts
``distances``      two shapes by themselves
``finding``        what touches in a scene, from placements to the sorted table
``triangles``      surfaces of triangles, meshes that are no hulls and height fields: through coal (extra ``collision``)
``pairs``          which kernel a pair of shapes has
``convex``         one kernel for any two shapes with an inside
``primitives``     kernels without branches: half-spaces against everything convex, spheres, capsules and boxes among
                   themselves, spheres against cylinders
``slots``          how kernels store contacts
``surfaces``       friction and the like, and shapes on frames
``shapes``         shapes, and ``checks`` of their numbers
=================  =====================================================================================================

Imports point from each line of that table to those below it.
"""

from pluecker.contact.geometry.collision import Collision
from pluecker.contact.geometry.contacts import Contacts
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
