"""Topic ``startup``: from nothing to the first result, with and without compiled code on disk, and how much memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.peers import MuJoCo, Pinocchio, available
from benchmarks.measuring.report import Bars, Report, seconds
from benchmarks.measuring.timing import Effort, progress
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.installation import shipped_code

__all__ = ["run"]

SCRIPT = Path(__file__).with_name("first_result.py")
BATCH, MOTIONS = 4096, 256
STAGES = ("import", "model", "call")
FRICTION = {
    "small": "pluecker, one sliding contact",
    "hard": "pluecker, 60 contacts by every method of `auto`",
    "warmup": "pluecker warmup",
}
STEP = {
    "named": "pluecker, a step of a world with a named pair of shapes",
    "points": "pluecker, a step with contact points",
    "found": "pluecker, a step with contacts that are looked for",
}
SIMULATION = {
    ("limits", 1): "one motion with position limits",
    ("free", 1): "one motion without",
    ("limits", MOTIONS): f"{MOTIONS} motions with position limits",
}
REST = "Python's start and end, or all of it"
# Where compiled code comes from, and what is said of it.
SHIPPED, LATER, FIRST = "from a wheel", "later", "first time"
TITLES = {
    SHIPPED: "from a wheel: machine code came with the package",
    LATER: "later: compiled code is on disk",
    FIRST: "first time: everything is compiled",
}


@dataclass
class Program:
    """Something that is started afresh, and what its runs took."""

    label: str
    arguments: list[str]
    way: str = LATER
    wall: list[float] = field(default_factory=list)
    stages: list[dict[str, Any]] = field(default_factory=list)

    def start(self, cache: str) -> None:
        """One run, with compiled code kept in that folder."""
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        if self.way != SHIPPED:
            environment["PLUECKER_SHIPPED"] = "0"
        begin = time.perf_counter()
        command = [sys.executable, "-I", *self.arguments]  # -I: nothing but what is installed
        output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        self.wall.append(time.perf_counter() - begin)
        if output.strip():
            self.stages.append(json.loads(output.splitlines()[-1]))

    def stage(self, name: str) -> float | None:
        """The median of one stage."""
        return float(np.median([stage[name] for stage in self.stages])) if self.stages else None


def programs(report: Report, quick: bool) -> list[Program]:
    """List the programs to start, from the least to the most; if ``quick``, compile only one simulation and one step."""
    arm = str(SEVEN_JOINT_ARM)
    found = [
        Program("Python alone", ["-c", "pass"]),
        Program("import numpy", ["-c", "import numpy"]),
        Program("import numba", ["-c", "import numba"]),
        Program("import pluecker.articulated", ["-c", "import pluecker.articulated"]),
    ]
    for peer, label in ((Pinocchio, "Pinocchio"), (MuJoCo, "MuJoCo")):
        if available(peer, report.note):
            found.append(Program(f"{label}, rnea, one state", [str(SCRIPT), label, "rnea", "1", arm]))
    ways = [SHIPPED, LATER, FIRST] if shipped_code() else [LATER, FIRST]
    if not shipped_code():
        report.note("Machine code from a wheel is not there: no wheel of `make wheels` is installed.")
    for way in ways:
        for algorithm in ("rnea", "aba", "crba"):
            for states, size in ((1, "one state"), (BATCH, "batch")):
                label = f"pluecker, {algorithm}, {size}, {way}"
                found.append(Program(label, [str(SCRIPT), "pluecker", algorithm, str(states), arm], way))
        for (what, states), meaning in list(SIMULATION.items())[: 1 if quick else None]:
            label = f"pluecker, simulate, {meaning}, {way}"
            found.append(Program(label, [str(SCRIPT), "simulate", what, str(states), arm], way))
        for what, meaning in FRICTION.items():
            if (what, way) != ("warmup", SHIPPED):
                found.append(Program(f"{meaning}, {way}", [str(SCRIPT), "friction", what], way))
        for what, meaning in list(STEP.items())[: 1 if quick else None]:
            found.append(Program(f"{meaning}, {way}", [str(SCRIPT), "world", what], way))
    return found


def run(effort: Effort) -> Report:
    """Start everything in turn; the folder that a cold start has filled serves the warm starts."""
    report = Report(
        "startup",
        "The first result of a new process",
        "How long a new process takes from its start to the first result, with a seven-joint arm from a URDF file. *From "
        "a wheel*: with the machine code that it brings. *First time*: installed without it, nothing compiled is on disk. "
        "*Later*: in every process after that.",
        [
            "program",
            "time / Python alone",
            "time",
            "import",
            "model from URDF",
            "first call",
            "start and end",
            "peak memory",
        ],
    )
    found = programs(report, quick=effort.rounds < 3)
    with tempfile.TemporaryDirectory(prefix="pluecker-startup-") as top:
        warm = str(Path(top) / "warm")
        cold_rounds = max(1, effort.processes // 2)
        for k in progress(range(cold_rounds), "startup, nothing compiled"):
            for j, program in enumerate(program for program in found if program.way == FIRST):
                program.start(str(Path(top) / f"cold-{k}-{j}"))
        for program in found:  # fills the cache, and the operating system's memory of files
            if program.way != FIRST:
                program.start(warm)
                program.wall.clear()
                program.stages.clear()
        for _ in progress(range(effort.processes), "startup, compiled"):
            for program in found:
                if program.way != FIRST:
                    program.start(warm)
    bare = float(np.median(found[0].wall))
    for program in found:
        wall, memory = float(np.median(program.wall)), program.stage("memory")
        stages = [program.stage(name) for name in STAGES]
        rest = wall - sum(stage or 0.0 for stage in stages) if program.stages else None
        cells = [seconds(stage) for stage in [*stages, rest]]
        megabytes = f"{memory / 1e6:.0f} MB" if memory else "-"
        report.rows.append([program.label, f"{wall / bare:.1f}", seconds(wall), *cells, megabytes])
    for way in (SHIPPED, LATER, FIRST):
        shown = [program for program in found if program.way == way]
        report.charts += [chart(shown, TITLES[way])] if shown else []
    report.notes += [controls(program) for program in found if program.way == FIRST and "simulate" in program.arguments]
    report.notes += NOTES
    report.note(f"Medians of {effort.processes} starts in turn, of {cold_rounds} where nothing is compiled.")
    return report


def controls(program: Program) -> str:
    """How long other kinds of control take after the first motion: nothing is compiled for them."""
    kinds = program.stages[0]["more"]
    longest = {kind: max(stages["more"][kind] for stages in program.stages) for kind in kinds}
    slowest = max(longest, key=longest.__getitem__)
    return (
        f"{program.label}: after it, in the same process, motions under all other kinds of control ({', '.join(kinds)}) "
        f"took {seconds(sum(longest.values()))} together, the slowest {seconds(longest[slowest])} ({slowest})."
    )


def chart(shown: list[Program], title: str) -> Bars:
    """The stages of each program one after another; the rest is the interpreter's own start and end."""
    names = {"import": "importing", "model": "reading the URDF file", "call": "first call"}
    series: dict[str, list[float | None]] = {REST: []} | {names[stage]: [] for stage in STAGES}
    for program in shown:
        parts = {names[stage]: program.stage(stage) or 0.0 for stage in STAGES}
        series[REST].append(float(np.median(program.wall)) - sum(parts.values()))
        for name, value in parts.items():
            series[name].append(value)
    return Bars(
        [program.label for program in shown], series, "seconds from the start of the process", title=title, stacked=True
    )


NOTES = [
    "Time: from starting the process to its end, as a user waits for it; the stages are measured inside the process, and "
    "what is before and after them is *start and end*.",
    "Peak memory: the largest resident set of the process.",
]
