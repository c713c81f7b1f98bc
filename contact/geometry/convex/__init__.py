"""Kernels of any two convex shapes with an end: spheres, capsules, boxes, cylinders and hulls, one state at a time.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``faces``          faces of shapes, and the corners of what two have in common, for surfaces of triangles
``solids``         shapes as flat arrays
``support``        the point of a shape that is farthest in a direction
``simplex``        the point of two shapes' difference that is nearest to the origin (GJK)
``expansion``      how deep the origin is in that (EPA)
``nearest``        the signed distance, to rounding
``features``       faces and lines that look in a direction
``polygons``       what a face and another shape have in common
``touch``          contacts
=================  =====================================================================================================
"""
