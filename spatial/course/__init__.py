"""Topics of Featherstone's course beyond the formulas: screws, fields, planar vectors, subspaces, constrained motion."""
