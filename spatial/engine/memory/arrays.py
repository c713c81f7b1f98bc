"""Memory that compiled code shares with Python: integers among its numbers, rows of eight, arrays of NumPy on it."""

import ctypes

import numpy as np

from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane, set_lane

__all__ = [
    "aligned",
    "as_matrix",
    "as_vector",
    "entry",
    "integers",
    "integers_in",
    "numbers_in",
    "place_of",
    "rows_of",
    "with_entry",
]

entry, with_entry = get_lane, set_lane  # of a row of eight


def integers(array):
    """View the numbers of an array as integers"""
    return array.view("int64")


def integers_in(place, n):
    """View the n integers at an address"""
    return np.ctypeslib.as_array((ctypes.c_int64 * n).from_address(place))


def numbers_in(place, n):
    """View the n numbers at an address"""
    return np.ctypeslib.as_array((ctypes.c_double * n).from_address(place))


def place_of(ws):
    """Return the address of a workspace"""
    return ws.ctypes.data


def rows_of(array):
    """View numbers as rows of eight; the first is at a multiple of 64, as :func:`aligned` makes it"""
    return array.reshape(-1, WIDTH)


def aligned(array):
    """View an array from where rows of eight may begin"""
    return array


def as_vector(array):
    """View a scalar array as an array of NumPy"""
    return array


def as_matrix(array, rows, columns):
    """View the beginning of a scalar array, row by row, as a matrix of NumPy"""
    return array[: rows * columns].reshape(rows, columns)
