"""A constraint by a function of the user's: ``C(q) = 0``, or ``C(q) >= 0``.

    dC/dt = J v,    d2C/dt2 = J a + Jdot v

J is the gradient of C by v: J_k is the rate of C as coordinate k moves with the velocity 1 (:func:`integrate`). Where no
derivative is given, J and Jdot v are central differences along the motion::

    J_k = (C(q + h e_k) - C(q - h e_k)) / 2h                       h = 6e-6
    Jdot v = (C(q + h v) - 2 C(q) + C(q - h v)) / h^2              h = 1.2e-4 / |v|

Their errors are near 1e-10 and, in units of v^2, 1e-7 for a C that is exact to rounding and whose derivatives are near 1;
where the gradient is given, Jdot v is the difference of J v, exact to about 1e-10.

A Python function is called through ctypes, with Python's lock; a compiled one by its address, at the cost of a call.

Source: source document 000 (docs/sources.md), joint limits in general, ``C(q(s)) >= 0``; Nocedal, Wright, *Numerical
optimization* (2006), section 8.1, for the steps of differences.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.control.control import finite
from pluecker.articulated.stepping.control.control_function import NUMBERS, SIGNATURE
from pluecker.contact.constraints.base import Constraint
from pluecker.contact.constraints.checks import set_flag, set_spring, share
from pluecker.contact.constraints.frames import check_name, named
from pluecker.contact.constraints.relation import USER, Function, Parts, Row
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.engine.parallel.callbacks import is_over, keep
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, shown

__all__ = ["UserCall", "UserFunction", "refuse_broken_functions", "refuse_what_broke"]

Array = NDArray[np.float64]
C_FUNCTION: Any = type(ctypes.CFUNCTYPE(None)()).__mro__[1]  # what all functions of ctypes are
FORM = "void(double order, const double* q, const double* v, double* out, const double* parameters)"
FIRST = 6e-6  # of first differences: the third root of the rounding 2e-16
SECOND = 1.2e-4  # of second differences: the fourth root


class UserCall:
    """Function of the user's as kernels call it; it has to outlive the world's array, which has its address.

    Attributes:
        label: whose it is, for messages.
        address, parameters: of the machine code, and an array of its own.
        broken: what was wrong with its last numbers that were none, in words, and the exception that it raised, if any.
    """

    def __init__(self, label: str, model: Model, record: UserFunction) -> None:
        self.label, self.model, self.record = label, model, record
        self.parameters = np.array(record.parameters, dtype=np.float64).reshape(-1)
        self.broken: tuple[str, Exception | None] | None = None
        if record.compiled and record.differentiates:
            self.keep: Any = record.function
            self.address = address_of_function(record.function)
        else:
            self.keep = SIGNATURE(self.answer)
            self.address = ctypes.cast(self.keep, ctypes.c_void_p).value or 0

    def answer(self, order: float, q: Any, v: Any, out: Any, parameters: Any) -> None:
        """Write the numbers that machine code asks for; NaN where the function fails, or its result is not wanted
        any more.
        """
        nq, nv = self.model.nq, self.model.nv
        results = np.ctypeslib.as_array(out, (nv + 2,))
        if is_over():
            results[:] = np.nan
            return
        position, velocity = numbers_at(q, nq), numbers_at(v, nv) if order >= 2.0 else np.zeros(0)
        known = np.isfinite(position).all() and np.isfinite(velocity).all()  # else it follows from an error before
        try:
            results[0] = self.value(position)
            if order >= 1.0:
                results[1 : nv + 1] = self.gradient(position)
            if order >= 2.0:
                results[nv + 1] = self.bias(position, velocity)
        except Exception as error:  # it cannot pass through machine code: it is told when the result is looked at
            if known:
                self.broken = f"{self.label}: the function raised {type(error).__name__}: {error}", error
            results[:] = np.nan
            return
        except BaseException as error:  # Ctrl-C, or an end that the function wants
            keep(error)  # around the machine code it is raised
            results[:] = np.nan
            return
        if known and not np.isfinite(results).all():
            where = f"at q = {shown(position.tolist())}"
            self.broken = f"{self.label}: the function has no finite value or derivative {where}", None

    def value(self, q: Array) -> float:
        """Compute C(q)."""
        if self.record.compiled:
            out = np.zeros(self.model.nv + 2)
            pointers = [x.ctypes.data_as(NUMBERS) for x in (q, q, out, self.parameters)]
            SIGNATURE(address_of_function(self.record.function))(0.0, *pointers)
            return float(out[0])
        return float(self.record.function(q))

    def gradient(self, q: Array) -> Array:
        """Compute J."""
        if self.record.gradient is not None:
            J = np.asarray(self.record.gradient(q), dtype=np.float64)
            if J.shape != (self.model.nv,):
                raise ConstraintError(f"{self.label}: the gradient has shape {J.shape}, expected ({self.model.nv},)")
            return J
        steps = FIRST * np.eye(self.model.nv)
        return np.array([self.difference(q, step, self.value) for step in steps]) / (2.0 * FIRST)

    def bias(self, q: Array, v: Array) -> float:
        """Compute Jdot v."""
        speed = float(np.linalg.norm(v))
        if speed == 0.0:
            return 0.0
        if self.record.gradient is not None:
            rate = self.difference(q, FIRST / speed * v, lambda x: float(self.gradient(x) @ v))
            return rate * speed / (2.0 * FIRST)
        ends = [self.value(integrate(self.model, q, sign * SECOND / speed * v)) for sign in (1.0, -1.0)]
        return (ends[0] - 2.0 * self.value(q) + ends[1]) * (speed / SECOND) ** 2

    def difference(self, q: Array, step: Array, function: Callable[[Array], float]) -> float:
        """Compute the difference of a function between both sides of q."""
        return float(function(integrate(self.model, q, step)) - function(integrate(self.model, q, -step)))


def numbers_at(pointer: Any, n: int) -> Array:
    """Copy numbers at an address to an array of NumPy's own dtype: that of ctypes is another one, though it is equal."""
    numbers = np.empty(n)
    numbers[:] = np.ctypeslib.as_array(pointer, (n,))
    return numbers


