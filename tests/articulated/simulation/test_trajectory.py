"""Trajectories in files: what is written is read again, and what does not fit is named.

What only commands ask for, other meanings of bare names and tables on a terminal, is asked of what they call.
"""

import io
import json
import sys
import zipfile

import h5py
import numpy as np
import pytest

from pluecker.articulated import Model, ModelBuilder, MotionFailure, Trajectory, TrajectoryError
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.articulated.trajectory.trajectory import read_trajectory, write_trajectory
from tests.mechanisms import MOVING, random_description

MODEL = "pluecker_model"  # the array that holds it


@pytest.fixture(scope="module")
def model():
    builder = ModelBuilder("two")
    for name, kind, options in (("arm", "revolute", {"axis": (0, 0, 1)}), ("ball", "spherical", {})):
        builder.add_body(name, mass=1.0, inertia=[1, 1, 1])
        builder.add_joint(name, kind, "world", name, **options)
    return builder.build()


@pytest.fixture(scope="module")
def arm():
    builder = ModelBuilder("arm")
    for name in ("a", "b"):
        builder.add_body(name, mass=1.0, inertia=[1, 1, 1])
        builder.add_joint(name, "revolute", "world", name, axis=(0, 0, 1))
    return builder.build()


def example(model, n=7):
    rng = np.random.default_rng(0)
    return Trajectory(
        np.cumsum(rng.random(n)), rng.normal(size=(n, model.nq)), *rng.normal(size=(3, n, model.nv)) * 1e-7
    )


@pytest.mark.parametrize("ending", ["csv", "npz", "NPZ"])
@pytest.mark.parametrize("parts", [("time", "q", "v", "a", "tau"), ("q",), ("time", "tau")], ids=" ".join)
def test_what_is_written_is_read_again_to_the_last_bit(model, tmp_path, ending, parts):
    whole = example(model)
    given = Trajectory(**{part: getattr(whole, part) for part in parts})
    path = tmp_path / f"file.{ending}"
    given.save(path, model)
    found = Trajectory.load(path, model)
    for part in ("time", "q", "v", "a", "tau"):
        expected = getattr(given, part)
        if expected is None:
            assert getattr(found, part) is None
        else:
            np.testing.assert_array_equal(getattr(found, part), expected)
    assert len(found) == 7


@pytest.mark.parametrize("ending", ["npz", "h5"])
def test_motions_that_failed_are_named_in_files_too(arm, tmp_path, ending):
    q = np.arange(24.0).reshape(3, 4, 2)
    q[1, 2:] = np.nan
    failures = (MotionFailure((1,), 0.1, "its numbers overflow"),)
    given = Trajectory([0.0, 0.1, 0.2, 0.3], q, failures=failures)
    with pytest.raises(TrajectoryError, match=r"q:a holds nan in sample 3 of motion '1', expected finite numbers"):
        given.replace(failures=()).save(tmp_path / f"file.{ending}", arm)
    with pytest.raises(TrajectoryError, match=r"holds nan in sample 3 of motion '1'"):
        given.replace(failures=(failures[0]._replace(time=0.3),)).save(tmp_path / f"file.{ending}", arm)
    given.save(tmp_path / f"file.{ending}", arm)
    found = Trajectory.load(tmp_path / f"file.{ending}")
    assert found == given.replace(model=arm)
    assert Trajectory.load(tmp_path / f"file.{ending}", arm).failures == failures
    between = found.at([0.05, 0.1, 0.15])
    np.testing.assert_allclose(between.q[[0, 2]], q[[0, 2], :1] + np.array([[1.0], [2.0], [3.0]]))
    np.testing.assert_allclose(between.q[1], [[9.0, 10.0], [10.0, 11.0], [np.nan] * 2])
    assert between.failures == failures
    with pytest.raises(TrajectoryError, match=r"q:a holds nan in sample 3, expected finite numbers"):
        given.motion(1).save(tmp_path / "file.csv", arm)


