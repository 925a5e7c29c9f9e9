"""Bytes from hostile clients: the server still serves the next one, and their searches end."""

from __future__ import annotations

import contextlib
import functools
import random
import socket
import struct
import threading
import time
from collections.abc import Callable

from engine.server import Limits, Server
from engine.shell import warm_up
from tests.fuzz.hunt import main
from tests.fuzz.uci import damaged_lines

_CLIENTS = 4
_PATIENCE_S = 20.0
_ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: closing resets the connection


@functools.cache
def address() -> tuple[str, int]:
    """Of a server that runs as long as this process."""
    warm_up()
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener, Limits(clients=_CLIENTS, hash_mb=_CLIENTS, idle_s=600.0))
    threading.Thread(target=server.run, daemon=True).start()
    return listener.getsockname()


def _noise(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(200)).replace(b"bench", b"")


def _conversation(rng: random.Random) -> bytes:
    return "".join(damaged_lines(rng)).encode("utf-8", "replace")


def _half_a_line(rng: random.Random) -> bytes:
    return b"position fen " + rng.randbytes(rng.randrange(20)).replace(b"\n", b"")


def _endless_line(rng: random.Random) -> bytes:
    return b"isready " * rng.randrange(1, 20_000)


_MESSAGES: tuple[Callable[[random.Random], bytes], ...] = (
    *(_noise, _conversation, _conversation, _conversation),
    *(_half_a_line, _endless_line),
)


def _attack(rng: random.Random) -> None:
    """Say something in pieces, and leave in some way."""
    with (
        socket.create_connection(address(), timeout=_PATIENCE_S) as client,
        contextlib.suppress(OSError),  # the server has had enough of it
    ):
        for _ in range(rng.randrange(4)):
            message = rng.choice(_MESSAGES)(rng)
            place = rng.randrange(len(message) + 1)
            client.sendall(message[:place])
            client.sendall(message[place:])
        if rng.random() < 0.3:
            client.shutdown(socket.SHUT_WR)
            client.recv(rng.randrange(1, 1_000))
        if rng.random() < 0.3:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)


def _is_served() -> bool:
    """Whether a client that is polite gets its answer, and is not turned away."""
    with socket.create_connection(address(), timeout=_PATIENCE_S) as client:
        client.sendall(b"isready\nquit\n")
        with client.makefile("rb") as answers:
            return any(line.strip() == b"readyok" for line in answers)


def case(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(rng.randrange(1, _CLIENTS)):
        _attack(rng)
    until = time.monotonic() + _PATIENCE_S
    while not _is_served():
        assert time.monotonic() < until, "the hostile clients still hold their places"
        time.sleep(0.05)


if __name__ == "__main__":
    raise SystemExit(main("tests.fuzz.tcp", case))
