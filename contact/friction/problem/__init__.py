"""The friction problem: its sets, its operator, the checks of its data, and how solvers want it."""
