"""Wheel and source archive of the last commit, with the same bits wherever they are made: ``make dist``.

All is made twice, in two folders: once the wheel from the files of the commit, once from the source archive. Times in the
files are that of the commit (``SOURCE_DATE_EPOCH``, which may be set to another), names and rights of their owners are left
out. If any bit differs, what differs is named and nothing is written. Changes that are not committed are built too, and said
so. Links of the README to files become addresses, if pyproject.toml names the repository: on PyPI there are no files.

    python packaging/build.py [FOLDER]         dist unless it is given; needs packaging/requirements.txt
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


def main(folder: Path) -> int:
    os.umask(0o022)
    commit = git("rev-parse", "HEAD")
    changed = git("stash", "create")  # a commit of all that is tracked, as it is now; nothing if nothing is changed
    os.environ.setdefault("SOURCE_DATE_EPOCH", git("log", "-1", "--format=%ct", commit))
    print(f"commit {commit}" + (", WITH CHANGES THAT ARE NOT COMMITTED" if changed else ""), flush=True)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        made = [build(Path(place), changed or commit) for place in (one, two)]
        first = build_wheel(made[0], unpacked(made[0], Path(one, "from archive")))
        second = build_wheel(made[1], Path(two, "source"))
        different = [*differences(*made), *differences(first, second)]
        if different:
            print("not the same bits:", *different, sep="\n  ")
            return 1
        if not address_of(Path(two, "source")):
            print("pyproject.toml names no repository: links of the README to files lead nowhere on PyPI")
        checked = run(sys.executable, "-m", "twine", "check", "--strict", str(made[0]), str(first))
        print(checked)
        folder.mkdir(parents=True, exist_ok=True)
        for file in (made[0], first):
            (folder / file.name).write_bytes(file.read_bytes())
            print(hashlib.sha256(file.read_bytes()).hexdigest(), folder / file.name)
    return 0


def git(*arguments: str) -> str:
    """Ask Git about this repository."""
    return run("git", "-C", str(TOP), *arguments).strip()


def run(*command: str) -> str:
    """Run a command that has to end well; returns what it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def build(place: Path, commit: str) -> Path:
    """Write the files of a commit to ``place/source``, and make the source archive of them."""
    source = place / "source"
    archive = subprocess.run(["git", "-C", str(TOP), "archive", commit], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(source, filter="data")
    readme, address = source / "README.md", address_of(source)
    if address:
        readme.write_text(with_addresses(readme.read_text("utf-8"), address), "utf-8")
    command = [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", str(place / "made"), str(source)]
    run(*command)
    (made,) = (place / "made").glob("*.tar.gz")
    made.write_bytes(normalised(made))
    return made


def address_of(source: Path) -> str:
    """Return where the files of this version can be read; nothing if pyproject.toml names no repository."""
    repository = re.search(
        r'^Repository = "(https://[^"]+?)/?"$', (source / "pyproject.toml").read_text("utf-8"), re.MULTILINE
    )
    version = re.search(
        r'^__version__ = "(.+)"$', (source / "package" / "__init__.py").read_text("utf-8"), re.MULTILINE
    )
    return f"{repository[1]}/KIND/v{version[1]}" if repository and version else ""


def with_addresses(text: str, address: str) -> str:
    """Make links to files absolute, and those of pictures lead to the picture itself."""

    def absolute(link: re.Match[str]) -> str:
        return f"{link[1]}{link[2]}]({address.replace('KIND', 'raw' if link[1] else 'blob')}/{link[3]})"

    return re.sub(r"(!?)(\[[^]]*)\]\((?!\w+:|#)([^)\s]+)\)", absolute, text)


def build_wheel(archive: Path, source: Path) -> Path:
    """Make the wheel of a folder, beside the source archive."""
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(archive.parent), str(source))
    (made,) = archive.parent.glob("*.whl")
    return made


def unpacked(archive: Path, place: Path) -> Path:
    """Unpack a source archive; returns the folder in it."""
    with tarfile.open(archive) as files:
        files.extractall(place, filter="data")
    (folder,) = place.iterdir()
    return folder


def normalised(archive: Path) -> bytes:
    """Return a compressed tar archive with its members in order, at one time, of nobody, and readable by all."""
    then, out = int(os.environ["SOURCE_DATE_EPOCH"]), io.BytesIO()
    with (
        tarfile.open(archive) as given,
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=then) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(given.getmembers(), key=lambda each: each.name):
            content = given.extractfile(member)
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.size, plain.mtime = member.type, member.size, then
            plain.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(plain, content)
    return out.getvalue()


def differences(one: Path, two: Path) -> list[str]:
    """List what differs between two archives: members and their contents, or the packing alone."""
    if one.read_bytes() == two.read_bytes():
        return []
    first, second = contents(one), contents(two)
    names = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    return [f"{one.name}: {name}" for name in names] or [f"{one.name}: times, order or rights of its members"]


def contents(archive: Path) -> dict[str, bytes]:
    """Return what the files of an archive hold, by name."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(archive) as files:
        opened = {member.name: files.extractfile(member) for member in files.getmembers()}
        return {name: content.read() for name, content in opened.items() if content}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else TOP / "dist"))
