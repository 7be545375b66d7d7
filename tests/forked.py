"""Processes of the program, forked from one that has imported all of it.

An interpreter that imports the program takes most of a second of a processor, and tests start
hundreds of servers and commands. What is forked is a process of its own all the same, with its own
memory, files, signals and exit code. It ends as an interpreter does, with its threads waited for
and its last functions run, but leaves the memory to the system: to free each object would copy
every page of it first. Tests of what is imported start a new interpreter instead, and so does
everything where a process cannot be held by a file descriptor, as on macOS.

    whoever starts one                                       the one that forks
    start() --- arguments, environment, folder, descriptors --> fork
            <-- number of the process, a descriptor of it, later its exit code

What is forked starts servers of its own in the same way.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, NoReturn

from ppaurora.parties.simulation import processes
from ppaurora.parties.simulation.processes import command, environment

POSSIBLE = hasattr(os, "pidfd_open") and hasattr(socket, "SOCK_SEQPACKET")
MOST = 1 << 20
"""Bytes of the arguments and the environment of one process."""
SECONDS = 300.0
PATH = "PYTHONPATH"
PATHS = environment()[PATH]
"""The path by which everything here was imported."""
NEW_INTERPRETER = processes.start_server


class Forked:
    """A running process of the program, as `subprocess.Popen` shows one."""

    def __init__(
        self, arguments: Sequence[str], number: int, held: int, line: socket.socket
    ) -> None:
        self.args, self.pid = arguments, number
        self.returncode: int | None = None
        self._held, self._line = held, line

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._line.settimeout(timeout)
            try:
                self.returncode = int(self._line.recv(32))
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired(self.args, timeout or 0) from None
            self._line.close()
            os.close(self._held)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._held, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[str],
    *,
    stdout: int,
    stderr: int,
    folder: Path | None = None,
    more: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
) -> Forked | subprocess.Popen[bytes]:
    """`ppaurora` with these arguments, output and errors, in that folder; it has nothing to read.

    With `more` variables, or another path, on which imports depend, it is a new interpreter.
    `limits` are those of its resources.
    """
    held_to = dict(limits or {})
    variables = {**environment(), **(more or {})}
    if more or variables[PATH] != PATHS or not POSSIBLE:
        return subprocess.Popen(
            command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=variables,
            preexec_fn=partial(_hold_to, held_to) if held_to else None,
        )
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line.connect(_address())
    place = str(folder or Path.cwd())
    told = json.dumps([list(arguments), variables, place, [*held_to.items()]]).encode()
    with open(os.devnull, "rb") as nothing:
        socket.send_fds(line, [told], [nothing.fileno(), stdout, stderr])
    number, [held], *_ = socket.recv_fds(line, 32, 1)
    return Forked(arguments, int(number), held, line)


def _hold_to(limits: Mapping[int, int]) -> None:
    """Limit the resources of this process."""
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))


def start_server(
    site: Path, log: IO[bytes] | None, entrance: Sequence[str] = ()
) -> Forked | subprocess.Popen[bytes]:
    """The process of this site's server; a new interpreter where it is to be on another host."""
    if entrance:
        return NEW_INTERPRETER(site, log, entrance)
    return start(("server", str(site)), stdout=1, stderr=2 if log is None else log.fileno())