def test_failures_in_a_file_that_somebody_has_changed_are_refused(arm, tmp_path):
    Trajectory([0.0], np.zeros((3, 1, 2))).save(tmp_path / "file.npz", arm)
    for text in (b'[{"state": "x"}]', b"{", b'[{"state": [0], "time": 1, "reason": "x"}]'):
        np.savez(
            tmp_path / "wrong.npz", **np.load(tmp_path / "file.npz"), pluecker_failures=np.frombuffer(text, np.uint8)
        )
        with pytest.raises(TrajectoryError, match=r"wrong\.npz: its failures cannot be used"):
            Trajectory.load(tmp_path / "wrong.npz")


@pytest.mark.parametrize("state", [(3,), (), (0, 0), (-1,)])
def test_a_motion_that_failed_is_one_of_the_batch(state):
    with pytest.raises(TrajectoryError, match=r"expected the MotionFailure of a motion of the batch \(3,\)"):
        Trajectory([0.0], np.zeros((3, 1, 2)), failures=[MotionFailure(state, 0.0, "it ended")])


@pytest.mark.parametrize("ending", ["npz", "h5"])
def test_arrays_need_no_model_to_be_read(model, tmp_path, ending):
    given = example(model)
    given.replace(columns={"energy": given.q[:, 0]}).save(tmp_path / f"file.{ending}", model)
    found = Trajectory.load(tmp_path / f"file.{ending}")
    assert found.model == model
    for part in ("time", "q", "v", "a", "tau"):
        np.testing.assert_array_equal(getattr(found, part), getattr(given, part))
    np.testing.assert_array_equal(found.columns["energy"], given.q[:, 0])
    np.savez(tmp_path / "bad.npz", q=np.full((3, 2), np.nan))
    with pytest.raises(TrajectoryError, match="q:0 holds nan in sample 1, expected finite numbers"):
        Trajectory.load(tmp_path / "bad.npz")
    np.savez(tmp_path / "others.npz", q=given.q, model=np.array(["arm"]))
    assert Trajectory.load(tmp_path / "others.npz").model is None


@pytest.mark.parametrize("ending", ["npz", "h5"])
def test_a_file_holds_its_model_whatever_it_is_made_of(tmp_path, ending):
    kinds = [random_description(seed, 7, MOVING).build(np.random.default_rng(seed)) for seed in range(3)]
    builder = ModelBuilder("an\udc80 odd $name", gravity=(0, 0, -1.6))
    for name in ("a", "b"):
        builder.add_body(name, 1.0, (0.1, 0, 0), (1, 1, 1))
    builder.add_joint("first", "revolute", "world", "a", axis=(0, 0, 1), armature=0.1, upper_limit=2.0)
    builder.add_joint("second", "prismatic", "a", "b", axis=(1, 0, 0), mimic=("first", -2.0, 0.1))
    builder.add_frame("tip", "b", position=(0, 0, 1 / 3))
    for model in (
        *kinds,
        builder.build(),
        Model.from_urdf(SEVEN_JOINT_ARM),
        Model.from_urdf(SEVEN_JOINT_ARM.read_text()),
    ):
        Trajectory(q=np.ones((2, model.nq)), columns={MODEL: [1.0, 2.0]}).save(tmp_path / f"file.{ending}", model)
        found = Trajectory.load(tmp_path / f"file.{ending}")
        assert found.model == model
        assert found.model.urdf == model.urdf
        assert found.columns[MODEL].tolist() == [1.0, 2.0]
        other = model.replace(gravity=(0, 0, 0))
        assert Trajectory.load(tmp_path / f"file.{ending}", other).model is other


def test_a_model_in_a_file_forgets_a_urdf_file_that_is_not_there(tmp_path):
    robot = tmp_path / "arm.urdf"
    robot.write_text(SEVEN_JOINT_ARM.read_text())
    model = Model.from_urdf(robot)
    Trajectory(q=np.zeros((2, 7))).save(tmp_path / "file.npz", model)
    assert Trajectory.load(tmp_path / "file.npz").model.urdf == str(robot)
    robot.unlink()
    assert Trajectory.load(tmp_path / "file.npz").model.urdf is None


