"""The viewer: its scene is where the mechanism is, sliders and time move it, and a browser shows it, offline too."""

import threading
import time

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed (extra view)")

from pluecker.articulated import (
    Arrows,
    Cones,
    Lines,
    Model,
    OutputError,
    Points,
    Trajectory,
    animate,
    forward_kinematics,
    integrate,
    neutral,
    view,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.spatial import PlueckerError
from tests.browser import open_page
from tests.command import main
from tests.models import one_body

ROD, TURNS = (0x5B, 0x64, 0x70), (0xE0, 0x7B, 0x00)  # colours of rods and of axes of turning joints


@pytest.fixture(scope="module")
def arm():
    return Model.from_urdf(SEVEN_JOINT_ARM)


def wave(model, samples=31, duration=1.0):
    t = np.linspace(0.0, duration, samples)
    return Trajectory(time=t, q=np.sin(t)[:, None] * np.linspace(0.5, -0.5, model.nq))


def quietly(*args, **named):
    return view(*args, browser=False, **named)


def slider(viewer, name):
    """The control of that name."""
    handles = viewer._server.gui._gui_input_handle_from_uuid.values()
    return next(handle for handle in handles if getattr(handle, "label", None) == name)


def placed(viewer, model):
    """Return the origins of the bodies in the scene, and their quaternions."""
    nodes = [piece.node for piece in viewer._scene.bodies[: model.n_bodies]]
    return np.array([node.position for node in nodes]), np.array([node.wxyz for node in nodes])


def wait_until(condition, longest=20.0):
    end = time.monotonic() + longest
    while not condition():
        assert time.monotonic() < end, "it never happens"
        time.sleep(0.02)


def test_the_scene_has_the_bodies_where_forward_kinematics_has_them_and_sliders_move_them(arm):
    q = np.array([0.3, 0.5, 0.1, -1.8, 0.2, 2.2, 0.4])
    with quietly(arm, q=q) as viewer:
        np.testing.assert_allclose(placed(viewer, arm)[0], forward_kinematics(arm, q)[:, :3, 3], atol=1e-15)
        control = slider(viewer, "joint4, rad")
        assert (control.min, control.max) == (arm.lower_limit[3], arm.upper_limit[3])
        control.value = -0.5
        q[3] = -0.5
        expected = forward_kinematics(arm, q)[:, :3, 3]
        wait_until(lambda: np.abs(placed(viewer, arm)[0] - expected).max() < 1e-12)


def test_a_free_joint_turns_by_its_rotation_vector_from_where_it_was():
    """The slider's pose is that of ``integrate`` with that vector as angular velocity, for unit time."""
    model = one_body("brick", "free", 2.0, inertia=[0.1, 0.2, 0.25], joint="fly", name="brick/1")
    start = integrate(model, neutral(model), [0.3, -0.8, 0.5, 0.0, 0.0, 0.0])
    with quietly(model, q=start) as viewer:
        slider(viewer, "fly.y, m").value = 0.2
        for axis, angle in zip("xyz", (0.4, -0.7, 0.9), strict=True):
            slider(viewer, f"fly about {axis}, rad").value = angle
        expected = integrate(model, start, [0.4, -0.7, 0.9, 0.0, 0.0, 0.0])[3:]
        wait_until(lambda: np.abs(np.abs(placed(viewer, model)[1] @ expected) - 1.0).max() < 1e-12)
        np.testing.assert_allclose(placed(viewer, model)[0], [[0.0, 0.2, 0.0]], atol=1e-12)


def test_time_goes_on_by_itself_until_it_is_stopped_and_marks_go_along(arm):
    motion = wave(arm)
    tip = forward_kinematics(arm, motion.q)[:, -1, :3, 3]
    late = np.where((motion.time > 0.5)[:, None, None], tip[:, None], np.nan)
    marks = (Points(tip[:, None]), Arrows(tip[:, None], np.ones((31, 1, 3))), Cones(late, np.ones((31, 1, 3))))
    with quietly(arm, motion, overlays=marks) as viewer:
        line = slider(viewer, "time in s")
        first = line.value
        wait_until(lambda: line.value != first)
        viewer._playing = False
        time.sleep(0.2)
        for at, there in ((0.2, False), (0.9, True)):
            line.value = at
            k = np.searchsorted(motion.time, at + 1e-9) - 1
            wait_until(lambda k=k: np.abs(viewer._scene.marks[0][0].node.position - tip[k]).max() < 1e-12)
            assert viewer._scene.marks[2][0].node.visible == there
            np.testing.assert_allclose(
                placed(viewer, arm)[0], forward_kinematics(arm, motion.q[k])[:, :3, 3], atol=1e-12
            )
            assert viewer._scene.marks[1][0].node.scale[2] == pytest.approx(np.sqrt(3.0))


def test_rods_springs_and_ropes_are_between_their_bodies_and_a_slack_rope_is_dashed(arm):
    ends = [(("world", (0.4, 0.0, 0.0)), "flange")]
    shapes = ("rod", None), ("spring", None), ("rope", [0.1]), ("rope", [5.0]), ("joint", None)
    lines = [Lines(ends, shape, lengths, label=f"{shape} {lengths}") for shape, lengths in shapes]
    q = np.array([0.3, 0.5, 0.1, -1.8, 0.2, 2.2, 0.4])
    with quietly(arm, q=q, overlays=lines) as viewer:
        slider(viewer, "joint4, rad").value = q[3] = -0.5
        tip = forward_kinematics(arm, q, ["flange"])[0, :3, 3]
        start = np.array([0.4, 0.0, 0.0])
        (rod,), (spring,), taut, slack, joint = (found[0] for found in viewer._scene.lines)
        wait_until(lambda: np.abs(spring.node.position - 0.5 * (start + tip)).max() < 1e-12)
        assert rod.node.scale[2] == pytest.approx(np.linalg.norm(tip - start))
        pieces = [np.linalg.norm(piece.node.scale[2]) for piece in taut]
        assert sum(pieces) == pytest.approx(rod.node.scale[2])
        assert all(piece.node.visible for piece in taut)
        assert [piece.node.visible for piece in slack] == [True, False] * (len(slack) // 2)
        assert min(piece.node.position[2] for piece in slack if piece.node.visible) < min(start[2], tip[2])
        line, *dots = joint
        assert line.node.scale[2] == pytest.approx(rod.node.scale[2])
        np.testing.assert_allclose([dot.node.position for dot in dots], [start, tip], atol=1e-12)
        assert slider(viewer, "spring None (2)").value is True


def test_what_is_shown_is_chosen_by_boxes_to_tick(arm):
    with quietly(arm) as viewer:
        inertia = viewer._scene.groups["inertia"]
        assert not any(node.visible for node in inertia)
        slider(viewer, "ellipsoids of equal inertia").value = True
        wait_until(lambda: all(node.visible for node in inertia))


def test_a_viewer_that_is_closed_leaves_no_thread_and_no_port(arm):
    before = threading.active_count()
    first = quietly(arm, wave(arm))
    second = quietly(arm)  # at the next port that is free
    assert first.url != second.url
    assert first.url.startswith("http://127.0.0.1:")
    for viewer in (first, second, first):
        viewer.close()
    wait_until(lambda: threading.active_count() <= before)
    first.wait()  # returns at once


@pytest.mark.parametrize(
    ("named", "error", "words"),
    [
        ({"trajectory": 3}, TypeError, "view: trajectory is 3"),
        ({"q": [1.0]}, ValueError, r"view: q has shape \(1,\)"),
        ({"path": "page.txt"}, OutputError, "must end in .html"),
        ({"path": "/nowhere/page.html"}, OutputError, "cannot be written"),
        ({"port": 0}, ValueError, "view: port is 0"),
        ({"browser": 1}, TypeError, "browser is 1"),
        ({"frames": ["nothing"]}, KeyError, "no frame 'nothing'"),
        ({"overlays": Points(np.zeros((3, 1, 3)))}, ValueError, r"\.at\(sample\)"),
        ({"inertia": "yes"}, TypeError, "inertia is 'yes'"),
    ],
)
def test_what_cannot_be_viewed_is_one_of_our_errors_and_leaves_no_server(named, error, words, arm):
    before = threading.active_count()
    with pytest.raises(error, match=words) as caught:
        view(arm, **{"browser": False, **named})
    assert isinstance(caught.value, PlueckerError)
    wait_until(lambda: threading.active_count() <= before)


# ----------------------------------------------------------------------------------------------------------- in a browser


def coloured(picture, colour):
    """Count the pixels that have a colour, in some light: near to the line from it to white."""
    x, c = picture.reshape(-1, 3) / 255.0 - 1.0, np.array(colour) / 255.0 - 1.0
    along = x @ c / (c @ c)
    return int(((np.abs(x - along[:, None] * c).max(axis=1) < 0.06) & (along > 0.35)).sum())


def shows_an_arm(picture):
    """Return whether a picture has the grey of the arm's rods, and the orange of its joint axes."""
    return coloured(picture, ROD) > 75 and coloured(picture, TURNS) > 15


@pytest.fixture(scope="module")
def page():
    with open_page("about:blank", 900, 560) as opened:
        yield opened


@pytest.mark.everything
@pytest.mark.slow
def test_a_browser_shows_the_arm_and_its_sliders(arm, page):
    with quietly(arm) as viewer:
        page.call("Page.navigate", url=viewer.url)
        page.wait_for(shows_an_arm)
        words = page.evaluate("document.body.innerText")
        for text in (
            "seven_joint_arm",
            "joint1, rad",
            "joint7, rad",
            "joint axes",
            "centre of mass",
            "Back to the start",
        ):
            assert text in words


@pytest.mark.everything
@pytest.mark.slow
def test_the_page_shows_the_motion_without_a_server_and_without_a_network(arm, page, tmp_path):
    motion, path = tmp_path / "wave.csv", tmp_path / "wave.html"
    wave(arm).save(motion, arm)
    assert main(["view", "seven_joint_arm", "--trajectory", str(motion), "--html", str(path)]) == 0
    assert path.stat().st_size < 2e6
    page.call("Page.navigate", url=path.as_uri())
    first = page.wait_for(shows_an_arm)
    middle = slice(first.shape[0] // 8, first.shape[0] * 3 // 4)  # without the line of time
    page.wait_for(lambda now: (np.abs(now[middle].astype(int) - first[middle]).max(axis=-1) > 60).sum() > 50)


@pytest.mark.plain
def test_names_are_text_in_pages_and_no_script(tmp_path):
    name = '</script><script>alert("name")</script><img src=x onerror=alert(1)>'
    model = one_body(name, "revolute", 1.0, inertia=[1, 1, 1], axis=(0, 0, 1), name=name)
    motion = Trajectory(np.arange(2.0), np.zeros((2, 1)), model=model)
    view(
        motion, path=tmp_path / "page.html", frames=[name], overlays=Points([[0, 0, 0]], label=name), browser=False
    ).close()
    animate(motion, path=tmp_path / "film.html", rate=1.0)
    for page in tmp_path.iterdir():
        text = page.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert "&lt;script&gt;alert" in (tmp_path / "film.html").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------- the command


def test_the_command_writes_a_page_and_replaces_none_unasked(tmp_path, capsys):
    page = tmp_path / "arm.html"
    assert main(["view", "seven_joint_arm", "--html", str(page), "--frames", "flange"]) == 0
    assert page.read_text().startswith("<!")
    assert capsys.readouterr().out == f"Page: {page}\n"
    assert main(["view", "seven_joint_arm", "--html", str(page)]) == 2
    assert "exists; --force replaces it" in capsys.readouterr().err


def test_the_command_says_where_it_is_and_ends_with_ctrl_c(capsys, monkeypatch):
    from pluecker.articulated import Viewer

    seen = []
    monkeypatch.setattr(Viewer, "wait", lambda self: seen.append(self.url))
    assert main(["view", "seven_joint_arm", "--no-browser"]) == 0
    assert f"seven_joint_arm at {seen[0]}" in capsys.readouterr().out


def test_a_file_without_positions_is_an_error_of_the_command(arm, tmp_path, capsys):
    path = tmp_path / "tau.csv"
    Trajectory(tau=np.zeros((2, 7))).save(path, arm)
    assert main(["view", "seven_joint_arm", "--trajectory", str(path), "--html", str(tmp_path / "x.html")]) == 2
    assert "has no positions" in capsys.readouterr().err
