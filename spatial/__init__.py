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
from pluecker.spatial import arrays, lanes, sincos  # noqa: F401
