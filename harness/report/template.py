"""The form of the pages: templates of this folder, filled in, with the one style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Any, Final

from harness.errors import UsageError

INSTALL: Final = (
    "report.html needs the extra packages of the report: pip install 'numbishop[report]'"
)


@contextmanager
def extra_packages() -> Iterator[None]:
    """Imports of the optional packages; raises UsageError when one is missing."""
    try:
        yield
    except ImportError as missing:
        raise UsageError(f"{INSTALL} ({missing.name} is missing)") from missing


def fill(name: str, /, **values: Any) -> str:
    """The template `name` with its values. Raises UsageError without the extra package."""
    with extra_packages():
        import jinja2

    folder = resources.files("harness.report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.from_string(folder.joinpath(name).read_text("utf-8"))
    return template.render(style=folder.joinpath("page.css").read_text("utf-8"), **values)
