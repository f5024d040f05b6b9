# SPDX-License-Identifier: Apache-2.0
"""Makes the runs: the declared ones, and those of a description that was corrected by what the trace says."""

import re
import sys
from pathlib import Path

from declaration import RealDrive
from errors import FidelityError

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "output")]

from execute.simulator import Simulator  # noqa: E402
from result_files import write_text  # noqa: E402


# The keys of a scenario that the words of a declaration are.
KEYS = {"policy": "settings.policy", "controller": "drive.controller", "cache": "settings.cache", "bus": "hosts.bus"}


def words_of(drive: RealDrive, description: Path, trace: Path, platform: str, limit: int) -> list[str | Path]:
    """The words of the simulator's command line; limit 0 is no limit."""
    words: list[str | Path] = ["--platform", platform, "--drive", description, "--trace", trace, "--verify"]
    words += [f"{KEYS[name]}={word.text}" for name, word in drive.run.items()]
    if limit:
        words += ["--limit", str(limit)]
    # Existing files are from an earlier comparison.
    return [*words, "--force"]


def run(simulator: Simulator, words: list[str | Path], out: Path) -> str:
    """Makes a run. @return the hash of its events. Raises FidelityError, ExecuteError and Stopped."""
    ended = simulator.run(words, out)
    if ended.status != 0:
        message = ended.message or f"status {ended.status}"
        if "lie past the drive's" in message:
            # The run's own remedy, another place for these blocks, would take them to other angles.
            message = message.split(";")[0] + "; the trace is of a larger drive: use a trace that was measured on this one"
        raise FidelityError(f"{out.name}: the run failed: {message}")
    summary = ended.summary()
    if summary["failure"] or summary["interrupted"]:
        raise FidelityError(f"{out.name}: the run failed: {summary['failure'] or 'interrupted'}; repeat it by itself")
    return str(summary["event_hash"])


def write_corrected(description: Path, out: Path, skew_sectors: int, longer_ppm: float) -> None:
    """Writes the drive of `description` with every skew larger by `skew_sectors`, and longer revolutions.

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
