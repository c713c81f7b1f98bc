"""A model and constraints on it: accelerations, steps, motions, in any mixture of reduced and maximal coordinates."""
