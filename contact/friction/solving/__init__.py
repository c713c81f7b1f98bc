"""Any problem, any law, any method: ``solve``, ``Solver``, and what they are made of.

=================  =====================================================================================================
room or file       what is in it
=================  =====================================================================================================
``restitution``    Poisson's: two problems, one after the other
``solve``          one problem; errors of any multipliers
``solver``         a problem that is prepared once, and solved again and again
``preparation``    what is found once for many problems of one pattern
``methods``        the methods, and the options that users give
``islands``        methods on all islands, the automatic choice and Newton's method on each
``eliminated``     bilateral rows: eliminated, and their multipliers recovered
``units``          numbers near one
``direct``         compiled functions that are not asked for their types
=================  =====================================================================================================
"""
