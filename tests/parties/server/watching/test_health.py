"""A server tells its own machine whether it works, and whether it is of use."""

from __future__ import annotations

import contextlib
import math
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppaurora import Server, Site
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.local_pages import LocalPage, asked
from ppaurora.parties.server.watching.health import STANDS_STILL_SECONDS, Health
from tests.parties.slow_line import BEHIND_THE_LINES, LATE, Line, Weather, lines_to_all_servers
from tests.parties.world import World, generated, with_options
from tests.until import SECONDS, until

Place = tuple[str, int]
WELL = LocalPage(200, "ok\n")


def with_health(world: World, role: Role) -> Place:
    """The address at which this server, by its site file from now on, reports its health."""
    [port] = free_ports(1)
    with world.site(role).open("a", encoding="utf-8") as file:
        file.write(f'health = "127.0.0.1:{port}"\n')
    return "127.0.0.1", port


def told(place: Place, path: str) -> LocalPage:
    """The server's page, of which nothing but status and text is compared."""
    page = asked(place, path, 10.0)
    assert page is not None
    return page


def await_page(place: Place, path: str, fits: Callable[[LocalPage], bool]) -> LocalPage:
    """The page as soon as it fits."""
    end = time.monotonic() + SECONDS
    while not fits(page := told(place, path)):
        assert time.monotonic() < end, page.text
        time.sleep(0.05)
    return page


def knock_without_a_key(server: Server) -> None:
    """Say something else than the protocol at the port of requests, until it is closed."""
    with (
        contextlib.suppress(ConnectionResetError),
        socket.create_connection(server.place, 10) as noise,
    ):
        noise.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
        while noise.recv(100):
            pass


def values(text: str) -> dict[str, float]:
    """Every sample of a page for Prometheus, by its name with its labels."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def await_end(place: Place) -> str:
    """The metrics of a server at which a session has ended."""
    ended = "ppaurora_sessions_ended_total"
    return await_page(place, "/metrics", lambda page: values(page.text)[ended] == 1).text


# -- how a server is told to be --------------------------------------------------------------------


@pytest.fixture
def running() -> Iterator[threading.Thread]:
    """A thread that lasts as long as the test."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield thread
    over.set()
    thread.join()


def health(folder: Path, *, studies: int = 1, listens: bool = True, now: float = 0.0) -> Health:
    return Health(folder, lambda: studies, lambda: listens, lambda: now)


def test_a_server_is_ready_when_all_is_well(tmp_path: Path, running: threading.Thread) -> None:
    well = health(tmp_path)
    well.leads_in(running)
    assert (well.fault(), well.obstacle()) == ("", "the state folder has not been looked at yet")
    well.look()
    assert (well.fault(), well.obstacle()) == ("", "")
    assert well.free_bytes > 0
    assert list(tmp_path.iterdir()) == []


def test_a_server_without_a_leading_thread_does_not_work(tmp_path: Path) -> None:
    without = health(tmp_path)
    ended = threading.Thread(target=int)
    ended.start()
    ended.join()
    for _ in range(2):
        assert "leads studies" in without.fault()
        without.leads_in(ended)
    assert without.healthz().status == without.readyz().status == 503


def test_a_server_whose_port_is_closed_does_not_work(
    tmp_path: Path, running: threading.Thread
) -> None:
    closed = health(tmp_path, listens=False)
    closed.leads_in(running)
    assert "port of requests" in closed.healthz().text


def test_a_server_that_answers_nobody_any_more_does_not_work(
    tmp_path: Path, running: threading.Thread
) -> None:
    times = iter([0.0, 1.0, STANDS_STILL_SECONDS, STANDS_STILL_SECONDS + 2])
    still = Health(tmp_path, lambda: 1, lambda: True, lambda: next(times))
    still.leads_in(running)
    still.look()
    assert still.fault() == ""
    assert "has stood still for 121 seconds" in still.fault()


def test_a_server_without_a_study_or_a_folder_works_and_is_of_no_use(
    tmp_path: Path, running: threading.Thread
) -> None:
    for one, why in (
        (health(tmp_path, studies=0), "no study is served"),
        (health(tmp_path / "gone"), "cannot be written: No such file or directory"),
    ):
        one.leads_in(running)
        one.look()
        assert one.healthz() == WELL
        assert why in one.readyz().text
        assert one.readyz().status == 503


# -- real servers ----------------------------------------------------------------------------------


