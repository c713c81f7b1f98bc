"""Queries of a world at an instant: accelerations, impacts, efforts, wrenches."""
