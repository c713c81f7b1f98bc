"""Grading: right answers pass, wrong ones fail with words, and nothing a student writes stops the notebook."""

from __future__ import annotations

import numpy as np
import pytest

import pluecker
from pluecker.teaching import Exercise, check_exercise
from tests.programs import printed_by

DOUBLE = Exercise(
    name="twice",
    inputs=lambda rng: (rng.normal(size=3),),
    expected=lambda x: 2 * x,
    mistakes=((lambda x: x**2, "This is the square."),),
)


def graded(function, exercise=DOUBLE):
    return check_exercise(function, exercise)


def test_a_right_answer_passes(capsys):
    grade = graded(lambda x: x + x)
    assert grade.passed
    assert grade.attempted
    assert capsys.readouterr().out == grade.message + "\n"
    assert "right, in all 20 cases" in grade.message


def fails(x):
    raise NotImplementedError


@pytest.mark.parametrize("function", [lambda x: None, lambda x: ..., fails])
def test_what_is_not_written_is_no_attempt(function):
    grade = graded(function)
    assert not grade.attempted
    assert not grade.passed
    assert grade.message == "twice: not written yet."


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x**2, "This is the square."),
        (lambda x: -2 * x, "opposite sign"),
        (lambda x: 3 * x, "no case is right"),
        (lambda x: 2 * x[:2], "an array of shape (2,); expected an array of shape (3,)"),
        (lambda x: 1.0, "a number; expected an array of shape (3,)"),
        (lambda x: "much", "a str; expected numbers"),
        (lambda x: {}, "expected numbers"),
        (lambda x: 1 / 0, "raised ZeroDivisionError"),
        (lambda: 0, "raised TypeError"),
        (lambda x: x * np.nan, "nan"),
        (lambda x: [2 * x, None], "expected numbers"),
    ],
)
def test_a_wrong_answer_is_told_in_words(function, words):
    grade = graded(function)
    assert grade.attempted
    assert not grade.passed
    assert words in grade.message


def test_a_function_that_is_right_in_some_cases_is_not_right():
    grade = graded(lambda x: 2 * x if x[0] > 0 else None)
    assert not grade.passed
    assert grade.attempted
    assert "of 20 cases are right" in grade.message
    assert "returned nothing" in grade.message


def test_the_message_shows_the_parameters_of_the_first_wrong_case():
    x = []
    grade = graded(lambda a: x.append(a.copy()) or (2 * a if len(x) != 5 else a))
    assert f"x = {np.array2string(x[4], precision=5, separator=', ', suppress_small=True)}" in grade.message
    assert "19 of 20 cases are right" in grade.message
    assert len(x) == 20


def test_what_the_function_does_to_its_arguments_does_not_matter():
    def spoil(x):
        x *= 2.0
        return x

    assert graded(spoil).passed


def test_lists_and_integers_are_numbers_too():
    count = Exercise(name="count", inputs=lambda rng: (int(rng.integers(5)),), expected=lambda n: n + 1)
    assert graded(lambda n: float(n + 1), count).passed
    assert graded(lambda n: np.int64(n + 1), count).passed
    assert graded(lambda x: (2 * x).tolist()).passed
    assert not graded(lambda n: [n + 1], count).passed


def test_truth_and_words_are_compared_as_such():
    even = Exercise(name="even", inputs=lambda rng: (int(rng.integers(9)),), expected=lambda n: n % 2 == 0)
    assert graded(lambda n: np.bool_(n % 2 == 0), even).passed
    assert "expected True or False" in graded(lambda n: 1 - n % 2, even).message
    word = Exercise(name="word", inputs=lambda rng: (int(rng.integers(9)),), expected=lambda n: "ab"[n % 2])
    assert graded(lambda n: "ab"[n % 2], word).passed
    assert "expected a string" in graded(lambda n: n, word).message
    assert not graded(lambda n: "a", word).passed


