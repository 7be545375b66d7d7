"""The notebook runs from top to bottom, and shows what it is stored with."""

from __future__ import annotations

import json
import runpy

import pytest

from tests.docs.tree import HOME

NOTEBOOK = runpy.run_path(str(HOME / "docs" / "notebook.py"))
STORED = (HOME / "examples" / "study.ipynb").read_text(encoding="utf-8")


def outputs(text: str) -> list[object]:
    return [cell["outputs"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


@pytest.mark.zeromq
def test_the_notebook_runs_and_shows_what_is_stored() -> None:
    made = outputs(NOTEBOOK["executed"](STORED))
    assert made == outputs(STORED), "run `.venv/bin/python docs/notebook.py --write`"
    shown = json.dumps(made)
    assert "averaged 0.8452, exact 0.8848" in shown
    assert "Pooled</th>" in shown


def test_a_cell_that_fails_fails_the_run() -> None:
    cells = [{"cell_type": "code", "source": ["1 / 0"], "outputs": []}]
    with pytest.raises(ZeroDivisionError):
        NOTEBOOK["executed"](json.dumps({"cells": cells}))


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    cells = [
        {"cell_type": "code", "source": ["x = 2\n", "print('seen')\n", "x + 1"], "outputs": []},
        {"cell_type": "markdown", "source": ["text"]},
        {"cell_type": "code", "source": ["x = None"], "outputs": ["stale"]},
    ]
    first, second = outputs(NOTEBOOK["executed"](json.dumps({"cells": cells})))
    assert [one.get("text") for one in first] == [["seen\n"], None]  # type: ignore[attr-defined]
    assert first[1]["data"] == {"text/plain": ["3"]}  # type: ignore[index]
    assert second == []
