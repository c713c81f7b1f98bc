"""A trajectory: what is chosen from it, what lies between its samples, and its other forms."""

import h5py
import numpy as np
import pandas
import pytest
import xarray
from scipy.spatial.transform import Rotation

from pluecker.articulated import ModelBuilder, Trajectory, TrajectoryError, difference, integrate, random_configuration
from pluecker.spatial import ArgumentTypeError
from tests.models import one_body

KINDS = ("revolute", "prismatic", "helical", "spherical", "free", "planar", "universal", "exponential", "euler_zyx")


@pytest.fixture(scope="module")
def mechanism():
    """Every kind of coordinate."""
    builder = ModelBuilder("all")
    parent = "world"
    for name in KINDS:
        options = {"axis": (0.6, 0.0, 0.8)} if name in ("revolute", "prismatic", "helical") else {}
        if name == "planar":
            options = {"axis": (0, 0, 1)}
        if name == "universal":
            options = {"axis": (1, 0, 0), "axis2": (0, 1, 0)}
        if name == "helical":
            options["pitch"] = 0.3
        builder.add_body(name, mass=1.0, inertia=[1, 1, 1])
        builder.add_joint(name, name, parent, name, **options)
        parent = name
    return builder.build()


def along(model, q0, time, rate, curve):
    """A smooth motion q0 + d(t), d in v's coordinates along a fixed direction, and its velocity: exact on the manifold."""
    d, slope = curve(time)
    return integrate(model, np.tile(q0, (len(time), 1)), d[:, None] * rate), slope[:, None] * rate


def batch(model, shape=(2, 3), n=5):
    rng = np.random.default_rng(3)
    q = random_configuration(model, 1, int(np.prod(shape)) * n).reshape(*shape, n, model.nq)
    v = rng.normal(size=(*shape, n, model.nv))
    return Trajectory(np.arange(n) * 0.1, q, v, columns={"energy": rng.normal(size=(*shape, n))}, model=model)


@pytest.mark.parametrize("ending", ["csv", "npz", "h5"])
def test_columns_of_any_shape_are_read_again_to_the_last_bit(mechanism, tmp_path, ending):
    rng = np.random.default_rng(0)
    columns = {
        "kinetic energy": rng.normal(size=4),
        "contact/force": rng.normal(size=(4, 2, 3)),
        "gap": rng.normal(size=(4, 1)),
    }
    given = Trajectory(np.arange(4.0), random_configuration(mechanism, 5, 4), columns=columns, model=mechanism)
    given.save(tmp_path / f"file.{ending}")
    found = Trajectory.load(tmp_path / f"file.{ending}", mechanism)
    assert found.model is mechanism
    assert set(found.columns) == set(columns)
    np.testing.assert_array_equal(found.q, given.q)
    for name, values in columns.items():
        np.testing.assert_array_equal(found.columns[name], values)


@pytest.mark.parametrize("ending", ["npz", "hdf5"])
def test_a_batch_of_motions_is_read_again(mechanism, tmp_path, ending):
    given = batch(mechanism)
    given.save(tmp_path / f"file.{ending}")
    found = Trajectory.load(tmp_path / f"file.{ending}", mechanism)
    assert found.batch_shape == (2, 3)
    assert len(found) == 5
    np.testing.assert_array_equal(found.v, given.v)
    np.testing.assert_array_equal(found.columns["energy"], given.columns["energy"])
    with pytest.raises(TrajectoryError, match=r"a table holds one motion, not a batch of shape \(2, 3\)"):
        given.save(tmp_path / "file.csv")
    assert not (tmp_path / "file.csv").exists()


def test_samples_are_chosen_with_all_that_belongs_to_them(mechanism):
    class Marks:
        def __init__(self, place):
            self.place = place

        def __getitem__(self, samples):
            return Marks(self.place[samples])

    whole = batch(mechanism).replace(overlays=(Marks(np.arange(5)),))
    for samples, expected in ((slice(1, 4), [1, 2, 3]), ([4, 0], [4, 0]), (whole.time > 0.15, [2, 3, 4])):
        part = whole[samples]
        np.testing.assert_array_equal(part.time, whole.time[expected])
        np.testing.assert_array_equal(part.q, whole.q[:, :, expected])
        np.testing.assert_array_equal(part.columns["energy"], whole.columns["energy"][:, :, expected])
        np.testing.assert_array_equal(part.overlays[0].place, expected)
    last = whole[-1]
    assert last.time == whole.time[-1]
    assert last.tau is None
    np.testing.assert_array_equal(last.q, whole.q[:, :, -1])
    motion = whole.motion((1, 2))
    assert motion.batch_shape == ()
    assert motion.model is mechanism
    np.testing.assert_array_equal(motion[1:].v, whole.v[1, 2, 1:])