def test_several_answers_are_compared_one_by_one():
    both = Exercise(name="both", inputs=lambda rng: (rng.normal(),), expected=lambda x: (x, x > 0))
    assert graded(lambda x: (x, x > 0), both).passed
    assert graded(lambda x: [x, bool(x > 0)], both).passed
    assert "expected 2 things" in graded(lambda x: x, both).message
    assert not graded(lambda x: (x, x < 0), both).passed


def test_halves_in_the_other_order_are_recognised():
    six = Exercise(name="six", inputs=lambda rng: (rng.normal(size=6),), expected=lambda v: v)
    assert "in the other order" in graded(lambda v: np.roll(v, 3), six).message


def test_an_exercise_may_compare_by_itself():
    def same(answer, right, x):
        return abs(answer @ right) / np.linalg.norm(answer) / np.linalg.norm(right) > 1 - 1e-9

    line = Exercise(name="line", inputs=lambda rng: (rng.normal(size=3),), expected=lambda x: x, same=same)
    assert graded(lambda x: -3 * x, line).passed
    assert not graded(lambda x: np.ones(3), line).passed
    assert not graded(lambda x: "much", line).passed  # which this comparison cannot even look at


def test_tolerances_are_relative_to_the_largest_number_of_an_array():
    def off(by):
        return lambda x: 2 * x * 1e6 + by

    large = Exercise(name="large", inputs=lambda rng: (1.0 + rng.random(3),), expected=lambda x: 2e6 * x, atol=0.0)
    assert graded(off(1e-4), large).passed
    assert not graded(off(1e-1), large).passed


def test_infinite_answers_are_compared():
    infinite = Exercise(name="infinite", inputs=lambda rng: (rng.normal(),), expected=lambda x: np.inf * np.sign(x))
    assert graded(lambda x: np.inf if x > 0 else -np.inf, infinite).passed
    assert not graded(lambda x: np.inf, infinite).passed


def test_a_mistake_that_has_no_number_is_recognised():
    root = Exercise(
        name="root",
        inputs=lambda rng: (rng.normal(),),
        expected=lambda x: abs(x) ** 0.5,
        mistakes=((lambda x: x**0.5 if x >= 0 else np.nan, "Take the magnitude first."),),
    )
    assert "Take the magnitude" in graded(lambda x: np.sqrt(x) if x >= 0 else np.nan, root).message


def test_the_same_function_has_the_same_grade(capsys):
    assert graded(lambda x: x) == graded(lambda x: x)


def test_long_values_are_shortened():
    many = Exercise(name="many", inputs=lambda rng: (rng.normal(size=(30, 30)),), expected=lambda x: 2 * x)
    assert len(graded(lambda x: x, many).message) < 2000
    assert len(graded(lambda x: 1 / 0 if x is x else "a" * 10**6, many).message) < 2000


def test_a_notebook_shows_the_message_once():
    assert graded(lambda x: x)._ipython_display_() is None


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda: check_exercise(3, DOUBLE), TypeError),
        (lambda: check_exercise(abs, "twice"), TypeError),
        (lambda: Exercise("x", 1, abs), TypeError),
        (lambda: Exercise("x", abs, None), TypeError),
        (lambda: Exercise("x", abs, abs, mistakes=(("a", "b"),)), TypeError),
        (lambda: Exercise("x", abs, abs, same=1), TypeError),
        (lambda: Exercise("x", abs, abs, cases=0), ValueError),
        (lambda: Exercise("x", abs, abs, rtol=-1.0), ValueError),
        (lambda: check_exercise(abs, Exercise("x", lambda rng: 3.0, abs)), TypeError),
    ],
)
def test_what_a_teacher_gets_wrong_is_one_of_our_errors(wrong, kind):
    with pytest.raises(kind) as raised:
        wrong()
    assert isinstance(raised.value, pluecker.PlueckerError)


def test_grading_needs_only_numpy():
    program = """
import sys
from pluecker.teaching import Exercise, check_exercise
exercise = Exercise("x", lambda rng: (rng.normal(),), lambda x: x)
assert check_exercise(lambda x: x, exercise).passed
print([m for m in ("numba", "scipy", "matplotlib", "IPython") if m in sys.modules])
"""
    assert printed_by(program).splitlines()[-1] == "[]"
