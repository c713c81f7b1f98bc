"""Methods that make no factor: accelerated gradients, and sweeps of Gauss-Seidel, eight contacts at a time on large islands.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``sharing``        sweeps on islands of all sizes: which code runs them
``sweeps``         when sweeps end, and their momentum
``pgs``            sweeps contact by contact
``lanes``          sweeps over large islands, eight contacts at a time
``apgd``           accelerated projected gradients
``runner``         common parts: signature, error, shifts
``block_steps``    steps block by block
``memory``         memory that methods write into
=================  =====================================================================================================
"""
