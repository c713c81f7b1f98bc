"""Topic ``limit``: how far batches are from what one core can do, and where the time goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from benchmarks.measuring.mechanisms import ALGORITHMS, Array, States, robots
from benchmarks.measuring.report import ROUNDS, Bars, Report, seconds
from benchmarks.measuring.resources import lanes_array
from benchmarks.measuring.timing import Effort, Times, interleaved, progress
from benchmarks.robots.batch import our_calls
from benchmarks.robots.counting import KINDS, TRAFFIC, flops, places
from pluecker.articulated.algorithms.dynamics.aba import ABA
from pluecker.articulated.algorithms.dynamics.rnea import RNEA
from pluecker.articulated.algorithms.inertia.crba import CRBA
from pluecker.articulated.running import algorithm as algorithm_module
from pluecker.spatial.engine.compiled.decorators import OPTIONS, compiler
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, sincos, store

__all__ = ["run"]

OURS = {"rnea": RNEA, "aba": ABA, "crba": CRBA}
ACCUMULATORS = (
    12  # independent sums: enough to keep two units busy that take four cycles each, few enough for registers
)
REPEATS = 20_000  # of the fused operation in each accumulator
PARTS = ("sine and cosine", "the rest of the kernel", "reading and checking", "writing, memory", "Python, allocation")


# ------------------------------------------------------------------------------------------- compiled loops to be timed


def fused_loop() -> Callable[[int, Array], None]:
    """Nothing but fused products and sums, independent of one another, on lanes that stay in registers."""
    compiler()  # which knows lanes
    names = [f"a{k}" for k in range(ACCUMULATORS)]
    lines = [f"    {name} = load(x, {k})" for k, name in enumerate(names)]
    lines += [f"    m, c = load(x, {ACCUMULATORS}), load(x, {ACCUMULATORS + 1})", "    for _ in range(n):"]
    lines += [f"        {name} = {name} * m + c" for name in names]
    lines += [f"    store(x, {k}, {name})" for k, name in enumerate(names)]
    scope: dict[str, Any] = {"load": load, "store": store}
    exec("\n".join(["def fused(n, x):", *lines]), scope)
    return njit(**OPTIONS)(scope["fused"])


def peak(effort: Effort) -> float:
    """Floating-point operations a second of one core: the best round, since a limit is what can be reached."""
    loop, x = fused_loop(), lanes_array(ACCUMULATORS + 2, 0.5)
    times = interleaved({"fused": lambda: loop(REPEATS, x)}, effort)["fused"]
    return 2 * WIDTH * ACCUMULATORS * REPEATS / float(times.seconds.min())


@njit(**OPTIONS)
def sincos_loop(n, hinges, x, out):
    """The sines and cosines of so many times eight angles, ``n`` times"""
    for _ in range(n):
        for k in range(hinges):
            s, c = sincos(load(x, k))
            store(out, 2 * k, s)
            store(out, 2 * k + 1, c)


def kernel_loop(algorithm: Any) -> Callable[..., None]:
    """A kernel on the same eight states again and again: all data are in the cache nearest to the core."""
    kernel = algorithm.kernel

    @njit(**OPTIONS)
    def dynamics(n, m, q, v, u, f_ext, out, ws):
        for _ in range(n):
            kernel(view(m), view(q), view(v), view(u), view(f_ext), view(out), view(ws))

    @njit(**OPTIONS)
    def configuration(n, m, q, out, ws):
        for _ in range(n):
            kernel(view(m), view(q), view(out), view(ws))

    return configuration if len(algorithm.inputs) == 1 else dynamics


# ------------------------------------------------------------------------------------------------------------------ parts


def driver_calls(call: Callable[[], Any]) -> list[tuple[Any, ...]]:
    """The arguments with which a public function calls its compiled function."""
    driver, found = algorithm_module.run_many, []

    def record(*arguments: Any) -> int:
        """Note the arguments and go on."""
        found.append(arguments)
        return driver(*arguments)

    algorithm_module.run_many = record
    try:
        call()
    finally:
        algorithm_module.run_many = driver
    return found


def part_calls(algorithm: Any, loop: Any, model: Any, states: States, call: Any, hinges: int) -> dict[str, Any]:
    """The whole and its parts as calls, each for as many states as there are."""
    # The last argument is whether to compute, or only to read and check the inputs. It may take one call or one of each.
    made = driver_calls(call)
    arguments = next(found for found in made if found[-1])
    plan, blocks = algorithm.plan(model), -(-len(states.q) // WIDTH)
    u = states.tau if algorithm is ABA else states.a
    # All in one piece of memory, as for a batch: where arrays lie relative to one another makes up to a quarter of the time.
    inputs = [0 if field.optional else field.size_for(model) for field in algorithm.inputs]
    sizes = [*inputs, int(places(algorithm, model).max()) + 1, plan.head.workspace]
    pieces = np.split(lanes_array(sum(sizes)), np.cumsum(sizes)[:-1])
    for block, rows in zip(pieces, (states.q, states.v, u)[: len(inputs)], strict=False):
        block[:] = rows[:WIDTH].T
    packed = plan.head.packed.copy()  # writeable, as the loop's types have it
    angles, pairs = lanes_array(hinges, 0.3), lanes_array(2 * hinges)

    return {
        "before": call,  # what comes next finds the caches as this leaves them, and so does what comes after that
        "whole": call,
        "compiled": lambda: [algorithm_module.run_many(*arguments) for arguments in made],
        "reading": lambda: algorithm_module.run_many(*arguments[:-1], False),
        "kernel": lambda: loop(blocks, packed, *pieces),
        "sincos": lambda: sincos_loop(blocks, hinges, angles, pairs),
    }


def parts(times: dict[str, Times], states: int) -> dict[str, float]:
    """Seconds a state of each part, the median of the rounds; together they are the whole."""
    whole, compiled, reading, kernel, sines = (
        times[key].seconds / states for key in ("whole", "compiled", "reading", "kernel", "sincos")
    )
    found = {
        "sine and cosine": sines,
        "the rest of the kernel": kernel - sines,
        "reading and checking": reading,
        "writing, memory": compiled - kernel - reading,
        "Python, allocation": whole - compiled,
    }
    return {part: float(np.median(values)) for part, values in found.items()}


def counts() -> dict[str, Any]:
    """Run ``benchmarks.robots.counting`` in a process where kernels are plain Python; return what it prints."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "benchmarks.robots.counting"]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "limit",
        f"How far batches of {effort.states} states are from the limit of one core",
        "Operations are counted by running the kernels' source on numbers that count; the limit is the rate of fused "
        "products and sums on eight numbers at a time that this core reaches.",
        ["robot", "algorithm", "of the limit", "in the cache", "GFLOP/s", "flop a state", *(f"{p}, share" for p in PARTS),
         "loads and stores, per flop", "time a state", *KINDS],
    )  # fmt: skip
    counted, limit = counts(), peak(effort)
    loops = {name: kernel_loop(algorithm) for name, algorithm in OURS.items()}
    labels: list[str] = []
    shares: dict[str, list[float | None]] = {"whole call": [], "kernel alone, data in the cache": []}
    stacks: dict[str, list[float | None]] = {part: [] for part in PARTS}
    for robot in progress(list(robots()), "limit"):
        states = States.random(robot.model, effort.states)
        calls = our_calls(robot, states)
        for name in ALGORITHMS:
            tally = counted["robots"][robot.label][name]
            hinges, work = int(tally["sincos"]), flops(tally, counted["sincos"])
            times = interleaved(part_calls(OURS[name], loops[name], robot.model, states, calls[name], hinges), effort)
            found, whole = parts(times, effort.states), times["whole"].median / effort.states
            alone = work / (found["sine and cosine"] + found["the rest of the kernel"]) / limit
            traffic = sum(tally[kind] for kind in TRAFFIC) / work
            report.rows.append(
                [
                    robot.label,
                    name,
                    percent(work / whole / limit),
                    percent(alone),
                    f"{work / whole / 1e9:.1f}",
                    f"{work:.0f}",
                ]
                + [percent(found[part] / whole) for part in PARTS]
                + [f"{traffic:.2f}", seconds(whole), *(f"{tally[kind]:.0f}" for kind in KINDS)]
            )
            labels.append(f"{robot.label}: {name}")
            shares["whole call"].append(100 * work / whole / limit)
            shares["kernel alone, data in the cache"].append(100 * alone)
            for part in PARTS:
                stacks[part].append(100 * max(0.0, found[part]) / whole)
    report.charts = [
        Bars(
            labels,
            shares,
            "% of the core's limit",
            100.0,
            f"limit: {limit / 1e9:.0f} GFLOP/s",
            "operations a second",
            form="{:.0f}",
        ),
        Bars(labels, stacks, "% of the time of a call", title="where the time goes", stacked=True),
    ]
    fused = counted["sincos"]
    report.notes += [
        f"The limit: {limit / 1e9:.1f} GFLOP/s, {ACCUMULATORS} independent sums, the best of the rounds.",
        *NOTES,
    ]
    report.note(f"A sine and cosine has {fused['add']} additions and {fused['multiply']} multiplications.")
    report.note(ROUNDS)
    return report


def percent(share: float) -> str:
    """A share of one."""
    return f"{100 * share:.0f} %"


NOTES = [
    "Each addition, multiplication, division and square root is one operation; a change of sign, a choice and a comparison "
    "are none. Counted is what the source says, also products with constants that are zero in a certain robot.",
    "The limit asks for a sum after each product, in chains that never wait. **What is lost to the arithmetic itself**: "
    "where products and sums do not pair, or the second waits for the first (recursions do), a unit stays idle. "
    "Loads and stores count those of lanes; a core makes at most two loads and one store a cycle, in which it makes 32 "
    "operations, so that from about 0.06 loads and stores per flop on, memory instructions take their share.",
    "**Where the rest goes**, measured apart: *sine and cosine*, as many as there are hinges; *the rest of the kernel* on "
    "eight states that stay in the cache, less that; *reading and checking* the inputs, which transposes them, looks for "
    "numbers that are not finite and for quaternions that are not of unit length; *Python, allocation*, the call less its "
    "compiled part: arguments, threads, memory for the result; *writing, memory* is what remains: transposing the result, "
    "and waiting for data that are not in the cache.",
]
