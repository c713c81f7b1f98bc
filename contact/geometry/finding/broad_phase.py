"""The broad phase: boxes along the axes of the world around shapes, a tree of them, and which overlap; in n log n.

What overlaps is listed for boxes that are larger than they need be, and is looked for anew where a box has left the one that
it had then; until then those that overlap are among the pairs of the list.

The tree is binary and balanced: a node has a stretch of the order of boxes, and its two children a half of that each, of
those on either side of the median of the centres along the axis on which these are spread most. So where nodes are and what
they have needs no pointers: node k has the children 2 k and 2 k + 1, and halves halve.

A shape that is large among many small ones makes the few nodes large that have it. Half-spaces have no box: they meet
everything. What has run away, to infinity or to no number, meets nothing.

Sources: Ericson, *Real-Time Collision Detection* (2005), sections 6.2 and 6.3; the median by Hoare's *Find* (1961); larger
boxes as in Verlet's lists of neighbours, "Computer experiments on classical fluids" (1967).
"""

from __future__ import annotations

from pluecker.contact.geometry.finding.blocks import POSE, SLACK, load_pose
from pluecker.contact.geometry.finding.scene import (
    CENTER,
    HALF_SIDES,
    MARGIN,
    RADIUS,
    ROUND,
    collider_count,
    is_half_space,
    number_place,
)
from pluecker.spatial.algebra.vectors import add3, load3, rotate
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "BOX", "FARTHEST", "STACK", "are_within", "limited", "make_tree", "overlap", "overlaps_of", "store_boxes",
    "store_larger_boxes",
]  # fmt: skip

BOX = 6  # numbers: the lower corner, the upper corner
LEAF = 4  # boxes that are compared one by one
STACK = 3 * 66  # integers: nodes that wait, two of a level at most on the way down, with their stretch
FARTHEST = 1e9  # m: beyond it nothing touches, and slots without a contact are farther away
RUN_AWAY = 1e300  # m
ROUNDING = 1e-12  # of what is computed from it
LARGER, REACHES = 0.1, 4.0  # chosen: of its radius, and times its reach, by how much a box of the list is larger


@called_kernel
def store_boxes(sf, si, poses, far, boxes, order):
    """Store the boxes around all colliders that have an end, each with its reach and half of the margin; put the numbers of
    these first in ``order``, those of half-spaces last. Return how many these are, and where those begin. What has run away
    has a box without a point.
    """
    count, end, n = 0, collider_count(si), collider_count(si)
    for k in range(n):
        if is_half_space(si, k):
            end -= 1
            store(order, end, k)
            continue
        R, p = load_pose(poses, POSE * k)
        c = add3(p, rotate(R, load3(sf, number_place(k, CENTER))))
        s = load3(sf, number_place(k, HALF_SIDES))
        r, around = load(sf, number_place(k, ROUND)), load(sf, number_place(k, RADIUS))
        # kernels take a face that is nearest but for the slack, so that contacts may be that much nearer than the shapes
        more = SLACK * around + 0.5 * load(sf, MARGIN) + limited(load(far, k))
        known = True
        for a in range(3):
            e = abs(R[3 * a]) * s[0] + abs(R[3 * a + 1]) * s[1] + abs(R[3 * a + 2]) * s[2] + r
            e = min(e, around) + more
            e += ROUNDING * (e + abs(c[a]))
            known = known and abs(c[a]) + e < RUN_AWAY  # false where it is no number
            store(boxes, BOX * k + a, c[a] - e)
            store(boxes, BOX * k + 3 + a, c[a] + e)
        if known:
            store(order, count, k)
            count += 1
        else:
            store_nothing(boxes, k)
    return count, end


@kernel
def store_nothing(boxes, k):
    """Store a box without a point"""
    for a in range(3):
        store(boxes, BOX * k + a, RUN_AWAY)
        store(boxes, BOX * k + 3 + a, -RUN_AWAY)


@called_kernel
def store_larger_boxes(sf, far, boxes, order, count, n, larger):
    """Store larger boxes around those of the first ``count`` colliders of the order, of the n that there are"""
    for k in range(n):
        store_nothing(larger, k)
    for place in range(count):
        k = load(order, place)
        more = LARGER * load(sf, number_place(k, RADIUS)) + REACHES * limited(load(far, k))
        for a in range(3):
            store(larger, BOX * k + a, load(boxes, BOX * k + a) - more)
            store(larger, BOX * k + 3 + a, load(boxes, BOX * k + 3 + a) + more)


