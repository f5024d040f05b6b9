# SPDX-License-Identifier: Apache-2.0
"""Sets the summaries of runs side by side: one column per run, one row per figure.

    compare.py RUN... [--json]      each RUN a folder that `headstack run` left

Times are mean milliseconds per command unless a row says otherwise.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from run_folder import NUMBER, PS_PER_MS, TABLE, TEXT, WHOLE, REPEAT, RunError, labels, load_summary, require_keys, require_records

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from command_line import CommandParser  # noqa: E402
from result_files import run  # noqa: E402

# Keys of the summary that every row needs.
KEYS = {
    "drive": TEXT,
    "trace": TEXT,
    "policy": TEXT,
    "queue_depth": WHOLE,
    "result.commands": WHOLE,
    "result.commands_per_second": NUMBER,
    "result.utilization": NUMBER,
    "result.stage_totals": TABLE,
    **{f"result.response_ps.{key}": NUMBER for key in ("mean", "p50", "p99", "max")},
    "verified_blocks": WHOLE,
    "missed_revolutions": WHOLE,
    "firmware_cycles": WHOLE,
    "clock_on_share": NUMBER,
}
CELL = 13  # least width of a column, in characters
WIDEST_CELL = 30


def fail(message: str) -> None:
    """Prints one line on standard error and ends the program."""
    print(f"headstack: error: {message}", file=sys.stderr)
    sys.exit(1)


def per_command(run: dict[str, Any], stage: str) -> float:
    """Mean time of a stage in ms."""
    result = run["result"]
    return result["stage_totals"][f"{stage}_ps"] / PS_PER_MS / max(result["commands"], 1)


def from_arrival_of(run: dict[str, Any]) -> dict[str, int]:
    """The response times with the waits in the hosts; without such waits, the response times."""
    result = run["result"]
    return result.get("from_arrival_ps", result["response_ps"])


def waits_for_choice(run: dict[str, Any]) -> str:
    """How long the media waited for the scheduler's choice, per command; "-" for an old run without the value."""
    result = run["result"]
    exposed = result.get("search_exposed_ps")
    return "-" if exposed is None else f"{exposed / PS_PER_MS * 1000 / max(result['commands'], 1):.1f}"


