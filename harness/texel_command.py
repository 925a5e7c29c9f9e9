"""`harness tune texel`: from games to weights, their report and, if asked for, the test of them."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from engine.jit import source_digest
from harness import __version__, options
from harness.config import load_engine_config
from harness.errors import Interrupted
from harness.exports import write_json, write_report_if_possible
from harness.files import write_whole
from harness.interrupts import Interrupts
from harness.invocation import program
from harness.report.numbers import duration
from harness.report.texel_numbers import scalar_lines, sentence, summary_rows
from harness.report.texel_page import write_texel_report
from harness.run_folder import new_run_folder
from harness.run_start import view_of
from harness.snapshot import create_snapshot, warm
from harness.texel.build import DataOptions
from harness.texel.census import Census
from harness.texel.extract import Extraction
from harness.texel.fit import fit
from harness.texel.layout import engine_layout
from harness.texel.tuning import (
    Material,
    Tuned,
    Tuning,
    finish,
    prepare,
    read_progress,
    read_tuning,
    save_progress,
    write_tuning,
)
from harness.texel.watch import Progress
from harness.texel.weights_file import engine_config, tables, weights_config
from harness.texel_options import fit_options_of
from harness.texel_verify import Verification, verification_of
from harness.view import View

#: How often the state of a fit is saved, and a line about it shown.
_SAVE_SECONDS: Final = 20.0
_TELL_SECONDS: Final = 2.0


def run_tuning(context: click.Context) -> str | None:
    """Tune, or go on with a tuning; the decision of --verify, None without it."""
    values = context.params
    view = view_of(values)
    workers = values["concurrency"] or len(os.sched_getaffinity(0))
    tuning = _tuning(context).with_workers(workers)
    verification = _verification(context, tuning)
    with _folder(values, tuning) as folder:
        with _told_how_to_go_on(folder):
            material, tuned = _tune(folder, tuning, view)
            document = tuned.document
            _write(folder, tuning, tuned, view)
            if document["ending"] == "interrupted":
                _show(document, values, view)
                raise Interrupted("interrupted")
        if verification is not None:
            new = load_engine_config(str(folder / f"{tuning.name}.cfg"))
            document["verify"] = verification.play(folder, new, material.keys, workers, view)
            _write(folder, tuning, tuned, view)
        _show(document, values, view)
    options.write_result(values["json_path"], document)
    return None if document["verify"] is None else str(document["verify"]["decision"])


@contextmanager
def _told_how_to_go_on(folder: Path) -> Iterator[None]:
    """Who interrupts a tuning is told how to take it up again."""
    try:
        yield
    except Interrupted:
        resume = f"{program()} tune texel --resume {shlex.quote(str(folder))}"
        click.echo(f"interrupted; to go on: {resume}", err=True)
        raise


def _verification(context: click.Context, tuning: Tuning) -> Verification | None:
    """The test of --verify."""
    if not context.params["verify"]:
        return None
    return verification_of(context, tuning.base, tuning.data.extraction.seed)


def _tune(folder: Path, tuning: Tuning, view: View) -> tuple[Material, Tuned]:
    """The data and the weights, also when the fit is interrupted."""
    with Interrupts() as interrupts:
        work = Work(folder, tuning, view, interrupts)
        material = work.prepare()
        tuned = work.fit(material)
    about = {
        "name": tuning.name,
        "base": tuning.base.name,
        "base_digest": tuning.base.digest(),
        "sources": [str(source) for source in tuning.sources or (tuning.features,)],
        "seed": tuning.data.extraction.seed,
        "tool_version": __version__,
        "census": material.census,
        **tuned.document,
        "verify": None,
        "folder": str(folder),
    }
    return material, tuned._replace(document=about | {"sentence": sentence(about)})


def _write(folder: Path, tuning: Tuning, tuned: Tuned, view: View) -> None:
    """texel.json, report.html and, for the built-in engine, the config and its weights."""
    write_json(folder / "texel.json", tuned.document)
    if tuning.features is None:
        remarks = [tuned.document["sentence"], "Made by `harness tune texel`: see texel.json."]
        weights = tables(engine_layout(), tuned.weights)
        write_whole(folder / "weights.cfg", weights_config(weights, remarks))
        base = os.path.relpath(tuning.base.path, folder)
        write_whole(folder / f"{tuning.name}.cfg", engine_config(tuning.name, base, "weights.cfg"))
    write_report_if_possible(
        partial(write_texel_report, tuned.document, folder / "report.html"), view.message
    )


def _show(document: dict[str, Any], values: Mapping[str, Any], view: View) -> None:
    """The numbers, the sentence, and where everything is; the sentence alone when --quiet."""
    width = max(len(label) for label, _ in summary_rows(document))
    for label, value in [*document["census"], *summary_rows(document)]:
        view.message(f"{label:<{width}}  {value}")
    for line in ["", *scalar_lines(document), ""]:
        view.message(line)
    click.echo(document["sentence"], err=values["json_path"] == options.STANDARD_OUTPUT)
    view.message(f"in {document['folder']}: report.html, texel.json, weights.cfg")


@contextmanager
def _folder(values: Mapping[str, Any], tuning: Tuning) -> Iterator[Path]:
    if values["resume"] is not None:
        yield values["resume"]
        return
    with new_run_folder(values["out"], f"texel-{tuning.name}") as folder:
        write_tuning(folder, tuning)
        yield folder


def _tuning(context: click.Context) -> Tuning:
    """What the options say, or what the folder of --resume says."""
    resumed = context.params["resume"]
    return _new_tuning(context.params) if resumed is None else read_tuning(resumed)


def _new_tuning(values: Mapping[str, Any]) -> Tuning:
    base = load_engine_config(values["base"])
    extraction = Extraction(
        weights=base.weights,
        search=base.search,
        noisy=values["noisy"],
        most_per_game=values["per_game"],
        book_plies=values["skip_plies"],
        movers_view=values["view"] == "mover",
        seed=values["seed"],
    )
    return Tuning(
        name=values["name"],
        base=base,
        data=DataOptions(extraction, validation_share=values["validation"]),
        fit=fit_options_of(values, threads=1),
        sources=tuple(source.resolve() for source in values["sources"]),
        features=None if values["features"] is None else values["features"].resolve(),
    )


class Work:
    """The part of a tuning that can be interrupted and gone on with."""

    def __init__(self, folder: Path, tuning: Tuning, view: View, interrupts: Interrupts) -> None:
        self._folder = folder
        self._tuning = tuning
        self._view = view
        self._interrupts = interrupts
        self._saved_at = self._told_at = time.monotonic()
        self._bad_places: list[str] = []

    def prepare(self) -> Material:
        """The data; how far it is, every few seconds. A cold engine is compiled before, visibly."""
        if self._tuning.features is None:
            warm(create_snapshot(source_digest()), self._view.compiling, self._interrupts.check)
            self._view.message("reading (the first time ever, some seconds to compile the reader)")
        material = prepare(self._tuning, self._folder, self._tell_census)
        for place in self._bad_places:
            self._view.message(f"left out: {place}")
        return material

    def _tell_census(self, census: Census) -> None:
        self._interrupts.check()
        self._bad_places = census.places
        if self._due():
            self._view.message(
                f"reading: {census.games:,} games, {census.positions_kept:,} positions"
            )

    def fit(self, material: Material) -> Tuned:
        """The fit from where it stands, its end, and the whole weights."""
        how = self._tuning.fit
        fitted = fit(
            material.train,
            material.validation,
            material.layout,
            material.start,
            how,
            self._keep,
            read_progress(self._folder),
        )
        self._view.message(f"fitted in {fitted.path[-1].elapsed_s:.1f} s; rounding, errors, report")
        return finish(fitted, how, material.validation)

    def _keep(self, progress: Progress) -> bool:
        stop = self._interrupts.requested
        if stop or time.monotonic() - self._saved_at >= _SAVE_SECONDS:
            save_progress(self._folder, progress)
            self._saved_at = time.monotonic()
        if self._due():
            self._view.message(progress_line(progress, self._tuning.fit.steps))
        return not stop

    def _due(self) -> bool:
        if time.monotonic() - self._told_at < _TELL_SECONDS:
            return False
        self._told_at = time.monotonic()
        return True


def progress_line(progress: Progress, steps: int) -> str:
    """Where a fit is: losses, the best one, the time passed and the most that is left."""
    point, best = progress.path[-1], progress.best
    left_s = (steps - point.step) * point.elapsed_s / max(1, point.step)
    judged = [] if best.validation != best.validation else [f"validation {point.validation:.6f}"]
    losses = ", ".join([f"train {point.train:.6f}", *judged])
    return (
        f"step {point.step}: loss {losses} (best at step {best.step});"
        f" {duration(point.elapsed_s)}, at most {duration(left_s)} left"
    )
