"""A site's word on its own values, from site.toml to the released rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.upload_words import upload_words
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import WITHHELD, Table
from tests.parties.study.test_study import study

TEXT = "site_values:least_class=5"
OPTIONS = Options(metrics=(TEXT, "auroc"))


def listed(seed: int) -> Labelled:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 60)
    return Labelled(np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1), labels)


def test_a_site_that_says_nothing_shows_nothing(tmp_path: Path) -> None:
    assert not Policy().own_values
    text = 'key = "k"\nstudies = ["s"]\n[policy]\nown_values = true\n'
    (tmp_path / "site.toml").write_text(text)
    assert Site.load(tmp_path / "site.toml").policy.own_values


@pytest.mark.parametrize("shows", [False, True])
def test_words_follow_the_sites_policy(shows: bool) -> None:
    one = study(options=replace(OPTIONS, metrics=(TEXT,)))
    words, _ = upload_words(one, listed(1), None, bytes(16), shows=shows)
    assert words[2] == shows
    assert bool(words[3:].any()) == shows


@pytest.mark.slow
@pytest.mark.zeromq
def test_hospitals_are_shown_by_name_unless_too_few_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Real servers: of seven hospitals five do not show their AUROC, then a single one."""
    lists = [listed(seed) for seed in range(7)]
    of, silent = Participant.of, {f"owner-{place}" for place in range(1, 6)}

    def with_policy(site: Any) -> Participant:
        found = of(site)
        if found.name in silent:
            policy = replace(found.uploading._policy, own_values=False)
            monkeypatch.setattr(found.uploading, "_policy", policy)
        return found

    monkeypatch.setattr(Participant, "of", with_policy)
    done = simulate(lists, OPTIONS)
    found, every = done.result.values[TEXT], done.pooled[TEXT]
    assert isinstance(found, Table)
    assert isinstance(every, Table)
    assert [row[0] for row in found.rows] == [f"owner-{place}" for place in range(1, 8)]
    assert [WITHHELD in row for row in found.rows] == [True] * 5 + [False] * 2
    assert not any(WITHHELD in row for row in every.rows)
    assert found.rows[5:] == every.rows[5:]
    silent = {"owner-3"}
    alone = simulate(lists, OPTIONS).result.values[TEXT]
    assert isinstance(alone, Table)
    assert all(WITHHELD in row for row in alone.rows)
    assert "one to four hospitals are not shown" in alone.withheld