@called_kernel
def are_within(boxes, order, count, larger):
    """Return whether the boxes of the first ``count`` colliders of the order are within their larger ones"""
    for place in range(count):
        at, inside = BOX * load(order, place), True
        for a in range(3):
            inside = inside and load(larger, at + a) <= load(boxes, at + a)
            inside = inside and load(boxes, at + 3 + a) <= load(larger, at + 3 + a)
        if not inside:
            return False
    return True


@kernel
def limited(x):
    """Return a distance, or the farthest at which anything touches, which is that of no number too"""
    return x if x <= FARTHEST else FARTHEST


@called_kernel
def make_tree(boxes, order, count, nodes, leaves, stack):
    """Order the first ``count`` entries along the tree, and store the boxes of its nodes, and in this order those of all"""
    top = push(stack, 0, 1, 0, count)
    while top > 0:
        top -= 3
        node, first, last = load(stack, top), load(stack, top + 1), load(stack, top + 2)
        axis = store_node(boxes, order, first, last, nodes, node)
        if last - first > LEAF:
            middle = (first + last) // 2
            find_median(boxes, order, first, last, middle, axis)
            top = push(stack, top, 2 * node + 1, middle, last)
            top = push(stack, top, 2 * node, first, middle)
    for k in range(count):
        for a in range(BOX):
            store(leaves, BOX * k + a, load(boxes, BOX * load(order, k) + a))


@kernel
def push(stack, top, node, first, last):
    """Put a node with its stretch on the stack; return its new height"""
    store(stack, top, node)
    store(stack, top + 1, first)
    store(stack, top + 2, last)
    return top + 3


@called_kernel
def store_node(boxes, order, first, last, nodes, node):
    """Store the box around a stretch; return the axis along which its centres are spread most"""
    axis, widest = 0, -1.0
    for a in range(3):
        low, high, least, most = RUN_AWAY, -RUN_AWAY, 2.0 * RUN_AWAY, -2.0 * RUN_AWAY
        for k in range(first, last):
            x, y = box_side(boxes, load(order, k), a)
            low, high, least, most = min(low, x), max(high, y), min(least, x + y), max(most, x + y)
        store(nodes, BOX * node + a, low)
        store(nodes, BOX * node + 3 + a, high)
        if most - least > widest:
            axis, widest = a, most - least
    return axis


@kernel
def box_side(boxes, k, a):
    """Load from where to where a box reaches along an axis"""
    return load(boxes, BOX * k + a), load(boxes, BOX * k + 3 + a)


@kernel
def twice_center(boxes, k, a):
    """Compute twice the centre of a box along an axis"""
    return load(boxes, BOX * k + a) + load(boxes, BOX * k + 3 + a)


@called_kernel
def find_median(boxes, order, first, last, middle, a):
    """Order a stretch so that all before the middle have no larger centre along an axis, and all behind no smaller one"""
    low, high = first, last - 1
    while low < high:
        pivot = twice_center(boxes, load(order, middle), a)
        i, j = low, high
        while i <= j:
            while twice_center(boxes, load(order, i), a) < pivot:
                i += 1
            while twice_center(boxes, load(order, j), a) > pivot:
                j -= 1
            if i <= j:
                x = load(order, i)
                store(order, i, load(order, j))
                store(order, j, x)
                i += 1
                j -= 1
        if j < middle:
            low = i
        if middle < i:
            high = j


@kernel
def overlap(boxes, k, others, j):
    """Return whether two boxes have a point in common"""
    common = True
    for a in range(3):
        common = common and load(boxes, BOX * k + a) <= load(others, BOX * j + 3 + a)
        common = common and load(others, BOX * j + a) <= load(boxes, BOX * k + 3 + a)
    return common


@called_kernel
def overlaps_of(leaves, i, count, nodes, order, near, stack):
    """Store the colliders whose boxes overlap that of place i in the order, of all behind it; return how many there are"""
    found, top = 0, push(stack, 0, 1, 0, count)
    while top > 0:
        top -= 3
        node, first, last = load(stack, top), load(stack, top + 1), load(stack, top + 2)
        if last <= i + 1 or not overlap(leaves, i, nodes, node):
            continue
        if last - first > LEAF:
            middle = (first + last) // 2
            top = push(stack, top, 2 * node + 1, middle, last)
            top = push(stack, top, 2 * node, first, middle)
            continue
        for j in range(max(first, i + 1), last):
            if overlap(leaves, i, leaves, j):
                store(near, found, load(order, j))
                found += 1
    return found
