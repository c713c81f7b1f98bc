"""Pictures: joint axes, solids and shapes are where they should be; figures have scales, words, and room for all of it.

Where a joint axis or a solid is, no picture says to more than a dot: what is drawn is looked at before it is drawn.
"""

import io
import pickle
import re
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

from pluecker.articulated import (  # noqa: E402
    Animation,
    Arrows,
    Cones,
    Lines,
    Model,
    ModelBuilder,
    OutputError,
    Points,
    Trajectory,
    TrajectoryError,
    animate,
    forward_kinematics,
    neutral,
    plot_energy,
    plot_mechanism,
    plot_trajectory,
    random_configuration,
)
from pluecker.articulated.pictures.animation import sample_times  # noqa: E402
from pluecker.articulated.pictures.contents import parts_of  # noqa: E402
from pluecker.articulated.pictures.parts import BALLS, body_placements, joint_axes, rods, solids  # noqa: E402
from pluecker.articulated.pictures.triangles import ball, box, coarser, cone, cylinder, finer, normals, turn_to  # noqa: E402
from pluecker.articulated.pictures.visuals import GREY, Shape, visual_shapes  # noqa: E402
from pluecker.articulated.robots import SEVEN_JOINT_ARM  # noqa: E402
from pluecker.spatial import MissingExtraError, PlueckerError  # noqa: E402
from tests.mechanisms import JOINT_TYPES, MOVING, random_description  # noqa: E402

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'

NOWHERE = '<visual><geometry><mesh filename="package://shapes/nowhere.stl"/></geometry></visual>'


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def arm():
    return Model.from_urdf(SEVEN_JOINT_ARM)


def pendulum(length=0.5, mass=2.0):
    builder = ModelBuilder("pendulum")
    builder.add_body("rod", mass, (0, 0, -length))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0))
    return builder.build()


def swing(model, samples=21, duration=2.0):
    t = np.linspace(0.0, duration, samples)
    q = np.repeat(neutral(model)[None], samples, axis=0)
    q[:, -1] = np.sin(t)
    v = np.zeros((samples, model.nv))
    v[:, -1] = np.cos(t)
    return Trajectory(time=t, q=q, v=v)


# ----------------------------------------------------------------------------------------------------------------- parts


