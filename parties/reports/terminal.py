"""A result as a table and lines, for people at a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ppaurora.parties.reports.console import WIDTH, err, out
from ppaurora.parties.reports.model import Bullets, Page, Paragraph, Piece, Sheet
from ppaurora.parties.reports.page import NONE, NOTES
from ppaurora.parties.reports.section_owners import BEYOND


def show_page(page: Page, *, explain: bool = False) -> None:
    """Print the brief parts of a report to stdout, and its notes to stderr.

    Asked to `explain`, print there what each number tells, too.
    """
    for section in page.sections:
        for piece in section.pieces:
            match piece:
                case _ if piece.brief:
                    _show_piece(piece, out())
                case Bullets() if section.alarming or (explain and piece.lead == BEYOND):
                    for text in piece.items:
                        err().print(f"note: {text}")
                case Paragraph() if section.key == NOTES and piece.text != NONE:
                    err().print(f"note: {piece.text}")


def page_text(page: Page) -> str:
    """The brief parts of a report as a text, without a terminal's colours."""
    console = Console(file=StringIO(), width=WIDTH, highlight=False, markup=False, emoji=False)
    for piece in page.pieces:
        if piece.brief:
            _show_piece(piece, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().rstrip()


def _show_piece(piece: Piece, console: Console) -> None:
    if isinstance(piece, Sheet):
        table = Table(title=piece.caption, min_width=40)
        for at, name in enumerate(piece.columns):
            number = at in piece.numbers
            table.add_column(name, justify="right" if number else "left", overflow="fold")
        for row in piece.rows:
            table.add_row(*map(Text, row))
        console.print(table)
    elif isinstance(piece, Paragraph):
        console.print(piece.text)
    elif isinstance(piece, Bullets):
        for text in piece.items:
            console.print(text)
