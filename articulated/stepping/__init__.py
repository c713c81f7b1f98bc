"""One step of a motion, as kernels: the forces that act, the integrators, rows on single coordinates, and the loop.

============================  ===================================================================================
room                          what happens there
============================  ===================================================================================
``loop``                      the loop over steps, control and recording around a step, how Python runs it
``adaptive``, ``implicit``    integrators that choose their steps; those that solve for the end of a step
``semi_implicit``,            semi-implicit Euler, with what keeps it from making energy; those that evaluate
``explicit``                  accelerations where they are
``terms``                     what all are made of: their interface, forces that act, their stiffness, rows
``control``                   what moves the joints: as the user gives it, over time, during a step
============================  ===================================================================================

Each room imports those below it, and none above it.
"""