def run(
    arguments: Sequence[str],
    folder: Path,
    more: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Such a process with its output, once it has ended."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = start(
            arguments, stdout=out.fileno(), stderr=err.fileno(), folder=folder, more=more
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        told = []
        for file in (out, err):
            file.seek(0)
            told.append(file.read())
    return subprocess.CompletedProcess([*arguments], code, *told)


def _address() -> str:
    """The address of the process that forks; it is started for the first who asks."""
    if not ADDRESSES:
        ADDRESSES.append(_started())
    return ADDRESSES[0]


def _started() -> str:
    """The address of a new process that forks, which ends once its input does: with this one."""
    place = tempfile.TemporaryDirectory(prefix="forked-")
    address = f"{place.name}/line"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.bind(address)
        line.listen()
        forker = subprocess.Popen(
            [sys.executable, __file__, str(line.fileno()), address],
            stdin=subprocess.PIPE,
            pass_fds=[line.fileno()],
            env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        )
    KEPT.append((place, forker))
    return address


ADDRESSES: list[str] = []
"""The address of the process that forks, as soon as there is one."""
KEPT: list[object] = []
"""Things that live as long as this process."""


# -- the process that forks ------------------------------------------------------------------------


class Forker:
    """Forks a process for whoever asks, and tells it of its end."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._ready = selectors.DefaultSelector()
        self._ready.register(line, selectors.EVENT_READ)
        self._ready.register(sys.stdin, selectors.EVENT_READ)
        self._running: dict[int, tuple[int, socket.socket]] = {}

    def next_program(self) -> list[str] | None:
        """In each process that is forked, its arguments; here None once nobody can ask."""
        while True:
            for key, _ in self._ready.select():
                if key.fileobj is sys.stdin:
                    return None
                if key.fileobj is not self._line:
                    self._tell_of_end(key.fd)
                    continue
                asker, _ = self._line.accept()
                told, files, *_ = socket.recv_fds(asker, MOST, 3)
                arguments, environment, folder, limits = json.loads(told)
                number = os.fork()
                if not number:
                    self._become(environment, folder, files, asker)
                    _hold_to(dict(limits))
                    return list(arguments)
                self._hold(number, files, asker)

    def _become(
        self,
        environment: Mapping[str, str],
        folder: str,
        files: Sequence[int],
        asker: socket.socket,
    ) -> None:
        """Leave what is the forking process's, and take what the new one was given."""
        for held, (_, other) in self._running.items():
            os.close(held)
            other.close()
        for one in (self._ready, self._line, asker):
            one.close()
        for place, file in enumerate(files):
            os.dup2(file, place)
            os.close(file)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _hold(self, number: int, files: Sequence[int], asker: socket.socket) -> None:
        for file in files:
            os.close(file)
        held = os.pidfd_open(number)
        self._running[held] = number, asker
        self._ready.register(held, selectors.EVENT_READ)
        socket.send_fds(asker, [str(number).encode()], [held])

    def _tell_of_end(self, held: int) -> None:
        number, asker = self._running.pop(held)
        _, status = os.waitpid(number, 0)
        self._ready.unregister(held)
        os.close(held)
        with asker, contextlib.suppress(OSError):
            asker.send(str(os.waitstatus_to_exitcode(status)).encode())


def main(descriptor: str, address: str) -> None:
    """Import the program, and fork until nobody asks any more."""
    # a module of a test is none of the program's
    del sys.path[0]
    import ppaurora
    from ppaurora import parties, protocols
    from ppaurora.parties.build import build
    from ppaurora.parties.commands.main import main as program

    for part in (parties, protocols):
        for one in pkgutil.walk_packages(part.__path__, f"{part.__name__}."):
            if not one.name.endswith("__main__"):
                import_module(one.name)
    build()
    ADDRESSES.append(address)
    processes.start_server = start_server  # type: ignore[assignment]
    gc.collect()
    gc.freeze()
    # who interrupts the tests ends them; then the input ends, and so does this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    arguments = Forker(socket.socket(fileno=int(descriptor))).next_program()
    if arguments is not None:
        # as `python -m` has it
        sys.argv = [str(Path(ppaurora.__file__).with_name("__main__.py")), *arguments]
        _end(lambda: program(arguments))


def _end(program: Callable[[], None]) -> NoReturn:
    """Run the program and end with its code, as an interpreter does that frees no memory."""
    code: object = 0
    try:
        program()
    except SystemExit as leaving:
        code = leaving.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main(*sys.argv[1:])
