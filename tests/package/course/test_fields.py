"""Grids of points, and drawings of fields: what the arrows, colours and lines of a drawing say."""

import numpy as np
import pytest

from pluecker.course import couple, grid, line_force, moment_at, plot_field, screw_axis, twist, velocity_at, wrench
from pluecker.spatial import ArgumentValueError

FILL = 0.9  # how much of the distance between two points the longest arrow takes
BARB = 0.35  # length of the head of an arrow in space, of the whole arrow
V = twist([0.1, 0.3, 1.0], [0.3, 0.1, 0.0], 2.0, 0.4)
F = wrench([1.0, 0.2, 0.0], [0.0, 0.0, 0.5], 10.0, -3.0)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    yield pyplot
    pyplot.close("all")


def quiver_of(axes):
    """The arrows of a drawing, the only collection that can be asked for ``U``, or that has lines in space"""
    (arrows,) = [c for c in axes.collections if hasattr(c, "U") or hasattr(c, "_segments3d")]
    return arrows


# ----------------------------------------------------------------------------------------------------------------- grids


def test_a_grid_holds_every_point_once():
    x, y, z = np.linspace(0, 1, 3), np.array([5.0, 7.0]), np.array([-1.0, 0.0, 1.0, 2.0])
    points = grid(x, y, z)
    assert points.shape == (3, 2, 4, 3)
    for i, j, k in np.ndindex(3, 2, 4):
        np.testing.assert_array_equal(points[i, j, k], [x[i], y[j], z[k]])


def test_one_number_gives_a_grid_no_axis():
    np.testing.assert_array_equal(grid(1.0, [2.0, 3.0], 4.0), [[1, 2, 4], [1, 3, 4]])
    np.testing.assert_array_equal(grid(1, 2, 3), [1, 2, 3])
    assert grid([], [1, 2], 0).shape == (0, 2, 3)


def test_a_field_on_a_grid_is_the_field_at_its_points():
    points = grid(np.linspace(-1, 1, 3), [0.5, 2.0], 0.25)
    for field, vector in ((velocity_at, V), (moment_at, F)):
        values = field(vector, points)
        assert values.shape == (3, 2, 3)
        np.testing.assert_array_equal(values[2, 1], field(vector, points[2, 1]))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: grid([[1, 2]], 0, 0), ValueError, r"grid: x has shape \(1, 2\), expected a number or \(n,\)"),
        (lambda: grid(0, "y", 0), TypeError, "grid: y must be"),
        (lambda: grid(0, 0, np.nan), ValueError, "grid: z is nan"),
    ],
)
def test_what_is_wrong_with_a_grid_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


# -------------------------------------------------------------------------------------------------------------- geometry


def axes_of_plane(plane):
    """Return the directions to the right, upwards and towards the viewer, as rows.

    A plane is given by letters, or by its normal; the direction to the right is then horizontal.
    """
    if isinstance(plane, str):
        right, up = (np.eye(3)["xyz".index(letter)] for letter in plane)
        return np.stack([right, up, np.cross(right, up)])
    towards = np.array(plane) / np.abs(plane).max()
    towards = towards / np.linalg.norm(towards)
    right = np.cross([0.0, 0.0, 1.0], towards) if towards[:2].any() else np.array([1.0, 0.0, 0.0])
    right = right / np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


# -------------------------------------------------------------------------------------------------------------- drawings

PLANES = ["xy", "yz", "zx", "xz", "yx", "zy", [1, 1, 1], [1, 2, 3], [0, 0, -2], [1e-200, 0, 1e-200]]
FIELDS = {"velocity": (V, velocity_at), "moment": (F, moment_at)}


