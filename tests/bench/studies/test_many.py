"""Many studies on three servers: what is laid out for them, one real run, and the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks.networks import LOOPBACK, Means, one_host
from ppaurora.bench.studies import many
from ppaurora.mpc.role import Role
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study
from ppaurora.protocols.options import Options

HERE = one_host(LOOPBACK, Means.LOOPBACK)


def test_every_study_has_a_slot_for_each_session_and_every_server_runs_so_many(
    tmp_path: Path,
) -> None:
    health = many.laid_out(tmp_path, HERE, studies=3, sessions=2, options=Options())
    studies = [Study.load(path) for path in sorted(tmp_path.glob("study-*.toml"))]
    assert len({study.hash for study in studies}) == 3
    assert [study.slots for study in studies] == [2, 2, 2]
    sites = [Site.load(tmp_path / f"{role}.toml") for role in Role]
    assert [site.server.sessions for site in sites] == [2, 2, 2]
    assert sites[Role.P0].server.health is not None
    assert health.rpartition(":")[2] == str(sites[Role.P0].server.health[1])


@pytest.mark.zeromq
@pytest.mark.slow
def test_many_studies_are_computed_and_one_by_one_is_what_the_others_are_compared_with() -> None:
    report = Report("studies")
    for row in many.rows_to_measure(2, (1, 2), 50, Options(), HERE):
        figures = row.measure(lambda _: None)
        assert figures["equal"]
        assert figures["health_looks"]
        report.add(row.key, figures)
    cells = [list(column.cells) for column in many.table(report).columns]
    assert [column[0] for column in cells][:2] == ["2", "1"]
    assert cells[5][0] == "1.00"
    assert cells[-1] == ["equal", "equal"]
