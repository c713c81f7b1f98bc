"""In README, notebooks and other pages of Markdown, code that is the name of a function or of a page becomes a link to it.

On the code host it is code. So text needs no links beside the names, and they lead somewhere in both places.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from references import find
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

OURS = re.compile("function|library|here")  # headings of columns with what we call things
OTHERS = re.compile("elsewhere|Pinocchio|MuJoCo|Drake|spatial_v2|Chrono|extra")  # and with what others do
PLAIN = re.compile("[a-z]+")  # a word
RESULTS = "benchmarks/"  # pages on which words are names of programs and methods too


def names_in_text(env: BuildEnvironment) -> tuple[dict[str, str], set[str]]:
    """The full name by what text calls a thing: the same, or what is behind the package's name if no other package has it.

    And all names of arguments, which text may mean as well.
    """
    objects = {name: entry for name, entry in env.get_domain("py").objects.items() if not entry.aliased}
    modules = {name for name, entry in objects.items() if entry.objtype == "module"}
    short: dict[str, list[str]] = {}
    arguments: set[str] = set()
    for name in objects:
        package = max((module for module in modules if name.startswith(module + ".")), key=len, default="")
        short.setdefault(name.removeprefix(package + "."), []).append(name)
        if inspect.isfunction(find(name)) or inspect.ismethod(find(name)):
            arguments |= set(inspect.signature(find(name)).parameters)
    alone = {key: names[0] for key, names in short.items() if len(names) == 1 and names[0] not in modules}
    return {**{name: name for name in objects}, **alone}, arguments


def section_package(node: nodes.Node) -> str:
    """The package that the heading of a section around a node names; nothing if none does."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.section) and (found := re.match(r"pluecker\.\w+(\.\w+)*", node[0].astext())):
            return found[0]
    return ""


def column(node: nodes.Node) -> str:
    """The heading of the column of a table that a node is in; nothing if it is in none."""
    while node.parent is not None and not isinstance(node, nodes.entry):
        node = node.parent
    if node.parent is None:
        return ""
    heads = [
        entry.astext() for head in node.parent.parent.parent.findall(nodes.thead) for entry in head.findall(nodes.entry)
    ]
    place = node.parent.index(node)
    return heads[place] if place < len(heads) else ""


def link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Names of functions, and of files that are pages, as links."""
    env = app.env
    if str(env.doc2path(page)).endswith(".rst"):
        return
    if not hasattr(app, "names_in_text"):
        app.names_in_text = names_in_text(env)
    objects = env.get_domain("py").objects
    names, arguments = app.names_in_text
    for literal in list(doctree.findall(nodes.literal)):
        text = literal.astext()
        heading = column(literal)
        if isinstance(literal.parent, nodes.reference | nodes.title) or OTHERS.search(heading):
            continue
        name = text.partition("(")[0]
        target = f"{section_package(literal)}.{name}"
        if target not in objects:
            word = name in arguments or (page.startswith(RESULTS) and PLAIN.fullmatch(name))
            target = "" if word and not OURS.search(heading) else names.get(name, "")
        if target:
            place, anchor = objects[target].docname, objects[target].node_id
        elif text.endswith(".md") and text.removesuffix(".md") in env.found_docs:
            place, anchor = text.removesuffix(".md"), ""
        elif f"notebooks/{text.removesuffix('.ipynb')}" in env.found_docs:
            place, anchor = f"notebooks/{text.removesuffix('.ipynb')}", ""
        else:
            continue
        if place != page:
            literal.replace_self(make_refnode(app.builder, page, place, anchor, literal.deepcopy()))


def name_pages(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """README is called Start, as in the navigation, where pages before and after it lead there."""
    for neighbour in (context.get("prev"), context.get("next")):
        if neighbour and neighbour["link"].endswith("README.html") and "notebooks" not in neighbour["link"]:
            neighbour["title"] = "Start"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", link_names)
    app.connect("html-page-context", name_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
