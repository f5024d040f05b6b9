# SPDX-License-Identifier: Apache-2.0
"""One mutant: it is built beside the unmutated code, and tested until a test fails."""

import contextlib
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from config import Area, TestProgram
from errors import MutationError
from mutant import Mutant
from plan import Compilation, Model, Plan, Program

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host"))

from execute.errors import Stopped  # noqa: E402

# The time that a test may take beyond its usual time before its mutant counts as hanging. The processor's time decides.
# The program's time by the clock is for mutants that sleep, and must hold on a busy machine.
CPU_SPARE_S = 3
CPU_FACTOR = 4
WALL_SPARE_S = 60
WALL_FACTOR = 12
MEMORY_BYTES = 6 << 30
MUTATED_FOLDERS = ("firmware/", "hdl/", "sim/", "host/")
PROBE = "_probe.c"  # a test's file, which only calls code in headers

FAST_LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
HANG = -1000  # no signal's number


class NotCompiling(Exception):
    pass


@dataclass(frozen=True)
class Verdict:
    """killed, survived, identical (the same object code) or not-compiling."""

    status: str
    by: str  # the test that failed
    code: str  # a hash of the object code: mutants with the same code are the same mutant
    seconds: float


@dataclass(frozen=True)
class Run:
    passed: bool
    by: str
    took_s: dict[str, float]  # times by test
    wall_s: float


