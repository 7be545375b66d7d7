"""A site's own policy: checked on the owner's machine, before anything is sent."""

from __future__ import annotations

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.study import Study

_ADVICE = "Nothing was sent. Change [policy] in your site file only if your site agrees."


def check_study(policy: Policy, study: Study) -> None:
    """Refuse a study that asks for more than the site allows."""
    others = study.rule.least_owners - 1
    if others < policy.least_other_owners:
        raise PolicyRefusal(
            f"This site asks for at least {policy.least_other_owners} other owners, "
            f"the study may be computed with {others}",
            advice=_ADVICE,
        )
    for one in study.options.statistics:
        if policy.metrics and one.name not in policy.metrics:
            raise PolicyRefusal(f"This site does not allow the metric {one.name}", advice=_ADVICE)
    if policy.modes and study.options.mode not in policy.modes:
        raise PolicyRefusal(
            f'This site does not allow the mode "{study.options.mode}"', advice=_ADVICE
        )
    if study.options.decimals > policy.most_decimals:
        raise PolicyRefusal(
            f"This site allows at most {policy.most_decimals} decimals, "
            f"the study asks for {study.options.decimals}",
            advice=_ADVICE,
        )


def check_samples(policy: Policy, samples: int) -> None:
    """Refuse a list shorter than the shortest that the site sends: its length becomes public."""
    if samples < policy.least_own_samples:
        raise PolicyRefusal(
            f"This site sends lists of at least {policy.least_own_samples} samples, "
            f"this one has {samples}",
            advice=_ADVICE,
        )
