"""A model as text: its tree, drawn so that a serial chain runs straight down and only branches are indented."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pluecker.articulated.model.joints import JOINT_TYPES

if TYPE_CHECKING:
    from pluecker.articulated.model.model import Joint, Model

__all__ = ["draw_tree"]

MOST_LINES = 120


def draw_tree(model: Model) -> str:
    """The head line, then a line for each body: its name, its joint, and the joint's coordinates."""
    merged: dict[str, list[str]] = {}
    for name, body in model.frames:
        carrier = model.body_names[body] if body >= 0 else "world"
        if name != carrier:
            merged.setdefault(carrier, []).append(name)
    children: dict[str, list[Joint]] = {}
    carriers = {name: carrier for carrier, names in merged.items() for name in names}
    for joint in model.joints:
        children.setdefault(carriers.get(joint.parent, joint.parent), []).append(joint)

    rows = [("world", "", fixed(merged.get("world")))]
    stack = [(joint, prefix, mark) for joint, prefix, mark in branches(children.get("world", []), "")]
    while stack:
        joint, prefix, mark = stack.pop()
        rows.append((prefix + mark + joint.child, describe(joint), fixed(merged.get(joint.child))))
        below = prefix + {"├─ ": "│  ", "└─ ": "   ", "": ""}[mark]
        stack += branches(children.get(joint.child, []), below)

    lines = [
        f"Model {model.name!r}: nq = {model.nq}, nv = {model.nv}, n_bodies = {model.n_bodies}, {model.mass:.6g} kg"
    ]
    first = max(len(row[0]) for row in rows)
    second = max(len(row[1]) for row in rows)
    lines += [f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append(f"... and {len(rows) - MOST_LINES} more bodies")
    return "\n".join(lines)


def branches(joints: list[Joint], prefix: str) -> list[tuple[Joint, str, str]]:
    """What hangs on a body, the last one first, with the lines to draw before it."""
    if len(joints) < 2:
        return [(joint, prefix, "") for joint in joints]
    marks = ["├─ "] * (len(joints) - 1) + ["└─ "]
    return [(joint, prefix, mark) for joint, mark in zip(joints, marks, strict=True)][::-1]


def describe(joint: Joint) -> str:
    kind = JOINT_TYPES[joint.type]
    if joint.mimic is not None:
        source, multiplier, offset = joint.mimic
        return f"{joint.name}: {joint.type}, {multiplier:g} {source}" + (f" + {offset:g}" if offset else "")
    q = span("q", joint.q_start, kind.nq)
    v = span("v", joint.v_start, kind.nv)
    return f"{joint.name}: {joint.type}, {q}" if q[1:] == v[1:] else f"{joint.name}: {joint.type}, {q}, {v}"


def span(letter: str, start: int, count: int) -> str:
    return f"{letter}[{start}]" if count == 1 else f"{letter}[{start}:{start + count}]"


def fixed(names: list[str] | None) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:4])
    return f"with {shown}" + (f" and {len(names) - 4} more" if len(names) > 4 else "")
