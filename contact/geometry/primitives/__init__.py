"""Kernels of pairs of half-spaces, spheres, capsules, boxes and cylinders, on scalars and without branches.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``scalars``        comparisons, lengths and directions without branches
``half_spaces``    a half-space against everything, hulls too
``spheres``        a sphere against spheres, capsules, boxes and cylinders
``capsules``       a capsule against capsules and boxes
``boxes``          two boxes
=================  =====================================================================================================
"""
