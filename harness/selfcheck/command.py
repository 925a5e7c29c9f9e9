"""`harness selfcheck`: from the command line to a page of results."""

from __future__ import annotations

import os
import time

import click

from harness import options
from harness.run_folder import new_run_folder


def run_selfcheck(context: click.Context) -> bool:
    """Whether every check has passed."""
    values = context.params
    options.check_output_folder(values["out"])
    options.check_output_file(values["json_path"])

    from harness.config import load_engine_config

    engine = load_engine_config(values["config"])

    from engine.jit import source_digest
    from harness.selfcheck.checks import Bench, checks
    from harness.view import make_view

    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    view = make_view(quiet=values["quiet"], to_stderr=to_stderr)
    concurrency = values["concurrency"] or len(os.sched_getaffinity(0))
    started_s = time.monotonic()
    found = []
    with new_run_folder(values["out"], "selfcheck") as folder:
        bench = Bench(
            engine,
            folder,
            concurrency,
            values["seed"],
            source_digest(),
            view.message,
            view.compiling,
        )
        for check in checks(bench):
            found.append(check)
            mark = "passed" if check.passed else "FAILED"
            at_s = time.monotonic() - started_s
            view.message(f"{at_s:4.0f} s  {mark}  {check.name}: {check.found}")
    failed = [check.name for check in found if not check.passed]
    passed = f"all {len(found)} checks passed"
    sentence = f"{len(failed)} of {len(found)} checks failed" if failed else passed
    click.echo(
        f"{sentence}, in {time.monotonic() - started_s:.0f} s by {concurrency} workers",
        err=to_stderr,
    )
    options.write_result(
        values["json_path"],
        {
            "sentence": sentence,
            "folder": str(folder),
            "checks": [
                {"name": check.name, "passed": check.passed, "found": check.found}
                for check in found
            ],
        },
    )
    return not failed
