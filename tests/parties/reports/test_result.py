"""Two shares make a result only if both proxies tell the same about the same session."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.parties.errors import DocumentRefused, ProxiesDisagree
from ppaurora.parties.reports.result import combine
from ppaurora.parties.reports.terminal import show_result
from ppaurora.parties.requests.messages import ResultPart
from tests.parties.sample import study

STUDY = study(metrics=("auroc",))
SESSION = b"s" * 16
MASK = 0xFEDCBA9876543210


def part(word: int, **changes: Any) -> ResultPart:
    agreed = {
        "study": STUDY.hash.hex(),
        "session": SESSION.hex(),
        "owners": [["ann", 30], ["ben", 20]],
        "refused": [],
        "samples": 50,
        "software": "1",
        "round_trip_us": 10_000,
        "megabits": 1000,
        "folds": [],
    }
    link = {"bytes": 10, "frames": 1}
    server = {"links": dict.fromkeys(("P0", "P1", "helper"), link), "hops": 5, "seconds": 0.1}
    about = {"agreed": {**agreed, **changes}, "server": {**server, "phases": []}}
    return ResultPart(SESSION, (word % 2**64,), json.dumps(about))


def test_two_shares_make_the_value_and_the_document(tmp_path: Path) -> None:
    result = combine(STUDY, part(MASK), part(8250 - MASK))
    assert str(result.values["auroc"]) == "0.8250"
    assert result.content["values"]["auroc"] == {
        "kind": "scalar",
        "value": "0.8250",
        "undefined": None,
    }
    assert result.content["cost"]["bytes"] == result.cost.bytes == 30
    assert result.agreed.owners == (("ann", 30), ("ben", 20))
    assert result.content["missing"] == []
    result.save(tmp_path / "new" / "result.json")
    assert stat.S_IMODE((tmp_path / "new" / "result.json").stat().st_mode) == 0o600
    assert json.loads((tmp_path / "new" / "result.json").read_text()) == result.content


@pytest.mark.parametrize(
    "second",
    [
        part(8250 - MASK, samples=51),
        part(8250 - MASK, owners=[["ann", 30]]),
        part(8250 - MASK, refused=["ben"]),
        part(8250 - MASK, study="00" * 32),
        part(8250 - MASK, session="00" * 16),
        replace(part(8250 - MASK), session=b"t" * 16),
        replace(part(8250 - MASK), words=()),
        replace(part(8250 - MASK), words=(1, 2)),
        replace(part(8250 - MASK), words=(2**64,)),
        part(8250 - MASK, refused=["eve"]),
        part(8250 - MASK, samples="50"),
        part(8250 - MASK, unknown=1),
        replace(part(8250 - MASK), about="[]"),
        replace(part(8250 - MASK), about="{"),
        part(8249 - MASK + 2**40),
    ],
)
def test_shares_that_do_not_belong_together_are_refused(second: ResultPart) -> None:
    with pytest.raises(RemoteProtocolError):
        combine(STUDY, part(MASK), second)


def test_names_that_own_no_list_are_not_refused_ones() -> None:
    stranger = part(MASK, refused=["eve"]), part(8250 - MASK, refused=["eve"])
    with pytest.raises(ProxiesDisagree):
        combine(STUDY, *stranger)


def test_a_proxy_must_tell_about_each_of_its_links() -> None:
    about = json.loads(part(MASK).about)
    del about["server"]["links"]["P1"]
    with pytest.raises(DocumentRefused, match="link to P1"):
        combine(STUDY, replace(part(MASK), about=json.dumps(about)), part(8250 - MASK))


def test_a_result_of_another_study_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="do not tell the same"):
        combine(study(metrics=("auroc",), decimals=5), part(MASK), part(8250 - MASK))


def test_the_result_says_which_owners_of_the_study_are_not_in_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = combine(
        STUDY,
        part(MASK, owners=[["ann", 50]]),
        part(8250 - MASK, owners=[["ann", 50]]),
    )
    assert result.content["missing"] == ["ben"]
    show_result(result)
    shown = capsys.readouterr().out
    assert "50 samples of 1 owner: ann" in shown
    assert "not in it, though in the study: ben" in shown


def test_bytes_and_hops_that_depend_on_the_data_reach_no_receiver(
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened = study(metrics=("auroc",), merge="delta", delta=5)

    def told(word: int) -> ResultPart:
        return told_nothing(part(word, study=opened.hash.hex()))

    result = combine(opened, told(MASK), told(8250 - MASK))
    assert result.cost is None
    assert result.content["cost"] is None
    show_result(result)
    assert "bytes, hops and time not told" in capsys.readouterr().out
    with pytest.raises(DocumentRefused, match="nothing about what the session took"):
        combine(STUDY, told_nothing(part(MASK)), told_nothing(part(8250 - MASK)))


@pytest.mark.parametrize(
    ("round_trip_us", "megabits", "sort"), [(40_000, 1000, "shuffled"), (10, 1, "network")]
)
def test_the_ledger_says_which_sort_ran_where_the_study_left_it_open(
    round_trip_us: int, megabits: int, sort: str
) -> None:
    left_open = study(metrics=("auroc",), merge="auto")

    def told(word: int) -> ResultPart:
        network = {"round_trip_us": round_trip_us, "megabits": megabits}
        return part(word, study=left_open.hash.hex(), **network)

    result = combine(left_open, told(MASK), told(8250 - MASK))
    assert result.ledger.public.protocol["merge"] == sort
    assert any("comparisons the sort takes" in text for text in result.ledger.learns.helper) == (
        sort == "shuffled"
    )
    assert result.cost is not None


def test_a_network_that_is_none_is_refused() -> None:
    told = [part(word, megabits=0) for word in (MASK, 8250 - MASK)]
    with pytest.raises(DocumentRefused, match="network that is none"):
        combine(STUDY, *told)


def told_nothing(whole: ResultPart) -> ResultPart:
    return replace(whole, about=json.dumps({**json.loads(whole.about), "server": None}))
