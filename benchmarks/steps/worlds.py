"""Topic ``worlds``: steps of mechanisms with loops, beside Pinocchio's constraintDynamics and MuJoCo's equality constraints.

First what a step of an arm whose hand is held takes; then whether the cost of long chains, ropes and rows of four-bars is
in proportion to their length. Beside each time stands what the motion held: the gap of its loops, and its energy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array
from benchmarks.measuring.report import ROUNDS, Report, Section, beside_peers, ratio, seconds, verdict
from benchmarks.measuring.timing import Effort, Times, interleaved, progress
from benchmarks.steps.worlds_mechanisms import Case, chain, four_bar_row, in_mujoco, rope, tied
from pluecker.articulated import Model, frame_placement, kinetic_energy, potential_energy, random_configuration
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Frame
from pluecker.spatial import MissingExtraError
from pluecker.spatial.extras import require

__all__ = ["run"]

STEP = 1e-3
PEERS = {"Pinocchio": "pin.constraintDynamics", "MuJoCo": "mujoco.rollout"}
WANTED_ONE, WANTED_BATCH, WANTED_CHAIN, WANTED_GROWTH = 15e-6, 3e-6, 2e-3, 2.0
HAND = "link7"
PLACE = np.array([0.02, -0.03, 0.1])  # on the hand, away from its axis
Motion = Callable[[], tuple[Array, Array]]
ROPES, FOUR_BARS, CHAIN = (10, 100, 1000), (5, 10, 20, 40), 100


def held(world: World, q: Array, v: Array) -> list[str]:
    """The largest gap of a motion, and by how much its energy was off."""
    gap = np.abs(world.rows_at(q).error).max()
    energy = kinetic_energy(world.model, q, v) + potential_energy(world.model, q)
    return [f"{gap:.0e}", f"{np.abs(energy - energy[0]).max():.2g} J"]


# --------------------------------------------------------------------------------------------------------------- an arm


@dataclass(frozen=True)
class Arm:
    """Seven hinges, and a ball between the hand and the world; the same q and v in all three programs.

    Attributes:
        world: ours.
        q: the configuration in which all motions begin.
        v: velocities that the ball allows, one a row.
        point: where in the world the hand is held.
        step: s.
    """

    world: World
    q: Array
    v: Array
    point: Array
    step: float

    @classmethod
    def random(cls, count: int, step: float) -> Arm:
        """Draw a configuration of the arm, and so many velocities that the constraint allows."""
        model, rng = Model.from_urdf(SEVEN_JOINT_ARM), np.random.default_rng(3)
        q = random_configuration(model, rng)
        point = (frame_placement(model, q, HAND) @ [*PLACE, 1.0])[:3]
        world = World(model, [Ball("hold", Frame("world", tuple(point)), Frame(HAND, tuple(PLACE)))], limits=False)
        v, J = rng.standard_normal((count, model.nv)), world.rows_at(q).jacobian
        return cls(world, q, v - v @ (np.linalg.pinv(J) @ J).T, point, step)

    def ours(self, steps: int, motions: int | None) -> Callable[[], Any]:
        """Return a call that simulates one motion, or so many."""
        q, v = (self.q, self.v[0]) if motions is None else (np.tile(self.q, (motions, 1)), self.v[:motions])
        return lambda: self.world.simulate(q, v, steps * self.step, self.step, record=(), threads=1)

    def in_pinocchio(self, steps: int) -> Motion:
        """Return a call that simulates one motion: constraintDynamics in Python, Baumgarte's correction in five steps."""
        pin = require("pinocchio", "peers", "comparing")
        model, h = pin.buildModelFromUrdf(str(SEVEN_JOINT_ARM)), self.step
        hand = model.getJointId("joint7")
        here, there = pin.SE3(np.eye(3), PLACE), pin.SE3(np.eye(3), self.point)
        ball = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, hand, here, 0, there, pin.LOCAL)
        correction = getattr(ball, "m_baumgarte_parameters", None) or ball.corrector  # the newer name first
        correction.Kp, correction.Kd = (0.2 / h) ** 2, 2.0 * 0.2 / h
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        models.append(ball)
        datas.append(ball.createData())
        data, tau, settings = model.createData(), np.zeros(model.nv), pin.ProximalSettings(1e-12, 1e-10, 10)
        pin.initConstraintDynamics(model, data, models, datas)

        def motion() -> tuple[Array, Array]:
            q, v, found = self.q, self.v[0], []
            for _ in range(steps):
                v = v + h * pin.constraintDynamics(model, data, q, v, tau, models, datas, settings)
                q = pin.integrate(model, q, h * v)
                found.append((q, v))
            return np.array([q for q, _ in found]), np.array([v for _, v in found])

        return motion

    def in_mujoco(self, steps: int, motions: int) -> Motion:
        """Return a call that simulates so many motions in MuJoCo's own loop in C, in one thread."""
        mujoco = require("mujoco", "peers", "comparing")
        rollout = require("mujoco.rollout", "peers", "comparing")
        spec = mujoco.MjSpec.from_file(str(SEVEN_JOINT_ARM))
        bits = mujoco.mjtDisableBit
        spec.option.disableflags = int(bits.mjDSBL_CONTACT) | int(bits.mjDSBL_LIMIT)
        model = tied(mujoco, spec, [(HAND, PLACE, "world", self.point)], self.step)
        data, n = mujoco.MjData(model), model.nq
        start = np.array([[0.0, *self.q, *v, *np.zeros(model.na)] for v in self.v[:motions]])

        def motion() -> tuple[Array, Array]:
            states, _ = rollout.rollout(model, data, start, nstep=steps)
            return states[0, :, 1 : 1 + n], states[0, :, 1 + n : 1 + 2 * n]

        return motion


