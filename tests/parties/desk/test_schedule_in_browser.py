"""A study with a schedule at the desk, in a real browser, against three real servers.

`python3 scripts/browser.py` runs this, as `test_desk_in_browser.py` says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.participant.participant import Participant
from tests.parties.commands.test_schedule import monthly
from tests.parties.desk.open_desk import desk_process
from tests.parties.desk.test_desk_in_browser import Sitting
from tests.parties.reports.browsing import Browsing
from tests.parties.world import World, csv, generated, pooled
from tests.until import until

pytestmark = [pytest.mark.browser, pytest.mark.zeromq]


def test_an_owner_takes_part_release_by_release(
    tmp_path: Path, browsing: Browsing, axe: str
) -> None:
    with World(tmp_path, change=monthly) as world:
        world.site("ann").rename(tmp_path / "site.toml")
        first, second, third = [one.name for one in world.study.schedule.periods[:3]]
        lists = {
            (name, period): generated(40 + 10 * place, seed=7 * place + at)
            for place, name in enumerate(("ann", "ben", "cleo"))
            for at, period in enumerate((first, second))
        }
        for period in (first, second):
            (tmp_path / f"ann-{period}.csv").write_text(csv(lists["ann", period]))
        world.start()
        one = Sitting(browsing, tmp_path, axe)
        with desk_process(tmp_path) as (address, _):
            one.sit_down(address)
            one.go("study")
            one.tick("compared")
            assert "Accepted" in one.click("accept")

            def send(period: str, of: str) -> str:
                one.go("list")
                one.fill(release=period)
                assert f"Release {period}" in one.click("release")
                one.fill(file=f"ann-{of}.csv")
                one.click("look")
                told = one.click("prepare")
                if "What will be sent" in told:
                    one.tick("agreed")
                    told = one.click("send")
                return told

            assert "Choose a release" in one.go("list")
            one.look("release-choose")
            assert "Stored by both proxies" in send(first, first)
            # the list of another month is noticed before anything is sent
            assert f"has sent for the release of {first}: no row differs" in send(second, first)
            one.look("release-same-list")
            assert "Stored by both proxies" in send(second, second)
            one.fill(release=second)
            one.click("release")
            one.browsing.evaluate("document.querySelector('form[data-do=withdraw] input').click()")
            assert "have deleted your upload" in one.click("withdraw")
            assert "Stored by both proxies" in send(second, second)
            shown = one.go("status")
            assert "All releases" in shown
            assert "to come" in shown
            assert "not yet: ben, cleo" in shown
            one.look("calendar")
            for period in (first, second):
                for name in ("ben", "cleo"):
                    with Participant.of(world.site(name), None, period) as owner:
                        owner.outsource(lists[name, period])
                one.go("status")
                one.fill(release=period)
                one.click("release")
                one.tick("agreed")
                assert "Asked" in one.click("compute")
                one.go("result")
                until(lambda: "Verified: signed" in one.click("fetch"), 120)
                value = pooled(
                    world.study, [lists[name, period] for name in ("ann", "ben", "cleo")]
                )
                assert str(value["class_counts"]).split()[0] in one.text()
            shown = one.click("trend")
            assert "2 of 3 releases that have opened have a result" in shown
            assert f"{third}: no result" in shown
            assert "AUROC by release" in shown
            one.look("trend")
            shown = one.go("status")
            assert shown.count("saved") == 2
            assert all(
                asked.startswith((address.partition("#")[0], "data:"))
                for asked in browsing.requested
            )
