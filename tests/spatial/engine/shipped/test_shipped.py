"""Machine code that comes with the package: the same numbers as compiled ones, without Numba, or as if it were not there.

A copy of the package is given a small library: the inverse dynamics of one state and of a batch, and a function whose arrays
are converted by the entrances themselves. Programs import that copy.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKED, COMPILED
from tests.programs import printed_by

HERE = Path(__file__).resolve().parents[4]
COMPILER = os.environ.get("CC", "cc")
pytestmark = pytest.mark.skipif(
    not COMPILED or CHECKED or shutil.which(COMPILER) is None or os.name == "nt",
    reason="shipped code is neither for plain Python nor for bounds checks, and is made by a C compiler",
)
MODEL = """
import hashlib, os, sys
import numpy as np
import pluecker as pl
from pluecker.spatial.engine.compiled.shipped_code import shipped

builder = pl.ModelBuilder()
for k in range(3):
    builder.add_body(f"b{k}", mass=1.0 + k, center_of_mass=(0.1, 0.2, -0.3), inertia=(0.1, 0.2, 0.15))
    parent = f"b{k - 1}" if k else "world"
    builder.add_joint(f"j{k}", "revolute", parent=parent, child=f"b{k}", axis=np.eye(3)[k])
model = builder.build()
rng = np.random.default_rng(3)
q, v, a = rng.standard_normal((3, 9, 3))

def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in arrays)).hexdigest()[:16]

def results():
    return digest(pl.rnea(model, q[0], v[0], a[0]), pl.rnea(model, q, v, a), pl.spatial.skew(v))
