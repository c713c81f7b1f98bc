"""Runs the notebooks, and writes them with their outputs: ``python -m notebooks.make [NAME ...]``.

The truth is in the ``.py`` files (py:percent, which jupytext reads); the ``.ipynb`` beside each is for reading. What is
written depends on the source alone, as far as its own outputs do: no times, counters, versions, paths or warnings.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

__all__ = ["HERE", "execute", "source_files", "tidy"]

HERE = Path(__file__).resolve().parent
PYTHON3 = {"display_name": "Python 3", "language": "python", "name": "python3"}
LONGEST = 60  # seconds that a notebook should take at most, once its functions are compiled
COMPILING = 600  # seconds that one cell may take: its first call may have to compile


def source_files() -> list[Path]:
    """The notebooks, in their order."""
    return sorted(HERE.glob("[0-9][0-9]_*.py"))


def execute(path: Path) -> Any:
    """Run a source in a fresh kernel of this interpreter, in its own folder; the notebook with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    notebook = jupytext.read(path)
    notebook.metadata = nbformat.from_dict({"kernelspec": PYTHON3, "language_info": {"name": "python"}})
    with tempfile.TemporaryDirectory() as settings:  # and not those of whoever runs it
        env = os.environ | {
            "IPYTHONDIR": settings,
            "JUPYTER_PLATFORM_DIRS": "1",
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",  # NumPy's threads would wait for one another where other work is done beside
        }
        client = NotebookClient(
            notebook,
            timeout=COMPILING,
            kernel_name="python3",
            record_timing=False,
            extra_arguments=["--log-level=40"],  # no warnings of the kernel's own
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute(env=env)
    return tidy(notebook)


def tidy(notebook: Any) -> Any:
    """The notebook without what changes from one run to the next."""
    notebook.metadata = nbformat.from_dict({"kernelspec": PYTHON3, "language_info": {"name": "python"}})
    animations = count()
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k == "tags"})
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [plain(output, animations) for output in joined(cell.outputs)]
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def joined(outputs: list[Any]) -> list[Any]:
    """Join what was printed to one text, however it arrived; warnings are left out."""
    kept: list[Any] = []
    for output in outputs:
        if output.output_type == "stream":
            if output.name == "stderr":
                continue
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += output.text
                continue
        kept.append(output)
    return kept


def plain(output: Any, animations: Any) -> Any:
    """One output without counters, addresses, paths of this machine and random names."""
    if output.output_type == "stream":
        output.text = neutral(output.text)
    if output.output_type == "execute_result":
        output.execution_count = None
    for kind, data in output.get("data", {}).items():
        if kind == "text/plain":
            output.data[kind] = neutral(data)
        if kind == "text/html":  # matplotlib gives each animation a random name
            for name in dict.fromkeys(re.findall(r"_anim_img([0-9a-f]{32})", data)):
                output.data[kind] = output.data[kind].replace(name, f"{next(animations):04d}")
    return output


def neutral(text: str) -> str:
    """Without addresses of objects, and paths of this machine."""
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace(str(HERE.parent), "...")


def main() -> None:
    """Make all notebooks, or those whose names begin as the arguments do."""
    wanted = tuple(sys.argv[1:])
    for path in source_files():
        if wanted and not path.name.startswith(wanted):
            continue
        start = time.perf_counter()
        notebook = execute(path)
        took = time.perf_counter() - start
        result = path.with_suffix(".ipynb")
        nbformat.write(notebook, result)
        note = "   long, if nothing had to be compiled" if took > LONGEST else ""
        print(f"{result.name:44s} {took:5.1f} s {result.stat().st_size / 1e3:7.0f} kB{note}", flush=True)


if __name__ == "__main__":
    main()