def test_a_model_in_a_file_that_somebody_has_changed_is_refused_and_nothing_is_executed(arm, tmp_path):
    path, q = tmp_path / "bad.npz", np.zeros((2, 2))
    Trajectory(q=q).save(path, arm)
    text = np.load(path)[MODEL].tobytes().decode()
    links = json.loads(text)["links"][1]
    for bad, words in (
        (text.replace('"format": 1', '"format": 2'), "no text of format 1"),
        (text[:500], "Unterminated|Expecting"),
        (text.replace('"gravity"', '"levity"'), "gravity"),
        (text.replace(links, links[::-1]), "."),
        (text.replace(links, links[:400]), "cannot reshape|padding|multiple of element"),
        (text.replace('"v_start": 1', '"v_start": 1000000'), "begins at 1 in q and 1000000 in v"),
        (text.replace('"revolute"', '"banana"'), "unknown type 'banana'"),
        ('{"format": 1, "name": ' + "[" * 100000, "."),
    ):
        np.savez(path, q=q, **{MODEL: np.frombuffer(bad.encode(), np.uint8)})
        with pytest.raises(TrajectoryError, match=rf"bad.npz: its model cannot be used \(.*({words}).*; give one"):
            Trajectory.load(path)
        assert Trajectory.load(path, arm).model is arm
    np.savez(path, q=q, **{MODEL: np.array([Trap()], dtype=object)})
    with pytest.raises(TrajectoryError, match="expected real numbers"):
        Trajectory.load(path)


