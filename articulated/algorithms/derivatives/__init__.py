"""Exact derivatives of the algorithms."""
