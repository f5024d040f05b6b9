# SPDX-License-Identifier: Apache-2.0
"""One page that shows whether tests bite: mutation score and coverage by area, new seeds, and what is not tested.

proof.py take NIGHT         takes what a night left (.ci/nightly) into figures.json, with the commit
proof.py measured [--mutation FILE] [--coverage FILE] [--hunts FILE]   takes a measurement of some areas by itself, or the
                            output of hunts; the night stays
proof.py page [-o FILE]     writes the page: docs/proof.md, or FILE
proof.py step NIGHT NAME VERDICT SECONDS LOG   notes a step of a night

A night's folder has steps.jsonl, and, of those steps that came so far, mutation.json (`headstack mutate --json`) and
coverage.txt (the tables that `headstack coverage` prints).

Exit status: 0 done; 2 a file is missing or not what it must be.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FIGURES = HERE / "figures.json"
PAGE = ROOT / "docs/proof.md"
UNTESTED = ROOT / "tests/coverage/README.md"
JUDGE = ROOT / "tests/fuzz/README.md"
NOT_MEASURED = "not measured"
# Lines of a step's log that say what it found.
TOLD = re.compile(
    r"^(fuzzing the drive: .*|fuzzing: .*|new seeds: .*|.*loads are the same on both platforms|\d+% tests passed.*|"
    r".*\.\.\.\.*\*\*\*(?:Failed|Timeout|Exception).*|headstack: error: .*|below the target of .*)$"
)


class ProofError(Exception):
    """A file is missing, or not what it must be."""


# "mutation", "coverage": by area; "hunts": the sums of all nights, by platform; "night": one.
Figures = dict[str, dict[str, Any]]
# What `headstack fuzz drive` prints at its end.
HUNT = re.compile(r"^fuzzing the drive: seed \d+ on (\w+), ([\d,]+) commands in ([\d,]+) storylines, \d+ s, (no findings|\d+)")
# Commands that the nights collect, by platform.
HUNT_GOALS = {"native": 10**8, "vp": 10**7}


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProofError(f"{path}: {error.strerror}; remedy: .ci/nightly writes it") from None
    except json.JSONDecodeError as error:
        raise ProofError(f"{path}:{error.lineno}: no JSON: {error.msg}; remedy: run the step of the night again") from None


def coverage_rows(text: str) -> dict[str, dict[str, str]]:
    """The rows by area, from the tables that `headstack coverage` prints."""
    found = re.findall(r"^\| (\w+(?:/\w+)?) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", text, re.MULTILINE)
    return {
        area: {"lines": lines.strip(), "branches": branches.strip(), "bits": bits.strip()}
        for area, lines, branches, bits in found
        if area != "area"
    }


def mutation_rows(rows: list[dict[str, Any]], older: dict[str, dict[str, Any]]) -> dict[str, dict[str, int]]:
    """By area, of `headstack mutate --json`. An area that is not finished has to say more than the older figure of it."""
    try:
        says_more = lambda row: row["complete"] or row["counted"] > older.get(row["area"], {}).get("counted", 0)
        return {
            row["area"]: {"counted": row["counted"], "killed": row["killed"]} for row in rows if row["counted"] and says_more(row)
        }
    except (KeyError, TypeError):
        raise ProofError("mutation.json: no rows of `headstack mutate --json`; remedy: run that step of the night again") from None


def steps_of(night: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in (night / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise ProofError(f"{night}/steps.jsonl: {error.strerror}; remedy: .ci/nightly writes it") from None


def take_measured(figures: Figures, mutation: Path | None, coverage: Path | None, commit: str, date: str) -> Figures:
    """The figures with those of the files instead of older ones. What was not measured stays, with its commit."""
    stamp = {"commit": commit, "date": date}
    taken = {part: dict(rows) for part, rows in figures.items()}
    if mutation is not None:
        rows = mutation_rows(read_json(mutation), taken.setdefault("mutation", {}))
        taken["mutation"].update({area: {**row, **stamp} for area, row in rows.items()})
    if coverage is not None:
        text = coverage.read_text(encoding="utf-8")
        taken.setdefault("coverage", {}).update({area: {**row, **stamp} for area, row in coverage_rows(text).items()})
    return taken


def told_by(steps: list[dict[str, Any]]) -> list[str]:
    return [line for step in steps for line in step["told"]]


def add_hunts(figures: Figures, told: list[str], date: str) -> dict[str, dict[str, Any]]:
    """The sums with the hunts of these lines. What the figures' own night told is in the sums already."""
    sums = {platform: dict(row) for platform, row in figures.get("hunts", {}).items()}
    counted = told_by(figures.get("night", {}).get("steps", []))
    for line in told:
        hunt = HUNT.match(line)
        if hunt is None or line in counted:
            continue
        row = sums.setdefault(hunt[1], {"commands": 0, "storylines": 0, "found": 0, "since": date})
        row["commands"] += int(hunt[2].replace(",", ""))
        row["storylines"] += int(hunt[3].replace(",", ""))
        row["found"] += 0 if hunt[4] == "no findings" else int(hunt[4])
    return sums


