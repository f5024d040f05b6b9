# SPDX-License-Identifier: Apache-2.0
"""Makes runs: writes their traces, starts the drive, and reduces the records.

A run is described by its spec, plain data without a path, so that it can be made on any machine (host/execute). Short runs are
made as a bundle by one process, whose start would take a third of a single run's time. All files of a run are in a folder of
its own, which is removed afterwards.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import one_deadline_run
import one_remap_run
import one_stream_run
from declared import MOST_OUT
from errors import ExperimentError
from one_deadline_run import MODEL
from records import KEPT

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Ended, Word  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

DRIVE = "drive.toml"  # name among a workplace's files
PLATFORM_OPTIONS = {
    "ideal": ["--platform", "native", "platform.ideal_electronics=true"],
    "charged": ["--platform", "vp"],
    "rtl": ["--platform", "rtl"],
}


def _write_trace(file: Path, spec: Spec, workplace: Workplace) -> None:
    if "deadlines" in spec:
        one_deadline_run.write_trace(file, spec)
    elif "remap" in spec:
        one_remap_run.write_trace(file, spec, workplace)
    else:
        one_stream_run.write_trace(file, spec, workplace.files[spec["drive"]])


def _words(spec: Spec, trace: Path, workplace: Workplace) -> list[Word]:
    words: list[Word] = ["--drive", workplace.files[spec["drive"]], "--trace", trace, *one_stream_run.choice_words(spec["policy"])]
    if "remap" in spec:
        return words + [*PLATFORM_OPTIONS[spec["electronics"]], *one_remap_run.words(spec, workplace)]
    words += ["--depth", str(MOST_OUT), *PLATFORM_OPTIONS[spec["electronics"]]]
    return words + (one_stream_run.words(spec) if "workload" in spec else one_deadline_run.words(spec))


def call(spec: Spec, trace: Path, out: Path, workplace: Workplace) -> Ended:
    """Runs the drive with a trace."""
    return workplace.simulator.run(_words(spec, trace, workplace), out)


def _reduce(spec: Spec, ended: Ended, workplace: Workplace) -> dict[str, Any]:
    """The reduced result of a run that ended. Raises ExperimentError."""
    if ended.status != 0:
        raise ExperimentError(
            f"policy '{spec['policy']}' failed with status {ended.status}: {ended.message or 'no message'}"
        )
    summary = ended.summary()
    kept = {name: summary[name] for name in KEPT}
    if "deadlines" in spec:
        one_deadline_run.check(spec, ended.message)
        return one_deadline_run.reduce_run(spec, ended.folder, summary) | kept
    if "remap" in spec:
        return one_remap_run.reduce_run(spec, ended.folder, workplace) | kept
    return one_stream_run.reduce_run(spec, ended.folder, summary, workplace.files[spec["drive"]]) | kept


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The reduced result. Raises ExperimentError, or Stopped when the run is ended from outside."""
    return make_bundle({"runs": [spec], "names": [""]}, workplace)[0]


def make_bundle(bundle: Spec, workplace: Workplace) -> list[dict[str, Any]]:
    """The results of several runs with one kind of electronics. Raises ExperimentError with the name of the run."""
    specs, names = bundle["runs"], bundle["names"]
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as folder_name:
        folder = Path(folder_name)
        runs: list[tuple[list[str | Path], Path]] = []
        for number, spec in enumerate(specs):
            if spec["electronics"] != MODEL:
                _write_trace(folder / f"trace-{number}", spec, workplace)
                runs.append((_words(spec, folder / f"trace-{number}", workplace), folder / f"run-{number}"))
        ends = iter(workplace.simulator.run_all(runs))
        results = []
        for name, spec in zip(names, specs, strict=True):
            try:
                results.append(
                    one_deadline_run.run_model(spec)
                    if spec["electronics"] == MODEL
                    else _reduce(spec, next(ends), workplace)
                )
            except ExperimentError as error:
                raise ExperimentError(f"{name}: {error}" if name else str(error)) from error
        return results
