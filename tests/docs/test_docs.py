"""The site, as far as it can be seen without building it: complete, and every page is found. ``make docs`` does the rest."""

import fnmatch
import importlib
import importlib.util
import inspect
import posixpath
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGES = (
    "pluecker",
    "pluecker.spatial",
    "pluecker.articulated",
    "pluecker.contact",
    "pluecker.course",
    "pluecker.teaching",
)
PARTS = (
    *("pluecker.course.planar", "pluecker.spatial.shapes", "pluecker.course.two_body", "pluecker.spatial.strategies"),
    *("pluecker.articulated.conventions", "pluecker.articulated.robots", "pluecker.articulated.strategies"),
    "pluecker.contact.strategies",
)
PLACES = (
    "*.md",
    "docs/**/*.md",
    "docs/**/*.rst",
    "benchmarks/results/**/*.md",
    "notebooks/README.md",
    "notebooks/*.ipynb",
)
TOCTREE = {
    ".md": re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL),
    ".rst": re.compile(r"^\.\. toctree::\n((?:   .*\n|\n)*)", re.MULTILINE),
}
REFERENCE = re.compile(r"^\.\. reference:: (\S+)\n\n((?:   .*\n|\n)*)", re.MULTILINE)


def found(path):
    """A module, or what a package has of that name."""
    if path != "pluecker" and hasattr(owner := found(path.rpartition(".")[0]), path.rpartition(".")[2]):
        return getattr(owner, path.rpartition(".")[2])
    return importlib.import_module(path)


def documented():
    """The full names on the reference pages."""
    for page in sorted((TOP / "docs" / "reference").rglob("*.rst")):
        for module, block in REFERENCE.findall(page.read_text(encoding="utf-8")):
            if module in PACKAGES and not importlib.util.find_spec(module):
                continue
            yield from (f"{module}.{line.split()[0]}" for line in block.splitlines() if line.strip())


@pytest.mark.parametrize("module", [*PACKAGES, *PARTS])
def test_every_public_name_is_on_a_reference_page(module):
    if module in PACKAGES and not importlib.util.find_spec(module):
        pytest.skip(f"there is no {module}")
    on_pages = set(documented())
    things = {id(found(name)) for name in on_pages}
    for name in found(module).__all__:
        thing = found(f"{module}.{name}")
        if inspect.ismodule(thing):
            assert any(page.startswith((f"{module}.{name}.", f"{thing.__name__}.")) for page in on_pages), name
        elif name != "__version__":
            assert f"{module}.{name}" in on_pages or id(thing) in things, name


def test_every_name_on_a_reference_page_is_public_and_there_once():
    names = list(documented())
    assert len(names) == len(set(names))
    for name in names:
        module, _, last = name.rpartition(".")
        assert last in found(module).__all__, name


def entries(page, pages):
    """The pages below one in the navigation."""
    for block in TOCTREE[posixpath.splitext(page)[1]].findall((TOP / page).read_text(encoding="utf-8")):
        for line in block.splitlines():
            entry = line.strip()
            if entry and not entry.startswith(":"):
                entry = entry.rpartition("<")[2].rstrip(">")
                path = posixpath.normpath(posixpath.join(posixpath.dirname(page), entry))
                yield from (other for other in pages if fnmatch.fnmatch(posixpath.splitext(other)[0], path))


def test_every_page_is_in_the_navigation():
    pages = {path.relative_to(TOP).as_posix() for place in PLACES for path in TOP.glob(place)}
    reached, new = set(), {"docs/index.md"}
    while new:
        reached |= new
        new = {entry for page in new if not page.endswith(".ipynb") for entry in entries(page, pages)} - reached
    assert reached == pages


@pytest.mark.parametrize(
    "page", sorted(path.relative_to(TOP).as_posix() for place in PLACES for path in TOP.glob(place))
)
def test_links_from_page_to_page_lead_to_files_on_the_code_host_too(page):
    text = re.sub(r"```.*?```", "", (TOP / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"\w+:|#", target):
            assert ((TOP / page).parent / target.partition("#")[0]).exists(), target


def extension(name):
    """A file of docs/site, which is no package."""
    spec = importlib.util.spec_from_file_location(name, TOP / "docs" / "site" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DOCSTRING = """The norm |x| of a vector, not ``|x|``.

It is the largest number with

    |a . x| <= |a| for all a

and has these parts:

- one, of which there is more,

  in a second paragraph.

Args:
    x: a vector.

        Of any size.

Source: A. Author, see docs/sources.md
and section 2.""".splitlines()

PREPARED = """The norm ∣x∣ of a vector, not ``|x|``.

It is the largest number with

.. code-block:: text

    |a . x| <= |a| for all a

and has these parts:

- one, of which there is more,

  in a second paragraph.

Args:
    x: a vector.

        Of any size.

:Source: \\A. Author, see :doc:`docs/sources.md </docs/sources>`
   and section 2.""".splitlines()


def test_docstrings_become_what_sphinx_reads_as_they_are_meant():
    pytest.importorskip("sphinx", reason="Sphinx is not installed (extra docs)")
    references, lines = extension("references"), list(DOCSTRING)
    references.prepare(None, "function", "norm", None, None, lines)
    assert lines == PREPARED
    assert references.first_sentence("The norm |x|. And more: of it.") == "The norm ∣x∣"
    assert (
        references.first_sentence("``a . b``, a product: of vectors\nin 3D.\n\nMore.")
        == "``a . b``, a product: of vectors in 3D"
    )
