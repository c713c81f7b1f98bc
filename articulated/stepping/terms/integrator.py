"""Interface of integrators: a kernel that takes one step, and a record of its properties.

Every integrator is a kernel on scalars ``step(m, c, h, given, q1, v1, memory, ws)``:

==========  ==========================================================================================================
argument    what it is
==========  ==========================================================================================================
m           the model without its dry friction, :func:`~pluecker.articulated.stepping.terms.scenario.smooth_model`
c           the scenario, :mod:`~pluecker.articulated.stepping.terms.scenario`
h           the step, s
given       the state at its beginning, control and wrenches, :class:`~pluecker.articulated.stepping.terms.stage.Given`
q1, v1      the state at its end; NaN in v1 where there is none
memory      what the integrator remembers from step to step; zero before the first
ws          scratch memory
==========  ==========================================================================================================

It returns a scalar, the error that it leaves, as a share of what is tolerated: up to 1 the step is solved; zero where
nothing is solved by iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array

__all__ = ["INTEGRATORS", "Integrator"]

INTEGRATORS: dict[str, Integrator] = {}


@dataclass(frozen=True, eq=False)
class Integrator:
    """Integrator: the kernel of a step, and its properties.

    Attributes:
        name: as :func:`simulate` takes it.
        order: of the error at the end of a motion without dry friction and limits, in the step.
        step: the kernel.
        workspace, memory: how many numbers it needs, from the model and the packed scenario.
        takes_rows: whether it knows dry friction and limits of joints.
        implicit: whether gains of control and stiffness count at the end of the step, so that they are stable at any step.
        with_mimic: what takes its place for models with mimic joints, if it cannot serve them.
        variant: what takes its place for a model in a scenario, so that nothing is compiled that is not needed there.
        lanes: whether the kernel is generic.
        lasting: whether what it remembers belongs to the motion, so that a step that is divided goes on from it.
        listed: whether users can ask for it.
    """

    name: str
    order: int
    step: Callable[..., Any]
    workspace: Callable[..., int]
    memory: Callable[..., int] = lambda model, scenario: 0
    takes_rows: bool = False
    implicit: bool = False
    with_mimic: Integrator | None = None
    variant: Callable[[Model, Array], Integrator] | None = None
    lanes: bool = True
    listed: bool = True
    lasting: bool = False

    def __post_init__(self) -> None:
        if self.listed:
            INTEGRATORS[self.name] = self

    def serving(self, model: Model, scenario: Array | None = None) -> Integrator:
        """Return the integrator for this model and scenario: itself, or its variant for mimic joints or for the scenario."""
        if self.variant is not None and scenario is not None:
            return self.variant(model, scenario)
        return self.with_mimic if self.with_mimic is not None and model.coordinate_tree.shared else self
