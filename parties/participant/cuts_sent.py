"""The cuts at which an owner has sent counts of a data set: no study with others gets it.

Two studies over the same lists whose cuts lie one bin apart tell, by their difference, of the few
samples in between, whatever least cell either of them has. So the first study of a data set that
cuts settles where: another one may have the same cuts under the same least cell, or only some of
those that went out without one. (Some of those under a least cell will not do, nor all of them in
another order: which of them are withheld depends on all, and on which come first.) It is on the
disk before anything is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.lasting_record import LastingRecord
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.pipelines.folds import FOLD
from ppaurora.protocols.pipelines.groups import GROUP
from ppaurora.protocols.pipelines.weighted import WEIGHT
from ppaurora.protocols.statistics.in_group import IN_GROUP

SHOWN = 6


@dataclass(frozen=True, slots=True)
class StudyCuts(JsonDocument):
    """Cuts of the study of this id and hash: `thresholds` and `held` readings under a least cell,
    and all `readings`.

    Of the thresholds those that are `named` come first where a least cell withholds some, and held
    readings `in_turn`. `scores` is the direction and the scale in which they are meant.
    """

    id: str
    study: str
    scores: str
    thresholds: tuple[str, ...]
    least: int
    readings: tuple[str, ...]
    held: tuple[str, ...]
    named: tuple[str, ...]
    in_turn: tuple[str, ...]

    @classmethod
    def of(cls, study: Study) -> StudyCuts:
        """The cuts that a study asks for."""
        cells = Cells.of(study.options)
        columns = {one.name: _column_of(study, one) for one in study.extra}
        column = columns.get(GROUP, "")
        # what is counted by weights is not what is counted by samples
        weighed = f" weighed by {columns[WEIGHT]}" if WEIGHT in columns else ""

        def ordered(cuts: frozenset[str]) -> tuple[str, ...]:
            of_group = (f"{cut} of {column}" if IN_GROUP in cut else cut for cut in cuts)
            named = (f"{cut}{weighed}" for cut in of_group)
            return tuple(sorted(named, key=lambda one: (len(one), one)))

        return cls(
            study.id,
            study.hash.hex(),
            _scores_of(study),
            ordered(cells.thresholds),
            cells.least,
            ordered(cells.readings),
            ordered(cells.held),
            ordered(cells.named),
            cells.in_turn,
        )

    @property
    def cuts(self) -> list[str]:
        """All of them, in words."""
        return [*(f"threshold {one}" for one in self.thresholds), *self.readings]

    @property
    def under(self) -> str:
        """Their least cell, in words."""
        if not (self.thresholds or self.held) or self.least == 1:
            return ""
        return f" under a least cell of {self.least}"

    def allows(self, later: StudyCuts) -> bool:
        """True if a later study reveals nothing about any other part of the same samples."""
        before, asked = {*self.thresholds, *self.held}, {*later.thresholds, *later.held}
        # in another order a least cell withholds others of the same cuts
        in_order = (self.named, self.in_turn) == (later.named, later.in_turn)
        same = asked == before and self.least == later.least and (in_order or self.least == 1)
        some = asked <= before and (self.least == 1 or not asked)
        readings = set(later.readings) <= set(self.readings)
        return not later.cuts or (self.scores == later.scores and readings and (same or some))


def _column_of(study: Study, one: ExtraColumn) -> str:
    """The name of a column, and in which lists it is where one side of joined rows has it.

    Of the same rows another side's column of that name may say something else.
    """
    options = study.options
    sides = {
        GROUP: options.groups_from, WEIGHT: options.weights_from, FOLD: options.folds_from
    }  # fmt: skip
    if not options.least_join or one.name not in sides:
        return one.column
    return f"{one.column} of the lists of {sides[one.name]}"


def _scores_of(study: Study) -> str:
    """The scores, labels and rows at which a study cuts, in words.

    Those of other models, of several classes or of joined rows are others, whatever the cuts.
    """
    options = study.options
    told = [f"{options.direction} {options.scale.holds}"]
    if options.against:
        told.append(f"beside the scores {', '.join(options.against)}")
    if options.classes:
        told.append(f"of the classes {', '.join(options.classes)}")
    if options.folds:
        # the least cell holds in each of them
        [column] = [_column_of(study, one) for one in study.extra if one.name == FOLD]
        told.append(f"in {options.folds} folds of {column}")
    if options.least_join:
        # by another identifier, or by one that is read in another way, other rows are joined
        [by] = [one for one in study.extra if isinstance(one, JoinBy)]
        told.append(f"of at least {options.least_join} rows joined by {by.column} ({by.form})")
    return ", ".join(told)


@dataclass(frozen=True, slots=True)
class FirstCuts(JsonDocument):
    """For each data set the first study that cut it."""

    first: Mapping[str, StudyCuts] = field(default_factory=dict)


class CutsSent:
    """The cuts of `data_set`, kept in the folder `state`."""

    def __init__(self, state: Path | None, data_set: str) -> None:
        self._record = LastingRecord(state, "cuts-sent", "the cuts of each data set", FirstCuts())
        self._data_set = data_set

    def check(self, study: Study) -> None:
        """Refuse a study whose cuts are not those for which counts were sent."""
        with self._record.alone():
            self._allowed(study)

    def keep(self, study: Study) -> None:
        """Check a study and keep where it cuts, if it is the first that does."""
        with self._record.alone():
            first = self._allowed(study)
            asked = StudyCuts.of(study)
            if asked.cuts and self._data_set not in first:
                self._record.write(FirstCuts({**first, self._data_set: asked}))

    def _allowed(self, study: Study) -> Mapping[str, StudyCuts]:
        first, asked = self._record.read().first, StudyCuts.of(study)
        before = first.get(self._data_set)
        if before is not None and not before.allows(asked):
            other = [one for one in asked.cuts if one not in before.cuts] or asked.cuts
            same = {*asked.cuts} == {*before.cuts} and asked.least == before.least
            order = ", but in another order of what is shown first," if same else ""
            raise PolicyRefusal(
                f'Of the data set "{self._data_set}" this site has sent counts for the study '
                f"{before.id} ({before.study[:16]}), with {_listing(before.cuts)}{before.under}; "
                f"this study has {_listing(other)}{asked.under}{order} instead. Two results with "
                "different cuts tell, by their difference, of the few samples in between",
                advice="Nothing was sent. Have the study ask for the same cuts, least cell, "
                "direction and scores, or take part with other samples under a data_set of their "
                "own; switch same_cuts off under [policy] only if your site agrees.",
            )
        return first


def _listing(cuts: list[str]) -> str:
    more = len(cuts) - SHOWN
    return ", ".join(cuts[:SHOWN]) + (f" and {more} more" if more > 0 else "")
