"""Slots in which kernels of pairs of shapes store contacts: a fixed number for each kind of pair, 8 numbers a slot.

=======  ==========================================================================================
numbers  what they are
=======  ==========================================================================================
0 to 2   the normal n, of unit length, from the first shape to the second, world axes
3 to 5   the point x, half-way between the two surfaces: these are at ``x - gap/2 n`` and ``x + gap/2 n``
6        the gap, negative where the shapes penetrate; ``OPEN`` where the slot holds no contact
7        the feature: a whole number that says which corners, edges or faces are near, the same from step to step
=======  ==========================================================================================

Open slots have a normal and a point too, so that every number in a slot is finite.
"""

from pluecker.spatial.algebra.vectors import load3, store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, load, select, store

__all__ = ["GAP", "OPEN", "SLOT", "add_scaled", "load_slot", "open_slot_unless", "store_contact", "store_slot"]

SLOT, GAP, FEATURE = 8, 6, 7
OPEN = 1e30  # m; the gap of a slot that holds no contact


@kernel
def add_scaled(a, s, b):
    """a + s b"""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def store_slot(out, k, n, x, gap, feature):
    """Write slot k"""
    store3(out, SLOT * k, n)
    store3(out, SLOT * k + 3, x)
    store(out, SLOT * k + GAP, gap)
    store(out, SLOT * k + FEATURE, feature)


@kernel
def store_contact(out, k, n, x1, gap, feature):
    """Write slot k, from the point on the surface of the first shape"""
    store_slot(out, k, n, add_scaled(x1, 0.5 * gap, n), gap, feature)


@kernel
def load_slot(out, k):
    """Load n, x, gap, feature of slot k"""
    return load3(out, SLOT * k), load3(out, SLOT * k + 3), load(out, SLOT * k + GAP), load(out, SLOT * k + FEATURE)


@kernel
def open_slot_unless(out, k, condition):
    """Mark slot k as open, without a contact, where the condition does not hold"""
    gap = load(out, SLOT * k + GAP)
    store(out, SLOT * k + GAP, select(condition, gap, lift(OPEN, gap)))
