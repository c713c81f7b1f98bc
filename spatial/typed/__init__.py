"""Vectors, transforms and inertias that know what they are (course, sections 24 to 26, 35, 37 and 44 to 48).

M6 holds velocities and accelerations, F6 holds forces, momenta and impulses. They are dual spaces: an element of one cannot
be added to an element of the other, and the scalar product takes one of each. The classes hold that rule, and names of
frames where they are given. The numbers come from the functions of arrays; every class takes batches in leading axes.

==============================  ============================================================  ===========================
formula                         written                                                       section
==============================  ============================================================  ===========================
``m1 + m2``, ``f1 - f2``        ``m1 + m2``, ``f1 - f2``                                      24, 26
``m . f``                       ``m.dot(f)`` or ``m @ f``: power, of a velocity and a force   25, 26
``X m``, ``X* f``               ``X @ m``, ``X @ f``                                          35
``X* I X^-1``                   ``X @ I``                                                     46
``X2 X1``, ``X^-1``             ``X2 @ X1``, ``X.inverse()``                                  35
``v x m``, ``v x* f``           ``v.cross(m)``, ``v.cross(f)``                                37
``I v``, ``I^-1 f``             ``I @ v``, ``I.inverse() @ f``                                46, 48
``I_A + I_B``                   ``I_A + I_B``                                                 46
==============================  ============================================================  ===========================

Every quantity is a single one, or a batch with the leading axes ``shape`` that can be indexed, iterated and added up. None
ever changes. What all have in common is in :mod:`~pluecker.spatial.typed.base`, what NumPy may do with them in
:mod:`~pluecker.spatial.typed.numpy_protocol`. A sum of many takes a start: ``sum(forces, ForceVector.zero())``.

A body turns about a vertical axis through the point (1, 0, 0) of the base, seen from the base and from a tool 1 m above it:

>>> import numpy as np
>>> v = MotionVector.from_parts([0, 0, 1], [0, -1, 0], frame="base")
>>> X = PlueckerTransform(np.eye(3), [0, 0, 1], source="base", target="tool")
>>> X @ v
MotionVector(angular=[0, 0, 1], linear=[0, -1, 0], frame='tool')
>>> f = ForceVector.from_parts([0, 0, 0], [0, 3, 0], frame="base")
>>> X @ f
ForceVector(moment=[3, 0, 0], force=[0, 3, 0], frame='tool')
>>> float(f @ v), float((X @ f) @ (X @ v))
(-3.0, -3.0)
>>> v + f
Traceback (most recent call last):
pluecker.spatial.errors.ArgumentTypeError: motion + force: M6 and F6 are dual spaces, their elements cannot be added or compared (course, section 24)
>>> (X @ f) @ v
Traceback (most recent call last):
pluecker.spatial.errors.ArgumentValueError: force . motion: the first is in frame 'tool', the second in frame 'base'
"""  # noqa: E501

from __future__ import annotations

from pluecker.spatial.typed.inertia import ArticulatedInertia, InverseInertia, RigidBodyInertia
from pluecker.spatial.typed.transform import PlueckerTransform
from pluecker.spatial.typed.vectors import ForceVector, MotionVector

__all__ = [
    "ArticulatedInertia", "ForceVector", "InverseInertia", "MotionVector", "PlueckerTransform", "RigidBodyInertia",
]  # fmt: skip
