"""What a study has found, as a config that extends the base."""

from __future__ import annotations

import os
from pathlib import Path

from engine.parameters import SEARCH
from harness.search_tuning.space import Values
from harness.search_tuning.study_spec import StudySpec


def candidate_config(spec: StudySpec, values: Values, folder: Path, remark: str) -> str:
    """The text of the file; it is to stand in `folder`, from which it names the base."""
    parameters = {parameter.name: parameter for parameter in SEARCH}
    lines = [f"# {remark}", "[engine]", f"name = {spec.name}"]
    lines += [f"extends = {os.path.relpath(spec.base.path, folder)}", "", "[search]"]
    lines += [
        f"{name} = {parameters[name].format(value)}"
        for name, value in (spec.space.fixed | values).items()
    ]
    return "\n".join([*lines, ""])