class Bench:
    """What the trials of one area share: the build, each test's usual time, and the tests that have killed mutants."""

    def __init__(self, plan: Plan, area: Area, work: Path) -> None:
        self.plan = plan
        self.area = area
        self.work = work
        self.usual: dict[str, Run] = {}
        self.tests: dict[str, list[str]] = {}
        self.killers: dict[str, Counter[str]] = {}
        self.codes: dict[str, str] = {}
        self.stopping = threading.Event()  # if it is set, all tests end

    def measure(self) -> None:
        """Runs every test on the unmutated code. @raise MutationError: a test fails there."""
        folder = self.work / "usual"
        folder.mkdir(parents=True, exist_ok=True)
        for test in self.area.tests:
            if test.is_lint:
                done = subprocess.run(
                    self.plan.lints[test.name], cwd=folder, capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    raise MutationError(f"{test.name} fails on code that is not mutated:\n{done.stderr}")
                continue
            program = self.plan.programs[test.name]
            path = self.plan.build / program.executable
            if test.separate:
                self.tests[test.name] = list_tests(path, test)
            took_s: dict[str, float] = {}
            wall_s = 0.0
            for name in self.tests.get(test.name, [test.filter]):
                run = run_program(path, test, name, folder, {}, 1200, self.stopping)
                took_s.update(run.took_s)
                wall_s = max(wall_s, run.wall_s)
                if not run.passed:
                    raise MutationError(
                        f"{test.name} fails on code that is not mutated ({run.by}); remedy: mend it first")
            self.usual[test.name] = Run(True, "", took_s, wall_s)

    def fingerprint(self) -> str:
        """A fingerprint of all test programs without a mutant: code, tests and models."""
        digest = hashlib.sha1()
        for test in self.area.tests:
            if test.is_lint:
                digest.update(repr(self.plan.lints[test.name]).encode())
                continue
            digest.update((self.plan.build / self.plan.programs[test.name].executable).read_bytes())
            digest.update(repr((test.filter, sorted(test.environment.items()))).encode())
        return digest.hexdigest()[:16]

    def kills_before(self, file: str, test: str) -> str:
        """A filter for the tests that killed the most mutants of a file, or ""."""
        known = [name for name, _ in self.killers.get(f"{file} {test}", Counter()).most_common(12)]
        return ":".join(known)

    def note_kill(self, file: str, test: str, name: str) -> None:
        if re.fullmatch(r"[\w/]+\.[\w/]+", name):
            self.killers.setdefault(f"{file} {test}", Counter())[name] += 1


def list_tests(path: Path, test: TestProgram) -> list[str]:
    argv = [str(path), "--gtest_list_tests"] + ([f"--gtest_filter={test.filter}"] if test.filter else [])
    text = subprocess.run(argv, capture_output=True, text=True, check=True, env=_environment(test)).stdout
    found, suite = [], ""
    for line in text.split("\n"):
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            found.append(suite + name)
        elif name.endswith("."):
            suite = name
    return found


def _environment(test: TestProgram) -> dict[str, str]:
    return {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", **test.environment}


class Watch:
    """Detects a process that hangs: a test, or the time before the first, takes much more processor time than usual."""

    def __init__(self, pid: int, log: Path, usual_s: dict[str, float]) -> None:
        self.pid, self.log, self.usual_s = pid, log, usual_s
        self.size = -1
        self.begun_at_s = 0.0
        self.limit_s = CPU_SPARE_S

    def hangs(self) -> bool:
        cpu_s = self._cpu_s()
        size = self.log.stat().st_size
        if size != self.size:
            self.size, self.begun_at_s = size, cpu_s
            begun = re.findall(r"^\[ RUN      \] (\S+)", self._tail(), re.MULTILINE)
            usual_s = self.usual_s.get(begun[-1], 0.0) if begun else max(self.usual_s.values(), default=0.0)
            self.limit_s = CPU_SPARE_S + CPU_FACTOR * usual_s
        return cpu_s - self.begun_at_s > self.limit_s

    def _tail(self) -> str:
        with self.log.open("rb") as log:
            log.seek(max(0, self.size - 4096))
            return log.read().decode(errors="replace")

    def _cpu_s(self) -> float:
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_program(
        path: Path, test: TestProgram, filter_text: str, folder: Path, usual_s: dict[str, float], wall_s: float,
        stopping: threading.Event) -> Run:
    """Runs one process. @return with the failed test, or with `crash` or `hang` and the test under way. @raise
    Stopped.
    """
    argv = [str(path), "--gtest_fail_fast", "--gtest_color=no"] + ([f"--gtest_filter={filter_text}"] if filter_text else [])

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    start = time.monotonic()
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            argv, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=_environment(test),
            start_new_session=True, preexec_fn=limit)  # noqa: PLW1509
        watch = Watch(process.pid, log, usual_s)
        code: int | None = None
        try:
            while code is None:
                try:
                    code = process.wait(0.25)
                except subprocess.TimeoutExpired:
                    if stopping.is_set():
                        raise Stopped from None
                    if time.monotonic() - start > wall_s or (usual_s and watch.hangs()):
                        code = HANG
        finally:
            # Death tests leave children if their parent is killed.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    with log.open("rb") as out:
        text = out.read(16 << 20).decode(errors="replace")
    took = {m[1]: int(m[2]) / 1000 for m in re.finditer(r"^\[       OK \] (\S+) \((\d+) ms\)", text, re.MULTILINE)}
    return Run(code == 0, "" if code == 0 else _who_failed(text, code), took, time.monotonic() - start)


def _who_failed(text: str, code: int) -> str:
    failed = re.search(r"^\[  FAILED  \] ([^\s,]+)", text, re.MULTILINE)
    if failed:
        return failed[1]
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.MULTILINE)
    how = "hang" if code == HANG else "crash"
    return f"{how} in {begun[-1]}" if begun else how


