"""A model and constraints on it as a record, and functions of it: errors, accelerations, closing, maximal coordinates."""
