"""A site's own policy: checked on the owner's machine, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.grid.least_cell import LEAST_CELL

SHOWN = 4
"""Cuts that a refusal names."""
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
    for statistic in study.options.asked:
        if policy.metrics and statistic.name not in policy.metrics:
            raise PolicyRefusal(
                f"This site does not allow the metric {statistic.name}", advice=_ADVICE
            )
    if study.options.decimals > policy.most_decimals:
        raise PolicyRefusal(
            f"This site allows at most {policy.most_decimals} decimals, "
            f"the study asks for {study.options.decimals}",
            advice=_ADVICE,
        )
    for statistic in study.options.asked:
        held = statistic.decimals_held(study.options.decimals)
        if held > policy.most_decimals:
            raise PolicyRefusal(
                f"This site allows at most {policy.most_decimals} decimals, and the receivers of "
                f"{statistic.text} hold numbers to {held}, of which they are shown "
                f"{study.options.decimals}",
                advice=_ADVICE,
            )
    _check_privacy(policy, study)
    if not policy.metrics:
        _check_cells(study)


def _check_cells(study: Study) -> None:
    """Refuse numbers about more small parts of the samples, or more decimals, than are few.

    Held against the least sizes that the study allows, in the eyes of the largest list's owner.
    """
    _check_part(Cells.of(study.options), study.options.pipeline.owners(study.least_sizes))
    for group, sizes in study.least_groups:
        _check_part(Cells.of(study.options, group), sizes)


def with_enough_samples(study: Study) -> Study:
    """The study with a rule under which a site whose policy names no metrics sends its list.

    Of what the rule says, the least list and the least group become as large as numbers of that
    kind and so many decimals ask for; a joined study is left as it is.
    """
    rule, options = study.rule, study.options
    owners = rule.least_owners if rule.start == "request" else len(study.owners)
    cells = Cells.of(options)
    if cells.joined or owners < 2:
        return study
    least = max(rule.least_list, -(-cells.needed // (owners - 1)))
    in_group = max((Cells.of(options, group).needed for group in options.groups), default=0)
    return replace(
        study,
        rule=replace(rule, least_list=least),
        extra=tuple(_with_least(one, in_group, rule.most_share) for one in study.extra),
    )


def _with_least(one: ExtraColumn, unknown: int, most_share: float) -> ExtraColumn:
    """The column of groups with groups of which so many samples are of other owners."""
    if not isinstance(one, GroupBy) or most_share >= 1:
        return one
    least = one.least
    while least - int(most_share * least) < unknown:
        least += 1
    return replace(one, least=least)


def _check_part(cells: Cells, sizes: Sequence[int]) -> None:
    """Refuse them for owners of so many samples, of all or of one group."""
    few, unknown = cells.few(sizes), cells.unknown(sizes)
    if cells.digits_tell(unknown):
        raise PolicyRefusal(
            f"The study releases {cells.label_digits} decimals in all of numbers that nearly every "
            "set of labels changes, such as mean losses, areas under the precision-recall curve "
            f"and DeLong's standard errors. Its rule allows lists with {unknown} samples beside "
            "the largest owner's: whoever knows all scores could compute their labels from these "
            "decimals",
            advice="Nothing was sent. Have the study release fewer decimals or fewer such numbers, "
            "or raise least_samples and least_list under [rule], or least under [groups]. Only if "
            "your site agrees, name each of the study's metrics in metrics = [...] under [policy] "
            "of your site file.",
        )
    if cells.small <= few:
        return
    told = (
        "the label of every sample in the order of the scores"
        if cells.small >= unknown
        else f"up to {cells.small} labels"
    )
    shown, more = cells.cuts[:SHOWN], len(cells.cuts[SHOWN:])
    raise PolicyRefusal(
        f"The study releases numbers about {cells.small} parts of the samples that may be as small "
        f"as one ({', '.join(shown)}{f' and {more} more' if more else ''}): they may tell its "
        f"receivers {told}. Its rule allows lists with {unknown} samples beside the largest "
        f"owner's, too few for more than {few} such parts",
        advice="Nothing was sent. Have the study ask for fewer thresholds, ranks and rates, or "
        "raise least_samples and least_list under [rule]; thresholds do not count where the "
        f"study's least_cell is {LEAST_CELL} or more. Only if your site agrees, name each of the "
        "study's metrics in metrics = [...] under [policy] of your site file.",
    )


def _check_privacy(policy: Policy, study: Study) -> None:
    """Refuse what no budget holds, however little of it was spent."""
    most = policy.most_privacy_loss
    if most is None:
        return
    privacy = study.options.privacy
    if privacy is None or study.options.exact:
        raise PolicyRefusal(
            f'Of the data set "{policy.data_set}" this site releases differentially private '
            "numbers only, and the study asks for exact ones",
            advice=_ADVICE,
        )
    together = study.schedule.all_together(privacy)
    costs = (
        f"all {study.schedule.releases} releases of the study cost"
        if study.schedule.every
        else "the study costs"
    )
    for sign, allowed, cost in (
        ("", most.epsilon, together.epsilon),
        ("δ = ", most.delta, together.delta),
    ):
        if cost > allowed:
            raise PolicyRefusal(
                f"This site allows a privacy loss of {sign}{float(allowed):g} in all, {costs} "
                f"{float(cost):g}",
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


def check_groups(policy: Policy, groups: Mapping[str, int]) -> None:
    """Refuse a list with a shorter group, whose length becomes public as well; none is allowed."""
    least = policy.least_own_samples
    for name, samples in groups.items():
        if 0 < samples < least:
            raise PolicyRefusal(
                f"This site sends groups of at least {least} samples, or none, and "
                f'"{name}" has {samples}',
                advice=_ADVICE,
            )
