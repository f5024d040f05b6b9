"""Makes the runs: the declared ones, and those of a description that was corrected by what the trace says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from declaration import RealDrive
from errors import FidelityError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import write_text  # noqa: E402


def command_line(
    program: Path, drive: RealDrive, description: str, trace: Path, out: Path, platform: str, limit: int
) -> list[str]:
    """How the simulator is called: every word of the declaration is the option of its name; limit 0 is no limit."""
    line = [str(program), "--platform", platform, "--drive", description, "--trace", str(trace), "--verify-data"]
    for name, word in drive.run.items():
        line += [f"--{name}", word.text]
    if limit:
        line += ["--limit", str(limit)]
    # What lies there is of an earlier comparison.
    return [*line, "--out", str(out), "--force"]


def run(line: list[str], out: Path) -> str:
    """The hash of the run's events. Raises FidelityError."""
    environment = {"HEADSTACK_ROOT": str(Path(__file__).resolve().parents[2]), **os.environ}
    environment["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    try:
        done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    except OSError as error:
        raise FidelityError(f"{line[0]}: {error.strerror}; run ./headstack build") from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        message = said[-1].removeprefix("headstack: error: ") if said else f"status {done.returncode}"
        raise FidelityError(f"{out.name}: the run failed: {message}")
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    if summary["failure"] or summary["interrupted"]:
        raise FidelityError(f"{out.name}: the run failed: {summary['failure'] or 'interrupted'}; repeat it by itself")
    return str(summary["event_hash"])


def write_corrected(description: Path, out: Path, skew_sectors: int, longer_ppm: float) -> None:
    """The drive of `description` with every skew so many sectors larger, and revolutions so much longer.

    A change of the text: the rest stays to the byte, comments and all. Raises FidelityError.
    """
    text = description.read_text(encoding="utf-8")
    for key in ("track_skew", "cylinder_skew"):
        text = re.sub(rf"(?m)^({key} = )(\d+)", lambda found: f"{found[1]}{int(found[2]) + skew_sectors}", text)
    # A revolution that takes longer is a spindle that turns slower.
    slower = f"{-longer_ppm + 0.0:.1f}"
    text, count = re.subn(r"(?m)^(speed_error_ppm = )\S+", lambda found: found[1] + slower, text)
    if count != 1:
        raise FidelityError(f"{description}: specimen.speed_error_ppm: is not there once; add it")
    write_text(out, text)
