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