def deadline_rows() -> list[tuple[str, Callable[[dict[str, Any]], str]]]:
    """Rows for runs of which some had deadlines."""

    def of(text: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
        return lambda run: text(run["result"]["deadlines"]) if "deadlines" in run["result"] else "-"

    return [
        ("deadlines told by", lambda run: run.get("deadlines", "none")),
        ("deadlines", of(lambda dates: str(dates["commands"]))),
        ("deadlines missed, %", of(lambda dates: f"{100 * dates['missed_share']:.2f}")),
        ("late by, mean of the late", of(lambda dates: f"{dates['tardiness_ps']['mean'] / PS_PER_MS:.3f}")),
        ("late by, maximum", of(lambda dates: f"{dates['tardiness_ps']['max'] / PS_PER_MS:.3f}")),
    ]


def sense_rows(runs: list[dict[str, Any]]) -> list[tuple[str, Callable[[dict[str, Any]], str]]]:
    """Rows for runs of which some have commands without GOOD: how many ended with which sense data."""
    if not any(one["result"].get("failed") for one in runs):
        return []
    words = {entry["sense"]: entry["words"] for one in runs for entry in one["result"].get("sense", [])}

    def count(code: str) -> Callable[[dict[str, Any]], str]:
        return lambda run: str(sum(entry["commands"] for entry in run["result"].get("sense", []) if entry["sense"] == code))

    rows = [("not GOOD", lambda run: str(run["result"].get("failed", "unknown")))]
    return rows + [(f"  {code} {words[code]}", count(code)) for code in sorted(words)]


def stream_rows() -> list[tuple[str, Callable[[dict[str, Any]], str]]]:
    """Rows for runs of which some had several streams. A value of one stream is that of the worst."""

    def of(text: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
        return lambda run: text(run["result"]["streams"]) if "streams" in run["result"] else "-"

    def worst(key: Callable[[dict[str, Any]], float]) -> Callable[[dict[str, Any]], float]:
        return lambda streams: max(key(stream) for stream in streams["table"])

    response = worst(lambda stream: stream["response_ps"]["mean"])
    jitter = worst(lambda stream: stream["jitter_ps"])
    in_a_row = worst(lambda stream: stream.get("deadlines", {}).get("missed_in_a_row", 0))
    return [
        ("streams", of(lambda streams: str(streams["count"]))),
        ("fairness, throughput", of(lambda streams: f"{streams['fairness']['throughput']:.3f}")),
        ("fairness, response", of(lambda streams: f"{streams['fairness']['response']:.3f}")),
        ("worst stream, response", of(lambda streams: f"{response(streams) / PS_PER_MS:.3f}")),
        ("worst stream, jitter", of(lambda streams: f"{jitter(streams) / PS_PER_MS:.3f}")),
        ("missed in a row, most", of(lambda streams: f"{in_a_row(streams)}")),
    ]


def rows(runs: list[dict[str, Any]]) -> list[tuple[str, Callable[[dict[str, Any]], str]]]:
    """Name and text of every row of a table of these runs."""
    stages = [key.removesuffix("_ps") for key in runs[0]["result"]["stage_totals"]]
    response = lambda key: lambda run: f"{run['result']['response_ps'][key] / PS_PER_MS:.3f}"
    table: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("policy", lambda run: run["policy"]),
        ("queue depth", lambda run: str(run["queue_depth"])),
        ("commands", lambda run: str(run["result"]["commands"])),
        ("commands a second", lambda run: f"{run['result']['commands_per_second']:.1f}"),
        ("media utilization, %", lambda run: f"{100 * run['result']['utilization']:.1f}"),
        ("response, mean", response("mean")),
        ("response, median", response("p50")),
        ("response, 99 %", response("p99")),
        ("response, maximum", response("max")),
    ]
    if any("from_arrival_ps" in one["result"] for one in runs):
        from_arrival = lambda key: lambda run: f"{from_arrival_of(run)[key] / PS_PER_MS:.3f}"
        table += [(f"from arrival, {name}", from_arrival(key)) for name, key in (("mean", "mean"), ("99 %", "p99"))]
    table += sense_rows(runs)
    table += deadline_rows() if any("deadlines" in one["result"] for one in runs) else []
    table += stream_rows() if any("streams" in one["result"] for one in runs) else []
    for stage in stages:
        table.append((f"  {stage}", lambda run, stage=stage: f"{per_command(run, stage):.4f}"))
    table += [
        ("blocks verified", lambda run: str(run["verified_blocks"])),
        ("missed revolutions", lambda run: str(run["missed_revolutions"])),
        ("lost revolutions", lambda run: str(run.get("lost_revolutions", "unknown"))),
        ("waits for a choice, us", waits_for_choice),
        ("firmware cycles a command",
         lambda run: f"{run['firmware_cycles'] / max(run['result']['commands'], 1):.0f}"),
    ]
    # rtl counts the edges of all clocks, vp those of the core's alone.
    if len({run.get("platform") for run in runs}) == 1:
        table.append(("clock on, %", lambda run: f"{100 * run['clock_on_share']:.2f}"))
    return table


def key(name: str) -> str:
    """A row's name as a key: "response, 99 %" is response_99_percent."""
    return re.sub(r"\W+", "_", name.replace("%", "percent").strip())


def number(text: str) -> int | float | str | None:
    """A cell's text as a value of JSON; None for one that the run lacks."""
    if text in ("-", "unknown"):
        return None
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


def figures(folder: Path, run: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, str]:
    """One column of the table of these runs: the text of each row. Raises RunError."""
    found = {}
    for name, text in rows(runs):
        try:
            found[name] = text(run)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"no {error}" if isinstance(error, KeyError) else error
            raise RunError(f"{folder / 'summary.json'}: no figure of '{name.strip()}' can be made of it ({why}); {REPEAT}") from None
    return found


def as_json(folder: Path, run: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The same column in JSON. Raises RunError."""
    figures_of = {key(name): number(text) for name, text in figures(folder, run, runs).items()}
    return {"run": str(folder), "drive": run["drive"], "trace": run["trace"], **figures_of}


def same(runs: list[dict[str, Any]], name: str) -> bool:
    """Whether all runs have the same value."""
    return len({run[name] for run in runs}) == 1


def table(folders: list[Path], names: list[str], runs: list[dict[str, Any]]) -> str:
    """The table as text. Values that all runs share stand above. Raises RunError."""
    lines = [", ".join(runs[0][name] for name in ("drive", "trace") if same(runs, name)), ""]
    lines = lines if lines[0] else []
    cells = [("run", [name[-CELL:] for name in names])]
    if not same(runs, "drive"):
        cells.append(("drive", [run["drive"][:WIDEST_CELL] for run in runs]))
    if not same(runs, "trace"):
        cells.append(("trace", [run["trace"][-WIDEST_CELL:] for run in runs]))
    if any(run.get("interrupted") for run in runs):
        cells.append(("interrupted", ["yes" if run.get("interrupted") else "no" for run in runs]))
    columns = [figures(folder, run, runs) for folder, run in zip(folders, runs, strict=True)]
    width = max(CELL, *(len(text) for name, texts in cells for text in texts))
    cells += [(name, [column[name] for column in columns]) for name in columns[0]]
    first = max(26, *(len(name) for name, _ in cells))
    return "\n".join([*lines, *(f"{name:<{first}}" + "".join(f" {text:>{width}}" for text in texts) for name, texts in cells)])


def main() -> None:
    parser = CommandParser(prog="headstack compare", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run")
    parser.add_argument("--json", action="store_true", help="print the table's figures as JSON")
    parser.add_argument("--allow-empty", action="store_true", help="a run that measured no command is not an error")
    options = parser.parse_args()
    folders = options.runs
    try:
        runs = [load_summary(folder) for folder in folders]
        for folder, one in zip(folders, runs, strict=True):
            require_records(folder, one, "summary")
            require_keys(folder, one, KEYS)
            if one["result"]["commands"] == 0 and not options.allow_empty:
                raise RunError(f"{folder}: no command in it, so there is nothing to compare; repeat the run, or give --allow-empty")
        if options.json:
            columns = [as_json(folder, one, runs) for folder, one in zip(folders, runs, strict=True)]
            print(json.dumps(columns, indent=2))
        else:
            print(table(folders, names_of(folders), runs))
    except RunError as error:
        fail(str(error))


def names_of(folders: list[Path]) -> list[str]:
    """The headings of the columns."""
    try:
        return labels(folders)
    except RunError:  # a run in a folder beside itself
        return [folder.name for folder in folders]


if __name__ == "__main__":
    run(main)
