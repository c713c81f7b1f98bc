"""Scenes with known answers: what each law predicts comes out; the command shows it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from pluecker.articulated import Trajectory
from pluecker.examples.scenes import ROOMS, SCENES, outcome, run_scene
from pluecker.spatial import UnknownNameError
from tests.command import main

QUICK = ("ladder",)  # and "bounce", by the command


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene", [pytest.param(name, marks=() if name in QUICK else pytest.mark.everything) for name in SCENES]
)
def test_a_scene_is_as_theory_expects(scene):
    found = run_scene(scene)
    assert found.holds, "\n".join(str(claim) for claim in found.claims if not claim.holds)
    assert found.claims
    assert found.name == scene
    assert len(found.motion.overlays) > 0


def test_each_scene_has_one_room_and_a_file_in_it():
    top = Path(outcome.__file__).parent
    assert sorted(name for names in ROOMS.values() for name in names) == sorted(SCENES)
    for room, names in ROOMS.items():
        assert {path.stem for path in (top / room).glob("[a-z]*.py")} == set(names)


def test_the_issue_of_an_unknown_scene_names_those_that_there_are():
    with pytest.raises(UnknownNameError, match="no scene 'nothing'; there are incline, slide"):
        run_scene("nothing")


def test_a_claim_says_what_was_expected_and_what_was_found():
    claim = outcome.Claim("speed", 1.0, 1.0 + 2e-9, 1e-9, "m/s")
    assert not claim.holds
    assert str(claim) == "speed: expected 1 m/s, found 1 m/s (+2.0e-09, tolerance 1e-09)"
    assert dataclasses.replace(claim, within=3e-9).holds
    assert not dataclasses.replace(claim, found=np.nan).holds


def test_a_threshold_is_found_by_halving_and_an_order_by_its_slope():
    assert outcome.threshold(lambda x: x > 0.3, 0.0, 1.0, 1e-9) == pytest.approx(0.3, abs=1e-9)
    assert outcome.order_of([0.4, 0.2, 0.1], [-1.6, -0.4, -0.1]) == pytest.approx(2.0)


@pytest.mark.slow
def test_the_command_prints_draws_and_writes_a_scene(tmp_path, capsys):
    plot, film, table = tmp_path / "bounce.png", tmp_path / "bounce.gif", tmp_path / "bounce.npz"
    arguments = ["contact", "bounce", "--plot", str(plot), "-o", str(table)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("A ball that bounces\n")
    assert printed.count("\nholds  height after") == 4
    assert "FAILS" not in printed
    assert plot.stat().st_size > 10_000
    model = run_scene("bounce").motion.model
    assert model is not None
    assert Trajectory.load(table, model).q is not None
    assert main(arguments) == 2  # they exist
    assert "--force" in capsys.readouterr().err
    assert not film.exists()


def test_the_command_refuses_what_is_no_scene_and_no_file(tmp_path, capsys):
    for arguments, words in (
        (["contact", "nothing"], "there is no scene 'nothing'; there are incline"),
        (["contact", "bounce", "--plot", str(tmp_path / "x.txt")], "must end in .png"),
        (["contact", "bounce", "--animate", str(tmp_path / "x.avi")], "must end in .html"),
        (["contact", "all", "-o", str(tmp_path / "x.csv")], "shows one scene, and not all"),
    ):
        assert main(arguments) == 2
        assert words in capsys.readouterr().err


def test_scenes_of_the_command_are_named_in_its_help(capsys):
    with pytest.raises(SystemExit):
        main(["contact", "--help"])
    printed = capsys.readouterr().out
    assert all(name in printed for name in SCENES)
