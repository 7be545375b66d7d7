"""`ppaurora desk`: a page on this machine for owners and receivers who use no terminal."""

from __future__ import annotations

import contextlib
import signal
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from ppaurora.parties.private_file import write_private
from ppaurora.parties.reports.console import err, out

OPENING = (
    '<!DOCTYPE html><meta http-equiv="refresh" content="0;url={}"><title>ppAURORA desk</title>'
)


def desk(
    folder: Annotated[
        Path, typer.Argument(help="Where your key, site file and results are or will be.")
    ] = Path(),
    port: Annotated[
        int, typer.Option(help="The port at 127.0.0.1; 0: any that is free.", min=0, max=65535)
    ] = 0,
    open_: Annotated[
        bool, typer.Option("--open", help="Also open the page in this machine's usual browser.")
    ] = False,
) -> None:
    """Take part from a page in your browser, without a terminal: for owners and receivers.

    It prints an address that works once, in one browser, and serves that browser until Ctrl-C. No
    other machine reaches it, and no other user of this one, without that address.
    """
    from ppaurora.parties.desk.desk import Desk
    from ppaurora.parties.requests.desk_listener import DeskListener

    for name in ("SIGTERM", "SIGHUP"):  # a list that was dropped in is deleted then, too
        if number := getattr(signal, name, None):
            signal.signal(number, _end)
    here = Desk(folder)
    listener = DeskListener(port, here.files, here.work)
    with contextlib.ExitStack() as stack:
        stack.callback(here.close)
        stack.callback(listener.server_close)
        out().print(listener.address)
        err().print("Open this address in your browser; it works once. Ctrl-C ends the desk.")
        if open_:
            _open(listener.address, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        listener.serve_forever()


def _end(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _open(address: str, folder: Path) -> None:
    """Open the address by a private file: other users see the command line of a browser."""
    page = folder / "desk.html"
    write_private(page, OPENING.format(address).encode())
    webbrowser.open(page.as_uri())
