"""Wheels with machine code: one for each Python, with the code of each level of processors.

    python packaging/wheels.py [--out DIST] [--python PYTHON ...] [--topic TOPIC ...] [--jobs N]

For each Python it makes an environment of its own, builds the pure wheel, installs it there, compiles all topics of
``pluecker warmup`` once for each level, each topic in a process of its own, links what comes out, and puts it into the
wheel. Whoever makes wheels needs a C compiler, and a processor that has the instructions of all levels, since what is
compiled is called too: a level that it lacks is left out.

A processor that has none of the levels compiles, as an installation from source does. Tried on Linux x86-64 alone.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
PLACE = "pluecker/spatial/engine/shipped"
EPOCH = "315532800"  # 1980: the first time that a zip file can name
LEVELS = """
import json
from pluecker.spatial.engine.shipped.writer import levels_here
print(json.dumps(levels_here()))
"""
TOPICS = """
import json
from pluecker.compiling import TOPICS
print(json.dumps(list(TOPICS)))
"""
COMPILE = """
import sys
from pluecker.compiling import compile_here
compile_here(sys.argv[1])
"""
TRY = """
import sys, time
start = time.perf_counter()
import numpy as np
import pluecker as pl
from pluecker.installation import shipped_code
model = pl.Model.from_urdf(pl.find_robot("seven_joint_arm"))
q = pl.neutral(model)
v = np.zeros(model.nv)
found = pl.aba(model, q, v, pl.rnea(model, q, v, v + 1.0))
assert abs(found - 1.0).max() < 1e-9, found
assert "numba" not in sys.modules and "scipy" not in sys.modules
print(f"in a fresh environment: {shipped_code()}, first results after {time.perf_counter() - start:.2f} s")
"""
VERSION = """
import sys
version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
print(f"{version}-{version}{getattr(sys, 'abiflags', '')}")
"""
LINK = """
import sys
from pathlib import Path
from pluecker.spatial.engine.shipped.writer import link
out, *levels = sys.argv[1:]
link({Path(level).name: Path(level) for level in levels}, Path(out))
"""


def run(*command: object, cwd: Path | None = None, **environment: str) -> str:
    """Run a command, and return what it prints; what it says of errors is shown."""
    own = {**os.environ, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1", "SOURCE_DATE_EPOCH": EPOCH, **environment}
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, cwd=cwd, env=own)
    return done.stdout


def make_wheel(python: str, out: Path, topics: list[str] | None, jobs: int) -> Path:
    """Make the wheel of a Python; returns its path."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        run(python, "-m", "venv", here / "env")
        own = here / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(own, "-m", "pip", "install", "--quiet", "--upgrade", "pip", "build", "wheel", "setuptools")
        source = here / "source"
        copy_source(source)
        run(own, "-m", "build", "--wheel", "--no-isolation", "--outdir", here / "pure", source)
        (pure,) = (here / "pure").glob("*.whl")
        run(own, "-m", "pip", "install", "--quiet", pure)
        levels = json.loads(run(own, "-c", LEVELS, cwd=here))
        topics = topics or json.loads(run(own, "-c", TOPICS, cwd=here))
        print(f"{python}: {', '.join(levels)}; {', '.join(topics)}", flush=True)
        with ThreadPoolExecutor(jobs) as pool:
            both = [(level, *how, topic) for level, how in levels.items() for topic in topics]
            work = [pool.submit(compile_topic, own, here, *each) for each in both]
            for one in work:
                one.result()
        run(own, "-c", LINK, here / "linked", *(here / level for level in levels), cwd=here)
        run(own, "-c", f"import sys; sys.path.insert(0, {str(here / 'linked')!r}); import code_of_levels", cwd=here)
        wheel = put_into(pure, here / "linked", out, own)
        try_out(python, here / "fresh", wheel)
        return wheel


def try_out(python: str, folder: Path, wheel: Path) -> None:
    """Install a wheel in a fresh environment, and call what it brought there, without Numba."""
    run(python, "-m", "venv", folder)
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(own, "-m", "pip", "install", "--quiet", "--upgrade", "pip")
    run(own, "-m", "pip", "install", "--quiet", wheel)
    print(run(own, "-c", TRY, cwd=folder).strip(), flush=True)


def copy_source(place: Path) -> None:
    """Copy the files of the working tree that are part of the project, so that a build leaves nothing behind there."""
    names = run("git", "ls-files", "-z", cwd=HERE).split("\0")
    for name in filter(None, names):
        if (HERE / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(HERE / name, place / name)


def compile_topic(python: Path, here: Path, level: str, name: str, features: str, topic: str) -> None:
    """Compile a topic for a level, in a process and a cache of its own."""
    cache = tempfile.mkdtemp(dir=here)
    run(
        python, "-c", COMPILE, topic, cwd=here,
        NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features, NUMBA_CACHE_DIR=cache,
        PLUECKER_SHIP=str(here / level), PLUECKER_SHIPPED="0",
    )  # fmt: skip
    shutil.rmtree(cache)


def put_into(pure: Path, linked: Path, out: Path, python: Path) -> Path:
    """Put the library and its index into a wheel, and give it the tags of this Python and platform."""
    run(python, "-m", "wheel", "unpack", "--dest", linked / "tree", pure)
    (tree,) = (linked / "tree").iterdir()
    for path in linked.iterdir():
        if path.is_file():
            shutil.copy(path, tree / PLACE)
    (about,) = tree.glob("*.dist-info/WHEEL")
    text = about.read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
    about.write_text(re.sub("Tag: .*", f"Tag: {tag(linked, python)}", text))
    for path in tree.rglob("*"):
        os.utime(path, (int(EPOCH), int(EPOCH)))
    out.mkdir(parents=True, exist_ok=True)
    said = run(python, "-m", "wheel", "pack", "--dest-dir", out, tree)
    (name,) = re.findall(r"Repacking wheel as (.*\.whl)", said)
    return Path(name)


def tag(linked: Path, python: Path) -> str:
    """Return the tags of what was linked: the Python, and the oldest system that has all that the code calls."""
    version = run(python, "-c", VERSION).strip()
    system = re.sub("[-.]", "_", run(python, "-c", "import sysconfig; print(sysconfig.get_platform())").strip())
    if system.startswith("linux"):
        (library,) = linked.glob("code_of_levels*")
        called = re.findall(r"GLIBC_2\.(\d+)", run("objdump", "-T", library))
        system = f"manylinux_2_{max(17, *map(int, called))}_{platform.machine()}"
    return f"{version}-{system}"


def main() -> None:
    """Make the wheels that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE / "dist", help="folder of the wheels (dist)")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="the Pythons (this one)")
    parser.add_argument("--topic", nargs="+", help="topics of `pluecker warmup` (all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once (all cores)")
    options = parser.parse_args()
    for python in options.python:
        wheel = make_wheel(python, options.out.resolve(), options.topic, options.jobs)
        with zipfile.ZipFile(wheel) as file:
            inside = sum(entry.file_size for entry in file.infolist())
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, {inside / 1e6:.1f} MB unpacked", flush=True)


if __name__ == "__main__":
    main()
