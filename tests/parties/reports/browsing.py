"""A real browser without a window, for tests: what a page asks for, what it says, what it shows.

The browser is spoken to over two pipes by its own protocol: JSON texts, each ended by a zero byte.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ppaurora.parties.reports.files import browser
from tests.until import until

SECONDS = 60
TOLD = {
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Log.entryAdded",
    "Audits.issueAdded",
    "Page.javascriptDialogOpening",
}
AUDIT = (
    "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map("
    "one => [one.id, one.help, one.nodes.map(node => node.html)]))"
)
"""Each violation that axe-core finds, by its name, in words, and where."""
KEY_CODES = {"Tab": 9, "Enter": 13, " ": 32}
SHIFT = "Shift+"


class Browsing:
    """One page in one browser."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ppaurora-browser-")
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        # beyond the two numbers under which the browser expects them
        theirs = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (read, write)]

        def at_three_and_four() -> None:
            for number, one in zip((3, 4), theirs, strict=True):
                os.dup2(one, number)

        self._process = subprocess.Popen(
            [
                browser(),
                "--headless",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
                f"--user-data-dir={self._folder.name}",
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                "about:blank",
            ],
            pass_fds=(3, 4),
            preexec_fn=at_three_and_four,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for one in (read, write, *theirs):
            os.close(one)
        self._rest = b""
        self._number = 0
        self._session = ""
        self.events: list[tuple[str, dict[str, Any]]] = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        os.close(self._write)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        until(self._removed)

    def _removed(self) -> bool:
        """Return whether its folder is gone; the browser may write there as it ends."""
        with contextlib.suppress(OSError):
            self._folder.cleanup()
        return not Path(self._folder.name).exists()

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """The answer to one call; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return dict(told["result"])
            if "method" in told:
                self.events.append((told["method"], told["params"]))

    def open(self, page: Path | str) -> None:
        """Load a file or an address, and wait until it is there with all that it asks for."""
        self.events.clear()
        self.ask("Page.navigate", url=page.as_uri() if isinstance(page, Path) else page)
        while not any(name == "Page.loadEventFired" for name, _ in self.events):
            told = self._next()
            if "method" in told:
                self.events.append((told["method"], told["params"]))

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def show(self, scheme: str = "light", media: str = "screen", width: int = 1000) -> None:
        """Have the page shown in this colour scheme, for this medium, in a window so wide."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )

    def press(self, *keys: str) -> None:
        """Press keys one after the other, each by its name: "Tab", "Shift+Tab", "Enter", " "."""
        for pressed in keys:
            key = pressed.removeprefix(SHIFT)
            code = KEY_CODES[key]
            more = {"text": "\r" if key == "Enter" else key} if key != "Tab" else {}
            for kind in ("keyDown", "keyUp"):
                self.ask(
                    "Input.dispatchKeyEvent",
                    type=kind,
                    key=key,
                    windowsVirtualKeyCode=code,
                    modifiers=8 if pressed.startswith(SHIFT) else 0,
                    **(more if kind == "keyDown" else {}),
                )

    def give_file(self, field: str, file: Path) -> None:
        """Choose a file in the field that fits a CSS selector."""
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector=field)["nodeId"]
        self.ask("DOM.setFileInputFiles", nodeId=node, files=[str(file)])

    def picture(self, file: Path) -> None:
        """Keep the whole page as it is shown."""
        made = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(made["data"]))

    @property
    def said(self) -> list[dict[str, Any]]:
        """Everything that the page or the browser complained of or reported."""
        return [about for name, about in self.events if name in TOLD]

    @property
    def requested(self) -> list[str]:
        """The addresses of everything that the page asked for, itself among them."""
        return [
            about["request"]["url"]
            for name, about in self.events
            if name == "Network.requestWillBeSent"
        ]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser is gone"
            self._rest += data
        first, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(first))
