"""Reading URDF files.

The file is checked first, element by element, so that an error names the link or joint it is about; what remains is read
by yourdfpy, without meshes. URDF: http://wiki.ros.org/urdf/XML.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model.description import Description, check_flag
from pluecker.articulated.model.records import known, listing
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.files import read_file

__all__ = ["is_text", "numbers", "parse", "read_source", "read_urdf"]

# URDF type -> ours; a continuous joint is a revolute one without limits
TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}
JOINT_ELEMENTS = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
NEED_AXIS = ("revolute", "continuous", "prismatic", "planar")
NOT_URDF = {
    "mujoco": "a MuJoCo (MJCF) file",
    "sdf": "an SDF file",
    "COLLADA": "a COLLADA mesh",
    "svg": "a picture (SVG)",
    "html": "a web page",
}
LARGEST_FILE = 2**28  # bytes of a file: a million links
BLANK = "\ufeff \t\r\n"
FLOATING_BASE = "floating_base"


def read_urdf(
    path_or_text: str | os.PathLike[str],
    floating_base: bool = False,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    check_inertia: bool = True,
    mimic: bool = True,
) -> tuple[str, Description]:
    """Read a robot from a URDF file, see :meth:`~pluecker.articulated.model.model.Model.from_urdf`.

    Returns:
        The name of the source for messages, and the description of the robot.
    """
    for name, flag in (("floating_base", floating_base), ("check_inertia", check_inertia), ("mimic", mimic)):
        check_flag(f"from_urdf: {name}", flag)
    yourdfpy = require("yourdfpy", "urdf", "reading URDF files")
    source, text = read_source(path_or_text)
    root = parse(source, text)
    check_elements(source, root)
    base = find_root(source, root)
    robot = yourdfpy.URDF.load(
        io.BytesIO(ElementTree.tostring(without_shapes(root))), build_scene_graph=False, load_meshes=False
    ).robot
    try:
        return source, describe(robot, root.get("name", "robot"), base, floating_base, gravity, check_inertia, mimic)
    except ModelError as error:
        raise ModelError(f"{source}: {error}") from None


# ------------------------------------------------------------------------------------------------------- text and elements


def read_source(path_or_text: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the name of the source for messages, and its text."""
    if not isinstance(path_or_text, (str, os.PathLike)):
        raise ArgumentTypeError(f"from_urdf takes a path or XML text, got {type(path_or_text).__name__}")
    if isinstance(path_or_text, str):
        if not path_or_text.lstrip(BLANK):
            raise ModelError("from_urdf takes a path or XML text, got an empty string")
        if is_text(path_or_text):
            return "URDF text", path_or_text
    path = Path(path_or_text)
    try:
        data = read_file(path, LARGEST_FILE)
    except IsADirectoryError:
        raise ModelError(f"{path}: this is a folder, expected a URDF file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(
            f"{short(path)}: cannot be read ({reason}); give the path of a URDF file, or its text"
        ) from None
    for encoding in encodings(data):
        try:
            return str(path), data.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    raise ModelError(f"{path}: this is no text file, expected a URDF file")


def is_text(path_or_text: str) -> bool:
    """Return whether this is the XML itself rather than a path."""
    return path_or_text.lstrip(BLANK)[:1] == "<"


