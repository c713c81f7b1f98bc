"""FCLIB's files: what the equations of its header say, and what a reader of it expects."""

from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from pluecker.contact import (
    FileError,
    Problem,
    ProblemError,
    Solution,
    read_fclib,
    read_fclib_guesses,
    read_fclib_solution,
    solve,
    write_fclib,
)
from tests.contact.any_blocks import of_matrix, sets_of
from tests.contact.friction.files.fclib_files import (
    GlobalForm,
    LocalForm,
    dense,
    edited,
    global_form,
    local_form,
    read_fclib_form,
    same_bits,
    same_problem,
    sparse,
    to_problem,
)

h5py = pytest.importorskip("h5py")

FORMS = [
    pytest.param(make, dim, equations, id=f"{make.__name__}-{dim}-{equations}")
    for make, dim, equations in itertools.product((local_form, global_form), (2, 3), (0, 2))
]


# ------------------------------------------------------------------------------------------------------------ equations


@pytest.mark.parametrize("dim", [2, 3])
def test_local_form_with_equations(dim):
    form, rng = local_form(1, spacedim=dim), np.random.default_rng(5)
    assert form.V is not None
    r, l = rng.normal(size=len(form.q)), rng.normal(size=2)
    problem = to_problem(form)
    u = problem.velocity(np.concatenate([r, l]))
    np.testing.assert_allclose(u[: len(r)], form.W @ r + form.V @ l + form.q, rtol=1e-12)
    np.testing.assert_allclose(u[len(r) :], form.V.T @ r + form.R @ l + form.s, rtol=1e-12)
    assert (problem.sets.lower[-2:] == -np.inf).all()
    assert (problem.sets.upper[-2:] == np.inf).all()


