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
        if one.tells_every_label and one.name not in policy.metrics:
            raise PolicyRefusal(
                f"The metric {one.name} tells its receivers the label of every sample in the order "
                "of the scores, and this site has not allowed it by name",
                advice=f"{_ADVICE} What is allowed stands there as metrics = [...].",
            )
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
    _check_privacy(policy, study)


def _check_privacy(policy: Policy, study: Study) -> None:
    """Refuse what no budget holds, however little of it was spent."""
    most = policy.most_privacy_loss
    if most is None:
        return
    privacy = study.options.privacy
    if privacy is None:
        raise PolicyRefusal(
            f'Of the data set "{policy.data_set}" this site releases differentially private '
            "numbers only, and the study asks for exact ones",
            advice=_ADVICE,
        )
    for sign, allowed, cost in (
        ("", most.epsilon, privacy.epsilon),
        ("δ = ", most.delta, privacy.delta),
    ):
        if cost > allowed:
            raise PolicyRefusal(
                f"This site allows a privacy loss of {sign}{float(allowed):g} in all, the study "
                f"costs {float(cost):g}",
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
