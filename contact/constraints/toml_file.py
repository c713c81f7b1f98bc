"""Constraints in a TOML file, beside a URDF.

Each table is a constraint: ``[kind.name]``, with the attributes of its record. Kinds are the names of the records in small
letters, ``hinge``, ``point_on_line``, ``rack_and_pinion``, ``prescribed_motion``; all but functions of the user's.

=============================  ====================================================================================
value                          how it is written
=============================  ====================================================================================
a frame                        ``"wrist"``, or ``{ frame = "wrist", position = [0, 0, 0.1], rotation = [1, 0, 0, 0] }``
                               with a quaternion ``[w, x, y, z]`` or a matrix by rows
``softness``, ``suspension``   ``{ stiffness = 1e5, damping = 10.0 }``, with ``turning_stiffness``, ``turning_damping``
``of``                         ``"elbow"``, a joint of the model's; ``{ joint = "wrist", index = 1 }``;
                               ``{ angle = [frame, frame] }`` (with ``pointer``, ``sign``), ``{ travel = [...] }``,
                               ``{ length = [...] }``; ``{ constraint = "crank", measure = "angle" }``, of a joint in the
                               same file: ``angle``, ``travel``, ``distance``, ``steering``, ``rolling``
``motion``, ``target``         ``{ times = [0, 1], values = [0, 0.3], start_speed = 0.0, end_speed = 0.0 }``
``terms`` of a coupling        ``[ { of = "left", coefficient = 1.0 }, ... ]``
numbers                        as TOML has them, ``inf`` too
=============================  ====================================================================================

For example::

    [hinge.crank]
    first = "link2"
    second = { frame = "link4", position = [0.0, 0.0, -0.4] }

    [motor.drive]
    of = { constraint = "crank", measure = "angle" }
    speed = 10.0
    force = 2.0

Constraints come in the order of their tables, those of one kind together. Shapes that touch may stand in the same file, see
:mod:`~pluecker.contact.world.world_file`; worlds read both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from pluecker.contact.constraints.base import Constraint
from pluecker.contact.constraints.measures import Angle, JointCoordinate, Length, Measure, Travel
from pluecker.contact.constraints.records.coupling import Coupling
from pluecker.contact.constraints.records.distance import Rod, Rope
from pluecker.contact.constraints.records.gears import Belt, Differential, Gear, RackAndPinion
from pluecker.contact.constraints.records.joints import (
    Ball,
    Cylindrical,
    Fixed,
    Hinge,
    Hinge2,
    Planar,
    PointInPlane,
    PointOnLine,
    Screw,
    Slider,
    Universal,
)
from pluecker.contact.constraints.records.limits import Friction, Limit
from pluecker.contact.constraints.records.motors import Motor, PositionDrive, PrescribedMotion, Servo
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.constraints.softness import Softness
from pluecker.contact.constraints.spline import Spline
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.files import read_file, reason_of

__all__ = ["KINDS", "Reader", "Table", "guarded", "load_tables", "read_constraints"]

KINDS: dict[str, type[Any]] = {
    "ball": Ball, "hinge": Hinge, "slider": Slider, "cylindrical": Cylindrical, "planar": Planar, "fixed": Fixed,
    "point_on_line": PointOnLine, "point_in_plane": PointInPlane, "universal": Universal, "hinge2": Hinge2,
    "screw": Screw, "rod": Rod, "rope": Rope, "gear": Gear, "belt": Belt, "rack_and_pinion": RackAndPinion,
    "differential": Differential, "coupling": Coupling, "limit": Limit, "friction": Friction, "motor": Motor,
    "point_contact": PointContact, "servo": Servo, "position_drive": PositionDrive, "prescribed_motion": PrescribedMotion,
}  # fmt: skip
MEASURES: dict[str, type[Any]] = {"angle": Angle, "travel": Travel, "length": Length}
OF_CONSTRAINTS = ("angle", "travel", "distance", "steering", "rolling")
# Attributes that have a default for Python's sake only: it is refused.
NEEDED: dict[type[Any], tuple[str, ...]] = {
    Screw: ("pitch",),
    Friction: ("force",),
    Motor: ("speed", "force"),
    Servo: ("stiffness",),
    PositionDrive: ("force",),
    PrescribedMotion: ("motion",),
}
Table = dict[str, Any]
LARGEST_FILE = 2**26  # bytes of a file: a million tables


def read_constraints(path: str | os.PathLike[str]) -> tuple[Constraint, ...]:
    """Read the constraints in a TOML file; its format is described in :mod:`~pluecker.contact.constraints.toml_file`.

    Python 3.10 needs the extra ``toml`` (tomli) for that; later ones read TOML themselves.

    Args:
        path: of the file.

    Returns:
        Records, for :class:`~pluecker.contact.World`.

    Raises:
        ConstraintError: the file cannot be read or is no TOML; a table, a key or a value is not as it should be. The message
            has the file, the table and the key.
        TypeError: ``path`` is no path.
        MissingExtraError: Python 3.10 without tomli.

    Source: TOML 1.0, https://toml.io.

    Example:
        >>> import pathlib, tempfile
        >>> from pluecker.contact.constraints import read_constraints
        >>> file = pathlib.Path(tempfile.mkdtemp(), "loop.toml")
        >>> _ = file.write_text("[rod.coupler]\\nfirst = 'left'\\nsecond = 'right'\\nlength = 0.5\\n")
        >>> [rod.length for rod in read_constraints(file)]
        [0.5]
    """
    content = load_tables(path, "read_constraints")
    return Reader(os.fspath(path), content).constraints()


def load_tables(path: Any, function: str) -> Table:
    """Read the tables of a TOML file; errors name ``function``."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{function}: path is {shown(path)}, expected the path of a file")
    library = "tomllib" if sys.version_info >= (3, 11) else "tomli"
    toml = require(library, "toml", f"{function} on Python 3.10")
    try:
        text = read_file(path, LARGEST_FILE)
    except (OSError, ValueError) as error:  # ValueError: a path with a zero in it
        raise ConstraintError(f"{os.fspath(path)!s}: cannot be read: {reason_of(error)}") from None
    try:
        content: Table = toml.loads(text.decode("utf-8").replace("\r\n", "\n"))
    except ValueError as error:
        raise ConstraintError(f"{os.fspath(path)!s}: no TOML: {reason_of(error)}") from None
    except RecursionError:
        raise ConstraintError(
            f"{os.fspath(path)!s}: no TOML that can be read: brackets in brackets, too deep"
        ) from None
    return content


