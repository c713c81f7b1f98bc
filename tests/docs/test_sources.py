"""Remarks of docs/sources.md on the source documents: each error shown by a law of mechanics, each citation followed.

Only NumPy, and formulas as they are printed beside formulas as they must be. Velocities are ``[v_i, w_i, v_j, w_j]``, linear
parts first, as in documents 000 and 002.
"""

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "sources.md"
STEP = 1e-6  # of central differences: errors of 1e-10 in numbers of order one
CLOSE = 1e-8


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def unit(a):
    return a / np.linalg.norm(a)


def turned(R, w, t):
    """The orientation after a time t at the angular velocity w, in world axes."""
    return expm(t * skew(w)) @ R


def rate(function):
    """The derivative of a function of time, at 0."""
    return (function(STEP) - function(-STEP)) / (2.0 * STEP)


def momentum(position_i, position_j, row):
    """Linear and angular momentum, about the origin, of a unit impulse on both bodies along a row of 12 numbers."""
    on_i, n_i, on_j, n_j = row.reshape(4, 3)
    return on_i + on_j, np.cross(position_i, on_i) + n_i + np.cross(position_j, on_j) + n_j


# --------------------------------------------------------------------------------------------- document 000: joint limits


def slider(rng):
    """Centres of mass, the axis, and a motion that a slider allows: one angular velocity, sliding along the axis."""
    r_i, r_j, w, v_i = rng.normal(size=(4, 3))
    s = unit(rng.normal(size=3))
    v_j = v_i + np.cross(w, r_j - r_i) + 0.7 * s
    return r_i, r_j, s, v_i, v_j, w


def limit_row(r_i, r_j, s, sign_i):
    """The row of the displacement along the axis; the document prints the sign + at body i."""
    half = 0.5 * np.cross(r_j - r_i, s)
    return np.concatenate([-s, sign_i * half, s, -half])


def test_the_limit_of_a_slider_conserves_angular_momentum(rng):
    r_i, r_j, s, *_ = slider(rng)
    linear, angular = momentum(r_i, r_j, limit_row(r_i, r_j, s, -1.0))
    assert np.allclose(linear, 0.0, atol=CLOSE)
    assert np.allclose(angular, 0.0, atol=CLOSE)
    _, lost = momentum(r_i, r_j, limit_row(r_i, r_j, s, 1.0))
    assert np.allclose(lost, np.cross(r_j - r_i, s))  # as printed


def test_the_limit_row_of_a_slider_is_the_rate_of_its_displacement(rng):
    r_i, r_j, s, v_i, v_j, w = slider(rng)
    u = np.concatenate([v_i, w, v_j, w])

    def displacement(t):
        c = (r_j + t * v_j) - (r_i + t * v_i)
        return turned(np.eye(3), w, t) @ s @ c

    assert limit_row(r_i, r_j, s, -1.0) @ u == pytest.approx(rate(displacement), abs=CLOSE)
    assert abs(limit_row(r_i, r_j, s, 1.0) @ u - rate(displacement)) > 0.1  # as printed


def test_a_violated_upper_limit_closes():
    theta_hi, k_cor = 1.0, 2.0
    theta = 1.5
    fastest = -k_cor * (theta - theta_hi)  # J_hi = -J_lo: -rate >= b, at b = k_cor (theta - theta_hi)
    assert fastest < 0.0
    as_printed = -k_cor * (theta_hi - theta)  # b = k_cor (theta_hi - theta)
    assert as_printed > 0.0  # it may go on opening