def encodings(data: bytes) -> list[str]:
    """UTF-16 where a byte order mark says so, else UTF-8, or what the XML declaration names."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    declared = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.-]+)", data)
    return ["utf-8-sig"] + ([declared[1].decode("ascii")] if declared else [])


def short(path: Path) -> str:
    text = str(path)
    return text if len(text) < 200 else text[:200] + "..."


def parse(source: str, text: str) -> ElementTree.Element:
    """The root element of a URDF file, refusing other files and document type declarations."""
    body = text.lstrip(BLANK)
    if not body:
        raise ModelError(f"{source}: this is no XML, expected a URDF file: it is empty")
    if not body.startswith("<"):
        raise ModelError(f"{source}: this is no XML, expected a URDF file: it begins with {body[:30]!r}")
    if body.startswith("<?xml"):  # the text is decoded already: what encoding it declares no longer matters
        body = body[body.find("?>") + 2 :]
    refuse_document_type(source, body)
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, UnicodeError) as error:
        raise ModelError(f"{source}: broken XML, {error}") from None
    if root.tag != "robot":
        what = NOT_URDF.get(root.tag.rsplit("}", 1)[-1], f"XML with the root element <{root.tag}>")
        raise ModelError(f"{source}: this is {what}, expected URDF with the root element <robot>")
    if any(name.startswith("{http://www.ros.org/wiki/xacro}") or "xacro" in name for name in tags(root)):
        raise ModelError(f"{source}: holds xacro macros; expand them first: xacro FILE > robot.urdf")
    return root


def refuse_document_type(source: str, text: str) -> None:
    """Refuse a document type declaration, in which entities are declared, before anything is expanded."""
    if "<!DOCTYPE" not in text:
        return

    def refuse(*_: Any) -> None:
        raise ModelError(f"{source}: holds a document type declaration; URDF has none, remove <!DOCTYPE ...>")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse  # in a comment it is none
    with contextlib.suppress(expat.ExpatError, UnicodeError):  # what else is wrong is found by the next parser
        parser.Parse(text, True)


def tags(root: ElementTree.Element) -> set[str]:
    return {element.tag for element in root.iter() if isinstance(element.tag, str)}


def without_shapes(root: ElementTree.Element) -> ElementTree.Element:
    """The robot with what dynamics needs: links with their inertias, joints, no shapes, sensors or plugins."""
    robot = ElementTree.Element("robot", {"name": root.get("name", "robot")})
    for link in root.findall("link"):
        kept = ElementTree.SubElement(robot, "link", {"name": link.attrib["name"]})
        for inertial in link.findall("inertial"):
            copy_children(inertial, ElementTree.SubElement(kept, "inertial"), ("origin", "mass", "inertia"))
    for joint in root.findall("joint"):
        kept = ElementTree.SubElement(robot, "joint", dict(joint.attrib))
        fixed = joint.get("type") == "fixed"
        copy_children(joint, kept, ("origin", "parent", "child") if fixed else JOINT_ELEMENTS)
    return robot


def copy_children(element: ElementTree.Element, copy: ElementTree.Element, tags: tuple[str, ...]) -> None:
    """Copy the first child of each tag, without what is inside."""
    for tag in tags:
        child = element.find(tag)
        if child is not None:
            ElementTree.SubElement(copy, tag, dict(child.attrib))


def check_elements(source: str, root: ElementTree.Element) -> None:
    """Refuse what is missing, double or no number, by name."""
    for tag in ("link", "joint"):
        elements = root.findall(tag)
        for element in elements:
            if not element.get("name"):
                raise ModelError(f"{source}: a <{tag}> has no name; write <{tag} name='...'>")
        counts = Counter(element.attrib["name"] for element in elements)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            raise ModelError(
                f"{source}: {tag} {shown(twice[0])} is there {counts[twice[0]]} times; names are used once"
            )
    if not root.findall("link"):
        raise ModelError(f"{source}: the robot has no <link>")
    for link in root.findall("link"):
        check_link(f"{source}: link {shown(link.attrib['name'])}", link)
    names = {link.attrib["name"]: None for link in root.findall("link")}
    for joint in root.findall("joint"):
        check_joint(f"{source}: joint {shown(joint.attrib['name'])}", joint, names)


def check_link(label: str, link: ElementTree.Element) -> None:
    check_single(label, link, ("inertial",))
    for inertial in link.findall("inertial"):
        check_single(label, inertial, ("origin", "mass", "inertia"))
        check_numbers(label, inertial.find("origin"), {"xyz": 3, "rpy": 3}, required=())
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None:
            raise ModelError(f"{label}: <inertial> has no <mass value=...>")
        check_numbers(label, mass, {"value": 1})
        if inertia is None:
            raise ModelError(f"{label}: <inertial> has no <inertia ixx=... >")
        six = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        check_numbers(label, inertia, dict.fromkeys(six, 1), required=("ixx", "iyy", "izz"))


def check_joint(label: str, joint: ElementTree.Element, links: dict[str, None]) -> None:
    kind = joint.get("type")
    if kind not in TYPES:
        what = "has no type" if kind is None else f"unknown type {shown(kind)}"
        raise ModelError(f"{label}: {what}; there are {listing(TYPES)}")
    check_single(label, joint, JOINT_ELEMENTS)
    for role in ("parent", "child"):
        element = joint.find(role)
        link = None if element is None else element.get("link")
        if link is None:
            raise ModelError(f"{label}: has no <{role} link=...>")
        if link not in links:
            raise ModelError(f"{label}: unknown {role} link {shown(link)}; there are {known(link, links)}")
    check_numbers(label, joint.find("origin"), {"xyz": 3, "rpy": 3}, required=())
    axis = joint.find("axis")
    if kind in NEED_AXIS:
        if axis is None:
            raise ModelError(f"{label}: a {kind} joint needs an axis; write <axis xyz='...'/>")
        check_numbers(label, axis, {"xyz": 3})
        if not numbers(axis.attrib["xyz"]).any():
            raise ModelError(f"{label}: the axis is zero; give it a direction")
    limits = {"lower": 1, "upper": 1, "velocity": 1, "effort": 1}
    check_numbers(label, joint.find("limit"), limits, required=())
    check_numbers(label, joint.find("dynamics"), {"damping": 1, "friction": 1}, required=())
    mimic = joint.find("mimic")
    if mimic is not None and kind != "fixed":
        check_numbers(label, mimic, {"multiplier": 1, "offset": 1}, required=())
        if mimic.get("joint") is None:
            raise ModelError(f"{label}: <mimic> names no joint; write <mimic joint='...'/>")


def check_single(label: str, element: ElementTree.Element, tags: tuple[str, ...]) -> None:
    """Refuse a second child of the same tag, of which readers would take one or the other."""
    for tag in tags:
        count = len(element.findall(tag))
        if count > 1:
            raise ModelError(f"{label}: holds {count} <{tag}> elements; one is allowed, remove the others")


def check_numbers(
    label: str, element: ElementTree.Element | None, counts: dict[str, int], required: tuple[str, ...] | None = None
) -> None:
    """Attributes hold as many finite numbers as they should (limits may be infinite)."""
    if element is None:
        return
    for name, count in counts.items():
        text = element.get(name)
        if text is None:
            if required is None or name in required:
                raise ModelError(f"{label}: <{element.tag}> has no {name}")
            continue
        values = numbers(text)
        if values is None or len(values) != count or np.isnan(values).any():
            expected = "a number" if count == 1 else f"{count} numbers"
            raise ModelError(f"{label}: <{element.tag} {name}={shown(text)}>, expected {expected}")
        if element.tag != "limit" and np.isinf(values).any():
            raise ModelError(f"{label}: <{element.tag} {name}={shown(text)}>, expected finite numbers")


def numbers(text: str) -> Any:
    try:
        return (
            None if "_" in text else np.array([float(word) for word in text.split()])
        )  # Python reads 1_000 as a number
    except ValueError:
        return None


def find_root(source: str, root: ElementTree.Element) -> str:
    """The one link that is no joint's child."""
    carriers: dict[Any, ElementTree.Element] = {}
    for joint in root.findall("joint"):
        child = joint.find("child").get("link")  # type: ignore[union-attr]
        if child in carriers:
            both = f"{shown(carriers[child].get('name'))} and {shown(joint.get('name'))}"
            raise ModelError(
                f"{source}: link {shown(child)} is the child of two joints, {both}; a tree has one path to each link"
            )
        carriers[child] = joint
    roots = [link.attrib["name"] for link in root.findall("link") if link.attrib["name"] not in carriers]
    if len(roots) > 1:
        raise ModelError(
            f"{source}: {len(roots)} root links, {listing(roots)}; a robot has one: add joints to the others"
        )
    if not roots:
        joints = listing(find_cycle(carriers))
        raise ModelError(
            f"{source}: no root link, since every link is some joint's child: the joints {joints} form a cycle; "
            "a tree has none, remove one of them"
        )
    return roots[0]