@pytest.mark.parametrize(("given", "order"), [("v", 4), ("nothing", 2)])
def test_between_samples_the_error_falls_with_the_fourth_power_of_their_distance_or_the_second(mechanism, given, order):
    q0 = random_configuration(mechanism, 7)
    rate = np.random.default_rng(1).normal(size=mechanism.nv)
    part = mechanism.v_slice("exponential")
    rate[part] = np.array([0.1, -0.2, 0.15])  # and no change of the vector on the way

    def curve(t):
        return 0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t)

    fine = np.linspace(0.0, 1.0, 41)
    exact, _ = along(mechanism, q0, fine, rate, curve)
    errors = []
    for n in (9, 17):
        time = np.linspace(0.0, 1.0, n)
        q, v = along(mechanism, q0, time, rate, curve)
        # of a joint that moves along one screw the velocity is the rate of the displacement in these coordinates
        for name in KINDS:
            if name == "exponential":
                v[:, mechanism.v_slice(name)] = curve(time)[1][:, None] * rate[mechanism.v_slice(name)]
        found = Trajectory(time, q, v if given == "v" else None, model=mechanism).at(fine)
        signs = np.ones(mechanism.nq)
        errors.append(np.abs((found.q - exact) * signs).max())
        for where in mechanism.quaternion_slices().values():
            np.testing.assert_allclose(np.linalg.norm(found.q[:, where], axis=1), 1.0, atol=1e-14)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


def test_between_two_samples_the_rotation_vector_of_a_ball_is_a_cubic_curve():
    """Random curves d(s) go from zero to up to 2 rad; central differences give the velocity at the end."""
    model, rng = one_body("ball", "spherical", 1.0, inertia=[1, 1, 1]), np.random.default_rng(2)
    for _ in range(20):
        coefficients = rng.normal(size=(3, 3))
        coefficients *= rng.uniform(0.0, 2.0) / np.linalg.norm(coefficients.sum(axis=0))

        def placed(s, coefficients=coefficients):
            return Rotation.from_rotvec(np.power.outer(s, [1, 2, 3]) @ coefficients)

        h, ends = 1e-5, placed(np.array([0.0, 1.0]))
        before, after = placed(np.array([1.0 - h, 1.0 + h]))
        v = np.array([coefficients[0], (before.inv() * after).as_rotvec() / (2 * h)])
        between = np.linspace(0.0, 1.0, 7)
        found = Trajectory([0.0, 1.0], ends.as_quat(scalar_first=True), v, model=model).at(between)
        apart = placed(between).inv() * Rotation.from_quat(found.q, scalar_first=True)
        np.testing.assert_allclose(apart.magnitude(), 0.0, atol=1e-7)


def test_at_the_samples_the_trajectory_is_what_it_was(mechanism):
    given = batch(mechanism)
    found = given.at(given.time)
    np.testing.assert_allclose(found.v, given.v, atol=1e-14)
    np.testing.assert_array_equal(found.columns["energy"], given.columns["energy"])
    np.testing.assert_allclose(difference(mechanism, given.q, found.q), 0.0, atol=1e-12)
    np.testing.assert_array_equal(given.at(given.time[1]).v, found[1].v)
    with pytest.raises(TrajectoryError, match=r"time 0.5 s is outside 0 to 0.4 s"):
        given.at([0.1, 0.5])
    with pytest.raises(TrajectoryError, match="has no model"):
        Trajectory(given.time, given.q).at([0.1])


def test_a_trajectory_says_in_one_line_what_it_has(mechanism):
    line = repr(batch(mechanism))
    assert line.startswith("<Trajectory: ")
    assert "0 to 0.4 s" in line
    assert f"q {batch(mechanism).q.shape}" in line
    assert "energy" in line
    assert len(line) < 500
    assert repr(Trajectory()) == "<Trajectory: 0 samples: nothing else>"


def test_velocities_follow_accelerations_where_these_are_known():
    builder = ModelBuilder("slide")
    builder.add_body("block", mass=1.0)
    builder.add_joint("slide", "prismatic", "world", "block", axis=(1, 0, 0))
    time = np.linspace(0.0, 1.0, 4)
    motion = Trajectory(
        time, (time**3)[:, None], (3 * time**2)[:, None], (6 * time)[:, None], model=builder.build()
    )  # cubic: exact
    t = np.linspace(0.0, 1.0, 13)
    np.testing.assert_allclose(motion.at(t).q[:, 0], t**3, atol=1e-15)
    np.testing.assert_allclose(motion.at(t).v[:, 0], 3 * t**2, atol=1e-15)
    np.testing.assert_allclose(motion.at(t).a[:, 0], 6 * t, atol=1e-14)