def test_the_angle_of_a_hinge_is_read_in_the_axes_of_a_body(rng):
    q_i0, q_j0, carried = (Rotation.random(random_state=k) for k in range(3))
    s, theta = unit(rng.normal(size=3)), 0.6
    q_i = carried * q_i0
    q_j = carried * Rotation.from_rotvec(theta * s) * q_j0  # about s, which both bodies carry along
    q_ini = q_j0 * q_i0.inv()

    right = (q_i.inv() * q_j) * (q_i0.inv() * q_j0).inv()
    assert np.allclose(right.as_rotvec(), theta * q_i0.inv().apply(s))  # about the axis, in the axes of body i

    printed = q_i * q_j.inv() * q_ini
    in_the_world = q_j * q_i.inv() * q_ini.inv()  # with the order and the sign mended alone
    assert abs(printed.magnitude() - theta) > 0.1
    assert abs(in_the_world.magnitude() - theta) > 0.1

    still_i, still_j = q_i0, Rotation.from_rotvec(theta * s) * q_j0  # body i has not moved
    assert np.allclose((still_j * still_i.inv() * q_ini.inv()).as_rotvec(), theta * s)
    assert np.allclose((still_i * still_j.inv() * q_ini).magnitude(), theta)
    backwards = q_ini.inv().apply(-theta * s)  # as printed, the other way round and in other axes
    assert np.allclose((still_i * still_j.inv() * q_ini).as_rotvec(), backwards)


# ---------------------------------------------------------------------------------------- document 000: joints and errors


def test_the_row_of_a_hinge_2_is_the_rate_of_the_angle_only_along_a_unit_vector(rng):
    s_i, s_j = unit(rng.normal(size=3)), unit(rng.normal(size=3))
    w_i, w_j = rng.normal(size=(2, 3))

    def angle(t):
        return np.arccos((turned(np.eye(3), w_i, t) @ s_i) @ (turned(np.eye(3), w_j, t) @ s_j))

    u = np.cross(s_i, s_j)
    assert unit(u) @ (w_j - w_i) == pytest.approx(rate(angle), abs=CLOSE)
    assert u @ (w_j - w_i) == pytest.approx(np.sin(angle(0.0)) * rate(angle), abs=CLOSE)  # as printed


def test_the_row_and_the_error_of_a_universal_joint_agree(rng):
    s_i, s_j = unit(rng.normal(size=3)), unit(rng.normal(size=3))
    w_i, w_j = rng.normal(size=(2, 3))

    def cosine(t):
        return (turned(np.eye(3), w_i, t) @ s_i) @ (turned(np.eye(3), w_j, t) @ s_j)

    assert np.cross(s_i, s_j) @ (w_j - w_i) == pytest.approx(-rate(cosine), abs=CLOSE)  # = k_cor cos: the cosine decays


def test_the_share_of_an_error_that_a_step_removes_is_k_erp():
    k_erp, h = 0.2, 0.01
    k_cor = k_erp / h
    error = 1.0
    assert error - h * (k_cor * error) == pytest.approx(1.0 - k_erp)
    assert abs(error - h * (k_cor * k_cor * error)) > 1.0  # twice, as printed for wheel, universal and fixed joints


def test_the_error_of_a_fixed_joint_is_that_of_the_centres(rng):
    r_i, r_j, v_i, w = rng.normal(size=(4, 3))
    R, off = Rotation.random(random_state=1).as_matrix(), rng.normal(size=3)
    v_j = rng.normal(size=3)

    def error(t):
        return (r_j + t * v_j) - (r_i + t * v_i) - turned(R, w, t) @ off

    row = v_i - skew(R @ off) @ w - v_j
    assert np.allclose(row, -rate(error), atol=CLOSE)  # J u = k_cor error: the error decays


def test_the_error_of_two_points_on_a_line_shrinks(rng):
    r_i, r_j, h = 1.0, 0.4, 0.1
    error = r_i - r_j
    after = error + h * (-error / h)  # v_i - v_j = - r_err / h
    assert after == pytest.approx(0.0)
    assert error + h * (error / h) == pytest.approx(2.0 * error)  # as printed


