"""The compile policy: digests, the checked cache files, and what happens without a usable cache."""

from __future__ import annotations

import errno
import io
import keyword
import os
import pickle
import pwd
import time
import tokenize
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import jit, kernel_cache
from engine.jit import (
    PACKAGE,
    cache_folder,
    cache_root,
    slider_backend,
    source_digest,
    strip_source,
)
from engine.kernel_cache import DamagedFileError, KernelCache, prune, read_checked, write_checked
from tests.unit.toy_package import ToyPackage

digest_now = source_digest.__wrapped__  # without the memory of the first call

BASE = '''"""What for."""
import numpy as np

LIMIT = np.int64(3)  # plies


def twice(x):
    """Two of them."""
    return f"{2 * x:>3}"
'''


class TestStripSource:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("  # plies", ""),
            ("  # plies", "  # of the search"),
            ('"""What for."""\n', ""),
            ('"""Two of them."""', '"Three."'),
            ('    """Two of them."""\n', "    # None.\n\n"),
            ('"""What for."""', '"""What\n\nfor."""\n\n\n'),
            ("int64(3)", "int64(  # of what?\n    3\n)"),
            ("import numpy", "import  numpy"),
        ],
    )
    def test_words_for_readers_and_layout_do_not_matter(self, old, new):
        assert old in BASE
        assert strip_source(BASE.replace(old, new)) == strip_source(BASE)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("int64(3)", "int64(4)"),
            ("{2 * x:>3}", "{2 * x:>4}"),
            ("{2 * x:>3}", "{ 2 * x:>3}"),
            ("2 * x", "3 * x"),
            ("import numpy as np\n", 'import numpy as np\n"read me"; DEPTH = 1\n'),
            ("    return", "    pass\n    return"),
        ],
    )
    def test_code_matters(self, old, new):
        assert old in BASE
        assert strip_source(BASE.replace(old, new)) != strip_source(BASE)

    def test_code_that_shares_a_line_with_a_string_matters(self):
        assert strip_source('"a"; x = 1\n') != strip_source('"a"; x = 2\n')
        assert strip_source('def f(): "a"; return 1\n') != strip_source('def f(): "a"; return 2\n')

    def test_indentation_matters(self):
        inside = "while x:\n    x -= 1\n    y += 1\n"
        assert strip_source(inside) != strip_source(inside.replace("    y", "y"))

    def test_every_name_and_number_of_a_module_matters(self):
        source = (PACKAGE / "history.py").read_text("utf-8")
        stripped = strip_source(source)
        lines = source.splitlines(keepends=True)
        changed = 0
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in {tokenize.NAME, tokenize.NUMBER} and not keyword.iskeyword(
                token.string
            ):
                row, column = token.start[0] - 1, token.end[1]
                edited = lines.copy()
                edited[row] = f"{lines[row][:column]}0{lines[row][column:]}"
                assert strip_source("".join(edited)) != stripped, token
                changed += 1
        assert changed > 100


class TestSourceDigest:
    @pytest.fixture
    def package(self, tmp_path):
        (tmp_path / "one.py").write_text(BASE)
        return tmp_path

    def test_a_new_module_counts(self, package):
        before = digest_now(package)
        (package / "two.py").write_text("")
        assert digest_now(package) != before

    def test_the_name_of_a_module_counts(self, package):
        before = digest_now(package)
        (package / "one.py").rename(package / "two.py")
        assert digest_now(package) != before

    @pytest.mark.parametrize("name", sorted(jit.SHELL_MODULES))
    def test_a_module_that_only_talks_does_not(self, package, name):
        before = digest_now(package)
        (package / name).write_text("print('hello')\n")
        assert digest_now(package) == before

    def test_no_kernel_module_imports_one_that_does_not_count(self):
        talkers = {name.removesuffix(".py") for name in jit.SHELL_MODULES}
        for path in PACKAGE.glob("*.py"):
            if path.name not in jit.SHELL_MODULES:
                words = set(strip_source(path.read_text("utf-8")).split())
                assert not words & talkers, path.name

    def test_it_is_the_engines_own_by_default(self):
        assert source_digest() == digest_now(PACKAGE)


