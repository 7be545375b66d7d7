"""Attacks on the desk: other users of the machine, other sites in the same browser, slow ones."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.requests import desk_listener
from ppaurora.parties.requests.desk_listener import (
    DO,
    ENTER,
    KEY_HEADER,
    LIST,
    MOST_BODY_BYTES,
    MOST_CONNECTIONS,
    MOST_LIST_BYTES,
    NAME_HEADER,
    PROGRESS,
    DeskListener,
)
from tests.parties.desk.open_desk import OpenDesk, desk_in
from tests.until import until

ASKED = json.dumps({"view": "you", "do": "init", "fields": {"name": "dora"}})


@pytest.fixture(name="desk")
def _desk(tmp_path: Path) -> Iterator[OpenDesk]:
    with desk_in(tmp_path) as opened:
        yield opened


def refused(desk: OpenDesk, folder: Path, headers: dict[str, str], path: str = DO) -> int:
    """The status of a refusal, after which nothing is there that was not before."""
    status, told, body = desk.ask(path, ASKED, headers)
    assert status >= 400
    assert set(json.loads(body)) == {"refused"}
    assert "Access-Control-Allow-Origin" not in told
    assert not (folder / "dora.key").exists()
    return status


def gone(line: socket.socket) -> bool:
    """Return whether the other end has closed the line, to which one more letter is sent."""
    try:
        line.sendall(b"G")
    except OSError:
        return True
    return False


def test_the_page_itself_may_do_everything(desk: OpenDesk, tmp_path: Path) -> None:
    desk.enter()
    assert "dora.key" in desk.do("you", "init", name="dora")
    assert (tmp_path / "dora.key").exists()


def test_the_token_is_exchanged_once(desk: OpenDesk) -> None:
    token = desk.listener.address.partition("#")[2]
    assert len(token) >= 43
    for wrong in ("", token[:-1], token + "x", "x" * len(token)):
        assert desk.ask(ENTER, wrong)[0] == 403
    desk.enter()
    assert desk.ask(ENTER, token)[0] == 403
    # nor is an empty one good once it is spent
    assert desk.ask(ENTER, "")[0] == 403


def test_the_cookie_is_not_for_scripts_nor_for_other_sites(desk: OpenDesk) -> None:
    cookie = desk.enter()["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {one.strip() for one in cookie.split(";")}
    assert str(desk.port) in cookie.partition("=")[0]


def test_another_user_needs_cookie_and_key(desk: OpenDesk, tmp_path: Path) -> None:
    assert refused(desk, tmp_path, desk.own) == 403
    desk.enter()
    own = desk.own
    # a server of another user at another port is sent the cookie by the browser, and not the key
    for left_out in ("Cookie", KEY_HEADER):
        assert refused(desk, tmp_path, {k: v for k, v in own.items() if k != left_out}) == 403
        assert refused(desk, tmp_path, {**own, left_out: own[left_out][:-1] + "-"}) == 403
    assert refused(desk, tmp_path, {**own, "Cookie": own[KEY_HEADER]}) == 403
    for path in (PROGRESS, LIST):
        assert refused(desk, tmp_path, {k: v for k, v in own.items() if k != "Cookie"}, path) == 403


def test_a_cookie_of_another_port_does_not_lock_the_page_out(desk: OpenDesk) -> None:
    desk.enter()
    own = desk.own
    name = own["Cookie"].partition("=")[0]
    for cookies in (f"{name}=theirs; {own['Cookie']}", f"{own['Cookie']}; {name}=theirs"):
        assert desk.ask(PROGRESS, b"", {**own, "Cookie": cookies})[0] == 200
    assert desk.ask(PROGRESS, b"", {**own, "Cookie": f"{name}=theirs; {name}="})[0] == 403


def test_what_is_no_text_in_a_form_is_answered_as_nothing(desk: OpenDesk) -> None:
    desk.enter()
    for asked in ({"view": ["you"]}, {"view": {}, "do": []}, {"do": {"init": 1}, "fields": [1]}):
        status, _, body = desk.ask(DO, json.dumps(asked))
        assert status == 200
        assert json.loads(body)["title"] == "You"


def test_a_name_that_is_made_to_point_here_is_another_host(desk: OpenDesk, tmp_path: Path) -> None:
    desk.enter()
    for host in (
        f"evil.example:{desk.port}",
        f"127.0.0.1.evil.example:{desk.port}",
        "127.0.0.1",
        f"127.0.0.1:{desk.port + 1}",
        f"[::1]:{desk.port}",
        "",
    ):
        headers = {**desk.own, "Host": host, "Origin": f"http://{host}"}
        assert refused(desk, tmp_path, headers) == 421
        # not even the empty page
        assert desk.ask("/", b"", {"Host": host}, "GET")[0] == 421
    local = f"localhost:{desk.port}"
    assert desk.ask("/", b"", {"Host": local}, "GET")[0] == 200


def test_another_site_in_the_same_browser_is_refused(desk: OpenDesk, tmp_path: Path) -> None:
    desk.enter()
    own = desk.own
    origins = (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{desk.port + 1}",
        f"https://{own['Host']}",
    )
    for origin in origins:
        assert refused(desk, tmp_path, {**own, "Origin": origin}) == 403
    assert refused(desk, tmp_path, {k: v for k, v in own.items() if k != "Origin"}) == 403
    for site in ("cross-site", "same-site", "none"):
        assert refused(desk, tmp_path, {**own, "Sec-Fetch-Site": site}) == 403
    # a form or a picture of another site: no header of ours, and no preflight is answered
    assert desk.ask(DO, b"", own, "OPTIONS")[0] == 501
    assert desk.ask(f"{DO}?do=init", b"", own, "GET")[0] == 404


def test_what_everybody_may_have_tells_nothing_and_stays_in_no_frame(
    desk: OpenDesk, tmp_path: Path
) -> None:
    (tmp_path / "site.toml").write_text("secret-looking = 1")
    desk.enter()
    for path in ("/", "/desk.css", "/desk.js"):
        status, told, body = desk.ask(path, b"", {"Host": f"127.0.0.1:{desk.port}"}, "GET")
        assert status == 200
        assert str(tmp_path).encode() not in body
        assert not any(one.encode() in body for one in (desk.headers[KEY_HEADER], "site.toml"))
        policy = told["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert told["X-Frame-Options"] == "DENY"
        assert told["Cache-Control"] == "no-store"
        assert told["Referrer-Policy"] == "no-referrer"
    for path in ("/../site.toml", "//site.toml", "/%2e%2e/site.toml", "/site.toml", "/desk.py"):
        assert desk.ask(path, b"", {"Host": f"127.0.0.1:{desk.port}"}, "GET")[0] == 404


def test_sizes_are_bounded_before_anything_is_read(desk: OpenDesk, tmp_path: Path) -> None:
    desk.enter()
    for path, most in ((DO, MOST_BODY_BYTES), (LIST, MOST_LIST_BYTES), (ENTER, 1024)):
        for size in (str(most + 1), "9" * 40):
            assert desk.ask(path, b"", {**desk.own, "Content-Length": size})[0] == 413
        for size in ("-1", "+1", "1e3", "", "٣"):
            headers = {**desk.own, "Content-Length": size.encode("utf-8").decode("latin-1")}
            assert desk.ask(path, b"", headers)[0] == 411
        chunked = {**desk.own, "Content-Length": "0", "Transfer-Encoding": "chunked"}
        assert desk.ask(path, b"", chunked)[0] == 411
    for body in (b"", b"[]", b"{", b"[" * 100_000, b"\xff"):
        assert desk.ask(DO, body)[0] == 400


def test_whoever_is_slow_keeps_nobody_out(desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.enter()
    lines = []
    try:
        for _ in range(3 * MOST_CONNECTIONS):
            lines.append(socket.create_connection(("127.0.0.1", desk.port)))
            lines[-1].sendall(b"POST /do HTTP/1.1\r\nHost: ")
        assert desk.ask(PROGRESS)[0] == 200
        # those that are left end by themselves, however busily they drip
        monkeypatch.setattr(desk_listener, "SECONDS", 0.3)
        slow = socket.create_connection(("127.0.0.1", desk.port))
        lines.append(slow)
        slow.settimeout(5)
        until(lambda: gone(slow), 30)
    finally:
        for line in lines:
            line.close()


def test_a_list_that_stops_half_way_is_not_kept(desk: OpenDesk, tmp_path: Path) -> None:
    desk.enter()
    line = socket.create_connection(("127.0.0.1", desk.port))
    head = {**desk.own, NAME_HEADER: "a.csv", "Content-Length": "1000"}
    text = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    line.sendall(f"POST {LIST} HTTP/1.1\r\n{text}\r\nscore,label\n0.5,".encode())
    until(lambda: (tmp_path / ".desk" / "a.csv").exists())
    assert (tmp_path / ".desk").stat().st_mode & 0o077 == 0
    assert (tmp_path / ".desk" / "a.csv").stat().st_mode & 0o077 == 0
    line.close()
    until(lambda: not (tmp_path / ".desk").exists())


def test_no_secret_is_in_what_can_be_printed(
    desk: OpenDesk, capfd: pytest.CaptureFixture[str]
) -> None:
    token = desk.listener.address.partition("#")[2]
    desk.enter()
    for path in ("/", "/nothing", f"/{token}"):
        desk.ask(path, b"", {"Host": f"127.0.0.1:{desk.port}"}, "GET")
    shown = repr(desk.listener.access) + repr(desk.listener.work)
    printed = "".join(capfd.readouterr())
    secrets = (token, desk.headers[KEY_HEADER], desk.headers["Cookie"].partition("=")[2])
    assert not [one for one in secrets if one in shown + printed]
    assert printed == ""


def test_a_port_that_is_taken_is_told(desk: OpenDesk) -> None:
    with pytest.raises(AuroraError, match="Leave out --port"):
        DeskListener(desk.port, {}, desk.listener.work)


def test_it_listens_at_this_machine_alone(desk: OpenDesk) -> None:
    assert desk.listener.server_address[0] == "127.0.0.1"
