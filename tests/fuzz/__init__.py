"""Random calls of every public function of the three packages, and a judge of what comes back.

    python -m tests.fuzz 200000 [--seed 0] [--area spatial]

A call is made from its seed alone. What comes back has to be right or one of our errors:

- right: the same numbers in another form (byte order, alignment, strides, lists) give the same result, one entry of a batch
  alone gives what it gave in the batch;
- an error: a :class:`pluecker.PlueckerError` of the kind that the fault asks for, short, with the name of the function that
  was called;
- never a warning, a number that is not finite from finite ones, a changed input, a half-written ``out``, a crash, or a call
  that does not end.

=============  ==================================================================================================
module         what it makes
=============  ==================================================================================================
values         arguments: the same numbers in other forms, numbers and types that are wrong
judge          a call, and complaints about what came of it
calls          calls of functions of arrays, typed quantities, algorithms, and of the tables
tables         good arguments of what is no function of arrays: records, models, problems, worlds, pictures
structures     graphs of joints, URDF texts, steps of worlds from wild states
=============  ==================================================================================================

Laws of mechanics, damaged files and damaged models have tests of their own.
"""
