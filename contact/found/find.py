"""Contacts of a step: found by compiled code, with Python's help where a kernel is not ready, or two shapes have none."""

from pluecker.contact.found.layout import (
    ANSWER,
    FAR,
    FIND,
    FINDING_HEADER,
    FINDING_INTEGERS,
    FINDING_NUMBERS,
    NEEDS_CONTACTS,
    NEEDS_PAIRS,
    OUTSIDE,
    POSES,
    SCENE_INTEGERS,
    SCENE_NUMBERS,
    STATUS,
    TABLE_INTEGERS,
    TABLE_NUMBERS,
    count,
    index_piece,
    index_table,
    needs,
    piece,
)
from pluecker.contact.found.sharing import ask
from pluecker.contact.geometry.finding.find import COMPLETE, PAIRS_UNREADY, TOO_MANY, find_contacts
from pluecker.contact.geometry.finding.narrow_phase import FOUND, LEFT, WORK_HEADER
from pluecker.spatial.engine.compiled.decorators import called_kernel
from pluecker.spatial.engine.memory.arrays import integers_in, numbers_in

__all__ = ["find_in_reach"]


@called_kernel
def find_in_reach(s, ws):
    """Fill the table of the contacts of all shapes, as far as these come; return how many there are, -1 where there is too
    little room
    """
    numbers = numbers_in(count(s, SCENE_NUMBERS), count(s, SCENE_NUMBERS + 1))
    integers = integers_in(count(s, SCENE_INTEGERS), count(s, SCENE_INTEGERS + 1))
    work, table, answer = index_piece(s, ws, FINDING_INTEGERS), index_piece(s, ws, TABLE_INTEGERS), piece(s, ws, ANSWER)
    poses, far = piece(s, ws, POSES), piece(s, ws, FAR)
    header = index_table(s, FINDING_HEADER)
    for k in range(WORK_HEADER):
        work[k] = header[k]
    while True:
        status = find_contacts(
            numbers, integers, poses, far, piece(s, ws, FINDING_NUMBERS), work, piece(s, ws, TABLE_NUMBERS), table
        )
        if status == COMPLETE:
            return table[0]
        if status & TOO_MANY and not status & PAIRS_UNREADY:
            needs(s, NEEDS_CONTACTS, work[FOUND])
            needs(s, NEEDS_PAIRS, work[LEFT])
            return -1
        answer[0], answer[STATUS] = -1.0, status
        ask(count(s, OUTSIDE), ws, FIND)
        if answer[0] < 0.0:
            return -1
        if answer[0] == 0.0:  # the table is complete
            return table[0]
