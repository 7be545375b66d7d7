"""The section of bench/RESULTS.md about peers: the same report, the same text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.table import Table

from ppaurora.bench.errors import ReportRefused
from ppaurora.bench.measure.report import Report
from ppaurora.bench.peers.contestants import CONTESTANTS
from ppaurora.bench.peers.lines import AGAINST, HEADERS, lines
from ppaurora.bench.peers.side_by_side import OWN, terms_of

HEADING = "## Peers"
TERMS = ("by", "computes", "parties", "reveals", "links")
LEFT = 2
"""The columns of words."""

ABOUT = """\
Processes on one machine with {cores} cores, over loopback: the same keys for all, scores of three
decimals with ties, {runs} in turn. A figure is the median, with the range in brackets; ×
is against `{against}` in the same layout. Timed is what happens between the shares at the servers
and the value: connections, keys, SPU's compiler and the owners' sharing are not, but the encryption
of PP-AUC's owners is, being most of its work. Nobody checks the lists. Load is the machine's load
average, the measured processes among it: where it exceeds their 3 or so, others worked on the
machine as well, and seconds say little; CPU seconds and their × count."""

LARGE = "3x64,8x1000,3x349525"
ANEW = f"`ppaurora bench peers --install --fresh --layouts {LARGE} --page bench/RESULTS.md`"

FIT = """\
≈ is not measured. The owners' share of the CPU seconds is a line over the samples, and that of all
others one over the scores that differ, at most 1,001 here, both by least squares through every
measured run of that contestant, those of {layouts} at least. What the aggregator does for each row
besides is left out, in PP-AUC's favour. In `main.py` of its authors' program a list that they kept
says for 3 stations and 1,500 rows, half of them false: 61 s at the aggregator, and 29 s at each
station that opens."""

PRINTED = """\
Printed, and not measured here: G. Asharov et al., *Efficient secure three-party sorting with
applications to data analysis and heavy hitters*, CCS 2022: the sort alone, no AUROC, on machines of
many cores. The others by what they compute, with whom, and what that shows to whom:"""


def section(report: Report) -> str:
    """The text below the heading, with both tables."""
    counts = sorted({len(each) for _, each in report}) or [0]
    runs = " or ".join(f"{count} run{'s' * (count != 1)}" for count in counts)
    head = report.head
    shown = list(lines(report))
    names = [name for name in (*OWN, *CONTESTANTS) if any(name == line[1] for line in shown)]
    versions = sorted({key["versions"] for key, _ in report if "versions" in key})
    absent = [f"{name}: {why}" for name, why in head.get("absent", {}).items()]
    fits = dict.fromkeys(
        at for name in names if name in CONTESTANTS for at in CONTESTANTS[name].fit
    )
    parts = [
        f"Commit {head['commit']}, {head['started'][:10]}. "
        + ABOUT.format(cores=head["machine"]["cores"], runs=runs, against=AGAINST),
        f"Versions: {'; '.join(versions) or 'none'}.",
        *([f"Absent: {'; '.join(absent)}."] if absent else []),
        f"- `ppaurora {head['command']}`\n- all anew, on a quiet machine: {ANEW}",
        _markdown(HEADERS, shown),
        *([FIT.format(layouts=", ".join(fits))] if fits else []),
        PRINTED,
        _markdown(TERMS, [(name, *_terms(name)) for name in names], left=len(TERMS)),
    ]
    return "\n\n".join(parts) + "\n"


def written(text: str, below: str) -> str:
    """The page with this text below the heading, in place of what stood before the next one."""
    before, heading, rest = text.partition(f"{HEADING}\n")
    if not heading:
        raise ReportRefused(f"the page has no heading {HEADING}", advice="Give bench/RESULTS.md.")
    _, next_heading, after = rest.partition("\n#")
    return f"{before}{heading}\n{below}{next_heading}{after}"


def write(report: Report, page: Path) -> None:
    """Write the section of the page anew."""
    page.write_text(written(page.read_text(encoding="utf-8"), section(report)), encoding="utf-8")


def table(report: Report) -> Table:
    """The figures for a terminal."""
    notes = "; ".join(
        f"{name} absent: {why}" for name, why in report.head.get("absent", {}).items()
    )
    shown = Table(title="AUROC with ties, the same keys for all", caption=notes or None)
    for place, header in enumerate(HEADERS):
        shown.add_column(header, justify="left" if place < LEFT else "right")
    for line in lines(report):
        shown.add_row(*line)
    return shown


def _terms(name: str) -> tuple[str, ...]:
    terms = terms_of(name)
    return terms.computes, terms.parties, terms.reveals, terms.links


def _markdown(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = LEFT) -> str:
    rules = ["---" if place < left else "---:" for place in range(len(headers))]
    lined = [f"| {' | '.join(cells)} |" for cells in (headers, *rows)]
    return "\n".join([lined[0], f"|{'|'.join(rules)}|", *lined[1:]])
