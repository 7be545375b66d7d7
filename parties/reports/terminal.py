"""A result as a table and lines, for people at a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.model import Bullets, Page, Paragraph, Piece, Sheet
from ppaurora.parties.reports.page import NONE, NOTES
from ppaurora.parties.reports.result import Result
from ppaurora.parties.reports.section_owners import BEYOND
from ppaurora.protocols.release.values import Released


def show_result(
    result: Result, pooled: Mapping[str, Released] | None = None, *, explain: bool = False
) -> None:
    """The values as a table, and the public facts below it."""
    show_page(page_of_text(result.to_json(), pooled), explain=explain)


def show_page(page: Page, *, explain: bool = False) -> None:
    """Print the brief parts of a report to stdout, and its notes to stderr.

    Asked to `explain`, print there what each number tells, too.
    """
    for section in page.sections:
        for piece in section.pieces:
            match piece:
                case _ if piece.brief:
                    _show_piece(piece)
                case Bullets() if section.alarming or (explain and piece.lead == BEYOND):
                    for text in piece.items:
                        err().print(f"note: {text}")
                case Paragraph() if section.key == NOTES and piece.text != NONE:
                    err().print(f"note: {piece.text}")


def _show_piece(piece: Piece) -> None:
    if isinstance(piece, Sheet):
        table = Table(title=piece.caption, min_width=40)
        for at, name in enumerate(piece.columns):
            number = at in piece.numbers
            table.add_column(name, justify="right" if number else "left", overflow="fold")
        for row in piece.rows:
            table.add_row(*map(Text, row))
        out().print(table)
    elif isinstance(piece, Paragraph):
        out().print(piece.text)
    elif isinstance(piece, Bullets):
        for text in piece.items:
            out().print(text)
