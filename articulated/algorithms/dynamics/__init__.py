"""Forces and accelerations: Newton-Euler, articulated bodies, and the parts of the equations of motion."""
