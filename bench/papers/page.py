"""The page of all experiments, made from what was kept: the same lines make the same page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os.path import relpath
from pathlib import Path

from rich.table import Table

from ppaurora.bench.papers.experiment import ALSO_IN_PRIVATE, Experiment, Results, ResultTable
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.tally import Tally

HEAD = """# The papers' tables and figures, computed again

Made by `ppaurora bench papers`, cell by cell, from the lines of JSON that it keeps
({source}). Each cell has a seed of its own, the first 48 bits of the SHA-256 of its name, which
stands in its line; the same command gives the same numbers again, but for seconds.
`ppaurora bench papers --list` names the experiments, `--only NAME` computes one of them, `--quick`
with few repetitions.

- **Commit**: all that is here was computed by the code of {commits}.
  A cell is computed anew where it comes to mean something else, and an old one again by
  `--again TEXT`, for names that hold the text: what is equal names the newer commit. A test does so
  with the cheapest cell of every experiment.
- **Released numbers** come from this system's own code: for thousands of simulated studies from
  the exact functions in the clear that stand in every statistic; a sample of the studies is
  computed by three parties over links in memory as well and must give the same words, or the run
  ends. How many stands below each experiment.
- **Simulation error** is one standard error: what another seed would change. In figures, bars are
  1.96 of them to each side.
- **Printed** is what the paper says, with the place. Most figures print no numbers.
"""


def page(experiments: Sequence[Experiment], folder: Path, at: Path, *, quick: bool = False) -> str:
    """The text of the page at `at`, from what `folder` keeps; figures are linked if they exist."""
    shown = [
        (experiment, results)
        for experiment in experiments
        if (results := experiment.gathered(Kept(folder, experiment).found(), quick=quick))
    ]
    source = relpath(folder, at.parent)
    of_all = Counter[str]()
    for experiment in experiments:
        of_all.update(Kept(folder, experiment).commits(quick=quick))
    lines = [
        HEAD.format(
            source=f"[{source}]({source})" if source != "." else "beside this page",
            commits=at_commits(of_all) if of_all else "no commit yet",
        )
    ]
    papers = list(dict.fromkeys(experiment.paper for experiment, _ in shown))
    for paper in papers:
        of_paper = [one for one, _ in shown if one.paper == paper]
        lines.append(f"- [{paper}](#{paper.lower()}): {', '.join(one.what for one in of_paper)}")
    for paper in papers:
        lines += ["", f"## {paper}"]
        for experiment, results in shown:
            if experiment.paper == paper:
                lines += ["", *_section(experiment, results, folder, at, quick=quick)]
    return "\n".join(lines) + "\n"


def _section(
    experiment: Experiment, results: Results, folder: Path, at: Path, *, quick: bool
) -> Iterator[str]:
    kept = Kept(folder, experiment)
    command = f"ppaurora bench papers --only {experiment.name}{' --quick' if quick else ''}"
    yield f"### {experiment.title}"
    yield ""
    commits = at_commits(kept.commits(quick=quick))
    yield f"[{experiment.paper}, {experiment.what}] `{command}`, {commits}"
    yield ""
    yield f"**Settings.** {experiment.settings}"
    yield ""
    yield f"**Printed.** {experiment.printed}"
    for sheet in experiment.sheets(results):
        yield ""
        yield from as_markdown(sheet)
    yield ""
    for told in experiment.deviations(results):
        yield f"- {told}"
    yield f"- {in_private(results)} {kept.cpu_seconds(quick=quick):,.0f} s of processor time."
    figure = folder / f"{experiment.name}.svg"
    if figure.exists():
        yield ""
        yield f"![{experiment.title}]({relpath(figure, at.parent)})"


def at_commits(counted: Mapping[str, int]) -> str:
    """The commit whose code computed the cells; of several, with how many cells each."""
    if len(counted) == 1:
        return f"commit {next(iter(counted))}"
    each = (f"{at} ({count} {'cell' if count == 1 else 'cells'})" for at, count in counted.items())
    return f"commits {', '.join(each)}"


def in_private(results: Results) -> str:
    """The number of studies that three parties computed as well."""
    tally = sum(
        (found.tallies.get(ALSO_IN_PRIVATE, Tally()) for found in results.values()), Tally()
    )
    if not tally.runs:
        return "Nothing here is released by a study."
    studies = "1 study was" if tally.runs == 1 else f"{tally.runs:,} of the studies were"
    return f"{studies} computed by three parties as well: all equal."


def as_markdown(sheet: ResultTable) -> Iterator[str]:
    """The table with its caption."""
    yield f"**{sheet.caption}**"
    yield ""
    yield f"| {' | '.join(sheet.columns)} |"
    yield f"|{'|'.join('---' if _is_text(sheet, place) else '---:' for place in _places(sheet))}|"
    for row in sheet.rows:
        yield f"| {' | '.join(row)} |"


def as_table(sheet: ResultTable) -> Table:
    """The same for a terminal."""
    shown = Table(title=sheet.caption)
    for place, column in enumerate(sheet.columns):
        shown.add_column(column, justify="left" if _is_text(sheet, place) else "right")
    for row in sheet.rows:
        shown.add_row(*row)
    return shown


def _places(sheet: ResultTable) -> range:
    return range(len(sheet.columns))


def _is_text(sheet: ResultTable, place: int) -> bool:
    """Return whether a column holds words, which are aligned left."""
    return not all(row[place][:1].isdigit() or row[place][:1] in "-.±" for row in sheet.rows)
