"""A UCI program for tests: it dances with its knights, and misbehaves once, where it is told to.

    python scripted_engine.py [FAULT@STAGE]... [think=MS] [spin=MS] [move=N]
                              [option=NAME] [default=N]

From the start position its games are 1. Nf3 Nf6 2. Ng1 Ng8, and the same again: a draw by
repetition after eight plies. At STAGE (`spawn`, or a word of the protocol; `position` and `go` at
its third move of a game, or the one that `move` says) it does what FAULT names. `think` is how long
it sleeps over each move, and how many microseconds that took it says as its nodes; `spin` how long
it keeps a processor busy. It imports next to nothing, for it is started often.
"""

from __future__ import annotations

import os
import signal
import sys
import time

DANCE = ("g1f3", "g8f6", "f3g1", "f6g8")
FOREVER_S = 600.0


def say(text: str) -> None:
    data = f"{text}\n".encode()
    while data:
        data = data[os.write(1, data) :]


class Engine:
    def __init__(self, arguments: list[str]) -> None:
        settings = dict(word.split("=") for word in arguments if "=" in word)
        faults = (word.split("@") for word in arguments if "@" in word)
        self.faults = {stage: fault for fault, stage in faults}
        self.stage = ""
        self.at_move = int(settings.get("move", 3))
        self.think_s = int(settings.get("think", 0)) / 1000
        self.spin_s = int(settings.get("spin", 0)) / 1000
        self.option = settings.get("option", "Hash")
        self.default = settings.get("default", "1")
        self.played = 0
        self.own_moves = 0

    def run(self) -> None:
        self.at("spawn")
        buffer = b""
        while data := os.read(0, 4096):
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self.heed(line.decode().split())

    def heed(self, words: list[str]) -> None:
        command = words[0] if words else ""
        if command == "position":
            self.own_moves += 1
        if self.at(command):
            return
        if command == "uci":
            say("id name Scripted 1.0\nid author tests")
            say(f"option name {self.option} type spin default {self.default} min 1 max 64")
            say("option name Clear Hash type button\nuciok")
        elif command == "isready":
            say("readyok")
        elif command == "ucinewgame":
            self.own_moves = 0
        elif command == "position":
            self.played = len(words) - words.index("moves") - 1 if "moves" in words else 0
        elif command == "go":
            self.go()
        elif command == "quit":
            sys.exit(0)

    def go(self) -> None:
        began_ns = time.monotonic_ns()
        time.sleep(self.think_s)
        end_s = time.process_time() + self.spin_s
        while time.process_time() < end_s:
            pass
        nodes = (time.monotonic_ns() - began_ns) // 1000 if self.think_s else 1234
        info = f"info depth 5 score cp 12 nodes {nodes} time 3 pv {self.move}"
        say(f"{info}\nbestmove {self.move}")

    @property
    def move(self) -> str:
        return DANCE[self.played % 4]

    def at(self, stage: str) -> bool:
        """Misbehave if it is time; whether the command was dealt with in this way."""
        wrong_move = stage in {"position", "go"} and self.own_moves != self.at_move
        if stage not in self.faults or wrong_move:
            return False
        self.stage = stage
        return bool(getattr(self, self.faults[stage])())

    # The faults. Those that return True leave the command without its right answer.

    def exit(self) -> None:
        os.write(2, b"assertion failed: script\n")
        os._exit(3)

    def kill(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def segfault(self) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def freeze(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def hang(self) -> None:
        time.sleep(FOREVER_S)

    def chatter(self) -> None:
        while True:
            say("info depth 1 score cp 0 nodes 1")
            time.sleep(0.01)

    def flood(self) -> None:
        while True:
            say("info string nothing\n" * 3000)

    def torrent(self) -> None:
        while True:
            os.write(1, b"x" * 65536)

    def close(self) -> None:
        os.close(1)
        time.sleep(FOREVER_S)

    def noise(self) -> None:
        """Then it goes on as it should."""
        os.write(1, bytes(range(256)) * 8 + b"\n\xff\xfe bestmove\n\n  \ninfo depth score\n")
        os.write(2, b"\x00\xff" * 40_000)

    def garbage(self) -> bool:
        say("bestmove \x01\x02")
        return True

    def illegal(self) -> bool:
        say("bestmove e2e5")
        return True

    def none(self) -> bool:
        say("bestmove (none)")
        return True

    def twice(self) -> None:
        """Once by this, once as it should; the first is right."""
        if self.stage == "go":
            say(f"bestmove {self.move}")

    def late(self) -> None:
        time.sleep(0.4)

    def ignore(self) -> bool:
        return True

    def fork(self) -> None:
        """A child that stays, with all pipes open."""
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(FOREVER_S)
            os._exit(0)

    def daemon(self) -> None:
        """The same, in a session of its own, which no signal to the engine's group reaches."""
        if os.fork() == 0:
            os.setsid()
            time.sleep(FOREVER_S)
            os._exit(0)

    def orphan(self) -> None:
        """A child that stays, and then the parent goes."""
        self.fork()
        os._exit(0)


if __name__ == "__main__":
    Engine(sys.argv[1:]).run()
