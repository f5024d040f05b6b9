# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a Dask cluster of this machine, by the lines of host/execute/README.md: test_cluster.py RUN_PROGRAM BUILD

Dask is installed into BUILD/dask, by the README's line, when it is not there at the lock's versions. Skipped (exit
status 77) when that takes a network and there is none.
"""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from support import PATIENCE_S, ROOT, InAFolder, is_alive  # noqa: I001
from execute import places
from execute.errors import ExecuteError
from execute.simulator import Simulator
from execute.workplace import Workplace

PROGRAM, DASK = Path(), Path()  # from the command line
SKIPPED = 77
OFFLINE = re.compile("NewConnectionError|NameResolution|ConnectTimeout|No matching distribution|Connection to .* timed out")
README = ROOT / "host/execute/README.md"
GOLDEN = ("eagle-stf", "hp_c2247a-async")
RUNS = 8
DECLARATION = """
title = "a small one"
report = "eagle"
seeds = [1, 2, 3, 4]
[scenario]
drive = "eagle"
[requests]
sectors = 8
per_queued = 1
at_least = 50
[names]
ideal = { kind = "native", ideal_electronics = true }
[[sweep]]
name = "queue"
policy = ["fcfs"]
platform = ["ideal"]
depth = [2, 3]
"""
# headstack-run, but a run on a worker notes its process, trace and folder; the Nth of a worker does not come back.
NOTING = """
trace= out= before=
for word; do
  case $before in --out) out=$word ;; esac
  before=$word
done
case $1 in */scenario.toml) trace=$(sha256sum <"${{1%/*}}/made.trace") ;; esac
case $out in */worker-*)
  echo "$$ ${{trace%% *}} $out" >>{log} ;;
