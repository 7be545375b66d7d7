"""A whole study by the real commands: three servers and three owners, each a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.simulation.processes import command, environment
from ppaurora.parties.site.key_files import load_identity
from ppaurora.parties.study.study import Study
from tests import forked
from tests.parties.evidence import forging
from tests.parties.evidence.forging import Forger
from tests.parties.world import World, csv, generated, pooled
from tests.until import SECONDS

pytestmark = pytest.mark.zeromq
OWNERS = ("ann", "ben", "cleo")
COLOUR = re.compile(r"\x1b\[(\d+;)*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]")


def test_three_servers_and_three_owners_get_the_pooled_result(tmp_path: Path) -> None:
    with World(tmp_path, OWNERS) as world:
        (tmp_path / "study.toml").unlink()
        ports = free_ports(3)
        for name in (*map(str, Role), *OWNERS):
            (tmp_path / f"{name}.key").unlink()
            made = world.run("keys", "new", f"{name}.key")
            assert made.returncode == 0
            public, fingerprint = made.stdout.splitlines()
            assert public == (tmp_path / f"{name}.key.pub").read_text().strip()
            assert len(fingerprint) == 24
        assert world.run("keys", "show", f"{name}.key").stdout == made.stdout
        written = world.run(
            "study",
            "new",
            "study.toml",
            "--id=five",
            f"--p0=127.0.0.1:{ports[0]}=P0.key.pub",
            f"--p1=127.0.0.1:{ports[1]}=P1.key.pub",
            f"--helper=127.0.0.1:{ports[2]}=helper.key.pub",
            *(f"--owner={name}={name}.key.pub" for name in OWNERS),
            "--metric=auroc",
            "--metric=average_precision",
            "--decimals=6",
        )
        assert written.returncode == 0, written.stderr
        study = Study.load(tmp_path / "study.toml")
        assert written.stdout.strip() == study.hash.hex()
        checked = world.run("study", "check", "study.toml", "--site", "ann.toml")
        assert (checked.returncode, checked.stdout) == (0, written.stdout), checked.stderr
        shown = world.run("study", "show", "study.toml")
        assert study.hash.hex() in shown.stdout

        world.start()
        tables = []
        for place, name in enumerate(OWNERS):
            tables.append(generated(131 + 37 * place, seed=100 + place))
            (tmp_path / f"{name}.csv").write_text(csv(tables[-1]))
            sent = world.outsource(name)
            assert (sent.returncode, sent.stdout) == (0, ""), sent.stderr
        fetched = world.run(
            "result", "--site=ann.toml", "--wait=30", "--format=json", "--report=told.html"
        )
        assert fetched.returncode == 0, fetched.stderr
        document = json.loads(fetched.stdout)
        expected = {name: value.to_json() for name, value in pooled(study, tables).items()}
        assert document["values"] == expected
        assert document["format"] == "ppaurora result"
        assert document["version"] == 4
        Draft202012Validator(result_schema()).validate(document)
        assert document["study"]["hash"] == study.hash.hex()
        assert document["owners"] == {
            name: len(table) for name, table in zip(OWNERS, tables, strict=True)
        }
        assert document["cost"]["bytes"] > 0
        assert document["cost"]["hops"] > 0
        assert document["ledger"]["learns"]["receivers"]
        assert json.loads((tmp_path / "results" / "five.json").read_text()) == document
        made = world.run(
            "report", "results/five.json", "--study=study.toml", "--csv=tables", "--svg=curves"
        )
        assert (made.returncode, made.stdout) == (0, ""), made.stderr
        pages = [(tmp_path / name).read_bytes() for name in ("told.html", "results/five.html")]
        assert pages[0] == pages[1]
        assert expected["auroc"]["value"] in pages[0].decode()
        assert "ann,131," in (tmp_path / "tables" / "owners.csv").read_text()
        signed = world.run("verify", "results/five.json", "--study=study.toml")
        assert signed.returncode == 0, signed.stderr
        assert "signed by all three servers" in signed.stdout
        assert f"auroc: {expected['auroc']['value']}" in signed.stdout
        better = fetched.stdout.replace(expected["auroc"]["value"], "0.999999")
        (tmp_path / "better.json").write_text(better)
        refused = world.run("verify", "better.json", "--study=study.toml")
        assert (refused.returncode, refused.stdout) == (6, "")
        assert "values.auroc what the servers have not signed" in refused.stderr
        forging.DOCUMENTS[study.hash] = document
        forger = Forger(Role.P0, load_identity(tmp_path / "P0.key"), "session's")
        for _, forged in forging.shifts_shares(forger, study):
            (tmp_path / "forged.json").write_text(json.dumps(forged))
            for command in ("verify", "report"):
                refused = world.run(command, "forged.json", "--study=study.toml")
                assert (refused.returncode, refused.stdout) == (6, ""), refused.stderr
        held = ["--result=results/five.json", "--study=study.toml"]
        for role in Role:
            told = world.run("audit", f"--site={role}.toml", *held)
            assert told.returncode == 0, told.stderr
            assert "session begins: study five" in told.stdout
            assert f"which {role} signed in session {document['session']}" in told.stderr
        handed = world.run("audit", "--site=P0.toml").stdout
        assert "share of the result handed out: study five, by ann" in handed
        log = tmp_path / "state-P1" / "audit.jsonl"
        (tmp_path / "other.jsonl").write_text(log.read_text().replace('"ben"', '"eve"', 1))
        broken = world.run("audit", "--site=P1.toml", "--log=other.jsonl", "--no-show")
        assert (broken.returncode, broken.stdout) == (6, "")
        assert "does not follow" in broken.stderr
        (tmp_path / "other.jsonl").write_bytes(b"".join(log.read_bytes().splitlines(True)[:3]))
        cut = world.run("audit", "--site=P1.toml", "--log=other.jsonl", *held)
        assert cut.returncode == 6
        assert "Lines were cut off" in cut.stderr

        for name in OWNERS[1:]:
            table = world.run("result", f"--site={name}.toml")
            assert table.returncode == 0, table.stderr
            assert str(expected["auroc"]["value"]) in table.stdout
        told = world.run("status", "--site=ann.toml", "--format=json")
        for name in ("P0", "P1"):
            state = json.loads(told.stdout)[name]
            assert state["state"] == "over"
            assert state["detail"].startswith("every receiver has the result")
            assert not list((tmp_path / f"state-{name}" / "shares").rglob("*.share"))
        late = world.run("result", "--site=ann.toml")
        assert late.returncode == 0
        assert "no longer here" in late.stderr
        assert "is saved as" in late.stderr
        assert str(expected["auroc"]["value"]) in late.stdout


def test_a_server_ends_cleanly_on_sigterm(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        for role in Role:
            process = world.processes.pop(role)
            process.terminate()
            assert process.wait(SECONDS) == 0
            events = [json.loads(line)["event"] for line in world.log(role).splitlines()]
            assert "server stops" in events


def shown_on_a_terminal(*arguments: str, **variables: str) -> str:
    """The text that a command of `ppaurora` writes to a terminal."""
    mine, theirs = pty.openpty()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if "COLOR" in name]:
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        process = forked.start(arguments, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = all_written(mine)
    assert process.wait(SECONDS) == 0, written
    return written


def all_written(terminal: int) -> str:
    """The text that is written to a terminal until the last program has left it."""
    written = b""
    # the terminal's end reads as an error once the command has gone
    with contextlib.suppress(OSError):
        while data := os.read(terminal, 4096):
            written += data
    os.close(terminal)
    return written.decode()


def written_to_a_terminal(program: list[str], **variables: str) -> str:
    """The text that a program writes to a terminal, with these variables in its environment."""
    mine, theirs = pty.openpty()
    plain = {name: value for name, value in environment().items() if "COLOR" not in name}
    with subprocess.Popen(
        program,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**plain, **variables},
    ) as process:
        os.close(theirs)
        written = all_written(mine)
    assert process.returncode == 0, written
    return written


def test_a_line_that_waits_is_in_colour_unless_a_terminal_or_its_user_refuses_that() -> None:
    line = "from ppaurora.parties.reports.console import err\nwith err().status('waits'):\n    pass"
    waits = [sys.executable, "-c", line]
    assert COLOUR.search(written_to_a_terminal(waits, TERM="xterm-256color"))
    without = written_to_a_terminal(waits, TERM="xterm-256color", NO_COLOR="1")
    assert "waits" in without
    assert not COLOUR.search(without)
    assert "\x1b" not in written_to_a_terminal(waits, TERM="dumb")


def test_the_head_of_a_table_is_bold_even_without_colours() -> None:
    assert "\x1b[1m" in shown_on_a_terminal("statistics", TERM="xterm-256color", NO_COLOR="1")


def test_a_help_text_is_plain_and_tells_whole_sentences() -> None:
    program = command("study", "--help")
    shown = written_to_a_terminal(program, TERM="xterm-256color", COLUMNS="80")
    assert "\x1b" not in shown
    words = " ".join(shown.split())
    assert "Check a study file, and whether it fits your site's key and policy; print its" in words


def test_a_table_on_a_terminal_that_can_do_nothing_is_plain_text(tmp_path: Path) -> None:
    with World(tmp_path):
        path = str(tmp_path / "study.toml")
        assert "\x1b" in shown_on_a_terminal("study", "show", path, TERM="xterm-256color")
        assert "\x1b" not in shown_on_a_terminal("study", "show", path, TERM="dumb")


def test_a_table_fits_eighty_columns_and_nothing_in_it_is_cut() -> None:
    shown = shown_on_a_terminal("statistics", TERM="dumb", COLUMNS="80")
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "…" not in shown


def test_nothing_runs_into_the_line_of_a_demo_that_waits(tmp_path: Path) -> None:
    shown = shown_on_a_terminal("demo", f"--report={tmp_path / 'report.html'}", TERM="xterm")
    said = [line for line in shown.splitlines() if "sends" in line or "starting" in line]
    assert len(said) == 4
    assert not any("\x1b" in line for line in said)
    assert "every list is there" in shown
    page = (tmp_path / "report.html").read_text()
    assert "Pooled" in page
    assert "owner-3" in page