def test_tables_of_pandas_and_xarray_have_the_names_of_the_robot(mechanism):
    one = batch(mechanism).motion((0, 1))
    table = one.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table.index.name == "time"
    np.testing.assert_array_equal(table["q:revolute"], one.q[:, 0])
    np.testing.assert_array_equal(table["energy"], one.columns["energy"])
    whole = batch(mechanism)
    data = whole.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert data.v.dims == ("motion_0", "motion_1", "time", "v_name")
    np.testing.assert_array_equal(data.q.sel(q_name="revolute", time=0.1, method=None), whole.q[:, :, 1, 0])
    np.testing.assert_array_equal(data.energy, whole.columns["energy"])
    with pytest.raises(TrajectoryError, match="to_xarray takes batches"):
        whole.to_pandas()
    with pytest.raises(TrajectoryError, match="no model that names its columns"):
        Trajectory(whole.time, whole.q).to_xarray()


def test_columns_that_are_called_like_something_else_keep_their_numbers(mechanism):
    """Parts, axes and columns are side by side in tables; a column whose name is taken becomes ``column:`` and its name."""
    one = batch(mechanism).motion((0, 1))
    n = len(one)
    scalars = ("time", "q", "sample", "q_name", "v_name", "motion_0", "wrench_0", "q:revolute")
    columns = {name: np.full(n, float(k)) for k, name in enumerate(scalars)}
    columns |= {"wrench": np.full((n, 6), -1.0), "motion": np.full((n, 2), -2.0)}
    data, table = one.replace(columns=columns).to_xarray(), one.replace(columns=columns).to_pandas()
    for name in ("time", "q", "q_name", "v_name", "wrench_0"):
        np.testing.assert_array_equal(data[f"column:{name}"], columns[name])
    np.testing.assert_array_equal(data["wrench"], columns["wrench"])
    np.testing.assert_array_equal(data["q"], one.q)
    np.testing.assert_array_equal(data["time"], one.time)
    np.testing.assert_array_equal(table["q:revolute"], one.q[:, 0])
    np.testing.assert_array_equal(table["column:q:revolute"], columns["q:revolute"])
    whole = batch(mechanism)
    motion = np.ones((*whole.batch_shape, len(whole), 3))
    assert whole.replace(columns={"motion": motion}).to_xarray()["motion"].shape == motion.shape


def test_a_table_of_pandas_knows_its_model(mechanism):
    given = Trajectory(q=np.zeros((2, mechanism.nq)), model=mechanism)
    table = given.to_pandas()
    assert Trajectory.from_pandas(table[table.columns[::-1]]).model == mechanism
    table.attrs["pluecker_model"] = '{"format": 1, "joints": 3}'
    with pytest.raises(TrajectoryError, match=r"Trajectory.from_pandas: its model cannot be used \(.*; give one"):
        Trajectory.from_pandas(table)
    table.attrs.clear()
    with pytest.raises(TrajectoryError, match=r"Trajectory.from_pandas: the table has no model .*; give one"):
        Trajectory.from_pandas(table)
    assert Trajectory.from_pandas(table, mechanism).model is mechanism


