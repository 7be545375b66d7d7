"""Display of reports on wide terminals and narrow ones."""

from __future__ import annotations

import pytest
from rich.console import Console
from rich.table import Table

from ppaurora.bench import shown as showing


@pytest.mark.parametrize("width", [40, 200])
def test_a_table_is_cut_on_no_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console(force_terminal=True, width=width, color_system=None)
    monkeypatch.setattr(showing, "console", console)
    table = Table(*(f"a-long-column-{number}" for number in range(6)))
    table.add_row(*(f"value-{number}" for number in range(6)))
    showing.show(table)
    shown = capsys.readouterr().out
    assert "…" not in shown
    for number in range(6):
        assert f"a-long-column-{number}" in shown
        assert f"value-{number}" in shown
    assert max(map(len, shown.splitlines())) <= width
