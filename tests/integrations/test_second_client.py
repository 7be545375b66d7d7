"""The client in another language: by the vectors, and in studies beside an owner in Python."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import BeginUpload, Received, SendChunk
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from tests.docs.tree import HOME
from tests.parties.world import World, csv, with_options
from tests.until import SECONDS, until

NODE = shutil.which("node")
PACKAGES = HOME / "build" / "second_client" / "node_modules"
"""Put there by scripts/integrations.py."""

pytestmark = pytest.mark.integrations

Client = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """A run of Node.js in the study's folder; its programs lie in the folder `client` there."""
    shutil.copytree(HOME / "examples" / "second_client", tmp_path / "client")
    (tmp_path / "client" / "node_modules").symlink_to(PACKAGES)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(NODE), *arguments],
            cwd=tmp_path,
            env={**os.environ, "VECTORS": str(HOME / "tests" / "vectors")},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    return run


def sends(client: Client, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The upload of an owner's own list by the client."""
    return client("client/client.mjs", f"{name}.csv", "--site", f"{name}.toml", "--yes", *arguments)


def of_all_digits(samples: int, seed: int) -> Labelled:
    """A list whose scores need 17 digits, some of them tied."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(samples) < 0.4).astype(np.uint8)
    scores = rng.beta(2 + labels, 3)
    scores[::5] = scores[0]
    return Labelled(scores, labels)


def auroc(world: World) -> Fraction:
    """Every positive beside every negative of all lists; a tie counts half."""
    rows = [
        row
        for table in world.tables.values()
        for row in zip(table.scores.tolist(), table.labels.tolist(), strict=True)
    ]
    positives, negatives = ([x for x, y in rows if y == label] for label in (1, 0))
    won = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)
    return Fraction(won, 2 * len(positives) * len(negatives))


def brier(world: World) -> Fraction:
    """The mean squared error of the scores as they are."""
    rows = [
        (Fraction(x), y)
        for table in world.tables.values()
        for x, y in zip(table.scores.tolist(), table.labels.tolist(), strict=True)
    ]
    return sum(((y - x) ** 2 for x, y in rows), Fraction(0)) / len(rows)


def rounded(value: Fraction, decimals: int) -> str:
    """The value half up, in decimals."""
    scaled = (2 * value * 10**decimals + 1) // 2
    return f"{scaled // 10**decimals}.{scaled % 10**decimals:0{decimals}d}"


def with_ben(world: World, table: Labelled) -> None:
    """Give ben this list."""
    world.tables["ben"] = table
    (world.folder / "ben.csv").write_text(csv(table))


def test_the_client_passes_the_test_vectors(client: Client) -> None:
    ended = client("--test", "client/vectors.test.mjs")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "# fail 0" in ended.stdout
    assert "# skipped 0" in ended.stdout


@pytest.mark.zeromq
@pytest.mark.parametrize(
    ("metrics", "options"),
    [
        (("auroc",), {}),
        (("auroc", "brier"), {"resolution": "float32"}),
        (("auroc",), {"resolution": "decimals:2"}),
        (("auroc",), {"direction": "lower", "assurance": "covert", "dealings": 2}),
    ],
    ids=["full", "float32 with a sum", "counted", "three runs"],
)
def test_the_released_numbers_are_the_pooled_ones(
    metrics: tuple[str, ...], options: dict[str, object], client: Client, tmp_path: Path
) -> None:
    def change(study: Study) -> Study:
        return with_options(study, metrics=metrics, decimals=9, **options)

    with World(tmp_path, ("ann", "ben"), change=change) as world:
        if not options:
            with_ben(world, of_all_digits(57, seed=7))
        world.start()
        world.upload("ann")
        sent = sends(client, "ben")
        assert sent.returncode == 0, sent.stderr
        receipt = json.loads(sent.stdout)
        assert (receipt["hash"], receipt["owner"]) == (world.study.hash.hex(), "ben")
        assert [one["server"] for one in receipt["stored"]][:2] == ["P0", "P1"]
        values = world.result("ann")
        lower = options.get("direction") == "lower"
        expected = 1 - auroc(world) if lower else auroc(world)
        assert str(values["auroc"]) == rounded(expected, 9)
        assert values == world.pooled()
        if "resolution" in options and options["resolution"] == "float32":
            singles = {
                name: Labelled(table.scores.astype(np.float32).astype(np.float64), table.labels)
                for name, table in world.tables.items()
            }
            world.tables = singles
            assert str(values["brier"]) == rounded(brier(world), 9)


@pytest.mark.zeromq
def test_an_upload_that_this_program_began_goes_on_there(client: Client, tmp_path: Path) -> None:
    with World(tmp_path, ("ann", "ben")) as world:
        with_ben(world, of_all_digits(40_000, seed=3))
        world.start()
        with world.owner("ben") as owner:
            prepared = owner.prepare(world.tables["ben"])
            owner.uploading.records.keep(prepared.upload, prepared.rows)
            part = bytes(prepared.parts[Role.P1])
            digest = hashlib.sha256(part).digest()
            begin = BeginUpload(prepared.upload, prepared.samples, len(part), digest)
            for request in (begin, SendChunk(prepared.upload, 0, part[:1001])):
                owner.servers.ask(Role.P1, request, Received)
        # the rest takes two chunks
        sent = sends(client, "ben")
        assert sent.returncode == 0, sent.stderr
        receipt = json.loads(sent.stdout)
        assert receipt["upload"] == prepared.upload.hex()
        assert {one["server"]: one["sha256"] for one in receipt["stored"]} == {
            str(server): hashlib.sha256(part).hexdigest() for server, part in prepared.parts.items()
        }
        # again by either: nothing changes
        assert sends(client, "ben").stdout == sent.stdout
        world.upload("ben")


@pytest.mark.zeromq
def test_a_faulty_upload_is_refused_in_words(client: Client, tmp_path: Path) -> None:
    shutil.copy(HOME / "tests" / "integrations" / "faulty_uploads.mjs", tmp_path / "client")
    with World(tmp_path, ("ann", "ben")) as world:
        world.start()
        told = client("client/faulty_uploads.mjs")
        assert told.returncode == 0, told.stderr
        lines = dict(line.split(" -> ") for line in told.stdout.splitlines())
        assert "arrived damaged" in lines["of other bytes than announced"]
        assert "impossible size" in lines["a byte short"]
        assert "another version of study trial" in lines["for another version"]
        assert "differ in title" in lines["for another version"]
        # no server sees by itself that a list does not descend: all three find it together
        assert lines["not descending"] == "stored"
        world.upload("ann")
        until(lambda: any("unsound list" in note.text for note in world.status(Role.P1).notes))
        assert [one.owner for one in world.status(Role.P1).uploads] == ["ann"]
        sent = sends(client, "ben")
        assert sent.returncode == 0, sent.stderr
        assert world.result("ann") == world.pooled()


@pytest.mark.zeromq
def test_a_wrong_key_is_refused_in_words(client: Client, tmp_path: Path) -> None:
    with World(tmp_path, ("ann", "ben")) as world:
        world.start()
        stranger, p0 = world.add_owner("stranger"), world.study.server(Role.P0)
        (tmp_path / "stranger.csv").write_text(csv(world.tables["ben"]))
        nobody = sends(client, "stranger")
        assert (nobody.returncode, nobody.stdout) == (5, "")
        assert "is nobody's in study trial" in nobody.stderr
        # a study file that lists the stranger, which no server has
        participants = (
            replace(world.study.participants[0], public=stranger.public),
            world.study.participants[1],
        )
        world.write_study("theirs.toml", replace(world.study, participants=participants))
        world.write_site("stranger", study="theirs.toml")
        unknown = sends(client, "stranger")
        assert (unknown.returncode, unknown.stdout) == (5, "")
        assert f"P0 at {p0.address} does not know your key" in unknown.stderr
        # a study file with another key for P0
        another = replace(p0, public=Identity.generate().public)
        world.write_study(
            "another.toml", replace(world.study, servers=(another, *world.study.servers[1:]))
        )
        world.write_site("ben", study="another.toml")
        wrong = sends(client, "ben")
        assert (wrong.returncode, wrong.stdout) == (5, "")
        assert "has another key than study.toml says" in wrong.stderr
        assert world.status(Role.P0).uploads == ()


def test_a_faulty_list_is_refused_with_its_row_before_anything_is_sent(
    client: Client, tmp_path: Path
) -> None:
    world = World(tmp_path, ("ann", "ben"))
    for text, told in (
        ("score,label\n0.5,1\n1.5,0\n", "row 2 (line 3): the score is not within"),
        ("score,label\n0.5,1\n0.25,2\n", "row 2 (line 3): the label is neither"),
        ("score,label\n0.5,1\nnan,0\n", "row 2 (line 3): the score is no number"),
        ("score,label\n0.5,1\n0.5\n", "row 2 (line 3) has 1 fields, the header 2"),
        ("risk,label\n0.5,1\n", "There are 0 columns called score"),
    ):
        (tmp_path / "ben.csv").write_text(text)
        refused = sends(client, "ben")
        assert (refused.returncode, refused.stdout) == (3, "")
        assert told in refused.stderr
    assert not world.processes
    assert not [*tmp_path.glob("state-participant/*.secret")]


def test_a_policy_and_a_readable_key_are_kept_to(client: Client, tmp_path: Path) -> None:
    world = World(tmp_path, ("ann", "ben"))
    for policy, code, told in (
        ("least_own_samples = 51", 4, "sends lists of at least 51 samples, this has 50"),
        ("least_other_owners = 2", 4, "asks for at least 2 other owners"),
        ('metrics = ["auroc"]', 4, "does not allow the metric average_precision"),
        ("most_epsilon = 1.0", 2, "does not know [policy] most_epsilon of the site"),
    ):
        both = "" if "metrics" in policy else 'metrics = ["auroc", "average_precision"]\n'
        world.write_site("ben", more=f"\n[policy]\n{both}{policy}\n")
        refused = sends(client, "ben")
        assert (refused.returncode, refused.stdout) == (code, "")
        assert told in refused.stderr
    (tmp_path / "ben.key").chmod(0o644)
    world.write_site("ben")
    readable = sends(client, "ben")
    assert readable.returncode == 5
    assert "can be read by others" in readable.stderr
