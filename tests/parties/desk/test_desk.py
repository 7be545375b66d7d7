"""The desk does what the commands do, says what they say, and gives away nothing beside."""

from __future__ import annotations

import html
import json
import re
import shlex
import stat
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.desk.desk import ACTIONS, Desk
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.participant.sending import Report
from ppaurora.parties.requests.desk_listener import DO, LIST, NAME_HEADER, PROGRESS
from ppaurora.parties.site.fold_key import create_fold_key
from ppaurora.parties.site.key_files import load_identity, set_passphrase
from ppaurora.parties.site.locked_key import LEAST_COST
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.lists.folds import key_commitment
from tests.parties.commands.test_schedule import monthly
from tests.parties.desk.open_desk import OpenDesk, desk_in, desk_process
from tests.parties.world import World, csv, generated, pooled
from tests.until import until

LOCK = "five words that do not belong"


def texts(markup: str) -> str:
    """The words that people read of a page."""
    return html.unescape(re.sub(r"<[^>]*>", "\n", markup))


def world_with_desk(folder: Path) -> World:
    """A study of which ann's site file is where a desk looks for it."""
    world = World(folder)
    world.site("ann").rename(folder / "site.toml")
    return world


def test_a_beginner_gets_a_key_and_nothing_is_touched(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.enter()
        assert "Make my key" in desk.do("you")
        for name in ("../dora", "a/b", ".dora", "a b", "x" * 80, "a\\b"):
            refused = desk.do("you", "init", name=name, least="65")
            assert "letters, digits" in refused
            assert f'value="{name}"' in refused  # what was typed is kept
            assert 'value="65"' in refused
        assert "is no whole number" in desk.do("you", "init", name="dora", least="many")
        assert not [*tmp_path.parent.glob("*.key")]
        told = desk.do("you", "init", name="dora", least="70", others="3")
        assert "Pass dora.key.pub on" in texts(told)
        assert stat.S_IMODE((tmp_path / "dora.key").stat().st_mode) == 0o600
        site = (tmp_path / "site.toml").read_text()
        assert "least_own_samples = 70" in site
        private = (tmp_path / "dora.key").read_text().strip().rpartition(":")[2]
        again = desk.do("you", "init", name="dora")
        assert "is kept" in texts(again)
        assert private not in told + again + desk.do("you")


@pytest.mark.zeromq
def test_an_owner_takes_part_and_every_failure_is_told(tmp_path: Path) -> None:
    with world_with_desk(tmp_path) as world, desk_in(tmp_path) as desk:
        desk.enter()
        shown = texts(desk.do("study"))
        assert "You are ann" in shown
        assert "What each learns, beyond its own input and the result" in shown
        spelt = re.findall(".{8}", world.study.hash.hex())
        assert " ".join(spelt) in shown
        right = {"hash": world.study.hash.hex(), "compared": "yes"}
        assert "has changed since" in desk.do("study", "accept", hash="0" * 64, compared="yes")
        assert "have not ticked" in desk.do("study", "accept", hash=right["hash"])
        assert "Accepted" in desk.do("study", "accept", **right)
        assert "You have accepted" in texts(desk.do("study"))
        # files are named, and never by a path
        for name in (
            "../site.toml",
            "/etc/passwd",
            "site.toml",
            "ann.key",
            str(tmp_path / "ann.csv"),
        ):
            assert "There is no such list" in desk.do("list", "look", file=name)
            assert "There is no such result" in desk.do("result", "show", file=name)
        looked = desk.do("list", "look", file="ann.csv")
        assert "score, from" in texts(looked)
        assert "How your scores lie (shown to you alone)" in texts(looked)
        assert '<svg xmlns="http://www.w3.org/2000/svg" class="chart wide"' in looked
        assert "This list holds" not in texts(looked)  # each row has both
        assert "have not ticked" not in desk.do("list", "prepare", score="score", label="label")
        assert "Nothing is sent without" in desk.do("list", "send")
        assert "Choose another study" in desk.do("study")
        unsent = texts(desk.do("list", "send", agreed="yes"))  # no server is there
        assert "Not done" in unsent
        assert "Ask its operator whether it runs; then press the button again" in unsent
        assert "study.toml" not in unsent
        world.start()
        assert "Stored by both proxies" in texts(desk.do("list", "send", agreed="yes"))
        assert "Choose another study" not in desk.do("study")
        kept = (tmp_path / "study.toml").read_text()
        other = study_text(replace(world.study, title="Another one"))
        assert "a list was sent from this folder" in desk.do("study", "bring", text=other)
        assert (tmp_path / "study.toml").read_text() == kept
        assert "not yet: ben, cleo" in texts(desk.do("status"))
        early = texts(desk.do("result", "fetch"))
        assert "Not done" in early
        ran = world.run("result", "--site=site.toml")
        said, terminal, _ = ran.stderr.removeprefix("ppaurora: ").partition(" Look at `ppaurora")
        assert terminal
        assert f'{said} See "Status"' in early
        assert "Everything is ready" in texts(desk.do("you", "doctor"))
        world.upload("ben", "cleo")
        value = str(world.pooled()["auroc"])
        until(lambda: value in texts(desk.do("result", "fetch")), 120)
        (saved,) = (tmp_path / "results").glob("*.json")
        assert value in texts(desk.do("result", "show", file=saved.name))
        document = json.loads(saved.read_text())
        document["values"]["auroc"] = "0.9999"
        saved.write_text(json.dumps(document))
        assert "Not done" in desk.do("result", "show", file=saved.name)


def test_an_owner_of_a_joined_study_says_which_half_its_list_holds(tmp_path: Path) -> None:
    by = JoinBy(column="patient", key=key_commitment(create_fold_key(tmp_path / "owners.key")))

    def joined(one: Study) -> Study:
        options = replace(one.options, metrics=("auroc",), least_join=20)
        return replace(one, options=options, extra=(by,))

    with World(tmp_path, change=joined) as world, desk_in(tmp_path) as desk:
        world.write_site("ann", more='\n[folds]\nkey = "owners.key"\n')
        world.site("ann").rename(tmp_path / "site.toml")
        lines = (tmp_path / "ann.csv").read_text().splitlines()[1:]
        scores = "".join(f"{at},{line.split(',')[0]}\n" for at, line in enumerate(lines))
        (tmp_path / "scores.csv").write_text(f"patient,score\n{scores}")
        desk.enter()
        looked = desk.do("list", "look", file="scores.csv")
        assert "Not done" in texts(looked)  # there is no column of labels
        assert "This list holds (--holds)" in texts(looked)
        assert "scores: another owner has the labels of these rows" in texts(looked)
        ready = texts(desk.do("list", "prepare", holds="scores"))
        assert "Not done" not in ready
        assert "What will be sent" in ready


@pytest.mark.slow
@pytest.mark.zeromq
def test_every_release_of_a_schedule_is_shown_sent_withdrawn_and_fetched(tmp_path: Path) -> None:
    with World(tmp_path, change=monthly) as world, desk_in(tmp_path) as desk:
        world.site("ann").rename(tmp_path / "site.toml")
        first, second, third, coming = [one.name for one in world.study.schedule.periods[:4]]
        world.start()
        desk.enter()
        shown = texts(desk.do("list"))
        assert "Choose a release" in shown
        assert f"The next one, of {coming}, opens on" in shown
        desk.do("list", "look", file="ann.csv")
        assert f"3 releases of study trial are open: {first}" in desk.do("list", "prepare")
        assert "has no release 1999-01" in desk.do("list", "release", release="1999-01")
        assert f"The release of {coming} opens on" in sent_for(desk, coming)
        assert "Stored by both proxies" in sent_for(desk, first)
        # what was ready for one release is not sent for another one
        desk.do("list", "release", release=second)
        desk.do("list", "look", file="ann.csv")
        (tmp_path / "ann.csv").write_text(csv(generated(60, seed=9)))
        assert "What will be sent" in desk.do("list", "prepare")
        desk.do("list", "release", release=third)
        assert "No list is ready" in desk.do("list", "send", agreed="yes")
        (tmp_path / "ann.csv").write_text(csv(world.tables["ann"]))
        # the same list again is of no other release
        assert f"has sent for the release of {first}: no row differs" in sent_for(desk, second)
        status = calendar_rows(desk.do("status"))
        assert [row[1] for row in status.values()] == ["open"] * 3 + ["to come"] * 3
        assert status[first][4].startswith("40 samples, ")
        assert [status[one][4] for one in (second, third, coming)] == ["-"] * 3
        # as the command says it
        ran = world.run("status", "--site=site.toml", "--release=all")
        assert status[first][4].partition(", ")[0] in ran.stdout
        assert ran.stdout.count("not yet: ") == 3
        desk.do("list", "release", release=first)
        assert "have deleted your upload" in desk.do("list", "withdraw", agreed="yes")
        assert calendar_rows(desk.do("status"))[first][4] == "-"
        tables = {"ann": world.tables["ann"]}
        assert "Stored by both proxies" in sent_for(desk, first)
        for name in ("ben", "cleo"):
            tables[name] = world.tables[name]
            for period, table in ((first, tables[name]), (second, generated(50, seed=len(name)))):
                with Participant.of(world.site(name), None, period) as owner:
                    owner.outsource(table)
        (tmp_path / "ann.csv").write_text(csv(generated(60, seed=9)))
        assert "Stored by both proxies" in sent_for(desk, second)
        assert "No release has a result yet" in desk.do("result", "trend")
        for period in (first, second):
            desk.do("status", "release", release=period)
            assert "have not ticked" in desk.do("status", "compute")
            assert "Asked" in desk.do("status", "compute", agreed="yes")
            until(lambda: "Verified: signed by all" in desk.do("result", "fetch"), 120)
        # a saved result is shown whichever release the page is about
        for period in (first, second):
            assert "Verified: signed" in desk.do("result", "show", file=f"trial.{period}.json")
        trend = texts(desk.do("result", "trend"))
        assert "2 of 3 releases that have opened have a result" in trend
        value = str(pooled(world.study, list(tables.values()))["auroc_ci"])
        assert value.split()[0] in trend
        assert f"{third}: no result" in trend
        kept = (tmp_path / "results" / "trial.trend.html").read_text()
        assert "AUROC by release" in texts(kept)
        assert [calendar_rows(desk.do("status"))[one][5] for one in (first, second, third)] == [
            "saved",
            "saved",
            "-",
        ]


def sent_for(desk: OpenDesk, period: str) -> str:
    """Everything that is said while ann's list is sent for a release."""
    said = desk.do("list", "release", release=period)
    said += desk.do("list", "look", file="ann.csv") + desk.do("list", "prepare")
    return texts(said + desk.do("list", "send", agreed="yes"))


def calendar_rows(markup: str) -> dict[str, list[str]]:
    """The rows of the calendar, by release."""
    table = markup.partition("All releases</caption>")[2].partition("</tbody>")[0]
    rows = [
        [html.unescape(re.sub("<[^>]*>", "", one)) for one in re.split("</t[hd]>", row)]
        for row in table.partition("<tbody>")[2].split("</tr>")
    ]
    return {row[0]: row for row in rows if row[1:]}


def test_a_faulty_list_is_told_as_the_command_tells_it(tmp_path: Path) -> None:
    with world_with_desk(tmp_path) as world, desk_in(tmp_path) as desk:
        desk.enter()
        (tmp_path / "bad.csv").write_text("score,label\n0.5,1\nNaN,0\n")
        said = world.run("check", "bad.csv").stderr.strip().removeprefix("ppaurora: ")
        told = texts(desk.do("list", "look", file="bad.csv"))
        assert said.partition("bad.csv")[2] in told
        # what the advice names can be said at once
        (tmp_path / "holes.csv").write_text((tmp_path / "ann.csv").read_text() + "NaN,0\n")
        assert "--drop-missing" in desk.do("list", "look", file="holes.csv")
        said_so = desk.do("list", "prepare", score="score", drop_missing="yes")
        assert "your list has 40 samples" in said_so
        (tmp_path / "one.csv").write_text("score,label\n0.5,1\n0.25,1\n")
        desk.do("list", "look", file="one.csv")
        assert "add --one-class" in desk.do("list", "prepare", score="score", label="label")


def test_a_list_is_shown_as_it_was_checked_and_its_fields_where_they_are_named(
    tmp_path: Path,
) -> None:
    folded, open_one = "<details><summary>How the list", '<details open=""><summary>How the list'
    with world_with_desk(tmp_path), desk_in(tmp_path) as desk:
        rows = (tmp_path / "ann.csv").read_text().splitlines()[1:]
        own = [one.replace(",1", ";yes").replace(",0", ";no") for one in rows]
        (tmp_path / "own.csv").write_text("\n".join(["Risiko;Sepsis", *own]))
        positives = sum(one.endswith("yes") for one in own)
        desk.enter()
        assert folded in desk.do("list", "look", file="ann.csv")
        unread = desk.do("list", "look", file="own.csv")
        assert "It could not be read like this" in unread
        assert open_one in unread  # --score and --label are named
        assert "What separates the columns" in unread
        assert "What separates thousands" in unread
        said = {"score": "Risiko", "label": "Sepsis", "positive": "no", "negative": "yes"}
        for positive, negative, count in (
            ("no", "yes", len(own) - positives),
            ("yes", "no", positives),
        ):
            said |= {"positive": positive, "negative": negative}
            checked = desk.do("list", "prepare", **said)
            assert "What will be sent" in checked
            assert "could not be read" not in checked
            assert "How your scores lie" in checked
            assert f"{positive} is positive, {negative} negative; {count} positive" in texts(
                checked
            )
            assert folded in checked
        # nothing of a reading before stands over a fault
        faulty = desk.do("list", "prepare", **said | {"score": "Risk"})
        assert open_one in faulty
        assert "is positive" not in texts(faulty)
        assert "What will be sent" not in faulty


def test_a_study_is_replaced_while_nothing_was_sent(tmp_path: Path) -> None:
    with world_with_desk(tmp_path) as world, desk_in(tmp_path) as desk:
        desk.enter()
        desk.do("list", "look", file="ann.csv")
        desk.do("list", "prepare")
        assert "Not done" in desk.do("study", "bring", text="no study", name="letter.toml")
        assert Study.load(tmp_path / "study.toml") == world.study
        other = replace(world.study, title="The corrected one")
        told = texts(desk.do("study", "bring", text=study_text(other)))
        assert "is kept as study.toml, in place of the one before" in told
        assert "The corrected one" in told
        assert Study.load(tmp_path / "study.toml") == other
        # what was ready was so for the study before
        assert "No list is ready" in desk.do("list", "send", agreed="yes")


def test_a_dropped_list_stays_beside_the_key_and_goes_with_the_desk(tmp_path: Path) -> None:
    with world_with_desk(tmp_path), desk_in(tmp_path) as desk:
        desk.enter()
        text = csv(generated(40, seed=3))

        def drop(name: str) -> str:
            headers = {**desk.own, NAME_HEADER: name}
            return texts(json.loads(desk.ask(LIST, text, headers)[2])["html"])

        assert "rows\n40" in re.sub(r"\n+", "\n", drop("mine.csv"))
        for name in ("..%2F..%2Fevil.csv", "..\\evil.csv", "%2Fetc%2Fevil.csv", "...evil.csv"):
            assert "evil.csv" in drop(name)
            assert [one.name for one in (tmp_path / ".desk").iterdir()] == ["evil.csv"]
        for name in ("site.toml", "ann.key", "", ".csv/..", "a.exe"):
            assert "The desk takes lists" in drop(name)
        assert not (tmp_path.parent / "evil.csv").exists()
    assert not (tmp_path / ".desk").exists()


def test_a_link_in_place_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.csv").write_text("score,label\n")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / ".desk").symlink_to(elsewhere)
    with desk_in(folder):
        pass
    assert (elsewhere / "kept.csv").exists()


def test_a_locked_key_is_opened_by_its_passphrase_which_is_never_shown(tmp_path: Path) -> None:
    with world_with_desk(tmp_path), desk_in(tmp_path) as desk:
        key = tmp_path / "ann.key"
        set_passphrase(key, load_identity(key), LOCK, LEAST_COST)
        desk.enter()
        assert "Passphrase of your key" in desk.do("you")
        assert "was not given yet" in desk.do("study")
        assert "does not open this key" in desk.do("you", "unlock", passphrase="another one it is")
        opened = desk.do("you", "unlock", passphrase=LOCK)
        assert "The key is open" in opened
        shown = opened + desk.do("you") + desk.do("study")
        assert "You are ann" in texts(shown)
        assert LOCK not in shown


def test_a_policy_and_a_foreign_key_are_told(tmp_path: Path) -> None:
    with world_with_desk(tmp_path) as world, desk_in(tmp_path) as desk:
        desk.enter()
        site = tmp_path / "site.toml"
        site.write_text(site.read_text().replace("[policy]", "[policy]\nleast_other_owners = 9"))
        assert "This site asks for at least 9 other owners" in texts(desk.do("study"))
        world.add_owner("dora")
        world.site("dora").replace(site)
        assert "is not in study" in texts(desk.do("study"))


def test_an_unforeseen_error_tells_its_kind_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("0.625 is a score")

    monkeypatch.setitem(ACTIONS, "fetch", fail)
    with world_with_desk(tmp_path), desk_in(tmp_path) as desk:
        desk.enter()
        told = desk.do("result", "fetch")
    assert "internal error (ValueError)" in told
    assert "0.625" not in told


def test_names_that_look_like_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    with World(tmp_path, change=lambda study: replace(study, title=evil)) as world:
        world.site("ann").rename(tmp_path / "site.toml")
        with desk_in(tmp_path) as desk:
            desk.enter()
            shown = desk.do("study")
    assert evil not in shown
    assert evil in texts(shown)


def test_no_token_is_in_the_command_line_or_the_folder(tmp_path: Path) -> None:
    with desk_process(tmp_path) as (address, process):
        token = address.partition("#")[2]
        assert token
        line = Path(f"/proc/{process.pid}/cmdline")
        if line.exists():
            assert token.encode() not in line.read_bytes()
        assert [*tmp_path.iterdir()] == []


OPENED = """
import stat, sys
from pathlib import Path
from urllib.parse import urlparse
page = Path(urlparse(sys.argv[2]).path)
mode = f"{stat.S_IMODE(page.stat().st_mode):o}"
Path(sys.argv[1]).write_text(f"{sys.argv[2]} {mode} {page.read_text()}")
"""


def test_a_browser_is_given_the_token_by_a_private_file(tmp_path: Path) -> None:
    folder, told, script = tmp_path / "site", tmp_path / "told", tmp_path / "browser.py"
    folder.mkdir()
    script.write_text(OPENED)
    browser = shlex.join([sys.executable, str(script), str(told)]) + " %s"
    with desk_process(folder, {"BROWSER": browser}, "--open") as (address, _):
        until(lambda: told.exists() and told.read_text())
    asked, mode, page = told.read_text().split(" ", 2)
    assert address.partition("#")[2] not in asked
    assert mode == "600"
    assert f"url={address}" in page


def test_a_desk_is_in_a_folder_that_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no folder"):
        Desk(tmp_path / "nowhere")


def test_a_dropped_list_goes_when_the_desk_is_ended_from_outside(tmp_path: Path) -> None:
    with desk_process(tmp_path) as (_, process):
        (tmp_path / ".desk").mkdir()
        (tmp_path / ".desk" / "a.csv").write_text("score,label\n")
        process.terminate()
        assert process.wait(60) == ExitCode.INTERRUPTED
    assert [*tmp_path.iterdir()] == []


def test_the_progress_of_an_upload_is_told_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half, go_on = threading.Event(), threading.Event()

    def send(_: Participant, prepared: Prepared, report: Report) -> None:
        report(prepared.size // 2, prepared.size)
        half.set()
        assert go_on.wait(60)

    monkeypatch.setattr(Participant, "send", send)
    with world_with_desk(tmp_path), desk_in(tmp_path) as desk:
        desk.enter()
        desk.do("list", "look", file="ann.csv")
        desk.do("list", "prepare")
        told: list[str] = []
        sending = threading.Thread(
            target=lambda: told.append(desk.do("list", "send", agreed="yes"))
        )
        sending.start()
        assert half.wait(60)
        now = json.loads(desk.ask(PROGRESS)[2])
        busy = json.loads(desk.ask(DO, json.dumps({"view": "you"}))[2])
        go_on.set()
        sending.join(60)
    assert 0 < now["done"] < now["total"]
    assert now["words"] == f"sending: {now['done']:,} of {now['total']:,} bytes are there"
    assert "Still at work: sending" in busy["busy"]
    assert "Stored by both proxies" in told[0]


def test_one_thing_is_done_at_a_time(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with desk._busy:
        assert "Still at work" in str(desk.do({"view": "you"})["busy"])
    assert desk.progress() == {"words": "", "done": 0, "total": 0}
    desk.close()


def test_what_is_no_request_of_the_page_is_the_first_view(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.enter()
        for asked in ({}, {"view": 3}, {"view": "you", "do": ["x"], "fields": {"a": {}}}):
            status, _, body = desk.ask("/do", json.dumps(asked))
            assert status == 200
            assert "Make my key" in json.loads(body)["html"]
