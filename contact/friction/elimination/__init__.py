"""Bilateral rows and linear soft rows taken out of a problem by a direct factor: cones and intervals see what is left."""
