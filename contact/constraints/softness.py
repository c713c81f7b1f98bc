"""Soft constraints: a spring and a damper in place of what holds; and what other texts call them.

A row phi with the stiffness k and the damping d has the force ``f = -k phi - d u`` at the end of a step h (implicitly), with
its rate u there and the error ``phi + h u``:

    f = -k (phi + h u) - d u      <=>      u = -(erp / h) phi - cfm f,      cfm = 1 / (h k + d),    erp = h k / (h k + d)

The other way: ``k = erp / (h cfm)`` and ``d = (1 - erp) / cfm``. With impulses ``r = h f`` in place of forces, the
compliance of a row is ``c = cfm / h = 1 / (h (h k + d))``. ERP and CFM are those of ODE, K_cfm of source document 000 is
CFM. As k grows, erp goes to 1 and cfm to 0: a hard row that ends the step at phi = 0; ``erp = 0`` with ``cfm = 1 / d`` is a
damper alone.

**Equations 13 and 14 of source document 002** say ``lambda = -k J v``, and that a joint swings with it as on a spring. It
is a damper, of the damping k: its force depends on the velocity alone, and it cannot swing. In the notation above it is
``k -> 0, d -> k``, so ``erp = 0`` and ``cfm = 1 / k``; the document's equations have impulses for lambda, so that there
the damping is k / h. What it describes in words is the spring above.

Sources: R. Smith, *Open Dynamics Engine*, manual, "How to use ERP and CFM"; Catto, "Soft constraints" (GDC 2011); source
documents 000 (mixing of forces) and 002, equations 13 and 14 (docs/sources.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.model.description import number
from pluecker.contact.errors import ConstraintError

__all__ = ["ErpCfm", "Softness", "SpringDamper", "damper_of_multiplier", "erp_cfm", "spring_damper"]


class ErpCfm(NamedTuple):
    """Error reduction, the share of the error that a step removes; and the mixing of forces, (m/s)/N or (rad/s)/(N m)."""

    erp: float
    cfm: float


class SpringDamper(NamedTuple):
    """Stiffness and damping: N/m and N s/m, or N m/rad and N m s/rad."""

    stiffness: float
    damping: float


def checked(function: str, lower: float, upper: float, key: str, value: Any, closed: bool = True) -> float:
    """Check a number between bounds."""
    x = number(function, key, value)
    if not (lower <= x <= upper) or (not closed and x == lower):
        bound = f"a number from {lower:g} to {upper:g}" if closed else f"a number above {lower:g}"
        raise ConstraintError(f"{function}: {key} is {x:g}, expected {bound}")
    return x


def erp_cfm(stiffness: float, damping: float, step: float) -> ErpCfm:
    """Compute ERP and CFM that are a spring and a damper in steps of one length.

    Args:
        stiffness: k, not negative; infinite for what holds.
        damping: d, not negative.
        step: h, above 0; s.

    Returns:
        ``ErpCfm(erp, cfm)``; CFM multiplies forces, not impulses: divide it by h for these.

    Raises:
        TypeError: no real numbers.
        ValueError: a negative number, NaN, no step; stiffness and damping both zero, which resists nothing.

    Source: R. Smith, *Open Dynamics Engine*, manual; source document 000 (docs/sources.md), mixing of forces.

    Example:
        >>> from pluecker.contact.constraints import erp_cfm, spring_damper
        >>> erp_cfm(1e4, 100.0, 0.01)
        ErpCfm(erp=0.5, cfm=0.005)
        >>> spring_damper(0.5, 0.005, 0.01)
        SpringDamper(stiffness=10000.0, damping=100.0)
    """
    k = checked("erp_cfm", 0.0, np.inf, "stiffness", stiffness)
    d = checked("erp_cfm", 0.0, np.finfo(float).max, "damping", damping)
    h = checked("erp_cfm", 0.0, np.finfo(float).max, "step", step, closed=False)
    if k == d == 0.0:
        raise ConstraintError("erp_cfm: stiffness and damping are both zero: such a row resists nothing")
    if np.isinf(k):
        return ErpCfm(1.0, 0.0)
    total = h * k + d
    return ErpCfm(h * k / total, 1.0 / total)


def spring_damper(erp: float, cfm: float, step: float) -> SpringDamper:
    """Compute the spring and the damper that ERP and CFM are in steps of one length: the inverse of :func:`erp_cfm`.

    Args:
        erp: 0 to 1.
        cfm: not negative; 0 for a hard row, which is a spring only if ERP is 1.
        step: h, above 0; s.

    Returns:
        ``SpringDamper(stiffness, damping)``; infinite stiffness for CFM 0 and ERP 1.

    Raises:
        TypeError: no real numbers.
        ValueError: a number out of its bounds; CFM 0 with an ERP below 1: a hard row that removes a share of its error in
            each step is no spring and damper of finite numbers.

    Example:
        >>> from pluecker.contact.constraints import spring_damper
        >>> spring_damper(0.0, 0.1, 0.01)  # a damper
        SpringDamper(stiffness=0.0, damping=10.0)
    """
    e = checked("spring_damper", 0.0, 1.0, "erp", erp)
    c = checked("spring_damper", 0.0, np.finfo(float).max, "cfm", cfm)
    h = checked("spring_damper", 0.0, np.finfo(float).max, "step", step, closed=False)
    if c == 0.0:
        if e < 1.0:
            raise ConstraintError(f"spring_damper: cfm is 0 and erp is {e:g}: no finite spring and damper do that")
        return SpringDamper(np.inf, 0.0)
    return SpringDamper(e / (h * c), (1.0 - e) / c)


def damper_of_multiplier(k: float, step: float | None = None) -> SpringDamper:
    """Convert equations 13 and 14 of source document 002, ``lambda = -k J v``, to what they are: a damper.

    Args:
        k: of the equations, not negative.
        step: None where lambda is a force; the step h where it is an impulse, as in the equations for a step; s.

    Returns:
        ``SpringDamper(0, k)``, or ``SpringDamper(0, k / h)``. A joint that is to swing needs a stiffness.

    Raises:
        TypeError: no real numbers.
        ValueError: a number out of its bounds.

    Source: source document 002 (docs/sources.md), equations 13 and 14.

    Example:
        >>> from pluecker.contact.constraints import damper_of_multiplier
        >>> damper_of_multiplier(2.0, step=0.5)
        SpringDamper(stiffness=0.0, damping=4.0)
    """
    d = checked("damper_of_multiplier", 0.0, np.finfo(float).max, "k", k)
    if step is None:
        return SpringDamper(0.0, d)
    return SpringDamper(0.0, d / checked("damper_of_multiplier", 0.0, np.finfo(float).max, "step", step, closed=False))


@dataclass(frozen=True)
class Softness:
    """How soft a joint is, along and about its axes: a spring and a damper in place of each row.

    Attributes:
        stiffness, damping: of rows in metres; N/m and N s/m. Infinite stiffness holds; 0 leaves the damper alone.
        turning_stiffness, turning_damping: of rows in radians; N m/rad and N m s/rad.

    Raises:
        TypeError: no real numbers.
        ValueError: a negative number; a damping where the stiffness is infinite; a row that resists nothing.

    Example:
        >>> from pluecker.contact.constraints import Softness
        >>> bushing = Softness(stiffness=1e5, damping=200.0, turning_stiffness=500.0)
    """

    stiffness: float = np.inf
    damping: float = 0.0
    turning_stiffness: float = np.inf
    turning_damping: float = 0.0

    def __post_init__(self) -> None:
        for kind in ("", "turning_"):
            k = checked("Softness", 0.0, np.inf, f"{kind}stiffness", getattr(self, f"{kind}stiffness"))
            d = checked("Softness", 0.0, np.finfo(float).max, f"{kind}damping", getattr(self, f"{kind}damping"))
            check_spring("Softness", kind, k, d)
            object.__setattr__(self, f"{kind}stiffness", k + 0.0)
            object.__setattr__(self, f"{kind}damping", d + 0.0)


def check_spring(label: str, kind: str, k: float, d: float) -> None:
    """Refuse a damper beside an infinite stiffness, which needs none, and a row with neither, which resists nothing."""
    if np.isinf(k) and d > 0.0:
        raise ConstraintError(
            f"{label}: {kind}damping is {d:g} and {kind}stiffness is infinite: what holds needs no damper"
        )
    if k == d == 0.0:
        raise ConstraintError(f"{label}: {kind}stiffness and {kind}damping are both zero: such a row resists nothing")
