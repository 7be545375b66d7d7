"""The methods of a result as a paragraph for a paper, with its references."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.parties.reports.model import Bullets, Paragraph, Piece, Section
from ppaurora.parties.reports.names import known, label, once
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.section_owners import counted
from ppaurora.protocols.lists.scale import Resolution
from ppaurora.protocols.release.values import Table
from ppaurora.protocols.statistics.in_group import SIGN

CORE = (
    "Ünal, Pfeifer and Akgün: ppAURORA: Privacy Preserving Area Under Receiver Operating "
    "Characteristic and Precision-Recall Curves"
)


def methods_section(saved: SavedResult) -> Section:
    """Sentences that a paper may take over, and what they refer to."""
    references = [CORE]
    measures, noisy = [], []
    groups = list(dict.fromkeys(one for name in saved.values for one in name.split(SIGN)[1:]))
    for name, value in once(saved.values).items():
        one = known(name)
        mark = ""
        if one is not None and one.source:
            if one.source not in references:
                references.append(one.source)
            mark = f" [{references.index(one.source) + 1}]"
        if one is not None and one.privacy(saved.decimals) is not None:
            noisy.append(label(name, value))
        measures.append(label(name, value) + mark)
    owners = len(counted(saved))
    resolution = saved.option("scores", "resolution") or ""
    tied = "in the same bin" if resolution.startswith(Resolution.BINS) else "equal"
    least = saved.option("release", "least_cell")
    model = saved.option("about", "model")
    sentences = [
        f"The performance of {model or 'the model'} was computed on the {saved.samples} samples of "
        f"{owners} owners together, by secure three-party computation [1] with ppaurora "
        f"{saved.software}: no owner, server or receiver saw a score or a label of another.",
        f"Computed were {', '.join(measures)}.",
        *_by_group(groups, saved.option("groups", "by") or ""),
        *_by_weight(saved.option("weights", "by") or ""),
        f"Values are those of the pooled data, {'before any noise, ' if noisy else ''}rounded to "
        f"{saved.decimals} decimals; scores that are {tied} are ties.",
    ]
    if noisy:
        sentences.append(
            f"To {' and to '.join(noisy)} the servers added random noise that nobody knows, for "
            "differential privacy."
        )
    tables = any(isinstance(value, Table) for value in saved.values.values())
    if least and int(least) > 1 and tables:
        sentences.append(
            f"A threshold is withheld where fewer than {least} samples of a class lie between it "
            "and another one, as any owner sees it."
        )
    cite = (
        f"To cite: ppAURORA {saved.software}, study {saved.id} ({saved.hash[:16]}), session "
        f"{saved.session}."
    )
    listing = tuple(f"[{place}] {one}" for place, one in enumerate(references, start=1))
    pieces: list[Piece] = [Paragraph(" ".join(sentences)), Bullets(listing, "References")]
    return Section("methods", "Methods", (*pieces, Paragraph(cite)))


def _by_weight(column: str) -> list[str]:
    """The sentence on the weights of the samples, if they have any."""
    return [f"Each sample counted with its weight in {column}."] if column else []


def _by_group(groups: Sequence[str], column: str) -> list[str]:
    """The sentence on the groups of the samples, if there are any."""
    if not groups:
        return []
    return [f"They were computed of all samples and of those with {column} {' or '.join(groups)}."]