@pytest.mark.zeromq
def test_a_server_tells_that_it_is_well_and_when_its_folder_has_gone(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        place = with_health(world, Role.P1)
        with Server(Site.load(world.site(Role.P1))).running():
            await_page(place, "/readyz", lambda page: page == WELL)
            assert told(place, "/healthz") == WELL
            state = tmp_path / "state-P1"
            state.rename(tmp_path / "elsewhere")
            page = await_page(place, "/readyz", lambda page: page.status == 503)
            assert "the state folder cannot be written" in page.text
            assert told(place, "/healthz") == WELL
            (tmp_path / "elsewhere").rename(state)
            await_page(place, "/readyz", lambda page: page == WELL)
        assert asked(place, "/healthz", 5.0) is None


@pytest.mark.zeromq
def test_an_audit_log_that_was_cut_is_told_until_the_next_start(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        place = with_health(world, Role.P0)
        log = tmp_path / "state-P0" / "audit.jsonl"
        pages = []
        for lines in (None, 1, None):
            if lines is not None:
                log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:lines]))
            with Server(Site.load(world.site(Role.P0))).running():
                page = await_page(place, "/healthz", lambda page: page.status == 200)
                pages.append(page.text)
        first, cut, after = pages
        assert first == after == "ok\n"
        assert "audit.jsonl ends at line 1, and this server's records know its line 2" in cut


@pytest.mark.zeromq
def test_the_metrics_of_a_study_are_told_and_name_nobody(tmp_path: Path) -> None:
    with World(tmp_path) as world, ExitStack() as stack:
        places = {role: with_health(world, role) for role in Role}
        for role in Role:
            server = stack.enter_context(Server(Site.load(world.site(role))).running())
            if role is Role.P1:
                knock_without_a_key(server)
        world.upload()
        assert world.result("ann") == world.pooled()
        pages = {role: await_end(places[role]) for role in Role}
        for role, text in pages.items():
            counted = values(text)
            assert (counted["ppaurora_connections_refused_total"] > 0) == (role is Role.P1)
            assert counted["ppaurora_sessions_begun_total"] == 1
            assert counted["ppaurora_sessions_failed_total"] == 0
            assert counted["ppaurora_link_bytes_total"] > 0
            assert counted["ppaurora_computing_seconds_total"] > 0
            assert counted["ppaurora_ready"] == counted["ppaurora_studies"] == 1
            assert counted["ppaurora_free_descriptors"] > 0
            assert counted["ppaurora_state_free_bytes"] > 0
            for name in ("trial", "ann", "ben", "cleo", "127.0.0.1"):
                assert name not in text
        assert values(pages[Role.P0])["ppaurora_uploads_stored_total"] == 3
        assert values(pages[Role.HELPER])["ppaurora_uploads_stored_total"] == 0
        started = 'ppaurora_requests_total{kind="StartSession"}'
        assert values(pages[Role.HELPER])[started] == 1


@pytest.mark.zeromq
def test_seconds_and_bytes_that_depend_on_the_data_are_not_counted(tmp_path: Path) -> None:
    with (
        World(tmp_path, change=lambda study: with_options(study, merge="delta", delta=5)) as world,
        ExitStack() as stack,
    ):
        places = {role: with_health(world, role) for role in Role}
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        world.upload()
        assert world.result("ann") == world.pooled()
        for place in places.values():
            counted = values(await_end(place))
            assert counted["ppaurora_link_bytes_total"] == 0
            assert counted["ppaurora_computing_seconds_total"] == 0


@pytest.mark.slow
@pytest.mark.zeromq
def test_health_is_told_hundreds_of_times_while_a_study_computes_and_does_not_disturb_it(
    tmp_path: Path,
) -> None:
    weather = Weather()
    weather.turn(LATE, math.inf)
    with (
        World(tmp_path, servers_listen_at=BEHIND_THE_LINES) as world,
        lines_to_all_servers(world.study, Line, weather.line),
    ):
        world.tables = {name: generated(1500, place) for place, name in enumerate(world.tables)}
        places = [with_health(world, role) for role in Role]
        world.start()
        world.upload("ann", "ben")
        over, answers = threading.Event(), Counter[tuple[str, int | str]]()

        def ask(place: Place) -> None:
            while not over.wait(0.02):
                for path in ("/healthz", "/readyz", "/metrics"):
                    page = told(place, path)
                    answers[path, page.status if page.status == 200 else page.text] += 1

        def besiege(place: Place) -> None:
            while not over.wait(0.02):
                with contextlib.suppress(OSError), socket.create_connection(place, 1) as line:
                    line.sendall(b"GET /metrics HTTP/1.1\r\nX: " + bytes(6000))

        with ThreadPoolExecutor() as pool:
            asking = [pool.submit(act, place) for place in places for act in (ask, besiege)]
            try:
                world.upload("cleo")
                world.await_steps(Role.P1)
                weather.turn(Line(delay=2.0), math.inf)  # minutes for what is left
                before = answers.total()
                until(lambda: answers.total() >= before + 300, 120.0)
                assert '"session ends"' not in world.log(Role.P1)
                weather.clear_up()
                assert world.result("ann", wait=120.0) == world.pooled()
            finally:
                over.set()
            for one in asking:
                one.result()
        print(dict(answers))
        assert set(answers) == {(path, 200) for path in ("/healthz", "/readyz", "/metrics")}
        for role in Role:
            assert "session failed" not in world.log(role)
