"""Islands of a problem, each by the methods that bring it to its tolerance.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``running``        a method on all islands, with threads, until each is good enough
``automatic``      the automatic choice: a few methods, in turn
``parts``          sweeps piece by piece, and Newton's method where the error is
``island``         an island on its way through several methods
``newton``         Newton's method in velocities, on all islands or on parts of one
=================  =====================================================================================================

Imports point from each line of that table to those below it.
"""
