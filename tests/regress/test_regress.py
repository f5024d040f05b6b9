# SPDX-License-Identifier: Apache-2.0
"""The command on the program that users run, with deliberately changed firmware. It must find the change, and report its cycle,
function and line. It must accept a change without effect.

test_regress.py RUN_PROGRAM BUILD_FOLDER
"""

import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from support import ROOT, InAFolder  # noqa: I001
from patched_firmware import build_patched
from event_log import ASLEEP, CLOCK_PS, parse_ledger, read_events

PROGRAM, BUILD = Path(), Path()  # from the command line

SEEK = "firmware/motion/seek.c"
SEEK_TOLD = "    servo_hal_seek(seek->cylinder, seek->head, seek->at_writer);\n"  # a part of seek_start(), after its event SEEK_START
NOP = '  __asm__ volatile("nop");\n'
DELAY = "  for (volatile uint32_t i = 0; i < 200; ++i) {\n  }\n"  # some 2,000 cycles, 50 us
FIRST_CYLINDER = 0  # no seek of the load goes there
SSTF = "firmware/queue/policy_sstf.c"
SENSE = "firmware/unit/sense.c"
CASE = """title = "a small one"
drive = "cheetah_9lp"
settings.policy = "{policy}"
hosts.depth = 6

[load.synthetic]
pattern = "uniform"
requests = 14
span = 8000000
seed = 5
"""


def line_of(source: str, text: str) -> int:
    """The number of the only line with a text."""
    lines = [number for number, line in enumerate((ROOT / source).read_text().splitlines(), 1) if text in line]
    assert len(lines) == 1, (source, text, lines)
    return lines[0]


# Expectations that hold whatever the firmware's times are.
EXPECT = """
[[expect]]
kind = ["requests", "arrivals", "times", "media", "seeks", "angles", "transfers", "order"]
reason = "mechanics and the policy's definition"
"""