def hunt_rows(hunts: dict[str, dict[str, Any]]) -> list[str]:
    lines = []
    for platform, goal in HUNT_GOALS.items():
        row = hunts.get(platform, {"commands": 0, "storylines": 0, "found": 0, "since": ""})
        lines.append(
            f"| {platform} | {row['commands']:,} | {goal:,} | {row['storylines']:,} | {row['found']:,} | {row['since']} |")  # fmt: skip
    return lines


def take(figures: Figures, night: Path, commit: str, date: str) -> Figures:
    """The same with what the night left, and its steps."""
    mutation, coverage = night / "mutation.json", night / "coverage.txt"
    taken = take_measured(
        figures, mutation if mutation.is_file() else None, coverage if coverage.is_file() else None, commit, date)  # fmt: skip
    steps = steps_of(night)
    taken["hunts"] = add_hunts(figures, told_by(steps), date)
    taken["night"] = {"commit": commit, "date": date, "steps": steps}
    return taken


def score(row: dict[str, Any] | None) -> str:
    """Rounded down, as `headstack mutate` does."""
    if row is None:
        return NOT_MEASURED
    return f"{row['killed'] * 1000 // row['counted'] / 10:.1f} % of {row['counted']}"


def area_rows(figures: Figures, areas: Sequence[str]) -> list[str]:
    lines = []
    for area in areas:
        mutation, coverage = figures.get("mutation", {}).get(area), figures.get("coverage", {}).get(area)
        reached = [coverage[kind] or "none there" for kind in ("lines", "branches", "bits")] if coverage else [NOT_MEASURED] * 3
        if coverage and not area.startswith("hdl/"):
            reached[2] = ""
        at = [f"{row['date']} ({row['commit']})" if row else "" for row in (mutation, coverage)]
        lines.append(f"| {area} | {score(mutation)} | {at[0]} | {reached[0]} | {reached[1]} | {reached[2]} | {at[1]} |")
    return lines


def night_rows(night: dict[str, Any]) -> list[str]:
    return [
        f"| {step['name']} | {step['verdict']} | {step['seconds']} | {'<br>'.join(step['told']) or 'nothing told'} |" for step in night["steps"]
    ]


def table_of(page: Path, heading: str) -> list[str]:
    """The table below a heading."""
    _, found, below = page.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    lines = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("|")]
    if not found or len(lines) < 3:
        raise ProofError(f"{page}: no table below '## {heading}'; remedy: give it back, docs/proof.md has it")
    return lines


def list_of(page: Path, heading: str) -> list[str]:
    """The list below a heading, with the lines that go on."""
    _, found, below = page.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    lines = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith(("- ", "  "))]
    if not found or not lines:
        raise ProofError(f"{page}: no list below '## {heading}'; remedy: give it back, docs/proof.md has it")
    return lines


def folders() -> list[str]:
    """The folders of firmware and electronics that have sources."""
    sources = [*(ROOT / "firmware").glob("*/*.c"), *(ROOT / "hdl").glob("*/*.sv")]
    return sorted({str(source.parent.relative_to(ROOT)) for source in sources})


def areas_of(figures: Figures, mutated: Sequence[str], there: Sequence[str]) -> list[str]:
    """Those that can be mutated first, in their order. Then what is only counted, and what nothing has measured."""
    return list(dict.fromkeys([*mutated, *figures.get("coverage", {}), *there]))


