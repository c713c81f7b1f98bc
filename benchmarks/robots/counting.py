"""How many operations a kernel makes for one state, counted by running its source on numbers that count.

Started by the topic ``limit`` as ``python -m benchmarks.robots.counting`` with ``NUMBA_DISABLE_JIT=1``: kernels then are
Python functions, generic over the scalar, and the scalar here is :class:`Counted`. Prints a line of JSON.

What compiled code does once for all eight states, arithmetic on the model's constants alone, is not counted.
"""

from __future__ import annotations

import json
import operator
import os
import sys
from collections import Counter
from typing import Any

import numpy as np
from numba import config

from benchmarks.measuring.mechanisms import States, robots
from pluecker.articulated import aba, crba, rnea
from pluecker.articulated.algorithms.dynamics.aba import ABA
from pluecker.articulated.algorithms.dynamics.rnea import RNEA
from pluecker.articulated.algorithms.inertia.crba import CRBA
from pluecker.spatial.engine.codegen import sincos

__all__ = ["KINDS", "TRAFFIC", "flops", "places"]

KINDS = ("add", "multiply", "divide", "sqrt", "sincos")
TRAFFIC = ("load", "store")
TALLY: Counter[str] = Counter()


class Counted:
    """A number that counts what is done with it."""

    def __init__(self, value: Any) -> None:
        self.value = value.value if isinstance(value, Counted) else float(value)

    @property
    def real(self) -> Counted:
        """Real part, at which comparisons of the package look."""
        return self

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any) -> Any:
        """Count a function of NumPy that is applied to it, such as a product with one of NumPy's own numbers."""
        if function in BINARY:
            return counted(BINARY[function][0], *inputs, BINARY[function][1])
        values = [x.value if isinstance(x, Counted) else x for x in inputs]
        if function in (np.sin, np.cos):
            TALLY["sincos"] += 0.5  # they come in pairs, and the package computes them together
        elif function is np.sqrt:
            TALLY["sqrt"] += 1
        elif function not in FREE:
            raise NotImplementedError(f"no way to count {function.__name__}")
        result = function(*values)
        return result if isinstance(result, (bool, np.bool_)) else Counted(result)

    def __neg__(self) -> Counted:
        """Change the sign, which costs nothing: it becomes part of the next operation."""
        return Counted(-self.value)

    def __lt__(self, other: Any) -> bool:
        """Compare two numbers."""
        return self.value < (other.value if isinstance(other, Counted) else other)

    def __le__(self, other: Any) -> bool:
        """Compare two numbers."""
        return self.value <= (other.value if isinstance(other, Counted) else other)


def counted(operation: Any, x: Any, y: Any, kind: str) -> Counted:
    """The result of an operation, which is counted."""
    TALLY[kind] += 1
    values = (z.value if isinstance(z, Counted) else z for z in (x, y))
    return Counted(operation(*values))


BINARY = {
    np.add: (operator.add, "add"),
    np.subtract: (operator.sub, "add"),
    np.multiply: (operator.mul, "multiply"),
    np.true_divide: (operator.truediv, "divide"),
}
FREE = (np.sign, np.less, np.less_equal, np.greater, np.isfinite, np.absolute)  # choices, not arithmetic
for name, operation in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.true_divide)):
    function, kind = BINARY[operation]
    setattr(Counted, f"__{name}__", lambda x, y, f=function, k=kind: counted(f, x, y, k))
    setattr(Counted, f"__r{name}__", lambda x, y, f=function, k=kind: counted(f, y, x, k))


class Numbers(np.ndarray):
    """A scalar array of counted numbers; what is read and written is counted too."""

    def __getitem__(self, key: Any) -> Any:
        """Return one number, or a part that counts as well."""
        if not isinstance(key, slice):
            TALLY["load"] += 1
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a number; a constant becomes one of the state's own."""
        TALLY["store"] += 1
        super().__setitem__(key, Counted(value))


def numbers(values: Any) -> Numbers:
    """A scalar array with these values."""
    array = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        array[k] = Counted(value)
    return array.view(Numbers)


def places(algorithm: Any, model: Any) -> Any:
    """Return the index of each entry of the result among the numbers that the kernel makes."""
    if algorithm.order is not None:
        return algorithm.order(model)
    return np.arange(algorithm.outputs[0].size_for(model))


def count(algorithm: Any, model: Any, inputs: list[Any], truth: Any) -> dict[str, float]:
    """The operations of one state; the result must be that of the compiled kernel's source on plain numbers."""
    plan, order = algorithm.plan(model), places(algorithm, model)
    arguments = [numbers(x) for x in inputs] + [np.empty(0)] * (len(algorithm.inputs) - len(inputs))
    out, workspace = numbers(np.zeros(int(order.max()) + 1)), numbers(np.zeros(plan.head.workspace))
    TALLY.clear()
    algorithm.kernel(plan.head.packed, *arguments, out, workspace)
    tally = {kind: TALLY[kind] for kind in (*KINDS, *TRAFFIC)}
    values = np.array([x.value for x in np.asarray(out)])[order]
    if not np.allclose(values, np.ravel(truth), rtol=1e-9, atol=1e-9 * np.abs(truth).max()):
        raise AssertionError(f"{algorithm.name} of {model.name} on counted numbers is not what it is on others")
    return tally


def sincos_flops() -> dict[str, float]:
    """The operations in one sine and cosine; a fused product and sum counts as both."""
    sincos.fma = lambda x, y, z: x * y + z  # these three are machine instructions, which plain Python does not have
    sincos.odd = sincos.odd_half = lambda n: False
    TALLY.clear()
    sincos.small_sincos(Counted(0.3))
    return {kind: TALLY[kind] for kind in KINDS}


def flops(tally: dict[str, float], of_sincos: dict[str, float]) -> float:
    """Floating-point operations: each addition, multiplication, division and square root is one."""
    own = sum(tally[kind] for kind in KINDS if kind != "sincos")
    return own + tally["sincos"] * sum(of_sincos[kind] for kind in KINDS if kind != "sincos")


def main() -> int:
    """Count all robots and algorithms."""
    if not config.DISABLE_JIT:
        print(f"counting needs NUMBA_DISABLE_JIT=1, got {os.environ.get('NUMBA_DISABLE_JIT')}", file=sys.stderr)
        return 2
    found: dict[str, Any] = {}
    for robot in robots():
        model, s = robot.model, States.random(robot.model, 1)
        q, v, a, tau = s.q[0], s.v[0], s.a[0], s.tau[0]
        found[robot.label] = {
            "rnea": count(RNEA, model, [q, v, a], rnea(model, q, v, a)),
            "aba": count(ABA, model, [q, v, tau], aba(model, q, v, tau)),
            "crba": count(CRBA, model, [q], crba(model, q)),
        }
    print(json.dumps({"robots": found, "sincos": sincos_flops()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
