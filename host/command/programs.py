# SPDX-License-Identifier: Apache-2.0
"""The commands that are programs of their own: what each needs built, and how it is started.

A program reads its own command line, and describes it (description.py). Its arguments go to it untouched.
Only what every start needs is imported here: `headstack run` waits for it.
"""

from __future__ import annotations

import os
import sys

from bootstrap import PYTHON, RELEASE, ROOT, become, build_folder, chosen_preset, note, prepare

TYPE_CHECKING = False  # as in bootstrap.py
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

RUN = "host/headstack-run"
FRONT_END = "host/headstack"
START = "host/command/start.py"
FUZZ = "tests/fuzz/drive/headstack-fuzz"


class Program:
    """One command, or all below one word."""

    def __init__(self, command: str, about: str, *, binary: str = "", script: str = "", words: tuple[str, ...] = (),
                 targets: tuple[str, ...] = (), programs: tuple[str, ...] = (RUN,), preset: str = "", translate: bool = False,
                 describes: bool = True) -> None:
        """
        @param command: as it is typed.
        @param about: one line.
        @param binary: below the build's folder, and a target.
        @param script: in Python, below the root.
        @param words: come before the user's.
        @param targets: what is built before it starts; the binary if not given.
        @param programs: paths of these, below the build's folder, are a script's first arguments if it has targets.
        @param preset: "" for the one that is asked for.
        @param translate: the firmware is translated while the command runs.
        @param describes: it prints its own command line with --describe.
        """
        self.command = tuple(command.split())
        self.about = about
        self.binary, self.script, self.words = binary, script, words
        self.programs = programs
        self.targets = targets or ((binary,) if binary else ())
        self._preset, self.translate, self.describes = preset, translate, describes

    @property
    def preset(self) -> str:
        """What it is built in."""
        return self._preset or chosen_preset()

    def line(self) -> list[str]:
        """What starts it, ahead of the user's words."""
        folder = build_folder(self.preset)
        if self.binary:
            return [os.path.join(folder, self.binary), *self.words]
        line = [PYTHON, "-B", os.path.join(ROOT, START), os.path.join(ROOT, self.script)]
        programs = [os.path.join(folder, one) for one in self.programs] if self.targets else []
        return [*line, *programs, *self.words]

    def help(self, words: Sequence[str]) -> NoReturn:
        """What the program says of its command line, if it is built. Never builds."""
        line = self.line()
        if self.binary and not os.path.exists(line[0]):
            print(f"headstack {' '.join(self.command)}: {self.about}")
            note("'headstack build' builds it; then this lists its options, too")
            sys.exit(0)
        become([*line, *words, *(() if asks_for_help(words) else ("--help",))], holds_interrupts=bool(self.script))

    def start(self, words: Sequence[str]) -> NoReturn:
        """Builds what it needs, and becomes it."""
        if asks_for_help(words):
            self.help(words)
        targets = (*self.targets, *more_targets(self, words))
        if targets:
            prepare(targets, self.preset, translate=self.translate)
        become([*self.line(), *words], holds_interrupts=bool(self.script))


def asks_for_help(words: Sequence[str]) -> bool:
    """Whether the words ask for help on the command, and not on a program behind `--`."""
    own = words[: words.index("--")] if "--" in words else words
    return "--help" in own or "-h" in own


def more_targets(program: Program, words: Sequence[str]) -> list[str]:
    """Further targets: the adversary is another program on another platform."""
    if program.binary != FUZZ:
        return []
    asked = {word.rpartition("=")[2] for word in words}
    return [f"{FUZZ}-{platform}" for platform in ("vp", "rtl") if platform in asked]


class Debug(Program):
    """A run that waits for a debugger: with the options of run, and one more."""

    LAUNCH = "--launch"

    def start(self, words: Sequence[str]) -> NoReturn:
        """Ends this program."""
        if asks_for_help(words):
            self.help([word for word in words if word != self.LAUNCH])
        sys.path.insert(1, os.path.join(ROOT, "host/output"))
        from debugging import debug
        from result_files import run

        run(lambda: debug([word for word in words if word != self.LAUNCH], launch=self.LAUNCH in words))


# Benchmarks measure the release build; of anything else they say nothing.
def _bench(name: str, about: str) -> Program:
    return Program(f"bench {name}", about, script=f"tests/bench/bench_{name}.py", targets=(RUN, FRONT_END, "drive_translation"),
                   preset=RELEASE)  # fmt: skip


BENCHES = (
    Program("bench world", "Speed of the geometry and mechanics models; takes Google Benchmark's options.", binary="tests/bench/headstack_bench",
            preset=RELEASE, describes=False),
    Program("bench electronics", "Simulated cycles per second of the electronics; takes Google Benchmark's options.",
            binary="tests/bench/headstack_bench_soc", preset=RELEASE, describes=False),
    _bench("replay", "Commands per second on rtl, with clock gating and without."),
    _bench("fast", "Commands per second on vp, and the cost of a search."),
    _bench("decisions", "Cycles of a scheduling decision, by policy and depth."),
    _bench("margin", "Throughput for different predictor margins."),
    _bench("looking", "Cost of waves, timelines, snapshots and a debugger."),
    _bench("memory", "Memory and speed of a long replay."),
    _bench("budget", "Cost of a command and of start-up, compared with the budget."),
)  # fmt: skip
# It needs to be told which peer: not one of those that `headstack bench` runs.
PEER = _bench("peer", "Processor time per request, compared with another simulator.")

