"""Reports as files: one HTML page, its tables as CSV, its charts as SVG, and a PDF.

A browser on this machine prints the PDF.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ppaurora.mpc.printable import printable
from ppaurora.parties.errors import ConfigurationError, DataError, DocumentRefused
from ppaurora.parties.posix import is_root
from ppaurora.parties.reports.html import html_of
from ppaurora.parties.reports.model import Caterpillar, Chart, Page, Sheet
from ppaurora.parties.reports.page import page_of
from ppaurora.parties.reports.saved import MOST_LETTERS_OF_RESULT, SavedResult
from ppaurora.parties.reports.svg import standing_alone
from ppaurora.parties.reports.trend import trend_page
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.release.values import Released

ADVICE = "Give the file that `ppaurora result` saved."

BUNDLED = """{title}

result.json   the released numbers, with the signatures of the study's three servers
study.toml    what all parties agreed on, with the public keys of the servers
report.html   the report for people, made from result.json
tables/       its tables; curves/ its drawings

To verify that the three servers of study {study} signed these numbers:

    ppaurora verify result.json --study study.toml
"""

Kind = TypeVar("Kind", Sheet, Chart | Caterpillar)


def page_of_text(
    text: str, pooled: Mapping[str, Released] | None = None, *, verified: bool = True
) -> Page:
    """The report of a result document, which warns if its signatures were not verified."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return page_of(SavedResult.from_json(text), digest, pooled, verified=verified)


def read_text(path: Path) -> str:
    """The text of the result that is saved at `path`."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_LETTERS_OF_RESULT + 1)
    except FileNotFoundError:
        raise DataError(f"There is no file {path}", advice=ADVICE) from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder, not a result file", advice=ADVICE) from None
    if len(data) > MOST_LETTERS_OF_RESULT:
        raise DataError(f"{path} is larger than any result", advice=ADVICE)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text", advice=ADVICE) from None


@contextmanager
def result_in(path: Path) -> Iterator[None]:
    """Refuse the file at `path` by its name if what is read in the block is no result document."""
    try:
        yield
    except DocumentRefused as refusal:
        raise DataError(
            f"{path} is no saved result ({refusal.what})", advice=refusal.advice or ADVICE
        ) from None


def page_of_file(path: Path, text: str, *, verified: bool = True) -> Page:
    """The report of the result that was read from `path`; what is wrong is told with the path."""
    try:
        return page_of_text(text, verified=verified)
    except DocumentRefused as refusal:
        raise DataError(f"{path}: {refusal.what}", advice=refusal.advice or ADVICE) from None


def trend_of_texts(
    texts: Mapping[Path, str],
    periods: Sequence[str] = (),
    without: Mapping[str, str] | None = None,
    *,
    verified: bool = True,
) -> Page:
    """The report of several releases, from their result documents by the paths of their files."""
    results, digests = [], []
    for path, text in texts.items():
        with result_in(path):
            results.append(SavedResult.from_json(text))
        digests.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    return trend_page(results, digests, periods, without, verified=verified)


def write_report(
    page: Page,
    *,
    html: Path | None = None,
    csv: Path | None = None,
    svg: Path | None = None,
    pdf: Path | None = None,
) -> Iterator[Path]:
    """Write what is asked for, readable by this user alone; yields each file that was written.

    `csv` and `svg` are folders, with a file for each table and for each curve.
    """
    if html is not None:
        yield _write(html, html_of(page))
    if csv is not None:
        for name, sheet in _named(page.sheets).items():
            yield _write(csv / f"{name}.csv", csv_text(sheet))
    if svg is not None:
        for name, chart in _named(page.charts).items():
            yield _write(svg / f"{name}.svg", standing_alone(chart))
    if pdf is not None:
        _write(pdf, "")
        print_to_pdf(html_of(page), pdf)
        yield pdf


def write_bundle(path: Path, page: Page, text: str, study: Study) -> None:
    """A ZIP of the result's document, the study, the report and its tables and drawings.

    The same result makes the same bytes.
    """
    files = {
        "README.txt": BUNDLED.format(title=page.title, study=study.id),
        "result.json": text,
        "study.toml": study_text(study),
        "report.html": html_of(page),
        **{f"tables/{name}.csv": csv_text(one) for name, one in _named(page.sheets).items()},
        **{f"curves/{name}.svg": standing_alone(one) for name, one in _named(page.charts).items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file, ZipFile(file, "w", ZIP_DEFLATED) as bundle:
        for name, content in files.items():
            bundle.writestr(ZipInfo(name), content.encode(), ZIP_DEFLATED)


def _named(pieces: Sequence[Kind]) -> dict[str, Kind]:
    """The pieces by the names of their files; a name that is taken gets a number."""
    found: dict[str, Kind] = {}
    for piece in pieces:
        name = plain = file_name(piece.name)
        number = 1
        while name in found:
            number += 1
            name = f"{plain}-{number}"
        found[name] = piece
    return found


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return path


FORMULA = ("=", "+", "-", "@")

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def csv_text(sheet: Sheet) -> str:
    """The table with its header, comma-separated, lines ended by one newline.

    A spreadsheet would run a text that begins like a formula, and anybody may choose a name: such a
    text gets an apostrophe before it. A negative number is none.
    """
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow([_cell(name) for name in sheet.columns])
    rows.writerows([_cell(cell) for cell in row] for row in sheet.rows)
    return written.getvalue()


def file_name(name: str) -> str:
    """The name of a sheet or a chart as part of a file name: letters, digits, "-" and "_" only.

    >>> file_name("net_benefit:at=0.1/0.2")
    'net_benefit-at-0-1-0-2'
    """
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
    return plain[:100] or "unnamed"


def _cell(text: str) -> str:
    shown = printable(text, len(text))
    return f"'{shown}" if shown.startswith(FORMULA) and not NUMBER.fullmatch(shown) else shown


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PRINT_SECONDS = 60.0
PRINT_ADVICE = "Open the HTML file in any browser and print it from there: it is made for A4."


def browser() -> str:
    """The first known browser on this machine that can print without a window."""
    for name in BROWSERS:
        program = shutil.which(name)
        if program:
            return program
    raise ConfigurationError(
        "No browser that prints without a window was found (Chromium, Chrome or Edge)",
        advice=PRINT_ADVICE,
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
            raise ConfigurationError(
                f"{program} did not print the report", advice=PRINT_ADVICE
            ) from None
