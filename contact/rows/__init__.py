"""Functions of the configuration, the rows that they make, their Jacobian, and what holds them: kernels and their tables.

=================  =====================================================================================================
room or file       what is in it
=================  =====================================================================================================
``packing``        constraints of a world in one array, the elimination order; ``pack_touching`` pairs of shapes
``ranges``         rows with a range: limits, friction, motors and contacts
``mobility``       linear rows together, and the forces that hold them
``jacobian``       values and Jacobian of rows, and motions over time that they follow
``functions``      native functions of the configuration
``touching``       where shapes touch, which functions read
``user``           functions of the user's
``motion``         where links are and how they move
``layout``         what is where in the array
=================  =====================================================================================================

Imports point from each line of that table to those below it.
"""
