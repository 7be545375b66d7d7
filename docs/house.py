#!/usr/bin/env python3
"""Lines of the program, and of what serves the features of an older commit only.

    python3 -m docs.house    print the table of bench/RESULTS.md, "The house, counted"

`LATER` names the modules that exist for features which commit 30799f0 did not have, feature by
feature. Without them, all modules are counted whole that are still imported, directly or by way of
others, from one that nobody imports (a command, a source: these are found by their folder) or from
any other statistic. A module that serves old and new features alike is counted with all its lines.
Reads the source as text; nothing is imported and nothing needs to be installed.
"""

from __future__ import annotations

from collections.abc import Iterable

from docs.packages import HOME, LAYERS, Arrows, between_files

COUNTED = LAYERS[:3]
FOUND = "protocols/statistics/"
"""The folder of the statistics, some of which are imported by others as well."""
LATER: dict[str, tuple[str, ...]] = {
    "joined lists": (
        "parties/columns/keyed.py",
        "parties/columns/tag.py",
        "protocols/analyses/joined.py",
        "protocols/lists/tags.py",
        "protocols/pipelines/joined.py",
        "protocols/pipelines/joined_beside.py",
        "protocols/pipelines/joined_counts.py",
        "protocols/statistics/samples_dp.py",
    ),
    "groups": (
        "parties/columns/group.py",
        "parties/reports/section_groups.py",
        "protocols/analyses/subgroups.py",
        "protocols/pipelines/groups.py",
        "protocols/statistics/auroc_groups.py",
        "protocols/statistics/auroc_groups_equal.py",
        "protocols/statistics/between_groups.py",
        "protocols/statistics/calibration_groups.py",
        "protocols/statistics/in_group.py",
        "protocols/statistics/rates_groups.py",
    ),
    "weights": ("parties/columns/weight.py", "protocols/pipelines/weighted.py"),
    "clusters": (
        "parties/columns/cluster.py",
        "protocols/pipelines/clusters.py",
        "protocols/pipelines/counted_clusters.py",
        "protocols/statistics/auroc_clusters.py",
    ),
    "times to an event": (
        "parties/columns/event.py",
        "parties/columns/time.py",
        "protocols/analyses/survival.py",
        "protocols/grid/least_interval.py",
        "protocols/grid/time_grid.py",
        "protocols/pipelines/times.py",
        "protocols/statistics/auroc_at_time.py",
        "protocols/statistics/brier_at_time.py",
        "protocols/statistics/c_index.py",
        "protocols/statistics/censoring_weights.py",
        "protocols/statistics/kaplan_meier.py",
        "protocols/statistics/of_times.py",
    ),
    "several models": (
        "protocols/pipelines/counted_pairs.py",
        "protocols/pipelines/gains.py",
        "protocols/statistics/auroc_contrasts.py",
        "protocols/statistics/auroc_covariance.py",
        "protocols/statistics/auroc_equal.py",
        "protocols/statistics/auroc_models.py",
        "protocols/statistics/idi.py",
        "protocols/statistics/tpauc_difference.py",
    ),
    "several classes": (
        "parties/columns/class_by.py",
        "parties/columns/class_scores.py",
        "protocols/pipelines/classes.py",
        "protocols/statistics/auroc_classes.py",
        "protocols/statistics/auroc_multiclass.py",
    ),
    "hospitals' own values": (
        "parties/participant/own_values_sent.py",
        "parties/reports/forest.py",
        "parties/reports/section_sites.py",
        "protocols/lists/own_slope.py",
        "protocols/lists/own_value.py",
        "protocols/lists/site_estimate.py",
        "protocols/lists/within_site.py",
        "protocols/pipelines/sites.py",
        "protocols/statistics/across_sites.py",
        "protocols/statistics/auroc_sites.py",
        "protocols/statistics/auroc_within.py",
        "protocols/statistics/auroc_within_ci.py",
        "protocols/statistics/calibration_slope_sites.py",
        "protocols/statistics/left_out.py",
        "protocols/statistics/observed_expected_sites.py",
        "protocols/statistics/site_values.py",
    ),
    "other statistics": (
        "protocols/pipelines/counted_folds.py",
        "protocols/release/cauchy.py",
        "protocols/statistics/calibration_errors_binned.py",
        "protocols/statistics/calibration_in_the_large.py",
        "protocols/statistics/class_counts.py",
        "protocols/statistics/f_beta.py",
        "protocols/statistics/mean_folds.py",
        "protocols/statistics/spiegelhalter_z.py",
    ),
    "named questions": (
        "protocols/analyses/analysis.py",
        "protocols/analyses/comparison.py",
        "protocols/analyses/cross_validation.py",
        "protocols/analyses/monitoring.py",
        "protocols/analyses/noisy.py",
        "protocols/analyses/validation.py",
    ),
    "a study's least cell": (
        "parties/participant/cuts_sent.py",
        "protocols/disclosure/cells.py",
        "protocols/grid/hidden_cuts.py",
        "protocols/grid/least_cell.py",
    ),
    "schedules": (
        "parties/participant/releases_sent.py",
        "parties/reports/trend.py",
        "parties/study/releases.py",
        "parties/study/schedule.py",
    ),
    "plans before there is data": ("parties/commands/plan.py",),
    "pages without a terminal": ("parties/commands/desk.py",),
    "qualification at a site": (
        "parties/simulation/qualification.py",
        "parties/simulation/signed_protocol.py",
    ),
    "studies ended by an operator, kept forms": (
        "parties/commands/end.py",
        "parties/kept_form.py",
        "parties/server/keeping/ended_studies.py",
        "parties/server/keeping/erasures.py",
        "parties/site/endings.py",
        "parties/study/converting.py",
    ),
    "a list before there is a study": ("parties/commands/check.py",),
    "methods and results as prose": (
        "parties/reports/names.py",
        "parties/reports/section_methods.py",
    ),
    "keys of 32 bits": ("mpc/primitives/extend.py", "mpc/primitives/low_half.py"),
}
"""The modules that are there for a feature which commit 30799f0 did not have."""


