"""Friction problems to measure on: the files of a folder, or random packings of spheres where there is none."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from pluecker.contact.files.fclib import GlobalForm, read_fclib, read_fclib_form
from pluecker.contact.problem.problem import Problem
from pluecker.contact.scenes.assembly import assemble_contacts
from pluecker.contact.scenes.bodies import Bodies
from pluecker.contact.scenes.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["FOLDER", "VARIABLE", "Case", "find_cases", "packing"]

VARIABLE = "PLUECKER_FRICTION"
FOLDER = Path(__file__).resolve().parents[2] / "shared/data/friction"
PILES = (60, 120, 250, 500)  # contacts of the random packings
RADIUS, DENSITY, STEP = 0.5, 1000.0, 1e-2
SHARE = 0.64  # of the box that spheres take: about as dense as a random packing can be
PUSHES = 60  # rounds in which spheres that overlap are pushed apart
CONTACTS_EACH = 3.0  # for each sphere, about


@dataclass(frozen=True, eq=False)
class Case:
    """A problem and its name.

    Attributes:
        name: for tables.
        problem: as :func:`~pluecker.contact.solving.solve.solve` takes it.
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
    """One step of spheres that lie in a box and move at random: so many contacts, the nearest ones.

    Body 0 is the box. Spheres start at random places, and are pushed apart until they hardly overlap.
    """
    rng = np.random.default_rng(seed)
    n = max(8, round(contacts / CONTACTS_EACH))
    edge = RADIUS * (4.0 / 3.0 * np.pi * n / SHARE) ** (1.0 / 3.0)
    position = rng.uniform(RADIUS, edge - RADIUS, (n, 3))
    for _ in range(PUSHES):
        pairs, distance, normal = near(position, 2.0 * RADIUS)
        push = 0.5 * np.maximum(2.0 * RADIUS - distance, 0.0)[:, None] * normal
        for k, sign in ((0, -1.0), (1, 1.0)):
            np.add.at(position, pairs[:, k], sign * push)
        position = np.clip(position, RADIUS, edge - RADIUS)
    pairs, distance, normal = near(position, 3.0 * RADIUS)
    gap = distance - 2.0 * RADIUS
    first, walls = position[pairs[:, 0]], []
    points = first + (RADIUS + 0.5 * gap)[:, None] * normal
    for axis in range(3):
        for side in (0.0, edge):
            inward = np.where(np.arange(3) == axis, 1.0 if side == 0.0 else -1.0, 0.0)
            apart = np.abs(position[:, axis] - side) - RADIUS
            spheres = np.flatnonzero(apart < RADIUS)
            point = position[spheres] - RADIUS * inward
            walls.append((spheres, apart[spheres], np.tile(inward, (len(spheres), 1)), point))
    spheres, apart, inward, point = (np.concatenate(part) for part in zip(*walls, strict=True))
    with_box = np.stack([np.zeros(len(spheres), np.int64), spheres + 1], axis=1)
    bodies = np.concatenate([with_box, pairs + 1])
    gap = np.concatenate([apart, gap])
    chosen = np.sort(np.argsort(gap, kind="stable")[:contacts])
    table = ContactTable(
        bodies[chosen], np.concatenate([inward, normal])[chosen], np.concatenate([point, points])[chosen],
        np.maximum(gap[chosen], 0.0), friction=rng.uniform(0.2, 0.8, len(chosen)),
    )  # fmt: skip
    return assemble_contacts(spheres_of(position, rng), table, STEP)


def near(position: Array, reach: float) -> tuple[Array, Array, Array]:
    """Pairs of spheres whose centres are nearer than that, their distances, and the directions from one to the other."""
    pairs = cKDTree(position).query_pairs(reach, output_type="ndarray").astype(np.int64)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    way = position[pairs[:, 1]] - position[pairs[:, 0]]
    distance = np.maximum(np.linalg.norm(way, axis=1), 1e-12)
    return pairs, distance, way / distance[:, None]


def spheres_of(position: Array, rng: np.random.Generator) -> Bodies:
    """The box, which is static, and spheres under gravity with random velocities."""
    n = len(position)
    mass = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
    inertia = np.full((n + 1, 3), 0.4 * mass * RADIUS**2)
    velocity = np.concatenate([np.zeros((1, 6)), 0.2 * rng.normal(size=(n, 6))])
    masses = np.concatenate([[np.inf], np.full(n, mass)])
    return Bodies(masses, inertia, np.concatenate([np.zeros((1, 3)), position]), velocity=velocity).with_gravity()