class Regress(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.suite = self.folder / "suite"
        self.out = self.folder / "out"

    def add(self, policy: str = "sstf", more: str = "") -> None:
        folder = self.suite / "small"
        folder.mkdir(parents=True)
        (folder / "scenario.toml").write_text(CASE.format(policy=policy) + more)

    def regress(
        self, *words: str, firmware: Path | None = None, rtl_share: float = 0, against: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Runs the suite in comparison with the build's firmware, unless `against` is false."""
        script = ROOT / "host/regress/regress.py"
        line = [sys.executable, "-B", str(script), str(PROGRAM), str(self.suite), "--out", str(self.out), *words]
        line += ["--rtl-share", str(rtl_share)]
        line += ["--against", str(BUILD), "--cache", str(self.folder / "cache")] if against else []
        if firmware:
            line += ["--firmware", str(firmware)]
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
        return subprocess.run(line, capture_output=True, text=True, check=False, env=kept)

    def patched(self, source: str, old: str, new: str) -> Path:
        folder = self.folder / f"firmware{len(list(self.folder.glob('firmware*')))}"
        return build_patched(BUILD, folder, source, old, new)

    def replay(self, name: str, *words: str, limit: int = 10) -> Path:
        """Runs the suite's load by itself. @return its folder."""
        out = self.folder / name
        line = [
            str(PROGRAM), "--trace", str(ROOT / "traces/measured/ext4-git-sqlite.trace"),
            "--depth", "6", "--limit", str(limit), "--loop", "closed", "--out", str(out), *words,
        ]  # fmt: skip
        for option, usual in (("--drive", "cheetah_9lp"), ("--policy", "stf")):
            if option not in words:
                line += [option, usual]
        environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
        subprocess.run(line, check=True, capture_output=True, env=environment)
        return out


LEDGER, PROFILE = "observe.ledger=true", "observe.profile=true"
RTL = ("--platform", "rtl")


class Ledger(Regress):
    def test_it_changes_nothing_and_accounts_for_every_cycle(self):
        plain = self.replay("plain", "observe.events=true")
        looked = self.replay("looked", "observe.events=true", LEDGER, PROFILE)
        waved = self.replay("waved", LEDGER, "--wave", str(self.folder / "w.fst"), "observe.waves.windows=cmd:3")
        hashes = {json.loads((run / "summary.json").read_text())["event_hash"] for run in (plain, looked, waved)}
        self.assertEqual(len(hashes), 1)
        self.assertEqual((looked / "ledger.txt").read_bytes(), (waved / "ledger.txt").read_bytes())
        self.assertEqual((plain / "records.csv").read_bytes(), (looked / "records.csv").read_bytes())

        ledger = parse_ledger((looked / "ledger.txt").read_text(), "ledger")
        self.assertEqual(ledger.events, read_events(plain / "events.txt"))
        self.assertEqual([issue.number for issue in ledger.issues], list(range(10)))
        before = -1  # edge 0 is a cycle, too
        for entry in ledger.entries:
            self.assertEqual(sum(one.cycles for one in entry.work), entry.event.edge - before, entry.event)
            before = entry.event.edge
        # The profile counts on after the last event, until the run is over.
        awake = sum(one.cycles for entry in ledger.entries for one in entry.work if one.function != ASLEEP)
        profile = sum(int(line.split()[0]) for line in (looked / "profile.txt").read_text().splitlines()[1:])
        self.assertLessEqual(0, profile - awake)
        self.assertLess(profile - awake, 0.01 * profile)

    def test_vp_accounts_for_the_same_cycles_as_the_electronics(self):
        for drive, policy in (("cheetah_9lp", "stf"), ("hp_c3323a", "fcfs"), ("atlas_10k", "sstf")):
            options = ("--drive", drive, "--policy", policy, LEDGER, PROFILE)
            rtl = self.replay(f"rtl_{drive}", *options, *RTL)
            vp = self.replay(f"vp_{drive}", *options, "--platform", "vp")
            self.assertGreater(len((rtl / "ledger.txt").read_text().splitlines()), 150)
            for name in ("ledger.txt", "profile.txt"):
                self.assertEqual((vp / name).read_bytes(), (rtl / name).read_bytes(), (drive, name))

    def test_edges_that_the_clock_gate_leaves_out_count_as_those_that_nobody_asked_for(self):
        gated = self.replay("gated", LEDGER, *RTL, limit=4)
        ungated = self.replay("ungated", LEDGER, "platform.gating=false", *RTL, limit=4)
        self.assertEqual((gated / "ledger.txt").read_bytes(), (ungated / "ledger.txt").read_bytes())

    def test_it_is_refused_where_there_is_none(self):
        for words, message in (
            (("--platform", "native"), "observe.ledger: does not work on native"),
            (("observe.snapshot_every=1ms",), "observe.ledger: does not go with snapshots"),
        ):
            with self.assertRaises(subprocess.CalledProcessError) as raised:
                self.replay("refused", LEDGER, *words)
            self.assertEqual(raised.exception.returncode, 2)
            self.assertIn(message, raised.exception.stderr.decode())

    def test_each_register_access_is_told_and_is_the_same_on_both_platforms(self):
        options = ("observe.events=true", "observe.accesses=true", "hosts.cdb=10")
        rtl = self.replay("accesses_rtl", *options, *RTL, limit=12)
        vp = self.replay("accesses_vp", *options, "--platform", "vp", limit=12)
        self.assertEqual((vp / "accesses.txt").read_bytes(), (rtl / "accesses.txt").read_bytes())
        accesses = [line.split() for line in (rtl / "accesses.txt").read_text().splitlines()]
        # The trace port stamps an event with the edge at which the store retires, two after its request
        # (hdl/bus/io_bridge.sv). Numbers are decimal in firmware/events.h, hexadecimal as an index.
        port = "TRACE_PORT.EVENT["
        stores = [(int(edge) + 2, value) for edge, _, _, _, name, value in accesses if name.startswith(port)]
        events = [line.split() for line in (rtl / "events.txt").read_text().splitlines()]
        self.assertEqual(stores, [(int(edge), argument) for edge, _, argument in events])
        # READ(10) and WRITE(10) have the block in bytes 2 to 5 (SBC-2 5.6, 5.25), which the firmware has read from the FIFO.
        blocks = set()
        cdb: list[int] = []
        for _, _, way, _, name, value in accesses:
            if name == "SCSI_TARGET.FIFO" and way == "r":
                cdb.append(int(value, 16))
            elif name.startswith("TRACE_PORT.EVENT[10]"):
                blocks.add(int.from_bytes(cdb[-8:-4], "big"))
        trace = (ROOT / "traces/measured/ext4-git-sqlite.trace").read_text().splitlines()
        wanted = [int(line.split()[2]) for line in trace if re.match(r"\S+ [RW] ", line)]
        self.assertLessEqual(set(wanted[:8]), blocks)

    def test_every_event_comes_from_a_store_to_the_trace_port(self):
        run = self.replay("looked", LEDGER)
        ledger = parse_ledger((run / "ledger.txt").read_text(), "ledger")
        elf = BUILD / "firmware/drive.elf"
        listing = subprocess.run(
            ["riscv64-unknown-elf-objdump", "-d", str(elf)], capture_output=True, text=True, check=True
        ).stdout
        operations = dict(re.findall(r"^ +([0-9a-f]+):\t[0-9a-f ]+\t(\w+)", listing, re.MULTILINE))
        self.assertEqual({operations[f"{entry.pc:x}"] for entry in ledger.entries}, {"sw"})


class ChangedFirmware(Regress):
    def test_a_comment_passes(self):
        self.add()
        include = '#include "firmware/motion/seek.h"\n'
        elf = self.patched(SEEK, include, f"// More\n// lines.\n{include}")
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 case: 1 passed", done.stdout)

    def test_one_cycle_in_a_handler_is_caught_with_its_function_and_line(self):
        self.add()
        elf = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 1, done.stdout)
        found = re.search(r"\): (\w+) at cycle ([\d,]+), expected cycle ([\d,]+)", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        now, was = (int(text.replace(",", "")) for text in found.groups()[1:])
        # The events after the first seek in the base's run. If the copy's instructions straddle other words, the one cycle
        # brings another.
        expected = (self.out / "small/base-look/ledger.txt").read_text().splitlines()
        first = next(number for number, line in enumerate(expected) if line.split()[1] == "SEEK_START")
        self.assertEqual(expected[first + 1].split()[:2], [str(was), found[1]])
        self.assertIn(now - was, (1, 2))
        copy, begins = elf.parent / SEEK, line_of(SEEK, "enum status seek_start(")
        told = re.search(
            rf"seek_start\(\) at {copy}:(\d+) took (\d+) cycles \((\d+) instructions\), expected (\d+) \((\d+)\)",
            done.stdout,
        )
        self.assertIsNotNone(told, done.stdout)
        line, cycles, instructions, expected_cycles, expected_instructions = map(int, told.groups())
        self.assertIn(line, range(begins, begins + 6))  # near the function's begin, as the compiler orders the lines
        self.assertEqual((cycles - expected_cycles, instructions - expected_instructions), (now - was, 1))
        self.check_artifacts(done.stdout, was)

    def check_artifacts(self, text: str, cycle: int) -> None:
        """Checks that there are waves around the divergence, and that the debugger's line leads to the event before it."""
        wave = self.out / "small/waves/divergence.fst"
        self.assertIn(f"./headstack wave view {wave}", text)
        # The header of an FST file (GTKWave's fstapi.c): block type 0, length, first and last time, big-endian.
        with wave.open("rb") as file:
            block, _, begin, end = struct.unpack(">BQQQ", file.read(25))
        self.assertEqual(block, 0)
        self.assertLess(begin, cycle * CLOCK_PS)
        self.assertGreater(end, cycle * CLOCK_PS)
        until = re.search(r"--run-until 'time ([\d.]+)ms' --launch", text)
        self.assertLess(float(until[1]) * 1e9, cycle * CLOCK_PS)

    def test_another_policy_is_caught_at_the_first_choice_it_changes(self):
        self.add()
        farthest = "search_consider(&nearest, item, UINT32_MAX - distance_u32(item->cylinder, cylinder));"
        elf = self.patched(SSTF, "search_consider(&nearest, item, distance_u32(item->cylinder, cylinder));", farthest)
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 1, done.stdout)
        # The search takes other cycles before it makes another choice, so its end is the first difference.
        self.assertRegex(done.stdout, r"\): (PLAN_END|TASK_CHOSEN) ")
        self.assertRegex(done.stdout, rf"which_next\(\) at {elf.parent / SSTF}:\d+ took")

    def test_expectations_survive_another_timing_and_not_another_policy(self):
        self.add(more=EXPECT)
        slower = self.patched(SEEK, SEEK_TOLD, DELAY + SEEK_TOLD)
        done = self.regress(firmware=slower)
        self.assertIn("1 case: 1 changed; 8 of 8 expectations of 1 case hold", done.stdout)

        farthest = "search_consider(&nearest, item, UINT32_MAX - distance_u32(item->cylinder, cylinder));"
        elf = self.patched(SSTF, "search_consider(&nearest, item, distance_u32(item->cylinder, cylinder));", farthest)
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("WRONG small (cheetah_9lp, sstf, vp): expectation 'order' does not hold: command ", done.stdout)
        self.assertIn("1 case: 1 wrong; 7 of 8 expectations of 1 case hold", done.stdout)

    def test_a_drive_that_fails_is_told_with_what_it_did_first(self):
        self.add()
        elf = self.patched(SEEK, SEEK_TOLD, f"  ASSERT(seek->cylinder == {FIRST_CYLINDER});\n{SEEK_TOLD}")
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 1, done.stdout)
        line = 1 + (elf.parent / SEEK).read_text().splitlines().index(f"  ASSERT(seek->cylinder == {FIRST_CYLINDER});")
        told = rf"the run ended with status 1: the firmware stopped: assertion at {SEEK}:{line}\b"
        self.assertRegex(done.stdout, rf"FAILED small .* {told}")
        self.assertRegex(done.stdout, rf"why: between \w+ .*\(\) at {elf.parent / SEEK}:\d+ (took|did not run)")

    def test_a_wrong_sense_code_is_wrong_though_status_and_times_are_the_same(self):
        """Two such codes once passed all golden cases."""
        shutil.copytree(ROOT / "tests/golden/mvax_71mb-errors-media", self.suite / "small")
        self.assertEqual(self.regress().returncode, 0)
        for right, wrong, code in (
            ("MEDIUM_ERROR, 0x11, 0x00}", "MEDIUM_ERROR, 0x11, 0x01}", "3/11/01"),
            ("MEDIUM_ERROR, 0x12, 0x00}", "MEDIUM_ERROR, 0x10, 0x00}", "3/10/00"),
        ):
            elf = self.patched(SENSE, f"{{SENSE_KEY_{right}", f"{{SENSE_KEY_{wrong}")
            done = self.regress(firmware=elf)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, rf"WRONG small .*: expectation 'sense' does not hold: command \d+ .* ended with sense {code}, not")
        # Without the expectation, the base's run shows it.
        case = self.suite / "small/scenario.toml"
        case.write_text(re.sub(r"\[\[expect\]\].*", "", case.read_text(), flags=re.S))
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"CHANGED small ")

    def test_a_lost_wake_up_fails_the_run_and_names_the_sense(self):
        """Writes wait for an event that has passed: they end with 4/02/00, no seek complete (SCSI-2 table 71)."""
        self.add(more="write_share = 0.5\n")
        awaited = "seek->for_write ? SERVO_EVENT_WRITE_READY : SERVO_EVENT_ON_TRACK"
        done = self.regress(firmware=self.patched(SEEK, awaited, "SERVO_EVENT_ON_TRACK"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"FAILED small .*unexplained-sense \(default\): \d+ .*4/02/00 no seek complete")


class Outputs(Regress):
    """The command replaces pages and verdicts of its own. Other files stay, and then nothing is run."""

    def test_of_another_stays_and_its_own_are_replaced(self):
        self.add()
        page, junit, index = self.folder / "my.html", self.folder / "my.trace", self.out / "index.html"
        words = ("--html", str(page), "--junit", str(junit))
        self.out.mkdir(exist_ok=True)
        for file, options in ((page, words), (junit, words), (index, words[2:])):
            file.write_text("my own text", encoding="ascii")
            done = self.regress(*options)
            told = f"headstack: error: {file}: exists, and this command did not write it; give another name, or remove it\n"
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", told))
            self.assertEqual(file.read_text(encoding="ascii"), "my own text")
            file.unlink()
        for options in (words, words, (), ()):
            self.assertEqual(self.regress(*options).returncode, 0)
        self.assertIn("<testsuites", junit.read_text(encoding="utf-8"))


class WrongScenario(Regress):
    """A wrong scenario ends the command with the simulator's own sentence, before any run."""

    def test_a_key_that_no_scenario_has_is_told_with_its_line(self):
        folder = self.suite / "small"
        folder.mkdir(parents=True)
        text = CASE.format(policy="sstf")
        for old, new, message in (
            ("hosts.depth", "hosts.dept", "4: hosts.dept: unknown key; did you mean 'depth'?"),
            ("requests = 14", "requests = 0", "load.synthetic.requests: "),
        ):
            (folder / "scenario.toml").write_text(text.replace(old, new))
            done = self.regress(against=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stdout)
            self.assertRegex(done.stderr, rf"^headstack: error: .*{re.escape(message)}.*\n$")
            self.assertFalse((self.out / "small").exists())


class BothPlatforms(Regress):
    def test_rtl_does_what_vp_does_and_meets_the_same_expectations(self):
        self.add(more=EXPECT)
        done = self.regress("--rtl-seed", "7", rtl_share=1, against=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("on rtl, too: 1 of 1 cases, 14 commands (--rtl-seed 7 --rtl-share 1)", done.stdout)
        self.assertIn("2 cases: 2 passed; 16 of 16 expectations of 2 cases hold", done.stdout)

    def test_another_policy_is_wrong_on_both_and_told_together(self):
        self.add(more=EXPECT)
        farthest = "search_consider(&nearest, item, UINT32_MAX - distance_u32(item->cylinder, cylinder));"
        elf = self.patched(SSTF, "search_consider(&nearest, item, distance_u32(item->cylinder, cylinder));", farthest)
        done = self.regress(firmware=elf, rtl_share=1, against=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG small (cheetah_9lp, sstf, vp): expectation 'order' does not hold", done.stdout)
        self.assertIn("WRONG small.rtl: ", done.stdout)
        self.assertIn("\n2 cases: expectations that do not hold: order", done.stdout)


class Canaries(Regress):
    """A stored run and its program. The host's times may differ though no event does."""

    def setUp(self) -> None:
        super().setUp()
        self.add(more="\n[regress]\ncanary = true\n" + EXPECT)
        done = self.regress("canaries", "--write", against=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.kept = {file: file.read_bytes() for file in self.suite.rglob("*.xz")}

    def regress(self, *words: str, **more) -> subprocess.CompletedProcess[str]:
        """`canaries` stands in front of the suite."""
        if words[:1] != ("canaries",):
            return super().regress(*words, **more)
        script = ROOT / "host/regress/regress.py"
        line = [sys.executable, "-B", str(script), str(PROGRAM), "canaries", str(self.suite), "--out", str(self.out), *words[1:]]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    def test_another_firmware_does_not_move_them_and_is_stored_when_told(self):
        self.assertEqual(len(self.kept), 3)
        slower = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress(firmware=slower, rtl_share=1, against=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("on rtl, too: 2 of 2 cases", done.stdout)
        self.assertIn("4 cases: 4 passed; 32 of 32 expectations of 4 cases hold", done.stdout)
        done = self.regress("canaries", "--write", "--firmware", str(slower))
        self.assertEqual(done.stdout.count("written: "), 3, done.stdout + done.stderr)
        for file, before in self.kept.items():
            self.assertNotEqual(file.read_bytes(), before, file)
        done = self.regress("canaries")
        self.assertIn("2 cases: 2 passed", done.stdout)
        self.assertEqual(self.regress("canaries", "--write").returncode, 0)
        self.assertEqual(self.kept, {file: file.read_bytes() for file in self.suite.rglob("*.xz")}, "the same runs, the same bytes")

    def test_a_changed_drive_is_told_and_no_function_is_blamed(self):
        drive = (ROOT / "sim/drives/cheetah_9lp.toml").read_text()
        self.assertEqual(drive.count("\nrpm = 10045"), 1)
        (self.suite / "small/drive.toml").write_text(drive.replace("\nrpm = 10045", "\nrpm = 10044"))
        file = self.suite / "small/scenario.toml"
        file.write_text(file.read_text().replace('"cheetah_9lp"', '"drive.toml"'))
        done = self.regress()
        self.assertEqual(done.returncode, 1)
        self.assertIn("why: its program is the stored one: the simulator changed, or the case's trace or drive\n", done.stdout)
        self.assertIn("1 case: its stored run differs, whose program is stored, too", done.stdout)
        self.assertNotIn("Timing:", done.stdout)

    def test_a_picosecond_is_caught(self):
        # The fourth command to complete waits a picosecond longer in the expected records.
        file = self.suite / "small/records.csv.xz"
        lines = lzma.decompress(file.read_bytes()).decode().splitlines()
        fields = lines[4].split(",")
        column = lines[0].split(",").index("rotation_ps")
        fields[column] = str(int(fields[column]) + 1)
        lines[4] = ",".join(fields)
        file.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode()))
        done = self.regress()
        self.assertEqual(done.returncode, 1)
        report = (self.out / "small.canary/report.txt").read_text()
        self.assertIn("the 4th to complete, has other times than expected", report)
        self.assertIn("what differs first of it: its rotation took", report)
        self.assertTrue((self.out / "small.canary/look/timeline.perfetto").exists())
        self.assertTrue((self.out / "small.canary/waves/divergence.fst").exists())


class ChangedOrder(Regress):
    def test_another_policy_is_caught_by_order_and_stage(self):
        self.add()
        file = self.suite / "small/scenario.toml"
        file.write_text(file.read_text().replace("hosts.depth", 'regress.compare = ["order"]\nhosts.depth'))
        slower = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        self.assertEqual(self.regress(firmware=slower).returncode, 0)
        farthest = "search_consider(&nearest, item, UINT32_MAX - distance_u32(item->cylinder, cylinder));"
        elf = self.patched(SSTF, "search_consider(&nearest, item, distance_u32(item->cylinder, cylinder));", farthest)
        done = self.regress(firmware=elf)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"completed as the \d+\w\w, expected command \d+ \(read LBA \d+, 8 blocks\)")
        self.assertRegex(done.stdout, r"what differs (first|most) of it: its queued took")
        self.assertTrue((self.out / "small/look/timeline.perfetto").exists())


if __name__ == "__main__":
    PROGRAM, BUILD = (Path(word).resolve() for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
