"""The word of a site on its own values of a data set: the same in every study that asks for them.

A study shows hospitals by name only if none or at least five are left that it does not show
(`ppaurora.protocols.statistics.site_values`). That holds for two studies of the same lists, too, if
whoever is shown in one may be shown in the other; a hospital that changes its word between them can
leave one to four whose numbers follow from a mean. And a value that one least class shows and
another does not tells how many samples of a class there are in between. So the first study of a
data set that asks for own values settles both, and a later one that differs is refused. It is on
the disk before anything is sent; a program without a folder for its state keeps nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.lasting_record import LastingRecord
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.own_value import own_values


@dataclass(frozen=True, slots=True)
class OwnValuesAsked(JsonDocument):
    """A study, by id and hash, for which this site's values were sent, `shown` or not.

    They are shown to who has at least `least_class` samples of each class.
    """

    id: str
    study: str
    shown: bool
    least_class: int


@dataclass(frozen=True, slots=True)
class FirstOwnValues(JsonDocument):
    """For each data set the first study that asked for own values."""

    first: Mapping[str, OwnValuesAsked] = field(default_factory=dict)


class OwnValuesSent:
    """The site's word on the own values of `data_set`, kept in the folder `state`."""

    def __init__(self, state: Path, data_set: str, *, shows: bool) -> None:
        """The site's policy `shows` own values now."""
        about = "which own values of each data set were sent to be shown"
        self._record = LastingRecord(state, "own-values-sent", about, FirstOwnValues())
        self._data_set = data_set
        self._shows = shows

    def check(self, study: Study) -> None:
        """Refuse a study for which the site's word, or the least class, is another than before."""
        if own_values(study.options.asked):
            with self._record.alone():
                self._allowed(study)

    def keep(self, study: Study) -> None:
        """Check a study and keep the site's word, if it is the first that asks for it."""
        found = own_values(study.options.asked)
        if not found:
            return
        with self._record.alone():
            first = self._allowed(study)
            if self._data_set not in first:
                asked = OwnValuesAsked(
                    study.id, study.hash.hex(), self._shows, found[0].least_class
                )
                self._record.write(FirstOwnValues({**first, self._data_set: asked}))

    def _allowed(self, study: Study) -> Mapping[str, OwnValuesAsked]:
        first = self._record.read().first
        before = first.get(self._data_set)
        if before is None:
            return first
        least = own_values(study.options.asked)[0].least_class
        earlier = f"the study {before.id} ({before.study[:16]})"
        if before.shown != self._shows:
            words = "to be shown", "not to be shown"
            was, now = words if before.shown else words[::-1]
            raise PolicyRefusal(
                f'Of the data set "{self._data_set}" this site has sent its own values {was} for '
                f"{earlier}, and would now send them {now}: both results together could leave so "
                "few hospitals unnamed that their values follow from a mean",
                advice="Nothing was sent. Say own_values = "
                f"{'true' if before.shown else 'false'} under [policy] as then, or take part with "
                "other samples under a data_set of their own.",
            )
        if self._shows and before.least_class != least:
            raise PolicyRefusal(
                f'Of the data set "{self._data_set}" this site has sent its own values for '
                f"{earlier} with a least class of {before.least_class}, and this study's is "
                f"{least}: one result with them and one without would tell how many samples of a "
                "class there are, up to those in between",
                advice="Nothing was sent. Have the study take the same least_class, or take part "
                "with other samples under a data_set of their own.",
            )
        return first
