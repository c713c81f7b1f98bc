"""Pinocchio and MuJoCo on the same mechanism in the same states; before anything is timed, their results are compared."""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array, Mechanism, States
from pluecker.articulated import Model, crba, minv
from pluecker.articulated.conventions import to_pinocchio_q, velocity_map_to_pinocchio
from pluecker.spatial import MissingExtraError
from pluecker.spatial.extras import require

__all__ = ["WHEELS", "MuJoCo", "Pinocchio", "available", "bare_spec", "coordinates", "made", "same"]

Call = Callable[[], Any]
# Relative differences of inverse dynamics and inertia matrices above which two libraries disagree.
SAME = 1e-9
NEARLY_SAME = 1e-7  # MuJoCo takes no links without inertia, and gives them a little
WHEELS = (
    "Peers are the packages from PyPI, which are compiled for all processors of a kind; compiled for this one alone they "
    "would be faster. Ours is compiled by Numba on the machine on which it runs."
)


def available(peer: type, notes: Callable[[str], None]) -> bool:
    """Return whether a peer is installed; if not, the notes say so."""
    try:
        require(peer.module, "peers", "comparing")
    except MissingExtraError:
        notes(f"{peer.__name__} is not installed and left out (`pip install 'pluecker[peers]'`).")
        return False
    return True


def made(peer: type, make: Callable[[], Any], label: str, notes: Callable[[str], None]) -> Any:
    """Return what ``make`` makes of a mechanism with a peer; None, and a note, where the peer is not there or refuses it."""
    if available(peer, notes):
        try:
            return make()
        except ValueError as error:
            notes(f"{peer.__name__} does not load {label}: {' '.join(str(error).split())}.")
    return None


def same(what: str, ours: Array, theirs: Array, limit: float = SAME) -> None:
    """Raise an error if two libraries disagree: what is timed must be the same thing."""
    error = np.linalg.norm(ours - theirs) / np.linalg.norm(ours)
    if not error < limit:
        raise AssertionError(f"{what} disagrees: relative difference {error:.1e}, at most {limit:.0e} is allowed")