class Reader:
    """Reader of one file: its tables, and the constraints that are made of them."""

    def __init__(self, path: str, content: Table) -> None:
        self.path = path
        self.tables: dict[str, tuple[str, Table]] = {}
        self.made: dict[str, Constraint] = {}
        for kind, own in content.items():
            if kind not in KINDS:
                raise ConstraintError(f"{path}: no kind of constraint {shown(kind)}; there are {', '.join(KINDS)}")
            if not isinstance(own, dict):
                raise ConstraintError(f"{path}: [{kind}] is {shown(own)}, expected tables [{kind}.name]")
            for name, table in own.items():
                if not isinstance(table, dict):
                    raise ConstraintError(f"{path}: [{kind}] has the key {shown(name)}, expected tables [{kind}.name]")
                if name in self.tables:
                    first = self.tables[name][0]
                    raise ConstraintError(f"{path}: [{first}.{name}] and [{kind}.{name}] have one name, expected two")
                self.tables[name] = kind, table

    def constraints(self) -> tuple[Constraint, ...]:
        """Make all constraints, joints before what is on their angles and ways; return them in the order of the file."""
        for name in self.tables:
            try:
                self.make(name, ())
            except RecursionError:
                kind = self.tables[name][0]
                raise ConstraintError(
                    f"{self.path}: [{kind}.{name}] stands on a row of constraints that is too long, each on the next"
                ) from None
        return tuple(self.made[name] for name in self.tables)

    def make(self, name: str, waiting: tuple[str, ...]) -> Constraint:
        """Make the constraint of a name; ``waiting`` are those that ask for it."""
        if name in self.made:
            return self.made[name]
        kind, table = self.tables[name]
        where = f"{self.path}: [{kind}.{name}]"
        record, options = KINDS[kind], {}
        known = {each.name: each for each in fields(record) if each.init and each.name != "name"}
        for key, value in table.items():
            if key not in known:
                raise ConstraintError(f"{where}: no key {shown(key)}; there are {', '.join(known)}")
            options[key] = self.value(f"{where}: {key}", key, value, (*waiting, name))
        for key, each in known.items():
            needed = each.default is MISSING or key in NEEDED.get(record, ())
            if needed and key not in table:
                raise ConstraintError(f"{where}: the key {shown(key)} is missing")
        self.made[name] = guarded(where, lambda: record(name, **options))
        return self.made[name]

    def value(self, where: str, key: str, given: Any, waiting: tuple[str, ...]) -> Any:
        """Read the value of an attribute."""
        if key in ("first", "second", "cage"):
            return self.frame(where, given)
        if key in ("softness", "suspension"):
            return self.record(where, Softness, given)
        if key == "of":
            return self.measure(where, given, waiting)
        if key == "motion" or (key == "target" and isinstance(given, dict)):
            return self.record(where, Spline, given)
        if key == "terms":
            return self.terms(where, given, waiting)
        return given

    def table(self, where: str, given: Any, keys: tuple[str, ...], needed: tuple[str, ...] = ()) -> Table:
        """Check that a value is a table with no other keys, and with the needed ones."""
        if not isinstance(given, Mapping):
            raise ConstraintError(f"{where} is {shown(given)}, expected a table with {', '.join(keys)}")
        for key in given:
            if key not in keys:
                raise ConstraintError(f"{where}: no key {shown(key)}; there are {', '.join(keys)}")
        for key in needed:
            if key not in given:
                raise ConstraintError(f"{where}: the key {shown(key)} is missing")
        return dict(given)

    def record(self, where: str, kind: type[Any], given: Any) -> Any:
        """Make a record of plain numbers."""
        needed = tuple(each.name for each in fields(kind) if each.default is MISSING)
        table = self.table(where, given, tuple(each.name for each in fields(kind)), needed)
        return guarded(where, lambda: kind(**table))

    def frame(self, where: str, given: Any) -> Frame:
        """Make a frame."""
        if isinstance(given, str):
            return Frame(given)
        if not isinstance(given, Mapping):
            raise ConstraintError(
                f"{where} is {shown(given)}, expected a frame's name, or a table with frame, position, rotation"
            )
        table = self.table(where, given, ("frame", "position", "rotation"), ("frame",))
        return guarded(where, lambda: Frame(table.pop("frame"), **table))

    def measure(self, where: str, given: Any, waiting: tuple[str, ...]) -> Measure:
        """Make a measure: a coordinate, an angle, a way or a length."""
        if isinstance(given, str):
            return JointCoordinate(given)
        if isinstance(given, Mapping):
            if "joint" in given:
                table = self.table(where, given, ("joint", "index"))
                return guarded(where, lambda: JointCoordinate(**table))
            if "constraint" in given:
                return self.of_constraint(where, given, waiting)
            for key, kind in MEASURES.items():
                if key in given:
                    return self.between(where, key, kind, given)
        raise ConstraintError(
            f"{where} is {shown(given)}, expected a joint's name, or a table with joint, angle, travel, length or constraint"
        )

    def between(self, where: str, key: str, kind: type[Any], given: Any) -> Measure:
        """Make a measure between two frames."""
        options = ("pointer", "sign") if kind is Angle else ()
        table = self.table(where, given, (key, *options))
        frames = table.pop(key)
        if not isinstance(frames, list) or len(frames) != 2:
            raise ConstraintError(f"{where}: {key} is {shown(frames)}, expected two frames")
        ends = [self.frame(f"{where}: {key}", frame) for frame in frames]
        return guarded(where, lambda: kind(*ends, **table))

    def of_constraint(self, where: str, given: Any, waiting: tuple[str, ...]) -> Measure:
        """Return a measure of a joint in the same file."""
        table = self.table(where, given, ("constraint", "measure"), ("constraint", "measure"))
        name, measure = table["constraint"], table["measure"]
        if name not in self.tables or name in waiting:
            names = ", ".join(other for other in self.tables if other not in waiting)
            raise ConstraintError(f"{where}: no constraint {shown(name)} beside it; there are {names}")
        constraint = self.make(name, waiting)
        there = [each for each in OF_CONSTRAINTS if isinstance(getattr(constraint, each, None), Measure)]
        if measure not in there:
            kind, known = self.tables[name][0], ", ".join(there) or "none"
            raise ConstraintError(f"{where}: the {kind} {shown(name)} has no {shown(measure)}; it has {known}")
        result: Measure = getattr(constraint, measure)
        return result

    def terms(self, where: str, given: Any, waiting: tuple[str, ...]) -> list[tuple[Measure, Any]]:
        """Read measures and coefficients."""
        if not isinstance(given, list):
            raise ConstraintError(f"{where} is {shown(given)}, expected a list of tables with of and coefficient")
        pairs = []
        for k, entry in enumerate(given):
            own = f"{where}[{k}]"
            table = self.table(own, entry, ("of", "coefficient"), ("of", "coefficient"))
            pairs.append((self.measure(f"{own}: of", table["of"], waiting), table["coefficient"]))
        return pairs


def guarded(where: str, make: Callable[[], Any]) -> Any:
    """Make a record, and tell its own complaint with the place in the file."""
    try:
        return make()
    except PlueckerError as error:
        text = error.args[0] if error.args else error
        raise ConstraintError(f"{where}: {text}") from None
