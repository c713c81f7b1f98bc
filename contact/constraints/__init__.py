"""Constraints that hold bodies together beyond the tree: their records, and the functions that they consist of.

A record checks itself when it is made, and meets a model in a world. ``Hinge.at(name, model, q, first, second, point,
axis)``, and so with all joints, places both frames where they meet in a configuration.

=============================================================  ============================================================
records                                                        what they hold
=============================================================  ============================================================
``Ball``, ``Hinge``, ``Slider``, ``Cylindrical``, ``Planar``,  two frames: :mod:`~pluecker.contact.constraints.joints`
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
records from a TOML file.
"""

from pluecker.contact.constraints.coupling import Coupling
from pluecker.contact.constraints.distance import Rod, Rope
from pluecker.contact.constraints.gears import Belt, Differential, Gear, RackAndPinion, ToothForce
from pluecker.contact.constraints.joints import (
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
from pluecker.contact.constraints.limits import Friction, Limit
from pluecker.contact.constraints.measures import Angle, JointCoordinate, Length, Travel
from pluecker.contact.constraints.motors import Motor, PositionDrive, PrescribedMotion, Servo
from pluecker.contact.constraints.point_contact import PointContact
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
from pluecker.contact.constraints.user import UserFunction

__all__ = [
    "Angle", "Ball", "Belt", "Coupling", "Cylindrical", "Differential", "ErpCfm", "Fixed", "Frame",
    "Friction", "Gear", "Hinge", "Hinge2", "JointCoordinate", "Length", "Limit", "Motor", "Planar", "PointContact",
    "PointInPlane", "PointOnLine", "PositionDrive", "PrescribedMotion", "RackAndPinion", "Rod", "Rope", "Screw", "Servo",
    "Slider", "Softness", "Spline", "SpringDamper", "ToothForce", "Travel", "Universal", "UserFunction",
    "damper_of_multiplier", "erp_cfm", "read_constraints", "spring_damper",
]  # fmt: skip
