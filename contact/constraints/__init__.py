"""Constraints that hold bodies together beyond the tree: their records, and the functions that they consist of.

A record checks itself when it is made, and meets a model in a world. ``Hinge.at(name, model, q, first, second, point,
axis)``, and so with all joints, places both frames where they meet in a configuration.

=============================================================  ============================================================
records                                                        what they hold
=============================================================  ============================================================
``Ball``, ``Hinge``, ``Slider``, ``Cylindrical``, ``Planar``,  two frames, see ``records.joints``
``Fixed``, ``PointOnLine``, ``PointInPlane``
``Universal``, ``Hinge2``                                      two axes that meet: universal joint, wheel
``Screw``                                                      a way in proportion to a turn
``Rod``, ``Rope``                                              a distance: rod, spring, rope that may be slack
``Gear``, ``Belt``, ``RackAndPinion``, ``Differential``        what turns together, with tooth forces
``Coupling``                                                   a sum of coordinates, angles and ways
``Limit``, ``Friction``                                        a range, dry friction
``PointContact``                                               a plane that a point or a ball may touch, with friction
``Motor``, ``Servo``, ``PositionDrive``, ``PrescribedMotion``  what drives
``UserFunction``                                               ``C(q) = 0`` or ``C(q) >= 0`` by a function of the user's
=============================================================  ============================================================

What is limited or driven is a measure: a joint's name, ``JointCoordinate``, ``Angle``, ``Travel``, ``Length``; joints have
theirs as ``hinge.angle``, ``slider.travel``, ``rod.distance``. ``Frame`` places a frame on a body; ``Softness``,
``erp_cfm``, ``spring_damper`` say how soft a constraint is; ``Spline`` is a motion over time. :func:`read_constraints` reads
records from a TOML file. Inside:

==============  ========================================================================================================
room or file    what is in it
==============  ========================================================================================================
``toml_file``   records from a file
``records``     the records
``base``        their bases, for two frames and for one measure
``checks``      of their numbers
``measures``    coordinates, turns, ways and lengths
``frames``      frames: read, placed, checked against a model
``softness``    springs and dampers, and what other texts call them
``relation``    functions and rows, of which all constraints are made
``spline``      motions over time
==============  ========================================================================================================

Imports point from each line of that table to those below it.
"""

from pluecker.contact.constraints.measures import Angle, JointCoordinate, Length, Travel
from pluecker.contact.constraints.records.coupling import Coupling
from pluecker.contact.constraints.records.distance import Rod, Rope
from pluecker.contact.constraints.records.gears import Belt, Differential, Gear, RackAndPinion, ToothForce
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
from pluecker.contact.constraints.records.user import UserFunction
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.constraints.softness import (
    ErpCfm,
    Softness,
    SpringDamper,
    damper_of_multiplier,
    erp_cfm,
    spring_damper,
)
from pluecker.contact.constraints.spline import Spline
from pluecker.contact.constraints.toml_file import read_constraints

__all__ = [
    "Angle", "Ball", "Belt", "Coupling", "Cylindrical", "Differential", "ErpCfm", "Fixed", "Frame",
    "Friction", "Gear", "Hinge", "Hinge2", "JointCoordinate", "Length", "Limit", "Motor", "Planar", "PointContact",
    "PointInPlane", "PointOnLine", "PositionDrive", "PrescribedMotion", "RackAndPinion", "Rod", "Rope", "Screw", "Servo",
    "Slider", "Softness", "Spline", "SpringDamper", "ToothForce", "Travel", "Universal", "UserFunction",
    "damper_of_multiplier", "erp_cfm", "read_constraints", "spring_damper",
]  # fmt: skip
