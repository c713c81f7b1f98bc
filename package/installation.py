"""Versions, processor and folders of this installation: :func:`show_config`, and ``pluecker info`` without a robot.

All of it is for reports of issues, and is found without importing Numba or SciPy: by the metadata of installed
packages, by the system, and by Numba's rules on where compiled code is kept. :func:`shipped_code` alone knows whether some
came with the installation, and imports NumPy if some did.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Literal, overload

__all__ = ["shipped_code", "show_config"]

PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
VARIABLES = re.compile(r"NUMBA_\w+|PLUECKER_\w+|(OMP|OPENBLAS|MKL)_NUM_THREADS")  # those that change results or times
# Levels of the x86-64 psABI, and what Linux calls the instructions of each, beyond those of the level before.
LEVELS = {
    "x86-64": "fxsr cmov cx8 mmx sse sse2 syscall",
    "x86-64-v2": "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3",
    "x86-64-v3": "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave",
    "x86-64-v4": "avx512bw avx512cd avx512dq avx512f avx512vl",
}
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:;(?P<marker>.*))?")
OF_EXTRA = re.compile(r"extra\s*==\s*['\"](?P<extra>[\w.-]+)['\"]")
BELOW = re.compile(r"python_version\s*<\s*['\"](\d+)\.(\d+)['\"]")


@overload
def show_config(mode: Literal["stdout"] = ...) -> None: ...


@overload
def show_config(mode: Literal["dicts"]) -> dict[str, Any]: ...


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Print which versions, which processor and which folders this installation works with, for reports of issues.

    ``pluecker info`` on the command line prints the same. Nothing is imported or compiled for it.

    =================  ==========================================================================================
    entry              what it has
    =================  ==========================================================================================
    ``pluecker``       ``version``, and ``folder``: where it is installed
    ``python``         ``version``, ``implementation``, ``executable``
    ``packages``       versions of numpy, numba, llvmlite and scipy; None for one that is not installed
    ``system``         ``platform``, ``machine``
    ``processor``      ``name``; ``level`` of its instructions, ``"x86-64-v3"`` and the like, None where the system does
                       not say; ``threads``: how many batches use unless told otherwise
    ``compiled_code``  ``folder``: where it is kept between processes, None if no folder can be written; ``not_writable``:
                       folders that come before it and cannot be written; ``shipped``: about machine code that came with
                       the installation, None if none did: its ``level`` and how many ``functions``, or why it is ``unused``
    ``extras``         for each extra the versions of its packages, None for one that is not installed
    ``variables``      environment variables that change what Numba and libraries with threads do, as far as they are set
    =================  ==========================================================================================

    Args:
        mode: ``"stdout"`` prints it, ``"dicts"`` returns it, as with ``numpy.show_config``.

    Returns:
        Nothing, or with ``"dicts"`` the entries above.

    Raises:
        ValueError: there is no such mode.

    Example:
        >>> import pluecker
        >>> pluecker.show_config("dicts")["pluecker"]["version"] == pluecker.__version__
        True
    """
    if mode == "dicts":
        return configuration()
    if mode != "stdout":
        from pluecker.spatial.errors import ArgumentValueError, shown

        raise ArgumentValueError(f"show_config: mode is {shown(mode)}, expected 'stdout' or 'dicts'")
    print(as_text(configuration()))
    return None


def shipped_code() -> dict[str, Any] | None:
    """Return what is known about machine code that came with the installation; None if none did.

    ``level``: the processors for which the code is that is used; ``functions``: how many have some; ``unused``: why it is
    not used, if it is not.
    """
    spatial = importlib.util.find_spec("pluecker.spatial")
    if spatial is None or not (Path(spatial.origin or "").parent / "engine" / "shipped" / "index.json").exists():
        return None
    from pluecker.spatial.engine.compiled.shipped_code import shipped

    found = shipped()
    return (
        {"unused": found.reason} if found.level is None else {"level": found.level, "functions": len(found.functions)}
    )


def configuration() -> dict[str, Any]:
    """Gather the entries of :func:`show_config`."""
    door, places = sys.modules["pluecker"], cache_places()  # which is loaded, and imports this file
    first = next((k for k, place in enumerate(places) if can_be_written(place)), len(places))
    return {
        "pluecker": {"version": door.__version__, "folder": str(Path(__file__).resolve().parent)},
        "python": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "executable": sys.executable,
        },
        "packages": {name: version_of(name) for name in PACKAGES},
        "system": {"platform": platform.platform(), "machine": platform.machine()},
        "processor": {**processor(), "threads": threads()},
        "compiled_code": {
            "folder": str(places[first]) if first < len(places) else None,
            "not_writable": [str(place) for place in places[:first]],
            "shipped": shipped_code(),
        },
        "extras": extras(),
        "variables": {name: os.environ[name] for name in sorted(os.environ) if VARIABLES.fullmatch(name)},
    }


