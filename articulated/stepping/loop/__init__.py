"""The loop over steps, compiled, what surrounds a step in it, and how Python runs it."""
