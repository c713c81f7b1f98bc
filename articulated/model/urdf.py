"""Reading URDF files.

The file is checked first, element by element, so that an error names the link or joint it is about; then links and joints
are read, without shapes. URDF: http://wiki.ros.org/urdf/XML.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model.description import Description, check_flag
from pluecker.articulated.model.records import known, listing
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.files import read_file

__all__ = ["is_text", "numbers", "origin", "parse", "read_source", "read_urdf", "values"]

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
SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
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
    source, text = read_source(path_or_text)
    root = parse(source, text)
    check_elements(source, root)
    base = find_root(source, root)
    try:
        return source, describe(root, base, floating_base, gravity, check_inertia, mimic)
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
        check_numbers(label, inertia, dict.fromkeys(SIX, 1), required=("ixx", "iyy", "izz"))


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
    root: ElementTree.Element, base: str, floating_base: bool, gravity: ArrayLike, check_inertia: bool, mimic: bool
) -> Description:
    """Describe the robot of a checked file, in the order of the file."""
    joints = {joint.attrib["name"]: joint for joint in root.findall("joint")}
    links = {link.attrib["name"]: link for link in root.findall("link")}
    world = unused_name("world", links)
    description = Description(name=root.get("name", "robot"), gravity=gravity, world=world)
    for name, link in links.items():
        add_link(description, name, link.find("inertial"), check_inertia)
    if floating_base:
        description.add_joint(unused_name(FLOATING_BASE, joints), "free", parent=world, child=base)
    else:
        description.add_joint(unused_name("fixed_base", joints), "fixed", parent=world, child=base)
    for name, joint in joints.items():
        add_joint(description, name, joint, joints if mimic else None)
    return description


def number(element: ElementTree.Element | None, name: str, default: float = 0.0) -> float:
    """Parse the number of an attribute that was checked; the default where it is not there."""
    text = None if element is None else element.get(name)
    return default if text is None else float(text)


def values(element: ElementTree.Element | None, name: str, count: int) -> Any:
    """Parse the numbers of an attribute; None where there are not so many, or not finite ones."""
    found = None if element is None or element.get(name) is None else numbers(element.get(name, ""))
    return found if found is not None and found.shape == (count,) and np.isfinite(found).all() else None


def origin(element: ElementTree.Element | None) -> NDArray[np.float64]:
    """Compute the placement of an ``<origin xyz= rpy=>``: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    T = np.eye(4)
    xyz, rpy = values(element, "xyz", 3), values(element, "rpy", 3)
    if xyz is not None:
        T[:3, 3] = xyz
    if rpy is not None:
        (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
        T[:3, :3] = [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    return T


def add_link(description: Description, name: str, inertial: ElementTree.Element | None, check_inertia: bool) -> None:
    """Add a link with its inertia, which is given in a frame of its own."""
    if inertial is None:
        description.add_body(name)
        return
    T, I = origin(inertial.find("origin")), inertial.find("inertia")
    R, (xx, xy, xz, yy, yz, zz) = T[:3, :3], (number(I, key) for key in SIX)
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    inertia = R @ own @ R.T
    try:
        description.add_body(
            name, number(inertial.find("mass"), "value"), T[:3, 3], inertia, check_inertia=check_inertia
        )
    except ModelError as error:
        raise ModelError(str(error).replace(f"body {shown(name)}", f"link {shown(name)}")) from None


def add_joint(description: Description, name: str, joint: ElementTree.Element, sources: dict[str, Any] | None) -> None:
    """Add a joint; ``sources``: the joints it may mimic, None to let it move by itself."""
    kind, T, mimic = TYPES[joint.attrib["type"]], origin(joint.find("origin")), joint.find("mimic")
    options: dict[str, Any] = {}
    if kind in ("revolute", "prismatic", "continuous"):
        options = joint_options(kind, joint.find("limit"), joint.find("dynamics"))
    if mimic is not None and kind != "fixed" and sources is not None:
        source = mimic.attrib["joint"]
        if source not in sources:
            advice = "correct the name, or pass mimic=False to let such joints move by themselves"
            raise ModelError(f"joint {shown(name)} mimics {shown(source)}, which is no joint; {advice}")
        options["mimic"] = (source, number(mimic, "multiplier", 1.0), number(mimic, "offset"))
    axis = values(joint.find("axis"), "xyz", 3) if kind in NEED_AXIS else None
    parent, child = (joint.find(role).attrib["link"] for role in ("parent", "child"))  # type: ignore[union-attr]
    description.add_joint(name, kind, parent, child, axis=axis, position=T[:3, 3], rotation=T[:3, :3], **options)


def joint_options(kind: str, limit: ElementTree.Element | None, dynamics: ElementTree.Element | None) -> dict[str, Any]:
    """Return limits, damping and friction of a joint with one freedom."""
    options: dict[str, Any] = {}
    if limit is not None:
        if kind != "continuous":
            options["lower_limit"], options["upper_limit"] = number(limit, "lower"), number(limit, "upper")
        for key in ("velocity", "effort"):
            if limit.get(key) is not None:
                options[f"{key}_limit"] = number(limit, key)
    if dynamics is not None:
        options["damping"], options["friction"] = number(dynamics, "damping"), number(dynamics, "friction")
    return options
