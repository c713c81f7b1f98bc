"""Topics: functions that are compiled together, ahead of time, in a process of their own.

A process that compiles keeps what Numba and LLVM know of all that it has compiled, ten megabytes for each function; it ends
with its topic. Topics are done one after the other, since what two of them share is compiled by both. What the second of
them finds on disk, it loads: compiled code is kept for each function that Python enters, with all that it calls.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, UnknownNameError, shown

__all__ = ["CompilationError", "Topic", "as_topics", "compile_elsewhere", "compile_topic", "described"]

# Without the last line Python would collect garbage at exit among all that the compiler has left: half a second for nothing.
START = """import gc, json, sys
sys.path[:] = json.loads(sys.argv[1])
from {module} import {name}
{name}(sys.argv[2])
gc.freeze()"""


class CompilationError(PlueckerError, RuntimeError):
    """A process that compiles ahead has failed; the message says at what."""


@dataclass(frozen=True)
class Topic:
    """A set of functions that are compiled together.

    Attributes:
        what: of what it consists, in words.
        parts: gives functions, each of which compiles a part of it, or loads it.
        usual: whether most users need it.
    """

    what: str
    parts: Callable[[], Iterable[Callable[[], object]]]
    usual: bool = False


def as_topics(function: str, names: object, known: Mapping[str, Topic]) -> tuple[str, ...]:
    """Check names of topics, and return each once, in the order given.

    Raises:
        TypeError: they are not strings.
        KeyError: there is no such topic.
    """
    try:
        found: tuple[Any, ...] | None = None if isinstance(names, str) else tuple(cast("Iterable[Any]", names))
    except TypeError:
        found = None
    if found is None:
        raise ArgumentTypeError(f"{function}: topics is {shown(names)}, expected names of topics: {', '.join(known)}")
    for name in found:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{function}: a topic is {shown(name)}, expected a name: {', '.join(known)}")
        if name not in known:
            raise UnknownNameError(f"{function}: no topic is called {shown(name)}, expected one of {', '.join(known)}")
    return tuple(dict.fromkeys(found))


def described(topics: Mapping[str, Topic]) -> str:
    """Return a line for each topic, with a star at those that most users need."""
    return "\n".join(f"{'*' if topic.usual else ' '} {name:14}{topic.what}" for name, topic in topics.items())


def compile_topic(topic: Topic) -> None:
    """Compile all parts of a topic in this process, or load them from disk."""
    for compile_part in topic.parts():
        compile_part()


def compile_elsewhere(compile_named: Callable[[str], None], name: str) -> None:
    """Compile a topic in another process, which ends with it, by a function of a module that is given its name.

    Raises:
        CompilationError: that process has failed, with the last line of what it said.
    """
    script = START.format(module=compile_named.__module__, name=compile_named.__qualname__)
    command = [sys.executable, "-c", script, json.dumps(sys.path), name]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"its process ended with code {done.returncode}"]
        raise CompilationError(f"warmup: {name} could not be compiled: {said[-1]}")
