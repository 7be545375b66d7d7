"""A canary in scores, labels and keys never turns up where it has no business."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.study.study import Scores, Study
from tests.parties.world import World

pytestmark = pytest.mark.zeromq
SCORE = "0.7310098117355"
WORDS = ("canarysick", "canarywell")


def words(study: Study) -> Study:
    return replace(study, scores=Scores(positive=WORDS[0], negative=WORDS[1]))


def test_nothing_secret_is_logged_told_or_saved(tmp_path: Path) -> None:
    rows = "".join(f"{SCORE},{WORDS[0]}\n0.25,{WORDS[1]}\n" for _ in range(10))
    with World(tmp_path, change=words) as world:
        world.start()
        said = []
        faulty = (
            rows + f"{SCORE}x,{WORDS[0]}\n",
            rows + f"{SCORE},{WORDS[0]}{SCORE}\n",
            rows + f"{SCORE}9,{WORDS[0]},{SCORE}\n",
            rows.replace(SCORE, "1" + SCORE),
            rows,
        )
        for text in faulty:
            header = "" if text is faulty[-1] else "score,label\n"
            (tmp_path / "list.csv").write_text(header + text)
            refused = world.run("outsource", "list.csv", "--yes", "--site=ann.toml")
            assert refused.returncode == 3, refused.stderr
            said.append(refused.stdout + refused.stderr)
        for name in world.tables:
            (tmp_path / f"{name}.csv").write_text("score,label\n" + rows)
            sent = world.outsource(name)
            assert sent.returncode == 0, sent.stderr
            said.append(sent.stdout + sent.stderr)
            said.append(world.run("status", f"--site={name}.toml", "--format=json").stdout)
        fetched = world.run("result", "--site=ann.toml", "--wait=30", "--format=json")
        assert fetched.returncode == 0, fetched.stderr
        said += [fetched.stdout, fetched.stderr]
        said.append(world.run("keys", "show", "ann.key").stdout)
        said += [world.log(role) for role in Role]
        said.append((tmp_path / "results" / "trial.json").read_text())
        everything = "\n".join(said)
        assert SCORE not in everything
        assert SCORE[:8] not in everything
        # the study's two words are public: they stand in the result's options, here and saved, and
        # in the advice to the owner of a label that is neither
        for word in WORDS:
            assert everything.count(word) == 3
        for name, key in world.keys.items():
            private = key.private_bytes()
            assert private.hex() not in everything, name
            assert private.hex()[:16] not in everything, name
        kept = [path for path in tmp_path.glob("state-*/**/*") if path.is_file()]
        folders = {path.relative_to(tmp_path).parts[0] for path in kept}
        assert folders == {*(f"state-{role}" for role in Role), "state-participant"}
        for path in kept:
            content = path.read_bytes()
            assert SCORE.encode() not in content
            for key in world.keys.values():
                assert key.private_bytes() not in content
                assert key.private_bytes().hex().encode() not in content