@pytest.mark.parametrize("seed", range(3))
def test_points_of_a_joint_axis_stay_when_the_joint_turns_and_slide_along_it_when_it_slides(seed):
    model = random_description(seed, 6, MOVING).build(np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    q = random_configuration(model, rng)
    axes, place = joint_axes(model, q), body_placements(model, q)
    n = 0
    for joint in model.joints:
        if joint.type in BALLS:
            continue
        for k in range(JOINT_TYPES[joint.type].nv):
            moved = q.copy()
            moved[joint.q_start + k] += 0.4
            child = model.body_index(joint.child)
            D = forward_kinematics(model, moved)[child] @ np.linalg.inv(
                place[child]
            )  # what the coordinate does to the body
            point, along = axes.points[n], axes.directions[n]
            turned = Rotation.from_matrix(D[:3, :3]).as_rotvec()
            slid = D[:3, :3] @ point + D[:3, 3] - point
            assert bool(axes.slides[n]) == (np.linalg.norm(turned) < 1e-9)
            assert np.linalg.norm(np.cross(turned, along)) < 1e-12 * 0.4 * 10
            assert np.linalg.norm(np.cross(slid, along)) < 1e-12 * max(1.0, np.abs(point).max()) * 10
            if joint.type != "helical":
                assert np.linalg.norm(turned) + np.linalg.norm(slid) == pytest.approx(0.4, rel=1e-9)
            n += 1
    assert n == len(axes.points)


def test_the_axis_of_a_mimic_joint_is_its_own_and_not_that_of_its_source():
    builder = ModelBuilder()
    for name in ("a", "b"):
        builder.add_body(name, 1.0, (0.1, 0, 0), (1, 1, 1))
    builder.add_joint("first", "revolute", "world", "a", axis=(0, 0, 1))
    builder.add_joint("second", "prismatic", "a", "b", axis=(1, 0, 0), position=(0.5, 0, 0), mimic=("first", -2.0, 0.1))
    axes = joint_axes(builder.build(), np.array([0.0]))
    assert axes.slides.tolist() == [False, True]
    np.testing.assert_allclose(np.abs(axes.directions), [[0, 0, 1], [1, 0, 0]], atol=1e-14)


def test_solids_have_the_mass_and_the_inertia_of_their_body():
    """References: trimesh for the triangles of the box; the table for the ellipsoid, ``m (b^2 + c^2) / 5``."""
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (extra mesh)")
    rng = np.random.default_rng(5)
    R = Rotation.random(random_state=3).as_matrix()
    J, c, m = R @ np.diag([0.3, 0.5, 0.6]) @ R.T, rng.standard_normal(3), 4.0
    builder = ModelBuilder()
    builder.add_body("body", m, c, J)
    builder.add_joint("free", "free", "world", "body")
    (solid,) = solids(builder.build())
    assert solid.mass == m
    np.testing.assert_allclose(solid.center, c, rtol=1e-14)
    shape = trimesh.Trimesh(*box(solid.box), process=False)
    shape.density = m / shape.volume
    np.testing.assert_allclose(solid.axes @ shape.moment_inertia @ solid.axes.T, J, atol=1e-13)
    a, b, d = solid.ellipsoid**2
    of_ellipsoid = solid.axes @ np.diag([b + d, a + d, a + b]) @ solid.axes.T * m / 5
    np.testing.assert_allclose(of_ellipsoid, J, atol=1e-13)
    assert np.linalg.det(solid.axes) > 0.0


def test_surfaces_are_closed_with_normals_outwards_and_the_volume_of_the_body():
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (extra mesh)")
    round_off = np.sin(2 * np.pi / 20) / (2 * np.pi / 20)  # area of a polygon of twenty corners, of the circle's
    for surface, volume, slack in (
        (box(np.array([1.0, 2.0, 3.0])), 6.0, 1e-12),
        (cylinder(0.5, 2.0), np.pi * 0.5 * round_off, 1e-12),
        (cone(0.5, 2.0), np.pi / 6 * round_off, 1e-12),
        (ball(np.array([1.0, 2.0, 3.0])), 8 * np.pi, 0.04),  # twelve rings of flat triangles
    ):
        mesh = trimesh.Trimesh(*surface)
        assert mesh.is_watertight
        assert mesh.volume == pytest.approx(volume, rel=slack)


def test_a_coarser_surface_is_small_and_near_the_fine_one():
    fine = ball(np.array([1.0, 1.0, 1.0]), rings=200)
    vertices, faces = coarser(fine, 500)
    assert 100 < len(faces) <= 500 < len(fine[1])
    assert np.abs(np.linalg.norm(vertices, axis=1) - 1.0).max() < 0.1  # a cell's diagonal
    assert (np.sum(normals(vertices[faces]) * vertices[faces].mean(axis=1), axis=1) > 0).mean() > 0.95
    assert coarser(fine, 10**6)[1] is fine[1]
    vertices, faces = coarser(fine, 1)  # no grid is so wide
    assert (np.ptp(vertices[faces], axis=1).max(axis=1) > 0.2).all()


def test_a_finer_surface_is_the_same_in_more_triangles():
    surface = box(np.array([1.0, 2.0, 3.0]))
    vertices, faces = finer(surface, 200)
    assert len(faces) == 192
    corners, coarse = vertices[faces], surface[0][surface[1]]
    areas = [np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1) / 2.0 for x in (corners, coarse)]
    assert areas[0].max() == pytest.approx(areas[1].max() / 16.0)
    assert areas[0].sum() == pytest.approx(22.0)
    signs = [np.einsum("ij,ij->i", x[:, 0], np.cross(x[:, 1], x[:, 2])).sum() / 6.0 for x in (corners, coarse)]
    np.testing.assert_allclose(signs, 6.0)  # the volume, with normals outwards
    assert finer(surface, 47)[1] is surface[1]


def test_turning_to_a_direction_is_a_rotation_that_takes_z_there():
    directions = np.array([[0, 0, 2.0], [0, 0, -3.0], [1e-9, 0, 0], [1, 2, 3.0], [-1, 0.5, 0.0]])
    R = turn_to(directions)
    np.testing.assert_allclose(R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape), atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(R), 1.0)
    np.testing.assert_allclose(R[..., 2] * np.linalg.norm(directions, axis=1)[:, None], directions, atol=1e-15)
    np.testing.assert_array_equal(turn_to(np.zeros(3))[:, 2], [0, 0, 1])


def test_rods_lead_from_joint_to_joint_and_to_what_is_outermost():
    model = pendulum()
    (first, last) = rods(model)
    assert (first.first, first.second) == (-1, 0)
    np.testing.assert_array_equal(last.end, [0, 0, -0.5])  # the centre of mass: there is no other frame


# --------------------------------------------------------------------------------------------------------------- visuals