def rotations(quaternions: Array) -> Array:
    """Rotation matrices, body to world, of quaternions ``[w, x, y, z]``, one a row."""
    w, xyz = quaternions[:, 0, None, None], quaternions[:, 1:]
    x, y, z = xyz.T
    cross = np.zeros((len(xyz), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross -= cross.transpose(0, 2, 1)
    return np.eye(3) + 2.0 * (w * cross + cross @ cross)


# -------------------------------------------------------------------------------------------------------------- Pinocchio


class Pinocchio:
    """A mechanism in Pinocchio, with states in its own order, one a column."""

    module = "pinocchio"

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self.pin = require("pinocchio", "peers", "comparing")
        self.model = self.build(mechanism)
        self.data = self.model.createData()
        self.label, ours = mechanism.label, mechanism.model
        self.G = velocity_map_to_pinocchio(ours, self.model)
        losses = ours.damping * states.v + ours.friction * np.sign(states.v)  # no part of Pinocchio's algorithms
        self.Q = np.asfortranarray(to_pinocchio_q(ours, self.model, states.q).T)
        self.V, self.A = (np.asfortranarray(self.G @ rows.T) for rows in (states.v, states.a))
        self.TAU = np.asfortranarray(self.G @ (states.tau - losses).T)
        self.out = np.empty_like(self.TAU)
        self.columns = [np.ascontiguousarray(q) for q in self.Q.T]
        self.agree(mechanism, states)

    def build(self, mechanism: Mechanism) -> Any:
        """Build the model from the same URDF file, or from the same bodies."""
        pin = self.pin
        if mechanism.path is not None:
            root = (pin.JointModelFreeFlyer(),) if mechanism.floating else ()
            return pin.buildModelFromUrdf(str(mechanism.path), *root)
        model, parent = pin.Model(), 0
        for k, (body, joint) in enumerate(zip(mechanism.bodies, mechanism.joints, strict=True)):
            placement = pin.SE3(pin.Quaternion(*joint["rotation"]), joint["position"])
            parent = model.addJoint(parent, pin.JointModelRZ(), placement, f"j{k}")
            inertia = pin.Inertia(body["mass"], body["center_of_mass"], body["inertia"])
            model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        return model

    def agree(self, mechanism: Mechanism, states: States) -> None:
        """Compare the first states."""
        for k in range(min(8, len(states.q))):
            tau = self.pin.rnea(self.model, self.data, self.Q[:, k], self.V[:, k], self.A[:, k])
            same(f"{self.label}: Pinocchio's rnea", self.TAU[:, k], tau)
        H = self.pin.crba(self.model, self.data, self.columns[0])
        same(f"{self.label}: Pinocchio's crba", crba(mechanism.model, states.q[0]), self.G.T @ H @ self.G)
        Z = self.pin.computeMinverse(self.model, self.data, self.columns[0])
        full = np.triu(Z) + np.triu(Z, 1).T
        same(f"{self.label}: Pinocchio's computeMinverse", minv(mechanism.model, states.q[0]), self.G.T @ full @ self.G)

    def batch(self, threads: int) -> dict[str, Call]:
        """Inverse and forward dynamics of all states, in its own threads, into an array that is there."""
        pool = self.pin.ModelPool(self.model, threads)
        rnea, aba, Q, V, out = self.pin.rneaInParallel, self.pin.abaInParallel, self.Q, self.V, self.out
        return {
            "rnea": lambda: rnea(threads, pool, Q, V, self.A, out),
            "aba": lambda: aba(threads, pool, Q, V, self.TAU, out),
        }

    def loops(
        self,
        function: Callable[..., Any],
        states: list[Any],
        nothing: Any = None,
        idle: Callable[..., Any] | None = None,
    ) -> dict[str, Call]:
        """Return calls of a function that takes one state: a loop over states, as many that compute nothing, and one.

        Args:
            function: of model, data and what is in a state.
            states: one tuple each.
            nothing: what stands for a state of a model without joints; arrays without numbers unless given.
            idle: is called on that model in place of ``function`` where this would end the process.
        """
        model, data, empty = self.model, self.data, self.pin.Model()
        empty_data, first = empty.createData(), states[0]
        nothing, idle = nothing or (np.zeros(0),) * len(first), idle or function

        def loop() -> None:
            for state in states:
                function(model, data, *state)

        def wait() -> None:
            for _ in states:
                idle(empty, empty_data, *nothing)

        return {"Pinocchio": loop, "empty": wait, "Pinocchio, one": lambda: function(model, data, *first)}

    def crba_loops(self, count: int) -> dict[str, Call]:
        """The inertia matrices of ``count`` states, in both of its ways; and as many calls that have nothing to do."""
        local, world = (
            self.loops(self.pin.crba, [(q, way) for q in self.columns[:count]], (np.zeros(0), way))
            for way in (self.pin.Convention.LOCAL, self.pin.Convention.WORLD)
        )
        return {"local": local["Pinocchio"], "world": world["Pinocchio"], "empty": local["empty"]}

    def inverse_single(self) -> dict[str, Call]:
        """For one state the inverse, and a solution by the matrix and its factors, three calls."""
        pin, model, data, q, b = self.pin, self.model, self.data, self.columns[0], np.ascontiguousarray(self.TAU[:, 0])

        def solve() -> Any:
            pin.crba(model, data, q)
            pin.cholesky.decompose(model, data)
            return pin.cholesky.solve(model, data, b)

        return {"minv": lambda: pin.computeMinverse(model, data, q), "factorize, solve": solve}

    def single(self) -> dict[str, Call]:
        """One state."""
        pin, model, data, q = self.pin, self.model, self.data, self.columns[0]
        v, a, tau = (np.ascontiguousarray(X[:, 0]) for X in (self.V, self.A, self.TAU))
        return {
            "rnea": lambda: pin.rnea(model, data, q, v, a),
            "aba": lambda: pin.aba(model, data, q, v, tau),
            "crba": lambda: pin.crba(model, data, q),
        }


# ----------------------------------------------------------------------------------------------------------------- MuJoCo


def bare_spec(mujoco: Any, path: Path, floating: bool) -> Any:
    """Make MuJoCo's specification from a URDF file without what is seen or touched, so that no meshes are asked for."""
    robot = ET.parse(path).getroot()
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    spec = mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))
    spec.compiler.boundinertia = 1e-12  # files have links without inertia, which MuJoCo refuses;
    spec.compiler.balanceinertia = True  # the comparison of results tells whether these two changed what matters
    if floating:
        spec.worldbody.first_body().add_freejoint()
    return spec


def coordinates(model: Model, theirs: Any) -> tuple[list[int], list[int]]:
    """Return the indices of our q and of our v in MuJoCo's order, of models of hinges, sliders and free joints."""
    q_places: list[int] = []
    v_places: list[int] = []
    for joint in model.joints:
        free = joint.type == "free"
        own = theirs.body(joint.child).jntadr[0] if free else theirs.joint(joint.name).id
        q_places += range(theirs.jnt_qposadr[own], theirs.jnt_qposadr[own] + (7 if free else 1))
        v_places += range(theirs.jnt_dofadr[own], theirs.jnt_dofadr[own] + (6 if free else 1))
    return q_places, v_places


