"""Compiling ahead: afterwards nothing is left to compile."""

import os
import subprocess
import sys

import pytest

from pluecker.articulated import warmup
from pluecker.articulated.app.cli import main
from pluecker.articulated.running.algorithm import ALGORITHMS
from tests.articulated import test_mimic
from tests.conftest import COMPILED
from tests.mechanisms import random_description

AFTER = """
import numpy as np
from numba.core import event
from pluecker.articulated import integrate, warmup
from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.running import algorithm

names = ("integrate", "kinetic_energy")
for name in set(algorithm.ALGORITHMS) - set(names):
    del algorithm.ALGORITHMS[name]
builder = ModelBuilder()
builder.add_body("rod", mass=1.0)
builder.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
model = builder.build()
warmup(model)
with event.install_recorder("numba:compile") as recorder:
    integrate(model, [0.0], [1.0])
    integrate(model, np.zeros((20, 1)), [1.0])
    integrate(model, np.zeros((20000, 1)), [1.0], threads=2)
print(len(recorder.buffer))
"""


@pytest.mark.parametrize("mimic", [False, True])
def test_warmup_leaves_nothing_to_compile(mimic):
    model = test_mimic.build(mimic=True) if mimic else random_description(1, 4).build()
    warmup(model, progress=False)
    for algorithm in ALGORITHMS.values():
        used = algorithm.with_mimic if mimic and algorithm.with_mimic else algorithm
        for driver in (vars(used.compiled)["one"], vars(used.compiled)["many"]):
            assert not COMPILED or len(driver.overloads) == 1


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_after_warmup_in_a_new_process_calls_compile_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", AFTER], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0"]


def test_warmup_wants_a_model_and_an_answer():
    with pytest.raises(TypeError, match=r"warmup: model must be a pluecker.articulated.Model, got a str"):
        warmup("panda")
    with pytest.raises(TypeError, match=r"warmup: progress is a int, expected True or False"):
        warmup(progress=5)


def test_the_command_says_where_compiled_code_is_kept(capsys):
    assert main(["warmup"]) == 0
    said = capsys.readouterr().out
    assert "kept in" in said if COMPILED else "not kept" in said
