"""What a step is made of: the interface of integrators, the forces that act, their stiffness, and rows."""
