"""Shapes, how far they are apart, and where they touch."""
