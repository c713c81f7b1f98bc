"""The command ``pluecker``: each number that it takes is one line of error where it is none, before anything is imported."""

import argparse
import subprocess
import sys

import pytest

from pluecker import command

pytestmark = pytest.mark.plain

NO_NUMBERS = ("nan", "inf", "-inf", "five", "", " ", "0x10", "1e400", "-1e400", "9" * 5000, "1,5", "--", "1 2")
NO_COUNTS = (*NO_NUMBERS, "0", "-1", "-0.0", "1.5", "1e3", "-1e30", "1" + 30 * "0")
NOT_ABOVE_0 = (*NO_NUMBERS, "0", "-0.0", "-1", "-1e30", "-1e-3", "1e-400")
WRONG = {
    ("demo", "--samples"): (*NO_COUNTS, "1"),
    ("simulate", "--duration"): NOT_ABOVE_0,
    ("simulate", "--step"): NOT_ABOVE_0,
    ("simulate", "--every"): NO_COUNTS,
    ("view", "--port"): (*NO_COUNTS, "65536"),
    ("friction", "--tol"): NOT_ABOVE_0,
    ("friction", "--max-iterations"): NO_COUNTS,
    ("friction", "--directions"): NO_COUNTS,
    ("friction", "--threads"): NO_COUNTS,
    ("friction", "--repair"): (*NO_NUMBERS, "1", "-1", "1e30", "-1e30", "-1e-3"),
    **{(name, "--gravity"): NO_NUMBERS for name in ("demo", "info", "inverse", "forward", "simulate", "view")},
}
POSITIONAL = {"demo": 0, "info": 1, "inverse": 2, "forward": 2, "simulate": 1, "view": 1, "friction": 1}


def numeric_options():
    """List the numbers that the command takes: (command, option)."""
    (commands,) = (x for x in command.make_parser()._actions if isinstance(x, argparse._SubParsersAction))
    for name, parser in commands.choices.items():
        for action in parser._actions:
            if action.type is not None:
                yield name, action.option_strings[-1]


def test_every_number_of_the_command_is_in_the_table():
    assert set(numeric_options()) == set(WRONG)


@pytest.mark.parametrize(("name", "option"), WRONG)
def test_what_is_no_such_number_is_one_line_that_names_the_option(name, option, capsys):
    for text in WRONG[name, option]:
        given = ["0", text, "-9.81"] if option == "--gravity" else [text]
        with pytest.raises(SystemExit) as stopped:
            command.main([name, *["robot"] * POSITIONAL[name], option, *given])
        out, said = capsys.readouterr()
        assert (stopped.value.code, out) == (2, ""), text
        assert said.startswith(f"pluecker: error: argument {option}: "), (text, said)
        assert said.count("\n") == 1
        assert len(said) < 250
        if text != "--":  # which argparse takes for the end of options
            assert f"{text[:60]!r} is no " in said


@pytest.mark.parametrize(
    ("name", "option", "given", "expected"),
    [
        ("info", "--gravity", ["-1e1", "0", "-.5"], [-10.0, 0.0, -0.5]),
        ("simulate", "--duration", ["1e30"], 1e30),
        ("simulate", "--step", ["1e-3"], 1e-3),
        ("simulate", "--every", ["1000000000"], 10**9),
        ("friction", "--repair", ["-0.0"], 0.0),
        ("friction", "--tol", ["1e-320"], 1e-320),
        ("view", "--port", ["65535"], 65535),
    ],
)
def test_numbers_are_taken_as_they_are_written(name, option, given, expected):
    options = command.make_parser().parse_args([name, *["robot"] * POSITIONAL[name], option, *given])
    assert getattr(options, option.strip("-").replace("-", "_")) == expected


def test_a_wrong_number_waits_for_no_import():
    words = "import sys; from pluecker import command\ntry: command.main(['friction', 'file', '--tol', '-1e-3'])\n"
    words += "except SystemExit: print('numpy' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
    assert done.stderr.startswith("pluecker: error: argument --tol: '-1e-3' is no finite number above 0")
