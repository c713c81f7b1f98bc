"""Springs, dampers, cables and wrenches between bodies: elements that act on a mechanism from outside its joints.

==========================  ===============================================================================================
file                        what
==========================  ===============================================================================================
``elements.py``             the records: wrenches, springs between points, torsion springs, cables
``packing.py``              how elements lie in memory, as constants of an algorithm
``world_motion.py``         where links are and how they move, in world axes; wrenches on them, added up
``lines.py``                springs between points, and cables: what depends on a length
``torsion.py``              springs that turn frames against each other
``applied_forces.py``       the forces and the energy of all elements
``applied_stiffness.py``    their exact derivatives by displacement and by velocity
==========================  ===============================================================================================
"""
