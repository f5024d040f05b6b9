# SPDX-License-Identifier: Apache-2.0
"""headstack coverage: measure which lines, branches and signals the tests reach, by area.

    coverage.py [--only electronics|code] [--write] [--out DIR]

Builds the preset `coverage` and runs the tests in it. Of the electronics these are the tests of the blocks (tests/rtl,
and some of tests/contract). Of firmware, models and host they have the labels unit and scenario_native. Verilator counts lines, branches and
bits that change. gcov counts lines and branches, and gcovr adds them up. DIR (build/coverage/report) has a page for each source of
firmware, models and host. electronics.txt there lists what no test of a block reaches. --write brings the table of
tests/coverage/README.md up to date.

Registers' own files are generated, and not counted. Exit status: 0; 1 where a build or a test failed; 2 a bad command line; 130
interrupted.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "host/command"), str(ROOT / "host/output"), str(ROOT / "tests/rtl")]

from bootstrap import prepare  # noqa: E402
from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402
from test_covers import processes  # noqa: E402

PRESET = "coverage"
BUILD = ROOT / "build" / PRESET
PAGE = HERE / "README.md"
ELECTRONICS, CODE = "electronics", "code"
# Programs whose blocks count, those that rtl/covers runs. Of tests/contract it takes the tests of what tests/rtl does not reach.
BLOCK_TESTS = ("test_buffer_mgr", "test_disk_path", "test_formatter", "test_scsi_target", "test_servo", "test_small_blocks", "test_timer")
CONTRACT_TESTS = {
    "test_contract_formatter": "FormatterContract/rtl.Chain_*",
    "test_contract_scsi_target": "ScsiTargetItems.*:ScsiTargetLast.*",
    "test_contract_servo": "ServoContract/rtl.*Seek*",
}
POINT = re.compile(r"^C '(?P<keys>.*)' (?P<count>\d+)$")
# The kinds of Verilator's points that count, as the page names them.
KINDS = {"v_line": "lines", "v_branch": "branches", "v_toggle": "bits"}
CODE_AREAS = ("firmware", "sim", "host")


class CoverageError(Exception):
    """A build or a test failed, or a file is not what it must be."""


@dataclass
class Share:
    """How many there are, and how many of them were reached."""

    reached: int = 0
    all: int = 0

    def add(self, count: int) -> None:
        self.all += 1
        self.reached += count > 0

    def __str__(self) -> str:
        return f"{100 * self.reached / self.all:.1f} % of {self.all:,}" if self.all else ""


@dataclass
class Area:
    """Shares by kind: lines, branches, bits."""

    shares: dict[str, Share] = field(default_factory=dict)

    def of(self, kind: str) -> Share:
        return self.shares.setdefault(kind, Share())


Point = tuple[str, str, str]  # file below hdl, kind, place and comment


def points_of(lines: Iterable[str]) -> Iterator[tuple[Point, int]]:
    """The points of Verilator's coverage data: each point of a source below hdl/. A module's instances have the same points.
    """
    for line in lines:
        match = POINT.match(line)
        if match is None:
            continue
        keys = dict(part.split("\x02", 1) for part in match["keys"].split("\x01") if part)
        kind = KINDS.get(keys.get("page", "").split("/")[0])
        _, below, file = keys.get("f", "").rpartition("/hdl/")
        if kind is None or not below or "/" not in file or file.startswith("regs/"):
            continue
        place = f"{keys['l']}:{keys.get('n', '')}:{keys.get('o', '')}"
        yield (file, kind, place), int(match["count"])


def electronics_areas(counts: dict[Point, int]) -> dict[str, Area]:
    """The areas by folder of hdl/."""
    areas: dict[str, Area] = {}
    for (file, kind, _), count in sorted(counts.items()):
        areas.setdefault(f"hdl/{file.split('/')[0]}", Area()).of(kind).add(count)
    return areas


def code_areas(report: dict) -> dict[str, Area]:
    """The areas by folder, such as firmware/queue, from gcovr's JSON."""
    areas: dict[str, Area] = {}
    for file in report["files"]:
        folders = file["file"].split("/")
        if folders[0] not in CODE_AREAS:
            continue
        area = areas.setdefault("/".join(folders[:2]) if len(folders) > 2 else folders[0], Area())
        for line in file["lines"]:
            if line.get("gcovr/noncode") or line.get("gcovr/excluded"):
                continue
            area.of("lines").add(line["count"])
            for branch in line["branches"]:
                area.of("branches").add(branch["count"])
    return dict(sorted(areas.items()))


