"""Control as the user gives it: records that check themselves, and the signals that the loop reads.

============================  =========================================================================================
control                       what it is
============================  =========================================================================================
None                          no joint forces
an array                      constant ones, ``(..., nv)``
:class:`TimeTable`            joint forces over time
:class:`PDControl`            gains and references
:class:`CompiledControl`      machine code of anybody's
a function ``(t, q, v)``      Python, called once for each control period
:class:`Control`              one of these, sampled, within limits, behind actuators
============================  =========================================================================================
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = [
    "NO_CONTROL",
    "Actuator",
    "CompiledControl",
    "Control",
    "JointLimits",
    "PDControl",
    "TimeTable",
    "as_control",
]

Array = NDArray[np.float64]
C_FUNCTION: Any = type(ctypes.CFUNCTYPE(None)()).__mro__[1]  # what all functions of ctypes are
SIGNATURE = "void(double t, const double* q, const double* v, double* tau, const double* parameters)"


def finite(owner: str, name: str, value: ArrayLike) -> Array:
    """Copy an array, refusing numbers that are not finite."""
    array = np.array(as_numbers(owner, name, value))
    if not np.isfinite(array).all():
        index = tuple(int(n) for n in np.argwhere(~np.isfinite(array))[0])
        place = f"[{', '.join(map(str, index))}]" if index else ""
        raise ArgumentValueError(f"{owner}: {name}{place} is {array[index]}, expected a finite number")
    return array


@by_value()
@dataclass(frozen=True, eq=False)
class TimeTable:
    """Table of values over time; those of the first and last time hold before and after.

    Attributes:
        times: rising, ``(n,)``; s.
        values: joint forces ``(..., n, nv)``, configurations ``(..., n, nq)``, or wrenches ``(..., n, n_bodies, 6)``.
        linear: whether they change linearly from one time to the next; otherwise each holds until the next time.

    Raises:
        TypeError: what is no array of real numbers.
        ValueError: times that do not rise, numbers that are not finite.

    Example:
        >>> from pluecker.articulated import TimeTable
        >>> TimeTable([0.0, 0.5], [[0.0], [2.0]], linear=False).linear
        False
    """

    times: Array
    values: Array
    linear: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        times, values = finite("TimeTable", "times", self.times), finite("TimeTable", "values", self.values)
        if times.ndim != 1 or not len(times):
            raise ArgumentValueError(f"TimeTable: times has shape {times.shape}, expected (n,) with n at least 1")
        if not (np.diff(times) > 0.0).all():
            k = int(np.argmin(np.diff(times) > 0.0))
            raise ArgumentValueError(
                f"TimeTable: times[{k + 1}] is {times[k + 1]} after {times[k]}, expected rising times"
            )
        if len(times) not in values.shape[-3:-1]:
            raise ArgumentValueError(
                f"TimeTable: values has shape {values.shape}, expected (..., {len(times)}, numbers of a time)"
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "linear", bool(self.linear))


@by_value()
@dataclass(frozen=True, eq=False)
class PDControl:
    """``tau + stiffness (q_ref - q) + damping (v_ref - v)``, with differences on the manifold, in v's coordinates.

    Integrators that are implicit take q and v at the end of a step: they are stable with any gains.

    Attributes:
        stiffness, damping: gains, not negative: a number, or ``(..., nv)``; N m/rad and N m s/rad, or N/m and N s/m.
        q: the reference, ``(..., nq)``, or a :class:`TimeTable` of references.
        v: its velocity, ``(..., nv)``, or a table; by default the rate at which q changes.
        tau: added, ``(..., nv)``, or a table.

    Raises:
        TypeError: what is no array of real numbers.
        ValueError: gains that are negative, numbers that are not finite.

    Example:
        >>> from pluecker.articulated import PDControl
        >>> hold = PDControl(stiffness=100.0, damping=10.0, q=[0.0, 0.5])
    """

    stiffness: Any
    damping: Any
    q: Any
    v: Any = None
    tau: Any = None

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            gains = finite("PDControl", name, getattr(self, name))
            if (gains < 0.0).any():
                raise ArgumentValueError(f"PDControl: {name} is {gains.min()} at one coordinate, expected 0 or more")
            object.__setattr__(self, name, gains)
        for name in ("q", "v", "tau"):
            value = getattr(self, name)
            if not isinstance(value, TimeTable) and (value is not None or name == "q"):
                object.__setattr__(self, name, finite("PDControl", name, value))


@by_value()
@dataclass(frozen=True, eq=False)
class CompiledControl:
    """A compiled function that computes joint forces, called by its address: nothing is compiled for it.

    Its signature in C is ``void(double t, const double* q, const double* v, double* tau, const double* parameters)``;
    ``tau`` holds zeros when it is called. It must not keep the pointers, and has to be safe to call from several threads.

    Attributes:
        function: what ``numba.cfunc`` made, a function of ``ctypes``, or the address.
        parameters: numbers for it, ``(..., n)``, each state of a batch its own if it has leading axes.

    Raises:
        TypeError: what has no address, or another signature.
        ValueError: parameters that are not finite.

    Example:
        >>> from numba import carray, cfunc, types
        >>> from pluecker.articulated import CompiledControl
        >>> number, numbers = types.float64, types.CPointer(types.float64)
        >>> @cfunc(types.void(number, numbers, numbers, numbers, numbers))
        ... def damper(t, q, v, tau, parameters):
        ...     tau[0] = -parameters[0] * v[0]
        >>> control = CompiledControl(damper, parameters=[0.5])
    """

    function: Any
    parameters: Any = ()
    address: int = field(init=False)

    def __post_init__(self) -> None:
        given = np.zeros(0) if isinstance(self.parameters, tuple) and not self.parameters else self.parameters
        parameters = finite("CompiledControl", "parameters", given)
        if parameters.ndim == 0:
            parameters = parameters[None]
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "address", address_of_function(self.function))


def address_of_function(function: Any) -> int:
    """Find the address of a C function, from whatever stands for it."""
    expected = f"expected a numba.cfunc, a function of ctypes, or its address, of the signature {SIGNATURE}"
    if isinstance(function, (int, np.integer)) and not isinstance(function, bool):
        place = int(function)
    elif hasattr(function, "address") and hasattr(function, "ctypes"):
        place, function = int(function.address), function.ctypes
    elif isinstance(function, C_FUNCTION):
        place = ctypes.cast(function, ctypes.c_void_p).value or 0
    else:
        raise ArgumentTypeError(f"CompiledControl: function is a {type(function).__name__}, {expected}")
    kinds = getattr(function, "argtypes", None)
    if kinds is not None and (len(kinds) != 5 or kinds[0] is not ctypes.c_double or ctypes.c_double in kinds[1:]):
        raise ArgumentTypeError(f"CompiledControl: function has another signature, {expected}")
    if place <= 0:
        raise ArgumentValueError(f"CompiledControl: the address is {shown(place)}, {expected}")
    return place


@by_value()
@dataclass(frozen=True, eq=False)
class Actuator:
    """Motors between control and joints: control asks for a force of the motor, the joint gets ``gear`` times as much.

    Attributes:
        gear: a number, or ``(nv,)``.
        saturation: the largest force of the motor, before the gear, above 0: a number, or ``(nv,)``; infinite for none.
        delay: seconds from the command to the force, a whole number of control periods; before the first, there is none.

    Raises:
        TypeError: what is no number.
        ValueError: numbers that cannot be.
    """

    gear: Any = 1.0
    saturation: Any = np.inf
    delay: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gear", finite("Actuator", "gear", self.gear))
        saturation = np.array(as_numbers("Actuator", "saturation", self.saturation))
        if not (saturation > 0.0).all():
            raise ArgumentValueError(f"Actuator: saturation is {saturation.min()} at one coordinate, expected above 0")
        object.__setattr__(self, "saturation", saturation)
        object.__setattr__(self, "delay", seconds("Actuator", "delay", self.delay, zero=True))


@by_value()
@dataclass(frozen=True, eq=False)
class JointLimits:
    """Position limits of joints: hard or soft, and how joints come back from them.

    Attributes:
        stiffness: of soft limits, above 0, infinite for hard ones; N m/rad or N/m.
        damping: of soft limits; N m s/rad or N s/m.
        restitution: the share of the velocity with which a joint comes back from a hard limit, 0 to 1.

    All are numbers, or ``(nv,)``.

    Raises:
        TypeError: what is no number.
        ValueError: numbers that cannot be.
    """

    stiffness: Any = np.inf
    damping: Any = 0.0
    restitution: Any = 0.0

    def __post_init__(self) -> None:
        bounds = {"restitution": (0.0, 1.0), "stiffness": (np.finfo(float).tiny, np.inf), "damping": (0.0, 1e300)}
        for name, (lower, upper) in bounds.items():
            array = np.array(as_numbers("JointLimits", name, getattr(self, name)))
            if not ((array >= lower) & (array <= upper)).all():
                raise ArgumentValueError(f"JointLimits: {name} is {shown(getattr(self, name))}, {EXPECTED[name]}")
            object.__setattr__(self, name, array)


EXPECTED = {
    "restitution": "expected 0 to 1",
    "stiffness": "expected above 0, or infinite",
    "damping": "expected 0 or more",
}


@by_value()
@dataclass(frozen=True, eq=False)
class Control:
    """A command, and what happens to it on its way to the joints.

    Attributes:
        command: as ``control`` of :func:`simulate`: None, an array, a table, gains, a function.
        period: seconds between two looks at the state, a whole number of steps: in between, joint forces hold. By default
            each step has its own, and gains act during the step too.
        clip: whether joint forces stay within the model's ``effort_limit``.
        actuator: the motors.

    Raises:
        TypeError: what is no command, no number, no actuator.
        ValueError: a period that is not above 0.

    Example:
        >>> from pluecker.articulated import Actuator, Control, PDControl
        >>> servo = Control(PDControl(200.0, 5.0, q=[0.3]), period=0.01, actuator=Actuator(gear=50.0, saturation=0.2))
    """

    command: Any = None
    period: float | None = None
    clip: bool = field(default=False, kw_only=True)
    actuator: Actuator | None = None

    def __post_init__(self) -> None:
        command = self.command
        if isinstance(command, Control):
            raise ArgumentTypeError("Control: command is a Control, expected what it holds")
        if not (command is None or isinstance(command, (TimeTable, PDControl, CompiledControl)) or callable(command)):
            object.__setattr__(self, "command", finite("control", "the joint force", command))
        if self.period is not None:
            object.__setattr__(self, "period", seconds("Control", "period", self.period))
        if self.actuator is not None and not isinstance(self.actuator, Actuator):
            raise ArgumentTypeError(f"Control: actuator is a {type(self.actuator).__name__}, expected an Actuator")
        object.__setattr__(self, "clip", bool(self.clip))

    @property
    def function(self) -> Callable[..., Any] | None:
        """Command if it is a Python function, else None."""
        own = isinstance(self.command, (TimeTable, PDControl, CompiledControl))
        return self.command if callable(self.command) and not own else None


NO_CONTROL = Control()


def as_control(control: Any) -> Control:
    """Convert what the user gives as control to a :class:`Control`."""
    if control is None:
        return NO_CONTROL
    own = isinstance(control, (Control, TimeTable, PDControl, CompiledControl)) or callable(control)
    if not own:
        control = finite("simulate", "control", control)
    return control if isinstance(control, Control) else Control(control)


def seconds(owner: str, name: str, value: Any, zero: bool = False) -> float:
    """Convert to a finite number above zero; with ``zero``, zero is allowed."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ArgumentTypeError(f"{owner}: {name} is a {type(value).__name__}, expected a number of seconds")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not (0.0 < number < np.inf or (zero and number == 0.0)):
        least = "0 or more" if zero else "above 0"
        raise ArgumentValueError(f"{owner}: {name} is {number} s, expected a finite number {least}")
    return number
