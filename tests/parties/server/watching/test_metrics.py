"""The page of metrics: what Prometheus reads, and what is told where its library is missing."""

from __future__ import annotations

import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ppaurora.parties.server.watching.counts import REFUSALS, TALLIES, UPLOADS, Counts, Gauge
from ppaurora.parties.server.watching.metrics import KEPT_SECONDS, MetricsPage

GAUGE = Gauge("ppaurora_trial", "Of this test.", lambda: 2.5)


def test_the_page_has_every_declared_kind_and_nothing_else() -> None:
    counts = Counts()
    counts.add(UPLOADS, by=3)
    counts.add(REFUSALS, "busy")
    page = MetricsPage(counts, [GAUGE]).page()
    assert page.status == 200
    assert page.kind.startswith("text/plain; version=")
    families = {one.name: one for one in text_string_to_metric_families(page.text)}
    assert set(families) == {one.name for one in TALLIES} | {GAUGE.name}
    assert [one.value for one in families[GAUGE.name].samples] == [2.5]
    for tally in TALLIES:
        family = families[tally.name]
        assert (family.type, family.documentation) == ("counter", tally.what)
        told = {one.labels.get(tally.label, ""): one.value for one in family.samples}
        assert told == counts.so_far(tally)


def test_the_page_is_made_anew_after_a_while_and_not_before() -> None:
    times, counts = iter([0.0, 0.0, KEPT_SECONDS / 2, KEPT_SECONDS, KEPT_SECONDS]), Counts()
    metrics = MetricsPage(counts, [], lambda: next(times))
    first = metrics.page()
    counts.add(UPLOADS)
    assert metrics.page() is first
    assert "ppaurora_uploads_stored_total 1.0" in metrics.page().text


def test_without_the_library_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    page = MetricsPage(Counts(), []).page()
    assert page.status == 501
    assert 'pip install ".[ops]"' in page.text
