"""Processes that make calls, watched for crashes, for calls that do not end, and for memory.

A worker makes the calls of the seeds ``first, first + step, ...`` and writes the seed of each into memory that it shares
with its parent, before it makes it. So the parent knows which call it was when the worker is gone, or has not gone on for a
minute; it starts another one behind that seed. What a worker prints is a line of JSON for each complaint.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

LONGEST = 300.0  # seconds that a call may take; the first of a kind is compiled in it
MEMORY = 12 << 30  # bytes of addresses
TOP = Path(__file__).resolve().parents[2]


def attempt(seed: int, area: str | None, made: Counter[str]) -> list[dict[str, Any]]:
    """Make the call of a seed; return what is wrong."""
    from tests.fuzz.calls import make
    from tests.fuzz.judge import judge

    try:
        call = make(seed, area)
        outcome, wrong = judge(call)
    except Exception:
        return [
            {
                "seed": seed,
                "area": area,
                "name": "the fuzzer itself",
                "call": "?",
                "wrong": traceback.format_exc()[-1000:],
            }
        ]
    made[f"{call.area} {outcome}"] += 1
    return [
        {"seed": seed, "area": area or call.area, "name": call.name, "call": call.text(), "wrong": text}
        for text in wrong
    ]


def work(path: str, first: int, end: int, step: int, area: str | None) -> None:
    """Try each seed of a worker's share; print findings as lines of JSON."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    made: Counter[str] = Counter()
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
        for seed in range(first, end, step):
            struct.pack_into("q", shared, 0, seed)
            for found in attempt(seed, area, made):
                print(json.dumps(found), flush=True)
            if made.total() == 100:  # those of a process that ends by a crash are not all lost
                print(json.dumps({"made": made}), flush=True)
                made.clear()
    print(json.dumps({"made": made}), flush=True)


class Worker:
    """One process after the other, until all its seeds are done."""

    def __init__(self, first: int, end: int, step: int, area: str | None) -> None:
        self.first, self.end, self.step, self.area = first, end, step, area
        self.shared = tempfile.NamedTemporaryFile(prefix="fuzz")  # noqa: SIM115
        self.output = tempfile.NamedTemporaryFile(mode="w+", prefix="fuzz")  # noqa: SIM115
        self.errors = tempfile.NamedTemporaryFile(mode="w+", prefix="fuzz")  # noqa: SIM115
        self.found: list[dict[str, Any]] = []
        self.made: Counter[str] = Counter()
        self.done = first >= end
        if not self.done:
            self.start(first)

    def start(self, first: int) -> None:
        """Start a process that goes on from a seed."""
        self.shared.seek(0)
        self.shared.write(struct.pack("q", first))
        self.shared.flush()
        for file in (self.output, self.errors):
            file.seek(0)
            file.truncate()
        command = [
            sys.executable,
            "-m",
            "tests.fuzz",
            "--worker",
            self.shared.name,
            str(first),
            str(self.end),
            str(self.step),
        ]
        command += ["--area", self.area] if self.area else []
        self.process = subprocess.Popen(
            command, cwd=TOP, stdout=self.output, stderr=self.errors, env={**os.environ, "MPLBACKEND": "agg"}
        )
        self.last, self.since = first, time.monotonic()

    def seed(self) -> int:
        with open(self.shared.name, "rb") as file:
            return int(struct.unpack("q", file.read(8))[0])

    def look(self) -> None:
        """Check whether the process is done, has ended, or has worked on one seed for too long."""
        if self.done:
            return
        seed, ended = self.seed(), self.process.poll()
        if seed != self.last:
            self.last, self.since = seed, time.monotonic()
        hangs = ended is None and time.monotonic() - self.since > LONGEST
        if hangs:
            self.process.send_signal(signal.SIGABRT)  # faulthandler says where it is
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if ended is None and not hangs:
            return
        self.collect(
            seed, f"takes longer than {LONGEST:.0f} s" if hangs else f"ends the process with {ended}" if ended else None
        )

    def collect(self, seed: int, end: str | None) -> None:
        """Collect the findings of the process; if it stopped at a seed, start another one behind it."""
        self.output.seek(0)
        for line in self.output:
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if "made" in found:
                self.made.update(found["made"])
            else:
                self.found.append(found)
        if end is None:
            self.done = True
            return
        self.errors.seek(0)
        self.found.append(
            {"seed": seed, "area": "?", "name": "?", "call": "?", "wrong": f"{end}: {self.errors.read()[-3000:]}"}
        )
        if seed + self.step < self.end:
            self.start(seed + self.step)
        else:
            self.done = True


def run(
    count: int, first: int, jobs: int, area: str | None = None, report: bool = True
) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Make so many calls in so many processes: complaints, and how many calls had a result or an error."""
    workers = [Worker(first + k, first + count, jobs, area) for k in range(min(jobs, count))]
    began = time.monotonic()
    told = began
    try:
        while not all(worker.done for worker in workers):
            time.sleep(0.2)
            for worker in workers:
                worker.look()
            if report and time.monotonic() - told > 60:
                told = time.monotonic()
                done = sum((worker.last - worker.first) // jobs for worker in workers)
                print(f"-- {told - began:.0f} s: {done} calls", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        for worker in workers:
            if not worker.done:
                worker.process.kill()
                worker.collect(worker.seed(), None)
                print(f"-- stopped in the call of seed {worker.last}", file=sys.stderr)
    finally:
        for worker in workers:
            if not worker.done:
                worker.process.kill()
    made: Counter[str] = Counter()
    for worker in workers:
        made.update(worker.made)
    return sorted((found for worker in workers for found in worker.found), key=lambda found: found["seed"]), made
