# SPDX-License-Identifier: Apache-2.0
"""A folder that `headstack run` left: its summary, and the run's label."""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEXT, WHOLE, NUMBER, TABLE, ANY = "text", "a whole number from 0 on", "a number", "a table", "there"
# Keys of a summary that a report needs; newer keys are optional.
REPORT_KEYS = {
    "headstack": TEXT,
    "drive": TEXT,
    "trace": TEXT,
    "policy": TEXT,
    "platform": TEXT,
    "loop": TEXT,
    "speedup": NUMBER,
    "queue_depth": WHOLE,
    "limit": WHOLE,
    "seed": ANY,
    "bus": ANY,
    "gating": ANY,
    "ideal_electronics": ANY,
    "event_hash": TEXT,
    "result.commands": WHOLE,
    "result.elapsed_ps": WHOLE,
    "result.stage_totals": TABLE,
}

REMEDY = "give folders that 'headstack run --out' left"
PS_PER_MS = 1e9
REPEAT = "repeat the run with this headstack"


class RunError(Exception):
    """A run cannot be read; the text names file and remedy."""


def load_summary(folder: Path) -> dict[str, Any]:
    """A run's summary.json. Raises RunError."""
    file = folder / "summary.json"
    if not file.exists() and (folder / "records.csv").exists():
        raise RunError(f"{file}: missing, but there are records: the run is under way, or was killed; let it end, or repeat it")
    try:
        text = file.read_text(encoding="utf-8")
        if not text.strip():
            raise RunError(f"{file}: is empty: the run did not end; repeat it")
        summary = json.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"there is no run in {folder}: it has no summary.json; {REMEDY}") from None
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; {REMEDY}") from None
    except (ValueError, RecursionError) as error:
        raise RunError(f"{file}: not JSON ({error}); {REMEDY}") from None
    if not isinstance(summary, dict) or not isinstance(summary.get("result"), dict):
        raise RunError(f"{file}: no summary of a run; {REMEDY}")
    wrong = _not_a_number(summary, "")
    if wrong:
        raise RunError(f"{file}: '{wrong}' is no number that JSON has; {REPEAT}")
    return summary


def _not_a_number(value: Any, path: str) -> str:
    """The first key whose value is an infinity or a NaN, or ""."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else path
    below: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return next(filter(None, (_not_a_number(one, f"{path}.{name}".lstrip(".")) for name, one in below)), "")


def _is(value: Any, kind: str) -> bool:
    if kind in (WHOLE, NUMBER):
        # Python takes True for 1.
        return type(value) is int and value >= 0 or kind == NUMBER and type(value) in (int, float)
    return isinstance(value, {TEXT: str, TABLE: dict, ANY: object}[kind])


def require_keys(folder: Path, summary: dict[str, Any], keys: Mapping[str, str]) -> None:
    """Checks that each of the keys is there, with its kind. A dot leads into a table. Raises RunError."""
    file = folder / "summary.json"
    for path, kind in keys.items():
        value: Any = summary
        for name in path.split("."):
            if not isinstance(value, dict) or name not in value:
                raise RunError(f"{file}: no {path}; {REPEAT}")
            value = value[name]
        if not _is(value, kind):
            raise RunError(f"{file}: '{path}' is {json.dumps(value)[:40]}, and must be {kind}; {REPEAT}")


def require_records(folder: Path, summary: dict[str, Any], *kept: str) -> None:
    """Checks that the run kept its records, or at least its figures where `kept` has "summary". Raises RunError."""
    records = summary.get("records", "full")
    if records not in ("full", *kept):
        raise RunError(f"{folder}: the run kept no records (observe.records is {records}); repeat it with observe.records=full")


@dataclass(frozen=True)
class RunFolder:
    """One run on disk. `label` is short and unique. Paths are not on a page, so that it is the same everywhere."""

    folder: Path
    label: str
    summary: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        """The results of the run, in contrast to its settings."""
        return self.summary["result"]

    @property
    def records(self) -> Path:
        """The file with a line for each command."""
        return self.folder / "records.csv"

    @property
    def event_log(self) -> Path:
        """The event log, which exists only with observe.events."""
        return self.folder / "events.txt"

    @property
    def interrupted(self) -> bool:
        """Whether a user ended the run before its trace did."""
        return bool(self.summary.get("interrupted", False))

    @property
    def failure(self) -> str:
        """The reason why the run failed, or ""."""
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
    """The last part of each path, with as many parts before it as it takes to distinguish them. Raises RunError."""
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
    """Opens all runs, with labels. Raises RunError."""
    runs = [
        RunFolder(folder, label, load_summary(folder)) for folder, label in zip(folders, labels(folders), strict=True)
    ]
    for run in runs:
        require_records(run.folder, run.summary)
        require_keys(run.folder, run.summary, REPORT_KEYS)
        if not run.records.is_file():
            raise RunError(f"{run.records}: there is no such file; {REMEDY}")
    return runs