"""
RUN = MODEL + "\nprint(results(), shipped().level, 'numba' in sys.modules, 'scipy' in sys.modules)\n"
LINK = """
import sys
from pathlib import Path
from pluecker.spatial.engine.shipped.writer import link
link({Path(level).name: Path(level) for level in sys.argv[2:]}, Path(sys.argv[1]))
"""
LEVELS = "import json; from pluecker.spatial.engine.shipped.writer import levels_here; print(json.dumps(levels_here()))"


class Copy:
    """A copy of the package with a library of its own.

    Attributes:
        top: the folder that programs find it in.
        level: the best level of this processor.
        compiled: what the program prints where all is compiled for that level.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        for package in ("spatial", "articulated", "contact", "examples"):
            shutil.copytree(
                HERE / package, top / "pluecker" / package, ignore=shutil.ignore_patterns("__pycache__", "*.so")
            )
        for path in (HERE / "package").rglob("*.py"):
            place = top / "pluecker" / path.relative_to(HERE / "package")
            place.parent.mkdir(exist_ok=True)
            shutil.copy(path, place)
        self.folder = top / "pluecker" / "spatial" / "engine" / "shipped"
        (self.folder / "index.json").unlink(missing_ok=True)
        levels = json.loads(self.printed(LEVELS))
        if not levels:
            pytest.skip("this processor has none of the levels")
        self.level, (name, features) = next(iter(levels.items()))
        objects, target = top / self.level, {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}
        self.compiled = self.printed(RUN, PLUECKER_SHIP=str(objects), **target).split()
        self.printed(LINK, str(self.folder), str(objects))
        (self.library,) = self.folder.glob("code_of_levels*")

    def printed(self, program: str, *arguments: str, **environment: str) -> str:
        """Run a program that finds the copy; return what it prints. Nothing that was compiled before is kept."""
        own = {"PYTHONPATH": str(self.top), "NUMBA_CACHE_DIR": str(self.top / "cache" / str(len(os.listdir(self.top))))}
        (self.top / f"run{len(os.listdir(self.top))}").touch()
        return printed_by(
            program, *arguments, cwd=str(self.top), **{**own, "PYTHONDONTWRITEBYTECODE": "1", **environment}
        )

    def words(self, **environment: str) -> list[str]:
        """The digest of the results, the level, and whether Numba and SciPy were imported."""
        return self.printed(RUN, **environment).split()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with a small library."""
    return Copy(tmp_path_factory.mktemp("shipped"))


def test_shipped_code_gives_the_bits_of_compiled_code_and_imports_neither_numba_nor_scipy(copy):
    assert copy.compiled[1:3] == ["None", "True"]
    assert copy.words() == [copy.compiled[0], copy.level, "False", "False"]


def test_it_can_be_left_aside(copy):
    assert copy.words(PLUECKER_SHIPPED="0")[1:3] == ["None", "True"]
    assert copy.printed(MODEL + "print(shipped().level)", PLUECKER_SHIPPED="v0") == "None\n"
    assert copy.words(NUMBA_DISABLE_JIT="1")[1:3] == ["None", "False"]


def test_an_edited_kernel_is_compiled_and_others_are_not(copy):
    place = copy.top / "pluecker" / "spatial" / "functions" / "products.py"
    text = place.read_text()
    try:
        place.write_text(text.replace("def skew_kernel(x, out):", "def skew_kernel(x, out):\n    store(out, 0, 7.0)"))
        program = MODEL + (
            "\nprint(pl.rnea(model, q[0], v[0], a[0]).shape, 'numba' in sys.modules)"
            "\nprint(pl.spatial.skew(v[0])[0, 1] == -v[0, 2], 'numba' in sys.modules)"
        )
        assert copy.printed(program).split() == ["(3,)", "False", "True", "True"]
    finally:
        place.write_text(text)


DAMAGE = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "all but one": lambda data: data[:-1],
    "another byte": lambda data: data[:-900] + bytes([data[-900] ^ 1]) + data[-899:],
}


@pytest.mark.parametrize("which", ["library", "index"])
def test_a_damaged_file_is_one_that_is_not_there(copy, which):
    path = copy.library if which == "library" else copy.folder / "index.json"
    data = path.read_bytes()
    program = "from pluecker.spatial.engine.compiled import shipped_code as code; print(code.shipped().level)"
    try:
        for damage in DAMAGE.values():
            path.write_bytes(damage(data))
            if which == "library" or damage(data)[:1] != b"{" or not damage(data).endswith(b"}"):
                assert copy.printed(program) == "None\n"
    finally:
        path.write_bytes(data)
    assert copy.words()[1] == copy.level


def test_what_it_does_not_know_goes_to_numba(copy):
    """Arrays of other types and orders, and functions that were not shipped."""
    program = MODEL + (
        "\nx = [1, 2, 3]"
        "\nprint(pl.spatial.skew(x)[0, 1], 'numba' in sys.modules, pl.rnea(model, x, x, np.float32(x)).shape)"
        "\nprint(pl.crba(model, q[0]).shape, 'numba' in sys.modules)"
    )
    assert copy.printed(program).split() == ["-3.0", "False", "(3,)", "(3,", "3)", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not made by fork here")
def test_processes_at_once_and_forked_ones_agree(copy):
    program = MODEL + (
        "\nbefore = results()"
        "\nchild = os.fork()"
        "\nif child == 0: os._exit(0 if results() == before else 1)"
        "\nprint(before, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(copy.top)}
    several = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment, cwd=copy.top
        )
        for _ in range(2)
    ]
    assert [process.communicate()[0].split() for process in several] == [[copy.compiled[0], "0"]] * 2


def test_functions_of_the_user_are_compiled_as_without_it(copy):
    """For this processor, and kept where Numba keeps them."""
    program = MODEL + (
        "\nresults()"
        "\nimport numba"
        "\nfrom numba.core.registry import cpu_target"
        "\nprint(numba.njit(lambda x: 2 * x)(3), cpu_target.target_context.codegen().magic_tuple()[1])"
    )
    plain = "from numba.core.registry import cpu_target; print(cpu_target.target_context.codegen().magic_tuple()[1])"
    assert copy.printed(program).split() == ["6", *printed_by(plain).split()]
