# SPDX-License-Identifier: Apache-2.0
"""The commands of `headstack remap` from end to end, with the front end that reads traces and the drive that serves them.

    test_commands.py FRONT_END RUN_PROGRAM
"""

import contextlib
import hashlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import SHARED  # noqa: I001
import numpy as np

from remap import analyse, apply, media, synth
from remap.arrangement import Map, identity, write_map
from remap.counts import read_counts
from remap.requests import of_run

FRONT_END, RUN = (Path(sys.argv[1]), Path(sys.argv[2])) if len(sys.argv) > 2 else (Path(), Path())
AJW = SHARED / "traces/hp-srt/ajw.1week.srt"
PAPER = Path(__file__).resolve().parents[2] / "sim/drives/paper_179mb.toml"


def hash_of(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, command, *words: object) -> tuple[int, str, str]:
        """Status, standard output, standard error of a command's main function."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            try:
                status = command.main([str(FRONT_END), *map(str, words)])
            except SystemExit as end:
                status = int(end.code or 0)
        return status, out.getvalue(), error.getvalue()

    def good(self, command, *words: object) -> str:
        status, out, error = self.call(command, *words)
        self.assertEqual((status, error), (0, ""), words)
        return out

    def refused(self, command, *words: object, status: int = 1) -> str:
        """The one line of an error."""
        found, out, error = self.call(command, *words)
        self.assertEqual((found, out, error.count("\n")), (status, "", 1), (words, error))
        self.assertTrue(error.startswith("headstack: error: "), error)
        return error

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text, encoding="ascii")
        return file


class Analysis(Commands):
    def test_a_trace_by_hand(self) -> None:
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n0 R 0 8 -\n5 W 160 8 -\n9 F 0 0 -\n20 R 0 8 -\n30 R 8 8 -\n")
        figures = json.loads(self.good(analyse, trace, "--json", "-o", self.folder / "counts.json"))
        self.assertEqual((figures["requests"], figures["groups"], figures["accesses"], figures["pairs"]), (4, 2, 4, 3))
        counts = read_counts(self.folder / "counts.json")
        self.assertEqual(counts.pairs.tolist(), [[0, 0, 1], [0, 1, 1], [1, 0, 1]])
        # pi = (3/4, 1/4); rho_01 = 1/2, rho_10 = 1.
        self.assertAlmostEqual(figures["energies"]["identity"]["energy"], 3 / 4 / 2 + 1 / 4)

    def test_gaps_of_a_trace_with_service_times(self) -> None:
        trace = self.write("t", "headstack-trace 2\ntime-unit us\nloop open\ncolumns time operation lba blocks service\nrequests\n"
                                "0 R 0 8 10\n15 R 160 8 10\n20 R 0 8 1\n25.5 R 0 8 1\n")  # fmt: skip
        figures = json.loads(self.good(analyse, trace, "--json"))
        # 15 - 10 = 5; then 20 lies before 25, and the later end counts on: 25.5 - 25.
        self.assertEqual(figures["gaps_us"], [[0.0, 2], [4.0, 1]])

    def test_the_text_has_the_figures(self) -> None:
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n" + "".join(f"{i} R {i * 37 % 640} 8 -\n" for i in range(200)))
        text, figures = self.good(analyse, trace), json.loads(self.good(analyse, trace, "--json"))
        self.assertIn(f"{figures['energies']['pipe organ']['energy']:,.3f}", text)
        self.assertIn("As printed, 1 against 2 can reject nothing", self.good(analyse, trace, "--group-blocks", 16))
        self.assertIn("1 against 2, cells seen", text)

    def test_arrangements_beside_the_others(self) -> None:
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n" + "".join(f"{i} R {i * 37 % 640} 8 -\n" for i in range(200)))
        write_map(self.folder / "same.json", Map(0, 160, identity(5)))
        write_map(self.folder / "swapped.json", Map(0, 160, np.array([1, 0, 2, 3, 4])))
        write_map(self.folder / "units.json", Map(0, 16, identity(50)))
        words = [word for name in ("same", "swapped", "units") for word in ("--map", self.folder / f"{name}.json")]
        energies = json.loads(self.good(analyse, trace, "--json", *words))["energies"]
        by_name = {Path(name).name: both["energy"] for name, both in energies.items()}
        self.assertEqual(by_name["same.json"], by_name["identity"])
        self.assertNotEqual(by_name["swapped.json"], by_name["identity"])
        self.assertGreater(by_name["units.json"], 0)

    def test_a_picture(self) -> None:
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n" + "".join(f"{i} R {i * 37 % 640} 8 -\n" for i in range(200)))
        pictures = [self.folder / "one.png", self.folder / "two.png"]
        units = self.folder / "units.json"
        write_map(units, Map(0, 16, np.roll(np.arange(50), 7)))
        for picture in pictures:
            self.good(analyse, trace, "--map", units, "--picture", picture)
        self.assertTrue(pictures[0].read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(pictures[0].read_bytes(), pictures[1].read_bytes())
        self.assertIn("ends in .png or .svg", self.refused(analyse, trace, "--picture", self.folder / "x.gif"))

    def test_the_week_of_an_hp_ux_host(self) -> None:
        if not AJW.exists():
            self.skipTest(f"reference data not present: {AJW} (not part of the project)")
        figures = json.loads(self.good(analyse, AJW, "--device", "0", "--json"))
        grid = figures["grid"]
        # REMAPPING: 66 % of its I/Os span two units on grid 0, 0.33 % on one shifted by 8 blocks.
        self.assertEqual(grid["best"], 8)
        self.assertAlmostEqual(grid["shares"][0], 0.66, delta=0.005)
        self.assertAlmostEqual(grid["share_at_best"], 0.0033, delta=0.00005)
        self.assertTrue(figures["order"]["order_0_as_printed"]["rejects"])

    def test_bad_input(self) -> None:
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n0 R 0 8 -\n1 R 500 8 -\n2 R 0 8 -\n")
        self.assertIn("No such file or directory; give a trace", self.refused(analyse, self.folder / "none"))
        self.assertIn("--group-blocks 100 is no multiple of --unit-blocks 16", self.refused(analyse, trace, "--group-blocks", 100))
        self.assertIn("give smaller ones", self.refused(analyse, trace, "--group-blocks", 1600))
        self.assertIn("'0' is not a whole number", self.refused(analyse, trace, "--group-blocks", 0, status=2))
        self.assertIn("did you mean '--group-blocks'?", self.refused(analyse, trace, "--group-bloks", 160, status=2))
        self.assertIn("unknown option '--jsn'", self.refused(analyse, trace, "--jsn", status=2))
        self.assertIn("no_such_drive", self.refused(analyse, trace, "--drive", "no_such_drive"))
        self.assertIn("not a headstack trace", self.refused(analyse, self.write("x", "headstack-trac\n"), "--from", "headstack"))
        self.assertIn("fields for 5 columns", self.refused(analyse, self.write("y", "headstack-trace 1\ntime-unit us\nrequests\n0 R 0\n")))
        self.assertIn("no line 'requests'", self.refused(analyse, self.write("z", "headstack-trace 1\ntime-unit us\n")))
        self.assertIn("'lba'", self.refused(analyse, self.write("w", "headstack-trace 1\ntime-unit us\nrequests\n0 R x 8 -\n")))
        empty = self.write("e", "headstack-trace 1\ntime-unit us\nrequests\n0 F 0 0 -\n")
        self.assertIn("no request that moves blocks", self.refused(analyse, empty))
        self.assertIn("summary.json", self.refused(analyse, self.folder))
        self.assertIn("cannot be written", self.refused(analyse, trace, "-o", self.folder / "no/counts.json"))
        (self.folder / "map.json").write_text('{"format": "headstack-map-1", "first_block": 8, "unit_blocks": 160, "slots": [0]}')
        self.assertIn("groups begin at 0", self.refused(analyse, trace, "--map", self.folder / "map.json"))
        (self.folder / "map.json").write_text('{"format": "headstack-map-1", "first_block": 0, "unit_blocks": 100, "slots": [0]}')
        self.assertIn("no multiple of", self.refused(analyse, trace, "--map", self.folder / "map.json"))


class Outputs(Commands):
    """What is there stays without --force, and what a command reads stays with it, too."""

    def test_of_each_command(self) -> None:
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n0 R 0 8 -\n1 R 500 8 -\n2 R 0 8 -\n")
        arranged, chain = self.folder / "map.json", self.folder / "chain.json"
        write_map(arranged, Map(0, 16, np.arange(100)))
        self.good(analyse, trace, "-o", chain)
        other = self.write("mine", "my own text\n")
        picture = self.folder / "mine.png"
        picture.write_bytes(b"my picture")
        for command, words, inputs in (
            (analyse, (trace, "--map", arranged, "-o"), (trace, arranged)),
            (apply, (trace, "--map", arranged, "-o"), (trace, arranged)),
            (synth, ("--chain", chain, "--count", 10, "-o"), (chain,)),
        ):
            for file in inputs:
                before = file.read_bytes()
                for more in ((), ("--force",)):
                    self.assertIn(f"{file}: is what the command reads; give another name", self.refused(command, *words, file, *more))
                self.assertEqual(file.read_bytes(), before)
            self.assertIn(f"{other}: exists; give --force to overwrite it", self.refused(command, *words, other))
            self.assertEqual(other.read_text(), "my own text\n")
        self.assertIn("mine.png: exists; give --force", self.refused(analyse, trace, "--picture", picture))
        self.assertEqual(picture.read_bytes(), b"my picture")
        self.good(analyse, trace, "-o", chain, "--force")
        self.good(apply, trace, "--map", arranged, "-o", other, "--force")
        self.assertTrue(other.read_text().startswith("headstack-trace 1"))


class OfTheDrive(Commands):
    def run_drive(self, trace: Path, *words: object) -> Path:
        out = self.folder / f"run-{trace.name}"
        line = [RUN, "--drive", PAPER, "--trace", trace, "--platform", "native", "platform.ideal_electronics=true", "--cache", "off",
                "--out", out, *words]  # fmt: skip
        done = subprocess.run([*map(str, line)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_a_run_is_learned_in_the_order_of_service(self) -> None:
        """Six at once, far apart and back: the nearest first is another order than that of arrival."""
        places = [0, 300_000, 1600, 250_000, 3200, 200_000]
        trace = self.write("six", "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n" + "".join(f"- R {lba} 16 -\n" for lba in places))
        run = self.run_drive(trace, "--policy", "sstf", "--depth", 6)
        requests = of_run(run)
        self.assertEqual(requests.order, "service")
        self.assertEqual(requests.lba.tolist(), [0, 1600, 3200, 200_000, 250_000, 300_000])
        figures = json.loads(self.good(analyse, run, "--json"))
        self.assertEqual((figures["groups"], figures["order_of"]), (2181, "service"))

    def test_a_natural_day_on_the_drive(self) -> None:
        trace = self.folder / "day"
        self.good(synth, "--drive", PAPER, "--count", 400, "--gap", "steady:2", "--seed", 3, "-o", trace)
        run = self.run_drive(trace, "--policy", "fcfs", "--depth", 1)
        arrived = json.loads(self.good(analyse, trace, "--drive", PAPER, "--json"))
        served = json.loads(self.good(analyse, run, "--json"))
        # First come, first served: both orders are one.
        for key in ("groups", "accesses", "pairs", "energies", "order"):
            self.assertEqual(arrived[key], served[key], key)
        gaps = [gap for gap, count in served["gaps_us"] for _ in range(count)]
        self.assertEqual(len(gaps), 399)
        self.assertTrue(all(1448 <= gap <= 2100 for gap in gaps), "2 ms within a tenth, in bins of half an octave")

    def test_a_mapped_trace_reads_what_the_map_says(self) -> None:
        trace, made = self.folder / "day", self.folder / "mapped"
        self.good(synth, "--groups", 2181, "--count", 300, "-o", trace)
        slots = np.random.default_rng(1).permutation(21_810)
        write_map(self.folder / "map.json", Map(0, 16, slots))
        said = self.good(apply, trace, "--map", self.folder / "map.json", "-o", made)
        self.assertIn("300 requests; 0 were split", said)
        before = [int(line.split()[1]) for line in trace.read_text().splitlines()[6:]]
        after = [int(line.split()[1]) for line in made.read_text().splitlines()[6:]]
        self.assertEqual(after, [int(slots[lba // 16]) * 16 for lba in before])
        self.assertEqual(len(of_run(self.run_drive(made, "--policy", "fcfs"))), 300)

    def test_walkers_are_outstanding_together(self) -> None:
        trace = self.folder / "many"
        self.good(synth, "--groups", 2181, "--count", 600, "--walkers", 8, "-o", trace)
        run = self.run_drive(trace, "--policy", "fcfs", "--depth", 8)
        summary = json.loads((run / "summary.json").read_text())
        result = summary["result"]
        outstanding = result["response_ps"]["mean"] * result["commands"] / result["elapsed_ps"]
        self.assertTrue(7.7 < outstanding <= 8, outstanding)

    def told(self, verb: str, file: Path, status: int = 0) -> str:
        """What a command of media in a file prints."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            ended = media.main([str(RUN), verb, "--drive", str(PAPER), "--media", str(file)])
        self.assertEqual(ended, status, error.getvalue())
        return out.getvalue() + error.getvalue()

    def test_units_of_media_in_a_file_go_home_and_back(self) -> None:
        slots = identity(21_810)
        slots[[100, 7000, 20_000]] = [7000, 20_000, 100]
        write_map(self.folder / "map.json", Map(0, 16, slots))
        file = self.folder / "disk.media"
        self.assertIn("there is no such file", self.told("status", file, status=1))
        trace = self.write("one", "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n- W 1600 16 -\n")
        self.run_drive(trace, f"drive.media={file}")
        self.assertIn("no map: every block is where", self.told("status", file))
        self.assertIn("the media have no map", self.told("restore", file, status=1))
        self.run_drive(trace, f"drive.media={file}", f"remap.maps={self.folder}/map.json", "remap.settled=true", "--force")
        moved = hash_of(file)
        self.assertIn("3 of 21,810 units are not", self.told("status", file))
        self.assertEqual(hash_of(file), moved, "status only looks")
        self.assertRegex(self.told("off", file), r"^0 of 21,810 units are not .*\nmoved now: \d+ units")
        self.assertIn("0 of 21,810 units are not", self.told("status", file))
        self.assertRegex(self.told("restore", file), r"^3 of 21,810 units are not .*\nmoved now: \d+ units")

    def test_an_estimated_chain(self) -> None:
        day, counts, again = self.folder / "day", self.folder / "counts.json", self.folder / "again"
        self.good(synth, "--groups", 2181, "--count", 20_000, "-o", day)
        self.good(analyse, day, "-o", counts)
        self.good(synth, "--chain", counts, "--count", 20_000, "-o", again)
        figures = json.loads(self.good(analyse, again, "--json", "-o", self.folder / "counts2.json"))
        learned, drawn = read_counts(counts), read_counts(self.folder / "counts2.json")
        known = {(a, b) for a, b, _ in learned.pairs.tolist()}
        self.assertTrue(all((a, b) in known for a, b, _ in drawn.pairs.tolist()))
        self.assertEqual(figures["accesses"], 20_000)

    def test_bad_words(self) -> None:
        self.assertIn("give one of --drive and --groups", self.refused(synth))
        self.assertIn("give one of --drive and --groups", self.refused(synth, "--drive", PAPER, "--groups", 2181))
        self.assertIn("there is no such chain; give natural, fitted, uniform", self.refused(synth, "--chain", "natral", "--groups", 2181))
        self.assertIn("give a number from 0 to 1", self.refused(synth, "--groups", 2181, "--drift", 2, status=2))
        self.assertIn("as in exp:20", self.refused(synth, "--groups", 2181, "--gap", "x", status=2))
        self.assertIn("give a divisor", self.refused(synth, "--groups", 2181, "--blocks", 12))
        self.assertIn("leave --drive", self.refused(synth, "--chain", "x.json", "--groups", 2181))
        self.assertIn("x.json: No such file", self.refused(synth, "--chain", "x.json"))
        trace = self.write("t", "headstack-trace 1\ntime-unit us\nrequests\n0 R 0 8 -\n")
        missing = self.folder / "none.json"
        self.assertIn("No such file", self.refused(apply, trace, "--map", missing, "-o", self.folder / "o"))
        self.assertIn("required: --map", self.refused(apply, trace, "-o", self.folder / "o", status=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
