"""Memory that several threads read and write at once, and calls through an address: for compiled code only.

Shared memory is an array of integers. What is done to one of its entries here is done whole, and is seen by the other
threads together with all that was written before it (sequentially consistent atomic operations of LLVM).

A function that is called through the address of its machine code takes and returns integers. What it works on are addresses
too, see :mod:`~pluecker.spatial.engine.memory.addresses`.
"""

from __future__ import annotations

__all__ = ["call_c", "call_through", "read_shared", "replace_shared"]


def replace_shared(memory, k, old, new):
    """Put ``new`` into entry ``k`` if it is ``old``; whether it was."""
    raise NotImplementedError


def read_shared(memory, k):
    """Entry ``k``."""
    raise NotImplementedError


def call_through(function, task, k):
    """Call the function at an address with two integers; an exception that it raises is one of the caller."""
    raise NotImplementedError


def call_c(function, number, first, second, third, fourth):
    """Call the function at an address, as C does, with a number and the addresses of four arrays of numbers; no result."""
    raise NotImplementedError
