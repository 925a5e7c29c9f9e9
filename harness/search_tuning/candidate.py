"""What a study has found, as a config that extends the base."""

from __future__ import annotations

import os
from pathlib import Path

from harness.search_tuning.space import Values
from harness.search_tuning.study_spec import StudySpec
from harness.search_tuning.tunables import tunables_of


def candidate_config(spec: StudySpec, values: Values, folder: Path, remark: str) -> str:
    """The text of the file; it is to stand in `folder`, from which it names the base."""
    tunables = tunables_of(spec.base)
    lines = [f"# {remark}", "[engine]", f"name = {spec.name}"]
    lines += [f"extends = {os.path.relpath(spec.base.path, folder)}", "", f"[{tunables.section}]"]
    lines += [
        f"{name} = {tunables.text(name, value)}"
        for name, value in (spec.space.fixed | values).items()
    ]
    return "\n".join([*lines, ""])
