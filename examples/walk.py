"""Six samples of two owners, with all that P0, P1 and the helper hold after each step.

    .venv/bin/python examples/walk.py

The three roles run as threads of one process, over links in memory. Every function that computes is
the project's own, and the one that a study runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, is_negative, multiply, where_negative
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words, to_words
from ppaurora.protocols.lists.outsourcing import descending, split
from ppaurora.protocols.ranking.ranked import Ranked, Scan, groups
from ppaurora.protocols.ranking.ties import labels, ties
from ppaurora.protocols.sorting.delta import DeltaSort
from ppaurora.protocols.statistics.aupr import Aupr
from ppaurora.protocols.statistics.auroc import Auroc
from ppaurora.protocols.statistics.auroc_no_ties import AurocNoTies

OWNER_A = [(9, 1), (7, 1), (4, 0)]
OWNER_B = [(8, 1), (7, 0), (5, 0)]
"""Scores and labels. `protocols/lists/scale.py` does for doubles what `keys` does here."""
DECIMALS = 4
SHOWN = 0xFFFF
INTRODUCTION = """\
P0 and P1 hold a share of every number, a word of 64 bits that is random by itself; here are
its last 4 hexadecimal digits. The value is the sum of both, modulo 2^64. The helper deals
random words. Run this again: every share is another one, every value the same."""


def keys(samples: Sequence[tuple[int, int]]) -> Words:
    """2·score + label, in descending order: what an owner shares."""
    return descending(to_words([2 * score + label for score, label in samples]))


def shares(samples: Sequence[tuple[int, int]]) -> tuple[Words, Words]:
    """An owner's two shares, of which P0 and P1 get one each."""
    parts = split(keys(samples))
    return parts[Role.P0].words(), parts[Role.P1].words()


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its computation, file and docstring, and the values that one role then holds."""

    title: str
    file: str
    text: str
    held: Mapping[str, Shared]


def program(party: Party, a: Shared, b: Shared) -> list[Step]:
    """The whole walk, as each of the three roles runs it."""
    below = is_negative(party, a - b)
    larger, smaller = (where_negative(party, a - b, *pair) for pair in ((b, a), (a, b)))
    ratio = divide(party, smaller, larger, digits=DECIMALS, bound=2 * 9 + 1)
    primitives = [
        Step(
            "The owners' lists",
            "protocols/lists/outsourcing.py",
            "key = 2·score + label, in descending order, in two shares.",
            {"a": a, "b": b},
        ),
        Step(
            "MUL: a·b",
            "mpc/primitives/multiply.py",
            "Factors are opened behind random masks; the helper deals the masks' product.",
            {"a·b": multiply(party, a, b)},
        ),
        Step(
            "CMP: 1 where a < b",
            "mpc/primitives/compare.py",
            "The sign of a - b, as a shared number that nobody knows.",
            {"a < b": below},
        ),
        Step(
            "MUX: the larger of a and b",
            "mpc/primitives/compare.py",
            "One of two values, chosen by a CMP.",
            {"max": larger},
        ),
        Step(
            "DIV: min / max",
            "mpc/primitives/divide.py",
            "To 4 decimals, rounded: 8947 is 0.8947.",
            {"ratio": ratio},
        ),
    ]
    merged = DeltaSort.of(1).sorted(party, [a, b])
    marked = labels(party, merged)
    found = ties(party, merged, marked, way="helper")
    tied = groups(party, found, Scan(boundaries=True, both_ways=True))
    ranked = Ranked(marked, tied)
    auroc = Auroc().ratio(party, ranked)
    return [
        *primitives,
        Step(
            "The merge with delta = 1",
            "protocols/sorting/delta.py",
            "Compare-exchanges, each of a CMP and a MUX, put both lists into one order.",
            {"keys": merged},
        ),
        Step(
            "The labels",
            "protocols/ranking/ties.py",
            "The lowest bit of each key, and how many positives there are up to it.",
            {"y": marked.y, "TP": marked.TP},
        ),
        Step(
            "Algorithm 1: AUROC without ties",
            "protocols/statistics/auroc_no_ties.py",
            "More than 10000 means undefined: here a positive is tied with a negative.",
            {"AUROC": AurocNoTies().private(party, ranked, DECIMALS)},
        ),
        Step(
            "Algorithm 3: where scores are tied",
            "protocols/ranking/ties.py",
            "con is 0 where the next score is the same. The helper compares encrypted tokens.",
            {"con": tied.con},
        ),
        Step(
            "Algorithm 2: AUROC with ties",
            "protocols/statistics/auroc.py",
            "B: positives with a higher score. N = Σ (1 - y)·(TP + B), D = 2·P·N. 9444 is 0.9444.",
            {
                "B": tied.B,
                "N, D": concatenate([auroc.N, auroc.D]),
                "AUROC": Auroc().private(party, ranked, DECIMALS),
            },
        ),
        Step(
            "Algorithm 4: area under the precision-recall curve",
            "protocols/statistics/aupr.py",
            "S = con·TP·(E - B), with E the positives up to the end of the next group of ties.",
            {
                "E": tied.E,
                "S": multiply(party, *Aupr().factors(party, ranked)),
                "AUPR": Aupr().private(party, ranked, DECIMALS),
            },
        ),
    ]


def walk() -> list[tuple[Step, Step, Step]]:
    """The steps, each as P0, P1 and the helper took it."""
    return list(zip(*run_local(program, shares(OWNER_A), shares(OWNER_B)), strict=True))


def described(owner: str, samples: Sequence[tuple[int, int]]) -> str:
    """An owner's samples in words."""
    listed = ", ".join(f"{score} ({'+' if label else '-'})" for score, label in samples)
    return f"Owner {owner} has the scores {listed}"


def shown(words: Words) -> str:
    """The last four hexadecimal digits of each word."""
    return " ".join(f"{int(word) & SHOWN:04x}" for word in words)


def main() -> None:
    """Print every step."""
    print("; ".join(map(described, ("A", "B"), (OWNER_A, OWNER_B))), INTRODUCTION, sep="\n")
    for p0, p1, helper in walk():
        print(f"\n{p0.title}  [{p0.file}]\n  {p0.text}")
        for name, x0 in p0.held.items():
            x1 = p1.held[name]
            print(f"  {name:<6} P0      {shown(x0.words)}")
            print(f"  {'':<6} P1      {shown(x1.words)}")
            print(f"  {'':<6} value   {' '.join(f'{x:>4}' for x in open_locally([x0, x1]))}")
        lengths = ", ".join(f"{name}: {len(x)}" for name, x in helper.held.items())
        print(f"  {'':<6} helper  lengths only, {lengths}")


if __name__ == "__main__":
    main()
