"""Pinocchio's answers to the same questions, in our order: what comparisons are made with. Needs the extra ``peers``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.conventions import forces_to_pinocchio, to_pinocchio_q, velocity_map_to_pinocchio
from pluecker.articulated.model.model import Model
from pluecker.spatial.extras import require

__all__ = ["PinocchioPeer"]

Array = NDArray[np.float64]


class PinocchioPeer:
    """A robot loaded by Pinocchio from the same URDF file, asked one state at a time.

    Damping and dry friction are no part of Pinocchio's algorithms: they are added to its forces from our model's arrays.
    Where a file has mimic joints, Pinocchio moves them by themselves and the coordinates are coupled afterwards,
    ``tau = G^T tau_full``, ``H = G^T M G``; forward dynamics then is ``H^-1 (tau - C)``.

    Args:
        model: ours, from the same file.
        path: the URDF file.
        floating_base: whether ``model`` has one.
    """

    def __init__(self, model: Model, path: str | os.PathLike[str], floating_base: bool) -> None:
        self.pin = require("pinocchio", "peers", "comparing with Pinocchio")
        root = (self.pin.JointModelFreeFlyer(),) if floating_base else ()
        self.model = model
        self.theirs = self.pin.buildModelFromUrdf(str(path), *root)
        self.data = self.theirs.createData()
        self.G = velocity_map_to_pinocchio(model, self.theirs)

    def q(self, q: Array) -> Array:
        """A configuration in Pinocchio's order."""
        return to_pinocchio_q(self.model, self.theirs, q)

    def losses(self, v: Array) -> Array:
        """Damping and dry friction."""
        return self.model.damping * v + self.model.friction * np.sign(v)

    def forces(self, f_ext: Array | None) -> Any:
        """Forces from outside as Pinocchio takes them."""
        forces = self.pin.StdVec_Force()
        f_ext = np.zeros((self.model.n_bodies, 6)) if f_ext is None else f_ext
        forces.extend([self.pin.Force(f) for f in forces_to_pinocchio(self.model, self.theirs, f_ext)])
        return forces

    def rnea(self, q: Array, v: Array, a: Array, f_ext: Array | None = None) -> Array:
        """Inverse dynamics, (nv,)."""
        G = self.G
        tau = self.pin.rnea(self.theirs, self.data, self.q(q), G @ v, G @ a, self.forces(f_ext))
        return G.T @ tau + self.losses(v)

    def crba(self, q: Array) -> Array:
        """The inertia matrix, (nv, nv)."""
        M = self.pin.crba(self.theirs, self.data, self.q(q))
        return self.G.T @ (np.triu(M) + np.triu(M, 1).T) @ self.G

    def aba(self, q: Array, v: Array, tau: Array, f_ext: Array | None = None) -> Array:
        """Forward dynamics, (nv,); NaN where mimic joints leave the inertia matrix singular."""
        G = self.G
        if not self.model.mimic:
            net = G @ (tau - self.losses(v))
            return G.T @ self.pin.aba(self.theirs, self.data, self.q(q), G @ v, net, self.forces(f_ext))
        H = self.crba(q)
        if np.linalg.matrix_rank(H) < self.model.nv:
            return np.full(self.model.nv, np.nan)
        return np.asarray(np.linalg.solve(H, tau - self.rnea(q, v, np.zeros_like(v), f_ext)), dtype=np.float64)

    def calls(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Callable[[], Any]]:
        """Pinocchio's bare calls for one state, to be timed."""
        pin, theirs, data = self.pin, self.theirs, self.data
        q, v, a, tau = self.q(q), self.G @ v, self.G @ a, self.G @ tau
        calls = {"rnea": lambda: pin.rnea(theirs, data, q, v, a), "crba": lambda: pin.crba(theirs, data, q)}
        if not self.model.mimic:
            calls["aba"] = lambda: pin.aba(theirs, data, q, v, tau)
        return calls