class TestBackend:
    def test_an_unknown_one_is_refused(self, monkeypatch):
        monkeypatch.setenv("NUMBISHOP_SLIDERS", "hash")
        with pytest.raises(ValueError, match="'hash'; expected pext, magic or rays"):
            slider_backend()

    def test_pext_is_refused_where_it_cannot_be_compiled(self, monkeypatch):
        monkeypatch.setenv("NUMBISHOP_SLIDERS", "pext")
        monkeypatch.setattr(jit, "has_fast_pext", lambda: False)
        with pytest.raises(ValueError, match="cannot use"):
            slider_backend()


class TestCheckedFiles:
    def test_round_trip(self, tmp_path):
        path = tmp_path / "a.nbc"
        write_checked(path, b"machine code")
        assert read_checked(path) == b"machine code"
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("position", [0, 31, 32, -1])
    def test_a_flipped_bit_is_found(self, tmp_path, position):
        path = tmp_path / "a.nbc"
        write_checked(path, b"machine code")
        content = bytearray(path.read_bytes())
        content[position] ^= 1
        path.write_bytes(content)
        with pytest.raises(DamagedFileError):
            read_checked(path)

    @pytest.mark.parametrize("length", [0, 1, 31, 32, 43])
    def test_a_cut_file_is_found(self, tmp_path, length):
        path = tmp_path / "a.nbc"
        write_checked(path, b"machine code")
        os.truncate(path, length)
        with pytest.raises(DamagedFileError):
            read_checked(path)

    def test_a_failed_write_leaves_nothing_behind(self, tmp_path):
        target = tmp_path / "a.nbc"
        target.mkdir()  # a file cannot replace it
        with pytest.raises(OSError, match="directory"):
            write_checked(target, b"machine code")
        assert list(tmp_path.iterdir()) == [target]


def _library(dynamic: bool) -> SimpleNamespace:
    """What `save_overload` looks at in a compile result."""
    return SimpleNamespace(
        lifted=(), library=SimpleNamespace(has_dynamic_globals=dynamic), _reduce=lambda: (1, 2)
    )


class TestKernelCache:
    @pytest.fixture(autouse=True)
    def _say_everything(self):
        kernel_cache.notice.cache_clear()

    def test_each_signature_has_a_file(self, tmp_path):
        cache = KernelCache(prune, tmp_path)
        cache.save_overload("(int64,)", _library(False))
        cache.save_overload("(uint64,)", _library(False))
        names = sorted(path.name for path in tmp_path.iterdir())
        assert len(names) == 2
        assert all(name.startswith("engine.kernel_cache.prune-") for name in names)
        assert all(pickle.loads(read_checked(tmp_path / name)) == (1, 2) for name in names)
        cache.flush()
        assert list(tmp_path.iterdir()) == []

    def test_a_full_disk_is_told_once_and_done_without(self, tmp_path, monkeypatch, capsys):
        def full(path: Path, data: bytes) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(kernel_cache, "write_checked", full)
        for _ in range(2):
            KernelCache(prune, tmp_path).save_overload("(int64,)", _library(False))
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "No space left on device" in told
        assert str(tmp_path) in told

    def test_what_cannot_be_cached_is_a_warning(self, tmp_path):
        with pytest.warns(RuntimeWarning, match=r"prune cannot be cached"):
            KernelCache(prune, tmp_path).save_overload("(int64,)", _library(True))
        assert list(tmp_path.iterdir()) == []


