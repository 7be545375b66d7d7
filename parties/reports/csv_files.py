"""The tables of a report as CSV texts, one for each."""

from __future__ import annotations

import csv
import io
import re

from ppaurora.mpc.printable import printable
from ppaurora.parties.reports.model import Sheet

__all__ = ["csv_text", "file_name"]

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

    >>> file_name("roc_curve:points=50,least=5")
    'roc_curve-points-50-least-5'
    """
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
    return plain[:100] or "unnamed"


def _cell(text: str) -> str:
    shown = printable(text, len(text))
    return f"'{shown}" if shown.startswith(FORMULA) and not NUMBER.fullmatch(shown) else shown
