"""The promises that the repository's own files make to each other."""

import os
import re
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points, version
from pathlib import Path

import click
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness.cli import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
GATE = (ROOT / ".ci" / "run").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GUIDES = [f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", *GUIDES]


def shell_blocks(markdown: str) -> list[str]:
    """The text of each fenced shell block."""
    return [block.strip() for block in re.findall(r"^```bash\n(.*?)^```$", markdown, re.M | re.S)]


def tracked_files() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not a git checkout: {error}")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


class TestReadme:
    def test_shows_exactly_two_commands_of_one_line(self) -> None:
        commands = shell_blocks(README)
        assert len(commands) == 2
        assert all("\n" not in command for command in commands)

    def test_the_first_command_is_the_main_job(self) -> None:
        first = shell_blocks(README)[0]
        assert first.endswith(".venv/bin/harness sprt demo/new.cfg demo/base.cfg")
        assert "'.[report]'" in first

    def test_the_gate_executes_the_second_command(self) -> None:
        assert shell_blocks(README)[1] in GATE.splitlines()

    def test_both_commands_make_their_own_pinned_environment(self) -> None:
        for command in shell_blocks(README):
            assert command.startswith(
                "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e "
            )

    def test_exit_codes_are_those_of_the_errors(self) -> None:
        from harness import errors

        codes = {
            int(code)
            for code in re.findall(r"^\| ([\d, ]+) \|", README, re.M)
            for code in code.split(", ")
        }
        raised = {errors.UsageError, errors.EngineStartError, errors.Interrupted}
        assert {error.exit_code for error in raised} <= codes


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_lead_somewhere(name: str) -> None:
    document = ROOT / name
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text("utf-8"))
    for link in links:
        if "://" not in link:
            assert (document.parent / link).exists(), f"{name}: {link}"


def commands_of(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield command
        if isinstance(command, click.Group):
            yield from commands_of(command)


def options_of_the_commands() -> set[str]:
    return {
        option
        for command in commands_of(main)
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help"}


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        *(
            f"docs/{name}.md"
            for name in (
                "sprt",
                "tournaments",
                "perft",
                "bench",
                "epd",
                "texel",
                "search-tuning",
                "data",
            )
        ),
    ],
)
def test_options_named_in_the_documents_exist(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text))
    assert named
    assert named <= options_of_the_commands()


