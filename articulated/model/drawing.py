"""A model as text: its tree, drawn so that a serial chain runs straight down and only branches are indented."""

from __future__ import annotations

from collections.abc import Sequence

from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.records import Joint

__all__ = ["draw_tree"]

MOST_LINES = 120


def draw_tree(
    head: str, world: str, joints: Sequence[Joint], tree: Sequence[tuple[int, int]], frames: Sequence[tuple[str, int]]
) -> str:
    """The head line, then a line for each body: its name, its joint, and the joint's coordinates.

    Args:
        head: the first line.
        world: the name of the root.
        joints: the joints that move; each carries a body of another number.
        tree: for each joint the numbers of the body that carries it and of the one that it carries; the world is -1.
        frames: name and number of the body, of everything that has a name.
    """
    children: dict[int, list[tuple[Joint, int]]] = {}
    for joint, (parent, child) in zip(joints, tree, strict=True):
        children.setdefault(parent, []).append((joint, child))
    names = {-1: world} | {child: joint.child for joint, (_, child) in zip(joints, tree, strict=True)}
    merged: dict[int, list[str]] = {}
    for name, body in frames:
        if name != names[body]:
            merged.setdefault(body, []).append(name)

    rows = [(world, "", fixed(merged.get(-1)))]
    stack = branches(children.get(-1, []), "")
    while stack and len(rows) < MOST_LINES:
        (joint, body), prefix, mark = stack.pop()
        rows.append((prefix + mark + joint.child, describe(joint), fixed(merged.get(body))))
        below = prefix + {"├─ ": "│  ", "└─ ": "   ", "": ""}[mark]
        stack += branches(children.get(body, []), below)

    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    lines = [head] + [f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows]
    if len(joints) >= len(rows):
        lines.append(f"... and {len(joints) + 1 - len(rows)} more bodies")
    return "\n".join(lines)


def branches(joints: list[tuple[Joint, int]], prefix: str) -> list[tuple[tuple[Joint, int], str, str]]:
    """List the children of a body, the last one first, each with the prefix and the branch mark of its line."""
    if len(joints) < 2:
        return [(joint, prefix, "") for joint in joints]
    marks = ["├─ "] * (len(joints) - 1) + ["└─ "]
    return [(joint, prefix, mark) for joint, mark in zip(joints, marks, strict=True)][::-1]


def describe(joint: Joint) -> str:
    """The joint's name, its type, and where its coordinates are."""
    kind = JOINT_TYPES[joint.type]
    if joint.mimic is not None:
        source, multiplier, offset = joint.mimic
        return f"{joint.name}: {joint.type}, {multiplier:g} {source}" + (f" + {offset:g}" if offset else "")
    q = span("q", joint.q_start, kind.nq)
    v = span("v", joint.v_start, kind.nv)
    return f"{joint.name}: {joint.type}, {q}" if q[1:] == v[1:] else f"{joint.name}: {joint.type}, {q}, {v}"


def span(letter: str, start: int, count: int) -> str:
    """``q[3]``, ``q[3:7]``"""
    return f"{letter}[{start}]" if count == 1 else f"{letter}[{start}:{start + count}]"


def fixed(names: list[str] | None) -> str:
    """Return a remark with the first four of the names that are fixed to a body, or an empty string."""
    if not names:
        return ""
    shown = ", ".join(names[:4])
    return f"with {shown}" + (f" and {len(names) - 4} more" if len(names) > 4 else "")
