"""Engines of other revisions: found, loaded beside the run's own, and configured by themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.parameters import search_defaults
from engine.weights import weight_defaults
from harness import config as config_module
from harness.config import differences, load_engine_config, revision_config
from harness.engines import Schema, add_package, engine_module, package_name, schema_of
from harness.errors import EngineStartError, UsageError
from harness.revisions import RevisionEngine
from harness.spec import EngineConfig

DIGESTS = ("a" * 64, "b" * 64)
COMMIT = "c" * 40


@pytest.fixture
def two_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies of two engines whose modules import each other, where runs keep theirs."""
    monkeypatch.setenv("NUMBISHOP_CACHE_DIR", str(tmp_path))
    folders = []
    for number, digest in enumerate(DIGESTS):
        package = tmp_path / "src" / digest / "engine"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "constants.py").write_text(f"NUMBER = {number}\n")
        (package / "shell.py").write_text("from .constants import NUMBER\n")
        folders.append(package.parent)
    yield folders
    for name in [name for name in sys.modules if name.startswith(("engine_aaa", "engine_bbb"))]:
        del sys.modules[name]


def test_each_engine_has_modules_of_its_own(two_engines: list[Path]) -> None:
    shells = [engine_module(digest, "shell") for digest in DIGESTS]
    assert [shell.NUMBER for shell in shells] == [0, 1]
    assert [shell.__name__ for shell in shells] == [
        f"{package_name(digest)}.shell" for digest in DIGESTS
    ]
    assert engine_module(DIGESTS[0], "shell") is shells[0]
    assert engine_module("", "parameters") is sys.modules["engine.parameters"]


def test_a_copy_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineStartError, match="no engine there; expected the copy"):
        add_package(tmp_path / ("d" * 64))


@pytest.fixture
def old_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Revision `old` does not know `lmr_base` and `tempo`; the null move is off in it."""
    own = schema_of("")
    parameters = {name: one for name, one in own.parameters.items() if name != "lmr_base"}
    parameters["null_move"] = parameters["null_move"]._replace(default=0)
    terms = {name: term for name, term in own.terms.items() if name != "tempo"}
    old = Schema(parameters, terms)

    def find(revision: str) -> RevisionEngine:
        if revision != "old":
            raise UsageError(f"{revision}: no such revision; expected one that git knows")
        return RevisionEngine(COMMIT, DIGESTS[0])

    monkeypatch.setattr(config_module, "find_engine", find)
    monkeypatch.setattr(config_module, "schema_of", lambda digest: old if digest else own)
    monkeypatch.chdir(tmp_path)


def read(text: str) -> EngineConfig:
    Path("x.cfg").write_text(text, encoding="utf-8")
    return load_engine_config("x.cfg")


@pytest.mark.usefixtures("old_engine")
class TestConfigs:
    def test_what_a_config_leaves_out_is_as_in_the_revision(self) -> None:
        config = read("[engine]\nsource = builtin@old\n[search]\nkillers = 0\n")
        assert (config.source, config.source_digest) == (f"builtin@{COMMIT}", DIGESTS[0])
        assert (config.search["null_move"], config.search["killers"]) == (0, 0)
        assert "lmr_base" not in config.search
        assert "tempo" not in config.weights

    def test_what_the_revision_does_not_know_is_refused(self) -> None:
        with pytest.raises(UsageError) as caught:
            read("[engine]\nsource = builtin@old\n[search]\nlmr_base = 0.80\n")
        assert str(caught.value).startswith(
            "x.cfg, line 4: search.lmr_base = 0.80: no such key in the engine of builtin@cccccccc;"
        )

    def test_a_revision_that_there_is_not(self) -> None:
        with pytest.raises(UsageError) as caught:
            read("[engine]\nsource = builtin@nix\n")
        assert str(caught.value) == (
            "x.cfg, line 2: engine.source = builtin@nix: nix: no such revision; expected one that"
            " git knows"
        )

    def test_differences_name_what_only_one_of_them_has(self) -> None:
        told = differences(EngineConfig(name="new"), revision_config("old"))
        assert f"engine.source: builtin against builtin@{COMMIT}" in told
        assert "search.lmr_base: 0.75 against –" in told
        assert "search.null_move: 1 against 0" in told
        assert "evaluation.tempo: 15 11 against –" in told

    def test_a_revision_s_name_is_what_was_typed(self) -> None:
        assert revision_config("old").name == "old"


def test_a_revision_with_the_same_engine_is_the_working_tree_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(config_module, "find_engine", lambda _: RevisionEngine(COMMIT, ""))
    config = revision_config("HEAD")
    assert (config.source, config.source_digest) == ("builtin", "")
    assert config.search == search_defaults()
    assert config.weights == weight_defaults()


def test_digests_are_of_the_sources_and_not_of_the_commit() -> None:
    first, second = (
        EngineConfig(name="x", source=f"builtin@{commit * 40}", source_digest=DIGESTS[0])
        for commit in "12"
    )
    other = first.model_copy(update={"source_digest": DIGESTS[1]})
    assert first.digest() == second.digest()
    assert len({first.digest(), other.digest(), EngineConfig(name="x").digest()}) == 3