class TestGate:
    def test_is_executable_and_stops_at_the_first_failure(self) -> None:
        assert os.stat(ROOT / ".ci" / "run").st_mode & stat.S_IXUSR
        assert "set -euo pipefail" in GATE

    @pytest.mark.parametrize(
        "command", ["ruff check", "ruff format --check", "mypy", "lint-imports", "codespell"]
    )
    def test_runs(self, command: str) -> None:
        assert f"step .venv/bin/{command}" in GATE.splitlines()

    def test_workflow_calls_it_on_the_supported_versions(self) -> None:
        workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
        job = workflow["jobs"]["gate"]
        assert job["steps"][-1] == {"run": ".ci/run"}
        matrix = job["strategy"]["matrix"]
        assert matrix["python"] == ["3.11", "3.13"]
        assert [extra["boundscheck"] for extra in matrix["include"]] == ["1"]

    def test_the_nightly_workflow_keeps_its_history_and_publishes_it(self) -> None:
        workflow = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text("utf-8"))
        triggers = workflow[True]  # YAML 1.1 reads `on` as a truth value
        assert triggers.keys() == {"schedule", "workflow_dispatch"}
        assert len(triggers["schedule"][0]["cron"].split()) == 5
        (job,) = workflow["jobs"].values()
        steps = job["steps"]
        assert all(("uses" in step) != ("run" in step) for step in steps)
        used = {
            step["uses"].partition("@")[0]: step.get("with", {}) for step in steps if "uses" in step
        }
        assert used["actions/checkout"]["fetch-depth"] == 0
        kept = used["actions/cache/restore"]["path"]
        assert used["actions/cache/save"]["path"] == kept
        assert used["actions/cache/restore"]["key"] == used["actions/cache/save"]["key"]
        night = next(n for n, step in enumerate(steps) if "harness nightly" in step.get("run", ""))
        assert len(steps) > night + 1
        assert all(step["if"] == "always()" for step in steps[night + 1 :]), "after a bad night too"
        assert steps[night]["shell"] == "bash", "which has the exit code of a pipe's first command"
        command = steps[night]["run"]
        files = re.findall(r"--(?:history|page|json) (\S+)", command)
        assert all(file.startswith(f"{kept}/") for file in files)
        assert set(used["actions/upload-artifact"]["path"].split()) == set(files)
        assert job["env"]["NUMBISHOP_CACHE_DIR"].endswith(f"/{kept}/cache")
        options = {option for one in main.commands["nightly"].params for option in one.opts}
        assert set(re.findall(r"--[a-z]+", command)) <= options

    def test_workflows_keep_to_the_schema(self, tmp_path: Path) -> None:
        """To the one that editors use, which check-jsonschema brings along."""

        def check(*workflows: Path) -> subprocess.CompletedProcess[str]:
            command = ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]
            beside_python = Path(sys.executable).parent / command[0]
            return subprocess.run(
                [beside_python, *command[1:], *workflows],
                capture_output=True,
                text=True,
                check=False,
            )

        workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
        assert {path.name for path in workflows} == {"ci.yml", "nightly.yml"}
        found = check(*workflows)
        assert found.returncode == 0, found.stdout
        broken = tmp_path / "broken.yml"
        broken.write_text(workflows[0].read_text("utf-8").replace("runs-on:", "run-on:"))
        assert "'runs-on' is a required property" in check(broken).stdout

    def test_pre_commit_uses_the_same_tools_and_no_host(self) -> None:
        configuration = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
        assert [repository["repo"] for repository in configuration["repos"]] == ["local"]
        (hooks,) = (repository["hooks"] for repository in configuration["repos"])
        assert {hook["language"] for hook in hooks} == {"system"}
        assert [hook["id"] for hook in hooks] == ["ruff-check", "ruff-format", "mypy", "codespell"]


class TestPackaging:
    def constraints(self) -> dict[str, str]:
        lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        pins = [line for line in lines if not line.startswith("#")]
        assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", pin) for pin in pins)
        return dict(pin.split("==") for pin in pins)

    def test_every_declared_dependency_is_pinned_within_its_range(self) -> None:
        extras = PROJECT["project"]["optional-dependencies"].values()
        declared = [
            *PROJECT["project"]["dependencies"],
            *(one for extra in extras for one in extra),
        ]
        pins = self.constraints()
        for requirement in map(Requirement, declared):
            if requirement.name != "numbishop":
                assert pins[canonicalize_name(requirement.name)] in requirement.specifier

    def test_constraints_are_sorted_and_unique(self) -> None:
        names = list(self.constraints())
        assert names == sorted(set(names))

    def test_installed_version_is_the_declared_one(self) -> None:
        assert version("numbishop") == PROJECT["project"]["version"]

    @pytest.mark.parametrize("name", ["harness", "numbishop"])
    def test_console_script_can_be_loaded(self, name: str) -> None:
        (script,) = entry_points(group="console_scripts", name=name)
        assert callable(script.load())

    def test_changelog_begins_with_what_is_unreleased(self) -> None:
        headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
        assert headings[0] == "[Unreleased]"


FOREIGN = {
    "a package registry's host": re.compile(
        r"https?://[a-z0-9./-]*(?:py" r"pi|python" r"hosted|npm" r"js|debian\.org/debian)"
    ),
    "a path of one machine": re.compile(r"(?<![A-Za-z0-9_.])/(?:work|farm|root)/"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_tracked_text_names_no(what: str) -> None:
    for path in tracked_files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # binary
        found = FOREIGN[what].search(text)
        assert not found, f"{path.relative_to(ROOT)}: {found}"


def test_no_tracked_file_is_large() -> None:
    large = {
        path.name: path.stat().st_size
        for path in tracked_files()
        if path.stat().st_size > 1_500_000
    }
    assert not large
