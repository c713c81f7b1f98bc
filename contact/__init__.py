"""Maximal coordinates: bodies, constraints and contacts. Nothing is here yet."""
