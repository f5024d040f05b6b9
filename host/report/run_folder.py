# SPDX-License-Identifier: Apache-2.0
"""A folder that `headstack run` left: its summary, and what the run is called beside others."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What a report takes from a summary without asking; what came later it asks for.
SUMMARY_KEYS = (
    "headstack",
    "drive",
    "trace",
    "policy",
    "platform",
    "loop",
    "speedup",
    "queue_depth",
    "limit",
    "seed",
    "bus",
    "gating",
    "ideal_electronics",
    "event_hash",
)
RESULT_KEYS = ("commands", "elapsed_ps", "stage_totals")

REMEDY = "give folders that 'headstack run --out' left"


class RunError(Exception):
    """A run cannot be read; the text names file and remedy."""


def load_summary(folder: Path) -> dict[str, Any]:
    """A run's summary.json. Raises RunError."""
    file = folder / "summary.json"
    if not file.exists() and (folder / "records.csv").exists():
        raise RunError(f"{file}: missing, but there are records: the run is under way, or was killed; let it end, or repeat it")
    try:
        summary = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{file}: {error}; {REMEDY}") from None
    if not isinstance(summary, dict) or "result" not in summary:
        raise RunError(f"{file}: no summary of a run; {REMEDY}")
    return summary


@dataclass(frozen=True)
class RunFolder:
    """One run on disk. `label` is short and no other run's; paths do not show on a page, so that it stays the same."""

    folder: Path
    label: str
    summary: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        """What came out, as opposed to what was asked for."""
        return self.summary["result"]

    @property
    def records(self) -> Path:
        """A line for each command."""
        return self.folder / "records.csv"

    @property
    def event_log(self) -> Path:
        """There with --event-log only."""
        return self.folder / "events.txt"

    @property
    def interrupted(self) -> bool:
        """Somebody ended the run before its trace did."""
        return bool(self.summary.get("interrupted", False))

    @property
    def failure(self) -> str:
        """Why the run failed, or ""."""
        return str(self.summary.get("failure", ""))

    def stages(self) -> list[str]:
        """The stages that a response time consists of, in their order."""
        return [key.removesuffix("_ps") for key in self.result["stage_totals"]]

    def design(self) -> dict[str, Any] | None:
        """The drive's description as it was used, [design]; None when the folder has none. Raises RunError."""
        file = self.folder / "drive.toml"
        if not file.exists():
            return None
        try:
            return tomllib.loads(file.read_text(encoding="utf-8"))["design"]
        except (OSError, ValueError, KeyError) as error:
            raise RunError(f"{file}: {error}; {REMEDY}") from None


def labels(folders: Sequence[Path]) -> list[str]:
    """The last part of each path, and as many parts before it as it takes to tell them all apart. Raises RunError."""
    parts = [folder.resolve().parts for folder in folders]
    for index, one in enumerate(parts):
        if one in parts[:index]:
            raise RunError(f"{folders[index]}: given twice; leave one of them out")
    for count in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(one[-count:]).lstrip("/") for one in parts]
        if len(set(names)) == len(names):
            return names
    return []


def open_runs(folders: Sequence[Path]) -> list[RunFolder]:
    """All of them, with labels. Raises RunError."""
    runs = [
        RunFolder(folder, label, load_summary(folder)) for folder, label in zip(folders, labels(folders), strict=True)
    ]
    for run in runs:
        missing = [key for key in SUMMARY_KEYS if key not in run.summary]
        missing += [f"result.{key}" for key in RESULT_KEYS if key not in run.result]
        if missing:
            raise RunError(f"{run.folder / 'summary.json'}: no {missing[0]}; repeat the run with this headstack")
        if not run.records.is_file():
            raise RunError(f"{run.records}: there is no such file; {REMEDY}")
    return runs
