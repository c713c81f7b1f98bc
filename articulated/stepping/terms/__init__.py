"""Terms of a step: the interface of integrators, the forces that act, their stiffness, and rows."""
