"""Problems of friction, and what solves them: nothing here knows of mechanisms.

================================================  ====================================================================
subpackage                                        contents
================================================  ====================================================================
``solving``                                       any problem, any law, any method: islands, the choice
``tables``, ``files``                             problems from bodies and contacts; from files, and into them
``first_order``, ``interior_point``, ``lcp``      the methods, one file each
``elimination``                                   bilateral rows: a direct factor, and the reduced problem
``velocities``                                    islands of a step by Newton's method in the velocities of bodies
``results``                                       errors, the states of contacts, the record of a solution
``problem``                                       sets, operator, checks of the data, the form that methods want
``dense``                                         small problems on scalars: for one state or for lanes
``sparse``                                        matrices of small blocks, elimination orders, factors
================================================  ====================================================================

Imports point from each line of that table to those below it.
"""
