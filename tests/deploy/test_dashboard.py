"""The sample dashboard shows every metric that a server declares, and no other."""

from __future__ import annotations

import json
import re
import threading
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ppaurora.parties.server.watching.counts import Counts, gauges
from ppaurora.parties.server.watching.health import Health
from ppaurora.parties.server.watching.metrics import MetricsPage

PLACE = Path(__file__).resolve().parents[2] / "deploy" / "grafana" / "dashboard.json"
DASHBOARD: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, set[str]]:
    """The names of all samples of a server's page, with the labels that each has."""
    health = Health(tmp_path, lambda: 1, lambda: True)
    health.leads_in(threading.current_thread())
    health.look()
    page = MetricsPage(Counts(), gauges(health, lambda: 1, lambda: 90.0, lambda: 0)).page()
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(page.text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def test_every_metric_that_is_shown_is_declared_and_every_declared_one_is_shown(
    samples: dict[str, set[str]],
) -> None:
    shown = {name for text in EXPRESSIONS for name in re.findall(r"\bppaurora_\w+", text)}
    assert shown == set(samples)
    [chosen_by] = re.findall(r"label_values\((\w+),", json.dumps(DASHBOARD["templating"]))
    assert chosen_by in samples


def test_what_is_told_apart_is_a_label_of_the_metric(samples: dict[str, set[str]]) -> None:
    grouped = [re.search(r"sum by \((\w+)\) .*?(ppaurora_\w+)", text) for text in EXPRESSIONS]
    labels = {found[2]: {found[1]} for found in grouped if found}
    assert labels == {name: having for name, having in samples.items() if having}


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    covered = [
        {(at["x"] + right, at["y"] + down) for right in range(at["w"]) for down in range(at["h"])}
        for at in (panel["gridPos"] for panel in PANELS)
    ]
    assert all(not one & other for one, other in combinations(covered, 2))
    assert all(x < 24 for cells in covered for x, _ in cells)