def as_text(config: dict[str, Any]) -> str:
    """Write the entries as lines of a name and what it has; the user's home is ``~``."""
    packages, code, found = config["packages"], config["compiled_code"], config["extras"]
    there = {extra: has for extra, has in found.items() if None not in has.values()}
    if config["variables"].get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        kept = "none: NUMBA_DISABLE_JIT is set, kernels are plain Python"
    elif code["folder"] is None:
        kept = "kept nowhere: no folder can be written, each process compiles anew"
    else:
        kept = f"kept in {code['folder']}" + "".join(f"; {place} cannot be written" for place in code["not_writable"])
    shipped = code["shipped"]
    lines = [
        ("pluecker", f"{config['pluecker']['version']}, in {config['pluecker']['folder']}"),
        ("Python", "{version}, {implementation}, {executable}".format(**config["python"])),
        ("packages", ", ".join(f"{name} {number or 'is not installed'}" for name, number in packages.items())),
        ("system", "{platform}, {machine}".format(**config["system"])),
        ("processor", f"{config['processor']['name']}, {config['processor']['level'] or 'level not known'}"),
        ("threads", f"{config['processor']['threads']}, for batches"),
        ("compiled code", kept),
        ("shipped code", pairs(shipped, "=") if shipped else "none: all is compiled on this machine"),
        ("variables", pairs(config["variables"], "=") or "none of those that matter is set"),
        (
            "extras",
            wrapped("; ".join(f"{extra}: {pairs(has)}" if has else extra for extra, has in there.items()) or "none"),
        ),
        ("without", ", ".join(extra for extra in found if extra not in there) or "no extra is missing"),
    ]
    return "\n".join(f"{name:15}{shortened(text)}" for name, text in lines)


def pairs(entries: dict[str, Any], between: str = " ") -> str:
    """Write names and values in a line."""
    return ", ".join(f"{name}{between}{value}" for name, value in entries.items())


def wrapped(text: str) -> str:
    """Break a list into lines, between its words, which stand below one another."""
    return textwrap.fill(text, 100, subsequent_indent=15 * " ", break_long_words=False, break_on_hyphens=False)


def shortened(text: str) -> str:
    """Write ``~`` for the user's home, whose name is nobody's business."""
    home = os.path.expanduser("~")
    return text.replace(home + os.sep, "~" + os.sep) if len(home) > 1 else text


# ------------------------------------------------------------------------------------------------------------ what is there


def version_of(package: str) -> str | None:
    """Return the version of an installed package by its metadata, without importing it; None if it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def extras() -> dict[str, dict[str, str | None]]:
    """Return the versions of the packages of each extra; of those that are made of other extras there is none."""
    found: dict[str, dict[str, str | None]] = {}
    for extra, name in optional_requirements():
        found.setdefault(extra, {})
        if name is not None:
            found[extra][name] = version_of(name)
    return {extra: has for extra, has in found.items() if "pluecker" not in has}


def optional_requirements() -> Iterator[tuple[str, str | None]]:
    """Yield each extra with the packages that it brings, with None for one that this Python does not need."""
    try:
        stated = requires("pluecker") or []
    except PackageNotFoundError:  # a folder on the path that nobody installed
        return
    for text in stated:
        parts = REQUIREMENT.match(text)
        marker = (parts and parts["marker"]) or ""
        extra, below = OF_EXTRA.search(marker), BELOW.search(marker)
        if parts and extra:
            needed = below is None or sys.version_info[:2] < (int(below[1]), int(below[2]))
            yield extra["extra"], parts["name"] if needed else None


def processor() -> dict[str, str | None]:
    """Return the name of the processor, and the level of its instructions where Linux lists them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    entries = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    name = entries.get("model name") or platform.processor() or platform.machine()
    return {"name": name, "level": level(set(entries.get("flags", "").split()))}


def level(flags: set[str]) -> str | None:
    """Return the highest level of x86-64 of which all instructions are there; None if there is none."""
    reached = None
    for name, instructions in LEVELS.items():
        if not flags.issuperset(instructions.split()):
            break
        reached = name
    return reached


def threads() -> int:
    """Return the number of cores that this process may run on: as many threads take part in a batch."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ----------------------------------------------------------------------------------------------------------- compiled code


def cache_places() -> list[Path]:
    """List where Numba tries to keep compiled code, in its order; it takes the first folder that can be written.

    ``NUMBA_CACHE_DIR`` if it is set; ``__pycache__`` beside each file, of which that of :mod:`pluecker.spatial` stands for
    all; the user's cache.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    found = importlib.util.find_spec("pluecker.spatial")
    beside = [Path(found.origin).parent / "__pycache__"] if found and found.origin else []
    return [*([Path(chosen)] if chosen else []), *beside, user_cache()]


def user_cache() -> Path:
    """Return Numba's folder in the user's cache, where each system has it."""
    home = Path("~").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local", "numba", "Cache")
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache", "numba")


def can_be_written(folder: Path) -> bool:
    """Return whether a file can be made in a folder, or in the nearest one above that is there."""
    while not folder.is_dir():
        if folder.exists() or folder == folder.parent:
            return False
        folder = folder.parent
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
