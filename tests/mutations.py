"""Small slips that tests must notice: each is put into a copy of the library, and the tests that know its law have to fail.

A record of :data:`MUTATIONS` is one slip: a file, a piece of text that is there exactly once, and what stands there instead.
Each was chosen from what can go wrong in a room of the library, a sign, an index, a check that lets NaN pass, and not from
what some test looks at. ``python -m tests.mutations`` runs them one after the other:

=====================  ==============================================================================================
``--list``             prints them and runs nothing
``--only NAME...``     these alone
``--jobs N``           so many at a time (1)
``--tests-of PATH``    library and tests of another checkout; a file of tests that lies elsewhere there is found by name
=====================  ==============================================================================================

First the tests of all chosen records run once without any slip, in a copy: they have to pass. That also compiles what they
need, and copies with a slip are made of this one, so that only what the slip changes is compiled anew. Then the tests of
each record run with its slip until the first one fails: it is *caught*. In plain Python tests marked ``slow`` are left out,
as everywhere. The exit status is 0 if all are caught.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PLAIN, COMPILED = "plain", "compiled"
LONGEST = 1800  # s for the tests of one slip
PARTS = (
    "spatial",
    "articulated",
    "contact",
    "examples",
)  # what lies beside the files of ``package`` in an installed library
ELSEWHERE = 9  # exit status where the library is not that of the copy
PLUGIN = f'''"""Ends a run of tests whose library is not that of the copy."""

import os
from pathlib import Path

import pytest


def pytest_collection_finish(session):
    import pluecker.spatial

    place, copy = Path(pluecker.spatial.__file__).resolve(), Path(os.environ["COPY_OF_LIBRARY"]).resolve()
    if not place.is_relative_to(copy):
        pytest.exit(f"pluecker.spatial is {{place}}, expected one in {{copy}}", returncode={ELSEWHERE})
'''


@dataclass(frozen=True)
class Mutation:
    """One slip.

    Attributes:
        name: by which it is asked for.
        room: of the library.
        file: from the top of the repository.
        old: text that is there exactly once.
        new: what stands there instead.
        why: what it breaks.
        lane: where the tests run, in plain Python or compiled.
        tests: files of tests, or single tests in them, with spaces between.
    """

    name: str
    room: str
    file: str
    old: str
    new: str
    why: str
    lane: str
    tests: str


MUTATIONS = (
    # ------------------------------------------------------------------------------------------------------------ spatial
    Mutation(
        "inertia-shift-loses-mass",
        "spatial.algebra",
        "spatial/algebra/inertia.py",
        "xz = -g[0] * r[2] - r[0] * k[2]",
        "xz = -g[0] * r[2] - r[0] * g[2]",
        "the product of inertia of a shifted body loses its mass times both ways",
        PLAIN,
        "tests/articulated/algorithms/test_laws.py",
    ),
    Mutation(
        "quaternion-rate-in-wrong-frame",
        "spatial.functions",
        "spatial/functions/quaternions.py",
        "quaternion_product((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), load_unit(x, 0))",
        "quaternion_product(load_unit(x, 0), (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))",
        "an angular velocity in world coordinates is taken for one in those of the body",
        PLAIN,
        "tests/spatial/functions/test_quaternions.py",
    ),
    Mutation(
        "vector-shares-memory",
        "spatial.typed",
        "spatial/typed/vectors.py",
        'np.array(as_floats(type(self).__name__, "values", values, (6,)))',
        'as_floats(type(self).__name__, "values", values, (6,))',
        "a vector that cannot change lies in an array of the caller, who is locked out of it",
        PLAIN,
        "tests/spatial/typed/test_typed_objects.py",
    ),
    Mutation(
        "mass-is-not-squared",
        "course",
        "package/course/two_body.py",
        "m2**2 * xs @ transposed(xs)",
        "m2 * xs @ transposed(xs)",
        "equation (A28) as it is misprinted: right for a body of one kilogram",
        PLAIN,
        "tests/package/course/test_two_body.py",
    ),
    Mutation(
        "contact-slope-of-wrong-law",
        "contact.friction.dense",
        "contact/friction/dense/cone_laws.py",
        "back = zero if exact else mu * slope",
        "back = mu * slope",
        "Newton's method for Coulomb's law has the slope of the convex one",
        PLAIN,
        "tests/contact/friction/dense/test_contact_laws.py",
    ),
    Mutation(
        "second-derivative-of-chain",
        "spatial.engine.scalars",
        "spatial/engine/scalars/plain_duals.py",
        "result[3] + f2 * c[1] * c[2]",
        "result[3] + f1 * c[1] * c[2]",
        "second derivatives take the first derivative of the outer function",
        PLAIN,
        "tests/spatial/engine/scalars/test_duals.py",
    ),
    Mutation(
        "memory-is-given-back-too-early",
        "spatial.engine.parallel",
        "spatial/engine/parallel/threads.py",
        "                if not (interrupted and abandons):\n",
        "                if not interrupted:\n",
        "a thread goes on writing into memory that an interrupted caller has given back",
        PLAIN,
        "tests/spatial/engine/parallel/test_threads.py",
    ),
    Mutation(
        "interrupted-inside-compiled-code",
        "spatial.engine.parallel",
        "spatial/engine/parallel/interruption.py",
        "for thread in self.threads - self.inside:",
        "for thread in self.threads:",
        "Ctrl-C raises an exception where Numba makes objects and does not look for one",
        PLAIN,
        "tests/contact/friction/solving/test_interruption.py::test_nothing_is_raised_inside_what_answers",
    ),
    Mutation(
        "stamp-ignores-callees",
        "spatial.engine.compiled",
        "spatial/engine/compiled/stamp.py",
        "for called in self.functions:  # which grows meanwhile",
        "for called in self.functions[:1]:",
        "machine code of before an edit goes on being used by those who call what was edited",
        COMPILED,
        "tests/spatial/engine/compiled/test_compile.py::test_the_stamp_follows_constants_callees_and_versions "
        "tests/spatial/engine/compiled/test_compile.py::test_a_caller_follows_an_edited_callee_in_another_file",
    ),
    Mutation(
        "directions-of-any-length",
        "spatial.strategies",
        "spatial/strategies.py",
        "lambda a: a / np.linalg.norm(a)",
        "lambda a: a / (a @ a)",
        "samples that are called unit vectors are none, but along the axes",
        PLAIN,
        "tests/spatial/test_strategies.py",
    ),
    # -------------------------------------------------------------------------------------------------------- articulated
    Mutation(
        "mimic-ratio-ignored",
        "articulated.model",
        "articulated/model/joints.py",
        "np.concatenate([ratio * turn * u, ratio * slide * u])",
        "np.concatenate([turn * u, ratio * slide * u])",
        "a hinge that follows another one turns as fast as that, whatever its multiplier",
        PLAIN,
        "tests/articulated/model/test_mimic.py",
    ),
    Mutation(
        "inertia-turned-the-other-way",
        "articulated.model",
        "articulated/model/urdf.py",
        "inertia = R @ own @ R.T",
        "inertia = R.T @ own @ R",
        "the inertia in a turned <inertial> frame is turned against it",
        COMPILED,
        "tests/articulated/model/test_urdf.py",
    ),
    Mutation(
        "armature-missing-forward",
        "articulated.algorithms",
        "articulated/algorithms/dynamics/aba.py",
        "dk = dot(S, Uk) + velocity_table(m, ARMATURE, j)",
        "dk = dot(S, Uk)",
        "forward dynamics forgets the rotors that inverse dynamics counts",
        PLAIN,
        "tests/articulated/algorithms/test_laws.py",
    ),
    Mutation(
        "jacobian-rate-turned-back",
        "articulated.algorithms",
        "articulated/algorithms/frames/jacobian.py",
        "add_cross_motion(load_vector(Jdot, 6 * k), u, load_vector(J, 6 * k))",
        "add_cross_motion(load_vector(Jdot, 6 * k), load_vector(J, 6 * k), u)",
        "the rate of a Jacobian in world axes has the turn of the axes with the wrong sign",
        PLAIN,
        "tests/articulated/algorithms/frames/test_frames.py",
    ),
    Mutation(
        "damping-missing-in-derivative",
        "articulated.algorithms",
        "articulated/algorithms/derivatives/rnea_derivatives.py",
        "accumulate(dv, k * nv + k, velocity_table(m, DAMPING, k))",
        "accumulate(dq, k * nv + k, velocity_table(m, DAMPING, k))",
        "damping is added to the derivative by configuration, and missing in the one by velocity",
        PLAIN,
        "tests/articulated/algorithms/derivatives/test_derivatives.py",
    ),
    Mutation(
        "redmax-falls-up",
        "articulated.algorithms",
        "articulated/algorithms/redmax/redmax_dynamics.py",
        "subtract((scale3(0.0, g), g), rate)",
        "subtract((scale3(0.0, g), scale3(-1.0, g)), rate)",
        "gravity pulls upwards in one of the ways to the equations of motion",
        PLAIN,
        "tests/articulated/algorithms/test_redmax.py",
    ),
    Mutation(
        "singular-joint-before",
        "articulated.running",
        "articulated/running/arguments.py",
        "names = [model.v_names[coordinate]]",
        "names = [model.v_names[coordinate - 1]]",
        "the message of a singular inertia names the joint before the one that moves nothing",
        PLAIN,
        "tests/articulated/algorithms/test_singular.py",
    ),
    Mutation(
        "cable-pushes",
        "articulated.forces",
        "articulated/forces/lines.py",
        "pulls = smaller(zero, taut)",
        "pulls = smaller(zero, longer)",
        "a damped cable that becomes shorter fast pushes its ends apart",
        PLAIN,
        "tests/articulated/forces/test_applied_forces.py",
    ),
    Mutation(
        "nodes-of-runge-kutta-exchanged",
        "articulated.stepping",
        "articulated/stepping/adaptive/dormand_prince.py",
        "NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)",
        "NODES = (0.0, 1 / 5, 3 / 10, 8 / 9, 4 / 5, 1.0, 1.0)",
        "stages look at a control that changes over time at the times of others",
        PLAIN,
        "tests/articulated/stepping/adaptive/test_adaptive.py",
    ),
    Mutation(
        "ratio-of-steps-inverted",
        "articulated.stepping",
        "articulated/stepping/implicit/bdf.py",
        "w = h / before",
        "w = before / h",
        "steps that change their length lose the second order, those of one length do not",
        PLAIN,
        "tests/articulated/stepping/implicit/test_newton.py tests/articulated/stepping/implicit/test_implicit.py",
    ),
    Mutation(
        "motors-without-saturation",
        "articulated.control",
        "articulated/stepping/control/control_law.py",
        "store(law, k, gear * limited(u, bound))",
        "store(law, k, gear * u)",
        "motors and joints give more than their largest force",
        PLAIN,
        "tests/articulated/stepping/loop/test_loop.py",
    ),
    Mutation(
        "every-sample-one-later",
        "articulated.simulation",
        "articulated/stepping/loop/loop.py",
        "since = since + 1 if since + 1 < every else 0",
        "since = since + 1 if since < every else 0",
        "of every k-th state each (k + 1)-th is recorded, under the times of the others",
        PLAIN,
        "tests/articulated/stepping/loop/test_loop.py",
    ),
    Mutation(
        "byte-order-mark-in-table",
        "articulated.simulation",
        "articulated/trajectory/csv_files.py",
        'TextIOWrapper(stream, "utf-8-sig"',
        'TextIOWrapper(stream, "utf-8"',
        "tables that a spreadsheet has written are not read: their first column is unknown",
        PLAIN,
        "tests/articulated/simulation/test_trajectory.py",
    ),
    Mutation(
        "interruption-swallowed",
        "articulated.app",
        "articulated/app/simulate_command.py",
        "return 130 if any(",
        "return 0 if any(",
        "a simulation that Ctrl-C has ended is a success to whoever called the command",
        PLAIN,
        "tests/articulated/app/test_cli.py",
    ),
    # ------------------------------------------------------------------------------------------------------------ contact
    Mutation(
        "nan-as-friction",
        "contact.friction.problem",
        "contact/friction/problem/checks.py",
        "wrong = np.argwhere(~((given >= 0) & (given <= HUGE)))",
        "wrong = np.argwhere((given < 0) | (given > HUGE))",
        "NaN is no coefficient, and neither above nor below a bound",
        PLAIN,
        "tests/contact/friction/problem/test_refusals.py",
    ),
    Mutation(
        "discs-of-one-size",
        "contact.friction.problem",
        "contact/friction/problem/sets.py",
        "size, radius = length(x, row, n), K.friction[i, k] * t",
        "size, radius = length(x, row, n), K.friction[i, 0] * t",
        "rolling and spinning friction have the size of Coulomb's cone",
        PLAIN,
        "tests/contact/friction/problem/test_sets.py",
    ),
    Mutation(
        "ties-are-not-broken",
        "contact.friction.lcp",
        "contact/friction/lcp/lemke.py",
        "count, k = kept, 0",
        "count, k = kept, n",
        "Lemke's method takes any row of a tie, and may go round in circles",
        PLAIN,
        "tests/contact/friction/lcp/test_lemke.py",
    ),
    Mutation(
        "compliance-missing-in-sweep",
        "contact.friction.first_order",
        "contact/friction/first_order/pgs.py",
        "u[k] += A.compliance[k] * d[k]",
        "u[k] += 0.0 * d[k]",
        "between two looks, sweeps take soft contacts for rigid ones",
        PLAIN,
        "tests/contact/friction/first_order/test_first_order.py::test_both_forms_of_the_operator_give_the_same "
        "tests/contact/friction/first_order/test_first_order.py::test_convex_problems_have_the_solution_of_clarabel",
    ),
    Mutation(
        "least-contradiction-first",
        "contact.friction.elimination",
        "contact/friction/elimination/elimination.py",
        "np.argsort(-missed[wrong], kind",
        "np.argsort(missed[wrong], kind",
        "of rows that contradict each other the one that is missed by the least is named, and how little that is",
        PLAIN,
        "tests/contact/friction/elimination/test_elimination.py::test_contradictory_rows_are_named_and_missed_by_as_little_as_possible",
    ),
    Mutation(
        "pivots-of-rounding-are-taken",
        "contact.friction.sparse",
        "contact/friction/sparse/cholesky.py",
        "inverse = 1.0 / np.sqrt(d) if d > floor[top + j] else 0.0",
        "inverse = 1.0 / np.sqrt(d) if d > 0.0 else 0.0",
        "the rank of a singular matrix is not found: what is left by rounding is divided by",
        PLAIN,
        "tests/contact/friction/sparse/test_cholesky.py",
    ),
    Mutation(
        "warm-start-skipped",
        "contact.friction.solving",
        "contact/friction/solving/solver.py",
        "begin(b, NOTHING if start is None else start, ready.sets",
        "begin(b, NOTHING, ready.sets",
        "multipliers to start from are not looked at, and a solution is found again",
        PLAIN,
        "tests/contact/friction/first_order/test_first_order.py::test_a_solution_is_recognised",
    ),
    Mutation(
        "blocks-of-file-transposed",
        "contact.friction.files",
        "contact/friction/files/siconos_text.py",
        "rows.append(np.tile(a, len(b)))\n        columns.append(np.repeat(b, len(a)))",
        "rows.append(np.repeat(a, len(b)))\n        columns.append(np.tile(b, len(a)))",
        "blocks of a text of Siconos are read by rows, and stand there by columns",
        PLAIN,
        "tests/contact/friction/files/test_siconos.py",
    ),
    Mutation(
        "normal-reversed",
        "contact.geometry",
        "contact/geometry/primitives/spheres.py",
        "n = (-m[0], -m[1], -m[2])",
        "n = (m[0], m[1], m[2])",
        "a ball on a box is pulled into it",
        PLAIN,
        "tests/contact/geometry/test_distance.py",
    ),
    Mutation(
        "pressure-angle-of-rings",
        "contact.constraints",
        "contact/constraints/records/gears.py",
        "return (-r1, r2, -t) if self.internal",
        "return (-r1, r2, t) if self.internal",
        "teeth of an internal gear are inclined the other way",
        PLAIN,
        "tests/contact/constraints/test_closed_forms.py",
    ),
    Mutation(
        "centripetal-term-missing",
        "contact.rows",
        "contact/rows/motion.py",
        "return add_cross3(add_cross3(a, b, s), w, cross3(w, s))",
        "return add_cross3(a, b, s)",
        "points of a body that turns are not accelerated towards its axis",
        PLAIN,
        "tests/contact/constraints/test_rows.py",
    ),
    Mutation(
        "damper-missing-in-step",
        "contact.stepping",
        "contact/stepping/linear_laws.py",
        "force = h * s + d",
        "force = h * s + 0.0 * d",
        "a soft row has its spring, and no damper",
        PLAIN,
        "tests/contact/stepping/test_step_laws.py",
    ),
    Mutation(
        "restitution-dropped-in-depth",
        "contact.found",
        "contact/friction/dense/contact_law.py",
        "return zero, select(smaller(gap, zero), larger(least, out), least), hit",
        "return zero, select(smaller(gap, zero), out, least), hit",
        "what hits a little deep comes out slowly, and does not bounce",
        PLAIN,
        "tests/contact/found/test_step_laws.py",
    ),
    Mutation(
        "moment-on-the-other-body",
        "contact.world",
        "contact/world/contact_forces.py",
        "+ sign * self.moment[found]",
        "+ self.moment[found]",
        "the moment of rolling friction does not change its sign with the order of the bodies",
        PLAIN,
        "tests/contact/world/test_contact_forces.py tests/contact/stepping/touching/test_turning_resistance.py",
    ),
    Mutation(
        "failure-is-success",
        "contact.app",
        "contact/app/cli.py",
        "return 0 if result.converged else 1",
        "return 0",
        "a problem that was not solved is one that was to whoever called the command",
        PLAIN,
        "tests/contact/app/test_cli.py",
    ),
)


class Stale(Exception):
    """A record does not fit the repository, or a run of tests is none."""


# ------------------------------------------------------------------------------------------------------------------ copies


def copy_repository(source: Path, folder: Path) -> None:
    """The files that git knows of or would take, in ``folder/repository``, and the way to import them beside it."""
    listed = subprocess.run(
        ["git", "-C", str(source), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    copy = folder / "repository"
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (source / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, copy / name)
    package = folder / "importable" / "pluecker"
    package.mkdir(parents=True)
    for name in (*sorted(os.listdir(copy / "package")), *PARTS):
        part = name if name in PARTS else f"package/{name}"
        (package / name).symlink_to(f"../../repository/{part}")
    (folder / "importable" / "copy_of_library.py").write_text(PLUGIN, encoding="utf-8")


def with_slip(mutation: Mutation, copy: Path) -> str:
    """The text of its file with the slip; an error if that does not fit the copy."""
    file = copy / mutation.file
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    count = text.count(mutation.old)
    if count != 1 or mutation.new == mutation.old:
        raise Stale(f"{mutation.name}: its old text is {count} times in {mutation.file}, expected once")
    return text.replace(mutation.old, mutation.new)


def mutate(mutation: Mutation, copy: Path) -> None:
    """Put the slip into the copy."""
    file, text = copy / mutation.file, with_slip(mutation, copy)
    for bytecode in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        bytecode.unlink()
    file.write_text(text, encoding="utf-8")


def tests_in(tests: str, copy: Path) -> list[str]:
    """The tests, where they lie in the copy.

    A file that is not there is looked for by its name; of several those of the same package are meant, and none that lies at
    the same place here.
    """
    found = []
    for test in tests.split():
        name, colons, node = test.partition("::")
        path = Path(name)
        if not (copy / path).is_file():
            there = [each.relative_to(copy) for each in sorted(copy.glob(f"tests/**/{path.name}"))]
            moved = [each for each in there if not (TOP / each).is_file()]
            near = [each for each in moved if each.parts[1] == path.parts[1]] or moved
            if len(near) != 1:
                raise Stale(f"{name}: no such file of tests, and {len(near)} of that name elsewhere")
            path = near[0]
        found.append(f"{path}{colons}{node}")
    return found


# -------------------------------------------------------------------------------------------------------------------- runs


def run_tests(folder: Path, lane: str, tests: Iterable[str], *options: str) -> tuple[int, str]:
    """Run tests in a copy; the exit status of pytest, and what it has printed."""
    left_out = ("EVERYTHING", "NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
    environment = {key: value for key, value in os.environ.items() if key not in left_out}
    environment |= {"PYTHONPATH": str(folder / "importable"), "COPY_OF_LIBRARY": str(folder / "repository")}
    if lane == PLAIN:
        environment["NUMBA_DISABLE_JIT"] = "1"
        options = (*options, "-m", "not (slow)")  # with "not slow" the tests of some checkouts leave out more
    plugins = "-p", "no:cacheprovider", "-p", "copy_of_library"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, *options, *tests],
        cwd=folder / "repository",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONGEST,
        check=False,
        text=True,
        errors="replace",
    )
    if done.returncode in range(2, 10):
        last = "\n".join(done.stdout.splitlines()[-30:])
        raise Stale(f"pytest ended with {done.returncode} and without a result:\n{last}")
    return done.returncode, done.stdout


def failed_in(output: str) -> list[str]:
    """The tests that failed, from what pytest has printed."""
    return [found[1] for found in re.finditer(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", output, re.MULTILINE)]


def check_without_slips(folder: Path, mutations: Sequence[Mutation]) -> bool:
    """Run all tests in the copy as it is, and say whether they pass."""
    good = True
    for lane in (PLAIN, COMPILED):
        tests = dict.fromkeys(
            test for each in mutations if each.lane == lane for test in tests_in(each.tests, folder / "repository")
        )
        if not tests:
            continue
        began = time.monotonic()
        status, output = run_tests(folder, lane, tests)
        seconds = time.monotonic() - began
        print(f"without a slip, {lane}: {'FAIL' if status else 'all pass'}, {seconds:.0f} s", flush=True)
        if status:
            good = False
            print("\n".join(f"  {test}" for test in failed_in(output)) or output)
    return good


def run_mutation(mutation: Mutation, clean: Path) -> tuple[bool, str, float]:
    """Run the tests of a slip: whether one noticed it, the first that did, and the seconds that this took."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"{mutation.name}-") as place:
        folder = Path(place) / "copy"
        shutil.copytree(clean, folder, symlinks=True)
        mutate(mutation, folder / "repository")
        try:
            status, output = run_tests(folder, mutation.lane, tests_in(mutation.tests, folder / "repository"), "-x")
        except subprocess.TimeoutExpired:
            return False, f"(no end within {LONGEST} s)", time.monotonic() - began
    if status < 0:
        return True, f"(ended by signal {-status})", time.monotonic() - began
    return status == 1, next(iter(failed_in(output)), ""), time.monotonic() - began


