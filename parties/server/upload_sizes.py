"""Whether an owner's list goes by its size with the study's rule and with the others' lists."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.records import Upload
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.protocols.bounds import check_bounds

__all__ = ["beyond_rule"]


def beyond_rule(
    study: Study, who: ParticipantEntry, samples: int, uploads: Sequence[Upload]
) -> Refused | None:
    """Why an owner's list of so many samples does not go with the other owners' uploads."""
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