def robot_with_shapes(folder):
    """A robot of two links with shapes of all kinds, one of them on a third, fixed link."""
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (extra mesh)")
    (folder / "meshes").mkdir()
    trimesh.creation.box((0.1, 0.2, 0.3)).export(folder / "meshes" / "part of it.stl")
    (folder / "urdf").mkdir()
    text = f"""<robot name="shapes"><material name="sky"><color rgba="0.1 0.2 0.9 1"/></material>
    <link name="base"><visual><geometry><cylinder radius="0.2" length="0.1"/></geometry><material name="sky"/></visual>
    </link><link name="arm">{INERTIAL}<visual><origin xyz="0.1 0 0.3" rpy="0.3 -0.4 1.2"/><geometry>
    <mesh filename="package://shapes/meshes/part%20of%20it.stl" scale="1 2 -1"/></geometry></visual>
    {NOWHERE}</link>
    <link name="hand"><visual><geometry><sphere radius="0.05"/></geometry>
    <material name="own"><color rgba="0.5 0 0 1"/></material></visual>
    <visual><geometry><box size="0.2 0.02 0.02"/></geometry></visual></link>
    <joint name="turn" type="revolute"><origin xyz="0 0 0.05"/><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
    <joint name="grip" type="fixed"><origin xyz="0 0 0.5" rpy="0 0.5 0"/><parent link="arm"/><child link="hand"/></joint>
    </robot>"""
    path = folder / "urdf" / "robot.urdf"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("at", "drawn"), [(-0.4, 1), (-0.1, 0)])
def test_a_body_whose_only_shape_is_a_foot_is_drawn_as_a_rod_too(at, drawn):
    """The shape is at its end, or next to its joint."""
    builder = ModelBuilder("leg")
    builder.add_body("shin", mass=1.0, center_of_mass=(0, 0, -0.2), inertia=(0.01, 0.01, 0.001))
    builder.add_joint("knee", "revolute", "world", "shin", axis=(0, 1, 0))
    builder.add_frame("foot", "shin", position=(0, 0, -0.4))
    model = builder.build().replace()
    vertices, faces = ball(np.full(3, 0.02))
    model.tables["visuals"] = [Shape(0, (vertices + np.array([0, 0, at]), faces), np.array(GREY))]
    own = [rod for rod in parts_of(model, True).rods if rod.first == rod.second == 0]
    assert len(own) == drawn


def test_shapes_are_where_yourdfpy_has_them(tmp_path):
    """Bounds of the whole scene at several angles, against the scene that yourdfpy builds from the same file."""
    yourdfpy = pytest.importorskip("yourdfpy", reason="yourdfpy is not installed")
    path = robot_with_shapes(tmp_path)
    model = Model.from_urdf(path)
    theirs = yourdfpy.URDF.load(
        io.StringIO(path.read_text().replace(NOWHERE, "")),
        filename_handler=lambda fname: str(tmp_path / "meshes" / "part of it.stl"),
    )
    shapes = visual_shapes(model)
    assert len(shapes) == 4
    for angle in (0.0, 0.7, -1.0):
        theirs.update_cfg([angle])
        T = body_placements(model, np.array([angle]))
        points = np.concatenate([s.surface[0] @ T[s.body, :3, :3].T + T[s.body, :3, 3] for s in shapes])
        slack = 0.2 * (1.0 - np.cos(np.pi / 20)) + 1e-9  # corners of a circle of radius 0.2 lie elsewhere on it
        np.testing.assert_allclose([points.min(0), points.max(0)], theirs.scene.bounds, atol=slack)


@pytest.mark.parametrize("content", [b"\0" * 30, b"\0" * 80 + b"\xff\xff\xff\x0f"], ids=["empty", "damaged"])
def test_a_mesh_file_that_has_no_triangles_is_warned_of_by_the_name_of_its_link(tmp_path, content):
    model = Model.from_urdf(robot_with_shapes(tmp_path))
    (tmp_path / "meshes" / "part of it.stl").write_bytes(content)
    with pytest.warns(
        UserWarning, match="link 'arm' is drawn without part of it.stl, of which trimesh has no triangles"
    ):
        assert len(visual_shapes(model)) == 3


def test_shapes_have_the_colours_of_the_file(tmp_path):
    colours = [tuple(shape.colour) for shape in visual_shapes(Model.from_urdf(robot_with_shapes(tmp_path)))]
    assert colours == [(0.1, 0.2, 0.9), GREY, (0.5, 0.0, 0.0), GREY]