class Trap:
    """An object that fails the test when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was executed",)


def test_columns_come_in_any_order_and_bare_names_mean_what_is_asked_for(arm, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("\ufeffb, v:b ,t,a,v:a\n1,2,0,3,4\n\n5,6,1,7,8\n", encoding="utf-8")
    found = Trajectory.load(path, arm)
    np.testing.assert_array_equal(found.q, [[3, 1], [7, 5]])
    np.testing.assert_array_equal(found.v, [[4, 2], [8, 6]])
    np.testing.assert_array_equal(found.time, [0, 1])
    found = read_trajectory(path, arm, bare="tau")
    np.testing.assert_array_equal(found.tau, [[3, 1], [7, 5]])
    assert found.q is None


BAD_CSV = {
    "empty": ("", "holds nothing, expected a header"),
    "header alone": ("a,b\n", "holds a header only, expected at least one sample"),
    "unknown name": ("a,c\n1,2\n", "column 'c' names no coordinate of the robot; there are 'a', 'b'"),
    "unknown part": ("a,x:b\n1,2\n", "column 'x:b' names no coordinate"),
    "missing position": ("a\n1\n", "has some q columns but not 'b'"),
    "missing velocity": ("a,b,v:a\n1,2,3\n", "has some v columns but not 'b'"),
    "twice": ("a,b,a\n1,2,3\n", "column 'a' is there twice"),
    "twice in two ways": ("a,b,q:a\n1,2,3\n", "column 'q:a' is there twice"),
    "ragged": ("a,b\n1,2\n3\n", "sample 2 has 1 cells, the header 2"),
    "word": ("a,b\n1,two\n", "sample 1, column 'b': 'two' is no number"),
    "NaN": ("a,b\n1,2\n3,nan\n", "q:b holds nan in sample 2, expected finite numbers"),
    "infinite time": ("time,a,b\ninf,1,2\n", "time holds inf in sample 1, expected finite numbers"),
    "time stands": ("time,a,b\n0,1,2\n0,1,2\n", "time does not rise in sample 2"),
    "time falls": ("time,a,b\n0,1,2\n1,1,2\n0.5,1,2\n", "time does not rise in sample 3"),
}


@pytest.mark.parametrize(("text", "message"), BAD_CSV.values(), ids=BAD_CSV)
def test_a_bad_csv_file_is_told_where(text, message, arm, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(TrajectoryError, match=message) as caught:
        Trajectory.load(path, arm)
    assert "bad.csv" in str(caught.value)


BAD_NPZ = {
    "too many columns": ({"q": np.zeros((4, 3))}, r"q has shape \(4, 3\), expected \(4, 2\) for model 'arm'"),
    "two lengths": ({"q": np.zeros((4, 2)), "v": np.zeros((3, 2))}, r"v has shape \(3, 2\), expected \(4, 2\)"),
    "time as a table": ({"q": np.zeros((4, 2)), "time": np.zeros((4, 1))}, r"time has shape \(4, 1\), expected \(4,\)"),
    "time too short": ({"time": np.arange(3.0), "q": np.zeros((4, 2))}, r"q has shape \(4, 2\), expected \(3, 2\)"),
    "other names": ({"positions": np.zeros((4, 2))}, "holds 'positions', expected arrays among time, q, v, a, tau"),
    "objects": ({"q": np.array([[{}, 1]], dtype=object)}, "no NPZ file of numbers"),
    "words": ({"q": np.array([["1", "2"]])}, r"no NPZ file of numbers \(q holds <U1, expected real numbers\)"),
    "complex numbers": (
        {"q": np.array([[1j, 2.0]])},
        r"no NPZ file of numbers \(q holds complex128, expected real numbers\)",
    ),
    "no samples": ({"q": np.zeros((0, 2)), "time": np.zeros(0)}, "holds no samples"),
    "NaN": ({"q": np.full((3, 2), np.nan)}, "q:a holds nan in sample 1, expected finite numbers"),
    "one number": ({"q": np.array(1.0)}, r"q has shape \(\), expected"),
}


@pytest.mark.parametrize(("arrays", "message"), BAD_NPZ.values(), ids=BAD_NPZ)
def test_a_bad_npz_file_is_told_what_was_expected(arrays, message, arm, tmp_path):
    path = tmp_path / "bad.npz"
    np.savez(path, **arrays)
    with pytest.raises(TrajectoryError, match=message):
        Trajectory.load(path, arm)


def test_arrays_of_an_npz_file_come_in_any_order(arm, tmp_path):
    q = np.arange(8).reshape(4, 2)
    np.savez(tmp_path / "file.npz", q=q, others=q, time=np.arange(4))
    found = Trajectory.load(tmp_path / "file.npz", arm)
    np.testing.assert_array_equal(found.q, q)
    assert found.q.dtype == found.time.dtype == np.float64


def test_a_damaged_npz_file_is_refused_wherever_the_damage_is(arm, tmp_path):
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, q=np.random.default_rng(0).normal(size=(200, 2)))
    whole = path.read_bytes()
    for k in range(60, len(whole) - 150, 150):
        path.write_bytes(whole[:k] + b"\xff" * 30 + whole[k + 30 :])
        with pytest.raises(TrajectoryError, match=r"bad.npz: no NPZ file of numbers"):
            Trajectory.load(path, arm)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TrajectoryError, match=r"bad.npz: no NPZ file of numbers \(it is no zip file\)"):
        Trajectory.load(path, arm)


def test_a_single_array_is_no_npz_file_whatever_it_is_called(arm, tmp_path):
    with (tmp_path / "file.npz").open("wb") as file:
        np.save(file, np.zeros((4, 2)))
    with pytest.raises(TrajectoryError, match=r"no NPZ file of numbers \(it is no zip file\)"):
        Trajectory.load(tmp_path / "file.npz", arm)


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_what_is_no_such_file_at_all_is_refused(ending, arm, tmp_path):
    path = tmp_path / f"file.{ending}"
    with pytest.raises(TrajectoryError, match=r"cannot be read \(No such file"):
        Trajectory.load(path, arm)
    path.write_bytes(b"\x89PNG\xff\x00")
    with pytest.raises(TrajectoryError, match=r"no CSV file|no NPZ file"):
        Trajectory.load(path, arm)


def test_missing_derivatives_are_those_of_a_spline_of_degree_five(arm):
    """Interpolation errors of degree-five splines of sines at step h: h^5 and h^4 in the first two derivatives."""
    t = np.linspace(0.0, 2.0, 201)
    w = np.array([1.0, 2.0])
    full = Trajectory(t, np.sin(np.outer(t, w))).with_derivatives(arm)
    np.testing.assert_allclose(full.v, w * np.cos(np.outer(t, w)), atol=1e-7)
    np.testing.assert_allclose(full.a, -(w**2) * np.sin(np.outer(t, w)), atol=2e-5)
    half = Trajectory(t, full.q, w * np.cos(np.outer(t, w))).with_derivatives(arm)
    np.testing.assert_allclose(half.a, -(w**2) * np.sin(np.outer(t, w)), atol=1e-7)


def test_derivatives_that_are_given_are_kept(model):
    given = example(model)
    full = given.with_derivatives(model)
    assert full.v is given.v
    assert full.a is given.a


def test_derivatives_cannot_be_found_from_nothing(arm, model):
    with pytest.raises(TrajectoryError, match="a time column is needed"):
        Trajectory(q=np.zeros((9, 2))).with_derivatives(arm)
    with pytest.raises(TrajectoryError, match="5 samples are too few to find derivatives; 6 are needed"):
        Trajectory(np.arange(5.0), np.zeros((5, 2))).with_derivatives(arm)
    with pytest.raises(TrajectoryError, match="no spline goes through the samples of v"):
        Trajectory(np.arange(9.0) * 1e-320, *np.zeros((2, 9, 2))).with_derivatives(arm)
    with pytest.raises(TrajectoryError, match=r"velocities \(v:...\) are needed: joint 'ball' has a quaternion"):
        Trajectory(np.arange(9.0), np.zeros((9, 5))).with_derivatives(model)


@pytest.fixture(scope="module")
def odd():
    """Names that CSV has to quote, in letters of several alphabets, one with spaces around it."""
    builder = ModelBuilder("odd")
    for name in ('a,b "c"', " Gelenk ü ", "关节", "two\nlines", "two\rlines", "q:x", "time"):
        builder.add_body(name, mass=1.0, inertia=[1, 1, 1])
        builder.add_joint(name, "revolute", "world", name, axis=(0, 0, 1))
    return builder.build()


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_any_name_is_written_and_read_again(odd, ending, tmp_path):
    given = example(odd)
    given.save(tmp_path / f"file.{ending}", odd)
    found = read_trajectory(tmp_path / f"file.{ending}", odd, bare="tau")
    for part in ("time", "q", "v", "a", "tau"):
        np.testing.assert_array_equal(getattr(found, part), getattr(given, part))


OTHER_CSV = {
    "byte order mark, CRLF": b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4\r\n",
    "quoted": b'"a","b"\n"1","2"\n"3","4"',
    "spaces, empty lines": b" a , b\n 1 ,2\n\n,\n3,4\n",
    "CR alone": b"a,b\r1,2\r3,4\r",
}


@pytest.mark.parametrize("content", OTHER_CSV.values(), ids=OTHER_CSV)
def test_csv_files_of_other_programs_are_read(content, arm, tmp_path):
    (tmp_path / "file.csv").write_bytes(content)
    np.testing.assert_array_equal(Trajectory.load(tmp_path / "file.csv", arm).q, [[1, 2], [3, 4]])


NO_CSV = {
    "semicolons": (
        "a;b\n1;2\n",
        "column 'a;b' names no coordinate of the robot; there are 'a', 'b'; columns are separated by commas",
    ),
    "tabs": ("a\tb\n1\t2\n", "columns are separated by commas"),
    "underscore": ("a,b\n1_0,2\n", "sample 1, column 'a': '1_0' is no number"),
    "long cell": ("a,b\n" + "x" * 50_000 + ",2\n", r"column 'a': 'x+\.\.\.x*'? is no number"),
    "very long cell": ("a,b\n" + "x" * 200_000 + ",2\n", r"no CSV file \(field larger than field limit"),
    "zero": ("a,b\n\0,2\n", "sample 1, column 'a'|no CSV file"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), r"no CSV file \(invalid start byte for UTF-8\)"),
    "Latin-1": ("é,b\n1,2\n".encode("latin-1"), "no CSV file .*for UTF-8"),
    "no line": ("a" * 2**24, "no CSV file .a line of 16777216 characters and more"),
}


@pytest.mark.parametrize(("content", "message"), NO_CSV.values(), ids=NO_CSV)
def test_what_is_no_csv_file_is_told_in_a_few_words(content, message, arm, tmp_path):
    (tmp_path / "bad.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TrajectoryError, match=message) as caught:
        Trajectory.load(tmp_path / "bad.csv", arm)
    assert len(str(caught.value)) < 400


def test_npz_files_of_any_real_numbers_are_read(arm, tmp_path):
    q = np.arange(6.0).reshape(3, 2)
    np.savez(
        tmp_path / "file.npz", q=q.astype(">f8"), v=q.astype(np.float32), a=np.asfortranarray(q), tau=q.astype(">i2")
    )
    found = Trajectory.load(tmp_path / "file.npz", arm)
    for values in (found.q, found.v, found.a, found.tau):
        np.testing.assert_array_equal(values, q)
        assert values.dtype == np.float64


def claiming(shape):
    """An array that claims to be larger than it is."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00v\x00" + header + bytes(800)


