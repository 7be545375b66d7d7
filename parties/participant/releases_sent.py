"""The lists that an owner has sent for the releases of a schedule: none is nearly one sent before.

Two releases over nearly the same list tell, by their difference, of the few samples that one of
them has and the other has not. So with every release the owner keeps a footprint of its list, and
refuses a list that differs from one that it sent for another release of the same agreement in fewer
rows than the study's least cell; a list that does not differ at all is refused, too. The rule is
public, the same for all, and checked where the rows are in the clear: the servers see sizes only.

**The footprint.** Every row (its score, its label, and what the study asks for beside them, as they
are encoded for the upload; of a study of counts its cell and label) falls into one of `BUCKETS` by
a hash that only this owner can compute, and the footprint is how many rows fell into each, modulo
256. For two lists A and B with counts a and b

    distance = Σ_i min(|a_i - b_i| mod 256, 256 - |a_i - b_i| mod 256)  <=  |A \\ B| + |B \\ A|,

since every row that only one of the lists has changes one count by one. So no two lists of which
the rule speaks pass (no false negative). Two lists that differ in more rows can have a small
distance if rows of both fall into the same buckets: for lists of a hundred different rows each the
distance is about 195, never below a least cell of 5.

**What it covers.** The receivers of two results who know everything of all lists but of one owner's
learn of that list no difference of fewer than `least_cell` rows. Not covered: rows that were sent
for another study (the cuts and the budget of a data set hold there), by another owner, or by
another program; a record that was deleted; and a difference of `least_cell` rows or more, such as
a month that is added to all months before. Rows of the same score and label are one and the same
here, as they are to every statistic.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.words import Words
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.lasting_record import LastingRecord
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.study.study import Study

BUCKETS = 4096
KEY_WORDS = 4
WORD_BYTES = 8
# splitmix64: every bit of a word changes about half of all bits
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
STEP = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Footprint(JsonDocument):
    """The list of one release: how many samples, and how many rows in each bucket modulo 256."""

    samples: int
    counts: str

    def distance(self, other: Footprint) -> int:
        """A lower bound of the number of rows that only one of the two lists has."""
        apart = (self._bytes() - other._bytes()).astype(np.int64)  # modulo 256
        return int(np.minimum(apart, 256 - apart).sum())

    def _bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(bytes.fromhex(self.counts), np.uint8)


@dataclass(frozen=True, slots=True)
class Footprints(JsonDocument):
    """For each agreement and owner the footprint of each release; `key` is this owner's own."""

    key: str = ""
    sent: Mapping[str, Mapping[str, Footprint]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return "<Footprints>"


@dataclass(frozen=True, slots=True, repr=False)
class ListRows:
    """Rows of a list as a study takes them: columns of words, a word for each sample.

    With `times` a word stands for so many samples.
    """

    columns: Sequence[Words]
    samples: int
    times: NDArray[np.int64] | None = None

    def footprint(self, key: bytes) -> Footprint:
        """The list's footprint under this key.

        >>> few, more = (ListRows([np.arange(n, dtype=np.uint64)], n) for n in (100, 103))
        >>> few.footprint(bytes(32)).distance(more.footprint(bytes(32)))
        3
        """
        words = np.frombuffer(key, np.uint64)
        mixed = np.full(len(self.columns[0]), words[0])
        # a column of several words a sample is as many columns
        single = [own for column in self.columns for own in np.atleast_2d(column.T)]
        for place, column in enumerate(single):
            mixed = _mixed(mixed ^ (column + words[1] + np.uint64(place * STEP % (1 << 64))))
        buckets = (_mixed(mixed ^ words[2]) + words[3]) % np.uint64(BUCKETS)
        counts = np.zeros(BUCKETS, np.int64)
        np.add.at(counts, buckets.astype(np.int64), 1 if self.times is None else self.times)
        return Footprint(self.samples, (counts % 256).astype(np.uint8).tobytes().hex())


def _mixed(words: Words) -> Words:
    for shift, factor in MIXING:
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


class ReleasesSent:
    """The footprints of one agreement's releases, kept in the folder `state`."""

    def __init__(self, state: Path | None, study: Study, named: PublicKey) -> None:
        """`named` is the owner's key in the study: several owners may share a folder."""
        about = "the lists of earlier releases"
        self._record = LastingRecord(state, "releases-sent", about, Footprints())
        self._study = study
        self._agreement = f"{study.agreement.hash.hex()}-{named.exchange.hex()[:16]}"

    def check(self, rows: ListRows) -> None:
        """Refuse a list that is nearly one that was sent for another release."""
        with self._record.alone():
            self._checked(rows)

    def keep(self, rows: ListRows) -> Footprint | None:
        """Check a list and keep its footprint; once this returns, that is on the disk.

        The footprint that this release had before, None if it had none.
        """
        with self._record.alone():
            kept, own = self._checked(rows)
            before = kept.sent.get(self._agreement, {})
            releases = {**before, self._study.period: own}
            if releases != before:
                self._record.write(replace(kept, sent={**kept.sent, self._agreement: releases}))
        return before.get(self._study.period)

    def samples(self) -> dict[str, int]:
        """The number of samples of each list that was sent, by release; nothing is written."""
        with self._record.alone():
            kept = self._record.read()
        return {period: one.samples for period, one in kept.sent.get(self._agreement, {}).items()}

    def forget(self) -> None:
        """Forget the list of this release: its servers have deleted it, and no result is of it."""
        self.put_back(None)

    def put_back(self, earlier: Footprint | None) -> None:
        """Note that the list kept last was not taken, and this one stands; none if it is None."""
        with self._record.alone():
            kept = self._record.read()
            before = kept.sent.get(self._agreement, {})
            releases = {of: one for of, one in before.items() if of != self._study.period}
            if earlier is not None:
                releases[self._study.period] = earlier
            if releases != before:
                self._record.write(replace(kept, sent={**kept.sent, self._agreement: releases}))

    def _checked(self, rows: ListRows) -> tuple[Footprints, Footprint]:
        kept = self._record.read()
        if not kept.key:
            kept = replace(kept, key=os.urandom(KEY_WORDS * WORD_BYTES).hex())
        own = rows.footprint(bytes.fromhex(kept.key))
        least = self._study.options.least_cell
        for period, other in kept.sent.get(self._agreement, {}).items():
            apart = own.distance(other)
            if period != self._study.period and (not apart or apart < least):
                what = f"fewer than {least} rows differ" if apart else "no row differs"
                raise PolicyRefusal(
                    f"This list is too near to the one that this site has sent for the release of "
                    f"{period}: {what}. Two results over nearly the same samples tell, by their "
                    "difference, of the few that are in one of them",
                    advice="Nothing was sent. Check that this is the list of "
                    f"{self._study.period}, with the samples of that period and no others.",
                )
        return kept, own
