"""Speed, memory and accuracy of the package, beside its peers.

================  ====================================================================================================
room, module      what is in it
================  ====================================================================================================
``robots``        topics on the dynamics of models: batches, single calls, threads, derivatives, the limit of a core
``contact``       topics on friction problems and complementarity problems; ``python -m benchmarks.contact``
``steps``         topics on steps of simulations: robots, mechanisms with loops, stacks, heaps, all that touches
``starting``      topics on what a new process waits for: imports and compilation
``algebra``       topic on functions of a million vectors
``families``      friction problems of every size, from seeds
``motions``       motions of worlds that nobody chose, from seeds; ``random_motions`` follows them
``measuring``     what topics share: timing, reports, memory, mechanisms and peers
``results``       pages and figures that ``python -m benchmarks`` has written
================  ====================================================================================================

``accuracy``, ``distances``, ``drift``, ``random_motions`` and ``scaling`` are commands of their own and print tables.
"""
