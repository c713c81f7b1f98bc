"""Free rigid bodies in maximal coordinates: where they are, how they move, what acts on them.

====================================================  =========================================  ====================
formula                                               where                                      source document 000
====================================================  =========================================  ====================
``I_w = R I R^T``                                     :attr:`Bodies.world_inertia`               equations of motion
``M = diag(I_w, m 1)``, angular part first            :meth:`Bodies.mass_matrix`                 the matrix M
``M dv/dt = [t; f] - [w x I_w w; 0]``                 :meth:`Bodies.acceleration`                Newton and Euler
``v + h M^-1 ([t; f] - [w x I_w w; 0])``              :meth:`Bodies.free_velocity`               u + dt M^-1 f_ext
====================================================  =========================================  ====================

Source document 000 (docs/sources.md) puts linear velocities first, and leaves the inertia in the axes of the body where
it stands between vectors of the world. Here the angular part comes first, as everywhere in this project, and all
vectors are in world axes.

In the whole module the velocity of a body is ``[w; v]``, angular part first, in **world axes**, at its **centre of mass**:
:func:`~pluecker.articulated.body_velocities` of a robot are in body axes, at the body's origin.

The velocity of a body is that of its centre of mass, [w; dr/dt], so that its rate of change has no term ``w x v``: it
is the acceleration that is measured, not the spatial acceleration of the course.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.contact.arguments import as_number, shown
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import HUGE
from pluecker.contact.friction.problem.columns import as_column, entry_error, frozen, numbers_of
from pluecker.spatial.algebra.matrices import NEARLY
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.consistency import check_consistent, is_consistent
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.functions.quaternions import quaternion_to_rotation
from pluecker.spatial.functions.rigid_body import spatial_inertia
from pluecker.spatial.lazily import scipy
from pluecker.spatial.properties import cached_property

__all__ = ["Bodies", "as_step"]

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@by_value()
@dataclass(frozen=True, eq=False)
class Bodies:
    """Rigid bodies, n of them, and their state: velocities in world axes, at the centres of mass.

    The arrays are copied, and cannot be written to; ``dataclasses.replace`` makes bodies in another state.

    Attributes:
        mass: ``(n,)``, kg. Infinite for a *static* body: nothing changes its velocity, which may be other than zero, as
            that of a conveyor belt or of a moving floor.
        inertia: rotational, about the centre of mass, in body axes, ``(n, 3, 3)``; or ``(n, 3)``, principal moments
            about the body axes; kg m^2. That of a static body is not looked at, and becomes zero.
        position: of the centres of mass in the world, ``(n, 3)``, m.
        orientation: unit quaternions [w, x, y, z] from body to world axes, ``(n, 4)``; as the world where not given.
        velocity: in world axes, at the centre of mass, angular part first: ``[w; v]``, ``(n, 6)``; rad/s, m/s. (Those of
            robots, :func:`~pluecker.articulated.body_velocities`, are in body axes, at the body's origin.)
        wrench: ``[torque; force]``, ``(n, 6)``: what acts from outside, about the centre of mass, in world axes; N m,
            N. Gravity belongs to it, see :meth:`with_gravity`.

    Raises:
        ProblemError: of the constructor: a shape does not fit, a number is not finite, a mass is not positive, no body
            has such an inertia, or one without extension, a finite mass or a moment of inertia is not between 1e-150 and
            1e150, a quaternion is not of unit length; the message names the body.

    Source: K. Erleben, "Stable, robust, and versatile multibody dynamics animation", thesis (2004); source document 000
    (docs/sources.md), equations of motion.

    Example:
        >>> from pluecker.contact import Bodies
        >>> ball = Bodies([2.0], [[0.1, 0.1, 0.1]], [[0.0, 0.0, 1.0]]).with_gravity()
        >>> ball.free_velocity(0.1)[0, 3:]
        array([ 0.   ,  0.   , -0.981])
    """

    mass: Array
    inertia: Array
    position: Array
    orientation: Array = None  # type: ignore[assignment]
    velocity: Array = None  # type: ignore[assignment]
    wrench: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        mass = as_column("body", "mass", self.mass, infinite=True)
        n = len(mass)
        given = {
            "orientation": np.tile(IDENTITY, (n, 1)) if self.orientation is None else self.orientation,
            "velocity": np.zeros((n, 6)) if self.velocity is None else self.velocity,
            "wrench": np.zeros((n, 6)) if self.wrench is None else self.wrench,
        }
        values = {
            "mass": mass,
            "inertia": checked_inertia(mass, self.inertia),
            "position": as_column("body", "position", self.position, (3,), n),
            "orientation": checked_orientation(as_column("body", "orientation", given["orientation"], (4,), n)),
            "velocity": as_column("body", "velocity", given["velocity"], (6,), n),
            "wrench": as_column("body", "wrench", given["wrench"], (6,), n),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """The number of bodies, n."""
        return len(self.mass)

    @cached_property
    def static(self) -> NDArray[np.bool_]:
        """Mask of the bodies that nothing can move, those of infinite mass, ``(n,)``."""
        return np.isinf(self.mass)

    @cached_property
    def rotation(self) -> Array:
        """R, from body to world axes, ``(n, 3, 3)``."""
        return frozen(quaternion_to_rotation(self.orientation))

    @cached_property
    def world_inertia(self) -> Array:
        """R I R^T, the rotational inertias about the centres of mass in world axes, ``(n, 3, 3)``."""
        return frozen(self.rotation @ self.inertia @ np.swapaxes(self.rotation, -1, -2))

    @cached_property
    def inverse_mass(self) -> Array:
        """1 / m, ``(n,)``, zero for static bodies."""
        return frozen(1.0 / self.mass)

    @cached_property
    def _inverse_in_body_axes(self) -> Array:
        return np.linalg.inv(np.where(self.static[:, None, None], np.eye(3), self.inertia))

    @cached_property
    def inverse_inertia(self) -> Array:
        """R I^-1 R^T in world axes, ``(n, 3, 3)``, symmetric, zero for static bodies."""
        inverse = np.where(self.static[:, None, None], 0.0, self._inverse_in_body_axes)
        turned = self.rotation @ inverse @ np.swapaxes(self.rotation, -1, -2)
        return frozen(0.5 * (turned + np.swapaxes(turned, -1, -2)))

    @cached_property
    def root_of_inverse_inertia(self) -> Array:
        """A matrix C with C C^T = R I^-1 R^T, ``(n, 3, 3)``, zero for static bodies."""
        inverse = self._inverse_in_body_axes
        root = np.linalg.cholesky(0.5 * (inverse + np.swapaxes(inverse, -1, -2)))
        root[self.static] = 0.0
        return frozen(self.rotation @ root)

    def times_inverse_mass(self, force: ArrayLike) -> Array:
        """Multiply M^-1 by a force or impulse ``[torque; force]`` on each body, ``(n, 6)``; zero for static bodies.

        Raises:
            ProblemError: the shape does not fit, a number is not finite, or the result overflows.
        """
        return finite("M^-1 times the force", self._divided(as_column("body", "force", force, (6,), len(self))))

    def _divided(self, force: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            angular = np.einsum("nij,nj->ni", self.inverse_inertia, force[:, :3])
            return np.concatenate([angular, self.inverse_mass[:, None] * force[:, 3:]], axis=1)

    def acceleration(self) -> Array:
        """dv/dt of the bodies when they touch nothing, in world axes, at the centres of mass, ``(n, 6)``.

        It is ``M^-1 (wrench - [w x I w; 0])``; rad/s^2, m/s^2.

        Raises:
            ProblemError: it overflows, since the wrench of a body is too large for its mass, or its angular velocity.
        """
        w = self.velocity[:, :3]
        force = np.array(self.wrench)
        with np.errstate(over="ignore", invalid="ignore"):
            force[:, :3] -= np.cross(w, np.einsum("nij,nj->ni", self.world_inertia, w))
        return finite("the acceleration from wrench and angular velocity", self._divided(force))

    def free_velocity(self, step: float) -> Array:
        """Return velocities after a step without contact, ``v + h dv/dt``, in world axes, at centres of mass, ``(n, 6)``.

        Args:
            step: h, s.

        Raises:
            ProblemError: the step is not a positive number, or the result overflows.

        Source: D. E. Stewart and J. C. Trinkle (1996); source document 000 (docs/sources.md), ``u + dt M^-1 f_ext``.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return finite("the free velocity", self.velocity + as_step(step) * self.acceleration())

    def mass_matrix(self) -> scipy.sparse.csr_matrix:
        """M in world axes, ``(6 n, 6 n)``, block by block; for static bodies the unit matrix."""
        blocks = np.zeros((len(self), 6, 6))
        blocks[:, :3, :3] = self.world_inertia
        blocks[:, 3:, 3:] = np.where(self.static, 1.0, self.mass)[:, None, None] * np.eye(3)
        blocks[self.static] = np.eye(6)
        each = np.arange(len(self) + 1)
        return scipy.sparse.csr_matrix(scipy.sparse.bsr_matrix((blocks, each[:-1], each), shape=(6 * len(self),) * 2))

    def kinetic_energy(self, velocity: ArrayLike | None = None) -> float:
        """1/2 v . M v without static bodies, J; at other velocities, ``(n, 6)`` or ``(6 n,)``, where given.

        Raises:
            ProblemError: the shape does not fit, a number is not finite, or the energy overflows.
        """
        n, v = len(self), self.velocity
        if velocity is not None:
            given = numbers_of("velocity", velocity)
            if given.shape not in ((n, 6), (6 * n,)):
                raise ProblemError(f"velocity has shape {given.shape}, expected ({n}, 6) or ({6 * n},)")
            v = as_column("body", "velocity", given.reshape(n, 6), (6,), n)
        moving = ~self.static
        w, u = v[moving, :3], v[moving, 3:]
        with np.errstate(over="ignore", invalid="ignore"):
            turning = np.einsum("ni,nij,nj->n", w, self.world_inertia[moving], w)
            energy = 0.5 * (turning + np.einsum("n,ni,ni->n", self.mass[moving], u, u))
            total = float(energy.sum())
        if not np.isfinite(total):
            k = int(np.flatnonzero(moving)[np.argmax(np.where(np.isnan(energy), np.inf, energy))])
            raise entry_error("body", k, "the kinetic energy overflows float64")
        return total

    def with_gravity(self, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> Bodies:
        """Return the bodies with their weight added to the wrench; static bodies have none.

        Args:
            gravity: the acceleration of free fall in world axes, ``(3,)``, m/s^2.

        Raises:
            ProblemError: it is no vector of three finite numbers, or the weight of a body overflows.
        """
        g = numbers_of("gravity", gravity)
        if g.shape != (3,) or not np.isfinite(g).all():
            raise ProblemError(f"gravity is {shown(gravity)}, expected three finite numbers")
        weight = np.zeros((len(self), 6))
        with np.errstate(over="ignore"):
            weight[:, 3:] = np.where(self.static, 0.0, self.mass)[:, None] * g
            return replace(self, wrench=finite("the wrench with the weight", self.wrench + weight))


def finite(what: str, values: Array) -> Array:
    """Return values computed for each body, ``(n, 6)``; raise the error of the first body whose values overflowed."""
    for k in np.flatnonzero(~np.isfinite(values).all(axis=1)):
        raise entry_error("body", int(k), f"{what} overflows float64")
    return values


def as_step(step: float) -> float:
    """Return the length of a step, if it is a positive number."""
    return as_number("step", step, "a positive number of seconds", 0.0)


def checked_inertia(mass: Array, value: ArrayLike) -> Array:
    """Return rotational inertias that bodies of these masses can have, ``(n, 3, 3)``, zero for static bodies."""
    static = np.isinf(mass) & (mass > 0)
    for k in np.flatnonzero(~(mass > 0)):
        raise entry_error(
            "body", int(k), f"mass is {mass[k]} kg, expected a positive number, or inf where it is static"
        )
    for k in np.flatnonzero(~static & ~((mass >= 1 / HUGE) & (mass <= HUGE))):
        raise entry_error("body", int(k), f"mass is {mass[k]} kg, expected {1 / HUGE:.0e} to {HUGE:.0e}, or inf")
    array = numbers_of("inertia", value)
    if array.shape not in ((len(mass), 3), (len(mass), 3, 3)):
        n = len(mass)
        raise ProblemError(
            f"inertia has shape {array.shape}, expected ({n}, 3) or ({n}, 3, 3): one entry for each body"
        )
    array = np.where(static.reshape((-1,) + (1,) * (array.ndim - 1)), 0.0, array)
    array = np.array(as_column("body", "inertia", array, array.shape[1:]))
    full = array[:, :, None] * np.eye(3) if array.ndim == 2 else array
    moving = np.flatnonzero(~static)
    for k in np.flatnonzero(np.abs(full).max(axis=(1, 2), initial=0.0) > HUGE):
        raise entry_error(
            "body", int(k), f"a moment of inertia is {np.abs(full[k]).max()}, expected at most {HUGE:.0e}"
        )
    uneven = np.abs(full - np.swapaxes(full, -1, -2)).max(axis=(1, 2), initial=0.0)
    for k in np.flatnonzero(uneven > NEARLY * np.abs(full).max(axis=(1, 2), initial=0.0)):
        raise entry_error("body", int(k), f"inertia is not symmetric, its entries differ by {uneven[k]:.6g}")
    full = 0.5 * (full + np.swapaxes(full, -1, -2))
    spatial = spatial_inertia(mass[moving], np.zeros((len(moving), 3)), full[moving])
    for k in np.flatnonzero(~is_consistent(spatial, definite=True)):
        try:
            check_consistent(spatial[k], definite=True)
        except ValueError as error:
            raise entry_error("body", int(moving[k]), str(error).removeprefix("check_consistent: ")) from None
    least = np.linalg.eigvalsh(full[moving])[:, 0]
    for k in np.flatnonzero(~(least >= 1 / HUGE)):
        complaint = f"the least moment of inertia is {least[k]:.6g}, expected at least {1 / HUGE:.0e}"
        raise entry_error("body", int(moving[k]), complaint)
    return frozen(full)


def checked_orientation(orientation: Array) -> Array:
    """Return unit quaternions."""
    with np.errstate(over="ignore"):  # infinite is no unit length either
        length = np.linalg.norm(orientation, axis=1)
    for k in np.flatnonzero(~(np.abs(length - 1.0) <= NEARLY)):
        complaint = f"orientation is a quaternion of length {length[k]:.9g}, expected 1 within 1e-6, [w, x, y, z]"
        raise entry_error("body", int(k), complaint)
    return orientation
