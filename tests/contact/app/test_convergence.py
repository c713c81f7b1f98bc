"""Several methods on one problem: curves that begin at no impulses and end at the result, and figures that say so."""

import sys
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.families import FAMILIES
from pluecker.contact import (
    Errors,
    Problem,
    ProblemError,
    Result,
    Stage,
    assemble_contacts,
    compare_methods,
    errors_of,
    plot_convergence,
    solve,
)
from pluecker.contact.app import comparison
from pluecker.spatial import ArgumentTypeError, MissingExtraError
from tests.contact.random_scenes import random_bodies, random_table

REFUSED = ProblemError, ArgumentTypeError


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    return assemble_contacts(random_bodies(rng, 5, static=(0,)), random_table(rng, 5, 6), 0.01)


@pytest.fixture
def matplotlib():
    return pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")


def made(method, stages, history, error=1e-9, tolerance=1e-8, before=0.5):
    """A result with these stages (method, iterations, seconds) and errors of its iterations."""
    stages = tuple(Stage(name, iterations, error, seconds) for name, iterations, seconds in stages)
    seconds = np.cumsum(np.repeat([s.time / s.iterations for s in stages], [s.iterations for s in stages]))
    k = len(history)
    return Result(
        np.zeros(3), np.zeros(3), "ncp", method, "converged" if error <= tolerance else "iteration limit",
        Errors(error, 0.0, 0.0, 0.0, 0.0), tolerance, k, k, 1, before + sum(s.time for s in stages), stages,
        np.column_stack([seconds[:k], history]),
    )  # fmt: skip


def lines(panel):
    """x and y of what is drawn, by method."""
    drawn = {line.get_label().split(":")[0]: line for line in panel.lines if line.get_label()[0] != "_"}
    return {name: (np.array(line.get_xdata()), np.array(line.get_ydata())) for name, line in drawn.items()}


def drawn(monkeypatch, result):
    """The panels of a figure of one result, of a problem in which no impulses have the error 1."""
    monkeypatch.setattr(comparison, "solve", lambda *_, **__: result)
    ball = Problem.from_delassus(np.eye(3), [-1.0, 0.0, 0.0], [0.5])
    assert errors_of(ball, np.zeros(3)).largest == 1.0
    return plot_convergence(ball, methods=[result.method], repeats=1)[0].axes


def numbers(panel):
    """Return the places of the numbers that mark where another method took over, by their text."""
    return {text.get_text(): text.xy for text in panel.texts if hasattr(text, "xy")}


# ---------------------------------------------------------------------------------------------------------------- curves


@pytest.mark.parametrize("law", ["frictionless", "ccp", "ncp"])
def test_curves_begin_at_no_impulses_fall_and_end_at_the_result(problem, matplotlib, law):
    figure, results = plot_convergence(problem, law=law, tol=1e-6, repeats=1)
    left, right = (lines(panel) for panel in figure.axes)
    s = 1.0 / np.sqrt(problem.matrix().diagonal().reshape(-1, 3).mean(axis=1))
    u, normal = problem.offset, np.minimum(problem.offset[::3], 0.0)
    energy = np.linalg.norm(s * normal) / np.linalg.norm(np.repeat(s, 3) * u)
    start = errors_of(problem, np.zeros(problem.size), law).largest
    if law == "frictionless":  # with r = 0 the projection is max(0, -u_n)
        assert start == pytest.approx(max(energy, np.abs(normal).max() / np.abs(u).max()))
    assert {"auto", "apgd", "pgs", "newton", "interior_point"} <= set(results)
    assert set(left) == set(right) == set(results)
    for name, result in results.items():
        assert result.converged, name
        assert result.history is not None, name
        (iterations, errors), (milliseconds, same) = left[name], right[name]
        errors = np.where(np.isnan(errors), 0.0, errors)  # zero has no place on a logarithmic axis
        assert iterations[0] == 0
        assert errors[0] == pytest.approx(start, rel=1e-12)
        assert errors[-1] <= result.tol
        assert iterations[-1] == result.iterations
        assert milliseconds[-1] == pytest.approx(1e3 * result.time)
        np.testing.assert_array_equal(errors, np.where(np.isnan(same), 0.0, same))
        for values in (iterations, milliseconds, -errors):
            assert (np.diff(values) >= 0).all(), name


def test_the_fastest_of_several_calls_counts(problem, monkeypatch):
    times = iter([0.3, 0.1, 0.2])

    def solve(*_, **__):
        return made("apgd", [("apgd", 2, next(times))], [0.1, 1e-9], before=0.0)

    monkeypatch.setattr(comparison, "solve", solve)
    assert compare_methods(problem, methods=["apgd"], repeats=3)["apgd"].time == 0.1