def address_of_function(function: Any) -> int:
    """Return the address of a numba.cfunc or of a function of ctypes."""
    if isinstance(function, C_FUNCTION):
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    return int(function.address)


@by_value()
@dataclass(frozen=True, eq=False)
class UserFunction(Constraint):
    """``C(q) = 0``, or ``C(q) >= 0``, by a function of the user's.

    Attributes:
        name: of the constraint.
        function: Python's, of q ``(nq,)``, which gives a number; or machine code, what ``numba.cfunc`` made or a function of
            ``ctypes``, ``void(double order, const double* q, const double* v, double* out, const double* parameters)``: it
            writes C to ``out[0]``, where order is at least 1 its gradient by v behind it, ``nv`` numbers, and where order is
            2 Jdot v behind these. It must not keep the pointers, and has to be safe to call from several threads.
        gradient: of a Python function: Python's, of q, which gives ``(nv,)``; differences if None.
        differentiates: whether machine code writes the gradient and Jdot v; if not, these are differences.
        parameters: numbers for machine code.
        one_sided: whether ``C(q) >= 0`` is held, and not ``C(q) = 0``.
        restitution: with which share of its rate C comes back from 0, of a one-sided one; 0 to 1.
        stiffness, damping: of a soft one, in units of its force per unit of C.

    What a Python function raises ends the call of the world: any ``Exception`` as an error that names the constraint and the
    exception; Ctrl-C, ``SystemExit`` and the like as they are.

    Raises:
        TypeError: what is no name, no function, no number.
        ValueError: numbers that cannot be.

    Example:
        >>> from pluecker.contact.constraints import UserFunction
        >>> on_a_circle = UserFunction("circle", lambda q: q[0] ** 2 + q[1] ** 2 - 1.0, lambda q: [2.0 * q[0], 2.0 * q[1]])
    """

    name: str
    function: Any
    gradient: Callable[[Array], Any] | None = None
    differentiates: bool = field(default=True, kw_only=True)
    parameters: Any = field(default=(), kw_only=True)
    one_sided: bool = field(default=False, kw_only=True)
    restitution: float = field(default=0.0, kw_only=True)
    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        check_name("UserFunction", self.name)
        if not self.compiled and not callable(self.function):
            raise ArgumentTypeError(
                f"{self.label}: function is {shown(self.function)}, expected a function of q, or machine code, {FORM}"
            )
        if self.compiled:
            kinds = getattr(getattr(self.function, "ctypes", self.function), "argtypes", None)
            if kinds is not None and (
                len(kinds) != 5 or kinds[0] is not ctypes.c_double or ctypes.c_double in kinds[1:]
            ):
                raise ArgumentTypeError(f"{self.label}: function has another signature, expected {FORM}")
        if self.gradient is not None and (self.compiled or not callable(self.gradient)):
            raise ArgumentTypeError(
                f"{self.label}: gradient is {shown(self.gradient)}, expected a function of q beside one of Python's, or None"
            )
        empty = isinstance(self.parameters, (tuple, list)) and not self.parameters
        numbers = [] if empty else finite(self.label, "parameters", self.parameters).ravel().tolist()
        object.__setattr__(self, "parameters", tuple(numbers))
        object.__setattr__(self, "restitution", share(self.label, "restitution", self.restitution))
        set_spring(self, self.label)
        for key in ("one_sided", "differentiates"):
            set_flag(self, self.label, key)

    @property
    def label(self) -> str:
        """Name of the constraint in messages."""
        return named("UserFunction", self.name)

    @property
    def compiled(self) -> bool:
        """True if it is machine code."""
        function = self.function
        return isinstance(function, C_FUNCTION) or (hasattr(function, "address") and hasattr(function, "ctypes"))

    def parts(self, model: Model) -> Parts:
        """Return one row, on all coordinates."""
        function = Function(USER, user=UserCall(self.label, model, self))
        law: dict[str, Any] = {"stiffness": self.stiffness, "damping": self.damping}
        if self.one_sided:
            law |= {"lower": 0.0, "restitution": self.restitution, "ranged": True}
        return Parts((function,), (Row(((0, 1.0),), **law),))


