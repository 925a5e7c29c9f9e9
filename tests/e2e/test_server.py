"""`numbishop serve`: each client is served, whatever the others do."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import chess
import pytest

from engine import server
from engine.server import MAX_LINE_BYTES, Limits, Server
from engine.shell import warm_up

NUMBISHOP = str(Path(sys.executable).with_name("numbishop"))
Serve = Callable[..., int]


class Client:
    """A connection, read line by line; closed after the test at the latest."""

    opened: ClassVar[list[Client]] = []

    def __init__(self, port: int) -> None:
        self.opened.append(self)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._lines = self.socket.makefile("r", encoding="utf-8", errors="replace")

    def send(self, *lines: str) -> None:
        self.socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def read_until(self, start: str) -> list[str]:
        lines = []
        for line in self._lines:
            lines.append(line.rstrip("\n"))
            if line.startswith(start):
                return lines
        raise AssertionError(f"the connection ended without {start!r}: {lines[-3:]}")

    def rest(self) -> list[str]:
        """What comes until the server ends the connection."""
        with contextlib.suppress(ConnectionResetError):
            return self._lines.read().splitlines()
        return []

    def close(self) -> None:
        self._lines.close()
        self.socket.close()


@pytest.fixture(autouse=True)
def close_clients() -> Iterator[None]:
    yield
    while Client.opened:
        Client.opened.pop().close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers in this process; gives their ports. Each must end with all its threads."""
    warm_up()
    threads_before = threading.active_count()
    running: list[tuple[Server, threading.Thread]] = []

    def start(clients: int = 4, hash_mb: int = 16, idle_s: float = 60.0) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        served = Server(listener, Limits(clients, hash_mb, idle_s))
        thread = threading.Thread(target=served.run)
        thread.start()
        running.append((served, thread))
        return listener.getsockname()[1]

    yield start
    for served, thread in running:
        served.stop()
        thread.join(20)
        assert not thread.is_alive()
    wait_for(lambda: threading.active_count() == threads_before)


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_a_client_has_a_conversation(serve):
    client = Client(serve())
    client.send("uci")
    assert client.read_until("uciok")[0].startswith("id name Numbishop")
    client.send("position startpos moves e2e4", "go depth 3")
    board = chess.Board()
    board.push_uci("e2e4")
    assert board.parse_uci(client.read_until("bestmove")[-1].split()[1])
    client.send("quit")
    assert client.rest() == []


def test_each_client_has_its_own_position_and_search(serve):
    port = serve()
    first, second = Client(port), Client(port)
    first.send("position startpos moves d2d4", "go infinite")
    second.send("position startpos moves e2e4", "d", "go depth 4")
    lines = second.read_until("bestmove")
    assert "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" in lines
    first.send("stop")
    board = chess.Board()
    board.push_uci("d2d4")
    assert board.parse_uci(first.read_until("bestmove")[-1].split()[1])


def test_memory_is_shared_out_and_files_and_cores_are_not_offered(serve):
    client = Client(serve(clients=4, hash_mb=20))
    client.send("uci")
    options = client.read_until("uciok")
    assert "option name Hash type spin default 5 min 1 max 5" in options
    assert not any(re.search("SyzygyPath|Threads", line) for line in options)
    client.send("setoption name Hash value 6", "setoption name SyzygyPath value /", "isready")
    assert client.read_until("readyok") == [
        "info string option Hash is 6; expected 1 to 5",
        "info string there is no option 'SyzygyPath'",
        "readyok",
    ]


def test_no_more_clients_than_allowed(serve):
    port = serve(clients=2)
    clients = [Client(port), Client(port)]
    for client in clients:
        client.send("isready")
        client.read_until("readyok")
    assert Client(port).rest() == ["info string no more clients are served now: try again later"]
    clients[0].close()

    def is_served() -> bool:
        client = Client(port)
        with contextlib.suppress(OSError, AssertionError):
            client.send("isready")
            client.read_until("readyok")
            return True
        return False

    wait_for(is_served)


@pytest.mark.parametrize(
    "hostile",
    [
        b"x" * (MAX_LINE_BYTES + 1),
        b"go infinite\n" * 5000,
        b"go depth 90\nposition startpos\n" * 3000,
        bytes(range(256)) * 50,
        b"uci\n" * 20_000,
        b"position startpos moves " + b"e2e4 " * 10_000 + b"\n",
        b"position fen qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1\ngo perft 30\n",
        b"bench 60\n",
    ],
    ids=["line", "searches", "waiting", "bytes", "answers", "moves", "perft", "bench"],
)
def test_a_hostile_client_does_not_stop_the_others(serve, monkeypatch, hostile):
    """It sends, and reads nothing; then it goes away."""
    monkeypatch.setattr(server, "SEND_TIMEOUT_S", 0.3)
    port = serve(idle_s=8)
    attacker, honest = Client(port), Client(port)
    attacker.socket.settimeout(2)
    with contextlib.suppress(OSError):
        attacker.socket.sendall(hostile)
    for _ in range(3):
        honest.send("position startpos", "go nodes 2000")
        assert chess.Board().parse_uci(honest.read_until("bestmove")[-1].split()[1])
    attacker.close()
    honest.send("isready")
    honest.read_until("readyok")


