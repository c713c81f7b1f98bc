"""Topics are compiled one after the other, each in a process that ends with it, and a process that fails is told."""

import os

import numpy as np
import pytest

from pluecker.spatial.engine.topics import (
    CompilationError,
    Topic,
    as_topics,
    compile_elsewhere,
    compile_topic,
    described,
)

KNOWN = {"one": Topic("the first", list, usual=True), "two": Topic("the second", list)}


def test_another_process_does_it_with_the_same_modules(tmp_path):
    compile_elsewhere(os.mkdir, str(tmp_path / "made"))
    assert (tmp_path / "made").is_dir()


def test_a_process_that_fails_is_told_with_the_last_line_that_it_said(tmp_path):
    with pytest.raises(CompilationError, match=r"warmup: .*nowhere could not be compiled: FileNotFoundError"):
        compile_elsewhere(os.rmdir, str(tmp_path / "nowhere"))


def test_a_process_that_ends_without_a_word_is_told_by_its_code():
    with pytest.raises(CompilationError, match=r"abc could not be compiled: its process ended with code 3"):
        compile_elsewhere(leave, "abc")


def leave(_):
    os._exit(3)


def test_all_parts_of_a_topic_are_compiled_in_their_order():
    done = []
    compile_topic(Topic("two parts", lambda: [lambda: done.append(1), lambda: done.append(2)]))
    assert done == [1, 2]


def test_names_of_topics_are_looked_up_each_once():
    assert as_topics("warmup", ["two", "one", "two"], KNOWN) == ("two", "one")
    assert as_topics("warmup", [], KNOWN) == ()
    with pytest.raises(KeyError, match="warmup: no topic is called 'three', expected one of one, two"):
        as_topics("warmup", ["three"], KNOWN)
    for wrong in ("one", 5, None, np.array(2)):
        with pytest.raises(TypeError, match=r"warmup: topics is .*, expected names of topics: one, two"):
            as_topics("warmup", wrong, KNOWN)
    with pytest.raises(TypeError, match="warmup: a topic is 5, expected a name: one, two"):
        as_topics("warmup", [5], KNOWN)


def test_usual_topics_have_a_star():
    assert described(KNOWN).splitlines() == ["* one           the first", "  two           the second"]
