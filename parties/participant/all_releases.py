"""All releases of an agreement as one receiver has them: every result that there is, verified.

A result that was saved before is not fetched again. A release without a result keeps its reason, so
that a trend shows a gap and not a change.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import DataError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.calendar import calendar_sheet
from ppaurora.parties.reports.files import read_text, trend_of_texts
from ppaurora.parties.reports.model import Page, Sheet
from ppaurora.parties.reports.result import saved_session
from ppaurora.parties.reports.verification import verified
from ppaurora.parties.study.study import Study


@dataclass(frozen=True, slots=True)
class AllReleases:
    """The releases that have opened: texts of their results by file, and why others have none."""

    opened: tuple[str, ...]
    texts: Mapping[Path, str]
    without: Mapping[str, str]

    @classmethod
    def fetched(
        cls,
        agreed: Study,
        at: float,
        results: Path,
        take_part: Callable[[str], Participant],
        tell: Callable[[str], None],
    ) -> AllReleases:
        """Fetch and save in the folder `results` every one that has opened at the time `at`.

        `take_part` gives the receiver of a release by its name; each sentence is told at once.
        """
        texts, without = {}, {}
        opened = tuple(period.name for period in agreed.schedule.opened_at(at))
        for period in opened:
            with take_part(period) as receiver:
                path = results / f"{receiver.study.id}.json"
                if saved_session(receiver.study, path) is None:
                    try:
                        fetched = receiver.result()
                    except AuroraError as error:
                        without[period] = str(error)
                        tell(f"release {period}: {error}")
                        continue
                    fetched.save(path)
                    tell(f"Saved as {path}")
                    with contextlib.suppress(
                        AuroraError
                    ):  # the servers keep it until they are told
                        receiver.saved(fetched.session)
                text = read_text(path)
                verified(text, receiver.study, receiver.keys.ever_of_servers(receiver.study))
                texts[path] = text
        return cls(opened, texts, without)

    @property
    def trend(self) -> Page:
        """The report of all of them together."""
        if not self.texts:
            raise DataError("No release has a result yet", advice="See `ppaurora status`.")
        return trend_of_texts(self.texts, self.opened, self.without)


def calendar_of(participant: Participant, at: float, results: Path) -> Sheet:
    """The calendar of a participant in any release: what it has sent, and the results it has."""
    agreed = participant.study.agreement
    saved = [
        one.period
        for one in agreed.releases
        if saved_session(one, results / f"{one.id}.json") is not None
    ]
    sent = {period: str(one) for period, one in participant.lists_of_releases().items()}
    return calendar_sheet(agreed, at, sent, saved)
