"""The model of a mechanism: joints, how it is built, read and drawn, and how it lies in memory.

======================  ================================================================================================
file                    what is in it
======================  ================================================================================================
``model``               :class:`Model`, and :class:`ModelBuilder` that makes one by hand
``assembly``            from a user's bodies and joints to the sorted tree that kernels walk
``urdf``                URDF files
``drawing``             a model as text
``consistency``         checks of its fields
``description``         bodies, joints, frames and inertias as a user gives them
``records``             joints, arrays and fields of a model
``trees``               the pattern of the inertia matrix
``joint_displacement``  joints over a finite time
``joints``              the types of joints, at an instant
``layout``              where things are in the one array of a model
``exponential``         rotation vectors as coordinates of a joint
======================  ================================================================================================
"""
