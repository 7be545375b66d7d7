"""What an owner shares of its list, in the clear: the keys of its rows, or counts on a grid."""

from __future__ import annotations

from ppaurora.mpc.words import Words
from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.encoding import CODES, encode

__all__ = ["upload_words"]


def upload_words(study: Study, table: Labelled | Counted) -> Words:
    """The words of the upload of a list, or of its counts; refused unless the study takes them."""
    pipeline, direction = study.options.pipeline, study.scores.direction
    if isinstance(table, Labelled):
        return pipeline.upload(_keys(study, table), direction)
    grid = pipeline.counting_grid
    if grid is None or grid.bins != table.bins:
        needs = f"counts in {grid.bins} bins" if grid else "every score"
        raise DataError(
            f"The study needs {needs} of the list, and was given counts in {table.bins} bins",
            advice="Nothing was sent. Let `take` of Participant read the list as needed.",
        )
    return grid.arranged(table.positives, table.negatives, direction)


def _keys(study: Study, table: Labelled) -> list[Words]:
    """The keys of its rows, a column for each score."""
    columns = table.columns
    if (len(columns) > 1) != bool(study.scores.against):
        raise DataError(
            f"The study takes {'two scores' if study.scores.against else 'one score'} of each "
            f"sample, this list has {'two' if len(columns) > 1 else 'one'}",
            advice="Nothing was sent. See `against` under [scores] in study.toml.",
        )
    code, direction = study.options.code, study.scores.direction
    try:
        return [encode(one, table.labels, code=code, direction=direction) for one in columns]
    except DataRefused as refusal:
        raise DataError(refusal.what, advice=_advice(refusal)) from None


def _advice(refusal: DataRefused) -> str:
    """What to do about a list that cannot be encoded; scores above 1 may need another code."""
    if CODES["unit"].outside in [fault.what for fault in refusal.faults]:
        return (
            "Correct these rows; if the scores are no probabilities, the study needs "
            'code = "real" under [scores].'
        )
    return refusal.advice