def test_a_model_remembers_where_it_came_from_but_is_equal_without(arm, tmp_path):
    text = Model.from_urdf(SEVEN_JOINT_ARM.read_text())
    assert arm.urdf == str(SEVEN_JOINT_ARM)
    assert text.urdf.lstrip().startswith("<?xml")
    assert text == arm
    assert hash(text) == hash(arm)
    assert pickle.loads(pickle.dumps(arm)).urdf == arm.replace(damping=1.0).urdf == arm.urdf
    assert pendulum().urdf is None


def test_a_file_that_is_gone_is_one_error_and_shapes_are_read_when_they_are_drawn_only(tmp_path):
    path = robot_with_shapes(tmp_path)
    model = Model.from_urdf(path)
    path.unlink()
    plot_mechanism(model, visuals=False)
    with pytest.raises(PlueckerError, match=r"robot\.urdf: cannot be read"):
        plot_mechanism(model)


# --------------------------------------------------------------------------------------------------------------- figures


def labels(axes):
    return [text.get_text() for legend in axes.figure.legends for text in legend.get_texts()]


def test_a_mechanism_has_equal_scales_room_for_all_and_words_for_what_is_drawn(arm):
    q = np.array([0.3, 0.5, 0.0, -1.8, 0.0, 2.2, 0.0])
    force = Arrows([[0.4, 0, 0.1]], [[0, 0, 30.0]], length=0.01, label="force, 1 cm for 1 N")
    marks = (force, Points([[0.4, 0, 0.1], [np.nan, 0, 0]], label="contact"), Cones([[0.4, 0, 0.1]], [[0, 0, 1]]))
    axes = plot_mechanism(arm, q, frames=["flange"], inertia=True, overlays=marks)
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    edges = np.diff(limits, axis=1)[:, 0]
    aspect = np.asarray(axes._box_aspect)
    np.testing.assert_allclose(aspect / aspect.max(), edges / edges.max(), rtol=1e-12)
    tips = np.concatenate([forward_kinematics(arm, q)[:, :3, 3], [[0.4, 0, 0.4]]])
    assert (tips >= limits[:, 0]).all()
    assert (tips <= limits[:, 1]).all()
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x in m", "y in m", "z in m"]
    words = [
        "axis of a turning joint",
        "axes of a frame: x",
        "centre of mass",
        "force, 1 cm for 1 N",
        "contact",
        "cones",
    ]
    assert set(words) <= set(labels(axes))
    assert "axis of a sliding joint" not in labels(axes)
    assert axes.get_title() == arm.name
    assert "flange" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("camera", [(18.0, -58.0), (5.0, -80.0), (5.0, -2.0), (80.0, -60.0)])
def test_numbers_along_an_edge_of_the_room_do_not_run_into_each_other(arm, camera):
    axes = plot_mechanism(arm, camera=camera)
    axes.figure.canvas.draw()
    numbers = 0
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        low, high = axis.get_view_interval()
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and tick.label1.get_text()]
        boxes = [tick.label1.get_window_extent() for tick in ticks]
        assert not any(first.overlaps(second) for first, second in combinations(boxes, 2))
        numbers += len(boxes)
    assert numbers >= 6


def test_a_body_without_length_is_drawn_as_the_box_of_its_inertia_and_others_on_axes_of_ones_own():
    builder = ModelBuilder("brick")
    builder.add_body("brick", 2.0, inertia=[0.1, 0.2, 0.25])
    builder.add_joint("free", "free", "world", "brick")
    axes = pyplot.figure().add_subplot(projection="3d")
    assert plot_mechanism(builder.build(), ax=axes, title="a brick") is axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "centre of mass",
        "box of equal mass and inertia",
    ]
    assert axes.get_title() == "a brick"


def test_panels_show_what_the_trajectory_has_with_units():
    model = pendulum()
    figure = plot_trajectory(model, swing(model), title="a_$swing$")
    assert [axis.get_ylabel() for axis in figure.axes] == ["position\nrad", "velocity\nrad/s"]
    assert figure.axes[-1].get_xlabel() == "time in s"
    assert len(plot_trajectory(model, Trajectory(tau=np.zeros((4, 1)))).axes) == 1


