"""Whether the sizes that somebody tells of a list can be ones of this study at all.

Cheap, and before anything is computed from them: what a session takes is foreseen from its sizes,
which takes long for sizes that no arithmetic holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.parties.requests.messages import UPLOAD_BYTES
from ppaurora.parties.study.holding import Holding
from ppaurora.parties.study.study import Study
from ppaurora.protocols.bounds import check_bounds

__all__ = ["impossible", "sizes_fit"]


def sizes_fit(study: Study, samples: int, folds: Sequence[int]) -> bool:
    """Whether so many samples, in these folds, can be one list of the study."""
    parts = folds or (samples,)
    return (
        samples >= 1
        and bool(folds) == bool(study.options.folds)
        and len(parts) == max(1, study.options.folds)
        and sum(parts) == samples
    )


def impossible(study: Study, roster: Sequence[Holding]) -> str:
    """Why no session can be over these uploads, whatever the rule says; empty if one can."""
    owners = [one.owner for one in roster]
    if len(set(owners)) != len(owners) or not set(owners) <= {one.name for one in study.owners}:
        return "These are not owners of this study, each once"
    for one in roster:
        named = len(one.upload) == UPLOAD_BYTES
        if not named or not sizes_fit(study, one.samples, one.folds):
            return f"The upload of {one.owner} has a name or sizes that none can have"
    try:
        check_bounds(study.options, [one.samples for one in roster])
    except BoundExceeded as error:
        return error.what
    return ""
