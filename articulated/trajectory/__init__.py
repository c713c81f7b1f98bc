"""Samples of motions over time: checked, interpolated, in files and tables."""
