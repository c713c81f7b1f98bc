"""Building a model by hand: bodies, joints and frames, in any order."""

from __future__ import annotations

from pluecker.articulated.model.assembly import assemble
from pluecker.articulated.model.description import Description
from pluecker.articulated.model.model import Model

__all__ = ["ModelBuilder"]


class ModelBuilder(Description):
    """Collects bodies, joints and frames, and builds a :class:`Model` of them.

    What is wrong by itself (a zero axis, a negative mass, a name used twice) is refused at once; what is wrong together
    (an unknown parent, a cycle, a body without a joint) when the model is built. Every error names
    the body or joint: a :class:`ModelError`, or a ``TypeError`` where something is of another type.

    Args:
        name: the name of the mechanism.
        gravity: acceleration of free fall in world axes; m/s^2.
        world: what the fixed world is called.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> builder = ModelBuilder("pendulum")
        >>> builder.add_body("rod", mass=1.0, center_of_mass=(0, 0, -0.5))
        >>> builder.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), damping=0.1)
        >>> print(builder.build())
        Model 'pendulum': nq = 1, nv = 1, n_bodies = 1, 1 kg
        world
        rod    hinge: revolute, q[0]
    """

    def build(self) -> Model:
        """The model. The builder stays as it is and can build again.

        Raises:
            ModelError: the bodies and joints do not make a tree that hangs on the world.
        """
        return Model(**assemble(self))