def arm(effort: Effort, report: Report, chart: dict[str, list[float | None]]) -> Section:
    """One motion and a batch of them, into the report and its chart; what each program held."""
    quick = effort.rounds < 3
    steps, count = (20, 16) if quick else (500, 256)
    case = Arm.random(count, STEP)
    calls: dict[str, dict[str, Callable[[], Any]]] = {
        "one": {"ours": case.ours(steps, None)},
        "batch": {"ours": case.ours(steps, count)},
    }
    motions = {"ours": case.ours(steps, None)}
    for peer, make in (("Pinocchio", case.in_pinocchio), ("MuJoCo", lambda n: case.in_mujoco(n, 1))):
        try:
            calls["one"][PEERS[peer]] = motions[PEERS[peer]] = make(steps)
        except MissingExtraError:
            report.note(f"{peer} is not installed and left out (`pip install 'pluecker[peers]'`).")
    calls["batch"] |= {name: call for name, call in calls["one"].items() if name == PEERS["Pinocchio"]}
    if PEERS["MuJoCo"] in motions:
        calls["batch"][PEERS["MuJoCo"]] = case.in_mujoco(steps, count)
    for kind, number in (("one", 1), ("batch", count)):
        # Pinocchio has no batch of these
        sizes = {name: steps * (1 if name == PEERS["Pinocchio"] else number) for name in calls[kind]}
        each = interleaved(calls[kind], effort, sizes=sizes)
        over = {name: each[name].over(each["ours"]) for name in each}
        report.rows.append(
            [f"{number:,}", *(ratio(over.get(name)) for name in PEERS.values())]
            + [seconds(each[name].median if name in each else None) for name in ("ours", *PEERS.values())]
        )
        wanted = WANTED_ONE if kind == "one" else WANTED_BATCH
        what = "A step of the arm, one motion" if kind == "one" else "A step of the arm, a batch on one core"
        report.note(verdict(what, each["ours"].median, wanted, seconds))
        for name in PEERS.values():
            chart[f"{name} / ours"].append(over[name][0] if name in over else None)
    return what_was_held(case, steps, motions)


def what_was_held(case: Arm, steps: int, motions: dict[str, Callable[[], Any]]) -> Section:
    """Gaps and energies of the first motion, and how far it ends from ours."""
    section = Section(
        "What the arm held",
        f"The first motion, {steps} steps of 1 ms: the largest gap of the hand, the largest error of energy, and how far a "
        "joint's angle is from ours at the end. The steps are of first order, and so are energies and angles.",
        ["", "gap", "energy off by", "apart at the end"],
    )
    end = None
    for name, motion in motions.items():
        found = motion()
        q, v = (found.q[1:], found.v[1:]) if name == "ours" else found
        end = q[-1] if end is None else end
        section.rows.append([name, *held(case.world, q, v), f"{np.abs(q[-1] - end).max():.1e} rad"])
    section.notes = [
        "Pinocchio: Baumgarte's correction in five steps, `Kp = (0.2 / h)^2`, `Kd = 0.4 / h`; without it the gap grows.",
        "MuJoCo: `solref` of two steps, its stiffest, and `solimp` of 0.9999.",
    ]
    return section


# ------------------------------------------------------------------------------------------------------- growth with size


def cases(quick: bool) -> Iterator[tuple[str, int, Case]]:
    """Series by name, with how many bodies each has."""
    for n in ROPES[:2] if quick else ROPES:
        yield "rope, reduced", n, rope(n, False)
    for n in ROPES[:2] if quick else ROPES:
        yield "rope, maximal", n, rope(n, True)
    for n in FOUR_BARS[:2] if quick else FOUR_BARS:
        yield "four-bars", n, four_bar_row(n)
    yield "chain of hinges, maximal", 10 if quick else CHAIN, chain(10 if quick else CHAIN)


