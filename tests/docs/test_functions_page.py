"""The page of all functions: complete, without names that do not exist, each line with all it has to say."""

import importlib
import re
from pathlib import Path

import pytest

import pluecker.articulated.conventions
import pluecker.contact
import pluecker.course
import pluecker.spatial

PAGE = Path(__file__).resolve().parents[2] / "docs" / "functions.md"
PACKAGES = (
    "pluecker.spatial",
    "pluecker.course",
    "pluecker.articulated",
    "pluecker.contact",
    "pluecker.articulated.conventions",
)
MODULES = ("planar", "shapes", "two_body")
NO_COST = {"constraints", "planar", "planar.D_O", "planar.D_X", "planar.D_Y", "shapes", "two_body"}
LETTERS = re.compile(r"1|n|s|p|K|z|m|as |the |two |their |twice |minutes|an eighth|12 calls|eta")


def rows():
    """Package, header of the table, and cells of each line."""
    package = header = None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            package, header = line[3:], None
        elif not line.startswith("|"):
            header = None
        elif header is None:
            header = [cell.strip() for cell in line.strip("|").split("|")]
        elif not line.startswith("|---"):
            yield (
                package,
                header,
                [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")],
            )


def entries(package, of):
    """The cells of all tables of a package that begin with that word."""
    return [cells for where, header, cells in rows() if where == package and header[0] == of]


def names(package):
    """All that a package's tables name, in their first column."""
    cells = entries(package, "function") + entries(package, "name")
    return [name for first, *_ in cells for name in re.findall(r"`([\w.]+)`", first)]


def expected(package):
    """List the names that the package exports, and those of its modules without classes, which are results."""
    module = importlib.import_module(package)
    found = list(module.__all__)
    for name in MODULES:
        if name in found:
            part = getattr(module, name)
            found += [f"{name}.{own}" for own in part.__all__ if not isinstance(getattr(part, own), type)]
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_on_the_page_once_and_no_other(package):
    assert sorted(names(package)) == sorted(expected(package))


@pytest.mark.parametrize("package", PACKAGES)
def test_classes_and_functions_are_in_tables_of_their_own(package):
    module = importlib.import_module(package)
    for first, *_ in entries(package, "function"):
        head = first.strip("`").split(".")[0]
        assert not isinstance(getattr(module, head), type), first
    for first, what in entries(package, "name"):
        assert what, first
        for name in re.findall(r"`(\w+)`", first):
            thing = getattr(module, name)
            assert isinstance(thing, type) or name.isupper(), name


@pytest.mark.parametrize("package", PACKAGES)
def test_each_line_says_what_it_does_and_what_it_costs(package):
    for first, what, cost, *rest in entries(package, "function"):
        name = first.strip("`")
        assert len(rest) == 2, first
        assert what, first
        assert LETTERS.match(cost) or (name in NO_COST and not cost), (first, cost)


def elsewhere(prefix):
    """All names with that prefix in the last column."""
    text = " ".join(cells[-1] for _, header, cells in rows() if header[0] == "function")
    return sorted(set(re.findall(rf"`({prefix}[\w.]+)`", text)))


def resolve(thing, path):
    for part in path.split("."):
        thing = getattr(thing, part)
    return thing


def test_names_of_pinocchio_exist():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    found = elsewhere(r"pin\.")
    assert len(found) > 50
    for name in found:
        assert resolve(pin, name.removeprefix("pin.")) is not None


def test_names_of_mujoco_exist():
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")
    found = elsewhere(r"(?:mj[ud]?_|MjData\.|MjModel\.)")
    assert len(found) > 30
    for name in found:
        assert resolve(mujoco, name) is not None


def test_every_method_of_the_contact_solver_is_spoken_of():
    text = PAGE.read_text(encoding="utf-8")
    for name in pluecker.contact.METHODS:
        assert name == "auto" or f"`{name}`" in text