def chosen(names: Sequence[str] | None) -> list[Mutation]:
    """The records of these names; all unless given."""
    known = {mutation.name: mutation for mutation in MUTATIONS}
    if names is None:
        return list(MUTATIONS)
    for name in names:
        if name not in known:
            raise Stale(f"no slip {name!r}; there are {', '.join(known)}")
    return [known[name] for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run them; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description="slips that tests must notice")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these alone")
    parser.add_argument("--list", action="store_true", help="print them")
    parser.add_argument("--tests-of", type=Path, default=TOP, metavar="PATH", help="library and tests of this checkout")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at a time (1)")
    options = parser.parse_args(arguments)
    try:
        mutations = chosen(options.only)
        if options.list:
            for each in mutations:
                print(f"{each.room:24} {each.name:32} {each.lane:9} {each.why}")
            return 0
        return run(mutations, options.tests_of.resolve(), options.jobs)
    except Stale as error:
        print(error, file=sys.stderr)
        return 2


def run(mutations: Sequence[Mutation], source: Path, jobs: int) -> int:
    """Check that all records fit, run their tests without a slip, then with each."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as place:
        clean = Path(place) / "clean"
        copy_repository(source, clean)
        for mutation in mutations:
            with_slip(mutation, clean / "repository")
            tests_in(mutation.tests, clean / "repository")
        if not check_without_slips(clean, mutations):
            print("tests fail without a slip: what they say of slips means nothing")
            return 1
        caught = 0
        with ThreadPoolExecutor(jobs) as pool:
            results = pool.map(lambda mutation: run_mutation(mutation, clean), mutations)
            for mutation, (noticed, test, seconds) in zip(mutations, results, strict=True):
                caught += noticed
                word = "caught" if noticed else "NOT CAUGHT"
                print(f"{word:10} {mutation.name:32} {seconds:5.0f} s  {test}", flush=True)
    print(f"{caught} of {len(mutations)} caught")
    return 0 if caught == len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