def test_energy_of_a_pendulum_is_that_of_the_textbook():
    """T = m l^2 w^2 / 2 and V = - m g l cos(q), for a point mass."""
    model, t = pendulum(length=0.5, mass=2.0), np.linspace(0.0, 2.0, 21)
    figure = plot_energy(model, swing(model))
    kinetic, potential, total = (line.get_ydata() for line in figure.axes[0].lines)
    np.testing.assert_allclose(kinetic, 0.25 * np.cos(t) ** 2, atol=1e-14)
    np.testing.assert_allclose(potential, -9.81 * np.cos(np.sin(t)), atol=1e-13)
    np.testing.assert_allclose(total, kinetic + potential, atol=1e-13)
    np.testing.assert_allclose(figure.axes[1].lines[-1].get_ydata(), total - total[0], atol=1e-13)


def test_energy_that_was_recorded_is_shown_with_that_of_springs_between_bodies():
    model, t = pendulum(), np.linspace(0.0, 2.0, 21)
    columns = {"kinetic_energy": t, "potential_energy": 1.0 - t}
    figure = plot_energy(model, swing(model).replace(columns=columns))
    for line, expected in zip(figure.axes[0].lines, (t, 1.0 - t, np.ones(21)), strict=True):
        np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-15)


def test_figures_of_ones_own_are_drawn_on():
    figure = pyplot.figure()
    assert plot_energy(pendulum(), swing(pendulum()), figure=figure) is figure


# ------------------------------------------------------------------------------------------------------------- animation


def test_a_film_lasts_as_long_as_the_motion_and_shows_its_last_sample(tmp_path):
    image = pytest.importorskip("PIL.Image")
    model, motion = pendulum(), swing(pendulum(), samples=9, duration=0.8)
    film = animate(model, motion, tmp_path / "swing.gif", rate=10.0, speed=2.0)
    assert len(film.pictures) == 5  # at 0, 0.2, 0.4, 0.6 and 0.8 s
    assert re.fullmatch(r"Animation of 5 pictures, 0\.5 s: pendulum", repr(film))
    with image.open(tmp_path / "swing.gif") as gif:
        assert (gif.n_frames, gif.info["duration"], gif.info["loop"]) == (5, 100, 0)
    assert len(set(film.pictures)) == 5  # the pendulum moves, and so does the clock
    with image.open(tmp_path / "swing.gif") as gif:
        for k in range(gif.n_frames):  # whatever else is in a picture
            gif.seek(k)
            assert gif.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
    film.save(tmp_path / "swing.html")
    page = (tmp_path / "swing.html").read_text()
    assert page.count("iVBOR") == 5  # which is how a PNG begins
    assert "http" not in page  # it needs nothing from elsewhere
    assert film._repr_html_() in page


def test_a_picture_of_a_film_shows_its_sample_whatever_was_shown_before_it(tmp_path):
    model = Model.from_urdf(robot_with_shapes(tmp_path))
    marks = np.array([[[0.2, 0.1, 0.3]], [[np.nan] * 3], [[0.2, 0.1, 0.3]]])
    overlays = Points(marks), Arrows(marks, np.ones((3, 1, 3)), 0.1), Cones(marks, np.ones((3, 1, 3)))
    motion = Trajectory(q=[[0.3], [-0.8], [0.3]])
    film = animate(model, motion, joint_axes=True, frames="bodies", inertia=True, overlays=overlays)
    first, other, again = (matplotlib.image.imread(io.BytesIO(picture))[70:] for picture in film.pictures)  # no title
    np.testing.assert_array_equal(first, again)
    assert (first != other).any(axis=-1).sum() > 1000


@pytest.mark.parametrize(
    ("rate", "speed", "count"), [(25.0, 1.0, 51), (30.0, 1.0, 61), (25.0, 0.5, 101), (7.0, 3.0, 5)]
)
def test_pictures_show_the_last_sample_before_them(rate, speed, count):
    motion = Trajectory(time=np.linspace(1.0, 3.0, 201), q=np.zeros((201, 1)))
    samples = sample_times("animate", motion, speed, rate)
    assert len(samples) == count
    late = 1.0 + np.arange(count) * speed / rate - motion.time[samples]
    assert (late > -1e-9).all()
    assert (late < 0.01 + 1e-9).all()
    assert sample_times("animate", Trajectory(q=np.zeros((4, 1))), speed, rate) == [0, 1, 2, 3]


