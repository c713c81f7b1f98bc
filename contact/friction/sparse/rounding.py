"""How large a number may be that only rounding has left, for all solvers of friction problems."""

__all__ = ["LOST"]

# Of what a pivot, an eigenvalue or a length is made of, what elimination or rotations may leave where nothing is: 450 units
# in the last place, for hundreds of products. Matrices are scaled, so that nothing that counts is as small.
LOST = 1e-13
