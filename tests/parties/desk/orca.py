"""Orca, the screen reader of Linux desktops, on a display without a screen; `spoken.py` says why.

It reads Chromium's page by the accessibility bus, as it does for a person. Keys are pressed by the
display. What it says is taken from its log, so no voice is needed, and none is started.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ppaurora.parties.reports.files import browser
from tests.until import until

SAID = re.compile(r"SPEECH OUTPUT: '(.*?)' ?(?:\{'established': \w+\})?\r?$")
ECHOES = ("tab", "left shift", "return", "space", "down")
"""Words that it says of a key itself."""
LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
SETTINGS = (
    ("org.gnome.desktop.interface", "toolkit-accessibility"),
    ("org.gnome.desktop.a11y.applications", "screen-reader-enabled"),
)
KEYS = {"Tab": "Tab", "Shift+Tab": "shift+Tab", "Enter": "Return", " ": "space"}
QUIET = 0.8
"""Seconds without a word after which it has said all."""
MOST_LINES = 400


class Orca:
    """Orca and a browser, both running; what was said since the last key."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._log = folder / "orca.log"
        self._from = 0
        self._pressed = False
        self._browser: subprocess.Popen[bytes] | None = None

    def open(self, address: str) -> None:
        """Open the page in a window without an address bar."""
        self.close()
        self._mark(pressed=False)
        self._browser = self._start(
            browser(),
            "--no-first-run",
            "--disable-gpu",
            "--force-renderer-accessibility",
            f"--user-data-dir={self._folder / 'profile'}",
            f"--app={address}",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
        )
        until(lambda: "heading level 2" in self.heard(), 120)
        self._settle()

    def press(self, key: str) -> str:
        """Press a key; what is said on it."""
        self._mark()
        self._display("key", KEYS[key])
        until(lambda: self.heard().strip(), 60)
        self._settle()
        return self.heard()

    def write(self, text: str) -> None:
        """Type a text in place of what the field holds."""
        self._display("key", "ctrl+a")
        self._display("type", "--delay", "60", text)
        self._settle()

    def heard(self) -> str:
        """Everything that was said since the last key but the key itself, a line each time."""
        log = self._log.read_bytes()[self._from :].decode(errors="replace")
        said = [found[1].strip() for line in log.splitlines() if (found := SAID.search(line))]
        if self._pressed:
            # what was still being said before it has heard of the key is no answer to it
            begun = next((at for at, one in enumerate(said) if one in ECHOES), len(said))
            said = said[begun:]
        return "\n".join(one for one in said if one not in ECHOES)

    def reads(self, words: str) -> bool:
        """Read on line by line until these words are said."""
        said = ""
        for _ in range(MOST_LINES):
            self._mark()
            self._display("key", "Down")
            self._settle()
            line = self.heard()
            said += f" {line}"
            if words in said:
                return True
        return False

    def close(self) -> None:
        """Close the browser."""
        if self._browser is not None:
            self._browser.terminate()
            self._browser.wait(60)
            self._browser = None

    def _mark(self, *, pressed: bool = True) -> None:
        self._pressed = pressed
        self._from = self._log.stat().st_size if self._log.exists() else 0

    def _settle(self) -> None:
        """Wait until nothing more is said."""
        size, since = -1, time.monotonic()
        while time.monotonic() - since < QUIET:
            time.sleep(0.05)
            now = len(self.heard())
            if now != size:
                size, since = now, time.monotonic()

    def _display(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._environment, check=True)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _copy(terminal: int, log: Path) -> None:
    """Keep in a file what is written to a terminal."""
    with log.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while data := os.read(terminal, 1 << 16):
            file.write(data)


@contextlib.contextmanager
def orca(folder: Path) -> Iterator[Orca]:
    """Orca on a display, a session and a home of its own, which end with the block."""
    home = folder / "home"
    running = home / "run"
    running.mkdir(mode=0o700, parents=True)
    with contextlib.ExitStack() as stack:

        def started(*words: str, **more: object) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                words,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                **more,  # type: ignore[call-overload]
            )
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
            return process

        environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(running),
            # what it says is read, not heard
            "SPEECHD_CMD": "/bin/false",
        }
        read, write = os.pipe()
        started("Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", pass_fds=(write,))
        os.close(write)
        with open(read) as told:
            environment["DISPLAY"] = f":{told.readline().strip()}"
        bus = started("dbus-daemon", "--session", "--nofork", "--print-address=1")
        assert bus.stdout is not None
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        started(LAUNCHER, "--launch-immediately")
        for schema, key in SETTINGS:
            subprocess.run(["gsettings", "set", schema, key, "true"], env=environment, check=True)
        started("openbox")
        log = folder / "orca.log"
        # a terminal gets each line as it is written; a file only now and then
        terminal, end = os.openpty()
        reading = threading.Thread(target=_copy, args=(terminal, log), daemon=True)
        reading.start()
        started("orca", "--replace", "--disable=braille", f"--debug-file={os.ttyname(end)}")
        until(lambda: log.exists() and b"SPEECH: Initialized" in log.read_bytes(), 60)
        hearing = Orca(folder, environment)
        stack.callback(hearing.close)
        yield hearing