def render(figures: Figures, mutated: Sequence[str]) -> str:
    lines = [
        "# Strength of the tests", "",
        "Mutation puts small faults into the code, and counts the faults that a test other than a golden case notices",
        "([README](../tests/mutation/README.md)). Coverage counts the code that tests reach ([README](../tests/coverage/README.md)).",
        "Each figure names the commit at which it was measured. `.ci/nightly` measures again, tries new seeds, and writes this page.", "",
        "## By area", "",
        "| area | mutants noticed | at | lines | branches | bits that change | at |", "|---|---|---|---|---|---|---|",
        *area_rows(figures, areas_of(figures, mutated, folders())), "",
        "Coverage of firmware is that of native tests: gcov does not see firmware that runs on the simulated core.", "",
        "## Random hosts, all nights", "",
        "Commands that the adversary ([README](../tests/fuzz/README.md)) has sent in all nights so far, with new seeds each night.", "",
        "| platform | commands | goal | storylines | with findings | since |", "|---|---|---|---|---|---|",
        *hunt_rows(figures.get("hunts", {})), "",
        "## The last night", "",
    ]  # fmt: skip
    if figures.get("night"):
        night = figures["night"]
        lines += [f"At {night['commit']} of {night['date']}.", "", "| step | verdict | seconds | told |", "|---|---|---|---|", *night_rows(night)]
    else:
        lines += ["No night has been kept yet."]
    lines += ["", "## What is not tested, and why", "", *table_of(UNTESTED, "What is not tested"), ""]
    lines += ["The judge of random hosts does not check ([fuzz](../tests/fuzz/README.md#what-it-does-not-cover)):", ""]
    lines += [*list_of(JUDGE, "What it does not cover"), ""]
    # That page's links are relative to its folder.
    return "\n".join(lines).replace("](../core)", "](../tests/core)")


def mutated_areas() -> list[str]:
    config = tomllib.loads((ROOT / "tests/mutation/mutation.toml").read_text(encoding="utf-8"))
    return [area["name"] for area in config["area"]]


def note(night: Path, name: str, verdict: str, seconds: int, log: Path) -> None:
    """A step of the night, with what its log tells."""
    told = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if TOLD.match(line.strip())]
    row = {"name": name, "verdict": verdict, "seconds": seconds, "told": [line.replace("|", "/") for line in told[:8]]}
    with (night / "steps.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProofError(f"git {' '.join(words)}: {done.stderr.strip()}; remedy: run in a clone")
    return done.stdout.strip()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="proof.py", description="one page that shows whether tests bite")
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("take", help="take what a night left")
    taking.add_argument("night", type=Path)
    taking.add_argument("--figures", type=Path, default=FIGURES)
    measured = commands.add_parser("measured", help="take a measurement by itself")
    measured.add_argument("--mutation", type=Path, metavar="FILE", help="what `headstack mutate --json` printed")
    measured.add_argument("--coverage", type=Path, metavar="FILE", help="what `headstack coverage` printed")
    measured.add_argument("--hunts", type=Path, metavar="FILE", help="what `headstack fuzz drive` printed")
    measured.add_argument("--figures", type=Path, default=FIGURES)
    page = commands.add_parser("page", help="write the page")
    page.add_argument("--figures", type=Path, default=FIGURES)
    page.add_argument("-o", "--output", type=Path, default=PAGE)
    step = commands.add_parser("step", help="note a step of a night")
    step.add_argument("night", type=Path)
    step.add_argument("name")
    step.add_argument("verdict")
    step.add_argument("seconds", type=int)
    step.add_argument("log", type=Path)
    given = parser.parse_args(words)
    try:
        if given.command == "step":
            note(given.night, given.name, given.verdict, given.seconds, given.log)
        elif given.command in ("take", "measured"):
            commit, date = git("log", "-1", "--format=%h %cs").split()
            figures = read_json(given.figures) if given.figures.is_file() else {}
            if given.command == "take":
                taken = take(figures, given.night, commit, date)
            else:
                taken = take_measured(figures, given.mutation, given.coverage, commit, date)
                if given.hunts is not None:
                    taken["hunts"] = add_hunts(figures, given.hunts.read_text(encoding="utf-8").splitlines(), date)
            given.figures.write_text(json.dumps(taken, indent=1) + "\n", encoding="utf-8")
        else:
            given.output.write_text(render(read_json(given.figures), mutated_areas()), encoding="utf-8")
    except (ProofError, OSError) as error:
        print(f"proof.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
