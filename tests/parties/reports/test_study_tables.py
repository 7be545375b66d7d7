"""A study as it is shown: what its author wrote is text, and never markup."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.parties.reports.study_tables import show_study
from tests.parties.sample import study


def test_markup_in_a_study_is_shown_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = "[bold red]safe[/] [link=https://x.example]here[/link] :warning: [/]"
    one = study(title=nasty)
    server = replace(one.servers[0], operator=nasty)
    marked = replace(one, servers=(server, *one.servers[1:]))
    show_study(marked)
    shown = capsys.readouterr().out
    assert f"study {one.id}  {nasty}" in shown
    assert ":warning:" in shown
    assert shown.count("[bold red]") == 2
    assert "\x1b" not in shown


def test_at_eighty_columns_nothing_of_a_study_is_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppaurora.parties.reports.console.WIDTH", 80)
    server = replace(study().servers[0], host="a-long-name-of-a-machine.hospital.example.org")
    show_study(replace(study(), servers=(server, *study().servers[1:])))
    shown = capsys.readouterr().out
    tables = [line for line in shown.splitlines() if line[:1] in "│┃"]
    assert max(map(len, tables)) <= 80
    assert "…" not in shown
    column = "".join(line.split("│")[3].strip() for line in tables if line.count("│") == 5)
    assert server.address in column