def their_chain(case: Case, steps: int) -> Callable[[], Any] | None:
    """Return a motion in MuJoCo's own loop, None if it is not installed."""
    try:
        rollout = require("mujoco.rollout", "peers", "comparing")
        model = in_mujoco(case, STEP)
    except MissingExtraError:
        return None
    mujoco = require("mujoco", "peers", "comparing")
    data, start = mujoco.MjData(model), np.array([[0.0, *case.q, *case.v]])
    return lambda: rollout.rollout(model, data, start, nstep=steps)


def growth(effort: Effort) -> tuple[Section, list[str]]:
    """The cost of a step by size, and what was wanted of it."""
    quick = effort.rounds < 3
    section = Section(
        "Long mechanisms",
        "One motion on one core: what a step takes, by how many bodies a rope or chain has, or how many four-bars stand "
        "side by side. Growth is the time for each of them beside that of the first row of the series.",
        ["mechanism", "size", "a step", "for each", "growth", "gap", "energy off by", "MuJoCo, a step", "its gap"],
    )
    first: dict[str, Times] = {}
    notes: list[str] = []
    fewer = Effort(min(effort.rounds, 7), effort.shortest, effort.states, effort.processes)
    groups: dict[str, list[tuple[int, Case]]] = {}
    for name, n, case in cases(quick):
        groups.setdefault(name, []).append((n, case))
    for name, members in progress(list(groups.items()), "worlds"):
        steps = {n: 10 if quick else max(40, 10_000 // n) for n, _ in members}
        calls = {str(n): stepping(case, steps[n]) for n, case in members}
        theirs = their_chain(members[0][1], steps[members[0][0]]) if name.startswith("chain") else None
        times = interleaved(calls | ({"MuJoCo": theirs} if theirs else {}), fewer)
        for n, case in members:
            each = Times(times[str(n)].seconds / (steps[n] * n))
            over = each.over(first.setdefault(name, each))
            motion = case.world.simulate(case.q, case.v, steps[n] * STEP, STEP, record=(), threads=1)
            row = [name, f"{n:,}", seconds(each.median * n), seconds(each.median), ratio(over)]
            row += held(case.world, motion.q, motion.v)
            peer = [seconds(times["MuJoCo"].median / steps[n]), gap_of(case, theirs)] if theirs else ["-", "-"]
            section.rows.append(row + peer)
        if name.startswith("chain"):
            notes.append(verdict(f"A step of a {name}, {n}", each.median * n, WANTED_CHAIN, seconds))
        else:
            said = f"Growth of {name} from {members[0][0]} to {n:,}"
            notes.append(verdict(said, over[0], WANTED_GROWTH, "{:.2g} times".format))
    section.notes = [
        "Ropes: rods on balls, held at both ends, half a circle that falls; four-bars: squares, each with a row too much; "
        "chain: free bodies and hinges. MuJoCo's hinges are two points each, its bodies free too, its solver the default.",
        "Motions of 10,000 steps over the size, and of 40 at least, so that what a call takes by itself counts little: "
        "energies of one series are over different times.",
    ]
    return section, notes


def stepping(case: Case, steps: int) -> Callable[[], Any]:
    """One motion of so many steps."""
    return lambda: case.world.simulate(case.q, case.v, steps * STEP, STEP, record=(), threads=1)


def gap_of(case: Case, theirs: Callable[[], Any]) -> str:
    """Return the gap of a motion of MuJoCo."""
    states, _ = theirs()
    return f"{np.abs(case.world.rows_at(states[0, :, 1 : 1 + case.world.model.nq]).error).max():.0e}"


def run(effort: Effort) -> Report:
    """Measure everything."""
    ratios: dict[str, list[float | None]] = {f"{name} / ours": [] for name in PEERS.values()}
    report = Report(
        "worlds",
        "Steps of mechanisms with loops",
        "How long a step takes of an arm with seven joints whose hand is held at a point, in one motion and in a batch of "
        "them, one core, everything included. A ratio above 1 says that pluecker is faster; a batch is compared with "
        "MuJoCo's batch, Pinocchio's one motion.",
        ["motions", *ratios, "ours", *PEERS.values()],
    )
    report.sections.append(arm(effort, report, ratios))
    report.charts = [beside_peers(["arm, one motion", "arm, a batch of motions"], ratios)]
    section, notes = growth(effort)
    report.sections.append(section)
    report.notes += [
        *notes,
        "Steps of 1 ms without joint forces, all of semi-implicit Euler; ours by `World.simulate`, MuJoCo by its rollout, "
        "Pinocchio's constraintDynamics and integrate in a loop of Python.",
        ROUNDS,
    ]
    return report