esac
case $out in {worker}/*)
  if [ "$(grep -c " {worker}/" {log})" -ge {last} ]; then sleep 600; fi ;;
esac
exec {program} "$@"
"""


def lines_of_readme() -> dict[str, list[str]]:
    """The lines for several machines, as words, by what they do."""
    text = README.read_text(encoding="utf-8").partition("## A sweep on several machines")[2]
    block = text.partition("```sh\n")[2].partition("```")[0]
    found = {}
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        for what in ("install", "scheduler", "worker", "experiment", "regress", "fidelity"):
            if what in words:
                found[what] = words
    return found


def environment() -> dict[str, str]:
    """The environment of a build/venv with Dask in it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("DASK_", "GITHUB_"))}
    return {**kept, "PYTHONPATH": str(DASK)}


class Begun(NamedTuple):
    """A run on a worker."""

    process: int
    trace: str  # its hash
    folder: str


class Cluster(InAFolder):
    """A scheduler and a worker; tests may begin more of them."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.cluster = Path(folder.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            cls.port = free.getsockname()[1]
        cls.address = f"tcp://127.0.0.1:{cls.port}"
        cls.processes: list[subprocess.Popen] = []
        cls.addClassCleanup(cls.end)
        cls.begin("scheduler", "Scheduler at", "--no-dashboard")
        _, cls.first_folder = cls.begin_worker()

    @classmethod
    def words(cls, what: str, program: Path | None = None) -> list[str]:
        """The README's, with this machine's addresses and files."""
        words = [word.replace("192.0.2.1", "127.0.0.1").replace("8786", str(cls.port)) for word in lines_of_readme()[what]]
        if words[0] == "./headstack":
            script = ROOT / f"host/{words[1]}/{words[1]}.py"
            typed = 3 if words[1:3] == ["experiment", "run"] else 2  # the command, which that program does not take
            words[:typed] = ["build/venv/bin/python", "-B", str(script), str(program or PROGRAM)]
        assert words[0] == "build/venv/bin/python", words
        return [sys.executable, *words[1:]]

    @classmethod
    def begin(cls, what: str, ready: str, *more: str) -> subprocess.Popen:
        file = cls.cluster / f"{len(cls.processes)}.log"
        line = [*cls.words(what), *more]
        with file.open("w") as log:
            process = subprocess.Popen(line, env=environment(), stdout=log, stderr=log, cwd=cls.cluster)
        cls.processes.append(process)
        begin = time.monotonic()
        while ready not in file.read_text():
            assert process.poll() is None and time.monotonic() - begin < PATIENCE_S, file.read_text()
            time.sleep(0.02)
        return process

    @classmethod
    def begin_worker(cls) -> tuple[subprocess.Popen, Path]:
        """And the folder that it works in."""
        # Without the nanny that would begin it anew: here a lost worker is lost.
        folder = cls.cluster / f"worker-{len(cls.processes)}"
        more = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--local-directory", str(folder)]
        return cls.begin("worker", "Registered to", *more), folder

    @classmethod
    def end(cls) -> None:
        for process in cls.processes:
            process.kill()
            process.wait()

    def setUp(self) -> None:
        super().setUp()
        self.log = self.folder / "log"
        self.log.touch()

    def noting(self, worker: Path, last: int) -> Path:
        """headstack-run that tells what it does, in a build's folder of its own; the worker's run `last` hangs."""
        text = NOTING.format(log=self.log, worker=worker, last=last, program=PROGRAM)
        return self.write_program("build/host/headstack-run", text)

    def begun(self) -> list[Begun]:
        """The pieces of work in the order of their beginnings."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [Begun(int(process), trace, folder) for process, trace, folder in lines]

    def experiment(self, name: str, program: Path) -> list[str]:
        """The README's line, of a small declaration that leaves its files in a folder of that name."""
        (self.folder / "small.toml").write_text(DECLARATION)
        words = self.words("experiment", program)
        words[words.index("eagle")] = str(self.folder / "small.toml")
        return [*words, "--out", str(self.folder / name / "out"), "--cache", str(self.folder / name / "cache")]

    def start(self, words: list[str]) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(words, env=environment(), cwd=self.folder, text=True, stdout=pipe, stderr=pipe)

    def call(self, words: list[str]) -> tuple[int, str, str]:
        """Status, standard output, standard error."""
        process = self.start(words)
        out, error = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, error

    def files(self, name: str) -> dict[str, bytes]:
        folder = self.folder / name
        return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


class Sweeps(Cluster):
    def test_one_of_two_workers_is_killed_and_all_is_as_if_it_had_been_made_here(self) -> None:
        victim, its_folder = self.begin_worker()
        program = self.noting(its_folder, 2)
        sweep = self.start(self.experiment("there", program))
        kept = self.folder / "there/cache"
        its_runs = lambda: [run.trace for run in self.begun() if run.folder.startswith(f"{its_folder}/")]  # noqa: E731
        # Its second run is under way, and all that had begun before has come back, but for one of the other worker.
        self.wait_for(lambda: len(its_runs()) == 2 and len(list(kept.glob("*.json"))) >= max(3, len(self.begun()) - 2))
        finished = {file.name: file.stat().st_mtime_ns for file in kept.glob("*.json")}
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        out, error = sweep.communicate(timeout=PATIENCE_S)
        self.assertEqual((sweep.returncode, error), (0, ""), out)
        self.assertLess(len(finished), RUNS, "it was not in the middle")
        # Every run was begun once, but for what the lost worker had under way: that was begun once more.
        runs = self.begun()
        self.assertEqual(
            Counter(run.trace for run in runs), Counter({run.trace for run in runs}) + Counter([its_runs()[1]])
        )
        self.assertEqual(len(runs), RUNS + 1)
        self.assertEqual({name: (kept / name).stat().st_mtime_ns for name in finished}, finished)
        self.wait_for(lambda: not any(is_alive(run.process) for run in runs))  # also what the killed one had begun
        # The same sweep here.
        words = self.experiment("here", program)
        at = words.index("--executor")
        self.assertEqual(self.call(words[:at] + words[at + 2 :])[0], 0)
        self.assertEqual(self.files("here"), self.files("there"))
        # And once more there: nothing is left to do, and nothing of ours is left on a worker.
        self.assertEqual(self.call(self.experiment("there", program))[0], 0)
        self.assertEqual(self.begun(), runs)
        self.assertEqual([str(kit) for kit in self.cluster.glob("worker-1/**/headstack-*")], [])

    def test_ctrl_c_ends_the_runs_of_the_workers(self) -> None:
        sweep = self.start(self.experiment("there", self.noting(self.first_folder, 1)))
        self.wait_for(self.begun)
        self.assertTrue(is_alive(self.begun()[0].process))
        sweep.send_signal(signal.SIGINT)
        error = sweep.communicate(timeout=PATIENCE_S)[1]
        self.assertEqual(sweep.returncode, 130)
        self.assertRegex(error, r"^headstack: interrupted with 0 of 8 runs done; they are kept[^\n]*\n$")
        self.wait_for(lambda: not any(is_alive(run.process) for run in self.begun()))
        self.assertEqual(len(self.begun()), 1)

    def test_golden_cases_run_there_as_here(self) -> None:
        words = self.words("regress")
        words[words.index("eagle-*") : words.index("eagle-*") + 1] = GOLDEN
        status, out, error = self.call([*words, "--rtl-share", "0", "--keep", "--out", str(self.folder / "out")])
        self.assertEqual((status, error), (0, ""), out)
        self.assertIn(f"{len(GOLDEN)} cases: {len(GOLDEN)} passed", out)
        for case in GOLDEN:
            self.assertTrue((self.folder / "out" / case / "run/records.csv").is_file())

    def test_measured_drives_take_the_same_words(self) -> None:
        status, _, error = self.call([*self.words("fidelity"), "--traces", str(self.folder)])
        self.assertEqual(status, 1)
        self.assertIn("there is no such trace", error)