@pytest.mark.parametrize(
    ("kind", "plane"), [*(("velocity", plane) for plane in PLANES), ("moment", "xz"), ("moment", [1, 2, 3])], ids=str
)
def test_arrows_in_a_plane_are_the_field_there(pyplot, kind, plane):
    vector, field = FIELDS[kind]
    rows = axes_of_plane(plane)
    middle = np.array([0.2, 0.4, -0.3])
    axes = plot_field(vector, kind, plane, center=middle, size=3.0, count=4)
    arrows = quiver_of(axes)
    places = np.column_stack([arrows.XY, np.full(16, rows[2] @ middle)]) @ rows  # back in three dimensions
    assert np.abs((places - middle) @ rows[:2].T).max() == pytest.approx(1.5)
    expected = field(vector, places)
    np.testing.assert_allclose(np.column_stack([arrows.U, arrows.V]), expected @ rows[:2].T, atol=1e-13)
    sizes = np.linalg.norm(expected, axis=-1)
    np.testing.assert_allclose(arrows.get_array(), sizes, rtol=1e-13)
    assert sizes.max() / arrows.scale == pytest.approx(FILL * 1.0)  # the points are 1 m apart
    if isinstance(plane, str):
        assert [axes.get_xlabel(), axes.get_ylabel()] == [f"{letter} (m)" for letter in plane]
    if plane in ("xy", [1, 2, 3]):
        pyplot.gcf().canvas.draw()


def test_the_axis_is_cut_where_the_drawing_ends(pyplot):
    """Half a distance of the points beyond the outermost: at 1 m here."""
    for direction, point, ends in (
        ([0.6, 0.0, 0.8], [0.0, 0.0, 0.0], [[-0.75, 0.0, -1.0], [0.75, 0.0, 1.0]]),
        ([0.0, 1.0, 0.0], [0.5, 9.0, -0.3], [[0.5, -1.0, -0.3], [0.5, 1.0, -0.3]]),
        ([0.0, 1.0, 0.0], [1.5, 0.0, 0.0], None),
        ([0.6, 0.0, 0.8], [5.0, 0.0, 0.0], None),
    ):
        axes = plot_field(twist(direction, point), size=1.0, count=2)
        assert axes.get_title().endswith("; the axis is outside") == (ends is None), (direction, point)
        lines = [np.array(line.get_data_3d()).T for line in axes.lines]
        assert len(lines) == (ends is not None)
        if ends is not None:
            np.testing.assert_allclose(lines[0], ends, atol=1e-15)


def test_dots_and_crosses_are_where_the_field_comes_out_of_the_plane(pyplot):
    axes = plot_field(line_force([1, 0, 0], [0, 0.5, 0]), "moment", "xy", count=5)
    handles, labels = axes.get_legend_handles_labels()
    assert labels == ["towards the viewer", "away from the viewer", "central axis"]
    marks = [c for c in axes.collections if not hasattr(c, "U") and len(c.get_offsets())]
    above, below = (c.get_offsets()[:, 1] for c in marks)
    assert set(above) == {1.0}  # n = f x OP from the line y = 0.5, along +z above it
    assert set(below) == {-1.0, -0.5, 0.0}
    assert len(handles) == 3


def test_arrows_in_space_have_the_colour_of_their_length(pyplot):
    axes = plot_field(V, count=3, size=4.0)
    arrows = quiver_of(axes)
    tails, tips, left, back, right = np.array(arrows._segments3d).swapaxes(0, 1)
    values = velocity_at(V, tails)
    sizes = np.linalg.norm(values, axis=-1)
    np.testing.assert_allclose(tips - tails, values * (FILL * 2.0 / sizes.max()), atol=1e-12)
    np.testing.assert_allclose(arrows.get_array(), sizes, rtol=1e-12)
    np.testing.assert_array_equal(back, tips)
    middle = 0.5 * (left + right)  # of the barbs lies on the shaft, behind the tip
    np.testing.assert_allclose(middle, tips - BARB * (tips - tails), atol=1e-12)
    np.testing.assert_allclose(np.sum((left - right) * values, axis=-1), 0.0, atol=1e-12)
    assert len(sizes) == 27
    pyplot.gcf().canvas.draw()


