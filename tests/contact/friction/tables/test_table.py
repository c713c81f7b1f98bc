"""Contact tables and rows: frames on the whole sphere, soft contact against a spring and a damper, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.contact import ContactTable, ProblemError, Rows, contact_frames, soft_contact
from pluecker.spatial import ArgumentTypeError
from tests.contact.random_scenes import EPS, unit

REFUSED = ProblemError, ArgumentTypeError

LOWEST = -0.65  # n_z of the circle on which frames jump, as their docstring says
CONTACT = {"bodies": [[0, 1], [1, 3]], "normal": [[0, 0, 1], [1, 0, 0]], "point": np.zeros((2, 3))}
ROW = {"bodies": [[0, 1], [2, -1]], "jacobian": np.stack([np.ones((2, 6)), np.eye(2, 1) * np.ones(6)])}


def sphere():
    """Points all over the sphere, the axes and edges between them, and points next to all these."""
    rng = np.random.default_rng(1)
    corners = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], float)
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    near = [corners + size * rng.normal(size=(26, 3)) for size in (0.0, 1e-300, 1e-16, 1e-12, 1e-8, 1e-4)]
    n = np.concatenate([unit(rng, 20000), *near])
    return n / np.linalg.norm(n, axis=1, keepdims=True)


# ---------------------------------------------------------------------------------------------------------------- frames


def test_frames_are_orthonormal_and_right_handed_all_over_the_sphere():
    n = sphere()
    F = contact_frames(n)
    assert np.abs(F @ np.swapaxes(F, 1, 2) - np.eye(3)).max() < 16 * EPS
    np.testing.assert_allclose(np.cross(F[:, 0], F[:, 1]), F[:, 2], atol=16 * EPS)
    np.testing.assert_allclose(F[:, 0], n, atol=2 * EPS)


def test_frames_change_by_as_little_as_normals_do():
    """They jump only on the circle n_z = -0.65. Elsewhere the slope is 1 / (1 + n_z) at most, and a little."""
    rng, n = np.random.default_rng(2), sphere()
    for size in (1e-3, 1e-6, 1e-9):
        other = n + size * unit(rng, len(n))
        other /= np.linalg.norm(other, axis=1, keepdims=True)
        same = (n[:, 2] < LOWEST) == (other[:, 2] < LOWEST)
        change = np.abs(contact_frames(n) - contact_frames(other)).max(axis=(1, 2))
        assert (change[same] < 2.5 / (1 + LOWEST) * size + 1e-14).all()
        assert np.mean(same) > 0.99


def test_the_circle_of_the_jump_is_away_from_axes_and_usual_slopes():
    slopes = np.radians([0, 10, 15, 20, 30, 45, 60, 75, 80, 90])
    heights = np.concatenate([np.sin(slopes), [0.6, 0.8]])
    assert np.abs(heights + LOWEST).min() > 0.03
    both = contact_frames([[np.sqrt(1 - z * z), 0, z] for z in (LOWEST - 1e-9, LOWEST + 1e-9)])
    assert np.abs(both[0] - both[1]).max() > 0.5  # it is there, as it has to be somewhere


def test_tangents_of_coordinate_axes_are_coordinate_axes():
    n = np.concatenate([np.eye(3), -np.eye(3)])
    F = contact_frames(n)
    assert set(np.unique(F)) <= {-1.0, 0.0, 1.0}
    np.testing.assert_array_equal(F[2], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(contact_frames([0.0, 1.0, -0.0]), contact_frames([0.0, 1.0, 0.0]))


def test_frames_take_any_leading_axes():
    n = unit(np.random.default_rng(3), 2, 5)
    assert contact_frames(n).shape == (2, 5, 3, 3)
    np.testing.assert_array_equal(contact_frames(n)[1, 2], contact_frames(n[1, 2]))
    assert contact_frames(np.zeros((0, 3))).shape == (0, 3, 3)
    with pytest.raises(REFUSED, match=r"normal has shape \(2,\), expected \(..., 3\)"):
        contact_frames([1.0, 0.0])
    with pytest.raises(REFUSED, match="contact 1: normal has length 2, expected 1"):
        contact_frames([[1.0, 0, 0], [2, 0, 0]])


# ---------------------------------------------------------------------------------------------------------- soft contact


@given(st.floats(1.0, 1e6), st.floats(0.0, 1e4), st.floats(1e-5, 0.1), st.floats(0.1, 10.0), st.floats(-1e-2, 0.0))
def test_soft_contact_is_a_spring_and_a_damper_at_the_end_of_the_step(k, d, h, m, gap):
    """0 = u + c r + s gap / h against the implicit step m (u - u0) = r = -h (k (gap + h u) + d u)."""
    c, s = soft_contact(k, d, h)
    u0 = -0.3
    u = (m * u0 - h * k * gap) / (m + h * (h * k + d))
    r = -h * (k * (gap + h * u) + d * u)
    sizes = abs(u) + abs(c * h * k * gap) + abs(s * gap / h)
    assert abs(u + c * r + s * gap / h) <= 16 * EPS * sizes
    assert 0.0 <= s <= 1.0


def test_soft_contact_without_a_damper_or_a_spring():
    assert soft_contact(100.0, 0.0, 0.1).erp == 1.0
    assert soft_contact(0.0, 10.0, 0.1).erp == 0.0
    pair = soft_contact([100.0, 200.0], [[1.0], [2.0], [3.0]], 0.1)
    assert pair.compliance.shape == pair.erp.shape == (3, 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0, 0.0, 0.1), "both zero"),
        ((-1.0, 0.0, 0.1), "stiffness is -1.0"),
        ((1.0, np.nan, 0.1), "damping is nan"),
        ((1.0, 1.0, 0.0), "step is 0.0"),
        (([1, 2], [1, 2, 3], 0.1), r"stiffness of shape \(2,\) and damping of shape \(3,\) do not broadcast"),
        (([1.0, -2.0], 1.0, 0.1), r"stiffness\[1\] is -2.0, expected a finite number"),
        (([1, [2]], 1.0, 0.1), "stiffness is not a rectangular array"),
        (([1.0, 0.0], 0.0, 0.1), "both zero"),
        ((1.0, 1.0, np.complex128(1.0)), "step is"),
    ],
)
def test_soft_contact_refuses(arguments, words):
    with pytest.raises(REFUSED, match=words):
        soft_contact(*arguments)


# ---------------------------------------------------------------------------------------------------------------- tables


def test_one_number_is_one_for_all_contacts():
    table = ContactTable(**CONTACT, friction=0.5, gap=0.1, restitution=1, compliance=0.2)
    for name, value in (("friction", 0.5), ("gap", 0.1), ("restitution", 1.0), ("compliance", 0.2)):
        np.testing.assert_array_equal(getattr(table, name), [value, value])
    assert len(table) == 2


@pytest.mark.parametrize(
    ("friction", "size"), [(0.5, 3), ([0.1, 0.2], 3), (np.ones((2, 1)), 3), (np.ones((2, 2)), 5), (np.ones((2, 3)), 6)]
)
def test_coefficients_decide_the_components(friction, size):
    assert ContactTable(**CONTACT, friction=friction).size == size


def test_normals_become_exactly_unit_vectors():
    table = ContactTable([[0, 1]], [[0.6 * (1 + 5e-7), 0, 0.8 * (1 + 5e-7)]], [[0, 0, 0]])
    assert abs(np.linalg.norm(table.normal[0]) - 1.0) <= 2 * EPS


def test_pairs_in_any_order_are_put_in_order():
    table = ContactTable.ordered(
        [[3, 1], [0, 2]], [[0, 0, 1], [1, 0, 0]], np.zeros((2, 3)), gap=[1.0, 2.0], friction=0.1
    )
    np.testing.assert_array_equal(table.bodies, [[1, 3], [0, 2]])
    np.testing.assert_array_equal(table.normal, [[0, 0, -1], [1, 0, 0]])
    np.testing.assert_array_equal(table.gap, [1.0, 2.0])


def test_tables_keep_no_input_and_cannot_be_written_to():
    point = np.zeros((2, 3))
    table = ContactTable(CONTACT["bodies"], CONTACT["normal"], point)
    point[:] = 7.0
    assert not table.point.any()
    with pytest.raises(ValueError, match="read-only"):
        table.bodies[0] = 3


def test_empty_tables():
    assert len(ContactTable([], np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    assert len(Rows([], np.zeros((0, 2, 6)))) == 0


WRONG_BODIES = [
    ([[0, 1], [2]], r"bodies is not a rectangular array, expected integers of shape \(K, 2\)"),
    ([[0, 1], [1.0, 2.5]], "bodies is float64 .*, expected integers .*: contact 0 has 0.0 and 1.0"),
    ([[False, True], [False, True]], "bodies is bool .*: contact 0 has False and True"),
    (np.array([[0, 1], [1, 2.5]], dtype=object), "bodies is object .*: contact 1 has 1 and 2.5"),
    (np.array([[0, 1], [True, 2]], dtype=object), "bodies is object .*: contact 1 has True and 2"),
    ([[0, 1], [1, 2**70]], "contact 1 has 1 and 1180591620717411303424"),
    (np.array([[0, 1], [1, 2**63]], dtype=np.uint64), "bodies is uint64 .*: contact 1 has 1 and 9223372036854775808"),
    (np.ma.masked_array([[0, 1], [1, 2]], [[0, 0], [0, 1]]), "bodies has masked entries"),
    ("both", "bodies is 'both', expected integers"),
    (None, "bodies is None, expected integers"),
]


@pytest.mark.parametrize(("bodies", "words"), WRONG_BODIES)
def test_pairs_in_any_order_are_integers_too(bodies, words):
    with pytest.raises(REFUSED, match=words):
        ContactTable.ordered(bodies, CONTACT["normal"], CONTACT["point"])


def test_integers_of_any_width_are_bodies():
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, object):
        table = ContactTable(np.array(CONTACT["bodies"], dtype=dtype), CONTACT["normal"], CONTACT["point"])
        assert table.bodies.dtype == np.int64
        np.testing.assert_array_equal(table.bodies, CONTACT["bodies"])


@pytest.mark.parametrize("name", ["normal", "point"])
def test_ragged_columns_of_pairs_in_any_order(name):
    columns = {"normal": CONTACT["normal"], "point": CONTACT["point"], name: [[1, 0, 0], [1, 0]]}
    with pytest.raises(REFUSED, match=f"{name} is not a rectangular array"):
        ContactTable.ordered(CONTACT["bodies"], **columns)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bodies": [[0, 1], [2, 2]]}, "contact 1: both bodies are 2"),
        ({"bodies": [[0, 1], [3, 2]]}, "contact 1: bodies are 3 and 2, expected i < j"),
        ({"bodies": [[-1, 1], [1, 2]]}, "contact 0: bodies are -1 and 1, expected numbers that are not negative"),
        ({"bodies": [[0.0, 1.0], [1.0, 2.0]]}, r"bodies is float64 of shape \(2, 2\), expected integers"),
        ({"bodies": [0, 1]}, r"expected integers of shape \(K, 2\)"),
        *((({"bodies": wrong}), words) for wrong, words in WRONG_BODIES),
        ({"gap": [0.0, [1.0]]}, "gap is not a rectangular array"),
        ({"point": [[0, 0, 0], [0, 0]]}, "point is not a rectangular array"),
        ({"normal": [[0, 0, 1], [1, 1, 0]]}, "contact 1: normal has length 1.414"),
        ({"normal": [[0, 0, 1], [0, 0, 0]]}, "contact 1: normal has length 0"),
        ({"normal": [[0, 0, 1], [np.nan, 0, 1]]}, r"contact 1: normal\[0\] is nan"),
        ({"normal": np.zeros((3, 3))}, r"normal has shape \(3, 3\), expected \(2, 3\)"),
        ({"point": [[0, 0, 0], [0, np.inf, 0]]}, r"contact 1: point\[1\] is inf"),
        ({"gap": [0.0, np.nan]}, "contact 1: gap is nan"),
        ({"gap": [0.0]}, r"gap has shape \(1,\), expected \(2,\)"),
        ({"friction": [0.1, -0.1]}, "contact 1: friction is -0.1"),
        ({"friction": [[0.1, 0.1], [0.1, -1]]}, "contact 1: rolling friction is -1"),
        ({"friction": np.ones((2, 4))}, r"friction has shape \(2, 4\)"),
        ({"friction": np.ones((2, 0))}, r"friction has shape \(2, 0\)"),
        ({"friction": "slippery"}, "friction is .*, expected an array of real numbers"),
        ({"restitution": [0.0, 1.1]}, "contact 1: restitution is 1.1, expected 0 to 1"),
        ({"restitution": -0.1}, "contact 0: restitution is -0.1"),
        ({"compliance": [0.0, -1.0]}, "contact 1: compliance is -1.0"),
        ({"compliance": [[0, 0, 0], [0, 0, -2.0]]}, "contact 1: compliance is -2.0"),
        ({"compliance": np.ones((2, 2))}, r"compliance has shape \(2, 2\), expected \(2, 3\)"),
    ],
)
def test_refusals_name_the_contact(change, words):
    with pytest.raises(REFUSED, match=words):
        ContactTable(**{**CONTACT, **change})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bodies": [[0, 1], [2, 2]]}, "row 1: bodies are 2 and 2"),
        ({"bodies": [[-1, 1], [2, -1]]}, "row 0: bodies are -1 and 1"),
        ({"bodies": [[0, -2], [2, -1]]}, "row 0: bodies are 0 and -2"),
        ({"bodies": [[0, 1], [2]]}, r"bodies is not a rectangular array, expected integers of shape \(R, 2\)"),
        ({"bodies": [[0, 1], [2**70, -1]]}, "row 1 has 1180591620717411303424 and -1"),
        ({"bodies": [[0, 1], [True, -1.0]]}, "bodies is float64 .*: row 0 has 0.0 and 1.0"),
        ({"jacobian": [[1], [1, 2]]}, "jacobian is not a rectangular array"),
        ({"lower": [0.0, [1.0]]}, "lower is not a rectangular array"),
        ({"bodies": [[0, -1], [2, -1]]}, "row 0: there is no second body, but its jacobian is not zero"),
        ({"jacobian": np.ones((2, 12))}, r"jacobian has shape \(2, 12\), expected \(2, 2, 6\): one entry for each row"),
        ({"jacobian": np.full((2, 2, 6), np.nan)}, r"row 0: jacobian\[0, 0\] is nan"),
        ({"lower": [0.0, 2.0], "upper": [1.0, 1.0]}, "row 1: bounds are 2.0 and 1.0"),
        ({"lower": [0.0, np.nan]}, "row 1: lower is nan"),
        ({"lower": np.inf}, "row 0: bounds are inf and inf"),
        ({"offset": [0.0, np.inf]}, "row 1: offset is inf"),
        ({"compliance": [0.0, -1.0]}, "row 1: compliance is -1.0"),
    ],
)
def test_refusals_name_the_row(change, words):
    with pytest.raises(REFUSED, match=words):
        Rows(**{**ROW, **change})
