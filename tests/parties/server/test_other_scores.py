"""Two classifiers compared by three real servers, from the owners' files to the result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.columns.other_scores import OtherScores
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.simulation.plain_reading import read_plainly
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import WordShare
from ppaurora.protocols.release.values import Interval
from tests.parties.world import World, pooled, with_options

pytestmark = pytest.mark.zeromq
RIVAL = (OtherScores(names=("rival",)),)
METRICS = ("auroc_difference", "auroc_differs", "auroc")


def compared(study: Study) -> Study:
    return replace(with_options(study, metrics=METRICS, against=("rival",)), extra=RIVAL)


def two_scores(samples: int, seed: int, second: str) -> str:
    """The text of a file with two columns of scores."""
    rng = np.random.default_rng(seed)
    labels = rng.random(samples) < 0.4
    first, other = (rng.beta(2 + gain * labels, 3).round(2) for gain in (3, 1))
    rows = zip(first.tolist(), labels.astype(int).tolist(), other.tolist(), strict=True)
    return f"score,label,{second}\n" + "".join(f"{a},{y},{b}\n" for a, y, b in rows)


def with_another_label(honest: Prepared) -> Prepared:
    """The upload of an owner one of whose rows has another label in the second list."""
    words = honest.shares[Role.P0].words() + honest.shares[Role.P1].words()
    n = honest.samples
    second = words[n : 2 * n]
    # a positive, which may stand one lower without leaving the order
    may = np.flatnonzero((second[:-1] % 2 == 1) & (second[:-1] > second[1:]))
    second[may[0]] -= np.uint64(1)
    share = honest.shares[Role.P1]
    assert isinstance(share, WordShare)
    lie = replace(share, share=words - honest.shares[Role.P0].words())
    return replace(honest, shares={**honest.shares, Role.P1: lie})


def test_two_columns_are_compared_and_a_liar_is_refused_by_name(tmp_path: Path) -> None:
    with World(tmp_path, change=compared) as world:
        for seed, (name, second) in enumerate(
            {"ann": "rival", "ben": "b", "cleo": "rival"}.items()
        ):
            text = two_scores(60 + 10 * seed, seed, second)
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        world.start()
        checked = world.run("study", "check", "study.toml")
        assert "decimals are right for 2496765 samples or fewer" in checked.stderr
        seen = world.run("doctor", "--site=ben.toml", "ben.csv", "--column=rival=b")
        assert seen.returncode == 0, seen.stdout
        assert "list in study: may be sent" in seen.stdout
        sent = world.outsource("ann")
        assert sent.returncode == 0, sent.stderr
        assert "metrics of one score are of the first: rival" in " ".join(sent.stderr.split())
        assert f"{24 * 60} bytes, masked" in sent.stderr
        assert world.outsource("ben", "--column=rival=b").returncode == 0
        with world.owner("cleo") as owner:
            honest = owner.prepare(owner.take(tmp_path / "cleo.csv"))
            owner.send(with_another_label(honest))
            result = owner.result(wait=30)
        assert result.agreed.refused == ("cleo",)
        counted = [
            read_plainly(
                tmp_path / f"{name}.csv",
                world.study.scores,
                Columns(renamed=(f"rival={second}",)),
                RIVAL,
            )
            for name, second in (("ann", "rival"), ("ben", "b"))
        ]
        assert result.values == pooled(world.study, counted)
        told = world.run("result", "--site=ben.toml")
        found = result.values["auroc_difference"]
        assert isinstance(found, Interval)
        for number in (found.value, f"{found.lower} to {found.upper}", found.z):
            assert str(number) in told.stdout
        assert "the list of cleo was unsound" in told.stdout
