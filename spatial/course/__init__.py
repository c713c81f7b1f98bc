"""What Featherstone's course teaches beyond the formulas: screws, fields, planar vectors, subspaces, constrained motion."""
