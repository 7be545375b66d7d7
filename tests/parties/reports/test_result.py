"""Two shares make a result only if both proxies tell the same about the same session."""

from __future__ import annotations

import json
import stat
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DocumentRefused, ProxiesDisagree
from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.result import combine
from ppaurora.parties.reports.terminal import show_page
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.study.study import Study
from tests.parties.evidence.session import agreed_on, part
from tests.parties.sample import study

STUDY = study(metrics=("auroc",))
P0, P1 = part(STUDY), part(STUDY, Role.P1)


def both(study: Study, /, **changes: Any) -> tuple[ResultPart, ResultPart]:
    """The parts that both proxies hand out."""
    return part(study, **changes), part(study, Role.P1, **changes)


def told(part: ResultPart, **changes: Any) -> ResultPart:
    """The same part with another story around it."""
    about = json.loads(part.about)
    return replace(part, about=json.dumps({**about, **changes}))


def test_two_shares_make_the_value_and_the_document(tmp_path: Path) -> None:
    result = combine(STUDY, P0, P1)
    assert str(result.values["auroc"]) == "0.8250"
    assert result.content["values"]["auroc"] == {
        "kind": "scalar",
        "value": "0.8250",
        "undefined": None,
        "withheld": None,
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
        part(STUDY, Role.P1, samples=51),
        part(STUDY, Role.P1, owners=(("ann", 30),)),
        part(STUDY, Role.P1, refused=("ben",)),
        part(STUDY, Role.P1, study="00" * 32),
        part(STUDY, Role.P1, session="00" * 16),
        part(STUDY, Role.P1, [8251]),
        replace(P1, session=b"t" * 16),
        replace(P1, words=()),
        replace(P1, words=(1, *P1.words)),
        replace(P1, words=((P1.words[0] + 1) % 2**64, *P1.words[1:])),
        replace(P1, words=(*P1.words[:-1], 6)),
        replace(P1, words=(P1.words[0] + 2**64, *P1.words[1:])),
        replace(P1, words=P0.words),
        told(P1, statements={}),
        told(P1, unknown=1),
        replace(P1, about="[]"),
        replace(P1, about="{"),
    ],
)
def test_shares_that_do_not_belong_together_are_refused(second: ResultPart) -> None:
    with pytest.raises(RemoteProtocolError):
        combine(STUDY, P0, second)


def test_what_the_servers_have_not_signed_is_refused() -> None:
    other = asdict(agreed_on(STUDY, samples=51))
    with pytest.raises(ProxiesDisagree, match="have not signed"):
        combine(STUDY, told(P0, agreed=other), told(P1, agreed=other))


def test_names_that_own_no_list_are_not_refused_ones() -> None:
    with pytest.raises(ProxiesDisagree, match="not about this study"):
        combine(STUDY, *both(STUDY, refused=("eve",)))


def test_a_proxy_must_tell_about_each_of_its_links() -> None:
    server = json.loads(P0.about)["server"]
    del server["links"]["P1"]
    with pytest.raises(DocumentRefused, match="link to P1"):
        combine(STUDY, told(P0, server=server), P1)


def test_a_result_of_another_study_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="not about this study"):
        combine(study(metrics=("auroc",), decimals=5), P0, P1)


def test_the_result_says_which_owners_of_the_study_are_not_in_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = combine(STUDY, *both(STUDY, owners=(("ann", 50),)))
    assert result.content["missing"] == ["ben"]
    show_page(page_of_text(result.to_json()))
    shown = capsys.readouterr().out
    assert "50 samples of 1 owner: ann" in shown
    assert "not in it, though in the study: ben" in shown


def test_bytes_and_hops_that_depend_on_the_data_reach_no_receiver(
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened = study(metrics=("auroc",), merge="delta", delta=5)

    result = combine(opened, *(told(one, server=None) for one in both(opened)))
    assert result.cost is None
    assert result.content["cost"] is None
    show_page(page_of_text(result.to_json()))
    assert "bytes, hops and time not told" in capsys.readouterr().out
    with pytest.raises(DocumentRefused, match="nothing about what the session took"):
        combine(STUDY, told(P0, server=None), told(P1, server=None))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("hops",), 2**63 - 1),
        (("seconds",), 1.7e308),
        (("seconds",), -0.5),
        (("links", "P1", "bytes"), 2**62),
        (("links", "P1", "frames"), 2**62),
        (("phases", 0, "hops"), 2**62),
        (("phases", 0, "bytes_sent"), 2**62),
        (("phases", 0, "cpu_seconds"), -1.0),
    ],
)
def test_figures_that_cannot_be_are_refused_and_whose_they_are_is_told(
    place: tuple[str | int, ...], value: float
) -> None:
    phase = {"name": "sort", "seconds": 0.5, "cpu_seconds": 0.5, "hops": 1}
    inner = server = json.loads(P0.about)["server"]
    server["phases"] = [{**phase, "bytes_sent": 8, "bytes_received": 8}]
    assert combine(STUDY, told(P0, server=server), P1).cost is not None
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(DocumentRefused, match="P0 tells figures"):
        combine(STUDY, told(P0, server=server), P1)


def test_a_story_that_cannot_be_read_names_its_server() -> None:
    with pytest.raises(DocumentRefused, match="P1 tells of the session what cannot be read"):
        combine(STUDY, P0, told(P1, unknown=1))


@pytest.mark.parametrize(
    ("round_trip_us", "megabits", "sort"), [(40_000, 1000, "shuffled"), (10, 1, "network")]
)
def test_the_ledger_says_which_sort_ran_where_the_study_left_it_open(
    round_trip_us: int, megabits: int, sort: str
) -> None:
    left_open = study(metrics=("auroc",), merge="auto")

    network = {"round_trip_us": round_trip_us, "megabits": megabits}
    result = combine(left_open, *both(left_open, **network))
    assert result.ledger.public.options["merge"] == sort
    assert any(
        "outcomes of the sort's comparisons" in text for text in result.ledger.learns.helper
    ) == (sort == "shuffled")
    assert result.cost is not None


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="network that is none"):
        combine(STUDY, *both(STUDY, megabits=0))