@pytest.mark.plain
def test_a_parquet_file_of_pandas_holds_a_motion_and_its_model(mechanism, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    rng = np.random.default_rng(3)
    given = Trajectory([0.0, 0.1, 0.3], v=rng.standard_normal((3, mechanism.nv)), model=mechanism)
    given.replace(columns={"energy": [1.0, 2.0, 3.0]}).to_pandas().to_parquet(tmp_path / "motion.parquet")
    found = Trajectory.from_pandas(pandas.read_parquet(tmp_path / "motion.parquet"))
    assert found.model == mechanism
    np.testing.assert_array_equal(found.time, given.time)
    np.testing.assert_array_equal(found.v, given.v)
    assert found.columns["energy"].tolist() == [1.0, 2.0, 3.0]


def test_a_table_of_pandas_is_a_trajectory_again(mechanism):
    one = batch(mechanism).motion((0, 1))
    columns = {name: np.arange(float(len(one))) + k for k, name in enumerate(("energy", "time", "q:x", "column:y"))}
    given = one.replace(columns={**columns, "wrench": np.ones((len(one), 2, 3)) * np.arange(3)})
    table = given.to_pandas()
    for shuffled in (table, table[table.columns[::-1]], table.reset_index()):
        found = Trajectory.from_pandas(shuffled, mechanism)
        assert found.columns.keys() == given.columns.keys()
        for name, values in given.columns.items():
            np.testing.assert_array_equal(found.columns[name], values)
        for part in ("time", "q", "v", "a", "tau"):
            np.testing.assert_array_equal(getattr(found, part), getattr(given, part))
    bare = Trajectory(q=one.q, model=mechanism)
    assert Trajectory.from_pandas(bare.to_pandas(), mechanism).time is None
    for wrong, error, message in (
        (np.zeros((2, 2)), TypeError, "table is a ndarray, expected a DataFrame"),
        (table.rename(columns={"energy": 3}), TypeError, "a column is called 3, expected a string"),
        (table.rename(columns={"q:revolute": "q:elbow"}), TrajectoryError, "column 'q:elbow' names no coordinate"),
        (table.drop(columns="q:revolute"), TrajectoryError, "has some q columns but not 'revolute'"),
        (table.assign(energy="high"), TrajectoryError, "holds something else than numbers"),
        (table.assign(time=1.0), TrajectoryError, "time is the index, and a column too"),
        (table.set_index(pandas.to_timedelta(table.index, unit="s")), TrajectoryError, "'time' holds timedelta64"),
        (table.assign(energy=1j), TrajectoryError, "'energy' holds complex128, expected numbers"),
    ):
        with pytest.raises(error, match=f"^Trajectory.from_pandas: .*{message}"):
            Trajectory.from_pandas(wrong, mechanism)


def test_what_does_not_belong_together_is_refused(mechanism):
    with pytest.raises(TrajectoryError, match=r"v is a batch of shape \(3,\), expected \(2,\)"):
        Trajectory(q=np.zeros((2, 4, 1)), v=np.zeros((3, 4, 1)))
    with pytest.raises(TrajectoryError, match="v has 5 samples, time has 4"):
        Trajectory(np.arange(4.0), v=np.zeros((5, 1)))
    with pytest.raises(TrajectoryError, match=r"column 'gap' has shape \(3,\), expected \(4,\)"):
        Trajectory(np.arange(4.0), columns={"gap": np.zeros(3)})
    with pytest.raises(ArgumentTypeError, match="columns is a list"):
        Trajectory(np.arange(4.0), columns=[1])
    with pytest.raises(ArgumentTypeError, match="model must be"):
        Trajectory(np.arange(4.0), model="arm")
    whole = batch(mechanism)
    with pytest.raises(IndexError, match="there is no sample 5, there are 5"):
        whole[5]
    with pytest.raises(ArgumentTypeError, match="samples are chosen by"):
        whole[0.5:1, 2]
    with pytest.raises(IndexError, match="motion"):
        whole.motion((0, 1, 2))


@pytest.mark.parametrize("content", ["text", "cut", "names", "pickle"])
def test_a_file_of_hdf5_that_is_no_trajectory_is_one_error(mechanism, tmp_path, content):
    path = tmp_path / "file.h5"
    batch(mechanism).save(path)
    if content == "text":
        path.write_text("time,q\n0,0\n")
    elif content == "cut":
        path.write_bytes(path.read_bytes()[:3000])
    elif content == "names":
        with h5py.File(path, "a") as file:
            names = np.array([b"elbow", *file["q_names"][1:]])
            del file.attrs["checksum"], file["q_names"]
            file["q_names"] = names
    else:
        with h5py.File(path, "a") as file:
            del file.attrs["checksum"], file["q"]
            file["q"] = np.array([b"1.0", b"2.0"], dtype="S3")
    with pytest.raises(
        TrajectoryError, match=r"file.h5: (no HDF5 file of numbers|is of a mechanism with q_names 'elbow')"
    ):
        Trajectory.load(path, mechanism)


def test_names_that_a_table_cannot_tell_apart_are_refused(mechanism, tmp_path):
    given = Trajectory(np.arange(2.0), columns={"force[0]": np.zeros(2)}, model=mechanism)
    with pytest.raises(TrajectoryError, match=r"column 'force\[0\]' cannot be told from entries of others"):
        given.save(tmp_path / "file.csv")
    (tmp_path / "file.csv").write_text("time,column:f[0],column:f[2]\n0,1,2\n")
    with pytest.raises(TrajectoryError, match="some entries of column 'f' but not all"):
        Trajectory.load(tmp_path / "file.csv", mechanism)