class TestPrune:
    def _folders(
        self, root: Path, count: int, days_old: float, suffix: str = "-engine"
    ) -> set[Path]:
        used = time.time() - days_old * 24 * 3600
        folders = {root / f"{days_old}x{number}{suffix}" for number in range(count)}
        for folder in folders:
            folder.mkdir()
            (folder / "a.nbc").write_bytes(b"")
            os.utime(folder, (used, used))
        return folders

    def test_the_last_used_stay(self, tmp_path):
        current = tmp_path / "new-engine"
        current.mkdir()
        kept = self._folders(tmp_path, kernel_cache.KEPT_FOLDERS - 1, days_old=10)
        self._folders(tmp_path, 3, days_old=20)
        prune(current)
        assert set(tmp_path.iterdir()) == kept | {current}

    def test_what_was_used_lately_stays(self, tmp_path):
        current = tmp_path / "new-engine"
        current.mkdir()
        kept = self._folders(tmp_path, 3 * kernel_cache.KEPT_FOLDERS, days_old=1)
        prune(current)
        assert set(tmp_path.iterdir()) == kept | {current}

    def test_the_current_one_stays_however_old(self, tmp_path):
        (current,) = self._folders(tmp_path, 1, days_old=99)
        self._folders(tmp_path, kernel_cache.KEPT_FOLDERS + 1, days_old=50)
        prune(current)
        assert current.exists()
        assert len(list(tmp_path.iterdir())) == kernel_cache.KEPT_FOLDERS

    def test_other_packages_are_left_alone(self, tmp_path):
        current = tmp_path / "new-engine"
        current.mkdir()
        others = self._folders(tmp_path, 20, days_old=50, suffix="-harness")
        prune(current)
        assert set(tmp_path.iterdir()) == others | {current}

    def test_use_is_noted(self, tmp_path):
        (folder,) = self._folders(tmp_path, 1, days_old=9)
        kernel_cache.mark_used(folder)
        assert time.time() - folder.stat().st_mtime < 60


class TestCacheRoot:
    @pytest.fixture
    def homeless(self, tmp_path, monkeypatch):
        """No home folder is known; the folder for temporary files is `tmp_path`."""
        monkeypatch.delenv("NUMBISHOP_CACHE_DIR", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.delenv("HOME")
        monkeypatch.setattr(pwd, "getpwuid", lambda uid: {}[uid])
        monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path))
        kernel_cache.notice.cache_clear()

    def test_the_variable_names_it(self, tmp_path, monkeypatch):
        monkeypatch.setenv("NUMBISHOP_CACHE_DIR", str(tmp_path))
        assert cache_root() == tmp_path
        assert cache_folder(PACKAGE, "engine").parent == tmp_path / "jit"

    def test_without_a_home_it_is_private(self, tmp_path, homeless, capsys):
        folder = cache_root()
        assert folder == cache_root()
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        assert capsys.readouterr().err.count("\n") == 1

    def test_somebody_elses_folder_is_refused(self, homeless, monkeypatch):
        monkeypatch.setattr(os, "getuid", lambda: 4242)
        with pytest.raises(PermissionError, match="belongs to someone else"):
            cache_root()


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A compiled toy package; each run is a process of its own."""
    package = ToyPackage(tmp_path_factory.mktemp("toy"))
    assert package.run().misses == 3
    return package


def test_damaged_files_are_told_and_healed(toy):
    damages = iter(
        [
            lambda content: b"",
            lambda content: content[: len(content) // 2],
            lambda content: os.urandom(len(content)),
            lambda content: content[:-9] + bytes([content[-9] ^ 4]) + content[-8:],
        ]
    )
    for path in toy.files():
        path.write_bytes(next(damages)(path.read_bytes()))
    damaged = toy.run()
    assert (damaged.entry, damaged.beyond, damaged.misses) == (33, 5, 3)
    assert damaged.stderr.count("\n") == 1
    assert "is damaged; compiling again" in damaged.stderr
    healed = toy.run()
    assert (healed.entry, healed.hits, healed.misses, healed.stderr) == (33, 3, 0, "")


def test_an_impossible_folder_is_told_and_done_without(toy, tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    run = toy.run(NUMBISHOP_CACHE_DIR=str(file / "cache"))
    assert (run.entry, run.misses) == (33, 3)
    assert run.stderr.count("\n") == 1
    assert "compiling in memory only" in run.stderr
    assert file.read_text() == "not a folder"


def test_no_home_is_told_and_caches_elsewhere(toy, tmp_path):
    unknown_user = "import pwd\npwd.getpwuid = lambda uid: {}[uid]\n"
    environment = {
        "NUMBISHOP_CACHE_DIR": None,
        "HOME": None,
        "XDG_CACHE_HOME": None,
        "TMPDIR": str(tmp_path),
    }
    first, second = (toy.run(unknown_user, **environment) for _ in range(2))
    assert (first.entry, first.misses) == (33, 3)
    assert (second.entry, second.hits) == (33, 3)
    for run in (first, second):
        assert run.stderr.count("\n") == 1
        assert f"no home folder; caching in {tmp_path}" in run.stderr
