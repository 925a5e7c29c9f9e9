"""What a study tunes: parameters of our engine, options of a program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.config import load_engine_config
from harness.errors import UsageError
from harness.search_tuning.candidate import candidate_config
from harness.search_tuning.space import Dimension, Space
from harness.search_tuning.space_file import read_space
from harness.search_tuning.tunables import tunables_of
from harness.spec import EngineConfig
from tests.match.engines import SCRIPT, scripted
from tests.match.studies import small_study

OWN = EngineConfig(name="base")
HASH = Space(dimensions=(Dimension(name="Hash", low=1, high=32),))


def test_an_engine_gets_the_values_and_the_fixed_ones() -> None:
    space = Space(dimensions=(Dimension(name="lmr_base", low=0, high=200),), fixed={"lmr_pv": 0})
    engine = small_study(base=OWN, space=space).engine({"lmr_base": 120}, "new")
    assert engine.search == OWN.search | {"lmr_base": 120, "lmr_pv": 0}
    assert (engine.name, engine.options) == ("new", OWN.options)


def test_a_program_gets_them_as_options() -> None:
    spec = small_study(base=scripted(Hash="16", Style="wild"), space=HASH)
    assert spec.base_values() == {"Hash": 16}
    engine = spec.engine({"Hash": 8}, "new")
    assert (engine.name, engine.options) == ("new", {"Hash": "8", "Style": "wild"})
    assert engine.program == spec.base.program


def test_what_a_program_is_not_told_has_its_declared_default_and_one_spelling() -> None:
    for base, options in ((scripted(), {"Hash": "1"}), (scripted(hash="16"), {"Hash": "16"})):
        assert tunables_of(base).completed(base, ["Hash"]).options == options


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[options]\nHsah = 1 to 8\n", "no such option of type spin of the engine; did you mean"),
        ("[options]\nClear Hash = 0 to 1\n", "line 2: options.Clear Hash = 0 to 1: no such option"),
        ("[options]\nHash = 1 to 128\n", "128 is not a value of the engine's; expected an integer"),
        ("[options]\nHash = 1 to 8\n[fixed]\nHash = 2\n", "it has a range too"),
        ("[search]\nlmr_base = 0 to 1\n", "no such section; expected one of options, fixed, at_m"),
        ("[fixed]\nHash = 2\n", "no parameter to tune; expected a [options] section"),
    ],
)
def test_a_wrong_space_of_a_program_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "space.cfg"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_space(str(path), scripted())
    assert told in str(refused.value)


def test_the_candidate_sets_options_beside_those_of_its_base(tmp_path: Path) -> None:
    (tmp_path / "base.cfg").write_text(
        f"[engine]\nsource = uci\ncommand = {sys.executable}\narguments = -IS {SCRIPT}\n"
        "[options]\nHash = 16\nClear Hash =\n"
    )
    spec = small_study(base=load_engine_config(str(tmp_path / "base.cfg")), space=HASH)
    (tmp_path / "found.cfg").write_text(candidate_config(spec, {"Hash": 8}, tmp_path, "found"))
    loaded = load_engine_config(str(tmp_path / "found.cfg"))
    assert loaded.options == {"Hash": "8", "Clear Hash": ""}
    assert loaded.digest() == spec.engine({"Hash": 8}, "found").digest()