def refuse_what_broke(model: Model, parts: tuple[Parts, ...], q: ArrayLike) -> None:
    """Refuse as :func:`refuse_broken_functions` does; else say what was wrong with the last numbers that were none."""
    calls = [f.user for part in parts for f in part.functions if f.kind == USER]
    found = next((call.broken for call in calls if call.broken is not None), None)
    refuse_broken_functions(model, parts, q)
    if found is not None:
        raise ConstraintError(found[0]) from found[1]


def refuse_broken_functions(model: Model, parts: tuple[Parts, ...], q: ArrayLike) -> None:
    """Refuse one of the users' functions that has no value in one of these configurations, ``(..., nq)``.

    Raises:
        ConstraintError: by the constraint's name: it is NaN or infinite there, or raised an error, which is the cause.
    """
    calls = [f.user for part in parts for f in part.functions if f.kind == USER]
    if not calls:
        return
    for call in calls:
        call.broken = None  # what comes now counts, and nothing that comes later is explained by it
    states = np.asarray(q, dtype=np.float64)
    if states.shape[-1:] != (model.nq,) or not np.isfinite(states).all():
        return  # that is wrong with the configurations themselves
    for call in calls:
        for one in states.reshape(-1, model.nq):
            try:
                numbers = [call.value(one), *call.gradient(one)] if not call.record.compiled else [call.value(one)]
            except Exception as error:
                raise ConstraintError(f"{call.label}: the function raised {type(error).__name__}: {error}") from error
            if not np.isfinite(numbers).all():
                what = "is" if not np.isfinite(numbers[0]) else "has the derivative"
                bad = numbers[0] if what == "is" else numbers[1:][int(np.argmin(np.isfinite(numbers[1:])))]
                raise ConstraintError(f"{call.label}: the function {what} {bad} at q = {shown(one.tolist())}")
