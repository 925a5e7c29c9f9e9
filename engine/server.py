"""The UCI program for several clients over TCP: `numbishop serve`.

A client has a conversation, a searcher and threads of its own, so one that is slow, silent or
hostile harms itself only: what it sends waits in a bounded queue and then in its own socket, what
it does not read in time ends its connection, and so do lines without an end and long silence.
There is neither encryption nor a password; that is why only this machine is served by default.
"""

from __future__ import annotations

import argparse
import io
import ipaddress
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from .protocol import DEFAULT_HASH_MB, OPTIONS, Option
from .uci import Uci, warm

DEFAULT_PORT = 8080
MAX_LINE_BYTES = 1 << 16  # a game of 10,000 moves
SEND_TIMEOUT_S = 10.0
_END_TIMEOUT_S = 5.0
_RECEIVE_BYTES = 1 << 12
_NOT_OFFERED = frozenset({"syzygypath", "threads"})  # this machine's files and cores
CANNOT_LISTEN = 4  # an exit code


class Limits(NamedTuple):
    """What the server grants: `hash_mb` is for all clients together."""

    clients: int
    hash_mb: int
    idle_s: float

    @property
    def options(self) -> dict[str, Option]:
        """The options of one client."""
        offered = {name: option for name, option in OPTIONS.items() if name not in _NOT_OFFERED}
        share_mb = max(1, self.hash_mb // self.clients)
        default_mb = min(DEFAULT_HASH_MB, share_mb)
        offered["hash"] = OPTIONS["hash"]._replace(default=default_mb, high=share_mb)
        return offered


class Connection(io.TextIOBase):
    """A client's socket as lines to read and a stream to write; it never raises for the client.

    It is over when the client has closed it, does not read what is sent within SEND_TIMEOUT_S, has
    sent nothing for `idle_s`, or a line beyond MAX_LINE_BYTES.
    """

    def __init__(self, client: socket.socket, idle_s: float) -> None:
        client.settimeout(SEND_TIMEOUT_S)
        self._socket = client
        self._arrivals = select.poll()
        self._arrivals.register(client, select.POLLIN)
        self._idle_s = idle_s
        self._heard_at_s = time.monotonic()
        self._is_open = True

    def has_listener(self) -> bool:
        """Whether the client may still be waiting for an answer."""
        return self._is_open and self._silence_left_s() > 0

    def lines(self) -> Iterator[str]:
        """What the client sends, until the connection is over."""
        pending = b""
        while self._is_open:
            *complete, pending = pending.split(b"\n")
            for line in complete:
                self._heard_at_s = time.monotonic()
                yield line.decode("utf-8", "replace")
            if len(pending) > MAX_LINE_BYTES:
                self.write(f"info string a line is longer than {MAX_LINE_BYTES} bytes: closed\n")
                break
            if not self._wait_for_bytes():
                self.write(f"info string nothing heard for {self._idle_s:g} s: closed\n")
                break
            received = self._receive()
            if not received:
                if pending:
                    yield pending.decode("utf-8", "replace")
                break
            pending += received

    def write(self, text: str) -> int:
        if self._is_open:
            try:
                self._socket.sendall(text.encode("utf-8", "replace"))
            except OSError:  # also when it takes too long
                self.end()
        return len(text)

    def end(self) -> None:
        """Nothing more is read or written."""
        self._is_open = False
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            self._socket.close()  # the client was faster

    def close(self) -> None:
        self.end()
        self._socket.close()

    def _silence_left_s(self) -> float:
        return self._heard_at_s + self._idle_s - time.monotonic()

    def _wait_for_bytes(self) -> bool:
        """Whether something came, an end included, before the silence lasted too long."""
        return bool(self._arrivals.poll(max(0.0, self._silence_left_s()) * 1000))

    def _receive(self) -> bytes:
        try:
            return self._socket.recv(_RECEIVE_BYTES)
        except OSError:
            return b""


class Server:
    """Accepts clients on a listening socket, each served in a thread of its own."""

    def __init__(self, listener: socket.socket, limits: Limits) -> None:
        self._listener = listener
        self._limits = limits
        self._clients: dict[threading.Thread, Connection] = {}
        self._wake_reader, self._wake_writer = socket.socketpair()

    def run(self) -> None:
        """Serve until `stop()`."""
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._wake_reader, select.POLLIN)
        while self._wake_reader.fileno() not in [number for number, _ in poll.poll()]:
            self._accept()
        self._listener.close()
        for connection in self._clients.values():
            connection.end()
        for thread in self._clients:
            thread.join(_END_TIMEOUT_S)
        self._wake_reader.close()
        self._wake_writer.close()

    def stop(self) -> None:
        """End all (from a signal handler or another thread); once is enough."""
        if self._wake_writer.fileno() >= 0:
            self._wake_writer.send(b"\0")

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:  # gone again, or no file descriptor is left
            time.sleep(0.01)
            return
        connection = Connection(client, self._limits.idle_s)
        self._clients = {
            thread: other for thread, other in self._clients.items() if thread.is_alive()
        }
        if len(self._clients) >= self._limits.clients:
            connection.write("info string no more clients are served now: try again later\n")
            connection.close()
            return
        thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
        self._clients[thread] = connection
        thread.start()

    def _serve(self, connection: Connection) -> None:
        program = Uci(connection, connection.has_listener, self._limits.options)
        try:
            program.run(connection.lines())
        finally:
            connection.close()


def _number(low: int, high: int):
    def read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low} to {high}")
        return int(text)

    return read


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="numbishop serve",
        description="Serve UCI over TCP: each connection is an engine of its own.",
        epilog="example: numbishop serve --port 8080, then: nc 127.0.0.1 8080",
        allow_abbrev=False,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument(
        "--port", type=_number(0, 65535), default=DEFAULT_PORT, help="0: any free (%(default)s)"
    )
    parser.add_argument(
        "--clients", type=_number(1, 256), default=4, help="most at a time (%(default)s)"
    )
    parser.add_argument(
        "--hash", type=_number(1, 1 << 20), default=256, help="MiB for all together (%(default)s)"
    )
    parser.add_argument(
        "--idle", type=_number(1, 7 * 86400), default=600, help="seconds of silence (%(default)s)"
    )
    return parser.parse_args(arguments)


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError."""
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address, family=family, backlog=16)


def _reason(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return error.strerror
    if isinstance(error, OSError):
        return os.strerror(error.errno)
    return "no such host name can be"


def main(arguments: list[str]) -> int:
    """The command `numbishop serve`. Returns the exit code."""
    options = _parse(arguments)
    try:
        listener = _listen(options.host, options.port)
    except (OSError, UnicodeError) as error:
        place = f"{options.host} port {options.port}"
        print(f"numbishop: cannot listen on {place}: {_reason(error)}", file=sys.stderr)
        return CANNOT_LISTEN
    host, port = listener.getsockname()[:2]
    if not ipaddress.ip_address(host).is_loopback:
        print(
            f"numbishop: warning: {host} can be reached from other machines;"
            " there is neither a password nor encryption",
            file=sys.stderr,
        )
    server = Server(listener, Limits(options.clients, options.hash, options.idle))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())
    warm()
    print(f"numbishop: listening on {host} port {port}", flush=True)
    server.run()
    return 0
