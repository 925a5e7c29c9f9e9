"""Sources of the tuner: streams of packed files, and where they are cut."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest
import zstandard

from harness.archives import unpacked_pieces
from harness.errors import UsageError
from harness.texel import sources
from harness.texel.sources import PgnText, PositionLines, blocks_of

TEXT = b"".join(b"line %d of a text that is to be packed\n" % number for number in range(9000))
GAME = '[Event "?"]\n[White "a"]\n[Result "1-0"]\n\n1. e4 {%s} e5 1-0\n\n'


def zipped(data: bytes) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.txt", data)
    return memory.getvalue()


def compressed(data: bytes) -> bytes:
    half = len(data) // 2
    pack = zstandard.ZstdCompressor().compress
    return pack(data[:half]) + pack(data[half:])  # two frames


PACKERS = {"plain": bytes, "gzip": gzip.compress, "zip": zipped, "zstandard": compressed}


class TestUnpackedPieces:
    @pytest.mark.parametrize("packer", PACKERS)
    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
    def test_the_pieces_are_the_contents(self, packer, mark, tmp_path, monkeypatch):
        monkeypatch.setattr("harness.archives._PIECE_BYTES", 1000)
        path = tmp_path / "file"
        path.write_bytes(PACKERS[packer](mark + TEXT))
        assert b"".join(unpacked_pieces(path)) == TEXT

    @pytest.mark.parametrize("packer", ["gzip", "zip", "zstandard"])
    def test_a_file_that_is_cut_short_is_damaged(self, packer, tmp_path):
        path = tmp_path / "file"
        whole = PACKERS[packer](TEXT)
        path.write_bytes(whole[: len(whole) - 30])
        with pytest.raises(UsageError, match=r"file: the archive is damaged \("):
            list(unpacked_pieces(path))

    def test_a_file_that_is_not_there_is_told(self, tmp_path):
        with pytest.raises(UsageError, match="no such file"):
            list(unpacked_pieces(tmp_path / "none"))


class TestBlocks:
    @pytest.mark.parametrize("piece_bytes", [7, 100, 10_000])
    def test_games_are_not_cut_wherever_the_pieces_end(self, piece_bytes, tmp_path, monkeypatch):
        monkeypatch.setattr("harness.archives._PIECE_BYTES", piece_bytes)
        monkeypatch.setattr(sources, "BLOCK_BYTES", 300)
        path = tmp_path / "games.pgn"
        path.write_text("".join(GAME % ("x" * (13 * number % 90)) for number in range(40)))
        blocks = list(blocks_of(path))
        assert b"".join(block.text for block in blocks) == path.read_bytes()
        assert len(blocks) > 10
        assert all(isinstance(block, PgnText) for block in blocks)
        assert all(block.text.startswith(b"[Event") for block in blocks)
        lines = [block.text.count(b"\n") for block in blocks]
        assert [block.first_line for block in blocks] == [
            1 + sum(lines[:number]) for number in range(len(lines))
        ]

    @pytest.mark.parametrize("ends", ["\n", "\r\n"])
    def test_tags_apart_and_comments_over_lines_are_inside_a_game(
        self, ends, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(sources, "BLOCK_BYTES", 1)
        game = (
            '[Event "?"]\n\n[White "a"]\n[Result "*"]\n\n1. e4 {a\n[%eval 0.3]\nb} e5\n[%clk *\n\n'
        )
        path = tmp_path / "games.pgn"
        path.write_bytes((game * 3).replace("\n", ends).encode())
        assert [block.text.count(b"Event") for block in blocks_of(path)] == [1, 1, 1]

    def test_lines_are_not_cut_and_a_blank_one_ends_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr(sources, "BLOCK_BYTES", 200)
        path = tmp_path / "lines.epd"
        path.write_text("\n\n" + "8/8/4k3/8/8/3PK3/8/8 b - - [1.0]\n\n" * 30)
        blocks = list(blocks_of(path))
        assert len(blocks) > 3
        assert all(isinstance(block, PositionLines) for block in blocks)
        assert b"".join(block.text for block in blocks).rstrip() == path.read_bytes().rstrip()

    @pytest.mark.parametrize(
        ("content", "reason"),
        [(b"", "empty"), (b" \n\n", "empty"), (b"1. e4\0", "no text")],
    )
    def test_what_holds_nothing_is_refused(self, content, reason, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(content)
        with pytest.raises(UsageError, match=reason):
            list(blocks_of(path))

    def test_a_folder_without_a_run_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no run there"):
            list(blocks_of(tmp_path))