class MuJoCo:
    """A robot in MuJoCo, without shapes and contacts, with states in its own order, one a row."""

    module = "mujoco"

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self.mujoco = mujoco = require("mujoco", "peers", "comparing")
        self.label = mechanism.label
        self.model = self.build(mechanism)
        self.data = mujoco.MjData(self.model)
        ours, count = mechanism.model, len(states.q)
        free = slice(3 if mechanism.floating else 0, 6 if mechanism.floating else 0)
        q_places, v_places = coordinates(mechanism.model, self.model)
        R = rotations(states.q[:, 3:7]) if mechanism.floating else np.empty((count, 0, 0))

        def reorder(rows: Array, linear: Array) -> Array:
            """Reorder velocities: MuJoCo's base has the linear part first, in world axes."""
            result = np.empty((count, self.model.nv))
            result[:, v_places] = rows
            if mechanism.floating:
                result[:, :3], result[:, 3:6] = np.einsum("kij,kj->ki", R, linear), rows[:, :3]
            return result

        self.q = np.empty((count, self.model.nq))
        self.q[:, q_places] = states.q
        w, turning = states.v[:, :3], np.zeros_like(states.v[:, free])
        if mechanism.floating:  # the origin's acceleration is not the derivative of its velocity in body coordinates
            turning = np.cross(w, states.v[:, free])
        friction = ours.friction * np.sign(states.v)  # to MuJoCo a constraint, and there are none here
        self.v = reorder(states.v, states.v[:, free])
        self.a = reorder(states.a, states.a[:, free] + turning)
        self.tau = reorder(states.tau - friction, states.tau[:, free])
        self.agree()

    def build(self, mechanism: Mechanism) -> Any:
        """Build the model from the same URDF file, without contacts and constraints."""
        mujoco = self.mujoco
        if mechanism.path is None:
            raise ValueError("no URDF file")
        spec = bare_spec(mujoco, mechanism.path, mechanism.floating)
        bits = mujoco.mjtDisableBit
        spec.option.disableflags = int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_CONTACT) | int(bits.mjDSBL_EULERDAMP)
        return spec.compile()

    def agree(self) -> None:
        """Compare the first states."""
        data = self.data
        for k in range(min(8, len(self.q))):
            data.qpos, data.qvel, data.qacc = self.q[k], self.v[k], self.a[k]
            self.mujoco.mj_inverse(self.model, data)
            same(f"{self.label}: MuJoCo's mj_inverse", self.tau[k], data.qfrc_inverse, NEARLY_SAME)

    def inverse(self, count: int) -> Call:
        """Inverse dynamics of ``count`` states, in a loop in Python: MuJoCo has no other way to do it."""
        model, data, mj_inverse = self.model, self.data, self.mujoco.mj_inverse
        rows = list(zip(self.q[:count], self.v[:count], self.a[:count], strict=True))
        qpos, qvel, qacc = data.qpos, data.qvel, data.qacc

        def loop() -> None:
            for q, v, a in rows:
                qpos[:], qvel[:], qacc[:] = q, v, a
                mj_inverse(model, data)

        return loop

    def forward(self, threads: int) -> Call:
        """One time step from each state, which is forward dynamics and little more, by its own ``rollout``."""
        mujoco, rollout = self.mujoco, require("mujoco.rollout", "peers", "comparing")
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start = np.zeros((len(self.q), size))
        start[:, 1 : 1 + self.model.nq + self.model.nv] = np.hstack([self.q, self.v])  # the time comes first
        control, end = self.tau[:, None, :].copy(), np.empty((len(self.q), 1, size))
        datas = [mujoco.MjData(self.model) for _ in range(threads)]
        runner = rollout.Rollout(nthread=0 if threads == 1 else threads)
        what = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
        return lambda: runner.rollout(self.model, datas, start, control, control_spec=what, state=end)

    def single(self) -> dict[str, Call]:
        """One state, which is in its place already."""
        model, data, mujoco = self.model, self.data, self.mujoco
        data.qpos, data.qvel, data.qacc, data.qfrc_applied = self.q[0], self.v[0], self.a[0], self.tau[0]
        forces, H = np.zeros(model.nv), np.zeros((model.nv, model.nv))
        make = getattr(mujoco, "mj_makeM", None) or mujoco.mj_crb  # the newer name first
        try:
            mujoco.mj_forward(model, data)
            mujoco.mj_fullM(model, data, H)
            expand = functools.partial(mujoco.mj_fullM, model, data, H)
        except TypeError:  # before version 4
            expand = functools.partial(mujoco.mj_fullM, model, H, data.qM)

        def newton_euler() -> None:
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_comVel(model, data)
            mujoco.mj_rne(model, data, 1, forces)

        def composite() -> None:
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            make(model, data)
            expand()

        return {"rnea": newton_euler, "aba": lambda: mujoco.mj_forward(model, data), "crba": composite}
