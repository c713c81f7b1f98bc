"""Friction problems to measure on: the files of a folder, or random packings of spheres where there is none."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from benchmarks.families import FAMILIES
from pluecker.contact.friction.files.fclib import GlobalForm, read_fclib, read_fclib_form
from pluecker.contact.friction.problem.problem import Problem
from pluecker.spatial.properties import cached_property

__all__ = ["FOLDER", "VARIABLE", "Case", "find_cases", "packing"]

VARIABLE = "PLUECKER_FRICTION"
FOLDER = Path(__file__).resolve().parents[3] / "shared/data/friction"
PILES = (60, 120, 250, 500)  # contacts of the random packings


@dataclass(frozen=True, eq=False)
class Case:
    """A problem and its name.

    Attributes:
        name: for tables.
        problem: as :func:`~pluecker.contact.friction.solving.solve.solve` takes it.
        path: of its file, if it has one.
    """

    name: str
    problem: Problem
    path: Path | None = None

    @cached_property
    def velocity_form(self) -> GlobalForm | None:
        """Mass matrix and Jacobian, where the file has them."""
        form = None if self.path is None else read_fclib_form(self.path)
        return form if isinstance(form, GlobalForm) else None


def find_cases(folder: Path | None, quick: bool = False) -> tuple[list[Case], str]:
    """The problems, and a sentence on where they are from; ``quick``: fewer packings, if they take the place of files."""
    given = folder or (Path(os.environ[VARIABLE]) if VARIABLE in os.environ else FOLDER)
    files = sorted(given.glob("*.hdf5"))
    if files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an asymmetric W: its symmetric part is what is solved
            cases = [Case(short(path), read_fclib(path), path) for path in files]
        return cases, f"The {len(files)} FCLIB files of a folder named {given.name}."
    if folder is not None:
        raise SystemExit(f"contact: no .hdf5 files in {folder}")
    cases = [
        Case(f"packing of spheres, {count} contacts", packing(count, seed))
        for seed, count in enumerate(PILES[: 2 if quick else None])
    ]
    text = f"No FCLIB files were found (name a folder, or set {VARIABLE}): random packings of spheres take their place."
    return cases, text


def short(path: Path) -> str:
    """The name of a file without its numbers at the end."""
    return re.split(r"-i\d", path.stem)[0].replace("_", " ")


def packing(contacts: int, seed: int = 0) -> Problem:
    """One step of spheres that lie in a box and move at random: the family ``jammed``."""
    return FAMILIES["jammed"](contacts, seed).problem