def rows(areas: dict[str, Area]) -> list[str]:
    """The rows of a table with these columns."""
    return [f"| {name} | {area.of('lines')} | {area.of('branches')} | {area.of('bits')} |" for name, area in areas.items()]


HEAD = ("| area | lines | branches | bits that change |", "|---|---|---|---|")


def write_rows(page: str, part: str, table: Sequence[str]) -> str:
    """The page's text with the table between the part's marks."""
    begin, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    if begin not in page or end not in page:
        raise CoverageError(f"no table between '{begin}' and '{end}'")
    return page.split(begin)[0] + "\n".join([begin, *HEAD, *table, end]) + page.split(end)[1]


def run(words: Sequence[str | Path], **more: object) -> None:
    """Raises CoverageError unless it ends well."""
    if subprocess.run(words, check=False, **more).returncode != 0:  # type: ignore[call-overload]
        raise CoverageError(f"'{' '.join(map(str, words))}' failed")


def measure_electronics(out: Path) -> dict[str, Area]:
    """Runs the blocks' tests. Writes electronics.txt."""
    prepare([*BLOCK_TESTS, *CONTRACT_TESTS], PRESET)
    counts: dict[Point, int] = {}
    data = out / "counts.dat"
    # SystemC elaborates once in a process, so a test of tests/contract has one of its own.
    programs = [str(BUILD / "tests/rtl" / name) for name in BLOCK_TESTS]
    programs += [f"{BUILD / 'tests/contract' / name}={tests}" for name, tests in CONTRACT_TESTS.items()]
    for program in programs:
        print(Path(program.partition("=")[0]).name, file=sys.stderr, flush=True)
        for line in processes(program):
            data.unlink(missing_ok=True)
            run([*line, "--gtest_brief=1"], env=os.environ | {"HEADSTACK_COVERAGE": str(data)}, stdout=subprocess.DEVNULL)
            with data.open(encoding="utf-8", errors="replace") as lines:
                for point, count in points_of(lines):
                    counts[point] = counts.get(point, 0) + count
    missed = (f"hdl/{file}:{place} {kind}" for (file, kind, place), count in sorted(counts.items()) if count == 0)
    (out / "electronics.txt").write_text("\n".join(missed) + "\n", encoding="utf-8")
    return electronics_areas(counts)


def measure_code(out: Path) -> dict[str, Area]:
    """Runs the tests of firmware, models and host. Writes a page for each source."""
    prepare(["all"], PRESET)
    for stale in BUILD.rglob("*.gcda"):
        stale.unlink()
    jobs = str(os.cpu_count())
    run(["ctest", "--preset", PRESET, "-j", jobs, "--quiet"], cwd=ROOT)
    report = out / "code.json"
    gcovr = Path(sys.executable).with_name("gcovr")
    run([gcovr, "--root", ROOT, "--object-directory", BUILD, "-j", jobs, "--exclude-throw-branches", "--exclude-unreachable-branches",
         # Loops of the arrangement are executed some 7e9 times.
         "--gcov-suspicious-hits-threshold", "0",
         "--merge-mode-functions", "separate", *(f"--filter={area}/" for area in CODE_AREAS), "--json", report,
         "--html-details", out / "code.html"], cwd=ROOT)  # fmt: skip
    return code_areas(json.loads(report.read_text()))


MEASURES = {ELECTRONICS: measure_electronics, CODE: measure_code}


def main(words: Sequence[str] | None = None) -> int:
    parser = CommandParser(prog="headstack coverage", description="measure which lines, branches and signals the tests reach, by area")
    parser.add_argument("--only", choices=sorted(MEASURES),
                        help="part to measure. electronics: the RTL blocks; code: firmware, models and host (default: both)")  # fmt: skip
    parser.add_argument("--write", action="store_true", help="update the table of tests/coverage/README.md")
    parser.add_argument("--out", type=Path, default=BUILD / "report", metavar="DIR", help="folder for the pages (build/coverage/report)")
    arguments = parser.parse_args(words)
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for part in [arguments.only] if arguments.only else list(MEASURES):
            table = rows(MEASURES[part](arguments.out))
            print("\n".join([*HEAD, *table]))
            if arguments.write:
                PAGE.write_text(write_rows(PAGE.read_text(encoding="utf-8"), part, table), encoding="utf-8")
    except BrokenPipeError:
        raise
    except (CoverageError, OSError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    run_program(main)
