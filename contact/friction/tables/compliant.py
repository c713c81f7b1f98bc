"""Soft contact: what a spring and a damper are in one step, as compliance and error reduction of a contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.columns import numbers_of
from pluecker.contact.friction.tables.bodies import as_step
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array

__all__ = ["SoftContact", "soft_contact"]


@by_value()
class SoftContact(NamedTuple):
    """Compliance and error reduction that stand for a spring and a damper in one step.

    Attributes:
        compliance: for :class:`~pluecker.contact.friction.tables.table.ContactTable`, m/s per N s.
        erp: for :func:`~pluecker.contact.friction.tables.assembly.assemble_contacts`: the share of the penetration that a
            step removes where nothing resists; between 0 and 1.
    """

    compliance: Array
    erp: Array


def soft_contact(stiffness: ArrayLike, damping: ArrayLike, step: float) -> SoftContact:
    """Return compliance and error reduction of contacts that are springs and dampers, at the end of the step (implicitly).

    With the gap g before the step, the gap ``g + h u`` after it, and the impulse ``r = h f`` of the force at its end,

        f = -k (g + h u) - d u          (spring and damper)
        r = -h k g - h (h k + d) u
        0 = u + c r + s g / h,          c = 1 / (h (h k + d)),    s = h k / (h k + d)

    This is what a contact with compliance c and error reduction s has where it presses. Without damping s is 1; without
    stiffness it is 0. The scheme is that of Catto, "Soft constraints" (GDC 2011). It is stable for any step, and
    dissipates what the implicit Euler method does. A contact that presses against a weight mg rests where the spring
    does, at the penetration mg / k.

    ODE has the same with forces in place of impulses, ``J v = - ERP g / h - CFM f`` with ``f = r / h``: its ERP is s, and
    its CFM is c h, ``1 / (h k + d)``. So is K_cfm of source document 000, which multiplies forces, too.

    Args:
        stiffness: k, N/m, positive or zero, any shape.
        damping: d, N s/m, positive or zero, any shape that broadcasts.
        step: h, s.

    Returns:
        ``(compliance, erp)``, of the broadcast shape.

    Raises:
        ArgumentTypeError: no real numbers.
        ProblemError: a number is negative or not finite, or stiffness and damping are both zero; their shapes do not
            broadcast; the step is not positive; the compliance overflows.

    Source: R. Smith, Open Dynamics Engine, manual, "How to use ERP and CFM" (``ERP = h k / (h k + d)``,
    ``CFM = 1 / (h k + d)``); source document 000 (docs/sources.md), error correction (k_erp) and the mixing of forces
    (K_cfm), where both are free parameters.

    Example:
        >>> from pluecker.contact import soft_contact
        >>> soft_contact(1e4, 100.0, 0.01)
        SoftContact(compliance=array(0.5), erp=array(0.5))
    """
    h, k, d = as_step(step), numbers_of("stiffness", stiffness), numbers_of("damping", damping)
    for name, value in (("stiffness", k), ("damping", d)):
        for place in np.argwhere(~(np.isfinite(value) & (value >= 0.0)))[:1]:
            where = f"[{', '.join(map(str, place))}]" if value.ndim else ""
            raise ProblemError(f"{name}{where} is {value[tuple(place)]}, expected a finite number that is not negative")
    try:
        k, d = np.broadcast_arrays(k, d)
    except ValueError:
        raise ProblemError(f"stiffness of shape {k.shape} and damping of shape {d.shape} do not broadcast") from None
    if not ((k > 0.0) | (d > 0.0)).all():
        raise ProblemError("stiffness and damping are both zero: such a contact resists nothing")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        total = h * k + d
        soft = SoftContact(np.asarray(1.0 / (h * total)), np.asarray(h * k / total))
    if not (np.isfinite(soft.compliance) & np.isfinite(soft.erp)).all():
        raise ProblemError(f"step {h}, stiffness and damping are so large or so small that h (h k + d) leaves float64")
    return soft
