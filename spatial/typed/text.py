"""Text of typed quantities: numbers with six digits, the first entries of a batch, and LaTeX for notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from pluecker.spatial.functions.arguments import Array

__all__ = ["SHOWN", "bmatrix", "frame_latex", "number", "number_latex", "written"]

SHOWN = 3  # entries of a batch that are shown
SPECIAL = str.maketrans({c: f"\\{c}" for c in "_{}$%&#"} | {"\\": r"\backslash ", "^": r"\hat{\ }", "~": r"\sim "})


def number(x: float) -> str:
    """Six digits, and no minus before a zero."""
    return f"{x + 0.0:.6g}"


def written_array(array: Array) -> str:
    """Nested brackets; a matrix of more than three rows takes a line for each."""
    if array.ndim == 0:
        return number(float(array))
    parts = [written_array(part) for part in array]
    if array.ndim == 2 and len(array) > 3:
        return "[\n  " + ",\n  ".join(parts) + "]"
    return f"[{', '.join(parts)}]"


def written(name: str, shape: tuple[int, ...], fields: Mapping[str, Array], frames: Mapping[str, str | None]) -> str:
    """A call with the parts by name, or for a batch its shape and the first entries, one in each line.

    ``fields`` holds the first entries in a row, also where there is only one.
    """
    named = [f"{key}={frame!r}" for key, frame in frames.items() if frame is not None]
    shown = len(next(iter(fields.values())))
    entries = [[f"{key}={written_array(value[k])}" for key, value in fields.items()] for k in range(shown)]
    if not shape:
        return f"{name}({', '.join(entries[0] + named)})"
    lines = [f"{name}({', '.join([f'shape={shape}', *named])})"]
    for k, entry in enumerate(entries):
        index = ", ".join(str(int(n)) for n in np.unravel_index(k, shape))
        lines.append(f"  [{index}] {', '.join(entry)}".replace("\n", "\n  "))
    return "\n".join([*lines, "  ..."] if math.prod(shape) > shown else lines)


def number_latex(x: float) -> str:
    """Six digits, with the power of ten written as such."""
    mantissa, _, exponent = number(x).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def frame_latex(frame: str | None) -> str:
    """The name of a frame in upright letters."""
    return rf"\mathrm{{{frame.translate(SPECIAL)}}}" if frame else ""


def bmatrix(rows: Sequence[Sequence[float]] | Array) -> str:
    """A matrix in brackets."""
    lines = [" & ".join(number_latex(float(x)) for x in row) for row in rows]
    return r"\begin{bmatrix} " + r" \\ ".join(lines) + r" \end{bmatrix}"
