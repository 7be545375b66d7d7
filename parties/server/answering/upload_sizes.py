"""Sizes of lists, checked against the study's rule and the other owners' lists."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.parties.requests.messages import UPLOAD_BYTES, Refused
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.keeping.uploads import Upload
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.protocols.evaluate import check_bounds


def sizes_fit(study: Study, samples: int, folds: Sequence[int]) -> bool:
    """True if so many samples, in lists of these sizes, can be one upload of the study."""
    pipeline, parts = study.options.pipeline, folds or (samples,)
    return (
        samples >= 1
        and bool(folds) == pipeline.folded
        and len(parts) == pipeline.lists_each
        and sum(parts) == samples
    )


def impossible(study: Study, roster: Sequence[StoredUpload]) -> str:
    """Reason why no session can be over these uploads, whatever the rule says; empty if one can."""
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


def beyond_rule(
    study: Study, who: ParticipantEntry, samples: int, uploads: Sequence[Upload]
) -> Refused | None:
    """Refusal of a list of a size that the rule forbids beside the others' uploads."""
    rule = study.rule
    others = [one.samples for one in uploads if one.owner != who.name]
    if samples < rule.least_list:
        return refused(
            Code.TOO_SMALL,
            f"The study takes lists of at least {rule.least_list} samples, this one has {samples}",
            "See least_list under [rule] in study.toml.",
        )
    if rule.most_samples and samples + sum(others) > rule.most_samples:
        return refused(
            Code.TOO_LARGE,
            f"With this list there are {samples + sum(others)} samples, "
            f"more than the study's most_samples, {rule.most_samples}",
            "Agree with the other owners on who sends how many.",
        )
    try:
        check_bounds(study.options, [*others, samples])
    except BoundExceeded as error:
        return refused(Code.TOO_LARGE, error.what, error.advice)
    return None