def find_cycle(carriers: dict[Any, Any]) -> list[str]:
    """The joints along one cycle, by walking from child to parent until a link comes again."""
    link = next(iter(carriers))
    seen: dict[str, int] = {}
    while link not in seen:
        seen[link] = len(seen)
        link = carriers[link].find("parent").get("link")
    return [carriers[name].get("name") for name in list(seen)[seen[link] :][::-1]]


# ----------------------------------------------------------------------------------------------------- to the description


def unused_name(name: str, taken: Any) -> str:
    while name in taken:
        name += "_"
    return name


def describe(
    robot: Any, name: str, base: str, floating_base: bool, gravity: ArrayLike, check_inertia: bool, mimic: bool
) -> Description:
    """The robot that yourdfpy has read, in the order of the file."""
    joints = {joint.name: joint for joint in robot.joints}
    links = {link.name: link for link in robot.links}
    world = unused_name("world", links)
    description = Description(name=name, gravity=gravity, world=world)
    for name, link in links.items():
        add_link(description, name, link, check_inertia)
    if floating_base:
        description.add_joint(unused_name(FLOATING_BASE, joints), "free", parent=world, child=base)
    else:
        description.add_joint(unused_name("fixed_base", joints), "fixed", parent=world, child=base)
    for joint in joints.values():
        add_joint(description, joint, joints if mimic else None)
    return description


