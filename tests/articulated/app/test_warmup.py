"""Compiling ahead: afterwards nothing is left to compile, of robots; of contact see ``tests/contact/app/test_warmup.py``.

Which algorithm belongs to which topic is looked up in the module of :func:`warmup`: to see it from outside, all of them
would have to be compiled.
"""

import importlib
import os
import subprocess
import sys

import pytest

from pluecker import warmup
from tests.command import main
from tests.conftest import COMPILED
from tests.programs import printed_by

WARMUP = importlib.import_module("pluecker.compiling")
ALGORITHMS, ROOMS, TOPICS = WARMUP.ALGORITHMS, WARMUP.ROOMS, WARMUP.TOPICS

CALLS = """
import numpy as np
from numba.core import event
from pluecker import ModelBuilder, integrate, warmup
from pluecker.articulated import difference

builder = ModelBuilder()
builder.add_body("rod", mass=1.0)
builder.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
model = builder.build()
BEFORE
with event.install_recorder("numba:compile") as recorder:
    for function in (integrate, difference):
        function(model, [0.0], [1.0])
        function(model, np.zeros((20, 1)), [1.0])
        function(model, np.zeros((20000, 1)), [1.0], threads=2)
print(len(recorder.buffer))
"""
compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")


def compilations_of_a_new_process(before="", **environment):
    """Return the number of compilations in a new process that makes the calls."""
    return int(printed_by(CALLS.replace("BEFORE", before), **environment))


@compiled_only
def test_after_a_topic_is_warm_a_new_process_compiles_nothing_of_it():
    """The compiled code is in the cache that all tests use."""
    warmup(["configuration"], progress=False)
    assert compilations_of_a_new_process() == 0


@pytest.mark.everything
@compiled_only
def test_the_calls_of_a_new_process_compile_something_where_nothing_is_warm(tmp_path):
    assert compilations_of_a_new_process(NUMBA_CACHE_DIR=str(tmp_path)) > 0


@pytest.mark.everything
@pytest.mark.slow
@compiled_only
def test_after_the_command_a_new_process_compiles_nothing_of_its_topic(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pluecker", "warmup", "configuration"]
    subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    assert compilations_of_a_new_process(**environment) == 0


@pytest.mark.everything
def test_warmup_leaves_no_algorithm_to_compile():
    """The whole of it, of models with mimic joints and without."""
    warmup(list(ROOMS), progress=False)
    for algorithm in ALGORITHMS.values():
        for used in filter(None, (algorithm, algorithm.with_mimic)):
            for driver in (vars(used.compiled)["one"], vars(used.compiled)["many"]):
                assert not COMPILED or len(driver.overloads) == 1


def test_warmup_wants_an_answer_and_topics_that_exist():
    with pytest.raises(TypeError, match=r"warmup: progress is a int, expected True or False"):
        warmup(progress=5)

    with pytest.raises(KeyError, match=r"warmup: no topic is called 'panda', expected one of robots, simulation"):
        warmup(["panda"])
    with pytest.raises(TypeError, match=r"warmup: topics is 'robots', expected names of topics"):
        warmup("robots")


def test_every_algorithm_belongs_to_the_topic_of_one_room():
    rooms = [WARMUP.room(name) for name in ROOMS]
    assert sorted(ALGORITHMS) == sorted(name for names in rooms for name in names)
    assert set(WARMUP.USUAL) < set(ALGORITHMS)


def test_every_integrator_is_compiled_with_limits_where_it_knows_them():
    parts = [part.keywords for name in ("simulation", "integrators") for part in TOPICS[name].parts()]
    seen = sorted((part["integrator"], part["limits"]) for part in parts)
    with_limits = [(name, True) for name, integrator in WARMUP.INTEGRATORS.items() if integrator.takes_rows]
    assert seen == sorted([*with_limits, *((name, False) for name in WARMUP.INTEGRATORS)])


@pytest.mark.plain
@pytest.mark.skipif(COMPILED, reason="compiles every integrator")
@pytest.mark.parametrize("topic", ["simulation", "batches", "integrators"])
def test_the_motions_that_compile_are_motions(topic):
    for part in TOPICS[topic].parts():
        motion = part()
        assert motion.time[-1] == 0.002
        assert (motion.q[..., -1, :] != motion.q[..., 0, :]).all()


def test_a_topic_is_compiled_for_one_state_and_for_batches():
    warmup(["configuration", "configuration"], progress=False)
    for name in WARMUP.room("configuration"):
        assert {"one", "many"} <= set(vars(ALGORITHMS[name].compiled))


@compiled_only
def test_the_command_compiles_usual_topics_or_those_that_are_named_and_says_what_it_leaves_out(capsys, monkeypatch):
    done = []
    monkeypatch.setattr("pluecker.compiling.compile_elsewhere", lambda _, name: done.append(name))
    for given, expected in (
        ([], ["robots", "simulation", "friction", "worlds"]),
        (["forces", "redmax"], ["forces", "redmax"]),
        (["--all"], [*TOPICS]),
    ):
        done.clear()
        assert main(["warmup", *given]) == 0
        said = capsys.readouterr().out
        assert done == expected
        assert "kept in" in said
        assert ("not compiled ahead: " in said) == (given != ["--all"])
        assert all(line.split()[0] == name for line, name in zip(said.splitlines(), expected, strict=False))


def test_the_command_refuses_topics_that_do_not_exist_and_names_beside_all(capsys):
    for wrong in (["panda"], ["robots", "--all"]):
        assert main(["warmup", *wrong]) == 2
        assert capsys.readouterr().err.startswith("pluecker: error: warmup: ")


@pytest.mark.plain
@pytest.mark.skipif(COMPILED, reason="compiled code is kept")
def test_without_a_place_to_keep_it_nothing_is_compiled(capsys):
    assert main(["warmup"]) == 0
    assert "nothing is compiled" in capsys.readouterr().out