@pytest.mark.parametrize(("time", "calls"), [(0.9, 3), (1.1, 1), (50.0, 1)])
def test_a_long_call_is_not_repeated(problem, monkeypatch, time, calls):
    """A call of a second or more is not repeated, unless it loaded or made compiled code."""
    found = []

    def solve(*_, **__):
        found.append(made("apgd", [("apgd", 2, time)], [0.1, 1e-9], before=0.0))
        return found[-1]

    monkeypatch.setattr(comparison, "solve", solve)
    compare_methods(problem, methods=["apgd"], repeats=3)
    assert len(found) == calls


def test_stages_take_over_where_the_ones_before_ended(matplotlib, monkeypatch):
    stages = [("apgd", 2, 1.0), ("apgd", 2, 1.0), ("newton", 3, 6.0)]
    left, right = drawn(monkeypatch, made("auto", stages, [0.5, 0.4, 0.3, 0.2, 0.1, 0.01, 1e-9]))
    assert numbers(left) == {"2": (4.0, 0.2)}  # the point after four iterations
    assert lines(left)["auto"][0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    expected = [0.5, 1.0, 1.5, 2.0, 2.5, 4.5, 6.5, 8.5, 8.5]
    np.testing.assert_allclose(lines(right)["auto"][0], 1e3 * np.array(expected))
    assert left.lines[0].get_label() == "auto: 7 iterations, 8.5 s\n   \u2460 apgd, \u2461 newton"


def test_no_error_on_the_way_is_smaller_than_that_of_the_result(matplotlib, monkeypatch):
    """The exact law may be solved by convex problems, whose errors are others."""
    left, _ = drawn(monkeypatch, made("apgd", [("apgd", 4, 4.0)], [0.5, 0.001, 0.01, 0.001], error=0.02))
    assert lines(left)["apgd"][1].tolist() == [1.0, 0.5, 0.02, 0.02, 0.02, 0.02]


def test_a_stage_with_nothing_to_show_is_a_line_to_its_end(matplotlib, monkeypatch):
    stages = [("apgd", 2, 1.0), ("interior_point", 3, 3.0)]
    left, _ = drawn(monkeypatch, made("auto", stages, [0.5, 0.4, 1e-9, 1e-9, 1e-9]))
    iterations, errors = lines(left)["auto"]
    assert iterations.tolist() == [0, 1, 2, 5, 5]
    np.testing.assert_allclose(errors, [1.0, 0.5, 0.4, 1e-9, 1e-9])
    assert numbers(left) == {"2": (2.0, 0.4)}


def test_calls_one_after_the_other_with_nothing_to_show_end_one_by_one(matplotlib, monkeypatch):
    left, _ = drawn(monkeypatch, made("interior_point", [("interior_point", 5, 5.0)], [0.1, 0.1, 0.1, 1e-9, 1e-9]))
    assert lines(left)["interior_point"][0].tolist() == [0, 3, 5, 5]


def test_the_history_of_pivots_is_no_error(problem, matplotlib):
    figure, results = plot_convergence(problem, methods=["lemke", "minmap_newton"], law="lcp", repeats=1)
    curves = lines(figure.axes[0])
    (_, pivots), (_, newton) = curves["lemke"], curves["minmap_newton"]
    assert np.isnan(pivots[0])  # of no impulses it is not known
    assert len(pivots) == 2
    assert len(newton) == results["minmap_newton"].history.shape[0] + 2
    assert pivots[-1] == results["lemke"].errors.largest


# --------------------------------------------------------------------------------------------------------------- figures


def test_both_panels_hold_every_method_and_how_it_ended(problem, matplotlib, tmp_path):
    figure, results = plot_convergence(problem, methods=["auto", "apgd", "pgs"], tol=1e-12, max_iterations=3, repeats=1)
    assert list(results) == ["auto", "apgd", "pgs"]
    left, right = figure.axes
    assert left.get_yscale() == right.get_yscale() == right.get_xscale() == "log"
    assert "iterations" in left.get_xlabel()
    assert "time" in right.get_xlabel()
    for panel in (left, right):
        lines = {line.get_label().split(":")[0]: line for line in panel.lines if line.get_label()[0] != "_"}
        assert set(lines) == set(results)
        for name, line in lines.items():
            ending = "o" if results[name].converged else "X"
            assert line.get_marker() == ending
            assert results[name].converged or "at" in line.get_label()
            assert line.get_ydata()[-1] == results[name].errors.largest
        assert not results["pgs"].converged
    assert any(line.get_ydata()[0] == 1e-12 for line in left.lines)  # the tolerance
    path = tmp_path / "picture.png"
    figure.savefig(path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("time", [1e-3, 7.4e-3, 3e-1])
def test_numbers_below_the_time_do_not_run_into_each_other(matplotlib, monkeypatch, time):
    """Problems whose first iteration takes most of a millisecond."""
    stages = [("apgd", 1, 0.6e-3), ("newton", 3, time)]
    panel = drawn(monkeypatch, made("apgd", stages, [0.1, 0.01, 0.001, 1e-9]))[1]
    panel.figure.draw_without_rendering()
    low, high = panel.get_xlim()
    ticks = [*panel.xaxis.get_major_ticks(), *panel.xaxis.get_minor_ticks()]
    seen = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high and tick.label1.get_text()]
    assert len(seen) >= 2
    boxes = sorted((text.get_window_extent() for text in seen), key=lambda box: box.x0)
    assert all(box.x1 < after.x0 for box, after in pairwise(boxes))


def test_the_legend_explains_every_sign_and_no_other(problem, matplotlib):
    def heading(*methods, **named):
        figure, _ = plot_convergence(problem, methods=methods, repeats=1, **named)
        return figure.legends[0].get_title().get_text()

    plain, cut, dashed = (
        heading("apgd"),
        heading("apgd", "pgs", tol=1e-13, max_iterations=2),
        heading("interior_point", law="ccp"),
    )
    alone = heading("lemke", "minmap_newton", law="lcp")
    assert not any(word in plain for word in ("ross", "ashed", "alone", "\u2461"))
    assert "Cross" in cut
    assert "Dashed" in dashed
    assert "Dot alone" in alone
    flows = (FAMILIES["flow"](100, seed).problem for seed in range(40))
    staged = next(flow for flow in flows if len(solve(flow).stages) > 1)
    figure, _ = plot_convergence(staged, methods=["auto"], repeats=1)
    assert "\u2461" in figure.legends[0].get_title().get_text()


def test_the_legend_says_that_a_line_is_of_the_worst_island(matplotlib):
    apart = Problem.from_delassus(np.eye(6), [-1.0, 3.0, 0.0, -2.0, 1.0, 0.0], [0.5, 0.5])
    for separate in (False, True):
        figure, _ = plot_convergence(apart, methods=["apgd"], separate=separate, repeats=1)
        assert ("worst of 2 islands" in figure.legends[0].get_title().get_text()) == separate


def test_a_title_stays_as_it_is_and_beside_the_legend(problem, matplotlib):
    name = "a-very-long-name-" * 8 + ".hdf5"
    figure, _ = plot_convergence(problem, methods=["apgd"], title=name, repeats=1)
    figure.draw_without_rendering()
    title = figure.get_suptitle()
    assert title.replace("\n", "") == name
    assert figure._suptitle.get_window_extent().x1 < figure.legends[0].get_window_extent().x0


def test_it_draws_on_axes_that_are_there(problem, matplotlib):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots(1, 3)
    found, _ = plot_convergence(problem, methods=["apgd"], axes=axes[:2], title="mine", repeats=1)
    assert found is figure
    assert axes[0].get_title(loc="left") == "mine"
    assert len(axes[2].lines) == 0


# ---------------------------------------------------------------------------------------------------------------- errors


def test_what_cannot_be_drawn_is_refused(problem, matplotlib):
    for methods in ([], "apgd", ["apgd", "apgd"]):
        with pytest.raises(REFUSED, match=r"methods is .*, expected different names, at least one"):
            compare_methods(problem, methods=methods)
    with pytest.raises(REFUSED, match=r"axes is .*, expected two"):
        plot_convergence(problem, axes=[None])
    with pytest.raises(REFUSED, match="axes are 1, expected two"):
        plot_convergence(problem, axes=[pytest.importorskip("matplotlib.figure").Figure().subplots()])


def test_without_matplotlib_the_extra_is_named_before_anything_is_solved(problem, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(comparison, "solve", None)
    with pytest.raises(MissingExtraError, match=r"pluecker\[plot\]"):
        plot_convergence(problem)


def test_progress_sees_every_method(problem):
    seen = []

    def progress(names):
        for name in names:
            seen.append(name)
            yield name

    compare_methods(problem, methods=["apgd", "pgs"], repeats=1, progress=progress)
    assert seen == ["apgd", "pgs"]
