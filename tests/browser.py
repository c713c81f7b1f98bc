"""A browser without a window, for tests that look at pages: Chromium, told what to do by its own protocol.

Source: the Chrome DevTools Protocol, https://chromedevtools.github.io/devtools-protocol.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--mute-audio"),
    "--force-device-scale-factor=0.5",  # a quarter of the dots to be drawn
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-port=0"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing but this machine is there
)
LONGEST = 90.0  # s: it draws without a graphics card, on a machine that does other things


class Refused(Exception):
    """A command that the browser does not take, as while one page gives way to another."""


class Page:
    """A page that is open."""

    def __init__(self, connection: Any) -> None:
        self.connection, self.number = connection, 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol, and its result.

        Raises:
            Refused: the browser says no.
        """
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.connection.recv(timeout=LONGEST))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Refused(answer["error"])
                return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def picture(self) -> np.ndarray:
        """Return a screenshot of the page, ``(height, width, 3)``, 0 to 255."""
        from PIL import Image

        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))

    def wait_for(self, condition: Callable[[np.ndarray], bool]) -> np.ndarray:
        """The first picture of the page that satisfies a condition.

        Raises:
            AssertionError: none does, after a long time.
        """
        end = time.monotonic() + LONGEST
        while True:
            with contextlib.suppress(Refused):
                picture = self.picture()
                if condition(picture):
                    return picture
            assert time.monotonic() < end, "the page never looks as it should"
            time.sleep(0.2)


@contextlib.contextmanager
def open_page(url: str, width: int = 900, height: int = 640) -> Iterator[Page]:
    """A page in a browser that ends with the context; skips the test where there is no browser."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"there is no browser: none of {', '.join(NAMES)}")
    connect = pytest.importorskip("websockets.sync.client", reason="websockets is not installed").connect
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [program, *OPTIONS, f"--user-data-dir={folder}", f"--window-size={width},{height}", url]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connect(address(Path(folder), process), max_size=None, proxy=None) as browser:
                target = first_page(Page(browser))
            with connect(
                f"{browser_root(Path(folder))}/devtools/page/{target}", max_size=None, proxy=None
            ) as connection:
                yield Page(connection)
        finally:
            process.terminate()
            process.wait()


def browser_root(folder: Path) -> str:
    """The beginning of all its addresses."""
    return f"ws://127.0.0.1:{(folder / 'DevToolsActivePort').read_text().split()[0]}"


def address(folder: Path, process: subprocess.Popen[bytes]) -> str:
    """Wait until the browser has written its address into a file, which says that it is ready; return the address."""
    end = time.monotonic() + LONGEST
    file = folder / "DevToolsActivePort"
    while not (file.exists() and len(file.read_text().split()) == 2):
        assert process.poll() is None, "the browser ended"
        assert time.monotonic() < end, "the browser does not begin"
        time.sleep(0.1)
    return browser_root(folder) + file.read_text().split()[1]


def first_page(browser: Page) -> str:
    """The page that it was opened with."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        for target in browser.call("Target.getTargets")["targetInfos"]:
            if target["type"] == "page":
                return str(target["targetId"])
        time.sleep(0.1)
    raise AssertionError("the browser opens no page")