def test_motors_of_slider_and_hinge_push_body_j_forward_and_conserve_angular_momentum(rng):
    r_i, r_j, s, v_i, v_j, w = slider(rng)
    right = limit_row(r_i, r_j, s, -1.0)  # the same row as that of the lower limit
    printed = np.concatenate([s, np.zeros(3), -s, np.zeros(3)])
    hinge = np.concatenate([np.zeros(3), -s, np.zeros(3), s])
    sliding = np.concatenate([v_i, w, v_j, w])
    turning = np.concatenate([np.zeros(3), w, np.zeros(3), w + 0.7 * s])
    assert right @ sliding == pytest.approx(0.7)
    assert hinge @ turning == pytest.approx(0.7)
    assert printed @ np.concatenate([v_i, w, v_i + 0.7 * s, w]) == pytest.approx(-0.7)  # the other sign
    assert np.linalg.norm(momentum(r_i, r_j, printed)[1]) > 0.1  # and a torque from nowhere
    assert np.allclose(momentum(r_i, r_j, right), 0.0, atol=CLOSE)


def test_a_motor_of_bounded_force_changes_momentum_by_force_times_step():
    m, h, force, wanted = 2.0, 0.01, 3.0, 100.0
    A, b = 1.0 / m, -wanted  # A lambda + b, from rest: lambda is an impulse, as A has no factor h
    needed = -b / A
    assert np.clip(needed, -force * h, force * h) / m == pytest.approx(h * force / m)
    assert np.clip(needed, -force, force) / m == pytest.approx(force / m)  # as printed: 1 / h times as much


def test_constraint_force_mixing_is_compliance_times_step():
    from pluecker.contact import soft_contact

    m, h, k, d = 2.0, 0.01, 5e3, 30.0
    x, v = 0.02, -0.4
    after = (m * v - h * k * x) / (m + h * d + h * h * k)  # m (v' - v) = -h (k (x + h v') + d v')
    c, share = soft_contact(k, d, h)
    cfm = float(c) * h
    assert cfm == pytest.approx(1.0 / (h * k + d))  # the manual of ODE
    assert float(share) == pytest.approx(h * k / (h * k + d))
    target = -float(share) * x / h  # J v' = target - CFM lambda, lambda a force
    force = (target - v) / h / (1.0 / m + cfm / h)  # (J M^-1 J' + K / h) lambda = (b - J v) / h, document 000
    assert v + h * force / m == pytest.approx(after)
    impulse = (target - v) / (1.0 / m + float(c))  # the same with the impulse h lambda and the compliance c
    assert impulse == pytest.approx(h * force)


# ------------------------------------------------------------------------------------------------------------ document 001


def rigid_body(rng):
    """m, I_C, c, w, v_O."""
    A = rng.normal(size=(3, 3))
    return 1.7, A @ A.T + np.eye(3), *rng.normal(size=(3, 3))


def test_momentum_about_the_origin_comes_from_the_inertia_about_the_centre_of_mass(rng):
    m, I_C, c, w, v_O = rigid_body(rng)
    I_O = I_C - m * skew(c) @ skew(c)
    angular = I_O @ w + m * np.cross(c, v_O)  # section 48.1, the product I v
    assert np.allclose(I_C @ w - m * np.cross(c, np.cross(c, w)) + m * np.cross(c, v_O), angular)
    assert not np.allclose(I_O @ w - m * np.cross(c, np.cross(c, w)) + m * np.cross(c, v_O), angular)  # as printed


def test_the_equation_of_motion_contains_eulers(rng):
    _, I_C, _, w, w_rate = rigid_body(rng)
    R = Rotation.random(random_state=2).as_matrix()
    I_body = R.T @ I_C @ R

    def angular_momentum(t):
        spin = w + t * w_rate
        turn = expm(t * skew(w) + 0.5 * t * t * skew(w_rate)) @ R  # to second order
        return turn @ I_body @ turn.T @ spin

    assert np.allclose(I_C @ w_rate + np.cross(w, I_C @ w), rate(angular_momentum), atol=1e-7)


def test_constraint_forces_do_no_work_and_their_multipliers_need_the_applied_force(rng):
    A = rng.normal(size=(6, 6))
    I = A @ A.T + np.eye(6)
    S = rng.normal(size=(6, 2))
    T = np.linalg.svd(S.T)[2][2:].T
    f = rng.normal(size=6)
    D = np.linalg.inv(T.T @ np.linalg.solve(I, T))
    multipliers = -D @ T.T @ np.linalg.solve(I, f)  # section 52: the last factor is not printed
    acceleration = np.linalg.solve(I, f + T @ multipliers)
    assert np.allclose(S.T @ (T @ multipliers), 0.0)  # section 51: S' f = 0, of a constraint force
    assert np.allclose(T.T @ acceleration, 0.0)
    assert np.allclose(acceleration, S @ np.linalg.solve(S.T @ I @ S, S.T @ f))


