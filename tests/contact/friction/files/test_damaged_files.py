"""Files that are damaged, that lie, or that are no files: every reader refuses them in the package's words, and soon.

Files of trajectories, of memories and of friction problems that this package has written are never read as other numbers.
"""

import os
import signal
import struct
import time
import warnings
import zipfile

import h5py
import numpy as np
import pytest

from pluecker import PlueckerError
from pluecker.articulated import Model, ModelError, Trajectory, TrajectoryError
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.contact import FileError, World, WorldMemory, read_fclib, read_siconos, write_fclib
from pluecker.contact.constraints import read_constraints
from tests.conftest import EVERYTHING, TODAY
from tests.contact.friction.files.fclib_files import local_form, read_fclib_form
from tests.contact.friction.files.siconos_files import STORAGES, example, text_of
from tests.models import one_body

resource = pytest.importorskip("resource", reason="the system says of no process how much memory it takes")

pytestmark = pytest.mark.plain
TRIALS = 1000 if EVERYTHING else 40
TOML = b"""[hinge.door]
first = 'world'
second = 'leaf'
[limit.stop]
of = { constraint = 'door', measure = 'angle' }
upper = 1.0
"""
TEXTS = {f"{storage}.dat": text_of(*example(2, 3), storage=storage) for storage in STORAGES}


@pytest.fixture(scope="module")
def door():
    return one_body("leaf", "revolute", 1.0, inertia=[1, 1, 1], joint="hinge", axis=(0, 0, 1), name="door")


@pytest.fixture(scope="module")
def readers(door):
    """Readers of each kind of file."""
    return {
        "npz": lambda path: Trajectory.load(path, door),
        "h5": lambda path: Trajectory.load(path, door),
        "csv": lambda path: Trajectory.load(path, door),
        "memory": WorldMemory.load,
        "hdf5": read_fclib_form,
        "toml": lambda path: World.from_file(path, door),
        "constraints": read_constraints,
        "urdf": Model.from_urdf,
        **dict.fromkeys(TEXTS, lambda path: read_siconos(path, repair=1e-5)),
    }


KINDS = ("npz", "h5", "csv", "memory", "hdf5", "toml", "constraints", "urdf", *TEXTS)


def motion(door):
    rng = np.random.default_rng(0)
    parts = [np.cumsum(rng.random(40)), *rng.normal(size=(2, 40, 1))]
    return Trajectory(*parts, columns={"energy": rng.normal(size=40)}, model=door)


def write(kind, path, door):
    """Write a sound file."""
    if kind in ("npz", "h5", "csv"):
        motion(door).save(path)
    elif kind == "memory":
        WorldMemory("key", 0.5, np.arange(3.0), np.arange(30.0), own=np.ones(2)).save(path)
    elif kind == "hdf5":
        write_fclib(path, local_form())
    elif kind == "urdf":
        path.write_bytes(SEVEN_JOINT_ARM.read_bytes())
    else:
        path.write_bytes(TEXTS[kind].encode() if kind in TEXTS else TOML)


def place(kind, folder):
    return folder / f"file.{'npz' if kind == 'memory' else kind}"


def content(kind, found):
    """Return the numbers that must not change where the kind of file has a checksum; None where it has none."""
    if kind in ("npz", "h5"):
        arrays = {name: getattr(found, name) for name in ("time", "q", "v", "a", "tau")} | dict(found.columns)
        return {name: None if x is None else (x.shape, x.tobytes()) for name, x in arrays.items()}
    if kind == "memory":
        arrays = found.turns, found.impulses, found.own
        return found.key, found.time, found.integrator, *((x.shape, x.tobytes()) for x in arrays)
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_are_refused_or_change_nothing(kind, readers, door, tmp_path):
    path, read, rng = place(kind, tmp_path), readers[kind], np.random.default_rng(TODAY)
    write(kind, path, door)
    sound, expected = path.read_bytes(), read(path)
    for trial in range(TRIALS // 10 if kind == "urdf" else TRIALS):
        damaged = bytearray(sound)
        for k in rng.integers(0, len(damaged), 1 + trial % 3):
            damaged[k] = rng.integers(256)
        if trial % 8 == 0:
            damaged = damaged[: rng.integers(len(damaged))]
        path.write_bytes(damaged)
        begun = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if kind in TEXTS else "error")  # of asymmetries
                found = read(path)
        except PlueckerError:
            pass
        else:
            assert content(kind, found) == content(kind, expected), (TODAY, trial)
            assert kind != "hdf5" or found.same(expected), (TODAY, trial)
        assert time.monotonic() - begun < 10.0, (TODAY, trial)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero")
