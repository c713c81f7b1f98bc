"""Laws of rows with a range, limits, friction, motors and contacts: which impulses or forces they have.

=====================  =================================================================================================
file                   what it does
=====================  =================================================================================================
``impact_phases``      Poisson's restitution, which comes first in a step
``at_instants``        bounds of forces at an instant
``in_steps``           all rows with a range in a step, by the staircases of their laws
``range_mobility``     how their impulses change their velocities, while linear rows hold
``contacts``           three rows each, with Coulomb's law; the problem of blocks that they make
``resistance``         blocks of rolling and spinning
``returned_impulses``  blocks of the friction of what an impact returns
=====================  =================================================================================================

The law of a contact itself is in :mod:`~pluecker.contact.friction.dense.contact_law`.

Imports point from each line of that table to those below it.
"""