PROGRAMS = (
    Program("drive", "Drives: geometry, seek times, one access; pictures; import and check of descriptions.",
            binary=FRONT_END, words=("drive",)),
    Program("trace", "I/O traces: inspect, convert, cut, scale, add deadlines, synthesize.", binary=FRONT_END, words=("trace",)),
    Program("policy list", "List the scheduling policies of the drive's queue, with parameters and flags.", binary=FRONT_END,
            words=("policy", "list")),
    Program("policy advise", "Advise which policy a load should have: runs every candidate, names the best and the second best.",
            script="host/advise/advise_command.py", targets=(RUN, FRONT_END, "drive_translation"), programs=(RUN,), preset=RELEASE),
    Program("admission", "Number of streams of a given rate that a drive sustains, by the formulas of round-based schemes.",
            binary=FRONT_END, words=("admission",)),
    Program("remap analyse", "Analyse the order of accesses in a trace or a run: Markov model, energies, grids, gaps.",
            script="host/remap/analyse.py", targets=(FRONT_END,), programs=(FRONT_END,)),
    Program("remap synth", "Make a trace of a natural workload: walkers on a Markov chain of virtual cylinders.",
            script="host/remap/synth.py", targets=(FRONT_END,), programs=(FRONT_END,)),
    Program("remap apply", "Translate the addresses of a trace by a map.",
            script="host/remap/apply.py", targets=(FRONT_END,), programs=(FRONT_END,)),
    Program("remap pair", "Time saved by two drives with the same blocks and a map each, if reads use the sooner one.",
            script="host/remap/pair.py", targets=(FRONT_END,), programs=(FRONT_END,)),
    Program("remap arrange", "Compute a map from counts of accesses: pipe organ, popularity, annealing.",
            binary=FRONT_END, words=("remap", "arrange")),
    Program("remap status", "Report where the blocks of a media file lie.", script="host/remap/media.py", words=("status",),
            targets=(RUN,), programs=(RUN,)),
    Program("remap off", "Move all blocks of a media file back to the places of the drive's design.",
            script="host/remap/media.py", words=("off",), targets=(RUN,), programs=(RUN,)),
    Program("remap restore", "Move the blocks of a media file to the places of one of its maps.",
            script="host/remap/media.py", words=("restore",), targets=(RUN,), programs=(RUN,)),
    Program("run", "Replay a trace into a drive, cycle by cycle or on fast models.", binary=RUN, translate=True),
    Program("torture", "Like run, but cut the power at every write of a sector, and check that acknowledged data survive.",
            binary=RUN, words=("--torture",), translate=True),
    Debug("debug", "Like run, under GDB: the run waits before the first instruction, and prints how to connect GDB.", binary=RUN,
          words=("--gdb=unix",)),
    Program("compare", "Compare the summaries of runs side by side.", script="host/report/compare.py"),
    Program("report", "Report runs on one page: figures, distributions, anatomy, comparison.", script="host/report/report.py"),
    Program("wave", "Show what a run recorded with --wave, in GTKWave or as a picture.", script="host/wave/wave_command.py"),
    Program("sweep", "Run a scenario over axes and seeds: table with intervals, paired differences, CSV, JSON, picture.",
            script="host/sweep/sweep_command.py", targets=(RUN, "drive_translation"), programs=(RUN,), preset=RELEASE),
    Program("experiment list", "List the declared experiments.", script="host/experiment/list_experiments.py"),
    Program("experiment run", "Carry out an experiment: table, pictures, a paper's claims beside our numbers.",
            script="host/experiment/experiment.py", targets=(RUN, "drive_translation"), preset=RELEASE),
    Program("fidelity", "Compare simulated drives with real ones whose service times were measured.",
            script="host/fidelity/fidelity.py", targets=(RUN, "drive_translation"), preset=RELEASE),
    Program("references", "Fetch or check the traces of real drives, which are not part of this project.",
            script="host/fidelity/references.py"),
    *BENCHES,
    PEER,
    # The adversary is for cases that replay a storyline.
    Program("regress", "Regression tests: report what has changed, in which cycle first, and why.", script="host/regress/regress.py",
            targets=(RUN, FUZZ)),
    Program("fuzz drive", "Random misbehaving hosts against the drive, checked by a judge; or replay of a storyline.", binary=FUZZ),
    Program("fuzz platforms", "Run random loads on rtl and vp, and check that their results are equal.", script="tests/fidelity/equal_runs.py",
            targets=(RUN, "drive_translation"), programs=(RUN,)),
    Program("fuzz power", "Cut the power at every write of random loads, and check that acknowledged data survive.",
            script="tests/fuzz/power_cuts.py", targets=(RUN, "drive_translation"), programs=(RUN,)),
    Program("mutate", "Put small faults into firmware, electronics and models, and report which the tests detect.",
            script="tests/mutation/mutate.py"),
    Program("coverage", "Measure which lines, branches and signals the tests reach.",
            script="tests/coverage/coverage.py"),
)  # fmt: skip


def find(words: Sequence[str]) -> tuple[Program, list[str]] | None:
    """The program that a command line names, and its words; None: it names none."""
    for program in PROGRAMS:
        length = len(program.command)
        if tuple(words[:length]) == program.command:
            return program, list(words[length:])
    return None