def add_link(description: Description, name: str, link: Any, check_inertia: bool) -> None:
    inertial = link.inertial
    if inertial is None:
        description.add_body(name)
        return
    T = np.eye(4) if inertial.origin is None else inertial.origin
    R = T[:3, :3]
    inertia = R @ inertial.inertia @ R.T
    try:
        description.add_body(name, inertial.mass, T[:3, 3], inertia, check_inertia=check_inertia)
    except ModelError as error:
        raise ModelError(str(error).replace(f"body {shown(name)}", f"link {shown(name)}")) from None


def add_joint(description: Description, joint: Any, sources: dict[str, Any] | None) -> None:
    """Add a joint that yourdfpy has read; ``sources``: the joints it may mimic, None to let it move by itself."""
    name, kind = joint.name, TYPES[joint.type]
    T = np.eye(4) if joint.origin is None else joint.origin
    options: dict[str, Any] = {}
    if kind in ("revolute", "prismatic", "continuous"):
        options = joint_options(joint)
    if joint.mimic is not None and sources is not None:
        source = joint.mimic.joint
        if source not in sources:
            advice = "correct the name, or pass mimic=False to let such joints move by themselves"
            raise ModelError(f"joint {shown(name)} mimics {shown(source)}, which is no joint; {advice}")
        options["mimic"] = (source, joint.mimic.multiplier, joint.mimic.offset)
    axis = joint.axis if kind in NEED_AXIS else None
    description.add_joint(
        name, kind, joint.parent, joint.child, axis=axis, position=T[:3, 3], rotation=T[:3, :3], **options
    )


def joint_options(joint: Any) -> dict[str, Any]:
    """Limits, damping and friction of a joint with one freedom."""
    options: dict[str, Any] = {}
    limit, dynamics = joint.limit, joint.dynamics
    if limit is not None:
        if joint.type != "continuous":
            options["lower_limit"] = 0.0 if limit.lower is None else limit.lower
            options["upper_limit"] = 0.0 if limit.upper is None else limit.upper
        if limit.velocity is not None:
            options["velocity_limit"] = limit.velocity
        if limit.effort is not None:
            options["effort_limit"] = limit.effort
    if dynamics is not None:
        options["damping"] = float(dynamics.damping or 0.0)
        options["friction"] = float(dynamics.friction or 0.0)
    return options