def test_the_axis_is_drawn_where_it_is(pyplot):
    axis = screw_axis(V)
    (line,) = plot_field(V).get_lines()
    ends = np.array(line.get_data_3d()).T
    np.testing.assert_allclose(np.cross(ends - axis.point, axis.direction), 0.0, atol=1e-13)
    (cut,) = plot_field(V, plane="xy").get_lines()
    x, y = np.array(cut.get_data()).mean(axis=1)
    np.testing.assert_allclose(np.cross([x, y, 0] - axis.point, axis.direction), 0.0, atol=1e-8)
    (along,) = plot_field(twist([1, 0, 0], [0, 0.5, 0]), plane="xy", size=2.0, count=3).get_lines()
    np.testing.assert_allclose(np.transpose(along.get_data()), [[-1.5, 0.5], [1.5, 0.5]], atol=1e-15)
    middle = [2.0, 0.5, 7.0]
    (moved,) = plot_field(twist([1, 0, 0], [0, 0.5, 7]), plane="xy", center=middle, size=2.0, count=3).get_lines()
    np.testing.assert_allclose(np.transpose(moved.get_data()), [[0.5, 0.5], [3.5, 0.5]], atol=1e-15)
    far = plot_field(twist([0, 0, 1], [5, 0, 0]), plane="xy")
    assert not far.get_lines()
    assert "the axis is outside" in far.get_title()


def test_a_drawing_says_what_it_shows_and_in_which_units(pyplot):
    axes = plot_field(V)
    assert axes.get_title() == "Velocity field\n2 rad/s about the axis, 0.4 m/s along it"
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x (m)", "y (m)", "z (m)"]
    assert axes.figure.axes[1].get_ylabel() == "velocity (m/s)"
    axes = plot_field(F, "moment", "yz")
    assert axes.get_title() == "Moment field\n10 N along the axis, -3 N m about it"
    assert [axes.get_xlabel(), axes.get_ylabel()] == ["y (m)", "z (m)"]
    assert axes.get_aspect() == 1.0
    assert axes.figure.axes[1].get_ylabel() == "moment (N m)"
    assert plot_field([0, 0, 0, 3, 4, 0], plane="xy").get_title() == "Velocity field\ntranslation, 5 m/s"
    constant = plot_field(couple([1, 2, 3]), "moment", [1, 1, 1])
    assert constant.get_title() == "Moment field\ncouple, 3.74 N m"
    assert constant.get_xlabel() == "along (-0.71, 0.71, 0) (m)"


def test_a_drawing_goes_where_it_is_asked_to(pyplot):
    figure, (left, right) = pyplot.subplots(1, 2)
    assert plot_field(V, plane="xy", ax=left) is left
    assert plot_field(F, "moment", "xy", ax=right) is right
    space = figure.add_subplot(projection="3d")
    assert plot_field(V, ax=space) is space
    assert len(pyplot.get_fignums()) == 1
    with pytest.raises(ValueError, match="ax does not fit the drawing, expected plain axes"):
        plot_field(V, plane="xy", ax=space)
    with pytest.raises(ValueError, match="ax does not fit the drawing, expected axes of a 3D projection, or a plane"):
        plot_field(V, ax=left)
    with pytest.raises(TypeError, match="ax is Figure, expected axes"):
        plot_field(V, ax=figure)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plot_field(np.zeros(6)), ValueError, "vector is zero, and so is its field"),
        (lambda: plot_field(np.ones((2, 6))), ValueError, r"vector has shape \(2, 6\), expected \(6,\): one drawing"),
        (lambda: plot_field(V, "force"), ValueError, "kind is 'force', expected one of 'velocity', 'moment'"),
        (lambda: plot_field(V, plane="xx"), ValueError, "plane is 'xx', expected two of the letters"),
        (lambda: plot_field(V, plane="front"), ValueError, "plane is 'front'"),
        (lambda: plot_field(V, plane=[0, 0, 0]), ValueError, "plane is a zero vector"),
        (lambda: plot_field(V, size=0.0), ValueError, "size is 0.0, expected a length above zero"),
    ],
)
def test_what_is_wrong_with_a_drawing_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("vector", [[1e160, 0, 0, 0, 0, 0], [0, 0, 0, 1e-308, 0, 0]])
@pytest.mark.parametrize("plane", [None, "xy", "yz"])
def test_fields_whose_squares_leave_float64_are_refused(vector, plane):
    with pytest.raises(ArgumentValueError, match="plot_field: the field has magnitudes of"):
        plot_field(vector, plane=plane)