def test_an_mp4_is_written_by_ffmpeg_and_without_it_the_error_names_it(tmp_path, monkeypatch):
    model, motion = pendulum(), swing(pendulum(), samples=2, duration=0.1)
    monkeypatch.setitem(matplotlib.rcParams, "animation.ffmpeg_path", "no-such-ffmpeg")
    with pytest.raises(MissingExtraError, match="needs the program ffmpeg"):
        animate(model, motion, tmp_path / "swing.mp4")
    helper = tmp_path / "ffmpeg"  # takes the pictures and gives back how many bytes there were
    helper.write_text(f"#!{sys.executable}\nimport sys\nsys.stdout.write(str(len(sys.stdin.buffer.read())))\n")
    helper.chmod(0o755)
    monkeypatch.setitem(matplotlib.rcParams, "animation.ffmpeg_path", str(helper))
    film = animate(model, motion, tmp_path / "swing.mp4", rate=10.0)
    assert int((tmp_path / "swing.mp4").read_text()) == sum(map(len, film.pictures))
    helper.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such codec')\n")
    with pytest.raises(OutputError, match="ffmpeg cannot write the MP4: no such codec"):
        film.save(tmp_path / "other.mp4")
    assert not (tmp_path / "other.mp4").exists()


@pytest.mark.slow
def test_an_mp4_plays(tmp_path):
    import shutil

    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        pytest.skip("there is no ffmpeg")
    animate(pendulum(), swing(pendulum()), tmp_path / "swing.mp4", rate=10.0)
    probe = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0"]
    done = subprocess.run([*probe, str(tmp_path / "swing.mp4")], capture_output=True, text=True, check=True)
    assert int(done.stdout.strip(",\n")) == 21


