"""Robots to begin with: the arm inside the package, and the URDF files of example-robot-data if that is installed."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError
from pluecker.spatial.extras import MissingExtraError

__all__ = ["SEVEN_JOINT_ARM", "example_robots", "find_robot"]

SEVEN_JOINT_ARM = Path(__file__).parent / "seven_joint_arm.urdf"
DISTRIBUTION = "example-robot-data"


def example_robots() -> dict[str, Path]:
    """Return the URDF files of example-robot-data, by the name of their folder and their own: ``panda/panda``.

    Raises:
        MissingExtraError: example-robot-data is not installed.

    Source: example-robot-data, https://github.com/Gepetto/example-robot-data.
    """
    try:
        files = importlib.metadata.distribution(DISTRIBUTION).files or []
    except importlib.metadata.PackageNotFoundError:
        message = f"robots by name need {DISTRIBUTION}, which is not installed: pip install 'pluecker[robots]'"
        raise MissingExtraError(message) from None
    found = {}
    for file in files:
        if file.suffix == ".urdf" and "robots" in file.parts:
            folder = file.parts[file.parts.index("robots") + 1]
            for ending in ("_description", "_data", "_simple"):
                folder = folder.removesuffix(ending)
            found[f"{folder}/{file.stem}"] = Path(str(file.locate()))
    return dict(sorted(found.items()))


def find_robot(name: str) -> Path:
    """Return the URDF file that a name stands for: ``"seven_joint_arm"``, which comes with the package, or one of
    :func:`example_robots`, by the file's own name, the folder's, or both; the shortest one if several fit.

    Raises:
        TypeError: the name is no string.
        KeyError: no robot has that name.
        MissingExtraError: example-robot-data is not installed.

    Source: example-robot-data, https://github.com/Gepetto/example-robot-data.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"find_robot: name is a {type(name).__name__}, expected a string")
    if name == SEVEN_JOINT_ARM.stem:
        return SEVEN_JOINT_ARM
    robots = example_robots()
    tests = (
        lambda key: name in (key, key.split("/")[1]),
        lambda key: name == key.split("/")[0],
        lambda key: key.split("/")[1].startswith(name),
    )
    for test in tests:
        fitting = [key for key in robots if name and test(key)]
        if fitting:
            return robots[min(fitting, key=lambda key: (len(key), key))]
    folders = sorted({key.split("/")[0] for key in robots})
    raise UnknownNameError(
        f"no robot {name[:100]!r} in {DISTRIBUTION}; there are {', '.join(folders)}, most in several versions"
    )
