"""The integrators that users can ask for, by name."""

from __future__ import annotations

from typing import Any

from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.adaptive import adaptive, dop853
from pluecker.articulated.stepping.explicit import euler, runge_kutta
from pluecker.articulated.stepping.implicit import bdf, linearly_implicit, redmax_step, variational
from pluecker.articulated.stepping.semi_implicit import semi_implicit
from pluecker.articulated.stepping.terms.integrator import INTEGRATORS, Integrator
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = ["ADAPTIVE", "INTEGRATORS", "as_integrator", "knowing_rows"]

# Each adds its own to the table when it is imported.
KNOWN = (semi_implicit, linearly_implicit, redmax_step, bdf, euler, runge_kutta, variational, adaptive, dop853)
ADAPTIVE = (
    adaptive.DORMAND_PRINCE.name,
    dop853.DOP853.name,
)  # whose error is bounded by a tolerance, whatever the step


def as_integrator(model: Model, integrator: Any) -> Integrator:
    """Return an integrator, which is given by its name or itself.

    Raises:
        TypeError, ValueError: it is neither.
        ValueError: the model has dry friction, and it knows none.
    """
    if isinstance(integrator, str):
        if integrator not in INTEGRATORS:
            raise ArgumentValueError(f"simulate: integrator is {shown(integrator)}, expected one of {all_names()}")
        found = INTEGRATORS[integrator]
    elif isinstance(integrator, Integrator):
        found = integrator
    else:
        kind = type(integrator).__name__
        raise ArgumentTypeError(f"simulate: integrator is a {kind}, expected one of {all_names()}")
    if model.friction.any() and not found.takes_rows:
        raise ArgumentValueError(
            f"simulate: {found.name} knows no dry friction, and model {model.name!r} has it at "
            f"{shown(model.v_names[int(model.friction.argmax())])}; use {knowing_rows()}, or model.replace(friction=0.0)"
        )
    return found


def all_names() -> str:
    """List the names of all integrators, for messages."""
    return ", ".join(sorted(INTEGRATORS))


def knowing_rows() -> str:
    """List the integrators that know dry friction and limits, for messages."""
    return " or ".join(sorted(each.name for each in INTEGRATORS.values() if each.takes_rows))