def lines(file: str) -> int:
    """The number of lines of a file of this tree."""
    return len((HOME / file).read_bytes().splitlines())


def reached(arrows: Arrows, without: Iterable[str] = ()) -> set[str]:
    """The modules found by their folder, and what these import by way of none that is left out."""
    left_out = set(without)
    imported = {other for others in arrows.values() for other in others}
    found: set[str] = set()
    rest = [
        file
        for file in arrows
        if file not in imported or file.startswith(FOUND) or file.endswith("/__init__.py")
    ]
    while rest:
        file = rest.pop()
        if file not in found and file not in left_out:
            found.add(file)
            rest += arrows[file]
    return found


def counted() -> str:
    """The table: each feature's modules, and what is left without them."""
    arrows = {
        file: {other for other in others if other.startswith(COUNTED)}
        for file, others in between_files().items()
        if file.startswith(COUNTED)
    }
    modules = reached(arrows)
    kernels = sorted(
        path.relative_to(HOME).as_posix()
        for layer in COUNTED
        for path in (HOME / layer).rglob("*.[ch]")
    )
    later = {file for files in LATER.values() for file in files}
    if unknown := later - modules:
        raise SystemExit(f"not in this tree: {', '.join(sorted(unknown))}")
    serving = reached(arrows, later)
    of_kernels = sum(map(lines, kernels))
    rows = [("all, with C", modules, of_kernels)]
    rows += [(f"for {feature}", set(files), 0) for feature, files in LATER.items()]
    rows += [("what only these import", modules - serving - later, 0)]
    rows += [("left, for what commit 30799f0 had, with C", serving, of_kernels)]
    text = [
        f"| {what} | {len(files)} | {sum(map(lines, files)) + more:,} |"
        for what, files, more in rows
    ]
    return "\n".join(["| what | modules | lines |", "|---|---:|---:|", *text]) + "\n"


if __name__ == "__main__":
    print(counted(), end="")
