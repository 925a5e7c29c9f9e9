"""Config files: what they mean, and the sentence each mistake gets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.parameters import SEARCH, search_defaults
from engine.weights import EVALUATION, weight_defaults
from harness.base_config import base_config
from harness.config import (
    AdjudicationConfig,
    EngineConfig,
    Limit,
    MatchSpec,
    OpeningSpec,
    SprtSpec,
    differences,
    load_engine_config,
)
from harness.errors import UsageError
from harness.ini import REPOSITORY_CONFIGS, read_chain, read_entries
from harness.spec import parse_spec

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def refusal(text: str) -> str:
    """The sentence that a config file with this text gets."""
    with pytest.raises(UsageError) as caught:
        load_engine_config(write("x.cfg", text))
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- The shipped configs -----------------------------------------------------------------------


def test_base_cfg_names_every_search_parameter_with_its_default():
    entries = {
        (entry.section, entry.key): entry.text for entry in read_entries(CONFIGS / "base.cfg")
    }
    for parameter in SEARCH:
        assert entries["search", parameter.name] == parameter.format(parameter.default)
    assert {key for section, key in entries if section == "search"} == set(search_defaults())


def test_base_cfg_is_what_the_parameter_list_gives():
    expected = "\n".join(base_config()) + "\n"
    shipped = (CONFIGS / "base.cfg").read_text(encoding="utf-8")
    assert shipped == expected, "run: python -m harness.base_config > configs/base.cfg"


def test_base_cfg_plays_as_the_defaults():
    base = load_engine_config("base.cfg")
    assert base.search == search_defaults()
    assert base.weights == weight_defaults()
    assert base.digest() == EngineConfig(name="any").digest()


def test_new_cfg_is_a_template_that_changes_nothing_yet():
    new = load_engine_config("new.cfg")
    assert new.name == "new"
    assert new.digest() == load_engine_config("base.cfg").digest()


def test_the_demo_differs_in_one_or_two_search_values():
    lines = differences(load_engine_config("demo/new.cfg"), load_engine_config("demo/base.cfg"))
    assert 1 <= len(lines) <= 2
    assert all(line.startswith("search.") for line in lines)


# --- Where files are looked up, and in which order values hold ----------------------------------


def test_a_file_here_comes_before_one_in_configs():
    write("configs/base.cfg", "[search]\nlmr_base = 0.10\n")
    assert load_engine_config("base.cfg").search["lmr_base"] == 10
    assert load_engine_config("base.cfg").path == "configs/base.cfg"
    write("base.cfg", "[search]\nlmr_base = 0.20\n")
    assert load_engine_config("base.cfg").search["lmr_base"] == 20
    assert load_engine_config("base.cfg").path == "base.cfg"


def test_a_missing_file_says_where_it_was_looked_for():
    with pytest.raises(UsageError, match=r"config file 'nil\.cfg' not found; looked for nil\.cfg,"):
        load_engine_config("nil.cfg")


def test_override_over_file_over_extends_over_default():
    write("deep/base.cfg", "[search]\nlmr_base = 0.10\nlmr_divisor = 2\nnull_move = 0\n")
    write("x.cfg", "[engine]\nextends = deep/base.cfg\n[search]\nlmr_base = 0.20\nnull_move = 1\n")
    config = load_engine_config("x.cfg", {"search.lmr_base": "0.30"})
    assert config.search["lmr_base"] == 30
    assert config.search["null_move"] == 1
    assert config.search["lmr_divisor"] == 200
    assert config.search["killers"] == search_defaults()["killers"]


def test_extends_is_relative_to_its_file_and_may_be_a_chain():
    write("a/b/c.cfg", "[engine]\nextends = ../d.cfg\n[search]\nlmr_base = 0.11\n")
    write("a/d.cfg", "[engine]\nextends = e.cfg\n[search]\nlmr_base = 0.12\nlmr_min_depth = 5\n")
    write("a/e.cfg", "[search]\nlmr_min_depth = 6\nlmr_min_moves = 7\n")
    search = load_engine_config("a/b/c.cfg").search
    assert (search["lmr_base"], search["lmr_min_depth"], search["lmr_min_moves"]) == (11, 5, 7)


def test_the_name_is_not_inherited():
    write("b.cfg", "[engine]\nname = someone\n")
    write("mine.cfg", "[engine]\nextends = b.cfg\n")
    assert load_engine_config("b.cfg").name == "someone"
    assert load_engine_config("mine.cfg").name == "mine"


def test_extending_in_a_circle_is_refused():
    write("a.cfg", "[engine]\nextends = b.cfg\n")
    write("b.cfg", "[engine]\nextends = ./a.cfg\n")
    with pytest.raises(UsageError, match=r"b\.cfg, line 2: engine\.extends = \./a\.cfg: .*circle"):
        load_engine_config("a.cfg")


def test_extending_a_missing_file_names_the_line():
    assert refusal("[engine]\n\nextends = nil.cfg\n").startswith(
        "x.cfg, line 3: engine.extends = nil.cfg: no such file; looked for nil.cfg, configs/nil.cfg"
    )


def test_what_is_extended_is_looked_for_beside_the_file_then_in_configs():
    write("configs/other.cfg", "[search]\nlmr_base = 0.10\n")
    write("deep/x.cfg", "[engine]\nextends = other.cfg\n")
    assert load_engine_config("deep/x.cfg").search["lmr_base"] == 10
    write("deep/other.cfg", "[search]\nlmr_base = 0.20\n")
    assert load_engine_config("deep/x.cfg").search["lmr_base"] == 20


def test_options_and_source():
    write("x.cfg", "[engine]\nsource = builtin\n[options]\nHash = 064\n")
    config = load_engine_config("x.cfg")
    assert (config.source, config.options, config.hash_mb) == ("builtin", {"Hash": "64"}, 64)


# --- Evaluation --------------------------------------------------------------------------------


def board(first: int) -> str:
    rows = [" ".join(str(first + 8 * rank + file) for file in range(8)) for rank in range(8)]
    return "\n" + "\n".join("    " + row for row in rows)


def test_scalar_terms_and_boards():
    text = f"[evaluation]\ntempo = 7 -3\npawn_squares_mg = {board(100)}\n# end of board\n"
    weights = load_engine_config(write("x.cfg", text)).weights
    assert weights["tempo"] == ((7,), (-3,))
    middlegame, endgame = weights["pawn_squares"]
    assert middlegame == tuple(range(100, 164))  # rank 8 first: 100 is a8, 163 is h1
    assert endgame == weight_defaults()["pawn_squares"][1]
    assert set(weights) == {term.name for term in EVALUATION}


def test_lists_of_weights_may_be_broken_into_lines():
    text = "[evaluation]\npassed_pawn_mg = 1 2 3\n    4 5 6\n"
    weights = load_engine_config(write("x.cfg", text)).weights
    assert weights["passed_pawn"] == ((1, 2, 3, 4, 5, 6), weight_defaults()["passed_pawn"][1])


def test_weights_come_from_another_file_and_single_keys_stand_above_them():
    write("w/texel.cfg", "[evaluation]\ntempo = 1 2\nqueen_value = 900 901\n")
    write("b.cfg", "[evaluation]\ntempo = 3 4\nrook_value = 5 6\n")
    write(
        "x.cfg",
        "[engine]\nextends = b.cfg\n[evaluation]\nqueen_value = 7 8\nweights = w/texel.cfg\n",
    )
    weights = load_engine_config("x.cfg").weights
    assert weights["tempo"] == ((1,), (2,))  # the weights are x.cfg's word, b.cfg is below it
    assert weights["queen_value"] == ((7,), (8,))
    assert weights["rook_value"] == ((5,), (6,))


def test_a_weights_file_holds_nothing_else():
    write("w.cfg", "[evaluation]\ntempo = 1 2\n[search]\nnull_move = 0\n")
    assert refusal("[evaluation]\nweights = w.cfg\n") == (
        "w.cfg, line 4: search.null_move = 0: expected only an [evaluation] section in a file of"
        " weights"
    )


@pytest.mark.parametrize(
    ("line", "expectation"),
    [
        ("tempo = 7", "tempo = 7: expected two integers, middlegame and endgame"),
        ("tempo = 7 x", "tempo = 7 x: 'x' is no integer; expected centipawns"),
        ("tempo = 7 20001", "20001 is out of range; expected at most 20000 either way"),
        ("pawn_squares_mg = 1 2 3", "expected a board of 8 rows of 8 integers, rank 8 first"),
        ("passed_pawn_mg = 1 2 3", "passed_pawn_mg = 1 2 3: expected 6 integers"),
        ("pawn_squares = 1 2", "no such key; did you mean pawn_squares_"),
        ("weights = nil.cfg", "weights = nil.cfg: no such file; looked for nil.cfg"),
    ],
)
def test_bad_weights(line, expectation):
    sentence = refusal(f"[evaluation]\n{line}\n")
    assert sentence.startswith("x.cfg, line 2: evaluation.")
    assert expectation in sentence


# --- Mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[search]\n# a comment\n\nlmr_bse = 0.8\n",
            "x.cfg, line 4: search.lmr_bse = 0.8: no such key; did you mean lmr_base?",
        ),
        (
            "[search]\nLMR_BASE = 0.8\n",
            "x.cfg, line 2: search.LMR_BASE = 0.8: no such key; did you mean lmr_base?",
        ),
        (
            "[searhc]\nlmr_base = 0.8\n",
            "x.cfg, line 2: searhc.lmr_base = 0.8: no such section; did you mean search?",
        ),
        (
            "[search]\nlmr_base = 9\n",
            "x.cfg, line 2: search.lmr_base = 9: expected a number in steps of 0.01 from 0.00"
            " to 4.00",
        ),
        (
            "[search]\nnull_move = yes\n",
            "x.cfg, line 2: search.null_move = yes: expected 0 (off) or 1 (on)",
        ),
        (
            "[search]\nnull_move = 1 # on\n",
            "x.cfg, line 2: search.null_move = 1 # on: expected 0 (off) or 1 (on)"
            " (a comment must be on a line of its own)",
        ),
        (
            "[engine]\nsource = stockfish\n",
            "x.cfg, line 2: engine.source = stockfish: unknown source; expected builtin,"
            " builtin@REV with a git revision, uci or git",
        ),
        (
            "[options]\nhash = 16\n",
            "x.cfg, line 2: options.hash = 16: no such key; did you mean Hash?",
        ),
        (
            "[options]\nHash = 0\n",
            "x.cfg, line 2: options.Hash = 0: expected an integer from 1 to 65536 (MB of the"
            " transposition table)",
        ),
        ("[engine]\nname =\n", "x.cfg, line 2: engine.name = : expected a name of 1 to 64"),
        ("lmr_base = 1\n", "x.cfg, line 1: 'lmr_base = 1': expected a [section] first"),
        ("[search]\nnull_move\n", "x.cfg, line 2: 'null_move': expected `key = value`"),
        (
            "[search]\nnull_move = 1\nnull_move = 0\n",
            "x.cfg, line 3: search.null_move is given twice",
        ),
        ("[search]\n[search]\n", "x.cfg, line 2: section [search] is given twice"),
        ("[limit]\nnodes = 0\n", "x.cfg, line 2: limit.nodes = 0: expected an integer from 1 to"),
        ("[limit]\ntc = soon\n", "x.cfg, line 2: limit.tc = soon: expected [moves/][minutes:]"),
        (
            "[limit]\nnodes = 9\ndepth = 9\n",
            "x.cfg, line 3: limit.depth = 9: expected one kind of limit, but nodes is given too",
        ),
    ],
)
def test_each_mistake_gets_its_sentence(text, sentence):
    assert refusal(text).startswith(sentence)


def test_not_text(tmp_path):
    (tmp_path / "x.cfg").write_bytes(b"[search]\n\xff\xfe\n")
    with pytest.raises(UsageError, match=r"x\.cfg: not UTF-8 text"):
        load_engine_config("x.cfg")


def test_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    (tmp_path / "x.cfg").write_bytes(b"\xef\xbb\xbf[search]\r\nnull_move = 0\r\n")
    assert load_engine_config("x.cfg").search["null_move"] == 0


def test_an_override_is_named_as_one():
    write("x.cfg", "")
    with pytest.raises(UsageError, match=r"^override: search\.lmr_base = 9: expected a number"):
        load_engine_config("x.cfg", {"search.lmr_base": "9"})


# --- Limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms", "moves", "tag"),
    [
        ("10+0.1", 10_000, 100, 0, "10+0.1"),
        ("40/60+0.6", 60_000, 600, 40, "40/60+0.6"),
        ("40/9000", 9_000_000, 0, 40, "40/9000"),
        ("2:30", 150_000, 0, 0, "150"),
        (" .5 ", 500, 0, 0, "0.5"),
        ("0.001", 1, 0, 0, "0.001"),
    ],
)
def test_time_controls(text, base_ms, increment_ms, moves, tag):
    limit = Limit.parse_tc(text)
    assert (limit.base_ms, limit.increment_ms) == (base_ms, increment_ms)
    assert limit.moves_per_session == moves
    assert str(limit) == tag
    assert Limit.parse_tc(tag) == limit
    assert limit.has_clock
    assert not limit.is_deterministic


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "10+", "+1", "0/10", "1001/10", "10+0.1+1", "1e3", "inf", "86401", "٣"]
)
def test_impossible_time_controls(text):
    with pytest.raises(ValueError, match="expected"):
        Limit.parse_tc(text)


def test_other_limits_as_pgn_writes_them():
    assert str(Limit(nodes=5000)) == "-"
    assert str(Limit(movetime_ms=100)) == "1/0.1"
    assert Limit(nodes=5000).describe() == "5000 nodes a move"
    assert Limit(nodes=5000).is_deterministic
    assert not Limit(movetime_ms=100).is_deterministic


def test_a_limit_must_limit():
    with pytest.raises(ValidationError, match="a limit needs nodes"):
        Limit()
    with pytest.raises(ValidationError, match="needs a clock"):
        Limit(nodes=1, increment_ms=1)


def test_a_handicap_replaces_the_inherited_one():
    write("b.cfg", "[limit]\nnodes = 100\n")
    write("x.cfg", "[engine]\nextends = b.cfg\n[limit]\ntc = 1+0.01\n")
    assert load_engine_config("b.cfg").limit == Limit(nodes=100)
    assert load_engine_config("x.cfg").limit == Limit(base_ms=1000, increment_ms=10)


# --- The specification of a run ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"elo0": 5, "elo1": 5}, "elo1 = 5: expected more than elo0"),
        ({"alpha": 0.5}, "alpha = 0.5: expected a number between 0 and 0.5"),
        ({"beta": 0.0}, "beta = 0: expected a number between 0 and 0.5"),
        ({"alpha": float("nan")}, "alpha = nan"),
        ({"elo1": float("inf")}, "elo1 = inf: expected a number from"),
    ],
)
def test_impossible_bounds(values, sentence):
    with pytest.raises(ValidationError, match=sentence):
        SprtSpec(**values)


def spec(**changes: object) -> MatchSpec:
    values: dict[str, object] = {
        "new": EngineConfig(name="new", search=search_defaults() | {"null_move": 0}),
        "base": EngineConfig(name="base"),
        "limit": Limit(nodes=5000),
    }
    return MatchSpec.model_validate(values | changes)


def test_the_hash_leaves_out_what_does_not_determine_the_games():
    renamed = EngineConfig(name="other", path="/elsewhere/x.cfg")
    assert spec().spec_hash() == spec(base=renamed).spec_hash()
    book = OpeningSpec(kind="book", path="a.epd", sha256="0" * 64)
    moved = book.model_copy(update={"path": "b.epd"})
    assert spec(openings=book).spec_hash() == spec(openings=moved).spec_hash()


@pytest.mark.parametrize(
    "changes",
    [
        {"new": EngineConfig(name="new")},
        {"base": EngineConfig(name="base", options={"Hash": "32"})},
        {"base": EngineConfig(name="base", limit=Limit(nodes=1))},
        {"base": EngineConfig(name="base", source="null")},
        {"limit": Limit(nodes=5001)},
        {"openings": OpeningSpec(start=1)},
        {"openings": OpeningSpec(bound_cp=1)},
        {"openings": OpeningSpec(kind="book", sha256="1")},
        {"adjudication": AdjudicationConfig(enabled=False)},
        {"seed": 2},
        {"sprt": SprtSpec(elo1=6)},
        {"sprt": None},
        {"max_games": 100},
        {"source_digest": "x"},
        {"tool_version": "9"},
    ],
)
def test_the_hash_sees_what_does(changes):
    assert spec(**changes).spec_hash() != spec().spec_hash()


def test_new_and_base_are_not_interchangeable():
    one = spec()
    assert one.spec_hash() != spec(new=one.base, base=one.new).spec_hash()


def test_the_hash_survives_json():
    assert MatchSpec.model_validate_json(spec().model_dump_json()).spec_hash() == spec().spec_hash()


def test_specs_are_frozen_and_know_their_keys():
    with pytest.raises(ValidationError):
        spec().seed = 2
    with pytest.raises(ValidationError):
        MatchSpec.model_validate(spec().model_dump() | {"sede": 2})
    with pytest.raises(ValidationError):
        spec(max_games=3)


def test_differences_in_words():
    new = EngineConfig(
        name="new",
        source="null",
        search=search_defaults() | {"lmr_base": 80},
        weights=weight_defaults() | {"tempo": ((1,), (2,))},
        options={"Hash": "1"},
        limit=Limit(nodes=10),
    )
    base = EngineConfig(name="base")
    assert differences(new, base) == [
        "engine.source: null against builtin",
        "search.lmr_base: 0.80 against 0.75",
        "evaluation.tempo: 1 2 against 15 11",
        "options.Hash: 1 against 16",
        "limit of new: 10 nodes a move",
    ]
    assert differences(base, base) == []


def test_reading_configs_imports_no_numba():
    code = "import sys, harness.config, harness.openings; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_specification_says_of_which_kind_it_is():
    assert parse_spec(spec().model_dump_json()) == spec()
    for text in ('{"kind": "chess"}', "[]"):
        with pytest.raises(ValueError, match="expected one of match"):
            parse_spec(text)


def test_a_specification_without_a_kind_is_a_match_s():
    """As those of the first versions are, whose hashes must not change."""
    values = spec().model_dump(mode="json")
    del values["kind"]
    assert parse_spec(json.dumps(values)) == spec()


def test_a_rating_is_the_file_s_own_and_no_part_of_the_engine(tmp_path):
    (tmp_path / "weak.cfg").write_text("[engine]\nsource = null\nrating = 1923.5\n")
    (tmp_path / "child.cfg").write_text("[engine]\nextends = weak.cfg\n")
    weak, child = (load_engine_config(str(tmp_path / f"{name}.cfg")) for name in ("weak", "child"))
    assert (weak.rating_elo, child.rating_elo) == (1923.5, None)
    assert weak.digest() == child.digest()


@pytest.mark.parametrize("text", ["strong", "1e3", "nan", "123456", ""])
def test_a_rating_is_a_number(tmp_path, text):
    (tmp_path / "weak.cfg").write_text(f"[engine]\nsource = null\nrating = {text}\n")
    with pytest.raises(UsageError, match=r"line 3: engine\.rating = .*expected a rating in Elo"):
        load_engine_config(str(tmp_path / "weak.cfg"))


def test_the_ladder_s_files_name_their_programs_and_ratings():
    """As text: the programs need not be on this machine."""
    ladder = sorted((REPOSITORY_CONFIGS / "ladder").glob("*.cfg"))
    rated = {}
    for path in ladder:
        keys = {
            (e.section, e.key): e.text
            for layer in read_chain(path, ("engine", "extends"))
            for e in layer
        }
        assert keys["engine", "source"] == "uci"
        own = {e.key: e.text for e in read_entries(path) if e.section == "engine"}
        rated[own["name"]] = float(own["rating"]) if "rating" in own else None
    assert len(rated) == len(ladder) == 8
    assert [name for name, rating in rated.items() if rating is None] == ["toga"]
    skills = [rating for name, rating in rated.items() if name.startswith("skill") and rating]
    assert skills == sorted(skills)