def test_a_client_that_does_not_read_is_left(serve, monkeypatch):
    monkeypatch.setattr(server, "SEND_TIMEOUT_S", 0.2)
    client = Client(serve())
    client.socket.settimeout(30)

    def is_left() -> bool:
        try:
            client.send(*["uci"] * 1000)
        except OSError:  # reset or broken pipe, as the kernel likes
            return True
        return False

    wait_for(is_left)


def test_a_line_without_an_end_is_refused(serve):
    client = Client(serve())
    client.socket.sendall(b"position startpos moves" + b" e2e4" * 20_000)
    assert client.rest()[-1:] in (
        [],  # the kernel may drop what was sent when unread bytes are left
        [f"info string a line is longer than {MAX_LINE_BYTES} bytes: closed"],
    )


@pytest.mark.parametrize("sent", [b"", b"go infinite\n", b"go depth 90\n", b"no end of line"])
def test_a_silent_client_is_left(serve, sent):
    client = Client(serve(idle_s=0.5))
    client.socket.sendall(sent)
    lines = client.rest()
    assert "info string nothing heard for 0.5 s: closed" in lines
    if b"infinite" in sent:
        assert lines[-1].startswith("bestmove")


def test_a_slow_typist_is_silent_too(serve):
    """What counts is a whole line."""
    client = Client(serve(idle_s=0.6))
    with contextlib.suppress(OSError):
        for _ in range(30):
            client.socket.sendall(b"x")
            time.sleep(0.1)
    assert client.rest()[-1:] in ([], ["info string nothing heard for 0.6 s: closed"])


@pytest.mark.parametrize("go", ["go infinite", "go depth 90", "bench 40", "go perft 12"])
def test_a_client_that_goes_away_takes_its_search_along(serve, go):
    """Noticed at the next line that cannot be sent, or as silence."""
    port = serve(idle_s=3)
    before = threading.active_count()
    client = Client(port)
    client.send(go, "isready")
    client.read_until("readyok")
    assert threading.active_count() > before
    client.close()
    wait_for(lambda: threading.active_count() == before)


def test_a_client_that_only_ends_its_input_gets_its_answer(serve):
    client = Client(serve())
    client.send("go depth 5")
    client.socket.shutdown(socket.SHUT_WR)
    assert client.rest()[-1].startswith("bestmove")


@pytest.fixture
def process() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command itself, and its port."""
    popen = subprocess.Popen(
        [NUMBISHOP, "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in popen.stdout:
        if found := re.fullmatch(r"numbishop: listening on 127\.0\.0\.1 port (\d+)\n", line):
            break
    yield popen, int(found[1])
    popen.kill()
    popen.communicate()


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(process, name):
    popen, port = process
    client = Client(port)
    client.send("go infinite")
    client.read_until("info depth 3")
    popen.send_signal(name)
    _, errors = popen.communicate(timeout=20)
    assert (popen.returncode, errors) == (0, "")
    client.rest()


def test_a_port_in_use_is_told(process):
    _, port = process
    done = subprocess.run(
        [NUMBISHOP, "serve", "--port", str(port)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr == (
        f"numbishop: cannot listen on 127.0.0.1 port {port}: Address already in use\n"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "x"], "'x' is not a number from 0 to 65535"),
        (["--port", "65536"], "'65536' is not a number from 0 to 65535"),
        (["--clients", "0"], "'0' is not a number from 1 to 256"),
        (["--idle", "-1"], "'-1' is not a number from 1 to 604800"),
        (["--hash", "½"], "'½' is not a number from 1 to 1048576"),
        (["somewhere"], "unrecognized arguments: somewhere"),
    ],
)
def test_a_wrong_argument_is_a_usage_error(arguments, told, capsys):
    with pytest.raises(SystemExit) as ended:
        server.main(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_help_names_every_option_and_an_example(capsys):
    with pytest.raises(SystemExit) as ended:
        server.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for word in ("--host", "--port", "--clients", "--hash", "--idle", "example: numbishop serve"):
        assert word in text


def end_at_once(served: Server) -> None:
    served.stop()
    run_server(served)


run_server = Server.run


@pytest.mark.parametrize(
    ("host", "warned"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)]
)
def test_more_than_this_machine_is_served_with_a_warning(host, warned, monkeypatch, capsys):
    monkeypatch.setattr(server, "warm", lambda: None)
    monkeypatch.setattr(server.signal, "signal", lambda *_: None)
    monkeypatch.setattr(Server, "run", end_at_once)
    assert server.main(["--host", host, "--port", "0"]) == 0
    assert ("can be reached from other machines" in capsys.readouterr().err) == warned


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid", "a" * 300])
def test_a_host_that_is_not_ours_is_told(host, capsys):
    assert server.main(["--host", host, "--port", "0"]) == server.CANNOT_LISTEN
    message = capsys.readouterr().err
    assert message.startswith(f"numbishop: cannot listen on {host} port 0: ")
    assert message.count("\n") == 1
