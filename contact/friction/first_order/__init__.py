"""Methods that make no factor: accelerated gradients, and sweeps of Gauss-Seidel, which threads share on large islands.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``sharing``        sweeps on islands of all sizes: which code runs them
``large_sweeps``   sweeps over large islands, eight contacts at a time; ``large_task``, ``large_record`` and
                   ``sweep_passes`` are parts of it
``pgs``            sweeps of Gauss-Seidel, contact by contact
``apgd``           accelerated projected gradients
``runner``         common parts: signature, error, shifts
``block_steps``    steps block by block
``memory``         memory that methods write into
=================  =====================================================================================================
"""