@pytest.mark.parametrize("dim", [2, 3])
def test_global_form_with_equations(dim):
    form, rng = global_form(1, spacedim=dim), np.random.default_rng(6)
    assert form.G is not None
    r, l = rng.normal(size=len(form.w)), rng.normal(size=2)
    v = np.linalg.solve(form.M.toarray(), form.H @ r + form.G @ l + form.f)
    problem = to_problem(form)
    u = problem.velocity(np.concatenate([r, l]))
    np.testing.assert_allclose(u[: len(r)], form.H.T @ v + form.w, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(u[len(r) :], form.G.T @ v + form.b, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(problem.motion(np.concatenate([r, l])), v, rtol=1e-11, atol=1e-11)


# --------------------------------------------------------------------------------------------------------------- writing


@pytest.mark.parametrize(("make", "dim", "equations"), FORMS)
def test_reading_gives_what_was_written_bit_for_bit(make, dim, equations, tmp_path):
    form = make(3, spacedim=dim, equations=equations)
    path, again = tmp_path / "a.hdf5", tmp_path / "b.hdf5"
    write_fclib(path, form)
    assert form.same(read_fclib_form(path))
    problem = read_fclib(path)
    write_fclib(again, problem)
    assert path.read_bytes() == again.read_bytes()
    assert same_problem(problem, read_fclib(again))
    assert not form.same(dataclasses.replace(form, title="another"))


def test_a_problem_that_was_changed_is_written_as_it_is_now(tmp_path):
    path = tmp_path / "a.hdf5"
    write_fclib(path, global_form())
    problem = read_fclib(path)
    changed = read_fclib(path).with_friction(np.full(4, 0.125))
    write_fclib(tmp_path / "b.hdf5", changed)
    problem = dataclasses.replace(problem, offset=problem.offset + 1.0)
    write_fclib(tmp_path / "c.hdf5", problem)
    for name, now in (("b", changed), ("c", problem)):
        back = read_fclib(tmp_path / f"{name}.hdf5")
        assert not back.operator.is_factored
        np.testing.assert_array_equal(back.offset, now.offset)
        np.testing.assert_array_equal(back.sets.friction, now.sets.friction)
        np.testing.assert_allclose(back.matrix().toarray(), now.matrix().toarray(), rtol=1e-14)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_problem_of_contacts_only(dim, tmp_path):
    form = local_form(9, spacedim=dim, equations=0)
    problem = Problem.from_delassus(form.W, form.q, form.mu, size=dim, compliance=np.full(4 * dim, 0.5))
    write_fclib(tmp_path / "a.hdf5", problem)
    back = read_fclib_form(tmp_path / "a.hdf5")
    assert isinstance(back, LocalForm)
    assert (back.spacedim, back.s) == (dim, None)
    np.testing.assert_array_equal(back.W.toarray(), form.W.toarray() + 0.5 * np.eye(4 * dim))
    np.testing.assert_array_equal(back.q, form.q)
    np.testing.assert_array_equal(back.mu, form.mu)


def test_equations_between_contacts_are_written_after_them(tmp_path):
    form = local_form(2, contacts=2)
    whole = to_problem(form)
    order = np.array([6, 0, 1, 2, 7, 3, 4, 5])  # an equation, a contact, an equation, a contact
    N = whole.matrix()[order][:, order]
    sizes, inf = np.array([[0, 0, 0], [2, 0, 0]] * 2), np.array([np.inf, 0.0] * 2)
    friction = np.zeros((4, 3))
    friction[[1, 3], 0] = form.mu
    sets = sets_of(sizes, friction, -inf, np.full(4, np.inf))
    write_fclib(tmp_path / "a.hdf5", of_matrix(N, whole.offset[order], sets))
    back = read_fclib_form(tmp_path / "a.hdf5")
    assert isinstance(back, LocalForm)
    for name in ("W", "V", "R"):
        np.testing.assert_array_equal(getattr(back, name).toarray(), getattr(form, name).toarray())
    for name in ("q", "mu", "s"):
        np.testing.assert_array_equal(getattr(back, name), getattr(form, name))


def test_what_is_written_is_what_the_C_library_reads(tmp_path):
    form = global_form()
    zeros = Solution(r=np.zeros(12), u=np.zeros(12), v=np.zeros(18), l=np.zeros(2))
    write_fclib(tmp_path / "g.hdf5", form, title="T", description="", solution=zeros, guesses=[zeros, zeros])
    write_fclib(tmp_path / "l.hdf5", local_form(), math_info="é")
    with h5py.File(tmp_path / "g.hdf5") as file:
        assert sorted(file) == ["fclib_global", "guesses", "solution"]
        group = file["fclib_global"]
        assert sorted(group) == ["G", "H", "M", "info", "spacedim", "vectors"]
        assert sorted(group["vectors"]) == ["b", "f", "mu", "w"]
        for name in ("M", "H", "G"):
            matrix = group[name]
            assert sorted(matrix) == ["i", "m", "n", "nz", "nzmax", "p", "x"]
            np.testing.assert_array_equal(dense(matrix), getattr(form, name).toarray())
            assert matrix["nz"][0] == matrix["nzmax"][0] == len(matrix["p"]) == len(matrix["i"]) == len(matrix["x"])
            assert {matrix[key].dtype for key in ("i", "m", "n", "nz", "nzmax", "p")} == {np.dtype(np.int32)}
            assert all(matrix[key].shape == (1,) for key in ("m", "n", "nz", "nzmax"))
        assert group["spacedim"].shape == (1,)
        assert sorted(file["guesses"]) == ["1", "2", "number_of_guesses"]
        assert sorted(file["solution"]) == ["l", "r", "u", "v"]
        assert sorted(group["info"]) == ["description", "math_info", "title"]
        for name, text in (("title", b"T"), ("description", b"")):
            kind = group["info"][name].id.get_type()
            assert kind.get_strpad() == h5py.h5t.STR_NULLTERM
            assert kind.get_size() == len(text) + 1
            assert group["info"][name][()] == text
        datasets: list[h5py.Dataset] = []
        file.visititems(lambda _, item: datasets.append(item) if isinstance(item, h5py.Dataset) else None)
        assert len(datasets) == 3 * 7 + 4 + 1 + 3 + 1 + 3 * 4
        messages = [h5py.h5o.get_info(item.id).hdr.mesg.present for item in datasets]
        assert not any(present >> 18 & 1 for present in messages)  # no time of change: the same bytes at any time
    with h5py.File(tmp_path / "l.hdf5") as file:
        group = file["fclib_local"]
        assert sorted(group) == ["R", "V", "W", "info", "spacedim", "vectors"]
        assert sorted(group["vectors"]) == ["mu", "q", "s"]
        assert group["W/nz"][0] == -2
        assert len(group["W/p"]) == group["W/m"][0] + 1
        assert group["W/nzmax"][0] == len(group["W/i"]) == len(group["W/x"]) == group["W/p"][-1]
        assert group["info/math_info"][()].decode() == "é"
    assert read_fclib_form(tmp_path / "l.hdf5").math_info == "é"


@pytest.mark.parametrize("layout", ["columns", "rows", "triplets", "spare", "twice"])
def test_all_layouts_of_a_matrix_are_one_matrix(layout, tmp_path):
    form = global_form(7)
    path, H = tmp_path / "a.hdf5", sparse(np.random.default_rng(8), 18, 12)
    form = dataclasses.replace(form, H=H)
    write_fclib(path, form)
    coo = H.tocoo()
    row, column, x = coo.row, coo.col, coo.data
    if layout == "columns":
        csc = H.tocsc()
        nz, p, i, x = -1, csc.indptr, csc.indices, csc.data
    elif layout == "rows":
        nz, p, i, x = -2, H.indptr, H.indices, H.data
    else:
        nz, p, i = len(x), column, row
    if layout == "twice":
        nz, p, i, x = 2 * nz, np.tile(p, 2), np.tile(i, 2), np.tile(x / 2, 2)
    if layout == "spare":
        p, i, x = (np.concatenate([a, np.full(3, -7, a.dtype)]) for a in (p, i, x))
    with edited(path) as file:
        group = file["fclib_global/H"]
        for name, value in {"nz": [nz], "nzmax": [len(x) + 5], "p": p, "i": i, "x": x}.items():
            del group[name]
            group[name] = np.asarray(value, np.float64 if name == "x" else np.int32)
    back = read_fclib_form(path)
    assert isinstance(back, GlobalForm)
    np.testing.assert_array_equal(back.H.toarray(), H.toarray())


def test_other_widths_scalars_and_strings_are_read_too(tmp_path):
    form, path = local_form(4), tmp_path / "a.hdf5"
    write_fclib(path, form)
    with edited(path) as file:
        group = file["fclib_local"]
        changes = {"W/i": group["W/i"][()].astype(">i8"), "W/m": np.uint8(12), "vectors/mu": form.mu.astype(">f8")}
        for name, value in changes.items():
            del group[name]
            group[name] = value
        x = group["W/x"][()]
        del group["W/x"], group["info/title"], group["info/description"]
        group.create_dataset("W/x", data=x, compression="gzip", shuffle=True)
        group["info/title"] = np.array([b"a title"])
        group.create_dataset("info/description", data="of variable length", dtype=h5py.string_dtype())
    back = read_fclib_form(path)
    assert back.description == ""
    assert form.same(dataclasses.replace(back, description=form.description))


# ------------------------------------------------------------------------------------------------ asymmetry and solutions


def test_asymmetry_is_warned_of_above_two_thousandths_and_refused_above_a_hundredth(tmp_path):
    form, path = local_form(equations=0), tmp_path / "a.hdf5"
    W = form.W.toarray()
    for size in (0.0019, 0.009, 0.011, 0.9):
        A = W.copy()
        A[1, 0] += size * np.abs(W).max()
        source = dataclasses.replace(form, W=A)
        assert source.asymmetry == pytest.approx(size, rel=1e-9)
        if size > 0.01:
            write_fclib(path, source, replace=True)
            said = rf"W is asymmetric by {size:.2g} of .*, expected at most 0\.01: W\[0, 1\] is .* and W\[1, 0\] is"
            with pytest.raises(FileError, match=rf"a\.hdf5: fclib_local: {said}"):
                read_fclib(path)
            assert source.same(read_fclib_form(path))
            continue
        if size > 0.002:
            with pytest.warns(UserWarning, match=r"W is asymmetric by 0\.009 of its largest entry"):
                problem = to_problem(source)
        else:
            problem = to_problem(source)
        np.testing.assert_allclose(problem.matrix().toarray(), (A + A.T) / 2, rtol=1e-15)


def test_the_matrix_of_the_equations_and_masses_are_judged_too():
    local, body = local_form(), global_form()
    R, M = local.R.toarray(), body.M.toarray()
    R[0, 1] += 0.5 * R.max()
    M[8, 7] += 0.5 * M.max()
    for form, words in (
        (dataclasses.replace(local, R=R), r"R is asymmetric by .*: R\[0, 1\] is"),
        (dataclasses.replace(body, M=M), r"M is asymmetric by .*: M\[7, 8\] is"),
    ):
        with pytest.raises(ProblemError, match=words):
            to_problem(form)


def test_solutions_and_guesses_are_kept(tmp_path):
    rng, form, path = np.random.default_rng(1), local_form(), tmp_path / "a.hdf5"
    one, two = (Solution(r=rng.normal(size=12), u=rng.normal(size=12), l=rng.normal(size=2)) for _ in range(2))
    write_fclib(path, form, solution=one, guesses=[two, one])
    solution, guesses = read_fclib_solution(path), read_fclib_guesses(path)
    assert solution is not None
    for given, back in ((one, solution), (two, guesses[0]), (one, guesses[1])):
        assert all(same_bits(getattr(given, part), getattr(back, part)) for part in "rulv")
        assert not back.placeholder
    assert Solution().placeholder
    with pytest.raises(ProblemError, match="solution has no l, expected 2 numbers"):
        write_fclib(path, form, solution=dataclasses.replace(one, l=None), replace=True)
    with pytest.raises(ProblemError, match=r"guesses/1, r has shape \(3,\), expected \(12,\)"):
        write_fclib(path, form, guesses=[dataclasses.replace(one, r=np.zeros(3))], replace=True)


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize(("make", "dim", "equations"), FORMS)
def test_a_result_is_a_solution(make, dim, equations, made, tmp_path):
    """It belongs to the problem that is written, and to the form it was made of, with the known velocities of bodies."""
    path, form = tmp_path / "a.hdf5", make(3, spacedim=dim, equations=equations)
    write_fclib(path, form)
    problem = read_fclib(path)
    result = solve(problem, "ccp", "apgd", max_iterations=3)
    write_fclib(path, problem if made else form, solution=result, guesses=[result], replace=True)
    m = 4 * dim
    for back in (read_fclib_solution(path), *read_fclib_guesses(path)):
        np.testing.assert_array_equal(back.r, result.multipliers[:m])
        np.testing.assert_array_equal(back.u, result.velocity[:m])
        if equations:
            np.testing.assert_array_equal(back.l, result.multipliers[m:])
        if make is global_form:
            np.testing.assert_array_equal(back.v, problem.motion(result.multipliers))
    with pytest.raises(ProblemError, match=r"solution is of a problem of \d+ multipliers, expected \d+"):
        write_fclib(path, make(3, 2, dim, equations), solution=result, replace=True)


@pytest.mark.parametrize("value", [np.zeros(12), "r", 3])
def test_a_solution_is_a_solution_or_a_result(value, tmp_path):
    for name, arguments in (("solution", {"solution": value}), ("guesses/1", {"guesses": [value]})):
        with pytest.raises(TypeError, match=f"write_fclib: {name} is a .*, expected a Solution or a Result of solve"):
            write_fclib(tmp_path / "a.hdf5", local_form(), **arguments)


# --------------------------------------------------------------------------------------------------------------- refusals


def test_forms_that_cannot_be_are_refused():
    local, body = local_form(), global_form()
    for form, changes, message in (
        (local, {"W": np.eye(3)}, r"W is \(3, 3\), expected \(12, 12\), since q has 12 entries"),
        (local, {"V": np.eye(3)}, r"V is \(3, 3\), expected \(12, 2\), since q has 12 entries and s has 2"),
        (local, {"R": None}, "equations need V, R and s together, there is only V and s"),
        (local, {"q": np.zeros(13)}, "q has 13 entries, expected a multiple of spacedim, which is 3"),
        (local, {"spacedim": 3.0}, r"spacedim is 3\.0, expected 2 or 3"),
        (local, {"mu": [0.5, 0.5, -0.5, 0.5]}, "contact 2: friction is -0.5"),
        (local, {"math_info": b"text"}, "math_info is b'text', expected a string"),
        (body, {"G": None}, "equations need G and b together, there is only b"),
        (body, {"b": None}, "equations need G and b together, there is only G"),
        (body, {"M": np.eye(17)}, r"M is \(17, 17\), expected \(18, 18\), since f has 18 entries"),
        (body, {"H": np.full((18, 12), np.nan)}, r"H\[0, 0\] is nan"),
    ):
        with pytest.raises(ProblemError, match=message):
            dataclasses.replace(form, **changes)


def test_problems_beyond_32_bits_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("pluecker.contact.friction.files.fclib_layout.LARGEST_INTEGER", 11)
    with pytest.raises(ProblemError, match="too large for FCLIB, whose integers have 32 bits: nzmax is "):
        write_fclib(tmp_path / "a.hdf5", local_form())
    assert not list(tmp_path.iterdir())


def test_forms_are_compared_by_all_that_they_hold():
    form = global_form()
    assert form.same(global_form())
    assert not form.same(local_form())
    for changes in ({"w": np.zeros(12)}, {"mu": form.mu * (1 + 1e-15)}, {"title": ""}, {"G": None, "b": None}):
        assert not form.same(dataclasses.replace(form, **changes))  # w was -0
    assert to_problem(dataclasses.replace(local_form(), W=np.zeros((12, 12)), V=np.zeros((12, 2)))).blocks == 6


def unsuitable() -> list[tuple[Problem, str]]:
    N, b = scipy.sparse.identity(5), np.zeros(5)
    rolling = Problem.from_delassus(N, b, [[0.5, 0.1]], size=5)
    motor = Problem.from_delassus(N, b, [0.5], rows=([0.0, -2.0], [np.inf, 3.0]))
    limit = Problem.from_delassus(N, b, [0.5], rows=([-np.inf, -np.inf], [np.inf, 0.0]))
    sets = sets_of([[2, 0, 0], [1, 0, 0]], np.full((2, 3), 0.5), np.zeros(2), np.full(2, np.inf))
    mixed = of_matrix(N, b, sets)
    return [
        (rolling, "block 0 has 5 components"),
        (motor, "block 1 has the bounds 0 and inf"),
        (limit, "block 2 has the bounds -inf and 0"),
        (mixed, "block 1 has 2 components"),
    ]


@pytest.mark.parametrize("case", range(4))
def test_problems_that_have_no_place_in_the_layout_are_refused(case, tmp_path):
    problem, message = unsuitable()[case]
    with pytest.raises(ProblemError, match=message):
        write_fclib(tmp_path / "a.hdf5", problem)
    assert not list(tmp_path.iterdir())


def test_arguments_of_other_types_are_refused(tmp_path):
    path = tmp_path / "a.hdf5"
    with pytest.raises(TypeError, match="argument problem is a str, expected a Problem or a form"):
        write_fclib(path, "problem")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="read_fclib_form: argument path is a int, expected the path of a file"):
        read_fclib_form(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="argument form is 'both', expected 'local' or 'global'"):
        read_fclib(path, form="both")
    for title in ("a\0b", "\ud800", 3):
        with pytest.raises(ProblemError, match="title is"):
            write_fclib(path, local_form(), title=title)  # type: ignore[arg-type]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.hdf5"
    write_fclib(path, local_form())
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for owner, name in ((os, "fsync"), (Path, "replace")):
        monkeypatch.setattr(owner, name, full)
        with pytest.raises(FileError, match=r"a\.hdf5: cannot be written \(No space left on device\)"):
            write_fclib(path, global_form(), replace=True)
        monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.hdf5"]
    with pytest.raises(FileError, match=r"cannot be written \(this is a folder\)"):
        write_fclib(tmp_path, local_form())
    with pytest.raises(FileError, match=r"cannot be written \(No such file or directory\)"):
        write_fclib(tmp_path / "missing" / "a.hdf5", local_form())


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "a.hdf5", tmp_path / "b.hdf5"
    write_fclib(target, local_form())
    link.symlink_to(target)
    write_fclib(link, global_form(), replace=True)
    assert link.is_symlink()
    assert isinstance(read_fclib_form(target), GlobalForm)


def test_a_file_is_replaced_only_if_that_was_asked_for(tmp_path):
    path = tmp_path / "a.hdf5"
    write_fclib(path, local_form())
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"a\.hdf5: cannot be written \(the file exists, .* replace=True"):
        write_fclib(path, global_form())
    assert path.read_bytes() == before
    write_fclib(path, global_form(), replace=True)
    assert isinstance(read_fclib_form(path), GlobalForm)
    assert os.listdir(tmp_path) == ["a.hdf5"]


@pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
def test_a_file_that_nobody_may_write_is_not_replaced_even_by_root(tmp_path):
    path, link = tmp_path / "a.hdf5", tmp_path / "b.hdf5"
    write_fclib(path, local_form())
    link.symlink_to(path)
    before = path.read_bytes()
    for mode in (0o444, 0o400, 0o555):
        path.chmod(mode)
        for place in (path, link):
            with pytest.raises(
                FileError, match=rf"cannot be written \(the file exists, and its mode 0{mode:o} lets nobody"
            ):
                write_fclib(place, global_form(), replace=True)
        assert path.read_bytes() == before
        assert path.stat().st_mode & 0o777 == mode
    with pytest.raises(FileError, match=r"cannot be written \(this is no file"):
        write_fclib(os.devnull, local_form(), replace=True)


@pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(mode, tmp_path):
    path = tmp_path / "a.hdf5"
    write_fclib(path, local_form())
    path.chmod(mode)
    write_fclib(path, global_form(), replace=True)
    assert path.stat().st_mode & 0o777 == mode
