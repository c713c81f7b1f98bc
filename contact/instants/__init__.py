"""Kernels of queries of a world at an instant, for ``mechanisms.instants``: accelerations, impacts, efforts, wrenches."""
