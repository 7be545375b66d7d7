"""A desk that runs, for tests: as the real command, and asked as a page or an attacker asks."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ppaurora.parties.desk.desk import Desk
from ppaurora.parties.requests.desk_listener import DO, ENTER, KEY_HEADER, DeskListener
from ppaurora.parties.simulation.processes import command, environment

SECONDS = 60


@dataclass
class OpenDesk:
    """A desk in this process, with a browser's cookie and key once it was entered."""

    listener: DeskListener
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return self.listener.server_port

    @property
    def own(self) -> dict[str, str]:
        """The headers that the page itself sends."""
        host = f"127.0.0.1:{self.port}"
        return {"Host": host, "Origin": f"http://{host}", **self.headers}

    def ask(
        self,
        path: str,
        body: bytes | str = b"",
        headers: Mapping[str, str] | None = None,
        method: str = "POST",
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer to exactly these headers."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(line):
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            data = body.encode() if isinstance(body, str) else body
            sent = dict(self.own if headers is None else headers)
            if method == "POST" and "Content-Length" not in sent:
                sent["Content-Length"] = str(len(data))
            for name, value in sent.items():
                line.putheader(name, value)
            line.endheaders(data)
            answer = line.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def enter(self) -> dict[str, str]:
        """Exchange the token as the page does; the headers of the answer."""
        token = self.listener.address.partition("#")[2]
        status, headers, body = self.ask(ENTER, token)
        assert status == 200, body
        cookie = headers["Set-Cookie"].partition(";")[0]
        self.headers = {"Cookie": cookie, KEY_HEADER: json.loads(body)["key"]}
        return headers

    def do(self, view: str, action: str = "", **fields: str) -> str:
        """The page that is shown after an action, as markup."""
        asked = json.dumps({"view": view, "do": action, "fields": fields})
        status, _, body = self.ask(DO, asked)
        assert status == 200, body
        answer: dict[str, Any] = json.loads(body)
        return str(answer["html"])


@contextlib.contextmanager
def desk_in(folder: Path) -> Iterator[OpenDesk]:
    """A desk in this folder, not entered yet."""
    here = Desk(folder)
    listener = DeskListener(0, here.files, here.work)
    thread = threading.Thread(target=listener.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield OpenDesk(listener)
    finally:
        listener.shutdown()
        listener.server_close()
        here.close()


@contextlib.contextmanager
def desk_process(
    folder: Path, more: Mapping[str, str] | None = None, *options: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a desk that runs as the real command in this folder, and its process."""
    process = subprocess.Popen(
        command("desk", str(folder), *options),
        env={**environment(), **(more or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)
