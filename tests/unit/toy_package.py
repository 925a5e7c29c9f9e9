"""A package of two kernels under the engine's compile policy, to edit and damage at little cost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]

BACKENDS = ["pext", "magic", "rays"]  # as `backend` counts them

_SOURCES = {
    "__init__": "",
    "constants": f"import numpy as np\n\nFACTOR = np.int64(3)\nBACKENDS = {BACKENDS}\n",
    "helper": '''"""A kernel that another module calls."""

import numpy as np

from engine.jit import kernel


@kernel
def shifted(x):
    """One more."""
    return x + np.int64(1)  # not two
''',
    "entry": """import numpy as np

from engine.jit import kernel, slider_backend

from .constants import BACKENDS, FACTOR
from .helper import shifted

BACKEND = np.int64(BACKENDS.index(slider_backend()))


@kernel
def entry(x):
    return shifted(x) * FACTOR


@kernel
def backend():
    return BACKEND


@kernel
def element(values, index):
    return values[index]
""",
}

_RUN = """
import json
import numpy as np
from toy import entry as toy

values = np.arange(8)
try:
    beyond = int(toy.element(values[:4], 5))
except IndexError:
    beyond = "IndexError"
kernels = (toy.entry, toy.backend, toy.element)
result = {"entry": int(toy.entry(10)), "backend": int(toy.backend()), "beyond": beyond}
print(json.dumps({
    **result,
    "hits": sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels),
    "misses": sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels),
}))
"""


class ToyRun(NamedTuple):
    """What the three kernels returned in a process of their own, and how the cache served them."""

    entry: int
    backend: int
    beyond: int | str
    hits: int
    misses: int
    stderr: str


class ToyPackage:
    """The package in `folder`, its compile cache in `cache`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "toy"
        self.cache = folder / "cache"
        if not self.path.exists():
            self.path.mkdir()
            for name, source in _SOURCES.items():
                (self.path / f"{name}.py").write_text(source)

    def copy_to(self, folder: Path) -> ToyPackage:
        """The same, its compiled code included, in an empty folder."""
        shutil.copytree(self.path.parent, folder, dirs_exist_ok=True)
        return ToyPackage(folder)

    def edit(self, module: str, old: str, new: str) -> None:
        """Replace `old`, which must be there, in a module."""
        path = self.path / f"{module}.py"
        source = path.read_text()
        assert old in source
        path.write_text(source.replace(old, new))

    def run(self, preamble: str = "", **environment: str | None) -> ToyRun:
        """Call the kernels in a fresh process; None takes a variable out of its environment."""
        environment = {"NUMBISHOP_CACHE_DIR": str(self.cache)} | environment
        output, stderr = run_python(preamble + _RUN, self.path.parent, **environment)
        return ToyRun(**json.loads(output), stderr=stderr)

    def files(self) -> dict[Path, int]:
        """Each cached file and when it was written."""
        return {path: path.stat().st_mtime_ns for path in self.cache.glob("jit/*/*.nbc")}


def peak_rss_mb() -> float:
    """This process's peak of memory. (That of `getrusage` counts the process that forked it.)"""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def run_python(code: str, first_on_path: Path, **environment: str | None) -> tuple[str, str]:
    """stdout and stderr of a fresh process, which must succeed; `first_on_path` is before ours."""
    variables: dict[str, Any] = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NUM")},
        "PYTHONPATH": os.pathsep.join([str(first_on_path), str(REPOSITORY)]),
        **environment,
    }
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={name: value for name, value in variables.items() if value is not None},
        cwd=first_on_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout, process.stderr