# ---------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m, s: plot_mechanism(3), TypeError, "plot_mechanism: .*Model"),
        (lambda m, s: plot_mechanism(m, [1.0, 2.0]), ValueError, r"plot_mechanism: q has shape \(2,\), expected"),
        (lambda m, s: plot_mechanism(m, [[1.0]]), ValueError, r"plot_mechanism: q has shape \(1, 1\)"),
        (lambda m, s: plot_mechanism(m, [np.nan]), ValueError, "plot_mechanism: q"),
        (lambda m, s: plot_mechanism(m, frames="rods"), ValueError, "plot_mechanism: frames is 'rods'"),
        (lambda m, s: plot_mechanism(m, frames=["rods"]), KeyError, "no frame 'rods'"),
        (lambda m, s: plot_mechanism(m, inertia=1), TypeError, "inertia is 1, expected True or False"),
        (lambda m, s: plot_mechanism(m, camera=(1.0,)), ValueError, "plot_mechanism: camera"),
        (lambda m, s: plot_mechanism(m, ax=pyplot.figure().gca()), TypeError, "expected 3D axes"),
        (lambda m, s: plot_mechanism(m, title=3), TypeError, "title is 3"),
        (lambda m, s: plot_mechanism(m, overlays=3), TypeError, "overlays is 3"),
        (lambda m, s: plot_mechanism(m, overlays=[3]), TypeError, "overlays holds a int"),
        (lambda m, s: plot_mechanism(m, overlays=Points(np.zeros((5, 1, 3)))), ValueError, r"\.at\(sample\)"),
        (lambda m, s: animate(m, s, overlays=Points(np.zeros((5, 1, 3)))), ValueError, "5 samples, expected 21"),
        (lambda m, s: animate(m, s, "film.avi"), OutputError, "end in .html, .gif, .mp4"),
        (lambda m, s: animate(m, s, 3), TypeError, "animate: path is a int"),
        (lambda m, s: animate(m, s, rate=0.0), ValueError, "animate: rate is 0.0"),
        (lambda m, s: animate(m, s, speed="fast"), TypeError, "animate: speed"),
        (lambda m, s: animate(m, s, speed=1e-9), ValueError, "pictures, expected 3000 at most"),
        (lambda m, s: animate(m, Trajectory(v=s.v)), TrajectoryError, "has no q"),
        (lambda m, s: animate(m, s, progress=3), TypeError, "progress is a int"),
        (lambda m, s: plot_energy(m, Trajectory(q=s.q)), TrajectoryError, "has no v"),
        (lambda m, s: plot_energy(m, s, figure=3), TypeError, "figure is a int"),
        (lambda m, s: plot_trajectory(m, Trajectory()), TrajectoryError, "nothing to draw|no samples"),
        (lambda m, s: plot_trajectory(m, "s"), TypeError, "expected a Trajectory"),
        (lambda m, s: plot_trajectory(m, Trajectory(q=np.zeros((3, 2)))), TrajectoryError, r"shape \(3, 2\)"),
        (lambda m, s: Points([1.0, 2.0, 3.0]), ValueError, r"positions has shape \(3,\)"),
        (lambda m, s: Points([[np.inf, 0, 0]]), ValueError, "infinity"),
        (lambda m, s: Points([["a", 0, 0]]), TypeError, "Points: positions"),
        (lambda m, s: Points([[0, 0, 0]], color="tab:red"), ValueError, "color is 'tab:red', expected '#rrggbb' or"),
        (lambda m, s: Points([[0, 0, 0]], label=3), TypeError, "label is 3"),
        (lambda m, s: Arrows([[0, 0, 0]], [[0, 0, 0], [1, 1, 1]]), ValueError, "expected one"),
        (lambda m, s: Arrows([[0, 0, 0]], [[0, 0, 1]], length=0.0), ValueError, "length is 0.0"),
        (lambda m, s: Cones([[0, 0, 0]], [[0, 0, 1]], slope=-1.0), ValueError, "slope is -1.0"),
        (lambda m, s: Lines("world"), TypeError, "Lines: ends is 'world', expected pairs of ends"),
        (lambda m, s: Lines([("world",)]), TypeError, r"ends\[0\] is \('world',\), expected two ends"),
        (lambda m, s: Lines([("world", 3)]), TypeError, r"ends\[0\] is 3, expected the name of a frame"),
        (lambda m, s: Lines([("world", "rod")], "wire"), ValueError, "shape is 'wire'"),
        (lambda m, s: Lines([("world", "rod")], "rope", [1.0, 2.0]), ValueError, "lengths is .* for each of 1 lines"),
        (lambda m, s: Lines([("world", "rod")], "rope", [np.nan]), ValueError, "lengths is .*, expected a finite number"),
        (lambda m, s: Lines([("world", "rod")], color="tab:red"), ValueError, "Lines: color is 'tab:red'"),
        (lambda m, s: Points(np.zeros((2, 1, 3))).at(2), ValueError, "no sample 2; there are 2"),
        (lambda m, s: Animation("x", 1.0, (b"",)).save("x.txt"), OutputError, "must end in"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_one_of_our_errors(call, error, words):
    model = pendulum()
    with pytest.raises(error, match=words) as caught:
        call(model, swing(model))
    assert isinstance(caught.value, PlueckerError)
    assert len(str(caught.value)) < 400


def test_marks_that_are_not_there_are_not_drawn():
    model, motion = pendulum(), swing(pendulum(), samples=2, duration=0.1)
    positions = np.array([[[0.1, 0, 0]], [[np.nan, 0, 0]]])
    film = animate(model, motion, rate=10.0, center_of_mass=False, overlays=Points(positions))
    first, second = (red(matplotlib.image.imread(io.BytesIO(picture))) for picture in film.pictures)
    assert 1.5 < first / second < 4.0  # in the legend there is one all the time, a little smaller


def drawn_in(axes, colour):
    """The lines of a colour, points (n, 3) each."""
    return [np.transpose(line.get_data_3d()) for line in axes.lines if line.get_color() == colour]


def test_rods_springs_and_ropes_run_from_end_to_end_wherever_the_bodies_are(arm):
    q = np.array([0.3, 0.5, 0.1, -1.8, 0.2, 2.2, 0.4])
    names, point = ("flange", arm.body_names[2]), np.array([0.05, -0.1, 0.02])
    T = forward_kinematics(arm, q, list(names))
    start, end = T[0, :3, :3] @ point + T[0, :3, 3], T[1, :3, 3]
    apart = np.linalg.norm(end - start)
    for shape, lengths in (
        ("rod", None),
        ("spring", None),
        ("rope", None),
        ("rope", [apart]),
        ("rope", [1.05 * apart]),
    ):
        lines = Lines([(("flange", point), names[1])], shape, lengths, label="a line", color="#123456")
        axes = plot_mechanism(arm, q, overlays=lines)
        (way,) = drawn_in(axes, "#123456")
        np.testing.assert_allclose(way[[0, -1]], [start, end], atol=1e-14)
        assert "a line" in labels(axes)
        t = (way - start) @ (end - start) / apart**2
        off = np.linalg.norm(way - start - t[:, None] * (end - start), axis=1)
        size = max(np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim()), np.ptp(axes.get_zlim()))
        if shape == "spring":
            assert (np.diff(t) > 0.0).all()
            assert 0.005 * size < off.max() < 0.03 * size
        slack = lengths is not None and lengths[0] > apart
        assert (off.max() < 1e-12) == (not slack and shape != "spring")
        (drawn,) = (line for line in axes.lines if line.get_color() == "#123456")
        assert drawn.get_linestyle() == ("--" if slack else "-")
        if slack:  # it hangs, and is about as long as it is
            below = start + t[:, None] * (end - start) - way
            assert (below[:, 2] > -1e-12).all()
            assert np.linalg.norm(np.diff(way, axis=0), axis=1).sum() == pytest.approx(lengths[0], rel=0.03)
        pyplot.close(axes.figure)