class Trial:
    def __init__(self, bench: Bench, worker: int) -> None:
        self.bench = bench
        self.plan = bench.plan
        self.folder = bench.work / f"worker{worker}"
        self.overlay = self.folder / "tree"

    def judge(self, mutant: Mutant, text: str, known: dict[str, Verdict]) -> Verdict:
        """@param text: the mutated file. @param known: verdicts by object code; they hold for equal mutants."""
        start = time.monotonic()
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "run").mkdir(parents=True)
        try:
            code, status, by = self._judge(mutant.file, text, known)
        except NotCompiling as error:
            code, status, by = "", "not-compiling", str(error)
        return Verdict(status, by, code, round(time.monotonic() - start, 2))

    def _judge(self, file: str, text: str, known: dict[str, Verdict]) -> tuple[str, str, str]:
        """Builds and runs one program after the other, the likeliest killer first.

        A mutant's code is that of the first program that contains it, as programs differ in flags, not in source.
        """
        mutated = self.overlay / file
        mutated.parent.mkdir(parents=True)
        mutated.write_text(text)
        first_code, changed = "", False
        made: dict[str, str] = {}
        for test in self.bench.area.tests:
            if test.is_lint:
                by = self._lint(test, file) if changed else ""
            else:
                program = self.plan.programs[test.name]
                objects, code, differs = self._build(program, file, made)
                if not objects:
                    continue
                first_code = first_code or hashlib.sha1(code.encode()).hexdigest()[:16]
                if not differs:
                    continue
                if not changed and first_code in known:
                    return first_code, known[first_code].status, known[first_code].by
                changed = True
                by = self._test(test, file, self._link(program, objects))
            if by:
                return first_code, "killed", f"{test.name}: {by}"
        if not first_code:
            raise MutationError(
                f"no test of area {self.bench.area.name} has {file} in it; remedy: see its tests in mutation.toml")
        return first_code, "survived" if changed else "identical", ""

    # ---- build

    def _build(self, program: Program, file: str, made: dict[str, str]) -> tuple[dict[str, str], str, bool]:
        """@return the replaced objects with their replacements, the code, and whether the code has changed."""
        if file.endswith(".sv"):
            model = self.plan.model_of(program, file)
            return self._verilate(program, model, file, made) if model else ({}, "", False)
        replaced, codes, differs = {}, "", False
        for name in self.plan.objects_of(program):
            compilation = self.plan.compilations.get(name)
            if compilation is None or not self.plan.depends(name, file):
                continue
            source = self.plan.in_tree(compilation.source)
            if not source.startswith(MUTATED_FOLDERS) and not source.endswith(PROBE):
                continue  # a test keeps the original headers
            if name not in made:
                made[name] = self._compile(compilation, self.overlay, file, self.folder / "objects")
            code = _digest_of(Path(made[name]))
            replaced[name] = made[name]
            codes += code
            differs = differs or code != self._usual_code(compilation)
        return replaced, codes, differs

    def _compile(self, compilation: Compilation, overlay: Path, file: str, folder: Path) -> str:
        """@param overlay: the folder with `file` as it is to be compiled. @return the object."""
        source = compilation.source
        if self.plan.in_tree(source) == file:
            source = str(overlay / file)
        made = folder / compilation.object.replace("/", "_")
        made.parent.mkdir(exist_ok=True)
        argv = _with(compilation.argv, compilation.object, str(made), compilation.source, source)
        # The overlay must be the first folder that is searched. A mutant may cause warnings, which do not count.
        at = next((i for i, word in enumerate(argv) if word.startswith(("-I", "-isystem"))), argv.index("-o"))
        # Checks in C++ name their file, whose folder is another one for each worker.
        same_names = [f"-fmacro-prefix-map={overlay}={self.plan.tree}"]
        self._call(argv[:at] + ["-w", f"-I{overlay}"] + same_names + argv[at:], self.plan.build)
        return str(made)

    def _usual_code(self, compilation: Compilation) -> str:
        """The code of the object without a mutant, compiled in the same way."""
        if compilation.object not in self.bench.codes:
            overlay = self.folder / "usual"
            source = self.plan.in_tree(compilation.source)
            (overlay / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.plan.tree / source, overlay / source)
            made = self._compile(compilation, overlay, source, self.folder / "usual_objects")
            self.bench.codes[compilation.object] = _digest_of(Path(made))
        return self.bench.codes[compilation.object]

    def _verilate(self, program: Program, model: Model, file: str, made: dict[str, str]) -> tuple[dict[str, str], str, bool]:
        folder = self.folder / "verilated" / Path(model.folder).name
        if model.folder not in made:
            self._write_model(model, folder, file)
            made[model.folder] = str(folder)
        code = self._digest_of_model(folder)
        if model.folder not in self.bench.codes:
            usual = self.folder / "usual" / Path(model.folder).name
            self._write_model(model, usual, "")
            self.bench.codes[model.folder] = self._digest_of_model(usual)
        differs = code != self.bench.codes[model.folder]
        replaced: dict[str, str] = {}
        for name in self.plan.objects_of(program):
            compilation = self.plan.compilations.get(name)
            if compilation is None or not compilation.source.startswith(model.folder + "/"):
                continue
            if differs and name not in made:
                target = folder / Path(name).name
                argv = [word.replace(model.folder, str(folder)) for word in compilation.argv]
                argv = ["-O1" if word == "-O2" else word for word in _with(tuple(argv), name, str(target), "", "")]
                self._call(argv, self.plan.build)
                made[name] = str(target)
            replaced[name] = made.get(name, "")
        return replaced, code, differs

    def _write_model(self, model: Model, folder: Path, file: str) -> None:
        folder.mkdir(parents=True)
        mutated = str(self.plan.tree / file)
        argv = [str(self.overlay / file) if file and word == mutated else word for word in model.argv]
        self._call([str(folder) if word == model.folder else word for word in argv], self.plan.tree / "hdl")
        self._call([word.replace(model.folder, str(folder)) for word in model.collect], self.plan.tree / "hdl")

    def _digest_of_model(self, folder: Path) -> str:
        digest = hashlib.sha1()
        for path in sorted(folder.glob("*.cpp")) + sorted(folder.glob("*.h")):
            text = path.read_text().replace(str(self.overlay), str(self.plan.tree)).replace(str(folder), "")
            digest.update(text.encode())
        return digest.hexdigest()[:16]

    def _link(self, program: Program, objects: dict[str, str]) -> Path:
        executable = self.folder / program.name
        archives = self.plan.objects_of(program)
        argv: list[str] = []
        for word in program.link:
            # The linker takes no object from an archive if the program has its symbols already.
            if word.endswith(".a"):
                argv += [made for name, made in objects.items() if archives[name] == word and made not in argv]
            argv.append(objects.get(word, str(executable) if word == program.executable else word))
        self._call(argv + FAST_LINKER, self.plan.build)
        return executable

    def _call(self, argv: list[str], folder: Path) -> None:
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, check=False, errors="replace", stdin=subprocess.DEVNULL)
        if done.returncode < 0:
            raise KeyboardInterrupt
        if done.returncode != 0:
            lines = [line for line in (done.stderr + done.stdout).split("\n") if "rror" in line]
            raise NotCompiling(lines[0].strip()[:200] if lines else f"{argv[0]} gave status {done.returncode}")

    # ---- test

    def _lint(self, test: TestProgram, file: str) -> str:
        """@return the linter's complaint, or ""."""
        mutated = str(self.plan.tree / file)
        argv = [str(self.overlay / file) if word == mutated else word for word in self.plan.lints[test.name]]
        done = subprocess.run(argv, cwd=self.folder / "run", capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
        return next(iter(re.findall(r"^%(\w+-\w+|Error)", done.stderr, re.MULTILINE)), "an error")

    def _test(self, test: TestProgram, file: str, path: Path) -> str:
        """@return the test that failed, or ""."""
        usual = self.bench.usual[test.name]
        wall_s = WALL_SPARE_S + WALL_FACTOR * usual.wall_s
        before = self.bench.kills_before(file, test.name)
        if test.separate:
            likely = before.split(":") if before else []
            names = likely + [name for name in self.bench.tests[test.name] if name not in likely]
        else:
            names = ([before] if before and usual.wall_s > 0.3 else []) + [test.filter]
        for name in names:
            run = run_program(path, test, name, self.folder / "run", usual.took_s, wall_s, self.bench.stopping)
            if not run.passed:
                self.bench.note_kill(file, test.name, run.by.split()[-1])
                return run.by
        return ""


def _with(argv: tuple[str, ...], object_name: str, made: str, source: str, new_source: str) -> list[str]:
    return [made if word == object_name else new_source if source and word == source else word for word in argv]


def _digest_of(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()[:16]
