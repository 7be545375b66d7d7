"""The studies that a site's operator has ended: marks in its state, which outlive all else of them.

An ended study is never served here again, and nothing is sent for it; nor is another study with its
id. Its mark is its text in the folder `ended`. A running server is asked by its text in the folder
`to-end`, or `to-break-off`; it answers by taking that away, and where it does not end the study, by
the reason.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.private_file import write_private
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.study.study import Study

ENDED = "This study was ended here by its operator"
ADVICE = "What was stored of it here is deleted. A study in its place needs a new id."
REASON_ENDING = ".refused"
MOST_REASON_BYTES = 4096


def check_id(ended: Study, study: Study) -> None:
    """Refuse a study that is the ended one, or has its id."""
    if study.hash == ended.hash:
        raise PolicyRefusal(ENDED, advice=ADVICE)
    if study.id == ended.id:
        raise PolicyRefusal(f"A study with the id {study.id} was ended here", advice=ADVICE)


class Endings:
    """The ended studies of one site, and those that its server is asked to end."""

    def __init__(self, state: Path | None) -> None:
        """`state` is the site's folder for what outlives a process; without one nothing is."""
        state = state or Path(os.devnull)
        self._ended = Acceptances(state, "ended")
        self._asked = Acceptances(state, "to-end")
        self._broken_off = Acceptances(state, "to-break-off")
        self._reasons = state / "to-end"

    # -- what is ended -----------------------------------------------------------------------------

    def add(self, study: Study) -> None:
        """Mark the study as ended; once this returns, that is on the disk."""
        self._ended.add(study)

    def all(self) -> list[Study]:
        """Every study that was ended here."""
        return self._ended.all()

    def check(self, study: Study) -> None:
        """Refuse a study that was ended here, or that has the id of one.

        A release is refused where its agreement was ended.
        """
        for one in dict.fromkeys((study, study.agreement)):
            if self._ended.has(one.hash):
                raise PolicyRefusal(ENDED, advice=ADVICE)
            for ended in self.all():
                check_id(ended, one)

    # -- what the server is asked ------------------------------------------------------------------

    def ask(self, study: Study, *, break_off: bool) -> None:
        """Ask the server to end the study, or even to break its computation off."""
        self._reason(study).unlink(missing_ok=True)
        (self._broken_off if break_off else self._asked).add(study)

    def asked(self) -> list[tuple[Study, bool]]:
        """The studies to be ended, each with whether its computation is to be broken off."""
        broken_off = self._broken_off.all()
        return [(one, False) for one in self._asked.all()] + [(one, True) for one in broken_off]

    def answer(self, study: Study, why_not: str = "") -> None:
        """Note that the study was ended as asked, or why it was not."""
        if why_not:
            reason = self._reason(study)
            write_private(reason, why_not.encode()[:MOST_REASON_BYTES], like=reason.parent)
        self._take_back(study)

    def waits(self, study: Study) -> bool:
        """Return whether the server has not answered yet."""
        return any(one.has(study.hash) for one in (self._asked, self._broken_off))

    def give_up(self, study: Study) -> bool:
        """Ask no more; whether nobody had answered."""
        waited = self.waits(study)
        self._take_back(study)
        return waited and not self._ended.has(study.hash)

    def why_not_ended(self, study: Study) -> str:
        """The reason why the server has not ended the study, empty if it has."""
        if self._ended.has(study.hash):
            return ""
        with contextlib.suppress(OSError):
            return self._reason(study).read_text("utf-8", "replace")
        return "The server was asked no more before it had ended the study"

    def _take_back(self, study: Study) -> None:
        for one in (self._asked, self._broken_off):
            one.forget(study.hash)

    def _reason(self, study: Study) -> Path:
        return self._reasons / f"{study.hash.hex()}{REASON_ENDING}"
