"""Inertias of shapes: against integrals over the body, limits of one another, sums of parts, and trimesh."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.spatial import (
    ArgumentValueError,
    PlueckerError,
    check_consistent,
    inertia_parameters,
    pluecker_transform,
    pseudo_inertia,
    shapes,
    transform_inertia,
)
from tests.spatial import matrices as mat
from tests.spatial.precise import EPS

SIZES = [1e-6, 0.3, 1.0, 1e6]
sizes = st.floats(-6.0, 6.0).map(lambda x: 10.0**x)


# -------------------------------------------------------------------------- integrals: Gauss points, exact for polynomials


def grid(*axes):
    """All combinations of nodes, and the products of their weights."""
    nodes = [a.ravel() for a in np.meshgrid(*(x for x, _ in axes), indexing="ij")]
    weights = np.prod(np.meshgrid(*(w for _, w in axes), indexing="ij"), axis=0).ravel()
    return (*nodes, weights)


def gauss(low, high):
    """Nodes and weights on an interval, exact to degree 11."""
    x, w = np.polynomial.legendre.leggauss(6)
    return low + 0.5 * (high - low) * (x + 1.0), 0.5 * (high - low) * w


AROUND = (np.arange(8) * np.pi / 4.0, np.full(8, np.pi / 4.0))  # exact for sines and cosines of up to 7 angles


def in_box(size):
    x, y, z, w = grid(gauss(-0.5, 0.5), gauss(-0.5, 0.5), gauss(-0.5, 0.5))
    return np.stack([x, y, z], axis=-1) * size, w * np.prod(size)


def in_ball(semi_axes, lowest=-1.0, radii=None):
    """Return nodes and weights in the part of a ball with cos(angle to z) above ``lowest``; scaled along the axes."""
    rho, c, phi, w = grid(radii or gauss(0.0, 1.0), gauss(lowest, 1.0), AROUND)
    s = np.sqrt(1.0 - c * c)
    points = rho[:, None] * np.stack([s * np.cos(phi), s * np.sin(phi), c], axis=-1)
    return points * semi_axes, w * rho**2 * np.prod(semi_axes)


def in_cylinder(radius, length, taper=0.0):
    """Return nodes and weights in a cylinder from z = 0 on, whose radius shrinks by ``taper`` of itself on the way."""
    rho, t, phi, w = grid(gauss(0.0, 1.0), gauss(0.0, 1.0), AROUND)
    r = radius * (1.0 - taper * t)
    return np.stack([r * rho * np.cos(phi), r * rho * np.sin(phi), length * t], axis=-1), w * length * r**2 * rho


def in_capsule(radius, length):
    side, w_side = in_cylinder(radius, length)
    top, w_top = in_ball([radius] * 3, lowest=0.0)
    half = np.array([0.0, 0.0, 0.5 * length])
    points = np.concatenate([side - half, top + half, -(top + half)])
    return points, np.concatenate([w_side, w_top, w_top])


def in_tetrahedron(p):
    u, v, w, weight = grid(gauss(0.0, 1.0), gauss(0.0, 1.0), gauss(0.0, 1.0))
    parts = np.stack([u, v * (1.0 - u), w * (1.0 - u) * (1.0 - v)], axis=-1)
    edges = p[1:] - p[0]
    return p[0] + parts @ edges, weight * (1.0 - u) ** 2 * (1.0 - v) * abs(np.linalg.det(edges))


def integral(mass, points, weights):
    """The sum of [-x~x~, x~; -x~, 1] over the mass: the definition of inertia."""
    total = np.zeros((6, 6))
    for x, w in zip(points, weights * mass / weights.sum(), strict=True):
        X = mat.skew(x)
        total += w * np.block([[-X @ X, X], [-X, np.eye(3)]])
    return total


def assert_same(found, expected, mass, size, ulps=50):
    """Check equality to rounding, each entry in the unit that lengths of that size give it."""
    scale = np.repeat([size, 1.0], 3)
    unit = mass * scale[:, None] * scale
    np.testing.assert_allclose(found / unit, expected / unit, rtol=0, atol=ulps * EPS)
    ratio = np.diag(found)[np.diag(expected) > 0.0] / np.diag(expected)[np.diag(expected) > 0.0]
    np.testing.assert_allclose(ratio, 1.0, rtol=0, atol=ulps * EPS)  # moments that are small, too


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("aspect", [1e-3, 1.0, 50.0])
def test_inertia_is_the_integral_over_the_body(size, aspect):
    a, b, c = size, size * aspect, 0.7 * size
    largest = max(a, b, c)
    up = np.array([0.0, 0.0, 0.5 * b])
    centred = in_cylinder(a, b)
    vertices = size * np.array([[0.1, 0.2, 0.3], [1.0, aspect, 0.0], [0.0, 1.0, -1.0], [0.5, -0.2, aspect]])
    cases = [
        (shapes.box(3.0, [a, b, c]), in_box([a, b, c])),
        (shapes.ellipsoid(3.0, [a, b, c]), in_ball([a, b, c])),
        (shapes.sphere(3.0, a), in_ball([a, a, a])),
        (shapes.spherical_shell(3.0, a), in_ball([a, a, a], radii=(np.ones(1), np.ones(1)))),
        (shapes.cylinder(3.0, a, b), (centred[0] - up, centred[1])),
        (shapes.rod(3.0, b), (in_cylinder(0.0, b)[0] - up, centred[1])),
        (shapes.cone(3.0, a, b), in_cylinder(a, b, taper=1.0)),
        (shapes.capsule(3.0, a, b), in_capsule(a, b)),
        (shapes.tetrahedron(3.0, vertices), in_tetrahedron(vertices)),
    ]
    for found, (points, weights) in cases:
        assert_same(found, integral(3.0, points, weights), 3.0, largest, ulps=200)


# ----------------------------------------------------------------------------------------------------------- one another


def test_limits():
    np.testing.assert_array_equal(shapes.capsule(2.0, 0.3, 0.0), shapes.sphere(2.0, 0.3))
    np.testing.assert_array_equal(shapes.ellipsoid(2.0, [0.3, 0.3, 0.3]), shapes.sphere(2.0, 0.3))
    for thin in (shapes.cylinder(2.0, 1e-9, 0.5), shapes.box(2.0, [1e-9, 1e-9, 0.5]), shapes.capsule(2.0, 1e-9, 0.5)):
        np.testing.assert_allclose(thin, shapes.rod(2.0, 0.5), rtol=0, atol=1e-8)
    assert shapes.rod(2.0, 0.5)[2, 2] == 0.0
    for r in (1e-3, 1e-6):  # a shell is the difference of two balls, divided by what is between them
        outer, inner = (1.0 + r) ** 3, 1.0
        difference = (shapes.sphere(outer, 1.0 + r) - shapes.sphere(inner, 1.0)) / (outer - inner)
        np.testing.assert_allclose(difference, shapes.spherical_shell(1.0, 1.0), rtol=0, atol=2 * r + 10 * EPS / r)


def test_a_tetrahedron_does_not_know_the_order_of_its_vertices_nor_its_frame(rng):
    p = rng.normal(size=(4, 3))
    inertia = shapes.tetrahedron(2.0, p)
    for _ in range(5):
        np.testing.assert_allclose(shapes.tetrahedron(2.0, rng.permutation(p)), inertia, rtol=0, atol=50 * EPS)
    for offset in (1e-6, 1.0, 1e6):
        E, r = mat.random_rotation(rng), offset * rng.normal(size=3)
        there = transform_inertia(pluecker_transform(E, r), inertia)
        far = 1.0 + np.linalg.norm(r)
        assert_same(shapes.tetrahedron(2.0, (p - r) @ E.T), there, 2.0, far, ulps=100)


def test_a_needle_is_thin_and_not_flat():
    corners = np.vstack([np.zeros(3), np.diag([1.0, 1e6, 0.01])])
    assert_same(shapes.tetrahedron(2.0, corners), integral(2.0, *in_tetrahedron(corners)), 2.0, 1e6)


@given(sizes, sizes, sizes, sizes)
def test_every_shape_is_a_possible_body(mass, a, b, c):
    corners = np.vstack([np.zeros(3), np.diag([a, b, c])])
    for inertia in (
        shapes.box(mass, [a, b, c]), shapes.ellipsoid(mass, [a, b, c]), shapes.sphere(mass, a),
        shapes.spherical_shell(mass, a), shapes.rod(mass, a), shapes.cylinder(mass, a, b),
        shapes.capsule(mass, a, b), shapes.cone(mass, a, b), shapes.tetrahedron(mass, corners),
    ):  # fmt: skip
        check_consistent(inertia)
        unit = np.array([max(a, b, c)] * 3 + [1.0])
        P = pseudo_inertia(inertia) / unit / unit[:, None] / mass
        assert np.linalg.eigvalsh(P).min() > -8 * EPS
        np.testing.assert_array_equal(inertia, inertia.T)


# ----------------------------------------------------------------------------------------------------------------- meshes


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def trimesh():
    return pytest.importorskip("trimesh")


def test_a_mesh_of_a_box_and_of_a_tetrahedron_is_exact(trimesh, rng):
    found = shapes.mesh(trimesh.creation.box((0.5, 1.0, 2.0)), density=3.0)
    assert_same(found, shapes.box(3.0, [0.5, 1.0, 2.0]), 3.0, 2.0)
    p = rng.normal(size=(4, 3))
    p = p if np.linalg.det(p[1:] - p[0]) > 0 else p[[1, 0, 2, 3]]
    solid = trimesh.Trimesh(p, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    assert_same(shapes.mesh(solid, mass=3.0), shapes.tetrahedron(3.0, p), 3.0, 1.0)


def test_mesh_agrees_with_trimesh(trimesh):
    body = trimesh.creation.annulus(0.3, 0.5, 0.7)
    body.apply_transform(trimesh.transformations.rotation_matrix(0.7, [1, 2, 3], [0.4, 0.5, 0.6]))
    mass, center, inertia = inertia_parameters(shapes.mesh(body, density=2.0))
    np.testing.assert_allclose(mass, 2.0 * body.volume, rtol=1e-13)
    np.testing.assert_allclose(center, body.center_mass, rtol=0, atol=1e-13)
    np.testing.assert_allclose(inertia, 2.0 * body.moment_inertia, rtol=0, atol=1e-13)


def test_mass_or_density_in_batches(trimesh):
    body = trimesh.creation.box((0.5, 1.0, 2.0))
    mass = np.array([[1.0, 2.0, 3.0]])
    assert shapes.mesh(body, mass=mass).shape == (1, 3, 6, 6)
    np.testing.assert_allclose(
        shapes.mesh(body, density=mass), shapes.box(mass, [0.5, 1.0, 2.0]), rtol=0, atol=20 * EPS
    )


def test_a_mesh_far_from_its_origin_loses_no_more_than_its_coordinates(trimesh):
    body = trimesh.creation.box((0.5, 1.0, 2.0))
    body.apply_translation([1048576.0, -524288.0, 65536.0])  # coordinates stay exact
    there = pluecker_transform(np.eye(3), [-1048576.0, 524288.0, -65536.0])
    assert_same(shapes.mesh(body, mass=3.0), transform_inertia(there, shapes.box(3.0, [0.5, 1.0, 2.0])), 3.0, 1e6)
    found, expected = shapes.mesh(body, density=3.0)[3, 3], 3.0
    np.testing.assert_allclose(found, expected, rtol=10 * EPS)


def test_a_cavity_is_taken_away(trimesh):
    hole = trimesh.creation.box((0.5, 0.5, 0.5))
    hole.invert()
    hollow = trimesh.util.concatenate([trimesh.creation.box((1.0, 2.0, 3.0)), hole])
    np.testing.assert_allclose(
        shapes.mesh(hollow, density=2.0),
        shapes.box(12.0, [1, 2, 3]) - shapes.box(0.25, [0.5, 0.5, 0.5]),
        rtol=0,
        atol=100 * EPS,
    )


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off"])
def test_files_are_read(trimesh, tmp_path, suffix):
    path = tmp_path / f"box.{suffix}"
    trimesh.creation.box((0.5, 1.0, 2.0)).export(path)
    for name in (path, str(path)):
        np.testing.assert_allclose(shapes.mesh(name, mass=3.0), shapes.box(3.0, [0.5, 1.0, 2.0]), rtol=0, atol=20 * EPS)


def test_a_file_with_a_normal_for_each_face_is_closed(trimesh, tmp_path):
    """The file has each vertex once for each normal."""
    triangles = trimesh.creation.box((0.5, 1.0, 2.0)).triangles
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lines = [f"v {x} {y} {z}" for x, y, z in triangles.reshape(-1, 3)]
    lines += [f"vn {x} {y} {z}" for x, y, z in np.repeat(normals, 3, axis=0)]
    lines += [f"f {k}//{k} {k + 1}//{k + 1} {k + 2}//{k + 2}" for k in range(1, 3 * len(triangles), 3)]
    path = tmp_path / "box.obj"
    path.write_text("\n".join(lines))
    np.testing.assert_allclose(shapes.mesh(path, mass=3.0), shapes.box(3.0, [0.5, 1.0, 2.0]), rtol=0, atol=20 * EPS)


@pytest.mark.parametrize("content", ["", "v 1 2\nf 1 2 3\n", "f 1 2 3\n", "v a b c\n", "\0\1"])
@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "off"])
def test_a_broken_file_is_an_error_of_the_package(trimesh, tmp_path, content, suffix):
    path = tmp_path / f"broken.{suffix}"
    path.write_text(content)
    with pytest.raises(ArgumentValueError, match=r"^mesh: "):
        shapes.mesh(path, mass=1.0)


def test_a_surface_that_encloses_nothing_is_refused(trimesh, tmp_path):
    whole = trimesh.creation.box((1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match=r"^mesh: the mesh is not closed: 3 of 18 edges"):
        shapes.mesh(trimesh.Trimesh(whole.vertices, whole.faces[1:]), mass=1.0)
    soup = trimesh.Trimesh(whole.triangles.reshape(-1, 3), np.arange(36).reshape(12, 3), process=False)
    before = len(soup.vertices)
    np.testing.assert_allclose(shapes.mesh(soup, mass=1.0), shapes.box(1.0, [1.0, 1.0, 1.0]), rtol=0, atol=20 * EPS)
    assert len(soup.vertices) == before  # the user's mesh is as it was
    turned = whole.faces.copy()
    turned[0] = turned[0][::-1]
    with pytest.raises(ValueError, match="disagree about which side is outside"):
        shapes.mesh(trimesh.Trimesh(whole.vertices, turned, process=False), mass=1.0)
    inside_out = whole.copy()
    inside_out.invert()
    with pytest.raises(ValueError, match=r"the volume is -1 m\^3"):
        shapes.mesh(inside_out, mass=1.0)
    flat = whole.copy()
    flat.vertices = flat.vertices * [1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="or the mesh is flat"):
        shapes.mesh(flat, mass=1.0)
    with pytest.raises(ValueError, match="has no triangles"):
        shapes.mesh(trimesh.Trimesh(), mass=1.0)
    lost = whole.copy()
    lost.vertices[0, 0] = np.nan
    with pytest.raises(ValueError, match="vertices that are not finite"):
        shapes.mesh(lost, mass=1.0)
    path = tmp_path / "open.stl"
    trimesh.Trimesh(whole.vertices, whole.faces[1:]).export(path)
    with pytest.raises(ValueError, match=r"open\.stl is not closed"):
        shapes.mesh(path, mass=1.0)


def test_what_is_no_mesh_is_refused(trimesh, tmp_path):
    whole = trimesh.creation.box((1.0, 1.0, 1.0))
    with pytest.raises(FileNotFoundError, match=r"mesh: no such file: .*nothing\.stl") as caught:
        shapes.mesh(tmp_path / "nothing.stl", mass=1.0)
    assert isinstance(caught.value, PlueckerError)
    with pytest.raises(TypeError, match="mesh: shape is of type int"):
        shapes.mesh(3, mass=1.0)
    with pytest.raises(TypeError, match="mesh: neither of mass and density"):
        shapes.mesh(whole)
    with pytest.raises(TypeError, match="mesh: both of mass and density"):
        shapes.mesh(whole, mass=1.0, density=1.0)
    with pytest.raises(ValueError, match=r"mesh: density is -1\.0"):
        shapes.mesh(whole, density=-1.0)


# ------------------------------------------------------------------------------------------------------- shapes, errors


def test_masses_and_dimensions_broadcast():
    mass, r, l = np.full((4, 1), 2.0), np.array([1.0, 2.0, 3.0]), np.float64(0.5)
    for function in (shapes.cylinder, shapes.capsule, shapes.cone):
        assert function(mass, r, l).shape == (4, 3, 6, 6)
        np.testing.assert_array_equal(function(mass, r, l)[1, 2], function(2.0, 3.0, 0.5))
    for function in (shapes.sphere, shapes.spherical_shell, shapes.rod):
        assert function(mass, r).shape == (4, 3, 6, 6)
        assert function(2.0, r).shape == (3, 6, 6)
    for function in (shapes.box, shapes.ellipsoid):
        assert function(mass, np.ones((3, 3))).shape == (4, 3, 6, 6)
    assert shapes.capsule(2.0, 1.0, r).shape == (3, 6, 6)
    assert shapes.tetrahedron(mass, np.broadcast_to(np.eye(4)[:, :3], (3, 4, 3))).shape == (4, 3, 6, 6)
    assert shapes.sphere(np.empty((0,)), 1.0).shape == (0, 6, 6)
    assert shapes.tetrahedron(1.0, np.empty((0, 4, 3))).shape == (0, 6, 6)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: shapes.box(0.0, [1, 1, 1]), ValueError, r"^box: mass is 0\.0, expected a positive number"),
        (lambda: shapes.box(1.0, [1, -2, 1]), ValueError, r"^box: size\[1\] is -2\.0"),
        (lambda: shapes.spherical_shell(1.0, 0.0), ValueError, "^spherical_shell: radius is 0"),
        (lambda: shapes.rod(1.0, 0.0), ValueError, "^rod: length is 0"),
        (lambda: shapes.ellipsoid(1.0, [1, 0, 1]), ValueError, r"^ellipsoid: semi_axes\[1\] is 0"),
        (lambda: shapes.cylinder(1.0, -1.0, 1.0), ValueError, "^cylinder: radius is -1"),
        (
            lambda: shapes.capsule(1.0, 1.0, -0.5),
            ValueError,
            "^capsule: length is -0.5, expected a number that is not negative",
        ),
        (lambda: shapes.tetrahedron(1.0, np.zeros((4, 3))), ValueError, "lie in one plane"),
        (
            lambda: shapes.tetrahedron(1.0, [[0, 0, 1], [1, 0, 1], [0, 1, 1], [0.1, 0.7, 1]]),
            ValueError,
            "lie in one plane",
        ),
        (lambda: shapes.tetrahedron(1.0, 0.1 * np.arange(12).reshape(4, 3) + 1e6), ValueError, "lie in one plane"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
