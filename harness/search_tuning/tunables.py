"""What of an engine a study can tune: integers that are declared somewhere, and set in its config.

source     declared in                    set in
builtin    engine.parameters              [search]
uci, git   its answer to `uci`: spins     [options]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from engine.parameters import SEARCH, Parameter
from harness.program_config import greeting_of
from harness.search_tuning.space import Values
from harness.spec import EngineConfig

#: Of engines that can be tuned.
SOURCES: Final = ("builtin", "uci", "git")


class Tunables(Protocol):
    """One kind of engine; each method is given an engine of that kind."""

    @property
    def section(self) -> str:
        """Where its values stand, in configs and in space files."""

    @property
    def called(self) -> str:
        """What one of them is called."""

    def declared(self, engine: EngineConfig) -> Mapping[str, Parameter]:
        """All that can be tuned, by name. Raises EngineStartError where a program must be asked."""

    def completed(self, engine: EngineConfig, names: Iterable[str]) -> EngineConfig:
        """The same engine, its config saying the values of these names even where by default."""

    def values(self, engine: EngineConfig) -> Values:
        """The values that its config says."""

    def text(self, name: str, value: int) -> str:
        """A value as a config says it."""

    def changed(self, engine: EngineConfig, values: Values) -> EngineConfig:
        """The engine with other values."""


class SearchParameters:
    """Those of the working tree's engine, all of which its config has."""

    section = "search"
    called = "parameter"

    def declared(self, engine: EngineConfig) -> Mapping[str, Parameter]:
        return {parameter.name: parameter for parameter in SEARCH}

    def completed(self, engine: EngineConfig, names: Iterable[str]) -> EngineConfig:
        return engine

    def values(self, engine: EngineConfig) -> Values:
        return engine.search

    def text(self, name: str, value: int) -> str:
        return next(one.format(value) for one in SEARCH if one.name == name)

    def changed(self, engine: EngineConfig, values: Values) -> EngineConfig:
        return engine.model_copy(update={"search": engine.search | values})


class SpinOptions:
    """The options of type spin of a UCI program, of which its config has those that are set."""

    section = "options"
    called = "option of type spin"

    def declared(self, engine: EngineConfig) -> Mapping[str, Parameter]:
        assert engine.program is not None
        return {
            name: Parameter(name, spin.default, spin.low, spin.high, 1, "")
            for name, spin in greeting_of(engine.program).spins.items()
        }

    def completed(self, engine: EngineConfig, names: Iterable[str]) -> EngineConfig:
        declared = self.declared(engine)
        # Names are compared without case, and what is said last counts: each is to be there once.
        spelling = {name.lower(): name for name in declared}
        said = {spelling.get(key.lower(), key): text for key, text in engine.options.items()}
        defaults = {name: str(declared[name].default) for name in names}
        return engine.model_copy(update={"options": defaults | said})

    def values(self, engine: EngineConfig) -> Values:
        return {name: int(text) for name, text in engine.options.items() if _is_integer(text)}

    def text(self, name: str, value: int) -> str:
        return str(value)

    def changed(self, engine: EngineConfig, values: Values) -> EngineConfig:
        texts = {name: str(value) for name, value in values.items()}
        return engine.model_copy(update={"options": engine.options | texts})


def tunables_of(engine: EngineConfig) -> Tunables:
    """Those of the engine's kind."""
    return SearchParameters() if engine.program is None else SpinOptions()


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isdecimal()
