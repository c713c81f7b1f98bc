"""Random calls of every public function of the three packages, and a judge of what comes back.

    python -m tests.fuzz 200000 [--seed 0] [--jobs 2] [--area spatial]

A call is made from its seed alone. What comes back has to be right or one of our errors:

- right: the same numbers in another dress (byte order, alignment, strides, lists) give the same result, one entry of a batch
  alone gives what it gave in the batch, and results satisfy formulas of NumPy's or what ties them to other functions;
- an error: a :class:`pluecker.PlueckerError` of the kind that the fault asks for, short, with the name of the function that
  was called;
- never a warning, a number that is not finite from finite ones, a changed input, a half-written ``out``, a crash, a call
  that does not end, or gigabytes.

=============  ==================================================================================================
module         what it makes
=============  ==================================================================================================
values         arguments: the same numbers in other dresses, numbers and types that are wrong
judge          a call, and complaints about what came of it
spatial        calls of :mod:`pluecker.spatial`, its typed quantities in ``typed``
algorithms     calls of the algorithms of :mod:`pluecker.articulated`
models         calls of the builder, of models and their methods, of URDF texts, of ``conventions``
friction       calls of :mod:`pluecker.contact`
worlds         calls of worlds and of records of constraints
shapes         calls of shapes, their distances, colliders and what touches
pictures       calls of what draws mechanisms and motions
workers        processes that make calls, watched for crashes and for calls that do not end
=============  ==================================================================================================
"""
