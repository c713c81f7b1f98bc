"""What the reference pages need beyond Sphinx's autodoc.

- ``.. reference:: MODULE``, with a list of names: a table of them, then each with its docstring, whatever it is.
- Docstrings are written to be read in an editor; :func:`prepare` says what is done to them here.
- They name things where these are defined. Readers import them from the package, and there the links lead.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

PAGE = re.compile(r"(?:``)?docs/(\w+)\.md(?:``)?")
NORM = re.compile(r"(``.*?``)|\|([^\s|](?:[^|`]*[^\s|])?)\|")  # a literal, or what stands between two bars
SOURCE = re.compile(r"Sources?: +(?=\S)")
INITIAL = re.compile(r"^[A-Z]\.")  # of an author, and not the number of an item
SENTENCE = re.compile(r"(?:``.*?``|[^`])*?[.:](?= [A-Z`]|$)", re.DOTALL)
CODE = re.compile(r"^\s*(import|from|def|class|@|>>>) ?", re.MULTILINE)
BAR = "\N{DIVIDES}"  # looks like a bar, and is none of reStructuredText's


# ------------------------------------------------------------------------------------------------------- lists of names


class Reference(SphinxDirective):
    """``.. reference:: MODULE``: names of that module, one a line; behind a constant, its meaning."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        package = self.arguments[0]
        entries = [line.partition(" ")[::2] for line in self.content if line.strip()]
        lines = [f".. currentmodule:: {package}", "", ".. list-table::", "   :class: names", ""]
        for name, meaning in entries:
            text = meaning or first_sentence(inspect.getdoc(getattr(find(package), name)) or "")
            lines += [f"   * - :py:obj:`{name} <{package}.{name}>`", f"     - {text}"]
        for name, meaning in entries:
            lines += ["", *described(f"{package}.{name}", getattr(find(package), name), meaning)]
        return self.parse_text_to_nodes("\n".join(lines))


def first_sentence(docstring: str) -> str:
    """The sentence that a docstring begins with, without a colon at its end."""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    found = SENTENCE.match(paragraph)
    return plain_bars(found[0] if found else paragraph).rstrip(".:")


def described(path: str, value: Any, meaning: str) -> list[str]:
    """The directives that show one name."""
    if meaning:  # a constant
        return [f".. py:data:: {path.rpartition('.')[2]}", "", f"   {meaning}"]
    if inspect.isclass(value) and issubclass(value, BaseException):
        return [f".. autoexception:: {path}", "   :show-inheritance:"]
    if inspect.isclass(value):
        return [f".. autoclass:: {path}", "   :members:", "   :inherited-members: tuple, object"]
    if callable(value):
        return [f".. autofunction:: {path}"]
    raise ExtensionError(f"{path} is a constant: say behind its name what it is")


# ------------------------------------------------------------------------------------------------------------- docstrings


def prepare(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """A docstring as Sphinx understands it.

    Indented paragraphs, which are formulas and code, keep their lines. The paragraph ``Source: ...`` becomes a field beside
    arguments and results, and a file that is named, ``docs/sources.md``, a link to its page. Bars are those of a norm. The
    first line of a property is a sentence, and not a type with a colon behind it.
    """
    text = blocks_kept(lines)
    for k, line in enumerate(text):
        if SOURCE.match(line) and what != "module":
            text[k] = ":Source: " + INITIAL.sub(r"\\\g<0>", SOURCE.sub("", line))
            for j in range(k + 1, len(text)):
                if not text[j]:
                    break
                text[j] = f"   {text[j].strip()}"
    if what in ("attribute", "property"):
        text[:0] = ["..", ""]
    lines[:] = text


def blocks_kept(lines: list[str]) -> list[str]:
    """The lines, with a directive before paragraphs that are indented and belong to no section and to no list."""
    result: list[str] = []
    before, inside = "", False  # the last line of text at the margin; in an indented paragraph
    for k, line in enumerate(lines):
        indented = line.startswith("    ")
        begins = indented and not inside and k > 1 and not lines[k - 1]
        if begins and not re.match(r"[-*] |\d+\. |\.\. |[A-Z]\w+:$", before):
            block = "\n".join(lines[k:]).partition("\n\n")[0]
            result += [f".. code-block:: {'python' if CODE.search(block) else 'text'}", ""]
            inside = True
        elif line and not indented:
            # A list or a section goes on in what is indented below it, over empty lines too.
            before = line if not lines[k - 1] or k == 0 or re.match(r"[-*] |\d+\. |[A-Z]\w+:$", line) else before
            inside = False
        result.append(line if inside or line.lstrip().startswith(">>>") else PAGE.sub(page_of, plain_bars(line)))
    return result


def plain_bars(line: str) -> str:
    """``|x|`` outside of literals, which would be a substitution."""
    return NORM.sub(lambda found: found[1] or f"{BAR}{found[2]}{BAR}", line)


def page_of(found: re.Match[str]) -> str:
    """A link to the page that is made of a file."""
    return f":doc:`docs/{found[1]}.md </docs/{found[1]}>`"


# What algorithms keep in a model.
INSIDE = {f"pluecker.articulated.Model.{name}" for name in ("packed", "coordinate_tree", "tables", "plans", "ready")}


def is_left_out(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Fields of named tuples, since their class's docstring says what they are; what no user needs."""
    docstring = getattr(obj, "__doc__", None) or ""
    return True if docstring.startswith("Alias for field number") or name in INSIDE else None


# ------------------------------------------------------------------------------------------------------------------ links


def find(path: str) -> Any:
    """The object of that name, and not the module of that name where a package has both.

    Raises:
        AttributeError: there is none.
    """
    parent, _, name = path.rpartition(".")
    if not parent:
        return importlib.import_module(name)
    for owner in (find(parent), sys.modules.get(parent)):
        if hasattr(owner, name):
            return getattr(owner, name)
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        raise AttributeError(path) from None


def candidates(node: pending_xref) -> list[str]:
    """What a reference may mean: a full name, or one in its class, in its module, or in a module of its package."""
    module, kind, target = node.get("py:module") or "pluecker", node.get("py:class"), node["reftarget"]
    package = ".".join(module.split(".")[:2])
    places = [*([f"{module}.{kind}"] if kind else []), module, package]
    places += [name for name in sys.modules if name.startswith(package + ".")]
    return [*([target] if target.startswith("pluecker.") else []), *(f"{place}.{target}" for place in places)]


def public_names(env: BuildEnvironment) -> dict[int, str]:
    """The names under which things are in the reference, by the thing itself."""
    kinds = ("function", "class", "exception", "module")
    objects = env.get_domain("py").objects
    return {id(find(name)): name for name, entry in objects.items() if entry.objtype in kinds}


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Node) -> nodes.Node | None:
    """A reference to something by the name that it has inside the package: a link if it is public, no link if it is not.

    What is nowhere in the package is left to Sphinx, which complains.
    """
    if node.get("refdomain") != "py":
        return None
    domain = env.get_domain("py")
    public = public_names(env)
    for path in candidates(node):
        try:
            found = find(path)
        except AttributeError:
            continue
        name = public.get(id(found))
        if name is None:  # a method, or an attribute, of something public
            owner, _, last = path.rpartition(".")
            name = f"{public.get(id(find(owner)))}.{last}"
        if name in domain.objects:
            return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, contnode)
        return contnode
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("reference", Reference)
    app.connect("autodoc-process-docstring", prepare, priority=400)  # before napoleon, which has 500
    app.connect("autodoc-skip-member", is_left_out)
    app.connect("missing-reference", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