class Errors(Cluster):
    """Errors in this process, with less patience."""

    def setUp(self) -> None:
        super().setUp()
        sys.path.insert(0, str(DASK))
        self.addCleanup(sys.path.remove, str(DASK))
        patience = mock.patch.object(places, "CONNECT_S", 1)
        patience.start()
        self.addCleanup(patience.stop)

    def error_of(self, address: str, program: Path) -> str:
        workplace = Workplace(Simulator(program, ROOT), {}, self.folder)
        with self.assertRaises(ExecuteError) as raised, places.open_place(f"dask:{address}", None, workplace):
            pass
        return str(raised.exception)

    def test_what_the_cluster_wants_is_named_with_the_remedy(self) -> None:
        self.assertIn("no scheduler answers there", self.error_of("tcp://127.0.0.1:1", PROGRAM))
        broken = self.write_program("broken", 'echo "libfmt.so.9: cannot open shared object file" >&2; exit 127')
        error = self.error_of(self.address, broken)
        self.assertIn("headstack-run does not run there: libfmt.so.9: cannot open shared object file", error)
        self.assertIn("./headstack setup", error)
        self.assertNotIn("\n", error)
        self.processes[1].kill()
        self.assertIn(f"has no workers; start some with 'dask worker {self.address}'", self.error_of(self.address, PROGRAM))


def install() -> None:
    """Installs by the README's line. Ends the test when there is no network, and fails it when the lock is wrong."""
    lock = (ROOT / "host/python/requirements-dask.lock").read_text(encoding="utf-8")
    stamp = DASK / ".lock"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
        return
    shutil.rmtree(DASK, ignore_errors=True)
    words = lines_of_readme()["install"]
    line = [sys.executable, *words[1:], "--quiet", "--disable-pip-version-check", "--no-input", "--target", str(DASK)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if OFFLINE.search(done.stderr):
            print("skipped: Dask is not installed, and the network to get it from does not answer")
            sys.exit(SKIPPED)
        sys.exit(f"{shlex.join(line)}: {done.stderr}")
    stamp.write_text(lock, encoding="utf-8")


if __name__ == "__main__":
    PROGRAM, DASK = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / "dask"
    install()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
