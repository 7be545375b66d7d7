"""The studies of the test vectors, each with an owner's rows as they stand in a text."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import Values
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.participant.prepared import Prepared, shared
from ppaurora.parties.participant.upload_secret import derive_drawing, derive_upload
from ppaurora.parties.participant.upload_words import upload_words
from ppaurora.parties.site.fold_key import write_fold_key
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Rule, Study
from ppaurora.protocols.lists.folds import key_commitment
from tests.parties.sample import study

OWNER = Identity.from_private(bytes([4]) * 64)
"""The key of ann, an owner in every study here."""
SECRET = bytes(range(32))
"""The secret of every upload."""
FOLD_KEY = bytes(range(32, 64))

LABELS = "10110100"
PLAIN = ["0.9", "0.1", "0.10000000000000002", "0.9", "1", "0", "-0.0", "5e-324"]
FEW = ["0.9", "0.1", "0.5", "0.9", "1", "0", "0.3", "0.25"]
TENTHS = ["0.9", "0.1", "0.5", "0.9", "1", "0", "0.3", "0.2"]
POINTS = ["20", "0", "3.5", "3.5", "0.1", "19.999999999999996", "7", "1e-70"]
TWO_TO_FIVE = ["2", "3", "3.5", "4", "5", "4.5", "2.5", "2"]
ANY = ["-1.5", "1.5", "0", "1e60", "-1e60", "1e-70", "-1e-70", "3"]
SINGLE = ["0.7", "0.1", "0.50195312", "0.9", "1", "0", "0.100000001", "1e-45"]
SINGLE_ANY = ["-0.7", "0.1", "3.4e38", "-3.4e38", "1e-40", "0", "16777216", "2"]
THIRD = ["0.9", "0.3", "0.3", "0", "0.7", "1", "0.5", "0.5"]
SECOND = ["0.2", "0.1", "0.1", "0.8", "0.7", "0.3", "0.4", "0.6"]
PATIENTS = ("Zoë", " ZOE\u0308 ", "p2", "p3", "p4", "p5", "p6", "p7")
WARDS = ("North", "south ", "north", "north", "south", "north", "south", "north")
BORN = ("1949-12-31", "1950-01-01", "1967-03-09", "1999-01-01") * 2


@dataclass(frozen=True, slots=True)
class Example:
    """A study and an owner's list for it."""

    study: Study
    scores: list[str]
    labels: str = LABELS
    against: dict[str, list[str]] | None = None
    identifiers: tuple[str, ...] | None = None

    @property
    def table(self) -> Labelled:
        """The list as it is read."""
        extra: dict[str, Values] = {}
        for one in self.study.extra:
            for name in one.columns:
                column = (self.against or {}).get(name, [])
                extra[name] = self.identifiers or np.array([*map(float, column)])
        scores, labels = np.array([*map(float, self.scores)]), np.array([*map(int, self.labels)])
        return Labelled(scores, labels, extra=extra)

    @property
    def words(self) -> tuple[Words, tuple[int, ...]]:
        """The words that the owner shares, and the sizes of its folds."""
        drawing = derive_drawing(SECRET, OWNER.public, self.study)
        with tempfile.TemporaryDirectory() as folder:
            write_fold_key(path := Path(folder) / "folds.key", FOLD_KEY)
            return upload_words(self.study, self.table, path, drawing)

    @property
    def prepared(self) -> Prepared:
        """The upload with its parts."""
        words, folds = self.words
        return self.shared(words, folds)

    def shared(self, words: Words, folds: tuple[int, ...]) -> Prepared:
        """These words as the owner shares them."""
        seeds, upload = derive_upload(SECRET, OWNER.public, self.study, words, folds)
        form = self.study.options.pipeline.form(len(self.labels))
        return shared(upload, len(self.labels), words, form, seeds, folds)


def of(*metrics: str, **changes: Any) -> Study:
    """A study of few samples, with these fields, or fields of its options."""
    rule = Rule(least_owners=2, least_samples=10, least_list=1, most_share=1.0)
    return study(**{"metrics": metrics or ("auroc",), "rule": rule, **changes})


PATIENT = FoldBy(column="patient", key=key_commitment(FOLD_KEY), least=0)
WARD = GroupBy(column="ward", least=0)
BIRTH = FoldBy(column="born", form="date", cuts=("1950-01-01", "1970-01-01"), least=0)

EXAMPLES = {
    "full": Example(of(), PLAIN),
    "full, one sample": Example(of(), ["0.5"], "1"),
    "full, lower": Example(of(direction="lower"), PLAIN),
    "full, 0 to 20": Example(of(range=(0, 20)), POINTS),
    "full, any": Example(of(range=("any",)), ANY),
    "float32": Example(of(resolution="float32"), SINGLE),
    "float32, lower": Example(of(resolution="float32", direction="lower"), SINGLE),
    "float32, any": Example(of(resolution="float32", range=("any",)), SINGLE_ANY),
    "float32, whole words": Example(of(resolution="float32", ties="helper"), SINGLE),
    "decimals, sorted": Example(of(resolution="decimals:2", table="sorted"), FEW),
    "decimals, counted": Example(of(resolution="decimals:1"), TENTHS),
    "decimals, counted, lower": Example(of(resolution="decimals:1", direction="lower"), TENTHS),
    "bins": Example(of(resolution="bins:10"), FEW),
    "bins, 2 to 5, lower": Example(
        of(resolution="bins:3", range=(2, 5), direction="lower"), TWO_TO_FIVE
    ),
    "bins, halves": Example(of(resolution="bins:2049"), FEW),
    "thresholds": Example(of("confusion:at=0.25/0.5/0.9"), FEW),
    "squares": Example(of("brier"), PLAIN),
    "squares, lower": Example(of("brier", direction="lower"), PLAIN),
    "logs": Example(of("log_loss"), PLAIN),
    "sums between thresholds": Example(of("calibration:bins=4", "brier"), FEW),
    "list and sums": Example(of("auroc", "brier"), PLAIN),
    "list and sums, halves": Example(of("auroc", "brier", resolution="float32"), FEW),
    "negatives first": Example(of("auroc_dp:epsilon=1,least_class=2", merge="network"), PLAIN),
    "two scores": Example(
        of("auroc_difference", against=("second",)), PLAIN, against={"second": SECOND}
    ),
    "three scores": Example(
        of("auroc_models", against=("second", "third")),
        PLAIN,
        against={"second": SECOND, "third": THIRD},
    ),
    "folds": Example(of("auroc_folds", folds=3, extra=(PATIENT,)), PLAIN, identifiers=PATIENTS),
    "folds by cuts": Example(of("auroc_folds", folds=3, extra=(BIRTH,)), PLAIN, identifiers=BORN),
    "groups": Example(
        of("auroc", "brier", groups=("north", "south"), extra=(WARD,)), PLAIN, identifiers=WARDS
    ),
    "three runs": Example(of(assurance="covert", dealings=2, merge="network"), PLAIN),
}
"""Every kind of part and resolution."""
