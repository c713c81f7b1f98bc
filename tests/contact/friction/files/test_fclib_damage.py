"""Damaged and foreign files: each fault is one sentence that names the file and the place, never another exception."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pluecker.contact import FileError, read_fclib, read_fclib_guesses, read_fclib_solution, write_fclib
from tests.contact.friction.files.fclib_files import edited, global_form, local_form, published, read_fclib_form

h5py = pytest.importorskip("h5py")

NAN = np.nan
LOCAL, GLOBAL = "fclib_local", "fclib_global"


def first(value: Any) -> Any:
    """Put a value in the place of the first entry."""

    def change(old: np.ndarray) -> np.ndarray:
        new = np.array(old)
        new[0] = value
        return new

    return change


def cut(old: np.ndarray) -> np.ndarray:
    """Leave out the last entry."""
    return np.array(old[:-1])


FAULTS: list[tuple[str, Any, str]] = [
    # place, what is there instead (None: nothing), message
    (f"{LOCAL}/W/x", None, "fclib_local/W/x: is missing"),
    (f"{LOCAL}/W", None, "fclib_local/W/m: is missing"),
    (f"{LOCAL}/vectors/q", None, "fclib_local/vectors/q: is missing"),
    (f"{LOCAL}/V", None, "fclib_local/V/m: is missing"),
    (f"{LOCAL}/vectors/s", None, "fclib_local/vectors/s: is missing"),
    (f"{LOCAL}/spacedim", None, "fclib_local/spacedim: is missing"),
    (f"{LOCAL}/spacedim", [4], "fclib_local: spacedim is 4, expected 2 or 3"),
    (f"{LOCAL}/spacedim", [0], "fclib_local: spacedim is 0, expected 2 or 3"),
    (f"{LOCAL}/spacedim", [2], r"fclib_local: mu has shape \(4,\), expected \(6,\)"),
    (f"{LOCAL}/spacedim", [3.0], "fclib_local/spacedim: holds values of type float64, expected one integer"),
    (f"{LOCAL}/spacedim", [3, 3], r"fclib_local/spacedim: has the shape \(2,\), expected one integer"),
    (f"{LOCAL}/vectors/q", cut, r"fclib_local/W: has 12 rows and 12 columns, expected 11 and 11, since vectors/q has 11"),
    (f"{LOCAL}/vectors/q", first(NAN), r"fclib_local: q\[0\] is nan, expected a finite number"),
    (f"{LOCAL}/vectors/q", np.zeros((4, 3)), r"fclib_local/vectors/q: has the shape \(4, 3\), expected a row of real"),
    (f"{LOCAL}/vectors/q", np.zeros(12, complex), "fclib_local/vectors/q: holds values of type complex128, expected"),
    (f"{LOCAL}/vectors/q", np.full(12, b"1"), r"fclib_local/vectors/q: holds values of type \|S1, expected a row of real"),
    (f"{LOCAL}/vectors/q", h5py.Empty("f8"), "fclib_local/vectors/q: has the shape None, expected a row of real"),
    (f"{LOCAL}/vectors/q", dict, "fclib_local/vectors/q: is a group, expected a row of real numbers"),
    (f"{LOCAL}/vectors/mu", first(-0.25), "fclib_local: contact 0: friction is -0.25, expected a finite number"),
    (f"{LOCAL}/vectors/mu", first(np.inf), r"fclib_local: mu\[0\] is inf, expected a finite number"),
    (f"{LOCAL}/vectors/mu", cut, r"fclib_local: mu has shape \(3,\), expected \(4,\)"),
    (f"{LOCAL}/info/title", [1.0], "fclib_local/info/title: holds values of type float64, expected a string"),
    (f"{LOCAL}/W/m", [2**31 - 1], "fclib_local/W: has 2147483647 rows and 12 columns, expected 12 and 12"),
    (f"{LOCAL}/W/m", np.array([2**40]), "fclib_local/W/m: holds 1099511627776, expected integers of 32 bits"),
    (f"{LOCAL}/W/n", [-1], "fclib_local/W: has 12 rows and -1 columns"),
    (f"{LOCAL}/W/nz", [-3], "fclib_local/W/nz: is -3 with nzmax"),
    (f"{LOCAL}/W/nz", [2**31 - 1], "fclib_local/W/nz: is 2147483647 with nzmax"),
    (f"{LOCAL}/W/nzmax", [3], "fclib_local/W/p: the last pointer is [0-9]+, more than the 3 entries that nzmax allows"),
    (f"{LOCAL}/W/p", first(1), "fclib_local/W/p: entry 0 is 1, expected 0"),
    (f"{LOCAL}/W/p", lambda p: -p, "fclib_local/W/p: entry 1 is -[0-9]+, less than the 0 before it: pointers ascend"),
    (f"{LOCAL}/W/p", lambda p: np.r_[0, p[-1], p[2:]], "fclib_local/W/p: entry 2 is [0-9]+, less than the [0-9]+ before"),
    (f"{LOCAL}/W/p", cut, "fclib_local/W/p: has 12 entries, expected 13, one more than the 12 lines of the matrix"),
    (f"{LOCAL}/W/i", first(12), "fclib_local/W/i: entry 0 is 12, but there are 12 columns, counted from 0"),
    (f"{LOCAL}/W/i", first(-1), "fclib_local/W/i: entry 0 is -1, but there are 12 columns"),
    (f"{LOCAL}/W/i", cut, "fclib_local/W/i: has [0-9]+ entries, expected [0-9]+, the last entry of p"),
    (f"{LOCAL}/W/x", cut, "fclib_local/W/x: has [0-9]+ entries, expected [0-9]+, the last entry of p"),
    (f"{LOCAL}/W/x", first(NAN), r"fclib_local/W/x: entry 0 \(row 0, column 0\) is nan, expected finite numbers"),
    (f"{LOCAL}/W/x", lambda x: -x, "fclib_local: W is not positive semidefinite"),
    (f"{GLOBAL}/H/i", first(18), "fclib_global/H/i: entry 0 is 18, but there are 18 rows"),
    (f"{GLOBAL}/H/p", first(12), "fclib_global/H/p: entry 0 is 12, but there are 12 columns"),
    (f"{GLOBAL}/H/nz", lambda n: n + 1, "fclib_global/H/nz: is [0-9]+ with nzmax [0-9]+, expected"),
    (f"{GLOBAL}/H/p", cut, "fclib_global/H/p: has [0-9]+ entries, expected [0-9]+, the number that nz states"),
    (f"{GLOBAL}/H/m", [17], "fclib_global/H: has 17 rows and 12 columns, expected 18 and 12, since vectors/f has 18"),
    (f"{GLOBAL}/M/x", lambda x: -x, "fclib_global: M is not positive definite in rows 0 to 5"),
    (f"{GLOBAL}/vectors/w", cut, "fclib_global/H: has 18 rows and 12 columns, expected 18 and 11"),
    (f"{GLOBAL}/vectors/b", None, "fclib_global/vectors/b: is missing"),
    (f"{GLOBAL}/G", None, "fclib_global/G/m: is missing"),
    (f"{GLOBAL}/vectors/f", first(-np.inf), r"fclib_global: f\[0\] is -inf, expected a finite number"),
]  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> dict[str, bytes]:
    """Files without faults."""
    folder = tmp_path_factory.mktemp("sound")
    for name, form in ((LOCAL, local_form()), (GLOBAL, global_form())):
        write_fclib(folder / name, form)
    return {name: (folder / name).read_bytes() for name in (LOCAL, GLOBAL)}


@pytest.mark.parametrize(
    ("place", "instead", "message"), FAULTS, ids=[f"{k}-{fault[0]}" for k, fault in enumerate(FAULTS)]
)
def test_each_fault_is_named(place, instead, message, sound, tmp_path):
    path = tmp_path / "faulty.hdf5"
    path.write_bytes(sound[place.split("/")[0]])
    read_fclib(path)
    with edited(path) as file:
        old = None if place.count("/") == 1 and isinstance(file[place], h5py.Group) else file[place][()]
        del file[place]
        if instead is dict:
            file.create_group(place)
        elif isinstance(instead, h5py.Empty):
            file.create_dataset(place, data=instead)
        elif instead is not None:
            new = np.asarray(instead(old) if callable(instead) else instead)
            file[place] = new.astype(np.int32) if new.dtype == np.int64 and abs(new).max() < 2**31 else new
    with pytest.raises(FileError, match=f"^[^\n]*faulty.hdf5: {message}[^\n]*$"):
        read_fclib(path)


def test_files_of_something_else(tmp_path):
    path = tmp_path / "other"
    for content, message in (
        (b"", "the file is empty, expected an HDF5 file"),
        (b"PK\x03\x04" + bytes(5000), r"this is no HDF5 file, it begins with b'PK"),
        (b"\x89HDF\r\n\x1a\n", "cannot be read, the file is damaged or cut off"),
        (bytes(512) + b"\x89HDF\r\n\x1a\n", "cannot be read, the file is damaged or cut off"),
    ):
        path.write_bytes(content)
        with pytest.raises(FileError, match=f"other: {message}"):
            read_fclib(path)
    with h5py.File(path, "w") as file:
        for name in ("temperature", "pressure"):
            file[name] = np.zeros(3)
    message = "holds no friction problem: expected a group fclib_local or fclib_global, found pressure, temperature"
    with pytest.raises(FileError, match=f"other: {message}"):
        read_fclib(path)
    with h5py.File(path, "w") as file:
        file[LOCAL] = 3.0
    with pytest.raises(FileError, match="other: fclib_local/spacedim: is missing"):
        read_fclib(path)
    with h5py.File(path, "w"):
        pass
    with pytest.raises(FileError, match="expected a group fclib_local or fclib_global, found nothing"):
        read_fclib(path)
    with pytest.raises(FileError, match="this is a folder, expected an HDF5 file"):
        read_fclib(tmp_path)
    with pytest.raises(FileError, match=r"missing\.hdf5: cannot be read \(No such file or directory\)"):
        read_fclib(tmp_path / "missing.hdf5")
    with pytest.raises(FileError, match=r"cannot be read \("):
        read_fclib("a\0b")


def test_a_file_with_both_forms_asks_which(tmp_path):
    path, other = tmp_path / "a.hdf5", tmp_path / "b.hdf5"
    write_fclib(path, local_form())
    write_fclib(other, global_form())
    with pytest.raises(FileError, match="holds no friction problem: expected a group fclib_global, found fclib_local"):
        read_fclib(path, form="global")
    with edited(path) as file, h5py.File(other) as source:
        source.copy(GLOBAL, file)
    with pytest.raises(FileError, match="choose one: form='local' or form='global'"):
        read_fclib(path)
    assert local_form().same(read_fclib_form(path, form="local"))
    assert global_form().same(read_fclib_form(path, form="global"))


def test_a_dataset_that_claims_more_than_the_file_can_hold(tmp_path, sound):
    path = tmp_path / "a.hdf5"
    path.write_bytes(sound[LOCAL])
    with edited(path) as file:
        del file[f"{LOCAL}/vectors/q"]
        file.create_dataset(f"{LOCAL}/vectors/q", shape=(2**50,), chunks=(1024,), dtype="f8")
    with pytest.raises(FileError, match=r"fclib_local/vectors/q: claims 9007199254740992 bytes, in a file of [0-9]+"):
        read_fclib(path)


def test_solutions_that_do_not_fit(tmp_path, sound):
    path = tmp_path / "a.hdf5"
    path.write_bytes(sound[LOCAL])
    assert read_fclib_solution(path) is None
    assert read_fclib_guesses(path) == []
    with edited(path) as file:
        file["solution/r"] = np.zeros(11)
        file["guesses/number_of_guesses"] = np.array([2**31 - 1], np.int32)
        file["guesses/1/u"] = np.full(12, NAN)
    with pytest.raises(FileError, match="solution/r: has 11 entries, expected 12 finite numbers"):
        read_fclib_solution(path)
    with pytest.raises(FileError, match="guesses/2: is missing, of 2147483647 guesses"):
        read_fclib_guesses(path)
    with edited(path) as file:
        file["guesses/number_of_guesses"][0] = 1
    with pytest.raises(FileError, match="guesses/1/u: has 12 entries, expected 12 finite numbers"):
        read_fclib_guesses(path)


def read_all(path: Path, name: str) -> int:
    """Read everything; how many of the calls refused, each with one line that names the file."""
    refusals = []
    for read in (read_fclib_form, read_fclib_solution, read_fclib_guesses):
        try:
            read(path)
        except FileError as error:
            refusals.append(str(error))
    assert all(name in refusal and "\n" not in refusal for refusal in refusals)
    return len(refusals)


@pytest.mark.parametrize("original", published())
def test_files_cut_anywhere_are_refused(original, tmp_path):
    content, path = original.read_bytes(), tmp_path / "cut.hdf5"
    rng = np.random.default_rng(1)
    for length in [*range(0, 100, 9), *rng.integers(100, len(content), 40), len(content) - 1]:
        path.write_bytes(content[:length])
        assert read_all(path, "cut.hdf5") == 3
