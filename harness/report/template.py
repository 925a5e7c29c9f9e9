"""The form of the pages: templates of this folder, filled in, with the one style sheet."""

from __future__ import annotations

from importlib import resources
from typing import Any, Final

from harness.errors import UsageError

INSTALL: Final = (
    "report.html needs the extra packages of the report: pip install 'numbishop[report]'"
)


def fill(name: str, /, **values: Any) -> str:
    """The template `name` with its values. Raises UsageError without the extra package."""
    try:
        import jinja2
    except ImportError as missing:
        raise UsageError(f"{INSTALL} ({missing.name} is missing)") from missing

    folder = resources.files("harness.report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.from_string(folder.joinpath(name).read_text("utf-8"))
    return template.render(style=folder.joinpath("page.css").read_text("utf-8"), **values)