# ------------------------------------------------------------------------------------------------------------ document 002


def spring_or_damper(stiffness, damping, steps=2000, h=0.01, m=1.0):
    """Positions of a mass on a line whose joint is soft, implicitly, from a displacement at rest."""
    x, v, path = 1.0, 0.0, []
    for _ in range(steps):
        v = (m * v - h * stiffness * x) / (m + h * damping + h * h * stiffness)
        x += h * v
        path.append(x)
    return np.array(path)


def test_a_force_that_opposes_the_velocity_is_a_damper_and_does_not_oscillate():
    damper = spring_or_damper(0.0, 50.0)  # lambda = - k J v
    assert (damper == 1.0).all()  # what is out of place stays there
    spring = spring_or_damper(50.0, 0.0)  # lambda = - k (the error of the position)
    assert spring.min() < 0.0 < spring.max()
    assert (np.diff(np.sign(spring)) != 0).sum() > 10


# ------------------------------------------------------------------------------------------------------------ document 003


def test_the_contact_force_is_in_the_cone_and_its_tangential_part_is_not(rng):
    mu = 0.4
    n, u, w = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    gamma = np.array([1.0, 0.3, -0.2])
    whole, tangential = gamma @ [n, u, w], gamma[1:] @ [u, w]
    assert np.hypot(whole @ u, whole @ w) <= mu * (whole @ n)
    assert np.hypot(tangential @ u, tangential @ w) > mu * (tangential @ n)


def test_the_tangential_force_is_the_one_of_most_dissipation_on_the_disc(rng):
    radius, v = 0.4, rng.normal(size=2)
    force = -radius * unit(v)
    others = rng.normal(size=(1000, 2))
    others *= radius * rng.random((1000, 1)) / np.linalg.norm(others, axis=1, keepdims=True)
    assert (others @ v >= force @ v - 1e-12).all()
    assert force @ v == pytest.approx(-np.linalg.norm(force) * np.linalg.norm(v))  # Coulomb's third condition


def test_half_of_G_transposed_takes_angular_velocities_of_the_body(rng):
    e = unit(rng.normal(size=4))
    G = np.array([[-e[1], e[0], e[3], -e[2]], [-e[2], -e[3], e[0], e[1]], [-e[3], e[2], -e[1], e[0]]])
    R = Rotation.from_quat(np.roll(e, -1))
    w = rng.normal(size=3)  # in world axes

    def quaternion(t):
        p = np.roll((Rotation.from_rotvec(t * w) * R).as_quat(), 1)
        return p * np.sign(p @ e)

    assert np.allclose(0.5 * G.T @ R.inv().apply(w), rate(quaternion), atol=CLOSE)
    assert np.allclose(2.0 * G @ rate(quaternion), R.inv().apply(w), atol=CLOSE)
    assert not np.allclose(
        0.5 * G.T @ w, rate(quaternion), atol=0.1
    )  # with the angular velocity of the Newton-Euler row


# ------------------------------------------------------------------------------------------------------------ document 004


