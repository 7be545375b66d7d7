"""A schedule by the real commands: three servers, four owners, three releases, and their trend."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.verification import released, verified
from ppaurora.parties.study.schedule import Period, Schedule
from ppaurora.parties.study.study import Rule, Study
from ppaurora.protocols.options import Options
from tests.parties.world import RESULT_SCHEMA, World, csv, generated, pooled
from tests.until import SECONDS

OWNERS = ("ann", "ben", "cleo", "dora")


def monthly(study: Study) -> Study:
    """The study every month, of which the three releases before this month are open."""
    now = time.gmtime()
    this = Period.named("month", f"{now.tm_year:04}-{now.tm_mon:02}")
    return replace(
        study,
        options=Options(metrics=("auroc_ci", "class_counts", "observed_expected")),
        rule=Rule(least_owners=3, least_samples=10, least_list=1, most_share=1.0, start="request"),
        schedule=Schedule(every="month", first=this.after(-3).name, releases=6, open_for=12),
    )


@pytest.mark.slow
@pytest.mark.zeromq
def test_three_releases_of_one_agreement_make_a_trend(tmp_path: Path) -> None:
    with World(tmp_path, OWNERS, change=monthly) as world:
        world.start()
        first, second, third, coming = [one.name for one in world.study.schedule.periods[:4]]
        tables = {
            (name, period): generated(60 + 10 * place, seed=10 * place + at)
            for place, name in enumerate(OWNERS)
            for at, period in enumerate((first, second, third))
        }
        unnamed = world.outsource("ann")
        assert unnamed.returncode
        assert f"3 releases of study trial are open: {first}, {second}, {third}" in unnamed.stderr
        early = world.outsource("ann", f"--release={coming}")
        assert early.returncode
        assert f"The release of {coming} opens on" in early.stderr

        for period in (first, second, third):
            for name in OWNERS:
                if (name, period) == ("dora", second):
                    continue
                if (name, period) == ("ann", first):
                    (tmp_path / "ann.csv").write_text(csv(tables[name, period]))
                    sent = world.outsource(name, f"--release={period}")
                    assert sent.returncode == 0, sent.stderr
                    continue
                with Participant.of(world.site(name), None, period) as owner:
                    owner.outsource(tables[name, period])
            if period == first:
                # nothing of one release is there in another one, nor sent to it by mistake
                told = json.loads(world.run("status", "--site=ann.toml", "--format=json").stdout)
                assert [len(told[one]["P0"]["uploads"]) for one in (first, second, third)] == [
                    4,
                    0,
                    0,
                ]
                again = world.outsource("ann", f"--release={second}")
                assert again.returncode
                assert f"has sent for the release of {first}: no row differs" in again.stderr
            with Participant.of(world.site("ann"), None, period) as ann:
                ann.compute()
                ann.result(wait=SECONDS)

        shown = world.run("status", "--site=ann.toml")
        assert f"release {second} is open until" in shown.stdout
        assert f"The next one, of {coming}, opens on" in shown.stdout
        fetched = world.run(
            "result", "--site=ann.toml", "--release=all", "--report=trend.html", "--csv=tables"
        )
        assert fetched.returncode == 0, fetched.stderr
        for period in (first, second, third):
            of_all = [tables[name, period] for name in OWNERS if (name, period) != ("dora", second)]
            text = (tmp_path / "results" / f"trial.{period}.json").read_text()
            document = json.loads(text)
            RESULT_SCHEMA.validate(document)
            values = pooled(world.study, of_all)
            assert document["values"] == {name: one.to_json() for name, one in values.items()}
            assert document["missing"] == (["dora"] if period == second else [])
            verified(text, released(text, world.study))
        assert f"{second}: without dora" in fetched.stdout
        page = (tmp_path / "trend.html").read_text()
        # each trend for wide screens, and for small ones
        assert page.count('role="img"') == 2 * 3
        results = [f"results/trial.{period}.json" for period in (first, third)]
        made = world.run("report", *results, "--study=study.toml", "-o", "again.html")
        assert made.returncode == 0, made.stderr
        assert f"{second}: no result" in (tmp_path / "again.html").read_text()
        # a result of one release does not pass for another one's
        other = tmp_path / "results" / f"trial.{first}.json"
        forged = other.read_text().replace(f"trial.{first}", f"trial.{third}")
        (tmp_path / "forged.json").write_text(forged)
        assert world.run("verify", "forged.json", "--study=study.toml").returncode