def test_several_lines_are_drawn_apart_and_joints_have_dots_at_their_ends():
    model = pendulum()
    ends = [(("world", (0.0, y, 0.5)), ("rod", (0.0, y, -0.5))) for y in (0.0, 1.0)]
    for shape, lengths in (("rod", None), ("spring", None), ("rope", [2.0, 0.5]), ("joint", None)):
        axes = plot_mechanism(model, overlays=Lines(ends, shape, lengths, color="#123456"))
        drawn = drawn_in(axes, "#123456")
        points = np.concatenate(drawn)
        assert {0.0, 1.0} <= set(points[:, 1][np.isin(points[:, 2], [0.5, -0.5])])
        ways, dots = (drawn[:1], drawn[1:]) if shape == "joint" else (drawn, [])
        assert [len(dot) for dot in dots] == [4] * (shape == "joint")
        assert len(ways) == (2 if shape == "rope" else 1)  # one of them slack
        assert [int(np.isnan(way).all(axis=1).sum()) for way in ways] == [0 if shape == "rope" else 1] * len(ways)
        pyplot.close(axes.figure)


def test_a_rod_leads_from_a_body_without_shape_to_the_end_of_a_line_on_it():
    model = pendulum()
    at = (0.3, 0.0, -0.7)
    first, _, stem = parts_of(model, True, [Lines([("world", ("rod", at))])]).rods
    assert (first.second, stem.first, stem.second) == (0, 0, 0)
    np.testing.assert_array_equal([stem.start, stem.end], [np.zeros(3), at])
    assert len(parts_of(model, True, [Lines([(("world", at), "rod")])]).rods) == 2
    builder = ModelBuilder("brick")
    builder.add_body("brick", 2.0, inertia=[0.1, 0.2, 0.25])
    builder.add_joint("free", "free", "world", "brick")
    brick = builder.build()
    for x, rods_drawn in ((0.1, 0), (2.0, 1)):  # in its box, and outside
        parts = parts_of(brick, True, [Lines([("world", ("brick", (x, 0.0, 0.0)))])])
        assert (len(parts.rods), len(parts.boxes)) == (rods_drawn, 1)


def test_lines_go_with_the_bodies_of_a_film_and_have_room_in_it():
    model = pendulum()
    lines = Lines([(("world", (0.0, 0.0, 3.0)), ("rod", (0.0, 0.0, -0.5)))], "rope", [4.0], color="#123456")
    motion = swing(model, samples=3, duration=1.0).replace(overlays=(lines,))
    assert motion[1:].overlays == (lines,)
    film = animate(motion.replace(model=model), rate=2.0)
    assert len(set(film.pictures)) == 3
    axes = plot_mechanism(model, overlays=lines)
    assert axes.get_zlim()[1] > 3.0
    with pytest.raises(KeyError, match="Lines 'rods': no frame 'rood'"):
        plot_mechanism(model, overlays=Lines([("world", "rood")]))
    still = Trajectory(q=np.zeros((2, 3, 1)), overlays=(lines,))  # a batch
    assert still.motion(1).overlays == (lines,)


def red(picture):
    """Count the pixels that have the colour of points."""
    return int((np.abs(picture[..., :3] - np.array([0xD6, 0x27, 0x28]) / 255.0).max(axis=-1) < 0.02).sum())


def test_a_motion_that_knows_its_mechanism_is_shown_alone_with_what_belongs_to_it(arm):
    t = np.linspace(0.0, 1.0, 5)
    marks = Points(np.arange(15.0).reshape(5, 1, 3), label="target")
    motion = Trajectory(t, np.zeros((5, arm.nq)), np.zeros((5, arm.nv)), model=arm, overlays=(marks,))
    late = motion[3:]
    np.testing.assert_array_equal(late.overlays[0].positions, marks.positions[3:])
    film = animate(late, rate=4.0)
    assert len(film.pictures) == 2
    assert len(plot_energy(motion, figure=pyplot.figure(figsize=(4.0, 3.0))).axes) == 2
    with pytest.raises(TrajectoryError, match="animate: the trajectory has no model"):
        animate(motion.replace(model=None))
    with pytest.raises(TrajectoryError, match=r"plot_energy: the trajectory is a batch of shape \(2,\)"):
        plot_energy(Trajectory(t, np.zeros((2, 5, arm.nq)), np.zeros((2, 5, arm.nv)), model=arm))
