"""Classes of a contract are found in the files of a package, and unfinished ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.protocols import sorting
from ppaurora.protocols.discovery import defined_in
from ppaurora.protocols.sorting.sort import Sort

UNFINISHED = """
from ppaurora.protocols.sorting.network import NetworkSort
from ppaurora.protocols.sorting.sort import Sort


class Bubble(Sort):
    name = "bubble"

    @classmethod
    def of(cls, delta):
        return cls()


class Finished(NetworkSort):
    name = "finished"


class Basis(Sort):
    pass
"""


def test_a_class_with_a_name_that_lacks_a_part_of_its_contract_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract: type[Sort] = Sort  # type: ignore[type-abstract]
    (tmp_path / "bubble.py").write_text(UNFINISHED)
    (tmp_path / "rest.py").write_text(UNFINISHED.replace('"bubble"', '"finished"'))
    monkeypatch.setattr(sorting, "__path__", [*sorting.__path__, str(tmp_path)])
    with pytest.raises(TypeError, match=r"Bubble.*lacks.*: cost, sorted_rows"):
        defined_in(sorting, "bubble", contract)
    assert [one.__name__ for one in defined_in(sorting, "rest", contract)] == ["Finished"]