def whole(values):
    content = io.BytesIO()
    np.save(content, values)
    return content.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            [("q.npy", claiming((10**17, 2)))],
            r"'q' claims \(100000000000000000, 2\) numbers of float64, and holds 800 bytes",
        ),
        ([("q.npy", claiming((10**30, 2)))], "no NPZ file of numbers"),
        ([("q.npy", claiming((50, 2, "x")))], "no NPZ file of numbers"),
        ([("q.npy", whole(np.zeros((2, 2))))] * 2, "holds q twice"),
        ([("q", b"hello")], "q holds bytes, expected real numbers"),
        ([("q.npy", b"")], "no NPZ file of numbers|holds bytes"),
        ([("q.npy", whole(np.full((2, 2), np.longdouble(2) ** 2000)))], "q:a holds inf in sample 1"),
        ([("q.npy", whole(np.zeros((2, 2), [("x", float)])))], "expected real numbers"),
    ],
    ids=["large", "larger", "no shape", "twice", "no array", "empty", "long double", "records"],
)
def test_an_npz_file_that_lies_is_refused(members, message, arm, tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.npz", "w") as file:
        for name, content in members:
            file.writestr(name, content)
    with pytest.raises(TrajectoryError, match=f"bad.npz: .*{message}"):
        Trajectory.load(tmp_path / "bad.npz", arm)


def test_files_that_say_they_are_larger_than_memory_are_refused_before_they_are_read(arm, tmp_path):
    npz, hdf5 = tmp_path / "file.npz", tmp_path / "file.h5"
    np.savez_compressed(npz, q=np.zeros((100, 2)), v=np.zeros((100, 2)))
    content, size, entry = npz.read_bytes(), (2**32 - 2).to_bytes(4, "little"), b"PK\x01\x02"
    first, *entries = content.split(entry)  # of the list of its members, each with the unpacked size at byte 24
    npz.write_bytes(first + b"".join(entry + part[:20] + size + part[24:] for part in entries))
    with pytest.raises(TrajectoryError, match=r"file.npz: .*holds 8.59 GB, expected 4.29 at most"):
        Trajectory.load(npz, arm)
    Trajectory(q=np.zeros((2, 2))).save(hdf5, arm)
    with h5py.File(hdf5, "a") as file:
        del file["q"], file.attrs["checksum"]
        file.create_dataset("q", shape=(3 * 10**8, 2), dtype=np.float64)  # of zeros that are nowhere
    with pytest.raises(TrajectoryError, match=r"file.h5: .*holds \S+ GB, expected 4.29 at most"):
        Trajectory.load(hdf5, arm)


def test_arguments_of_another_type_are_told(arm, tmp_path):
    with pytest.raises(TypeError, match="read_trajectory: path is a int"):
        Trajectory.load(5, arm)
    with pytest.raises(TypeError, match=r"read_trajectory: model must be a pluecker.articulated.Model, got a str"):
        Trajectory.load("file.csv", "arm")
    with pytest.raises(TrajectoryError, match=r"file.csv: a CSV file is read with a model, which names its columns"):
        Trajectory.load("file.csv")
    with pytest.raises(ValueError, match="read_trajectory: bare is 'x', expected one of q, v, a, tau"):
        read_trajectory("file.csv", arm, bare="x")
    with pytest.raises(TrajectoryError, match="cannot be read"):
        Trajectory.load("a\0b.csv", arm)
    with pytest.raises(TrajectoryError, match="this is a folder"):
        Trajectory.load(tmp_path, arm)
    with pytest.raises(TypeError, match="write_trajectory: trajectory is a ndarray, expected a Trajectory"):
        write_trajectory(tmp_path / "file.csv", arm, np.zeros((3, 2)))
    for wrong, message in (
        ({"q": [1.0]}, r"q has shape \(1,\), expected \(n, number of coordinates\)"),
        ({"time": [[1.0]]}, r"time has shape \(1, 1\), expected \(n,\)"),
        ({"time": [1.0], "q": np.zeros((2, 2))}, "q has 2 samples, time has 1"),
    ):
        with pytest.raises(TrajectoryError, match=message):
            Trajectory(**wrong)
    with pytest.raises(TypeError, match="Trajectory: q must be an array of real numbers"):
        Trajectory(q="abc")


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("x.foo", {"q": np.zeros((2, 2))}, "x.foo: no table can be written there; the path must end in .csv, .npz"),
        ("x", {"q": np.zeros((2, 2))}, "must end in .csv, .npz"),
        ("x.csv", {"q": np.full((2, 2), np.nan)}, "x.csv: q:a holds nan in sample 1, expected finite numbers"),
        ("x.npz", {"tau": [[0, 0], [0, np.inf]]}, "x.npz: tau:b holds inf in sample 2, expected finite numbers"),
        ("x.csv", {"q": np.zeros((2, 3))}, r"q has shape \(2, 3\), expected \(2, 2\)"),
        ("x.csv", {"time": [1, 1], "q": np.zeros((2, 2))}, "time does not rise in sample 2"),
        ("x.csv", {}, "holds no samples"),
        ("no/x.csv", {"q": np.zeros((2, 2))}, r"cannot be written \(No such file"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(name, given, message, arm, tmp_path):
    with pytest.raises(TrajectoryError, match=message):
        Trajectory(**given).save(tmp_path / name, arm)
    assert list(tmp_path.iterdir()) == []


def test_the_table_for_a_terminal_is_in_what_it_can_show(odd, monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    terminal = Terminal(io.BytesIO(), "ascii", errors="replace")
    monkeypatch.setattr(sys, "stdout", terminal)
    write_trajectory(None, odd, Trajectory(q=np.zeros((1, 7))))
    terminal.flush()
    assert '"q: Gelenk ? ","q:??",' in terminal.buffer.getvalue().decode("ascii")


def test_derivatives_that_overflow_are_told(arm):
    q = np.zeros((9, 2))
    q[4, 1] = 1e308
    with pytest.raises(TrajectoryError, match="the derivatives of q overflow; its largest value is in sample 5"):
        Trajectory(1e-3 * np.arange(9.0), q).with_derivatives(arm)
