"""A report as PDF, printed by a browser that is on this machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.posix import is_root

__all__ = ["BROWSERS", "browser", "print_to_pdf"]

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PRINT_SECONDS = 60.0
ADVICE = "Open the HTML file in any browser and print it from there: it is made for A4."


def browser() -> str:
    """The first known browser on this machine that can print without a window."""
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    raise ConfigurationError(
        "No browser that prints without a window was found (Chromium, Chrome or Edge)",
        advice=ADVICE,
    )


def print_to_pdf(html: str, path: Path) -> None:
    """Print a page, which it keeps to itself, to a PDF file."""
    program = browser()
    with tempfile.TemporaryDirectory(prefix="ppaurora-") as folder:
        page, made = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, encoding="utf-8")
        command = [
            program,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={made}",
            # a browser's own sandbox refuses to start as root
            *(["--no-sandbox"] if is_root() else []),
            page.as_uri(),
        ]
        try:
            subprocess.run(command, capture_output=True, timeout=PRINT_SECONDS, check=True)
            path.write_bytes(made.read_bytes())
        except (subprocess.SubprocessError, FileNotFoundError):
            raise ConfigurationError(f"{program} did not print the report", advice=ADVICE) from None
