"""Motions over time: simulated, given in closed form, and in files."""