@pytest.mark.parametrize("kind", KINDS)
def test_devices_and_folders_are_no_files(kind, readers, tmp_path):
    path = place(kind, tmp_path)
    path.symlink_to("/dev/zero")
    with pytest.raises(PlueckerError, match=r"no file but a device"):
        readers[kind](path)
    path.unlink()
    path.mkdir()
    with pytest.raises(PlueckerError, match=r"folder"):
        readers[kind](path)


@pytest.mark.parametrize("kind", ["toml", "constraints", "urdf", "dense.dat", "hdf5", "csv"])
def test_files_of_absurd_size_are_not_read(kind, readers, tmp_path):
    path = place(kind, tmp_path)
    with path.open("wb") as file:
        file.truncate(5 * 10**9)  # of nothing: they take no room
    with pytest.raises(PlueckerError, match=r"holds 5000 MB, expected \S+ at most"):
        readers[kind](path)


def head(shape, descr="'<f8'"):
    """Return the header of a file of a NumPy array."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (head("(1,"), "expected real numbers"),
        (b"hello", "is no array of NumPy's"),
        (head("(1000000000000,)"), "'turns' claims .* and holds 0 bytes"),
        (head("(0,)", "'|O'"), "expected real numbers"),
        (b"\x93NUMPY\x02\x00" + b"\xff" * 200, "its head claims 4294967295 bytes"),
        (head("(2,)") + bytes(15), "'turns' claims .* and holds 15 bytes"),
        (head("(0,)", "'<i8'"), "numbers are of another kind"),
    ],
    ids=["cut", "text", "8 TB", "objects", "long head", "short", "integers"],
)
def test_a_memory_whose_arrays_lie_is_refused(turns, message, tmp_path):
    path = tmp_path / "file.npz"
    WorldMemory("key", 0.0, np.zeros(0), np.zeros(3)).save(path)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in {**members, "turns.npy": turns}.items():
            file.writestr(name, data)
    with pytest.raises(FileError, match=message):
        WorldMemory.load(path)


def test_an_archive_on_several_disks_is_refused(tmp_path):
    path = tmp_path / "file.npz"
    WorldMemory("key", 0.0, np.zeros(0), np.zeros(3)).save(path)
    whole = path.read_bytes()
    end = whole.rindex(b"PK\x05\x06")
    path.write_bytes(whole[:end] + struct.pack("<4sLQL", b"PK\x06\x07", 1, 0, 2) + whole[end:])
    with pytest.raises(FileError, match="it is damaged"):
        WorldMemory.load(path)


def test_what_unpacks_to_far_more_than_the_file_is_refused_before_it_is_unpacked(door, tmp_path):
    path = tmp_path / "file.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("q.npy", "w") as member:
        member.write(head("(2000000, 1)"))
        for _ in range(16):
            member.write(bytes(10**6))
    packed = path.read_bytes()
    path.write_bytes(packed.replace((16_000_128).to_bytes(4, "little"), (10**9).to_bytes(4, "little")))
    with pytest.raises(TrajectoryError, match="claims 1000000000 bytes, and is packed in"):
        Trajectory.load(path, door)
    for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        with zipfile.ZipFile(path, "w", method) as file:
            file.writestr("q.npy", head("(0, 1)"))
        with pytest.raises(TrajectoryError, match=r"'q\.npy' is packed as NumPy packs nothing"):
            Trajectory.load(path, door)


def circle(file):
    group = file.create_group("columns")
    for k in range(20):
        group[f"again{k}"] = group
    file["q"] = np.zeros((3, 1))


def tiny_chunks(file):
    file.create_dataset("q", shape=(2**28, 1), chunks=(1, 1), dtype="f8", compression="gzip")


def holes(file):
    file.create_dataset("q", shape=(2**28, 1), chunks=(2**20, 1), dtype="f8", compression="gzip")
    file["q"][:1] = 1.0


def large_chunk(file):
    file.create_dataset("q", shape=(3, 1), maxshape=(None, 1), chunks=(2**28, 1), dtype="f8")


def elsewhere(file):
    file.create_dataset("q", shape=(3, 1), dtype="f8", external=[("/dev/zero", 0, 24)])


def linked(file):
    file["q"] = h5py.ExternalLink(str(SEVEN_JOINT_ARM), "q")


@pytest.mark.parametrize("make", [circle, tiny_chunks, holes, large_chunk, elsewhere, linked])
def test_an_hdf5_file_that_lies_is_refused_soon(make, door, tmp_path):
    path = tmp_path / "file.h5"
    with h5py.File(path, "w") as file:
        make(file)
    begun, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if make is circle:
        assert len(Trajectory.load(path, door)) == 3
    else:
        with pytest.raises(TrajectoryError, match=r"file.h5: (no HDF5 file of numbers|holds )"):
            Trajectory.load(path, door)
    assert time.process_time() - begun < 5.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # KiB


def test_an_edited_file_is_told_from_a_damaged_one_by_its_checksums(tmp_path):
    path = tmp_path / "file.hdf5"
    write_fclib(path, local_form())
    with h5py.File(path, "r+") as file:
        file["fclib_local/vectors/mu"][0] = 0.25
    with pytest.raises(FileError, match=r"vectors/mu: does not agree with its checksum; .* delete the attributes"):
        read_fclib(path)
    with h5py.File(path, "r+") as file:
        del file.attrs["checksum"], file["fclib_local/vectors/mu"].attrs["checksum"]
    assert read_fclib_form(path).mu[0] == 0.25
    with h5py.File(path, "r+") as file:
        file["fclib_local/spacedim"][0] = 2
    with pytest.raises(FileError, match=r"spacedim: does not agree with its checksum"):
        read_fclib(path)


def test_toml_that_is_deep_or_long_is_refused(door, tmp_path):
    path = tmp_path / "file.toml"
    path.write_text("a = " + "[" * 3000 + "]" * 3000)
    for read in (read_constraints, lambda path: World.from_file(path, door)):
        with pytest.raises(PlueckerError, match=r"file.toml: no TOML that can be read: brackets in brackets"):
            read(path)
    lines = [f"[limit.l{k}]\nof = {{ constraint = 'l{k + 1}', measure = 'angle' }}\n" for k in range(2000)]
    path.write_text("".join(lines) + TOML.decode().replace("stop", "l2000"))
    with pytest.raises(PlueckerError, match=r"file.toml: \[limit"):
        read_constraints(path)
    with pytest.raises(PlueckerError, match="cannot be read"):
        read_constraints("a\0b")
    with pytest.raises(ModelError):
        Model.from_urdf("<robot name='r'>" + "<a>" * 50_000 + "</a>" * 50_000 + "</robot>")


def test_a_memory_that_finds_no_room_leaves_the_one_before(tmp_path):
    path = tmp_path / "file.npz"
    small = WorldMemory("key", 0.5, np.arange(3.0), np.arange(3.0))
    small.save(path)
    before, sound = resource.getrlimit(resource.RLIMIT_FSIZE), path.read_bytes()
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        with pytest.raises(FileError, match=r"WorldMemory.save: .* cannot be written"):
            WorldMemory("key", 0.5, np.arange(3.0), np.arange(3000.0)).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == sound
    assert os.listdir(tmp_path) == ["file.npz"]