def inertia(points, masses, entry):
    """The tensor of section 3 with this (1, 2) entry."""
    total = np.zeros((3, 3))
    for (x, y, z), m in zip(points, masses, strict=True):
        total += m * np.array(
            [[y * y + z * z, entry(x, y, z), -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
        )
    return total


def test_the_inertia_of_points_is_symmetric_and_gives_their_energy(rng):
    points, masses, w = rng.normal(size=(7, 3)), rng.random(7), rng.normal(size=3)
    points -= masses @ points / masses.sum()
    energy = 0.5 * sum(m * np.cross(w, p) @ np.cross(w, p) for p, m in zip(points, masses, strict=True))
    right = inertia(points, masses, lambda x, y, z: -x * y)
    printed = inertia(points, masses, lambda x, y, z: -y * z)
    assert np.allclose(right, right.T)
    assert 0.5 * w @ right @ w == pytest.approx(energy)
    assert not np.allclose(printed, printed.T)
    assert 0.5 * w @ printed @ w != pytest.approx(energy)

    a = rng.normal(size=3)  # the parallel axes: the same matrix, of one point
    shifted = inertia(points + a, masses, lambda x, y, z: -x * y)
    assert np.allclose(right + inertia([a], [masses.sum()], lambda x, y, z: -x * y), shifted)
    assert not np.allclose(right + inertia([a], [masses.sum()], lambda x, y, z: -y * z), shifted)


def test_equations_along_opposite_directions_would_stop_all_sliding(rng):
    d = rng.normal(size=2)
    rows = np.array([[*d, 1.0], [*-d, 1.0], [-d[1], d[0], 1.0], [d[1], -d[0], 1.0]])  # J_d v + beta e, four directions
    assert np.linalg.matrix_rank(rows) == 3  # as printed, rows (v, beta) = 0: only v = 0, beta = 0
    v = np.array([0.8, -0.3])
    beta = max(
        -rows[:, :2] @ v
    )  # with a slack, 0 <= J_d v + beta e: any velocity, and beta its speed along a direction
    assert (rows @ [*v, beta] >= -1e-15).all()
    assert (np.abs(rows @ [*v, beta]) < 1e-15).any()


# --------------------------------------------------------------------------------------------------------------- citations


CITED = re.compile(r"documents? (00\d)((?:(?:,| and|, and| to) 00\d)*)", re.IGNORECASE)


def sources():
    """Every file of the package, its tests and its pages."""
    folders = ("spatial", "articulated", "contact", "examples", "package", "tests", "benchmarks", "docs", "notebooks")
    files = [p for name in folders for p in sorted((TOP / name).rglob("*")) if p.suffix in (".py", ".md")]
    return [*files, TOP / "README.md", TOP / "CONTRIBUTING.md", TOP / "CHANGELOG.md"]


def test_every_document_that_is_cited_has_a_section():
    sections = set(re.findall(r"^## Document (\d{3})", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert sections == {"000", "001", "002", "003", "004"}
    for path in sources():
        for first, others in CITED.findall(path.read_text(encoding="utf-8")):
            assert {first, *re.findall(r"\d{3}", others)} <= sections, path


def test_documents_are_cited_as_sources_that_a_stranger_can_find():
    word = "se" + "ed"  # this line is no citation
    for path in sources():
        text = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
        assert f"{word} document" not in text, path
        assert f"{word}s/" not in text, path


def test_the_page_names_tests_that_exist():
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (TOP / "tests").rglob("*.py"))
    for name in set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8"))):
        assert f"def {name}(" in tests, name


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/glossary.md", "docs/sources.md", "notebooks/README.md"]
)
def test_pages_name_files_that_exist(page):
    text = (TOP / page).read_text(encoding="utf-8")
    for name in set(
        re.findall(
            r"`((?:spatial|articulated|contact|examples|tests|docs|benchmarks|package|notebooks)/[\w./]*)`", text
        )
    ):
        assert (TOP / name).exists(), name


def test_every_short_name_is_in_the_bibliography():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    entries = set(re.findall(r"\*\*\[([^\]]+)\]\*\*", text))
    cited = set(re.findall(r"(?<!\*)\[([A-Z][^\]]+)\](?!\(|\*)", text))
    assert cited
    assert cited <= entries


PUBLIC = ("spatial", "course", "articulated", "articulated.conventions", "articulated.robots", "contact", "teaching")


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_function_names_its_source(module):
    names = importlib.import_module(f"pluecker.{module}")
    functions = {name: getattr(names, name) for name in names.__all__ if inspect.isfunction(getattr(names, name))}
    assert functions
    without = [name for name, f in functions.items() if not re.search(r"^ *Sources?: \S", f.__doc__, re.MULTILINE)]
    assert without == []
